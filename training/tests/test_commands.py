"""`python -m training`: what is refused comes as a sentence, and what takes no model goes without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.__main__ import main


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
