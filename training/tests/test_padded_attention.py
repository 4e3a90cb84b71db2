"""Padded attention against one example and one head at a time."""

from __future__ import annotations

import torch

from training.padded_attention import buckets, padded_attention

HEADS, KV_HEADS, SIZE = 6, 2, 16
# The longest is cut into several tiles.
LENGTHS = (5, 1, 17, 4, 16, 5, 40, 2, 700)


def slow_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: tuple[int, ...]) -> torch.Tensor:
    out, start = [], 0
    for length in lengths:
        for row in range(start, start + length):
            heads = []
            for head in range(q.shape[1]):
                of = head // (q.shape[1] // k.shape[1])
                scores = k[start : row + 1, of] @ q[row, head] / q.shape[2] ** 0.5
                heads.append(scores.softmax(0) @ v[start : row + 1, of])
            out.append(torch.cat(heads))
        start += length
    return torch.stack(out)


def test_values_and_gradients_are_those_of_each_example_alone() -> None:
    torch.manual_seed(3)
    tokens = sum(LENGTHS)
    shapes = [(tokens, HEADS, SIZE), (tokens, KV_HEADS, SIZE), (tokens, KV_HEADS, SIZE)]
    inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    weights = torch.randn(tokens, HEADS * SIZE, dtype=torch.float64)
    results = []
    for attention in (slow_attention, padded_attention):
        attended = attention(*inputs, LENGTHS)
        results.append([attended.detach(), *torch.autograd.grad((attended * weights).sum(), inputs)])
    for slow, fast in zip(*results, strict=True):
        assert torch.allclose(slow, fast, rtol=0, atol=1e-12 * float(slow.norm()))


def test_every_token_is_in_one_bucket_and_little_is_padded() -> None:
    made = buckets(LENGTHS)
    assert sorted(torch.cat([one.tokens for one in made]).tolist()) == list(range(sum(LENGTHS)))
    for bucket in made:
        lengths = (~bucket.behind).sum(1)
        assert int(lengths.max()) <= 1.25 * int(lengths.min())
        assert 0 <= bucket.longest - int(lengths.max()) < 32
