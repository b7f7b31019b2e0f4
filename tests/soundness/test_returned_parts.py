"""Parts of a function's own allocations that it returns, and windows of arguments whose layout is not known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

ANY = "memref<?xi32, strided<[?], offset: ?>>"
GRID = "memref<?x?xi32, strided<[?, ?], offset: ?>>"
PART = "memref<2xi32, strided<[1], offset: ?>>"
FIXED = "memref<2xi32, strided<[1], offset: 1>>"
WHOLE = "memref<4xi32>"
TURNED = "memref<2x2xi32, strided<[?, ?]>>"
ARGUMENTS = f"%A: {ANY}, %B: {ANY}, %M: {GRID}, %c: i1, %x: i32, %n: index, %m: index"
INDICES = "\n".join(f"%c{k} = arith.constant {k} : index" for k in range(4))


def function(*lines: str, end: Sequence[tuple[str, str]]) -> str:
    """A function that returns values of these types."""
    values, kinds = (", ".join(part) for part in zip(*end, strict=True))
    body = "\n".join((INDICES, *lines, f"return {values} : {kinds}"))
    return f"func.func @f({ARGUMENTS}) -> ({kinds}) {{\n{body}\n}}\n"


def verdict(source: str, target: str, **switches: bool) -> tuple[str, str]:
    """The verdict, and how a caller can tell or why nothing is known."""
    options = Options(switches=Switches(**switches))
    (found,) = check(source, target, ("s.mlir", "t.mlir"), options).functions
    if found.counterexample is not None:
        return found.verdict, found.counterexample.difference
    return found.verdict, "" if found.unknown is None else found.unknown.text


def filled(name: str, size: int = 4, at: str = "%i", lower: int = 0) -> str:
    kind = f"memref<{size}xi32>"
    store = f"%v = arith.index_cast %i : index to i32\naffine.store %v, %{name}[{at}] : {kind}"
    return f"%{name} = memref.alloc() : {kind}\naffine.for %i = {lower} to {size} {{\n{store}\n}}"


def alike(name: str, size: int = 4, at: str = "%i", lower: int = 0) -> str:
    """All elements alike: what lies where is seen by writing alone."""
    return filled(name, size, at, lower).replace("%v = arith.index_cast %i : index to i32\n", "").replace("%v,", "%x,")


def part(name: str, of: str, offset: int, size: int = 4) -> str:
    return f"%{name} = memref.subview %{of}[%c{offset}] [2] [1] : memref<{size}xi32> to {PART}"


def fixed(name: str, of: str, size: int = 4) -> str:
    return f"%{name} = memref.subview %{of}[1] [2] [1] : memref<{size}xi32> to {FIXED}"


def turned(*strides: str) -> str:
    where = f"offset: [0], sizes: [2, 2], strides: [{', '.join(strides)}]"
    return f"%t = memref.reinterpret_cast %a to {where} : {WHOLE} to {TURNED}"


ONE = [("%r", PART)]
TWO = [("%r", PART), ("%s", PART)]
BOTH = [("%a", WHOLE), ("%r", PART)]
OTHERWISE = "3 - %i"
GROWING = (
    """%a = memref.alloc(%n) : memref<?xi32>
affine.for %i = 0 to %n {{ affine.store %x, %a[{}] : memref<?xi32> }}
%r = memref.subview %a[%c1] [2] [1] : memref<?xi32> to """
    + PART
)
NESTED = f"""%b = memref.alloc() : memref<2x2xi32>
affine.for %i = 0 to 2 {{ affine.for %j = 0 to 2 {{ affine.store %x, %b[%i, %j] : memref<2x2xi32> }} }}
%a = memref.collapse_shape %b [[0, 1]] : memref<2x2xi32> into {WHOLE}"""
HALF = f"%r = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<8xi32> to {WHOLE}"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            function(alike("a"), part("r", "a", 1), end=ONE),
            function(alike("a", at=OTHERWISE), part("r", "a", 1), end=ONE),
        ),
        (function(alike("a"), part("r", "a", 1), end=ONE), function(NESTED, part("r", "a", 1), end=ONE)),
        (
            function(alike("a"), part("r", "a", 0), part("s", "a", 1), end=TWO),
            function(alike("a"), part("s", "a", 1), part("r", "a", 0), end=TWO),
        ),
        (function(alike("a"), part("r", "a", 2), end=BOTH), function(NESTED, part("r", "a", 2), end=BOTH)),
        (
            function(GROWING.format("%i"), end=ONE),
            function(GROWING.format("-%i + symbol(%n) - 1"), end=ONE),
        ),
        (
            function(alike("a"), turned("%c2", "%c1"), end=[("%a", WHOLE), ("%t", TURNED)]),
            function(NESTED, turned("%c2", "%c1"), end=[("%a", WHOLE), ("%t", TURNED)]),
        ),
        # What was never written is the same in both.
        (
            function(alike("a", lower=1), fixed("r", "a"), end=[("%r", FIXED)]),
            function(alike("a", lower=1), fixed("r", "a"), end=[("%r", FIXED)]),
        ),
    ],
)
def test_the_same_part(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target) == ("equivalent", "")


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target", "seen"),
    [
        # The offset is another.
        (
            function(filled("a"), part("r", "a", 1), end=ONE),
            function(filled("a"), part("r", "a", 2), end=ONE),
            "result0[0] is 2, expected 1",
        ),
        (
            function(alike("a"), part("r", "a", 1), end=BOTH),
            function(alike("a"), part("r", "a", 2), end=BOTH),
            "writing to result1[0] changes result0[1] in the source and result0[2] in the target",
        ),
        # Parts of one allocation, and of two.
        (
            function(alike("a"), part("r", "a", 1), end=BOTH),
            function(alike("a"), alike("b"), part("r", "b", 1), end=BOTH),
            "writing to result1[0] changes result0[1] in the source and not in the target",
        ),
        (
            function(alike("a"), alike("b"), part("r", "a", 0), part("s", "b", 0), end=TWO),
            function(alike("a"), part("r", "a", 0), part("s", "a", 0), end=TWO),
            "writing to result1[0] changes result0[0] in the target and not in the source",
        ),
        (
            function(alike("a"), part("r", "a", 0), part("s", "a", 2), end=TWO),
            function(alike("a"), part("r", "a", 0), part("s", "a", 1), end=TWO),
            "writing to result1[0] changes result0[1] in the target and not in the source",
        ),
        (
            function(alike("a"), turned("%c2", "%c1"), end=[("%a", WHOLE), ("%t", TURNED)]),
            function(alike("a"), turned("%c1", "%c2"), end=[("%a", WHOLE), ("%t", TURNED)]),
            "writing to result1[0, 1] changes result0[1] in the source and result0[2] in the target",
        ),
    ],
)
def test_another_part(source: str, target: str, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = verdict(source, target)
    assert found[0] == "not-equivalent"
    assert seen in found[1]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # What surrounds a part: other contents, another size, another end of the allocation.
        (
            function(alike("a"), fixed("r", "a"), end=[("%r", FIXED)]),
            function(alike("a", lower=1), fixed("r", "a"), end=[("%r", FIXED)]),
            {"unknown"},
        ),
        (
            function(alike("a", lower=1), fixed("r", "a"), end=[("%r", FIXED)]),
            function(alike("a"), fixed("r", "a"), end=[("%r", FIXED)]),
            {"refines"},
        ),
        (
            function(alike("a"), fixed("r", "a"), end=[("%r", FIXED)]),
            function(alike("a", 5), fixed("r", "a", 5), end=[("%r", FIXED)]),
            {"unknown"},
        ),
        (
            function(alike("a"), part("r", "a", 1), end=ONE),
            function(alike("a"), part("r", "a", 2), end=ONE),
            {"unknown"},
        ),
        # Where nothing else is returned, two parts of one allocation that lie apart are like parts of two.
        (
            function(alike("a"), part("r", "a", 0), part("s", "a", 2), end=TWO),
            function(alike("a"), alike("b"), part("r", "a", 0), part("s", "b", 2), end=TWO),
            {"unknown"},
        ),
        # All of an allocation, and as much of a larger one.
        (
            function(alike("a", 8), HALF, end=[("%r", WHOLE)]),
            function(alike("r"), end=[("%r", WHOLE)]),
            {"unknown"},
        ),
    ],
)
def test_what_surrounds_a_part(source: str, target: str, expected: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target)[0] in expected
    for same in (source, target):
        assert verdict(same, same)[0] == "equivalent"


@pytest.mark.one_in(8)
def test_the_size_of_what_surrounds_a_part() -> None:
    """Of dynamic extents, one more."""
    more = GROWING.format("%i").replace("alloc(%n)", "alloc(%o)")
    target = function("%o = arith.addi %n, %c1 : index", more, end=ONE)
    assert verdict(function(GROWING.format("%i"), end=ONE), target)[0] in ("unknown", "not-equivalent")


def test_a_part_under_alias_may() -> None:
    source = function(alike("a"), part("r", "a", 1), end=ONE)
    assert verdict(source, function(alike("a", at=OTHERWISE), part("r", "a", 1), end=ONE), may_overlap=True)[0] in (
        "equivalent",
        "unknown",
    )


def window(offset: str, size: str = "%m", stride: str = "1", of: str = "A", name: str = "r") -> str:
    return f"%{name} = memref.subview %{of}[{offset}] [{size}] [{stride}] : {ANY} to {ANY}"


def square(*where: str) -> str:
    offsets, sizes, strides = where
    return f"%r = memref.subview %M[{offsets}] [{sizes}] [{strides}] : {GRID} to {GRID}"


SUM = "%k = arith.addi %n, %m : index\n%l = arith.subi %k, %m : index"
ANYWHERE = [("%r", ANY)]
SQUARE = [("%r", GRID)]
ROW = f"%r = memref.subview %M[{{}}, {{}}] [1, 2] [1, 1] : {GRID} to memref<2xi32, strided<[?], offset: ?>>"
ROWS = [("%r", "memref<2xi32, strided<[?], offset: ?>>")]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(window("%n"), end=ANYWHERE), function(SUM, window("%l"), end=ANYWHERE)),
        (
            function(square("%n, %m", "%c2, %c2", "1, 2"), end=SQUARE),
            function(SUM, square("%l, %m", "%c2, %c2", "1, 2"), end=SQUARE),
        ),
        (function(ROW.format("%n", "%m"), end=ROWS), function(SUM, ROW.format("%l", "%m"), end=ROWS)),
        (
            function(window("%n", "%m"), end=ANYWHERE),
            function(window("%n", "%m", name="s"), window("0", "%m", of="s"), end=ANYWHERE),
        ),
    ],
)
def test_the_same_window(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target) == ("equivalent", "")


@pytest.mark.parametrize(
    ("source", "target", "seen"),
    [
        (window("1", "%c2"), window("0", "%c2"), "changes %A[1] in the source and %A[0] in the target"),
        (window("0", "%c2"), window("0", "%c2", "2"), "changes %A[1] in the source and %A[2] in the target"),
        (ROW.format("0", "1"), ROW.format("1", "0"), "changes %M[0, 1] in the source and %M[1, 0] in the target"),
    ],
)
def test_another_window(source: str, target: str, seen: str) -> None:
    equal = "\n".join(
        (
            "%h = memref.dim %A, %c0 : " + ANY,
            "scf.for %i = %c0 to %h step %c1 { memref.store %x, %A[%i] : " + ANY + " }",
            "%p = memref.dim %M, %c0 : " + GRID,
            "%q = memref.dim %M, %c1 : " + GRID,
            "scf.for %i = %c0 to %p step %c1 { scf.for %j = %c0 to %q step %c1 {",
            f"memref.store %x, %M[%i, %j] : {GRID} }} }}",
        )
    )
    end = ROWS if "%M" in source else ANYWHERE
    found = verdict(function(equal, source, end=end), function(equal, target, end=end))
    assert found[0] == "not-equivalent"
    assert seen in found[1]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target", "end"),
    [
        # Nowhere, and along one element: only the metadata tell, and they differ.
        (window("%c0", "%c0"), window("%c1", "%c0"), ANYWHERE),
        (window("%c0", "%c1", "%c1"), window("%c0", "%c1", "%c2"), ANYWHERE),
        # The same number of elements in a row-major buffer, but not in any other.
        (
            square("%c1, %c0", "%c0, %c0", "1, 1"),
            f"%w = memref.dim %M, %c1 : {GRID}\n" + square("%c0, %w", "%c0, %c0", "1, 1"),
            SQUARE,
        ),
    ],
)
def test_windows_that_only_metadata_tell_apart(
    source: str, target: str, end: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(function(source, end=end), function(target, end=end))[0] == "unknown"
