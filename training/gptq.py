"""Rounds a network's matrices so that later weights make up for what rounding earlier ones did: GPTQ (Frantar et al., 2022, arXiv:2210.17323).

For weights that are not taught with rounding; each to its nearest integer loses more. Columns are rounded in their order, 32 at a time,
which share a scale; what each loses is spread over the columns to come, so that the products with inputs like those that were seen change
the least. Layer after layer, each reads what the layers before it give as they are rounded already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.attention import packed_attention
from training.gguf.block_formats import BLOCK, Format, Parts
from training.model import Hyperparameters, Layer, Model, Packed, rms_norm, rotation, weight_names
from training.quantise import searched

# Of the mean of the inputs' squares, added to each: inputs that hardly occurred must not be trusted. The paper's figure.
_DAMPING = 0.01

# Of a parameter's name, the parameter and the gram matrix of its inputs: the parameter as it is rounded.
Rounding = Callable[[str, Tensor, Tensor], Tensor]


def round_matrix(weights: np.ndarray, gram: np.ndarray, kind: Format) -> Parts:
    """
    Blocks for a matrix [rows, columns], float32, in a format that has them.

    gram: [columns, columns], float64: the sum of the outer products of the vectors that it is multiplied with.
    """
    left = weights.astype(np.float64)
    importance = np.diag(gram).astype(np.float32)
    upper = _inverse_factor(gram)
    found = []
    for start in range(0, left.shape[1], BLOCK):
        end = start + BLOCK
        block = np.ascontiguousarray(left[:, start:end], np.float32)
        grid = searched(block, kind, importance[start:end])
        d, m = grid.d.astype(np.float64), 0.0 if grid.m is None else grid.m.astype(np.float64)
        steps = np.divide(1, d, out=np.zeros_like(d), where=d != 0)
        q = np.empty(block.shape, np.int8)
        lost = np.empty(block.shape)
        for column in range(BLOCK):
            at = start + column
            whole = np.clip(np.rint((left[:, at] - m) * steps), kind.low, kind.high)
            q[:, column] = whole
            lost[:, column] = (left[:, at] - (whole * d + m)) / upper[at, at]
            left[:, at + 1 : end] -= np.outer(lost[:, column], upper[at, at + 1 : end])
        left[:, end:] -= lost @ upper[start:end, end:]
        found.append(Parts(q, grid.d, grid.m))
    return _side_by_side(found)


def _inverse_factor(gram: np.ndarray) -> np.ndarray:
    """The upper triangular U with U^T U the inverse of the damped gram matrix."""
    damped = gram + np.eye(len(gram)) * max(_DAMPING * float(np.diag(gram).mean()), 1e-30)
    return np.linalg.cholesky(np.linalg.inv(damped)).T


def _side_by_side(blocks: Sequence[Parts]) -> Parts:
    """One tensor of what holds a block of each row: its blocks lie row after row."""
    q = np.stack([each.q for each in blocks], axis=1).reshape(-1, BLOCK)
    d = np.stack([each.d for each in blocks], axis=1).reshape(-1)
    offsets = [each.m for each in blocks if each.m is not None]
    return Parts(q, d, np.stack(offsets, axis=1).reshape(-1) if offsets else None)


@torch.no_grad()
def round_network(
    weights: Mapping[str, np.ndarray],
    sizes: Hyperparameters,
    formats: Mapping[str, Format],
    read: Sequence[Packed],
) -> dict[str, Parts]:
    """
    Blocks of every tensor whose format has them, by GGUF's names. The embeddings, which are looked up, are rounded by themselves.

    weights: float32, by GGUF's names. formats: of all tensors. read: what the network reads meanwhile, tens of thousands of tokens of what
    it is for; ValueError where it is nothing.
    """
    if not read:
        raise ValueError("There is nothing to read; give some thousand tokens of what the network is for.")
    names = dict(weight_names(sizes))
    model = Model(sizes).requires_grad_(False)
    for name, parameter in model.named_parameters():
        parameter.copy_(torch.from_numpy(np.concatenate([weights[part] for part, _ in names[name]])))
    found: dict[str, Parts] = {}

    def rounded(name: str, matrix: Tensor, gram: Tensor) -> Tensor:
        pieces = matrix.split([rows for _, rows in names[name]])
        return torch.cat([one(part, piece, gram) for (part, _), piece in zip(names[name], pieces, strict=True)])

    def one(part: str, piece: Tensor, gram: Tensor) -> Tensor:
        if not formats[part].quantised:
            return piece
        found[part] = round_matrix(piece.numpy(), gram.numpy(), formats[part])
        return _values(found[part], piece)

    ((embeddings, _),) = names["token_embd"]
    if formats[embeddings].quantised:
        found[embeddings] = searched(weights[embeddings], formats[embeddings])
        model.token_embd.copy_(_values(found[embeddings], model.token_embd))
    hidden = [F.embedding(packed.ids, model.token_embd) for packed in read]
    turns = [rotation(packed.positions, sizes) for packed in read]
    for number, layer in enumerate(model.blk):
        hidden = _round_layer(layer, f"blk.{number}", hidden, turns, read, rounded)
    return found


def _values(blocks: Parts, like: Tensor) -> Tensor:
    return torch.from_numpy(blocks.values()).view(like.shape)


def _round_layer(
    layer: Layer,
    own: str,
    hidden: list[Tensor],
    turns: Sequence[Tensor],
    read: Sequence[Packed],
    rounded: Rounding,
) -> list[Tensor]:
    """
    Rounds the four matrices of a layer, each once those before it are, and gives what it then makes of `hidden`.

    own: what their names begin with.
    """
    epsilon = layer.sizes.epsilon

    def replace(name: str, inputs: Iterable[Tensor]) -> None:
        matrix = getattr(layer, name)
        matrix.copy_(rounded(f"{own}.{name}", matrix, _gram(inputs)))

    replace("attn_qkv", (rms_norm(x, layer.attn_norm, epsilon) for x in hidden))
    attended = [
        packed_attention(*layer.before_attention(x, turn), packed.lengths)
        for x, turn, packed in zip(hidden, turns, read, strict=True)
    ]
    replace("attn_output", attended)
    hidden = [x + F.linear(each, layer.attn_output) for x, each in zip(hidden, attended, strict=True)]
    normed = [rms_norm(x, layer.ffn_norm, epsilon) for x in hidden]
    replace("ffn_gate_up", normed)
    halves = (F.linear(x, layer.ffn_gate_up).chunk(2, dim=-1) for x in normed)
    gated = [F.silu(gate) * up for gate, up in halves]
    replace("ffn_down", gated)
    return [x + F.linear(each, layer.ffn_down) for x, each in zip(hidden, gated, strict=True)]


def _gram(inputs: Iterable[Tensor]) -> Tensor:
    """
    The sum of the outer products of all rows, float64. Those of one piece are summed in float32: of 2,048 rows the error is below
    2,048 / 2^24 of the sum of the squares, a hundredth of the damping.
    """
    products = ((rows.T @ rows).double() for rows in inputs)
    return sum(products, start=torch.zeros((), dtype=torch.float64))
