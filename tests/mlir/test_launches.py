"""Launches of threads that do not wait for each other are parallel loops."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

ARGUMENTS = "%A: memref<?x?xf32>, %B: memref<?xf32>, %x: f32, %n: index, %m: index"
CONSTANTS = "".join(f"%c{k} = arith.constant {k} : index\n" for k in (0, 1, 4))


def function(body: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{CONSTANTS}{body}return\n}}\n"


def launch(body: str, grid: str = "%n", threads: str = "%m") -> str:
    return f"""gpu.launch blocks(%i, %by, %bz) in (%gx = {grid}, %gy = %c1, %gz = %c1)
    threads(%j, %ty, %tz) in (%sx = {threads}, %sy = %c1, %sz = %c1) {{
  {body}
  gpu.terminator
}}
"""


def loops(body: str, outer: str = "%n", inner: str = "%m") -> str:
    return f"affine.for %i = 0 to {outer} {{\naffine.for %j = 0 to {inner} {{\n{body}\n}}\n}}\n"


ADD = """%v = memref.load %A[%i, %j] : memref<?x?xf32>
%w = arith.addf %v, %x : f32
memref.store %w, %A[%i, %j] : memref<?x?xf32>"""
TURNED = ADD.replace("%v, %x", "%x, %v")
FLAT = "%b = arith.muli %i, %c4 : index\n%k = arith.addi %b, %j : index\nmemref.store %x, %B[%k] : memref<?xf32>"
ONE = "memref.store %x, %B[%i] : memref<?xf32>"
SAME = "%y = arith.addf %x, %x : f32\nmemref.store %y, %B[%j] : memref<?xf32>"
SIZES = "%s = arith.index_cast %gx : index to i32\n%y = arith.sitofp %s : i32 to f32\n"

EQUAL = {
    "a nest": (loops(ADD), launch(ADD)),
    "operands exchanged": (launch(ADD), launch(TURNED)),
    "blocks of four": (loops(FLAT, inner="4"), launch(FLAT, threads="%c4")),
    "one thread": (loops(ONE, outer="1", inner="1"), launch(ONE, "%c1", "%c1")),
    "the size of the grid": (
        launch(SIZES + ONE.replace("%x", "%y"), threads="%c1"),
        loops(SIZES.replace("%gx", "%n") + ONE.replace("%x", "%y"), inner="1"),
    ),
}

WRONG = {
    "another op": (loops(ADD), launch(ADD.replace("addf", "subf"))),
    "another size": (loops(ADD), launch(ADD, "%m")),
    "another place": (loops(FLAT, inner="4"), launch(FLAT.replace("%b, %j", "%b, %c0"), threads="%c4")),
    "a race": (loops(ADD), launch(ADD + "\n" + SAME)),
    "memory of a block": (
        loops(ADD),
        launch(ADD).replace("%sz = %c1) {", "%sz = %c1) workgroup(%w0 : memref<4xf32, 3>) {"),
    ),
    "a barrier": (loops(ADD), launch(ADD + "\ngpu.barrier")),
}


def report(source: str, target: str) -> FunctionReport:
    found = check(function(source), function(target), ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_threads_are_iterations(name: str) -> None:
    found = report(*EQUAL[name])
    assert found.verdict == "equivalent"
    assert "launch-threads" in [a.id for a in found.assumptions]


@pytest.mark.parametrize("name", WRONG)
def test_other_threads(name: str) -> None:
    assert report(*WRONG[name]).verdict in ("not-equivalent", "unknown")
