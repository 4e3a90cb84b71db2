"""
How many middles of the validation examples a greedy decode would write as their authors did, from one pass over each.

Greedy decode arrives at a text exactly when each of its tokens is the likeliest behind all that stands before it, so nothing has to
be decoded. Texts that would come out right in other tokens count as wrong; `npm run bench -- quality` judges the text itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor

from training.examples.example import KINDS
from training.shards import Examples


@dataclass(frozen=True)
class Place:
    """A middle of so many tokens, of which the last is its end."""

    kind: str  # "line" or "block"
    tokens: int


def middles(examples: Examples, numbers: list[int]) -> tuple[Tensor, list[Place]]:
    """
    The positions in front of each token of the middles (int64 [n]; the examples of these numbers lie behind one another), and whose
    they are, in this order.
    """
    rows, places = [torch.zeros(0, dtype=torch.int64)], []
    start = 0
    for number in numbers:
        facts = examples.index[number]
        length, first, kind = int(facts["length"]), int(facts["middle_from"]), KINDS[facts["kind"]]
        if kind != "plain" and first < length:
            rows.append(torch.arange(start + first - 1, start + length - 1))
            places.append(Place(kind, length - first))
        start += length
    return torch.cat(rows), places


class Exactness:
    """Shares of middles, by kind: all of their tokens right, those of their second half, and their ends."""

    def __init__(self) -> None:
        self._right: Counter[str] = Counter()
        self._all: Counter[str] = Counter()

    def add(self, places: list[Place], right: list[bool]) -> None:
        """right: of each token of the places in turn, whether it is the likeliest."""
        at = 0
        for place in places:
            text, end = right[at : at + place.tokens - 1], right[at + place.tokens - 1]
            at += place.tokens
            self._all[place.kind] += 1
            self._right[f"{place.kind} exact"] += all(text)
            self._right[f"{place.kind} second half"] += all(text[len(text) // 2 :])
            self._right[f"{place.kind} with its end"] += all(text) and end

    def shares(self) -> dict[str, float]:
        return {name: count / self._all[name.split(" ", 1)[0]] for name, count in self._right.items()}
