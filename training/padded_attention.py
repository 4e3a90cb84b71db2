"""
Causal attention within examples, as products of dense matrices: for processors.

Examples of about one length are padded to the longest of them and multiplied at once. A processor's matrix products are many times
as fast as the fused kernel that PyTorch has for it, so that scores which the mask throws away, and padding, cost less than
that kernel's care to avoid them. The query heads that read one key-value head lie below one another in one matrix, token by token.
What is behind an example's end is later than all of it, so the mask that keeps queries from later keys hides it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import ceil

import torch
from torch import Tensor

# Examples are padded to no more than this many times their length.
_MOST_PADDING = 1.25
# Sizes are rounded up to whole vectors: what does not fill one takes several times as long.
_ALIGNMENT = 32
# Most tokens whose queries make a tile, and scores that it has: two bytes each, to fit into a processor's second cache.
_TILE_TOKENS = 320
_TILE_SCORES = 3 << 18


@dataclass(frozen=True)
class Bucket:
    """Some examples of about one length."""

    count: int
    longest: int  # tokens that each is padded to
    padded: Tensor  # [count * longest] the token that each padded row takes; behind an example's end, its last
    behind: Tensor  # [count, longest] whether the row is behind the example's end
    tokens: Tensor  # [n] the tokens of the examples
    rows: Tensor  # [n] their padded rows


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
    longest = ceil(max(lengths) / _ALIGNMENT) * _ALIGNMENT
    position = torch.arange(longest)[None]
    length = torch.tensor(lengths)[:, None]
    behind = position >= length
    padded = (torch.tensor(starts)[:, None] + torch.minimum(position, length - 1)).view(-1)
    rows = (~behind).view(-1).nonzero().view(-1)
    return Bucket(len(lengths), longest, padded, behind, padded[rows], rows)


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
            out = torch.empty_like(pq)
            kept += [pq, pk, pv]
            for tile in tiles(len(pq), bucket.longest, heads // k.shape[1]):
                scores = torch.bmm(pq[tile.matrices, tile.rows], pk[tile.matrices, : tile.keys].transpose(1, 2))
                scores[:, :, tile.first :].add_(tile.later.to(scores.dtype))
                shares = torch.softmax(scores, -1)
                out[tile.matrices, tile.rows] = torch.bmm(shares, pv[tile.matrices, : tile.keys])
                kept.append(shares)
            _unpad(out, bucket, attended)
        ctx.save_for_backward(*kept)
        ctx.lengths, ctx.key_shape = lengths, k.shape
        return attended.view(tokens, heads * size)

    @staticmethod
    def backward(ctx, gradient: Tensor):  # type: ignore[override]
        tokens, kv_heads, size = ctx.key_shape
        gradient = gradient.view(tokens, -1, size)
        of_q = torch.empty_like(gradient)
        of_k, of_v = gradient.new_empty(ctx.key_shape), gradient.new_empty(ctx.key_shape)
        kept = iter(ctx.saved_tensors)
        for bucket in buckets(ctx.lengths):
            pq, pk, pv = next(kept), next(kept), next(kept)
            of_out = _pad(gradient, bucket, kv_heads, blank_behind=True)
            of_pq, of_pk, of_pv = torch.empty_like(pq), torch.zeros_like(pk), torch.zeros_like(pv)
            for tile in tiles(len(pq), bucket.longest, of_q.shape[1] // kv_heads):
                of_tile, shares = of_out[tile.matrices, tile.rows], next(kept)
                keys = (tile.matrices, slice(tile.keys))
                of_pv[keys] += torch.bmm(shares.transpose(1, 2), of_tile)
                of_shares = torch.bmm(of_tile, pv[keys].transpose(1, 2))
                of_scores = torch._softmax_backward_data(of_shares, shares, -1, shares.dtype)
                of_pq[tile.matrices, tile.rows] = torch.bmm(of_scores, pk[keys])
                of_pk[keys] += torch.bmm(of_scores.transpose(1, 2), pq[tile.matrices, tile.rows])
            _unpad(of_pq.mul_(size**-0.5), bucket, of_q)
            _unpad(of_pk, bucket, of_k)
            _unpad(of_pv, bucket, of_v)
        return of_q, of_k, of_v, None


@dataclass(frozen=True)
class Tile:
    """Some queries of some matrices, with every key that any of them looks at."""

    matrices: slice  # of the padded ones: an example and a key-value head each
    rows: slice  # of these matrices, `heads` a token
    first: int  # the token of the first row; all earlier keys are looked at by all rows
    keys: int  # how many tokens are looked at
    later: Tensor  # [rows, keys - first]: -inf where the key comes after the row's token, else 0


@lru_cache(maxsize=64)
def tiles(matrices: int, longest: int, heads: int) -> Sequence[Tile]:
    """How the scores of a bucket are cut, so that those of a tile stay in the caches, and few are made that the mask throws away."""
    made = []
    parts = ceil(longest / _TILE_TOKENS)
    bounds = [ceil(longest * part / parts / _ALIGNMENT) * _ALIGNMENT for part in range(parts)]
    for first, last in pairwise([*bounds, longest]):
        later = torch.full((last - first, last - first), float("-inf")).triu_(1).repeat_interleave(heads, 0)
        count = max(1, _TILE_SCORES // (len(later) * last))
        made += [
            Tile(slice(one, one + count), slice(first * heads, last * heads), first, last, later)
            for one in range(0, matrices, count)
        ]
    return made


def _pad(x: Tensor, bucket: Bucket, kv_heads: int, blank_behind: bool = False) -> Tensor:
    """[tokens, heads, size] -> [count * kv_heads, longest * heads / kv_heads, size]"""
    _, heads, size = x.shape
    chosen = x.index_select(0, bucket.padded).view(bucket.count, bucket.longest, kv_heads, -1, size)
    if blank_behind:
        chosen.masked_fill_(bucket.behind[:, :, None, None, None], 0)
    return chosen.transpose(1, 2).reshape(bucket.count * kv_heads, bucket.longest * (heads // kv_heads), size)


def _unpad(padded: Tensor, bucket: Bucket, out: Tensor) -> None:
    """Puts the rows of the examples to where they came from in `out` [tokens, heads, size]."""
    _, heads, size = out.shape
    kv_heads = padded.shape[0] // bucket.count
    by_token = padded.view(bucket.count, kv_heads, bucket.longest, -1, size).transpose(1, 2)
    out.index_copy_(0, bucket.tokens, by_token.reshape(-1, heads, size).index_select(0, bucket.rows))
