"""Writes random blocks of quantised formats, and what the Python package `gguf` makes of them, to test/fixtures/blocks.

    python3 -m venv .cache/reference
    .cache/reference/bin/pip install -r scripts/reference/requirements.txt
    .cache/reference/bin/python scripts/reference/make_blocks.py

The formats of the files are described in test/fixtures/blocks/README.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

OUT = Path(__file__).resolve().parents[2] / "test" / "fixtures" / "blocks"
ELEMENTS = 512

# Where the half floats of a block lie, and values that keep every product of theirs within 1.
HALVES = {
    "Q2_K": {80: 1 / (15 * 3), 82: 1 / 15},
    "Q3_K": {108: 1 / (32 * 4)},
    "Q4_K": {0: 1 / (63 * 15), 2: 1 / 63},
    "Q5_K": {0: 1 / (63 * 31), 2: 1 / 63},
    "Q6_K": {208: 1 / (128 * 32)},
    "IQ4_NL": {0: 1 / 127},
    "IQ4_XS": {0: 1 / (32 * 127)},
    "MXFP4": {},
}


def random_blocks(name: str, random: np.random.Generator) -> np.ndarray:
    elements, size = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    blocks = random.integers(0, 256, (ELEMENTS // elements, size), dtype=np.uint8)
    for at, largest in HALVES[name].items():
        values = (largest * random.uniform(0.5, 1, len(blocks))).astype("<f2")
        blocks[:, at : at + 2] = values.view(np.uint8).reshape(-1, 2)
    if name == "MXFP4":
        blocks[:, 0] = random.integers(120, 126, len(blocks))
    return blocks


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    for name in HALVES:
        blocks = random_blocks(name, random)
        values = dequantize(blocks, GGMLQuantizationType[name]).astype("<f4")
        (OUT / f"{name}.bin").write_bytes(blocks.tobytes() + values.tobytes())


if __name__ == "__main__":
    main()
