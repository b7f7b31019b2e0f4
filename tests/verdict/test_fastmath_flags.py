"""Fast-math flags one by one: what needs a flag is proved with it, refuted without, and proved by no other."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

FLAGS = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
CONSTANTS = (
    "%zero = arith.constant 0.0 : f32\n%three = arith.constant 3.0 : f32\n%third = arith.constant 0.333333343 : f32\n"
    "%inf = arith.constant 0x7F800000 : f32\n%true = arith.constant true\n"
)

PAIRS = {
    "order of a sum": (
        "reassoc",
        "%s = arith.addf %x, %y{0} : f32\n%r = arith.addf %s, %z{0} : f32",
        "%s = arith.addf %y, %z{0} : f32\n%r = arith.addf %x, %s{0} : f32",
    ),
    "order of a product": (
        "reassoc",
        "%s = arith.mulf %x, %y{0} : f32\n%r = arith.mulf %s, %z{0} : f32",
        "%s = arith.mulf %x, %z{0} : f32\n%r = arith.mulf %s, %y{0} : f32",
    ),
    "a number is itself": (
        "nnan",
        "%c = arith.cmpf oeq, %x, %x{0} : f32\n%r = arith.select %c, %x, %zero : f32",
        "%r = arith.maximumf %x, %x : f32",
    ),
    "no infinity": (
        "ninf",
        "%c = arith.cmpf oeq, %x, %inf{0} : f32\n%r = arith.select %c, %zero, %x : f32",
        "%r = arith.maximumf %x, %x : f32",
    ),
    "zero is neutral": (
        "nsz",
        "%s = arith.addf %x, %zero{0} : f32\n%r = arith.mulf %s, %y{0} : f32",
        "%r = arith.mulf %x, %y : f32",
    ),
    "difference from zero": ("nsz", "%r = arith.subf %zero, %x{0} : f32", "%r = arith.negf %x : f32"),
    "reciprocal": (
        "arcp",
        "%r = arith.divf %x, %three{0} : f32",
        "%r = arith.mulf %x, %third : f32",
    ),
    "fused": (
        "contract",
        "%s = arith.mulf %x, %y{0} : f32\n%r = arith.addf %s, %z{0} : f32",
        "%r = math.fma %x, %y, %z : f32",
    ),
}


def verdict(source: str, target: str, flags: tuple[str, ...]) -> str:
    given = f" fastmath<{','.join(flags)}>" if flags else ""
    texts = [
        f"func.func @f(%x: f32, %y: f32, %z: f32) -> f32 {{\n{CONSTANTS}{ops.format(given)}\nreturn %r : f32\n}}"
        for ops in (source, target)
    ]
    return check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0].verdict


@pytest.mark.parametrize("name", PAIRS)
def test_a_law_needs_its_flag(name: str) -> None:
    flag, source, target = PAIRS[name]
    assert verdict(source, target, (flag,)) in ("equivalent", "refines")
    assert verdict(source, target, ()) == "not-equivalent"


@pytest.mark.parametrize("name", PAIRS)
def test_no_other_flag_will_do(name: str) -> None:
    flag, source, target = PAIRS[name]
    others = tuple(other for other in FLAGS if other != flag)
    assert verdict(source, target, others) not in ("equivalent", "refines")


@pytest.mark.parametrize("name", PAIRS)
def test_a_flag_of_the_target_licenses_nothing(name: str) -> None:
    flag, source, _ = PAIRS[name]
    flagged = source.replace("{0}", f" fastmath<{flag}>")
    assert verdict(source, flagged, ()) not in ("equivalent", "refines")


def test_what_afn_allows_is_not_known() -> None:
    root = "%r = math.sqrt %x{0} : f32"
    assert verdict(root, root.replace("math.sqrt", "math.cbrt"), ("afn",)) not in ("equivalent", "refines")
    assert verdict(root, root.replace("{0}", ""), ("afn",)) in ("equivalent", "refines")
    assert verdict(root.replace("{0}", ""), root, ("afn",)) not in ("equivalent", "refines")
