"""A child that parses texts for many says of each what a child for it alone would; one that it ends harms no other."""

from __future__ import annotations

import os

import pytest

from hecv.mlir.module import parsed_module

from .tasting import Taster

PLAIN = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n"
DEEP = "module {\n" * 100_000 + PLAIN + "}\n" * 100_000


def test_texts_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def passes(text: str, file: str) -> None:
        return None

    monkeypatch.setattr(parsed_module, "_check_depth", passes)
    taster = Taster()
    assert [taster(t) for t in (PLAIN, "func", DEEP, PLAIN, PLAIN)] == [True, False, None, True, True]


def test_a_child_ends_with_who_asks_it() -> None:
    taster = Taster()
    assert taster(PLAIN)
    child = taster._pid
    del taster
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
