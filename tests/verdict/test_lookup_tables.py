"""Look-ups in tables that a loop fills, or that are constant, and twins with a table that is not right or too short."""

from __future__ import annotations

import pytest

from hecv.check import Options, check


def _over_bytes(start: str, body: str, kind: str = "i32") -> str:
    """Each element of `x` gives one of `y`, after a `start`."""
    lines = "\n    ".join(line.strip() for line in body.strip().splitlines())
    return f"""
func.func @f(%x: memref<?xi8>, %y: memref<?x{kind}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  {start}
  scf.for %i = %c0 to %n step %c1 {{
    %b = memref.load %x[%i] : memref<?xi8>
    {lines}
    memref.store %m, %y[%i] : memref<?x{kind}>
  }}
  return
}}"""


def _table(size: int, fill: str, kind: str = "i32", low: int = 0, high: int | None = None) -> str:
    lines = "\n    ".join(line.strip() for line in fill.strip().splitlines())
    return f"""
  %t = memref.alloca() : memref<{size}x{kind}>
  %low = arith.constant {low} : index
  %high = arith.constant {size if high is None else high} : index
  scf.for %j = %low to %high step %c1 {{
    {lines}
    memref.store %v, %t[%j] : memref<{size}x{kind}>
  }}"""


LOOK_UP = """
%p = arith.index_castui %b : i8 to index
%m = memref.load %t[%p] : memref<256xi32>"""

SQUARED = """
%e = arith.extui %b : i8 to i32
%k = arith.constant 3 : i32
%s = arith.muli %e, %e : i32
%m = arith.addi %s, %k : i32"""


def _squares(number: int) -> str:
    return f"""
%w = arith.index_cast %j : index to i32
%k = arith.constant {number} : i32
%s = arith.muli %w, %w : i32
%v = arith.addi %s, %k : i32"""


def _nibble(mask: int, size: int, high: int | None = None) -> str:
    """The low bits of a byte, looked up in a table of their complements."""
    fill = "%w = arith.index_cast %j : index to i8\n%o = arith.constant -1 : i8\n%v = arith.xori %w, %o : i8"
    look = f"""
%k = arith.constant {mask} : i8
%l = arith.andi %b, %k : i8
%p = arith.index_castui %l : i8 to index
%m = memref.load %t[%p] : memref<{size}xi8>"""
    return _over_bytes(_table(size, fill, "i8", high=high), look, "i8")


COMPLEMENT = """
%k = arith.constant 15 : i8
%l = arith.andi %b, %k : i8
%o = arith.constant -1 : i8
%m = arith.xori %l, %o : i8"""
NIBBLE = _over_bytes("", COMPLEMENT, "i8")


def _folded(number: str, rounds: int) -> str:
    """A byte, shifted and added to modulo 2, `rounds` times, by a loop that is within another."""
    return f"""
%z = arith.constant 0 : index
%r = arith.constant {rounds} : index
%q = arith.constant -306674912 : i32
%one = arith.constant 1 : i32
%{number[1:]} = scf.for %k = %z to %r step %c1 iter_args(%c = %e) -> (i32) {{
  %h = arith.shrui %c, %one : i32
  %l = arith.andi %c, %one : i32
  %odd = arith.cmpi ne, %l, %low0 : i32
  %g = arith.xori %h, %q : i32
  %d = arith.select %odd, %g, %h : i32
  scf.yield %d : i32
}}"""


ZERO = "%low0 = arith.constant 0 : i32"
DIRECT = _over_bytes(ZERO, "%e = arith.extui %b : i8 to i32" + _folded("%m", 8))


def _folded_first(rounds: int) -> str:
    fill = "%e = arith.index_cast %j : index to i32" + _folded("%v", rounds)
    return _over_bytes(ZERO + _table(256, fill), LOOK_UP)


PAIRS = {
    "squares": (_over_bytes("", SQUARED), _over_bytes(_table(256, _squares(3)), LOOK_UP), "equivalent"),
    "squares, one off": (_over_bytes("", SQUARED), _over_bytes(_table(256, _squares(4)), LOOK_UP), "not-equivalent"),
    "squares, one short": (
        _over_bytes("", SQUARED),
        _over_bytes(_table(256, _squares(3), high=255), LOOK_UP),
        "unproved",
    ),
    "nibbles": (NIBBLE, _nibble(15, 16), "equivalent"),
    "nibbles of a longer table": (NIBBLE, _nibble(15, 40, high=16), "equivalent"),
    "nibbles, one short": (NIBBLE, _nibble(15, 16, high=15), "unproved"),
    "nibbles, one too many": (NIBBLE, _nibble(31, 32), "not-equivalent"),
    "rounds": (DIRECT, _folded_first(8), "equivalent"),
    "rounds, one less": (DIRECT, _folded_first(7), "not-equivalent"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_filled_tables(name: str) -> None:
    source, target, wanted = PAIRS[name]
    found = check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict
    assert found in ("unknown", "not-equivalent") if wanted == "unproved" else found == wanted


# Constant tables


def _constant(values: list[int], kind: str = "i32", index: str = "i8") -> str:
    return f"""
memref.global "private" constant @t : memref<{len(values)}x{kind}> = dense<{values}>
func.func @f(%x: memref<?x{index}>, %i: index) -> {kind} {{
  %b = memref.load %x[%i] : memref<?x{index}>
  %t = memref.get_global @t : memref<{len(values)}x{kind}>
  %p = arith.index_castui %b : {index} to index
  %m = memref.load %t[%p] : memref<{len(values)}x{kind}>
  return %m : {kind}
}}"""


def _computed(*lines: str, kind: str = "i32", index: str = "i8") -> str:
    body = "\n  ".join(lines)
    return f"""
func.func @f(%x: memref<?x{index}>, %i: index) -> {kind} {{
  %b = memref.load %x[%i] : memref<?x{index}>
  {body}
  return %m : {kind}
}}"""


def _changed(values: list[int], place: int, by: int = 1) -> list[int]:
    return [v + by if k == place else v for k, v in enumerate(values)]


CLAMPED = _computed(
    "%e = arith.extui %b : i8 to i32",
    "%k = arith.constant 100 : i32",
    "%m = arith.minui %e, %k : i32",
)
CLAMPS = [min(k, 100) for k in range(256)]
GRAY = _computed("%s = arith.constant 1 : i8", "%h = arith.shrui %b, %s : i8", "%m = arith.xori %b, %h : i8", kind="i8")
GRAYS = [k ^ (k >> 1) for k in range(256)]
SIGNED = [v - 256 if v > 127 else v for v in GRAYS]
TENTHS = _computed("%d = arith.constant 10 : i8", "%m = arith.divui %b, %d : i8", kind="i8")
COUNTED = _computed(
    "%o = arith.constant 1 : i4", "%z = arith.constant 3 : i4", "%a = arith.andi %b, %z : i4",
    "%k = arith.muli %a, %a : i4", "%m = arith.addi %k, %o : i4", kind="i4", index="i4",
)  # fmt: skip
COUNTS = [(k % 4) ** 2 % 16 + 1 for k in range(16)]

CONSTANTS = {
    "clamped": (CLAMPED, _constant(CLAMPS), "equivalent"),
    "clamped, one off": (CLAMPED, _constant(_changed(CLAMPS, 101)), "not-equivalent"),
    "gray": (GRAY, _constant(SIGNED, "i8"), "equivalent"),
    "gray, one off": (GRAY, _constant(_changed(SIGNED, 77), "i8"), "unproved"),
    "tenths": (TENTHS, _constant([k // 10 for k in range(256)], "i8"), "equivalent"),
    "tenths, one late": (TENTHS, _constant([(k - 1) // 10 if k else 0 for k in range(256)], "i8"), "not-equivalent"),
    "squares of few bits": (COUNTED, _constant([v - 16 if v > 7 else v for v in COUNTS], "i4", "i4"), "equivalent"),
    "one short": (CLAMPED, _constant(CLAMPS[:255]), "not-equivalent"),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constant_tables(name: str) -> None:
    source, target, wanted = CONSTANTS[name]
    found = check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict
    assert found in ("unknown", "not-equivalent") if wanted == "unproved" else found == wanted
