"""What `--assume` says of scalar arguments reaches proofs about scalar terms."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

BODY = "func.func @f(%x: {0}, %y: {0}, %z: {1}) -> {2} {{\n{3}\n  return %r : {2}\n}}"


def verdict(source: str, target: str, *assume: str, kind: str = "i32", other: str = "i16", result: str = "") -> str:
    texts = [BODY.format(kind, other, result or kind, body) for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(assume=assume, recording=True, seconds=120.0))
    assert not report.internal, report.diagnostics
    return report.verdict


@pytest.mark.parametrize(
    ("source", "target", "assume", "wrong"),
    [
        ("divsi %x, %y", "divui %x, %y", ("x >= 0", "y >= 1"), ("x >= -1", "y >= 1")),
        ("remsi %x, %y", "remui %x, %y", ("nonneg",), ("y >= 1",)),
        ("maxsi %x, %y", "addi %x, %y", ("x >= 0", "y == 0"), ("x >= -1", "y == 0")),
        ("shrsi %x, %y", "shrui %x, %y", ("x > -1",), ("x > -2",)),
        ("minsi %x, %y", "ori %x, %x", ("2*x + 3 <= 2*y",), ("2*x <= 2*y + 2",)),
        ("maxsi %x, %y", "maxui %x, %y", ("x <= -5", "y < 0"), ("x <= -5", "y < 1")),
    ],
)
def test_it_is_used_and_needed(source: str, target: str, assume: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    pair = [f"  %r = arith.{op} : i32" for op in (source, target)]
    assert verdict(pair[0], pair[1], *assume) in ("equivalent", "refines")
    assert verdict(pair[0], pair[1], *wrong) in ("unknown", "not-equivalent")


def test_arguments_of_two_widths() -> None:
    """`z` is an i16: a sum of both is computed in a type that has it."""
    source = "  %w = arith.extsi %z : i16 to i32\n  %r = arith.maxsi %x, %w : i32"
    target = "  %r = arith.extsi %z : i16 to i32"
    assert verdict(source, target, "x <= z - 1") == "equivalent"
    assert verdict(source, target, "x <= z + 1") == "not-equivalent"


def test_what_an_assumption_does_not_say() -> None:
    """Of an i8 that it is at least -1000 says nothing, that it is at least 1000 that there is no input."""
    pair = "  %r = arith.divsi %x, %y : i8", "  %r = arith.divui %x, %y : i8"
    assert verdict(*pair, "x >= -1000", "y >= 1", kind="i8") == "not-equivalent"
