"""Pairs that differ in just what one side condition is for, of chains, of reads that are literals or no choice, and of
index values.

Each is seen to be called equal without that condition, by array dataflow alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl
import pytest
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, IntType
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.induction import copy_tracing
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.term_instances import At, Position
from hecv.dataflow.pair_model import OPERATIONS, Pair
from hecv.dataflow.reductions import bag_pieces, cancellation, constant_terms, reduction_bags
from hecv.dataflow.reductions.reassociation import Chain, Piece
from hecv.dataflow.residual.scalar_refinement import Refinement, Scalars
from hecv.mlir.importer import read_pair
from hecv.ops import facts_about
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.index.index_conditions import wrapping
from hecv.run.evaluation.op_evaluation import Evaluator

from .running import parsed_pair
from .test_conditions import function

UNKNOWN = Refinement(False, False, False)


def is_shown(source: str, target: str, mode: FloatMode = "strict") -> bool:
    """Whether array dataflow shows that the target refines the source, where no two operators are equal."""
    pool = TermPool()
    functions = read_pair(parsed_pair(source, target), ("f", "f"), pool)
    scalars = Scalars(pool, lambda left, right: UNKNOWN, Evaluator(64), mode)
    return isinstance(prove(Pair(pool, *functions, ()), OPERATIONS, scalars), Proved)


def program(body: str, kind: str) -> str:
    """A function whose cell `%t` holds `%x` at first."""
    names = ", ".join(f"%{name}: memref<8xTYPE>" for name in "ABC")
    head = f"  %t = memref.alloca() : memref<TYPE>\n{store('x', 't')}"
    return function(f"{names}, %x: TYPE, %y: TYPE", head + body).replace("TYPE", kind)


def load(name: str, cell: str) -> str:
    return f"    %{name} = memref.load %{cell}[] : memref<TYPE>\n"


def store(name: str, cell: str) -> str:
    return f"    memref.store %{name}, %{cell}[] : memref<TYPE>\n"


def add(name: str, left: str, right: str, op: str = "addi") -> str:
    return f"    %{name} = arith.{op} %{left}, %{right} : TYPE\n"


def loop(body: str, count: int = 8) -> str:
    return f"  affine.for %i = 0 to {count} {{\n{body}  }}\n"


def read(name: str, memory: str, index: str = "%i") -> str:
    return f"    %{name} = affine.load %{memory}[{index}] : memref<8xTYPE>\n"


def write(name: str, memory: str) -> str:
    return f"    affine.store %{name}, %{memory}[%i] : memref<8xTYPE>\n"


def number(name: str, value: str) -> str:
    return f"    %{name} = arith.constant {value} : TYPE\n"


def more(value: str, head: str = "", op: str = "addi") -> str:
    """Adds a value to the cell."""
    return head + load("s", "t") + add("r", "s", value, op) + store("r", "t")


OUT = load("o", "t") + "    memref.store %o, %C[%c0] : memref<8xTYPE>\n"
FLOATS = loop(more("a", read("a", "A"), "addf"))
SUM = loop(more("a", read("a", "A")))
POISON = number("z", "0") + number("one", "1") + add("p", "one", "y", "shli") + add("w", "z", "p", "muli")
WRAPPED = number("z", "65536") + add("w", "z", "z", "muli").replace(" :", " overflow<nsw> :")
LEAST = number("z", "0") + number("k", "-1") + add("w", "z", "k", "minsi")
NEITHER = number("z", "0.0") + number("k", "1.0") + add("w", "z", "k", "mulf").replace(" :", " fastmath<nsz> :")
ANOTHER = f"  %u = memref.alloca() : memref<TYPE>\n{store('y', 'u')}"
FROM_ANOTHER = load("v", "t") + load("s", "u") + add("r", "s", "v") + store("r", "u")
LAST = OUT.replace("%t", "%u")
PRODUCT = add("xy", "x", "y", "muli")
HELD = f"  %c = memref.alloca() : memref<TYPE>\n{PRODUCT}{store('xy', 'c')}"
HALF = number("z", "0") + loop(write("z", "B"), 4)
COPIES = loop(read("a", "A") + write("a", "B"))
COPY = COPIES + loop(read("a", "A") + write("a", "C"))
CHOICE = f"{read('a', 'A')}{number('one', '1')}{add('p', 'one', 'y', 'shli')}    %q = arith.cmpi slt, %p, %a : TYPE\n"
CHOSEN = f"{CHOICE}{read('b', 'B')}    %v = arith.select %q, %a, %b : TYPE\n{write('v', 'C')}"
FIRST = read("a", "A", "0")


def _absorbed(self: constant_terms.Literals, at: At, parts: Sequence[constant_terms.Where]) -> constant_terms.Where:
    zeros = [where for part in parts for value, where in part.items() if literal(value) == 0]
    assert isinstance(at.term.type, IntType)
    return {self._pool.integer(0, at.term.type): zeros[0]} if zeros else {}


def _written(self: bag_pieces.Pieces, piece: Piece) -> list[Piece]:
    producers = self._flow.producers[piece.at.statement.name, piece.at.term]
    values = [(At(w, w.value), step) for w, step in producers.certain() if w.value is not None]
    return [Piece(at, piece.negative, piece.instances.apply_range(step)) for at, step in values]


def _merged(
    self: reduction_bags.Bags, entries: Sequence[tuple[isl.Map, Any]], chain: Chain, refused: reduction_bags.Refused
) -> isl.Map:
    first, *others = (relation for relation, _ in entries)
    for other in others:
        first = first.union(other).coalesce()
    return first


def _may_be_idle(self: copy_tracing.Made, position: Position) -> bool:
    return isinstance(position, At) and position.term.op == "arith.select"


def _flagless(attributes: object) -> frozenset[str]:
    return frozenset()


def _right(*_: object) -> bool:
    return True


CONDITIONS: dict[str, tuple[str, str, object, str, object]] = {
    "a-product-with-poison": (
        SUM + OUT,
        SUM + more("w", POISON) + OUT,
        constant_terms.Literals,
        "_absorbed",
        _absorbed,
    ),
    "a-product-that-wraps": (SUM + OUT, SUM + more("w", WRAPPED) + OUT, constant_terms, "flags_of", _flagless),
    "a-number-with-a-sign": (SUM + OUT, SUM + more("w", LEAST) + OUT, constant_terms, "SIGNED", frozenset[str]()),
    "a-zero-of-either-sign": (
        FLOATS + more("w", number("w", "0.0"), "addf") + OUT,
        FLOATS + more("w", NEITHER, "addf") + OUT,
        constant_terms,
        "HARMLESS",
        constant_terms.HARMLESS | {"nsz"},
    ),
    "what-is-read-twice": (
        SUM + load("s", "t") + add("r", "s", "y") + add("q", "r", "s") + store("q", "t") + OUT,
        SUM + load("s", "t") + add("q", "s", "y") + store("q", "t") + OUT,
        reduction_bags.Bags,
        "_merged",
        _merged,
    ),
    "a-sum-that-is-added-twice": (
        SUM + ANOTHER + loop(FROM_ANOTHER, 2) + LAST,
        SUM + ANOTHER + loop(FROM_ANOTHER, 1) + LAST,
        reduction_bags,
        "leads_one_way",
        _right,
    ),
    "a-product-that-is-added-twice": (
        HELD + loop(more("v", load("v", "c")), 2) + OUT,
        PRODUCT + more("xy") + OUT,
        bag_pieces,
        "leads_one_way",
        _right,
    ),
    "what-is-read-and-not-written": (
        HALF + loop(more("a", read("a", "B"))) + OUT,
        HALF + loop(more("a", read("a", "B")), 4) + OUT,
        bag_pieces.Pieces,
        "_written",
        _written,
    ),
    "what-is-taken-away-once": (
        number("z", "0") + loop(more("w", read("a", "A") + add("w", "a", "z", "muli"))) + OUT,
        loop(more("a", FIRST)) + FIRST + load("s", "t") + add("r", "s", "a", "subi") + store("r", "t") + OUT,
        cancellation,
        "one_to_one",
        _right,
    ),
    "a-choice-by-poison": (COPY, COPIES + loop(CHOSEN), copy_tracing.Made, "_may_be_idle", _may_be_idle),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_pairs_that_differ_are_not_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, of, condition, without = CONDITIONS[name]
    kind, mode = ("f32", "reassoc") if "addf" in source else ("i32", "strict")
    texts = program(source, kind), program(target, kind)
    assert not is_shown(*texts, mode)
    monkeypatch.setattr(of, condition, without)
    assert is_shown(*texts, mode)


# Index values (`hecv.dataflow.induction.wrapping_indices`)

ARGUMENTS = "%n: index, %m: index, %A: memref<8xindex>, %B: memref<8xi1>"
EIGHT = "  %c8 = arith.constant 8 : index\n"
COUNTED = "\n  memref.store %r, %A[%c0] : memref<8xindex>"
COMPARED = "\n  memref.store %r, %B[%c0] : memref<8xi1>"
_read = Computed._raised


def _of_any_sign(self: Computed, at: At) -> Any:
    return replace(_read(self, at), nonnegative=())


def _of_any_size(self: Computed, at: At) -> Any:
    return replace(_read(self, at), bounded=())


def _with_a_flag(self: Computed, term: Term) -> tuple[Term, ...]:
    shown = self._pool.make("arith.cmpi", (term, self._pool.integer(0)), BOOL, (("predicate", "eq"),))
    return tuple(t for t in wrapping(shown) if not (facts_about(term.op).ring and t is term))


INDICES = {
    "a-quotient-without-sign": (
        f"  %r = arith.divsi %n, %c8 : index{COUNTED}",
        f"  %r = arith.divui %n, %c8 : index{COUNTED}",
        "_raised",
        _of_any_sign,
    ),
    "a-quotient-of-what-overflows": (
        f"  %r = affine.apply affine_map<()[s0] -> (s0)>()[%n]{COUNTED}",
        f"  %q = arith.muli %n, %c8 : index\n  %r = arith.floordivsi %q, %c8 : index{COUNTED}",
        "_raised",
        _of_any_size,
    ),
    "a-comparison-of-what-overflows": (
        f"  %r = arith.cmpi slt, %c0, %m : index{COMPARED}",
        f"  %q = arith.addi %n, %m : index\n  %r = arith.cmpi slt, %n, %q : index{COMPARED}",
        "_raised",
        _of_any_size,
    ),
    "a-sum-with-a-flag": (
        f"  %r = arith.addi %n, %m : index{COUNTED}",
        f"  %r = arith.addi %m, %n overflow<nsw> : index{COUNTED}",
        "_bounded",
        _with_a_flag,
    ),
}


@pytest.mark.parametrize("name", INDICES)
def test_index_values_that_differ_are_not_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, condition, without = INDICES[name]
    texts = function(ARGUMENTS, EIGHT + source), function(ARGUMENTS, EIGHT + target)
    assert not is_shown(*texts)
    monkeypatch.setattr(Computed, condition, without)
    assert is_shown(*texts)
