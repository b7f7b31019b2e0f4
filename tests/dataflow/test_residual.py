"""Terms with different operators: decided over equal leaves, which are obligations of their own."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.types import FloatType
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.dataflow.model.instance_values import _made_up
from hecv.run.evaluation.softfloat import SMALL


def _verdict(source: str, target: str, strategy: Strategy | None = None) -> str:
    options = Options(strategy=strategy or Strategy())
    return check(source, target, ("source.mlir", "target.mlir"), options).verdict


def _map(body: str, arguments: str = "", count: int = 40) -> str:
    """A loop that writes `%r`, made of `%a` and `%b`, to `%C`."""
    return f"""
func.func @f(%A: memref<{count}xi8>, %B: memref<{count}xi8>, %C: memref<{count}xi8>{arguments}) {{
  %ones = arith.constant -1 : i8
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  affine.for %i = 0 to {count} {{
    %a = affine.load %A[%i] : memref<{count}xi8>
    %b = affine.load %B[%i] : memref<{count}xi8>
    {body}
    affine.store %r, %C[%i] : memref<{count}xi8>
  }}
  return
}}"""


NAND = "%x = arith.andi %a, %b : i8\n %r = arith.xori %x, %ones : i8"
DE_MORGAN = "%x = arith.xori %a, %ones : i8\n %y = arith.xori %b, %ones : i8\n %r = arith.ori %x, %y : i8"


def test_different_operators() -> None:
    assert _verdict(_map(NAND), _map(DE_MORGAN)) == "equivalent"


def test_without_laws_different_operators_are_unknown() -> None:
    assert _verdict(_map(NAND), _map(DE_MORGAN), Strategy(static=False)) == "unknown"


def test_a_wrong_operator_is_refuted() -> None:
    assert _verdict(_map(NAND), _map(DE_MORGAN.replace("ori %x", "andi %x"))) == "not-equivalent"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("%r = arith.addi %a, %a : i8", "%r = arith.muli %a, %two : i8"),
        ("%x = arith.addi %a, %b : i8\n %r = arith.subi %x, %b : i8", "%r = arith.addi %a, %zero : i8"),
        ("%x = arith.subi %a, %b : i8\n %r = arith.muli %x, %x : i8",
         "%x = arith.subi %b, %a : i8\n %r = arith.muli %x, %x : i8"),
    ],
)  # fmt: skip
def test_laws_of_one_statement(source: str, target: str) -> None:
    assert _verdict(_map(source), _map(target)) == "equivalent"


def test_a_flag_that_may_break_is_kept_apart() -> None:
    plain, flagged = (f"%x = arith.addi %a, %one {f} : i8\n %r = arith.subi %x, %b : i8" for f in ("", "overflow<nsw>"))
    swapped = "%x = arith.subi %a, %b : i8\n %r = arith.addi %x, %one : i8"
    assert _verdict(_map(flagged), _map(swapped)) == "refines"
    assert _verdict(_map(plain), _map(swapped)) == "equivalent"
    assert _verdict(_map(swapped), _map(flagged)) == "not-equivalent"


SHIFT = "%r = arith.shli %a, %b : i8"
GUARDED_SHIFT = """%width = arith.constant 8 : i8
    %small = arith.cmpi ult, %b, %width : i8
    %x = arith.shli %a, %b : i8
    %r = arith.select %small, %x, %zero : i8"""


def test_poison_may_go_and_not_come() -> None:
    assert _verdict(_map(SHIFT), _map(GUARDED_SHIFT)) == "refines"
    assert _verdict(_map(GUARDED_SHIFT), _map(SHIFT)) == "not-equivalent"


QUOTIENT = "func.func @f(%x: i32) -> i32 {{ {} return %r : i32 }}"
DIVIDED = QUOTIENT.format("%r = arith.divsi %x, %x : i32")
ONE = QUOTIENT.format("%r = arith.constant 1 : i32")


def test_what_holds_where_the_source_is_defined() -> None:
    assert _verdict(DIVIDED, ONE) == "refines"
    assert _verdict(ONE, DIVIDED) == "not-equivalent"


def test_a_division_may_not_be_made_up() -> None:
    source = QUOTIENT.format("%c = arith.constant 0 : i32\n %r = arith.addi %x, %c : i32")
    target = QUOTIENT.format("%q = arith.divui %x, %x : i32\n %r = arith.muli %x, %q : i32")
    assert _verdict(source, target) == "not-equivalent"


FORWARDED = """
func.func @f(%A: memref<40xi32>, %C: memref<40xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xi32>
    %x = arith.addi %a, %c1 : i32
    %y = arith.shli %x, %c1 : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  return
}"""
BUFFERED = """
func.func @f(%A: memref<40xi32>, %C: memref<40xi32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %t = memref.alloc() : memref<40xi32>
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xi32>
    %x = arith.addi %a, %c1 : i32
    affine.store %x, %t[%i] : memref<40xi32>
  }
  affine.for %i = 0 to 40 {
    %x = affine.load %t[%i] : memref<40xi32>
    %y = arith.muli %x, %c2 : i32
    affine.store %y, %C[%i] : memref<40xi32>
  }
  memref.dealloc %t : memref<40xi32>
  return
}"""


def test_a_leaf_that_is_an_operator_of_the_other_side() -> None:
    assert _verdict(BUFFERED, FORWARDED) == "equivalent"
    assert _verdict(FORWARDED, BUFFERED) == "equivalent"
    assert _verdict(BUFFERED.replace("%t[%i] : memref<40xi32>\n    %y", "%t[39 - %i] : memref<40xi32>\n    %y"),
                    FORWARDED) == "not-equivalent"  # fmt: skip


SQUARES = """
func.func @f(%A: memref<?xi32>, %C: memref<?xi32>, %n: index) {{
  %c0 = arith.constant 0 : i32
  affine.for %i = 0 to %n {{
    %s = affine.for %j = 0 to 50 iter_args(%acc = %c0) -> (i32) {{
      %a = affine.load %A[%i + %j] : memref<?xi32>
      {}
      affine.yield %q : i32
    }}
    affine.store %s, %C[%i] : memref<?xi32>
  }}
  return
}}"""


def test_within_a_recurrence() -> None:
    source = SQUARES.format("%p = arith.muli %a, %a : i32\n %q = arith.addi %acc, %p : i32")
    target = "%m = arith.subi %c0, %a : i32\n %p = arith.muli %m, %a : i32\n %q = arith.subi %acc, %p : i32"
    assert _verdict(source, SQUARES.format(target)) == "equivalent"
    assert _verdict(source, SQUARES.format(target.replace("subi %acc", "addi %acc"))) == "not-equivalent"


FLOATS = """
func.func @f(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {{
  affine.for %i = 0 to 8 {{
    %a = affine.load %A[%i] : memref<8xf32>
    %b = affine.load %B[%i] : memref<8xf32>
    %c = affine.load %C[%i] : memref<8xf32>
    {}
    affine.store %r, %C[%i] : memref<8xf32>
  }}
  return
}}"""


def test_float_sums_are_not_reassociated() -> None:
    left = FLOATS.format("%x = arith.addf %a, %b : f32\n %r = arith.addf %x, %c : f32")
    right = FLOATS.format("%x = arith.addf %b, %c : f32\n %r = arith.addf %a, %x : f32")
    assert _verdict(left, right) == "not-equivalent"


def _proved(source: str, target: str) -> str:
    """The verdict where also a refuted pair is proved: a proof that a run contradicts is then `error`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HECV_CROSSCHECK", "1")
        return _verdict(source, target)


def _over_poison(condition: str, source: str, target: str) -> tuple[str, str]:
    """Two functions of an i1, in the first of which `%u` is made of an element that was never written."""
    head = """
func.func @f(%c: i1, %A: memref<4xi32>) -> i64 {
  %true = arith.constant true
  %not = arith.xori %c, %true : i1
  %zero = arith.constant 0 : i64
  %a = affine.load %A[0] : memref<4xi32>
  %b = affine.load %A[1] : memref<4xi32>
  %x = arith.extsi %a : i32 to i64
  %y = arith.extsi %b : i32 to i64
"""
    never = """  %L = memref.alloc() : memref<1xi32>
  %v = affine.load %L[0] : memref<1xi32>
  %u = arith.extsi %v : i32 to i64
"""
    tail = "\n  return %r : i64\n}\n"
    return head + never + source.format(condition) + tail, head + target.format(condition) + tail


@pytest.mark.parametrize("condition", ["%c", "%not"])
def test_two_leaves_that_refine_one_that_is_poison_are_not_equal(condition: str) -> None:
    """Both loads of the target may stand for the source's, which matters only where it is poison."""
    source = "%w = arith.select {}, %v, %a : i32\n %d = arith.subi %w, %w : i32\n %r = arith.extsi %d : i32 to i64"
    source = "%r = arith.select {}, %u, %zero : i64"
    target = "%d = arith.subi %x, %y : i64\n %r = arith.select {}, %x, %d : i64"
    assert _proved(*_over_poison(condition, source, target)) == "not-equivalent"


@pytest.mark.parametrize("condition", ["%c", "%not"])
def test_a_leaf_is_not_an_operator_over_names_that_only_refine(condition: str) -> None:
    """`%s` is what `%y` is in the target, where `%x` and `%y` both refine `%u`."""
    source = """%M = memref.alloc() : memref<1xi64>
  affine.store %y, %M[0] : memref<1xi64>
  %s = affine.load %M[0] : memref<1xi64>
  %r = arith.select {}, %u, %s : i64"""
    target = "%d = arith.subi %y, %y : i64\n %r = arith.addi %x, %d : i64"
    assert _proved(*_over_poison(condition, source, target)) == "not-equivalent"


def test_a_quotient_of_arguments_is_not_covered_as_part_of_a_leaf() -> None:
    """isl holds `n / m` as one number; that the source divides too was not shown."""
    source = "func.func @f(%n: index, %m: index, %x: index) -> index { return %x : index }"
    target = """
func.func @f(%n: index, %m: index, %x: index) -> index {
  %q = arith.divsi %n, %m : index
  affine.for %i = 0 to %q { }
  %s = arith.addi %x, %q : index
  %r = arith.subi %s, %q : index
  return %r : index
}"""
    assert _proved(source, target) == "not-equivalent"
    assert _proved(target, target) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("used", [True, False])
def test_equal_quotients_need_not_be_defined_alike(used: bool) -> None:
    """As total values, `-1 / z` and `-1 / (z == 0 ? 1 : z)` are equal."""
    text = """
func.func @f(%z: i8) -> i8 {{
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %minus = arith.constant -1 : i8
  %p = arith.cmpi eq, %z, %zero : i8
  %s = arith.select %p, %one, %z : i8
  %d = arith.divui %minus, {} : i8
  return {} : i8
}}"""
    result = "%d" if used else "%zero"
    total, partial = text.format("%s", result), text.format("%z", result)
    assert _proved(total, partial) == "not-equivalent"
    assert _proved(partial, total) == "refines"


@pytest.mark.parametrize(("exponent", "verdict"), [(2, "equivalent"), (-2, "not-equivalent")])
def test_a_power_with_a_literal_exponent(exponent: int, verdict: str) -> None:
    source = "func.func @f(%x: i32) { return }"
    power = f"%e = arith.constant {exponent} : i32\n %p = math.ipowi %x, %e : i32"
    assert _proved(source, f"func.func @f(%x: i32) {{\n {power}\n return }}") == verdict


def test_a_divisor_that_is_zero_in_a_narrow_index() -> None:
    source = "func.func @f(%x: index) { return }"
    target = "%c = arith.constant 4294967296 : index\n %q = arith.divui %x, %c : index"
    target = f"func.func @f(%x: index) {{ {target}\n return }}"
    for width, verdict in ((32, "unknown"), (64, "equivalent")):
        options = Options(switches=Switches(index_width=width))
        assert check(source, target, ("source.mlir", "target.mlir"), options).verdict == verdict


def test_terms_of_different_types_are_not_compared() -> None:
    """Both comparisons are of the same operator and predicate; their operands are of other widths."""
    text = """
func.func @f(%A: memref<2xi8>) -> i1 {
  %a = affine.load %A[0] : memref<2xi8>
  %b = affine.load %A[1] : memref<2xi8>
  COMPARE
  return %p : i1
}"""
    narrow = text.replace("COMPARE", "%p = arith.cmpi slt, %a, %b : i8")
    wide = """%x = arith.extsi %a : i8 to i16
  %y = arith.extsi %b : i8 to i16
  %p = arith.cmpi slt, %x, %y : i16"""
    assert _proved(narrow, text.replace("COMPARE", wide)) == "equivalent"
    assert _proved(narrow, text.replace("COMPARE", wide.replace("extsi", "extui"))) == "not-equivalent"


IN_ONE_LOOP = """
func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xi8>
    %b = affine.load %B[%i] : memref<?xi8>
    %r = arith.subi %a, %b : i8
    affine.store %r, %C[%i] : memref<?xi8>
  }
  return
}"""
IN_PARTS = """
func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %n: index) {
  %ones = arith.constant -1 : i8
  %one = arith.constant 1 : i8
  %m = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %not = memref.alloc(%m) : memref<?xi8>
  %sum = memref.alloc(%m) : memref<?xi8>
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi8>
    %x = arith.xori %b, %ones : i8
    affine.store %x, %not[%n - 1 - %i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xi8>
    %x = affine.load %not[%n - 1 - %i] : memref<?xi8>
    %s = arith.addi %a, %x : i8
    affine.store %s, %sum[%i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    %s = affine.load %sum[%i] : memref<?xi8>
    %r = arith.addi %s, %one : i8
    affine.store %r, %C[%i] : memref<?xi8>
  }
  return
}"""


def test_laws_across_statements() -> None:
    assert _verdict(IN_ONE_LOOP, IN_PARTS) == "equivalent"
    assert _verdict(IN_PARTS, IN_ONE_LOOP) == "equivalent"
    wrong = IN_PARTS.replace("%x = affine.load %not[%n - 1 - %i]", "%x = affine.load %not[%i]")
    assert _verdict(IN_ONE_LOOP, wrong) == "not-equivalent"


def test_leaves_of_one_side_are_equal_only_where_they_read_the_same() -> None:
    """The difference of two reads of `B`, at one place and at two."""
    source = IN_ONE_LOOP.replace("%r = arith.subi %a, %b : i8", "%r = arith.addi %a, %b : i8")
    parts = """
func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<?xi8>, %n: index) {
  %m = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %t = memref.alloc(%m) : memref<?xi8>
  affine.for %i = 0 to %n {
    %b = affine.load %B[%i] : memref<?xi8>
    %x = arith.addi %b, %b : i8
    affine.store %x, %t[%i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xi8>
    %b = affine.load %B[PLACE] : memref<?xi8>
    %x = affine.load %t[%i] : memref<?xi8>
    %y = arith.subi %x, %b : i8
    %r = arith.addi %a, %y : i8
    affine.store %r, %C[%i] : memref<?xi8>
  }
  return
}"""
    assert _verdict(source, parts.replace("PLACE", "%i")) == "equivalent"
    assert _verdict(source, parts.replace("PLACE", "%n - 1 - %i")) == "not-equivalent"


def _stages(random: Random, text: str, operators: list[str]) -> str:
    """A function that computes `C` in stages, each a loop of its own and each of two earlier ones."""
    names, lines = ["A", "B"], []
    for number, operator in enumerate(operators):
        left, right = random.choice(names), random.choice(names)
        made = f"t{number}" if number + 1 < len(operators) else "C"
        if made != "C":
            lines.append(f"%{made} = memref.alloc() : memref<5xi8>")
        lines.append(
            f"affine.for %i = 0 to 5 {{\n %x = affine.load %{left}[%i] : memref<5xi8>\n"
            f" %y = affine.load %{right}[{random.choice(['%i', '%i', '4 - %i'])}] : memref<5xi8>\n"
            f" %z = arith.{operator} %x, %y : i8\n affine.store %z, %{made}[%i] : memref<5xi8>\n}}"
        )
        names.append(made)
    return text + "\n".join(lines) + "\nreturn\n}"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(10))
def test_stages_are_never_proved_equal_wrongly(seed: int) -> None:
    """Wrong pairs are proved as well: a proof that a run contradicts is an error."""
    random = Random(seed)
    head = "func.func @f(%A: memref<5xi8>, %B: memref<5xi8>, %C: memref<5xi8>) {\n"
    operators = [random.choice(["addi", "subi", "xori", "andi"]) for _ in range(random.randrange(2, 5))]
    pair = [_stages(Random(random.choice([seed, seed, seed + 1])), head, operators) for _ in range(2)]
    assert _proved(*pair) in ("equivalent", "not-equivalent"), pair


@pytest.mark.parametrize("name", SMALL)
def test_a_value_of_an_input_is_a_number_of_its_format(name: str) -> None:
    """`arith.bitcast` of one that is not has no answer."""
    values = {_made_up(("A0", (k,)), FloatType(name)) for k in range(200)}
    assert len(values) > 10
    assert values <= set(SMALL[name].values)
