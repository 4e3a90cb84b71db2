"""The network against slow, obvious arithmetic."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from training.layout_ids import END, FILE_SEPARATOR
from training.loss import LossAndGradient, linear_cross_entropy, loss_and_gradient, loss_and_gradient_to_fuse
from training.model import Model, Packed
from training.tests.tiny_model import VOCABULARY, write_tiny_model
from training.weights import Masters

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> Masters:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_tiny_model(path)
    return Masters(path, CPU, seed=1)


def model_of(masters: Masters, dtype: torch.dtype = torch.float32) -> Model:
    model = Model(masters.sizes).to(dtype)
    masters.publish(model, rounding=False)
    return model


def packed(*texts: Tensor) -> Packed:
    return Packed(
        torch.cat(texts), torch.cat([torch.arange(len(text)) for text in texts]), tuple(len(text) for text in texts)
    )


def slow_logits(masters: Masters, ids: Tensor) -> Tensor:
    """A llama of one text in float64: every head by itself, rotation pair by pair with complex numbers."""
    sizes = masters.sizes
    weights = {name: tensor.double() for name, tensor in masters.tensors.items()}
    head, heads, kv_heads, n = sizes.head_size, sizes.heads, sizes.kv_heads, len(ids)

    def norm(x: Tensor, weight: Tensor) -> Tensor:
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + sizes.epsilon) * weight

    def turned(x: Tensor) -> Tensor:
        angles = torch.arange(n).double()[:, None] * sizes.rope_base ** (-2 * torch.arange(head // 2).double() / head)
        pairs = torch.view_as_complex(x.reshape(n, head // 2, 2).contiguous())
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(n, head)

    x = weights["token_embd"][ids]
    mask = torch.full((n, n), -torch.inf, dtype=torch.float64).triu(1)
    for layer in range(sizes.layers):
        of = {
            name: weights[f"blk.{layer}.{name}"]
            for name in ("attn_norm", "attn_qkv", "attn_output", "ffn_norm", "ffn_gate_up", "ffn_down")
        }
        q, k, v = (norm(x, of["attn_norm"]) @ of["attn_qkv"].t()).split(
            [heads * head, kv_heads * head, kv_heads * head], dim=1
        )
        attended = []
        for number in range(heads):
            kv = slice(number // (heads // kv_heads) * head, (number // (heads // kv_heads) + 1) * head)
            own = slice(number * head, (number + 1) * head)
            scores = turned(q[:, own]) @ turned(k[:, kv]).t() / head**0.5 + mask
            attended.append(scores.softmax(-1) @ v[:, kv])
        x = x + torch.cat(attended, dim=1) @ of["attn_output"].t()
        gate, up = (norm(x, of["ffn_norm"]) @ of["ffn_gate_up"].t()).chunk(2, dim=1)
        x = x + (gate * torch.sigmoid(gate) * up) @ of["ffn_down"].t()
    return norm(x, weights["output_norm"]) @ weights["token_embd"].t()


def test_logits_are_those_of_the_slow_network_for_each_of_several_packed_texts(masters: Masters) -> None:
    random = torch.Generator().manual_seed(3)
    texts = [torch.randint(0, VOCABULARY, (length,), generator=random) for length in (7, 1, 19)]
    fast = model_of(masters).logits(packed(*texts)).detach()
    slow = torch.cat([slow_logits(masters, text) for text in texts])
    # Of float32: some hundred additions of terms of the logits' size.
    assert (fast - slow).norm() <= 1e-5 * slow.norm()


def test_what_follows_or_stands_beside_a_text_does_not_change_it(masters: Masters) -> None:
    model = model_of(masters)
    one, other = torch.arange(10, 20), torch.arange(40, 52)
    alone = model.logits(packed(one)).detach()
    beside = model.logits(packed(other, one)).detach()[len(other) :]
    assert torch.allclose(alone, beside, rtol=0, atol=1e-5)
    longer = model.logits(packed(torch.cat((one, other)))).detach()[: len(one)]
    assert torch.allclose(alone, longer, rtol=0, atol=1e-5)


@pytest.mark.parametrize("of_logits", [loss_and_gradient, loss_and_gradient_to_fuse])
def test_the_chunked_loss_is_cross_entropy_with_its_gradients(
    of_logits: LossAndGradient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.loss.CHUNK", 5)
    random = torch.Generator().manual_seed(1)
    hidden = torch.randn(13, 8, generator=random, requires_grad=True)
    matrix = torch.randn(30, 8, generator=random, requires_grad=True)
    targets = torch.randint(0, 30, (13,), generator=random)
    weights = torch.rand(13, generator=random)
    loss, each = linear_cross_entropy(hidden, matrix, targets, weights, None, of_logits)
    loss.backward()
    got = hidden.grad, matrix.grad
    hidden.grad = matrix.grad = None
    want = torch.nn.functional.cross_entropy(hidden @ matrix.t(), targets, reduction="none")
    (want * weights).sum().backward()
    assert torch.allclose(each, want, atol=1e-5)
    assert torch.allclose(got[0], hidden.grad, atol=1e-5)
    assert torch.allclose(got[1], matrix.grad, atol=1e-5)


def test_only_the_learned_rows_of_the_matrix_get_a_gradient(masters: Masters) -> None:
    learned = (FILE_SEPARATOR, END)
    model = Model(masters.sizes, learned)
    masters.publish(model, rounding=False)
    ids = torch.tensor([1, END, 30, FILE_SEPARATOR, 31, 2])
    rows, weights = torch.arange(5), torch.ones(5)
    loss, _ = model.loss(packed(ids), rows, ids[1:], weights)
    loss.backward()
    some = model.token_embd.grad
    whole = model_of(masters)
    loss, _ = whole.loss(packed(ids), rows, ids[1:], weights)
    loss.backward()
    assert torch.allclose(some[list(learned)], whole.token_embd.grad[list(learned)], atol=1e-5)
    others = [row for row in range(VOCABULARY) if row not in learned]
    assert not some[others].any()
    assert whole.token_embd.grad[others].any()
