"""Writes what SentencePiece makes of texts to test/fixtures/sentencepiece.

    python3 -m venv .cache/reference
    .cache/reference/bin/pip install sentencepiece==0.2.1 protobuf==7.36.2
    .cache/reference/bin/python scripts/reference/make_sentencepiece.py

Small models of both kinds are trained on this project's samples of code and prose; the texts are the lines of those samples and
random strings of what tokenizers trip over. The format is described in test/fixtures/sentencepiece/README.md.
"""

from __future__ import annotations

import base64
import io
import json
import random
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "test" / "conformance" / "tokenizer" / "text"
FIXTURES = ROOT / "test" / "fixtures" / "sentencepiece"
RANDOM_TEXTS = 1500
# Without U+2581, which SentencePiece takes for a space.
PARTICLES = (
    list(
        "abzABZäßΩя日本語グあ한ก0129²½٣.,;:!?_-(){}[]<>=+*/\\|&^%$#@~`\"'«»“。€"
        "\t\n\r\x00\x7f\x85\xa0\u3000\u200b\u200d\u0301\ufe0f👩🏽"
    )
    + ["  ", "   ", "    ", "\n\n", "\r\n", "\n    ", " the", "return ", "self.", "function", " = "]
    + ["<div>", "</div>", "<s>", "</s>", "<unk>", "<0x41>"]
)
# Of BPE, and then of the unigram model.
MODELS: dict[str, dict[str, Any]] = {
    # As those of Llama: words apart, bytes for what has no token.
    "bytes": {"byte_fallback": True, "add_dummy_prefix": True, "user_defined_symbols": ["<div>", "\n\n"]},
    # Tokens that reach over words, a token for what is unknown, and runs of spaces as Gemma has them.
    "unknown": {
        "byte_fallback": False,
        "add_dummy_prefix": False,
        "split_by_whitespace": False,
        "user_defined_symbols": ["</div>", "▁▁▁"],
    },
    # As Llama's kin with a unigram model: nothing is normalised, bytes for what has no token.
    "unigram_bytes": {
        "model_type": "unigram",
        "byte_fallback": True,
        "add_dummy_prefix": True,
        "user_defined_symbols": ["<div>", "\n\n"],
    },
    # As T5's: text is normalised, several spaces are one, and what is unknown is one token.
    "unigram_normalised": {
        "model_type": "unigram",
        "byte_fallback": False,
        "add_dummy_prefix": True,
        "normalised": True,
        "remove_extra_whitespaces": True,
        "user_defined_symbols": [],
    },
}


def rules() -> str:
    """A part of NFKC and more, as SentencePiece reads rules: code points, what they become, a line each."""
    characters = [chr(code) for first, last in ((0xA0, 0x180), (0xFF01, 0xFF60), (0x2100, 0x2150)) for code in range(first, last)]
    pairs = {c: unicodedata.normalize("NFKC", c) for c in [*characters, "²", "½", "\ufdfa"]}
    # Two code points that are one, a longer string that begins with a shorter one, what vanishes, and spaces.
    pairs |= {"e\u0301": "é", "a\u0301": "á", "か\u3099": "が", "か": "か", "\u200b": "", "\ufe0f": "", "\t": " ", "\n": " ", "\r": " ", "\u3000": " "}
    codes = lambda text: " ".join(f"{ord(c):X}" for c in text)  # noqa: E731
    return "".join(f"{codes(a)}\t{codes(b)}\n" for a, b in pairs.items() if a != b)


def samples() -> list[str]:
    texts = [(SAMPLES / name).read_text(encoding="utf-8") for name in ("code.txt", "prose.txt")]
    return [line for text in texts for line in text.split("\n")]


def trained(options: dict[str, Any]) -> bytes:
    """A serialised model."""
    model = io.BytesIO()
    options = {"model_type": "bpe", "remove_extra_whitespaces": False, **options}
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="ascii") as file:
        file.write(rules())
        file.flush()
        if options.pop("normalised", False):
            options["normalization_rule_tsv"] = file.name
        else:
            options["normalization_rule_name"] = "identity"
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(line for line in samples() if line),
            model_writer=model,
            vocab_size=1100,
            character_coverage=0.98,
            allow_whitespace_only_pieces=True,
            minloglevel=2,
            **options,
        )
    return model.getvalue()


def texts() -> list[str]:
    random.seed(20180819)
    made = samples()
    made += ["".join(random.choices(PARTICLES, k=random.randint(1, 20))) for _ in range(RANDOM_TEXTS)]
    return made


def type_of(model: sentencepiece.SentencePieceProcessor, token: int, defined: list[str]) -> int:
    """What GGUF's `tokenizer.ggml.token_type` says."""
    if model.IsUnknown(token):
        return 2
    if model.IsControl(token):
        return 3
    if model.IsByte(token):
        return 6
    return 4 if model.IdToPiece(token) in defined else 1


def main() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    inputs = texts()
    for name, options in MODELS.items():
        serialised = trained(options)
        model = sentencepiece.SentencePieceProcessor(model_proto=serialised)
        ids = range(model.GetPieceSize())
        fixture: dict[str, Any] = {
            "addsSpacePrefix": options["add_dummy_prefix"],
            "tokens": [model.IdToPiece(token) for token in ids],
            "scores": [model.GetScore(token) for token in ids],
            "types": [type_of(model, token, options["user_defined_symbols"]) for token in ids],
            "texts": [[text, model.EncodeAsIds(text)] for text in inputs],
        }
        if options.get("model_type") == "unigram":
            proto = sentencepiece_model_pb2.ModelProto.FromString(serialised)
            charsmap = proto.normalizer_spec.precompiled_charsmap
            fixture = {
                "model": "t5",
                "removesExtraSpaces": options.get("remove_extra_whitespaces", False),
                "charsmap": base64.b64encode(charsmap).decode("ascii"),
                **fixture,
            }
        text = json.dumps(fixture, ensure_ascii=True, separators=(",", ":"))
        (FIXTURES / f"{name}.json").write_text(text.replace('],["', '],\n["') + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
