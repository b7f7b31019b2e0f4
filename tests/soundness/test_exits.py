"""Ways through whiles that are made paths of their own: the function does what it did, on random programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.base.types import BOOL
from hecv.base.value import Buffer, Value
from hecv.check import Options, check
from hecv.normal.memory.dead_stores import without_dead_stores
from hecv.normal.whiles.counted_loops import count_loops
from hecv.normal.whiles.loop_exits import threaded
from hecv.program.tree import Evaluate, Function, If, Memory, MemoryKind, Store, While
from hecv.run.interpreter.interpreter import Exhausted, compile

from . import flows
from .running import conclusive, read, unequal
from .whiles import program

STEPS = 20_000


def forms(text: str) -> tuple[Function, list[Function]] | None:
    """A function, and it with the ways through its whiles apart, before and after loops are counted; None where it
    cannot be read."""
    pool = TermPool()
    try:
        function = read(text, pool)
    except Unsupported:
        return None
    counted = replace(function, body=count_loops(pool, function, 64))
    return function, [f for f in (threaded(pool, function), threaded(pool, counted)) if f is not None]


def compare(text: str, given: Sequence[tuple[Value, ...]]) -> int:
    """How many forms there are, all of which do what the function does."""
    found = forms(text)
    if found is None:
        return 0
    function, made = found
    codes = [compile(f) for f in made]
    for arguments in given:
        end = compile(function).run(arguments, STEPS)
        for code in codes:
            other = code.run(arguments, 4 * STEPS)
            if conclusive(end):
                assert conclusive(other), f"{end} {other} on {arguments}\n{text}"
                assert unequal(end, other) is None, f"{unequal(end, other)} on {arguments}\n{text}"
            else:
                assert type(end) is type(other), f"{end} {other} on {arguments}\n{text}"
                assert not isinstance(end, Exhausted) or isinstance(other, Exhausted), text
    return len(made)


def _flow(seed: int) -> int:
    random = Random(seed)
    text = flows.text(flows.graph(random))
    given = [
        (
            *(random.randrange(16), random.randrange(16), random.randrange(1, 30)),
            Buffer((8,), [random.randrange(8) for _ in range(8)]),
        )
        for _ in range(8)
    ]
    return compare(text, given)


def _counting(seed: int) -> int:
    random = Random(seed)
    text = program(random, flagged=True)
    narrow = "@f(%n: i8" in text
    numbers = [(n, m) for n in ((-128, -3, 0, 2, 5, 127) if narrow else (-3, 0, 1, 5)) for m in (-3, 0, 2, 7)]
    return compare(
        text,
        [
            (*(v % 256 if narrow else v for v in pair), Buffer((8,), [random.randrange(9) for _ in range(8)]))
            for pair in numbers
        ],
    )


VALUES = ("%i", "%n", "%x", "%k", "%j", "%a")


def _flagged(random: Random) -> str:
    """A search that carries a flag, of one bit or of more, and what it has found, which may begin as poison."""
    kind = random.choice(("i1", "i32"))
    off, on = random.sample(("%zero", "%one", "%two"), 2) if kind == "i32" else random.sample(("%false", "%true"), 2)
    found = random.choice(("eq", "slt", "ne"))
    going = f"%go = arith.cmpi {random.choice(('eq', 'eq', 'ne'))}, %f, {random.choice((off, on))} : {kind}"
    both = random.choice(
        (
            "%c = arith.andi %in, %go : i1",
            "%c = arith.andi %go, %in : i1",
            "%c = arith.ori %in, %go : i1",
            "%c = arith.select %in, %go, %false : i1",
            "%c = scf.if %in -> i1 {\n scf.yield %go : i1\n } else {\n scf.yield %false : i1\n }",
        )
    )
    flag = random.choice(
        (
            f"%g = arith.select %e, {on}, {off} : {kind}",
            f"%g = arith.select %e, {on}, %f : {kind}",
            f"%g = scf.if %e -> {kind} {{\n scf.yield {on} : {kind}\n }} else {{\n scf.yield {off} : {kind}\n }}",
            f"%g = arith.select %e, {off}, {on} : {kind}",
        )
    )
    where = random.choice(
        (
            f"%k2 = arith.select %e, {random.choice(VALUES)}, %k : i32",
            f"%k2 = arith.select %e, {random.choice(VALUES)}, %bad : i32",
            f"%k2 = arith.addi %k, {random.choice(VALUES)} : i32",
        )
    )
    store = "memref.store %k2, %A[%at] : memref<8xi32>" if random.random() < 0.4 else ""
    tested = random.choice(("", "memref.store %i, %A[%last] : memref<8xi32>"))
    end = random.choice(
        (
            "%r = arith.addi %q#2, %q#0 : i32",
            f"%h = arith.cmpi eq, %q#1, {on} : {kind}\n  %r = arith.select %h, %q#2, %n : i32",
            f"""%h = arith.cmpi eq, %q#1, {on} : {kind}
  %r = scf.if %h -> i32 {{
    %d = arith.divui %n, %q#0 : i32
    scf.yield %d : i32
  }} else {{
    memref.store %q#0, %A[%last] : memref<8xi32>
    scf.yield {random.choice(("%n", "%q#2", "%q#0"))} : i32
  }}""",
        )
    )
    begun = random.choice((off, off, on)), random.choice(("%zero", "%bad", "%n"))
    next_ = ", ".join(random.choice(three) for three in (("%j", "%j", "%i"), ("%g", "%g", "%f"), ("%k2", "%k2", "%k")))
    types = f"(i32, {kind}, i32)"
    return f"""
func.func @f(%n: i32, %x: i32, %A: memref<8xi32>) -> i32 {{
  %false = arith.constant false
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %mask = arith.constant 7 : i32
  %last = arith.constant 7 : index
  %bad = ub.poison : i32
  %q:3 = scf.while (%i = %zero, %f = {begun[0]}, %k = {begun[1]}) : {types} -> {types} {{
    %in = arith.cmpi slt, %i, %n : i32
    {tested}
    {going}
    {both}
    scf.condition(%c) %i, %f, %k : i32, {kind}, i32
  }} do {{
  ^bb0(%i: i32, %f: {kind}, %k: i32):
    %m = arith.andi %i, %mask : i32
    %at = arith.index_cast %m : i32 to index
    %a = memref.load %A[%at] : memref<8xi32>
    %j = arith.addi %i, %one{random.choice(("", " overflow<nsw>"))} : i32
    %e = arith.cmpi {found}, {random.choice(("%a", "%a", "%i", "%k"))}, %x : i32
    {flag}
    {where}
    {store}
    scf.yield {next_} : i32, {kind}, i32
  }}
  {end}
  return %r : i32
}}"""


def _searching(seed: int) -> int:
    random = Random(seed)
    given = [
        (n, x, Buffer((8,), [random.randrange(4) for _ in range(8)]))
        for n in (0, 1, 3, 9, (1 << 31) - 1, (1 << 32) - 2)
        for x in (0, 1, 3, 7)
    ]
    return compare(_flagged(random), given)


KINDS = [_flow, _counting, _searching]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 60, 30))
@pytest.mark.parametrize("kind", KINDS)
def test_paths_do_what_the_function_does(kind: Callable[[int], int], first: int) -> None:
    assert sum(kind(seed) for seed in range(first, first + 30)) >= 15


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 250))
@pytest.mark.parametrize("kind", KINDS)
def test_paths_do_what_many_functions_do(kind: Callable[[int], int], first: int) -> None:
    for seed in range(first, first + 250):
        kind(seed)


DECIDED_BEFORE = """func.func @f(%n: i4, %x: i4, %A: memref<8xi4>) -> i4 {
  %zero = arith.constant 0 : i4
  %one = arith.constant 1 : i4
  %last = arith.constant 7 : index
  %e = arith.cmpi CMP, %n, %x : i4
  %r = scf.if %e -> i4 {
    %q = scf.while (%i = %zero) : (i4) -> i4 {
      %p = arith.cmpi slt, %i, %n : i4
      %m = arith.cmpi slt, %i, %x : i4
      %both = arith.OP %e, %p : i1
      %c = arith.select %both, %m, %p : i1
      scf.condition(%c) %i : i4
    } do {
    ^bb0(%i: i4):
      memref.store %i, %A[%last] : memref<8xi4>
      %j = arith.addi %i, %one : i4
      scf.yield %j : i4
    }
    scf.yield %q : i4
  } else {
    scf.yield %n : i4
  }
  return %r : i4
}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("operator", ("andi", "ori", "xori"))
@pytest.mark.parametrize("predicate", ("slt", "ne"))
def test_conditions_of_selections_that_a_branch_changes(operator: str, predicate: str) -> None:
    text = DECIDED_BEFORE.replace("OP", operator).replace("CMP", predicate)
    given = [(n, x, Buffer((8,), [0] * 8)) for n in range(16) for x in range(16)]
    assert compare(text, given) == 2


SEARCH = """func.func @find(%A: memref<?xi32>, %x: i32, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %in = arith.cmpi slt, %i, %n : index
  cf.cond_br %in, ^body, ^none
^body:
  %a = memref.load %A[%i] : memref<?xi32>
  %eq = arith.cmpi eq, %a, %x : i32
  %i1 = arith.addi %i, %c1 : index
  cf.cond_br %eq, ^found, ^head(%i1 : index)
^found:
  return %i : index
^none:
  return %m1 : index
}
"""
FLAGGED = """func.func @find(%A: memref<?xi32>, %x: i32, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %true = arith.constant true
  %false = arith.constant false
  %r:3 = scf.while (%i = %c0, %found = %false, %idx = %m1) : (index, i1, index) -> (index, i1, index) {
    %in = arith.cmpi slt, %i, %n : index
    %nf = arith.xori %found, %true : i1
    %c = arith.andi %in, %nf : i1
    scf.condition(%c) %i, %found, %idx : index, i1, index
  } do {
  ^bb0(%i: index, %found: i1, %idx: index):
    %a = memref.load %A[%i] : memref<?xi32>
    %eq = arith.cmpi eq, %a, %x : i32
    %idx2 = arith.select %eq, %i, %idx : index
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1, %eq, %idx2 : index, i1, index
  }
  return %r#2 : index
}
"""
TESTED = """func.func @find(%A: memref<?xi32>, %x: i32, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %true = arith.constant true
  %false = arith.constant false
  %r = scf.while (%i = %c0) : (index) -> index {
    %in = arith.cmpi slt, %i, %n : index
    %c = scf.if %in -> i1 {
      %a = memref.load %A[%i] : memref<?xi32>
      %ne = arith.cmpi ne, %a, %x : i32
      scf.yield %ne : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1 : index
  }
  %in = arith.cmpi slt, %r, %n : index
  %s = arith.select %in, %r, %m1 : index
  return %s : index
}
"""


def verdict(source: str, target: str) -> str:
    options = Options(functions=("find",))
    (found,) = check(source, target, ("src.mlir", "tgt.mlir"), options).functions
    return found.verdict


@pytest.mark.parametrize(("source", "target"), [*permutations((SEARCH, FLAGGED, TESTED), 2)])
def test_searches_are_equal_however_they_are_left(source: str, target: str) -> None:
    assert verdict(source, target) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arith.select %eq, %i, %idx", "arith.select %eq, %idx, %i"),
        ("scf.yield %i1, %eq, %idx2", "scf.yield %i1, %false, %idx2"),
        ("scf.yield %i1, %eq, %idx2", "scf.yield %i1, %found, %idx2"),
        ("scf.yield %i1, %eq, %idx2", "scf.yield %i, %eq, %idx2"),
        ("%found = %false", "%found = %true"),
        ("%idx = %m1", "%idx = %c0"),
        ("arith.andi %in, %nf", "arith.ori %in, %nf"),
        ("arith.andi %in, %nf", "arith.andi %in, %found"),
        ("cmpi slt", "cmpi sle"),
        ("cmpi eq", "cmpi ne"),
        ("return %r#2", "return %r#0"),
    ],
)
def test_a_wrong_flag_is_not_accepted(old: str, new: str) -> None:
    assert old in FLAGGED
    wrong = FLAGGED.replace(old, new)
    assert verdict(SEARCH, wrong) in ("not-equivalent", "unknown")
    assert verdict(wrong, SEARCH) in ("not-equivalent", "unknown")


TO_THE_END = """func.func @find(%x: i8, %s: i8, %n: i8) -> i8 {
  %c1 = arith.constant 1 : i8
  %m1 = arith.constant -1 : i8
  cf.br ^head(%s : i8)
^head(%i: i8):
  %in = arith.cmpi sle, %i, %n : i8
  cf.cond_br %in, ^body, ^none
^body:
  %eq = arith.cmpi eq, %i, %x : i8
  cf.cond_br %eq, ^found, ^more
^more:
  %i1 = arith.addi %i, %c1 overflow<nsw> : i8
  cf.br ^head(%i1 : i8)
^found:
  return %i : i8
^none:
  return %m1 : i8
}
"""
ONE_MORE = """func.func @find(%x: i8, %s: i8, %n: i8) -> i8 {
  %c1 = arith.constant 1 : i8
  %m1 = arith.constant -1 : i8
  %true = arith.constant true
  %false = arith.constant false
  %r:3 = scf.while (%i = %s, %found = %false, %idx = %m1) : (i8, i1, i8) -> (i8, i1, i8) {
    %in = arith.cmpi sle, %i, %n : i8
    %nf = arith.xori %found, %true : i1
    %c = arith.andi %in, %nf : i1
    scf.condition(%c) %i, %found, %idx : i8, i1, i8
  } do {
  ^bb0(%i: i8, %found: i1, %idx: i8):
    %eq = arith.cmpi eq, %i, %x : i8
    %idx2 = arith.select %eq, %i, %idx : i8
    %i1 = arith.addi %i, %c1 overflow<nsw> : i8
    scf.yield %i1, %eq, %idx2 : i8, i1, i8
  }
  return %r#2 : i8
}
"""


@pytest.mark.one_in(2)
def test_what_the_last_turn_branches_on_is_not_forgotten() -> None:
    """The turn behind the one that finds something compares a counter that has overflowed."""
    assert verdict(TO_THE_END, ONE_MORE) in ("not-equivalent", "unknown")
    assert verdict(ONE_MORE, TO_THE_END) == "refines"


def test_idle_branches_go_only_where_the_same_follows() -> None:
    pool = TermPool()
    one, other = pool.read(90, BOOL), pool.read(91, BOOL)
    result = Memory(2, MemoryKind.RESULT, "r", BOOL, ())
    done = Store(1, result, (), pool.integer(1, BOOL))
    idle, again = If(2, one, (), ()), If(3, one, (done,), ())
    nested = If(4, one, (If(5, other, (), ()),), ())
    assert without_dead_stores((idle, Store(6, result, (), one), again))[1:] == (again,)
    for kept in (
        (idle, done),
        (idle, If(3, other, (done,), ())),
        (idle, Evaluate(7, one), again),
        (idle, While(8, (), other, ()), again),
        (nested, again),
        (nested, If(3, one, (), (If(9, other, (done,), ()),))),
        (If(4, one, (done,), ()), again),
    ):
        assert without_dead_stores(kept) == kept
    twice = If(3, one, (If(9, other, (done,), ()),), ())
    assert without_dead_stores((nested, twice)) == (twice,)
