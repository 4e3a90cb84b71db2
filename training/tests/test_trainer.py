"""Learning, stopping and going on, on a tiny network."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from training.batches import Cursor, Stream, pack
from training.checkpoint import load
from training.examples.example import Example
from training.examples.mixture import Mixture
from training.gguf.reader import read
from training.layout_ids import END, PREFIX, SUFFIX
from training.model import Model, Packed
from training.packed_run import pack_run
from training.plot import _plot_shares, plot, read_log
from training.schedule import Schedule
from training.shards import Examples, write_shards
from training.tests.tiny_model import VOCABULARY, write_tiny_model
from training.trainer import LATEST, STABLE, Options, Trainer, shared_threads, worker_pool
from training.weights import Masters

CPU = torch.device("cpu")
OPTIONS = Options(
    tokens=6_000,
    rate=3e-3,
    warm_up_tokens=500,
    step_tokens=256,
    micro_tokens=128,
    validation_tokens=500,
    rounding_share=1 / 3,
)


def examples(count: int, seed: int) -> list[Example]:
    """Texts that count upwards: there is something to learn."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        first = int(random.integers(20, VOCABULARY - 40))
        run = list(range(first, first + 30))
        if number % 2 == 0:
            made.append(Example(run, 1, len(run), "plain"))
        else:
            ids = [SUFFIX, *run[20:], PREFIX, *run[:20], END]
            made.append(Example(ids, 12, 22, "line"))
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tiny_model(tmp_path / "base.gguf")
    write_shards(examples(200, 1), tmp_path / "data" / "train", Mixture(), 1)
    write_shards(examples(20, 2), tmp_path / "data" / "validation", Mixture(), 1)
    return tmp_path


def trainer(folder: Path, run: str, options: Options = OPTIONS) -> Trainer:
    return Trainer(folder / "base.gguf", folder / "data", folder / run, options, CPU)


def test_a_run_that_was_stopped_goes_on_bit_for_bit(folder: Path) -> None:
    whole = trainer(folder, "whole")
    for _ in whole.train():
        pass
    stops = (1_000, 3_900, 4_500)  # in the constant part, at its end, and with rounding
    for stop in stops:
        part = trainer(folder, "parts")
        steps = part.train()
        while part.seen < stop:
            next(steps)
        steps.close()
        part.save(LATEST)
        next(part.train())  # lost, as what a killed process did after its last checkpoint
    last = trainer(folder, "parts")
    for _ in last.train():
        pass
    assert last.seen == whole.seen
    for name, tensor in whole.masters.tensors.items():
        assert torch.equal(tensor, last.masters.tensors[name]), name
    once = [{**one, "tokens_per_second": 0} for one in read_log(folder / "whole")]
    again = [{**one, "tokens_per_second": 0} for one in read_log(folder / "parts")]
    assert [one["loss"] for one in once] == [one["loss"] for one in again]


def test_passes_at_the_same_time_change_nothing(folder: Path) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        alone = trainer(folder, "alone", replace(OPTIONS, step_tokens=512))
        together = trainer(folder, "together", replace(OPTIONS, step_tokens=512, workers=3))
        for one in (alone, together):
            for _ in one.train():
                pass
    finally:
        torch.set_num_threads(threads)
    for name, tensor in alone.masters.tensors.items():
        assert torch.equal(tensor, together.masters.tensors[name]), name


@pytest.mark.parametrize(
    ("threads", "micro_tokens", "workers", "want"),
    [
        (2, 2048, None, (2, 1)),
        (16, 2048, None, (2, 8)),  # a step of 4096 tokens has no more passes
        (16, 256, None, (16, 1)),
        (3, 1024, None, (3, 1)),
        (1, 2048, None, (1, 1)),
        (8, 65_536, None, (1, 8)),
        (8, 2048, 4, (4, 2)),
        (2, 2048, 4, (4, 1)),
    ],
)
def test_all_processors_work(threads: int, micro_tokens: int, workers: int | None, want: tuple[int, int]) -> None:
    options = Options(tokens=1, step_tokens=4096, micro_tokens=micro_tokens)
    assert shared_threads(threads, options, workers) == want


def test_a_worker_computes_with_the_threads_that_it_is_given() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with worker_pool(2) as pool:
            assert list(pool.map(lambda _: torch.get_num_threads(), range(2))) == [3, 3]
    finally:
        torch.set_num_threads(before)


def test_it_stops_when_its_time_is_up_and_goes_on_from_there(folder: Path) -> None:
    for number in range(1, 4):
        records = list(trainer(folder, "run", replace(OPTIONS, seconds=0.0)).train())
        assert [one["step"] for one in records] == [number]


def test_a_checkpoint_of_another_base_is_refused(folder: Path) -> None:
    next(trainer(folder, "run", replace(OPTIONS, seconds=0.0)).train())
    write_tiny_model(folder / "base.gguf", seed=2)
    with pytest.raises(ValueError, match="latest.pt was learned from another model than .*base.gguf"):
        trainer(folder, "run")
    with pytest.raises(ValueError, match="latest.pt was learned from another model than .*base.gguf"):
        pack_run(folder / "run" / LATEST, folder / "base.gguf", folder / "out.gguf")
    assert not (folder / "out.gguf").exists()


def test_a_longer_run_goes_on_from_the_constant_part(folder: Path) -> None:
    short = trainer(folder, "short")
    for _ in short.train():
        pass
    (folder / "short" / STABLE).rename(folder / "short" / LATEST)
    longer = replace(OPTIONS, tokens=9_000)
    extended = trainer(folder, "short", longer)
    assert extended.seen < OPTIONS.tokens
    at_once = trainer(folder, "long", longer)
    for one in (extended, at_once):
        for _ in one.train():
            pass
    for name, tensor in at_once.masters.tensors.items():
        assert torch.equal(tensor, extended.masters.tensors[name]), name


def test_it_learns_and_packs_what_it_learned_with(folder: Path) -> None:
    one = trainer(folder, "run")
    before = one.validate()
    records = list(one.train())
    after = one.validate()
    assert after["middle"] < before["middle"] - 0.5
    assert after["end"] < before["end"] - 0.4
    assert records[0]["rounding"] is False
    assert records[-1]["rounding"] is True
    assert records[-1]["validation"] == after
    pack_run(folder / "run" / LATEST, folder / "base.gguf", folder / "out.gguf")
    packed = read(folder / "out.gguf")
    for name in ("attn_output", "ffn_down"):
        want = one.model.get_parameter(f"blk.1.{name}")
        assert torch.equal(torch.from_numpy(packed.decoded(f"blk.1.{name}.weight")).bfloat16(), want)
    pack_run(folder / "run" / LATEST, folder / "base.gguf", folder / "full.gguf", full=True)
    full = read(folder / "full.gguf")
    masters = one.masters.to_gguf()
    for name, info in full.tensors.items():
        assert info.format.name in ("F16", "F32")
        kept = masters[name].astype(np.float16) if info.format.name == "F16" else masters[name]
        assert np.array_equal(full.decoded(name), kept.astype(np.float32))
    assert not np.array_equal(full.decoded("blk.1.ffn_down.weight"), packed.decoded("blk.1.ffn_down.weight"))
    plot(folder / "run", folder / "losses.svg")
    assert (folder / "losses.svg").stat().st_size > 1_000


def test_a_model_that_was_taught_goes_on_with_its_own_delimiters(folder: Path) -> None:
    one = trainer(folder, "run", replace(OPTIONS, tokens=500))
    for _ in one.train():
        pass
    pack_run(folder / "run" / LATEST, folder / "base.gguf", folder / "taught.gguf")
    taught = Masters(folder / "taught.gguf", CPU, seed=2).tensors["token_embd"]
    assert torch.equal(taught, one.masters.rounded("token_embd"))
    untaught = Masters(folder / "base.gguf", CPU, seed=2).tensors["token_embd"]
    assert not torch.equal(untaught[END], taught[END])


def test_a_checkpoint_that_could_not_be_written_leaves_the_one_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = trainer(folder, "run")
    next(one.train())
    one.save(LATEST)
    seen = one.seen

    def full(*_: object) -> None:
        raise OSError("no space left on the device")

    next(one.train())
    monkeypatch.setattr("training.checkpoint.torch.save", full)
    with pytest.raises(OSError, match="no space"):
        one.save(LATEST)
    assert load(folder / "run" / LATEST, CPU)["seen"] == seen


def test_a_step_is_logged_before_it_is_saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = trainer(folder, "run", replace(OPTIONS, checkpoint_seconds=0.0))

    def killed(*_: object) -> None:
        raise OSError("killed")

    monkeypatch.setattr("training.checkpoint.save", killed)
    with pytest.raises(OSError, match="killed"):
        next(one.train())
    assert [record["step"] for record in read_log(folder / "run")] == [1]


def test_every_example_comes_once_an_epoch_and_in_the_same_order_from_any_place(folder: Path) -> None:
    data = Examples(folder / "data" / "train")
    stream = Stream(data, 7, Cursor())
    batches = [stream.take(128) for _ in range(60)]
    again = Stream(data, 7, Cursor())
    for _ in range(20):
        again.take(128)
    resumed = again.at(Cursor(again.cursor.epoch, again.cursor.position))
    for batch in batches[20:]:
        assert torch.equal(batch.packed.ids, resumed.take(128).packed.ids)
    one_by_one = Stream(data, 7, Cursor())
    seen = sorted(one_by_one.take(1).packed.ids.tolist() for _ in range(len(data)))
    assert seen == sorted(data.ids(number).tolist() for number in range(len(data)))


def test_what_is_judged_is_what_comes_after_the_delimiters(folder: Path) -> None:
    data = Examples(folder / "data" / "train")
    batch = pack(data, [1])
    ids = batch.packed.ids
    assert torch.equal(ids[batch.rows + 1], batch.targets)
    assert batch.targets[-1] == END
    assert batch.parts.tolist() == [1] * 10 + [2] * 10 + [3]
    assert int(batch.rows[0]) == 11  # from the second token of the prefix on: its first stands for the path line


def test_the_schedule() -> None:
    schedule = Schedule(rate=1.0, warm_up_tokens=100, tokens=900)
    assert schedule.rate_at(0) == pytest.approx(0.01)
    assert schedule.rate_at(100) == schedule.rate_at(599) == 1.0
    assert not schedule.is_decaying(599)
    assert schedule.is_decaying(600)
    assert 0.01 < schedule.rate_at(899) < 0.02
    assert schedule.rate_at(750) == pytest.approx(0.505)
    longer = Schedule(rate=1.0, warm_up_tokens=100, tokens=900, decay_share=2 / 3)
    assert longer.rate_at(299) == 1.0
    assert longer.rate_at(600) == pytest.approx(0.505)


def test_when_a_run_begins_to_round() -> None:
    def rounded_from(**shares: float) -> int | None:
        schedule = Schedule(rate=1.0, warm_up_tokens=100, tokens=900, **shares)
        return next((seen for seen in range(900) if schedule.is_rounding(seen)), None)

    assert rounded_from(rounding_share=1.0) == 0
    assert rounded_from(rounding_share=1 / 2) == 450
    assert rounded_from(rounding_share=1 / 3, decay_share=2 / 3) == 300  # where its rate falls, at the latest
    assert rounded_from(rounding_share=0.0) is None


def test_a_run_that_has_to_end_in_time_plans_its_tokens_by_its_speed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A clock that goes on whenever it is looked at: about 0.4 s a step.
    ticks = count()
    monkeypatch.setattr("training.trainer.time.monotonic", lambda: 0.1 * next(ticks))
    options = replace(OPTIONS, tokens=1_000_000, within=40.0)
    run = trainer(folder, "timed", options)
    records = list(run.train())
    assert 38 <= 0.1 * next(ticks) <= 42
    assert run.seen == records[-1]["seen"] >= run.schedule.tokens
    assert records[-1]["rate"] < 0.1 * OPTIONS.rate
    # It is at its end, and stays so.
    saved = (folder / "timed" / LATEST).read_bytes()
    assert list(trainer(folder, "timed", options).train()) == []
    assert (folder / "timed" / LATEST).read_bytes() == saved
    # One that was stopped before keeps to its plan until its speed is known again.
    stable = load(folder / "timed" / STABLE, CPU)
    (folder / "timed" / STABLE).rename(folder / "timed" / LATEST)
    assert trainer(folder, "timed", options).schedule.tokens == stable["planned"] < 1_000_000


def test_a_plot_has_room_for_every_share() -> None:
    axis = Figure().subplots()
    _plot_shares([{"seen": seen, "validation": {"line exact": 0.97}} for seen in (1_000, 2_000)], axis)
    low, high = axis.get_ylim()
    assert low == 0 and high > 97


def test_a_shard_that_is_not_what_its_manifest_says_is_refused(folder: Path) -> None:
    ids = folder / "data" / "train" / "0000.u16"
    data = bytearray(ids.read_bytes())
    data[5] ^= 1
    ids.write_bytes(data)
    with pytest.raises(ValueError, match="write the shards again"):
        Examples(folder / "data" / "train")
    assert json.loads((folder / "data" / "train" / "manifest.json").read_text())["tokens"] > 0


def test_all_matrices_rounded_together_are_those_rounded_one_by_one(folder: Path) -> None:
    masters = Masters(folder / "base.gguf", CPU, seed=1)
    for tensor in masters.tensors.values():
        tensor.add_(0.02 * torch.randn(tensor.shape, generator=torch.Generator().manual_seed(3)))
    apart, together = Model(masters.sizes), Model(masters.sizes)
    masters.publish(apart, rounding=True)
    masters.publish_together(together)
    for name, parameter in apart.named_parameters():
        assert torch.equal(parameter, together.get_parameter(name)), name


def test_a_validation_is_one_pass_a_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = trainer(folder, "run")
    sizes: list[int] = []
    hidden = Model.hidden

    def counted(model: Model, packed: Packed) -> torch.Tensor:
        sizes.append(len(packed.ids))
        return hidden(model, packed)

    monkeypatch.setattr(Model, "hidden", counted)
    one.validate()
    numbers = one.validation.first(OPTIONS.validation_tokens)
    assert sum(sizes) == sum(int(one.validation.index["length"][number]) for number in numbers)


def test_validations_come_by_tokens_and_say_which_middles_are_right(folder: Path) -> None:
    options = replace(OPTIONS, tokens=2_048, validation_interval=512, checkpoint_seconds=1e9)
    records = list(Trainer(folder / "base.gguf", folder / "data", folder / "run", options, CPU).train())
    validations = [record["validation"] for record in records if "validation" in record]
    assert len(validations) == 4
    assert [one["validation"] for one in read_log(folder / "run") if "validation" in one] == validations
    assert all(0 <= shares["line exact"] <= shares["line second half"] <= 1 for shares in validations)
