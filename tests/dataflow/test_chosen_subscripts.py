"""Subscripts and bounds that a condition on indices chooses, as branches: periodic boundaries, first iterations."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX, FloatType
from hecv.check import Options, check
from hecv.normal.branches.subscript_selects import branch_on_selects
from hecv.program.tree import Assert, If, Memory, MemoryKind, Store

HEAD = """func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %m: index) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%last = arith.subi %n, %c1 : index
%some = arith.cmpi sgt, %n, %c0 : index
"""
LOOP = "scf.for %i = FIRST to %n step %c1 {\nBODY}\n"
PERIODIC = """%first = arith.cmpi eq, %i, %c0 : index
%before = arith.subi %i, %c1 : index
%p = arith.select %first, %last, %before : index
%a = memref.load %A[%p] : memref<?xf32>
memref.store %a, %B[%i] : memref<?xf32>
"""
INNER = """%p = arith.subi %i, %c1 : index
%a = memref.load %A[%p] : memref<?xf32>
memref.store %a, %B[%i] : memref<?xf32>
"""
PEELED = """scf.if %some {
%a = memref.load %A[WHERE] : memref<?xf32>
memref.store %a, %B[%c0] : memref<?xf32>
}
"""
BOTH = """%first = arith.cmpi slt, %i, %m : index
%end = arith.select %first, %i, %m : index
%back = arith.cmpi eq, %i, %last : index
%p = arith.select %back, %c0, %end : index
%a = memref.load %A[%p] : memref<?xf32>
%q = arith.select %back, %last, %i : index
memref.store %a, %B[%q] : memref<?xf32>
"""
BRANCHES = """%back = arith.cmpi eq, %i, %last : index
scf.if %back {
%a = memref.load %A[%c0] : memref<?xf32>
memref.store %a, %B[%i] : memref<?xf32>
} else {
%first = arith.cmpi slt, %i, %m : index
scf.if %first {
%a = memref.load %A[%i] : memref<?xf32>
memref.store %a, %B[%i] : memref<?xf32>
} else {
%a = memref.load %A[ELSE] : memref<?xf32>
memref.store %a, %B[%i] : memref<?xf32>
}
}
"""


def _loop(body: str, first: str = "%c0") -> str:
    return LOOP.replace("FIRST", first).replace("BODY", body)


def _verdict(source: str, target: str) -> str:
    texts = (HEAD + source + "return\n}\n", HEAD + target + "return\n}\n")
    return check(*texts, ("source.mlir", "target.mlir"), Options()).functions[0].verdict


def test_a_periodic_boundary_may_be_peeled() -> None:
    peeled = PEELED.replace("WHERE", "%last") + _loop(INNER, "%c1")
    assert _verdict(_loop(PERIODIC), peeled) == _verdict(peeled, _loop(PERIODIC)) == "equivalent"


def test_several_conditions_choose() -> None:
    assert _verdict(_loop(BOTH), _loop(BRANCHES.replace("ELSE", "%m"))) == "equivalent"


def test_a_bound_may_be_chosen() -> None:
    body = "memref.store %x, %B[%j] : memref<?xf32>\n"
    head = "%x = arith.constant 1.0 : f32\n%c = arith.cmpi sgt, %m, %c1 : index\n"
    chosen = "%e = arith.select %c, %m, %n : index\nscf.for %j = %c0 to %e step %c1 {\nBODY}\n".replace("BODY", body)
    apart = (
        "scf.if %c {\nscf.for %j = %c0 to %m step %c1 {\nBODY}\n} else {\nscf.for %j = %c0 to %n step %c1 {\nBODY}\n}\n"
    )
    assert _verdict(head + chosen, head + apart.replace("BODY", body)) == "equivalent"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (PERIODIC, PEELED.replace("WHERE", "%c0") + _loop(INNER, "%c1")),
        (PERIODIC, _loop(PERIODIC.replace("select %first, %last, %before", "select %first, %before, %last"))),
        (BOTH, _loop(BRANCHES.replace("ELSE", "%c0"))),
    ],
    ids=["another element at first", "the other way", "another element in the end"],
)
def test_another_choice_is_refuted(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(_loop(source), target) == "not-equivalent"


LOADED = "%v = memref.load %A[%i] : memref<?xf32>"
DIVIDED = """%q = arith.index_cast %i : index to i32
%d = arith.divui %k, %q : i32
%v = arith.uitofp %d : i32 to f32"""


@pytest.mark.parametrize("value", [LOADED, DIVIDED], ids=["a load", "a division"])
def test_what_an_arm_evaluates_that_is_not_taken_stays(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head = "%z = arith.constant 0.0 : f32\n%k = arith.constant 7 : i32\n"
    compared, kind = "%c = arith.cmpi sgt, %i, %m : index\n", "memref<?xf32>"
    taken = f"{value}\nmemref.store %v, %B[%i] : {kind}\n"
    inside = f"scf.if %c {{\n{taken}}} else {{\nmemref.store %z, %B[%c0] : {kind}\n}}\n"
    chosen = "%w = arith.select %c, %v, %z : f32\n%j = arith.select %c, %i, %c0 : index\n"
    before = f"{value}\n{chosen}memref.store %w, %B[%j] : {kind}\n"
    assert _verdict(head + _loop(compared + inside), head + _loop(compared + before)) == "not-equivalent"


def test_what_an_arm_evaluates_stays_in_a_loop_whose_bound_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head = "%z = arith.constant 0.0 : f32\n%c = arith.cmpi sgt, %m, %c1 : index\n"
    store, loaded = "memref.store %v, %B[%j] : memref<?xf32>", LOADED.replace("%i", "%j")
    loop = "scf.for %j = %c0 to {} step %c1 {{\n{}\n}}\n"
    zeros = loop.format("%n", store.replace("%v", "%z"))
    copied = loop.format("%m", loaded + "\n" + store)
    apart = f"scf.if %c {{\n{copied}}} else {{\n{zeros}}}\n"
    value = loaded + "\n%w = arith.select %c, %v, %z : f32\n" + store.replace("%v", "%w")
    chosen = "%e = arith.select %c, %m, %n : index\n" + loop.format("%e", value)
    assert _verdict(head + apart, head + chosen) == "not-equivalent"


def test_only_subscripts_stand_in_branches() -> None:
    """What is stored may be poison, which is no undefined behaviour."""
    pool = TermPool()
    memory = Memory(0, MemoryKind.ARGUMENT, "A", INDEX, (pool.integer(8),))
    iv = pool.induction(0, INDEX)
    condition = pool.make("arith.cmpi", (iv, pool.integer(3)), BOOL, (("predicate", "slt"),))
    value = pool.make("arith.select", (condition, iv, pool.integer(0)), INDEX)
    store = Store(1, memory, (iv,), value)
    assert branch_on_selects(pool, (store,), lambda _: True) == (store,)
    load = pool.load(0, (value,), FloatType("f32"))
    (found,) = branch_on_selects(pool, (Store(1, memory, (iv,), load),), lambda _: True)
    assert isinstance(found, If) and not found.exact
    assert branch_on_selects(pool, (Store(1, memory, (iv,), load),), lambda _: False) == (
        Store(1, memory, (iv,), load),
    )


def test_what_an_assertion_has_to_show_is_to_be_shown_of_its_branch() -> None:
    pool = TermPool()
    iv = pool.induction(0, INDEX)
    condition = pool.make("arith.cmpi", (iv, pool.integer(3)), BOOL, (("predicate", "slt"),))
    value = pool.make("arith.select", (condition, iv, pool.integer(0)), INDEX)
    below = pool.make("arith.cmpi", (value, pool.integer(5)), BOOL, (("predicate", "slt"),))
    (found,) = branch_on_selects(pool, (Assert(1, below, "", (iv,)),), lambda _: True)
    assert isinstance(found, If) and found.exact == (iv,)
    assert all(isinstance(s, Assert) and s.exact == (iv,) for s in (*found.then, *found.otherwise))
