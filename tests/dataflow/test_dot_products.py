"""Dot products and other sums of what is computed by lanes, of which a mask or padding switches some off."""

from __future__ import annotations

from itertools import product

import pytest

from hecv.base.term import TermPool, literal
from hecv.base.types import FloatType, IntType
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.dataflow.reductions.constant_terms import FLOATS, INTEGERS, computed
from hecv.ops.fastmath_flags import FloatMode
from hecv.run.evaluation.op_evaluation import Evaluator

LEAST = "-2147483648"


def _verdict(source: str, target: str, fp: FloatMode = "strict") -> str:
    options = Options(switches=Switches(floats=fp))
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def _loop(kind: str = "i32", add: str = "addi", mul: str = "muli", zero: str = "0") -> str:
    return f"""
func.func @f(%A: memref<?x{kind}>, %B: memref<?x{kind}>, %n: index) -> {kind} {{
  %z = arith.constant {zero} : {kind}
  %r = affine.for %i = 0 to %n iter_args(%a = %z) -> {kind} {{
    %x = affine.load %A[%i] : memref<?x{kind}>
    %y = affine.load %B[%i] : memref<?x{kind}>
    %p = arith.{mul} %x, %y : {kind}
    %s = arith.{add} %a, %p : {kind}
    affine.yield %s : {kind}
  }}
  return %r : {kind}
}}"""


MASKS = {
    "create_mask": "%m = vector.create_mask %rest : vector<8xi1>",
    "one lane less": "%m = vector.create_mask %less : vector<8xi1>",
    "lanes below n": "%m = arith.cmpi slt, %at, %ns : vector<8xindex>",
    "lanes up to n": "%m = arith.cmpi sle, %at, %ns : vector<8xindex>",
    "literal lanes": """%rs = vector.broadcast %rest : index to vector<8xindex>
    %m = arith.cmpi sgt, %rs, %literal : vector<8xindex>""",
}


def _lanes(
    kind: str = "i32",
    add: str = "addi",
    mul: str = "muli",
    fold: str = "add",
    zero: str = "0",
    pads: tuple[str, str] = ("0", "0"),
    mask: str = "create_mask",
    step: int = 8,
    also: str = "",
) -> str:
    """The same by 8 lanes; those beyond `%n` have the values of `pads`."""
    vector, memref = f"vector<8x{kind}>", f"memref<?x{kind}>"
    return f"""
func.func @f(%A: {memref}, %B: {memref}, %n: index) -> {kind} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {step} : index
  %one = arith.constant 1 : index
  %z = arith.constant dense<{zero}> : {vector}
  %u = arith.constant dense<{pads[0]}> : {vector}
  %v = arith.constant dense<{pads[1]}> : {vector}
  %lane = vector.step : vector<8xindex>
  %literal = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
  %ns = vector.broadcast %n : index to vector<8xindex>
  %r = scf.for %i = %c0 to %n step %step iter_args(%a = %z) -> {vector} {{
    %rest = arith.subi %n, %i : index
    %less = arith.subi %rest, %one : index
    %is = vector.broadcast %i : index to vector<8xindex>
    %at = arith.addi %is, %lane : vector<8xindex>
    {MASKS[mask]}
    %x = vector.maskedload %A[%i], %m, %u : {memref}, vector<8xi1>, {vector} into {vector}
    %y = vector.maskedload %B[%i], %m, %v : {memref}, vector<8xi1>, {vector} into {vector}
    %p = arith.{mul} %x, %y : {vector}
    {also}
    %s = arith.{add} %a, %p : {vector}
    scf.yield %s : {vector}
  }}
  %t = vector.reduction <{fold}>, %r : {vector} into {kind}
  return %t : {kind}
}}"""


@pytest.mark.parametrize("mask", ["create_mask", "lanes below n", "literal lanes"])
def test_a_dot_product_by_lanes(mask: str) -> None:
    assert _verdict(_loop(), _lanes(mask=mask)) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "target",
    [
        _lanes(mask="one lane less"),
        _lanes(mask="lanes up to n", pads=("1", "0")),
        _lanes(pads=("1", "1")),
        _lanes(step=4),
        _lanes(step=16),
        _lanes(zero="1"),
    ],
    ids=["a lane less", "a lane more", "a pad of 1", "lanes twice", "lanes left out", "another start"],
)
def test_a_wrong_dot_product_is_refuted(target: str) -> None:
    assert _verdict(_loop(), target) == "not-equivalent"


def test_one_zero_will_do_where_the_other_factor_is_no_poison() -> None:
    assert _verdict(_loop(), _lanes(pads=("1", "0"))) == "equivalent"
    assert _verdict(_loop(), _lanes(pads=("0", "7"))) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("add", "mul", "fold", "zero", "pads", "wrong"),
    [
        ("muli", "muli", "mul", "1", ("1", "1"), ("1", "0")),
        ("maxsi", "addi", "maxsi", LEAST, (LEAST, "0"), ("0", "0")),
        ("minui", "ori", "minui", "-1", ("-1", "0"), ("0", "0")),
        ("addi", "maxsi", "add", "0", ("0", "-1"), ("0", "1")),
    ],
)
def test_lanes_that_are_off_hold_what_changes_nothing(
    add: str, mul: str, fold: str, zero: str, pads: tuple[str, str], wrong: tuple[str, str]
) -> None:
    source = _loop(add=add, mul=mul, zero=zero)
    assert _verdict(source, _lanes(add=add, mul=mul, fold=fold, zero=zero, pads=pads)) == "equivalent"
    assert _verdict(source, _lanes(add=add, mul=mul, fold=fold, zero=zero, pads=wrong)) == "not-equivalent"


@pytest.mark.one_in(2)
def test_a_selection_by_a_mask_is_a_branch_for_each_lane() -> None:
    also = "%q = arith.select %m, %p, {} : vector<8xi1>, vector<8xi32>"
    for mask in ("create_mask", "lanes below n"):
        target = _lanes(mask=mask, pads=("1", "1"), also=also.format("%z")).replace("%a, %p", "%a, %q")
        assert _verdict(_loop(), target) == "equivalent"
        target = _lanes(mask=mask, pads=("1", "1"), also=also.format("%u")).replace("%a, %p", "%a, %q")
        assert _verdict(_loop(), target) == "not-equivalent"


@pytest.mark.one_in(2)
def test_a_lane_that_is_off_may_keep_its_sum() -> None:
    """What it adds is then of no interest, and what it adds where it is on is not lost."""
    added = "%s = arith.addi %a, %p : vector<8xi32>"
    kept = "%k = arith.addi %a, %p : vector<8xi32>\n    %s = arith.select %m, %k, {} : vector<8xi1>, vector<8xi32>"
    for mask in ("create_mask", "lanes below n"):
        target = _lanes(mask=mask, pads=("1", "1"))
        assert added in target
        assert _verdict(_loop(), target.replace(added, kept.format("%a"))) == "equivalent"
        assert _verdict(_loop(), target.replace(added, kept.format("%z"))) == "not-equivalent"


def _two(last: str = "%v#0, %v#1") -> str:
    """Two vectors of sums, for even and odd blocks."""
    half = """
    %rest{0} = arith.subi %n, %i{0} : index
    %m{0} = vector.create_mask %rest{0} : vector<8xi1>
    %x{0} = vector.maskedload %A[%i{0}], %m{0}, %z : memref<?xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    %y{0} = vector.maskedload %B[%i{0}], %m{0}, %z : memref<?xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    %p{0} = arith.muli %x{0}, %y{0} : vector<8xi32>
    %s{0} = arith.addi %a{0}, %p{0} : vector<8xi32>"""
    return f"""
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) -> i32 {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant dense<0> : vector<8xi32>
  %v:2 = scf.for %i0 = %c0 to %n step %c16 iter_args(%a0 = %z, %a1 = %z) -> (vector<8xi32>, vector<8xi32>) {{
    %i1 = arith.addi %i0, %c8 : index
    {half.format(0)}
    {half.format(1)}
    scf.yield %s0, %s1 : vector<8xi32>, vector<8xi32>
  }}
  %w = arith.addi {last} : vector<8xi32>
  %r = vector.reduction <add>, %w : vector<8xi32> into i32
  return %r : i32
}}"""


def _epilogue(start: str = "%t", lower: str = "%main") -> str:
    """Whole blocks by lanes, what is left element by element."""
    return f"""
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %z = arith.constant dense<0> : vector<8xi32>
  %rest = arith.remui %n, %c8 : index
  %main = arith.subi %n, %rest : index
  %v = scf.for %i = %c0 to %main step %c8 iter_args(%a = %z) -> (vector<8xi32>) {{
    %x = vector.load %A[%i] : memref<?xi32>, vector<8xi32>
    %y = vector.load %B[%i] : memref<?xi32>, vector<8xi32>
    %p = arith.muli %x, %y : vector<8xi32>
    %s = arith.addi %a, %p : vector<8xi32>
    scf.yield %s : vector<8xi32>
  }}
  %t = vector.reduction <add>, %v : vector<8xi32> into i32
  %r = scf.for %i = {lower} to %n step %c1 iter_args(%a = {start}) -> (i32) {{
    %x = memref.load %A[%i] : memref<?xi32>
    %y = memref.load %B[%i] : memref<?xi32>
    %p = arith.muli %x, %y : i32
    %s = arith.addi %a, %p : i32
    scf.yield %s : i32
  }}
  return %r : i32
}}"""


@pytest.mark.one_in(2)
def test_two_vectors_of_sums() -> None:
    assert _verdict(_loop(), _two()) == "equivalent"
    assert _verdict(_loop(), _two("%v#0, %v#0")) == "not-equivalent"
    assert _verdict(_loop(), _two("%v#0, %z")) == "not-equivalent"


def test_whole_blocks_and_what_is_left() -> None:
    options = Options(assume=("n >= 0",))
    found = check(_loop(), _epilogue(), ("source.mlir", "target.mlir"), options).functions[0].verdict
    assert found == "equivalent"
    assert _verdict(_loop(), _epilogue(start="%zero")) == "not-equivalent"
    assert _verdict(_loop(), _epilogue(lower="%c0")) == "not-equivalent"


def _floats(zero: str = "0.0", pads: tuple[str, str] = ("0.0", "0.0")) -> str:
    return _lanes("f32", "addf", "mulf", "add", zero, pads)


@pytest.mark.one_in(6)
def test_floats_need_a_licence() -> None:
    source = _loop("f32", "addf", "mulf", "0.0")
    assert _verdict(source, _floats()) == "not-equivalent"
    assert _verdict(source, _floats(), "reassoc") == "equivalent"
    assert _verdict(source, _floats(pads=("1.0", "1.0")), "reassoc") == "not-equivalent"


@pytest.mark.one_in(2)
def test_a_product_that_is_a_positive_zero_counts() -> None:
    """`-0 + 0 * 0` is `+0`, and `-0 + 0 * -0` is `-0`."""
    source = _loop("f32", "addf", "mulf", "-0.0")
    assert _verdict(source, _floats("-0.0"), "reassoc") == "not-equivalent"
    assert _verdict(source, _floats("-0.0", ("0.0", "-0.0")), "reassoc") == "equivalent"


LITERALS = (0, 1, 2, 7, 64, 127, 128, 200, 255)


FLAGGED = [
    (op, flags)
    for op in ("arith.addi", "arith.subi", "arith.muli", "arith.trunci")
    for flags in ("nsw", "nuw", "nsw,nuw")
]


@pytest.mark.parametrize(("op", "flags"), [*((op, None) for op in sorted(INTEGERS)), *FLAGGED])
def test_integers_are_what_a_run_computes(op: str, flags: str | None) -> None:
    pool, run = TermPool(), Evaluator()
    unary = op in ("arith.extsi", "arith.extui", "arith.trunci", "math.absi")
    wide = {"arith.extsi": 16, "arith.extui": 16, "arith.trunci": 4}.get(op, 8)
    attributes = (("overflow", flags),) if flags else ()
    for values in product(LITERALS, repeat=1 if unary else 2):
        operands = [pool.integer(v, IntType(8)) for v in values]
        term = pool.make(op, tuple(operands), IntType(wide), attributes)
        found = computed(pool, term, operands, "strict")
        assert flags or found is not None
        assert found is None or literal(found) == run(term, values)


@pytest.mark.parametrize("op", sorted(FLOATS))
def test_floats_are_what_a_run_computes(op: str) -> None:
    pool, run, kind = TermPool(), Evaluator(), FloatType("f32")
    values = (0.0, -0.0, 1.0, -1.0, 2.0, 1e-30, float("inf"))
    unary = op not in ("arith.addf", "arith.subf", "arith.mulf")
    for chosen in product(values, repeat=1 if unary else 2):
        operands = [pool.real(v, kind) for v in chosen]
        term = pool.make(op, tuple(operands), kind)
        found = computed(pool, term, operands, "real")
        assert found is None or repr(literal(found)) == repr(run(term, chosen))
        small = all(abs(v) <= 1 and v != 1e-30 for v in chosen)
        assert small or found is None


def test_a_zero_that_may_have_any_sign_is_none() -> None:
    pool, kind = TermPool(), FloatType("f32")
    zeros = [pool.real(0.0, kind)] * 2
    loose = pool.make("arith.mulf", tuple(zeros), kind, (("fastmath", "nsz"),))
    assert computed(pool, loose, zeros, "reassoc") is None
    assert computed(pool, loose, zeros, "real") is not None
    small = [pool.real(0.0, FloatType("f8E4M3FNUZ"))] * 2
    assert computed(pool, pool.make("arith.mulf", tuple(small), small[0].type), small, "reassoc") is None
