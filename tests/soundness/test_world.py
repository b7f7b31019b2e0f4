"""Calls of functions without a body in proofs by array dataflow: what may stand around them, and what must not change.

Runs would refute most of what is wrong here, so the proof is asked alone.
"""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Shown
from hecv.prove.portfolio import DATAFLOW, WHOLE

from .running import parsed_pair

DECLARED = """
func.func private @g(i32) -> i32
func.func private @h(memref<8xf32>)
func.func private @m(memref<?x?xf32>)
func.func private @two(memref<8xf32>, memref<8xf32>)
func.func private @fill(memref<8xindex>)
func.func private @x(f32) -> f32
func.func private @at(index) -> index
func.func private @p()
memref.global @G : memref<8xf32>
memref.global constant @K0 : memref<8xf32> = dense<1.0>
memref.global constant @K1 : memref<8xf32> = dense<2.0>
"""
ARGUMENTS = "%A: memref<8xf32>, %B: memref<8xf32>, %V: memref<?x?xf32>, %x: f32, %y: f32, %n: i32, %k: index, %c: i1"
BEGIN = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%v0 = memref.dim %V, %c0 : memref<?x?xf32>
%v1 = memref.dim %V, %c1 : memref<?x?xf32>
"""


def function(ops: str, result: str = "%n") -> str:
    return f"{DECLARED}func.func @f({ARGUMENTS}) -> i32 {{\n{BEGIN}{ops}\nreturn {result} : i32\n}}\n"


def proof(source: str, target: str) -> str | None:
    modules = parsed_pair(source, target)
    case = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    found = DATAFLOW.prove(case, WHOLE)
    if not isinstance(found, Shown):
        return None
    return "equivalent" if found.one_way is None else "refines"


P = "func.call @p() : () -> ()\n"
H = "func.call @h(%{0}) : (memref<8xf32>) -> ()\n"
G = "%{0} = func.call @g(%{1}) : (i32) -> i32\n"
STORE = "affine.store %x, %{0}[{1}] : memref<8xf32>\n"
SUM = "%s = arith.addi %r, %n : i32\n"
A, B = H.format("A"), H.format("B")
NEW = "%{0} = memref.alloc() : memref<8xf32>\n"


def nest(first: str, second: str, last: str = "") -> str:
    """`V` times two, its elements in an order of choice."""
    return f"""affine.for %i = 0 to %v0 {{ affine.for %j = 0 to %v1 {{
      %v = affine.load %V[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %v : f32
      {last}affine.store %w, %V[{first}, {second}] : memref<?x?xf32>
    }} }}
    """


INTERCHANGED = """affine.for %j = 0 to %v1 { affine.for %i = 0 to %v0 {
  %v = affine.load %V[%i, %j] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  affine.store %w, %V[%i, %j] : memref<?x?xf32>
} }
"""
TILED = """affine.for %ii = 0 to %v0 step 4 { affine.for %jj = 0 to %v1 step 4 {
  affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%ii)[%v0] {
    affine.for %j = affine_map<(d0) -> (d0)>(%jj) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%jj)[%v1] {
      %v = affine.load %V[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %v : f32
      affine.store %w, %V[%i, %j] : memref<?x?xf32>
    }
  }
} }
"""
COPY = "memref.copy %A, %{0} : memref<8xf32> to memref<8xf32>\n"
LOCAL = NEW.format("a") + COPY.format("a")
ANOTHER = NEW.format("b") + COPY.format("b")
AT = "%q = func.call @at(%{0}) : (index) -> index\n"
STORE_V = "affine.store %v, %B[2] : memref<8xf32>\n"
ALIKE = COPY.format("a") + COPY.format("b")
EACH = "affine.for %i = 0 to {0} {{\n{1}}}\n"
TOUCHES = f"%v = affine.load %A[%i] : memref<8xf32>\n%w = func.call @x(%v) : (f32) -> f32\n{STORE.format('B', '%i')}"

RIGHT = {
    "interchanged between": (P + nest("%i", "%j") + A, P + INTERCHANGED + A),
    "tiled between": (P + nest("%i", "%j") + P, P + TILED + P),
    "sums after": (G.format("r", "n") + SUM, G.format("r", "n") + SUM.replace("%r, %n", "%n, %r")),
    "peeled": (
        EACH.format(8, TOUCHES),
        f"%z = affine.load %A[0] : memref<8xf32>\n%u = func.call @x(%z) : (f32) -> f32\n{STORE.format('B', 0)}"
        + EACH.format(8, TOUCHES).replace("0 to", "1 to"),
    ),
    "unrolled": (
        EACH.format("%v0", AT.format("i")),
        """%e = affine.apply affine_map<(d0) -> ((d0 floordiv 2) * 2)>(%v0)
        affine.for %i = 0 to %e step 2 {
          %q = func.call @at(%i) : (index) -> index
          %t = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
          %u = func.call @at(%t) : (index) -> index
        }
        affine.for %i = affine_map<(d0) -> (d0)>(%e) to %v0 { %q = func.call @at(%i) : (index) -> index }
        """,
    ),
    "own memory under other names": (LOCAL + ANOTHER + H.format("a") + H.format("b"),) * 2,
    "exchanged own memory": (
        LOCAL + ANOTHER + H.format("a") + H.format("b"),
        LOCAL + ANOTHER + H.format("b") + H.format("a"),
    ),
    "a branch on data": (f"scf.if %c {{\n{P}{STORE.format('A', 0)}}}\n",) * 2,
    "stored twice": (STORE.format("A", 1) + A, STORE.format("A", 1).replace("%x", "%y") + STORE.format("A", 1) + A),
    "dead after the end": (LOCAL + P + STORE.format("a", 0), LOCAL + P),
    "freed twice over": (LOCAL + H.format("a") + "memref.dealloc %a : memref<8xf32>\n" + P,) * 2,
    "at what a call answers": (
        "%q = func.call @at(%k) : (index) -> index\nmemref.store %x, %A[%q] : memref<8xf32>\n" + B,
    )
    * 2,
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", RIGHT)
def test_what_stands_around_calls_may_change(name: str) -> None:
    source, target = (function(ops, "%s" if "%s =" in ops else "%n") for ops in RIGHT[name])
    assert proof(source, target) == "equivalent"
    assert proof(target, source) == "equivalent"


COUNTED = "affine.for %i = 0 to {0} {{\nfunc.call @p() : () -> ()\n}}\n"
POISON = "%q = ub.poison : i32\n"
IN_LOOP = "affine.for %i = 0 to 3 {{\n{0}}}\n"

WRONG = {
    "reordered": (P + A, A + P),
    "dropped": (P, ""),
    "added": ("", P),
    "doubled": (P, P + P),
    "merged": (G.format("r", "n") + G.format("q", "n"), G.format("r", "n")),
    "other operand": (G.format("r", "n"), "%m = arith.addi %n, %n : i32\n" + G.format("r", "m")),
    "other callee": (G.format("r", "n"), P),
    "other memory": (A, B),
    "other constant": tuple(f"%K = memref.get_global @{k} : memref<8xf32>\n{H.format('K')}" for k in ("K0", "K1")),
    "same memory twice": (
        "func.call @two(%A, %B) : (memref<8xf32>, memref<8xf32>) -> ()\n",
        "func.call @two(%A, %A) : (memref<8xf32>, memref<8xf32>) -> ()\n",
    ),
    "own memory twice": (
        LOCAL + ANOTHER + "func.call @two(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()\n",
        LOCAL + ANOTHER + "func.call @two(%a, %a) : (memref<8xf32>, memref<8xf32>) -> ()\n",
    ),
    "own memory again": (
        LOCAL + ANOTHER + H.format("a") + H.format("b"),
        LOCAL + ANOTHER + H.format("a") + COPY.format("b") + H.format("a"),
    ),
    "which of two known ones": tuple(
        LOCAL + ANOTHER + H.format("a") + H.format("b") + ALIKE + H.format(n) + ALIKE for n in "ab"
    ),
    "copy": (A, LOCAL + H.format("a") + "memref.copy %a, %A : memref<8xf32> to memref<8xf32>\n"),
    "store before": (P + STORE.format("A", 0), STORE.format("A", 0) + P),
    "store after": (STORE.format("A", 0) + P, P + STORE.format("A", 0)),
    "load before": (
        f"{P}%v = affine.load %A[1] : memref<8xf32>\naffine.store %v, %B[2] : memref<8xf32>\n",
        f"%v = affine.load %A[1] : memref<8xf32>\n{P}affine.store %v, %B[2] : memref<8xf32>\n",
    ),
    "global load before": (
        f"%H = memref.get_global @G : memref<8xf32>\n{P}%v = affine.load %H[1] : memref<8xf32>\n"
        "affine.store %v, %B[2] : memref<8xf32>\n",
        "%H = memref.get_global @G : memref<8xf32>\n%v = affine.load %H[1] : memref<8xf32>\n"
        f"{P}affine.store %v, %B[2] : memref<8xf32>\n",
    ),
    "nest before": (P + nest("%i", "%j"), nest("%i", "%j") + P),
    "one element of a nest": (
        nest("%i", "%j") + P,
        nest("%i", "%j") + "affine.store %x, %V[0, 0] : memref<?x?xf32>\n" + P,
    ),
    "trip count": (COUNTED.format("%k"), COUNTED.format("affine_map<(d0) -> (d0 - 1)>(%k)")),
    "unrolled below zero": (
        COUNTED.format("%k"),
        "%e = affine.apply affine_map<(d0) -> ((d0 floordiv 2) * 2)>(%k)\n"
        f"affine.for %i = 0 to %e step 2 {{\n{P}{P}}}\naffine.for %i = affine_map<(d0) -> (d0)>(%e) to %k {{\n{P}}}\n",
    ),
    "loops in order": (
        COUNTED.format(3) + A,
        A + COUNTED.format(3),
    ),
    "reversed": (
        EACH.format(8, AT.format("i")),
        EACH.format(
            8, "%r = affine.apply affine_map<(d0) -> (7 - d0)>(%i)\n%q = func.call @at(%r) : (index) -> index\n"
        ),
    ),
    "distributed": (
        EACH.format(8, AT.format("i") + P),
        EACH.format(8, AT.format("i")) + EACH.format(8, P),
    ),
    "guard": (f"scf.if %c {{\n{P}}}\n", P),
    "store in a branch": (
        f"scf.if %c {{\n{P}{STORE.format('A', 0)}}}\n",
        f"{STORE.format('A', 0)}scf.if %c {{\n{P}}}\n",
    ),
    "poison given, dropped": (POISON + G.format("r", "q"), ""),
    "nothing stored given, dropped": (NEW.format("a") + H.format("a"), ""),
    "poison where there was none": (G.format("r", "n"), POISON + G.format("r", "q")),
    "what is not stored": (LOCAL + H.format("a"), NEW.format("a") + H.format("a")),
    "known later": (LOCAL + H.format("a") + STORE.format("a", 0) + P, LOCAL + H.format("a") + P),
    "known in the end": (LOCAL + H.format("a") + STORE.format("a", 0), LOCAL + H.format("a")),
    "changed by a later call": (
        f"{LOCAL}{H.format('a')}{P}%v = affine.load %a[1] : memref<8xf32>\naffine.store %v, %B[2] : memref<8xf32>\n",
        f"{LOCAL}{H.format('a')}%v = affine.load %a[1] : memref<8xf32>\n{P}affine.store %v, %B[2] : memref<8xf32>\n",
    ),
    "changed in a loop": tuple(
        LOCAL + IN_LOOP.format(f"{ops}{STORE_V}{H.format('a')}")
        for ops in (f"{P}%v = affine.load %a[1] : memref<8xf32>\n", f"%v = affine.load %a[1] : memref<8xf32>\n{P}")
    ),
    "known from one branch": (
        f"{LOCAL}scf.if %c {{\n{H.format('a')}}}\n{STORE.format('a', 3)}{P}",
        f"{LOCAL}scf.if %c {{\n{H.format('a')}}}\n{P}{STORE.format('a', 3)}",
    ),
    "one for each iteration": (
        EACH.format(3, LOCAL + H.format("a")),
        LOCAL + EACH.format(3, COPY.format("a") + H.format("a")),
    ),
    "freed before": (
        LOCAL + H.format("a") + P + "memref.dealloc %a : memref<8xf32>\n",
        LOCAL + H.format("a") + "memref.dealloc %a : memref<8xf32>\n" + P,
    ),
    "which NaN": (
        "%u = arith.addf %x, %y : f32\n%w = func.call @x(%u) : (f32) -> f32\n",
        "%u = arith.addf %y, %x : f32\n%w = func.call @x(%u) : (f32) -> f32\n",
    ),
    "which NaN in memory": tuple(
        f"%u = arith.addf {sum} : f32\n{STORE.format('A', 0).replace('%x', '%u')}{P}" for sum in ("%x, %y", "%y, %x")
    ),
    "which NaN in memory as a whole": tuple(
        f"{AT.format('k')}%u = arith.addf {sum} : f32\nmemref.store %u, %A[%q] : memref<8xf32>\n{P}"
        for sum in ("%x, %y", "%y, %x")
    ),
    "extents": tuple(
        f"%e = arith.addi %k, %c{n} : index\n%a = memref.alloc(%c0, %e) : memref<?x?xf32>\n"
        "func.call @m(%a) : (memref<?x?xf32>) -> ()\n"
        for n in (1, 8)
    ),
    "extents of contents": tuple(
        f"%e = arith.addi %k, %c{n} : index\n%a = memref.alloc(%c0, %e) : memref<?x?xf32>\n"
        "%q = func.call @at(%k) : (index) -> index\n"
        "scf.for %i = %c0 to %c0 step %c1 {\nmemref.store %x, %a[%c0, %q] : memref<?x?xf32>\n}\n"
        "func.call @m(%a) : (memref<?x?xf32>) -> ()\n"
        for n in (1, 8)
    ),
    "any order": ("affine.parallel (%i) = (0) to (4) {\nfunc.call @p() : () -> ()\n}\n",) * 2,
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", WRONG)
def test_other_calls_are_not_proved_the_same(name: str) -> None:
    source, target = (function(ops) for ops in WRONG[name])
    assert proof(source, target) is None


def test_what_a_call_sees_may_be_less_poison() -> None:
    made = NEW.format("a")
    source, target = function(made + H.format("a")), function(made + STORE.format("a", 3) + H.format("a"))
    assert (proof(source, target), proof(target, source)) == ("refines", None)
    source, target = function(POISON + G.format("r", "q")), function(G.format("r", "n"))
    assert (proof(source, target), proof(target, source)) == ("refines", None)


def test_an_allocation_that_is_returned_and_known_outside() -> None:
    head = f"{DECLARED}func.func @f({ARGUMENTS}) -> memref<8xf32> {{\n"
    end = "memref.copy %a, %b : memref<8xf32> to memref<8xf32>\n"
    source = f"{head}{LOCAL}{H.format('a')}return %a : memref<8xf32>\n}}"
    target = f"{head}{LOCAL}{NEW.format('b')}{H.format('a')}{end}return %b : memref<8xf32>\n}}"
    assert proof(source, target) is None


SEARCH = """affine.for %i = 0 to 3 {{
scf.while : () -> () {{
%v = memref.load %A[{0}] : memref<8xf32>
%going = arith.cmpf ogt, %v, %x : f32
scf.condition(%going)
}} do {{
%v = memref.load %A[{0}] : memref<8xf32>
%w = arith.mulf %v, %x : f32
memref.store %w, %A[{0}] : memref<8xf32>
scf.yield
}}
}}
"""


DIVIDED = "%q = arith.divsi %n, %n : i32\n"


@pytest.mark.one_in(6)
def test_that_calls_return_is_assumed_behind_a_bound_on_turns() -> None:
    backwards = "affine.for %i = 0 to 3 {\n%b = affine.apply affine_map<(d0) -> (2 - d0)>(%i)"
    source = SEARCH.format("%i") + P + DIVIDED
    target = SEARCH.format("%b").replace("affine.for %i = 0 to 3 {", backwards) + DIVIDED + P
    found = check(function(source), function(target), ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0]
    assert found.verdict == "equivalent" and "while-bounded" in [r.name for r in found.rules]
    assert "calls-return" in [a.id for a in found.assumptions]


def test_that_calls_return_is_assumed_where_it_matters() -> None:
    options = Options(seconds=30, strategy=Strategy(engine="dataflow"))
    undefined = "affine.for %i = 0 to %k {\naffine.store %x, %A[%i] : memref<8xf32>\n}\n"
    scalar = "func.func private @p()\nfunc.func @f(%n: i32) -> i32 {\nfunc.call @p() : () -> ()\nreturn %n : i32\n}\n"
    texts = ((scalar, False), (function(P + nest("%i", "%j")), True), (function(P + undefined), True))
    for text, wanted in texts:  # @p might free what is accessed after it
        found = check(text, text, ("s.mlir", "t.mlir"), options).functions[0]
        assert found.verdict == "equivalent"
        assert ("calls-return" in [a.id for a in found.assumptions]) == wanted
