"""`math.clampf` and the extrema that a pass makes of it: one way, and of one kind at all uses."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.explain import explain
from hecv.laws.floats.clamp_expansion import RULE

CLAMP = "%r = math.clampf %x to [%l, %h] : f32"
EXPANDED = "%m = arith.minimumf %x, %h : f32\n%r = arith.maximumf %m, %l : f32"


def verdict(source: str, target: str, returned: str = "%r") -> tuple[str, set[str]]:
    results = ", ".join(["f32"] * len(returned.split(",")))
    texts = [
        f"func.func @f(%x: f32, %l: f32, %h: f32) -> ({results}) {{\n{body}\nreturn {returned} : {results}\n}}"
        for body in (source, target)
    ]
    report = check(texts[0], texts[1], ("source.mlir", "target.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict, {rule.name for rule in report.functions[0].rules}


@pytest.mark.parametrize(
    "target",
    [EXPANDED, "%m = arith.minimumf %h, %x : f32\n%r = arith.maximumf %l, %m : f32"],
    ids=["expanded", "exchanged"],
)
def test_a_clamp_is_its_extrema(target: str) -> None:
    found, rules = verdict(CLAMP, target)
    assert found == "refines" and RULE in rules


def test_what_a_clamp_leaves_open_a_target_does_not_choose_anew() -> None:
    found, _ = verdict(EXPANDED, CLAMP)
    assert found == "not-equivalent"  # of bounds that cross it is poison
    swapped = "%m = arith.minimumf %x, %l : f32\n%r = arith.maximumf %m, %h : f32"
    found, _ = verdict(CLAMP, swapped)
    assert found == "not-equivalent"


def test_one_clamp_is_one_value() -> None:
    """Two kinds of extrema of NaN are two values, of which the source stores one."""
    both = EXPANDED.replace("%r", "%a") + "\n%n = arith.minnumf %x, %h : f32\n%b = arith.maxnumf %n, %l : f32"
    found, _ = verdict(
        f"{CLAMP}\n%z = arith.constant -0.0 : f32\n%s = arith.addf %r, %z : f32",
        both.replace("%a", "%r").replace("%b", "%s"),
        "%r, %s",
    )
    assert found in ("unknown", "not-equivalent")


def test_one_clamp_is_one_value_where_the_target_has_one_too() -> None:
    """Of NaN its clamp may be something else than the extrema, of which the source stores one value twice."""
    source = f"{CLAMP}\n%z = arith.constant -0.0 : f32\n%s = arith.addf %r, %z : f32"
    both = f"{CLAMP}\n{EXPANDED.replace('%r', '%s')}"
    found, _ = verdict(source, both, "%r, %s")
    assert found == "unknown"


def test_it_is_explained() -> None:
    assert "poison" in explain(RULE)
