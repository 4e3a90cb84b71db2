"""
The token sequences of the layout that the editor writes (core/completion/): suffix first, then pieces of other files, then
path and prefix, with which the middle is contiguous.

    [SUFFIX] suffix {[FILE_SEPARATOR] path line, snippet}* [PREFIX] path line, prefix, middle [END]

The middle's tokens are made together with the prefix's, as the engine's token healing has it. Nothing of a document is ever
read as one of the delimiters.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tokenizers import Tokenizer

from training.examples.example import Example
from training.examples.middles import Middle, choose_middle
from training.examples.mixture import Mixture
from training.examples.path_line import path_line
from training.examples.snippets import Window, most_similar
from training.layout_ids import END, ENDOFTEXT, FILE_SEPARATOR, MIDDLE, PREFIX, SUFFIX

# Characters a token stands for at least in nearly all code: bounds how much text is tokenized for a budget of tokens.
_MOST_CHARACTERS_A_TOKEN = 6
# Tokens a prefix has at least.
_SHORTEST_PREFIX = 24
_MOST_SUFFIX_LINES = 64
# Lines around the cursor that snippets are compared with.
_AROUND = 24


@dataclass(frozen=True)
class File:
    """A file of the corpus, line breaks as \\n."""

    package: str
    language: str
    path: str
    text: str


class Composer:
    def __init__(self, tokenizer: Tokenizer, mixture: Mixture, random_: random.Random) -> None:
        self._tokenizer = tokenizer
        self._mixture = mixture
        self._random = random_

    def plain(self, file: File) -> list[Example]:
        """The whole file, in pieces that begin with its path line."""
        head = self._ids(path_line(file.language, file.path))
        body = self._ids(file.text)
        examples = []
        at = 0
        while at < len(body):
            room = self._length() - len(head) - 1
            piece = body[at : at + room]
            at += room
            ids = [*head, *piece, *([ENDOFTEXT] if at >= len(body) else [])]
            examples.append(Example(ids, len(head), len(ids), "plain"))
        return examples

    def with_cursor(self, file: File, windows: list[Window]) -> Example | None:
        """A place in the file with what an editor would give the model for it; None where the file offers none."""
        mixture, random_ = self._mixture, self._random
        lines = file.text.rstrip("\n").split("\n")
        has_suffix = random_.random() >= mixture.without_suffix
        # Without a suffix nothing says that a line is all that is asked for; the end of a block can be seen. So a line that turns out to
        # have none, at the end of the file or for want of room, is no example either.
        kind = "block" if not has_suffix or random_.random() < mixture.block else "line"
        asked = kind == "block" and random_.random() < mixture.below_comment
        middle = choose_middle(lines, kind, random_, asked)
        if middle is None:
            return None
        length = self._length()
        suffix = self._suffix(lines, middle, length) if has_suffix else []
        if kind == "line" and not suffix:
            return None
        snippets = self._snippets(file, lines, middle, windows, length - len(suffix))
        return self._joined(file, lines, middle, suffix, snippets, length)

    def _joined(
        self, file: File, lines: list[str], middle: Middle, suffix: list[int], snippets: list[int], length: int
    ) -> Example | None:
        given = [*([SUFFIX, *suffix] if suffix else []), *snippets, PREFIX]
        head = self._ids(path_line(file.language, file.path))
        middle_text = "\n".join(lines[middle.first : middle.last + 1])
        middle_ids = self._ids(middle_text)
        room = length - len(given) - len(head) - len(middle_ids) - 2
        if room < _SHORTEST_PREFIX and middle.first > 0:
            return None
        prefix = self._prefix(lines, middle, room)
        # Tokenized together, as the editor has it: breaks belong to the indentation behind them, before the middle and before the prefix.
        opening = path_line(file.language, file.path) + prefix
        if self._random.random() < self._mixture.with_middle_id:
            tail = [*self._ids(opening), MIDDLE, *middle_ids]
            middle_length = len(middle_ids)
        else:
            tail = self._ids(opening + middle_text)
            middle_length = len(tail) - len(self._ids(opening))
        ids = [*given, *tail, END]
        middle_from = max(len(given) + len(head), len(ids) - 1 - max(1, middle_length))
        return Example(ids, len(given) + len(head), middle_from, middle.kind)

    def _suffix(self, lines: list[str], middle: Middle, length: int) -> list[int]:
        """The lines behind the middle, whole ones; empty where nothing visible follows."""
        mixture, random_ = self._mixture, self._random
        gap = random_.randint(1, mixture.longest_gap) if random_.random() < mixture.with_gap else 0
        start = middle.last + 1 + gap
        budget = random_.randint(16, max(16, min(mixture.longest_suffix, length // 3)))
        text = "".join(line + "\n" for line in lines[start : start + _MOST_SUFFIX_LINES])
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        if len(encoded.ids) > budget:
            text = text[: text.rfind("\n", 0, encoded.offsets[budget][0]) + 1]
        kept = self._ids(text)
        return kept if text.strip() != "" else []

    def _snippets(self, file: File, lines: list[str], middle: Middle, windows: list[Window], room: int) -> list[int]:
        random_ = self._random
        if random_.random() >= self._mixture.with_snippets:
            return []
        before = lines[max(0, middle.first - _AROUND) : middle.first]
        after = lines[middle.last + 1 : middle.last + 1 + _AROUND]
        ids: list[int] = []
        for window in most_similar(windows, file.path, "\n".join(before + after), random_.randint(1, 3), random_):
            piece = [FILE_SEPARATOR, *self._ids(path_line(file.language, window.path) + window.text)]
            if len(ids) + len(piece) <= room // 2:
                ids += piece
        return ids

    def _prefix(self, lines: list[str], middle: Middle, room: int) -> str:
        """As many lines before the middle as have room, at most `room` tokens."""
        start = middle.first
        characters = 0
        while start > 0 and characters + len(lines[start - 1]) < room * _MOST_CHARACTERS_A_TOKEN:
            start -= 1
            characters += len(lines[start]) + 1
        text = "".join(line + "\n" for line in lines[start : middle.first])
        tokens = len(self._ids(text))
        while tokens > room and start < middle.first:
            # Most lines cost about the same: leave out as many as are too many, and look again.
            surplus = max(1, (middle.first - start) * (tokens - room) // (tokens + 1))
            start = min(middle.first, start + surplus)
            text = "".join(line + "\n" for line in lines[start : middle.first])
            tokens = len(self._ids(text))
        return text

    def _length(self) -> int:
        lengths, weights = zip(*self._mixture.lengths, strict=True)
        return self._random.choices(lengths, weights)[0]

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids if text else []
