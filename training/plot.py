"""The losses of a run, and how many middles it gets right, from its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from training.batches import PARTS

# Shares of middles, as `training.exactness` names them, by what the plot calls them.
_SHARES = {"line exact": "lines", "line second half": "second half of a line", "block exact": "blocks"}
# Steps that a point of the learned losses is the mean of.
_SMOOTH = 25


def read_log(run: Path) -> list[dict[str, Any]]:
    """The records of a run; what was lost and done again after a restart counts as it was done last."""
    records: list[dict[str, Any]] = []
    for line in (run / "log.jsonl").read_text().splitlines():
        record = json.loads(line)
        while records and records[-1]["step"] >= record["step"]:
            records.pop()
        records.append(record)
    return records


def plot(run: Path, out: Path) -> None:
    """Writes an image of losses, by part of the examples, and right middles against the tokens seen; the format is that of `out`'s suffix."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    records = read_log(run)
    figure, axes = pyplot.subplots(1, len(PARTS) + 1, figsize=(3.6 * len(PARTS) + 4, 3.4), constrained_layout=True)
    for part, axis in zip(PARTS, axes[:-1], strict=True):
        points = [(one["seen"] / 1e6, one["loss"][part]) for one in records if part in one["loss"]]
        groups = [points[at : at + _SMOOTH] for at in range(0, len(points), _SMOOTH)]
        axis.plot(
            [group[-1][0] for group in groups],
            [sum(loss for _, loss in group) / len(group) for group in groups],
            color="#9a9a9a",
            label="learned",
        )
        judged = [(one["seen"] / 1e6, one["validation"][part]) for one in records if part in one.get("validation", {})]
        axis.plot([x for x, _ in judged], [y for _, y in judged], color="#d9480f", marker=".", label="validation")
        rounded = next((one["seen"] / 1e6 for one in records if one["rounding"]), None)
        if rounded is not None:
            axis.axvline(rounded, color="#9a9a9a", linestyle=":", linewidth=1)
        axis.set_title(part)
        axis.set_xlabel("million tokens seen")
    axes[0].set_ylabel("nats a token")
    axes[0].legend(frameon=False)
    _plot_shares([one for one in records if "validation" in one], axes[-1])
    figure.savefig(out)


def _plot_shares(judged: list[dict[str, Any]], axis: Any) -> None:
    for share, label in _SHARES.items():
        points = [(one["seen"] / 1e6, 100 * one["validation"][share]) for one in judged if share in one["validation"]]
        axis.plot([x for x, _ in points], [y for _, y in points], marker=".", label=label)
    axis.set_title("right middles")
    axis.set_xlabel("million tokens seen")
    axis.set_ylabel("% of held-back files'")
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False, loc="upper left", ncols=1, fontsize="small")
