"""Updates at subscripts from memory in another order: what array dataflow proves of them, and what it must not."""

from __future__ import annotations

import re
from typing import Final

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.ops.fastmath_flags import FloatMode

HEAD = """func.func @f(%b: memref<?xi32>, %x: memref<?xT>, %h: memref<?xT>) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%zero = arith.constant ZERO : T
%n = memref.dim %b, %c0 : memref<?xi32>
%m = memref.dim %h, %c0 : memref<?xT>
%n1 = arith.subi %n, %c1 : index
%m1 = arith.subi %m, %c1 : index
%half = arith.divui %n, %c2 : index
"""
EACH = "scf.for %i = %c0 to %n step %c1 {\n"
PARALLEL = "scf.parallel (%i) = (%c0) to (%n) step (%c1) {\n"
BACKWARDS = "scf.for %r = %c0 to %n step %c1 {\n%i = arith.subi %n1, %r : index\n"
TILED = """affine.for %t = 0 to %n step 4 {
affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%n] {
"""
LOW, HIGH = "scf.for %i = %c0 to %half step %c1 {\n", "scf.for %i = %half to %n step %c1 {\n"
CLEAR = "scf.for %j = %c0 to %m step %c1 {\nmemref.store %zero, %h[%j] : memref<?xT>\n}\n"
CLEAR_BACKWARDS = """scf.for %q = %c0 to %m step %c1 {
%j = arith.subi %m1, %q : index
memref.store %zero, %h[%j] : memref<?xT>
}
"""
ONLY_POSITIVE = """%g = memref.load %b[%i] : memref<?xi32>
%ten = arith.constant 10 : i32
%may = arith.cmpi slt, %g, %ten : i32
scf.if %may {
"""


def update(op: str = "arith.addi", buffer: str = "%h", kind: str = "?", before: str = "") -> str:
    """`buffer[before, b[i]] = buffer[before, b[i]] op x[i]`."""
    at = f"{buffer}[{before}%at] : memref<{kind}xT>"
    return f"""%k = memref.load %b[%i] : memref<?xi32>
%at = arith.index_cast %k : i32 to index
%v = memref.load %x[%i] : memref<?xT>
%old = memref.load {at}
%new = {op} %old, %v : T
memref.store %new, {at}
"""


def at_once(op: str = "addi") -> str:
    """The same by an atomic update."""
    return f"""%k = memref.load %b[%i] : memref<?xi32>
%at = arith.index_cast %k : i32 to index
%v = memref.load %x[%i] : memref<?xT>
%old = memref.atomic_rmw {op} %v, %h[%at] : (T, memref<?xT>) -> T
"""


GENERIC = """%k = memref.load %b[%i] : memref<?xi32>
%at = arith.index_cast %k : i32 to index
%v = memref.load %x[%i] : memref<?xT>
%old = memref.generic_atomic_rmw %h[%at] : memref<?xT> {
^bb0(%o: T):
%new = arith.addi %o, %v : T
memref.atomic_yield %new : T
}
"""
ONE = """%v = memref.load %x[%i] : memref<?xT>
%old = memref.load %h[%c0] : memref<?xT>
%new = arith.addi %old, %v : T
memref.store %new, %h[%c0] : memref<?xT>
"""
ONE_AT_ONCE = """%v = memref.load %x[%i] : memref<?xT>
%old = memref.atomic_rmw addi %v, %h[%c0] : (T, memref<?xT>) -> T
"""


def private(op: str = "arith.addi") -> str:
    """Two copies for two halves, which are added up."""
    low, high = (update(op, "%p", "2x?", f"%c{k}, ") for k in (0, 1))
    return f"""%p = memref.alloc(%m) : memref<2x?xT>
scf.for %t = %c0 to %c2 step %c1 {{
scf.for %j = %c0 to %m step %c1 {{
memref.store %zero, %p[%t, %j] : memref<2x?xT>
}}
}}
{LOW}{low}}}
{HIGH}{high}}}
scf.for %j = %c0 to %m step %c1 {{
%p0 = memref.load %p[%c0, %j] : memref<2x?xT>
%p1 = memref.load %p[%c1, %j] : memref<2x?xT>
%o = memref.load %h[%j] : memref<?xT>
%both = {op} %p0, %p1 : T
%all = {op} %both, %o : T
memref.store %all, %h[%j] : memref<?xT>
}}
"""


def f(*parts: str, kind: str = "i32") -> str:
    zero = "0" if kind.startswith("i") else "0.0"
    text = re.sub(r"T\b", kind, HEAD + "".join(parts))
    return text.replace("ZERO", zero) + "return\n}"


def verdict(source: str, target: str, floats: FloatMode = "strict") -> str:
    options = Options(strategy=Strategy(engine="dataflow"), switches=Switches(floats=floats))
    return check(source, target, ("source.mlir", "target.mlir"), options).verdict


SAME: Final[dict[str, tuple[str, str]]] = {
    "reversed": (f(EACH, update(), "}"), f(BACKWARDS, update(), "}")),
    "tiled": (f(EACH, update(), "}"), f(TILED, update(), "}}")),
    "halves": (f(EACH, update(), "}"), f(HIGH, update(), "}\n", LOW, update(), "}")),
    "private copies": (f(EACH, update(), "}"), f(private())),
    "begun in another order": (f(CLEAR, EACH, update(), "}"), f(CLEAR_BACKWARDS, BACKWARDS, update(), "}")),
    "greatest": (f(EACH, update("arith.maxsi"), "}"), f(BACKWARDS, update("arith.maxsi"), "}")),
    "bits": (f(EACH, update("arith.xori"), "}"), f(BACKWARDS, update("arith.xori"), "}")),
    "taken away": (f(EACH, update("arith.subi"), "}"), f(BACKWARDS, update("arith.subi"), "}")),
    "atomic, in any order": (f(EACH, update(), "}"), f(PARALLEL, at_once(), "}")),
    "atomic, in another order": (f(PARALLEL, at_once(), "}"), f(BACKWARDS, update(), "}")),
    "atomic, by a region": (f(PARALLEL, at_once(), "}"), f(PARALLEL, GENERIC, "}")),
    "all to one element": (f(EACH, ONE, "}"), f(PARALLEL, ONE_AT_ONCE, "}")),
    "under a condition": (f(EACH, ONLY_POSITIVE, update(), "}}"), f(BACKWARDS, ONLY_POSITIVE, update(), "}}")),
}
WRONG: Final[dict[str, tuple[str, str]]] = {
    "one less": (f(EACH, update(), "}"), f(EACH.replace("%n ", "%n1 "), update(), "}")),
    "one more time": (f(EACH, update(), "}"), f(BACKWARDS, update(), "}\n", LOW, update(), "}")),
    "another operator": (f(EACH, update(), "}"), f(BACKWARDS, update("arith.xori"), "}")),
    "a race": (f(EACH, update(), "}"), f(PARALLEL, update(), "}")),
    "a race to one element": (f(PARALLEL, ONE_AT_ONCE, "}"), f(PARALLEL, ONE, "}")),
    "one less, atomic": (f(PARALLEL, at_once(), "}"), f(PARALLEL.replace("%n)", "%n1)"), at_once(), "}")),
    "not begun": (f(CLEAR, EACH, update(), "}"), f(BACKWARDS, update(), "}")),
    "begun afterwards": (f(CLEAR, EACH, update(), "}"), f(EACH, update(), "}\n", CLEAR)),
    "operands exchanged": (
        f(EACH, update("arith.subi"), "}"),
        f(EACH, update("arith.subi").replace("%old, %v", "%v, %old"), "}"),
    ),
    "without the condition": (f(EACH, ONLY_POSITIVE, update(), "}}"), f(BACKWARDS, update(), "}")),
    "an element as subscript": (
        f(EACH, update(), "}"),
        f(EACH, update().replace("%b[%i]", "%b[%c0]"), "}"),
    ),
    "private copies that begin anywhere": (
        f(EACH, update(), "}"),
        f(private().replace("%zero, %p", "%v0, %p")).replace("%p = ", "%v0 = arith.constant 1 : i32\n%p = "),
    ),
}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", SAME)
def test_what_is_proved(name: str) -> None:
    assert verdict(*SAME[name]) == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_refuted(name: str) -> None:
    assert verdict(*WRONG[name]) == "not-equivalent"


SUM, REVERSED = (f(loop, update("arith.addf"), "}", kind="f32") for loop in (EACH, BACKWARDS))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", ("reassoc", "real"))
def test_sums_of_floats_by_licence(mode: FloatMode) -> None:
    assert verdict(SUM, REVERSED, mode) == "equivalent"


def test_sums_of_floats_in_another_order() -> None:
    assert verdict(SUM, REVERSED) == "not-equivalent"
    assert verdict(SUM, f(TILED, update("arith.addf"), "}}", kind="f32")) == "equivalent"


@pytest.mark.one_in(6)
def test_atomic_sums_of_floats() -> None:
    """Any order is one that `reassoc` licenses: what has a definite order refines it, and not the other way round."""
    both = f(PARALLEL, at_once("addf"), "}", kind="f32")
    assert verdict(both, SUM) == verdict(both, REVERSED) == "refines"
    assert verdict(SUM, both) == "unknown"
    assert verdict(SUM, both, "reassoc") == "equivalent"


def test_extrema_of_floats() -> None:
    one, other = (f(loop, update("arith.maximumf"), "}", kind="f32") for loop in (EACH, BACKWARDS))
    assert verdict(one, other) == "equivalent"
