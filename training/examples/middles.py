"""
Where a completion may stand in a file, and where it should end.

An editor's suggestion is the rest of a line, or a block that ends where its reader would end it: with the body that was
opened, or with the run of statements before a blank line, and with every bracket closed that was opened in it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

# Lines of a block.
SHORTEST_BLOCK = 2
LONGEST_BLOCK = 12
_ATTEMPTS = 12
# Share of the places in comments that are not taken.
_LEFT_OUT = 0.7
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|<!--)")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Middle:
    """Lines `first` to `last` of a file, both included. A line's rest is taught by its whole line: the cursor leaves no trace."""

    first: int
    last: int
    kind: str  # "line" or "block"


def indentation(line: str) -> int:
    """Characters before the first visible one."""
    return len(line) - len(line.lstrip())


def choose_middle(lines: list[str], kind: str, random_: random.Random, below_comment: bool = False) -> Middle | None:
    """
    A place of the kind, or None where a few attempts find none. Comments are taken rarely, blank lines never.

    below_comment: only a place right below a comment, which says what is to come.
    """
    places = [number for number in range(1, len(lines)) if _COMMENT.match(lines[number - 1])] if below_comment else None
    if places == []:
        return None
    for _ in range(_ATTEMPTS):
        first = random_.randrange(len(lines)) if places is None else random_.choice(places)
        line = lines[first]
        if not re.search(r"\w", line) or (_COMMENT.match(line) and (below_comment or random_.random() < _LEFT_OUT)):
            continue
        if kind == "line":
            return Middle(first, first, kind)
        last = block_end(lines, first)
        if last is not None:
            return Middle(first, last, kind)
    return None


def block_end(lines: list[str], first: int) -> int | None:
    """
    The last line of the block that starts at `first`, or None where none of 2 to 12 lines does.

    Behind a line that opens one, the block is all that is indented as deep or deeper; elsewhere it is what stands before the next
    blank line or smaller indentation. A bracket that closes what was opened within belongs to it.
    """
    depth = indentation(lines[first])
    opened = first > 0 and 0 <= indentation(lines[first - 1]) < depth and lines[first - 1].strip() != ""
    last = first
    for index in range(first + 1, min(len(lines), first + LONGEST_BLOCK + 1)):
        line = lines[index]
        if line.strip() == "":
            if opened and _goes_on(lines, index, depth):
                continue
            break
        if indentation(line) < depth:
            break
        last = index
    else:
        if last + 1 < len(lines) and lines[last + 1].strip() != "" and indentation(lines[last + 1]) >= depth:
            return None
    if not SHORTEST_BLOCK <= last - first + 1 <= LONGEST_BLOCK:
        return None
    return last if is_balanced("\n".join(lines[first : last + 1])) else None


def _goes_on(lines: list[str], blank: int, depth: int) -> bool:
    """Whether the body continues behind blank lines."""
    for line in lines[blank + 1 : blank + 3]:
        if line.strip() != "":
            return indentation(line) >= depth
    return False


def is_balanced(text: str) -> bool:
    """Whether every bracket is closed and every closing one was opened; brackets in strings count, which errs on the safe side."""
    open_: list[str] = []
    for character in text:
        if character in "([{":
            open_.append(character)
        elif character in _PAIRS and (not open_ or open_.pop() != _PAIRS[character]):
            return False
    return not open_
