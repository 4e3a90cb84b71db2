"""A network of the embedded model's kind, small enough to be taught in a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.gguf.block_formats import F32, FORMATS, encode, encode_parts
from training.gguf.values import Value, ValueKind, string, strings, uint32
from training.gguf.writer import TensorToWrite, write
from training.quantise import plain

WIDTH, LAYERS, HEADS, KV_HEADS, FEED_FORWARD, VOCABULARY = 64, 2, 4, 2, 96, 320


def write_tiny_model(path: Path, seed: int = 1) -> None:
    """Q4_1 matrices and a Q8_0 embedding, as in the embedded file; the tokens have no text."""
    random = np.random.default_rng(seed)
    head = WIDTH // HEADS
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (VOCABULARY, WIDTH), "output_norm.weight": (WIDTH,)}
    for layer in range(LAYERS):
        own = f"blk.{layer}"
        shapes |= {
            f"{own}.attn_norm.weight": (WIDTH,),
            f"{own}.attn_q.weight": (WIDTH, WIDTH),
            f"{own}.attn_k.weight": (KV_HEADS * head, WIDTH),
            f"{own}.attn_v.weight": (KV_HEADS * head, WIDTH),
            f"{own}.attn_output.weight": (WIDTH, WIDTH),
            f"{own}.ffn_norm.weight": (WIDTH,),
            f"{own}.ffn_gate.weight": (FEED_FORWARD, WIDTH),
            f"{own}.ffn_up.weight": (FEED_FORWARD, WIDTH),
            f"{own}.ffn_down.weight": (WIDTH, FEED_FORWARD),
        }
    write(path, _metadata(), [_tensor(name, shape, random) for name, shape in shapes.items()])


def _metadata() -> dict[str, Value]:
    return {
        "general.architecture": string("llama"),
        "llama.block_count": uint32(LAYERS),
        "llama.embedding_length": uint32(WIDTH),
        "llama.feed_forward_length": uint32(FEED_FORWARD),
        "llama.attention.head_count": uint32(HEADS),
        "llama.attention.head_count_kv": uint32(KV_HEADS),
        "llama.rope.freq_base": Value(ValueKind.F32, 100_000.0),
        "llama.attention.layer_norm_rms_epsilon": Value(ValueKind.F32, 1e-5),
        "tokenizer.ggml.tokens": strings(("\u010a", *(f"t{number}" for number in range(1, VOCABULARY)))),
    }


def _tensor(name: str, shape: tuple[int, ...], random: np.random.Generator) -> TensorToWrite:
    if len(shape) == 1:
        ones = np.ones(shape, np.float32)
        return TensorToWrite(name, shape, F32, lambda: encode(ones, F32))
    kind = FORMATS["Q8_0" if name == "token_embd.weight" else "Q4_1"]
    values = random.normal(0, 0.1, shape).astype(np.float32)
    return TensorToWrite(name, shape, kind, lambda: encode_parts(plain(values, kind), kind))
