"""Holding on to what a model knew, on a tiny network."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from training.checkpoint import load
from training.examples.example import Example
from training.examples.mixture import Mixture
from training.gguf.reader import read
from training.layout_ids import ENDOFTEXT
from training.loss import linear_divergence
from training.model import Judged, Model, Packed
from training.own_text import Cache, beginnings, next_logits, write
from training.paths import REPOSITORY
from training.shards import write_shards
from training.tests.test_trainer import CPU, OPTIONS, examples
from training.tests.tiny_model import VOCABULARY, write_tiny_model
from training.trainer import LATEST, Trainer
from training.weights import Masters, computing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model that goes on to be taught, and texts that it writes itself."""
    write_tiny_model(tmp_path / "base.gguf")
    write_shards(examples(200, 1), tmp_path / "data" / "train", Mixture(), 1)
    write_shards(examples(20, 2), tmp_path / "data" / "validation", Mixture(), 1)
    model = computing(tmp_path / "base.gguf", CPU)
    own = write(model, [0], 32, 64, torch.Generator().manual_seed(1))
    write_shards([Example(ids, 1, len(ids), "plain") for ids in own], tmp_path / "data" / "retained", Mixture(), 1)
    return tmp_path


def trainer(folder: Path, run: str, retain: bool = True, share: float = 0.5) -> Trainer:
    known = folder / "base.gguf" if retain else None
    options = replace(OPTIONS, retain_share=share)
    return Trainer(folder / "base.gguf", folder / "data", folder / run, options, CPU, known)


def test_a_divergence_is_the_sum_over_the_vocabulary_with_the_gradient_that_autograd_finds() -> None:
    random = torch.Generator().manual_seed(5)
    hidden, known = torch.randn(7, 16, generator=random), torch.randn(7, 16, generator=random)
    matrix, known_matrix = torch.randn(50, 16, generator=random), torch.randn(50, 16, generator=random)
    weights = torch.rand(7, generator=random)
    hidden.requires_grad_(True)
    matrix.requires_grad_(True)
    loss, each = linear_divergence(hidden, matrix, known, known_matrix, weights)
    got = torch.autograd.grad(loss, (hidden, matrix))
    p = (known @ known_matrix.t()).double().softmax(-1)
    q = (hidden @ matrix.t()).double().softmax(-1)
    rows = (p * (p / q).log()).sum(-1)
    want = torch.autograd.grad((rows * weights).sum(), (hidden, matrix))
    assert torch.allclose(each.double(), rows, rtol=1e-4, atol=1e-6)
    for own, slow in zip(got, want, strict=True):
        assert torch.allclose(own, slow, rtol=1e-3, atol=1e-5)


def test_keys_and_values_that_are_kept_give_the_logits_of_a_pass_over_the_whole_text(folder: Path) -> None:
    masters = Masters(folder / "base.gguf", CPU, seed=None)
    model = Model(masters.sizes)
    masters.publish(model, rounding=False)
    ids = torch.randint(0, VOCABULARY, (3, 20), generator=torch.Generator().manual_seed(2))
    cache = Cache(model, texts=3, length=20)
    steps = torch.stack([next_logits(model, ids[:, at], at, cache) for at in range(20)], dim=1)
    for text, got in zip(ids, steps, strict=True):
        want = model.logits(Packed(text, torch.arange(20), (20,))).detach()
        assert torch.allclose(got, want, rtol=1e-4, atol=1e-4)


def test_texts_are_drawn_from_the_law_at_their_temperature(folder: Path) -> None:
    """Chi-square of the first token's counts, by the likeliest tokens and the rest together."""
    model = computing(folder / "base.gguf", CPU)
    texts = 20_000
    drawn = np.array(write(model, [3], 2, texts, torch.Generator().manual_seed(9)))[:, 1]
    logits = next_logits(model, torch.tensor([3]), 0, Cache(model, 1, 2))[0]

    def chi_square(temperature: float) -> float:
        law = (logits.double() / temperature).softmax(-1).numpy()
        likeliest = np.argsort(-law)[:40]
        expected = np.append(law[likeliest], 1 - law[likeliest].sum()) * texts
        counts = np.array([(drawn == token).sum() for token in likeliest])
        return float((((np.append(counts, texts - counts.sum())) - expected) ** 2 / expected).sum())

    # 40 degrees of freedom exceed 126 once in 1e10.
    assert chi_square(0.8) < 126
    assert chi_square(1.0) > 126


def test_what_is_retained_stays_nearer_to_what_was_known(folder: Path) -> None:
    model = computing(folder / "base.gguf", CPU)
    losses = {}
    for retain in (True, False):
        taught = trainer(folder, f"retain {retain}", retain)
        records = list(taught.train())
        assert ("divergence" in records[-1]["loss"]) is retain
        judge = trainer(folder, f"retain {retain}")  # goes on from the checkpoint: at its end
        assert judge.seen >= OPTIONS.tokens
        losses[retain] = judge.validate()
    assert losses[True]["divergence"] < 0.5 * losses[False]["divergence"]
    assert model.token_embd.requires_grad is False


@pytest.mark.parametrize("share", [0.5, 0.07])  # of a pass of 128 tokens, where a text has 32
def test_a_run_that_retains_goes_on_bit_for_bit_and_takes_its_share(share: float, folder: Path) -> None:
    whole = trainer(folder, "whole", share=share)
    list(whole.train())
    part = trainer(folder, "parts", share=share)
    steps = part.train()
    while part.seen < 2_000:
        next(steps)
    steps.close()
    part.save(LATEST)
    last = trainer(folder, "parts", share=share)
    list(last.train())
    for name, tensor in whole.masters.tensors.items():
        assert torch.equal(tensor, last.masters.tensors[name]), name
    cursor = load(folder / "whole" / LATEST, CPU)["retained"]
    taken = 32 * (64 * cursor["epoch"] + cursor["position"])
    assert abs(taken - share * whole.seen) <= 32


def test_a_divergence_of_a_model_from_itself_is_nothing() -> None:
    random = torch.Generator().manual_seed(4)
    hidden, matrix = torch.randn(5, 8, generator=random), torch.randn(30, 8, generator=random)
    _, each = linear_divergence(hidden, matrix, hidden, matrix, torch.ones(5))
    assert torch.equal(each, torch.zeros(5))


def test_what_is_learned_and_what_is_kept_are_one_pass_with_the_sums_of_two(folder: Path) -> None:
    masters = Masters(folder / "base.gguf", CPU, seed=None)
    model, known = Model(masters.sizes), Model(masters.sizes)
    masters.publish(known, rounding=False)
    masters.publish(model, rounding=False)
    random = torch.Generator().manual_seed(6)
    for parameter in model.parameters():
        parameter.data.add_(0.05 * torch.randn(parameter.shape, generator=random))

    def judged(lengths: tuple[int, ...]) -> Judged:
        ids = torch.randint(0, VOCABULARY, (sum(lengths),), generator=random)
        positions = torch.cat([torch.arange(length) for length in lengths])
        rows = torch.arange(3, sum(lengths) - 1)
        return Judged(Packed(ids, positions, lengths), rows, torch.rand(len(rows), generator=random))

    learned, kept = judged((12, 9)), judged((7, 8, 5))
    targets = torch.randint(0, VOCABULARY, (len(learned.rows),), generator=random)
    both, losses, divergences = model.loss_and_divergence(learned, targets, kept, known)
    loss, each_loss = model.loss(learned.packed, learned.rows, targets, learned.weights)
    divergence, each_divergence = model.divergence(kept.packed, kept.rows, known, kept.weights)
    assert torch.allclose(losses, each_loss, atol=1e-4) and torch.allclose(divergences, each_divergence, atol=1e-4)
    parameters = list(model.parameters())
    for own, one, other in zip(
        torch.autograd.grad(both, parameters),
        torch.autograd.grad(loss, parameters),
        torch.autograd.grad(divergence, parameters),
        strict=True,
    ):
        assert torch.allclose(own, one + other, rtol=1e-3, atol=1e-4)


def test_learning_takes_no_tokenizer() -> None:
    hidden = "import sys; sys.modules['tokenizers'] = None; import training.trainer, training.packed_run, training.plot"
    subprocess.run([sys.executable, "-c", hidden], check=True, cwd=REPOSITORY)


def test_texts_begin_as_documents_and_chats_do(base_path: Path) -> None:
    document, chat = beginnings(base_path)
    assert document == [ENDOFTEXT]
    tokens = read(base_path).metadata["tokenizer.ggml.tokens"]
    assert tokens[chat[0]] == "<|im_start|>" and [tokens[id_] for id_ in chat].count("<|im_end|>") == 1  # type: ignore[index]
