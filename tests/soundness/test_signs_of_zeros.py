"""`maxnumf` and `minnumf` of two zeros: the source has a choice, one at all uses of a value; the target has none."""

from __future__ import annotations

import pytest

from hecv.check import Options, Report, check


@pytest.fixture(autouse=True)
def _replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def _verdict(head: str, source: str, target: str) -> Report:
    texts = [f"func.func @f{head} {{\n{body}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(recording=True))
    assert not report.internal, report.diagnostics
    return report


def _expanded(predicate: str, name: str = "m") -> str:
    """As `arith-expand` writes it for `ugt` and `ult`: the second operand where neither is further."""
    return f"""
      %c{name} = arith.cmpf {predicate}, %x, %y : f32
      %s{name} = arith.select %c{name}, %x, %y : f32
      %n{name} = arith.cmpf uno, %x, %x : f32
      %{name} = arith.select %n{name}, %y, %s{name} : f32
    """


SCALAR = "(%x: f32, %y: f32) -> f32"
END = "return %m : f32"
MAX, MIN = (f"%m = arith.{op} %x, %y : f32\n" for op in ("maxnumf", "minnumf"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("op", "predicate"), [(MAX, "ugt"), (MIN, "ult")])
def test_an_extremum_that_is_expanded(op: str, predicate: str) -> None:
    expanded = _expanded(predicate)
    assert _verdict(SCALAR, op + END, expanded + END).verdict == "refines"
    # The target may give the other zero.
    assert _verdict(SCALAR, expanded + END, op + END).verdict in ("unknown", "not-equivalent")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(_expanded("ult"), id="the lesser"),
        pytest.param(_expanded("ogt"), id="NaN of the second"),
        pytest.param(_expanded("ugt").replace("uno, %x, %x", "uno, %y, %y"), id="NaN of the first"),
    ],
)
def test_an_extremum_that_is_expanded_wrongly(wrong: str) -> None:
    assert _verdict(SCALAR, MAX + END, wrong + END).verdict == "not-equivalent"


LOOP = """
  affine.for %i = 0 to %n {{
    %x = affine.load %A[%i] : memref<?xf32>
    %y = affine.load %A[0] : memref<?xf32>
    {0}
    affine.store %m, %B[%i] : memref<?xf32>
  }}
  return
"""


def test_an_extremum_in_a_loop() -> None:
    head = "(%A: memref<?xf32>, %B: memref<?xf32>, %n: index)"
    assert _verdict(head, LOOP.format(MAX), LOOP.format(_expanded("ugt"))).verdict == "refines"


TWICE = "(%x: f32, %y: f32) -> (f32, f32)"


def test_a_choice_is_one_at_all_uses() -> None:
    """The source gives one zero twice, the target `-0` and `+0`."""
    source = MAX + "return %m, %m : f32, f32"
    assert _verdict(TWICE, source, _expanded("ugt") + "return %m, %m : f32, f32").verdict == "refines"
    both = _expanded("ugt") + _expanded("uge", "k") + "return %m, %k : f32, f32"
    assert _verdict(TWICE, source, both).verdict == "unknown"


def test_a_choice_of_the_target_is_its_own() -> None:
    """The target's may be the other zero than the one that it gives elsewhere."""
    source = MAX + "return %m, %m : f32, f32"
    target = _expanded("ugt") + "%k = arith.maxnumf %x, %y : f32\nreturn %m, %k : f32, f32"
    assert _verdict(TWICE, source, target).verdict == "unknown"


def test_an_extremum_with_a_flag_is_left() -> None:
    """What a flag allows is more than a sign."""
    flagged = MAX.replace("%y :", "%y fastmath<nsz> :")
    assert _verdict(SCALAR, flagged + END, _expanded("ugt") + END).verdict in ("unknown", "refines")


THREE = "(%x: f32, %y: f32, %z: f32) -> (f32, f32)"


@pytest.mark.parametrize("op", ["maxnumf", "minnumf"])
def test_operands_in_another_order(op: str) -> None:
    source, target = f"%m = arith.{op} %x, %y : f32\n", f"%m = arith.{op} %y, %x : f32\n"
    assert _verdict(SCALAR, source + END, target + END).verdict == "equivalent"
    assert _verdict(TWICE, source + "return %m, %m : f32, f32", target + "return %m, %m : f32, f32").verdict == (
        "equivalent"
    )


def test_operands_of_some_in_another_order() -> None:
    """As canonicalization leaves them, which takes literals to the right."""
    head = "%c = arith.constant 0.0 : f32\n%k = arith.maxnumf %y, %z : f32\n{}\nreturn %m, %k : f32, f32"
    source, target = (head.format(f"%m = arith.maxnumf {order} : f32") for order in ("%c, %x", "%x, %c"))
    assert _verdict(THREE, source, target).verdict == "refines"


def test_one_op_and_both_orders() -> None:
    """One op gives one zero at both uses, two ops may give both zeros."""
    one = MAX + "return %m, %m : f32, f32"
    both = MAX + "%k = arith.maxnumf %y, %x : f32\nreturn %m, %k : f32, f32"
    assert _verdict(TWICE, one, both).verdict == "unknown"
    assert _verdict(TWICE, both, one).verdict == "refines"
    turned = MAX.replace("%x, %y", "%y, %x") + "return %m, %m : f32, f32"
    assert _verdict(TWICE, both, turned).verdict == "refines"
    assert _verdict(TWICE, turned, both).verdict == "unknown"


def test_operands_in_another_order_in_a_loop() -> None:
    head = "(%A: memref<?xf32>, %B: memref<?xf32>, %n: index)"
    source, target = LOOP.format(MAX), LOOP.format(MAX.replace("%x, %y", "%y, %x"))
    assert _verdict(head, source, target).verdict == "equivalent"
    assert _verdict(head, source, target.replace("maxnumf", "minnumf")).verdict == "not-equivalent"


def test_an_order_that_bits_show_is_left() -> None:
    """Which of two NaN it is, too."""
    bits = "(%x: f32, %y: f32) -> i32"
    show = "%b = arith.bitcast %m : f32 to i32\nreturn %b : i32"
    assert _verdict(bits, MAX + show, MAX.replace("%x, %y", "%y, %x") + show).verdict == "unknown"
