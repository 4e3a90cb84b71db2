"""`python -m training`: what is refused comes as a sentence, and what takes no model goes without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from training.__main__ import main
from training.paths import REPOSITORY


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it, and a repository without a model."""
    monkeypatch.setenv("EMBERLINE_TRAINING", str(tmp_path / "cache"))
    monkeypatch.setattr("training.paths.MODELS", tmp_path / "models")
    return tmp_path


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"]])
def test_help_takes_no_model(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "usage: python -m training" in capsys.readouterr().out


def test_smoke_deletes_nothing_that_it_did_not_make(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.txt").write_text("mine")
    assert main(["smoke", "--folder", str(folder)]) == 1
    assert (folder / "notes.txt").read_text() == "mine"
    assert "is not empty" in capsys.readouterr().err


def test_sources_are_read_as_utf_8_wherever_it_runs(folder: Path) -> None:
    script = "import pathlib, sys; from training.smoke import write_corpus; write_corpus(pathlib.Path(sys.argv[1]))"
    ascii = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", script, str(folder / "corpus.gz")], check=True, cwd=REPOSITORY, env=ascii)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pack", "--out", "taught.gguf"], "0 .gguf files instead of one; restore it from git"),
        (["between", "--general", "g.gguf", "--out", "b.gguf"], "0 .gguf files instead of one; restore it from git"),
        (["plot", "--out", "losses.svg"], "No such file or directory"),
        (["shards", "--base", "b.gguf", "--mixture", '{"plane": 1}'], "takes a JSON object of plain, block"),
        (["shards", "--base", "b.gguf", "--mixture", "[1]"], "takes a JSON object of plain, block"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("training: ") and message in error
