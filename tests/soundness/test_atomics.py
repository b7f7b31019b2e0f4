"""Atomic updates in parallel loops: what any order gives is proved, what depends on the order is not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode

HEAD = "func.func @f(%A: memref<16x{t}>, %h: memref<16x{t}>, %B: memref<16xindex>)"


def in_order(body: str, type: str = "i32") -> str:
    return f"{HEAD.format(t=type)} {{ affine.for %i = 0 to 16 {{ {body} }} return }}"


def parallel(body: str, type: str = "i32") -> str:
    return f"{HEAD.format(t=type)} {{ affine.parallel (%i) = (0) to (16) {{ {body} }} return }}"


def update(kind: str, value: str, place: str, type: str = "i32", name: str = "%r") -> str:
    return f"{name} = memref.atomic_rmw {kind} {value}, %h[{place}] : ({type}, memref<16x{type}>) -> {type}\n"


def plain(op: str, value: str, place: str, type: str = "i32") -> str:
    return f"""%o = memref.load %h[{place}] : memref<16x{type}>
      %n = arith.{op} %o, {value} : {type}
      memref.store %n, %h[{place}] : memref<16x{type}>
    """


ZERO = "%c0 = arith.constant 0 : index\n"
READ = "%x = affine.load %A[%i] : memref<16xi32>\n"
REVERSED = "%x = affine.load %A[-%i + 15] : memref<16xi32>\n"
AT = "%p = affine.load %B[%i] : memref<16xindex>\n"
SUM = in_order(ZERO + READ + plain("addi", "%x", "%c0"))
REGION = """memref.generic_atomic_rmw %h[%c0] : memref<16xi32> {
  ^bb0(%o: i32):
    %n = arith.{op} %x, %o : i32
    memref.atomic_yield %n : i32
}
"""

PROVED = {
    "sum": (SUM, parallel(ZERO + REVERSED + update("addi", "%x", "%c0"))),
    "greatest": (
        in_order(ZERO + READ + plain("maxsi", "%x", "%c0")),
        parallel(ZERO + REVERSED + update("maxs", "%x", "%c0")),
    ),
    "region": (SUM, parallel(ZERO + READ + REGION.replace("{op}", "addi"))),
    "another write": (
        in_order(ZERO + READ + plain("addi", "%x", "%c0") + "affine.store %x, %A[%i] : memref<16xi32>\n"),
        parallel(ZERO + READ + update("addi", "%x", "%c0") + "affine.store %x, %A[%i] : memref<16xi32>\n"),
    ),
    "histogram": (in_order(AT + READ + plain("addi", "%x", "%p")), parallel(AT + READ + update("addi", "%x", "%p"))),
}
REFUTED = {
    "product": (SUM, parallel(ZERO + READ + update("muli", "%x", "%c0"))),
    "no update": (SUM, parallel(ZERO + READ + plain("addi", "%x", "%c0"))),
    "another element": (SUM, parallel(ZERO + READ + update("addi", "%x", "%i"))),
}
OPEN = {
    "result used": update("addi", "%x", "%c0") + "affine.store %r, %A[%i] : memref<16xi32>",
    "read besides": "%y = memref.load %h[%i] : memref<16xi32>\n" + update("addi", "%y", "%c0"),
    "written besides": update("addi", "%x", "%c0") + "affine.store %x, %h[%i] : memref<16xi32>",
    "two operators": update("addi", "%x", "%c0") + update("muli", "%x", "%c0", name="%s"),
    "assigned": update("assign", "%x", "%c0"),
    "region that does more": REGION.replace("{op}", "subi"),
}


def verdict(source: str, target: str, options: Options = Options()) -> str:  # noqa: B008
    (function,) = check(source, target, ("s.mlir", "t.mlir"), options).functions
    assert function.verdict != "error", function.diagnostics
    return function.verdict


@pytest.mark.parametrize("name", PROVED)
def test_updates_in_any_order(name: str) -> None:
    source, target = PROVED[name]
    assert verdict(source, target) == "equivalent"
    assert verdict(target, source) == "equivalent"


@pytest.mark.parametrize("name", REFUTED)
def test_other_updates(name: str) -> None:
    assert verdict(*REFUTED[name]) == "not-equivalent"


@pytest.mark.parametrize("name", OPEN)
def test_what_depends_on_the_order(name: str) -> None:
    """Not even as a source: a loop in order would be one of many."""
    text = parallel(ZERO + READ + OPEN[name])
    assert verdict(text, in_order(ZERO + READ + OPEN[name])) == "unknown"
    assert verdict(SUM, text) == "unknown"


def test_floats_are_summed_in_any_order() -> None:
    x = "%x = affine.load %A[%i] : memref<16xf32>\n"
    source = in_order(ZERO + x + plain("addf", "%x", "%c0", "f32"), "f32")
    target = parallel(ZERO + x + update("addf", "%x", "%c0", "f32"), "f32")
    mode: FloatMode = "reassoc"
    assert verdict(source, target) == "unknown"
    assert verdict(target, source) == "refines"
    assert verdict(source, target, Options(switches=Switches(floats=mode))) == "equivalent"


def test_an_update_races_with_what_overlaps() -> None:
    """With `%h` and `%A` one memory, an iteration reads what another updates."""
    target = parallel(ZERO + READ + update("addi", "%x", "%c0"))
    assert verdict(SUM, target, Options(switches=Switches(may_overlap=True))) != "equivalent"
