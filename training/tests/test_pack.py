from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from training.gguf.block_formats import Parts
from training.gguf.reader import GgufFile, read
from training.gguf.values import GgufError, string
from training.model_metadata import describe
from training.pack import pack
from training.quantise import plain

NORM, VALUES = "output_norm.weight", "blk.0.attn_v.weight"


@pytest.fixture(scope="module")
def weights(base: GgufFile) -> dict[str, np.ndarray]:
    return {name: base.decoded(name) for name in base.tensors}


def test_unchanged_weights_are_packed_to_the_same_bytes(
    weights: dict[str, np.ndarray], base: GgufFile, base_path: Path, tmp_path: Path
) -> None:
    reports = pack(weights, base_path, tmp_path / "out.gguf")
    assert all(report.same_bytes == 1 and report.relative_error == 0 for report in reports)
    out = read(tmp_path / "out.gguf")
    assert list(out.tensors) == list(base.tensors)
    assert all(np.array_equal(out.data(name), base.data(name)) for name in base.tensors)


def test_the_file_says_what_it_is_and_keeps_its_tokenizer(
    weights: dict[str, np.ndarray], base: GgufFile, base_path: Path, tmp_path: Path
) -> None:
    pack(weights, base_path, tmp_path / "out.gguf", metadata={"own.key": string("x")})
    metadata = read(tmp_path / "out.gguf").metadata
    wanted = {
        "general.name": "Emberline SmolLM2 135M",
        "general.license": "apache-2.0",
        "general.base_model.count": 1,
        "general.base_model.0.name": "SmolLM2 135M Instruct",
        "general.file_type": 3,
        "general.quantization_version": 2,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.eot_token_id": 10,
        "tokenizer.ggml.fim_pre_token_id": 9,
        "tokenizer.ggml.fim_suf_token_id": 8,
        "tokenizer.ggml.fim_mid_token_id": 11,
        "tokenizer.ggml.fim_sep_token_id": 5,
        "emberline.fim.layout": "suffix_prefix_contiguous",
        "own.key": "x",
    }
    assert {key: metadata[key] for key in wanted} == wanted
    assert (
        describe(base.values | {"general.name": string("Another")}, "Q4_1")["general.name"].content
        == wanted["general.name"]
    )
    assert (tmp_path / "out.gguf").stat().st_size <= base_path.stat().st_size + len("own.key") + 64
    assert "tokenizer.chat_template" not in metadata
    for key, value in base.metadata.items():
        if key.startswith(("tokenizer.ggml.", "llama.", "general.architecture")):
            assert np.array_equal(metadata[key], value), key  # type: ignore[arg-type]


def test_other_formats_are_searched_for(weights: dict[str, np.ndarray], base_path: Path, tmp_path: Path) -> None:
    formats = {
        "blk.0.attn_v.weight": "Q8_0",
        "blk.1.attn_v.weight": "Q5_1",
        "blk.2.attn_v.weight": "F16",
        "blk.3.attn_v.weight": "F32",
        "blk.4.attn_v.weight": "Q4_0",
    }
    reports = {report.name: report for report in pack(weights, base_path, tmp_path / "out.gguf", formats)}
    out = read(tmp_path / "out.gguf")
    limits = {"Q8_0": 0.01, "Q5_1": 0.05, "F16": 0.001, "F32": 0, "Q4_0": 0.12}
    for name, kind in formats.items():
        assert out.info(name).format.name == reports[name].format == kind
        error = np.linalg.norm(out.decoded(name) - weights[name]) / np.linalg.norm(weights[name])
        assert reports[name].relative_error == pytest.approx(float(error), rel=1e-3)
        assert error <= limits[kind]


def test_blocks_that_are_chosen_already_are_kept(
    weights: dict[str, np.ndarray], base: GgufFile, base_path: Path, tmp_path: Path
) -> None:
    changed = plain(weights[VALUES] * np.float32(1.5), base.info(VALUES).format)
    reports = pack(weights, base_path, tmp_path / "out.gguf", blocks={VALUES: changed})
    out = read(tmp_path / "out.gguf")
    assert np.array_equal(out.decoded(VALUES), changed.values().reshape(out.info(VALUES).shape))
    assert [report.name for report in reports if report.same_bytes < 1] == [VALUES]
    # They are compared with the weights that were given.
    error = np.linalg.norm(out.decoded(VALUES) - weights[VALUES]) / np.linalg.norm(weights[VALUES])
    assert next(report for report in reports if report.name == VALUES).relative_error == pytest.approx(float(error))


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: replace(parts, q=parts.q + np.int8(1)),  # 16 of Q4_1
        lambda parts: replace(parts, q=parts.q - np.int8(1)),
        lambda parts: replace(parts, q=parts.q[1:]),
        lambda parts: replace(parts, m=None),
    ],
)
def test_blocks_that_do_not_fit_are_refused(
    change: Callable[[Parts], Parts], weights: dict[str, np.ndarray], base: GgufFile, base_path: Path, tmp_path: Path
) -> None:
    with pytest.raises(GgufError, match="blocks given for blk.0.attn_v.weight are none of Q4_1 for its shape"):
        pack(weights, base_path, tmp_path / "out.gguf", blocks={VALUES: change(base.parts(VALUES))})
    assert not list(tmp_path.iterdir())


def test_blocks_for_another_format_or_none_are_refused(
    weights: dict[str, np.ndarray], base: GgufFile, base_path: Path, tmp_path: Path
) -> None:
    parts = base.parts(VALUES)
    with pytest.raises(GgufError, match="are none of Q8_0"):
        pack(weights, base_path, tmp_path / "out.gguf", {VALUES: "Q8_0"}, blocks={VALUES: parts})
    with pytest.raises(GgufError, match="are none of F32"):
        pack(weights, base_path, tmp_path / "out.gguf", blocks={NORM: parts})
    with pytest.raises(GgufError, match="has no tensor 'more'"):
        pack(weights, base_path, tmp_path / "out.gguf", blocks={"more": parts})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop(NORM), "have no 'output_norm.weight'"),
        (lambda w: w.update(more=np.zeros(1, np.float32)), "has no tensor 'more'"),
        (lambda w: w.update({NORM: np.zeros(5, np.float32)}), r"of shape \(5,\); give float32 of shape \(576,\)"),
        (lambda w: w.update({NORM: np.zeros(576)}), "came as float64"),
        (
            lambda w: w.update({NORM: np.full(576, np.nan, np.float32)}),
            "output_norm.weight has weights that are not finite",
        ),
        (
            lambda w: w.update({VALUES: np.full((192, 576), np.inf, np.float32)}),
            "blk.0.attn_v.weight has weights that are not finite",
        ),
    ],
)
def test_weights_that_do_not_fit_the_base_are_refused(
    change: Callable[[dict[str, np.ndarray]], object],
    message: str,
    weights: dict[str, np.ndarray],
    base_path: Path,
    tmp_path: Path,
) -> None:
    changed = dict(weights)
    change(changed)
    with pytest.raises(GgufError, match=message):
        pack(changed, base_path, tmp_path / "out.gguf")
    assert not list(tmp_path.iterdir())


def test_a_format_or_tensor_that_does_not_exist_is_refused(
    weights: dict[str, np.ndarray], base_path: Path, tmp_path: Path
) -> None:
    with pytest.raises(GgufError, match="There is no format 'Q3_K'; choose one of F32"):
        pack(weights, base_path, tmp_path / "out.gguf", {"blk.0.attn_v.weight": "Q3_K"})
    with pytest.raises(GgufError, match="has no tensor 'blk.0.attn_z.weight'"):
        pack(weights, base_path, tmp_path / "out.gguf", {"blk.0.attn_z.weight": "Q8_0"})
