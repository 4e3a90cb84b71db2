"""Rounding in which later weights make up for earlier ones, against least squares over all that are left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from training.gguf.block_formats import BLOCK, FORMATS
from training.gguf.reader import read
from training.gptq import _DAMPING, round_matrix, round_network
from training.model import Hyperparameters, Model, Packed, weight_names
from training.quantise import searched
from training.tests.tiny_model import VOCABULARY, write_tiny_model

ROWS, COLUMNS, VECTORS = 5, 4 * BLOCK, 400


def correlated(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights, and vectors whose elements depend on one another, as those of a network do."""
    random = np.random.default_rng(seed)
    weights = random.normal(0, 0.1, (ROWS, COLUMNS)).astype(np.float32)
    inputs = random.normal(size=(VECTORS, 24)) @ random.normal(size=(24, COLUMNS))
    return weights, inputs + 0.3 * random.normal(size=inputs.shape)


def damped(inputs: np.ndarray) -> np.ndarray:
    gram = inputs.T @ inputs
    return gram + np.eye(COLUMNS) * _DAMPING * np.diag(gram).mean()


def by_least_squares(weights: np.ndarray, inputs: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The integers and the values, where behind each column all columns to come are solved for anew."""
    gram, importance = damped(inputs), np.diag(inputs.T @ inputs).astype(np.float32)
    left, rounded, found = weights.astype(np.float64), weights.astype(np.float64), []
    for at in range(COLUMNS):
        if at % BLOCK == 0:
            block = np.ascontiguousarray(left[:, at : at + BLOCK], np.float32)
            grid = searched(block, FORMATS[kind], importance[at : at + BLOCK])
        offset = 0 if grid.m is None else grid.m.astype(np.float64)
        d = grid.d.astype(np.float64)
        whole = np.clip(np.rint((left[:, at] - offset) / d), FORMATS[kind].low, FORMATS[kind].high)
        found.append(whole)
        rounded[:, at] = whole * d + offset
        rest = slice(at + 1, None)
        lost = (weights[:, : at + 1] - rounded[:, : at + 1]) @ gram[: at + 1, rest]
        left[:, rest] = weights[:, rest] + np.linalg.solve(gram[rest, rest], lost.T).T
    return np.stack(found, axis=1), rounded


@pytest.mark.parametrize("kind", ["Q4_1", "Q4_0", "Q8_0"])
def test_is_what_least_squares_over_all_columns_to_come_would_give(kind: str) -> None:
    weights, inputs = correlated(1)
    blocks = round_matrix(weights, inputs.T @ inputs, FORMATS[kind])
    q, values = by_least_squares(weights, inputs, kind)
    assert np.array_equal(blocks.q.reshape(ROWS, COLUMNS), q)
    assert np.array_equal(blocks.values().reshape(ROWS, COLUMNS), values.astype(np.float32))


@pytest.mark.parametrize("seed", range(1, 6))
def test_products_change_as_much_less_as_the_paper_expects(seed: int) -> None:
    """A column's rounding error e costs e^2 times its gram's diagonal when nothing makes up for it, and e^2 over that of the factor's square when all later ones do."""
    weights, inputs = correlated(seed)
    kind = FORMATS["Q4_1"]
    importance = np.square(inputs).mean(0).astype(np.float32)

    def error(values: np.ndarray) -> float:
        return float(np.square(inputs @ (values.reshape(ROWS, COLUMNS) - weights).T).sum())

    compensated = error(round_matrix(weights, inputs.T @ inputs, kind).values())
    factor = np.linalg.cholesky(np.linalg.inv(damped(inputs))).T
    expected = np.sum(np.diag(factor) ** -2) / np.trace(damped(inputs))
    ratio = compensated / error(searched(weights, kind, importance).values())
    assert ratio < 2 * expected < 0.5


def test_inputs_that_never_occurred_are_rounded_to_the_nearest() -> None:
    weights, inputs = correlated(1)
    inputs[:, BLOCK : 2 * BLOCK] = 0
    blocks = round_matrix(weights, inputs.T @ inputs, FORMATS["Q4_1"]).values().reshape(ROWS, COLUMNS)
    alone = np.ascontiguousarray(weights[:, BLOCK : 2 * BLOCK])
    assert np.array_equal(
        blocks[:, BLOCK : 2 * BLOCK], searched(alone, FORMATS["Q4_1"], np.zeros(BLOCK, np.float32)).values()
    )
    nothing = round_matrix(weights, np.zeros((COLUMNS, COLUMNS)), FORMATS["Q4_1"])
    assert np.array_equal(nothing.values(), searched(weights, FORMATS["Q4_1"], np.zeros(COLUMNS, np.float32)).values())


def test_each_matrix_of_a_network_is_rounded_for_what_it_reads_behind_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_model(tmp_path / "tiny.gguf")
    file = read(tmp_path / "tiny.gguf")
    sizes = Hyperparameters.of_metadata(file.metadata)
    random = np.random.default_rng(1)
    weights = {name: (file.decoded(name) * 1.1).astype(np.float32) for name in file.tensors}
    formats = {name: info.format for name, info in file.tensors.items()}
    # One that is not rounded, among those that are.
    formats["blk.0.attn_k.weight"] = FORMATS["F16"]
    texts = [packed(random) for _ in range(3)]
    found = round_network(weights, sizes, formats, texts)
    assert found.keys() == {name for name, kind in formats.items() if kind.quantised}

    left = weights | {"token_embd.weight": found["token_embd.weight"].values().reshape(VOCABULARY, -1)}
    for name, parts in weight_names(sizes):
        if name.rsplit(".")[-1] not in ("attn_qkv", "attn_output", "ffn_gate_up", "ffn_down"):
            continue
        gram = gram_of(name, sizes, left, texts, monkeypatch)
        for part, _ in parts:
            if formats[part].quantised:
                wanted = round_matrix(weights[part], gram, formats[part])
                assert np.array_equal(found[part].values(), wanted.values()), part
                left[part] = wanted.values().reshape(weights[part].shape)


def gram_of(
    name: str,
    sizes: Hyperparameters,
    weights: dict[str, np.ndarray],
    texts: list[Packed],
    monkeypatch: pytest.MonkeyPatch,
) -> np.ndarray:
    """Of what the whole network multiplies that matrix with."""
    model = Model(sizes).requires_grad_(False)
    parameters = dict(model.named_parameters())
    for each, parts in weight_names(sizes):
        parameters[each].copy_(torch.from_numpy(np.concatenate([weights[part] for part, _ in parts])))
    seen: list[torch.Tensor] = []
    linear = torch.nn.functional.linear

    def watched(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        if weight is parameters[name]:
            seen.append(x)
        return linear(x, weight)

    with monkeypatch.context() as patched:
        patched.setattr("training.model.F.linear", watched)
        for text in texts:
            model.hidden(text)
    assert len(seen) == len(texts)
    return sum((rows.T @ rows).double().numpy() for rows in seen)  # type: ignore[return-value]


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    write_tiny_model(tmp_path / "tiny.gguf")
    file = read(tmp_path / "tiny.gguf")
    weights = {name: file.decoded(name) for name in file.tensors}
    formats = {name: info.format for name, info in file.tensors.items()}
    with pytest.raises(ValueError, match="There is nothing to read; give some thousand tokens"):
        round_network(weights, Hyperparameters.of_metadata(file.metadata), formats, [])


def packed(random: np.random.Generator) -> Packed:
    lengths = (40, 24)
    ids = torch.from_numpy(random.integers(0, VOCABULARY, sum(lengths)))
    return Packed(ids, torch.cat([torch.arange(length) for length in lengths]), lengths)
