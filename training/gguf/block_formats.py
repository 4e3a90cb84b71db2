"""Element formats of GGUF tensors, as ggml lays them out: encoding and decoding, a whole tensor at a time.

A quantised row is a sequence of blocks of 32 elements. An element is a small integer q; its block has a scale d and in some
formats an offset m, both half floats: x = d * q + m. Integers are signed here (Q4_0: -8 to 7) where the format has no offset,
and from 0 where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from training.gguf.values import GgufError

BLOCK = 32  # elements of a block


@dataclass(frozen=True)
class Format:
    """How the elements of a tensor are stored."""

    name: str
    type_id: int  # GGUF's
    block_elements: int  # 1 where the elements stand alone
    block_bytes: int
    low: int = 0  # the smallest integer
    high: int = 0  # the largest
    has_offset: bool = False

    @property
    def quantised(self) -> bool:
        return self.block_elements != 1

    @property
    def bits(self) -> int:
        """Of an integer."""
        return (self.high - self.low).bit_length()

    def size(self, shape: tuple[int, ...]) -> int:
        """Bytes of a tensor of `shape`, whose last extent is the length of a row."""
        if shape[-1] % self.block_elements != 0:
            raise GgufError(
                f"Rows of {shape[-1]} elements do not divide into blocks of {self.block_elements}; "
                f"choose F32 or F16 instead of {self.name}."
            )
        return int(np.prod(shape, dtype=object)) // self.block_elements * self.block_bytes


F32 = Format("F32", 0, 1, 4)
F16 = Format("F16", 1, 1, 2)
Q4_0 = Format("Q4_0", 2, BLOCK, 18, -8, 7)
Q4_1 = Format("Q4_1", 3, BLOCK, 20, 0, 15, True)
Q5_0 = Format("Q5_0", 6, BLOCK, 22, -16, 15)
Q5_1 = Format("Q5_1", 7, BLOCK, 24, 0, 31, True)
# -128 exists in the format but is not used: ggml never writes it, and kernels may take the absolute value.
Q8_0 = Format("Q8_0", 8, BLOCK, 34, -127, 127)

FORMATS: dict[str, Format] = {each.name: each for each in (F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0)}
_BY_ID: dict[int, Format] = {each.type_id: each for each in FORMATS.values()}


@dataclass(frozen=True)
class Parts:
    """What the blocks of a tensor consist of: x = d * q + m."""

    q: np.ndarray  # int8 [blocks, 32]
    d: np.ndarray  # float32 [blocks], each value a half float
    m: np.ndarray | None  # the same, or None where the format has no offset

    def values(self) -> np.ndarray:
        """
        float32 [blocks, 32].

        The product is exact (11 bits times at most 8), so nothing depends on whether it is fused with the sum.
        """
        x = np.multiply(self.q, self.d[:, None], dtype=np.float32)
        if self.m is not None:
            x += self.m[:, None]
        return x


def format_of_id(type_id: int) -> Format | None:
    return _BY_ID.get(type_id)


def format_named(name: str) -> Format:
    found = FORMATS.get(name)
    if found is None:
        raise GgufError(f"There is no format {name!r}; choose one of {', '.join(FORMATS)}.")
    return found


def decode(data: np.ndarray, kind: Format, shape: tuple[int, ...]) -> np.ndarray:
    """The values of a tensor, float32 of `shape`, from its bytes (uint8)."""
    _check_size(data, kind, shape)
    if kind is F32:
        return data.view("<f4").astype(np.float32).reshape(shape)
    if kind is F16:
        return data.view("<f2").astype(np.float32).reshape(shape)
    return decode_parts(data, kind).values().reshape(shape)


def decode_parts(data: np.ndarray, kind: Format) -> Parts:
    """The integers and scales of a quantised tensor, from its bytes (uint8)."""
    _check_quantised(kind)
    if data.size % kind.block_bytes != 0:
        raise GgufError(f"{data.size} bytes are no whole number of {kind.name} blocks; read the tensor anew.")
    blocks = np.ascontiguousarray(data).reshape(-1, kind.block_bytes)
    at = 4 if kind.has_offset else 2
    scales = np.ascontiguousarray(blocks[:, :at]).view("<f2").astype(np.float32)
    d = np.ascontiguousarray(scales[:, 0])
    m = np.ascontiguousarray(scales[:, 1]) if kind.has_offset else None
    if kind is Q8_0:
        return Parts(np.ascontiguousarray(blocks[:, at:]).view(np.int8), d, m)
    packed = blocks[:, -16:]
    q = np.empty((len(blocks), BLOCK), np.uint8)
    np.bitwise_and(packed, 15, out=q[:, :16])
    np.right_shift(packed, 4, out=q[:, 16:])
    if kind.bits == 5:
        fifth = np.unpackbits(np.ascontiguousarray(blocks[:, at : at + 4]), axis=1, bitorder="little")
        q |= fifth << 4
    signed = q.view(np.int8)
    if kind.low != 0:
        signed += np.int8(kind.low)
    return Parts(signed, d, m)


def encode(values: np.ndarray, kind: Format) -> np.ndarray:
    """The bytes (uint8) of a tensor in a format without blocks, from float32 values."""
    if kind.quantised:
        raise GgufError(f"{kind.name} has scales to be chosen; quantise the tensor first.")
    return np.ascontiguousarray(values, dtype="<f4" if kind is F32 else "<f2").reshape(-1).view(np.uint8)


def encode_parts(parts: Parts, kind: Format) -> np.ndarray:
    """The bytes (uint8) of a quantised tensor from its integers and scales."""
    _check_quantised(kind)
    if (parts.m is not None) != kind.has_offset:
        raise GgufError(
            f"{kind.name} {'needs' if kind.has_offset else 'has no'} offsets; quantise the tensor for {kind.name}."
        )
    blocks = np.empty((len(parts.q), kind.block_bytes), np.uint8)
    blocks[:, :2] = _half_bytes(parts.d)
    if parts.m is not None:
        blocks[:, 2:4] = _half_bytes(parts.m)
    if kind is Q8_0:
        blocks[:, 2:] = parts.q.view(np.uint8)
        return blocks.reshape(-1)
    q = (parts.q - np.int8(kind.low)).view(np.uint8)
    low = q & np.uint8(15)
    blocks[:, -16:] = low[:, :16] | low[:, 16:] << np.uint8(4)
    if kind.bits == 5:
        at = 4 if kind.has_offset else 2
        blocks[:, at : at + 4] = np.packbits(q >> np.uint8(4), axis=1, bitorder="little")
    return blocks.reshape(-1)


def _half_bytes(scales: np.ndarray) -> np.ndarray:
    """uint8 [blocks, 2]."""
    return np.ascontiguousarray(scales, dtype="<f2").view(np.uint8).reshape(-1, 2)


def _check_quantised(kind: Format) -> None:
    if not kind.quantised:
        raise GgufError(f"{kind.name} has no blocks of integers and scales; decode its values instead.")


def _check_size(data: np.ndarray, kind: Format, shape: tuple[int, ...]) -> None:
    wanted = kind.size(shape)
    if data.dtype != np.uint8 or data.size != wanted:
        raise GgufError(
            f"A {kind.name} tensor of shape {shape} has {wanted} bytes, not {data.size}; read the tensor anew."
        )
