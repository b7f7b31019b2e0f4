"""Short loops that are copied out do what they did, on random programs."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.normal.passes import normalize
from hecv.normal.summaries.full_unrolling import unrolled
from hecv.program.tree import Loop, walk
from hecv.run.interpreter.interpreter import compile

from .running import conclusive, inputs, read, unequal
from .test_normal_form import explicit


def _value(random: Random) -> str:
    return random.choice(("%a", "%b", "%v", "%x", "%w"))


def _body(random: Random, inner: str) -> str:
    """What a loop does with what it carries, `%a` and `%b`; `%na` and `%nb` are the next."""
    op = random.choice(("arith.addi", "arith.muli", "arith.xori", "arith.subi", "arith.shrui"))
    store = "memref.store %w, %A[%at] : memref<4xi8>\n" if random.random() < 0.5 else ""
    chosen = random.choice(
        (
            f"%na = arith.select %c, {_value(random)}, %w : i8\n",
            f"""%na = scf.if %c -> i8 {{
        {random.choice((store, "%d = arith.divui %a, %b : i8", ""))}
        %e = {op} {_value(random)}, %b : i8
        scf.yield %e : i8
      }} else {{
        scf.yield {_value(random)} : i8
      }}
""",
        )
    )
    return f"""
      %v = arith.index_cast %i : index to i8
      %at = arith.remui %i, %c4 : index
      {inner or "%w = memref.load %A[%at] : memref<4xi8>"}
      %c = arith.cmpi ult, {_value(random)}, {_value(random)} : i8
      {chosen}      {store}
      %nb = {op} {_value(random)}, {_value(random)} : i8
      scf.yield {random.choice(("%na, %nb", "%nb, %na", "%b, %na", "%na, %na"))} : i8, i8
"""


def _program(random: Random) -> str:
    low, high, step = (
        random.choice(("0", "1", "3")),
        random.choice(("0", "4", "7", "65")),
        random.choice(("1", "2", "3")),
    )
    inner = ""
    if random.random() < 0.5:
        inner = """%w = scf.for %j = %c1 to %c3 step %c1 iter_args(%k = %a) -> i8 {
        %l = memref.load %A[%j] : memref<4xi8>
        %m = arith.addi %k, %l : i8
        scf.yield %m : i8
      }"""
    constants = "".join(f"  %c{k} = arith.constant {k} : index\n" for k in (0, 1, 2, 3, 4, 7, 65))
    return f"""
func.func @f(%x: i8, %y: i8, %A: memref<4xi8>) -> (i8, i8) {{
{constants}  %r:2 = scf.for %i = %c{low} to %c{high} step %c{step} iter_args(%a = %x, %b = %y) -> (i8, i8) {{
{_body(random, inner)}  }}
  return %r#0, %r#1 : i8, i8
}}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("first", range(0, 90, 30))
def test_copied_loops_do_what_they_did(first: int) -> None:
    copied = 0
    for seed in range(first, first + 30):
        random, pool = Random(seed), TermPool()
        text = _program(random)
        function = read(text, pool)
        made = unrolled(pool, function, 64)
        if made is None:
            continue
        copied += not any(isinstance(s, Loop) for s in walk(made.body))
        normal = replace(made, body=explicit(normalize(pool, made)))
        codes = [compile(f) for f in (function, made, normal)]
        for arguments in islice(inputs(function, random), 8):
            given, *others = (code.run(arguments) for code in codes)
            assert conclusive(given, *others)
            for other in others:
                assert unequal(given, other) is None, f"{unequal(given, other)} on {arguments}\n{text}"
    assert copied >= 5


@pytest.mark.parametrize(("first", "end"), [(0, 1000), (-(1 << 62) - 1, 1 << 62)])
def test_long_loops_stay(first: int, end: int) -> None:
    text = f"""
func.func @f(%x: i8) -> i8 {{
  %c0 = arith.constant {first} : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {end} : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i8 {{
    %b = arith.muli %a, %a : i8
    scf.yield %b : i8
  }}
  return %r : i8
}}"""
    pool = TermPool()
    assert unrolled(pool, read(text, pool), 64) is None
