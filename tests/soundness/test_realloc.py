"""`memref.realloc` against what `mlir-opt --expand-realloc` makes of it, and lives that end in branches."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = """func.func @f(%m: index, %n: index, %x: i32, %c: i1, %O: memref<?xi32>) {
%c0 = arith.constant 0 : index
"""
FILLED = """%a = memref.alloc(%m) : memref<?xi32>
affine.for %i = 0 to %m { affine.store %x, %a[%i] : memref<?xi32> }
"""
COPIED = """%k = arith.minsi %m, %n : index
affine.for %i = 0 to %k {
  %v = affine.load %b[%i] : memref<?xi32>
  affine.store %v, %O[%i] : memref<?xi32>
}
"""
END = "memref.dealloc %b : memref<?xi32>\nreturn\n}\n"
SOURCE = f"{HEAD}{FILLED}%b = memref.realloc %a(%n) : memref<?xi32> to memref<?xi32>\n{COPIED}{END}"
TARGET = f"""{HEAD}{FILLED}%dim = memref.dim %a, %c0 : memref<?xi32>
%p = arith.cmpi ult, %dim, %n : index
%b = scf.if %p -> (memref<?xi32>) {{
  %new = memref.alloc(%n) : memref<?xi32>
  %part = memref.subview %new[0] [%dim] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
  memref.copy %a, %part : memref<?xi32> to memref<?xi32, strided<[1]>>
  memref.dealloc %a : memref<?xi32>
  scf.yield %new : memref<?xi32>
}} else {{
  %old = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<?xi32> to memref<?xi32>
  scf.yield %old : memref<?xi32>
}}
{COPIED}{END}"""


def verdict(source: str, target: str) -> str:
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    return found.verdict


def test_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    assert verdict(SOURCE, TARGET) == "equivalent"
    assert verdict(TARGET, SOURCE) == "equivalent"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arith.cmpi ult, %dim, %n", "arith.cmpi ugt, %dim, %n"),
        ("arith.cmpi ult, %dim, %n", "arith.cmpi ule, %n, %dim"),
        ("  memref.copy %a, %part : memref<?xi32> to memref<?xi32, strided<[1]>>\n", ""),
        ("memref.dealloc %b", "memref.dealloc %a"),
        ("affine.load %b", "affine.load %a"),
    ],
)
def test_wrongly_expanded(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert old in TARGET
    target = TARGET.replace("memref.dealloc %b : memref<?xi32>\nreturn", "memref.dealloc %a : memref<?xi32>\nreturn")
    target = TARGET.replace(old, new) if old != "memref.dealloc %b" else target
    assert verdict(SOURCE, target) == "not-equivalent"


FREEING = f"""{HEAD}{FILLED}%zero = arith.constant 0 : i32
%p = arith.cmpi slt, %m, %n : index
scf.if %p {{ memref.dealloc %a : memref<?xi32> }}
%q = arith.cmpi COND : index
scf.if %q {{
  affine.for %i = 0 to %m {{
    %v = affine.load %a[%i] : memref<?xi32>
    affine.store %v, %O[%i] : memref<?xi32>
  }}
}}
return
}}
"""
KEEPING = FREEING.replace("scf.if %p { memref.dealloc %a : memref<?xi32> }\n", "")


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("sge, %m, %n", True),
        ("sgt, %m, %n", True),
        ("slt, %n, %m", True),
        ("sle, %m, %n", False),
        ("ne, %m, %n", False),
    ],
)
def test_where_memory_was_freed_it_is_not_read(condition: str, right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY" if right else "HECV_CROSSCHECK", "1")
    found = verdict(*(text.replace("COND", condition) for text in (KEEPING, FREEING)))
    assert found == ("equivalent" if right else "not-equivalent")


LOADED = FREEING.replace(
    "%p = arith.cmpi slt, %m, %n : index", "%w = memref.load %O[%c0] : memref<?xi32>\n%p = arith.cmpi slt, %w, %x : i32"
)
LOADED = LOADED.replace("%q = arith.cmpi COND : index", "memref.store %x, %O[%c0] : memref<?xi32>\n"
    "%u = memref.load %O[%c0] : memref<?xi32>\n%q = arith.cmpi sge, %u, %x : i32")  # fmt: skip


def test_what_is_read_may_change_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    kept = LOADED.replace("scf.if %p { memref.dealloc %a : memref<?xi32> }\n", "")
    assert verdict(kept, LOADED) == "not-equivalent"


BRANCHED = """func.func @f(%c: i1, %n: index, %x: i32, %A: memref<?xi32>) -> i32 {{
  %c0 = arith.constant 0 : index
  {0}%m = scf.if %c -> memref<?xi32> {{
    %a = memref.alloc(%n) : memref<?xi32>
    scf.yield %a : memref<?xi32>
  }} else {{
    scf.yield %A : memref<?xi32>
  }}
  memref.store %x, %m[%c0] : memref<?xi32>
  %r = memref.load %m[%c0] : memref<?xi32>
  return %r : i32
}}
"""
STRAIGHT = """func.func @f(%c: i1, %n: index, %x: i32, %A: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %t = arith.constant true
  %d = arith.xori %c, %t : i1
  scf.if %d { memref.store %x, %A[%c0] : memref<?xi32> }
  return %x : i32
}
"""


def test_an_allocation_in_a_branch_may_be_of_negative_size() -> None:
    """There the branch is undefined, and nothing is where it is not taken."""
    assert verdict(BRANCHED.format(""), STRAIGHT) == "refines"
    assert verdict(STRAIGHT, BRANCHED.format("")) == "not-equivalent"
    assert verdict(STRAIGHT, BRANCHED.format("%early = memref.alloc(%n) : memref<?xi32>\n")) == "not-equivalent"
