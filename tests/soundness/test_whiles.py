"""Random while loops that count, nearly count, and do not: the normal form does what the loop does.

Counters are `index` or `i8`, so that some wrap around; loops test before or after their body, some carry a second
counter, and what they end with is returned.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.execute.interpreter import Exhausted, compile
from hecv.graph.memory import normalize
from hecv.graph.tree import While, walk

from .running import conclusive, read, unequal
from .test_normal_form import explicit

STEPS_OF_ALL = 10_000
"""More than 256 iterations take: a loop over i8 that runs longer does not end."""

PREDICATES = ("slt", "sle", "sgt", "sge", "ne", "eq", "ult", "ule")
TESTS_BEFORE = """
    {compare}
    scf.condition(%c) %i, %k, %s : {t}, index, i32
  }} do {{
  ^bb0(%i: {t}, %k: index, %s: i32):
    {body}
    scf.yield %ni, %nk, %ns : {t}, index, i32
"""
TESTS_AFTER = """
    {body}
    {compare}
    scf.condition(%c) %ni, %nk, %ns : {t}, index, i32
  }} do {{
  ^bb0(%i: {t}, %k: index, %s: i32):
    scf.yield %i, %k, %s : {t}, index, i32
"""
LIFTED = """
    {compare}
    %q:4 = scf.if %c -> ({t}, index, i32, i32) {{
      {body}
      scf.yield %ni, %nk, %ns, %one : {t}, index, i32, i32
    }} else {{
      scf.yield %i, %k, %s, %zero : {t}, index, i32, i32
    }}
    %again = arith.trunci %q#3 : i32 to i1
    scf.condition(%again) %q#0, %q#1, %q#2 : {t}, index, i32
  }} do {{
  ^bb0(%i: {t}, %k: index, %s: i32):
    scf.yield %i, %k, %s : {t}, index, i32
"""


def program(random: Random) -> str:
    """A function `@f(n, m, A)` with one loop."""
    kind = random.choice(("index", "index", "i8"))
    step, follow = random.choice((1, 1, 2, 3, -1, -2, 0)), random.choice((1, 2, -1, 0))
    left, right = random.choice((("%i", "%n"), ("%i", "%n"), ("%n", "%i"), ("%i", "%seven"), ("%ni", "%n")))
    shape = random.choice((TESTS_BEFORE, TESTS_AFTER, LIFTED))
    if shape is not TESTS_AFTER and "%ni" in (left, right):
        left = "%i"
    compare = f"%c = arith.cmpi {random.choice(PREDICATES)}, {left}, {right} : {kind}"
    second = random.choice(("%k", "%wide"))
    wide = "%wide = arith.addi %i, %z : index" if kind == "index" else "%wide = arith.index_cast %i : i8 to index"
    body = f"""{wide}
    %at = arith.andi {second}, %mask : index
    %v = memref.load %A[%at] : memref<8xi32>
    %ns = arith.addi %s, %v : i32
    memref.store %ns, %A[%at] : memref<8xi32>
    %ni = arith.addi %i, %step : {kind}
    %nk = arith.addi %k, %follow : index"""
    first = random.choice(("%m", "%seven", "%start"))
    return f"""
func.func @f(%n: {kind}, %m: {kind}, %A: memref<8xi32>) -> ({kind}, index, i32) {{
  %step = arith.constant {step} : {kind}
  %follow = arith.constant {follow} : index
  %seven = arith.constant 7 : {kind}
  %start = arith.constant {random.randint(-3, 3)} : {kind}
  %mask = arith.constant 7 : index
  %z = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.while (%i = {first}, %k = %z, %s = %zero) : ({kind}, index, i32) -> ({kind}, index, i32) {{
{shape.format(t=kind, compare=compare, body=body)}
  }}
  return %r#0, %r#1, %r#2 : {kind}, index, i32
}}"""


def check_seed(seed: int) -> bool:
    """Whether the loop of this seed counts; if so, its forms are compared."""
    random = Random(seed)
    text, pool = program(random), TermPool()
    function = read(text, pool)
    normal = normalize(pool, function)
    if any(isinstance(s, While) for s in walk(normal)):
        return False
    codes = [compile(f) for f in (function, replace(function, body=explicit(normal)))]
    narrow = "@f(%n: i8" in text
    edges = (*range(-4, 9), 126, 127, -127, -128) if narrow else range(-4, 9)
    for n in edges:
        for m in edges if narrow else (-3, 0, 2, 7):
            array = [random.randrange(-9, 9) % (1 << 32) for _ in range(8)]
            given = tuple(v % 256 if narrow else v for v in (n, m))
            ends = [code.run((*given, Buffer((8,), array)), STEPS_OF_ALL) for code in codes]
            assert isinstance(ends[0], Exhausted) == isinstance(ends[1], Exhausted), f"{ends} on {n}, {m}\n{text}"
            if conclusive(ends[0]):
                assert conclusive(ends[1]), f"{ends} on {n}, {m}\n{text}"
                assert unequal(*ends) is None, f"{unequal(*ends)} on {n}, {m}\n{text}"
    return True


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_counted_loops_do_what_they_did(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 50)) >= 5


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 9000, 500))
def test_many_counted_loops_do_what_they_did(first: int) -> None:
    for seed in range(first, first + 500):
        check_seed(seed)
