"""
The weights that are learned: float32 masters, from which the weights that compute are made anew after each step.

With rounding on, those are what the shipped block format can hold, on the shipped file's own grid; the gradient with respect to
them is taken for the masters' (straight-through estimator, Bengio et al., 2013).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.gguf.block_formats import BLOCK
from training.gguf.reader import GgufFile, read
from training.layout_ids import END, ENDOFTEXT, FILE_SEPARATOR, MIDDLE, PREFIX, SUFFIX
from training.model import Hyperparameters, Model, weight_names
from training.model_metadata import LAYOUT_KEY
from training.rounding import Grid, round_to_grid

# Tokens whose embeddings are learned: those that the layout gives a meaning.
LAYOUT_TOKENS = (FILE_SEPARATOR, SUFFIX, PREFIX, END, MIDDLE)
# In a base that was not taught they begin as tokens that the network knows what to do with, this part of the embeddings' deviation
# apart; as they were, never trained, they lie far from all else. The end comes where a line break might, the others where a new text
# begins.
_LINE_BREAK = "\u010a"  # in the alphabet of bytes of GPT-2
_NOISE = 0.2


class Masters:
    def __init__(self, base: Path, device: torch.device, seed: int | None) -> None:
        """seed: of the delimiters' embeddings in a base that knows none; None leaves all as the file has it."""
        file = read(base)
        self.sizes = Hyperparameters.of_metadata(file.metadata)
        self._names = dict(weight_names(self.sizes))
        self._grids = {name: grid.to(device) for name, grid in self._read_grids(file).items()}
        self.tensors = {name: self._read(file, name).to(device) for name in self._names}
        if seed is not None and LAYOUT_KEY not in file.metadata:
            self._initialise_delimiters(file.metadata["tokenizer.ggml.tokens"].index(_LINE_BREAK), seed)  # type: ignore[attr-defined]

    def _read(self, file: GgufFile, name: str) -> Tensor:
        pieces = [file.decoded(part) for part, _ in self._names[name]]
        return torch.from_numpy(np.concatenate(pieces))

    def _read_grids(self, file: GgufFile) -> dict[str, Grid]:
        grids = {}
        for name, parts in self._names.items():
            kind = file.info(parts[0][0]).format
            if kind.quantised:
                grids[name] = Grid.below_one_another(
                    [Grid.of_parts(file.parts(part), kind, rows) for part, rows in parts]
                )
        return grids

    def _initialise_delimiters(self, line_break: int, seed: int) -> None:
        embeddings = self.tensors["token_embd"]
        like = [line_break if token == END else ENDOFTEXT for token in LAYOUT_TOKENS]
        random = torch.Generator().manual_seed(seed)
        noise = torch.randn(len(LAYOUT_TOKENS), self.sizes.width, generator=random).to(embeddings.device)
        embeddings[list(LAYOUT_TOKENS)] = embeddings[like] + _NOISE * embeddings.std(0) * noise

    @torch.no_grad()
    def load(self, tensors: dict[str, Tensor]) -> None:
        """Takes the values of a checkpoint."""
        for name, tensor in self.tensors.items():
            tensor.copy_(tensors[name])

    def rounded(self, name: str) -> Tensor:
        """What packing would keep of a weight."""
        grid = self._grids.get(name)
        return self.tensors[name] if grid is None else round_to_grid(self.tensors[name], grid)

    @torch.no_grad()
    def publish(self, model: Model, rounding: bool, workers: ThreadPoolExecutor | None = None) -> None:
        """Gives `model` the weights that it computes with, in its own dtype."""
        if rounding and self.tensors["token_embd"].is_cuda:
            self.publish_together(model)
            return

        def one(named: tuple[str, torch.nn.Parameter]) -> None:
            name, parameter = named
            parameter.data.copy_(self.rounded(name) if rounding else self.tensors[name])

        list((workers.map if workers else map)(one, model.named_parameters()))

    def publish_together(self, model: Model) -> None:
        """All matrices of one format as one: a GPU rounds them in the time that it takes to start the work on each of 120."""
        of_format: dict[tuple[int, int, bool], list[tuple[str, torch.nn.Parameter]]] = {}
        for name, parameter in model.named_parameters():
            grid = self._grids.get(name)
            if grid is None:
                parameter.data.copy_(self.tensors[name])
            else:
                of_format.setdefault((grid.low, grid.high, grid.m is None), []).append((name, parameter))
        for some in of_format.values():
            weights = torch.cat([self.tensors[name].view(-1, BLOCK) for name, _ in some])
            grid = Grid.below_one_another([self._grids[name].flat() for name, _ in some])
            rounded = round_to_grid(weights, grid).view(-1).split([parameter.numel() for _, parameter in some])
            for (_, parameter), values in zip(some, rounded, strict=True):
                parameter.data.copy_(values.view_as(parameter))

    def to_gguf(self) -> dict[str, np.ndarray]:
        """Masters by the names of the GGUF tensors, float32."""
        split: dict[str, np.ndarray] = {}
        for name, parts in self._names.items():
            whole = self.tensors[name].cpu().numpy()
            if whole.ndim == 1:
                split[parts[0][0]] = whole
                continue
            at = 0
            for part, rows in parts:
                split[part] = whole[at : at + rows]
                at += rows
        return split


def computing(model: Path, device: torch.device) -> Model:
    """A model as its file has it, in bfloat16."""
    masters = Masters(model, device, seed=None)
    made = Model(masters.sizes).to(device=device, dtype=torch.bfloat16)
    masters.publish(made, rounding=False)
    return made.requires_grad_(False)
