"""Files that say the same: MinHash over shingles of five lines finds them, the shingles themselves decide.

A. Broder, On the resemblance and containment of documents, 1997. All functions are deterministic.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Shingles = npt.NDArray[np.uint64]  # sorted, without repetition

LINES = 5  # of a shingle
SIMILAR = 0.5  # Jaccard similarity from which two files are the same
CONTAINED = 0.5  # share of a file's shingles, found in files it must not repeat, from which it repeats them
BANDS, ROWS = 42, 3  # two files at SIMILAR agree in some band with probability 1 - (1 - 0.5^3)^42 = 0.996
_PERMUTATIONS = BANDS * ROWS


def shingles(text: str) -> Shingles:
    """Hashes of every five lines in a row, indentation, trailing and empty lines aside.

    A text of fewer lines is one shingle; a text without any has none.
    """
    lines = [stripped for line in text.split("\n") if (stripped := line.strip())]
    if not lines:
        return np.empty(0, np.uint64)
    hashes = np.fromiter((zlib.crc32(line.encode("utf-8", "surrogatepass")) for line in lines), np.uint64, len(lines))
    hashes = _mixed(hashes)
    width = min(LINES, len(lines))
    count = len(lines) - width + 1
    total = np.zeros(count, np.uint64)
    for offset in range(width):
        total = total * np.uint64(0x100000001B3) + hashes[offset : offset + count]
    return np.unique(_mixed(total))


def similarity(one: Shingles, other: Shingles) -> float:
    """Jaccard similarity of two sets, 0 to 1; two empty sets have none."""
    if not len(one) or not len(other):
        return 0.0
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)


class Forbidden:
    """The shingles of files that no taught file may repeat.

    A file whose similarity to any one of them is 0.5 has at least half of its shingles among them, so the share alone is
    the stricter test, and it also catches a file put together from several.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        parts = [shingles(text) for text in texts]
        self._all = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)

    def containment(self, candidate: Shingles) -> float:
        """Share of the candidate's shingles that are forbidden, 0 to 1."""
        if not len(candidate) or not len(self._all):
            return 0.0
        found = np.searchsorted(self._all, candidate)
        return float(np.mean(self._all[np.minimum(found, len(self._all) - 1)] == candidate))

    def repeats(self, candidate: Shingles) -> bool:
        return self.containment(candidate) >= CONTAINED


class Distinct:
    """Documents of which no two are similar, in the order in which they were offered."""

    def __init__(self) -> None:
        self._kept: list[Shingles] = []
        self._buckets: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(BANDS)]

    def offer(self, document: Shingles) -> bool:
        """Keeps a document and returns True, unless it is similar to one that is kept; one without shingles never is."""
        if not len(document):
            return True
        keys = _band_keys(document)
        candidates = sorted(
            {other for bucket, key in zip(self._buckets, keys, strict=True) for other in bucket.get(key, ())}
        )
        if any(similarity(self._kept[other], document) >= SIMILAR for other in candidates):
            return False
        for bucket, key in zip(self._buckets, keys, strict=True):
            bucket[key].append(len(self._kept))
        self._kept.append(document)
        return True


def _band_keys(document: Shingles) -> list[bytes]:
    """The document's MinHash signature, cut into BANDS keys of ROWS minima each."""
    minima = np.empty(_PERMUTATIONS, np.uint64)
    for permutation in range(_PERMUTATIONS):
        minima[permutation] = (document * _FACTORS[permutation] + _SUMMANDS[permutation]).min()
    raw = minima.tobytes()
    width = ROWS * 8
    return [raw[start : start + width] for start in range(0, len(raw), width)]


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of splitmix64: every input bit reaches every output bit, so that products of it behave as random."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_RANDOM = np.random.Generator(np.random.PCG64(5))
_FACTORS = _RANDOM.integers(0, 2**63, _PERMUTATIONS, np.uint64) * np.uint64(2) + np.uint64(1)
_SUMMANDS = _RANDOM.integers(0, 2**63, _PERMUTATIONS, np.uint64)
