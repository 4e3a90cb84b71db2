"""The text that the embedded model is taught with: what is fetched, what of it is kept, and how it is written."""
