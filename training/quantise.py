"""Chooses the integers, scales and offsets that stand for weights in a block format.

Three ways: `plain`, as ggml's reference does it; `searched`, which looks for the scale with the least (weighted) error; and
`on_grid`, which keeps to the blocks of the file that the weights came from.
"""

from __future__ import annotations

import numpy as np
import torch

from training.gguf.block_formats import BLOCK, Format, Parts, encode_parts
from training.gguf.values import GgufError
from training.rounding import Grid, fit, own_grid

# How many steps more than there are the extremes of a block are taken to span. Weights between the extremes gain where
# the extremes are cut, and the other way round.
_SPANS = np.arange(-1.2, 1.21, 0.15, dtype=np.float32)

_CHUNK = 16384  # blocks at a time


def plain(values: np.ndarray, kind: Format) -> Parts:
    """
    Scales from the extremes of each block; float32 values of any shape.

    Like ggml's reference, but rounded by the scale as it is stored, so that no error comes from the bits that a half float
    lacks.
    """
    blocks = _blocks(values, kind)
    d, m = _own_grid(blocks, kind)
    return Parts(_nearest(blocks, d, m, kind).astype(np.int8), d[:, 0], None if m is None else m[:, 0])


def searched(values: np.ndarray, kind: Format, importance: np.ndarray | None = None) -> Parts:
    """
    The scales with the least squared error among those of `plain` and least squares over several cuts of the extremes.

    values: float32 [rows, columns]. importance: what the squared error of a column counts, [columns], >= 0: the mean
    square of what the column is multiplied with.
    """
    blocks = _blocks(values, kind)
    columns = values.shape[-1]
    weights = np.ones((columns // BLOCK, BLOCK), np.float32)
    if importance is not None:
        if importance.shape != (columns,) or not np.isfinite(importance).all() or (importance < 0).any():
            raise GgufError(
                f"The importance of {columns} columns must be as many finite numbers from 0; measure it again."
            )
        # A column that never mattered is still rounded as well as the others allow.
        weights[:] = (importance / max(float(importance.mean()), 1e-30) + 1e-6).reshape(-1, BLOCK)
    found = [
        _search(
            blocks[start : start + _CHUNK],
            weights[np.arange(start, min(start + _CHUNK, len(blocks))) % len(weights)],
            kind,
        )
        for start in range(0, len(blocks), _CHUNK)
    ]
    return Parts(
        np.concatenate([parts.q for parts in found]),
        np.concatenate([parts.d for parts in found]),
        np.concatenate([parts.m for parts in found if parts.m is not None]) if kind.has_offset else None,
    )


def on_grid(values: np.ndarray, kind: Format, base: Parts) -> Parts:
    """
    The blocks whose values `training.rounding.round_to_grid` gives.

    values: float32 [rows, columns], of the tensor whose parts in the base file are `base`; where they are what those decode
    to, the result is the same parts.
    """
    blocks = _blocks(values, kind)
    fitted = fit(torch.from_numpy(blocks), Grid.of_parts(base, kind, 1))
    m = None if fitted.m is None else fitted.m.view(-1).numpy()
    return Parts(fitted.q.to(torch.int8).numpy(), fitted.d.view(-1).numpy(), m)


def encoded(values: np.ndarray, parts: Parts, kind: Format) -> tuple[np.ndarray, float]:
    """The bytes of a tensor, and how far what they decode to is from `values`: see `relative_error`."""
    return encode_parts(parts, kind), relative_error(values, parts.values())


def relative_error(values: np.ndarray, rounded: np.ndarray) -> float:
    """The root of the squared error over the squared weights; 0 for a tensor of zeros that stayed one."""
    difference = np.subtract(rounded.reshape(-1), values.reshape(-1))
    error, size = float(np.vdot(difference, difference)), float(np.vdot(values, values))
    if error == 0:
        return 0.0
    return float(np.sqrt(error / size)) if size > 0 else float("inf")


def _blocks(values: np.ndarray, kind: Format) -> np.ndarray:
    """float32 [blocks, 32]."""
    if not kind.quantised:
        raise GgufError(f"{kind.name} has no blocks; encode the values as they are.")
    kind.size(values.shape)
    if values.dtype != np.float32:
        raise GgufError(f"Weights came as {values.dtype}; give them as float32.")
    if not np.isfinite(values).all():
        raise GgufError("Some weights are not finite; take an earlier checkpoint of the training.")
    return np.ascontiguousarray(values).reshape(-1, BLOCK)


def _own_grid(blocks: np.ndarray, kind: Format) -> tuple[np.ndarray, np.ndarray | None]:
    d, m = own_grid(torch.from_numpy(blocks), kind.low, kind.high, kind.has_offset)
    if not (torch.isfinite(d).all() and (m is None or torch.isfinite(m).all())):
        raise GgufError(
            "Some weights are too large for half floats; take an earlier checkpoint of the training, or F32."
        )
    return d.numpy(), None if m is None else m.numpy()


def _nearest(blocks: np.ndarray, d: np.ndarray, m: np.ndarray | None, kind: Format) -> np.ndarray:
    """The integers (as float32, [blocks, 32]) nearest to the weights on a grid of d and m, [blocks, 1]."""
    steps = blocks if m is None else blocks - m
    inverse = np.divide(1, d, out=np.zeros_like(d), where=d != 0)
    return np.clip(np.rint(steps * inverse), kind.low, kind.high)


def _search(blocks: np.ndarray, weights: np.ndarray, kind: Format) -> Parts:
    d, m = _own_grid(blocks, kind)
    q = _nearest(blocks, d, m, kind)
    error = _weighted_error(blocks, weights, q, d, m)
    first_d, first_m = d, m
    steps = kind.high - kind.low if kind.has_offset else -kind.low
    for extra in _SPANS:
        guess_d = first_d * np.float32(steps / (steps + extra))
        guess_q = _nearest(blocks, guess_d, first_m, kind)
        other_d, other_m = _least_squares(blocks, weights, guess_q, guess_d, first_m)
        other_q = _nearest(blocks, other_d, other_m, kind)
        other_error = _weighted_error(blocks, weights, other_q, other_d, other_m)
        better = other_error < error
        error = np.where(better, other_error, error)
        q = np.where(better, other_q, q)
        d = np.where(better, other_d, d)
        if m is not None and other_m is not None:
            m = np.where(better, other_m, m)
    return Parts(q.astype(np.int8), d[:, 0], None if m is None else m[:, 0])


def _least_squares(
    blocks: np.ndarray, weights: np.ndarray, q: np.ndarray, d: np.ndarray, m: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The scale and offset [blocks, 1] that fit the integers best, as half floats; d and m where nothing can be said."""
    wq = weights * q
    sum_qq, sum_qx = _sum(wq * q), _sum(wq * blocks)
    if m is None:
        return _half(np.divide(sum_qx, sum_qq, out=d.copy(), where=sum_qq > 0)), None
    sum_w, sum_q, sum_x = _sum(weights), _sum(wq), _sum(weights * blocks)
    determinant = sum_w * sum_qq - sum_q * sum_q
    sound = determinant > 1e-6 * sum_w * sum_qq
    slope = np.divide(sum_w * sum_qx - sum_q * sum_x, determinant, out=d.copy(), where=sound)
    slope = _half(slope)
    return slope, _half((sum_x - slope * sum_q) / sum_w)


def _weighted_error(
    blocks: np.ndarray, weights: np.ndarray, q: np.ndarray, d: np.ndarray, m: np.ndarray | None
) -> np.ndarray:
    rounded = q * d if m is None else q * d + m
    return _sum(weights * np.square(blocks - rounded))


def _sum(x: np.ndarray) -> np.ndarray:
    return x.sum(axis=1, keepdims=True, dtype=np.float32)


def _half(x: np.ndarray) -> np.ndarray:
    # What overflows is infinite, its error not a number or infinite, and so never the better one.
    with np.errstate(over="ignore"):
        return x.astype(np.float16).astype(np.float32)
