"""
What each part of the recipe is worth: short runs from one base, each with one part of the mixture left out, judged on the same examples of the whole
recipe, from packages that none of them learns of.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from training.corpus.fetch import sha256_of
from training.examples.build import build_shards
from training.examples.example import KINDS
from training.examples.mixture import Mixture
from training.layout_ids import FILE_SEPARATOR, SUFFIX
from training.packed_run import pack_run
from training.shards import Examples
from training.trainer import LATEST, STABLE, Options, Trainer

# One package of so many is judged on, and one is learned: what a short run needs is a tenth of the corpus.
_JUDGED_OF, _LEARNED_OF = 40, 10
_SHORT_LANGUAGES = {"python": 0.5, "typescript": 0.3, "javascript": 0.2}

# What differs from the recipe. The same once more with other examples and another order shows how much is chance.
RECIPES: Mapping[str, Mapping[str, Any]] = {
    "the whole recipe": {},
    "the whole recipe, other examples": {},
    "no plain code": {"plain": 0.0},
    "no suffix": {"without_suffix": 1.0},
    "a suffix always": {"without_suffix": 0.0},
    "no snippets": {"with_snippets": 0.0},
    "no blocks": {"block": 0.0, "without_suffix": 0.0},
    "no lines": {"block": 1.0},
    "no gap below the middle": {"with_gap": 0.0},
    "Python, TypeScript and JavaScript alone": {"languages": _SHORT_LANGUAGES},
}
OTHER_EXAMPLES = "the whole recipe, other examples"

Group = Callable[[str, frozenset[int]], bool]
# By the kind of an example and the ids in it.
GROUPS: Mapping[str, Group] = {
    "plain": lambda kind, _: kind == "plain",
    "line": lambda kind, ids: kind == "line" and FILE_SEPARATOR not in ids,
    "block": lambda kind, ids: kind == "block" and SUFFIX in ids and FILE_SEPARATOR not in ids,
    "without suffix": lambda kind, ids: kind == "block" and SUFFIX not in ids and FILE_SEPARATOR not in ids,
    "with snippets": lambda kind, ids: kind != "plain" and FILE_SEPARATOR in ids,
}


def drop_one(corpus: Path, base: Path, folder: Path, options: Options, rows: str = "") -> str:
    """
    Learns RECIPES in `folder` and returns a table; started again, it goes on where it was stopped.

    options: of each run; `validation_tokens` is what is judged, behind its end alone. rows: as of `numbered`.

    ValueError where what is in the folder was learned from another base or with other options.
    """
    chosen = numbered(rows)
    _claim(folder, base, options)
    learned_packages, judged_packages = divide(corpus, folder)
    judged = folder / "judged" / "train"
    if not (judged / "manifest.json").exists():
        build_shards(judged_packages, base, judged.parent, Mixture(), seed=1, tokens=2 * options.validation_tokens)
    groups = groups_of(Examples(judged), options.validation_tokens)
    found = {}
    for name, number in chosen.items():
        run = folder / f"{number:02d}"
        if not (run / "judged.json").exists():
            own = replace(options, seed=2) if name == OTHER_EXAMPLES else options
            _prepare(base, learned_packages, judged, run / "shards", Mixture(**RECIPES[name]), own)
            (run / "judged.json").write_text(json.dumps(_learn(base, run, own, groups)))
        found[name] = json.loads((run / "judged.json").read_text())
        print(f"{name}: {found[name]}", flush=True)
    return table(found)


def _claim(folder: Path, base: Path, options: Options) -> None:
    """Writes what the runs of a folder have in common, and refuses it for others: results are compared, and those that are there are kept."""
    # Neither changes what is learned, and both follow from the machine.
    same = replace(options, workers=1, checkpoint_seconds=0.0)
    own = json.dumps({"base": sha256_of(base), "options": asdict(same)}, indent=1) + "\n"
    file = folder / "options.json"
    if any(folder.glob("*/")) and not (file.exists() and file.read_text() == own):
        raise ValueError(f"{folder} has runs from another base or with other options: name another one with --folder.")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(own)


def numbered(rows: str) -> dict[str, int]:
    """The names of RECIPES that the regular expression matches, with the numbers of their runs. ValueError where it matches none."""
    chosen = {name: number for number, name in enumerate(RECIPES) if re.search(rows, name)}
    if not chosen:
        raise ValueError(f"No row is called like {rows!r}; there are: {', '.join(RECIPES)}.")
    return chosen


def groups_of(examples: Examples, tokens: int) -> dict[str, list[int]]:
    """The numbers of the first examples, of as many tokens, by GROUPS."""
    groups: dict[str, list[int]] = {name: [] for name in GROUPS}
    seen = 0
    for number in range(len(examples)):
        if seen >= tokens:
            break
        kind = KINDS[int(examples.index["kind"][number])]
        ids = frozenset(examples.ids(number).tolist())
        seen += int(examples.index["length"][number])
        for name, holds in GROUPS.items():
            if holds(kind, ids):
                groups[name].append(number)
    return groups


def table(rows: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Of Markdown: nats a token of plain code, of middles and of their ends, and exact lines."""
    columns = [
        ("plain code", "plain", "plain"),
        ("line", "line", "middle"),
        ("its end", "line", "end"),
        ("block", "block", "middle"),
        ("its end", "block", "end"),
        ("block without suffix", "without suffix", "middle"),
        ("middle behind snippets", "with snippets", "middle"),
    ]
    head = ["", *(title for title, _, _ in columns), "exact lines"]
    lines = [head, ["---", *["--:"] * (len(columns) + 1)]]
    for name, groups in rows.items():
        losses = [f"{groups[group][part]:.3f}" if group in groups else "" for _, group, part in columns]
        exact = f"{100 * groups['line']['line exact']:.1f} %" if "line" in groups else ""
        lines.append([name, *losses, exact])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _prepare(base: Path, corpus: Path, judged: Path, data: Path, mixture: Mixture, options: Options) -> None:
    """Writes what a run learns, with what it is judged on as its validation examples."""
    if (data / "validation" / "manifest.json").exists():
        return
    shutil.rmtree(data, ignore_errors=True)
    build_shards(corpus, base, data, mixture, options.seed, tokens=2 * options.tokens)
    shutil.rmtree(data / "validation")
    shutil.copytree(judged, data / "validation")


def _learn(base: Path, run: Path, options: Options, groups: Mapping[str, list[int]]) -> dict[str, dict[str, float]]:
    """What `Trainer.judged` finds by group, at the end; the packed model is left in the run's folder, its checkpoints are not."""
    trainer = Trainer(base, run / "shards", run, replace(options, validation_tokens=1), torch.device("cpu"))
    for record in trainer.train():
        if record["step"] % 10 == 0:
            print(json.dumps(record), flush=True)
    # Nothing runs beside it.
    threads = torch.get_num_threads()
    torch.set_num_threads(threads * options.workers)
    found = {name: trainer.judged(numbers) for name, numbers in groups.items() if numbers}
    pack_run(run / LATEST, base, run / "model.gguf")
    torch.set_num_threads(threads)
    for checkpoint in (LATEST, STABLE):
        (run / checkpoint).unlink(missing_ok=True)
    return found


def divide(corpus: Path, folder: Path) -> tuple[Path, Path]:
    """Writes the packages that are learned of, and those that are judged on, where they are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    learned, judged = folder / "learned.jsonl.gz", folder / "judged.jsonl.gz"
    if learned.exists():
        return learned, judged
    parts = [path.with_suffix(".part") for path in (learned, judged)]
    with ExitStack() as files:
        to_learn, to_judge = (
            files.enter_context(gzip.open(part, "wt", encoding="utf-8", compresslevel=1)) for part in parts
        )
        for number, line in _numbered_by_package(files.enter_context(gzip.open(corpus, "rt", encoding="utf-8"))):
            if number % _JUDGED_OF == 0:
                to_judge.write(line)
            elif number % _LEARNED_OF == 1:
                to_learn.write(line)
    parts[1].rename(judged)
    parts[0].rename(learned)
    return learned, judged


def _numbered_by_package(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    number, package = -1, None
    for line in lines:
        own = json.loads(line)["package"]
        if own != package:
            number, package = number + 1, own
        yield number, line
