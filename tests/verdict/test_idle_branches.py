"""Swaps of a place with itself, which a branch may avoid, and twins whose branch avoids something else."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

LOADS = "%u = memref.load %A[%k] : memref<16xi32>\n  %v = memref.load %A[%p] : memref<16xi32>"
STORES = "memref.store %v, %A[%k] : memref<16xi32>\n  memref.store %u, %A[%p] : memref<16xi32>"


def _swap(*parts: str, kind: str = "index") -> str:
    body = "\n  ".join(parts)
    return f"""
func.func @f(%A: memref<16xi32>, %P: memref<1x{kind}>, %k: index) {{
  %c0 = arith.constant 0 : index
  %p = memref.load %P[%c0] : memref<1x{kind}>
  {body}
  return
}}"""


def _guarded(condition: str, stores: str = STORES, otherwise: str = "") -> str:
    return f"{condition}\n  scf.if %c {{\n  {stores}\n  }}" + (f" else {{\n  {otherwise}\n  }}" if otherwise else "")


APART = "%c = arith.cmpi ne, %p, %k : index"
SAME = "%c = arith.cmpi eq, %p, %k : index"
BELOW = "%c = arith.cmpi sgt, %p, %k : index"
CAST = "%q = arith.index_cast %w : i32 to index"


def _by_word(body: str) -> str:
    """The place is an `i32` in memory."""
    found = _swap(body, kind="i32").replace("%p = memref.load", "%w = memref.load")
    return found.replace("memref<16xi32>\n", "memref<16xi32>\n").replace("%p]", "%q]")


WORD = f"{CAST}\n  {LOADS}"

ROWS = """
func.func @f(%A: memref<8x6xf32>, %P: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c3 = arith.constant 3 : index
  %p = memref.load %P[%c0] : memref<1xindex>
  %w = memref.load %A[%p, %c0] : memref<8x6xf32>
  {guard}
  scf.for %j = %c0 to %c6 step %c1 {{
    %u = memref.load %A[{k}, %j] : memref<8x6xf32>
    %v = memref.load %A[%p, %j] : memref<8x6xf32>
    memref.store %v, %A[{k}, %j] : memref<8x6xf32>
    memref.store %u, %A[%p, {j}] : memref<8x6xf32>
  }}
  {end}
  return
}"""


def _rows(guard: str = "", k: str = "%c3", j: str = "%j") -> str:
    end = "}" if guard else ""
    return (
        ROWS.replace("{\n  %c0", "{{\n  %c0").replace("return\n}", "return\n}}").format(guard=guard, end=end, k=k, j=j)
    )


ROW_APART = "%c = arith.cmpi ne, %p, %c3 : index\n  scf.if %c {"

DOUBLED = STORES.replace("memref.store %u", "%s = arith.addi %u, %u : i32\n  memref.store %s")
NEXT = "%c1 = arith.constant 1 : index\n  %n = arith.addi %k, %c1 : index"
FROM_NEXT = "%c = arith.cmpi ne, %p, %n : index"
SWAP = _swap(LOADS, STORES)

PAIRS = {
    "element": (SWAP, _swap(LOADS, _guarded(APART)), "equivalent"),
    "element, in the other branch": (SWAP, _swap(LOADS, _guarded(SAME, "", STORES)), "equivalent"),
    "element, by a word": (
        _by_word(f"{WORD}\n  {STORES}"),
        _by_word(f"{WORD}\n  {_guarded(APART.replace('%p', '%q'))}"),
        "equivalent",
    ),
    "element, both loads within": (SWAP, _swap(_guarded(APART, f"{LOADS}\n  {STORES}")), "refines"),
    "nothing": (
        _swap(LOADS.replace("%k", "%p"), STORES.replace("%k", "%p")),
        _swap(LOADS.replace("%k", "%p")),
        "equivalent",
    ),
    "rows": (_rows(), _rows(ROW_APART), "equivalent"),
    "element, where they are equal": (SWAP, _swap(LOADS, _guarded(SAME)), "not-equivalent"),
    "element, where one is above": (SWAP, _swap(LOADS, _guarded(BELOW)), "not-equivalent"),
    "not a swap": (_swap(LOADS, DOUBLED), _swap(LOADS, _guarded(APART, DOUBLED)), "not-equivalent"),
    "another place": (_swap(NEXT, LOADS, STORES), _swap(NEXT, LOADS, _guarded(FROM_NEXT)), "not-equivalent"),
    "rows, one column off": (_rows(), _rows(ROW_APART, j="%c0"), "not-equivalent"),
    "rows, another row": (_rows(), _rows(ROW_APART.replace("%c3", "%c1")), "not-equivalent"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_swaps(name: str) -> None:
    source, target, wanted = PAIRS[name]
    assert check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict == wanted
