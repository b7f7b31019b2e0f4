"""Coalesced loops as nests: the same accesses in the same order, and undefined on the same inputs."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Value
from hecv.mlir.importer import parse, read_function
from hecv.normal.loops.decoalescing import decoalesce
from hecv.normal.passes import normalize
from hecv.program.tree import Assert, Function, If, Loop, walk
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Undefined, compile

TWO = """func.func @f(%A: memref<24xi32>, %n: index, %m: index, %l: index) {
  %c = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%n)[%m]
  affine.for %k = 0 to %c {
    %j = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%k)[%m]
    %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%k)[%m]
    BODY
  }
  return
}"""
THREE = """func.func @f(%A: memref<24xi32>, %n: index, %m: index, %l: index) {
  %b = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%n)[%m]
  %c = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%b)[%l]
  affine.for %k = 0 to %c {
    %h = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%k)[%l]
    %r = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%k)[%l]
    %j = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%r)[%m]
    %i = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%r)[%m]
    %x = affine.load %A[%i * 5 + %j * 2 + 1] : memref<24xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %A[%i * 5 + %j * 2 + %h] : memref<24xi32>
  }
  return
}"""
TILE = """func.func @f(%A: memref<24xi32>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  affine.for %t = 0 to %n step 3 {
    %s = affine.min affine_map<(d0)[s0] -> (3, s0 - d0)>(%t)[%n]
    %c = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%m, %s]
    scf.for %k = %zero to %c step %one {
      %i, %j = affine.delinearize_index %k into (%m, %s) : index, index
      %u = arith.addi %i, %j : index
      %v = arith.addi %u, %t : index
      %x = memref.load %A[%v] : memref<24xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %A[%u] : memref<24xi32>
    }
  }
  return
}"""
LOWERED = """func.func @f(%A: memref<24xi32>, %n: index, %m: index, %l: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.muli %n, %m overflow<nsw> : index
  scf.for %k = %zero to %c step %one {
    %j = arith.REM %k, %m : index
    %i = arith.DIV %k, %m : index
    %s = arith.addi %i, %j : index
    %x = memref.load %A[%s] : memref<24xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %A[%i] : memref<24xi32>
  }
  return
}"""
ADD = """%x = affine.load %A[%i * 4 + %j] : memref<24xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %A[%i + %j] : memref<24xi32>"""
INNER = """affine.for %q = affine_map<(d0) -> (d0)>(%j) to %l {
      affine.if affine_set<(d0)[s0] : (d0 + s0 - 1 >= 0)>(%i)[%n] {
        affine.store %v, %A[%q * 3 + %i] : memref<24xi32>
      }
      %x = affine.load %A[%q] : memref<24xi32>
      %y = arith.addi %x, %x : i32
      affine.store %y, %A[%q + %j] : memref<24xi32>
    }"""


def split(text: str) -> tuple[Function, Function]:
    """The function, and the same with its normal form decoalesced."""
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    return function, replace(function, body=decoalesce(pool, normalize(pool, function)))


def loops(function: Function) -> int:
    return sum(isinstance(s, Loop) for s in walk(function.body))


def ending(function: Function, sizes: tuple[int, ...]) -> object:
    """The final contents of the array, or that the run is undefined."""
    arguments: tuple[Value, ...] = (Buffer((24,), [3 * k + 1 for k in range(24)]), *sizes)
    end = compile(function).run(arguments)
    assert not isinstance(end, Exhausted | Excluded)
    if isinstance(end, Undefined):
        return "undefined"
    array = end.arguments[0]
    assert isinstance(array, Buffer)
    return array.data


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (TWO.replace("BODY", ADD), 2),
        (TWO.replace("BODY", INNER.replace("%v", "%z")).replace("%c =", "%z = arith.constant 7 : i32\n  %c ="), 3),
        (
            TWO.replace("BODY", ADD)
            .replace("d0 * s0", "(d0 - 1) * (s0 + 1)")
            .replace("[%m]\n    ", "[%p]\n    ")
            .replace("affine.for", "%p = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%m]\n  affine.for"),
            2,
        ),
        (TILE, 3),
    ],
)
def test_a_nest_does_what_the_loop_did(text: str, depth: int) -> None:
    given, nest = split(text)
    assert (loops(given), loops(nest)) == (loops(given), depth)
    for sizes in product(range(-2, 4), repeat=3):
        assert ending(nest, sizes) == ending(given, sizes), sizes


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (LOWERED.replace("REM", "remsi").replace("DIV", "divsi"), 2),
        (LOWERED.replace("REM", "remui").replace("DIV", "divui"), 2),
        (THREE, 3),
    ],
)
def test_a_nest_does_what_the_loop_did_where_the_premise_holds(text: str, depth: int) -> None:
    given, nest = split(text)
    assert loops(nest) == depth
    assert sum(isinstance(s, If) and bool(s.exact) for s in walk(nest.body)) == 1
    assert any(isinstance(s, Assert) for s in walk(nest.body)) is (text is THREE)
    for sizes in product(range(-2, 4), repeat=3):
        if sizes[0] >= 0 or sizes[1] >= 0:
            assert ending(nest, sizes) == ending(given, sizes), sizes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("affine.for %k = 0", "affine.for %k = 1"),
        ("0 to %c {", "0 to %c step 2 {"),
        ("BODY", "affine.store %z, %A[%k] : memref<24xi32>"),
        ("d0 * s0", "d0 * s0 + 1"),
        ("floordiv s0)>(%k)[%m]", "floordiv s0)>(%k)[%n]"),
    ],
)
def test_what_is_no_nest_stays(old: str, new: str) -> None:
    """Another first value, step, bound or divisor, or a use of the variable itself."""
    text = TWO.replace("%c =", "%z = arith.constant 7 : i32\n  %c =")
    given, same = split(text.replace(old, new).replace("BODY", ADD))
    assert loops(given) == loops(same) == 1


def test_a_count_from_memory_stays() -> None:
    """The loop reads its bound once; a read in the body may see another number."""
    text = """func.func @f(%A: memref<24xi32>, %N: memref<2xindex>, %n: index) {
      %m = affine.load %N[0] : memref<2xindex>
      %c = arith.muli %n, %m : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %v = arith.constant 7 : i32
      scf.for %k = %zero to %c step %one {
        %i = arith.divsi %k, %m : index
        memref.store %v, %A[%i] : memref<24xi32>
        affine.store %one, %N[0] : memref<2xindex>
      }
      return
    }"""
    given, same = split(text)
    assert loops(given) == loops(same) == 1
