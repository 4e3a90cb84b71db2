"""
What a model knew before it was taught is held on to: on text of its own, the law of what comes next stays near to what it was ("Learning
without forgetting", Li and Hoiem, 2016; the divergence is that of Hinton et al., 2015, at temperature 1).
"""

from __future__ import annotations

from pathlib import Path

import torch

from training.batches import Cursor, Stream, pack
from training.model import Judged, Model
from training.shards import Examples
from training.weights import computing

# A divergence has none of the noise of a next token that was drawn: its small gradient may count more.
WEIGHT = 3.0


class Retained:
    """Examples of what shall be kept, and the model that knows it."""

    def __init__(self, known: Path, folder: Path, seed: int, device: torch.device) -> None:
        self.known = computing(known, device)
        self._examples = Examples(folder)
        self._seed = seed
        self._device = device
        self.stream = Stream(self._examples, seed, Cursor())
        self.owed = 0.0  # tokens that were asked for and not taken; below 0 where the last text was longer

    def go_on_at(self, cursor: Cursor, owed: float) -> None:
        self.stream = self.stream.at(cursor)
        self.owed = owed

    def take(self, tokens: float, total: float) -> Judged | None:
        """
        The next examples, of so many tokens on the average: a text may be longer than what a pass asks for, and the passes behind it then
        get none. total: the sum of the weights of all that the step learns.
        """
        self.owed += tokens
        if self.owed <= 0:
            return None
        batch = self.stream.take(int(self.owed)).to(self._device)
        self.owed -= batch.tokens
        return Judged(batch.packed, batch.rows, torch.full_like(batch.weights, WEIGHT / total))

    @torch.no_grad()
    def judged(self, model: Model, tokens: int) -> float:
        """The divergence on the first examples of about so many tokens, nats a token."""
        batch = pack(self._examples, list(self._examples.first(tokens))).to(self._device)
        return float(model.divergence(batch.packed, batch.rows, self.known, batch.weights)[1].mean())
