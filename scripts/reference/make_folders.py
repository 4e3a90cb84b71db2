"""Writes small models as Hugging Face and MLX folders to test/fixtures/folders, two of them as GGUF files as well, and the logits
that a forward pass in numpy gives each.

    python3 -m venv .cache/reference
    .cache/reference/bin/pip install -r scripts/reference/requirements.txt
    .cache/reference/bin/python scripts/reference/make_folders.py

What the files hold is told in test/fixtures/folders/README.md.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np

OUT = Path(__file__).resolve().parents[2] / "test" / "fixtures" / "folders"
PROMPT = [40, 301 % 256, 7, 261, 99, 258, 12, 263, 40, 200]
WORDS = ["return", "    ", " = ", "\u00e9t\u00e9", "\n\n"]


@dataclass
class Shape:
    kind: str  # `model_type`, and the architecture in GGUF
    width: int
    hidden: int
    heads: int
    kv_heads: int
    head_width: int
    layers: int
    tied: bool
    theta: float = 10000.0
    biases: bool = False
    head_norms: bool = False
    more: dict = field(default_factory=dict)  # of config.json


# Bytes and merges


def byte_alphabet() -> list[str]:
    """GPT-2's: printable Latin-1 stands for itself, the others for the code points from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(other)) for byte in range(256)]


def vocabulary() -> tuple[list[str], list[str]]:
    """Tokens by id, the last two of which are control tokens, and the merges."""
    alphabet = byte_alphabet()
    tokens, merges = list(alphabet), []
    for word in WORDS:
        spelled = [alphabet[byte] for byte in word.encode()]
        for end in range(2, len(spelled) + 1):
            token = "".join(spelled[:end])
            if token not in tokens:
                tokens.append(token)
                merges.append(f"{''.join(spelled[:end - 1])} {spelled[end - 1]}")
    return [*tokens, "<|end|>", "<|start|>"], merges


def write_tokenizer(folder: Path, pairs: bool) -> None:
    tokens, merges = vocabulary()
    plain = len(tokens) - 2
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"id": plain + i, "content": tokens[plain + i], "special": True, "normalized": False,
             "single_word": False, "lstrip": False, "rstrip": False}
            for i in range(2)
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Digits", "individual_digits": True},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            ],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "vocab": {token: id for id, token in enumerate(tokens[:plain])},
            "merges": [merge.split(" ") for merge in merges] if pairs else merges,
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    settings = {"eos_token": "<|end|>", "bos_token": {"content": "<|start|>"}, "add_bos_token": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


# Formats


def to_bf16(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, "<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def from_bf16(values: np.ndarray) -> np.ndarray:
    return (values.astype("<u4") << 16).view("<f4")


def stored(values: np.ndarray, kind: str) -> np.ndarray:
    return to_bf16(values) if kind == "BF16" else values.astype({"F16": "<f2", "F32": "<f4"}[kind])


def read_back(values: np.ndarray, kind: str) -> np.ndarray:
    return (from_bf16(values) if kind == "BF16" else values).astype(np.float64)


def write_safetensors(path: Path, tensors: dict[str, tuple[str, np.ndarray]]) -> None:
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, values) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(v.tobytes() for _, v in tensors.values()))


def mlx(values: np.ndarray, bits: int, group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """u32 quants, bf16 scales and biases, and what they stand for."""
    rows, columns = values.shape
    groups = values.reshape(rows, columns // group, group)
    low, high = groups.min(-1), groups.max(-1)
    scales, biases = to_bf16((high - low) / (2**bits - 1)), to_bf16(low)
    scale, bias = (from_bf16(x).astype(np.float64)[..., None] for x in (scales, biases))
    quants = np.clip(np.round((groups - bias) / scale), 0, 2**bits - 1).astype(np.uint8)
    stream = np.unpackbits(quants.reshape(rows, columns, 1), axis=-1, count=bits, bitorder="little")
    packed = np.packbits(stream.reshape(rows, -1), axis=-1, bitorder="little")
    return packed.view("<u4"), scales, biases, (quants * scale + bias).reshape(rows, columns)


# Models


def matrices(shape: Shape, tokens: int) -> dict[str, tuple[int, int]]:
    query, kv = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    named = {"model.embed_tokens": (tokens, shape.width)}
    for layer in range(shape.layers):
        at = f"model.layers.{layer}."
        named |= {
            at + "self_attn.q_proj": (query, shape.width),
            at + "self_attn.k_proj": (kv, shape.width),
            at + "self_attn.v_proj": (kv, shape.width),
            at + "self_attn.o_proj": (shape.width, query),
            at + "mlp.gate_proj": (shape.hidden, shape.width),
            at + "mlp.up_proj": (shape.hidden, shape.width),
            at + "mlp.down_proj": (shape.width, shape.hidden),
        }
    return named if shape.tied else named | {"lm_head": (tokens, shape.width)}


def vectors(shape: Shape) -> dict[str, int]:
    query, kv = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    named = {"model.norm.weight": shape.width}
    for layer in range(shape.layers):
        at = f"model.layers.{layer}."
        named |= {at + "input_layernorm.weight": shape.width, at + "post_attention_layernorm.weight": shape.width}
        if shape.biases:
            named |= {at + f"self_attn.{letter}_proj.bias": width for letter, width in zip("qkv", (query, kv, kv))}
        if shape.head_norms:
            named |= {at + f"self_attn.{letter}_norm.weight": shape.head_width for letter in "qk"}
    return named


def forward(shape: Shape, w: dict[str, np.ndarray], prompt: list[int]) -> np.ndarray:
    """The logits behind `prompt`, in double precision."""
    d, half = shape.head_width, shape.head_width // 2
    angle = np.arange(len(prompt))[:, None] * shape.theta ** (-np.arange(half) / half)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]

    def norm(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain

    def rotate(x: np.ndarray) -> np.ndarray:
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    x = w["model.embed_tokens.weight"][prompt]
    for layer in range(shape.layers):
        at = f"model.layers.{layer}."
        attention = at + "self_attn."
        y = norm(x, w[at + "input_layernorm.weight"])
        q, k, v = (
            (y @ w[f"{attention}{n}_proj.weight"].T + w.get(f"{attention}{n}_proj.bias", 0)).reshape(len(prompt), -1, d)
            for n in "qkv"
        )
        if shape.head_norms:
            q, k = norm(q, w[attention + "q_norm.weight"]), norm(k, w[attention + "k_norm.weight"])
        q, k = rotate(q), rotate(k)
        k, v = (np.repeat(z, shape.heads // shape.kv_heads, axis=1) for z in (k, v))
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(d)
        scores += np.triu(np.full(scores.shape[1:], -np.inf), 1)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        x = x + np.einsum("hqk,khd->qhd", scores, v).reshape(len(prompt), -1) @ w[attention + "o_proj.weight"].T
        y = norm(x, w[at + "post_attention_layernorm.weight"])
        gate = y @ w[at + "mlp.gate_proj.weight"].T
        unit = gate / (1 + np.exp(-gate)) * (y @ w[at + "mlp.up_proj.weight"].T)
        x = x + unit @ w[at + "mlp.down_proj.weight"].T
    output = w["model.embed_tokens.weight" if shape.tied else "lm_head.weight"]
    return norm(x[-1], w["model.norm.weight"]) @ output.T


def write_config(folder: Path, shape: Shape) -> None:
    config = {
        "model_type": shape.kind,
        "hidden_size": shape.width,
        "intermediate_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_width,
        "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5,
        "rope_theta": shape.theta,
        "hidden_act": "silu",
        "tie_word_embeddings": shape.tied,
        "eos_token_id": len(vocabulary()[0]) - 2,
        **shape.more,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


GGUF_NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    part, kind = name.rsplit(".", 1)
    if part.startswith("model.layers."):
        _, _, layer, part = part.split(".", 3)
        return f"blk.{layer}.{GGUF_NAMES[part]}.{kind}"
    return f"{GGUF_NAMES[part]}.{kind}"


def neighbours(values: np.ndarray, heads: int) -> np.ndarray:
    """Llama's rows of queries and keys as its GGUF files have them: pairs that are rotated lie side by side."""
    halves = values.reshape(heads, 2, -1, *values.shape[1:])
    return halves.swapaxes(1, 2).reshape(values.shape)


def write_gguf(path: Path, shape: Shape, tensors: dict[str, tuple[str, np.ndarray]]) -> None:
    writer = gguf.GGUFWriter(path, shape.kind)
    writer.add_name("toy")
    writer.add_block_count(shape.layers)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_context_length(64)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(shape.head_width)
    writer.add_value_length(shape.head_width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(shape.theta)
    tokens, merges = vocabulary()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("starcoder")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * (len(tokens) - 2) + [3, 3])
    writer.add_token_merges(merges)
    writer.add_eos_token_id(len(tokens) - 2)
    writer.add_bos_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)
    for name, (kind, values) in tensors.items():
        if shape.kind == "llama" and ".q_proj" in name:
            values = neighbours(values, shape.heads)
        if shape.kind == "llama" and ".k_proj" in name:
            values = neighbours(values, shape.kv_heads)
        if values.ndim == 1:
            writer.add_tensor(gguf_name(name), read_back(values, kind).astype("<f4"))
        elif kind == "BF16":
            raw = gguf.GGMLQuantizationType.BF16
            writer.add_tensor(gguf_name(name), np.ascontiguousarray(values).view(np.uint8), raw_dtype=raw)
        else:
            writer.add_tensor(gguf_name(name), np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make(name: str, shape: Shape, kind: str, shards: int = 1, quantised: dict | None = None) -> None:
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    random = np.random.default_rng(len(name))
    tokens = len(vocabulary()[0])
    tensors: dict[str, tuple[str, np.ndarray]] = {}
    meant: dict[str, np.ndarray] = {}
    for part, extents in matrices(shape, tokens).items():
        values = random.normal(0, 1.5 / np.sqrt(extents[1]), extents)
        if quantised is not None:
            groups = quantised.get(part, quantised)
            quants, scales, biases, meant[part + ".weight"] = mlx(values, groups["bits"], groups["group_size"])
            tensors |= {part + ".weight": ("U32", quants), part + ".scales": ("BF16", scales),
                        part + ".biases": ("BF16", biases)}
        else:
            tensors[part + ".weight"] = (kind, stored(values, kind))
    for part, width in vectors(shape).items():
        values = random.normal(0 if part.endswith("bias") else 1, 0.2, width)
        tensors[part] = (kind, stored(values, kind))
    meant |= {n: read_back(v, k) for n, (k, v) in tensors.items() if n not in meant and k != "U32"}
    if quantised is not None:
        shape.more["quantization"] = quantised
    write_config(folder, shape)
    write_tokenizer(folder, pairs=shards > 1)
    if shards == 1:
        write_safetensors(folder / "model.safetensors", tensors)
    else:
        names, places = list(tensors), {}
        for i in range(shards):
            file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
            some = names[i * len(names) // shards : (i + 1) * len(names) // shards]
            write_safetensors(folder / file, {n: tensors[n] for n in some})
            places |= dict.fromkeys(some, file)
        index = {"metadata": {"total_size": sum(v.nbytes for _, v in tensors.values())}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    forward(shape, meant, PROMPT).astype("<f4").tofile(OUT / f"{name}.logits")
    if quantised is None:
        write_gguf(OUT / f"{name}.gguf", shape, tensors)


def main() -> None:
    make("llama-bf16", Shape("llama", 32, 48, 4, 2, 8, 2, tied=True), "BF16")
    make("qwen2-f16", Shape("qwen2", 32, 48, 2, 1, 16, 1, tied=False, theta=1e6, biases=True), "F16", shards=2)
    make("qwen3-mlx", Shape("qwen3", 128, 64, 2, 1, 32, 1, tied=True, head_norms=True), "BF16", quantised={
        "group_size": 64, "bits": 4,
        "model.embed_tokens": {"group_size": 128, "bits": 6},
        "model.layers.0.self_attn.q_proj": {"group_size": 128, "bits": 4},
        "model.layers.0.mlp.up_proj": {"group_size": 32, "bits": 4},
        "model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8},
    })


if __name__ == "__main__":
    main()
