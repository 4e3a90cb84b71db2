"""
The shards of a corpus: each file once, as plain code or as places with a cursor, package by package: so they pack well, and a trainer
has an order of its own. Those of validation come in a random order, since only the first are looked at.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from training.examples.compose import Composer, File
from training.examples.example import Example
from training.examples.mixture import Mixture
from training.examples.snippets import Window, windows_of
from training.shards import write_shards
from training.tokenizer import load_tokenizer

# One of so many files is kept for validation.
_VALIDATION = 100
# Languages whose files may have a cursor in them; the others are read as they are.
_CODE = {"python", "typescript", "typescriptreact", "javascript", "javascriptreact", "go", "rust", "java", "c", "cpp"}
# Share of the places in prose and data files.
_CURSOR_ELSEWHERE = 0.4
# Of code in this tokenizer, on the average.
_CHARACTERS_A_TOKEN = 3.6
# A file offers no more places than this.
_MOST_PLACES = 48

Parts = dict[str, list[Example]]


def read_files(corpus: Path) -> Iterator[File]:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            yield File(one["package"], one["language"], one["path"], one["text"])


def build_shards(
    corpus: Path, base: Path, folder: Path, mixture: Mixture, seed: int, tokens: int | None = None
) -> dict[str, object]:
    """
    Writes `folder`/train and `folder`/validation; returns the manifest of the first.

    tokens: about how many to make; default: as many as the corpus has in the mixture's languages. The same corpus, mixture and seed
    give the same shards, however many processors work on them.
    """
    kept = kept_shares(corpus, mixture, tokens)
    packages = (list(group) for _, group in groupby(read_files(corpus), key=lambda file: file.package))
    parts: Parts = {"train": [], "validation": []}
    with ProcessPoolExecutor(initializer=_prepare, initargs=(base, mixture, seed, kept)) as workers:
        for made in workers.map(_examples_of_package, packages):
            for name, examples in made.items():
                parts[name].extend(examples)
    manifests = {}
    random.Random(seed).shuffle(parts["validation"])
    for name, examples in parts.items():
        manifests[name] = write_shards(examples, folder / name, mixture, seed)
    return manifests["train"]


def kept_shares(corpus: Path, mixture: Mixture, tokens: int | None) -> dict[str, float]:
    """What part of each language's files is taken, so that the languages have the mixture's shares."""
    characters: Counter[str] = Counter()
    for file in read_files(corpus):
        characters[mixture.group_of(file.language)] += len(file.text)
    shares = {group: share for group, share in mixture.languages.items() if characters[group] > 0}
    whole = sum(shares.values())
    wanted = sum(characters.values()) if tokens is None else tokens * _CHARACTERS_A_TOKEN
    return {group: min(1.0, wanted * share / whole / characters[group]) for group, share in shares.items()}


def _prepare(base: Path, mixture: Mixture, seed: int, kept: dict[str, float]) -> None:
    """Gives a worker process what all packages need."""
    _worker.update(tokenizer=load_tokenizer(base), mixture=mixture, seed=seed, kept=kept)


_worker: dict[str, Any] = {}


def _examples_of_package(files: list[File]) -> Parts:
    mixture, kept = _worker["mixture"], _worker["kept"]
    random_ = random.Random(f"{_worker['seed']}/{files[0].package}")
    composer = Composer(_worker["tokenizer"], mixture, random_)
    windows = [window for file in files if file.language in _CODE for window in windows_of(file.path, file.text)]
    parts: Parts = {"train": [], "validation": []}
    for file in files:
        if random_.random() < kept.get(mixture.group_of(file.language), 0.0):
            part = parts["validation" if random_.randrange(_VALIDATION) == 0 else "train"]
            made = examples_of(file, windows, composer, mixture, random_)
            # As arrays, since lists of numbers take long to hand to another process.
            part.extend(replace(example, ids=np.asarray(example.ids, dtype="<u2")) for example in made)
    return parts


def examples_of(
    file: File, windows: list[Window], composer: Composer, mixture: Mixture, random_: random.Random
) -> list[Example]:
    """About as many tokens as the file has: as plain code, or around cursors."""
    with_cursor = 1 - mixture.plain if file.language in _CODE else _CURSOR_ELSEWHERE
    pieces = composer.plain(file)
    if random_.random() >= with_cursor:
        return pieces
    wanted = min(sum(len(piece.ids) for piece in pieces), _MOST_PLACES * 1024)
    made: list[Example] = []
    for _ in range(2 * _MOST_PLACES):
        if wanted <= 0:
            break
        example = composer.with_cursor(file, windows)
        if example is None:
            wanted -= 64
            continue
        made.append(example)
        wanted -= len(example.ids)
    return made
