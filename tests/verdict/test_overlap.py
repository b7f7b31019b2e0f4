"""Parallel loops under `--alias may`: those that access one argument race as in order they do, others may."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import new_context, parse
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Shown
from hecv.prove.portfolio import DATAFLOW, WHOLE

ARGUMENTS = "%A: memref<?xf32>, %B: memref<?xf32>, %n: index"


def loop(memory: str, op: str, parallel: bool, read: str = "%i", to: str | None = None) -> str:
    head = "affine.parallel (%i) = (1) to (%n)" if parallel else "affine.for %i = 1 to %n"
    return (
        f"{head} {{\n%x = affine.load {memory}[{read}] : memref<?xf32>\n%y = arith.{op} %x, %x : f32\n"
        f"affine.store %y, {to or memory}[%i] : memref<?xf32>\n}}\n"
    )


def function(*loops: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{''.join(loops)}return\n}}"


def report(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> FunctionReport:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    options = Options(seconds=30, switches=Switches(may_overlap=True))
    return check(source, target, ("s.mlir", "t.mlir"), options).functions[0]


TWO = function(loop("%A", "addf", False), loop("%B", "mulf", False))


def test_loops_over_one_argument_each(monkeypatch: pytest.MonkeyPatch) -> None:
    target = function(loop("%A", "addf", True), loop("%B", "mulf", True))
    found = report(TWO, target, monkeypatch)
    assert (found.verdict, found.engine) == ("equivalent", "dataflow")
    assert report(target, TWO, monkeypatch).verdict == "equivalent"


def test_loops_that_change_places(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report(TWO, function(loop("%B", "mulf", True), loop("%A", "addf", True)), monkeypatch)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and found.counterexample.kind == "value"


def test_a_race_within_one_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    in_order, at_once = (function(loop("%A", "addf", parallel, "%i - 1")) for parallel in (False, True))
    found = report(in_order, at_once, monkeypatch)
    assert found.counterexample is not None and found.counterexample.kind == "race"


def test_a_race_between_two_arguments_is_not_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the second begins an element later, the loop in order has a result, and the parallel one a race."""
    in_order, at_once = (function(loop("%A", "addf", parallel, to="%B")) for parallel in (False, True))
    found = report(in_order, at_once, monkeypatch)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and found.counterexample.kind == "race"
    assert report(at_once, in_order, monkeypatch).verdict == "unknown"


# Subscripts from memory that may overlap what is accessed there

INDIRECT = "%A: memref<8xf32>, %B: memref<8xf32>, %I: memref<8xindex>, %J: memref<8xindex>, %x: f32"
LOAD = "%{0} = memref.load %{1}[%{2}] : memref<8x{3}>\n"
ADD = "%s = arith.addf %v, %w : f32\n"


def load(result: str, memory: str, index: str) -> str:
    return LOAD.format(result, memory, index, "index" if memory in "IJ" else "f32")


def store(value: str, memory: str, index: str) -> str:
    return f"memref.store %{value}, %{memory}[%{index}] : memref<8xf32>\n"


def looped(*bodies: str, upper: str = "%c8") -> str:
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 4, 8))
    loops = "".join(f"scf.for %i = %c0 to {upper} step %c1 {{\n{body}}}\n" for body in bodies)
    return f"func.func @f({INDIRECT}) {{\n{constants}{loops}return\n}}"


PROPER = load("k", "I", "i") + load("v", "A", "k") + load("w", "B", "i")
GATHER = PROPER + ADD + store("s", "B", "i")
SCATTER = load("k", "I", "i") + store("x", "A", "k")
STRIPS = looped(GATHER).replace(
    "scf.for %i = %c0 to %c8 step %c1 {",
    "scf.for %t = %c0 to %c8 step %c4 {\n%e = arith.addi %t, %c4 : index\nscf.for %i = %t to %e step %c1 {",
)
ALIKE = {
    "in strips": (looped(GATHER), STRIPS.replace("return", "}\nreturn")),
    "loads in another order": (
        looped(GATHER),
        looped(load("w", "B", "i") + load("k", "I", "i") + load("v", "A", "k") + ADD + store("s", "B", "i")),
    ),
    "in two": (
        looped(SCATTER),
        looped(SCATTER, SCATTER.replace("%k", "%m"), upper="%c4").replace(
            "%m = memref.load %I[%i]", "%j = arith.addi %i, %c4 : index\n%m = memref.load %I[%j]"
        ),
    ),
}
OTHER = {
    "other memory": (looped(GATHER), looped(GATHER.replace("%A[%k]", "%B[%k]"))),
    "other subscripts": (looped(SCATTER), looped(SCATTER.replace("%I", "%J"))),
    "two loops": (
        looped(SCATTER + load("m", "J", "i") + store("x", "B", "m")),
        looped(SCATTER, load("m", "J", "i") + store("x", "B", "m")),
    ),
    "stores in another order": (
        looped(load("k", "I", "i") + load("v", "B", "i") + store("v", "A", "k") + store("x", "B", "i")),
        looped(load("k", "I", "i") + load("v", "B", "i") + store("x", "B", "i") + store("v", "A", "k")),
    ),
    "a subscript before a store": (
        looped(store("x", "B", "i") + SCATTER),
        looped(load("k", "I", "i") + store("x", "B", "i") + store("x", "A", "k")),
    ),
    "which NaN an integer shows": (
        looped(GATHER),
        looped(GATHER.replace("%v, %w", "%w, %v")),
    ),
    "backwards": (
        looped(SCATTER),
        looped("%c7 = arith.constant 7 : index\n%r = arith.subi %c7, %i : index\n" + SCATTER.replace("[%i]", "[%r]")),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ALIKE)
def test_subscripts_from_memory_that_may_overlap(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    for pair in (ALIKE[name], ALIKE[name][::-1]):
        found = report(*pair, monkeypatch)
        assert (found.verdict, found.engine) == ("equivalent", "dataflow")


@pytest.mark.parametrize("name", OTHER)
def test_what_differs_only_where_memory_overlaps(name: str) -> None:
    context = new_context()
    modules = parse(OTHER[name][0], "s.mlir", context), parse(OTHER[name][1], "t.mlir", context)
    switches = Switches(may_overlap=True)
    case = Case(Task(modules, ("f", "f"), (), switches, Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    assert not isinstance(DATAFLOW.prove(case, WHOLE), Shown)
