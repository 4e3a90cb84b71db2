"""
Learning rate and rounding over a run: warm-up, a long constant part, and a last one (a third) in which the rate falls to nothing; from there on
at the latest the weights that compute are those that the shipped format can hold, unless a run learns without that to judge what it costs.

The constant part does not depend on how long the run will be (Hu et al., 2024, "warmup-stable-decay"): from its checkpoint a
longer run goes on as if it had been planned so from the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

DECAY_SHARE = 1 / 3
_FINAL = 0.01


@dataclass(frozen=True)
class Schedule:
    rate: float
    warm_up_tokens: int
    tokens: int
    rounding_share: float = DECAY_SHARE  # the last part of the run that is learned with rounding; 0: none of it is
    decay_share: float = DECAY_SHARE  # the last part of the run, in which the rate falls

    @property
    def decay_from(self) -> int:
        """Tokens after which the last part begins."""
        return round(self.tokens * (1 - self.decay_share))

    def is_decaying(self, seen: int) -> bool:
        return seen >= self.decay_from

    def is_rounding(self, seen: int) -> bool:
        begins = self.tokens * (1 - self.rounding_share)
        return self.rounding_share > 0 and (self.is_decaying(seen) or seen >= begins)

    def rate_at(self, seen: int) -> float:
        """The learning rate of the step that begins after `seen` tokens."""
        if self.is_decaying(seen):
            left = max(0.0, (self.tokens - seen) / max(1, self.tokens - self.decay_from))
            return self.rate * (_FINAL + (1 - _FINAL) * left)
        return self.rate * min(1.0, (seen + 1) / max(1, self.warm_up_tokens))
