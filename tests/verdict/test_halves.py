"""Rounding by adding a half, which is wrong where the sum is rounded itself: next to a half, and where all numbers are
whole."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

TRUNCATED = """%h = arith.constant 0.5 : f32
%s = math.copysign %h, %x : f32
%a = arith.addf %x, %s : f32
%r = math.trunc %a : f32"""
FLOORED = """%h = arith.constant 0.5 : f32
%m = math.absf %x : f32
%a = arith.addf %m, %h : f32
%f = math.floor %a : f32
%r = math.copysign %f, %x : f32"""
# What `math-expand-ops` of LLVM 22 makes of `math.round`.
EXPANDED = """%h = arith.constant 0.5 : f32
%c23 = arith.constant 23 : i32
%c127 = arith.constant 127 : i32
%c255 = arith.constant 255 : i32
%s = math.copysign %h, %x : f32
%a = arith.addf %x, %s : f32
%i = arith.fptosi %a : f32 to i64
%w = arith.sitofp %i : i64 to f32
%t = math.copysign %w, %a : f32
%b = arith.bitcast %x : f32 to i32
%d = arith.shrui %b, %c23 : i32
%e = arith.andi %d, %c255 : i32
%g = arith.subi %e, %c127 : i32
%k = arith.cmpi sge, %g, %c23 : i32
%r = arith.select %k, %x, %t : f32"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("target", "kind"),
    [(TRUNCATED, "f32"), (TRUNCATED, "f64"), (FLOORED, "f32"), (FLOORED, "f64"), (EXPANDED, "f32")],
    ids=["truncated", "truncated-f64", "floored", "floored-f64", "expanded"],
)
def test_a_half_that_is_added(target: str, kind: str) -> None:
    texts = [
        f"func.func @f(%x: f32) -> f32 {{\n{body}\nreturn %r : f32\n}}".replace("f32", kind)
        for body in ("%r = math.round %x : f32", target)
    ]
    report = check(texts[0], texts[1], ("source.mlir", "target.mlir"), Options())
    assert report.verdict == "not-equivalent"
