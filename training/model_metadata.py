"""What a packed file says of itself: the network and the tokenizer as in the base file, and what is new about this one."""

from __future__ import annotations

from collections.abc import Mapping

from training.gguf.values import Value, string, uint32
from training.layout_ids import END, FILE_SEPARATOR, MIDDLE, PREFIX, SUFFIX

# ggml's version of the block formats; it has been this one since 2023.
_QUANTISATION_VERSION = 2

# GGUF's `general.file_type` by the format that most of the weights have.
_FILE_TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9}

# Fill-in-the-middle ids where GGUF's readers look for them. The end of a turn is one more token that ends a text; the reader of
# the engine, and llama.cpp's, take the separator of files as an end as well: what follows it is another file.
_LAYOUT_KEYS = {
    "tokenizer.ggml.fim_pre_token_id": PREFIX,
    "tokenizer.ggml.fim_suf_token_id": SUFFIX,
    "tokenizer.ggml.fim_mid_token_id": MIDDLE,
    "tokenizer.ggml.fim_sep_token_id": FILE_SEPARATOR,
    "tokenizer.ggml.eot_token_id": END,
}

# GGUF has no key for the order of the parts, in which models differ; the editor's is in core/completion/fim_layout.ts.
LAYOUT_KEY = "emberline.fim.layout"
_LAYOUT = "suffix_prefix_contiguous"

# They said how the base was made, and how one would chat with it.
_OF_THE_BASE = ("general.organization", "general.finetune", "general.basename", "tokenizer.chat_template")


def describe(base: Mapping[str, Value], main_format: str) -> dict[str, Value]:
    """
    Metadata of a file made from one with `base`'s; keys that both have stay at their place, the others follow.

    main_format: the name of the format that most of the weights have.
    """
    values = {key: value for key, value in base.items() if key not in _OF_THE_BASE}
    values["general.name"] = string("Emberline SmolLM2 135M")
    values["general.license"] = string("apache-2.0")
    values["general.base_model.count"] = uint32(1)
    values["general.base_model.0.name"] = string("SmolLM2 135M Instruct")
    values["general.base_model.0.organization"] = string("HuggingFaceTB")
    values["general.file_type"] = uint32(_FILE_TYPES[main_format])
    values["general.quantization_version"] = uint32(_QUANTISATION_VERSION)
    for key, token in _LAYOUT_KEYS.items():
        values[key] = uint32(token)
    values[LAYOUT_KEY] = string(_LAYOUT)
    return values
