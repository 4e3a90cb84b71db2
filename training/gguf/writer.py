"""Writes GGUF version 3: the same contents give the same bytes, and the file is there as a whole or not at all."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from training.gguf.block_formats import Format
from training.gguf.values import (
    ALIGNMENT_KEY,
    DEFAULT_ALIGNMENT,
    DTYPES,
    MAGIC,
    VERSION,
    Array,
    GgufError,
    Value,
    ValueKind,
)


@dataclass(frozen=True)
class TensorToWrite:
    name: str
    shape: tuple[int, ...]  # as in numpy: the last extent is the length of a row
    format: Format
    data: Callable[[], np.ndarray]  # its bytes (uint8), asked for when they are written: one tensor is held at a time


def write(path: Path, values: Mapping[str, Value], tensors: Sequence[TensorToWrite]) -> None:
    """
    Metadata and tensors in the order given. GgufError where a value or the data of a tensor does not fit its type, or the file
    cannot be written; `path` is then what it was before.
    """
    if len({tensor.name for tensor in tensors}) != len(tensors):
        raise GgufError("Two tensors have the same name; give each its own.")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            _write(file, values, tensors)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise GgufError(f"{path} cannot be written ({error}); check the folder and the space left.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _write(file: BinaryIO, values: Mapping[str, Value], tensors: Sequence[TensorToWrite]) -> None:
    alignment = _alignment(values)
    header = bytearray(MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(values)))
    for key, value in values.items():
        header += _string(key) + struct.pack("<I", value.kind) + _content(key, value.kind, value.content)
    offset = 0
    for tensor in tensors:
        extents = tuple(reversed(tensor.shape))
        header += _string(tensor.name) + struct.pack(
            f"<I{len(extents)}QIQ", len(extents), *extents, tensor.format.type_id, offset
        )
        offset += _padded(tensor.format.size(tensor.shape), alignment)
    file.write(header)
    file.write(bytes(_padded(len(header), alignment) - len(header)))
    for tensor in tensors:
        data = tensor.data()
        size = tensor.format.size(tensor.shape)
        if data.dtype != np.uint8 or data.size != size:
            raise GgufError(
                f"{tensor.name} came as {data.size} bytes of {size}; encode it as {tensor.format.name} of its shape."
            )
        file.write(np.ascontiguousarray(data).data)
        file.write(bytes(_padded(size, alignment) - size))


def _alignment(values: Mapping[str, Value]) -> int:
    value = values.get(ALIGNMENT_KEY)
    if value is None:
        return DEFAULT_ALIGNMENT
    number = value.content
    if value.kind is not ValueKind.U32 or not isinstance(number, int) or number <= 0 or number & (number - 1) != 0:
        raise GgufError(f"{ALIGNMENT_KEY!r} is no power of two; leave it out for {DEFAULT_ALIGNMENT}.")
    return number


def _content(key: str, kind: ValueKind, content: object) -> bytes:
    try:
        if kind is ValueKind.STRING and isinstance(content, str):
            return _string(content)
        if kind is ValueKind.ARRAY and isinstance(content, Array):
            return _array(key, content)
        if kind in DTYPES and isinstance(content, bool) is (kind is ValueKind.BOOL):
            return np.array(content, DTYPES[kind]).tobytes()
    except (OverflowError, ValueError, TypeError) as error:
        raise GgufError(f"The value of {key!r} does not fit its type {kind.name}; give it another.") from error
    raise GgufError(f"The value of {key!r} is not of its type {kind.name}; give it another.")


def _array(key: str, array: Array) -> bytes:
    head = struct.pack("<IQ", array.kind, len(array.items))
    if isinstance(array.items, np.ndarray):
        return head + np.ascontiguousarray(array.items, DTYPES[array.kind]).tobytes()
    return head + b"".join(_content(key, array.kind, item) for item in array.items)


def _string(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack("<Q", len(data)) + data


def _padded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
