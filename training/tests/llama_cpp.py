"""llama.cpp by its C interface, in the library that `npm run bench -- peer` installs.

Its parameter structs are passed by value. Both ABIs this runs on (System V x86-64, AArch64) pass and return a struct of more
than 16 bytes in memory, so a block larger than the real struct does as well: see bench/peer/llama_library.h.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int8, c_int32, c_void_p
from pathlib import Path

import numpy as np

_LogCallback = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)


class _Parameters(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint8 * 1024)]


class _Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", c_int32),
        ("token", POINTER(c_int32)),
        ("embd", POINTER(c_float)),
        ("pos", POINTER(c_int32)),
        ("n_seq_id", POINTER(c_int32)),
        ("seq_id", POINTER(POINTER(c_int32))),
        ("logits", POINTER(c_int8)),
    ]


def find_library(root: Path) -> Path | None:
    """The folder of the installed peer's libraries."""
    found = sorted((root / "build" / "bench" / "peer" / "node_modules" / "@node-llama-cpp").glob("*/bins/*/libllama.*"))
    return found[0].parent if found else None


class LlamaCpp:
    """A model, loaded; one context of 512 tokens."""

    def __init__(self, folder: Path, model: Path) -> None:
        for stem in ("libggml-base", "libggml"):
            ctypes.CDLL(str(next(folder.glob(f"{stem}.*"))), mode=ctypes.RTLD_GLOBAL)
        ggml = ctypes.CDLL(str(next(folder.glob("libggml.*"))))
        self._library = library = ctypes.CDLL(str(next(folder.glob("libllama.*"))))
        for name, result, arguments in (
            ("log_set", None, [_LogCallback, c_void_p]),
            ("model_default_params", _Parameters, []),
            ("context_default_params", _Parameters, []),
            ("model_load_from_file", c_void_p, [c_char_p, _Parameters]),
            ("init_from_model", c_void_p, [c_void_p, _Parameters]),
            ("model_get_vocab", c_void_p, [c_void_p]),
            ("vocab_n_tokens", c_int32, [c_void_p]),
            ("vocab_is_eog", c_bool, [c_void_p, c_int32]),
            ("batch_init", _Batch, [c_int32, c_int32, c_int32]),
            ("decode", c_int32, [c_void_p, _Batch]),
            ("get_logits_ith", POINTER(c_float), [c_void_p, c_int32]),
            *(
                (f"vocab_{key}", c_int32, [c_void_p])
                for key in ("eos", "eot", "fim_pre", "fim_suf", "fim_mid", "fim_sep")
            ),
            ("free", None, [c_void_p]),
            ("model_free", None, [c_void_p]),
        ):
            function = getattr(library, f"llama_{name}")
            function.restype, function.argtypes = result, arguments
        self._silent = _LogCallback(lambda *_: None)
        library.llama_log_set(self._silent, None)
        ggml.ggml_backend_load_all_from_path(str(folder).encode())
        library.llama_backend_init()
        self._model = library.llama_model_load_from_file(str(model).encode(), library.llama_model_default_params())
        assert self._model, f"llama.cpp does not load {model}"
        self._context = library.llama_init_from_model(self._model, library.llama_context_default_params())
        assert self._context, "llama.cpp makes no context"
        self._vocabulary = library.llama_model_get_vocab(self._model)

    def token(self, key: str) -> int:
        """Such as "eos" or "fim_pre"."""
        return getattr(self._library, f"llama_vocab_{key}")(self._vocabulary)

    def ends(self) -> set[int]:
        """The tokens that end a text."""
        count = self._library.llama_vocab_n_tokens(self._vocabulary)
        return {token for token in range(count) if self._library.llama_vocab_is_eog(self._vocabulary, token)}

    def logits_after(self, ids: list[int]) -> np.ndarray:
        """float32 [vocabulary]. To be called once: what it evaluates stays in the context."""
        batch = self._library.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, i, 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = i == len(ids) - 1
        assert self._library.llama_decode(self._context, batch) == 0
        row = self._library.llama_get_logits_ith(self._context, len(ids) - 1)
        return np.ctypeslib.as_array(row, (self._library.llama_vocab_n_tokens(self._vocabulary),)).copy()

    def close(self) -> None:
        self._library.llama_free(self._context)
        self._library.llama_model_free(self._model)
