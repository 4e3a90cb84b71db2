"""Makes a GGUF file of trained weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from training.gguf.block_formats import F16, F32, Format, Parts, encode, format_named
from training.gguf.reader import GgufFile, TensorInfo, read
from training.gguf.values import GgufError, Value
from training.gguf.writer import TensorToWrite, write
from training.model_metadata import describe
from training.quantise import encoded, on_grid, relative_error, searched


@dataclass(frozen=True)
class TensorReport:
    """What became of one tensor."""

    name: str
    format: str
    bytes: int
    relative_error: float  # of what is stored, against the weights given
    same_bytes: float  # share of the bytes that are the base's; 0 where the format is another


def pack(
    weights: Mapping[str, np.ndarray],
    base: Path,
    out: Path,
    formats: Mapping[str, str] | None = None,
    metadata: Mapping[str, Value] | None = None,
    blocks: Mapping[str, Parts] | None = None,
) -> list[TensorReport]:
    """
    Writes `weights` to `out`, in the network, with the tokenizer and in the order of `base`.

    weights: float32 of the shapes in `base`, by GGUF's names, rows in GGUF's order.
    formats: names of formats, by tensor, of those that shall not have the base's.
    blocks: of tensors in the base's format, where they are chosen already (`training.gptq`). What else keeps the base's format is rounded to
    the base's own blocks, as a trainer sees it by `training.rounding`; for the others scales are searched for.
    metadata: further values, or others in place of those that are there.

    GgufError where weights are missing, too many, not finite or of another shape, or blocks do not fit; `out` is then what it was before.
    """
    file = read(base)
    _check(weights, file)
    kinds = {name: info.format for name, info in file.tensors.items()}
    for name, wanted in (formats or {}).items():
        file.info(name)
        kinds[name] = format_named(wanted)
    for name, given in (blocks or {}).items():
        _check_blocks(given, file.info(name), kinds[name])
    reports: list[TensorReport] = []

    def data_of(info: TensorInfo) -> np.ndarray:
        kind = kinds[info.name]
        values = weights[info.name]
        rounded = (blocks or {}).get(info.name)
        try:
            if rounded is None and kind is info.format and kind.quantised:
                rounded = on_grid(values, kind, file.parts(info.name))
            data, error = _encoded(values, kind, rounded)
        except GgufError as problem:
            raise GgufError(f"{info.name}: {problem}") from problem
        same = float(np.mean(data == file.data(info.name))) if kind is info.format else 0.0
        reports.append(TensorReport(info.name, kind.name, data.size, error, same))
        return data

    values = describe(file.values, _main_format(file, kinds)) | dict(metadata or {})
    write(
        out,
        values,
        [TensorToWrite(name, info.shape, kinds[name], partial(data_of, info)) for name, info in file.tensors.items()],
    )
    return reports


def half_floats(base: GgufFile) -> dict[str, str]:
    """The formats of a file that rounds no weight to blocks: to judge what rounding costs."""
    return {name: F16.name for name, info in base.tensors.items() if info.format.quantised}


def _encoded(values: np.ndarray, kind: Format, blocks: Parts | None) -> tuple[np.ndarray, float]:
    """blocks: where they are chosen already."""
    if kind is F32:
        return encode(values, kind), 0.0
    if kind is F16:
        with np.errstate(over="ignore"):
            halves = values.astype(np.float16)
        if not np.isfinite(halves).all():
            raise GgufError("Some weights are too large for half floats; choose F32.")
        return encode(halves, kind), relative_error(values, halves.astype(np.float32))
    return encoded(values, searched(values, kind) if blocks is None else blocks, kind)


def _check(weights: Mapping[str, np.ndarray], file: GgufFile) -> None:
    missing = next((name for name in file.tensors if name not in weights), None)
    if missing is not None:
        raise GgufError(f"The weights have no {missing!r}; give every tensor of the base file.")
    for name, values in weights.items():
        info = file.info(name)
        if values.dtype != np.float32 or values.shape != info.shape:
            raise GgufError(
                f"{name} came as {values.dtype} of shape {values.shape}; "
                f"give float32 of shape {info.shape}, as in the base file."
            )
        if not np.isfinite(values).all():
            raise GgufError(f"{name} has weights that are not finite; take an earlier checkpoint of the training.")


def _check_blocks(blocks: Parts, info: TensorInfo, kind: Format) -> None:
    fits = (
        kind is info.format
        and kind.quantised
        and blocks.q.size == np.prod(info.shape)
        and (blocks.m is not None) == kind.has_offset
        and kind.low <= blocks.q.min()
        and blocks.q.max() <= kind.high
    )
    if not fits:
        raise GgufError(f"The blocks given for {info.name} are none of {kind.name} for its shape; choose them anew.")


def _main_format(file: GgufFile, kinds: Mapping[str, Format]) -> str:
    elements: Counter[str] = Counter()
    for name, info in file.tensors.items():
        elements[kinds[name].name] += int(np.prod(info.shape))
    return elements.most_common(1)[0][0]
