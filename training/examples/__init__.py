"""From the files of the corpus to the token sequences that the model is taught with."""
