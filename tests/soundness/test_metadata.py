"""Memrefs of unknown layout that are taken apart and put together again (`hecv.mlir.read.strided_metadata`)."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.check import Options, check

from .test_conditions import proof

KIND = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
ROWS = "memref<?x?xf32, strided<[?, 1], offset: ?>>"
PART = "memref<4x3xf32, strided<[?, ?], offset: ?>>"
NAMES = "%base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A"


def apart(offset: str, strides: str, kind: str = KIND) -> str:
    """Element `(i, j)` of what the parts of `%A` are put together to."""
    return f"""func.func @f(%A: {kind}, %a: index, %b: index, %i: index, %j: index) -> f32 {{
  {NAMES} : {kind} -> memref<f32>, index, index, index, index, index
  %at = affine.apply affine_map<()[o, s, t, a, b] -> ({offset})>()[%offset, %strides#0, %strides#1, %a, %b]
  %twice = affine.apply affine_map<()[s] -> (s * 2)>()[%strides#0]
  %r = memref.reinterpret_cast %base to offset: [%at], sizes: [4, 3], strides: [{strides}] : memref<f32> to {PART}
  %v = memref.load %r[%i, %j] : {PART}
  return %v : f32
}}"""


def part(rows: str, columns: str, order: str = "0, 1") -> str:
    """Element `(i, j)` of a view of `%A`, or `(j, i)`."""
    at = "%i, %j" if order == "0, 1" else "%j, %i"
    return f"""func.func @f(%A: {KIND}, %a: index, %b: index, %i: index, %j: index) -> f32 {{
  %w = memref.subview %A[%a, %b] [4, 3] [{rows}, {columns}] : {KIND} to {PART}
  %v = memref.load %w[{at}] : {PART}
  return %v : f32
}}"""


PUT = apart("o + s * a + t * b", "%strides#0, %strides#1")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (part("1", "1"), PUT),
        (part("2", "1"), apart("o + s * a + t * b", "%twice, %strides#1")),
        (PUT, apart("t * b + a * s + o", "%strides#0, %strides#1")),
    ],
    ids=["a view", "every other row", "the same sum"],
)
def test_parts_of_a_layout_are_a_view(source: str, target: str) -> None:
    assert proof(source, target) is not None


@pytest.mark.parametrize(
    "target",
    [
        apart("o + s * b + t * a", "%strides#0, %strides#1"),
        apart("o + s * a + t * b", "%strides#1, %strides#0"),
        apart("o + s * a + t * b", "%twice, %strides#1"),
        apart("o + s * a + s + t * b", "%strides#0, %strides#1"),
    ],
    ids=["offsets change places", "strides change places", "every other row", "one row more"],
)
def test_each_part_counts(target: str) -> None:
    assert proof(part("1", "1"), target) is None
    assert check(part("1", "1"), target, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (apart("s * a + t * b", "%strides#0, %strides#1"), "not plainly made"),
        (apart("o + s * a + b", "%strides#0, %strides#1"), "not plainly made"),
        (apart("2 * o", "%strides#0, %strides#1"), "not plainly made"),
        (apart("o + (s * a) floordiv 2", "%strides#0, %strides#1"), "not plainly made"),
        (apart("o + a", "%strides#0, 1", ROWS.replace("[?, 1]", "[2, 1]")), "not plainly made"),
        (
            f"""func.func @f(%A: {KIND}) -> index {{
  {NAMES} : {KIND} -> memref<f32>, index, index, index, index, index
  return %strides#0 : index
}}""",
            "depends on the layout",
        ),
    ],
    ids=["no offset", "elements", "two offsets", "half a row", "two literal strides", "a stride is returned"],
)
def test_what_is_no_view_is_refused(program: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        proof(program, program.replace("@f(", "@f( "))


def test_that_accesses_lie_within_is_said() -> None:
    report = check(part("1", "1"), PUT, ("source.mlir", "target.mlir"), Options())
    assert report.verdict == "refines"
    assert "strides-within" in [a.id for a in report.functions[0].assumptions]


DROPPED = (
    "memref.subview %A[%a, %b, %n] [1, {}, {}] [1, 1, 1] : memref<4x6x8xf32> to memref<{}xf32, strided<{}, offset: ?>>"
)
"""A window of one row, of which one of two dimensions of size 1 is left."""


def row(size: str, shape: str, strides: str, at: str = "%a, %b, %n", last: str = "%n") -> str:
    """A window of one row, made with `size` rows and returned as it is of one row of `%n` elements."""
    kind, end = f"memref<{shape}xf32, strided<{strides}, offset: ?>>", f"memref<?x?xf32, strided<{strides}, offset: ?>>"
    window = DROPPED.format(size, last, shape, strides).replace("%a, %b, %n", at)
    cast = f"%r = memref.cast %w : {kind} to {end}\n" if kind != end else ""
    name = "%r" if cast else "%w"
    return (
        f"func.func @f(%A: memref<4x6x8xf32>, %a: index, %b: index, %n: index) -> {end} {{\n"
        f"%c1 = arith.constant 1 : index\n%w = {window}\n{cast}return {name} : {end}\n}}"
    )


ROW = row("%c1", "?x?", "[8, 1]")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (ROW, row("1", "1x?", "[8, 1]")),
        (row("1", "1x?", "[8, 1]"), ROW),
        (row("%c1", "?x3", "[8, 1]", last="3"), row("1", "1x3", "[8, 1]", last="3")),
    ],
    ids=["a size folded", "a size hidden", "sizes folded"],
)
def test_the_type_says_which_dimension_of_size_1_is_left(source: str, target: str) -> None:
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "equivalent"


@pytest.mark.parametrize(
    "target",
    [
        row("1", "1x?", "[8, 1]", at="%a, %a, %n"),
        row("1", "1x?", "[8, 1]", at="%a, %b, %b"),
        row("1", "1x?", "[8, 1]", last="%b"),
    ],
    ids=["another row", "another column", "another length"],
)
def test_another_row_is_another_window(target: str) -> None:
    assert check(ROW, target, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"


def stride(kind: str, result: str) -> str:
    """The stride of the first dimension of a window of one row, and another result."""
    return f"""func.func @f(%A: memref<4x6x8xf32>, %a: index, %b: index, %n: index) -> index {{
  %w = {DROPPED.format("1", "%n", "1x?", kind)}
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %w
    : memref<1x?xf32, strided<{kind}, offset: ?>> -> memref<f32>, index, index, index, index, index
  %k = arith.constant {result} : index
  %r = arith.subi %strides#0, %k : index
  return %r : index
}}"""


@pytest.mark.parametrize(("kind", "number", "other"), [("[8, 1]", 8, 48), ("[48, 1]", 48, 8)])
def test_strides_that_show_are_those_of_the_type(kind: str, number: int, other: int) -> None:
    source = stride(kind, str(number))
    bare = source.replace("return %r", "return %z").replace("%r =", "%z = arith.constant 0 : index\n  %r =")
    assert check(source, bare, ("source.mlir", "target.mlir"), Options()).verdict == "equivalent"
    wrong = check(
        stride(kind, str(other)), bare.replace(f"constant {number}", f"constant {other}"), ("s", "t"), Options()
    )
    assert wrong.verdict == "not-equivalent"
