"""Models between a taught one and the one that it was made from, of tiny networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from training.between import between, texts_of
from training.examples.example import Example
from training.gguf.reader import GgufFile, read
from training.gguf.values import GgufError, Value, ValueKind, strings
from training.pack import pack
from training.shards import write_shards
from training.tests.tiny_model import VOCABULARY, write_tiny_model
from training.weights import LAYOUT_TOKENS, Masters

EMBEDDINGS = "token_embd.weight"


@pytest.fixture
def models(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "taught.gguf", tmp_path / "general.gguf"
    for seed, path in enumerate(paths, 1):
        write_tiny_model(path, seed)
    return paths


def shards(folder: Path) -> Path:
    """Examples to learn, and text of its own, of random ids."""
    random = np.random.default_rng(1)
    for part in ("train", "retained"):
        ids = [random.integers(0, VOCABULARY, 50).tolist() for _ in range(40)]
        write_shards([Example(one, 1, len(one), "plain") for one in ids], folder / "shards" / part, None, 1)
    return folder / "shards"


def mean_of(taught: GgufFile, general: GgufFile, name: str, share: float) -> np.ndarray:
    mean = share * taught.decoded(name).astype(np.float64) + (1 - share) * general.decoded(name).astype(np.float64)
    if name == EMBEDDINGS:
        mean[list(LAYOUT_TOKENS)] = taught.decoded(name)[list(LAYOUT_TOKENS)]
    return mean


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_without_texts_it_is_the_mean_as_half_floats(share: float, models: tuple[Path, Path], tmp_path: Path) -> None:
    between(*models, share, tmp_path / "out.gguf")
    taught, general, out = (read(path) for path in (*models, tmp_path / "out.gguf"))
    for name, info in taught.tensors.items():
        assert out.info(name).format.name == ("F16" if info.format.quantised else "F32")
        mean = mean_of(taught, general, name, share)
        assert np.allclose(out.decoded(name), mean, rtol=2**-10, atol=2**-24), name


def test_rounded_it_is_near_the_mean_and_learning_begins_with_its_blocks(
    models: tuple[Path, Path], tmp_path: Path
) -> None:
    reports = between(*models, 0.5, tmp_path / "out.gguf", texts_of(shards(tmp_path), 1000))
    taught, general, out = (read(path) for path in (*models, tmp_path / "out.gguf"))
    assert {report.name: report.format for report in reports} == {
        name: info.format.name for name, info in taught.tensors.items()
    }
    for name, info in taught.tensors.items():
        mean = mean_of(taught, general, name, 0.5)
        from_mean, from_taught = (np.linalg.norm(out.decoded(name) - each) for each in (mean, taught.decoded(name)))
        assert from_mean <= 0.25 * from_taught if info.format.quantised else from_mean == 0, name
    masters = Masters(tmp_path / "out.gguf", torch.device("cpu"), seed=1)
    again = pack(masters.to_gguf(), tmp_path / "out.gguf", tmp_path / "again.gguf")
    assert all(report.same_bytes == 1 for report in again)


def test_shares_beyond_the_two_are_refused(models: tuple[Path, Path], tmp_path: Path) -> None:
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(GgufError, match="lies outside the two models; give one from 0 to 1"):
            between(*models, share, tmp_path / "out.gguf")
    assert not (tmp_path / "out.gguf").exists()


def test_another_network_is_refused(models: tuple[Path, Path], base_path: Path, tmp_path: Path) -> None:
    with pytest.raises(GgufError, match=r"taught.gguf is another network than .*give the model"):
        between(base_path, models[0], 0.9, tmp_path / "out.gguf")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokenizer.ggml.tokens", strings(("\u010a", *(f"u{number}" for number in range(1, VOCABULARY))))),
        ("llama.rope.freq_base", Value(ValueKind.F32, 10_000.0)),
    ],
)
def test_other_tokens_or_constants_are_refused(
    key: str, value: Value, models: tuple[Path, Path], tmp_path: Path
) -> None:
    file = read(models[1])
    weights = {name: file.decoded(name) for name in file.tensors}
    pack(weights, models[1], tmp_path / "other.gguf", metadata={key: value})
    with pytest.raises(GgufError, match="or has other tokens"):
        between(models[0], tmp_path / "other.gguf", 0.9, tmp_path / "out.gguf")


def test_no_text_is_refused_and_little_is_read_once(models: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is nothing to read"):
        between(*models, 0.9, tmp_path / "out.gguf", [])
    texts = texts_of(shards(tmp_path), 1_000_000)
    assert sum(len(text.ids) for text in texts) == 2 * 40 * 50
