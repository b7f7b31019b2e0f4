"""Fast-math flags of what a parallel loop combines by: they are those of the sequential op, with `reassoc`."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import Unsupported

from .test_conditions import function, proof

ARGUMENTS = "%A: memref<?xf32>, %n: index, %z: f32"


def sequential(op: str) -> str:
    name, _, flags = op.partition(" ")
    body = f"""  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {{
    %a = memref.load %A[%i] : memref<?xf32>
    %t = arith.{name} %s, %a {flags} : f32
    scf.yield %t : f32
  }}"""
    return function(ARGUMENTS, body, "f32", "%r : f32")


def parallel(op: str, last: str = "%n") -> str:
    name, _, flags = op.partition(" ")
    body = f"""  %r = scf.parallel (%i) = (%c0) to ({last}) step (%c1) init (%z) -> f32 {{
    %a = memref.load %A[%i] : memref<?xf32>
    scf.reduce(%a : f32) {{
    ^bb0(%x: f32, %y: f32):
      %t = arith.{name} %x, %y {flags} : f32
      scf.reduce.return %t : f32
    }}
  }}"""
    return function(ARGUMENTS, body, "f32", "%r : f32")


@pytest.mark.egraph
@pytest.mark.parametrize(
    "flags", ["fastmath<reassoc>", "fastmath<reassoc,nsz>", "fastmath<reassoc,nsz,arcp,contract,afn>"]
)
@pytest.mark.parametrize("name", ["addf", "mulf"])
def test_a_licensed_sum_may_be_parallel(name: str, flags: str) -> None:
    op = f"{name} {flags}"
    assert proof(sequential(op), parallel(op)) == "array dataflow"
    assert proof(sequential(op), parallel(op, "%c4")) is None


@pytest.mark.egraph
def test_a_flag_that_licenses_nothing_of_a_product() -> None:
    assert proof(sequential("mulf fastmath<reassoc>"), parallel("mulf fastmath<reassoc,afn>")) == "array dataflow"


def test_parallel_extrema_may_have_any_flags() -> None:
    """They are infinite or no number where an operand is, whatever the order."""
    op = "maximumf fastmath<nnan,ninf,nsz>"
    assert proof(sequential(op), parallel(op)) == "array dataflow"
    assert proof(sequential("maximumf"), parallel("maximumf")) == "array dataflow"


@pytest.mark.one_in(2)
@pytest.mark.egraph
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("addf", "addf"),
        ("addf", "addf fastmath<reassoc>"),
        ("addf fastmath<reassoc>", "addf fastmath<reassoc,nsz>"),
        ("mulf fastmath<reassoc>", "mulf fastmath<reassoc,nsz>"),
        ("maximumf", "maximumf fastmath<nnan>"),
        ("maximumf", "maximumf fastmath<nsz>"),
    ],
)
def test_a_parallel_reduction_licenses_no_more_than_the_source(source: str, target: str) -> None:
    assert proof(sequential(source), parallel(target)) is None
    assert proof(parallel(target), sequential(source)) is not None


@pytest.mark.parametrize("flag", ["nnan", "ninf", "fast"])
def test_orders_that_may_be_poison_are_not_read(flag: str) -> None:
    """`inf` in one order and not in another: 3e38 + 3e38 - 3e38."""
    with pytest.raises(Unsupported, match="in one order and not in another"):
        proof(sequential(f"addf fastmath<{flag}>"), parallel(f"addf fastmath<{flag}>"))
