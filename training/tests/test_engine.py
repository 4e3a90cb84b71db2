"""A packed file as the engine and llama.cpp read it, against the network in plain numpy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from training.gguf.reader import GgufFile, read
from training.layout_ids import END, FILE_SEPARATOR, MIDDLE, PREFIX, SUFFIX
from training.pack import pack
from training.paths import REPOSITORY
from training.tests.llama_cpp import LlamaCpp, find_library
from training.tests.reference_network import logits_after

pytestmark = pytest.mark.engine

# "Ċ" is a line break and "Ġ" a space in the vocabulary's alphabet.
TEXT = "import Ċ def Ġadd ( a , Ġb ): Ċ ĠĠĠ Ġreturn Ġa Ġ+ Ġb".split()
FORMATS = {
    "blk.0.attn_v.weight": "Q8_0",
    "blk.5.attn_v.weight": "Q5_1",
    "blk.10.attn_v.weight": "Q5_0",
    "blk.15.attn_v.weight": "Q4_0",
}

# Both engines round activations to 8 bits, block by block; the native tests allow the same for this network: about 0.05 is
# what that gives, and a wrong table gives about 1.
RELATIVE_ERROR = 0.1
DIVERGENCE = 0.02  # nats, at one position


@dataclass(frozen=True)
class Packed:
    path: Path
    ids: list[int]
    reference: np.ndarray  # float64 [vocabulary]
    before: np.ndarray  # the same, of the base file


@pytest.fixture(scope="module")
def packed(base: GgufFile, base_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packed]:
    """The base model with noise on every matrix and with new delimiters."""
    path = tmp_path_factory.mktemp("packed") / "changed.gguf"
    generator = np.random.default_rng(5)
    weights = {name: base.decoded(name) for name in base.tensors}
    for values in weights.values():
        if values.ndim == 2:
            values += np.float32(0.15) * values.std() * generator.standard_normal(values.shape, np.float32)
    embeddings = weights["token_embd.weight"]
    rows = [SUFFIX, PREFIX, END, MIDDLE, FILE_SEPARATOR]
    embeddings[rows] = embeddings.mean(0) + np.float32(0.05) * generator.standard_normal((5, 576), np.float32)
    pack(weights, base_path, path, FORMATS)
    tokens = list(base.metadata["tokenizer.ggml.tokens"])  # type: ignore[call-overload]
    ids = [SUFFIX, *(tokens.index(token) for token in TEXT[-3:]), PREFIX, *(tokens.index(token) for token in TEXT)]
    yield Packed(path, ids, logits_after(read(path), ids), logits_after(base, ids))
    path.unlink()


@pytest.fixture(scope="module")
def llama_cpp(packed: Packed) -> Iterator[LlamaCpp]:
    folder = find_library(REPOSITORY)
    if folder is None:
        pytest.fail(
            "llama.cpp is not installed: run `npm run bench -- peer`, or leave these tests out with -m 'not engine'."
        )
    library = LlamaCpp(folder, packed.path)
    yield library
    library.close()


def emberline(*arguments: str) -> str:
    if not (REPOSITORY / "dist" / "cli.cjs").exists():
        pytest.fail("Emberline is not built: run `npm run build` first, or leave these tests out with -m 'not engine'.")
    command = ["npm", "run", "--silent", "emberline", "--", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def relative_error(reference: np.ndarray, logits: np.ndarray) -> float:
    return float(np.linalg.norm(logits - reference) / np.linalg.norm(reference))


def divergence(reference: np.ndarray, logits: np.ndarray) -> float:
    """KL(reference || logits), in nats."""
    p, q = (_log_probabilities(each.astype(np.float64)) for each in (reference, logits))
    return float((np.exp(p) * (p - q)).sum())


def _log_probabilities(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def test_the_change_is_larger_than_what_the_comparisons_allow(packed: Packed) -> None:
    assert relative_error(packed.reference, packed.before) > 1.5 * RELATIVE_ERROR
    assert divergence(packed.reference, packed.before) > 1.5 * DIVERGENCE


def test_the_engine_says_what_is_in_the_file(packed: Packed) -> None:
    inspection = json.loads(emberline("inspect", "--json", str(packed.path)))
    text = json.dumps(inspection)
    assert "Emberline SmolLM2 135M" in text
    for kind in ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"):
        assert kind in text


def test_the_engine_computes_what_the_reference_does(packed: Packed, tmp_path: Path) -> None:
    out = tmp_path / "logits.f32"
    emberline("logits", "--ids", ",".join(map(str, packed.ids)), "--out", str(out), "--model", str(packed.path))
    logits = np.fromfile(out, "<f4")
    assert relative_error(packed.reference, logits) < RELATIVE_ERROR
    assert divergence(packed.reference, logits) < DIVERGENCE


def test_llama_cpp_computes_what_the_reference_does(packed: Packed, llama_cpp: LlamaCpp) -> None:
    logits = llama_cpp.logits_after(packed.ids)
    assert relative_error(packed.reference, logits) < RELATIVE_ERROR
    assert divergence(packed.reference, logits) < DIVERGENCE


def test_llama_cpp_knows_the_layout(llama_cpp: LlamaCpp) -> None:
    keys = {key: llama_cpp.token(key) for key in ("fim_pre", "fim_suf", "fim_mid", "fim_sep", "eot", "eos")}
    assert keys == {
        "fim_pre": PREFIX,
        "fim_suf": SUFFIX,
        "fim_mid": MIDDLE,
        "fim_sep": FILE_SEPARATOR,
        "eot": END,
        "eos": 2,
    }
    assert {END, FILE_SEPARATOR, 2} <= llama_cpp.ends()
    assert not {PREFIX, SUFFIX, MIDDLE} & llama_cpp.ends()
