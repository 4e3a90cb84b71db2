"""Rounding of weights to the blocks of a quantised file: the one algorithm for what a trainer sees and what is packed.

A block keeps the scale and offset it has in the base file where they still fit. Of 32 weights w:

1. q = clip(round((w - m) / d)), rounding half to even.
2. (d, m) are moved by the least squares of w - (d q + m) over q, rounded to half floats, and taken where the error falls.
3. A block that has outgrown its grid, or shrunk to a part of it, is also tried on a grid spanned by its own extremes; the
   smaller error decides. So is one whose scale is 0.

Weights that did not change come out bit for bit as they were: their residuals are 0, and nothing is better than no error.

The result is the same on every device and however the work is cut. Residuals are taken in whole fractions of a step, few
enough for their sums over a block to be exact in float32 in any order; everything else is one IEEE operation at a time.
So it must not be compiled into fused kernels (`torch.compile` would contract a * b + c).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from training.gguf.block_formats import BLOCK, Format, Parts

# Residuals beyond this many steps count as this many: such a block gets a grid of its own anyway.
_LARGEST_RESIDUAL = 8
_EXACT_SUM = 1 << 24  # float32 holds every integer up to here

# A block is tried on a grid of its own where it exceeds the base's by more than a step, or spans less than this share of it.
_SLACK = 1.0
_SMALLEST_SPAN = 0.7

# Blocks at a time on a CPU, so that what is computed on the way stays in the cache.
_CHUNK = 8192


@dataclass(frozen=True)
class Grid:
    """The scales and offsets of the base file's blocks."""

    d: Tensor  # float32 [rows, blocks], each value a half float
    m: Tensor | None  # the same, or None where the format has no offset
    low: int  # the smallest integer
    high: int  # the largest

    @classmethod
    def of_parts(cls, parts: Parts, kind: Format, rows: int) -> Grid:
        """Of what `GgufFile.parts` gives for a tensor of so many rows."""
        d = torch.from_numpy(parts.d).view(rows, -1)
        m = None if parts.m is None else torch.from_numpy(parts.m).view(rows, -1)
        return cls(d, m, kind.low, kind.high)

    @classmethod
    def below_one_another(cls, grids: Sequence[Grid]) -> Grid:
        """Of tensors of one format whose rows make one matrix."""
        first = grids[0]
        if any((each.low, each.high, each.m is None) != (first.low, first.high, first.m is None) for each in grids):
            raise ValueError("Tensors that make one matrix have different formats; give them the same one.")
        offsets = [each.m for each in grids if each.m is not None]
        return cls(
            torch.cat([each.d for each in grids]), torch.cat(offsets) if offsets else None, first.low, first.high
        )

    def flat(self) -> Grid:
        """The same blocks below one another, a row each."""
        return Grid(self.d.view(-1, 1), None if self.m is None else self.m.view(-1, 1), self.low, self.high)

    def to(self, device: torch.device | str) -> Grid:
        return Grid(self.d.to(device), None if self.m is None else self.m.to(device), self.low, self.high)


@dataclass(frozen=True)
class Blocks:
    """Blocks of weights rounded to x = d * q + m."""

    q: Tensor  # float32 [blocks, 32], whole numbers
    d: Tensor  # float32 [blocks, 1], each value a half float
    m: Tensor | None

    def values(self, out: Tensor | None = None) -> Tensor:
        """float32 [blocks, 32]; d * q is exact, so fusing could not change it."""
        x = torch.mul(self.q, self.d, out=out)
        return x if self.m is None else x.add_(self.m)


def round_to_grid(master: Tensor, base: Grid) -> Tensor:
    """
    What a file packed on the grid of `base` would decode to: float32 [rows, columns] for `master` of the same kind.

    Has no gradient; the values are the same on a CPU and on CUDA (a zero may have either sign). A weight that is not finite
    spoils its block and no other.
    """
    with torch.no_grad(), _one_thread():
        rounded = torch.empty(master.shape, dtype=torch.float32, device=master.device)
        blocks = rounded.view(-1, BLOCK)
        for part, fitted in _fit_in_chunks(master, base):
            fitted.values(out=blocks[part])
        return rounded


def fit(master: Tensor, base: Grid) -> Blocks:
    """The blocks that `round_to_grid` decodes, for packing."""
    with torch.no_grad(), _one_thread():
        parts = [fitted for _, fitted in _fit_in_chunks(master, base)]
        offsets = [each.m for each in parts if each.m is not None]
        return Blocks(
            torch.cat([each.q for each in parts]),
            torch.cat([each.d for each in parts]),
            torch.cat(offsets) if offsets else None,
        )


def own_grid(w: Tensor, low: int, high: int, has_offset: bool) -> tuple[Tensor, Tensor | None]:
    """Scales and offsets [blocks, 1] that blocks of weights [blocks, 32] span themselves, as half floats."""
    if has_offset:
        lowest = w.amin(-1, keepdim=True)
        return _half((w.amax(-1, keepdim=True) - lowest) / (high - low)), _half(lowest)
    if -low == high:
        return _half(w.abs().amax(-1, keepdim=True) / high), None
    # One more integer below 0 than above: the scale takes the sign that puts the largest weight there.
    lowest, highest = w.amin(-1, keepdim=True), w.amax(-1, keepdim=True)
    return _half(torch.where(-lowest >= highest, lowest, highest) / low), None


@contextmanager
def _one_thread() -> Iterator[None]:
    """
    Without PyTorch's pool: operations as short as these spend more time waiting for the other threads than they save, ten
    times as much where something else runs on the machine.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _fit_in_chunks(master: Tensor, base: Grid) -> Iterator[tuple[slice, Blocks]]:
    weights = master.detach().reshape(-1, BLOCK)
    d = base.d.reshape(-1, 1)
    m = None if base.m is None else base.m.reshape(-1, 1)
    if len(weights) != len(d):
        raise ValueError(
            f"The grid has {len(d)} blocks and the weights {len(weights)}; take the grid of the same tensor."
        )
    chunk = len(weights) if weights.is_cuda else _CHUNK
    for start in range(0, len(weights), chunk):
        part = slice(start, start + chunk)
        yield part, _fit(weights[part], Grid(d[part], None if m is None else m[part], base.low, base.high))


def _fit(w: Tensor, grid: Grid) -> Blocks:
    fitted, outgrown = _fit_on(w, grid)
    index = outgrown.view(-1).nonzero().view(-1)
    if len(index) == 0:
        return fitted
    some = w[index]
    d, m = own_grid(some, grid.low, grid.high, grid.m is not None)
    other, _ = _fit_on(some, Grid(d, m, grid.low, grid.high))
    kept = Blocks(fitted.q[index], fitted.d[index], None if fitted.m is None else fitted.m[index])
    better = _error(some, other) < _error(some, kept)
    fitted.q[index] = torch.where(better, other.q, kept.q)
    fitted.d[index] = torch.where(better, other.d, kept.d)
    if fitted.m is not None and kept.m is not None and other.m is not None:
        fitted.m[index] = torch.where(better, other.m, kept.m)
    return fitted


def _fit_on(w: Tensor, grid: Grid) -> tuple[Blocks, Tensor]:
    """Steps 1 and 2, and which blocks [blocks, 1] their grid may not suit."""
    d, m = grid.d, grid.m
    inverse = torch.where(d == 0, 0.0, d.reciprocal())
    steps = w * inverse if m is None else (w - m).mul_(inverse)
    lowest, highest = steps.amin(-1, keepdim=True), steps.amax(-1, keepdim=True)
    outgrown = (
        (lowest < grid.low - _SLACK)
        | (highest > grid.high + _SLACK)
        | (highest - lowest < _SMALLEST_SPAN * (grid.high - grid.low))
    )
    q = steps.round().clamp_(grid.low, grid.high)
    scale = _fractions(grid)
    residual = steps.sub_(q).clamp_(-_LARGEST_RESIDUAL, _LARGEST_RESIDUAL).mul_(scale).round_()
    # Sums over the block, of residuals in fractions of a step.
    r = residual.sum(-1, keepdim=True)
    rq = residual.mul_(q).sum(-1, keepdim=True)
    qq = torch.mul(q, q, out=residual).sum(-1, keepdim=True)
    if m is None:
        slope = torch.where(qq > 0, rq / qq, 0.0) / scale
        moved = _half(d + slope * d)
        a = (moved - d) * inverse
        change = a * a * qq - 2 * a * (rq / scale)
        return Blocks(q, torch.where(change < 0, moved, d), None), outgrown
    sum_q = q.sum(-1, keepdim=True)
    determinant = BLOCK * qq - sum_q * sum_q
    slope = torch.where(determinant > 0, (BLOCK * rq - sum_q * r) / determinant, 0.0) / scale
    moved = _half(d + slope * d)
    a = (moved - d) * inverse
    offset = (r / scale - a * sum_q) / BLOCK
    shifted = _half(m + offset * d)
    b = (shifted - m) * inverse
    # Of the squared error, in squared steps, when d moves by a steps and m by b.
    change = a * a * qq + 2 * (a * b * sum_q) + BLOCK * (b * b) - 2 * (a * (rq / scale) + b * (r / scale))
    better = change < 0
    return Blocks(q, torch.where(better, moved, d), torch.where(better, shifted, m)), outgrown


def _fractions(grid: Grid) -> float:
    """Into how many parts a step is divided so that 32 residuals times integers sum up exactly: a power of two."""
    largest = _LARGEST_RESIDUAL * BLOCK * max(-grid.low, grid.high)
    return float(1 << ((_EXACT_SUM // largest).bit_length() - 1))


def _half(x: Tensor) -> Tensor:
    """Rounded to the nearest half float. What overflows becomes infinite, and is never the better choice."""
    return x.to(torch.float16).to(torch.float32)


def _error(w: Tensor, blocks: Blocks) -> Tensor:
    """The squared error of blocks [blocks, 1], float64, summed in one fixed order."""
    squares = (w.double() - blocks.values().double()).square()
    while squares.shape[-1] > 1:
        half = squares.shape[-1] // 2
        squares = squares[:, :half] + squares[:, half:]
    return squares
