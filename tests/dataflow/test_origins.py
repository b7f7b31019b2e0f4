"""Leaves of one term that have one value: taken for one only where they have one type."""

from __future__ import annotations

from hecv.base.term import Term, TermPool, postorder
from hecv.dataflow.dataflow_proof import Pair, prove
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from soundness.running import read

HEAD = """
func.func @f(%A: memref<8xi32>, %k: i32, %B: memref<8xindex>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %z = arith.index_cast %k : i32 to index
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %j = arith.index_cast %i : i32 to index
    %x = arith.xori %i, %k : i32
    memref.store %x, %A[%j] : memref<8xi32>
"""
TWO_LOOPS = """  }
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %j = arith.index_cast %i : i32 to index
    %v = memref.load %A[%j] : memref<8xi32>
    %y = arith.index_cast %v : i32 to index
    %s = arith.xori %j, %y : index
    memref.store %s, %B[%j] : memref<8xindex>
  }
  return
}"""
ONE_LOOP = """    memref.store %z, %B[%j] : memref<8xindex>
  }
  return
}"""


def test_a_counter_and_its_cast_stay_apart() -> None:
    """`%i` of the first loop and `%j` of the second are equal numbers of different types."""
    pool, asked = TermPool(), list[Term]()

    def compare(source: Term, target: Term) -> Refinement:
        asked.extend((source, target))
        return Refinement(False, False, False)

    pair = Pair(pool, read(HEAD + TWO_LOOPS, pool), read(HEAD + ONE_LOOP, pool), [])
    prove(pair, scalars=Scalars(pool, compare, lambda term, operands: None))
    exclusive = [t for t in postorder(tuple(asked)) if t.op == "arith.xori"]
    assert {str(t.type) for t in exclusive} == {"i32", "index"}  # the read was taken for what was written
    assert all(a.type == t.type for t in exclusive for a in t.args)
