"""What `affine.linearize_index disjoint` and `affine.delinearize_index` with an outer bound say of their operands: what
they give is poison where it is not so. MLIR makes use of it, and moves the ops to where they are not used."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

PLAIN = "%r = affine.linearize_index [%i, %j] by (4, 8) : index"
DISJOINT = "%r = affine.linearize_index disjoint [%i, %j] by (4, 8) : index"
NOTED = '%r = affine.linearize_index [%i, %j] by (4, 8) {note = "%0 = affine.linearize_index disjoint "} : index'
SUM = "%r = affine.apply affine_map<(i, j) -> (8 * i + j)>(%i, %j)"
DIGIT = "%k, %r = affine.delinearize_index %i into (1, 8) : index, index"
FREE = "%k, %r = affine.delinearize_index %i into (8) : index, index"
REST = "%r = affine.apply affine_map<(i) -> (i mod 8)>(%i)"
SAME = "%r = affine.apply affine_map<(i) -> (i)>(%i)"
FIRST = "%r, %k = affine.delinearize_index %i into (4, 8) : index, index"
FLOOR = "%r = affine.apply affine_map<(i) -> (i floordiv 8)>(%i)"
EIGHT = "%c = arith.constant 8 : index\n"
FLAGGED = f"{EIGHT}%p = arith.muli %i, %c overflow<nsw> : index\n%r = arith.addi %p, %j overflow<nsw> : index"
DIVIDED = f"{EIGHT}%r = arith.floordivsi %i, %c : index"
DETOUR = f"""{EIGHT}%d = arith.constant 16 : index
%p = arith.muli %i, %c overflow<nsw> : index
%q = arith.muli %i, %d overflow<nsw> : index
%s = arith.subi %q, %p overflow<nsw> : index
%r = arith.addi %s, %j overflow<nsw> : index"""


def verdict(
    source: str, target: str, head: str = "(%i: index, %j: index) -> index", returned: str = "%r : index"
) -> str:
    texts = [f"func.func @f{head} {{\n{body}\nreturn {returned}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (PLAIN, SUM, "equivalent"),
        (NOTED, SUM, "equivalent"),
        (DISJOINT, SUM, "refines"),
        (SUM, DISJOINT, "not-equivalent"),
        (PLAIN, DISJOINT, "not-equivalent"),
        (DISJOINT, DISJOINT, "equivalent"),
        (FREE, REST, "equivalent"),
        (DIGIT, SAME, "refines"),
        (DIGIT, REST, "refines"),
        (REST, DIGIT, "not-equivalent"),
        (FIRST, FLOOR, "refines"),
        (FLOOR, FIRST, "not-equivalent"),
        (DISJOINT, FLAGGED, "refines"),
        (FLAGGED, DISJOINT, "not-equivalent"),
        (FIRST, DIVIDED, "refines"),
        (DIVIDED, FIRST, "not-equivalent"),
        (PLAIN, DETOUR, "not-equivalent"),
        (FREE, SAME, "not-equivalent"),
    ],
)
def test_what_is_said_is_poison_where_it_is_not_so(
    source: str, target: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target) == expected


THREE = "%r = affine.linearize_index [%i, %j, %k] by (3, 5) : index"
LITERALS = "%c5 = arith.constant 5 : index\n%c15 = arith.constant 15 : index\n"
PRODUCTS = f"""{LITERALS}%p = arith.muli %i, %c15 overflow<nsw> : index
%q = arith.muli %j, %c5 overflow<nsw> : index
"""
SUMS = f"""{PRODUCTS}%s = arith.addi %p, %q overflow<nsw> : index
%r = arith.addi %s, %k overflow<nsw> : index"""
LARGER = f"""{PRODUCTS}%s = arith.subi %p, %q overflow<nsw> : index
%t = arith.addi %q, %q overflow<nsw> : index
%u = arith.addi %s, %t overflow<nsw> : index
%r = arith.addi %u, %k overflow<nsw> : index"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("target", "expected"), [(SUMS, "equivalent"), (LARGER, "not-equivalent")])
def test_a_sum_on_the_way_to_an_index_does_not_overflow(
    target: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(THREE, target, "(%i: index, %j: index, %k: index) -> index") == expected


HELD_BASIS = "%l = affine.linearize_index disjoint [%i, %j] by (3, 12) : index\n"
OTHER_BASIS = f"{HELD_BASIS}%r, %k = affine.delinearize_index %l into (9, 4) : index, index"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("divisor", "expected"), [(4, "refines"), (3, "not-equivalent")])
def test_an_index_of_digits_has_others(divisor: int, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    target = f"""%c12 = arith.constant 12 : index
%d = arith.constant {divisor} : index
%p = arith.muli %i, %c12 overflow<nsw> : index
%s = arith.addi %p, %j overflow<nsw> : index
%r = arith.floordivsi %s, %d : index"""
    assert verdict(OTHER_BASIS, target) == expected


def test_an_op_whose_value_is_not_used_says_nothing() -> None:
    """MLIR moves it out of loops that do not run: it is poison there, and not undefined."""
    head, given = "(%i: index, %n: index, %A: memref<4x8xf32>, %x: f32)", "%z = arith.constant 0 : index\n"
    given += "%o = arith.constant 1 : index\n"
    loop = "scf.for %t = %z to %n step %o {\n$memref.store %x, %A[%d#0, %d#1] : memref<4x8xf32>\n}"
    digits = "%d:2 = affine.delinearize_index %i into (4, 8) : index, index\n"
    inside, outside = given + loop.replace("$", digits), given + digits + loop.replace("$", "")
    assert verdict(inside, outside, head, "") == "equivalent"


STORE = "memref.store %x, %{}[%z] : memref<?xf32{}>"
STRIDED = ", strided<[1], offset: ?>"
USES = {
    "subscript": "memref.store %x, %A[%d#1] : memref<?xf32>",
    "bound": "scf.for %k = %z to %d#1 step %o {\nmemref.store %x, %A[%k] : memref<?xf32>\n}",
    "condition": "%c = arith.cmpi sgt, %d#0, %o : index\nscf.if %c {\n" + STORE.format("A", "") + "\n}",
    "while": "%r = scf.while (%k = %z) : (index) -> index {\n%c = arith.cmpi slt, %k, %d#1 : index\n"
    "scf.condition(%c) %k : index\n} do {\n^bb0(%k: index):\nmemref.store %x, %A[%k] : memref<?xf32>\n"
    "%m = arith.addi %k, %o : index\nscf.yield %m : index\n}",
    "extent": "%B = memref.alloc(%d#1) : memref<?xf32>\nmemref.dealloc %B : memref<?xf32>\n" + STORE.format("A", ""),
    "offset": f"%B = memref.subview %A[%d#0] [%o] [1] : memref<?xf32> to memref<?xf32{STRIDED}>\n"
    + STORE.format("B", STRIDED),
    "divisor": "%m = arith.addi %d#1, %o : index\n%q = arith.divui %i, %m : index\n" + STORE.format("A", ""),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("use", USES)
def test_what_is_used_is_undefined_where_it_is_poison(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head = "(%i: index, %A: memref<?xf32>, %x: f32)"
    given = "%z = arith.constant 0 : index\n%o = arith.constant 1 : index\n"
    bounded, free = (
        f"{given}%d:2 = affine.delinearize_index %i into ({basis}) : index, index\n{USES[use]}"
        for basis in ("4, 8", "8")
    )
    # A divisor that may be poison is left unknown where the digit is used by a division alone.
    assert verdict(bounded, free, head, "") in (("unknown", "refines") if use == "divisor" else ("refines",))
    assert verdict(free, bounded, head, "") == "not-equivalent"


SELECTED = "%s = arith.select %c, {}, {} : index\nmemref.store %x, %A[%s] : memref<?xf32>"


@pytest.mark.parametrize("arms", [("%d#1", "%j"), ("%j", "%d#1")])
def test_an_arm_that_is_not_selected_is_not_used(arms: tuple[str, str]) -> None:
    """A subscript is poison only where the arm that is selected is."""
    head = "(%i: index, %j: index, %c: i1, %A: memref<?xf32>, %x: f32)"
    body = "%d:2 = affine.delinearize_index %i into (4, 8) : index, index\n" + SELECTED.format(*arms)
    bound = "%n = arith.constant 32 : index\n%b = arith.cmpi ult, %i, %n : index\n"
    assert verdict(body, body, head, "") == "equivalent"
    assert verdict(body, f'{bound}cf.assert %b, "i"\n{body}', head, "") == "not-equivalent"
    chosen = "%c" if arms[0] == "%d#1" else "%no"
    implied = f"{bound}%t = arith.constant true\n%no = arith.xori %c, %t : i1\n%u = arith.xori {chosen}, %t : i1\n"
    implied += '%e = arith.ori %u, %b : i1\ncf.assert %e, "i"\n'
    assert verdict(body, implied + body, head, "") in ("equivalent", "unknown")
