"""Loads what processes that are forked from this one would otherwise load each for itself."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pkgutil import walk_packages

import hecv

LEFT = ("hecv.__main__", "hecv.jax", "hecv.torch", "hecv.rewrite.fx_rewriting")
"""Not loaded before it is asked for: what takes seconds to load."""


def load() -> None:
    """All of hecv, and the equations of the book, which are traced where a goal asks for them.

    Ensures: neither egglog, whose threads would not survive a fork, nor torch nor jax is loaded by this.
    """
    before = set(sys.modules)
    for module in walk_packages(hecv.__path__, "hecv."):
        if not module.name.startswith(LEFT):
            import_module(module.name)
    from hecv.laws.all_laws import LAWS

    for law in LAWS:
        assert law.root and law.arity >= 0
    assert not {"egglog.bindings", "torch", "jax"} & (sys.modules.keys() - before)
    gc.collect()
    gc.freeze()
