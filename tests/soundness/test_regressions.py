"""Pairs that were once wrongly accepted, or contradicted by a run: each with the verdict it has to have."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Engine, Strategy


def verdict(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The verdict where also a refuted pair is proved: a proof that a run contradicts is then `error`."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    return check(source, target, ("source", "target"), Options()).verdict


LOST_PRODUCER = """
func.func @f(%x: f64, %A: memref<6x4xf64>, %n: index) {
  STORE
  affine.for %i = 2 to 3 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (5, d0 + 2)>(%i) {
      affine.if affine_set<(d0) : (d0 mod 4 - 1 >= 0)>(%j) {
        affine.store %x, %A[(%n - 1 - %i) mod 6, (%j + %j) mod 4] : memref<6x4xf64>
      }
    }
  }
  return
}
"""


def test_producer_that_isl_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    """isl's `compute_flow` loses the store: `A[3, 1]` seemed to keep its first value on both sides."""
    source = LOST_PRODUCER.replace("STORE", "affine.store %x, %A[3, 1] : memref<6x4xf64>")
    assert verdict(source, LOST_PRODUCER.replace("STORE", ""), monkeypatch) == "not-equivalent"
    assert verdict(source, source, monkeypatch) == "equivalent"


PLAIN = """
func.func @f(%A: memref<4xf32>, %B: memref<4xindex>, %x: index, %y: index, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %A[%c0] : memref<4xf32>
  return
}
"""


@pytest.mark.parametrize(
    "computed",
    [
        "%c9 = arith.constant 9 : index\n  %p = memref.load %B[%c9] : memref<4xindex>\n"
        "  %z = arith.subi %p, %p : index",
        "%d = arith.divsi %x, %y : index\n  %z = arith.muli %d, %c0 : index",
        "%L = memref.alloc() : memref<4xindex>\n  %p = memref.load %L[%c0] : memref<4xindex>\n"
        "  %z = arith.subi %p, %p : index",
    ],
    ids=["out-of-bounds", "division", "poison"],
)
def test_subscript_that_cancels(computed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`p - p` is 0 only where `p` is defined and proper."""
    target = PLAIN.replace("memref.store %v, %A[%c0]", computed + "\n  memref.store %v, %A[%z]")
    assert verdict(PLAIN, target, monkeypatch) == "not-equivalent"


def test_condition_that_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PLAIN.replace(
        "memref.store %v, %A[%c0] : memref<4xf32>",
        """%L = memref.alloc() : memref<4xindex>
  %p = memref.load %L[%c0] : memref<4xindex>
  %z = arith.subi %p, %p : index
  %c = arith.cmpi eq, %z, %c0 : index
  scf.if %c { memref.store %v, %A[%c0] : memref<4xf32> }""",
    )
    assert verdict(PLAIN, target, monkeypatch) == "not-equivalent"


def test_source_divides_by_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undefined in the source only: the target refines it, not the other way round."""
    source = """
func.func @f(%x: i32) {
  %B = memref.alloc() : memref<4xi32>
  %b = affine.load %B[0] : memref<4xi32>
  %d = arith.divsi %x, %b : i32
  return
}
"""
    target = "func.func @f(%x: i32) {\n  %c5 = arith.constant 5 : i32\n  %d = arith.divsi %x, %c5 : i32\n  return\n}\n"
    assert verdict(source, target, monkeypatch) == "refines"


def test_dead_store_of_a_divisor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store that is dead computes a division whose divisor an earlier store wrote: that one is not dead."""
    source = """
func.func @f(%A: memref<4xi32>, %B: memref<4xi32>, %x: i32) {
  %c7 = arith.constant 7 : i32
  affine.store %c7, %B[0] : memref<4xi32>
  affine.store %c7, %A[0] : memref<4xi32>
  return
}
"""
    target = """
func.func @f(%A: memref<4xi32>, %B: memref<4xi32>, %x: i32) {
  %c7 = arith.constant 7 : i32
  affine.store %x, %B[0] : memref<4xi32>
  %b = affine.load %B[0] : memref<4xi32>
  %d = arith.divsi %c7, %b : i32
  affine.store %c7, %B[0] : memref<4xi32>
  affine.store %d, %A[0] : memref<4xi32>
  affine.store %c7, %A[0] : memref<4xi32>
  return
}
"""
    assert verdict(source, target, monkeypatch) == "not-equivalent"


def test_different_arguments_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments that no subscript uses are no parameters of isl."""
    square = "func.func @f(%x: i32, %y: i32) -> i32 {\n  %d = arith.subi A : i32\n  return %d : i32\n}\n"
    pair = square.replace("A", "%x, %y"), square.replace("A", "%y, %x")
    assert verdict(*pair, monkeypatch) == "not-equivalent"


def test_allocation_of_negative_extent(monkeypatch: pytest.MonkeyPatch) -> None:
    target = PLAIN.replace(
        "memref.store",
        "%minus = arith.constant -1 : index\n  %L = memref.alloc(%minus) : memref<?xf32>\n  memref.store",
    )
    assert verdict(PLAIN, target, monkeypatch) == "not-equivalent"


ZEROS = """
func.func @f(%a: f32, %b: f32) -> (f32, f32) {
  %r = arith.maxnumf %a, %b : f32
  %s = arith.maxnumf FIRST, SECOND : f32
  return %r, %s : f32, f32
}
"""


def test_maxnumf_leaves_the_sign_of_zero_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR's JIT gives -0.0 and 0.0 for the two orders of (-0.0, 0.0): neither proved equal nor refuted."""
    straight = ZEROS.replace("FIRST", "%a").replace("SECOND", "%b")
    exchanged = ZEROS.replace("FIRST", "%b").replace("SECOND", "%a")
    assert verdict(straight, straight, monkeypatch) == "equivalent"
    assert verdict(straight, exchanged, monkeypatch) == "unknown"


GREATER = """
func.func @f(%a: f32, %b: f32) -> f32 {
  %r = arith.maxnumf %a, %b : f32
  return %r : f32
}
"""
FIRST_OF_TWO = """
func.func @f(%a: f32, %b: f32) -> f32 {
  %k = arith.cmpf uge, %a, %b : f32
  %n = arith.cmpf uno, %a, %a : f32
  %s = arith.select %k, %a, %b : f32
  %m = arith.select %n, %b, %s : f32
  %o = arith.cmpf uno, %b, %b : f32
  %r = arith.select %o, %a, %m : f32
  return %r : f32
}
"""


@pytest.mark.one_in(2)
def test_maxnumf_is_refuted_where_it_has_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of -0.0 and 0.0 the second target is the first operand, which `maxnumf` may be, too."""
    assert verdict(GREATER, GREATER.replace("maxnumf", "maximumf"), monkeypatch) == "not-equivalent"
    assert verdict(GREATER, GREATER.replace("maxnumf", "minnumf"), monkeypatch) == "not-equivalent"
    assert verdict(GREATER, FIRST_OF_TWO, monkeypatch) == "unknown"
    assert verdict(GREATER, FIRST_OF_TWO.replace("%b, %s", "%a, %s"), monkeypatch) == "not-equivalent"


def test_maxnumf_has_a_choice_in_what_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    again = """
func.func private @g(%n: i32, %a: f32, %b: f32) -> f32 {
  %z = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = arith.cmpi eq, %n, %z : i32
  %r = scf.if %k -> f32 {
    %m = func.call @h(%a, %b) : (f32, f32) -> f32
    scf.yield %m : f32
  } else {
    %l = arith.subi %n, %c1 : i32
    %m = func.call @g(%l, %a, %b) : (i32, f32, f32) -> f32
    scf.yield %m : f32
  }
  return %r : f32
}
func.func @f(%a: f32, %b: f32) -> f32 {
  %c2 = arith.constant 2 : i32
  %r = func.call @g(%c2, %a, %b) : (i32, f32, f32) -> f32
  return %r : f32
}
"""
    called = [text.replace("@f", "private @h") for text in (GREATER, FIRST_OF_TWO)]
    assert verdict(called[0] + again, called[1] + again, monkeypatch) == "unknown"


def test_condition_that_overflows(monkeypatch: pytest.MonkeyPatch) -> None:
    """`n + 1 > n` is false for the greatest `n`; index arithmetic in conditions wraps."""
    target = PLAIN.replace(
        "memref.store %v, %A[%c0] : memref<4xf32>",
        """%c1 = arith.constant 1 : index
  %m = arith.addi %x, %c1 : index
  %c = arith.cmpi sgt, %m, %x : index
  scf.if %c { memref.store %v, %A[%c0] : memref<4xf32> }""",
    )
    assert verdict(PLAIN, target, monkeypatch) == "not-equivalent"


def test_condition_that_cannot_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = """
func.func @f(%A: memref<16xf32>, %v: f32) {
  affine.for %i = 0 to LAST {
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 12 : index
    %m = arith.addi %i, %c3 : index
    %c = arith.cmpi slt, %m, %c9 : index
    scf.if %c { memref.store %v, %A[%i] : memref<16xf32> }
  }
  return
}
"""
    assert verdict(loop.replace("LAST", "16"), loop.replace("LAST", "9"), monkeypatch) == "equivalent"
    assert verdict(loop.replace("LAST", "16"), loop.replace("LAST", "8"), monkeypatch) == "not-equivalent"


def test_access_that_promises_more(monkeypatch: pytest.MonkeyPatch) -> None:
    load = PLAIN.replace("return", "%r = memref.load %A[%c0] : memref<4xf32>\n  return")
    aligned = load.replace("%A[%c0] : memref<4xf32>\n  return", "%A[%c0] {alignment = 64} : memref<4xf32>\n  return")
    assert aligned != load and verdict(load, aligned, monkeypatch) == "unknown"


def test_code_in_a_nested_module_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "module {\n  module { func.func @g(%x: f32) -> f32 { RETURN } }\n  func.func @module0() { return }\n}\n"
    source = module.replace("RETURN", "return %x : f32")
    target = module.replace("RETURN", "%c = arith.constant 1.0 : f32 return %c : f32")
    assert verdict(source, target, monkeypatch) == "unknown"


def test_names_are_not_read_where_locations_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """`loc("-":1:4)` in the text is no place in the text: names there are another function's."""
    source = '// func.func @g(%m: index, %n: index)\nfunc.func @f(%n: index, %m: index) { return } loc("-":1:4)\n'
    report = check(source, source, ("source", "target"), Options(assume=("m <= 0",)))
    assert report.verdict == "error" and report.diagnostics[0].name == "invalid-assumption"
    assert check(source, source, ("source", "target"), Options(assume=("arg1 <= 0",))).verdict == "equivalent"


RARELY_REACHED = """
func.func @f(%A: memref<1xf32>, %B: memref<1xf32>, %n: index, %m: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %a = memref.load %A[%c0] : memref<1xf32>
  %less = arith.cmpf olt, %a, %x : f32
  scf.if %less {
    affine.if affine_set<()[s0, s1] : (s0 + s1 - 10 >= 0)>()[%n, %m] {
      affine.store %x, %A[0] : memref<1xf32>
    }
  }
  CHECKED
  return
}
"""
BY_LOOP = """affine.for %i = affine_map<()[s0] -> (10 - s0)>()[%m] to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.store %x, %B[0] : memref<1xf32>
  }"""
BY_SUM = """%s = arith.addi %n, %m : index
  %t = arith.subi %s, %c10 : index
  %enough = arith.cmpi sge, %t, %c0 : index
  scf.if %enough {
    memref.store %x, %B[%c0] : memref<1xf32>
  }"""


def test_condition_that_overflows_where_it_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """`n + m - 10` may overflow if the data never let the source compare it: `n = m = 2**62`, `A[0] = x`."""
    source, target = RARELY_REACHED.replace("CHECKED", BY_LOOP), RARELY_REACHED.replace("CHECKED", BY_SUM)
    assert verdict(source, target, monkeypatch) == "unknown"
    assert verdict(source, source, monkeypatch) == "equivalent"
    always = source.replace("scf.if %less {", "affine.if affine_set<() : (0 >= 0)>() {")
    assert verdict(always, always.replace(BY_LOOP, BY_SUM), monkeypatch) == "equivalent"


SPLAT = """func.func @f(%x: f32) -> tensor<1xf32> {
  %t = tensor.from_elements %x : tensor<1xf32>
  return %t : tensor<1xf32>
}"""
BUFFER = """func.func @f(%x: f32) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%c0] : memref<1xf32>
  return %a : memref<1xf32>
}"""


def test_a_tensor_on_the_stack_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(SPLAT, BUFFER, monkeypatch) == "equivalent"
    assert verdict(SPLAT, BUFFER.replace("alloc()", "alloca()"), monkeypatch) == "unknown"


CALLED = """func.func private @g(%x: f32) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%c0] : memref<1xf32>
  return %a : memref<1xf32>
}
func.func @f(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = func.call @g(%x) : (f32) -> memref<1xf32>
  %r = memref.load %m[%c0] : memref<1xf32>
  return %r : f32
}"""


def test_the_stack_of_a_callee_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(CALLED, CALLED.replace("alloc()", "alloca()"), monkeypatch) == "unknown"


EMPTY = """func.func @f(%A: memref<?xf32>, %I: memref<2xindex>) -> memref<0xf32, strided<[1], offset: ?>> {
  %c0 = arith.constant 0 : index
  %o = memref.load %I[%c0] : memref<2xindex>
  %s = memref.subview %A[%o][0][1] : memref<?xf32> to memref<0xf32, strided<[1], offset: ?>>
  return %s : memref<0xf32, strided<[1], offset: ?>>
}"""


def test_views_at_offsets_from_memory_are_not_the_same_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The offsets look alike: each is what the first load of its function reads."""
    assert verdict(EMPTY, EMPTY.replace("constant 0", "constant 1"), monkeypatch) == "unknown"


def test_code_that_leaves_what_is_assumed_contradicts_nothing() -> None:
    """MLIR folds an `index` in 64 bits before it lowers it to 32: an input that the interpreter excludes is not run by
    compiled code alone."""
    source = """func.func @f() -> i1 {
      %k = arith.constant 65536 : index
      %zero = arith.constant 0 : index
      %q = arith.muli %k, %k : index
      %c = arith.cmpi ne, %q, %zero : index
      return %c : i1
    }"""
    target = "func.func @f() -> i1 {\n%c = arith.constant false\nreturn %c : i1\n}"
    options = Options(switches=Switches(index_width=32))
    assert check(source, target, ("source", "target"), options).verdict == "equivalent"


ASSERTED = """func.func @f(%n: index, %A: memref<?xi32>, %B: memref<?xi32>, %C: memref<?xi32>, %P: memref<?xindex>) {
  %z = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    affine.store %a, %B[%i] : memref<?xi32>
    affine.if affine_set<(d0) : (d0 - FIRST >= 0)>(%i) {
      %c = arith.cmpi sgt, %a, %z : i32
      cf.assert %c, "positive"
    }
    %lo = affine.load %P[%i] : memref<?xindex>
    %hi = affine.load %P[%i + 1] : memref<?xindex>
    scf.for %k = %lo to %hi step %c1 {
      memref.store %z, %C[%k] : memref<?xi32>
    }
  }
  return
}"""


@pytest.mark.one_in(10)
def test_an_assertion_that_does_not_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements beside it in the same loops were shown equal at iterations at which it is not reached."""
    early, late = (ASSERTED.replace("FIRST", first) for first in ("0", "5"))
    assert verdict(late, early, monkeypatch) == "not-equivalent"
    assert verdict(early, late, monkeypatch) == "refines"
    assert verdict(early, early.replace("d0 - 0", "d0 + 5"), monkeypatch) == "equivalent"


GIVEN = """func.func private @g(memref<2xf32>)
func.func @f(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%c0] : memref<2xf32>
  memref.store %x, %a[%c1] : memref<2xf32>
  FIRST
  func.call @g(%a) : (memref<2xf32>) -> ()
  SECOND
  func.call @g(%b) : (memref<2xf32>) -> ()
  THIRD
  return %v : f32
}"""
MADE = """%b = memref.alloc() : memref<2xf32>
  memref.store %x, %b[%c0] : memref<2xf32>
  memref.store %x, %b[%c1] : memref<2xf32>"""
LOADED = "%v = memref.load %a[%c0] : memref<2xf32>"


@pytest.mark.parametrize("engine", ["auto", "dataflow", "theorems"])
def test_calls_name_what_lives_later(engine: Engine) -> None:
    """It crashed. Each call names all that any call is given, which the second one may have kept from the first."""

    def given(first: str, second: str, third: str) -> str:
        return GIVEN.replace("FIRST", first).replace("SECOND", second).replace("THIRD", third)

    def answer(source: str, target: str) -> str:
        options = Options(strategy=Strategy(engine=engine))
        return check(source, target, ("source", "target"), options).verdict

    source, early = given("", MADE, LOADED), given(MADE, "", LOADED)
    assert answer(source, early) == ("unknown" if engine == "theorems" else "equivalent")
    assert answer(source, given("", f"{LOADED}\n  {MADE}", "")) == "unknown"
    assert answer(source, source.replace("%a[%c1]", "%a[%c0]")) in ("not-equivalent", "unknown")
