"""Writes the reference perplexity of the embedded model on code to test/fixtures/perplexity.

    python3 -m venv .cache/reference
    .cache/reference/bin/pip install -r scripts/reference/requirements.txt
    .cache/reference/bin/python scripts/reference/make_perplexity.py

The text is this project's own C++, TypeScript and JavaScript, file after file in the order of their paths, as it was when
the fixture was made: another day's sources give another fixture. The format is described in
test/fixtures/perplexity/README.md.
"""

from __future__ import annotations

import argparse
import struct
import subprocess
from pathlib import Path

import numpy as np
import torch

import embedded_model

ROOT = Path(__file__).resolve().parents[2]
WINDOW = 1024
SUFFIXES = {".cpp", ".h", ".ts", ".mjs"}


def sources() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "core", "extension", "cli", "native", "scripts"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return [ROOT / name for name in sorted(names) if Path(name).suffix in SUFFIXES]


def windows_of(model: embedded_model.EmbeddedModel, count: int) -> list[list[int]]:
    """
    `count` windows of WINDOW ids, cut from as many places of the sources as there are windows, evenly spread. Each begins with the line
    that names its file, as an editor's prompt does: behind any other token a model says less, and that less steadily.
    """
    names = [path.relative_to(ROOT).as_posix() for path in sources()]
    texts = [
        model.tokenizer.encode((ROOT / name).read_text(encoding="utf-8"), add_special_tokens=False).ids
        for name in names
    ]
    ends = np.cumsum([len(ids) for ids in texts])
    ids = [id_ for text in texts for id_ in text]
    if len(ids) < count * WINDOW:
        raise SystemExit(f"the sources have {len(ids)} tokens, {count * WINDOW} are needed")
    windows = []
    for start in np.linspace(0, len(ids) - WINDOW, count).astype(int):
        name = names[int(np.searchsorted(ends, start, side="right"))]
        head = model.tokenizer.encode(f"// {name}\n", add_special_tokens=False).ids
        windows.append([*head, *ids[start : start + WINDOW - len(head)]])
    return windows


def negative_log_likelihood(network: torch.nn.Module, ids: list[int]) -> float:
    """Mean over the positions 1 to the last, in nats; the softmax in float64."""
    with torch.inference_mode():
        logits = network(torch.tensor([ids])).logits[0, :-1].double()
    return float(torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:])))


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the reference perplexity of the embedded model on code.")
    parser.add_argument("--model", type=Path, default=embedded_model.path())
    parser.add_argument("--out", type=Path, default=ROOT / "test" / "fixtures" / "perplexity")
    parser.add_argument("--windows", type=int, default=50)
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = embedded_model.load(options.model)
    windows = windows_of(model, options.windows)
    losses = []
    for number, ids in enumerate(windows, 1):
        losses.append(negative_log_likelihood(model.network, ids))
        print(f"window {number} of {len(windows)}: perplexity {np.exp(losses[-1]):.3f}", flush=True)
    print(f"all: perplexity {np.exp(np.mean(losses)):.4f}")
    with (options.out / "windows.bin").open("wb") as file:
        file.write(struct.pack("<II", len(windows), WINDOW))
        file.write(np.array(windows, "<u2").tobytes())
        file.write(np.array(losses, "<f8").tobytes())


if __name__ == "__main__":
    main()
