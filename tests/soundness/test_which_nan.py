"""Programs of which one alone shows which NaN a float is: what is proved of it holds whichever it is."""

from __future__ import annotations

import pytest

from hecv.check import Options, Report, check
from hecv.claim.semantic_options import Switches


def _verdict(head: str, source: str, target: str, switches: Switches | None = None) -> Report:
    texts = [f"func.func @f{head} {{\n{body}\n}}" for body in (source, target)]
    options = Options(switches=switches or Switches(), recording=True)
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), options)
    assert not report.internal, report.diagnostics
    return report


@pytest.fixture(autouse=True)
def _replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


TO_BF16 = "(%x: f32) -> bf16"
ROUNDED = "%r = arith.truncf %x : f32 to bf16\nreturn %r : bf16"
BITS = """
  %b = arith.bitcast %x : f32 to i32
  %c16 = arith.constant 16 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant 32767 : i32
"""
NEAREST = f"""{BITS}
  %up = arith.shrui %b, %c16 : i32
  %odd = arith.andi %up, %c1 : i32
  %add = arith.addi %odd, %half : i32
  %sum = arith.addi %b, %add : i32
  %high = arith.shrui %sum, %c16 : i32
  %low = arith.trunci %high : i32 to i16
"""
CHOSEN = """
  %nan = arith.cmpf uno, %x, %x : f32
  %quiet = arith.constant QUIET : i16
  %s = arith.select %nan, %quiet, %low : i16
  %r = arith.bitcast %s : i16 to bf16
  return %r : bf16
"""
PLAIN = "%r = arith.bitcast %low : i16 to bf16\nreturn %r : bf16"


@pytest.mark.one_in(8)
def test_a_cast_by_its_bits() -> None:
    """As `arith-expand` writes it."""
    assert _verdict(TO_BF16, ROUNDED, NEAREST + CHOSEN.replace("QUIET", "32704")).verdict == "equivalent"
    assert _verdict(TO_BF16, NEAREST + CHOSEN.replace("QUIET", "32704"), ROUNDED).verdict == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(NEAREST + PLAIN, id="of some NaN the sum of the bits overflows"),
        pytest.param(NEAREST + CHOSEN.replace("QUIET", "32640"), id="an infinity for NaN"),
        pytest.param((NEAREST + CHOSEN).replace("QUIET", "32704").replace("%odd, %half", "%c1, %half"), id="ties"),
    ],
)
def test_a_cast_by_bits_that_is_wrong(wrong: str) -> None:
    assert _verdict(TO_BF16, ROUNDED, wrong).verdict in ("unknown", "not-equivalent")


CUT = f"{BITS}%high = arith.shrui %b, %c16 : i32\n%low = arith.trunci %high : i32 to i16\n"
QUIETED = """
  %nan = arith.cmpf uno, %x, %x : f32
  %bit = arith.constant 64 : i16
  %none = arith.constant 0 : i16
  %more = arith.select %nan, %bit, %none : i16
  %s = arith.ori %low, %more : i16
  %r = arith.bitcast %s : i16 to bf16
  return %r : bf16
"""


@pytest.mark.one_in(2)
def test_a_nan_may_be_any() -> None:
    """Of 0x7F800001 the upper bits are those of an infinity; those of NaN that arithmetic makes are mostly not."""
    cut = ROUNDED.replace("%x :", "%x toward_zero :")
    assert _verdict(TO_BF16, cut, CUT + QUIETED).verdict == "equivalent"
    assert _verdict(TO_BF16, cut, CUT + PLAIN).verdict == "unknown"


def test_an_extension_by_its_bits() -> None:
    """Any NaN becomes a NaN; this needs that the bits of a NaN are a NaN's."""
    widened = "%b = arith.bitcast %x : bf16 to i16\n%w = arith.extui %b : i16 to i32\n%c = arith.constant SHIFT : i32\n"
    widened += "%s = arith.shli %w, %c : i32\n%r = arith.bitcast %s : i32 to f32\nreturn %r : f32"
    plain = "%r = arith.extf %x : bf16 to f32\nreturn %r : f32"
    head = "(%x: bf16) -> f32"
    assert _verdict(head, plain, widened.replace("SHIFT", "16")).verdict == "equivalent"
    assert _verdict(head, plain, widened.replace("SHIFT", "15")).verdict == "not-equivalent"


@pytest.mark.one_in(2)
def test_a_loop_of_casts() -> None:
    """The bits are of what an earlier statement wrote."""
    head = "(%A: memref<?xf32>, %B: memref<?xbf16>, %n: index)"
    loop = """
      %T = memref.alloc(%n) : memref<?xf32>
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i] : memref<?xf32>
        %d = arith.addf %a, %a : f32
        affine.store %d, %T[%i] : memref<?xf32>
      }
      affine.for %i = 0 to %n {
        %x = affine.load %T[%i] : memref<?xf32>
        CAST
        affine.store %r, %B[%i] : memref<?xbf16>
      }
      return
    """
    cast, expanded = (
        ROUNDED.partition("\n")[0],
        (NEAREST + CHOSEN.replace("QUIET", "32704")).replace("return %r : bf16", ""),
    )
    source, target = loop.replace("CAST", cast), loop.replace("CAST", expanded)
    assert _verdict(head, source, target).verdict == "equivalent"
    assert _verdict(head, source, target.replace("%d, %T[%i]", "%a, %T[%i]")).verdict == "not-equivalent"


SUMS = """
  %s = arith.addf %a, %b : f32
  %t = arith.addf {0} : f32
  memref.store %s, %P[] : memref<f32>
  memref.store %t, %Q[] : memref<f32>
  %p = memref.load %P[] : memref<f32>
  %q = memref.load %Q[] : memref<f32>
"""
DIFFERENCE = """
  %i = arith.bitcast %p : f32 to i32
  %j = arith.bitcast %q : f32 to i32
  %d = arith.subi %i, %j : i32
  return %d : i32
"""
ZERO = "%z = arith.constant 0 : i32\nreturn %z : i32"
MEMORY = "(%a: f32, %b: f32, %P: memref<f32>, %Q: memref<f32>) -> i32"
COMPARED = """
  %n = arith.cmpf uno, %p, %p : f32
  %e = arith.cmpf oeq, %p, %q : f32
  %same = arith.ori %n, %e : i1
  %no = arith.constant true
  %bad = arith.xori %same, %no : i1
  %d = arith.extui %bad : i1 to i32
  return %d : i32
"""


@pytest.mark.parametrize("source", [ZERO, COMPARED], ids=["nothing", "the same floats"])
def test_equal_floats_may_be_two_nan(source: str) -> None:
    """Of two NaN a sum may pass on the first: the floats are equal, their bits are not."""
    floats = SUMS.format("%b, %a")
    assert _verdict(MEMORY, floats + source, floats + DIFFERENCE).verdict == "unknown"
    assert _verdict(MEMORY, floats + DIFFERENCE, floats + source).verdict == "unknown"


def test_where_both_show_bits_these_are_of_the_same_floats() -> None:
    shown = "%s = arith.addf {0} : f32\n%r = arith.bitcast %s : f32 to i32\nreturn %r : i32"
    head = "(%a: f32, %b: f32) -> i32"
    first, other = shown.format("%a, %b"), shown.format("%b, %a")
    assert _verdict(head, first, other).verdict == "unknown"
    assert _verdict(head, first, first.replace("return", "%u = arith.negf %s : f32\nreturn")).verdict == "equivalent"


@pytest.mark.one_in(8)
def test_a_sign_of_a_nan_may_be_either() -> None:
    head = "(%x: f32, %y: f32) -> f32"
    signed = "%s = math.copysign %x, %y : f32\n"
    magnitude = "%r = math.absf %x : f32\nreturn %r : f32"
    assert _verdict(head, f"{signed}%r = math.absf %s : f32\nreturn %r : f32", magnitude).verdict == "equivalent"
    chosen = """
      %m = math.absf %x : f32
      %n = arith.negf %m : f32
      %zero = arith.constant 0.0 : f32
      %below = arith.cmpf PREDICATE, %y, %zero : f32
      %r = arith.select %below, %n, %m : f32
      return %r : f32
    """
    for predicate in ("olt", "ult"):  # of -0 the sign is set, too
        report = _verdict(head, signed + "return %s : f32", chosen.replace("PREDICATE", predicate))
        assert report.verdict == "not-equivalent"
    squared = "%z = arith.mulf %y, %y : f32\n%r = math.copysign %x, %z : f32\nreturn %r : f32"
    assert _verdict(head, squared, magnitude).verdict == "unknown"
    guarded = """
      %z = arith.mulf %y, %y : f32
      %r = math.copysign %x, %z : f32
      %nan = arith.cmpf uno, %y, %y : f32
      %m = math.absf %x : f32
      %t = arith.select %nan, %m, %r : f32
      return %t : f32
    """
    assert _verdict(head, magnitude, guarded).verdict == "equivalent"


def test_where_floats_stand_for_several_values_they_are_compared_to_the_bit() -> None:
    """A zero without a sign, a sum in any order: bits tell them apart."""
    for mode in ("reassoc", "real"):
        report = _verdict(TO_BF16, ROUNDED, NEAREST + CHOSEN.replace("QUIET", "32704"), Switches(floats=mode))
        assert report.verdict == "unknown"
    licensed = "%v = arith.addf %x, %x fastmath<nsz> : f32\n"
    texts = (ROUNDED, NEAREST + CHOSEN.replace("QUIET", "32704"))
    source, target = (licensed + text.replace("%x", "%v") for text in texts)
    assert _verdict(TO_BF16, source, target).verdict == "unknown"


@pytest.mark.one_in(6)
def test_a_vector_is_cast_there_and_back() -> None:
    """Each half is of its own statement; both are of one element."""
    head = "(%A: memref<2xf32>, %B: memref<2xf32>)"
    load = "%c0 = arith.constant 0 : index\n%v = vector.load %A[%c0] : memref<2xf32>, vector<2xf32>\n"
    store = "vector.store %v, %B[%c0] : memref<2xf32>, vector<2xf32>\nreturn"
    there = "%w = vector.bitcast %v : vector<2xf32> to vector<4xi16>\n"
    back = "%x = vector.bitcast %w : vector<4xi16> to vector<2xf32>\n"
    stored = store.replace("%v", "%x")
    assert _verdict(head, load + store, load + there + back + stored).verdict == "equivalent"
    turned = (
        there + "%s = vector.shuffle %w, %w [1, 0, 3, 2] : vector<4xi16>, vector<4xi16>\n" + back.replace("%w", "%s")
    )
    assert _verdict(head, load + store, load + turned + stored).verdict == "not-equivalent"


FOLDED = {
    "inf - inf": ("%p = arith.constant 0x7F800000 : f32\n%r = arith.subf %p, %p : f32", "0x7FA00000"),
    "0 / 0": ("%p = arith.constant 0.0 : f32\n%r = arith.divf %p, %p : f32", "0xFFC00000"),
    "inf * 0": (
        "%p = arith.constant 0x7F800000 : f32\n%z = arith.constant 0.0 : f32\n%r = arith.mulf %p, %z : f32",
        "0x7FC00001",
    ),
    "a NaN + 1": (
        "%p = arith.constant 0x7FA00000 : f32\n%o = arith.constant 1.0 : f32\n%r = arith.addf %p, %o : f32",
        "0xFFA00002",
    ),
    "a NaN, negated": ("%p = arith.constant 0x7FA00000 : f32\n%r = arith.negf %p : f32", "0x7FC00000"),
}


@pytest.mark.parametrize("name", FOLDED)
def test_a_nan_that_is_computed_and_another_literal(name: str) -> None:
    """Which NaN it is makes no difference, unless bits are shown."""
    ops, nan = FOLDED[name]
    literal = "%r = arith.constant {} : f32"
    given = ops + "\n  %s = arith.addf %x, %r : f32\n  return %s : f32"
    other = literal.format(nan) + "\n  %s = arith.addf %r, %x : f32\n  return %s : f32"
    for source, target in ((f"{ops}\nreturn %r : f32", f"{literal.format(nan)}\nreturn %r : f32"), (given, other)):
        assert _verdict("(%x: f32) -> f32", source, target).verdict in ("equivalent", "refines")
    number = f"{literal.format('1.0')}\nreturn %r : f32"
    assert _verdict("(%x: f32) -> f32", f"{ops}\nreturn %r : f32", number).verdict == "not-equivalent"
    bits = "\n  %b = arith.bitcast %r : f32 to i32\n  return %b : i32"
    shown = _verdict("(%x: f32) -> i32", literal.format("0x7FA00000") + bits, literal.format("0x7FC00000") + bits)
    assert shown.verdict not in ("equivalent", "refines")
