"""
The whole way in a few minutes on two cores, with the repository's own sources as the corpus: examples, learning, stopping and
going on, rounding, packing, reading back. ValueError where a step does not do what it should.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import torch

from training.examples.build import build_shards
from training.examples.mixture import Mixture
from training.gguf.reader import read
from training.packed_run import pack_run
from training.paths import REPOSITORY, cache, shipped_model
from training.trainer import LATEST, Options, Trainer

_LANGUAGES = {".ts": "typescript", ".py": "python", ".cpp": "cpp", ".h": "cpp", ".md": "markdown", ".mjs": "javascript"}
_FOLDERS = ("core", "extension", "cli", "native/decode", "native/tokenizer", "scripts", "training", "docs")
_TOKENS = 9_216
_STEP = 1024


def smoke(folder: Path) -> None:
    """
    Works in `folder`, which is gone behind. ValueError where there is something in it; the one in the cache alone is emptied before, of what
    an earlier walk left that was stopped.
    """
    if folder != default_folder() and folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty: name a folder that is not there yet.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    base = shipped_model()
    corpus, data, run = folder / "train.jsonl.gz", folder / "shards", folder / "run"
    write_corpus(corpus)
    manifest = build_shards(corpus, base, data, Mixture(), seed=1)
    print(f"examples: {manifest['tokens']:,} tokens", flush=True)

    options = Options(
        _TOKENS, warm_up_tokens=2 * _STEP, step_tokens=_STEP, micro_tokens=_STEP, validation_tokens=6 * _STEP
    )
    device = torch.device("cpu")
    trainer = Trainer(base, data, run, options, device)
    before = trainer.validate()
    print(f"validation before: {before}", flush=True)
    steps = trainer.train()
    for record in steps:
        print(json.dumps(record), flush=True)
        if trainer.seen >= _TOKENS // 2:
            break
    trainer.save(LATEST)
    steps.close()
    stopped = trainer.seen

    resumed = Trainer(base, data, run, options, device)
    _require(resumed.seen == stopped, "the run did not go on where it had stopped")
    for record in resumed.train():
        print(json.dumps(record), flush=True)
    after = resumed.validate()
    print(f"validation after: {after}", flush=True)
    # Not the end of a middle: so few tokens teach that it is rare, and not yet where it comes.
    # Of what the few validation examples hold.
    text = [part for part in ("plain", "before", "middle") if part in before]
    _require(sum(after[part] for part in text) < sum(before[part] for part in text), "the loss of text did not fall")

    packed = folder / "smoke.gguf"
    pack_run(run / LATEST, base, packed)
    _require(packed.stat().st_size <= base.stat().st_size, "the packed file is larger than its base")
    _check_weights(packed, resumed)
    shutil.rmtree(folder)
    print("smoke: all steps did what they should")


def default_folder() -> Path:
    return cache() / "smoke"


def write_corpus(path: Path) -> None:
    """The repository's own sources, as the corpus of packages is written."""
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for folder in _FOLDERS:
            for file in sorted((REPOSITORY / folder).rglob("*")):
                language = _LANGUAGES.get(file.suffix)
                if language is None or not file.is_file():
                    continue
                own = file.relative_to(REPOSITORY).as_posix()
                line = {
                    "package": folder,
                    "ecosystem": "own",
                    "language": language,
                    "path": own,
                    "text": file.read_text(encoding="utf-8"),
                }
                out.write(json.dumps(line) + "\n")


def _check_weights(packed: Path, trainer: Trainer) -> None:
    """What was packed is what was learned with, to bfloat16."""
    file = read(packed)
    for name in ("token_embd", "blk.0.attn_output"):
        got = torch.from_numpy(file.decoded(f"{name}.weight")).bfloat16()
        _require(
            torch.equal(got, trainer.model.get_parameter(name)),
            f"the packed {name} is not the one that was learned with",
        )


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"Smoke test: {otherwise}; look at the output above for the first step that is off.")
