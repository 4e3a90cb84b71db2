"""training.rounding for one block, step by step in plain Python, as its description says: what the fast one is held to."""

from __future__ import annotations

import numpy as np

from training.gguf.block_formats import Format

f32 = np.float32

Block = tuple[np.ndarray, np.float32, np.float32 | None]  # integers, scale and offset


def half(x: np.float32) -> np.float32:
    with np.errstate(over="ignore"):
        return f32(np.float16(x))


def round_block(w: np.ndarray, d: np.float32, m: np.float32 | None, kind: Format) -> Block:
    """Of 32 weights whose block has the scale d and the offset m in the base file."""
    first, outgrown = on_grid(w, d, m, kind)
    if not outgrown:
        return first
    lowest, highest = w.min(), w.max()
    own: tuple[np.float32, np.float32 | None]
    if kind.has_offset:
        own = half(f32(highest - lowest) / f32(kind.high - kind.low)), half(lowest)
    elif kind.high == -kind.low:
        own = half(np.abs(w).max() / f32(kind.high)), None
    else:
        own = half((lowest if -lowest >= highest else highest) / f32(kind.low)), None
    second, _ = on_grid(w, own[0], own[1], kind)
    return second if error(w, second) < error(w, first) else first


def on_grid(w: np.ndarray, d: np.float32, m: np.float32 | None, kind: Format) -> tuple[Block, bool]:
    """Steps 1 and 2, and whether the grid may not suit."""
    inverse = f32(0) if d == 0 else f32(1) / d
    steps = (w - (f32(0) if m is None else m)) * inverse
    span = steps.max() - steps.min()
    too_large = steps.min() < kind.low - 1 or steps.max() > kind.high + 1
    outgrown = bool(too_large or span < f32(0.7 * (kind.high - kind.low)))
    q = np.clip(np.rint(steps), kind.low, kind.high).astype(f32)
    parts = 1
    while 2 * parts * 8 * 32 * max(-kind.low, kind.high) <= 1 << 24:
        parts *= 2
    residuals = [int(x) for x in np.rint(np.clip(steps - q, -8, 8) * f32(parts))]
    integers = [int(x) for x in q]
    scale = f32(parts)
    r, rq = f32(sum(residuals)), f32(sum(a * b for a, b in zip(residuals, integers, strict=True)))
    sum_q, qq = f32(sum(integers)), f32(sum(a * a for a in integers))
    n, two = f32(32), f32(2)
    if m is None:
        slope = (rq / qq if qq > 0 else f32(0)) / scale
        moved = half(d + slope * d)
        a = (moved - d) * inverse
        change = a * a * qq - two * a * (rq / scale)
        return (q, moved if change < 0 else d, None), outgrown
    determinant = n * qq - sum_q * sum_q
    slope = ((n * rq - sum_q * r) / determinant if determinant > 0 else f32(0)) / scale
    moved = half(d + slope * d)
    a = (moved - d) * inverse
    offset = (r / scale - a * sum_q) / n
    shifted = half(m + offset * d)
    b = (shifted - m) * inverse
    change = a * a * qq + two * (a * b * sum_q) + n * (b * b) - two * (a * (rq / scale) + b * (r / scale))
    return ((q, moved, shifted) if change < 0 else (q, d, m)), outgrown


def error(w: np.ndarray, block: Block) -> np.float64:
    q, d, m = block
    rounded = q * d if m is None else q * d + m
    squares = np.square(w.astype(np.float64) - rounded.astype(np.float64))
    while len(squares) > 1:
        squares = squares[: len(squares) // 2] + squares[len(squares) // 2 :]
    return squares[0]
