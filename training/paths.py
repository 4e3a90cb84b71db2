"""Where things lie: the shipped model in the repository, all that is fetched or made in a cache outside of it."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
MODELS = REPOSITORY / "models"


def shipped_model() -> Path:
    """The one model file in the repository."""
    files = sorted(MODELS.glob("*.gguf"))
    if len(files) != 1:
        raise FileNotFoundError(f"{MODELS} holds {len(files)} .gguf files instead of one; restore it from git.")
    return files[0]


def cache() -> Path:
    """Downloads, corpus, shards and runs; EMBERLINE_TRAINING moves it."""
    own = os.environ.get("EMBERLINE_TRAINING")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "emberline-training"
