"""
Causal attention within examples, as products of dense matrices: for processors.

Examples of about one length are padded to the longest of them and multiplied at once. A processor's matrix products are many times
as fast as the fused kernel that PyTorch has for it, so that scores which the mask throws away, and padding, cost less than
that kernel's care to avoid them. The query heads that read one key-value head lie below one another in one matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import torch
from torch import Tensor

# Examples are padded to no more than this many times their length.
_MOST_PADDING = 1.25


@dataclass(frozen=True)
class Bucket:
    """Some examples of about one length."""

    count: int
    longest: int  # tokens of the longest of them
    padded: Tensor  # [count * longest] the token that each padded row takes; behind an example's end, its last
    behind: Tensor  # [count, longest] whether the row is behind the example's end
    tokens: Tensor  # [n] the tokens of the examples
    rows: Tensor  # [n] their padded rows
    later: Tensor  # [longest, longest] whether a token may not be looked at from another; what is behind an end is later than all


def padded_attention(q: Tensor, k: Tensor, v: Tensor, lengths: tuple[int, ...]) -> Tensor:
    """As `packed_attention`."""
    return _PaddedAttention.apply(q, k, v, lengths)


@lru_cache(maxsize=8)
def buckets(lengths: tuple[int, ...]) -> Sequence[Bucket]:
    """Where each example lies; the layers of a network ask for the same again and again."""
    starts = [0, *accumulate(lengths)]
    groups: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        if groups and lengths[groups[-1][0]] <= _MOST_PADDING * lengths[number]:
            groups[-1].append(number)
        else:
            groups.append([number])
    return [_bucket([starts[one] for one in group], [lengths[one] for one in group]) for group in groups]


def _bucket(starts: list[int], lengths: list[int]) -> Bucket:
    position = torch.arange(max(lengths))[None]
    length = torch.tensor(lengths)[:, None]
    behind = position >= length
    padded = (torch.tensor(starts)[:, None] + torch.minimum(position, length - 1)).view(-1)
    rows = (~behind).view(-1).nonzero().view(-1)
    later = torch.ones(max(lengths), max(lengths), dtype=torch.bool).triu_(1)
    return Bucket(len(lengths), max(lengths), padded, behind, padded[rows], rows, later)


class _PaddedAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q: Tensor, k: Tensor, v: Tensor, lengths: tuple[int, ...]):  # type: ignore[override]
        tokens, heads, size = q.shape
        kept: list[Tensor] = []
        attended = torch.empty_like(q)
        for bucket in buckets(lengths):
            # The scale is a power of 2 for heads of 64 or 16, so that nothing is rounded here.
            pq = _pad(q, bucket, k.shape[1]).mul_(size**-0.5)
            pk, pv = _pad(k, bucket, k.shape[1]), _pad(v, bucket, k.shape[1])
            scores = torch.bmm(pq, pk.transpose(1, 2))
            scores.view(-1, bucket.longest, bucket.longest).masked_fill_(bucket.later, float("-inf"))
            shares = torch.softmax(scores, -1)
            _unpad(torch.bmm(shares, pv), bucket, attended)
            kept += [pq, pk, pv, shares]
        ctx.save_for_backward(*kept)
        ctx.lengths, ctx.key_shape = lengths, k.shape
        return attended.view(tokens, heads * size)

    @staticmethod
    def backward(ctx, gradient: Tensor):  # type: ignore[override]
        tokens, kv_heads, size = ctx.key_shape
        gradient = gradient.view(tokens, -1, size)
        of_q = torch.empty_like(gradient)
        of_k, of_v = gradient.new_empty(ctx.key_shape), gradient.new_empty(ctx.key_shape)
        for number, bucket in enumerate(buckets(ctx.lengths)):
            pq, pk, pv, shares = ctx.saved_tensors[4 * number : 4 * number + 4]
            of_attended = _pad(gradient, bucket, kv_heads, blank_behind=True)
            _unpad(torch.bmm(shares.transpose(1, 2), of_attended), bucket, of_v)
            of_shares = torch.bmm(of_attended, pv.transpose(1, 2))
            of_scores = torch._softmax_backward_data(of_shares, shares, -1, shares.dtype)
            _unpad(torch.bmm(of_scores, pk).mul_(size**-0.5), bucket, of_q)
            _unpad(torch.bmm(of_scores.transpose(1, 2), pq), bucket, of_k)
        return of_q, of_k, of_v, None


def _pad(x: Tensor, bucket: Bucket, kv_heads: int, blank_behind: bool = False) -> Tensor:
    """[tokens, heads, size] -> [count * kv_heads, heads / kv_heads * longest, size]"""
    _, heads, size = x.shape
    chosen = x.index_select(0, bucket.padded).view(bucket.count, bucket.longest, kv_heads, -1, size)
    if blank_behind:
        chosen.masked_fill_(bucket.behind[:, :, None, None, None], 0)
    return chosen.permute(0, 2, 3, 1, 4).reshape(bucket.count * kv_heads, heads // kv_heads * bucket.longest, size)


def _unpad(padded: Tensor, bucket: Bucket, out: Tensor) -> None:
    """Puts the rows of the examples to where they came from in `out` [tokens, heads, size]."""
    _, heads, size = out.shape
    kv_heads = padded.shape[0] // bucket.count
    by_token = padded.view(bucket.count, kv_heads, -1, bucket.longest, size).permute(0, 3, 1, 2, 4)
    out.index_copy_(0, bucket.tokens, by_token.reshape(-1, heads, size).index_select(0, bucket.rows))
