"""Functions without a body that are given views: they may reach all of the memory that a view is of."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

V = "memref<?xi32, strided<[?], offset: ?>>"
M = "memref<8xi32>"
DECLARED = f"func.func private @h({V})\nfunc.func private @two({V}, {V})\n"
BEGIN = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%c4 = arith.constant 4 : index
%L = memref.alloc() : {M}
affine.for %i = 0 to 8 {{ affine.store %x, %L[%i] : {M} }}
"""


def view(name: str, of: str, offset: str = "%c2", size: str = "%c4", stride: str = "%c1", kind: str = M) -> str:
    return f"%{name} = memref.subview %{of}[{offset}] [{size}] [{stride}] : {kind} to {V}\n"


def store(memory: str, place: int, value: str = "x") -> str:
    return f"affine.store %{value}, %{memory}[{place}] : {M}\n"


def load(memory: str, place: int) -> str:
    return f"%r = affine.load %{memory}[{place}] : {M}\n"


def put(memory: str) -> str:
    return f"affine.store %r, %{memory}[0] : {M}\n"


def taken(source: str, place: int, target: str) -> str:
    """A load of an element that is stored elsewhere."""
    return load(source, place) + put(target)


def function(*ops: str) -> str:
    body = "".join((BEGIN, *ops))
    return f"{DECLARED}func.func @f(%x: i32, %y: i32, %A: {M}, %B: {M}) {{\n{body}return\n}}\n"


def report(source: str, target: str) -> FunctionReport:
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    return found


H = f"func.call @h(%v) : ({V}) -> ()\n"
TWO = f"func.call @two(%v, %w) : ({V}, {V}) -> ()\n"
AGAIN = view("u", "A", "%c1") + view("v", "u", "%c1", "%c2", kind=V)
U = H.replace("%v", "%u")
WHOLE = f"%w = memref.cast %{{}} : {M} to {V}\n"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            function(view("v", "A"), store("A", 3), store("A", 0), H),
            function(store("A", 0), store("A", 3), view("v", "A"), H),
        ),
        (function(view("v", "A", "%c2", "%c2"), H), function(AGAIN, H)),
        (
            function(view("v", "L"), store("L", 3, "y"), H),
            function(store("L", 3), store("L", 3, "y"), view("v", "L"), H),
        ),
        (function(store("A", 3, "y"), store("A", 3), view("v", "A"), H), function(store("A", 3), view("v", "A"), H)),
    ],
)
def test_the_same_view(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    assert report(source, target).verdict == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(view("v", "A"), H), function(view("v", "A", "%c1"), H)),
        (function(view("v", "A"), H), function(view("v", "A", size="%c3"), H)),
        (function(view("v", "A", size="%c2"), H), function(view("v", "A", size="%c2", stride="%c2"), H)),
        (function(view("v", "A"), H), function(view("v", "B"), H)),
        (function(view("v", "A"), store("A", 3), H), function(view("v", "A"), H, store("A", 3))),
        # Elements that are not seen: the callee may know the argument.
        (function(view("v", "A"), store("A", 7), H), function(view("v", "A"), H, store("A", 7))),
        (function(view("v", "A"), view("w", "B"), TWO), function(view("v", "B"), view("w", "A"), TWO)),
    ],
)
def test_another_view(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = report(source, target)
    assert found.verdict == "not-equivalent", found.unknown
    assert found.counterexample is not None
    assert found.counterexample.kind == "calls"
    assert found.counterexample.engines == ("interpreter", "jit")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        # Of an allocation a run is only of the elements that the view has, and of its sizes.
        (function(view("v", "L"), store("L", 7, "y"), H), function(view("v", "L"), H)),
        (function(view("v", "L"), H), function(view("v", "L", "%c1"), H)),
        # Which of the two is a view counts.
        (
            function(view("v", "A"), WHOLE.format("B"), TWO),
            function(view("w", "B"), WHOLE.replace("%w", "%v").format("A"), TWO),
        ),
        (function(view("v", "L"), H), function(view("v", "A"), H)),
        # The callee may have kept the address of what an earlier call was given.
        (
            function(view("v", "L"), H, view("u", "A"), U, taken("L", 2, "A")),
            function(view("v", "L"), H, load("L", 2), view("u", "A"), U, put("A")),
        ),
        (
            function(view("v", "L"), H, store("L", 7), view("u", "A"), U),
            function(view("v", "L"), H, view("u", "A"), U),
        ),
        # The same call, if one knew that.
        (function(view("v", "A", "%c0", "%c4"), H), function(WHOLE.replace("%w", "%v").format("A"), H)),
    ],
)
def test_what_is_not_known(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert report(source, target).verdict == "unknown"


FREED = f"memref.dealloc %L : {M}\n"
HALVES = view("v", "L", "%c0", "%c2") + view("w", "L", "%c2", "%c2")
CROSSING = view("v", "L", "%c0", "%c2") + view("w", "L", "%c1", "%c2")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(view("v", "L"), store("L", 3, "y"), H), function(store("L", 3, "y"), view("v", "L"), H)),
        (
            function(view("v", "L"), store("L", 7, "y"), H, FREED),
            function(store("L", 7, "y"), view("v", "L"), H, FREED),
        ),
        (function(HALVES, TWO, H), function(view("w", "L", "%c2", "%c2"), view("v", "L", "%c0", "%c2"), TWO, H)),
    ],
)
def test_the_same_view_of_an_allocation(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert report(source, target).verdict == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target", "seen"),
    [
        # What the callee is given, and in which order.
        (
            function(view("v", "L"), store("L", 3, "y"), H),
            function(view("v", "L"), H, store("L", 3, "y")),
            "call 1, of @h: element 1 of the view of %L",
        ),
        (function(view("v", "L"), H), function(view("v", "L", size="%c3"), H), "operand 2 is 3, expected 4"),
        (function(view("v", "L"), H), function(view("v", "L")), "call 1, of @h, is not made"),
        (
            function(store("L", 3, "y"), view("v", "L", "%c3", "%c1"), H),
            function(store("L", 3, "y"), view("v", "L", "%c4", "%c1"), H),
            "element 0 of the view of %L",
        ),
        # What it leaves there.
        (function(view("v", "L"), H, taken("L", 2, "A")), function(view("v", "L"), H, taken("L", 3, "A")), "%A[0] is"),
        (
            function(view("v", "L"), H, taken("L", 2, "A")),
            function(load("L", 2), view("v", "L"), H, put("A")),
            "%A[0] is",
        ),
        # Two views that have an element in common, and two that have none.
        (function(HALVES, TWO, H), function(CROSSING, TWO, H), "call 2, of @h: element 1 of the view of %L"),
    ],
)
def test_another_view_of_an_allocation(source: str, target: str, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = report(source, target)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None
    assert seen in found.counterexample.difference
    assert found.counterexample.engines == ("interpreter", "jit")


ANY = "memref<?xi32, strided<[?], offset: ?>>"
GRID = "memref<?x?xi32, strided<[?, ?], offset: ?>>"
SUM = "%o = arith.addi %n, %m : index\n%l = arith.subi %o, %m : index\n"


def caller(body: str) -> str:
    arguments = f"%A: {ANY}, %B: {ANY}, %M: {GRID}, %n: index, %m: index, %x: i32"
    return f"func.func private @h({ANY})\nfunc.func @f({arguments}) {{\n{body}return\n}}\n"


def window(offset: str, of: str = "A", size: str = "%m", stride: str = "1") -> str:
    view = f"%{of}v = memref.subview %{of}[{offset}] [{size}] [{stride}] : {ANY} to {ANY}\n"
    return view + f"func.call @h(%{of}v) : ({ANY}) -> ()\n"


def row(first: str, second: str) -> str:
    view = f"%r = memref.subview %M[{first}, {second}] [1, %m] [1, 1] : {GRID} to {ANY}\n"
    return view + f"func.call @h(%r) : ({ANY}) -> ()\n"


@pytest.mark.parametrize(
    ("source", "target"), [(window("%n"), SUM + window("%l")), (row("%n", "%m"), SUM + row("%l", "%m"))]
)
def test_the_same_window_of_an_unknown_layout(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert report(caller(source), caller(target)).verdict == "equivalent"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (window("1"), window("2")),
        (window("1"), window("1", stride="2")),
        (window("1", "A") + window("1", "B"), window("1", "B") + window("1", "A")),
        (f"func.call @h(%A) : ({ANY}) -> ()\n", window("1")),
        (row("%n", "%m"), window("%m")),
    ],
)
def test_another_window_of_an_unknown_layout(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert report(caller(source), caller(target)).verdict == "not-equivalent"


def test_other_rows_of_an_unknown_layout() -> None:
    """Where the layout has two dimensions, compiled code is not asked."""
    assert report(caller(row("%n", "%m")), caller(row("%m", "%n"))).verdict in ("unknown", "not-equivalent")
