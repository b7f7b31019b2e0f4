"""Whole certificates that an attacker writes, sealed with a digest of their own, about programs that differ."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX, IntType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.egraph.programs.program_reduction import Standing
from hecv.egraph.programs.theorem_rounds import Equation
from hecv.kernel.certificate.file_format import (
    Elements,
    Form,
    FunctionProof,
    Identity,
    Options,
    Proof,
    Theorems,
    read,
    render,
)
from hecv.kernel.certificate.loop_theorem_format import EqualTerms, TheoremsProof, theorems_data
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.loop_theorem_check import forms
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import ParsedModule, parse, read_pair
from hecv.program.tree import Block, Loop
from hecv.prove.loops.statement_rows import TreeRows
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.replaying import certificate_of, check_function, pairs_of
from hecv.theorems.schedules.schedule_tree import Copy, Part, moved
from hecv.theorems.schedules.theorem_instance import Scheduled

NAMES = ("source.mlir", "target.mlir")


def replayed(source: str, target: str, proof: Proof, options: Options | None = None) -> None:
    """Raises: Rejected, Malformed."""
    made = certificate_of((source, target), options or Options(), [FunctionProof("f", "f", "refines", proof)])
    found = read(render(made))
    for pair, claim in zip(pairs_of(found, (source, target), _parsed(source, target)), found.functions, strict=True):
        check_function(pair, claim, found.options, Solver())


def _parsed(source: str, target: str) -> tuple[ParsedModule, ParsedModule]:
    return parse(source, NAMES[0]), parse(target, NAMES[1])


# A memory that several parts allocate anew


def _scratch(*values: str) -> str:
    """Allocations that get one name, as none is used behind the next; the last value but one is what `%A` gets."""
    *first, last = [
        f"""%m{k} = memref.alloc() : memref<1xi32>
            memref.store {value}, %m{k}[%c0] : memref<1xi32>
        """
        for k, value in enumerate(values)
    ]
    read = f"""%v = memref.load %m{len(first) - 1}[%c0] : memref<1xi32>
               memref.store %v, %A[%c0] : memref<1xi32>
            """
    body = f"%c0 = arith.constant 0 : index\n{''.join(first)}{read}{last}return"
    return f"func.func @f(%A: memref<1xi32>, %x: i32, %y: i32) {{\n{body}\n}}\n"


def _reordered(block: Block, cuts: tuple[int, ...], order: tuple[int, ...]) -> Theorems:
    """That the parts of a block may run in another order."""
    pool, ends = TermPool(), (0, *cuts, len(block))
    parts = tuple(Part(block[a:b], ()) for a, b in pairwise(ends))
    before, after = (tuple(Copy(k, ()) for k in ks) for ks in (range(len(parts)), order))
    rows = TreeRows(pool)
    equation = rows.equation(Equation(Scheduled(parts, before, after, True), Standing(0, (), lambda b: b, False)))
    return Theorems(theorems_data(TheoremsProof(tuple(rows.rows), tuple(rows.statements), (equation,), ())))


def _body(source: str) -> Block:
    pool = TermPool()
    return forms(pool, read_pair(_parsed(source, source), ("f", "f"), pool), ())[0]


def test_parts_that_allocate_a_memory_change_places_where_no_part_between_reads_it() -> None:
    """Both allocate the memory, and in the end another one does: but what is read in between is of the latter."""
    source, target = _scratch("%x", "%y", "%x"), _scratch("%y", "%x", "%x")
    with pytest.raises(Rejected, match="'in-order' does not hold"):
        replayed(source, target, _reordered(_body(source), (2, 4, 5), (1, 0, 2, 3)))


def test_parts_that_allocate_a_memory_change_places() -> None:
    """The reader is one part with the allocation that it reads."""
    source, target = _scratch("%x", "%y", "%x", "%y"), _scratch("%y", "%x", "%x", "%y")
    replayed(source, target, _reordered(_body(source), (2, 4, 7), (1, 0, 2, 3)))


# A variable of two types


def _compared(value: str) -> str:
    """Which of the variables of a loop are small, or that all are; and what gives the checker its operators."""
    return f"""
        func.func @f(%A: memref<1xi1>, %B: memref<1xindex>, %n: i8, %from: index, %to: index) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c128 = arith.constant 128 : index
          %true = arith.constant true
          %x = arith.index_cast %n : i8 to index
          memref.store %x, %B[%c0] : memref<1xindex>
          scf.for %i = %from to %to step %c1 {{
            %small = arith.cmpi slt, %i, %c128 : index
            memref.store {value}, %A[%c0] : memref<1xi1>
          }}
          return
        }}
    """


def test_the_variable_of_a_loop_has_one_type() -> None:
    """Of one over `i8` it is true that it is less than 128; that over `index` at the same depth is another."""
    source, target = _compared("%small"), _compared("%true")
    pool = TermPool()
    loop = forms(pool, read_pair(_parsed(source, target), ("f", "f"), pool), ())[0][-1]
    assert isinstance(loop, Loop)
    narrow = pool.make("arith.index_cast", (pool.induction(0, IntType(8)),), INDEX)
    part = Part(moved(pool, loop.body, 0, 1), (INDEX,))
    of = Scheduled((part,), (Copy(0, (loop.iv,)),), (Copy(0, (narrow,)),), False)
    rows = TreeRows(pool)
    equation = rows.equation(Equation(of, Standing(1, (), lambda b: b, False)))
    small = pool.make("arith.cmpi", (narrow, pool.integer(128)), BOOL, (("predicate", "slt"),))
    terms = small, pool.integer(1, BOOL)
    proof = certify_refinement(pool, *terms, Refinement(True, True, True), 64)
    equal = EqualTerms(rows.term(terms[0]), rows.term(terms[1]), proof)
    whole = TheoremsProof(tuple(rows.rows), tuple(rows.statements), (equation,), (equal,))
    with pytest.raises(Rejected, match="equation 0: the obligation 'affine' does not hold"):
        replayed(source, target, Theorems(theorems_data(whole)))


# Switches under which nothing is proved


EIGHT = """
    func.func @f(%a: f8E4M3FN, %b: f8E4M3FN, %c: f8E4M3FN) -> f8E4M3FN {{
      %p = arith.addf {}, {} : f8E4M3FN
      %q = arith.addf {}, %p : f8E4M3FN
      return %q : f8E4M3FN
    }}
"""


@pytest.mark.parametrize("proof", [Elements(1), Form(), Identity()])
def test_floats_of_8_bits_are_no_real_numbers(proof: Proof) -> None:
    source, target = EIGHT.format("%a", "%b", "%c"), EIGHT.format("%b", "%c", "%a")
    with pytest.raises(Rejected, match="floats of type f8E4M3FN are not supported"):
        replayed(source, source if isinstance(proof, Identity) else target, proof, Options(floats="real"))


def test_the_width_of_index_is_an_integer() -> None:
    source = _scratch("%x", "%y")
    with pytest.raises(Malformed, match="its options"):
        replayed(source, source, Identity(), Options(index_width=64.0))  # type: ignore[arg-type]


# Memories by number


def test_an_argument_is_no_memory_of_another_kind_whatever_its_number() -> None:
    """The target returns what the last argument holds, the source what it has just written to memory of its own."""
    arguments = ", ".join(f"%a{k}: memref<1xi32>" for k in range(1001))

    def text(read: str) -> str:
        body = f"""
            %c0 = arith.constant 0 : index
            %m = memref.alloc() : memref<1xi32>
            memref.store %x, %m[%c0] : memref<1xi32>
            %v = memref.load {read}[%c0] : memref<1xi32>
            memref.store %v, %a0[%c0] : memref<1xi32>
            return
        """
        return f"func.func @f({arguments}, %x: i32) {{{body}}}\n"

    nothing = Theorems(theorems_data(TheoremsProof((), (), (), ())))
    with pytest.raises(Rejected, match="not shown to be equal"):
        replayed(text("%m"), text("%a1000"), nothing)


# Functions of which theorems are not asked


ATOMIC = """
    func.func @f(%A: memref<1xi32>, %x: i32) {
      %c0 = arith.constant 0 : index
      affine.parallel (%i) = (0) to (4) {
        %r = memref.atomic_rmw addi %x, %A[%c0] : (i32, memref<1xi32>) -> i32
      }
      return
    }
"""


def test_theorems_say_nothing_of_atomic_updates() -> None:
    with pytest.raises(Rejected, match="atomic updates"):
        replayed(ATOMIC, ATOMIC, Theorems(theorems_data(TheoremsProof((), (), (), ()))))
