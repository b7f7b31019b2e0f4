"""Inputs whose elements are subscripts, and ends of rows: they are drawn in range of what they are used for."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.refute.indirect_ranges import data_of, places_of
from hecv.refute.input_generation import STYLES, Draw, guesses, literals
from hecv.run.interpreter.interpreter import Finished, compile

HEAD = """func.func @f(%ptr: memref<?xi32>, %col: memref<?xindex>, %map: memref<?xi32>, %d: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %t = arith.constant 2 : i32
"""
ROWS = """    %u1 = arith.addi %u, %c1 : index
    %b = memref.load %ptr[%u] : memref<?xi32>
    %e = memref.load %ptr[%u1] : memref<?xi32>
    %bi = arith.index_cast %b : i32 to index
    %ei = arith.index_cast %e : i32 to index
    scf.for %j = %bi to %ei step %c1 {
      %v = memref.load %col[%j] : memref<?xindex>
      BODY
    }
"""
SEARCH = (
    """  scf.for %l = %c0 to %n step %c1 {
  scf.for %u = %c0 to %n step %c1 {
    %li = arith.index_cast %l : index to i32
    %du = memref.load %d[%u] : memref<?xi32>
    %at = arith.cmpi eq, %du, %li : i32
    scf.if %at {
"""
    + ROWS.replace(
        "BODY",
        """%q = memref.load %map[%v] : memref<?xi32>
      %qi = arith.index_cast %q : i32 to index
      %dv = memref.load %d[%qi] : memref<?xi32>
      %new = arith.cmpi slt, %dv, %z : i32
      scf.if %new {
        %next = arith.addi %li, %o : i32
        memref.store %next, %d[%qi] : memref<?xi32>
      }""",
    )
    + "  }\n  }\n  }\n"
)
PRODUCT = (
    "  scf.for %u = %c0 to %n step %c1 {\n"
    + ROWS.replace(
        "BODY",
        """%x = memref.load %map[%v] : memref<?xi32>
      %du = memref.load %d[%u] : memref<?xi32>
      %s = arith.addi %du, %x : i32
      memref.store %s, %d[%u] : memref<?xi32>""",
    )
    + "  }\n"
)
GATHERS = """  scf.for %u = %c0 to %n step %c1 {
    %v = memref.load %col[%u] : memref<?xindex>
    %q = memref.load %map[%v] : memref<?xi32>
    %qi = arith.index_cast %q : i32 to index
    %du = memref.load %d[%qi] : memref<?xi32>
    %s = arith.muli %du, %t : i32
    memref.store %s, %d[%qi] : memref<?xi32>
  }
"""
CHASE = """  %end = scf.for %u = %c0 to %n step %c1 iter_args(%p = %c0) -> index {
    %v = memref.load %col[%p] : memref<?xindex>
    %du = memref.load %d[%v] : memref<?xi32>
    %s = arith.addi %du, %o : i32
    memref.store %s, %d[%v] : memref<?xi32>
    scf.yield %v : index
  }
"""
PROGRAMS = {
    "search": (SEARCH, ("arith.addi %li, %o", "arith.addi %li, %t"), {"map": "up", "ptr": "ends", "col": "up"}),
    "product": (PRODUCT, ("arith.addi %du, %x", "arith.subi %du, %x"), {"ptr": "ends", "col": "up"}),
    "gathers": (GATHERS, ("arith.muli %du, %t", "arith.addi %du, %t"), {"col": "up", "map": "up"}),
    "chase": (CHASE, ("arith.addi %du, %o", "arith.addi %du, %t"), {"col": "up"}),
}
NAMES = ("ptr", "col", "map", "d")


def _text(body: str) -> str:
    return f"{HEAD}{body}  return\n}}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_elements_are_used_as(name: str) -> None:
    body, _, expected = PROGRAMS[name]
    function = read_function(parse(_text(body), "f.mlir"), "f", TermPool())
    found = {NAMES[m]: "ends" if places.up_to else "up" for m, places in places_of(function).items()}
    assert found == expected
    assert NAMES.index("d") in data_of(function)
    assert not {NAMES.index(used) for used in expected} & data_of(function)


@pytest.mark.parametrize("name", PROGRAMS)
def test_many_inputs_do_something(name: str) -> None:
    function = read_function(parse(_text(PROGRAMS[name][0]), "f.mlir"), "f", TermPool())
    draw, points = Draw(function, literals((function,)), Random(0), True), guesses(function, (0, 1), Random(1))
    executable, done = compile(function), 0
    for turn, point in enumerate(islice(points, 300)):
        arguments = draw.arguments(point, STYLES[turn % len(STYLES)])
        assert arguments is not None
        end = executable.run(arguments, 100_000)
        if isinstance(end, Finished):
            pairs = zip(arguments, end.arguments, strict=True)
            done += any(isinstance(a, Buffer) and isinstance(b, Buffer) and a.data != b.data for a, b in pairs)
    assert done > 5


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_only_such_an_input_shows_is_refuted(name: str) -> None:
    body, edit, _ = PROGRAMS[name]
    source, target = _text(body), _text(body.replace(*edit))
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    assert found.verdict == "not-equivalent" and found.runs > 5
