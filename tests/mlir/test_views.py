"""Views of memrefs as accesses of the memory below: subscripts, and what is asserted of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.program.tree_printer import render


def body(arguments: str, ops: str) -> str:
    """The tree of a function of these arguments and ops, without the function's own lines."""
    text = f"func.func @f({arguments}) {{\n{ops}\n}}"
    lines = render(read_function(parse(text, "t.mlir"), "f", TermPool())).splitlines()
    return dedent("\n".join(lines[1:-1]))


def unsupported(text: str) -> str:
    """Why the function in `text` is not read."""
    with pytest.raises(Unsupported) as caught:
        read_function(parse(text, "t.mlir"), "f", TermPool())
    return caught.value.text


def test_subview_shifts_and_scales() -> None:
    found = body(
        "%A: memref<16x8xf32>, %i: index, %x: f32",
        """
        %s = memref.subview %A[2, 1] [4, 3] [3, 2] : memref<16x8xf32> to memref<4x3xf32, strided<[24, 2], offset: 17>>
        %c0 = arith.constant 0 : index
        memref.store %x, %s[%c0, %i] : memref<4x3xf32, strided<[24, 2], offset: 17>>
        return
        """,
    )
    assert found == dedent(
        """\
        assert arith.andi(arith.cmpi[sle](0, %i), arith.cmpi[slt](%i, 3))
        store %x, %A[2, 2*%i + 1]"""
    )


def test_a_view_that_may_leave_its_source_is_asserted_where_it_is_made() -> None:
    found = body(
        "%A: memref<?xf32>, %o: index, %n: index",
        "%s = memref.subview %A[%o] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>\nreturn",
    )
    assert found.splitlines()[-1].startswith("assert ")
    for part in (
        "[eq](%n, 0)",
        "[sle](0, %o)",
        "[slt](%o, dim(%A, 0))",
        "[slt](%o + %n - 1, dim(%A, 0))",
        "[sle](0, %n)",
    ):
        assert part in found


def test_a_whole_view_asserts_nothing() -> None:
    found = body(
        "%A: memref<?x8xf32>, %i: index, %x: f32",
        """
        %c0 = arith.constant 0 : index
        %n = memref.dim %A, %c0 : memref<?x8xf32>
        %s = memref.subview %A[0, 0] [%n, 8] [1, 1] : memref<?x8xf32> to memref<?x8xf32, strided<[8, 1]>>
        memref.store %x, %s[%i, %i] : memref<?x8xf32, strided<[8, 1]>>
        return
        """,
    )
    assert found == "store %x, %A[%i, %i]"


def test_rank_reduction_drops_the_dimensions_that_the_type_lacks() -> None:
    found = body(
        "%A: memref<4x1x6xf32>, %p: index",
        """
        %c2 = arith.constant 2 : index
        %r = memref.subview %A[%p, 0, 1] [1, 1, 5] [1, 1, 1]
          : memref<4x1x6xf32> to memref<5xf32, strided<[1], offset: ?>>
        %v = memref.load %r[%c2] : memref<5xf32, strided<[1], offset: ?>>
        return
        """,
    )
    assert found.splitlines()[-1] == "r0 = load %A[%p, 0, 3]"


def test_transpose_exchanges_subscripts() -> None:
    found = body(
        "%A: memref<2x3x4xf32>, %i: index, %j: index, %k: index",
        """
        %t = memref.transpose %A (a, b, c) -> (c, a, b) : memref<2x3x4xf32> to memref<4x2x3xf32, strided<[1, 12, 4]>>
        %v = memref.load %t[%i, %j, %k] : memref<4x2x3xf32, strided<[1, 12, 4]>>
        return
        """,
    )
    assert found == "r0 = load %A[%j, %k, %i]"


def test_collapse_divides_and_expand_multiplies() -> None:
    found = body(
        "%A: memref<?x4xf32>, %B: memref<24xf32>, %i: index, %j: index",
        """
        %c = memref.collapse_shape %A [[0, 1]] : memref<?x4xf32> into memref<?xf32>
        %v = memref.load %c[%i] : memref<?xf32>
        %e = memref.expand_shape %B [[0, 1]] output_shape [6, 4] : memref<24xf32> into memref<6x4xf32>
        %w = memref.load %e[%i, %j] : memref<6x4xf32>
        return
        """,
    )
    assert found.splitlines()[0] == "r0 = load %A[(%i floordiv 4), %i - 4*(%i floordiv 4)]"
    assert found.splitlines()[-1] == "r1 = load %B[4*%i + %j]"


def test_leading_dimensions_of_extent_1_need_no_division() -> None:
    found = body(
        "%A: memref<1x?xf32>, %i: index",
        """
        %c = memref.collapse_shape %A [[0, 1]] : memref<1x?xf32> into memref<?xf32>
        %v = memref.load %c[%i] : memref<?xf32>
        return
        """,
    )
    assert found == "r0 = load %A[0, %i]"


def test_a_cast_asserts_what_its_type_states() -> None:
    found = body("%A: memref<?x?xf32>", "%c = memref.cast %A : memref<?x?xf32> to memref<4x?xf32>\nreturn")
    assert found == "assert arith.cmpi[eq](dim(%A, 0), 4)"
    layout = "strided<[?, ?], offset: ?>"
    ops = f"%c = memref.cast %A : memref<4x4xf32> to memref<4x4xf32, {layout}>\nreturn"
    assert body("%A: memref<4x4xf32>", ops) == ""


def test_reinterpreted_buffer_is_addressed_by_position() -> None:
    found = body(
        "%A: memref<8x8xf32>, %o: index, %i: index",
        """
        %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A
          : memref<8x8xf32> -> memref<f32>, index, index, index, index, index
        %r = memref.reinterpret_cast %base to offset: [%o], sizes: [3], strides: [8]
          : memref<f32> to memref<3xf32, strided<[8], offset: ?>>
        %v = memref.load %r[%i] : memref<3xf32, strided<[8], offset: ?>>
        return
        """,
    )
    assert found.splitlines()[-1] == "r0 = load %A[%i + (%o floordiv 8), %o - 8*(%o floordiv 8)]"


def test_metadata_of_a_view() -> None:
    found = body(
        "%A: memref<8x8xf32>, %o: index, %B: memref<6xindex>",
        """
        %s = memref.subview %A[%o, 2] [2, 3] [2, 1] : memref<8x8xf32> to memref<2x3xf32, strided<[16, 1], offset: ?>>
        %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s
          : memref<2x3xf32, strided<[16, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
        affine.store %offset, %B[0] : memref<6xindex>
        affine.store %sizes#1, %B[1] : memref<6xindex>
        affine.store %strides#0, %B[2] : memref<6xindex>
        return
        """,
    )
    stored = [line for line in found.splitlines() if line.startswith("store")]
    assert stored == ["store 8*%o + 2, %B[0]", "store 3, %B[1]", "store 16, %B[2]"]


DIMENSION = """
func.func @f(%A: memref<?x?x4xf32>, %k: index) -> index {
  %r = memref.dim %A, %k : memref<?x?x4xf32>
  return %r : index
}"""
CHOSEN = """
func.func @f(%A: memref<?x?x4xf32>, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.dim %A, %c0 : memref<?x?x4xf32>
  %n = memref.dim %A, %c1 : memref<?x?x4xf32>
  %first = arith.cmpi eq, %k, %c0 : index
  %second = arith.cmpi eq, %k, %c1 : index
  %s = arith.select %second, %n, %c4 : index
  %r = arith.select %first, %m, %s : index
  return %r : index
}"""


def test_a_dimension_that_is_not_a_constant_is_in_range() -> None:
    def verdict(source: str, target: str) -> str:
        return check(source, target, ("s.mlir", "t.mlir"), Options(jobs=1)).verdict

    assert verdict(DIMENSION, DIMENSION.replace("%r", "%d")) == "equivalent"
    assert verdict(DIMENSION, CHOSEN) == "refines"
    assert verdict(CHOSEN, DIMENSION) == "not-equivalent"
    assert verdict(DIMENSION, CHOSEN.replace("%n, %c4", "%m, %c4")) == "not-equivalent"


def test_a_copy_is_a_loop_nest() -> None:
    found = body(
        "%A: memref<?x4xf32>, %B: memref<8x4xf32>", "memref.copy %A, %B : memref<?x4xf32> to memref<8x4xf32>\nreturn"
    )
    assert found == dedent(
        """\
        assert arith.cmpi[eq](dim(%A, 0), 8)
        for %i0 = 0 to dim(%A, 0) {
          for %i1 = 0 to 4 {
            r0 = load %A[%i0, %i1]
            store r0, %B[%i0, %i1]
          }
        }"""
    )


def test_realloc_keeps_what_fits() -> None:
    found = body(
        "%n: index",
        """
        %a = memref.alloc() : memref<4xf32>
        %b = memref.realloc %a(%n) : memref<4xf32> to memref<?xf32>
        memref.dealloc %b : memref<?xf32>
        return
        """,
    )
    assert found == dedent(
        """\
        alloc %a[4] : f32
        alloc %b[%n] : f32
        for %i0 = 0 to min(%n, 4) {
          r0 = load %a[%i0]
          store r0, %b[%i0]
        }
        dealloc %a
        dealloc %b"""
    )


def test_atomic_updates_are_a_load_and_a_store() -> None:
    found = body(
        "%A: memref<4xi32>, %i: index, %x: i32",
        """
        %a = memref.atomic_rmw maxu %x, %A[%i] : (i32, memref<4xi32>) -> i32
        %b = memref.generic_atomic_rmw %A[%i] : memref<4xi32> {
        ^bb0(%old: i32):
          %new = arith.subi %old, %x : i32
          memref.atomic_yield %new : i32
        }
        return
        """,
    )
    assert found == dedent(
        """\
        r0 = load %A[%i]
        store arith.maxui(r0, %x), %A[%i]
        r1 = load %A[%i]
        store arith.subi(r1, %x), %A[%i]"""
    )


def test_layouts_whose_elements_are_apart_are_plain_memory() -> None:
    tiled = "memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4)>>"
    skewed = "memref<8x8xf32, affine_map<(d0, d1) -> (d0, d1 + 2 * d0)>>"
    for kind in (tiled, skewed, "memref<8x8xf32, strided<[16, 2], offset: 5>>", "memref<?x8xf32, strided<[8, 1]>>"):
        assert body(f"%A: {kind}, %i: index", f"%v = memref.load %A[%i, %i] : {kind}\nreturn") == "r0 = load %A[%i, %i]"


@pytest.mark.parametrize(
    "kind",
    [
        "memref<8x8xf32, strided<[4, 1]>>",
        "memref<8x8xf32, strided<[0, 1]>>",
        "memref<8x8xf32, strided<[?, 0]>>",
        "memref<?x4xf32, strided<[2, 1]>>",
        "memref<?x?xf32, strided<[1, 1], offset: ?>>",
        "memref<8x8xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 2)>>",
        "memref<8x8xf32, affine_map<(d0, d1) -> (d0 + d1)>>",
    ],
)
def test_layouts_whose_elements_may_meet_are_refused(kind: str) -> None:
    assert "is not supported" in unsupported(f"func.func @f(%A: {kind}) {{ return }}")


STRIDED = "memref<4x4xf32, strided<[?, 1], offset: ?>>"


@pytest.mark.parametrize(
    ("arguments", "ops", "why"),
    [
        (f"%A: {STRIDED}", f"%c = memref.cast %A : {STRIDED} to memref<4x4xf32>", "the layout of %A is not known"),
        (
            f"%A: {STRIDED}",
            f"%c = memref.collapse_shape %A [[0, 1]] : {STRIDED} into memref<16xf32, strided<[1], offset: ?>>",
            "the layout of %A is not known",
        ),
        (
            f"%A: {STRIDED}",
            f"%r = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : {STRIDED} to memref<4xf32>",
            "the layout of %A is not known",
        ),
        (
            "%A: memref<4xf32>",
            "%c = memref.cast %A : memref<4xf32> to memref<*xf32>\n"
            "%d = memref.cast %c : memref<*xf32> to memref<2x2xf32>",
            "an unranked memref of rank 1 is cast to another rank",
        ),
        (
            "%A: memref<64xi8>, %c0: index",
            "%v = memref.view %A[%c0][] : memref<64xi8> to memref<16xf32>",
            "bytes that are read as several types are not supported",
        ),
        (
            "%A: memref<8xf32>, %o: index",
            """%s = memref.subview %A[%o] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
            %t = memref.subview %A[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
            memref.copy %s, %t : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: 2>>""",
            "source and target may overlap: both are of %A",
        ),
        (
            "",
            """%a = memref.alloc() : memref<8xf32>
            %s = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
            memref.dealloc %s : memref<4xf32, strided<[1]>>""",
            "it is given a view of %a, not what was allocated",
        ),
        (
            "%A: memref<4xi32>, %x: i32",
            """affine.parallel (%i) = (0) to (4) {
              %v = memref.atomic_rmw addi %x, %A[%i] : (i32, memref<4xi32>) -> i32
              memref.store %v, %A[%i] : memref<4xi32>
            }""",
            "what an atomic update in a parallel loop finds depends on the order",
        ),
        (
            "%A: memref<4xi32>, %x: i32",
            """affine.parallel (%i) = (0) to (4) {
              %v = memref.atomic_rmw assign %x, %A[%i] : (i32, memref<4xi32>) -> i32
            }""",
            "what atomic updates in a parallel loop store depends on the order",
        ),
        (
            "%A: memref<4xi32>, %x: i32",
            """affine.parallel (%i) = (0) to (4) {
              %v = memref.atomic_rmw addi %x, %A[%i] : (i32, memref<4xi32>) -> i32
              %w = memref.atomic_rmw muli %x, %A[%i] : (i32, memref<4xi32>) -> i32
            }""",
            "atomic updates beside other accesses of the same memory",
        ),
        (
            "%A: memref<4xi32>, %x: i32",
            """%c0 = arith.constant 0 : index
            affine.parallel (%i) = (0) to (4) {
              %u = memref.load %A[%c0] : memref<4xi32>
              %v = memref.atomic_rmw addi %u, %A[%i] : (i32, memref<4xi32>) -> i32
            }""",
            "atomic updates beside other accesses of the same memory",
        ),
    ],
)
def test_refused(arguments: str, ops: str, why: str) -> None:
    assert why in unsupported(f"func.func @f({arguments}) {{\n{ops}\nreturn\n}}")


def test_windows_of_one_buffer_that_are_apart_may_be_copied() -> None:
    found = body(
        "%A: memref<8xf32>",
        """
        %s = memref.subview %A[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
        %t = memref.subview %A[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
        memref.copy %s, %t : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1], offset: 4>>
        return
        """,
    )
    assert "store r0, %A[%i0 + 4]" in found


WINDOWS = {
    "the even and the odd": ((0, 2), (1, 2)),
    "even ones of both": ((0, 2), (2, 2)),
    "by different steps": ((0, 2), (3, 4)),
    "with a step in common": ((0, 2), (4, 3)),
    "one backwards": ((4, -1), (5, 1)),
    "one backwards, from the first of the other": ((4, -1), (4, 1)),
    "one element many times": ((3, 0), (4, 1)),
    "one element that the other has": ((5, 0), (4, 1)),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_views_of_one_buffer_that_are_apart_by_their_strides(name: str) -> None:
    """Three elements of each, from a place in steps; those that have one in common are refused."""
    places = [{first + step * k for k in range(3)} for first, step in WINDOWS[name]]
    kinds = [f"memref<3xf32, strided<[{step}], offset: {first}>>" for first, step in WINDOWS[name]]
    views = [
        f"%v{k} = memref.reinterpret_cast %A to offset: [{first}], sizes: [3], strides: [{step}]"
        f" : memref<12xf32> to {kinds[k]}\n"
        for k, (first, step) in enumerate(WINDOWS[name])
    ]
    ops = f"{''.join(views)}memref.copy %v0, %v1 : {kinds[0]} to {kinds[1]}\nreturn"
    if places[0] & places[1]:
        assert "may overlap" in unsupported(f"func.func @f(%A: memref<12xf32>) {{\n{ops}\n}}")
    else:
        assert "store" in body("%A: memref<12xf32>", ops)


def test_dimensions_of_extent_1_are_collapsed_whatever_the_layout() -> None:
    kind, result = "memref<1x?x4xf32, strided<[?, ?, ?], offset: ?>>", "memref<?x4xf32, strided<[?, ?], offset: ?>>"
    source = f"""func.func @f(%A: {kind}, %x: f32, %i: index) {{
  %zero = arith.constant 0 : index
  memref.store %x, %A[%zero, %i, %zero] : {kind}
  return
}}"""
    target = f"""func.func @f(%A: {kind}, %x: f32, %i: index) {{
  %zero = arith.constant 0 : index
  %c = memref.collapse_shape %A [[0, 1], [2]] : {kind} into {result}
  memref.store %x, %c[%i, %zero] : {result}
  return
}}"""
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "equivalent"
    wrong = target.replace("%c[%i, %zero]", "%c[%zero, %i]")
    assert check(source, wrong, ("source.mlir", "target.mlir"), Options()).verdict != "equivalent"
