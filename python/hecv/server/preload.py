"""Loads what processes that are forked from this one would otherwise load each for itself."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages
from typing import Final

import hecv
from hecv.laws.all_laws import LAWS
from hecv.mlir.importer import parse

LEFT: Final = ("hecv.__main__", "hecv.jax", "hecv.torch", "hecv.rewrite.fx_rewriting")
"""Not loaded before it is asked for: what takes seconds to load."""

ALSO: Final = ("importlib.metadata", "numpy")
"""Modules that the package loads where it needs them."""

THREADED: Final = ("egglog.bindings", "torch", "jax")
"""Modules with threads, which do not survive a fork."""

POOLS: Final = "OPENBLAS_NUM_THREADS"
"""The environment variable by which NumPy's linear algebra, which is not used here, makes no threads at its start."""


def preload() -> None:
    """Loads all of hecv, the equations of the book, which are traced where a goal asks for them, and what MLIR makes
    once for all its contexts.

    Ensures: this process has no more threads than before, and none of `THREADED` is loaded by this.
    """
    before, threads = set(sys.modules), _threads()
    with _without_pools():
        for module in walk_packages(hecv.__path__, "hecv."):
            if not module.name.startswith(LEFT):
                import_module(module.name)
        for name in ALSO:
            import_module(name)
    for law in LAWS:
        assert law.root and law.arity >= 0
    parse("module {}", "-", guarded=False)
    assert not {*THREADED} & (sys.modules.keys() - before)
    assert _threads() <= threads
    gc.collect()
    gc.freeze()


@contextmanager
def _without_pools() -> Generator[None]:
    given = os.environ.get(POOLS)
    os.environ[POOLS] = "1"
    try:
        yield
    finally:
        del os.environ[POOLS]
        if given is not None:
            os.environ[POOLS] = given


def _threads() -> int:
    """Threads of this process, those of libraries included."""
    return len(os.listdir("/proc/self/task"))
