"""Cells that come to life in the branch that uses them alone."""

from __future__ import annotations

import pytest
from tests.soundness.test_conditions import proof

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, INDEX, IntType
from hecv.normal.memory.cell_sinking import sink
from hecv.program.tree import Alloc, Block, If, Loop, Memory, MemoryKind, Store, walk

POOL = TermPool()
I32 = IntType(32)
CELL = Memory(1, MemoryKind.CELL, "cell1", I32, ())
RESULT = Memory(2, MemoryKind.RESULT, "result0", I32, ())
ALLOC = Alloc(0, CELL)
DATA, FLAG = POOL.argument(0, BOOL), POOL.argument(1, BOOL)
READ = POOL.load(1, (), I32)
WRITE = Store(1, CELL, (), POOL.integer(7, I32))
SHOW = Store(2, RESULT, (), READ)


def on_data(condition: Term) -> bool:
    return condition is DATA


def branch(*then: Store | If, otherwise: Block = (), condition: Term = DATA) -> If:
    return If(10, condition, then, otherwise)


def loop(*body: Store | If, parallel: bool = False) -> Loop:
    zero, one = POOL.integer(0), POOL.integer(1)
    return Loop(20, POOL.induction(0, INDEX), (zero,), (POOL.argument(2, INDEX),), one, False, body, parallel=parallel)


def test_a_cell_comes_to_life_where_it_is_used() -> None:
    assert sink((ALLOC, branch(WRITE, SHOW)), on_data) == (If(10, DATA, (ALLOC, WRITE, SHOW), ()),)
    (within,) = sink((ALLOC, loop(branch(WRITE, SHOW))), on_data)
    assert isinstance(within, Loop)
    assert within.body == (If(10, DATA, (ALLOC, WRITE, SHOW), ()),)


def test_both_ways_to_it_write_it() -> None:
    both = If(11, FLAG, (WRITE,), (WRITE,))
    assert sink((ALLOC, branch(both, SHOW)), on_data) == (If(10, DATA, (ALLOC, both, SHOW), ()),)


@pytest.mark.parametrize(
    "body",
    [
        (ALLOC, loop(branch(SHOW, WRITE))),  # what the iteration before left
        (ALLOC, WRITE, branch(SHOW)),
        (ALLOC, branch(WRITE), SHOW),
        (ALLOC, branch(WRITE, otherwise=(SHOW,))),
        (ALLOC, loop(branch(If(11, FLAG, (WRITE,), ()), SHOW))),  # what was left where the flag does not hold
        (ALLOC, loop(branch(Store(1, CELL, (), READ), SHOW))),
        (ALLOC, loop(branch(WRITE, SHOW), parallel=True)),  # iterations that share a cell race
        (ALLOC, branch(WRITE, SHOW, condition=FLAG)),
        (ALLOC, If(10, POOL.make("arith.cmpi", (READ, READ), BOOL, (("predicate", "eq"),)), (WRITE, SHOW), ())),
    ],
)
def test_a_cell_that_stays(body: Block) -> None:
    assert sink(body, on_data) == body


def test_a_cell_that_is_brought_to_life_twice_stays() -> None:
    body = (ALLOC, branch(WRITE, SHOW), Alloc(30, CELL))
    assert sum(isinstance(s, Alloc) for s in walk(sink(body, on_data))) == 2
    assert sink(body, on_data) == body


HEAD = "func.func @f(%A: memref<?xf64>, %n: index, %c: i1) -> f64 {\n"
CONSTANTS = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %z = arith.constant 0.0 : f64\n"
NESTED = f"""{HEAD}{CONSTANTS}  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f64 {{
    %v = memref.load %A[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %v, %z : f64
    %t = scf.if %p -> f64 {{
      %q = scf.if %c -> f64 {{
        %k = arith.addf %s, %v : f64
        scf.yield %k : f64
      }} else {{
        scf.yield %v : f64
      }}
      scf.yield %q : f64
    }} else {{
      scf.yield %s : f64
    }}
    scf.yield %t : f64
  }}
  return %r : f64
}}
"""
GRAPH = f"""{HEAD}{CONSTANTS}  cf.br ^head(%c0, %z : index, f64)
^head(%i: index, %s: f64):
  %l = arith.cmpi slt, %i, %n : index
  cf.cond_br %l, ^body, ^exit
^body:
  %v = memref.load %A[%i] : memref<?xf64>
  %p = arith.cmpf ogt, %v, %z : f64
  cf.cond_br %p, ^positive, ^next(%s : f64)
^positive:
  cf.cond_br %c, ^add, ^inner(%v : f64)
^add:
  %k = arith.addf %s, %v : f64
  cf.br ^inner(%k : f64)
^inner(%q: f64):
  cf.br ^next(%q : f64)
^next(%t: f64):
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, f64)
^exit:
  return %s : f64
}}
"""


def test_a_flag_within_a_branch_on_data() -> None:
    assert proof(NESTED, GRAPH) == "array dataflow"
    assert proof(GRAPH, NESTED) == "array dataflow"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("^inner(%v : f64)", "^inner(%s : f64)"),
        ("cf.br ^next(%q : f64)", "cf.br ^next(%v : f64)"),
        ("^next(%s : f64)", "^next(%v : f64)"),
        ("cf.cond_br %c, ^add, ^inner(%v : f64)", "cf.cond_br %p, ^add, ^inner(%v : f64)"),
    ],
)
def test_another_value_in_a_block(right: str, wrong: str) -> None:
    assert proof(NESTED, GRAPH.replace(right, wrong)) is None
