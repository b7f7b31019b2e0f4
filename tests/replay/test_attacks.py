"""Certificates that an attacker makes: steps that are each plausible, about programs that differ."""

from __future__ import annotations

from typing import Any

import pytest
from tests.elements.test_prove import op_lines, scalar

from hecv.base.term import Term, TermPool
from hecv.certificate.errors import Rejected
from hecv.certificate.format import Aligned, Elements, Form, FunctionProof, Identity, Inputs, Options, Proof, Theorems
from hecv.certificate.rows import made, rows_from
from hecv.certificate.terms import TermProof, term_proof_from
from hecv.certificate.theorems import TheoremsProof, theorems_data
from hecv.frontend.mlir import parse, read_pair
from hecv.replay.aligned import given_terms
from hecv.replay.elements import replay_elements
from hecv.replay.solver import Solver
from hecv.replaying import Pair, check_function
from hecv.smt.obligations import Questions

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


# Exact integers that are out of range


def _of_indices(result: str) -> str:
    """`x * 2**62 * 2` as a value, or another; and what gives the checker its operators."""
    return f"""
        func.func @f(%x: index, %O: memref<4xindex>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c3 = arith.constant 3 : index
          %h = arith.constant 4611686018427387904 : index
          %p = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%x]
          %q = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%x]
          %a = arith.addi %x, %x : index
          memref.store %p, %O[%c0] : memref<4xindex>
          memref.store %q, %O[%c1] : memref<4xindex>
          memref.store %a, %O[%c3] : memref<4xindex>
          %m = arith.muli %x, %h : index
          %n = arith.muli %m, %c2 : index
          memref.store {result}, %O[%c2] : memref<4xindex>
          return
        }}
    """


def _ring(*rows: Row) -> dict[str, Any]:
    """That the last row is the one before it, or the root that its operands name."""
    *terms, roots = rows
    return {"claim": "equal", "by": "ring", "rows": terms, "roots": roots}


def test_an_exact_integer_of_the_certificate_may_be_out_of_range() -> None:
    """`4 * 2**62` has the bits of 0, but an eighth of it is `2**61`: were the two one value, `x * 2**61` would be 0."""
    source, target = _of_indices("%n"), _of_indices("%c0")
    pool = TermPool()
    given = given_terms(pool, read_pair((parse(source, "s"), parse(target, "t")), ("f", "f"), pool, 64))
    x = next(k for k, t in enumerate(given) if t.op == "arg")
    n = len(given)

    def number(value: int) -> Row:
        return ["const", "index", [["value", value]], []]

    four, eighth = [["constant", 0], ["coefficients", [4]]], [["divisor", 8]]
    terms = [
        number(1 << 62),
        number(0),
        ["affine.linear", "index", four, [n]],
        ["arith.addi", "index", [], [n + 2, n + 1]],
        ["affine.floordiv", "index", eighth, [n + 1]],
        ["affine.floordiv", "index", eighth, [n + 2]],
        number(1 << 61),
        number(4),
        ["arith.muli", "index", [], [x, n + 6]],
        ["arith.muli", "index", [], [x, n + 1]],
    ]
    leaves = [["leaf", "index", [["number", k], ["proper", True]], []] for k in (0, 1)]

    def times(one: int, other: int) -> Row:
        return ["arith.muli", "index", [], [one, other]]

    plus = ["arith.addi", "index", [], [1, 2]]
    parts = [["affine.floordiv", "index", eighth, [k]] for k in (3, 1)]
    lemmas = [
        _ring(*leaves, number(0), plus, *parts, times(0, 4), times(0, 5), [6, 7]),
        _ring(
            leaves[0],
            number(1 << 62),
            number(2),
            number(1 << 61),
            number(4),
            times(0, 1),
            times(5, 2),
            times(0, 3),
            times(7, 4),
            [6, 8],
        ),
        _ring(leaves[0], number(0), number(4), times(0, 1), times(3, 2), [4, 1]),
        _ring(leaves[0], number(0), times(0, 1), [2, 1]),
    ]
    folds = [["fold", n + k] for k in (2, 3, 4, 5)]
    steps = [*folds, ["lemma", 0, x, n + 2], *[["lemma", k, x] for k in (1, 2, 3)]]
    proof = Aligned(term_proof_from({"terms": terms, "lemmas": lemmas, "steps": steps}))
    refused(source, target, proof, "18446744073709551616 is no value of type index")


def _of_bits(what: str, result: str) -> str:
    """A value of `what`, beside operators on exact integers that have nothing to do with it."""
    return f"""
        func.func @f(%x: index, %O: memref<4xindex>, %B: memref<1xi1>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %p = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%x]
          %q = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%x]
          memref.store %p, %O[%c0] : memref<4xindex>
          memref.store %q, %O[%c1] : memref<4xindex>
          {what}
          {result}
          return
        }}
    """


FOUR, EIGHTH = [["constant", 0], ["coefficients", [4]]], [["divisor", 8]]
ANY = ["leaf", "index", [["number", 0], ["proper", True]], []]


def _index(value: int) -> Row:
    return ["const", "index", [["value", value]], []]


def _times(one: int, other: int) -> Row:
    return ["arith.muli", "index", [], [one, other]]


def _by_solver(*rows: Row) -> dict[str, Any]:
    """That the two rows which the last one names are equal, as Z3 shows."""
    *terms, roots = rows
    found = made(TermPool(), rows_from(terms))
    text = Questions().equal(*[found[k] for k in roots])
    return {"claim": "equal", "by": "smt", "rows": terms, "roots": roots, "text": text}


def _given(source: str, target: str) -> tuple[Term, ...]:
    pool = TermPool()
    return given_terms(pool, read_pair((parse(source, "s"), parse(target, "t")), ("f", "f"), pool, 64))


def test_an_exact_integer_out_of_range_is_no_literal() -> None:
    """`x * 0` has the bits of `4 * 2**62`. Were these the literal `2**64`, it would not be 0."""
    what = """
        %t = arith.muli %x, %c0 : index
        %e = arith.cmpi eq, %t, %c0 : index
        %f = arith.constant false
        memref.store %t, %O[%c2] : memref<4xindex>
    """
    source, target = (_of_bits(what, f"memref.store {v}, %B[%c0] : memref<1xi1>") for v in ("%e", "%f"))
    given = _given(source, target)
    x = next(k for k, t in enumerate(given) if t.op == "arg")
    e = next(k for k, t in enumerate(given) if t.op == "arith.cmpi" and t.args[0].op == "arith.muli")
    n = len(given)
    terms = [_index(1 << 62), ["affine.linear", "index", FOUR, [n]]]
    lemma = _by_solver(ANY, _index(0), _times(0, 1), _index(1 << 62), ["affine.linear", "index", FOUR, [3]], [2, 4])
    steps = [["lemma", 0, x], ["fold", n + 1], ["fold", e]]
    proof = Aligned(term_proof_from({"terms": terms, "lemmas": [lemma], "steps": steps}))
    refused(source, target, proof, "18446744073709551616 is no value of type index")


def test_bits_of_an_exact_integer_do_not_say_which_it_is() -> None:
    """`4 * 2**62` has the bits of 0. Were it 0, an eighth of it would be 0, and `x * 2**61` would be `x * 0`."""
    what = """
        %h = arith.constant 2305843009213693952 : index
        %t = arith.muli %x, %h : index
    """
    source, target = (_of_bits(what, f"memref.store {v}, %O[%c2] : memref<4xindex>") for v in ("%t", "%c0"))
    given = _given(source, target)
    x, n = next(k for k, t in enumerate(given) if t.op == "arg"), len(given)
    terms = [
        _index(1 << 62),
        ["affine.linear", "index", FOUR, [n]],
        ["affine.floordiv", "index", EIGHTH, [n + 1]],
    ]
    linear, part = ["affine.linear", "index", FOUR, [1]], ["affine.floordiv", "index", EIGHTH, [2]]
    lemmas = [
        _by_solver(_index(0), _index(1 << 62), linear, [0, 2]),
        _by_solver(ANY, _index(1 << 62), linear, part, _index(1 << 61), _times(0, 3), _times(0, 4), [5, 6]),
        _ring(ANY, _index(0), _times(0, 1), [1, 2]),
    ]
    steps = [["lemma", 0], ["fold", n + 2], ["lemma", 1, x], ["lemma", 2, x]]
    proof = Aligned(term_proof_from({"terms": terms, "lemmas": lemmas, "steps": steps}))
    refused(source, target, proof, "an operand is not known to be a literal")


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
    ],
)
def test_a_flag_on_an_infinity_within_a_sum(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    def text(lines: tuple[str, ...]) -> str:
        body = op_lines(*[line.removesuffix(" ninf") for line in lines])
        flagged = any(line.endswith(" ninf") for line in lines)
        return scalar(body.replace("%x, %inf :", "%x, %inf fastmath<ninf> :") if flagged else body)

    pool = TermPool()
    both = read_pair((parse(text(source), "s"), parse(text(target), "t")), ("f", "f"), pool)
    with pytest.raises(Rejected, match="of an infinity may be poison"):
        replay_elements(pool, both, 1, 64)


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


@pytest.mark.parametrize("proof", EMPTY, ids=lambda p: type(p).__name__.lower())
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_constant(2), _constant(3)),
        (_returned("%m"), _returned("%n")),
        (_moved("%a", "%b"), _moved("%b", "%a")),
    ],
    ids=["constants", "returned", "swapped"],
)
def test_a_proof_that_tells_nothing(source: str, target: str, proof: Proof) -> None:
    refused(source, target, proof, options=Options(floats="real") if isinstance(proof, Elements) else None)
