"""The network of the embedded model, in plain PyTorch: a llama with grouped-query attention and a tied output matrix.

Tokens of several examples lie in one row, one example behind the other ("packed"): every product of a layer runs over all of
them at once, and attention alone is cut where an example ends, so nothing is padded and no example sees another.

Rows of Q and K stay in GGUF's order, in which the adjacent rows (2i, 2i + 1) of a head are rotated as a pair: weights
come from a GGUF file and go back into one without being moved. What a layer multiplies the same input with is one
matrix here (`attn_qkv`, `ffn_gate_up`); `weight_names` says of which tensors of the file each consists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.attention import packed_attention
from training.loss import (
    LossAndGradient,
    divergence_and_gradient,
    linear_cross_entropy,
    linear_divergence,
    loss_and_gradient,
)


@dataclass(frozen=True)
class Hyperparameters:
    """Sizes of the network; names as in GGUF's metadata."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    feed_forward: int
    rope_base: float
    epsilon: float

    @property
    def head_size(self) -> int:
        return self.width // self.heads

    @classmethod
    def of_metadata(cls, metadata: Mapping[str, object]) -> Hyperparameters:
        """Of the metadata of a GGUF file of the llama architecture. KeyError where a key is missing."""

        def number(key: str) -> int:
            return int(metadata[f"llama.{key}"])  # type: ignore[call-overload]

        return cls(
            vocabulary=len(metadata["tokenizer.ggml.tokens"]),  # type: ignore[arg-type]
            width=number("embedding_length"),
            layers=number("block_count"),
            heads=number("attention.head_count"),
            kv_heads=number("attention.head_count_kv"),
            feed_forward=number("feed_forward_length"),
            rope_base=float(metadata["llama.rope.freq_base"]),  # type: ignore[arg-type]
            epsilon=float(metadata["llama.attention.layer_norm_rms_epsilon"]),  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class Packed:
    """Examples behind one another."""

    ids: Tensor  # [tokens] int64
    positions: Tensor  # [tokens] int64, from 0 in each example
    lengths: tuple[int, ...]  # tokens of each example; their sum is `tokens`


@dataclass(frozen=True)
class Judged:
    """Examples, and the positions whose next token counts."""

    packed: Packed
    rows: Tensor  # [n] int64
    weights: Tensor  # [n] float32


def behind_one_another(first: Packed, second: Packed) -> Packed:
    return Packed(
        torch.cat((first.ids, second.ids)),
        torch.cat((first.positions, second.positions)),
        first.lengths + second.lengths,
    )


class Layer(nn.Module):
    def __init__(self, sizes: Hyperparameters) -> None:
        super().__init__()
        self.sizes = sizes
        width, head = sizes.width, sizes.head_size
        self.attn_norm = nn.Parameter(torch.empty(width))
        self.attn_qkv = nn.Parameter(torch.empty((sizes.heads + 2 * sizes.kv_heads) * head, width))
        self.attn_output = nn.Parameter(torch.empty(width, width))
        self.ffn_norm = nn.Parameter(torch.empty(width))
        self.ffn_gate_up = nn.Parameter(torch.empty(2 * sizes.feed_forward, width))
        self.ffn_down = nn.Parameter(torch.empty(width, sizes.feed_forward))

    def forward(self, x: Tensor, rotation: Tensor, lengths: tuple[int, ...]) -> Tensor:
        """x: [tokens, width]; rotation: [tokens, 1, head_size / 2, 2], cosines and sines."""
        q, k, v = self.before_attention(x, rotation)
        return self.after_attention(x, packed_attention(q, k, v, lengths))

    def before_attention(self, x: Tensor, rotation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q: [tokens, heads, head_size]; k and v: [tokens, kv_heads, head_size]."""
        sizes = self.sizes
        qkv = F.linear(rms_norm(x, self.attn_norm, sizes.epsilon), self.attn_qkv)
        heads = qkv.view(-1, sizes.heads + 2 * sizes.kv_heads, sizes.head_size)
        turned = rotate(heads[:, : sizes.heads + sizes.kv_heads], rotation)
        return turned[:, : sizes.heads], turned[:, sizes.heads :], heads[:, sizes.heads + sizes.kv_heads :]

    def after_attention(self, x: Tensor, attended: Tensor) -> Tensor:
        x = x + F.linear(attended, self.attn_output)
        gate, up = F.linear(rms_norm(x, self.ffn_norm, self.sizes.epsilon), self.ffn_gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, self.ffn_down)


class Model(nn.Module):
    def __init__(self, sizes: Hyperparameters, learned_tokens: tuple[int, ...] | None = None) -> None:
        """learned_tokens: the ids whose embeddings get a gradient; default: all."""
        super().__init__()
        self.sizes = sizes
        self.register_buffer(
            "learned", None if learned_tokens is None else torch.tensor(learned_tokens), persistent=False
        )
        self.token_embd = nn.Parameter(torch.empty(sizes.vocabulary, sizes.width))
        self.blk = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))
        self.output_norm = nn.Parameter(torch.empty(sizes.width))
        self.of_logits: LossAndGradient = loss_and_gradient
        self.of_known_logits: LossAndGradient = divergence_and_gradient

    def hidden(self, packed: Packed) -> Tensor:
        """What the output matrix reads: [tokens, width]."""
        x = self._embedded(packed.ids)
        turn = rotation(packed.positions, self.sizes).to(x.dtype)
        for layer in self.blk:
            x = layer(x, turn, packed.lengths)
        return rms_norm(x, self.output_norm, self.sizes.epsilon)

    def _embedded(self, ids: Tensor) -> Tensor:
        x = F.embedding(ids, self.token_embd)
        if self.learned is None:
            return x
        return torch.where(torch.isin(ids, self.learned)[:, None], x, x.detach())

    def logits(self, packed: Packed) -> Tensor:
        """[tokens, vocabulary], float32."""
        return F.linear(self.hidden(packed), self.token_embd).float()

    def loss(self, packed: Packed, rows: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """
        The weighted sum of the next-token losses, in nats, and the loss of each row.

        rows: [n] the positions of `packed` that are judged; targets: [n] the token after each; weights: [n] float32.
        """
        return self._cross_entropy(self.hidden(packed)[rows], targets, weights)

    def divergence(self, packed: Packed, rows: Tensor, known: Model, weights: Tensor) -> tuple[Tensor, Tensor]:
        """
        The weighted sum of how far the next token's law is from that of another model, and the divergence of each row: KL(known || own),
        in nats. `known` gets no gradient. rows, weights: as in `loss`.
        """
        return self._divergence(self.hidden(packed)[rows], known.known_hidden(packed, rows), known, weights)

    def loss_and_divergence(
        self, learned: Judged, targets: Tensor, kept: Judged, known: Model
    ) -> tuple[Tensor, Tensor, Tensor]:
        """
        `loss` of what is learned plus `divergence` of what is kept, in one pass, and each row's of both. A pass of its own over the few
        examples that are kept would take a GPU as long to start as the other.
        """
        known_hidden = known.known_hidden(kept.packed, kept.rows)
        hidden = self.hidden(behind_one_another(learned.packed, kept.packed))
        tokens = len(learned.packed.ids)
        loss, losses = self._cross_entropy(hidden[learned.rows], targets, learned.weights)
        divergence, divergences = self._divergence(hidden[tokens + kept.rows], known_hidden, known, kept.weights)
        return loss + divergence, losses, divergences

    def _cross_entropy(self, hidden: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return linear_cross_entropy(hidden, self.token_embd, targets, weights, self.learned, self.of_logits)

    def _divergence(self, hidden: Tensor, known_hidden: Tensor, known: Model, weights: Tensor) -> tuple[Tensor, Tensor]:
        return linear_divergence(
            hidden, self.token_embd, known_hidden, known.token_embd, weights, self.learned, self.of_known_logits
        )

    @torch.no_grad()
    def known_hidden(self, packed: Packed, rows: Tensor) -> Tensor:
        """What the output matrix reads at those positions, without a gradient."""
        return self.hidden(packed)[rows]

    @torch.no_grad()
    def losses_and_likeliest(self, judged: Judged, targets: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The losses of `loss`, and the likeliest next token at each of the positions `rows` ([m]), in one pass."""
        hidden = self.hidden(judged.packed)
        _, losses = self._cross_entropy(hidden[judged.rows], targets, judged.weights)
        return losses, F.linear(hidden[rows], self.token_embd).argmax(-1)


def rms_norm(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Zhang and Sennrich, 2019; the mean square in float32, whatever the dtype of x."""
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon)
    return (wide * scale).to(x.dtype) * weight


def rotation(positions: Tensor, sizes: Hyperparameters) -> Tensor:
    """Cosines and sines of rotary position embedding (Su et al., 2021): [tokens, 1, head_size / 2, 2], float32."""
    half = sizes.head_size // 2
    exponents = torch.arange(half, device=positions.device, dtype=torch.float32) / half
    angles = positions.float()[:, None] * sizes.rope_base**-exponents
    return torch.stack((angles.cos(), angles.sin()), dim=-1)[:, None]


def rotate(x: Tensor, turn: Tensor) -> Tensor:
    """Turns the pairs of adjacent elements of each head. x: [tokens, heads, head_size]."""
    pairs = x.unflatten(-1, (-1, 2))
    even, odd = pairs[..., 0], pairs[..., 1]
    cos, sin = turn[..., 0], turn[..., 1]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def weight_names(sizes: Hyperparameters) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Of each parameter of `Model` its name, and the names and rows of the GGUF tensors it consists of, from the top."""
    head, kv = sizes.head_size, sizes.kv_heads
    yield "token_embd", (("token_embd.weight", sizes.vocabulary),)
    for layer in range(sizes.layers):
        own = f"blk.{layer}"

        def parts(*named: tuple[str, int], own: str = own) -> tuple[tuple[str, int], ...]:
            return tuple((f"{own}.{name}.weight", rows) for name, rows in named)

        yield f"{own}.attn_norm", parts(("attn_norm", 1))
        yield f"{own}.attn_qkv", parts(("attn_q", sizes.heads * head), ("attn_k", kv * head), ("attn_v", kv * head))
        yield f"{own}.attn_output", parts(("attn_output", sizes.width))
        yield f"{own}.ffn_norm", parts(("ffn_norm", 1))
        yield f"{own}.ffn_gate_up", parts(("ffn_gate", sizes.feed_forward), ("ffn_up", sizes.feed_forward))
        yield f"{own}.ffn_down", parts(("ffn_down", sizes.width))
    yield "output_norm", (("output_norm.weight", 1),)
