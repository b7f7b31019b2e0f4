"""Loops whose bounds are read from memory (sparse matrices in rows): what dataflow proves, and what it must not."""

from __future__ import annotations

from typing import Final

import pytest
from tests.soundness.test_conditions import function, proof

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy

HEAD = """func.func @f(%ptr: memref<?xindex>, %col: memref<?xi32>, %val: memref<?xf64>, %x: memref<?x?xf64>,
    %y: memref<?x?xf64>, %z: memref<?x?xf64>) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%zero = arith.constant 0.0 : f64
%rows = memref.dim %y, %c0 : memref<?x?xf64>
%columns = memref.dim %y, %c1 : memref<?x?xf64>
"""
ROWS, COLUMNS = "scf.for %i = %c0 to %rows step %c1 {\n", "scf.for %j = %c0 to %columns step %c1 {\n"
SPAN = """%i1 = arith.addi %i, %c1 : index
%lo = memref.load %ptr[%i] : memref<?xindex>
%hi = memref.load %ptr[%i1] : memref<?xindex>
"""
K = "scf.for %k = %lo to %hi step %c1 {\n"
CLEAR = "memref.store %zero, %y[%i, %j] : memref<?x?xf64>\n"
TERM = """%v = memref.load %val[%k] : memref<?xf64>
%c = memref.load %col[%k] : memref<?xi32>
%at = arith.index_cast %c : i32 to index
%b = memref.load %x[%at, %j] : memref<?x?xf64>
%p = arith.mulf %v, %b : f64
"""


def add(y: str = "%y", term: str = TERM) -> str:
    """What one entry of the matrix adds."""
    return f"""{term}%a = memref.load {y}[%i, %j] : memref<?x?xf64>
%s = arith.addf %a, %p : f64
memref.store %s, {y}[%i, %j] : memref<?x?xf64>
"""


CARRIED = f"""%first = memref.load %y[%i, %j] : memref<?x?xf64>
%r = scf.for %k = %lo to %hi step %c1 iter_args(%a = %first) -> (f64) {{
{TERM}%s = arith.addf %a, %p : f64
scf.yield %s : f64
}}
memref.store %r, %y[%i, %j] : memref<?x?xf64>
"""
STARTED = CARRIED.replace("%first = memref.load %y[%i, %j] : memref<?x?xf64>\n", "").replace("%first", "%zero")
PEELED = f"""%some = arith.cmpi sgt, %rows, %c0 : index
scf.if %some {{
{(SPAN + COLUMNS + K + add() + "}}").replace("%i,", "%c0,").replace("%i]", "%c0]")}
}}
scf.for %i = %c1 to %rows step %c1 {{
"""
TILED = """affine.for %t = 0 to %rows step 4 {
affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%rows] {
"""
BACKWARDS = f"""%last = arith.subi %rows, %c1 : index
{ROWS.replace("%i", "%back")}%i = arith.subi %last, %back : index
"""
FORWARDED = """%start = memref.load %ptr[%c0] : memref<?xindex>
%end = scf.for %i = %c0 to %rows step %c1 iter_args(%lo = %start) -> (index) {
%i1 = arith.addi %i, %c1 : index
%hi = memref.load %ptr[%i1] : memref<?xindex>
"""
PARALLEL = "scf.parallel (%i) = (%c0) to (%rows) step (%c1) {\n"


def f(*parts: str) -> str:
    """A function of these parts; loops that are open at the end are closed."""
    body = "".join(parts)
    return f"{HEAD}{body}{'}' * (body.count('{') - body.count('}'))}\nreturn\n}}\n"


FROM_ZERO = """%len = arith.subi %hi, %lo : index
scf.for %t = %c0 to %len step %c1 {
%k = arith.addi %lo, %t : index
"""
PLAIN = f(ROWS, SPAN, COLUMNS, K, add())
BOTH = f(ROWS, SPAN, COLUMNS, K, add(), "}}}", ROWS, SPAN, COLUMNS, K, add("%z"))
EQUAL: Final[dict[str, tuple[str, str]]] = {
    "carried": (PLAIN, f(ROWS, SPAN, COLUMNS, CARRIED)),
    "counted from zero": (PLAIN, f(ROWS, SPAN, COLUMNS, FROM_ZERO, add())),
    "every second, from zero": (
        f(ROWS, SPAN, COLUMNS, K.replace("step %c1", "step %c2"), add()),
        f(ROWS, SPAN, COLUMNS, FROM_ZERO.replace("step %c1", "step %c2"), add()),
    ),
    "cleared": (f(ROWS, COLUMNS, CLEAR, "}}", ROWS, SPAN, COLUMNS, K, add()), f(ROWS, SPAN, COLUMNS, STARTED)),
    "interchanged": (PLAIN, f(COLUMNS, ROWS, SPAN, K, add())),
    "inner interchanged": (PLAIN, f(ROWS, SPAN, K, COLUMNS, add())),
    "tiled": (PLAIN, f(TILED, SPAN, K, COLUMNS, add())),
    "peeled": (PLAIN, f(PEELED, SPAN, COLUMNS, K, add())),
    "backwards": (PLAIN, f(BACKWARDS, SPAN, COLUMNS, CARRIED)),
    "parallel": (PLAIN, f(PARALLEL, SPAN, COLUMNS, CARRIED)),
    "forwarded": (f(FORWARDED, COLUMNS, K, add(), "}}scf.yield %hi : index\n"), PLAIN),
    "fused": (BOTH, f(ROWS, SPAN, COLUMNS, K, add(), "}", K, add("%z"))),
    "fused within": (BOTH, f(ROWS, SPAN, COLUMNS, K, add(), add("%z", "").replace("%a", "%a2").replace("%s", "%s2"))),
}
DIFFERENT: Final[dict[str, tuple[str, str]]] = {
    "carried otherwise": (PLAIN, f(ROWS, SPAN, COLUMNS, CARRIED.replace("%v, %b", "%v, %v"))),
    "not cleared": (f(ROWS, COLUMNS, CLEAR, "}}", ROWS, SPAN, COLUMNS, K, add()), f(ROWS, SPAN, COLUMNS, CARRIED)),
    "counted from one": (PLAIN, f(ROWS, SPAN, COLUMNS, FROM_ZERO.replace("= %c0", "= %c1"), add())),
    "counted from zero without the first entry's place": (
        PLAIN,
        f(ROWS, SPAN, COLUMNS, FROM_ZERO.replace("%lo, %t", "%i, %t"), add()),
    ),
    "another row": (PLAIN, f(ROWS, SPAN.replace("%ptr[%i1]", "%ptr[%i]"), COLUMNS, K, add())),
    "every second": (PLAIN, f(ROWS, SPAN, COLUMNS, K.replace("step %c1", "step %c2"), add())),
    "entries backwards": (
        PLAIN,
        f(ROWS, SPAN, COLUMNS, K, "%k2 = arith.subi %hi, %k : index\n", add().replace("[%k]", "[%k2]")),
    ),
    "fused before": (
        f(ROWS, SPAN, COLUMNS, K, add(), "}}}", ROWS, SPAN, COLUMNS, K, add("%z", TERM.replace("%x", "%y"))),
        f(ROWS, SPAN, COLUMNS, K, add(), "}", K, add("%z", TERM.replace("%x", "%y"))),
    ),
}

FIND = """%r = scf.while (%q = %c0) : (index) -> index {
%within = arith.cmpi slt, %q, %columns : index
%more = scf.if %within -> (i1) {
%e = memref.load %y[%i, %q] : memref<?x?xf64>
%below = arith.cmpf olt, %e, %zero : f64
scf.yield %below : i1
} else {
%no = arith.constant false
scf.yield %no : i1
}
scf.condition(%more) %q : index
} do {
^bb0(%q: index):
%next = arith.addi %q, %c1 : index
scf.yield %next : index
}
memref.store %r, %ptr[%i] : memref<?xindex>
"""
"""The first entry of a row that is not below zero."""
FOUND = f(ROWS, FIND)
EQUAL_TURNS: Final = {
    "tiled": (FOUND, f(TILED, FIND)),
    "backwards": (FOUND, f(BACKWARDS, FIND)),
}
DIFFERENT_TURNS: Final = {
    "another end": (FOUND, f(BACKWARDS, FIND.replace("olt", "ogt"))),
    "another row": (FOUND, f(BACKWARDS, FIND.replace("%ptr[%i]", "%ptr[%back]"))),
    "before others": (
        f(ROWS, COLUMNS, CLEAR, "}}", ROWS, FIND),
        f(ROWS, FIND, "}", ROWS, COLUMNS, CLEAR),
    ),
}


def verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options(strategy=Strategy(engine="dataflow"))).verdict


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EQUAL_TURNS)
def test_what_is_proved_of_whiles_in_loops(name: str) -> None:
    assert verdict(*EQUAL_TURNS[name]) == "equivalent"


@pytest.mark.parametrize("name", DIFFERENT_TURNS)
def test_what_is_refuted_of_whiles_in_loops(name: str) -> None:
    assert verdict(*DIFFERENT_TURNS[name]) == "not-equivalent"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", EQUAL)
def test_what_is_proved(name: str) -> None:
    assert verdict(*EQUAL[name]) in ("equivalent", "refines")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", DIFFERENT)
def test_what_is_refuted(name: str) -> None:
    assert verdict(*DIFFERENT[name]) == "not-equivalent"


def test_a_span_in_a_while_that_is_not_counted() -> None:
    """Dataflow does not hold the while, and what it accesses at subscripts from memory was not made contents."""
    going = """%g = memref.load %z[%c0, %c0] : memref<?x?xf64>
%b = arith.cmpf ogt, %g, %zero : f64
scf.condition(%b)
} do {
"""
    body = f"{ROWS}{SPAN}{COLUMNS}{K}{add()}}}\n}}\n}}\nscf.yield\n"
    source = f("scf.while : () -> () {\n" + going + body)
    target = f("scf.while : () -> () {\n" + going + body.replace("%p = arith.mulf %v, %b", "%p = arith.mulf %b, %v"))
    assert verdict(source, target) in ("equivalent", "unknown")


def test_a_while_that_is_not_counted_in_a_branch_on_data() -> None:
    """The same of what is accessed in a branch, and of what its condition reads."""
    source = f("""%p = memref.load %ptr[%c0] : memref<?xindex>
%v = memref.load %val[%p] : memref<?xf64>
%positive = arith.cmpf ogt, %v, %zero : f64
scf.if %positive {
scf.while : () -> () {
%g = memref.load %val[%c0] : memref<?xf64>
%b = arith.cmpf ogt, %g, %zero : f64
scf.condition(%b)
} do {
memref.store %zero, %val[%c0] : memref<?xf64>
scf.yield
}
}
""")
    # `%v > 0` once more: the pair has to be proved, which asks for what dataflow holds.
    target = source.replace("ogt, %v, %zero", "olt, %zero, %v")
    assert target != source
    assert verdict(source, target) in ("equivalent", "unknown")


SHIFTING: Final = """memref.store %c0, %q[%c1] : memref<8xindex>
memref.store %x, %A[%k] : memref<8xi32>
"""
ONCE: Final = f"""%hi = memref.load %p[%c1] : memref<8xindex>
%end = arith.minsi %hi, %k8 : index
scf.for %k = %c0 to %end step %c1 {{
{SHIFTING}}}
"""
ALWAYS: Final = f"""%first = memref.load %p[%c1] : memref<8xindex>
scf.for %k = %c0 to %k8 step %c1 {{
%hi = memref.load %p[%c1] : memref<8xindex>
%more = arith.cmpi slt, %k, %hi : index
scf.if %more {{
{SHIFTING}}}
}}
"""


def test_a_bound_that_another_memory_changes_was_read_before() -> None:
    """Bounds are evaluated once, and what is written through `%q` may be what one of them reads."""
    arguments = "%A: memref<8xi32>, %p: memref<8xindex>, %q: memref<8xindex>, %x: i32"
    once, always = (function(arguments, f"%k8 = arith.constant 8 : index\n{body}") for body in (ONCE, ALWAYS))
    may = Switches(may_overlap=True)
    assert proof(once, always) is not None and proof(always, once) is not None
    assert proof(once, always, may) is proof(always, once, may) is None
