"""A small GGUF file with a value of every kind and a tensor of every format."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from training.gguf.block_formats import BLOCK, FORMATS
from training.gguf.values import Array, Value, ValueKind, string, strings, uint32
from training.gguf.writer import TensorToWrite, write

VALUES: dict[str, Value] = {
    "general.alignment": uint32(64),
    "u8": Value(ValueKind.U8, 255),
    "i8": Value(ValueKind.I8, -128),
    "u16": Value(ValueKind.U16, 65535),
    "i16": Value(ValueKind.I16, -32768),
    "u32": uint32(2**32 - 1),
    "i32": Value(ValueKind.I32, -(2**31)),
    "f32": Value(ValueKind.F32, float(np.float32(1e-5))),
    "bool": Value(ValueKind.BOOL, True),
    "string": string("Grüße, \udcff"),
    "u64": Value(ValueKind.U64, 2**64 - 1),
    "i64": Value(ValueKind.I64, -(2**63)),
    "f64": Value(ValueKind.F64, 1e-300),
    "strings": strings(("a", "", "b")),
    "no strings": strings(()),
    "numbers": Value(ValueKind.ARRAY, Array(ValueKind.I16, np.array([-1, 2, 3], np.int16))),
    "no numbers": Value(ValueKind.ARRAY, Array(ValueKind.F32, np.array([], np.float32))),
    "truths": Value(ValueKind.ARRAY, Array(ValueKind.BOOL, np.array([True, False]))),
    "nested": Value(
        ValueKind.ARRAY,
        Array(ValueKind.ARRAY, (Array(ValueKind.STRING, ("x",)), Array(ValueKind.U8, np.array([1, 2], np.uint8)))),
    ),
}


def random_bytes(name: str, shape: tuple[int, ...], seed: int = 1, finite: bool = True) -> np.ndarray:
    """Bytes of a tensor in the format of that name; `finite` scales are any but infinite and not-a-number."""
    kind = FORMATS[name]
    data = np.random.default_rng(seed).integers(0, 256, kind.size(shape), dtype=np.uint8)
    if finite and kind.quantised:
        blocks = data.reshape(-1, kind.block_bytes)
        for high in (1, 3) if kind.has_offset else (1,):
            blocks[:, high] &= 0b10111111  # an exponent without its top bit
    elif finite:
        data.reshape(-1, kind.block_bytes)[:, -1] &= 0b10111111
    return data


def write_small_file(path: Path) -> dict[str, np.ndarray]:
    """Gives the bytes of the tensors by name."""
    shape = (3, 2 * BLOCK)
    data = {name: random_bytes(name, shape, seed) for seed, name in enumerate(FORMATS)}
    write(
        path, VALUES, [TensorToWrite(name, shape, FORMATS[name], partial(data.__getitem__, name)) for name in FORMATS]
    )
    return data
