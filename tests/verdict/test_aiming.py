"""A difference that shows on one value in four billion is found, also at the end of long code and in loops."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.types import IntType
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.program.load_numbering import numbered
from hecv.refute.directed_inputs import Aim, failures

pytestmark = pytest.mark.egraph

SEED = "%x = arith.muli %a, %b : i32\n%y = arith.xori %x, %c : i32\n%v0 = arith.addi %y, %a : i32"
SECRET = """
%secret = arith.constant 1234567891 : i32
%one = arith.constant 1 : i32
%hit = arith.cmpi eq, %y, %secret : i32
%more = arith.addi %v0, %one : i32
%w = arith.select %hit, %more, %v0 : i32
"""
"""What a wrong target computes in place of %v0."""


def rest(first: str, count: int) -> str:
    """Lines that mix `first` with %a, %b and %c; the last value is %last."""
    random, name, lines = Random(count), first, []
    for number in range(count):
        other, op = random.choice("abc"), ("addi", "xori", "subi")[number % 3]
        made = "%last" if number == count - 1 else f"%m{number}"
        lines.append(f"{made} = arith.{op} {name}, %{other} : i32")
        name = made
    return "\n".join(lines)


def straight(first: str, more: str) -> str:
    return f"func.func @f(%a: i32, %b: i32, %c: i32) -> i32 {{ {SEED} {more} {rest(first, 90)} return %last : i32 }}"


def looping(first: str, more: str) -> str:
    return f"""
    func.func @f(%A: memref<40xi32>, %B: memref<40xi32>, %n: i32) {{
      affine.for %i = 0 to 30 {{
        %a = affine.load %A[%i + 3] : memref<40xi32>
        %b = affine.load %A[%i + 4] : memref<40xi32>
        %c = affine.load %B[%i] : memref<40xi32>
        {SEED} {more} {rest(first, 90)}
        affine.store %last, %B[%i] : memref<40xi32>
      }}
      return
    }}
    """


@pytest.mark.one_in(2)
@pytest.mark.parametrize("make", [straight, looping])
def test_a_difference_on_one_value(make) -> None:  # type: ignore[no-untyped-def]
    found = check(make("%v0", ""), make("%w", SECRET), ("s.mlir", "t.mlir"), Options(seconds=60))
    (function,) = found.functions
    assert function.verdict == "not-equivalent", function.unknown
    assert function.counterexample is not None and function.counterexample.engines == ("interpreter", "jit")


def test_values_are_put_where_loads_read_them() -> None:
    pool = TermPool()
    function = numbered(pool, read_function(parse(looping("%v0", ""), "f.mlir"), "f", pool))
    given = (Buffer((40,), [0] * 40), Buffer((40,), [0] * 40), 5)
    leaves = {pool.read(k, IntType(32)): 7 + k for k in range(3)}
    first, second, last = Aim(function, 64).arguments(given, {**leaves, pool.argument(2, IntType(32)): 9})
    assert isinstance(first, Buffer) and isinstance(second, Buffer)
    assert {k: v for k, v in enumerate(first.data) if v} == {3: 7, 4: 8}
    assert {k: v for k, v in enumerate(second.data) if v} == {0: 9}
    assert last == 9


RARE = {
    "flag": (
        "%r = arith.muli %x, %y overflow<nuw> : i33",
        "%r = arith.muli %x, %y overflow<nsw, nuw> : i33",
        "%x: i33, %y: i33",
        "i33",
    ),
    "double rounding": (
        "%r = arith.truncf %x : f64 to f16",
        "%a = arith.truncf %x : f64 to f32\n%r = arith.truncf %a : f32 to f16",
        "%x: f64",
        "f16",
    ),
    "out of range": (
        "%a = arith.fptosi %x : f32 to i32\n%r = arith.trunci %a : i32 to i8",
        "%r = arith.fptosi %x : f32 to i8",
        "%x: f32",
        "i8",
    ),
    "tie": ("%r = math.round %x : f32", "%r = math.roundeven %x : f32", "%x: f32", "f32"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", RARE)
def test_what_few_inputs_show(name: str) -> None:
    """Poison has no fingerprint, and floats are rounded or out of range on few of them."""
    *bodies, arguments, result = RARE[name]
    source, target = (f"func.func @f({arguments}) -> {result} {{ {b}\nreturn %r : {result} }}" for b in bodies)
    (function,) = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=60)).functions
    assert function.verdict == "not-equivalent", function.unknown


DOUBLED = "%r = arith.addi %x, %x : i32"


@pytest.mark.parametrize(
    ("body", "refined"),
    [
        ("%c = arith.constant 2 : i32\n%r = arith.muli %x, %c : i32", True),
        (f"%c = arith.constant 4 : i32\n%q = arith.divui %y, %c : i32\n{DOUBLED}", True),
        (f"%q = arith.divui %x, %y : i32\n{DOUBLED}", False),
        ("%c = arith.constant 3 : i32\n%r = arith.muli %x, %c : i32", False),
        ("%r = arith.addi %x, %x overflow<nsw> : i32", False),
    ],
)
def test_suspects_are_left_alone_where_all_is_refined(body: str, refined: bool) -> None:
    """What the target evaluates counts, and poison does."""
    pool = TermPool()
    texts = [f"func.func @f(%x: i32, %y: i32) -> i32 {{ {b}\nreturn %r : i32 }}" for b in (DOUBLED, body)]
    source, target = (read_function(parse(text, "f.mlir"), "f", pool) for text in texts)
    asked = failures((source, target), lambda term: term, 64, inf)
    while True:
        try:
            next(asked)
        except StopIteration as end:
            assert end.value is refined
            return
