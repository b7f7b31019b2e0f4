"""Prefix sums by trees of parallel steps against the sequential loop, for each of any number of rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.dataflow.test_histograms import verdict

from hecv.ops.fastmath_flags import FloatMode

LENGTH = 16
KINDS = {"i32": ("addi", "0"), "f32": ("addf", "-0.0")}


def scan(kind: str, *steps: str) -> str:
    """Steps on each row of `%O`, with `%A` of the same shape and two buffers `%B0`, `%B1` for a row."""
    row = f"memref<{LENGTH}x{kind}>"
    return f"""func.func @f(%A: memref<?x{LENGTH}x{kind}>, %O: memref<?x{LENGTH}x{kind}>, %n: index) {{
  affine.for %r = 0 to %n {{
  %B0 = memref.alloc() : {row}
  %B1 = memref.alloc() : {row}
{"".join(steps)}  }}
  return
}}
"""


def at(buffer: str, subscript: str, kind: str) -> str:
    if buffer in ("%A", "%O"):
        return f"{buffer}[%r, {subscript}] : memref<?x{LENGTH}x{kind}>"
    return f"{buffer}[{subscript}] : memref<{LENGTH}x{kind}>"


def sequential(kind: str) -> str:
    op, zero = KINDS[kind]
    loop = f"""  %z = arith.constant {zero} : {kind}
  %s = affine.for %i = 0 to {LENGTH} iter_args(%a = %z) -> {kind} {{
    %v = affine.load {at("%A", "%i", kind)}
    %t = arith.{op} %a, %v : {kind}
    affine.store %t, {at("%O", "%i", kind)}
    affine.yield %t : {kind}
  }}
"""
    return scan(kind, loop)


def copied(kind: str, source: str, target: str, end: int) -> str:
    return f"""  affine.for %i = 0 to {end} {{
    %a = affine.load {at(source, "%i", kind)}
    affine.store %a, {at(target, "%i", kind)}
  }}
"""


def added(kind: str, source: str, target: str, start: int, count: int, subscripts: tuple[str, str]) -> str:
    """`target[s] = source[s] + source[t]` at the subscripts `s, t`."""
    own, other = subscripts
    return f"""  affine.for %i = {start} to {start + count} {{
    %a = affine.load {at(source, own, kind)}
    %b = affine.load {at(source, other, kind)}
    %c = arith.{KINDS[kind][0]} %a, %b : {kind}
    affine.store %c, {at(target, own, kind)}
  }}
"""


def shifted(kind: str, third: int = 4) -> str:
    """Each element and the one `d` before it, for `d` = 1, 2, `third`, 8 (Hillis and Steele)."""
    buffers = ("%A", "%B0", "%B1", "%B0", "%O")
    steps: list[str] = []
    for k, distance in enumerate((1, 2, third, 8)):
        ends = buffers[k], buffers[k + 1]
        steps.append(copied(kind, *ends, distance))
        steps.append(added(kind, *ends, distance, LENGTH - distance, ("%i", f"%i - {distance}")))
    return scan(kind, *steps)


def swept(kind: str, last: int = 1) -> str:
    """Sums of blocks up a tree, in place, and down again (Blelloch)."""
    steps = [copied(kind, "%A", "%O", LENGTH)]
    for size in (2, 4, 8, 16):
        ends = f"{size} * %i + {size - 1}", f"{size} * %i + {size // 2 - 1}"
        steps.append(added(kind, "%O", "%O", 0, LENGTH // size, ends))
    for size in (8, 4, 2):
        ends = f"{size} * %i + {size + size // 2 - 1}", f"{size} * %i + {size - last}"
        steps.append(added(kind, "%O", "%O", 0, LENGTH // size - 1, ends))
    return scan(kind, *steps)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", [shifted, swept])
def test_scans_by_trees_are_prefix_sums(target: Callable[[str], str]) -> None:
    assert verdict(sequential("i32"), target("i32")) == "equivalent"
    assert verdict(sequential("f32"), target("f32"), "reassoc") == "equivalent"
    assert verdict(sequential("f32"), target("f32")) == "not-equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("kind", "floats"), [("i32", "strict"), ("f32", "reassoc")])
@pytest.mark.parametrize("broken", ["a distance that is too short", "a block that ends too early"])
def test_broken_trees_are_refuted(broken: str, kind: str, floats: FloatMode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    target = swept(kind, 2) if "block" in broken else shifted(kind, 3)
    assert verdict(sequential(kind), target, floats) == "not-equivalent"
