from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from training.gguf.block_formats import F32, FORMATS
from training.gguf.reader import GgufFile, read
from training.gguf.values import Array, GgufError, Value, ValueKind, uint32
from training.gguf.writer import TensorToWrite, write
from training.tests.small_file import VALUES, write_small_file


def same(left: object, right: object) -> bool:
    if isinstance(left, Array) and isinstance(right, Array):
        return left.kind == right.kind and same(left.items, right.items)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return type(left) is type(right) and left == right


def copy(file: GgufFile, path: Path) -> None:
    tensors = [TensorToWrite(i.name, i.shape, i.format, partial(file.data, i.name)) for i in file.tensors.values()]
    write(path, file.values, tensors)


def test_the_embedded_model_written_again_is_the_same_file(base: GgufFile, base_path: Path, tmp_path: Path) -> None:
    copy(base, tmp_path / "again.gguf")
    assert (tmp_path / "again.gguf").read_bytes() == base_path.read_bytes()


def test_values_of_every_kind_and_tensors_of_every_format_come_back(tmp_path: Path) -> None:
    data = write_small_file(tmp_path / "a.gguf")
    file = read(tmp_path / "a.gguf")
    assert list(file.values) == list(VALUES)
    for key, value in VALUES.items():
        assert file.values[key].kind == value.kind
        assert same(file.values[key].content, value.content), key
    assert list(file.tensors) == list(FORMATS)
    for name, written in data.items():
        assert np.array_equal(file.data(name), written)
        assert file.info(name).start % 64 == 0
    copy(file, tmp_path / "b.gguf")
    assert (tmp_path / "a.gguf").read_bytes() == (tmp_path / "b.gguf").read_bytes()


def test_a_file_cut_anywhere_gives_a_clear_error(tmp_path: Path) -> None:
    write_small_file(tmp_path / "whole.gguf")
    whole = (tmp_path / "whole.gguf").read_bytes()
    last = max(info.start + info.size for info in read(tmp_path / "whole.gguf").tensors.values())
    cut = tmp_path / "cut.gguf"
    for length in range(last):
        cut.write_bytes(whole[:length])
        with pytest.raises(GgufError) as caught:
            read(cut)
        assert str(caught.value).endswith(".") and "cut.gguf" in str(caught.value)


def test_the_embedded_model_cut_short_names_what_to_do(base_path: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with base_path.open("rb") as file:
        cut.write_bytes(file.read(40_000_000))
    with pytest.raises(
        GgufError, match=r"^cut.gguf ends before its tensor 'blk\..*' does, or .*; copy or download it anew\.$"
    ):
        read(cut)


def test_damaged_bytes_give_a_file_or_an_error(tmp_path: Path) -> None:
    write_small_file(tmp_path / "whole.gguf")
    start = min(info.start for info in read(tmp_path / "whole.gguf").tensors.values())
    whole = np.fromfile(tmp_path / "whole.gguf", np.uint8)
    generator = np.random.default_rng(2)
    path = tmp_path / "damaged.gguf"
    refused = 0
    for _ in range(2000):
        damaged = whole.copy()
        at = generator.integers(0, start, generator.integers(1, 4))
        damaged[at] = generator.choice(np.array([0, 1, 127, 128, 255], np.uint8), len(at))
        damaged.tofile(path)
        try:
            read(path)
        except GgufError:
            refused += 1
    assert refused > 500


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"GGML" + bytes(60), "is no GGUF file"),
        (b"GGUF\2\0\0\0" + bytes(60), "is of GGUF version 2, not 3; convert the model again"),
        (b"GGUF\3\0\0\0" + b"\xff" * 60, "is cut short or damaged"),
    ],
)
def test_what_is_no_such_file_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "odd.gguf").write_bytes(content)
    with pytest.raises(GgufError, match=message):
        read(tmp_path / "odd.gguf")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GgufError, match="cannot be read"):
        read(tmp_path / "none.gguf")


def test_a_missing_tensor_is_named(base: GgufFile) -> None:
    with pytest.raises(GgufError, match="has no tensor 'blk.99.attn_q.weight'"):
        base.data("blk.99.attn_q.weight")


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    write_small_file(path)
    before = path.read_bytes()
    with pytest.raises(GgufError, match="came as 4 bytes of 8"):
        write(path, {}, [TensorToWrite("x", (2,), F32, lambda: np.zeros(4, np.uint8))])
    nothing: dict[str, np.ndarray] = {}
    with pytest.raises(KeyError):
        write(path, {}, [TensorToWrite("x", (2,), F32, partial(nothing.__getitem__, "x"))])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "value",
    [
        Value(ValueKind.U8, 256),
        Value(ValueKind.U32, -1),
        Value(ValueKind.BOOL, 1),
        Value(ValueKind.U32, True),
        Value(ValueKind.STRING, 3),
    ],
)
def test_a_value_that_does_not_fit_its_type_is_refused(value: Value, tmp_path: Path) -> None:
    with pytest.raises(GgufError, match="'key'"):
        write(tmp_path / "a.gguf", {"key": value}, [])


def test_an_alignment_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GgufError, match="no power of two"):
        write(tmp_path / "a.gguf", {"general.alignment": uint32(0)}, [])
