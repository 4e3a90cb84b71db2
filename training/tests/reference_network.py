"""The llama network in a few lines of float64 numpy, straight from a GGUF file: what the engines are compared with."""

from __future__ import annotations

import numpy as np

from training.gguf.reader import GgufFile


def logits_after(file: GgufFile, ids: list[int]) -> np.ndarray:
    """float64 [vocabulary]: the logits after the last of `ids`, from the weights as the file stores them."""
    metadata = file.metadata
    layers, heads, kv_heads = (
        int(str(metadata[f"llama.{key}"])) for key in ("block_count", "attention.head_count", "attention.head_count_kv")
    )
    epsilon = float(str(metadata["llama.attention.layer_norm_rms_epsilon"]))
    turn = _rotation(
        len(ids), int(str(metadata["llama.rope.dimension_count"])), float(str(metadata["llama.rope.freq_base"]))
    )

    def weight(name: str) -> np.ndarray:
        return file.decoded(f"{name}.weight").astype(np.float64)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + epsilon) * weight(name)

    embedding = weight("token_embd")
    x = embedding[ids]
    for layer in range(layers):
        own = f"blk.{layer}"
        inner = norm(x, f"{own}.attn_norm")
        q, k, v = (inner @ weight(f"{own}.attn_{each}").T for each in "qkv")
        attended = _attention(_turned(q, heads, turn), _turned(k, kv_heads, turn), _heads(v, kv_heads))
        x = x + attended @ weight(f"{own}.attn_output").T
        inner = norm(x, f"{own}.ffn_norm")
        gate, up = inner @ weight(f"{own}.ffn_gate").T, inner @ weight(f"{own}.ffn_up").T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ weight(f"{own}.ffn_down").T
    return norm(x[-1:], "output_norm")[0] @ embedding.T


def _heads(x: np.ndarray, heads: int) -> np.ndarray:
    """[tokens, heads * size] to [heads, tokens, size]."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def _rotation(tokens: int, size: int, base: float) -> np.ndarray:
    """Complex [tokens, size / 2]: by what the adjacent elements of a head are turned (Su et al., 2021)."""
    angles = np.arange(tokens)[:, None] * base ** (-np.arange(size // 2) / (size // 2))
    return np.exp(1j * angles)


def _turned(x: np.ndarray, heads: int, turn: np.ndarray) -> np.ndarray:
    pairs = _heads(x, heads)
    turned = (pairs[..., 0::2] + 1j * pairs[..., 1::2]) * turn
    return np.stack([turned.real, turned.imag], axis=-1).reshape(pairs.shape)


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q: [heads, tokens, size]; neighbouring query heads share a head of k and v. Gives [tokens, heads * size]."""
    k, v = (x.repeat(len(q) // len(k), axis=0) for x in (k, v))
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    scores[:, ~np.tri(q.shape[1], dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return ((weights / weights.sum(-1, keepdims=True)) @ v).swapaxes(0, 1).reshape(q.shape[1], -1)
