"""Writes the reference logits of the embedded model to test/fixtures/reference.

    python3 -m venv .cache/reference
    .cache/reference/bin/pip install -r scripts/reference/requirements.txt
    .cache/reference/bin/python scripts/reference/make_reference.py

The formats are described in test/fixtures/reference/README.md. Float32 on one thread: repeated runs on one machine write
the same bytes; another machine's matrix library may differ in the last bits.
"""

from __future__ import annotations

import argparse
import struct
from pathlib import Path

import numpy as np
import torch

import embedded_model

ROOT = Path(__file__).resolve().parents[2]

# Text file -> how many of its first tokens are used. 2,048 positions together, the longest sequence 896.
SEQUENCES = {"python.txt": 680, "typescript.txt": 560, "json.txt": 300, "prose.txt": 320, "mixed.txt": 188}
TOP = 64
FULL_POSITIONS = 32

RECORD = np.dtype(
    [("ids", "<u2", TOP), ("log_probabilities", "<f4", TOP), ("tail_mass", "<f4"), ("log_sum_exp", "<f4")]
)


def logits_of(network: torch.nn.Module, ids: list[int]) -> np.ndarray:
    """Float32 logits after each of `ids`, [len(ids), vocabulary]."""
    with torch.inference_mode():
        return network(torch.tensor([ids])).logits[0].numpy()


def summarize(logits: np.ndarray) -> np.ndarray:
    """One record a position; sums are made in float64."""
    wide = logits.astype(np.float64)
    peak = wide.max(axis=1, keepdims=True)
    log_sum_exp = peak + np.log(np.exp(wide - peak).sum(axis=1, keepdims=True))
    log_probabilities = wide - log_sum_exp
    # Stable, so that equal logits come in the order of their ids.
    order = np.argsort(-logits, axis=1, kind="stable")
    records = np.empty(len(logits), RECORD)
    records["ids"] = order[:, :TOP]
    records["log_probabilities"] = np.take_along_axis(log_probabilities, order[:, :TOP], axis=1)
    tail = np.take_along_axis(log_probabilities, order[:, TOP:], axis=1)
    records["tail_mass"] = np.exp(tail).sum(axis=1)
    records["log_sum_exp"] = log_sum_exp[:, 0]
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the reference logits of the embedded model.")
    parser.add_argument("--model", type=Path, default=embedded_model.path())
    parser.add_argument("--out", type=Path, default=ROOT / "test" / "fixtures" / "reference")
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = embedded_model.load(options.model)

    sequences, logits = [], []
    for name, length in SEQUENCES.items():
        text = (options.out / "texts" / name).read_text(encoding="utf-8")
        ids = model.tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) < length:
            raise SystemExit(f"{name} has {len(ids)} tokens, {length} are needed")
        sequences.append((name, ids[:length]))
        logits.append(logits_of(model.network, ids[:length]))
        chosen = np.take_along_axis(
            torch.log_softmax(torch.from_numpy(logits[-1][:-1]), dim=-1).numpy(),
            np.array(ids[1:length])[:, None],
            axis=1,
        )
        print(f"{name}: {length} of {len(ids)} tokens, perplexity {np.exp(-chosen.mean()):.2f}")

    with (options.out / "sequences.bin").open("wb") as file:
        file.write(struct.pack("<I", len(sequences)))
        for name, ids in sequences:
            file.write(struct.pack("<I", len(ids)) + np.array(ids, "<u4").tobytes())
    with (options.out / "top64.bin").open("wb") as file:
        for block in logits:
            file.write(summarize(block).tobytes())
    starts = np.cumsum([0] + [len(block) for block in logits])
    with (options.out / "full32.bin").open("wb") as file:
        # Evenly spread, from the first position of all to the last.
        for flat in np.linspace(0, starts[-1] - 1, FULL_POSITIONS).round().astype(int):
            sequence = int(np.searchsorted(starts, flat, side="right")) - 1
            position = int(flat - starts[sequence])
            file.write(struct.pack("<II", sequence, position))
            file.write(logits[sequence][position].astype("<f2").tobytes())


if __name__ == "__main__":
    main()
