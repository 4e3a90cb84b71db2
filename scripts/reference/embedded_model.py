"""The embedded GGUF model as a float32 transformers model and a Hugging Face tokenizer.

Nothing of the engine is used: the file is read and dequantised by the `gguf` package, the network is
`transformers.LlamaForCausalLM`, the tokenizer is `tokenizers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

CONTROL_TOKEN = 3  # the value of `tokenizer.ggml.token_type` for tokens that stand for no text

# GGUF name of a layer's tensor -> its name in transformers.
LAYER_TENSORS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def path() -> Path:
    """The one model file in the repository."""
    (file,) = (Path(__file__).resolve().parents[2] / "models").glob("*.gguf")
    return file


@dataclass(frozen=True)
class EmbeddedModel:
    network: LlamaForCausalLM
    tokenizer: Tokenizer


def load(path: Path) -> EmbeddedModel:
    reader = gguf.GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    tensors = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    return EmbeddedModel(_network(fields, tensors), _tokenizer(fields))


def _network(fields: dict, tensors: dict[str, np.ndarray]) -> LlamaForCausalLM:
    heads = fields["llama.attention.head_count"]
    kv_heads = fields["llama.attention.head_count_kv"]
    layers = fields["llama.block_count"]
    config = LlamaConfig(
        vocab_size=len(fields["tokenizer.ggml.tokens"]),
        hidden_size=fields["llama.embedding_length"],
        intermediate_size=fields["llama.feed_forward_length"],
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=fields["llama.context_length"],
        rms_norm_eps=fields["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": fields["llama.rope.freq_base"]},
        tie_word_embeddings="output.weight" not in tensors,
        attn_implementation="eager",
    )
    state = {
        "model.embed_tokens.weight": tensors["token_embd.weight"],
        "model.norm.weight": tensors["output_norm.weight"],
        "lm_head.weight": tensors.get("output.weight", tensors["token_embd.weight"]),
    }
    for layer in range(layers):
        for ours, theirs in LAYER_TENSORS.items():
            weight = tensors[f"blk.{layer}.{ours}.weight"]
            if ours == "attn_q":
                weight = _split_halves(weight, heads)
            elif ours == "attn_k":
                weight = _split_halves(weight, kv_heads)
            state[f"model.layers.{layer}.{theirs}.weight"] = weight
    network = LlamaForCausalLM(config)
    weights = {name: torch.from_numpy(np.array(value, dtype=np.float32)) for name, value in state.items()}
    network.load_state_dict(weights, strict=True)
    return network.eval()


def _split_halves(weight: np.ndarray, heads: int) -> np.ndarray:
    """Undoes GGUF's row order of Q and K.

    GGUF's llama files rotate the adjacent rows (2i, 2i + 1) of a head as a pair, transformers the rows
    (i, i + head size / 2).
    """
    rows, columns = weight.shape
    pairs = weight.reshape(heads, rows // heads // 2, 2, columns)
    return pairs.swapaxes(1, 2).reshape(rows, columns)


def _tokenizer(fields: dict) -> Tokenizer:
    if (fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"]) != ("gpt2", "smollm"):
        raise ValueError("only the byte-level BPE of SmolLM is handled here")
    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    types = fields["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True) for token, kind in zip(tokens, types) if kind == CONTROL_TOKEN]
    )
    return tokenizer
