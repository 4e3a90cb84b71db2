"""The tokenizer that the examples are made with is the model's own, and text cannot spell a control token."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.paths import shipped_model
from training.tokenizer import TokenizerError, control_tokens, load_tokenizer

ROOT = Path(__file__).resolve().parents[2]
MODEL = shipped_model()
TOKENIZER = load_tokenizer(MODEL)
CONTROL = control_tokens(MODEL)


def ids(text: str) -> list[int]:
    return TOKENIZER.encode(text, add_special_tokens=False).ids


def test_the_control_tokens_have_names() -> None:
    assert len(CONTROL) == 17
    assert [
        CONTROL[name] for name in ("<|endoftext|>", "<repo_name>", "<file_sep>", "<filename>", "<issue_start>")
    ] == [0, 3, 5, 6, 8]


@pytest.mark.parametrize("before", ["", " ", "x", "\n", "<", "|"])
def test_text_never_becomes_a_control_token(before: str) -> None:
    for name in CONTROL:
        text = f"{before}{name}{name} {name}\n"
        found = ids(text)
        assert not set(found) & set(CONTROL.values()), text
        assert TOKENIZER.decode(found) == text


def test_a_batch_is_what_its_texts_are() -> None:
    texts = ["def f():\n\treturn 1\n", "", "<|endoftext|>", "naïve 漢字 🎉"]
    assert [e.ids for e in TOKENIZER.encode_batch(texts, add_special_tokens=False)] == [ids(text) for text in texts]


def test_sources_come_back_unchanged() -> None:
    for path in sorted((ROOT / "training").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert TOKENIZER.decode(ids(text), skip_special_tokens=False) == text


def test_digits_stand_alone() -> None:
    assert [TOKENIZER.decode([token]) for token in ids("a = 1234")][-4:] == ["1", "2", "3", "4"]


def test_a_missing_model_is_named() -> None:
    with pytest.raises(TokenizerError, match="no model file"):
        load_tokenizer(MODEL.with_name("missing.gguf"))
