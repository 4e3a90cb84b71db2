"""Chooses a format for every tensor so that a file of a given size loses the least."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from training.gguf.block_formats import format_named
from training.gguf.reader import GgufFile
from training.gguf.values import GgufError

# Of a tensor's name and a format's, how much worse the model becomes when that tensor alone has that format: a rise of the
# loss in nats, or any other measure that can be added up.
Harm = Callable[[str, str], float]


def choose_formats(
    base: GgufFile,
    candidates: Mapping[str, Sequence[str]],
    harm: Harm,
    budget: int | None = None,
) -> dict[str, str]:
    """
    The format of each tensor in `candidates`, for `pack`; the others keep the base's.

    Every tensor begins with its smallest candidate; then the change that saves the most harm a byte is made, again and
    again, as long as one fits. budget: bytes of all tensors together; what those of the base take when left out. Harms are
    taken to add up, and each is asked for once. GgufError where not even the smallest formats fit.
    """
    left = sum(info.size for info in base.tensors.values()) if budget is None else budget
    chosen: dict[str, str] = {}
    options: dict[str, list[tuple[int, float, str]]] = {}  # bytes, harm, format
    for name, info in base.tensors.items():
        names = candidates.get(name, ())
        options[name] = sorted((format_named(each).size(info.shape), harm(name, each), each) for each in names)
        if not names:
            left -= info.size
            continue
        size, _, chosen[name] = options[name][0]
        left -= size
    if left < 0:
        raise GgufError(
            f"The smallest formats take {-left} bytes more than the budget; allow more bytes or smaller formats."
        )
    at = {name: options[name][0] for name in chosen}
    while True:
        changes = [
            ((at[name][1] - worse) / (size - at[name][0]), name, (size, worse, each))
            for name in chosen
            for size, worse, each in options[name]
            if at[name][0] < size <= at[name][0] + left and worse < at[name][1]
        ]
        if not changes:
            return chosen
        _, name, option = max(changes)
        left -= option[0] - at[name][0]
        at[name] = option
        chosen[name] = option[2]
