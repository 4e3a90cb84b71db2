"""Causal attention within each of the examples that lie behind one another."""

from __future__ import annotations

import inspect
from functools import lru_cache

import torch
from torch import Tensor

from training.padded_attention import padded_attention


def packed_attention(q: Tensor, k: Tensor, v: Tensor, lengths: tuple[int, ...]) -> Tensor:
    """
    q: [tokens, heads, head_size]; k and v: [tokens, kv_heads, head_size]; the result: [tokens, heads * head_size].

    Each of `heads / kv_heads` neighbouring query heads reads the same key-value head.
    """
    return _variable_length(q, k, v, lengths) if q.is_cuda else padded_attention(q, k, v, lengths)


def _variable_length(q: Tensor, k: Tensor, v: Tensor, lengths: tuple[int, ...]) -> Tensor:
    """One kernel for all examples of a batch, where the device has it."""
    from torch.nn.attention.varlen import varlen_attn

    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    ends, longest = _ends(lengths, q.device), max(lengths)
    # PyTorch 2.10 and 2.11 ask for a flag, later ones for a window.
    known = inspect.signature(varlen_attn).parameters
    causal = {"is_causal": True} if "is_causal" in known else {"window_size": (-1, 0)}
    return varlen_attn(q, k, v, ends, ends, longest, longest, **causal).flatten(1)


@lru_cache(maxsize=8)
def _ends(lengths: tuple[int, ...], device: torch.device) -> Tensor:
    """[examples + 1] int32, where each example begins and the last ends; the layers of a network ask for the same again and again."""
    return torch.tensor((0, *lengths), device=device).cumsum(0).to(torch.int32)
