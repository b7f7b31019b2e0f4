"""Certificates of comparisons of two terms: each means of proof, and what is not written down."""

from __future__ import annotations

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType, IntType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from hecv.kernel.certificate.term_format import RefinementProof, UseLaw, UseLemma, refinement_data, refinement_from
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.prove.terms.scalar_cert import certify_refinement

pytestmark = pytest.mark.egraph

I32, F32 = IntType(32), FloatType("f32")
BOTH, FORWARD = Refinement(True, True, True), Refinement(True, True, False)
POOL = TermPool()


def leaf(number: int, kind: IntType | FloatType = I32) -> Term:
    return POOL.make("leaf", (), kind, (("number", number),))


def op(name: str, *args: Term, **attrs: str) -> Term:
    return POOL.make(f"arith.{name}", args, args[0].type, tuple(attrs.items()))


X, Y, A, B = leaf(7), leaf(3), leaf(1, F32), leaf(2, F32)
THREE, ZERO = (POOL.integer(n, I32) for n in (3, 0))


def certified(source: Term, target: Term, wanted: Refinement, strict: bool = True) -> RefinementProof:
    """A proof that is accepted, after it was data."""
    proof = refinement_from(refinement_data(certify_refinement(POOL, source, target, wanted, 64, strict)))
    found = check_refinement(POOL, source, target, proof, Solver(), 64, strict)
    assert found[0] and found[1:] >= (wanted.defined, wanted.converse)
    return proof


def test_operands_the_other_way_round_need_no_step() -> None:
    assert certified(op("addi", X, Y), op("addi", Y, X), BOTH).values.steps == ()


def test_polynomials_are_lemmas_without_text() -> None:
    square = op("muli", op("addi", X, Y), op("subi", X, Y))
    proof = certified(square, op("subi", op("muli", X, X), op("muli", Y, Y)), BOTH)
    assert [lemma.by for lemma in proof.values.lemmas] == ["ring"]


def test_orders_of_what_is_compared_are_lemmas_without_text() -> None:
    less = POOL.make("arith.cmpi", (X, Y), IntType(1), (("predicate", "slt"),))
    proof = certified(POOL.make("arith.select", (less, X, Y), I32), op("minsi", Y, X), BOTH)
    assert {lemma.by for lemma in proof.values.lemmas} <= {"ring"}


def test_what_z3_shows_is_a_lemma_with_its_question() -> None:
    proof = certified(op("shrui", op("shli", X, THREE), THREE), op("andi", X, POOL.integer((1 << 29) - 1, I32)), BOTH)
    assert isinstance(proof.values.steps[0], UseLemma)
    assert "bvlshr" in proof.values.lemmas[0].text


def test_floats_are_shown_by_laws_with_their_substitutions() -> None:
    proof = certified(op("divf", op("negf", A), op("negf", B)), op("divf", A, B), BOTH)
    assert [s.law for s in proof.values.steps if isinstance(s, UseLaw)] == ["divf-negations"]


def test_floats_that_may_be_rounded_otherwise_are_equal_by_their_operands_alone() -> None:
    certified(op("addf", A, B), op("addf", B, A), BOTH, strict=False)
    proof = certified(op("divf", op("negf", A), op("negf", B)), op("divf", A, B), BOTH)
    with pytest.raises(Rejected, match="rounded otherwise"):
        check_refinement(
            POOL, op("divf", op("negf", A), op("negf", B)), op("divf", A, B), proof, Solver(), 64, strict=False
        )


def test_a_flag_less_is_shown_one_way() -> None:
    certified(op("addi", X, Y, overflow="nsw"), op("addi", X, Y), FORWARD)
    with pytest.raises(Uncertified):
        certified(op("addi", X, Y), op("addi", X, Y, overflow="nsw"), FORWARD)


def test_what_may_be_undefined_has_an_obligation() -> None:
    proof = certified(op("divsi", op("addi", X, ZERO), Y), op("divsi", X, Y), BOTH)
    assert proof.forward.undefined is not None and "bvadd" in proof.forward.undefined.text
    with pytest.raises(Uncertified):
        certified(X, op("subi", op("addi", X, op("divsi", X, Y)), op("divsi", X, Y)), FORWARD)


def test_what_is_not_equal_has_none() -> None:
    with pytest.raises(Uncertified):
        certified(op("addi", X, Y), op("subi", X, Y), FORWARD)
