"""The embedded model's tokenizer, built from the tables of its own file.

Byte-level BPE with the digits apart (SmolLM's), as the engine's `native/tokenizer` does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from training.gguf.reader import read

CONTROL_TOKEN = 3  # the value of `tokenizer.ggml.token_type` for tokens that stand for no text


class TokenizerError(ValueError):
    """The model file has no tokenizer that can be built here; the message says why."""


def load_tokenizer(model: Path) -> Tokenizer:
    """The tokenizer of a GGUF file.

    Text never becomes a control token, also where it spells one (`<|endoftext|>`, `<file_sep>`): such text is cut into
    ordinary tokens. Layouts look control tokens up by name with `control_tokens`.
    """
    return tokenizer_of(_fields(model))


def control_tokens(model: Path) -> dict[str, int]:
    """Name -> id of every token that stands for no text."""
    return _control_tokens(_fields(model))


def tokenizer_of(fields: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer of a file's metadata, by the keys `tokenizer.ggml.*`."""
    if (fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"]) != ("gpt2", "smollm"):
        raise TokenizerError(
            "The model's tokenizer is not SmolLM's byte-level BPE: train from the embedded model or one of its family."
        )
    vocabulary = {token: index for index, token in enumerate(fields["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    # No added tokens: those would be found in text. BPE itself cannot arrive at a control token, because no merge makes one
    # (`_check_merges`), and the id of each is therefore free for the layouts.
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    _check_merges(merges, set(_control_tokens(fields)))
    return tokenizer


def _control_tokens(fields: Mapping[str, Any]) -> dict[str, int]:
    kinds = fields["tokenizer.ggml.token_type"]
    return {
        token: index for index, token in enumerate(fields["tokenizer.ggml.tokens"]) if kinds[index] == CONTROL_TOKEN
    }


def _check_merges(merges: list[tuple[str, ...]], control: set[str]) -> None:
    for merge in merges:
        if "".join(merge) in control:
            raise TokenizerError(
                f"The model's merges spell the control token {''.join(merge)!r}: its file is not one to train from."
            )


def _fields(model: Path) -> Mapping[str, Any]:
    if not model.exists():
        raise TokenizerError(f"There is no model file at {model}: name the GGUF file of the embedded model.")
    return read(model).metadata
