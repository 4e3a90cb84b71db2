"""Builds the corpus: archives in, corpus/train.jsonl.gz, corpus/held_out/ and corpus/manifest.json out."""

from __future__ import annotations

import gzip
import json
import platform
import random
import shutil
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from training.corpus.archives import ArchiveFile, files_of
from training.corpus.fetch import archive_path, fetch, sha256_of
from training.corpus.filters import Surroundings, decoded, path_refusal, text_refusal
from training.corpus.languages import language_of
from training.corpus.near_duplicates import Distinct, Forbidden, shingles
from training.corpus.packages import HELD_OUT, LIST, Package, PackageListError, read_packages
from training.corpus.selection import PACKAGE_BYTES, Document, Share, document, draw_order
from training.paths import shipped_model
from training.tokenizer import load_tokenizer

SEED = 2  # of the order of packages
_BATCH_BYTES = 4_000_000  # of text given to the tokenizer at once


@dataclass
class LanguageCount:
    packages: int = 0
    files: int = 0
    bytes: int = 0
    tokens: int = 0


@dataclass
class Manifest:
    """What a build made. `dropped` counts files by the reason they were not taken for; `outputs` are SHA-256; `python` is the version that made it."""

    languages: dict[str, LanguageCount] = field(default_factory=dict)
    total: LanguageCount = field(default_factory=LanguageCount)
    dropped: dict[str, int] = field(default_factory=dict)
    held_out: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    python: str = field(default_factory=platform.python_version)


def build(cache: Path, packages_file: Path = LIST, model: Path | None = None) -> Manifest:
    """Fetches what is missing and writes the corpus below `cache`. The same packages.toml gives the same bytes with the
    same version of Python, whose standard library is not taught either.

    Raises FetchError or PackageListError before anything is written when a package is missing or not locked.
    """
    packages = _locked(packages_file)
    fetch(packages, cache)
    folder = cache / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest()
    dropped: Counter[str] = Counter()

    held_out = [p for p in packages if p.role == HELD_OUT]
    manifest.held_out = _write_held_out(held_out, cache, folder / "held_out")
    forbidden = Forbidden(_forbidden_texts(held_out, cache))

    taught = sorted(p for p in packages if p.role != HELD_OUT)
    random.Random(SEED).shuffle(taught)
    distinct = Distinct()
    documents = [d for package in taught for d in _documents(package, cache, forbidden, distinct, dropped)]
    manifest.dropped = dict(sorted(dropped.items()))

    train = folder / "train.jsonl.gz"
    _write_lines(documents, train)
    _count(documents, manifest, model or shipped_model())
    manifest.outputs = {train.name: sha256_of(train)}
    temporary = folder / "manifest.json.part"
    temporary.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    temporary.replace(folder / "manifest.json")
    return manifest


def build_held_out(cache: Path, packages_file: Path = LIST) -> dict[str, int]:
    """Fetches and writes `corpus/held_out` alone, which is all that judging a model takes; returns how many files each package has.

    Raises as `build` does.
    """
    held_out = [p for p in _locked(packages_file) if p.role == HELD_OUT]
    fetch(held_out, cache)
    return _write_held_out(held_out, cache, cache / "corpus" / "held_out")


def _locked(packages_file: Path) -> list[Package]:
    packages = read_packages(packages_file)
    for package in packages:
        if not (package.version and package.licence and package.sha256):
            raise PackageListError(f"{package.label} is not locked in packages.toml: run `python -m training lock`.")
    return packages


def _written(package: Package, cache: Path, dropped: Counter[str]) -> tuple[list[ArchiveFile], int]:
    """A package's files whose names and places promise text that a person wrote, in the order they are drawn in, and their bytes."""
    files = list(files_of(package, archive_path(package, cache)))
    surroundings = Surroundings.of(file.path for file in files)
    promising: list[ArchiveFile] = []
    for file in files:
        if reason := path_refusal(file, surroundings):
            dropped[reason] += 1
        else:
            promising.append(file)
    promising.sort(key=lambda file: draw_order(package.name, file.path))
    return promising, sum(len(file.content) for file in promising)


def _document(package: Package, file: ArchiveFile, dropped: Counter[str]) -> Document | None:
    """The file as a document, None (and counted) when its text is not one that a person wrote."""
    text = decoded(file.content)
    reason = "encoding" if text is None else text_refusal(file.path, text)
    if text is None or reason:
        dropped[reason or ""] += 1
        return None
    return document(package.name, package.ecosystem, file.path, text)


def _documents(
    package: Package, cache: Path, forbidden: Forbidden, distinct: Distinct, dropped: Counter[str]
) -> list[Document]:
    """What of a package is taught, in the order of its paths."""
    promising, available = _written(package, cache, dropped)
    share = Share(available, PACKAGE_BYTES[package.ecosystem])
    taken: list[Document] = []
    for number, file in enumerate(promising):
        if share.is_full:
            dropped["over the package's share"] += len(promising) - number
            break
        candidate = _document(package, file, dropped)
        if candidate is None:
            continue
        hashed = shingles(candidate.text)
        if not share.has_room(candidate):
            dropped["over the package's share"] += 1
        elif forbidden.repeats(hashed):
            dropped["repeats held-out text"] += 1
        elif not distinct.offer(hashed):
            dropped["near duplicate"] += 1
        else:
            share.take(candidate)
            taken.append(candidate)
    return sorted(taken, key=lambda d: d.path)


def _forbidden_texts(held_out: list[Package], cache: Path) -> Iterator[str]:
    """Every text of the held-out packages, filtered or not, and of the standard library of the running Python."""
    for package in held_out:
        for file in files_of(package, archive_path(package, cache)):
            if language_of(file.path) and (text := decoded(file.content)):
                yield text
    library = Path(sysconfig.get_path("stdlib"))
    for module in sorted(library.rglob("*.py")):
        if "site-packages" not in module.parts and (text := decoded(module.read_bytes())):
            yield text


def _write_held_out(packages: list[Package], cache: Path, folder: Path) -> dict[str, int]:
    """Writes the held-out files as a folder per package; returns how many files each has."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    counts: Counter[str] = Counter()
    for package in packages:
        for file in _written(package, cache, Counter())[0]:
            found = _document(package, file, Counter())
            if found is None:
                continue
            target = part / package.ecosystem / package.folder_name / found.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(found.text, encoding="utf-8", newline="\n")
            counts[f"{package.ecosystem}/{package.folder_name}"] += 1
    shutil.rmtree(folder, ignore_errors=True)
    part.mkdir(parents=True, exist_ok=True)
    part.replace(folder)
    return dict(sorted(counts.items()))


def _write_lines(documents: list[Document], path: Path) -> None:
    part = path.with_name(path.name + ".part")
    # No time and no name in the header: the same text gives the same bytes.
    with part.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
        for entry in documents:
            packed.write(json.dumps(asdict(entry), ensure_ascii=False).encode("utf-8") + b"\n")
    part.replace(path)


def _count(documents: list[Document], manifest: Manifest, model: Path) -> None:
    tokenizer = load_tokenizer(model)
    counts: dict[str, LanguageCount] = defaultdict(LanguageCount)
    packages: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for batch in _batches(documents):
        encodings = tokenizer.encode_batch_fast([d.text for d in batch], add_special_tokens=False)
        for entry, encoding in zip(batch, encodings, strict=True):
            for key in (entry.language, "total"):
                counts[key].files += 1
                counts[key].bytes += entry.size
                counts[key].tokens += len(encoding)
                packages[key].add((entry.ecosystem, entry.package))
    for key, count in counts.items():
        count.packages = len(packages[key])
    manifest.total = counts.pop("total", LanguageCount())
    manifest.languages = dict(sorted(counts.items()))


def _batches(documents: list[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for entry in documents:
        batch.append(entry)
        size += entry.size
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
