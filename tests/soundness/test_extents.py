"""Allocations whose extents vary: what an access demands is what the allocation says, in whatever form it stands."""

from __future__ import annotations

from typing import Final

import pytest

from .test_conditions import function, proof

pytestmark = pytest.mark.egraph

ARGUMENTS: Final = "%x: i32, %A: memref<64xi32>, %P: memref<64xindex>"
STRIPS: Final = """  affine.for %o = 0 to 64 step 8 {
    affine.for %i = affine_map<(d) -> (d)>(%o) to affine_map<(d) -> (d + 8)>(%o) {
"""


def strips(access: str) -> str:
    """In strips, an allocation of `i + 1` elements, and an access in a loop over a span."""
    return f"""{STRIPS}      %n = affine.apply affine_map<(d) -> (d + 1)>(%i)
      %t = memref.alloca(%n) : memref<?xi32>
      %b = affine.load %P[0] : memref<64xindex>
      scf.for %k = %c0 to %b step %c1 {{
        {access}
        affine.store %x, %A[%i] : memref<64xi32>
      }}
    }}
  }}"""


STORE: Final = "memref.store %x, %t[%b] : memref<?xi32>"
UPDATE: Final = """%o = memref.load %t[%b] : memref<?xi32>
      %u = arith.addi %o, %x : i32
      memref.store %u, %t[%b] : memref<?xi32>"""


def scattered(index: str, access: str) -> str:
    """An allocation of `index + 1` elements, accessed at a subscript from memory."""
    return f"""    affine.for %i = 0 to 8 {{
      %n = affine.apply affine_map<(d) -> (d + 1)>({index})
      %t = memref.alloca(%n) : memref<?xi32>
      %b = affine.load %P[%i] : memref<64xindex>
      {access}
      affine.store %x, %A[%i] : memref<64xi32>
    }}"""


def counted(index: str, access: str = STORE) -> str:
    """Within a while loop that counts."""
    return f"""  %r = scf.while (%w = %c0) : (index) -> index {{
    %c = arith.cmpi slt, %w, %c4 : index
    scf.condition(%c) %w : index
  }} do {{
  ^bb0(%w: index):
{scattered(index, access)}
    %k = arith.addi %w, %c1 : index
    scf.yield %k : index
  }}"""


def looped(index: str, access: str = STORE) -> str:
    """Within a loop."""
    return f"  affine.for %w = 0 to 4 {{\n{scattered(index, access)}\n  }}"


def sized(place: str) -> str:
    """An allocation that is as large as memory says, which is written after that."""
    return f"""  %n = affine.load %P[{place}] : memref<64xindex>
  %t = memref.alloca(%n) : memref<?xi32>
  %b = affine.load %P[1] : memref<64xindex>
  affine.store %c4, %P[0] : memref<64xindex>
  affine.store %c4, %P[2] : memref<64xindex>
  memref.store %x, %t[%b] : memref<?xi32>"""


STORED, AT_FIRST = "memref.store %x, %t[%k] : memref<?xi32>", "affine.store %x, %t[0] : memref<?xi32>"
WRONG: Final = {
    "in-strips": (strips(""), strips(STORED)),
    "in-a-while": (counted("%i"), counted("%w")),
    "in-a-while-and-a-loop": (counted("%i"), looped("%w")),
    "updated-in-a-while": (counted("%i", UPDATE), counted("%w", UPDATE)),
    "updated-in-a-while-and-a-loop": (counted("%i", UPDATE), looped("%w", UPDATE)),
    "by-memory": (sized("0"), sized("2")),
}
RIGHT: Final = {
    "in-strips": (strips(AT_FIRST), strips(AT_FIRST).replace("step 8", "step 4").replace("(d + 8)", "(d + 4)")),
    "in-a-while": (counted("%i"), looped("%i")),
    "updated-in-a-while": (counted("%i", UPDATE), looped("%i", UPDATE)),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_access_beyond_an_allocation_is_not_proved(name: str) -> None:
    source, target = (function(ARGUMENTS, body) for body in WRONG[name])
    assert proof(source, target) is None


@pytest.mark.parametrize("name", RIGHT)
def test_an_access_within_an_allocation_is_proved(name: str) -> None:
    source, target = (function(ARGUMENTS, body) for body in RIGHT[name])
    assert proof(source, target) in ("array dataflow", "one form")
