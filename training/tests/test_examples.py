"""Places in files, what surrounds them, and the token sequences that are made of them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from training.corpus.languages import LANGUAGES
from training.examples.build import examples_of
from training.examples.compose import Composer, File
from training.examples.example import Example
from training.examples.middles import block_end, choose_middle, is_balanced
from training.examples.mixture import Mixture
from training.examples.path_line import path_line
from training.examples.snippets import most_similar, windows_of
from training.layout_ids import END, ENDOFTEXT, FILE_SEPARATOR, MIDDLE, PREFIX, SUFFIX
from training.tokenizer import load_tokenizer

SOURCE = '''"""Shapes."""

import math


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        squared = self.radius**2
        return math.pi * squared

    def describe(self, names):
        # Every name gets a line.
        for name in names:
            print(
                name,
                self.area(),
            )
            print(self.radius)

        return len(names)


def twice(circle):
    return Circle(circle.radius * 2)
'''
LINES = SOURCE.rstrip("\n").split("\n")
CONTROLS = {SUFFIX, PREFIX, END, MIDDLE, FILE_SEPARATOR, ENDOFTEXT}


@pytest.fixture(scope="module")
def tokenizer(base_path: Path) -> Tokenizer:
    return load_tokenizer(base_path)


def file(path: str = "shapes/circle.py", text: str = SOURCE) -> File:
    return File("shapes", "python", path, text)


def line_of(text: str) -> int:
    return next(index for index, line in enumerate(LINES) if text in line)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("squared =", "return math.pi"),  # a body up to its end
        ("for name", "print(self.radius)"),  # a statement and its body, up to the blank line
        ("print(", "print(self.radius)"),
        ("import math", None),  # one line alone
        ("name,", "self.area(),"),  # the arguments, without the bracket that was open before them
        ("self.radius = radius", None),
    ],
)
def test_where_a_block_ends(first: str, last: str | None) -> None:
    end = block_end(LINES, line_of(first))
    assert (end is None) if last is None else (end == line_of(last)), LINES[end or 0]


def test_a_block_of_more_than_twelve_lines_is_none() -> None:
    long = ["def f():", *["    a = 1"] * 13]
    assert block_end(long, 1) is None
    assert block_end(long[:-1], 1) == 12


def test_brackets() -> None:
    assert is_balanced("f(a[0], {1: 2})")
    assert not is_balanced("f(a[0)]")
    assert not is_balanced("}")
    assert not is_balanced("(")


def test_places_are_never_blank_and_blocks_are_balanced() -> None:
    random_ = random.Random(1)
    kinds = {"line": 0, "block": 0}
    for _ in range(500):
        for kind in kinds:
            middle = choose_middle(LINES, kind, random_)
            if middle is None:
                continue
            kinds[kind] += 1
            text = "\n".join(LINES[middle.first : middle.last + 1])
            assert LINES[middle.first].strip() and LINES[middle.last].strip()
            assert kind == "line" or (is_balanced(text) and middle.last > middle.first)
    assert min(kinds.values()) > 300


def test_a_place_below_a_comment_is_where_the_comment_asks() -> None:
    middle = choose_middle(LINES, "block", random.Random(1), below_comment=True)
    assert middle is not None
    assert middle.first == line_of("for name")
    assert choose_middle(["a = 1", "b = 2", "c = 3"], "block", random.Random(1), below_comment=True) is None


def parts_of(example: Example, tokenizer: Tokenizer) -> tuple[str, list[str], str, str]:
    """Suffix, snippets, what is before the middle, and the middle."""
    ids = list(example.ids)
    prefix = ids.index(PREFIX)
    given = tokenizer.decode(ids[:prefix], skip_special_tokens=False)
    suffix, *snippets = given.replace("<issue_start>", "").split("<file_sep>")
    assert ids[-1] == END
    before = tokenizer.decode(ids[prefix + 1 : example.middle_from], skip_special_tokens=False)
    middle = tokenizer.decode(ids[example.middle_from : -1], skip_special_tokens=False)
    return suffix, snippets, before, middle


def test_a_file_is_named_as_the_editor_names_it() -> None:
    lines = json.loads((Path(__file__).parent / "path_lines.json").read_text())
    assert set(lines) == set(LANGUAGES)
    assert {language: path_line(language, "lib/point.x") for language in lines} == lines


def test_suffix_prefix_and_middle_are_the_file_again(tokenizer: Tokenizer) -> None:
    mixture = replace(Mixture(), without_suffix=0.0, with_snippets=0.0, with_gap=0.0, with_middle_id=0.0)
    composer = Composer(tokenizer, mixture, random.Random(2))
    head = path_line("python", "shapes/circle.py")
    seen = 0
    for _ in range(100):
        example = composer.with_cursor(file(), [])
        if example is None:
            continue
        suffix, snippets, before, middle = parts_of(example, tokenizer)
        assert snippets == []
        assert before.startswith(head)
        text = before[len(head) :] + middle
        # The last place of the file has nothing behind it.
        whole = text + ("\n" + suffix if suffix else "\n")
        assert whole in SOURCE
        assert suffix == "" or suffix.endswith("\n")
        assert len(example.ids) <= 1024
        assert example.judged_from == list(example.ids).index(PREFIX) + 1 + len(tokenizer.encode(head).ids)
        assert CONTROLS & set(example.ids[example.judged_from : -1]) == set()
        seen += 1
    assert seen > 60


def test_without_a_suffix_there_is_no_delimiter_for_it_and_the_middle_is_a_block(tokenizer: Tokenizer) -> None:
    mixture = replace(Mixture(), without_suffix=1.0, with_snippets=0.0)
    composer = Composer(tokenizer, mixture, random.Random(3))
    made = [one for _ in range(50) if (one := composer.with_cursor(file(), [])) is not None]
    assert made
    for example in made:
        assert example.kind == "block"
        assert example.ids[0] == PREFIX


def test_a_line_is_never_taught_without_a_suffix(tokenizer: Tokenizer) -> None:
    mixture = replace(Mixture(), without_suffix=0.0, with_snippets=0.0, block=0.0)
    composer = Composer(tokenizer, mixture, random.Random(10))
    made: list[Example] = []
    while len(made) < 100:
        example = composer.with_cursor(file(), [])
        made += [] if example is None else [example]
    assert {example.kind for example in made} == {"line"}
    assert {example.ids[0] for example in made} == {SUFFIX}


def test_a_gap_leaves_lines_out_between_middle_and_suffix(tokenizer: Tokenizer) -> None:
    mixture = replace(Mixture(), without_suffix=0.0, with_snippets=0.0, with_gap=1.0, with_middle_id=0.0)
    composer = Composer(tokenizer, mixture, random.Random(4))
    gaps = set()
    for _ in range(100):
        example = composer.with_cursor(file(), [])
        if example is None or example.ids[0] != SUFFIX:
            continue
        suffix, _, before, middle = parts_of(example, tokenizer)
        head = len(path_line("python", "shapes/circle.py"))
        end = SOURCE.index(before[head:] + middle) + len(before) - head + len(middle) + 1
        gaps.add(SOURCE[end : SOURCE.rindex(suffix)].count("\n"))
    assert gaps <= {1, 2, 3, 4} and len(gaps) > 1


def test_a_document_that_spells_out_a_delimiter_stays_text(tokenizer: Tokenizer) -> None:
    text = "\n".join(f"value_{number} = '<issue_start><|endoftext|><issue_closed>'" for number in range(12)) + "\n"
    composer = Composer(tokenizer, replace(Mixture(), with_snippets=0.0), random.Random(5))
    cursors = [one for _ in range(20) if (one := composer.with_cursor(file(text=text), [])) is not None]
    assert cursors
    for example in (*cursors, *composer.plain(file(text=text))):
        inner = [one for one in example.ids if one in CONTROLS]
        assert sorted(inner) in ([SUFFIX, PREFIX, END], [PREFIX, END], [ENDOFTEXT], [SUFFIX, PREFIX, END, MIDDLE])


def test_snippets_come_from_other_files_that_speak_of_the_same(tokenizer: Tokenizer) -> None:
    near = "class Square:\n    def area_of(self, radius):\n        return Circle(radius).area() / math.pi\n"
    far = "apple, banana, cherry, damson = fruits\nelder, fig = more_fruits\n"
    windows = windows_of("a.py", near) + windows_of("b.py", far) + windows_of("shapes/circle.py", SOURCE)
    found = most_similar(windows, "shapes/circle.py", SOURCE, 2, random.Random(6))
    assert [one.path for one in found] == ["a.py"]
    copied = windows_of("copy.py", SOURCE)
    assert most_similar(copied, "shapes/circle.py", SOURCE, 2, random.Random(6)) == []
    mixture = replace(Mixture(), without_suffix=0.0, with_snippets=1.0)
    composer = Composer(tokenizer, mixture, random.Random(7))
    snippets = []
    for _ in range(50):
        example = composer.with_cursor(file(), windows)
        if example is not None:
            snippets += parts_of(example, tokenizer)[1]
    assert snippets and all(one.startswith("# a.py\nclass Square") for one in snippets)


def test_plain_pieces_are_the_whole_file(tokenizer: Tokenizer) -> None:
    long = SOURCE * 20
    composer = Composer(tokenizer, Mixture(), random.Random(8))
    pieces = composer.plain(file(text=long))
    head = path_line("python", "shapes/circle.py")
    texts = [tokenizer.decode([one for one in piece.ids if one != ENDOFTEXT]) for piece in pieces]
    assert len(pieces) > 2 and all(text.startswith(head) for text in texts)
    assert "".join(text[len(head) :] for text in texts) == long
    assert [piece.ids[-1] == ENDOFTEXT for piece in pieces] == [False] * (len(pieces) - 1) + [True]


def test_a_file_gives_about_as_many_tokens_as_it_has(tokenizer: Tokenizer) -> None:
    long = file(text=SOURCE * 20)
    size = len(tokenizer.encode(long.text).ids)
    for plain in (0.0, 1.0):
        mixture = replace(Mixture(), plain=plain)
        composer = Composer(tokenizer, mixture, random.Random(9))
        made = examples_of(long, [], composer, mixture, random.Random(9))
        assert 0.7 * size < sum(len(one.ids) for one in made) < 1.4 * size
        assert all((one.kind == "plain") == (plain == 1.0) for one in made)
