"""Calls of functions without a body: which programs make the same, and what MLIR's execution says of them."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.value import POISON, Buffer, Value
from hecv.check import Options, check
from hecv.claim.result import Divergence, FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import read_function
from hecv.run.evaluation.external_functions import World
from hecv.run.interpreter.interpreter import Diverged, Excluded, Finished, compile
from hecv.run.jit import Diverged as Left
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run

from .running import parsed

DECLARED = """
func.func private @g(i32) -> i32
func.func private @h(memref<8xf32>)
func.func private @k(f32, memref<8xf32>, i1, memref<f64>) -> (i8, f64, index, f32)
func.func private @p()
"""
ARGUMENTS = "%A: memref<8xf32>, %B: memref<8xf32>, %D: memref<f64>, %x: f32, %n: i32, %c: i1"


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def function(ops: str, result: str = "") -> str:
    if not result:
        return f"{DECLARED}func.func @f({ARGUMENTS}) {{\n{ops}\nreturn\n}}\n"
    return f"{DECLARED}func.func @f({ARGUMENTS}) -> i32 {{\n{ops}\nreturn {result} : i32\n}}\n"


def report(source: str, target: str, **switches: object) -> FunctionReport:
    made = Options(seconds=30, switches=Switches(**switches))  # type: ignore[arg-type]
    found = check(source, target, ("s.mlir", "t.mlir"), made)
    assert found.functions, found.diagnostics
    return found.functions[0]


G = "%{0} = func.call @g(%{1}) : (i32) -> i32\n"
H = "func.call @h(%{0}) : (memref<8xf32>) -> ()\n"
P = "func.call @p() : () -> ()\n"
STORE = "affine.store %x, %A[0] : memref<8xf32>\n"
SUM = "%s = arith.addi %r, %n : i32\n"
TWICE = "%m = arith.addi %n, %n : i32\n"

WRONG = {
    "operand": (function(G.format("r", "n"), "%r"), function(TWICE + G.format("r", "m"), "%r"), "calls"),
    "answer": (function(G.format("r", "n"), "%r"), function(G.format("r", "n") + SUM, "%s"), "value"),
    "dropped": (function(G.format("r", "n"), "%n"), function("", "%n"), "calls"),
    "added": (function("", "%n"), function(G.format("r", "n"), "%n"), "calls"),
    "merged": (
        function(G.format("r", "n") + G.format("q", "n") + "%s = arith.subi %r, %q : i32", "%s"),
        function(G.format("r", "n") + "%s = arith.subi %r, %r : i32", "%s"),
        "calls",
    ),
    "order": (function(H.format("A") + P), function(P + H.format("A")), "calls"),
    "other memory": (function(H.format("A")), function(H.format("B")), "calls"),
    "store before": (function(H.format("A") + STORE), function(STORE + H.format("A")), "calls"),
    "store before, not given": (function(P + STORE), function(STORE + P), "calls"),
    "load before": (
        function(f"{P}%v = affine.load %A[1] : memref<8xf32>\naffine.store %v, %B[2] : memref<8xf32>"),
        function(f"%v = affine.load %A[1] : memref<8xf32>\n{P}affine.store %v, %B[2] : memref<8xf32>"),
        "value",
    ),
    "guard": (
        function(f"scf.if %c {{\n{P}}}"),
        function(P),
        "calls",
    ),
    "trip count": (
        function(f"affine.for %i = 0 to 5 {{\n{P}}}"),
        function(f"affine.for %i = 0 to 4 {{\n{P}}}"),
        "calls",
    ),
    "copy": (
        function(H.format("A")),
        function(
            "%a = memref.alloc() : memref<8xf32>\nmemref.copy %A, %a : memref<8xf32> to memref<8xf32>\n" + H.format("a")
        ),
        "value",
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_other_calls_are_seen_by_both_engines(name: str) -> None:
    source, target, kind = WRONG[name]
    found = report(source, target)
    assert found.verdict == "not-equivalent", found.unknown
    shown = found.counterexample
    assert shown is not None and (shown.kind, shown.engines) == (kind, ("interpreter", "jit"))
    assert isinstance(shown.target, Divergence) == (kind == "calls")


def test_what_is_called_is_shown() -> None:
    source, target, _ = WRONG["operand"]
    shown = report(source, target).counterexample
    assert shown is not None and shown.difference.startswith("call 1, of @g: operand 0 is ")
    assert len(shown.calls) == 1 and shown.calls[0].startswith("@g(")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_program_makes_the_calls_that_it_makes(name: str) -> None:
    for text in WRONG[name][:2]:
        found = report(text, text)
        assert found.verdict == "equivalent", found.unknown


def test_sums_of_the_answer_may_change_places() -> None:
    source = function(G.format("r", "n") + SUM, "%s")
    found = report(source, source.replace("%r, %n", "%n, %r"))
    assert (found.verdict, found.runs > 0) == ("equivalent", True)


def test_more_may_be_initialised_where_a_call_sees_poison() -> None:
    """What the source leaves poison, the target may write before the call."""
    made = "%a = memref.alloc() : memref<8xf32>\n"
    source = function(made + H.format("a"))
    target = function(f"{made}affine.store %x, %a[3] : memref<8xf32>\n{H.format('a')}")
    assert report(source, target).verdict != "not-equivalent"
    found = report(target, source)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and found.counterexample.kind == "poison"


@pytest.mark.parametrize("floats", ["reassoc", "real"])
def test_rounding_is_no_other_call(floats: str) -> None:
    call = "func.call @k({0}, %A, %c, %D) : (f32, memref<8xf32>, i1, memref<f64>) -> (i8, f64, index, f32)"
    sums = "%v = affine.load %B[0] : memref<8xf32>\n%w = affine.load %B[1] : memref<8xf32>\n"
    first = "%s = arith.addf %v, %w : f32\n%t = arith.addf %s, %x : f32\n"
    second = "%s = arith.addf %w, %x : f32\n%t = arith.addf %v, %s : f32\n"
    source, target = (function(f"{sums}{s}%r:4 = {call.format('%t')}") for s in (first, second))
    assert report(source, target).verdict == "not-equivalent"
    assert report(source, target, floats=floats).verdict != "not-equivalent"


def test_calls_of_iterations_in_any_order_are_not_run() -> None:
    text = function(f"affine.parallel (%i) = (0) to (4) {{\n{P}}}")
    found = report(text, function(f"affine.parallel (%i) = (0) to (3) {{\n{P}}}"))
    assert found.verdict == "unknown" and found.runs == 0


# The interpreter and MLIR's execution, answered alike

EVERYTHING = function(
    "%z = arith.constant 0 : index\n%a = memref.alloc() : memref<8xf32>\n"
    "%r:4 = func.call @k(%x, %B, %c, %D) : (f32, memref<8xf32>, i1, memref<f64>) -> (i8, f64, index, f32)\n"
    "func.call @h(%a) : (memref<8xf32>) -> ()\n%v = memref.load %a[%z] : memref<8xf32>\n"
    "memref.store %v, %A[%r#2] : memref<8xf32>\n%d = arith.addf %r#1, %r#1 : f64\nmemref.store %d, %D[] : memref<f64>\n"
    "memref.store %r#3, %B[%z] : memref<8xf32>\n%w = arith.extui %r#0 : i8 to i32\n"
    "%q = func.call @g(%w) : (i32) -> i32\n"
    "scf.if %c {\nfunc.call @p() : () -> ()\n}\n%u = arith.addi %w, %q : i32",
    "%u",
)


def inputs(number: int) -> tuple[Value, ...]:
    buffers = [Buffer((8,), [k / 4 + number for k in range(8)]) for _ in range(2)]
    return (*buffers, Buffer((), [0.5]), number / 2, number * 1000, number % 2)


@pytest.mark.parametrize("number", range(6))
def test_compiled_code_is_answered_as_the_interpreter(number: int) -> None:
    found = read_function(parsed(EVERYTHING), "f", TermPool(), True)
    world, arguments = World(str(number)), inputs(number)
    own = compile(found).run(arguments, world=world)
    assert isinstance(own, Finished), own
    types, results = [a.type for a in found.arguments], [m.element for m in found.results]
    script = tuple(world.made)
    assert len(script) == 3 + number % 2
    other = run(EVERYTHING, "f", arguments, types, results, script=script)
    assert isinstance(other, Ran), other
    assert (other.results, other.arguments, other.calls) == (own.results, own.arguments, len(script))
    again = compile(found).run(arguments, world=world.again())
    assert again == own
    changed = (*arguments[:3], arguments[3] + 1.0, *arguments[4:])  # type: ignore[operator]
    assert isinstance(compile(found).run(changed, world=world.again()), Diverged)
    assert run(EVERYTHING, "f", changed, types, results, script=script) == Left(1)


def test_without_a_world_or_with_poison_a_run_says_nothing() -> None:
    poison = function("%y = ub.poison : i32\n" + G.format("r", "y"), "%n")
    for text, world in ((poison, World("")), (WRONG["operand"][0], None)):
        found = read_function(parsed(text), "f", TermPool(), True)
        assert isinstance(compile(found).run(inputs(1), world=world), Excluded)


def test_the_second_run_sees_poison_where_it_is_no_longer() -> None:
    made = "%a = memref.alloc() : memref<8xf32>\n"
    texts = (made + H.format("a"), f"{made}affine.store %x, %a[3] : memref<8xf32>\n{H.format('a')}")
    source, target = (read_function(parsed(function(t)), "f", TermPool(), True) for t in texts)
    world = World("")
    assert isinstance(compile(source).run(inputs(1), world=world), Finished)
    assert world.made[0].contents[0] == (POISON,) * 8
    assert isinstance(compile(target).run(inputs(1), world=world.again()), Finished)
    world = World("")
    assert isinstance(compile(target).run(inputs(1), world=world), Finished)
    assert isinstance(compile(source).run(inputs(1), world=world.again()), Diverged)
