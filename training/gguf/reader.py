"""Reads GGUF version 3: the file is mapped, and every length in it is checked before it is used."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.gguf.block_formats import Format, Parts, decode, decode_parts, format_of_id
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

_MAX_RANK = 4
_MAX_DEPTH = 4  # of arrays in arrays


@dataclass(frozen=True)
class TensorInfo:
    name: str
    shape: tuple[int, ...]  # the longest stride first, as in numpy: the last extent is the length of a row
    format: Format
    start: int  # in the file, bytes
    size: int  # bytes


@dataclass(frozen=True)
class GgufFile:
    """A file's contents; tensors are views into its mapping."""

    path: Path
    values: Mapping[str, Value]  # metadata with its types, in the file's order
    tensors: Mapping[str, TensorInfo]  # by name, in the file's order
    alignment: int
    bytes: np.ndarray  # uint8, the whole file

    @property
    def metadata(self) -> dict[str, object]:
        """Metadata as plain Python values; arrays are tuples of strings or numpy arrays."""
        return {key: value.plain for key, value in self.values.items()}

    def info(self, name: str) -> TensorInfo:
        found = self.tensors.get(name)
        if found is None:
            raise GgufError(f"{self.path.name} has no tensor {name!r}; choose a file of the same network.")
        return found

    def data(self, name: str) -> np.ndarray:
        """The stored bytes of a tensor, uint8."""
        info = self.info(name)
        return self.bytes[info.start : info.start + info.size]

    def decoded(self, name: str) -> np.ndarray:
        """The values of a tensor, float32 of its shape."""
        info = self.info(name)
        return decode(self.data(name), info.format, info.shape)

    def parts(self, name: str) -> Parts:
        """The integers and scales of a quantised tensor."""
        return decode_parts(self.data(name), self.info(name).format)


def read(path: Path) -> GgufFile:
    """GgufError where the file is not there, is damaged or uses what is not handled here."""
    try:
        mapped = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:  # ValueError: an empty file
        raise GgufError(f"{path} cannot be read ({error}); check the path.") from error
    return _Reader(path, mapped.view(np.ndarray)).file()


class _Reader:
    def __init__(self, path: Path, data: np.ndarray) -> None:
        self._path = path
        self._data = data
        self._view = memoryview(data.data)
        self._at = 0

    def file(self) -> GgufFile:
        if bytes(self._take(4)) != MAGIC:
            raise self._error("is no GGUF file")
        version = self._number("<I")
        if version != VERSION:
            raise self._error(f"is of GGUF version {version}, not {VERSION}", "convert the model again")
        tensor_count, value_count = self._number("<Q"), self._number("<Q")
        values: dict[str, Value] = {}
        for _ in range(value_count):
            key = self._string()
            if key in values:
                raise self._error(f"has the key {key!r} twice")
            values[key] = self._value(self._kind())
        alignment = self._alignment(values)
        headers = [self._tensor_header() for _ in range(tensor_count)]
        base = _aligned(self._at, alignment)
        tensors: dict[str, TensorInfo] = {}
        for name, shape, kind, offset in headers:
            if name in tensors:
                raise self._error(f"has the tensor {name!r} twice")
            size = kind.size(shape)
            if offset % alignment != 0 or base + offset + size > len(self._data):
                raise self._error(f"ends before its tensor {name!r} does, or puts it where no tensor can be")
            tensors[name] = TensorInfo(name, shape, kind, base + offset, size)
        return GgufFile(self._path, values, tensors, alignment, self._data)

    def _error(self, problem: str, remedy: str = "copy or download it anew") -> GgufError:
        return GgufError(f"{self._path.name} {problem}; {remedy}.")

    def _take(self, count: int) -> memoryview:
        """The next bytes; the count may be anything that a damaged file says."""
        if count > len(self._data) - self._at:
            raise self._error("is cut short or damaged")
        taken = self._view[self._at : self._at + count]
        self._at += count
        return taken

    def _number(self, layout: str) -> int:
        return struct.unpack(layout, self._take(struct.calcsize(layout)))[0]

    def _string(self) -> str:
        return bytes(self._take(self._number("<Q"))).decode("utf-8", "surrogateescape")

    def _kind(self) -> ValueKind:
        kind = self._number("<I")
        if kind not in ValueKind.__members__.values():
            raise self._error(f"holds a value of the unknown type {kind}")
        return ValueKind(kind)

    def _value(self, kind: ValueKind) -> Value:
        if kind is ValueKind.STRING:
            return Value(kind, self._string())
        if kind is ValueKind.ARRAY:
            return Value(kind, self._array(_MAX_DEPTH))
        dtype = DTYPES[kind]
        return Value(kind, np.frombuffer(self._take(dtype.itemsize), dtype)[0].item())

    def _array(self, depth: int) -> Array:
        kind, count = self._kind(), self._number("<Q")
        if kind in DTYPES:
            dtype = DTYPES[kind]
            return Array(kind, np.frombuffer(self._take(count * dtype.itemsize), dtype))
        # An element takes at least its length (and, of an array, its type).
        if count * 8 > len(self._data) - self._at:
            raise self._error("is cut short or damaged")
        if kind is ValueKind.STRING:
            return Array(kind, tuple(self._string() for _ in range(count)))
        if depth == 1:
            raise self._error(f"holds arrays in arrays, more than {_MAX_DEPTH} deep")
        return Array(kind, tuple(self._array(depth - 1) for _ in range(count)))

    def _alignment(self, values: Mapping[str, Value]) -> int:
        value = values.get(ALIGNMENT_KEY)
        if value is None:
            return DEFAULT_ALIGNMENT
        number = value.content
        if value.kind is not ValueKind.U32 or not isinstance(number, int) or number == 0 or number & (number - 1) != 0:
            raise self._error("has an alignment that is no power of two", "convert the model again")
        return number

    def _tensor_header(self) -> tuple[str, tuple[int, ...], Format, int]:
        name, rank = self._string(), self._number("<I")
        if not 1 <= rank <= _MAX_RANK:
            raise self._error(f"has the tensor {name!r} with {rank} dimensions")
        shape = tuple(reversed([self._number("<Q") for _ in range(rank)]))
        if 0 in shape:
            raise self._error(f"has the tensor {name!r} with no elements")
        type_id, offset = self._number("<I"), self._number("<Q")
        kind = format_of_id(type_id)
        if kind is None:
            raise self._error(
                f"stores {name!r} in a format (type {type_id}) that is not handled here",
                "choose a file in F32, F16, Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0",
            )
        return name, shape, kind, offset


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment
