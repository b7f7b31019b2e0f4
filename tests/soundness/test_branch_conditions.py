"""Pairs that differ in just what one side condition of branches on data, or of subscripts from memory, is for.

Each was seen to be called equal, or to refine, without it.
"""

from __future__ import annotations

import pytest

from .test_conditions import function, proof

ARGUMENTS = (
    "%n: index, %m: index, %k: i32, %l: i32, %p: i1, "
    "%A: memref<16xi32>, %B: memref<16xi32>, %C: memref<16xi1>, %P: memref<16xindex>"
)
HEAD = """  %false = arith.constant false
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %most = arith.constant 2147483647 : i32
  %c = memref.load %C[%c0] : memref<16xi1>
  %d = memref.load %C[%c1] : memref<16xi1>
"""


def stored(value: str = "%k", place: str = "%c0") -> str:
    return f"    memref.store {value}, %A[{place}] : memref<16xi32>\n"


def branch(then: str, otherwise: str = "", condition: str = "%c") -> str:
    return f"  scf.if {condition} {{\n{then}  }} else {{\n{otherwise}  }}\n"


# Branches on data (`hecv.normal.branches.if_conversion`)


def narrow(value: str = "%k") -> str:
    """A loop that leaves its type where it ends at the greatest number."""
    return f"  scf.for %i = %zero to %l step %two : i32 {{\n{stored(value)}  }}\n"


NOT_MOST = '  %less = arith.cmpi slt, %l, %most : i32\n  cf.assert %less, ""\n'


def loop(value: str, end: str) -> str:
    return f"  scf.for %i = %c0 to {end} step %c1 {{\n{stored(value, '%i')}  }}\n"


TO_THE_SUM = f"  %e = arith.addi %n, %m : index\n{loop('%k', '%e').replace('%i]', '%c0]')}"
NO_OVERFLOW = """  %s = arith.addi %n, %m : index
  %above = arith.cmpi sgt, %s, %n : index
  %positive = arith.cmpi sgt, %m, %c0 : index
  scf.if %positive {
    cf.assert %above, ""
  }
"""
UNSET = "    memref.store %false, %C[%c0] : memref<16xi1>\n"
ALLOCATED = "  %t = memref.alloc(%n) : memref<?xi32>\n"


def product(first: str, value: str) -> str:
    return f"""{first}    %o = memref.load %C[%c1] : memref<16xi1>
    %v = arith.muli %o, {value} overflow<nsw> : i1
    memref.store %v, %C[%c1] : memref<16xi1>
"""


def difference(first: str, value: str) -> str:
    return f"""{first}    %o = memref.load %A[%c0] : memref<16xi32>
    %v = arith.subi {value}, %o : i32
{stored("%v")}"""


BRANCHES = {
    "a-loop-that-leaves-its-type": (branch(narrow()), NOT_MOST + branch(narrow())),
    "two-loops-that-leave-their-type": (
        branch(branch(narrow(), narrow("%l"), "%d")),
        NOT_MOST + branch(branch(narrow(), narrow("%l"), "%d")),
    ),
    # What a bound computes where the loop does not stand may overflow.
    "a-bound-that-overflows": (branch(TO_THE_SUM), NO_OVERFLOW + branch(TO_THE_SUM)),
    "an-extent": (branch(ALLOCATED), ALLOCATED),
    "what-the-branch-changes": (branch(UNSET + stored()), branch(UNSET)),
    "the-inner-condition": (branch(branch(stored(), "", "%d")), branch(branch("", "", "%d") + stored())),
    "loops-of-other-lengths": (
        branch(loop("%k", "%c4"), loop("%l", "%c1")),
        f"  %v = arith.select %c, %k, %l : i32\n{loop('%v', '%c4')}",
    ),
    "a-difference": (branch(difference("", "%k")), difference("    %f = arith.select %c, %k, %zero : i32\n", "%f")),
    # 1 is -1 there, and its square overflows.
    "a-product-of-bits": (branch(product("", "%p")), product("    %f = arith.select %c, %p, %true : i1\n", "%f")),
}

# Branches on indices and data at once (`hecv.normal.branches.condition_splitting`)

LESS = "  %e = arith.cmpi slt, %n, %m : index\n"


def at_once(compared: str, both: str = "andi %e, %c") -> str:
    return f"{compared}  %b = arith.{both} : i1\n{branch(stored(), '', '%b')}"


MIXED = {
    "chosen-otherwise": (at_once(LESS, "select %e, %c, %false"), at_once(LESS, "select %e, %c, %d")),
    # Of the greatest index the next is the least.
    "an-index-that-wraps": (
        at_once("  %e = arith.cmpi sge, %n, %m : index\n"),
        at_once("  %s = arith.addi %n, %c1 : index\n  %e = arith.cmpi sgt, %s, %m : index\n"),
    ),
}

# Subscripts from memory (`hecv.normal.indirect.scatter_loops`, `hecv.normal.indirect.gather_loops`)

AT = "    %at = affine.load %P[0] : memref<16xindex>\n"
AT_ITSELF = "    %a = affine.load %A[0] : memref<16xi32>\n    %at = arith.index_cast %a : i32 to index\n"
WITHIN = """  %sixteen = arith.constant 16 : index
  %low = arith.cmpi sge, %at, %c0 : index
  %high = arith.cmpi slt, %at, %sixteen : index
  cf.assert %low, ""
  cf.assert %high, ""
"""
QUOTIENT = "    %first = affine.load %A[0] : memref<16xi32>\n    %x = arith.divsi %k, %first : i32\n"
SUM = "    %first = affine.load %A[0] : memref<16xi32>\n    %x = arith.addi %k, %first : i32\n"


def updated(value: str) -> str:
    return f"""    %o = memref.load %A[%at] : memref<16xi32>
    %s = arith.addi %o, {value} : i32
    memref.store %s, %A[%at] : memref<16xi32>
"""


def each(place: str, body: str) -> str:
    """Does something for each element, which is `%e` and holds `%o`, by a look at the place anew."""
    anew = place.replace("%a", "%b")
    return f"""{place}{WITHIN}  affine.for %e = 0 to 16 {{
{anew}    %is = arith.cmpi eq, %e, %bt : index
    %o = affine.load %A[%e] : memref<16xi32>
{body}  }}
"""


def sums(first: str, value: str) -> str:
    return f"""{first}    %y = arith.select %is, {value}, %zero : i32
    %s = arith.addi %o, %y : i32
    affine.store %s, %A[%e] : memref<16xi32>
"""


STORED_ANEW = f"{SUM}    %s = arith.select %is, %x, %o : i32\n    affine.store %s, %A[%e] : memref<16xi32>\n"
FROM_MEMORY = {
    # What an update divides by may be the element that was updated.
    "a-divisor-that-is-updated": (AT + QUOTIENT + updated("%x"), each(AT, sums(QUOTIENT, "%x"))),
    "a-place-that-is-updated": (AT_ITSELF + updated("%k"), each(AT_ITSELF, sums("", "%k"))),
    "a-value-that-is-stored-over": (
        f"{AT}{SUM}    memref.store %x, %A[%at] : memref<16xi32>\n",
        each(AT, STORED_ANEW),
    ),
}

PAIRS = BRANCHES | MIXED | FROM_MEMORY


@pytest.mark.egraph
@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    source, target = (function(ARGUMENTS, HEAD + body) for body in PAIRS[name])
    assert proof(source, target) is None
