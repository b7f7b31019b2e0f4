"""Certificates that an attacker makes: steps that are each plausible, about programs that differ."""

from __future__ import annotations

from typing import Any

import pytest
from tests.elements.test_prove import op_lines, scalar

from hecv.base.term import TermPool
from hecv.kernel.certificate.file_format import (
    Aligned,
    Elements,
    Form,
    FunctionProof,
    Identity,
    Inputs,
    Options,
    Proof,
    Theorems,
)
from hecv.kernel.certificate.loop_theorem_format import TheoremsProof, theorems_data
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import TermProof
from hecv.kernel.reals.elementwise_check import replay_elements
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse, read_pair
from hecv.replaying import Pair, check_function

Row = list[Any]


def refused(source: str, target: str, proof: Proof, why: str = "", options: Options | None = None) -> None:
    modules = parse(source, "source.mlir"), parse(target, "target.mlir")
    claim = FunctionProof("f", "f", "refines", proof)
    with pytest.raises(Rejected, match=why or None):
        check_function(Pair(modules, ("f", "f"), ()), claim, options or Options(), Solver())


# Sums over `iN` that wrap


def _two_stores(first: int, second: int) -> str:
    """`A[x] = a` and `A[x + 100 + 100 + 56] = b`, which is the same element, in this order."""
    stores = (
        "%i = arith.index_cast %x : i8 to index\nmemref.store %a, %A[%i] : memref<?xi32>\n",
        """%c = arith.constant 100 : i8
           %d = arith.constant 56 : i8
           %y = arith.addi %x, %c : i8
           %z = arith.addi %y, %c : i8
           %w = arith.addi %z, %d : i8
           %j = arith.index_cast %w : i8 to index
           memref.store %b, %A[%j] : memref<?xi32>
        """,
    )
    body = stores[first] + stores[second]
    return f"func.func @f(%A: memref<?xi32>, %x: i8, %a: i32, %b: i32) {{\n{body}return\n}}\n"


def test_sums_that_wrap_are_not_apart() -> None:
    """Read as exact, `x` and `x + 256` are two iterations; modulo 256 they are one."""
    number, plain = [["number", 1]], "arith.addi"
    terms: list[Row] = [
        ["arg", "i8", number, []],
        ["const", "i8", [["value", 100]], []],
        ["const", "i8", [["value", 56]], []],
        [plain, "i8", [], [0, 1]],
        [plain, "i8", [], [3, 1]],
        [plain, "i8", [], [4, 2]],
        ["arg", "i32", [["number", 2]], []],
        ["arg", "i32", [["number", 3]], []],
        ["iv", "i8", [["depth", 0]], []],
        ["arith.index_cast", "index", [], [8]],
    ]
    stores = [["store", [0, False], [[9], [value]], []] for value in (6, 7)]
    parts = [[[0], ["i8"]], [[1], ["i8"]]]
    copies = [["copy", 0, [0]], ["copy", 1, [5]]]
    equation = [0, None, [], ["schedules", parts, copies, copies[::-1], True]]
    data = {"terms": terms, "statements": stores, "equations": [equation], "equal": []}
    refused(_two_stores(0, 1), _two_stores(1, 0), Theorems(data), "'in-type' does not hold")


# Infinities that make poison


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            ("a = arith.addf x inf", "b = arith.addf a y", "r = math.exp b"),
            ("a = arith.addf x inf ninf", "b = arith.addf a y", "r = math.exp b"),
        ),
        (
            ("a = arith.addf x inf", "r = math.exp a"),
            ("a = arith.addf x inf ninf", "r = math.exp a"),
        ),
        (
            ("a = arith.maximumf x inf", "r = arith.addf a y"),
            ("a = arith.maximumf x inf ninf", "r = arith.addf a y"),
        ),
    ],
)
def test_a_flag_on_an_infinity(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    def text(lines: tuple[str, ...]) -> str:
        body = op_lines(*[line.removesuffix(" ninf") for line in lines])
        flagged = any(line.endswith(" ninf") for line in lines)
        return scalar(body.replace("%x, %inf :", "%x, %inf fastmath<ninf> :") if flagged else body)

    pool = TermPool()
    both = read_pair((parse(text(source), "s"), parse(text(target), "t")), ("f", "f"), pool)
    with pytest.raises(Rejected, match="of an infinity may be poison"):
        replay_elements(pool, both, 1, 64)


# Literals that stand for other numbers


def test_two_literals_that_stand_for_one_number() -> None:
    """Both are 1/3 to within what rounding leaves of it: one of them was not meant to be it, and a run tells them
    apart."""
    text = scalar("  %k = arith.constant LITERAL : f32\n  %r = arith.mulf %x, %k : f32")
    third, other, three = (text.replace("LITERAL", literal) for literal in ("0.333333343", "0.333333313", "3.0"))
    divided = three.replace("mulf", "divf")
    options = Options(floats="real")
    modules = parse(third, "source.mlir"), parse(divided, "target.mlir")
    claim = FunctionProof("f", "f", "refines", Elements(1))
    check_function(Pair(modules, ("f", "f"), ()), claim, options, Solver())
    refused(third, other, Elements(1), "two literals of f32 stand for 1/3", options)


# What has no value, or is asserted, where the source has one

PARTIAL = {
    **{name: f"a = math.{name} x" for name in ("sqrt", "rsqrt", "log", "log2", "log10", "log1p", "tan")},
    **{name: f"a = math.{name} x" for name in ("asin", "acos", "acosh", "atanh")},
    "a root, as a power": "a = math.powf x half",
    "a root below, as a power": "a = math.powf x lessened",
    "a power below": "a = math.powf x below",
    "a quotient": "a = arith.divf y x",
}
POWERS = "".join(
    f"  %{name} = arith.constant {value} : f32\n"
    for name, value in {"half": "0.5", "lessened": "-0.5", "below": "-2.0"}.items()
)


@pytest.mark.parametrize("name", PARTIAL)
def test_what_the_source_need_not_have_a_value_of(name: str) -> None:
    """It is taken away again, so that the numbers are equal wherever there are any."""
    lines = PARTIAL[name], "b = arith.addf y a", "r = arith.subf b a"
    plain = scalar(op_lines("r = arith.addf y zero"))
    partial = scalar(POWERS + op_lines(*lines))
    modules = parse(partial, "source.mlir"), parse(plain, "target.mlir")
    claim = FunctionProof("f", "f", "refines", Elements(1))
    check_function(Pair(modules, ("f", "f"), ()), claim, Options(floats="real"), Solver())
    refused(plain, partial, Elements(1), "may have no value where the source has one", Options(floats="real"))


ELSEWHERE = {
    "a root of a quotient whose divisor may be negative": (
        ("q = arith.mulf x x", "a = arith.divf q y"),
        ("q = arith.mulf x x", "d = arith.divf q y", "a = math.sqrt d"),
    ),
    "a logarithm of a square, which may be zero": (
        ("a = arith.mulf x x",),
        ("q = arith.mulf x x", "a = math.log q"),
    ),
    "a product of which one factor is not zero": (
        ("a = arith.divf y x",),
        ("m = arith.mulf x y", "a = arith.divf x m"),
    ),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_the_source_has_a_value_of_says_less(name: str) -> None:
    ends = "b = arith.subf a a", "r = arith.addf y b"
    source, target = (scalar(op_lines(*lines, *ends)) for lines in ELSEWHERE[name])
    refused(source, target, Elements(1), "may have no value where the source has one", Options(floats="real"))


def test_an_assertion_that_the_source_does_not_make() -> None:
    asserted = '  %p = arith.cmpf ogt, %x, %zero : f32\n  cf.assert %p, "positive"\n'
    plain = op_lines("r = arith.addf y zero")
    modules = parse(scalar(asserted + plain), "source.mlir"), parse(scalar(plain), "target.mlir")
    claim = FunctionProof("f", "f", "refines", Elements(1))
    check_function(Pair(modules, ("f", "f"), ()), claim, Options(floats="real"), Solver())
    why = "may have no value where the source has one"
    refused(scalar(plain), scalar(asserted + plain), Elements(1), why, Options(floats="real"))


# Loops that race


def test_a_race_that_one_order_does_not_show() -> None:
    """The last iteration writes last in the order of the loop: nothing else is seen where it is unfolded."""
    moved = "%v = affine.load %B[%i] : memref<2xf32>\naffine.store %v, %A[0] : memref<1xf32>"
    ordered, racing = (
        f"func.func @f(%A: memref<1xf32>, %B: memref<2xf32>) {{\n{head} {{\n{moved}\n}}\nreturn\n}}"
        for head in ("affine.for %i = 0 to 2", "affine.parallel (%i) = (0) to (2)")
    )
    modules = parse(ordered, "source.mlir"), parse(ordered, "target.mlir")
    claim = FunctionProof("f", "f", "refines", Elements(1))
    check_function(Pair(modules, ("f", "f"), ()), claim, Options(floats="real"), Solver())
    refused(ordered, racing, Elements(1), "no run is seen to finish", Options(floats="real"))


# Proofs that tell nothing


NOTHING = TermProof()
EMPTY: list[Proof] = [
    Identity(),
    Form(),
    Aligned(NOTHING),
    Theorems(theorems_data(TheoremsProof((), (), (), ()))),
    Inputs(0),
    Inputs(1),
    Elements(1),
]


def _constant(value: int) -> str:
    return f"""
        memref.global "private" constant @a : memref<2xi32> = dense<[1, {value}]>
        func.func @f(%i: index) -> i32 {{
          %g = memref.get_global @a : memref<2xi32>
          %r = memref.load %g[%i] : memref<2xi32>
          return %r : i32
        }}
    """


def _global(name: str) -> str:
    return f"""
        memref.global @a : memref<2xi32>
        memref.global @b : memref<2xi32>
        func.func @f(%i: index) -> i32 {{
          %g = memref.get_global {name} : memref<2xi32>
          %r = memref.load %g[%i] : memref<2xi32>
          return %r : i32
        }}
    """


def _loop(head: str) -> str:
    return f"""
        func.func @f(%n: i8, %v: i32, %A: memref<256xi32>) {{
          %c0 = arith.constant 0 : i8
          %c1 = arith.constant 1 : i8
          %z = arith.constant 0 : index
          {head} {{
            memref.store %v, %A[%z] : memref<256xi32>
          }}
          return
        }}
    """


LOOP = "scf.for %i = %c0 to %n step %c1 : i8"


def _returned(name: str) -> str:
    return f"""
        func.func @f(%x: i32, %y: i32) -> memref<1xi32> {{
          %z = arith.constant 0 : index
          %m = memref.alloc() : memref<1xi32>
          %n = memref.alloc() : memref<1xi32>
          memref.store %x, %m[%z] : memref<1xi32>
          memref.store %y, %n[%z] : memref<1xi32>
          return {name} : memref<1xi32>
        }}
    """


def _moved(one: str, other: str) -> str:
    return f"""
        func.func @f(%a: memref<4xi32>, %b: memref<4xi32>) {{
          %z = arith.constant 0 : index
          %v = memref.load {one}[%z] : memref<4xi32>
          memref.store %v, {other}[%z] : memref<4xi32>
          return
        }}
    """


@pytest.mark.one_in(2)
@pytest.mark.parametrize("proof", EMPTY, ids=lambda p: type(p).__name__.lower())
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_constant(2), _constant(3)),
        (_global("@a"), _global("@b")),
        (_loop(LOOP), _loop(LOOP.replace("for", "for unsigned"))),
        (_loop("affine.for %i = 0 to 4"), _loop("affine.parallel (%i) = (0) to (4)")),
        (_returned("%m"), _returned("%n")),
        (_moved("%a", "%b"), _moved("%b", "%a")),
    ],
    ids=["constants", "globals", "unsigned", "parallel", "returned", "swapped"],
)
def test_a_proof_that_tells_nothing(source: str, target: str, proof: Proof) -> None:
    refused(source, target, proof, options=Options(floats="real") if isinstance(proof, Elements) else None)
