"""Conditions whose index arithmetic may overflow: what both programs compute is compared, whatever it is."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

ARGUMENTS = "%A: memref<?xf32>, %B: memref<?xf32>, %x: f32, %s: index, %n: index, %p: index"
CONSTANTS = "".join(f"%c{k} = arith.constant {k} : index\n" for k in (0, 1, 2, 4, 126, 128))


def function(body: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{CONSTANTS}{body}\nreturn\n}}\n"


def loop(body: str, upper: str = "%n", step: str = "%c1") -> str:
    return f"scf.for %i = %c0 to {upper} step {step} {{\n{body}\n}}"


def while_(body: str, upper: str = "%n") -> str:
    """The same loop, lowered to blocks."""
    return f"""cf.br ^bb1(%c0 : index)
^bb1(%i: index):
  %go = arith.cmpi slt, %i, {upper} : index
  cf.cond_br %go, ^bb2, ^bb3
^bb2:
  {body}
  %next = arith.addi %i, %c1 : index
  cf.br ^bb1(%next : index)
^bb3:"""


STORE = "memref.store %x, %A[%i] : memref<?xf32>"
GUARD = "%d = arith.subi %s, %i : index\n%c = arith.cmpi {}, %d, {} : index\n"
GUARDED = GUARD.format("sgt", "%c0") + f"scf.if %c {{\n{STORE}\n}}"
BLOCK = """%base{0} = arith.muli %p, %c128 : index
%d{0} = arith.addi %base{0}, %i{0} : index
%c{0}x = arith.cmpi {1}, %d{0}, %n : index
scf.if %c{0}x {{
  %v{0} = memref.load %A[%d{0}] : memref<?xf32>
  %w{0} = arith.addf {2} : f32
  memref.store %w{0}, %B[%d{0}] : memref<?xf32>
}}"""


def block(operands: str = "%v, %x", predicate: str = "slt", suffix: str = "") -> str:
    return BLOCK.format(suffix, predicate, operands.replace("%v", f"%v{suffix}"))


TWO = "%e = arith.muli %p, %c4 : index\n%q = arith.cmpi {0}, %e, %s : index\n"
BOTH = GUARD.format("sgt", "%c0") + TWO.format("slt") + "%b = arith.andi {0} : i1\nscf.if %b {{\n" + STORE + "\n}}"
NESTED = GUARD.format("sgt", "%c0") + TWO.format("slt") + f"scf.if %c {{\nscf.if %q {{\n{STORE}\n}}\n}}"

FLAGGED = """%four = arith.muli %i, %c4 {flag} : index
%d = arith.subi %s, %four {flag} : index
%c = arith.cmpi sgt, %d, %c0 : index
scf.if %c {{
  memref.store %x, %A[%i] : memref<?xf32>
}}"""
FLAGS, NO_FLAGS = FLAGGED.format(flag="overflow<nsw>"), FLAGGED.format(flag="")

EQUAL = {
    "lowered to blocks": (loop(GUARDED), while_(GUARDED)),
    "a block of a kernel, in parallel": (
        loop(block(), "%c128"),
        f"scf.parallel (%i) = (%c0) to (%c128) step (%c1) {{\n{block()}\nscf.reduce\n}}",
    ),
    "unrolled": (
        loop(block(), "%c128"),
        loop(
            block() + "\n%i2 = arith.addi %i, %c1 : index\n" + block(suffix="2"),
            "%c128",
            "%c2",
        ),
    ),
    "operands exchanged": (loop(block("%v, %x"), "%c128"), loop(block("%x, %v"), "%c128")),
    "with flags": (loop(FLAGS), while_(FLAGS)),
    "two conditions, one in the other": (loop(BOTH.format("%c, %q")), loop(NESTED)),
    "a conjunction turned round": (loop(BOTH.format("%c, %q")), loop(BOTH.format("%q, %c"))),
    "a difference the other way round": (
        loop(GUARDED),
        loop(
            "%m = arith.muli %i, %minus : index\n%d = arith.addi %m, %s : index\n"
            f"%c = arith.cmpi sgt, %d, %c0 : index\nscf.if %c {{\n{STORE}\n}}"
        ).replace("scf.for", "%minus = arith.constant -1 : index\nscf.for", 1),
    ),
}
"""Equal whatever overflows."""

EXACT = loop(f"%c = arith.cmpi sgt, %s, %i : index\nscf.if %c {{\n{STORE}\n}}")
WRONG = {
    "compared without the difference": (loop(GUARDED), EXACT),
    "another predicate": (loop(GUARDED), loop(GUARDED.replace("sgt", "sge"))),
    "another bound": (loop(block(), "%c128"), loop(block(predicate="sle"), "%c128")),
    "a condition that holds by the exact numbers": (
        loop(GUARDED),
        loop(
            GUARD.format("sgt", "%c0")
            + f"scf.if %c {{\n%k = arith.cmpi slt, %i, %s : index\nscf.if %k {{\n{STORE}\n}}\n}}"
        ),
    ),
    "one more iteration": (loop(block(), "%c128"), loop(block(), "%c126")),
    "the other branch": (
        loop(GUARDED),
        loop(GUARD.format("sgt", "%c0") + f"scf.if %c {{\n}} else {{\n{STORE}\n}}"),
    ),
}
"""Equal to nothing, or only as exact numbers."""


def test_a_flag_is_dropped_one_way() -> None:
    assert report(loop(FLAGS), loop(NO_FLAGS)).verdict == "refines"
    assert report(loop(NO_FLAGS), loop(FLAGS)).verdict in ("not-equivalent", "unknown")


def report(source: str, target: str) -> FunctionReport:
    found = check(function(source), function(target), ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_equal_whatever_overflows(name: str) -> None:
    assert report(*EQUAL[name]).verdict == "equivalent"
    assert report(*reversed(EQUAL[name])).verdict == "equivalent"


@pytest.mark.parametrize("name", WRONG)
def test_a_difference_beyond_the_range_counts(name: str) -> None:
    assert report(*WRONG[name]).verdict in ("not-equivalent", "unknown")
    assert report(*reversed(WRONG[name])).verdict in ("not-equivalent", "unknown")
