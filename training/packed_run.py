"""A checkpoint as a model file."""

from __future__ import annotations

from pathlib import Path

import torch

from training import checkpoint
from training.gguf.reader import read
from training.pack import TensorReport, half_floats, pack
from training.weights import Masters


def pack_run(saved: Path, base: Path, out: Path, full: bool = False) -> list[TensorReport]:
    """
    Writes what a checkpoint has learned to `out`, in the formats of `base`, the model it began with; `full`: its matrices as half floats, to
    judge what rounding costs. ValueError where it began with another.
    """
    state = checkpoint.load(saved, torch.device("cpu"))
    checkpoint.check_base(state, base, saved)
    masters = Masters(base, torch.device("cpu"), state["options"]["seed"])
    masters.load(state["masters"])
    return pack(masters.to_gguf(), base, out, half_floats(read(base)) if full else None)
