from __future__ import annotations

import numpy as np
import pytest

import gguf
from training.gguf.block_formats import BLOCK, FORMATS, Q4_1, Q8_0, Format, Parts
from training.gguf.reader import GgufFile
from training.gguf.values import GgufError
from training.quantise import on_grid, plain, relative_error, searched

QUANTISED = [kind for kind in FORMATS.values() if kind.quantised]


def weights(seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.standard_t(5, (48, 576)).astype(np.float32) * np.float32(0.1)


def ggml(values: np.ndarray, kind: Format) -> np.ndarray:
    type_id = gguf.GGMLQuantizationType(kind.type_id)
    return gguf.dequantize(gguf.quantize(values, type_id), type_id)


def of_blocks(values: np.ndarray, rounded: np.ndarray) -> np.ndarray:
    return np.square((values.reshape(-1, BLOCK) - rounded.reshape(-1, BLOCK)).astype(np.float64)).sum(1)


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_plain_is_never_worse_than_ggmls_reference(kind: Format) -> None:
    values = weights()
    ours, theirs = of_blocks(values, plain(values, kind).values()), of_blocks(values, ggml(values, kind))
    # Each weight is rounded to the nearest value of the same grid; only where two weights tie for the largest, with
    # different signs, is it another one.
    assert ours.sum() <= theirs.sum()
    assert np.mean(ours <= theirs * (1 + 1e-6)) > 0.99


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_searched_is_better_than_plain(kind: Format) -> None:
    values = weights()
    ours, first = of_blocks(values, searched(values, kind).values()), of_blocks(values, plain(values, kind).values())
    assert (ours <= first * (1 + 1e-5)).all()
    assert ours.sum() < 0.95 * first.sum()


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_importance_moves_the_error_where_it_counts_least(kind: Format) -> None:
    values = weights()
    importance = np.random.default_rng(4).exponential(1, 576).astype(np.float32) ** 2

    def weighted(parts: Parts) -> float:
        return float((np.square(values - parts.values().reshape(values.shape)) * importance).sum())

    assert weighted(searched(values, kind, importance)) < 0.97 * weighted(searched(values, kind))


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_blocks_of_one_value_are_exact_where_the_format_can(kind: Format) -> None:
    values = np.repeat(np.array([0, 0.5, -0.25, 3], np.float32), BLOCK)[None]
    for parts in (
        plain(values, kind),
        searched(values, kind),
        searched(values, kind, np.zeros(values.shape[1], np.float32)),
    ):
        assert np.abs(parts.values().reshape(values.shape) - values).max() <= 3 * 2**-11
        assert not parts.q[0].any() or not parts.d[0].any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(bad: float, base: GgufFile) -> None:
    values = base.decoded("blk.0.attn_v.weight")
    values[3, 5] = bad
    for make in (plain, searched, lambda v, kind: on_grid(v, kind, base.parts("blk.0.attn_v.weight"))):
        with pytest.raises(GgufError, match="not finite; take an earlier checkpoint"):
            make(values, Q4_1)


def test_weights_too_large_for_a_half_float_are_refused() -> None:
    values = np.full((1, BLOCK), 1e9, np.float32)
    with pytest.raises(GgufError, match="too large for half floats"):
        plain(values, Q8_0)


def test_importance_of_other_columns_is_refused() -> None:
    for importance in (np.ones(575, np.float32), np.full(576, -1, np.float32), np.full(576, np.nan, np.float32)):
        with pytest.raises(GgufError, match="The importance of 576 columns"):
            searched(weights(), Q4_1, importance)


def test_relative_error() -> None:
    values = np.array([3, 4], np.float32)
    assert relative_error(values, np.array([3, 4], np.float32)) == 0
    assert relative_error(values, np.array([3, 3.5], np.float32)) == pytest.approx(0.1)
    assert relative_error(np.zeros(2, np.float32), np.zeros(2, np.float32)) == 0
    assert relative_error(np.zeros(2, np.float32), values) == float("inf")
