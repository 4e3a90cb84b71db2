"""Which of a package's good files are taken, so that no package and no kind of file dominates."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from training.corpus.languages import is_declaration, is_test, language_of

# Bytes of text taken from one package at most. What fewer packages are listed of has the smaller share. Python has about
# half of all text, TypeScript and JavaScript together a third.
PACKAGE_BYTES = {"pypi": 3_000_000, "npm": 4_000_000, "crates": 1_500_000, "go": 1_500_000, "maven": 1_200_000}
TEST_SHARE = 0.2  # of the package's share or of what the package has, whichever is less
DECLARATION_SHARE = 0.05
FULL_AT = 0.01  # share that may stay unused
KIND_BYTES = {"markdown": 150_000, "json": 40_000, "yaml": 40_000}


@dataclass(frozen=True)
class Document:
    """A file that passed the filters. `path` is relative to the project root."""

    package: str
    ecosystem: str
    language: str
    path: str
    text: str

    @cached_property
    def size(self) -> int:
        """Bytes of UTF-8."""
        return len(self.text.encode("utf-8"))


def document(package: str, ecosystem: str, path: str, text: str) -> Document:
    return Document(package, ecosystem, language_of(path, text) or "", path, text)


def draw_order(package: str, path: str) -> bytes:
    """Sort key in which a package's files are drawn: by a hash, so that a new version of the package changes little."""
    return hashlib.sha256(f"{package}\n{path}".encode()).digest()


class Share:
    """How much of one package is taken still. `available` is the size of all its files, `total` what may be taken, in bytes."""

    def __init__(self, available: int, total: int) -> None:
        limit = self._limit = min(available, total)
        self._left: dict[str, float] = {
            "all": limit,
            "test": TEST_SHARE * limit,
            "declaration": DECLARATION_SHARE * limit,
            **KIND_BYTES,
        }

    @property
    def is_full(self) -> bool:
        """Whether so little is left that looking for a file that fits in is not worth the time."""
        return self._left["all"] < FULL_AT * self._limit

    def has_room(self, candidate: Document) -> bool:
        return all(candidate.size <= self._left[kind] for kind in _kinds(candidate))

    def take(self, candidate: Document) -> None:
        for kind in _kinds(candidate):
            self._left[kind] -= candidate.size


def _kinds(candidate: Document) -> list[str]:
    kinds = ["all"]
    if candidate.language in KIND_BYTES:
        kinds.append(candidate.language)
    if is_test(candidate.path):
        kinds.append("test")
    if is_declaration(candidate.path):
        kinds.append("declaration")
    return kinds
