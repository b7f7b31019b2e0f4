"""Sums that a selection on data keeps: a step of a chain, as a branch on data is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType, ScalarType
from hecv.check import Options, check
from hecv.normal.branches.conditional_updates import sink_selects
from hecv.program.tree import Memory, MemoryKind, Store

LOOP = """func.func @f(%A: memref<?xT>, %M: memref<?xi1>, %n: index) -> T {
  %z = arith.constant ZERO : T
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> (T) {
    %i = PLACE
    %x = memref.load %A[%i] : memref<?xT>
    %m = memref.load %M[%i] : memref<?xi1>
    BODY
    scf.yield %t : T
  }
  return %r : T
}
"""
KEPT = "%s = arith.OP %a, %x FLAGS: T\n%t = arith.select %m, %s, %a : T"
KEPT_WHERE_NOT = """%o = arith.constant true
    %k1 = arith.xori %m, %o : i1
    %s = arith.OP %a, %x FLAGS: T
    %t = arith.select %k1, %a, %s : T"""
BRANCH = "%t = scf.if %m -> T {\n%s = arith.OP %a, %x FLAGS: T\nscf.yield %s : T\n} else {\nscf.yield %a : T\n}"
NEUTRAL = "%y = arith.select %m, %x, %z : T\n%t = arith.OP %a, %y FLAGS: T"


def _program(
    body: str, kind: str = "i32", op: str = "addi", flags: str = "", zero: str = "0", back: bool = False
) -> str:
    place = f"arith.subi {'%last, %k' if back else '%k, %c0'} : index"
    text = LOOP.replace("BODY", body).replace("PLACE", place).replace("OP", op)
    return text.replace("FLAGS", flags).replace("ZERO", zero).replace("T", kind)


def _verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options()).functions[0].verdict


@pytest.mark.parametrize("flags", ["", "overflow<nsw> "])
@pytest.mark.parametrize("target", [KEPT_WHERE_NOT, BRANCH, NEUTRAL], ids=["where not", "branch", "neutral"])
def test_what_is_kept_is_a_step(target: str, flags: str) -> None:
    given = {"flags": flags}
    assert _verdict(_program(KEPT, **given), _program(target, **given)) == "equivalent"
    assert _verdict(_program(target, **given), _program(KEPT, **given)) == "equivalent"


@pytest.mark.parametrize(("op", "zero"), [("addi", "0"), ("muli", "1"), ("xori", "0"), ("maxsi", "-2147483648")])
def test_steps_may_be_in_any_order(op: str, zero: str) -> None:
    given = {"op": op, "zero": zero}
    assert _verdict(_program(KEPT, **given), _program(KEPT, back=True, **given)) == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_program(KEPT, flags="overflow<nsw> "), _program(KEPT, flags="overflow<nsw> ", back=True)),
        (_program(KEPT), _program(KEPT.replace("%m, %s, %a", "%m, %a, %s"))),
        (_program(KEPT), _program(KEPT.replace("%m, %s, %a", "%m, %s, %x"))),
        (_program(KEPT, "f32", "addf", zero="-0.0"), _program(KEPT, "f32", "addf", zero="-0.0", back=True)),
        (_program(KEPT, "f32", "addf", zero="-0.0"), _program(NEUTRAL, "f32", "addf", zero="0.0")),
    ],
    ids=["overflow in another order", "the other way", "another value", "floats in another order", "+0 added"],
)
def test_other_sums_are_refuted(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(source, target) == "not-equivalent"


def _stored(pool: TermPool, kind: ScalarType, op: str, attrs: tuple[tuple[str, str], ...] = ()) -> tuple[Store, Term]:
    """A sum that a condition keeps, and the sum."""
    cell = Memory(3, MemoryKind.CELL, "c", kind, ())
    old, other = pool.load(3, (), kind), pool.load(4, (pool.induction(0, INDEX),), kind)
    total = pool.make(op, (old, other), kind, attrs)
    condition = pool.load(5, (pool.induction(0, INDEX),), BOOL)
    return Store(1, cell, (), pool.make("arith.select", (condition, total, old), kind)), total


def _steps(pool: TermPool, store: Store, affine: bool = False, floats: bool = True) -> Store:
    (found,) = sink_selects(pool, (store,), lambda _: affine, floats)
    assert isinstance(found, Store)
    return found


def test_what_is_no_step_stays() -> None:
    """An operator without a neutral operand, flags under which that is not neutral, a condition that isl holds, one on
    the sum itself, and a float of which something shows which NaN it is."""
    pool = TermPool()
    i32, f32 = IntType(32), FloatType("f32")
    whole, total = _stored(pool, i32, "arith.addi")
    assert _steps(pool, whole).value.op == total.op
    assert _steps(pool, whole, affine=True) == whole
    divided, _ = _stored(pool, i32, "arith.divsi")
    assert _steps(pool, divided) == divided
    real, _ = _stored(pool, f32, "arith.addf")
    assert _steps(pool, real).value.op == "arith.addf"
    assert _steps(pool, real, floats=False) == real
    both = pool.make("arith.cmpi", (total.args[0], total.args[1]), BOOL, (("predicate", "slt"),))
    decided = replace(whole, value=pool.make("arith.select", (both, total, total.args[0]), i32))
    assert _steps(pool, decided) == decided
    fast, _ = _stored(pool, f32, "arith.addf", (("fastmath", "nnan"),))
    assert _steps(pool, fast) == fast
