"""The loop: a step at a time, with checkpoints from which it goes on bit for bit."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from training import checkpoint
from training.allocation import give_back_memory
from training.batches import PARTS, Batch, Cursor, Stream, pack
from training.corpus.fetch import sha256_of
from training.exactness import Exactness, middles
from training.loss import divergence_and_gradient, loss_and_gradient_to_fuse
from training.model import Judged, Model
from training.retained import Retained
from training.schedule import DECAY_SHARE, Schedule
from training.shards import Examples
from training.weights import LAYOUT_TOKENS, Masters

LATEST = "latest.pt"
# The last checkpoint before the rate falls: a longer run goes on from here.
STABLE = "stable.pt"
# Steps before the speed of a run that has to end in time is measured: the first ones compile.
_WARM_STEPS = 30

Gradients = tuple[torch.Tensor, ...]  # of the parameters, in their order
Pass = tuple[torch.Tensor, torch.Tensor | None, Gradients]  # losses, divergences, gradients


@dataclass(frozen=True)
class Options:
    tokens: int  # of the whole run
    rate: float = 5e-4
    warm_up_tokens: int = 100_000
    rounding_share: float = 1.0
    decay_share: float = DECAY_SHARE
    step_tokens: int = 4096
    micro_tokens: int = 2048  # of one forward and backward pass
    workers: int = 1  # passes at a time, of as many threads each as the one that makes the trainer computes with
    clip: float = 1.0
    seed: int = 1
    all_embeddings: bool = False
    retain_share: float = 0.07  # tokens of what shall be kept, for each token that is learned
    checkpoint_seconds: float = 600.0
    validation_tokens: int = 24_000
    validation_interval: int | None = None  # tokens seen between two validations; None: one with each checkpoint
    compile: bool = False
    seconds: float | None = None  # after which it stops, with a checkpoint; None: at the end of the run
    # Seconds from its start, or from when it goes on, in which the run ends: its tokens, and with them the rate, follow from the speed.
    within: float | None = None

    @property
    def pass_tokens(self) -> int:
        """Of one forward and backward pass: never more than of a step."""
        return min(self.micro_tokens, self.step_tokens)


class Trainer:
    def __init__(
        self, base: Path, data: Path, run: Path, options: Options, device: torch.device, known: Path | None = None
    ) -> None:
        """
        known: the model whose law is kept on the examples of `data`/retained (`training.retained`); None: nothing is.

        ValueError where the newest checkpoint of `run` was learned from another base.
        """
        self.options = options
        self.schedule = Schedule(
            options.rate, options.warm_up_tokens, options.tokens, options.rounding_share, options.decay_share
        )
        self._run = run
        self._base = sha256_of(base)
        self._device = device
        self._masters = Masters(base, device, options.seed)
        self._model = Model(self._masters.sizes, None if options.all_embeddings else LAYOUT_TOKENS)
        self._model.to(device=device, dtype=torch.bfloat16)
        self._parameters = dict(self._model.named_parameters())
        self._workers = worker_pool(options.workers) if options.workers > 1 else None
        self._optimiser = torch.optim.AdamW(
            list(self._masters.tensors.values()), betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0, fused=True
        )
        self._stream = Stream(Examples(data / "train"), options.seed, Cursor())
        self.validation = Examples(data / "validation")
        self._retained = None if known is None else Retained(known, data / "retained", options.seed, device)
        self.seen = 0
        self._step = 0
        self._decaying = False
        self._fresh = True
        self._rounding = self.schedule.is_rounding(0)
        if options.compile:
            compile_layers(self._model, device)
            if self._retained is not None:
                compile_layers(self._retained.known, device)
        resumed = run / LATEST
        if resumed.exists():
            state = checkpoint.load(resumed, device)
            checkpoint.check_base(state, base, resumed)
            self._restore(state)
        self._masters.publish(self._model, self._rounding)

    @property
    def masters(self) -> Masters:
        return self._masters

    @property
    def model(self) -> Model:
        """What computes: its weights are bfloat16."""
        return self._model

    def train(self) -> Iterator[dict[str, Any]]:
        """Goes on to the end of the run, or until its time is up; yields a record a step, and has written it to the log."""
        self._run.mkdir(parents=True, exist_ok=True)
        began = saved = time.monotonic()
        validated = self.seen
        pace = None if self.options.within is None else Pace(began + self.options.within)
        with (self._run / "log.jsonl").open("a", buffering=1) as log:
            while self.seen < self.schedule.tokens:
                self._enter_part()
                record = self._one_step()
                if pace is not None:
                    self.schedule = replace(self.schedule, tokens=pace.tokens(self.seen, self.schedule.tokens))
                out_of_time = self.options.seconds is not None and time.monotonic() - began >= self.options.seconds
                last = out_of_time or self.seen >= self.schedule.tokens
                saving = last or time.monotonic() - saved >= self.options.checkpoint_seconds
                # Before what is saved, or a run that is killed in between never tells of this step; once more with what was judged.
                log.write(json.dumps(record) + "\n")
                if saving:
                    self.save(LATEST)
                if saving or self._is_due(validated):
                    record |= {"validation": self.validate()}
                    log.write(json.dumps(record) + "\n")
                    validated = self.seen
                if saving:
                    give_back_memory()
                    saved = time.monotonic()
                yield record
                if out_of_time:
                    return

    def _is_due(self, validated: int) -> bool:
        interval = self.options.validation_interval
        return interval is not None and self.seen - validated >= interval

    def _enter_part(self) -> None:
        """Keeps what a longer run goes on from, and begins to round when it is time."""
        if self.schedule.is_decaying(self.seen) and not self._decaying:
            self.save(STABLE)
            self._decaying = True
        if self.schedule.is_rounding(self.seen) and not self._rounding:
            self._rounding = True
            self._masters.publish(self._model, rounding=True)

    def _one_step(self) -> dict[str, Any]:
        began = time.monotonic()
        rate = self.schedule.rate_at(self.seen)
        micro = self.options.pass_tokens
        batches = [self._stream.take(micro) for _ in range(max(1, self.options.step_tokens // micro))]
        total = float(sum(batch.weights.sum() for batch in batches))
        losses = PartLosses()
        for batch, (each, divergences, gradients) in zip(batches, self._passes(batches, total), strict=True):
            losses.add(batch, each)
            losses.add_divergences(divergences)
            self._accumulate(gradients)
        norm = torch.nn.utils.clip_grad_norm_(list(self._masters.tensors.values()), self.options.clip)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.step()
        self._optimiser.zero_grad()
        self._masters.publish(self._model, self._rounding, self._workers)
        # What is compiled for examples that are kept has yet to be, where none came.
        keeps = self._retained is not None and self.options.retain_share > 0
        self._fresh = self._fresh and keeps and not losses.has_divergences
        tokens = sum(batch.tokens for batch in batches)
        self.seen += tokens
        self._step += 1
        seconds = time.monotonic() - began
        return {
            "step": self._step,
            "seen": self.seen,
            "rate": rate,
            "rounding": self._rounding,
            "norm": float(norm),
            "tokens_per_second": tokens / seconds,
            "loss": losses.means(),
        }

    def _passes(self, batches: list[Batch], total: float) -> Iterator[Pass]:
        """
        The losses, divergences and gradients of each batch, in their order, so that sums do not depend on which is done first. With each
        go some of the examples that are kept.
        """

        def one(batch: Batch, kept: Judged | None) -> Pass:
            moved = batch.to(self._device)
            judged = Judged(moved.packed, moved.rows, moved.weights / total)
            divergences = None
            if kept is None or self._retained is None:
                loss, each = self._model.loss(judged.packed, judged.rows, moved.targets, judged.weights)
            else:
                known = self._retained.known
                loss, each, divergences = self._model.loss_and_divergence(judged, moved.targets, kept, known)
            return each, divergences, torch.autograd.grad(loss, list(self._parameters.values()))

        kept = [self._kept(batch.tokens, total) for batch in batches]
        # What a first step compiles, it compiles in one thread.
        alone = self._workers is None or self._fresh
        return map(one, batches, kept) if alone else self._workers.map(one, batches, kept)

    def _kept(self, tokens: int, total: float) -> Judged | None:
        """What goes with a batch of so many tokens of what shall be kept."""
        return None if self._retained is None else self._retained.take(self.options.retain_share * tokens, total)

    def _accumulate(self, gradients: Gradients) -> None:
        """Adds the gradient of one forward and backward pass to the masters'."""
        for name, gradient in zip(self._parameters, gradients, strict=True):
            master = self._masters.tensors[name]
            master.grad = gradient.float() if master.grad is None else master.grad.add_(gradient)

    def validate(self) -> dict[str, float]:
        """On the first examples that are never learned: see `judged`."""
        found = self.judged(self.validation.first(self.options.validation_tokens))
        if self._retained is not None:
            found["divergence"] = self._retained.judged(self._model, self.options.micro_tokens)
        return found

    @torch.no_grad()
    def judged(self, examples: Iterable[int]) -> dict[str, float]:
        """Of validation examples of these numbers: mean losses by part, nats a token, and the shares of middles that are right."""
        losses, exactness = PartLosses(), Exactness()
        numbers: list[int] = []
        tokens = 0
        for number in examples:
            length = int(self.validation.index["length"][number])
            if numbers and tokens + length > self.options.micro_tokens:
                self._judge(numbers, losses, exactness)
                numbers, tokens = [], 0
            numbers.append(number)
            tokens += length
        if numbers:
            self._judge(numbers, losses, exactness)
        return losses.means() | exactness.shares()

    def _judge(self, numbers: list[int], losses: PartLosses, exactness: Exactness) -> None:
        batch = pack(self.validation, numbers).to(self._device)
        rows, places = middles(self.validation, numbers)
        judged = Judged(batch.packed, batch.rows, batch.weights)
        each, likeliest = self._model.losses_and_likeliest(judged, batch.targets, rows.to(self._device))
        losses.add(batch, each)
        exactness.add(places, (likeliest.cpu() == batch.packed.ids.cpu()[rows + 1]).tolist())

    def save(self, name: str) -> None:
        checkpoint.save(
            self._run / name,
            {
                "base": self._base,
                "options": asdict(self.options),
                "masters": self._masters.tensors,
                "optimiser": self._optimiser.state_dict(),
                "cursor": asdict(self._stream.cursor),
                "retained": None if self._retained is None else asdict(self._retained.stream.cursor),
                "owed": 0.0 if self._retained is None else self._retained.owed,
                "seen": self.seen,
                "planned": self.schedule.tokens,
                "step": self._step,
                "decaying": self._decaying,
                "rounding": self._rounding,
            },
        )

    def _restore(self, state: dict[str, Any]) -> None:
        self._masters.load(state["masters"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._stream = self._stream.at(Cursor(**state["cursor"]))
        kept = state.get("retained")
        if self._retained is not None and kept is not None:
            self._retained.go_on_at(Cursor(**kept), state.get("owed", 0.0))
        self.seen, self._step = state["seen"], state["step"]
        if self.options.within is not None:
            self.schedule = replace(self.schedule, tokens=state.get("planned", self.schedule.tokens))
        self._decaying, self._rounding = state["decaying"], state["rounding"]


class Pace:
    """How many tokens a run will have seen when its time is up, by its speed so far, validations and all."""

    def __init__(self, deadline: float) -> None:
        """deadline: of `time.monotonic`."""
        self._deadline = deadline
        self._steps = 0
        self._from: tuple[int, float] | None = None

    def tokens(self, seen: int, planned: int) -> int:
        """After another step, `seen` tokens in all; what was planned is kept to until the speed is known."""
        now = time.monotonic()
        self._steps += 1
        if now >= self._deadline:
            return seen
        if self._steps <= _WARM_STEPS or self._from is None:
            self._from = (seen, now)
            return planned
        first, began = self._from
        return seen + max(1, int((self._deadline - now) * (seen - first) / (now - began)))


def shared_threads(threads: int, options: Options, workers: int | None = None) -> tuple[int, int]:
    """
    How many workers `threads` processors are divided among, and the threads of each: those in step wait for each other at every operation, so
    there are as many workers as a step has passes, where there are processors for them. workers: another number of them.
    """
    if workers is None:
        workers = max(1, min(threads, options.step_tokens // options.pass_tokens))
    return workers, max(1, threads // workers)


def worker_pool(workers: int) -> ThreadPoolExecutor:
    """Each computes with as many threads as the caller does."""
    return ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(torch.get_num_threads(),))


class PartLosses:
    """Mean losses by part of the examples."""

    def __init__(self) -> None:
        self._sums = torch.zeros(len(PARTS), dtype=torch.float64)
        self._counts = torch.zeros(len(PARTS), dtype=torch.float64)
        self._divergences: list[torch.Tensor] = []

    def add(self, batch: Batch, losses: torch.Tensor) -> None:
        parts = batch.parts.cpu()
        self._sums.index_add_(0, parts, losses.detach().double().cpu())
        self._counts += torch.bincount(parts, minlength=len(PARTS))

    def add_divergences(self, divergences: torch.Tensor | None) -> None:
        if divergences is not None:
            self._divergences.append(divergences.detach())

    @property
    def has_divergences(self) -> bool:
        return bool(self._divergences)

    def means(self) -> dict[str, float]:
        """Nats a token, of the parts that occurred."""
        pairs = zip(PARTS, self._sums.tolist(), self._counts.tolist(), strict=True)
        found = {part: total / count for part, total, count in pairs if count > 0}
        return found | ({"divergence": float(torch.cat(self._divergences).mean())} if self._divergences else {})


def compile_layers(model: Model, device: torch.device) -> None:
    """Has what surrounds the attention of each layer compiled: it is bound by memory otherwise, and so is a GPU's softmax over the vocabulary."""
    for layer in model.blk:
        layer.before_attention = torch.compile(layer.before_attention, dynamic=True)  # type: ignore[method-assign]
        layer.after_attention = torch.compile(layer.after_attention, dynamic=True)  # type: ignore[method-assign]
    if device.type == "cuda":
        model.of_logits = torch.compile(loss_and_gradient_to_fuse, dynamic=True)
        model.of_known_logits = torch.compile(divergence_and_gradient, dynamic=True)
