"""The checker of certificates stands apart: what searches for proofs is not loaded by it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
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
    "hecv.verdict.certify",
    "hecv.verdict.certify_aligned",
    "hecv.verdict.certify_closed",
    "hecv.verdict.certify_dataflow",
    "hecv.verdict.certify_terms",
    "hecv.verdict.certify_exits",
    "hecv.verdict.certify_theorems",
    "hecv.verdict.certify_turns",
    "hecv.verdict.certify_unrolled",
    "hecv.verdict.closed",
    "hecv.verdict.decide",
    "hecv.verdict.elements",
    "hecv.verdict.exits",
    "hecv.verdict.floating",
    "hecv.verdict.informed",
    "hecv.verdict.lawsearch",
    "hecv.verdict.scalars",
    "hecv.verdict.stricter",
    "hecv.verdict.sweeping",
    "hecv.verdict.termproofs",
    "hecv.verdict.theorems",
    "hecv.verdict.turns",
    "hecv.verdict.unrolling",
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
    assert not list(filter(_searches, loaded))


def test_nor_where_it_imports_late() -> None:
    """Imports within functions count, too, of all that may be loaded so."""
    reached, waiting = set[str](), ["hecv.replaying"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            file = _file(name)
            waiting += () if file is None else _imported(ast.parse(file.read_text(encoding="utf-8")))
    assert {"hecv.replay.theorems", "hecv.smt.obligations", "z3", "cvc5"} <= reached
    assert not list(filter(_searches, reached))


def _searches(module: str) -> bool:
    return any(module == s or module.startswith(f"{s}.") for s in SEARCHES)


def _file(module: str) -> Path | None:
    path = Path(hecv.__file__).parents[1].joinpath(*module.split("."))
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return found if module.split(".")[0] == "hecv" and found.is_file() else None


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a text imports where it runs, and what it names of these, which may be modules."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                pass
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (module, *(f"{module}.{alias.name}" for alias in names))
            case _:
                yield from _imported(node)


def test_what_it_must_not_load_is_there() -> None:
    package = Path(hecv.__file__).parent
    for name in SEARCHES[1:]:
        part = package.joinpath(*name.split(".")[1:])
        assert part.is_dir() or part.with_suffix(".py").is_file(), name
