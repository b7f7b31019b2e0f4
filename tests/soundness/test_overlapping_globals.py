"""Under `--alias may` an argument may be a global, which the caller passes."""

from __future__ import annotations

import pytest

from hecv.base.types import INDEX, IntType, MemRefType
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.run.jit import Finished, run

GLOBALS = """memref.global @G : memref<4xi32>
memref.global @H : memref<4xi32>
memref.global "private" @P : memref<4xi32>
memref.global constant @K : memref<4xi32> = dense<1>
func.func private @p()
"""
GET = "%{0} = memref.get_global @{0} : memref<4xi32>\n"
FIVE = "%v = arith.constant 5 : i32\n"
STORE = "affine.store %{}, %{}[1] : memref<4xi32>\n"
LOAD = "%r = affine.load %{}[1] : memref<4xi32>\n"
A, G, H = STORE.format("x", "A"), STORE.format("v", "G"), STORE.format("v", "H")


def function(*ops: str, result: str = "x") -> str:
    body = "".join((FIVE, *(GET.format(n) for n in "GHPK"), *ops))
    return f"{GLOBALS}func.func @f(%x: i32, %A: memref<4xi32>) -> i32 {{\n{body}return %{result} : i32\n}}\n"


def report(source: str, target: str, may: bool = True) -> FunctionReport:
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options(switches=Switches(may_overlap=may))).functions
    return found


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(A, LOAD.format("G"), result="r"), function(LOAD.format("G"), A, result="r")),
        (function(A, G), function(G, A)),
        (function(A, G, LOAD.format("A"), result="r"), function(A, G)),
    ],
)
def test_an_argument_that_is_a_global(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = report(source, target)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None
    assert found.counterexample.engines == ("interpreter", "jit")
    assert found.notes == ("%A and @G are the same memory in this input",)
    assert report(source, target, may=False).verdict in ("equivalent", "error")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(G, H), function(H, G)),
        (function(G, LOAD.format("H"), result="r"), function(LOAD.format("H"), G, result="r")),
        (function(A, LOAD.format("A"), result="r"), function(A)),
        (function(A, LOAD.format("K"), result="r"), function(LOAD.format("K"), A, result="r")),
    ],
)
def test_globals_lie_apart(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    assert report(source, target).verdict == "equivalent"


def test_a_private_global_need_not_be_known() -> None:
    store = STORE.format("v", "P")
    assert report(function(A, store), function(store, A)).verdict == "unknown"


@pytest.mark.parametrize("kind", ["2x3", "?x3", "2x?", "?x?"])
def test_compiled_code_is_given_the_global(kind: str) -> None:
    text = f"""memref.global @G : memref<2x3xi32>
    func.func @f(%A: memref<{kind}xi32>, %i: index) -> i32 {{
      %c1 = arith.constant 1 : index
      %G = memref.get_global @G : memref<2x3xi32>
      %v = memref.load %A[%c1, %i] : memref<{kind}xi32>
      %w = arith.addi %v, %v : i32
      memref.store %w, %G[%c1, %i] : memref<2x3xi32>
      %r = memref.load %A[%c1, %i] : memref<{kind}xi32>
      return %r : i32
    }}"""
    shape = tuple(None if n == "?" else int(n) for n in kind.split("x"))
    data: list[int | float] = [1, 2, 3, 4, 5, 6]
    arguments = [Buffer((2, 3), data), 2, Buffer((2, 3), data)]  # type: ignore[arg-type]
    held = [("G", MemRefType((2, 3), IntType(32)))]
    end = run(text, "f", arguments, [MemRefType(shape, IntType(32)), INDEX], [IntType(32)], globals=held)
    assert isinstance(end, Finished), end
    assert end.results == (12,)
    assert [b.data for b in end.arguments if isinstance(b, Buffer)] == [[1, 2, 3, 4, 5, 12]] * 2
