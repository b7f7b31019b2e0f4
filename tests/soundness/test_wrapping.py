"""Pairs that differ only where an index wraps or a cast drops bits.

What is assumed not to overflow are subscripts, bounds and affine expressions, not values and conditions; `index` may
have 32 bits.
"""

from __future__ import annotations

from typing import Final

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

from .test_conditions import function, proof

ARGUMENTS: Final = "%n: index, %m: i64, %p: i1, %v: i32, %A: memref<8xi32>, %B: memref<8xindex>, %C: memref<8xi64>"
SIZES: Final = (
    "  %c8 = arith.constant 8 : index\n  %l = arith.constant 4294967296 : i64\n  %s = arith.constant 1 : i64\n"
)
STORED: Final = "      memref.store %v, %A[%c0] : memref<8xi32>\n"


def alongside(body: str, after: str = "", move: str = "arith.addi %x, %c1") -> str:
    """A while loop that counts to 8, and what moves along with the counter."""
    return f"""{SIZES}  %r:2 = scf.while (%i = %c0, %x = %n) : (index, index) -> (index, index) {{
    %c = arith.cmpi slt, %i, %c8 : index
    scf.condition(%c) %i, %x : index, index
  }} do {{
  ^bb0(%i: index, %x: index):
{body}    %next = arith.addi %i, %c1 : index
    %moved = {move} : index
    scf.yield %next, %moved : index, index
  }}
{after}"""


def below(value: str, bound: str) -> str:
    """A store where a value is below a bound."""
    return f"    %d = arith.cmpi slt, {value}, {bound} : index\n    scf.if %d {{\n{STORED}    }}\n"


KEPT: Final = "    memref.store %x, %B[%i] : memref<8xindex>\n"
HALVED: Final = """    %two = arith.constant 2 : index
    %h = arith.floordivsi %x, %two : index
    memref.store %h, %B[%i] : memref<8xindex>
"""
CYCLE: Final = f"""{SIZES}  %f = arith.constant 65536 : index
  %by = arith.constant 65537 : index
  scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %c1) -> index {{
{below("%x", "%c1")}    %y = arith.muli %x, %f : index
    %z = arith.remsi %y, %by : index
    scf.yield %z : index
  }}"""
CHOSEN: Final = """  %w = arith.constant -1 : index
  %z = scf.if %p -> index {
    scf.yield %w : index
  } else {
    scf.yield %c1 : index
  }
  %k = arith.index_castui %z : index to i64
  memref.store %k, %C[%c0] : memref<8xi64>"""
CHOSEN_WIDE: Final = """  %w = arith.constant -1 : i64
  %o = arith.constant 1 : i64
  %k = arith.select %p, %w, %o : i64
  memref.store %k, %C[%c0] : memref<8xi64>"""
CAST: Final = "    %k = arith.index_cast %i : i64 to index\n"
UP: Final = "  %u = arith.constant 4294967300 : i64\n  scf.for %i = %l to %u step %s : i64 {\n"
TO: Final = "    scf.for %i = %l to %m step %s : i64 {\n"
NARROWED: Final = "  %k = arith.index_cast %m : i64 to index\n  %d = arith.cmpi slt, %k, %c8 : index\n  scf.if %d {\n"

ALONG: Final = {
    "compared": (alongside(below("%x", "%n")), ""),
    "compared-after": (alongside("", below("%r#1", "%n")), ""),
    "kept": (alongside(KEPT), alongside(KEPT, move="arith.addi %x, %c1 overflow<nsw>")),
    "halved": (alongside(HALVED), alongside(HALVED, move="arith.addi %x, %c1 overflow<nsw>")),
}
IN_AFFINE: Final = """  affine.for %i = 0 to 8 {
    %h = affine.apply affine_map<(i)[n] -> ((n + i) floordiv 2)>(%i)[%n]
    memref.store %h, %B[%i] : memref<8xindex>
  }"""
AT_32: Final = {
    "unsigned": (CHOSEN, CHOSEN_WIDE),
    "cycle": (CYCLE, ""),
    "wide-variable": (f"{SIZES}{UP}{CAST}{below('%k', '%c8')}  }}", ""),
    "wide-bound": (f"{SIZES}{NARROWED}{TO}{STORED}    }}\n  }}", ""),
}


@pytest.mark.parametrize("name", ALONG)
def test_what_moves_along_with_a_counter_wraps(name: str) -> None:
    source, target = (function(ARGUMENTS, body) for body in ALONG[name])
    assert proof(source, target) is None


def test_what_affine_computes_is_assumed_not_to_wrap() -> None:
    """The assumption is about both programs, and is printed; without it nothing is shown."""
    texts = function(ARGUMENTS, alongside(HALVED)), function(ARGUMENTS, IN_AFFINE)
    (report,) = check(*texts, ("source.mlir", "target.mlir"), Options()).functions
    assert report.verdict in ("equivalent", "refines")
    assert "index-overflow" in [a.id for a in report.assumptions]
    assert proof(*texts, Switches(index_wraps=True)) is None


@pytest.mark.parametrize("name", AT_32)
def test_an_index_of_32_bits_wraps(name: str) -> None:
    source, target = (function(ARGUMENTS, body) for body in AT_32[name])
    assert proof(source, target, Switches(index_width=32)) is None


def test_what_moves_along_with_a_counter_is_followed() -> None:
    by_hand = """  affine.for %i = 0 to 8 {
    %x = arith.addi %n, %i : index
    memref.store %x, %B[%i] : memref<8xindex>
  }"""
    source, target = (function(ARGUMENTS, body) for body in (alongside(KEPT), by_hand))
    assert proof(source, target) == "one form"


@pytest.mark.parametrize("width", [32, 64])
def test_a_cast_that_keeps_all_bits_is_seen_through(width: int) -> None:
    body = "  %t = arith.index_cast %v : i32 to index\n  %u = arith.index_cast %m : i64 to index\n"
    wide = f"{SIZES}{body}  scf.for %i = %c0 to %LAST step %c1 {{\n{STORED}  }}\n".replace("%LAST", "%u")
    empty = f"{SIZES}{body}  %none = arith.cmpi sle, %u, %c0 : index\n  scf.if %none {{\n  }} else {{\n{STORED}  }}\n"
    source, target = (function(ARGUMENTS, text) for text in (wide, empty))
    assert proof(source, target, Switches(index_width=width)) == ("array dataflow" if width == 64 else None)
