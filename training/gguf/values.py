"""Metadata values of a GGUF file, with their types kept so that a file can be written back as it was."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

MAGIC = b"GGUF"
VERSION = 3
DEFAULT_ALIGNMENT = 32
ALIGNMENT_KEY = "general.alignment"


class GgufError(ValueError):
    """A file that cannot be read or written; the message is one sentence that says what to do."""


class ValueKind(IntEnum):
    """GGUF's ids of value types."""

    U8 = 0
    I8 = 1
    U16 = 2
    I16 = 3
    U32 = 4
    I32 = 5
    F32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9
    U64 = 10
    I64 = 11
    F64 = 12


# Of the kinds with a fixed size. A truth value is read as a byte, so that arrays of them stay what they were.
DTYPES: dict[ValueKind, np.dtype] = {
    ValueKind.U8: np.dtype("u1"),
    ValueKind.I8: np.dtype("i1"),
    ValueKind.U16: np.dtype("<u2"),
    ValueKind.I16: np.dtype("<i2"),
    ValueKind.U32: np.dtype("<u4"),
    ValueKind.I32: np.dtype("<i4"),
    ValueKind.F32: np.dtype("<f4"),
    ValueKind.BOOL: np.dtype("?"),
    ValueKind.U64: np.dtype("<u8"),
    ValueKind.I64: np.dtype("<i8"),
    ValueKind.F64: np.dtype("<f8"),
}


@dataclass(frozen=True)
class Array:
    """Elements of one kind: an array of numpy for those of a fixed size, else a tuple of strings or of arrays."""

    kind: ValueKind
    items: np.ndarray | tuple[str, ...] | tuple[Array, ...]


@dataclass(frozen=True)
class Value:
    """
    One metadata value.

    Strings are UTF-8; bytes that are not are kept as surrogate escapes, so that they come out again as they were.
    """

    kind: ValueKind
    content: bool | int | float | str | Array

    @property
    def plain(self) -> object:
        """The number, truth value or string, or the array's items."""
        return self.content.items if isinstance(self.content, Array) else self.content


def string(text: str) -> Value:
    return Value(ValueKind.STRING, text)


def uint32(number: int) -> Value:
    return Value(ValueKind.U32, number)


def strings(texts: tuple[str, ...]) -> Value:
    return Value(ValueKind.ARRAY, Array(ValueKind.STRING, texts))
