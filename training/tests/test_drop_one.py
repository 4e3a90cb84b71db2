"""What a part of the recipe is worth: what is learned, what is judged, and how it is told."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from training.drop_one import GROUPS, RECIPES, divide, drop_one, groups_of, numbered, table
from training.examples.example import Example
from training.examples.mixture import Mixture
from training.layout_ids import END, FILE_SEPARATOR, PREFIX, SUFFIX
from training.shards import Examples, write_shards
from training.trainer import Options


def test_each_example_is_judged_with_its_like(tmp_path: Path) -> None:
    line = Example([SUFFIX, 30, PREFIX, 40, 41, END], 4, 4, "line")
    block = Example([SUFFIX, 30, PREFIX, 40, 41, END], 4, 4, "block")
    alone = Example([PREFIX, 40, 41, END], 2, 2, "block")
    behind = Example([SUFFIX, 30, FILE_SEPARATOR, 50, PREFIX, 40, 41, END], 6, 6, "line")
    plain = Example([40, 41, 42], 1, 3, "plain")
    write_shards([line, block, alone, behind, plain, line], tmp_path, Mixture(), 1)
    groups = groups_of(Examples(tmp_path), tokens=30)
    assert groups == {"plain": [4], "line": [0], "block": [1], "without suffix": [2], "with snippets": [3]} | {
        "line": [0, 5]
    }
    assert groups_of(Examples(tmp_path), tokens=7)["without suffix"] == []


def test_no_package_is_learned_and_judged(tmp_path: Path) -> None:
    corpus = tmp_path / "train.jsonl.gz"
    with gzip.open(corpus, "wt") as out:
        for number in range(100):
            for path in ("a.py", "b.py"):
                out.write(json.dumps({"package": f"p{number}", "path": path}) + "\n")
    learned, judged = divide(corpus, tmp_path / "divided")
    packages = [{json.loads(line)["package"] for line in gzip.open(part, "rt")} for part in (learned, judged)]
    assert len(packages[0]) == 10
    assert len(packages[1]) == 3
    assert packages[0].isdisjoint(packages[1])


def test_what_other_options_gave_is_not_compared(tmp_path: Path) -> None:
    base, corpus, folder = tmp_path / "base.gguf", tmp_path / "none.gz", tmp_path / "runs"
    base.write_bytes(b"a model")
    options = Options(tokens=1_000)

    def refused(options: Options, by: type[Exception]) -> str:
        with pytest.raises(by) as error:
            drop_one(corpus, base, folder, options)
        return str(error.value)

    refused(options, FileNotFoundError)  # of the corpus: so far it comes
    (folder / "00").mkdir()
    refused(replace(options, workers=4), FileNotFoundError)
    assert "other options" in refused(replace(options, tokens=2_000), ValueError)
    base.write_bytes(b"another model")
    assert "another base" in refused(options, ValueError)
    (folder / "options.json").unlink()
    assert "other options" in refused(options, ValueError)


def test_every_recipe_is_one(tmp_path: Path) -> None:
    mixtures = [Mixture(**difference) for difference in RECIPES.values()]
    assert mixtures[0] == mixtures[1] == Mixture()
    assert all(mixture != Mixture() for mixture in mixtures[2:])


def test_some_rows_have_the_numbers_that_they_have_among_all() -> None:
    assert list(numbered("")) == list(RECIPES)
    assert numbered("^the whole recipe$|no lines") == {"the whole recipe": 0, "no lines": 7}
    with pytest.raises(ValueError, match="a suffix always"):
        numbered("prose")


def test_the_table_has_a_row_each() -> None:
    found = {name: {"middle": 1.5, "end": 0.5, "plain": 2.0, "line exact": 0.25} for name in GROUPS}
    rows = table({"whole": found, "no lines": {"plain": {"plain": 2.25}}}).split("\n")
    assert len(rows) == 4
    assert len({row.count("|") for row in rows}) == 1
    assert rows[2].startswith("| whole | 2.000 | 1.500 | 0.500 |")
    assert rows[2].endswith("| 25.0 % |")
    assert rows[3].startswith("| no lines | 2.250 |  |")
