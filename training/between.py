"""A model between two: what a taught model has forgotten comes back, for some of what it has learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from training.batches import Cursor, Stream
from training.gguf.reader import GgufFile, read
from training.gguf.values import GgufError
from training.gptq import round_network
from training.model import Hyperparameters, Packed
from training.pack import TensorReport, half_floats, pack
from training.shards import Examples
from training.weights import LAYOUT_TOKENS

_EMBEDDINGS = "token_embd.weight"
_TOKENS = "tokenizer.ggml.tokens"

_OWN_TEXT = 1 / 3  # of what is read while weights are rounded
_AT_ONCE = 2048  # tokens


def between(
    taught: Path, general: Path, share: float, out: Path, texts: Sequence[Packed] | None = None
) -> list[TensorReport]:
    """
    Writes the model whose weights are `share` (0 to 1) the taught one's and the rest those of the general one that it was made
    from (WiSE-FT, Wortsman et al., 2022, arXiv:2109.01903). The embeddings of the layout's delimiters, which mean nothing to the
    general one, are the taught one's.

    What lies between lies on neither file's grid: the matrices are rounded anew to the taught one's formats, by what they do to `texts`.
    Without texts they are left half floats, for judging what rounding costs.

    GgufError where the two are not one network with one vocabulary, or the share is not from 0 to 1; ValueError where `texts` is empty.
    """
    if not 0 <= share <= 1:
        raise GgufError(f"A share of {share} lies outside the two models; give one from 0 to 1.")
    files = read(taught), read(general)
    _check(*files)
    tensors = files[0].tensors
    weights = {name: _mean(name, files, share) for name in tensors}
    if texts is None:
        return pack(weights, taught, out, half_floats(files[0]))
    formats = {name: info.format for name, info in tensors.items()}
    sizes = Hyperparameters.of_metadata(files[0].metadata)
    return pack(weights, taught, out, blocks=round_network(weights, sizes, formats, texts))


def texts_of(data: Path, tokens: int) -> list[Packed]:
    """About so many tokens of a folder's examples: of those that are learned, and of the general model's own text."""
    own = round(tokens * _OWN_TEXT)
    return _first(data / "train", tokens - own) + _first(data / "retained", own)


def _first(folder: Path, tokens: int) -> list[Packed]:
    """Fewer where the folder has not so many."""
    examples = Examples(folder)
    stream = Stream(examples, 1, Cursor())
    left = min(tokens, int(examples.index["length"].sum()))
    texts = []
    while left > 0:
        texts.append(stream.take(min(left, _AT_ONCE)).packed)
        left -= len(texts[-1].ids)
    return texts


def _mean(name: str, files: tuple[GgufFile, GgufFile], share: float) -> np.ndarray:
    taught, general = (file.decoded(name) for file in files)
    mean = np.float32(share) * taught + np.float32(1 - share) * general
    if name == _EMBEDDINGS:
        mean[list(LAYOUT_TOKENS)] = taught[list(LAYOUT_TOKENS)]
    return mean


def _check(taught: GgufFile, general: GgufFile) -> None:
    def network(file: GgufFile) -> tuple[object, ...]:
        shapes = {name: info.shape for name, info in file.tensors.items()}
        return Hyperparameters.of_metadata(file.metadata), shapes, file.metadata[_TOKENS]

    if network(taught) != network(general):
        raise GgufError(
            f"{general.path.name} is another network than {taught.path.name}, or has other tokens; "
            "give the model that the other was made from."
        )
