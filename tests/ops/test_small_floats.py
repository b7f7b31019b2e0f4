"""Floats of 8 bits: the interpreter, Z3 and MLIR's execution against `ml_dtypes`."""

from __future__ import annotations

import math
from itertools import pairwise, product
from random import Random

import ml_dtypes
import numpy as np
import pytest
import z3

from hecv.base.term import TermPool
from hecv.base.theory import FloatSort, Variable
from hecv.base.types import FloatType
from hecv.base.value import Buffer, Scalar
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import parse, read_function
from hecv.ops import OPERATORS
from hecv.ops.fastmath_flags import FloatMode
from hecv.run.evaluation.softfloat import FORMATS, SMALL, from_bits, round_to, to_bits
from hecv.run.interpreter.interpreter import Excluded, Finished, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run, run_many
from hecv.smt.term_encoding import Operand
from hecv.smt.z3_theory import FORMATS as SORTS
from hecv.smt.z3_theory import Translator

NAMES = sorted(SMALL)
BINARY = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide}


def dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name.replace("f8E", "float8_e").lower()))


def numbers(name: str) -> np.ndarray:
    return np.arange(256, dtype=np.uint8).view(dtype(name))


def computing(op: str, name: str) -> str:
    return f"func.func @f(%a: {name}, %b: {name}) -> {name} {{\n%r = {op} %a, %b : {name}\nreturn %r : {name}\n}}"


def same(first: Scalar, second: float) -> bool:
    return repr(first) == repr(float(second)) or (first != first and second != second)


@pytest.mark.parametrize("name", NAMES)
def test_each_code_is_its_number(name: str) -> None:
    for code, value in enumerate(numbers(name).astype(np.float64)):
        assert same(from_bits(code, name), value), code
        if value == value:
            assert to_bits(float(value), name) == code
    assert math.isnan(from_bits(to_bits(math.nan, name), name))
    finite = numbers(name).astype(np.float64)
    assert FORMATS[name].greatest == max(v for v in finite if math.isfinite(v))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_rounded_once(name: str) -> None:
    random = Random(4)
    finite = sorted({float(v) for v in numbers(name).astype(np.float64) if math.isfinite(v)})
    halves = [(a + b) / 2 for a, b in pairwise(finite)]
    near = [h * (1 + e) for h in halves for e in (-1e-6, 0.0, 1e-6)]
    top = FORMATS[name].greatest
    values = [*near, *(random.uniform(-2, 2) * top for _ in range(300)), math.inf, -math.inf, math.nan, -0.0, 1e-30]
    with np.errstate(all="ignore"):
        expected = np.array(values).astype(np.float32).astype(dtype(name)).astype(np.float64)
    for value, rounded in zip(np.array(values).astype(np.float32).astype(np.float64), expected, strict=True):
        assert same(round_to(float(value), name, "to_nearest_even"), rounded), value


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", BINARY)
def test_all_pairs(name: str, op: str) -> None:
    program = compile(read_function(parse(computing(op, name), "f.mlir"), "f", TermPool(), True))
    all_ = numbers(name)
    with np.errstate(all="ignore"):
        expected = BINARY[op](all_[:, None], all_[None, :]).astype(np.float64)
    values = [float(v) for v in all_.astype(np.float64)]
    step = 1 if op in ("arith.addf", "arith.mulf") else 7
    for (i, a), (j, b) in product(list(enumerate(values))[::step], enumerate(values)):
        end = program.run((a, b))
        assert isinstance(end, Finished)
        assert same(end.results[0], expected[i, j]), (a, b)


OPS = [
    *(f"%r = {op} %a, %b : {{0}}" for op in BINARY),
    "%r = arith.negf %a : {0}",
    "%r = arith.maximumf %a, %b : {0}",
    "%c = arith.cmpf olt, %a, %b : {0}\n%r = arith.select %c, %a, %b : {0}",
    "%w = arith.extf %a : {0} to f32\n%v = arith.addf %w, %w : f32\n%r = arith.truncf %v : f32 to {0}",
    "%w = arith.extf %a : {0} to f64\n%v = arith.mulf %w, %w : f64\n%r = arith.truncf %v : f64 to {0}",
    "%r = arith.sitofp %n : i32 to {0}",
    "%k = arith.constant 1.5 : {0}\n%r = arith.mulf %k, %a : {0}",
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ops", OPS, ids=range(len(OPS)))
def test_the_jit_computes_the_same(name: str, ops: str) -> None:
    text = f"func.func @f(%a: {name}, %b: {name}, %n: i32) -> {name} {{\n{ops.format(name)}\nreturn %r : {name}\n}}"
    found = read_function(parse(text, "f.mlir"), "f", TermPool(), True)
    program, random = compile(found), Random(5)
    given = [
        (random.choice(SMALL[name].values), random.choice(SMALL[name].values), random.randrange(300)) for _ in range(64)
    ]
    outcomes = run_many(text, "f", given, [a.type for a in found.arguments], [m.element for m in found.results])
    for arguments, other in zip(given, outcomes, strict=True):
        own = program.run(arguments)
        if isinstance(own, Excluded) and "copysign" in ops:
            assert any(a != a for a in arguments)
            continue
        assert isinstance(own, Finished) and isinstance(other, Ran), (own, other)
        assert same(own.results[0], other.results[0]), arguments


def test_numbers_in_memory() -> None:
    text = (
        "func.func @f(%A: memref<4xf8E4M3FN>, %B: memref<4xf32>) {\naffine.for %i = 0 to 4 {\n"
        "%x = affine.load %A[%i] : memref<4xf8E4M3FN>\n%y = arith.extf %x : f8E4M3FN to f32\n"
        "affine.store %y, %B[%i] : memref<4xf32>\n%z = arith.addf %x, %x : f8E4M3FN\n"
        "affine.store %z, %A[%i] : memref<4xf8E4M3FN>\n}\nreturn\n}"
    )
    found = read_function(parse(text, "f.mlir"), "f", TermPool(), True)
    given = (Buffer((4,), [1.5, -0.0, math.nan, 448.0]), Buffer((4,), [0.0] * 4))
    own = compile(found).run(given)
    other = run(text, "f", given, [a.type for a in found.arguments], [])
    assert isinstance(own, Finished) and isinstance(other, Ran), (own, other)
    assert repr(own.arguments) == repr(other.arguments)
    assert repr(own.arguments[0]) == repr(Buffer((4,), [3.0, -0.0, math.nan, math.nan]))


@pytest.mark.parametrize("name", [n for n in NAMES if n in SORTS])
def test_z3_computes_the_same(name: str) -> None:
    translator, random = Translator(), Random(6)
    sort = FloatSort(name)
    operands = (Variable(sort, "x"), Variable(sort, "y"))
    for op in BINARY:
        value = OPERATORS[op].outcome(operands, sort).value
        program = compile(read_function(parse(computing(op, name), "f.mlir"), "f", TermPool(), True))
        for _ in range(40):
            a, b = random.choice(SMALL[name].values), random.choice(SMALL[name].values)
            given = {n: Operand(translator.literal(v, sort), translator.false) for n, v in (("x", a), ("y", b))}
            made = translator.translate(value, given)
            end = program.run((a, b))
            assert isinstance(end, Finished)
            expected = translator.literal(float(end.results[0]), sort)  # type: ignore[arg-type]
            assert z3.is_true(z3.simplify(made == expected)), (op, a, b)


def verdict(source: str, target: str, floats: FloatMode = "strict") -> str:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30, switches=Switches(floats=floats)))
    assert found.functions, found.diagnostics
    return found.functions[0].verdict


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_verdicts(name: str) -> None:
    source = computing("arith.addf", name)
    exchanged = source.replace("%a, %b :", "%b, %a :")
    assert verdict(source, exchanged) == "equivalent"
    assert verdict(source, computing("arith.subf", name)) == "not-equivalent"
    assert verdict(source, exchanged, "reassoc") == "unknown"


def test_laws_of_ieee_do_not_reach_formats_without_its_zeros() -> None:
    for name in NAMES:
        twice = (
            f"func.func @f(%a: {name}) -> {name} {{\n%k = arith.constant 0.0 : {name}\n"
            f"%n = arith.subf %k, %a : {name}\n%r = arith.subf %k, %n : {name}\nreturn %r : {name}\n}}"
        )
        whole = f"func.func @f(%a: {name}) -> {name} {{\nreturn %a : {name}\n}}"
        # 0 - (0 - a) is a but for -0, which not all have; infinities, of which the same holds, are no matter.
        expected = ("not-equivalent",) if FORMATS[name].minus_zero else ("unknown", "equivalent")
        assert verdict(twice, whole) in expected, name


def test_formats_without_infinities_are_no_sorts_of_z3() -> None:
    assert {n for n in NAMES if n not in SORTS} == {n for n in NAMES if not FORMATS[n].infinite}
    assert all(FloatType(n).small for n in NAMES) and not FloatType("f32").small


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_all_inputs_are_run(name: str) -> None:
    """An addition is one in f32, rounded: Z3 tells for formats that are IEEE-754's, runs on all inputs for others."""
    wide = f"%x = arith.extf %a : {name} to f32\n%y = arith.extf %b : {name} to f32\n%z = arith.addf %x, %y : f32\n"
    source = computing("arith.addf", name)
    emulated = source.replace("%r = ", f"{wide}%r = ").replace("arith.addf %a, %b :", "arith.truncf %z : f32 to")
    assert verdict(source, emulated) == "equivalent"
    shorter = emulated.replace(
        "%z = arith.addf %x, %y : f32", "%s = arith.addf %x, %y : f32\n%z = arith.addf %s, %s : f32"
    )
    assert verdict(source, shorter) == "not-equivalent"


def test_a_function_with_a_choice_is_not_settled_by_runs() -> None:
    name = "f8E4M3FN"
    exchanged = computing("arith.maxnumf", name).replace("%a, %b :", "%b, %a :")
    assert verdict(computing("arith.maxnumf", name), exchanged) == "equivalent"  # each op may give either zero
    once = computing("arith.subf", name).replace("%a, %b :", "%s, %t :")
    line = next(part for part in once.splitlines() if "arith.subf" in part)
    made = (("s", "%a, %b"), ("t", "%a, %b"), ("t", "%b, %a"))
    first, same, other = (f"%{result} = arith.maxnumf {operands} : {name}\n" for result, operands in made)
    source, target = (once.replace(line, first + second + line) for second in (same, other))
    assert verdict(source, target) == "unknown"


VECTORS = [
    *(f"%r = {op} %v, %u : {{1}}" for op in BINARY),
    "%c = arith.cmpf olt, %v, %u : {1}\n%r = arith.select %c, %v, %u : vector<4xi1>, {1}",
    "%w = arith.extf %v : {1} to vector<4xf32>\n%s = arith.mulf %w, %w : vector<4xf32>\n"
    "%r = arith.truncf %s : vector<4xf32> to {1}",
    "%k = arith.constant dense<1.5> : {1}\n%r = arith.mulf %k, %v : {1}",
    "%s = vector.reduction <add>, %v : {1} into {0}\n%t = vector.reduction <maximumf>, %u, %s : {1} into {0}\n"
    "%r = vector.broadcast %t : {0} to {1}",
    "%e = vector.extract %v[2] : {0} from {1}\n%i = vector.insert %e, %u [1] : {0} into {1}\n"
    "%r = vector.shuffle %i, %v [0, 5, 1, 2] : {1}, {1}",
    "%m = memref.alloc() : memref<6x{0}>\n%z = arith.constant 0 : index\n%o = arith.constant 1 : index\n"
    "vector.store %v, %m[%z] : memref<6x{0}>, {1}\nvector.store %u, %m[%o] : memref<6x{0}>, {1}\n"
    "%x = vector.load %m[%z] : memref<6x{0}>, {1}\n%r = arith.subf %x, %v : {1}",
    "%r = arith.maxnumf %v, %u : {1}",
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ops", VECTORS, ids=range(len(VECTORS)))
def test_vectors_by_the_jit(name: str, ops: str) -> None:
    kind = f"vector<4x{name}>"
    text = f"func.func @f(%v: {kind}, %u: {kind}) -> {kind} {{\n{ops.format(name, kind)}\nreturn %r : {kind}\n}}"
    found = read_function(parse(text, "f.mlir"), "f", TermPool(), True)
    assert found.known
    program, random = compile(found), Random(7)
    given = [
        (
            *(Buffer((4,), [random.choice(SMALL[name].values) for _ in range(4)]) for _ in range(2)),
            Buffer((4,), [0.0] * 4),
        )
        for _ in range(24)
    ]
    outcomes = run_many(text, "f", given, [a.type for a in found.arguments], [])
    for arguments, other in zip(given, outcomes, strict=True):
        own = program.run(arguments)
        assert isinstance(own, Finished) and isinstance(other, Ran), (own, other)
        ends = [end.arguments[2] for end in (own, other)]
        assert isinstance(ends[0], Buffer) and isinstance(ends[1], Buffer)
        assert all(same(a, float(b)) for a, b in zip(ends[0].data, ends[1].data, strict=True)), arguments  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["vector<4xf8E4M3FN>", "tensor<4xf8E4M3FN>"])
def test_vectors_and_tensors_are_proved_and_refuted(kind: str) -> None:
    text = f"func.func @f(%v: {kind}, %u: {kind}) -> {kind} {{\n%r = arith.addf %v, %u : {kind}\nreturn %r : {kind}\n}}"
    verdicts = []
    for other in (text.replace("%v, %u :", "%u, %v :"), text.replace("addf", "subf")):
        found = check(text, other, ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0]
        verdicts.append((found.verdict, found.counterexample and found.counterexample.engines))
    assert verdicts == [("equivalent", None), ("not-equivalent", ("interpreter", "jit"))]


MATH = [
    *(f"%r = math.{op} %a : {{0}}" for op in ("absf", "sqrt", "floor", "ceil", "round", "roundeven", "trunc", "exp")),
    "%r = math.fma %a, %b, %a : {0}",
    "%r = math.copysign %a, %b : {0}",
    "%r = arith.remf %a, %b : {0}",
    "%r = math.powf %a, %b : {0}",
    "%c = math.isfinite %a : {0}\n%r = arith.select %c, %b, %a : {0}",
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ops", MATH, ids=range(len(MATH)))
def test_the_jit_computes_the_same_functions(name: str, ops: str) -> None:
    test_the_jit_computes_the_same(name, ops)
