"""Memrefs that a condition chooses or a loop carries, as branches of their accesses."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.program.tree_printer import render


def tree(arguments: str, ops: str) -> str:
    """The tree of a function of these arguments and ops, without the function's own lines."""
    text = f"func.func @f({arguments}) {{\n{ops}\nreturn\n}}"
    lines = render(read_function(parse(text, "t.mlir"), "f", TermPool())).splitlines()
    return dedent("\n".join(lines[1:-1]))


def refusal(arguments: str, ops: str) -> str:
    with pytest.raises(Unsupported) as caught:
        tree(arguments, ops)
    return caught.value.text


TWO = "%c: i1, %A: memref<4xf32>, %B: memref<4xf32>, %x: f32"


def test_a_store_stands_in_both_branches() -> None:
    found = tree(
        TWO,
        """
        %z = arith.constant 0 : index
        %m = arith.select %c, %A, %B : memref<4xf32>
        memref.store %x, %m[%z] : memref<4xf32>""",
    )
    assert found == dedent("""\
        if %c {
          store %x, %A[0]
        } else {
          store %x, %B[0]
        }""")


def test_two_operands_that_one_condition_chooses_take_two_branches() -> None:
    found = tree(
        TWO,
        """
        %m = arith.select %c, %A, %B : memref<4xf32>
        %n = arith.select %c, %B, %A : memref<4xf32>
        memref.copy %m, %n : memref<4xf32> to memref<4xf32>""",
    )
    assert found.count("if") == 1
    assert found.index("store r0, %B") < found.index("else") < found.index("store r1, %A")


def test_an_unused_choice_demands_nothing() -> None:
    """The condition may be poison: only an access is undefined then."""
    assert tree(TWO, "%m = arith.select %c, %A, %B : memref<4xf32>") == ""


def test_the_extent_of_a_choice_is_a_select() -> None:
    found = tree(
        "%c: i1, %A: memref<?xf32>, %B: memref<?xf32>, %R: memref<1xindex>",
        """
        %z = arith.constant 0 : index
        %m = arith.select %c, %A, %B : memref<?xf32>
        %n = memref.dim %m, %z : memref<?xf32>
        memref.store %n, %R[%z] : memref<1xindex>""",
    )
    assert found == "store arith.select(%c, dim(%A, 0), dim(%B, 0)), %R[0]"


def test_what_a_view_asserts_is_asserted_of_the_one_chosen() -> None:
    found = tree(
        "%c: i1, %A: memref<4xf32>, %B: memref<8xf32>, %o: index",
        """
        %a = memref.cast %A : memref<4xf32> to memref<?xf32>
        %b = memref.cast %B : memref<8xf32> to memref<?xf32>
        %m = arith.select %c, %a, %b : memref<?xf32>
        %s = memref.subview %m[%o] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>""",
    )
    then, otherwise = found.split("else")
    assert "[slt](%o, 4)" in then and "[slt](%o, 8)" in otherwise


SWAP = """
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %r:2 = scf.for %i = %z to %n step STEP iter_args(%a = %A, %b = %B) -> (memref<4xf32>, memref<4xf32>) {
      memref.store %x, %a[%z] : memref<4xf32>
      scf.yield YIELD : memref<4xf32>, memref<4xf32>
    }
    memref.store %x, %r#1[%o] : memref<4xf32>"""
SIZED = "%A: memref<4xf32>, %B: memref<4xf32>, %n: index, %x: f32"


def test_buffers_that_change_places_follow_from_the_iteration() -> None:
    found = tree(SIZED, SWAP.replace("STEP", "%o").replace("YIELD", "%b, %a"))
    assert found == dedent("""\
        for %i0 = 0 to %n {
          if arith.cmpi[eq](%i0 - 2*(%i0 floordiv 2), 0) {
            store %x, %A[0]
          } else {
            store %x, %B[0]
          }
        }
        if arith.cmpi[eq](max(%n, 0) - 2*((max(%n, 0) floordiv 2)), 0) {
          store %x, %B[1]
        } else {
          store %x, %A[1]
        }""")


def test_a_buffer_that_is_left_behind_is_that_of_the_first_iteration() -> None:
    found = tree(SIZED, SWAP.replace("STEP", "%o").replace("YIELD", "%b, %b"))
    assert "if arith.cmpi[eq](%i0, 0) {" in found
    assert found.endswith("store %x, %B[1]")


def test_a_buffer_that_stays_is_no_choice() -> None:
    found = tree(SIZED, SWAP.replace("STEP", "%o").replace("YIELD", "%a, %b"))
    assert "if" not in found


def test_where_the_step_is_no_number_iterations_are_counted() -> None:
    found = tree(SIZED + ", %s: index", SWAP.replace("STEP", "%s").replace("YIELD", "%b, %a"))
    assert "store r0 + 1, %cell" in found


def test_a_choice_by_data_is_told_by_a_selector() -> None:
    body = (
        SWAP.replace("STEP", "%o")
        .replace("YIELD", "%p, %a")
        .replace(
            "      scf.yield",
            """
      %p = arith.select %c, %a, %b : memref<4xf32>
      scf.yield""",
        )
    )
    found = tree(SIZED + ", %c: i1", body)
    assert "store arith.select(%c, r0, r1), %cell" in found


def test_an_allocation_in_a_branch_is_made_before_it() -> None:
    found = tree(
        TWO,
        """
        %z = arith.constant 0 : index
        %m = scf.if %c -> memref<4xf32> {
          %a = memref.alloc() : memref<4xf32>
          memref.store %x, %a[%z] : memref<4xf32>
          scf.yield %a : memref<4xf32>
        } else {
          scf.yield %A : memref<4xf32>
        }
        memref.store %x, %m[%z] : memref<4xf32>""",
    )
    assert found.startswith("alloc %a[4] : f32\nif %c {\n  store %x, %a[0]")


def test_an_allocation_whose_extent_may_be_negative_is_empty_before_its_branch() -> None:
    found = tree(
        "%c: i1, %A: memref<?xf32>, %n: index, %x: f32",
        """
        %z = arith.constant 0 : index
        %m = scf.if %c -> memref<?xf32> {
          %a = memref.alloc(%n) : memref<?xf32>
          scf.yield %a : memref<?xf32>
        } else {
          scf.yield %A : memref<?xf32>
        }
        memref.store %x, %m[%z] : memref<?xf32>""",
    )
    assert found.startswith("alloc %a[max(%n, 0)] : f32\nif %c {\n  assert arith.cmpi[sle](0, %n)\n}")


def test_an_allocation_whose_extent_a_branch_reads_stays_where_it_is() -> None:
    assert "computes its extents" in refusal(
        "%c: i1, %A: memref<?xf32>, %N: memref<index>, %x: f32",
        """
        %z = arith.constant 0 : index
        %m = scf.if %c -> memref<?xf32> {
          %n = memref.load %N[] : memref<index>
          %a = memref.alloc(%n) : memref<?xf32>
          scf.yield %a : memref<?xf32>
        } else {
          scf.yield %A : memref<?xf32>
        }
        memref.store %x, %m[%z] : memref<?xf32>""",
    )


def test_what_a_branch_read_is_kept_for_the_views_it_yields() -> None:
    found = tree(
        "%c: i1, %A: memref<8xf32>, %O: memref<1xindex>, %x: f32",
        """
        %z = arith.constant 0 : index
        %m = scf.if %c -> memref<1xf32, strided<[1], offset: ?>> {
          %o = memref.load %O[%z] : memref<1xindex>
          %s = memref.subview %A[%o] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
          scf.yield %s : memref<1xf32, strided<[1], offset: ?>>
        } else {
          %s = memref.subview %A[%z] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
          scf.yield %s : memref<1xf32, strided<[1], offset: ?>>
        }
        memref.store %x, %m[%z] : memref<1xf32, strided<[1], offset: ?>>""",
    )
    assert found.startswith("cell %cell4 : index\nstore 0, %cell4\nif %c {\n  r0 = load %O[0]")
    assert found.endswith("store %x, %A[r1]\n} else {\n  store %x, %A[0]\n}")


def test_a_poison_memref_has_no_elements() -> None:
    found = tree(
        "%x: f32",
        """
        %z = arith.constant 0 : index
        %p = ub.poison : memref<4xf32>
        memref.store %x, %p[%z] : memref<4xf32>""",
    )
    assert found.startswith("alloc %local1[0] : f32") and found.endswith("store %x, %local1[0]")


def test_a_promise_about_a_choice_is_refused() -> None:
    """It is one of the memref that is chosen, not of both."""
    assert "a memref that a condition chooses" in refusal(
        TWO,
        """
        %m = arith.select %c, %A, %B : memref<4xf32>
        %p = memref.assume_alignment %m, 16 : memref<4xf32>""",
    )


MOVED = """
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %h = arith.constant 3 : index
    %s = memref.subview FIRST[%h] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
    %r = scf.for %i = %z to %n step %o iter_args(%a = %s) -> (memref<1xf32, strided<[1], offset: ?>>) {
      memref.store %x, %a[%z] : memref<1xf32, strided<[1], offset: ?>>
      %t = memref.subview %A[%i] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
      scf.yield %t : memref<1xf32, strided<[1], offset: ?>>
    }"""
WINDOWED = "%A: memref<8xf32>, %B: memref<8xf32>, %n: index, %x: f32"


def test_a_view_that_a_loop_makes_is_carried_as_what_it_is_made_of() -> None:
    found = tree(WINDOWED, MOVED.replace("FIRST", "%A"))
    assert found.count("cell %") == 2 and "if" not in found
    assert "store 3, %cell" in found and "store %i0, %cell" in found and "store %x, %A[r1]" in found


def test_a_view_of_another_memory_is_told_apart_by_its_number() -> None:
    found = tree(WINDOWED, MOVED.replace("FIRST", "%B"))
    assert "if arith.cmpi[eq](" in found and "store %x, %B[3]" in found and "store %x, %A[r1]" in found


def test_a_view_of_what_each_iteration_allocates_is_not_handed_on() -> None:
    text = MOVED.replace("FIRST", "%A")
    inner = text.replace("%t = memref.subview %A", "%m = memref.alloc() : memref<8xf32>\n%t = memref.subview %m")
    assert refusal(WINDOWED, inner).endswith("a view of %m that a loop makes is handed on")


def test_a_view_of_the_view_before_is_not_handed_on() -> None:
    text = MOVED.replace("FIRST", "%A")
    kind = "memref<1xf32, strided<[1], offset: ?>>"
    inner = text.replace("%A[%i] [1] [1] : memref<8xf32>", f"%a[%i] [1] [1] : {kind}")
    assert "that a loop makes is handed on" in refusal(WINDOWED, inner)
