"""
Pieces of other files that resemble the surroundings of a cursor, as an editor can find them: windows of lines, compared by the
sets of their identifiers (Jaccard).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

WINDOW_LINES = 20
# Windows that are compared for one place.
_CANDIDATES = 48
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
# A window that shares this part of its lines with the surroundings is a copy of them.
_COPY = 0.3


@dataclass(frozen=True)
class Window:
    path: str
    text: str
    identifiers: frozenset[str]


def identifiers(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text))


def windows_of(path: str, text: str) -> list[Window]:
    """The windows of a file, one behind the other."""
    lines = text.split("\n")
    found = []
    for start in range(0, len(lines), WINDOW_LINES):
        piece = "\n".join(lines[start : start + WINDOW_LINES]).strip("\n")
        names = identifiers(piece)
        if len(names) >= 4:
            found.append(Window(path, piece + "\n", names))
    return found


def most_similar(windows: list[Window], path: str, around: str, count: int, random_: random.Random) -> list[Window]:
    """At most `count` windows of other files than `path`, the most similar first, copies of `around` left out."""
    names = identifiers(around)
    lines = {line.strip() for line in around.split("\n") if len(line.strip()) > 8}
    some = windows if len(windows) <= _CANDIDATES else random_.sample(windows, _CANDIDATES)
    rated = sorted(
        ((_similarity(names, window.identifiers), index) for index, window in enumerate(some) if window.path != path),
        reverse=True,
    )
    chosen: list[Window] = []
    for similarity, index in rated:
        if len(chosen) == count or similarity == 0:
            break
        if not _is_copy(some[index].text, lines):
            chosen.append(some[index])
    return chosen


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _is_copy(text: str, lines: set[str]) -> bool:
    own = [line.strip() for line in text.split("\n") if len(line.strip()) > 8]
    return bool(own) and sum(line in lines for line in own) > _COPY * len(own)
