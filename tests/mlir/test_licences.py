"""Fast-math flags that have no effect where they stand are not read; those that have one are."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

EMULATED = """
  func.func @f(%x: f16, %y: f16, %z: f16) -> f16 {{
    %a = arith.extf %x fastmath<contract> : f16 to f32
    %b = arith.extf %y fastmath<contract> : f16 to f32
    %p = arith.mulf %a, %b : f32
    %q = arith.truncf %p fastmath<contract> : f32 to f16
    {rest}
  }}
"""
ONE = "return %q : f16"
TWO = """
    %c = arith.extf %q {flag} : f16 to f32
    %d = arith.extf %z fastmath<contract> : f16 to f32
    %s = arith.addf %c, %d : f32
    %r = arith.truncf %s fastmath<contract> : f32 to f16
    return %r : f16
"""
PRODUCT = "func.func @f(%x: f16, %y: f16, %z: f16) -> f16 {{ %p = arith.mulf %x, %y : f16 {rest} }}"
SUM = "%r = arith.addf %p, %z : f16 return %r : f16"


def verdict(source: str, target: str, switches: Switches = Switches()) -> str:  # noqa: B008
    return check(source, target, ("source.mlir", "target.mlir"), Options(seconds=20, switches=switches)).verdict


def test_casts_that_meet_no_other_cast() -> None:
    assert verdict(PRODUCT.format(rest="return %p : f16"), EMULATED.format(rest=ONE)) == "equivalent"


def test_casts_that_may_be_contracted_are_a_licence_of_the_target() -> None:
    source = PRODUCT.format(rest=SUM)
    assert verdict(source, EMULATED.format(rest=TWO.format(flag="fastmath<contract>"))) == "unknown"
    assert verdict(source, EMULATED.format(rest=TWO.format(flag=""))) == "equivalent"


THROUGH = """
  func.func @f(%x: f32, %c: i1, %A: memref<1xf16>) -> f32 {{
    %zero = arith.constant 0 : index
    %old = memref.load %A[%zero] : memref<1xf16>
    %n = arith.truncf %x {flag} : f32 to f16
    {way}
    %w = arith.extf %m {flag} : f16 to f32
    return %w : f32
  }}
"""
WAYS = {
    "at-once": "%m = arith.select %c, %n, %n : f16",
    "selected": "%m = arith.select %c, %n, %old : f16",
    "negated": "%m = arith.negf %n : f16",
    "an-extremum": "%m = arith.maximumf %n, %old : f16",
    "its-magnitude": "%k = math.absf %n : f16 %m = math.copysign %k, %old : f16",
    "a-branch": "%m = scf.if %c -> f16 { scf.yield %n : f16 } else { scf.yield %old : f16 }",
    "memory": "memref.store %n, %A[%zero] : memref<1xf16> %m = memref.load %A[%zero] : memref<1xf16>",
    "a-copy": """
      %B = memref.alloc() : memref<1xf16>
      memref.store %n, %A[%zero] : memref<1xf16>
      memref.copy %A, %B : memref<1xf16> to memref<1xf16>
      %m = memref.load %B[%zero] : memref<1xf16>""",
    "a-vector": "%v = vector.broadcast %n : f16 to vector<4xf16> %m = vector.extract %v[1] : f16 from vector<4xf16>",
    "a-loop": """
      %one = arith.constant 1 : index
      %m = scf.for %i = %zero to %one step %one iter_args(%k = %old) -> f16 { scf.yield %n : f16 }""",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_what_a_narrowed_float_passes_through(way: str) -> None:
    strict, free = (THROUGH.format(flag=flag, way=WAYS[way]) for flag in ("", "fastmath<contract>"))
    assert verdict(strict, free) == "unknown"
    assert verdict(free, strict) in ("refines", "unknown")
    assert verdict(free, free) == "equivalent"


def test_what_is_rounded_twice() -> None:
    """One cast rounds in another way: 1 + 2**-8 + 2**-40 is no tie, and one after it was rounded to f32."""
    text = """
      func.func @f(%x: f64) -> bf16 {
        %s = arith.truncf %x {flag} : f64 to f32
        %r = arith.truncf %s {flag} : f32 to bf16
        return %r : bf16
      }
    """
    strict, free = both(text)
    assert verdict(strict, free) == "unknown"
    assert verdict(free, strict) == "refines"
    once = "func.func @f(%x: f64) -> bf16 { %r = arith.truncf %x : f64 to bf16 return %r : bf16 }"
    assert verdict(free, once) == "unknown"


def test_a_float_that_was_narrowed_and_negated() -> None:
    """What is negated first may be rounded, or not."""
    negated = THROUGH.format(flag="fastmath<contract>", way=WAYS["negated"])
    assert verdict(negated, negated.replace("return %w", "%r = arith.negf %x : f32 return %r")) == "unknown"


LOOP = """
  func.func @f(%A: memref<8xf16>, %B: memref<8xf16>, %x: f16) {{
    %w = arith.extf %x {flag} : f16 to f32
    affine.for %i = 0 to 8 {{
      %a = affine.load %A[%i] : memref<8xf16>
      %b = arith.extf %a {flag} : f16 to f32
      %c = arith.mulf %b, %w : f32
      %d = arith.truncf %c {flag} : f32 to f16
      affine.store %d, %{into}[%i] : memref<8xf16>
    }}
    return
  }}
"""


def test_memory_that_arguments_may_share() -> None:
    strict, free = (LOOP.format(flag=flag, into="B") for flag in ("", "fastmath<contract>"))
    assert verdict(strict, free) == "equivalent"
    assert verdict(strict, free, Switches(may_overlap=True)) == "unknown"


IN_PLACE = LOOP.replace("{into}", "A").replace("%B: memref<8xf16>, ", "").replace("{{", "{").replace("}}", "}")


def both(text: str) -> tuple[str, str]:
    """Without the flag, and with it."""
    return text.replace("{flag}", ""), text.replace("{flag}", "fastmath<contract>")


def test_an_element_that_is_read_before_it_is_written() -> None:
    assert verdict(*both(IN_PLACE)) == "equivalent"
    assert verdict(*both(IN_PLACE), Switches(may_overlap=True)) == "equivalent"
    strided = IN_PLACE.replace("memref<8xf16>", "memref<8xf16, strided<[?]>>")
    assert verdict(*both(strided)) == "equivalent"
    assert verdict(*both(strided), Switches(may_overlap=True)) == "unknown"


AGAIN = {
    "the element of the last turn": ("affine.load %A[%i]", "affine.load %A[0]"),
    "an element further on": ("affine.store %d, %A[%i]", "affine.store %d, %A[(%i + 1) mod 8]"),
    "a loop around": ("affine.for %i = 0 to 8 {", "affine.for %j = 0 to 2 { affine.for %i = 0 to 8 {"),
    "a loop later": (
        "return",
        """affine.for %i = 0 to 8 {
      %a = affine.load %A[%i] : memref<8xf16>
      %b = arith.extf %a {flag} : f16 to f32
      affine.store %b, %C[%i] : memref<8xf32>
    }
    return""",
    ),
    "a while around": (
        "affine.for %i = 0 to 8 {",
        "%t = arith.constant true scf.while : () -> () { scf.condition(%t) } do { affine.for %i = 0 to 8 {",
    ),
    "the value that was stored": (
        "affine.store %d, %A[%i] : memref<8xf16>",
        """affine.store %d, %A[%i] : memref<8xf16>
      %e = affine.load %A[%i] : memref<8xf16>
      %f = arith.extf %e {flag} : f16 to f32
      affine.store %f, %C[%i] : memref<8xf32>""",
    ),
}


CLOSED = {"a loop around": "}", "a while around": "scf.yield }"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", AGAIN)
def test_an_element_that_may_be_read_after_it_is_written(way: str) -> None:
    old, new = AGAIN[way]
    text = IN_PLACE.replace("%x: f16", "%x: f16, %C: memref<8xf32>")
    assert old in text
    text = text.replace(old, new)
    text = text.replace("return", f"{CLOSED.get(way, '')} return")
    assert verdict(*both(text)) == "unknown"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["f8E4M3FN", "f8E5M2", "f8E5M2FNUZ"])
def test_casts_of_floats_of_8_bits(kind: str) -> None:
    source, target = PRODUCT.format(rest="return %p : f16"), EMULATED.format(rest=ONE)
    assert verdict(source.replace("f16", kind), target.replace("f16", kind)) == "equivalent"
    assert verdict(source.replace("f16", kind), target.replace("f16", kind).replace("mulf", "addf")) == "not-equivalent"
    source = PRODUCT.format(rest=SUM).replace("f16", kind)
    licensed = EMULATED.format(rest=TWO.format(flag="fastmath<contract>")).replace("f16", kind)
    plain = EMULATED.format(rest=TWO.format(flag="")).replace("f16", kind)
    assert verdict(source, licensed) == "unknown"
    assert verdict(licensed, source) in ("refines", "unknown")
    assert verdict(source, plain) == "equivalent"
    unrounded = plain.replace("addf %c", "addf %p")
    assert verdict(licensed, unrounded) in ("refines", "unknown")
    assert verdict(source, unrounded) == "not-equivalent"


@pytest.mark.parametrize("flag", ["contract", "arcp", "afn", "contract,arcp,afn"])
def test_a_law_under_flags_without_effect(flag: str) -> None:
    sum_ = f"%z = arith.constant -0.0 : f32 %r = arith.addf %x, %z fastmath<{flag}> : f32"
    source = f"func.func @f(%x: f32) -> f32 {{ {sum_} return %r : f32 }}"
    assert verdict(source, "func.func @f(%x: f32) -> f32 { return %x : f32 }") == "equivalent"


def test_a_flag_that_one_program_needs_stays_in_both() -> None:
    """The source may fuse its sum; the other sum of the target has the same flag, and is the same."""
    source = """
      func.func @f(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
        %p = arith.mulf %x, %y fastmath<contract> : f32
        %s = arith.addf %p, %z fastmath<contract> : f32
        %t = arith.addf %x, %z fastmath<contract> : f32
        return %s, %t : f32, f32
      }
    """
    target = """
      func.func @f(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
        %s = math.fma %x, %y, %z : f32
        %t = arith.addf %x, %z fastmath<contract> : f32
        return %s, %t : f32, f32
      }
    """
    assert verdict(source, target) == "refines"
    assert verdict(target, source) != "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("flag", ["reassoc", "nsz", "contract", "arcp", "afn"])
def test_a_comparison_has_one_value(flag: str) -> None:
    head = "func.func @f(%x: f32) -> i1 {"
    source = f"{head} %r = arith.cmpf oeq, %x, %x fastmath<{flag}> : f32 return %r : i1 }}"
    assert verdict(source, f"{head} %r = arith.constant true return %r : i1 }}") == "not-equivalent"
    assert verdict(source, f"{head} %r = arith.cmpf ord, %x, %x : f32 return %r : i1 }}") == "equivalent"
    poison = source.replace(flag, f"nnan,{flag}")
    assert verdict(poison, f"{head} %r = arith.constant true return %r : i1 }}") == "refines"


def test_no_sign_of_a_zero_makes_a_nan_a_number() -> None:
    head = "func.func @f(%x: f32) -> f32 { %z = arith.constant 0.0 : f32"
    source = f"{head} %r = arith.mulf %x, %z fastmath<nsz> : f32 return %r : f32 }}"
    assert verdict(source, f"{head} return %z : f32 }}") == "not-equivalent"
