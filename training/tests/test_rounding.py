from __future__ import annotations

import numpy as np
import pytest
import torch

from training import rounding
from training.gguf.block_formats import BLOCK, FORMATS, Q4_1, Q8_0, Format, Parts, decode, encode_parts
from training.gguf.reader import GgufFile
from training.quantise import on_grid, plain, relative_error
from training.rounding import Grid, round_to_grid
from training.tests.slow_rounding import round_block

ROWS, COLUMNS = 24, 320
QUANTISED = [kind for kind in FORMATS.values() if kind.quantised]


def trained(kind: Format, seed: int = 1) -> tuple[np.ndarray, Parts]:
    """Weights that moved away from a file's by less and more than a step, row by row, and the file's parts."""
    generator = np.random.default_rng(seed)
    parts = plain(generator.standard_normal((ROWS, COLUMNS), np.float32), kind)
    moved = parts.values().reshape(ROWS, COLUMNS)
    moved += (
        generator.standard_normal((ROWS, COLUMNS), np.float32) * np.geomspace(1e-4, 3, ROWS, dtype=np.float32)[:, None]
    )
    moved[-1] *= 0.1
    moved[-2, 5] = 1e4
    moved[0] = parts.values().reshape(ROWS, COLUMNS)[0]
    moved[1, :BLOCK] = 0.25
    return moved, parts


def degenerate(parts: Parts) -> Parts:
    d, m = parts.d.copy(), None if parts.m is None else parts.m.copy()
    d[::7] = 0
    return Parts(parts.q, d, m)


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_values_are_those_of_the_slow_way(kind: Format) -> None:
    weights, parts = trained(kind)
    parts = degenerate(parts)
    fast = round_to_grid(torch.from_numpy(weights), Grid.of_parts(parts, kind, ROWS)).numpy().reshape(-1, BLOCK)
    others = 0
    for block, w in enumerate(weights.reshape(-1, BLOCK)):
        m = None if parts.m is None else parts.m[block]
        q, d, m = round_block(w, parts.d[block], m, kind)
        slow = q * d if m is None else q * d + m
        assert np.array_equal(fast[block], slow)
        others += d != parts.d[block]
    assert others > 100


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_what_is_packed_decodes_to_what_the_trainer_saw(kind: Format) -> None:
    weights, parts = trained(kind)
    parts = degenerate(parts)
    seen = round_to_grid(torch.from_numpy(weights), Grid.of_parts(parts, kind, ROWS)).numpy()
    packed = encode_parts(on_grid(weights, kind, parts), kind)
    assert np.array_equal(decode(packed, kind, weights.shape), seen)


def test_the_same_for_the_embedded_model_moved_a_little(base: GgufFile) -> None:
    generator = np.random.default_rng(3)
    for name in ("blk.3.attn_v.weight", "blk.17.ffn_down.weight", "token_embd.weight"):
        info, parts = base.info(name), base.parts(name)
        weights = base.decoded(name) + np.float32(0.01) * generator.standard_normal(info.shape, np.float32)
        seen = round_to_grid(torch.from_numpy(weights), Grid.of_parts(parts, info.format, info.shape[0])).numpy()
        packed = encode_parts(on_grid(weights, info.format, parts), info.format)
        assert np.array_equal(decode(packed, info.format, info.shape), seen)
        # A step of noise as large as this is lost where a step of the grid is larger, and never doubled.
        assert relative_error(weights, seen) < 1.05 * relative_error(weights, base.decoded(name))


def test_weights_that_did_not_change_stay_as_they_were(base: GgufFile) -> None:
    for name, info in base.tensors.items():
        if info.format.quantised:
            parts = on_grid(base.decoded(name), info.format, base.parts(name))
            assert np.array_equal(encode_parts(parts, info.format), base.data(name)), name


@pytest.mark.parametrize("chunk", [1, 7, 10_000])
def test_the_cut_into_chunks_changes_nothing(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, parts = trained(Q4_1)
    grid = Grid.of_parts(parts, Q4_1, ROWS)
    whole = round_to_grid(torch.from_numpy(weights), grid)
    monkeypatch.setattr(rounding, "_CHUNK", chunk)
    assert torch.equal(round_to_grid(torch.from_numpy(weights), grid), whole)


def test_the_number_of_threads_is_left_as_it_was() -> None:
    weights, parts = trained(Q4_1)
    before = torch.get_num_threads()
    round_to_grid(torch.from_numpy(weights), Grid.of_parts(parts, Q4_1, ROWS))
    assert torch.get_num_threads() == before


def test_tensors_of_one_matrix_round_as_they_do_alone() -> None:
    (a, of_a), (b, of_b) = trained(Q8_0, 1), trained(Q8_0, 2)
    grids = [Grid.of_parts(parts, Q8_0, ROWS) for parts in (of_a, of_b)]
    together = round_to_grid(torch.from_numpy(np.concatenate([a, b])), Grid.below_one_another(grids))
    apart = [round_to_grid(torch.from_numpy(each), grid) for each, grid in zip((a, b), grids, strict=True)]
    assert torch.equal(together, torch.cat(apart))


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_a_block_that_outgrew_its_grid_gets_its_own(kind: Format) -> None:
    weights, parts = trained(kind)
    rounded = round_to_grid(torch.from_numpy(20 * weights), Grid.of_parts(parts, kind, ROWS)).numpy()
    assert relative_error(20 * weights, rounded) < 1.02 * relative_error(
        20 * weights, plain(20 * weights, kind).values()
    )


def test_a_block_without_a_scale_gets_one() -> None:
    weights = np.linspace(-1, 1, BLOCK, dtype=np.float32)[None]
    none = Parts(np.zeros((1, BLOCK), np.int8), np.zeros(1, np.float32), np.zeros(1, np.float32))
    rounded = round_to_grid(torch.from_numpy(weights), Grid.of_parts(none, Q4_1, 1)).numpy()
    assert np.abs(rounded - weights).max() <= 0.51 * 2 / 15
    zeros = np.zeros_like(weights)
    kept = on_grid(zeros, Q4_1, none)
    assert not kept.q.any() and not kept.d.any() and kept.m is not None and not kept.m.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_spoils_its_block_alone(bad: float) -> None:
    weights, parts = trained(Q4_1)
    grid = Grid.of_parts(parts, Q4_1, ROWS)
    sound = round_to_grid(torch.from_numpy(weights), grid).view(-1, BLOCK)
    weights[4, 70] = bad
    spoilt = round_to_grid(torch.from_numpy(weights), grid).view(-1, BLOCK)
    block = (4 * COLUMNS + 70) // BLOCK
    assert torch.equal(spoilt[:block], sound[:block]) and torch.equal(spoilt[block + 1 :], sound[block + 1 :])


def test_a_grid_of_another_tensor_is_refused() -> None:
    weights, parts = trained(Q4_1)
    with pytest.raises(ValueError, match="take the grid of the same tensor"):
        round_to_grid(torch.from_numpy(weights[1:].copy()), Grid.of_parts(parts, Q4_1, ROWS))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_cuda_gives_the_same_values(kind: Format) -> None:
    weights, parts = trained(kind)
    master, grid = torch.from_numpy(weights), Grid.of_parts(degenerate(parts), kind, ROWS)
    assert torch.equal(round_to_grid(master.cuda(), grid.to("cuda")).cpu(), round_to_grid(master, grid))
