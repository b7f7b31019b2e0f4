"""Complex numbers: what each op computes, against MLIR's execution, and verdicts on them."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar, Value
from hecv.check import Options, check
from hecv.mlir.aggregates.complex_ops import HANDLERS
from hecv.mlir.importer import read_function
from hecv.run.interpreter.interpreter import Excluded, Finished, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run_many

from .running import parsed

TWO = ("add", "sub", "mul", "div", "pow", "atan2", "eq", "neq")
REAL = {"abs": "{0}", "angle": "{0}", "eq": "i1", "neq": "i1"}
SPECIAL = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan)
OPS = sorted(name.removeprefix("complex.") for name in HANDLERS)


def function(op: str, kind: str) -> str:
    """A function of two numbers and a real that computes one op."""
    number = f"complex<{kind}>"
    result = REAL.get(op, number).format(kind)
    match op:
        case "create":
            text = f"%r = complex.create %x, %x : {number}"
        case "constant":
            text = f"%r = complex.constant [1.5 : {kind}, -0.0 : {kind}] : {number}"
        case "re" | "im":
            result, text = kind, f"%r = complex.{op} %a : {number}"
        case "powi":
            text = f"%r = complex.powi %a, %i : {number}, i32"
        case _:
            args = "%a, %b" if op in TWO else "%a"
            types = ", ".join([number] * len(args.split()))
            text = f'%r = "complex.{op}"({args}) : ({types}) -> {result}'
    arguments = f"%a: {number}, %b: {number}, %x: {kind}, %i: i32"
    return f"func.func @f({arguments}) -> {result} {{\n{text}\nreturn %r : {result}\n}}"


def inputs(result: Value | None) -> list[tuple[Value, ...]]:
    """Pairs of special numbers, and others."""
    random = Random(1)
    parts = [
        *product(SPECIAL, repeat=2),
        *((random.randrange(-40, 40) / 8, random.randrange(-99, 99) / 64) for _ in range(20)),
    ]
    pairs = [(a, random.choice(parts)) for a in parts]
    rest = () if result is None else (result,)
    return [(Buffer((2,), [*a]), Buffer((2,), [*b]), b[0], random.randrange(4), *rest) for a, b in pairs]


def shown(values: tuple[Scalar | Value, ...]) -> str:
    """Values up to the sign of NaN."""
    flat = [x for v in values for x in (v.data if isinstance(v, Buffer) else [v])]
    return repr(flat)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("op", OPS)
def test_each_op_computes_what_mlir_does(op: str, kind: str) -> None:
    text = function(op, kind)
    found = read_function(parsed(text), "f", TermPool(), True)
    assert found.known
    scalar = bool(found.results)
    given = inputs(None if scalar else Buffer((2,), [0.0, 0.0]))
    program = compile(found)
    own = [program.run(arguments) for arguments in given]
    # A function of the C library may differ from run to run of nothing: both call the same one.
    outcomes = run_many(text, "f", given, [a.type for a in found.arguments], [m.element for m in found.results])
    finished = 0
    for first, second, arguments in zip(own, outcomes, given, strict=True):
        if isinstance(first, Excluded):
            continue
        assert isinstance(first, Finished) and isinstance(second, Ran), (first, second)
        finished += 1
        ends = [f.results if scalar else f.arguments[-1:] for f in (first, second)]
        assert shown(ends[0]) == shown(ends[1]), arguments
    assert finished > 20


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "conj", "neg", "abs", "eq"])
def test_plain_ops_compute_what_python_does(op: str) -> None:
    found = read_function(parsed(function(op, "f64")), "f", TermPool(), True)
    random = Random(2)
    for _ in range(20):
        a, b = (complex(random.randrange(-40, 40) / 8, random.randrange(1, 40) / 8) for _ in range(2))
        expected = {"conj": a.conjugate(), "neg": -a, "abs": abs(a), "eq": int(a == b)}.get(op)
        if expected is None:
            expected = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}[op]
        numbers = [Buffer((2,), [z.real, z.imag]) for z in (a, b)]
        more = [] if found.results else [Buffer((2,), [0.0, 0.0])]
        end = compile(found).run([*numbers, 1.0, 2, *more])
        assert isinstance(end, Finished)
        made = end.results[0] if found.results else complex(*end.arguments[-1].data)  # type: ignore[union-attr, arg-type]
        assert made == pytest.approx(expected, rel=1e-14)


def verdict(source: str, target: str) -> str:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0].verdict


def body(*ops: str, result: str = "%r") -> str:
    number = "complex<f32>"
    lines = [f"func.func @f(%a: {number}, %b: {number}, %A: memref<4x{number}>, %i: index) -> {number} {{"]
    return "\n".join([*lines, *ops, f"return {result} : {number} }}"])


def test_laws_that_hold_and_that_do_not() -> None:
    number = ": complex<f32>"
    product_ = body(f"%r = complex.mul %a, %b {number}")
    assert verdict(body(f"%r = complex.add %a, %b {number}"), body(f"%r = complex.add %b, %a {number}")) == "equivalent"
    assert verdict(product_, body(f"%r = complex.sub %a, %b {number}")) == "not-equivalent"
    twice = body(f"%c = complex.conj %a {number}", f"%r = complex.conj %c {number}")
    assert verdict(twice, body(result="%a")) == "equivalent"
    once = body(f"%r = complex.conj %a {number}")
    assert verdict(once, body(f"%r = complex.neg %a {number}")) == "not-equivalent"
    parts = (f"%x = complex.re %a {number}", f"%y = complex.im %a {number}")
    assert verdict(body(result="%a"), body(*parts, f"%r = complex.create %x, %y {number}")) == "equivalent"
    assert verdict(body(result="%a"), body(*parts, f"%r = complex.create %y, %x {number}")) == "not-equivalent"


def test_numbers_in_memory() -> None:
    kind = "memref<4xcomplex<f32>>"
    source = body(f"memref.store %a, %A[%i] : {kind}", f"%r = memref.load %A[%i] : {kind}")
    assert verdict(source, body(f"memref.store %a, %A[%i] : {kind}", result="%a")) == "equivalent"
    assert verdict(source, body(result="%a")) == "not-equivalent"
    moved = body(f"%r = memref.load %A[%i] : {kind}", f"memref.store %a, %A[%i] : {kind}")
    assert verdict(source, moved) == "not-equivalent"


def test_what_carries_numbers() -> None:
    text = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%r = scf.for %k = %c0 to %i step %c1 iter_args(%s = %a) -> complex<f32> {",
        "%t = complex.mul %s, %b : complex<f32>",
        "%z = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>",
        "%c = complex.eq %t, %z : complex<f32>",
        "%v = arith.select %c, %s, %t : complex<f32>",
        "scf.yield %v : complex<f32> }",
    ]
    changed = [line.replace("%c, %s, %t", "%c, %t, %s") for line in text]
    exchanged = [line.replace("%t, %z : c", "%z, %t : c") for line in text]
    assert verdict(body(*text), body(*exchanged)) == "equivalent"
    assert verdict(body(*text), body(*changed)) == "not-equivalent"


def test_what_is_not_read_by_element_is_a_function() -> None:
    def text(op: str) -> str:
        return (
            f"func.func @f(%x: complex<f32>, %y: complex<f32>) -> i64 {{\n%z = complex.{op} %x, %y : complex<f32>\n"
            "%r = complex.bitcast %z : complex<f32> to i64\nreturn %r : i64\n}"
        )

    assert verdict(text("add"), text("add")) == "equivalent"
    assert verdict(text("add"), text("sub")) == "unknown"


def test_the_dimension_of_a_memref_of_numbers() -> None:
    text = (
        "func.func @f(%A: memref<?xcomplex<f32>>) -> index {{\n%c = arith.constant {} : index\n"
        "%n = memref.dim %A, %c : memref<?xcomplex<f32>>\nreturn %n : index\n}}"
    )
    assert verdict(text.format(0), text.format(0)) == "equivalent"
    assert verdict(text.format(0), text.format(1)) == "unknown"


@pytest.mark.parametrize("op", [op for op in OPS if op not in ("create", "constant", "re", "im", "eq", "neq")])
@pytest.mark.parametrize("flag", ["nnan", "ninf", "nsz"])
def test_what_a_flag_says_of_numbers_is_read_or_refused(op: str, flag: str) -> None:
    """MLIR's lowering of `conj` drops its flags."""
    plain = function(op, "f32")
    said = plain.replace(") : (", f") {{fastmath = #arith.fastmath<{flag}>}} : (").replace(
        ", %i :", f", %i fastmath<{flag}> :"
    )
    assert said != plain
    try:
        read = read_function(parsed(said), "f", TermPool(), by_element=True)
    except Unsupported as problem:
        assert op == "conj" and "drops" in problem.text
    else:
        assert op != "conj" and any(("fastmath", flag) in t.attrs for t in read.terms)


@pytest.mark.parametrize(
    ("op", "forth", "back"), [("neg", "not-equivalent", "refines"), ("conj", "unknown", "unknown")]
)
def test_a_target_that_says_more_of_numbers(op: str, forth: str, back: str) -> None:
    head, end = "func.func @f(%a: complex<f32>) -> complex<f32>", "return %r : complex<f32>"
    plain = f"{head} {{\n%r = complex.{op} %a : complex<f32>\n{end}\n}}"
    said = plain.replace(f"complex.{op} %a :", f"complex.{op} %a fastmath<nnan> :")
    for source, target, verdict in ((plain, said, forth), (said, plain, back)):
        assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == verdict
