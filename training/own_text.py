"""
Text that a model writes by itself: what it knew before it is taught something else.

Three quarters of it begin where a document does, the rest where a user of a chat has the word, so that questions and answers follow (as
in "Magpie", Xu et al., 2024). Nothing has to be fetched, and no text is nearer to what the model was made of.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from training.examples.example import Example
from training.layout_ids import ENDOFTEXT
from training.model import Model, rms_norm, rotation
from training.shards import write_shards
from training.tokenizer import control_tokens, load_tokenizer
from training.weights import computing

_SYSTEM = "system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
_USER = "user\n"
_LENGTH = 384  # tokens of a text, with what it begins with
_CHATS = 0.25  # of the texts
# At 1 a small model's texts soon make no sense, and what is read elsewhere does.
_TEMPERATURE = 0.8


def write_own_text(base: Path, folder: Path, tokens: int, texts: int, seed: int, device: torch.device) -> int:
    """
    Writes examples of at least `tokens` tokens to `folder`, `texts` of them at a time, and returns how many tokens it were.

    base: the model that writes, of the layout that it was released with.
    """
    model = computing(base, device)
    random = torch.Generator(device).manual_seed(seed)
    document, chat = beginnings(base)
    examples: list[Example] = []
    while len(examples) * _LENGTH < tokens:
        for beginning, share in ((document, 1 - _CHATS), (chat, _CHATS)):
            written = write(model, beginning, _LENGTH, round(texts * share), random)
            examples += [Example(ids, len(beginning), len(ids), "plain") for ids in written]
    write_shards(examples, folder, None, seed)
    return len(examples) * _LENGTH


def beginnings(base: Path) -> tuple[list[int], list[int]]:
    """The ids that a document begins with, and those after which a user has the word."""
    tokenizer, marks = load_tokenizer(base), control_tokens(base)
    if "<|im_start|>" not in marks:
        raise ValueError(f"{base} is no model of a chat: name the general model that all began with.")
    start, end = marks["<|im_start|>"], marks["<|im_end|>"]

    def ids(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    return [ENDOFTEXT], [start, *ids(_SYSTEM), end, *ids("\n"), start, *ids(_USER)]


def write(model: Model, beginning: list[int], length: int, texts: int, random: torch.Generator) -> list[list[int]]:
    """`texts` continuations of one beginning to `length` ids, drawn by adding Gumbel noise to the logits."""
    device = model.token_embd.device
    cache = Cache(model, texts, length)
    given = torch.tensor(beginning, device=device).expand(texts, -1)
    written = [given[:, at] for at in range(len(beginning))]
    for at in range(length - 1):
        logits = next_logits(model, written[at], at, cache)
        if at + 1 >= len(beginning):
            noise = torch.empty_like(logits).exponential_(generator=random).log_()
            written.append((logits / _TEMPERATURE - noise).argmax(-1))
    return torch.stack(written, dim=1).tolist()


class Cache:
    """Keys and values of all layers: [texts, kv_heads, length, head_size] each."""

    def __init__(self, model: Model, texts: int, length: int) -> None:
        sizes = model.sizes
        shape = (len(model.blk), texts, sizes.kv_heads, length, sizes.head_size)
        self.keys = torch.empty(shape, dtype=model.token_embd.dtype, device=model.token_embd.device)
        self.values = torch.empty_like(self.keys)


@torch.no_grad()
def next_logits(model: Model, ids: Tensor, at: int, cache: Cache) -> Tensor:
    """[texts, vocabulary] float32 behind the token at position `at` of each text; ids: [texts]."""
    sizes = model.sizes
    x = F.embedding(ids, model.token_embd)
    turn = rotation(torch.tensor([at], device=ids.device), sizes).to(x.dtype)
    for layer, keys, values in zip(model.blk, cache.keys, cache.values, strict=True):
        q, k, v = layer.before_attention(x, turn)
        keys[:, :, at], values[:, :, at] = k, v
        grouped = q.view(-1, sizes.kv_heads, sizes.heads // sizes.kv_heads, sizes.head_size)
        scores = grouped @ keys[:, :, : at + 1].transpose(-1, -2) * sizes.head_size**-0.5
        attended = scores.float().softmax(-1).to(x.dtype) @ values[:, :, : at + 1]
        x = layer.after_attention(x, attended.reshape(len(ids), -1))
    return F.linear(rms_norm(x, model.output_norm, sizes.epsilon), model.token_embd).float()
