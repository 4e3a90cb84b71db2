"""Memory that is given back to the system after each product has to be fetched again page by page: attention took twice as long."""

from __future__ import annotations

import ctypes
import sys

# <malloc.h> of the GNU C library.
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4
_M_ARENA_MAX = -8


def keep_freed_memory() -> None:
    """Has this process keep what it frees, until it ends. Elsewhere than with the GNU C library nothing happens."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    # One arena: those of other threads give memory back whatever is asked of them.
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)
        mallopt(_M_ARENA_MAX, 1)


def give_back_memory() -> None:
    """What lies free between pieces in use. Batches differ in length, so that the pieces' sizes do, and gaps grow by the hour."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
