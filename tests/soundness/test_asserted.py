"""What an assertion says holds of what is stored after it, and of nothing else."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.normal.preconditions.assertion_facts import informed, says
from hecv.prove.changed_pair import INFORMED
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Shown
from hecv.prove.portfolio import CHANGED
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

from .running import inputs, parsed_pair, read

ARGUMENTS = "%a: i32, %b: i32, %c: i1, %n: index, %A: memref<4xi32>, %B: memref<4xi32>"
HEAD = """
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pa = arith.cmpi sge, %a, %zero : i32
  %pb = arith.cmpi sge, %b, %zero : i32
"""


def program(body: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{{HEAD}{body}\n  return\n}}\n"


def halved(op: str, value: str = "%a", at: str = "%c0", name: str = "%h") -> str:
    """Stores half of a value: `shrui` has it only of one that is not negative."""
    return f"{name} = arith.{op} {value}, %one : i32\nmemref.store {name}, %B[{at}] : memref<4xi32>\n"


ASSERTED = 'cf.assert %pa, "a is negative"\n'
LOADED = '%x = memref.load %A[%c0] : memref<4xi32>\n%px = arith.cmpi sge, %x, %zero : i32\ncf.assert %px, "x"\n'


def looped(body: str) -> str:
    return f"scf.for %i = %c0 to %n step %c1 {{\n{body}}}\n"


HOLDS = {
    "after": (ASSERTED + halved("shrsi"), ASSERTED + halved("shrui")),
    "in-a-branch": tuple(f"scf.if %c {{\n{ASSERTED}{halved(op)}}}\n" for op in ("shrsi", "shrui")),
    "before-a-branch": tuple(f"{ASSERTED}scf.if %c {{\n{halved(op)}}}\n" for op in ("shrsi", "shrui")),
    "before-a-loop": tuple(ASSERTED + looped(halved(op, at="%i")) for op in ("shrsi", "shrui")),
    "in-a-loop": tuple(looped(ASSERTED + halved(op, at="%i")) for op in ("shrsi", "shrui")),
    "of-what-is-read": tuple(LOADED + halved(op, "%x") for op in ("shrsi", "shrui")),
    "one-of-two": tuple(f'{ASSERTED}cf.assert %pb, "b"\n{halved(op)}' for op in ("shrsi", "shrui")),
}
ONE_WAY = {
    "only-the-source": (ASSERTED + halved("shrsi"), halved("shrui")),
    "more-in-the-source": (f'cf.assert %pb, "b"\n{ASSERTED}{halved("shrsi")}', ASSERTED + halved("shrui")),
}
FAILS = {
    "only-the-target": (halved("shrsi"), ASSERTED + halved("shrui")),
    "of-another-value": (ASSERTED + halved("shrsi", "%b"), ASSERTED + halved("shrui", "%b")),
    "in-another-branch": tuple(f"scf.if %c {{\n{ASSERTED}}} else {{\n{halved(op)}}}\n" for op in ("shrsi", "shrui")),
    "after-a-branch": tuple(f"scf.if %c {{\n{ASSERTED}}}\n{halved(op)}" for op in ("shrsi", "shrui")),
    "after-a-loop-that-may-not-run": tuple(looped(ASSERTED) + halved(op) for op in ("shrsi", "shrui")),
    "what-is-read-again": tuple(
        f"{LOADED}memref.store %b, %A[%c0] : memref<4xi32>\n%y = memref.load %A[%c0] : memref<4xi32>\n"
        + halved(op, "%y")
        for op in ("shrsi", "shrui")
    ),
    "in-one-turn": tuple(
        looped(f"%z = arith.index_cast %i : index to i32\n%w = arith.addi %a, %z : i32\n{ASSERTED}{halved(op, '%w')}")
        for op in ("shrsi", "shrui")
    ),
    "the-other-condition": tuple(
        f'%q = arith.cmpi sle, %a, %zero : i32\ncf.assert %q, "a"\n{halved(op)}' for op in ("shrsi", "shrui")
    ),
    "another-assertion": (ASSERTED + halved("shrsi"), f'cf.assert %pb, "b"\n{halved("shrui")}'),
}


def proved(source: str, target: str) -> str | None:
    modules = parsed_pair(program(source), program(target))
    case = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    found = INFORMED.prove(case, CHANGED)
    return None if not isinstance(found, Shown) else "refines" if found.one_way else "equivalent"


@pytest.mark.egraph
@pytest.mark.parametrize("name", HOLDS)
def test_a_condition_is_known_after_its_assertion(name: str) -> None:
    assert proved(*HOLDS[name]) == "equivalent"


@pytest.mark.egraph
@pytest.mark.parametrize("name", ONE_WAY)
def test_a_target_that_asserts_less_is_defined_more_often(name: str) -> None:
    source, target = ONE_WAY[name]
    assert proved(source, target) == "refines"
    assert proved(target, source) is None


@pytest.mark.egraph
@pytest.mark.parametrize("name", FAILS)
def test_nothing_else_is_known(name: str) -> None:
    assert proved(*FAILS[name]) is None


@pytest.mark.parametrize("body", [*[p[0] for p in (*HOLDS.values(), *FAILS.values())]])
def test_a_function_with_its_conditions_does_the_same(body: str) -> None:
    pool = TermPool()
    function = read(program(body), pool)
    other = informed(pool, function)
    assert says(function) or other.body == function.body
    first, second = compile(function), compile(other)
    ends: set[type] = set()
    for arguments in islice(inputs(function, Random(7)), 60):
        one, two = first.run(arguments, 2_000), second.run(arguments, 2_000)
        assert type(one) is type(two)
        assert not isinstance(one, Finished) or repr(one) == repr(two)
        ends.add(type(one))
    assert Finished in ends and (Undefined in ends or not says(function))
