"""What frees one of several memrefs is read where flags show that it is none of the caller's, and refused else."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.program.tree import Dealloc, walk

SOURCE = """func.func @f(%A: memref<8xf32>, %c: i1, %d: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = scf.if %c -> (memref<8xf32>) {
    scf.yield %A : memref<8xf32>
  } else {
    %T = memref.alloc() : memref<8xf32>
    memref.store %x, %T[%c0] : memref<8xf32>
    scf.yield %T : memref<8xf32>
  }
  %v = memref.load %m[%c0] : memref<8xf32>
  return %v : f32
}"""
FREED = """func.func @f(%A: memref<8xf32>, %c: i1, %d: i1, %x: f32) -> f32 {{
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %false = arith.constant false
  %m, %owned = scf.if %c -> (memref<8xf32>, i1) {{
    scf.yield %A, %false : memref<8xf32>, i1
  }} else {{
    %T = memref.alloc() : memref<8xf32>
    memref.store %x, %T[%c0] : memref<8xf32>
    scf.yield %T, %true : memref<8xf32>, i1
  }}
  %v = memref.load %m[%c0] : memref<8xf32>
  %base, %o, %size, %stride = memref.extract_strided_metadata %m : memref<8xf32> -> memref<f32>, index, index, index
  {flag}
  scf.if %flag {{
    memref.dealloc %base : memref<f32>
  }}
  return %v : f32
}}"""
BLOCKS = """func.func @f(%A: memref<8xf32>, %c: i1, %d: i1, %x: f32) -> f32 {{
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %false = arith.constant false
  cf.cond_br %c, ^given, ^made
^given:
  cf.br ^end(%A, {given} : memref<8xf32>, i1)
^made:
  %T = memref.alloc() : memref<8xf32>
  memref.store %x, %T[%c0] : memref<8xf32>
  cf.br ^end(%T, {made} : memref<8xf32>, i1)
^end(%m: memref<8xf32>, %owned: i1):
  %v = memref.load %m[%c0] : memref<8xf32>
  bufferization.dealloc (%m : memref<8xf32>) if (%owned)
  return %v : f32
}}"""
LOOP = """func.func @f(%A: memref<8xf32>, %n: index, %x: f32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%owned = %false) -> i1 {{
    %m = scf.if %owned -> (memref<8xf32>) {{
      scf.yield %A : memref<8xf32>
    }} else {{
      %T = memref.alloc() : memref<8xf32>
      scf.yield %T : memref<8xf32>
    }}
    scf.if {flag} {{
      memref.dealloc %m : memref<8xf32>
    }}
    scf.yield %true : i1
  }}
  return
}}"""
OWN = (
    "%flag = arith.xori %c, %true : i1",
    "%flag = arith.andi %owned, %true : i1",
    "%flag = arith.andi %owned, %d : i1",
    "%flag = arith.select %d, %owned, %false : i1",
    "%not = arith.xori %c, %true : i1\n%flag = arith.andi %d, %not : i1",
    "%flag = arith.cmpi ne, %c, %true : i1",
)
GIVEN = (
    "%flag = arith.ori %owned, %d : i1",
    "%flag = arith.xori %owned, %true : i1",
    "%flag = arith.andi %c, %d : i1",
    "%flag = arith.select %d, %owned, %c : i1",
    "%flag = arith.xori %d, %true : i1",
    "%flag = arith.cmpi eq, %c, %d : i1",
    "%flag = arith.cmpi eq, %c, %true : i1",
)
REFUSAL = "does not come from a memref.alloc of this function"


def ended(text: str) -> int:
    """How many deallocations are left."""
    function = read_function(parse(text, "t.mlir"), "f", TermPool())
    return sum(isinstance(s, Dealloc) for s in walk(function.body))


def refusal(text: str) -> str:
    with pytest.raises(Unsupported) as caught:
        ended(text)
    return caught.value.text


@pytest.mark.parametrize("flag", OWN)
def test_a_flag_that_excludes_the_argument(flag: str) -> None:
    assert ended(FREED.format(flag=flag)) == 1


@pytest.mark.parametrize("flag", GIVEN)
def test_a_flag_that_may_hold_for_the_argument(flag: str) -> None:
    assert refusal(FREED.format(flag=flag)).endswith(REFUSAL)


def test_flags_that_blocks_hand_on() -> None:
    assert ended(BLOCKS.format(given="%false", made="%true")) == 1
    assert ended(BLOCKS.format(given="%false", made="%d")) == 1


@pytest.mark.parametrize("given", ["%true", "%d", "%c"])
def test_flags_that_blocks_hand_on_with_the_argument(given: str) -> None:
    assert refusal(BLOCKS.format(given=given, made="%true")).endswith(REFUSAL)


def test_what_an_iteration_wrote_is_not_what_the_next_finds() -> None:
    assert refusal(LOOP.format(flag="%owned")).endswith(REFUSAL)
    assert refusal(LOOP.format(flag="%true")).endswith(REFUSAL)
    assert ended(LOOP.format(flag="%false")) == 1


@pytest.mark.parametrize("flag", OWN)
def test_what_frees_only_its_own_memory_is_equivalent(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    (report,) = check(SOURCE, FREED.format(flag=flag), ("s.mlir", "t.mlir"), Options()).functions
    assert report.verdict == "equivalent"


def test_what_is_freed_is_not_read_afterwards() -> None:
    read = "%v = memref.load %m[%c0] : memref<8xf32>"
    early = FREED.format(flag="%flag = arith.xori %c, %true : i1").replace(read, "")
    late = early.replace("return %v", f"{read}\n  return %v")
    (report,) = check(SOURCE, late, ("s.mlir", "t.mlir"), Options()).functions
    assert report.verdict == "not-equivalent"
