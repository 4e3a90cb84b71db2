"""
The order in which examples are learned, and what of them is judged how hard.

The order is a permutation an epoch, made of the seed and the epoch's number alone: a position in it (`Cursor`) is all that a
checkpoint has to hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from training.examples.example import KINDS
from training.layout_ids import END
from training.model import Packed
from training.shards import Examples

PARTS = ("plain", "before", "middle", "end")
# How much a token's loss counts, by the part of the example that it is in: plain code; what stands before the middle; the middle,
# which is a tenth of the tokens and what the model is for; and the end of the middle, which it has never seen.
WEIGHTS = (1.0, 1.0, 2.5, 4.0)


@dataclass(frozen=True)
class Batch:
    packed: Packed
    rows: Tensor  # [n] int64, positions whose next token is judged
    targets: Tensor  # [n] int64
    weights: Tensor  # [n] float32, not normalised
    parts: Tensor  # [n] int64, indices into PARTS

    @property
    def tokens(self) -> int:
        return len(self.packed.ids)

    def to(self, device: torch.device) -> Batch:
        packed = Packed(self.packed.ids.to(device), self.packed.positions.to(device), self.packed.lengths)
        moved = (one.to(device) for one in (self.rows, self.targets, self.weights, self.parts))
        return Batch(packed, *moved)


def pack(examples: Examples, numbers: list[int]) -> Batch:
    """The examples of these numbers behind one another."""
    ids, positions, rows, targets, parts, lengths = [], [], [], [], [], []
    start = 0
    for number in numbers:
        one = examples.ids(number).astype(np.int64)
        facts = examples.index[number]
        judged = np.arange(int(facts["judged_from"]), len(one))
        part = np.where(judged >= int(facts["middle_from"]), PARTS.index("middle"), PARTS.index("before"))
        if KINDS[facts["kind"]] == "plain":
            part[:] = PARTS.index("plain")
        else:
            part[one[judged] == END] = PARTS.index("end")
        ids.append(one)
        positions.append(np.arange(len(one)))
        rows.append(start + judged - 1)
        targets.append(one[judged])
        parts.append(part)
        lengths.append(len(one))
        start += len(one)
    joined = [torch.from_numpy(np.concatenate(one)) for one in (ids, positions, rows, targets, parts)]
    packed = Packed(joined[0], joined[1], tuple(lengths))
    return Batch(packed, joined[2], joined[3], torch.tensor(WEIGHTS)[joined[4]], joined[4])


@dataclass
class Cursor:
    """How far the examples have been learned."""

    epoch: int = 0
    position: int = 0


class Stream:
    def __init__(self, examples: Examples, seed: int, cursor: Cursor) -> None:
        self._examples = examples
        self._seed = seed
        self.cursor = cursor
        self._order = self._ordered()

    def at(self, cursor: Cursor) -> Stream:
        """The same examples in the same order, from another place on."""
        return Stream(self._examples, self._seed, cursor)

    def take(self, tokens: int) -> Batch:
        """The next examples, as many as fit into `tokens`, and at least one."""
        numbers: list[int] = []
        total = 0
        while True:
            if self.cursor.position == len(self._order):
                self.cursor = Cursor(self.cursor.epoch + 1)
                self._order = self._ordered()
            number = int(self._order[self.cursor.position])
            length = int(self._examples.index["length"][number])
            if numbers and total + length > tokens:
                return pack(self._examples, numbers)
            numbers.append(number)
            total += length
            self.cursor.position += 1

    def _ordered(self) -> np.ndarray:
        return np.random.default_rng((self._seed, self.cursor.epoch)).permutation(len(self._examples))
