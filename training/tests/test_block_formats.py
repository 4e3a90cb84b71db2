from __future__ import annotations

import numpy as np
import pytest

import gguf
from training.gguf.block_formats import FORMATS, Q4_0, Q4_1, Q8_0, decode, decode_parts, encode, encode_parts
from training.gguf.reader import GgufFile
from training.gguf.values import GgufError
from training.tests.small_file import random_bytes

SHAPE = (40, 320)
QUANTISED = [name for name, kind in FORMATS.items() if kind.quantised]


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("name", list(FORMATS))
def test_random_bytes_decode_as_the_gguf_package_has_them(name: str, finite: bool) -> None:
    data = random_bytes(name, SHAPE, finite=finite)
    kind = FORMATS[name]
    with np.errstate(invalid="ignore", over="ignore"):
        ours = decode(data, kind, SHAPE)
        theirs = gguf.dequantize(data.reshape(SHAPE[0], -1), gguf.GGMLQuantizationType(kind.type_id))
    assert ours.dtype == np.float32 and ours.shape == SHAPE
    assert np.array_equal(ours, theirs, equal_nan=True)
    assert finite == bool(np.isfinite(ours).all())


@pytest.mark.parametrize("name", QUANTISED)
def test_parts_encode_to_the_bytes_they_came_from(name: str) -> None:
    data = random_bytes(name, SHAPE)
    assert np.array_equal(encode_parts(decode_parts(data, FORMATS[name]), FORMATS[name]), data)


@pytest.mark.parametrize("name", ["F32", "F16"])
def test_values_encode_to_the_bytes_they_came_from(name: str) -> None:
    data = random_bytes(name, SHAPE)
    assert np.array_equal(encode(decode(data, FORMATS[name], SHAPE), FORMATS[name]), data)


@pytest.mark.parametrize("name", QUANTISED)
def test_integers_are_within_the_range_of_the_format(name: str) -> None:
    kind = FORMATS[name]
    q = decode_parts(random_bytes(name, SHAPE), kind).q
    lowest = -128 if kind is Q8_0 else kind.low  # random bytes hold what the format allows and nobody writes
    assert (q.min(), q.max()) == (lowest, kind.high)


def test_the_embedded_model_decodes_as_the_gguf_package_has_it(base: GgufFile) -> None:
    for tensor in gguf.GGUFReader(base.path).tensors[:12]:
        assert np.array_equal(base.decoded(tensor.name), gguf.dequantize(tensor.data, tensor.tensor_type))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(GgufError, match="Rows of 33 elements"):
        Q4_1.size((2, 33))
    with pytest.raises(GgufError, match="has 20 bytes, not 19"):
        decode(np.zeros(19, np.uint8), Q4_1, (1, 32))
    with pytest.raises(GgufError, match="no whole number of Q4_1 blocks"):
        decode_parts(np.zeros(19, np.uint8), Q4_1)
    with pytest.raises(GgufError, match="has no blocks"):
        decode_parts(np.zeros(4, np.uint8), FORMATS["F32"])
    with pytest.raises(GgufError, match="has scales to be chosen"):
        encode(np.zeros(32, np.float32), Q4_1)
    with pytest.raises(GgufError, match="Q4_0 has no offsets"):
        encode_parts(decode_parts(np.zeros(20, np.uint8), Q4_1), Q4_0)
