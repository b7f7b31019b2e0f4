"""Functions of few bits on all inputs: what a run proves, and where it says nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from struct import pack, unpack

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_pair
from hecv.prove.exhaustive_runs import Arguments, Exhausted, run_all
from hecv.run.evaluation.libm_functions import BINARY, INSTANCES, UNARY, library_name


def ran(kind: str, source: str, target: str, arguments: str = "%x: T, %y: T") -> Exhausted | Arguments | None:
    """What running both on all inputs shows; the bodies end with `%r` of the type `T`."""
    texts = [
        f"func.func @f({arguments}) -> T {{\n{b}\n  return %r : T\n}}".replace("T", kind) for b in (source, target)
    ]
    first, second = parse(texts[0], "s.mlir"), parse(texts[1], "t.mlir")
    functions = read_pair((first, second), ("f", "f"), TermPool())
    return run_all(functions, 64)


ADD = "%r = arith.addi %x, %y : T"
COUNT = 1 << 8


def test_all_inputs_are_run() -> None:
    found = ran("i4", ADD, "%a = arith.xori %x, %y : T\n%b = arith.andi %x, %y : T\n%r = arith.addi %a, %b : T")
    assert found == (1, 1)
    doubled = "%a = arith.xori %x, %y : T\n%b = arith.andi %x, %y : T\n%c = arith.addi %b, %b : T\n"
    assert ran("i4", ADD, doubled + "%r = arith.addi %a, %c : T") == Exhausted(COUNT, True)


@pytest.mark.parametrize("value", [0, 7, 14, 15])
def test_one_input_that_differs_is_found(value: int) -> None:
    rare = f"""%v = arith.constant {value} : T
    %p = arith.cmpi eq, %x, %v : T
    %q = arith.cmpi eq, %y, %v : T
    %b = arith.andi %p, %q : i1
    %s = arith.addi %x, %y : T
    %r = arith.select %b, %v, %s : T"""
    expected = (value, value) if value else Exhausted(COUNT, True)
    assert ran("i4", ADD, rare) == expected


POISON = "%r = arith.addi %x, %y overflow<nuw> : T"
TRAP = "%q = arith.divui %x, %y : T\n%r = arith.addi %x, %y : T"


@pytest.mark.parametrize("less_defined", [POISON, TRAP], ids=["poison", "undefined"])
def test_what_is_less_defined_is_refined(less_defined: str) -> None:
    assert ran("i4", less_defined, ADD) == Exhausted(COUNT, False)
    assert isinstance(ran("i4", ADD, less_defined), tuple)
    assert ran("i4", less_defined, less_defined) == Exhausted(COUNT, True)


SUM = "%r = arith.addf %x, %y : T"


def test_floats_of_few_bits() -> None:
    doubled, negated = "%r = arith.addf %x, %x : T", "%n = arith.negf %x : T\n%r = arith.subf %x, %n : T"
    assert ran("f8E4M3FN", doubled, negated, "%x: T") == Exhausted(255, True)
    assert ran("f8E4M3FN", doubled, "%r = arith.mulf %x, %x : T", "%x: T") == (2.0**-9,)


EXP = "%w = arith.extf %x : T to f32\n%e = math.exp %w : f32\n%r = arith.truncf %e : f32 to T"
SILENT = {
    "a-licence": ("f8E4M3FN", SUM, SUM.replace(" :", " fastmath<reassoc> :")),
    "a-choice": ("f8E4M3FN", "%r = arith.maxnumf %x, %y : T", "%r = arith.maxnumf %x, %y : T"),
    "a-function-of-which-one-is-run": ("f8E4M3FN", EXP, EXP),
    "bits-of-a-nan": (
        "f8E5M2",
        "%b = arith.bitcast %x : T to i8\n%c = arith.addi %b, %b : i8\n%r = arith.bitcast %c : i8 to T",
        "%b = arith.bitcast %x : T to i8\n%c = arith.addi %b, %b : i8\n%r = arith.bitcast %c : i8 to T",
    ),
    "too-many-inputs": ("i9", ADD, ADD),
    "an-endless-loop": ("i4", f"{ADD.replace('%r', '%z')}\nLOOP", f"{ADD.replace('%r', '%z')}\nLOOP"),
}
LOOP = """%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (T) {
    %t = arith.addi %s, %y : T
    scf.yield %t : T
  }"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SILENT)
def test_where_runs_do_not_tell(name: str) -> None:
    kind, source, target = SILENT[name]
    assert ran(kind, source.replace("LOOP", LOOP), target.replace("LOOP", LOOP)) is None


@pytest.mark.parametrize("argument", ["%m: memref<1xi1>", "%m: i32", "%m: index", "%m: f16"])
def test_arguments_of_many_values_are_not_run(argument: str) -> None:
    assert ran("i1", ADD, ADD, f"%x: T, %y: T, {argument}") is None


def test_recursion_is_not_run() -> None:
    """Also where it ends: what is called may have ops that leave a choice, which are not looked at."""
    call = "%c = func.call @f(%y, %x) : (T, T) -> T\n%r = arith.addi %x, %y : T"
    assert ran("i1", call, call) is None
    ends = """%no = arith.constant false
      %r = scf.if %x -> T {
        %c = func.call @f(%no, %y) : (T, T) -> T
        scf.yield %c : T
      } else {
        scf.yield %y : T
      }"""
    assert ran("i1", ends, ends) is None


CLEARED = """func.func @f(%a: i4) -> i4 {
  %z = arith.constant 0 : i4
  %s = arith.constant 1 : i4
  %r:2 = scf.while (%i = %a, %n = %z) : (i4, i4) -> (i4, i4) {
    %c = arith.cmpi ne, %i, %z : i4
    scf.condition(%c) %i, %n : i4, i4
  } do {
  ^bb0(%i: i4, %n: i4):
    %d = arith.subi %i, %s : i4
    %j = arith.andi %i, %d : i4
    %e = arith.muli %n, %n : i4
    %m = arith.STEP %e, %i : i4
    scf.yield %j, %m : i4, i4
  }
  return %r#1 : i4
}"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(3))
def test_one_input_that_differs_is_a_counterexample(seed: int) -> None:
    """Of 16 inputs it is that 6 leaves 0 or 8; inputs that are drawn may be all others."""
    texts = [CLEARED.replace("STEP", op) for op in ("xori", "addi")]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(seed=seed))
    assert report.verdict == "not-equivalent"


# Functions without inputs


def decided(source: str, target: str, kind: str) -> str | None:
    """What shows the pair, or the verdict if that is no proof; the bodies end with `%r` of the type `kind`."""
    texts = [f"{MAP}func.func @f() -> {kind} {{\n{b}\n  return %r : {kind}\n}}" for b in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(recording=True))
    assert not report.internal, report.diagnostics
    (found,) = report.functions
    assert found.uncertified is None
    return found.prover if found.verdict in ("equivalent", "refines") else found.verdict


MAP = "#id = affine_map<(d0) -> (d0)>\n"
LIST = "arith.constant dense<[{}]> : tensor<4x{}>"
EACH = """%x = {0}
%e = tensor.empty() : tensor<4x{2}>
%r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
    ins(%x : tensor<4x{1}>) outs(%e : tensor<4x{2}>) {{
^bb0(%a: {1}, %o: {2}):
  {3}
  linalg.yield %y : {2}
}} -> tensor<4x{2}>"""
TOTAL = """%x = {0}
%z = arith.constant dense<0> : tensor<i32>
%r = linalg.reduce {{ arith.addi }} ins(%x : tensor<4xi32>) outs(%z : tensor<i32>) dimensions = [0]"""


@pytest.mark.parametrize(
    ("op", "given", "made", "numbers", "expected", "wrong"),
    [
        ("%y = arith.muli %a, %a : i32", "i32", "i32", "1, -2, 5, 3", "1, 4, 25, 9", "1, 4, 25, 8"),
        ("%y = arith.extf %a : f32 to f64", "f32", "f64", "1.0, -0.0, 0.1, 2.5", None, "1.0, 0.0, 0.1, 2.5"),
        ("%y = arith.sitofp %a : i32 to f32", "i32", "f32", "1, -2, 16777217, 3", "1.0, -2.0, 16777216.0, 3.0", None),
        ("%y = arith.trunci %a : i32 to i8", "i32", "i8", "1, 255, 256, 300", "1, -1, 0, 44", "1, -1, 0, 45"),
    ],
)
def test_one_run_is_all(op: str, given: str, made: str, numbers: str, expected: str | None, wrong: str | None) -> None:
    source = EACH.format(LIST.format(numbers, given), given, made, op)
    expected = expected or "1.0, -0.0, 0.10000000149011612, 2.5"
    assert decided(source, f"%r = {LIST.format(expected, made)}", f"tensor<4x{made}>") == "exhaustive-runs"
    if wrong is not None:
        assert decided(source, f"%r = {LIST.format(wrong, made)}", f"tensor<4x{made}>") == "not-equivalent"


def test_a_sum_is_one_run() -> None:
    source, target = TOTAL.format(LIST.format("1, 2, 3, 4", "i32")), "%r = arith.constant dense<{}> : tensor<i32>"
    assert decided(source, target.format(10), "tensor<i32>") not in ("unknown", "not-equivalent")
    assert decided(source, target.format(11), "tensor<i32>") == "not-equivalent"


OPEN = {
    "the sign of a zero": "%y = arith.maxnumf %a, %n : f32",
    "fast math": "%y = arith.addf %a, %n fastmath<fast> : f32",
    "a power that is multiplied": "%p = arith.constant 9 : i32\n%y = math.fpowi %a, %p : f32, i32",
    "an element that was never written": "%y = arith.addf %a, %o : f32",
}


@pytest.mark.parametrize("why", OPEN)
def test_one_run_says_nothing_of_what_is_left_open(why: str) -> None:
    """Nor do runs prove that it is the number that they show."""
    zeros = LIST.format("0.0, 0.0, 0.0, 0.0", "f32")
    source = "%n = arith.constant -0.0 : f32\n" + EACH.format(zeros, "f32", "f32", OPEN[why])
    for number in ("0.0", "-0.0"):
        target = f"%r = arith.constant dense<{number}> : tensor<4xf32>"
        assert decided(source, target, "tensor<4xf32>") != "exhaustive-runs"


FOLDED = {
    "log2": ("f32", "4.0", "2.0", "1.0"),
    "exp": ("f32", "2.0", "7.3890562", "7.3890557"),
    "erf": ("f64", "0.0", "0.0", "-0.0"),
    "tanh": ("f64", "1.0", "0.76159415595576485", "0.76159415595576474"),
}


@pytest.mark.parametrize("name", FOLDED)
def test_functions_of_constants_are_those_of_the_library(name: str) -> None:
    """Which is an assumption: no standard says what they are to the last bit."""
    kind, number, made, other = FOLDED[name]
    source = f"%x = arith.constant {number} : {kind}\n%r = math.{name} %x : {kind}"
    targets = [f"%r = arith.constant {n} : {kind}" for n in (made, other)]
    assert [decided(source, t, kind) for t in targets] == ["exhaustive-runs", "not-equivalent"]
    texts = [f"func.func @f() -> {kind} {{\n{b}\n  return %r : {kind}\n}}" for b in (source, targets[0])]
    (found,) = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options()).functions
    assert [a.id for a in found.assumptions] == ["library-constants"]
    assert f"what {library_name()} computes on this machine: math.{name}" in found.assumptions[0].text


def test_mlir_folds_by_the_library_that_is_assumed() -> None:
    """What `library-constants` says: to the last bit."""
    wanted, texts = dict[str, float](), list[str]()
    for name in (n for n in (*UNARY, *BINARY) if n != "cbrt"):  # which is not folded
        for kind, number in product(("f32", "f64"), (0.1875, 0.7, 1.3, 2.6)):
            x = number if kind == "f64" else unpack("f", pack("f", number))[0]
            x = x + 1.0 if name == "acosh" else x / 4.0 if name in ("acos", "asin", "atanh") else x
            x = x if kind == "f64" else unpack("f", pack("f", x))[0]
            operands = [x, x] if name in BINARY else [x]
            key = f"{name}_{kind}_{len(wanted)}"
            wanted[key] = INSTANCES[f"{name}_{kind}"](*operands)
            bits = f"0x{pack('>d', x).hex()}" if kind == "f64" else f"0x{pack('>f', x).hex()}"
            op = "math.powf" if name == "pow" else f"math.{name}"
            texts.append(
                f"func.func @{key}() -> {kind} {{\n%x = arith.constant {bits} : {kind}\n"
                f"%r = {op} {', '.join(['%x'] * len(operands))} : {kind}\nreturn %r : {kind}\n}}"
            )
    tool = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    assert tool is not None
    text = subprocess.run([tool, "-canonicalize"], input="\n".join(texts), capture_output=True, text=True).stdout
    found = dict(re.findall(r"@(\w+)\(\) -> f(?:32|64) \{\s*%\w+ = arith.constant (\S+) :", text))
    assert found.keys() == wanted.keys() and "math." not in text
    for key, value in wanted.items():
        number = float(found[key])
        assert (unpack("f", pack("f", number))[0] if "_f32_" in key else number) == value, key


def test_functions_of_narrow_constants_stay_open() -> None:
    source = "%x = arith.constant 4.0 : f16\n%r = math.log2 %x : f16"
    assert decided(source, "%r = arith.constant 2.0 : f16", "f16") != "exhaustive-runs"


def test_a_function_that_is_never_defined_is_no_run() -> None:
    source = "%z = arith.constant 0 : i32\n%o = arith.constant 1 : i32\n%r = arith.divui %o, %z : i32"
    assert decided(source, "%r = arith.constant 7 : i32", "i32") != "exhaustive-runs"


def test_inputs_are_no_single_run() -> None:
    texts = ["func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}"] * 2
    functions = read_pair((parse(texts[0], "s"), parse(texts[1], "t")), ("f", "f"), TermPool())
    assert run_all(functions, 64) is None
