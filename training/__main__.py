"""`python -m training COMMAND`: from packages to a model file. README.md tells the whole way."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from training.paths import cache, shipped_model


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        # Here alone, since most commands work without it.
        for name in ("base", "taught"):
            if getattr(options, name, "") is None:
                setattr(options, name, shipped_model())
        return options.command(options)
    except (OSError, ValueError) as error:
        print(f"training: {error}", file=sys.stderr)
        return 1


def _lock(_: argparse.Namespace) -> int:
    from training.corpus.lock import lock

    lock(cache())
    return 0


def _corpus(options: argparse.Namespace) -> int:
    from training.corpus.build import build, build_held_out

    if options.held_out:
        build_held_out(cache())
    else:
        build(cache())
    return 0


def _notices(options: argparse.Namespace) -> int:
    from training.corpus.notices import notices
    from training.corpus.packages import LIST, read_packages

    options.out.write_text(notices(read_packages(LIST), cache()), encoding="utf-8")
    return 0


def _shards(options: argparse.Namespace) -> int:
    from training.examples.build import build_shards
    from training.examples.mixture import Mixture

    try:
        mixture = Mixture(**json.loads(options.mixture or "{}"))
    except TypeError as error:
        names = ", ".join(Mixture.__dataclass_fields__)
        raise ValueError(f"--mixture takes a JSON object of {names}: {error}") from None
    manifest = build_shards(
        cache() / "corpus" / "train.jsonl.gz", options.base, options.data, mixture, options.seed, options.tokens
    )
    print(f"{manifest['tokens']:,} tokens in {options.data}: {manifest['tokens_by_kind']}")
    return 0


def _own_text(options: argparse.Namespace) -> int:
    import torch

    from training.own_text import write_own_text

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    written = write_own_text(
        options.base, options.data / "retained", options.tokens, options.texts, options.seed, device
    )
    print(f"{written:,} tokens in {options.data / 'retained'}")
    return 0


def _train(options: argparse.Namespace) -> int:
    import torch

    from training.allocation import keep_freed_memory
    from training.trainer import Options, Trainer, shared_threads

    keep_freed_memory()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    names = [name for name in Options.__dataclass_fields__ if getattr(options, name, None) is not None]
    chosen = Options(**{name: getattr(options, name) for name in names})
    if device.type == "cpu":
        workers, threads = shared_threads(torch.get_num_threads(), chosen, options.workers)
        torch.set_num_threads(threads)
        chosen = replace(chosen, workers=workers)
    trainer = Trainer(options.base, options.data, options.run, chosen, device, options.retain)
    print(f"{trainer.seen:,} of {options.tokens:,} tokens are seen", flush=True)
    for record in trainer.train():
        if record["step"] % 10 == 0 or "validation" in record:
            print(json.dumps(record), flush=True)
    return 0


def _drop_one(options: argparse.Namespace) -> int:
    import torch

    from training.allocation import keep_freed_memory
    from training.drop_one import drop_one
    from training.trainer import Options, shared_threads

    keep_freed_memory()
    chosen = Options(
        options.tokens,
        warm_up_tokens=options.tokens // 10,
        checkpoint_seconds=3_600.0,
        validation_tokens=options.judged_tokens,
        compile=options.compile,
    )
    workers, threads = shared_threads(torch.get_num_threads(), chosen)
    torch.set_num_threads(threads)
    chosen = replace(chosen, workers=workers)
    print(drop_one(cache() / "corpus" / "train.jsonl.gz", options.base, options.folder, chosen, options.rows))
    return 0


def _pack(options: argparse.Namespace) -> int:
    from training.packed_run import pack_run

    pack_run(options.run / options.checkpoint, options.base, options.out, options.full)
    print(options.out)
    return 0


def _between(options: argparse.Namespace) -> int:
    from training.between import between, texts_of

    texts = None if options.full else texts_of(options.data, options.tokens)
    between(options.taught, options.general, options.share, options.out, texts)
    print(options.out)
    return 0


def _plot(options: argparse.Namespace) -> int:
    from training.plot import plot

    plot(options.run, options.out)
    return 0


def _smoke(options: argparse.Namespace) -> int:
    from training.smoke import default_folder, smoke

    smoke(options.folder or default_folder())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    data, run = cache() / "shards", cache() / "run"

    lock = commands.add_parser("lock", help="fill in licences and checksums of new packages in packages.toml")
    lock.set_defaults(command=_lock)

    corpus = commands.add_parser("corpus", help="fetch the packages, filter their files and leave out near-duplicates")
    corpus.add_argument("--held-out", action="store_true", help="only the packages that models are judged on")
    corpus.set_defaults(command=_corpus)

    notices = commands.add_parser("notices", help="write who made what the model is taught with, from the archives")
    notices.add_argument("--out", type=Path, required=True)
    notices.set_defaults(command=_notices)

    shards = commands.add_parser("shards", help="turn the corpus into tokenized examples")
    shards.add_argument("--base", type=Path, help="the model whose tokenizer is used; default: the shipped one")
    shards.add_argument("--data", type=Path, default=data)
    shards.add_argument("--mixture", help="JSON of what differs from the recipe, such as '{\"plain\": 0.5}'")
    shards.add_argument("--tokens", type=int, help="about how many; default: as many as the corpus has")
    shards.add_argument("--seed", type=int, default=1)
    shards.set_defaults(command=_shards)

    own = commands.add_parser("own-text", help="have a general model write texts, so that what it knows can be kept")
    own.add_argument("--base", type=Path, required=True, help="the model that writes")
    own.add_argument("--data", type=Path, default=data)
    own.add_argument("--tokens", type=int, default=4_000_000)
    own.add_argument("--texts", type=int, default=64, help="at a time: some thousands on a GPU")
    own.add_argument("--seed", type=int, default=1)
    own.set_defaults(command=_own_text)

    train = commands.add_parser("train", help="learn, from the newest checkpoint or else from the base model")
    train.add_argument("--base", type=Path, help="the model that is taught; default: the shipped one")
    train.add_argument("--data", type=Path, default=data)
    train.add_argument("--run", type=Path, default=run)
    train.add_argument("--tokens", type=int, required=True, help="of the whole run")
    train.add_argument("--rate", type=float)
    train.add_argument("--warm-up-tokens", type=int)
    train.add_argument(
        "--rounding-share",
        type=float,
        help="the last part of the run that is learned with rounding: 1/3 to 1 (default), or 0, to judge what it costs",
    )
    train.add_argument("--decay-share", type=float, help="the last part of the run, in which the rate falls")
    train.add_argument(
        "--retain", type=Path, help="a model that what `own-text` wrote is from: what it knows of it is held on to"
    )
    train.add_argument("--retain-share", type=float, help="tokens of that for each token that is learned")
    train.add_argument("--step-tokens", type=int)
    train.add_argument("--micro-tokens", type=int)
    train.add_argument("--seed", type=int)
    train.add_argument("--checkpoint-seconds", type=float)
    train.add_argument("--validation-tokens", type=int)
    train.add_argument(
        "--validation-interval", type=int, help="tokens between two validations; default: at checkpoints"
    )
    train.add_argument(
        "--all-embeddings", action="store_true", default=None, help="learn all embeddings, not the delimiters' alone"
    )
    train.add_argument(
        "--compile", action="store_true", default=None, help="compile the layers; faster from some hundred steps on"
    )
    train.add_argument("--seconds", type=float, help="stop after so long, with a checkpoint to go on from")
    train.add_argument(
        "--within", type=float, help="seconds from now in which the run ends: how many tokens it has follows"
    )
    train.add_argument(
        "--workers", type=int, help="passes at a time, which share the processors; default: as many as a step has there"
    )
    train.set_defaults(command=_train)

    pack = commands.add_parser("pack", help="write a checkpoint as a model file")
    pack.add_argument("--base", type=Path, help="default: the shipped model")
    pack.add_argument("--run", type=Path, default=run)
    pack.add_argument("--checkpoint", default="latest.pt")
    pack.add_argument("--full", action="store_true", help="as half floats: to judge what rounding costs")
    pack.add_argument("--out", type=Path, required=True)
    pack.set_defaults(command=_pack)

    between = commands.add_parser("between", help="write what lies between a taught model and the one it was made from")
    between.add_argument("--taught", type=Path, help="default: the shipped model")
    between.add_argument("--general", type=Path, required=True)
    between.add_argument("--share", type=float, default=0.9, help="of the taught one, 0 to 1")
    between.add_argument("--data", type=Path, default=data, help="shards, with what `own-text` wrote")
    between.add_argument("--tokens", type=int, default=73_728, help="of them to read while weights are rounded")
    between.add_argument(
        "--full", action="store_true", help="do not round, but to half floats: to judge what that costs"
    )
    between.add_argument("--out", type=Path, required=True)
    between.set_defaults(command=_between)

    plot = commands.add_parser("plot", help="draw the losses of a run")
    plot.add_argument("--run", type=Path, default=run)
    plot.add_argument("--out", type=Path, required=True)
    plot.set_defaults(command=_plot)

    drop = commands.add_parser("drop-one", help="what each part of the mixture is worth: short runs without it")
    drop.add_argument("--base", type=Path, help="default: the shipped model")
    drop.add_argument("--folder", type=Path, default=cache() / "drop_one")
    drop.add_argument("--tokens", type=int, default=160_000, help="of each run")
    drop.add_argument("--judged-tokens", type=int, default=60_000)
    drop.add_argument("--rows", default="", help="those whose names the regular expression matches alone")
    drop.add_argument("--compile", action="store_true", help="compile the layers; faster from some hundred steps on")
    drop.set_defaults(command=_drop_one)

    smoke = commands.add_parser(
        "smoke", help="the whole way in a few minutes: examples, learning, resuming, packing, reading back"
    )
    smoke.add_argument("--folder", type=Path, help="an empty one, or one that is not there; default: in the cache")
    smoke.set_defaults(command=_smoke)
    return parser


if __name__ == "__main__":
    sys.exit(main())
