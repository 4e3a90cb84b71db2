"""A sequence of tokens to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

KINDS = ("plain", "line", "block")


@dataclass(frozen=True)
class Example:
    ids: Sequence[int] | np.ndarray  # below 65,536
    # The first token that is judged: what stands before it is given.
    judged_from: int
    # The first token of the middle; len(ids) where there is none.
    middle_from: int
    kind: str
