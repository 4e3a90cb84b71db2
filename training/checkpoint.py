"""Everything that a run needs to go on as if it had never stopped, in one file that is either there as a whole or not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from training.corpus.fetch import sha256_of


def save(path: Path, state: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def check_base(state: dict[str, Any], base: Path, saved: Path) -> None:
    """ValueError where a checkpoint was learned from another model than `base`: its weights lie on the grid of that one."""
    # What was saved before it said so is taken as it is.
    if state.get("base", own := sha256_of(base)) != own:
        raise ValueError(
            f"{saved} was learned from another model than {base}: name that one with --base, or another run with --run."
        )


def load(path: Path, device: torch.device) -> dict[str, Any]:
    """Holds tensors and plain values alone: nothing of the file is executed."""
    return torch.load(path, map_location=device, weights_only=True)
