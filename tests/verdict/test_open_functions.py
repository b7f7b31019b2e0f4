"""Functions of `math` that LangRef leaves open: on f16 and bf16 those on f32, rounded; powers by literals."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.ops.transcendental import STEPWISE, transcendental

UNARY = sorted(transcendental.operators.keys() - STEPWISE - {"math.atan2", "math.powf"})


def report(source: str, target: str, kind: str = "f16", result: str | None = None) -> FunctionReport:
    texts = [
        f"func.func @f(%a: {kind}, %b: {kind}) -> {result or kind} {{\n{body}\n  return %r : {result or kind}\n}}"
        for body in (source, target)
    ]
    return check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options()).functions[0]


def assumptions(found: FunctionReport) -> list[str]:
    return [a.text for a in found.assumptions if a.id == "narrow-functions"]


def widened(op: str, kind: str, flags: str = "") -> str:
    """What `math-extend-to-supported-types` makes of an op."""
    return (
        f"%x = arith.extf %a fastmath<contract> : {kind} to f32\n%y = {op} %x {flags} : f32\n"
        f"%r = arith.truncf %y fastmath<contract> : f32 to {kind}"
    )


@pytest.mark.one_in(8)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("op", UNARY)
def test_one_operand(op: str, kind: str) -> None:
    found = report(f"%r = {op} %a : {kind}", widened(op, kind), kind)
    assert found.verdict == "equivalent"
    assert assumptions(found) == [f"on f16 and bf16 these are what they are on f32, rounded: {op}"]


@pytest.mark.parametrize("op", ["math.atan2", "math.powf"])
def test_two_operands(op: str) -> None:
    source = f"%r = {op} %a, %b : bf16"
    target = (
        "%x = arith.extf %a : bf16 to f32\n%z = arith.extf %b : bf16 to f32\n"
        f"%y = {op} %x, %z : f32\n%r = arith.truncf %y : f32 to bf16"
    )
    assert report(source, target, "bf16").verdict == "equivalent"
    assert report(source, target.replace("%x, %z", "%z, %x"), "bf16").verdict == "not-equivalent"


def test_a_literal_is_widened() -> None:
    """The cast of a literal is a literal."""
    source = "%c = arith.constant 0.5 : f16\n%r = math.powf %a, %c : f16"
    target = (
        "%c = arith.constant 0.5 : f32\n%x = arith.extf %a : f16 to f32\n"
        "%y = math.powf %x, %c : f32\n%r = arith.truncf %y : f32 to f16"
    )
    assert report(source, target).verdict == "equivalent"
    assert report(source, target.replace("0.5", "0.25")).verdict == "not-equivalent"


def test_a_function_on_one_format_is_any_function() -> None:
    """Nothing is assumed of `exp` on f16 where no program has it on f32."""
    source = "%x = math.exp %a : f16\n%y = math.exp %b : f16\n%r = arith.addf %x, %y : f16"
    found = report(source, source.replace("%x, %y", "%y, %x"))
    assert found.verdict == "equivalent" and not assumptions(found)
    other = "%w = arith.extf %b : f16 to f64\n%v = math.sin %w : f64\n"
    found = report(other + source, other + source.replace("%x, %y", "%y, %x"))
    assert found.verdict == "equivalent" and not assumptions(found)


def test_flags() -> None:
    """Poison that the target alone makes is seen."""
    assert report("%r = math.exp %a : f16", widened("math.exp", "f16", "fastmath<nnan>")).verdict == "not-equivalent"
    found = report("%r = math.exp %a fastmath<nnan> : f16", widened("math.exp", "f16", "fastmath<nnan>"))
    assert found.verdict == "equivalent"


NEARLY = {
    "another format": (
        "%r = math.exp %a : f16",
        "%x = arith.extf %a : f16 to f64\n%y = math.exp %x : f64\n%r = arith.truncf %y : f64 to f16",
    ),
    "another function": ("%r = math.exp %a : f16", widened("math.exp2", "f16")),
    "another rounding": (
        "%r = math.exp %a : f16",
        "%x = arith.extf %a : f16 to f32\n%y = math.exp %x : f32\n%r = arith.truncf %y downward : f32 to f16",
    ),
    "a sum that is not rounded": (
        "%s = arith.addf %a, %b : f16\n%r = math.sin %s : f16",
        "%x = arith.extf %a : f16 to f32\n%z = arith.extf %b : f16 to f32\n%s = arith.addf %x, %z : f32\n"
        "%y = math.sin %s : f32\n%r = arith.truncf %y : f32 to f16",
    ),
    "a function that is not rounded": (
        "%s = math.sin %a : f16\n%r = math.sin %s : f16",
        "%x = arith.extf %a : f16 to f32\n%s = math.sin %x : f32\n%y = math.sin %s : f32\n"
        "%r = arith.truncf %y : f32 to f16",
    ),
    "casts that may go together": (
        "%s = math.sin %a : f16\n%r = math.sin %s : f16",
        "%x = arith.extf %a : f16 to f32\n%s = math.sin %x : f32\n"
        "%t = arith.truncf %s fastmath<contract> : f32 to f16\n"
        "%u = arith.extf %t fastmath<contract> : f16 to f32\n%y = math.sin %u : f32\n%r = arith.truncf %y : f32 to f16",
    ),
    "a function that is made of rounded steps": ("%r = math.rsqrt %a : f16", widened("math.rsqrt", "f16")),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", NEARLY)
def test_nearly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source, target = NEARLY[name]
    assert report(source, target).verdict in ("unknown", "not-equivalent")
    if "contract" not in target:
        assert report(target, source).verdict in ("unknown", "not-equivalent")


def test_what_is_not_rounded() -> None:
    wide = "%x = arith.extf %a : f16 to f32\n%r = math.exp %x : f32"
    narrow = "%x = math.exp %a : f16\n%r = arith.extf %x : f16 to f32"
    assert report(narrow, wide, "f16", "f32").verdict == "not-equivalent"


def test_two_narrow_formats() -> None:
    """Rounding twice is not rounding once; both are said by one function on f32, which the verdict says."""
    source = (
        "%x = arith.extf %a : bf16 to f32\n%y = math.exp %x : f32\n%z = arith.truncf %y : f32 to bf16\n"
        "%w = arith.extf %z : bf16 to f32\n%r = arith.truncf %w : f32 to f16"
    )
    found = report(
        "%z = math.exp %a : bf16\n%w = arith.extf %z : bf16 to f32\n%r = arith.truncf %w : f32 to f16",
        source,
        "bf16",
        "f16",
    )
    assert found.verdict == "equivalent" and assumptions(found)
    once = "%x = arith.extf %a : bf16 to f32\n%y = math.exp %x : f32\n%r = arith.truncf %y : f32 to f16"
    assert report(source, once, "bf16", "f16").verdict == "not-equivalent"


def power(exponent: int, kind: str) -> str:
    return f"%n = arith.constant {exponent} : i32\n%r = math.fpowi %a, %n : {kind}, i32"


SQUARE = "%s = arith.mulf %a, %a : {kind}\n"
ONE = "%o = arith.constant 1.0 : {kind}\n"
POWERS = {
    0: "%r = arith.constant 1.0 : {kind}",
    1: "%z = arith.constant -0.0 : {kind}\n%r = arith.addf %a, %z : {kind}",
    2: "%r = arith.mulf %a, %a : {kind}",
    3: SQUARE + "%r = arith.mulf %s, %a : {kind}",
    4: SQUARE + "%r = arith.mulf %s, %s : {kind}",
    5: SQUARE + "%q = arith.mulf %s, %s : {kind}\n%r = arith.mulf %q, %a : {kind}",
    6: SQUARE + "%q = arith.mulf %s, %s : {kind}\n%r = arith.mulf %q, %s : {kind}",
    -1: ONE + "%r = arith.divf %o, %a : {kind}",
    -2: ONE + SQUARE + "%r = arith.divf %o, %s : {kind}",
    -3: ONE + SQUARE + "%t = arith.mulf %s, %a : {kind}\n%r = arith.divf %o, %t : {kind}",
}
POWERS_NEARLY = {
    0: "%r = arith.divf %a, %a : {kind}",
    1: "%z = arith.constant 0.0 : {kind}\n%r = arith.addf %a, %z : {kind}",
    2: "%x = math.absf %a : {kind}\n%r = arith.mulf %a, %x : {kind}",
    4: SQUARE + "%q = arith.mulf %s, %a : {kind}\n%r = arith.mulf %q, %a : {kind}",
    -2: ONE + "%s = arith.divf %o, %a : {kind}\n%r = arith.mulf %s, %s : {kind}",
    # Of a zero `math-expand-ops` makes the infinity of the wrong sign.
    -1: ONE + "%z = arith.constant -0.0 : {kind}\n%i = arith.constant 0xFF800000 : f32\n"
    "%c = arith.cmpf oeq, %a, %z : {kind}\n%q = arith.divf %o, %a : {kind}\n%r = arith.select %c, %i, %q : {kind}",
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("exponent", POWERS)
def test_powers_by_literals(exponent: int, kind: str) -> None:
    found = report(power(exponent, kind), POWERS[exponent].format(kind=kind), kind)
    assert found.verdict == "equivalent"
    assert ("powers-squared" in [a.id for a in found.assumptions]) is (exponent not in (0, 1))


def test_powers_by_what_becomes_a_literal() -> None:
    text = "%e = arith.constant 1 : i32\n%d = arith.addi %e, %e : i32\n%r = math.fpowi %a, %d : f32, i32"
    found = report(text, POWERS[2].format(kind="f32"), "f32")
    assert found.verdict == "equivalent"
    assert "powers-squared" in [a.id for a in found.assumptions]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("exponent", POWERS_NEARLY)
def test_powers_nearly(exponent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source, target = power(exponent, "f32"), POWERS_NEARLY[exponent].format(kind="f32")
    assert report(source, target, "f32").verdict == "not-equivalent"
    assert report(target, source, "f32").verdict == "not-equivalent"


@pytest.mark.parametrize("exponent", [2, 3])
def test_a_power_of_a_literal(exponent: int) -> None:
    base = "%a2 = arith.constant 1.5 : f32\n"
    source = base + power(exponent, "f32").replace("%a,", "%a2,")
    right = base + POWERS[exponent].format(kind="f32").replace("%a", "%a2").replace("%a22", "%a2")
    assert report(source, right, "f32").verdict == "equivalent"
    assert report(source, base + "%r = arith.mulf %a2, %b : f32", "f32").verdict == "not-equivalent"


def test_a_power_in_f32() -> None:
    """The first product of a cube is not rounded."""
    target = (
        "%n = arith.constant {} : i32\n%x = arith.extf %a : f16 to f32\n"
        "%y = math.fpowi %x, %n : f32, i32\n%r = arith.truncf %y : f32 to f16"
    )
    assert report(power(2, "f16"), target.format(2)).verdict != "not-equivalent"
    assert report(power(3, "f16"), target.format(3)).verdict == "not-equivalent"


ROOTED = "%q = math.sqrt %a : {kind}\n" + ONE + "%r = arith.divf %o, %q : {kind}"


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_one_by_a_root(kind: str) -> None:
    found = report("%r = math.rsqrt %a : " + kind, ROOTED.format(kind=kind), kind)
    assert found.verdict == "equivalent"
    assert "rsqrt-rounded" in [a.id for a in found.assumptions]


def test_one_by_a_root_nearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    inverted = ONE + "%q = arith.divf %o, %a : {kind}\n%r = math.sqrt %q : {kind}"
    found = report("%r = math.rsqrt %a : f32", inverted.format(kind="f32"), "f32")
    assert found.verdict == "not-equivalent"


@pytest.mark.parametrize("op", ["arith.maxnumf %a, %b", "arith.minnumf %a, %b", "math.clampf %a to [%b, %b]"])
def test_twice_for_once(op: str) -> None:
    """Each op leaves the sign of a zero open, so that two of them may differ where one does not from itself."""
    once = f"%x = {op} : f32\n%r = arith.divf %x, %x : f32"
    twice = f"%x = {op} : f32\n%y = {op} : f32\n%r = arith.divf %x, %y : f32"
    found = report(once, twice, "f32")
    assert found.verdict == "equivalent"
    assert "one-value" in [a.id for a in found.assumptions]
