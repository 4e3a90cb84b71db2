"""Which middles count as right, against greedy decode one token at a time."""

from __future__ import annotations

from pathlib import Path

import torch

from training.batches import pack
from training.exactness import Exactness, Place, middles
from training.examples.example import Example
from training.examples.mixture import Mixture
from training.layout_ids import END, PREFIX, SUFFIX
from training.model import Judged, Model, Packed
from training.shards import Examples, write_shards
from training.tests.tiny_model import write_tiny_model
from training.weights import Masters


def test_one_pass_finds_what_greedy_decode_writes(tmp_path: Path) -> None:
    write_tiny_model(tmp_path / "base.gguf")
    masters = Masters(tmp_path / "base.gguf", torch.device("cpu"), seed=1)
    model = Model(masters.sizes)
    masters.publish(model, rounding=False)
    given = [SUFFIX, 30, 31, PREFIX, 40, 41, 42]
    written = greedy(model, given, 4)
    other = [*written[:3], (written[3] + 1) % 300]
    texts = [written[:3], other[:3], written, other]
    made = [Example([*given, *text, END], 4, len(given), "line") for text in texts]
    made.insert(1, Example(given, 1, len(given), "plain"))
    write_shards(made, tmp_path / "data", Mixture(), 1)
    examples = Examples(tmp_path / "data")
    numbers = list(range(len(examples)))
    rows, places = middles(examples, numbers)
    batch = pack(examples, numbers)
    exactness = Exactness()
    judged = Judged(batch.packed, batch.rows, batch.weights)
    losses, likeliest = model.losses_and_likeliest(judged, batch.targets, rows)
    assert torch.equal(losses, model.loss(batch.packed, batch.rows, batch.targets, batch.weights)[1])
    exactness.add(places, (likeliest == batch.packed.ids[rows + 1]).tolist())
    shares = exactness.shares()
    assert shares["line exact"] == 3 / 4
    assert shares["line second half"] == 3 / 4
    assert shares["line with its end"] <= 3 / 4


def greedy(model: Model, ids: list[int], count: int) -> list[int]:
    for _ in range(count):
        packed = Packed(torch.tensor(ids), torch.arange(len(ids)), (len(ids),))
        ids = [*ids, int(model.logits(packed)[-1].argmax())]
    return ids[-count:]


def test_a_text_of_another_start_may_have_its_second_half_right() -> None:
    exactness = Exactness()
    assert exactness.shares() == {}
    places = [Place("line", 5), Place("block", 3)]
    exactness.add(places, [False, True, True, True, False, True, True, True])
    shares = exactness.shares()
    assert (shares["line exact"], shares["line second half"], shares["line with its end"]) == (0, 1, 0)
    assert (shares["block exact"], shares["block with its end"]) == (1, 1)
