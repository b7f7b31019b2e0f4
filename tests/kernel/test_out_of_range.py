"""Certificates about integers that are no value of `index`: as bits they are another number than as integers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from tests.kernel.test_attacks import Row, refused

from hecv.base.term import Term, TermPool, rebuild
from hecv.base.types import BOOL, INDEX, IntType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.egraph.programs.program_reduction import Standing
from hecv.egraph.programs.theorem_rounds import Equation as Found
from hecv.kernel.certificate.file_format import Aligned, Theorems
from hecv.kernel.certificate.loop_theorem_format import EqualTerms, TheoremsProof, theorems_data
from hecv.kernel.certificate.term_format import term_proof_from
from hecv.kernel.certificate.term_rows import made, rows_from
from hecv.kernel.loop_theorem_check import forms
from hecv.kernel.statementwise_check import given_terms
from hecv.mlir.importer import parse, read_pair
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, If, Loop
from hecv.prove.loops.statement_rows import TreeRows
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.smt.smtlib import Questions
from hecv.theorems.schedules.schedule_tree import Copy, For, Part, moved
from hecv.theorems.schedules.theorem_instance import Scheduled, Surroundings
from hecv.theorems.transforms import unroll_peel_strip


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


# Literals that are out of range

BEYOND = 1 << 64


def _questions(*rows: Row) -> list[str]:
    """What Z3 is asked of the last two rows, the one against the other and back."""
    *terms, roots = rows
    found = made(TermPool(), rows_from(terms))
    both = [found[k] for k in roots]
    texts = [Questions().refined(*sides) for sides in (both, both[::-1])]
    return [text[2] for text in texts if text is not None]


def _equal(one: int, other: int, *rows: Row) -> Row:
    """That two terms refine each other, as Z3 shows of these rows."""
    forward, backward = ({"undefined": "", "poison": "", "value": text} for text in _questions(*rows))
    values: dict[str, Any] = {"terms": [], "lemmas": [], "steps": []}
    return [one, other, {"values": values, "forward": forward, "backward": backward}]


def _plus(one: int, other: int) -> Row:
    return ["arith.addi", "index", [], [one, other]]


def test_canonical_forms_make_no_literal_out_of_range() -> None:
    """`max(i, 4 * 2**62)` is `4 * 2**62`; were that 0 as an operand, it would be 5 for 5, and `z` would be `5 + z`."""

    def program(result: str) -> str:
        return f"""
            func.func @f(%A: memref<4xindex>, %z: index) {{
              %c0 = arith.constant 0 : index
              %c5 = arith.constant 5 : index
              %r = arith.addi %c5, %z : index
              memref.store %r, %A[%c0] : memref<4xindex>
              memref.store {result}, %A[%c0] : memref<4xindex>
              return
            }}
        """

    most = [["affine.max", "index", [], [3, k]] for k in (6, 0)]
    number = [["iv", "index", [["depth", 0]], []], ["arg", "index", [["number", 1]], []]]
    beyond = [_index(1 << 62), ["affine.linear", "index", FOUR, [5]]]
    sums = [_plus(7, 4), _plus(8, 4), _plus(6, 4), _plus(1, 4)]
    terms = [_index(0), _index(5), _index(6), *number, *beyond, *most, *sums]
    stores = [["store", [0, False], [[0], [k]], []] for k in (9, 10)]
    loop = ["for", "index", [1], [2], 1, [["copy", 0, [3]]]]
    once = [[0, None, [], ["schedules", [[[k], ["index"]]], [loop], [["copy", 0, [1]]], False]] for k in (0, 1)]
    leaves = [["leaf", "index", [["number", k], ["proper", True]], []] for k in (0, 1)]
    extrema = [["affine.max", "index", [], [0, 1]], ["affine.max", "index", [], [3, 0]]]
    maxima = _equal(
        9, 10, leaves[0], _index(BEYOND), extrema[0], _index(0), extrema[1], leaves[1], _plus(2, 5), _plus(4, 5), [6, 7]
    )
    nothing = _equal(11, 4, _index(BEYOND), leaves[0], _plus(0, 1), [2, 1])
    data = {"terms": terms, "statements": stores, "equations": once, "equal": [maxima, nothing]}
    refused(program("%r"), program("%z"), Theorems(data), "no literal of type index")


def test_a_literal_of_code_that_is_not_reached_is_out_of_range() -> None:
    """`4 * 2**62` is a literal of both programs, whose value has no bits: `K + 5` is 5 in these, and `K` is not 0."""

    def program(result: str) -> str:
        return f"""
            func.func @f(%x: index, %B: memref<4xindex>, %b: i1, %C: memref<1xi1>, %y: index) {{
              %c0 = arith.constant 0 : index
              %c1 = arith.constant 1 : index
              %c5 = arith.constant 5 : index
              %h = arith.constant 4611686018427387904 : index
              scf.if %b {{
                %z = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%h]
                %p = arith.addi %z, %c5 : index
                %q = arith.cmpi eq, %p, %c5 : index
                %s = arith.select %q, %x, %y : index
                memref.store %q, %C[%c0] : memref<1xi1>
                memref.store %s, %B[%c0] : memref<4xindex>
              }}
              memref.store {result}, %B[%c1] : memref<4xindex>
              return
            }}
        """

    source, target = program("%x"), program("%y")
    given = _given(source, target)
    numbers = {str(t): k for k, t in reversed(list(enumerate(given)))}
    plus = next(k for k, t in enumerate(given) if t.op == "arith.addi")
    test = next(k for k, t in enumerate(given) if t.op == "arith.cmpi")
    beyond, x, y = numbers[f"const {BEYOND}"], numbers["arg 0"], numbers["arg 4"]

    def equals(one: int, other: int) -> Row:
        return ["arith.cmpi", "i1", [["predicate", "eq"]], [one, other]]

    def chosen(*operands: int) -> Row:
        return ["arith.select", "index", [], [*operands]]

    def bit(value: int) -> Row:
        return ["const", "i1", [["value", value]], []]

    leaves = [["leaf", "index", [["number", k], ["proper", True]], []] for k in range(3)]
    sums = [_index(5), _plus(0, 3), equals(4, 3), _index(0), equals(0, 6), chosen(5, 1, 2), chosen(7, 1, 2)]
    choices = [_by_solver(*leaves[:2], bit(k), chosen(2, 0, 1), [3, 1 - k]) for k in (1, 0)]
    lemmas = [_by_solver(*leaves, *sums, [8, 9]), *choices]
    steps = [["fold", plus], ["fold", test], ["fold", len(given)]]
    steps += [["lemma", 0, beyond, x, y], ["lemma", 1, x, y], ["lemma", 2, x, y]]
    terms = [equals(beyond, numbers["const 0"])]
    proof = Aligned(term_proof_from({"terms": terms, "lemmas": lemmas, "steps": steps}))
    refused(source, target, proof, "an operand is not known to be a literal")


# What branches say of integers that are out of range

GREATEST = (1 << 63) - 1
SMALLER, GREATER = (("predicate", "sle"),), (("predicate", "sge"),)


def _chosen(body: str) -> str:
    """A branch in which a loop may run, or nothing; and what gives the checker its operators."""
    return f"""
        func.func @f(%A: memref<?xi32>, %B: memref<2xi1>, %n: i8, %v: i32, %p: i1, %to: index) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %i = arith.index_cast %n : i8 to index
          %z = arith.constant 0 : i64
          %w = arith.index_cast %to : index to i64
          %s = arith.cmpi sge, %w, %z : i64
          memref.store %s, %B[%c0] : memref<2xi1>
          %k = arith.cmpi sle, %c4, %to : index
          %q = arith.andi %k, %p : i1
          scf.if %q {{
            {body}
            memref.store %p, %B[%c1] : memref<2xi1>
          }}
          return
        }}
    """


RUNS = """
    %m = arith.minsi %i, %c4 : index
    scf.for %j = %c0 to %m step %c1 {
      memref.store %v, %A[%j] : memref<?xi32>
    }
"""


@pytest.mark.parametrize("through", ["a term", "a variable", "a variable that is also in range"])
def test_a_branch_does_not_say_that_an_exact_integer_is_in_range(through: str) -> None:
    """`2**64*n - 1` is at most the greatest index by its bits, and as an integer where `n` is not positive; then the
    loop does not run. It may also be the variable of a loop that runs once, alone or as `5 + i - 2**64*n`."""
    source, target = _chosen(RUNS), _chosen("")
    pool = TermPool()
    both = forms(pool, read_pair((parse(source, "s"), parse(target, "t")), ("f", "f"), pool), ())
    branch, empty = (program[-1] for program in both)
    assert isinstance(branch, If) and isinstance(empty, If)
    n = pool.make("arith.index_cast", (pool.argument(2, IntType(8)),), INDEX)
    lower, upper = (quasi_affine.combine(pool, k, ((n, BEYOND),)) for k in (-1, 0))
    depth, four, variable = int(through != "a term"), pool.integer(4), pool.induction(0, INDEX)
    also = "also" in through
    value = quasi_affine.combine(pool, 5, ((variable, 1), (n, -BEYOND))) if also else four

    def holds(number: Term) -> Term:
        """The condition of the branch, of a number in the place of 4."""
        return rebuild(pool, branch.condition, {four: number}.get, {})

    within = pool.make("arith.cmpi", (variable if depth else lower, pool.integer(GREATEST)), BOOL, SMALLER)
    terms = holds(value), pool.make("arith.andi", (within, holds(value)), BOOL)

    def around(block: Block) -> Block:
        inside = If(0, terms[1], (*block, *moved(pool, empty.then, 0, depth)), ())
        loop = Loop(0, variable, (lower,), (upper,), pool.integer(1), False, (inside,))
        return (loop,) if depth else (inside,)

    (loop,) = moved(pool, branch.then[:1], 0, depth)
    assert isinstance(loop, Loop)
    never = unroll_peel_strip.unroll_fully(pool, Surroundings(depth), loop, 0)
    assert never is not None
    steps = [Found(never.of, Standing(depth, (), around, True))]
    for side in (branch, empty) if depth else ():
        (inner,) = moved(pool, (side,), 0, 1)
        part = Part((replace(inner, condition=holds(variable if also else four)),), (INDEX,))
        runs = For(0, INDEX, (lower,), (upper,), 1, (Copy(0, (value if also else variable,)),))
        once = Scheduled((part,), (Copy(0, (four if also else lower,)),), (runs,), False)
        steps.append(Found(once, Standing(0, (), lambda b: b, False)))
    rows = TreeRows(pool)
    equations = tuple(map(rows.equation, steps))
    proof = certify_refinement(pool, *terms, Refinement(True, True, True), 64)
    equal = EqualTerms(rows.term(terms[0]), rows.term(terms[1]), proof)
    whole = TheoremsProof(tuple(rows.rows), tuple(rows.statements), equations, (equal,))
    refused(source, target, Theorems(theorems_data(whole)), "do not take the same exact integers for bits")


def test_a_variable_of_a_loop_over_words_may_be_out_of_range() -> None:
    """Bounds that are casts of indices are read as these: `-2**64*n - 1` and the next, where that is negative."""
    source, target = _chosen(RUNS), _chosen("")
    pool, long = TermPool(), IntType(64)
    both = forms(pool, read_pair((parse(source, "s"), parse(target, "t")), ("f", "f"), pool), ())
    branch, empty = (program[-1] for program in both)
    assert isinstance(branch, If) and isinstance(empty, If)
    n = pool.make("arith.index_cast", (pool.argument(2, IntType(8)),), INDEX)
    least = quasi_affine.extremum(
        pool, "affine.min", (quasi_affine.combine(pool, -1, ((n, -BEYOND),)), pool.integer(0))
    )
    ends = [quasi_affine.combine(pool, k, ((least, 1),)) for k in range(3)]
    lower, upper = (pool.make("arith.index_cast", (pool.induction(k, INDEX),), long) for k in (0, 1))
    heads = [(INDEX, *ends[:2]), (INDEX, *ends[1:]), (long, lower, upper)]
    within = pool.make("arith.cmpi", (pool.induction(2, long), pool.integer(1 << 63, long)), BOOL, GREATER)
    terms = branch.condition, pool.make("arith.andi", (within, branch.condition), BOOL)

    def around(block: Block) -> Block:
        found: Block = (If(0, terms[1], (*block, *moved(pool, empty.then, 0, 3)), ()),)
        for depth, (kind, low, high) in reversed(list(enumerate(heads))):
            iv, one = pool.induction(depth, kind), pool.integer(1, kind)
            found = (Loop(0, iv, (low,), (high,), one, False, found),)
        return found

    (loop,) = moved(pool, branch.then[:1], 0, 3)
    assert isinstance(loop, Loop)
    never = unroll_peel_strip.unroll_fully(pool, Surroundings(3), loop, 0)
    assert never is not None
    steps = [Found(never.of, Standing(3, (), around, True))]
    for side in (branch, empty):
        runs: Copy | For = Copy(0, ())
        for kind, low, high in reversed(heads):
            runs = For(0, kind, (low,), (high,), 1, (runs,))
        once = Scheduled((Part((side,), ()),), (Copy(0, ()),), (runs,), False)
        steps.append(Found(once, Standing(0, (), lambda b: b, False)))
    rows = TreeRows(pool)
    equations = tuple(map(rows.equation, steps))
    proof = certify_refinement(pool, *terms, Refinement(True, True, True), 64)
    equal = EqualTerms(rows.term(terms[0]), rows.term(terms[1]), proof)
    whole = TheoremsProof(tuple(rows.rows), tuple(rows.statements), equations, (equal,))
    refused(source, target, Theorems(theorems_data(whole)), "do not take the same exact integers for bits")
