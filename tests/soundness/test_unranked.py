"""Memrefs whose rank a type forgets, or whose shape stands in memory, and what a view of bytes demands."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

ARGUMENTS = "%A: memref<4x4xf32>, %V: memref<4xf32>, %W: memref<4xf32>, %x: f32, %n: index"
CONSTANTS = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c5 = arith.constant 5 : index\n"


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def function(ops: str, value: str, kind: str = "f32") -> str:
    return f"func.func @f({ARGUMENTS}) -> {kind} {{\n{CONSTANTS}{ops}\nreturn {value} : {kind}\n}}"


def report(source: str, target: str) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


PLAIN = function("%y = memref.load %A[%c1, %c1] : memref<4x4xf32>", "%y")
UNRANKED = function(
    "%u = memref.cast %A : memref<4x4xf32> to memref<*xf32>\n%r = memref.cast %u : memref<*xf32> to memref<?x4xf32>\n"
    "%y = memref.load %r[%c1, %c1] : memref<?x4xf32>",
    "%y",
)
RESHAPED = function(
    "%s = memref.alloca() : memref<1xi32>\n%k = arith.constant 16 : i32\nmemref.store %k, %s[%c0] : memref<1xi32>\n"
    "%r = memref.reshape %A(%s) : (memref<4x4xf32>, memref<1xi32>) -> memref<?xf32>\n"
    "%y = memref.load %r[%c5] : memref<?xf32>",
    "%y",
)
COPIED = function(
    "%u = memref.cast %V : memref<4xf32> to memref<*xf32>\n%v = memref.cast %W : memref<4xf32> to memref<*xf32>\n"
    "memref.copy %u, %v : memref<*xf32> to memref<*xf32>\n%r = memref.rank %u : memref<*xf32>\n"
    "%d = memref.dim %u, %c0 : memref<*xf32>\n%s = arith.addi %r, %d : index",
    "%s",
    "index",
)
COPY = function("memref.copy %V, %W : memref<4xf32> to memref<4xf32>\n%s = arith.constant 5 : index", "%s", "index")
BYTES = function(
    "%b = memref.alloc() : memref<64xi8>\n%v = memref.view %b[%c0][%n] : memref<64xi8> to memref<?xf32>\n"
    "memref.store %x, %v[%c0] : memref<?xf32>\n%y = memref.load %v[%c0] : memref<?xf32>",
    "%y",
)
GIVEN = function("", "%x")

RIGHT = [(PLAIN, UNRANKED), (PLAIN, RESHAPED), (COPY, COPIED), (BYTES, GIVEN)]
WRONG = [
    (PLAIN, UNRANKED.replace("memref<?x4xf32>", "memref<?x5xf32>"), "undefined-behavior"),
    (PLAIN, UNRANKED.replace("%r[%c1, %c1]", "%r[%c1, %c0]"), "value"),
    (PLAIN, RESHAPED.replace("constant 16", "constant 15"), "undefined-behavior"),
    (PLAIN, RESHAPED.replace("constant 16", "constant -16"), "undefined-behavior"),
    (PLAIN, RESHAPED.replace("%r[%c5]", "%r[%c1]"), "value"),
    (
        PLAIN,
        RESHAPED.replace(
            "%r = memref.resh",
            "scf.for %i = %c0 to %c1 step %c1 {\nmemref.store %z, %s[%c0] : memref<1xi32>\n}\n%r = memref.resh",
        ).replace("%k =", "%z = arith.constant 8 : i32\n%k ="),
        "undefined-behavior",
    ),
    (PLAIN, RESHAPED.replace("memref.store %k, %s[%c0] : memref<1xi32>\n", ""), "undefined-behavior"),
    (COPY, COPIED.replace("addi %r, %d", "addi %d, %d"), "value"),
    (GIVEN, BYTES, "undefined-behavior"),  # %n may be 17, which is beyond the 64 bytes
]


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_right_pairs(number: int) -> None:
    found = report(*RIGHT[number])
    assert found.verdict in ("equivalent", "refines"), found.unknown


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_twins(number: int) -> None:
    source, target, kind = WRONG[number]
    found = report(source, target)
    assert found.verdict == "not-equivalent", found.unknown
    assert found.counterexample is not None and found.counterexample.kind == kind


def test_a_shape_of_arguments_is_compared_with_what_is_there() -> None:
    """A reshape to `n` by 4 is a reshape to 4 by 4 where it is defined at all."""
    shape = (
        "%s = memref.alloca() : memref<2xindex>\nmemref.store %n, %s[%c0] : memref<2xindex>\n"
        "%c4 = arith.constant 4 : index\nmemref.store %c4, %s[%c1] : memref<2xindex>\n"
        "%r = memref.reshape %A(%s) : (memref<4x4xf32>, memref<2xindex>) -> memref<?x4xf32>\n"
        "%y = memref.load %r[%c1, %c1] : memref<?x4xf32>"
    )
    assert report(function(shape, "%y"), PLAIN).verdict == "refines"
    assert report(PLAIN, function(shape, "%y")).verdict == "not-equivalent"
