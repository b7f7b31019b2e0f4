"""The checker of certificates stands apart: what searches for proofs is not loaded by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hecv

SEARCHES = (
    "egglog",
    "hecv.check",
    "hecv.egraph",
    "hecv.elements.field",
    "hecv.elements.sums",
    "hecv.elements.prove",
    "hecv.elements.reals",
    "hecv.elements.signs",
    "hecv.poly.bags",
    "hecv.poly.closures",
    "hecv.poly.cuts",
    "hecv.poly.equivalence",
    "hecv.poly.matching",
    "hecv.poly.naming",
    "hecv.poly.prove",
    "hecv.poly.recording",
    "hecv.poly.residual",
    "hecv.poly.table",
    "hecv.poly.widening",
    "hecv.rules.loops.audit",
    "hecv.rules.loops.bands",
    "hecv.rules.loops.jam",
    "hecv.rules.loops.users",
    "hecv.rules.pattern.machine",
    "hecv.rules.pattern.match",
    "hecv.verdict.case",
    "hecv.verdict.decide",
    "hecv.verdict.scalars",
    "hecv.verdict.sweeping",
    "hecv.verdict.theorems",
    "hecv.verdict.turns",
)

PROGRAM = """
import sys
import hecv.cli.replay, hecv.replaying, hecv.replay.elements, hecv.replay.laws, hecv.replay.refinement
import hecv.replay.theorems
import hecv.smt.obligations, hecv.verdict.exhaustive
print(*sys.modules)
"""


def test_the_checker_loads_no_search() -> None:
    path = str(Path(hecv.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "hecv.replay.aligned" in loaded
    found = [m for m in loaded if any(m == s or m.startswith(f"{s}.") for s in SEARCHES)]
    assert not found


def test_what_it_must_not_load_is_there() -> None:
    package = Path(hecv.__file__).parent
    for name in SEARCHES[1:]:
        part = package.joinpath(*name.split(".")[1:])
        assert part.is_dir() or part.with_suffix(".py").is_file(), name
