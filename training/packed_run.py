"""A checkpoint as a model file."""

from __future__ import annotations

from pathlib import Path

import torch

from training import checkpoint
from training.pack import TensorReport, pack
from training.weights import Masters


def pack_run(saved: Path, base: Path, out: Path) -> list[TensorReport]:
    """Writes what a checkpoint has learned to `out`, in the formats of `base`, the model it began with."""
    state = checkpoint.load(saved, torch.device("cpu"))
    masters = Masters(base, torch.device("cpu"), state["options"]["seed"])
    masters.load(state["masters"])
    return pack(masters.to_gguf(), base, out)
