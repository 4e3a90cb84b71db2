"""
Examples on disk: ids as one uint16 file a shard, and beside it what each example is. Nothing else is needed to train: no
tokenizer, no corpus, no network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from training.examples.example import KINDS, Example
from training.examples.mixture import Mixture

# Tokens a shard: 16 MB of ids.
SHARD_TOKENS = 8_000_000
INDEX = np.dtype([("start", "<u4"), ("length", "<u2"), ("judged_from", "<u2"), ("middle_from", "<u2"), ("kind", "u1")])


class ShardWriter:
    def __init__(self, folder: Path, shard_tokens: int = SHARD_TOKENS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._limit = shard_tokens
        self._files: list[dict[str, object]] = []
        self._tokens_by_kind = dict.fromkeys(KINDS, 0)
        self._clear()

    def add(self, example: Example) -> None:
        kind = KINDS.index(example.kind)
        self._index.append((self._tokens, len(example.ids), example.judged_from, example.middle_from, kind))
        self._ids.append(np.asarray(example.ids, dtype="<u2"))
        self._tokens += len(example.ids)
        self._tokens_by_kind[example.kind] += len(example.ids)
        if self._tokens >= self._limit:
            self._flush()

    def finish(self, mixture: Mixture | None, seed: int) -> dict[str, object]:
        """Writes the last shard and the manifest, and returns it. mixture: that the examples are of; None: they are of no corpus."""
        if self._tokens:
            self._flush()
        manifest: dict[str, object] = {
            "tokens": sum(self._tokens_by_kind.values()),
            "tokens_by_kind": self._tokens_by_kind,
            "seed": seed,
            "mixture": mixture and asdict(mixture),
            "shards": self._files,
        }
        (self._folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
        return manifest

    def _flush(self) -> None:
        name = f"{len(self._files):04d}"
        ids = np.concatenate(self._ids)
        index = np.array(self._index, dtype=INDEX)
        (self._folder / f"{name}.u16").write_bytes(ids.tobytes())
        np.save(self._folder / f"{name}.index.npy", index)
        digest = hashlib.sha256(ids.tobytes() + index.tobytes()).hexdigest()
        self._files.append({"name": name, "tokens": self._tokens, "examples": len(index), "sha256": digest})
        self._clear()

    def _clear(self) -> None:
        self._ids: list[np.ndarray] = []
        self._index: list[tuple[int, ...]] = []
        self._tokens = 0


class Examples:
    """All examples of a folder of shards, as they were written."""

    def __init__(self, folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text())
        indices: list[np.ndarray] = []
        self._shards: list[np.ndarray] = []
        self._shard_of: list[np.ndarray] = []
        for number, file in enumerate(manifest["shards"]):
            self._shards.append(np.fromfile(folder / f"{file['name']}.u16", dtype="<u2"))
            index = np.load(folder / f"{file['name']}.index.npy")
            digest = hashlib.sha256(self._shards[-1].tobytes() + index.tobytes()).hexdigest()
            if digest != file["sha256"]:
                raise ValueError(f"{folder / file['name']} is not what its manifest says; write the shards again.")
            indices.append(index)
            self._shard_of.append(np.full(len(index), number, dtype=np.uint16))
        self.index = np.concatenate(indices)
        self._shard = np.concatenate(self._shard_of)

    def first(self, tokens: int) -> range:
        """The numbers of the first examples, of about so many tokens together, and at least one."""
        ends = np.cumsum(self.index["length"])
        return range(1 + int(np.searchsorted(ends[:-1], tokens)))

    def __len__(self) -> int:
        return len(self.index)

    def ids(self, number: int) -> np.ndarray:
        """The ids of an example, uint16."""
        start, length = int(self.index["start"][number]), int(self.index["length"][number])
        return self._shards[self._shard[number]][start : start + length]


def write_shards(examples: Iterable[Example], folder: Path, mixture: Mixture | None, seed: int) -> dict[str, object]:
    writer = ShardWriter(folder)
    for example in examples:
        writer.add(example)
    return writer.finish(mixture, seed)
