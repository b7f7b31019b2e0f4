"""What compilers got wrong, rebuilt from public reports: before, the wrong after, and what an input has to show.

`miscompiles/NAME.src.mlir` is the program, `NAME.tgt.mlir` what was made of it. The comments of the latter say whose
mistake it was, what is expected (the kind of difference, or `equivalent` for one that looks wrong and is right), and
the switches under which it is a mistake.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

PAIRS = Path(__file__).parent / "miscompiles"
NAMES = sorted(p.name.removesuffix(".tgt.mlir") for p in PAIRS.glob("*.tgt.mlir"))


def said(text: str, what: str) -> str:
    """What a comment of a target says after a word, nothing where there is no such comment."""
    found = re.search(rf"^// {what}: (.*)$", text, re.MULTILINE)
    return "" if found is None else found[1]


@pytest.mark.parametrize("name", NAMES)
def test_miscompile(name: str) -> None:
    source, target = ((PAIRS / f"{name}.{side}.mlir").read_text() for side in ("src", "tgt"))
    switches = said(target, "switches")
    options = Options(switches=Switches(index_wraps="wrap" in switches, may_overlap="may" in switches))
    report = check(source, target, (f"{name}.src.mlir", f"{name}.tgt.mlir"), options)
    (function,) = report.functions
    found = function.counterexample
    if found is None:
        assert report.verdict == said(target, "expect") == "equivalent", function.unknown
        return
    assert report.verdict == "not-equivalent" and found.kind == said(target, "expect")
    assert found.engines == (("interpreter", "jit") if found.kind == "value" else ("interpreter",))


def test_there_are_pairs() -> None:
    assert len(NAMES) >= 40
    assert all((PAIRS / f"{name}.src.mlir").exists() for name in NAMES)


@pytest.mark.parametrize("name", [n for n in NAMES if said((PAIRS / f"{n}.tgt.mlir").read_text(), "switches")])
def test_right_by_default(name: str) -> None:
    """What is a mistake under a switch is none without it."""
    source, target = ((PAIRS / f"{name}.{side}.mlir").read_text() for side in ("src", "tgt"))
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict in ("equivalent", "refines", "unknown")
