"""Certificates about functions with short loops copied out."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from tests.kernel.test_tampering import NAMES, replayed, sealed
from tests.verdict.test_unrolling import BITS, FLAGGED, PAIRS, POWER, SQUARES, TIMES, straight

from hecv.base.term import Term, TermPool
from hecv.check import Options, check, meaning_of
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.kernel.certificate.file_format import Aligned, FunctionProof, Results, Via, digest, render
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_format import Direction, Obligation, RefinementProof, TermProof
from hecv.kernel.certificate.term_rows import canonical
from hecv.kernel.program_changes import FULL_UNROLLING
from hecv.kernel.terms.refinement_check import PROPER
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse, read_pair
from hecv.normal.summaries.full_unrolling import both_unrolled
from hecv.normal.summaries.integer_functions import integer_results
from hecv.ops.facts.poison_conditions import Shapes
from hecv.prove.changed_pair import SWEEP, certify
from hecv.prove.changed_pair import Via as Found
from hecv.prove.dataflow import array_dataflow
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Method, Shown
from hecv.replaying import Pair, certificate_of, check_function
from hecv.smt.term_refinement import suspicious

pytestmark = pytest.mark.egraph

ALL = {
    **PAIRS,
    "bits": (BITS, straight("  %r = math.ctpop %x : i32\n"), straight("  %r = math.ctlz %x : i32\n")),
    "flags": (FLAGGED, straight(TIMES.format(by=4)), straight(TIMES.format(by=5))),
}


@cache
def certificate(name: str) -> str:
    source, right, _ = ALL[name]
    options = Options(recording=True)
    (report,) = check(source, right, NAMES, options).functions
    assert report.certificate is not None, report
    return render(certificate_of((source, right), meaning_of(options), [report.certificate]))


def proof_of(name: str) -> dict[str, Any]:
    (function,) = json.loads(certificate(name))["functions"]
    return function["proof"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ALL)
def test_what_is_copied_out_is_replayed(name: str) -> None:
    source, right, wrong = ALL[name]
    assert proof_of(name)["kind"] == "via" and proof_of(name)["proof"]["kind"] == "results"
    replayed(certificate(name), source, right)
    data = json.loads(certificate(name))
    with pytest.raises(Rejected, match="not the one that the programs give"):
        replayed(sealed({**data, "target": digest(wrong)}), source, wrong)
    data["functions"][0]["proof"] = data["functions"][0]["proof"]["proof"]  # about the loops themselves
    with pytest.raises((Rejected, Malformed)):
        replayed(sealed(data), source, right)
    straight = sealed({**json.loads(certificate(name)), "source": digest(right)})  # no loop on either side
    with pytest.raises(Rejected, match="there is no short loop"):
        replayed(straight, right, right)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["power", "bits", "flags"])
def test_another_solver_shows_it(name: str) -> None:
    source, right, _ = ALL[name]
    modules = parse(source, NAMES[0]), parse(right, NAMES[1])
    (report,) = check(source, right, NAMES, Options(recording=True)).functions
    assert report.certificate is not None
    check_function(Pair(modules, ("f", "f"), ()), report.certificate, meaning_of(Options()), Solver("cvc5"))


def _case(source: str, target: str) -> Case:
    modules = parse(source, NAMES[0]), parse(target, NAMES[1])
    return Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)


def _forged(source: str, target: str) -> FunctionProof:
    """A proof with all obligations that a pair of programs gives, whether or not they hold."""
    pool = TermPool()
    both = both_unrolled(pool, read_pair((parse(source, NAMES[0]), parse(target, NAMES[1])), ("f", "f"), pool), 64)
    assert both is not None
    pairs = integer_results(both)
    assert pairs is not None
    solver = Solver()

    def direction(one: Term, other: Term) -> Direction:
        asked = (*suspicious(one, other, (one,), Shapes(64)), True)
        texts = solver.questions.refined(*canonical(TermPool(), (one, other), PROPER))
        assert texts is not None
        return Direction(*[Obligation(text if needed else "") for text, needed in zip(texts, asked, strict=True)])

    proofs = [RefinementProof(TermProof(), direction(s, t), direction(t, s)) for s, t in pairs]
    return FunctionProof("f", "f", "refines", Via("full-unrolling", Results(tuple(proofs))))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [n for n in ALL if n != "parity"])
def test_questions_of_a_wrong_pair_have_answers(name: str) -> None:
    """Who states the questions of a wrong pair as the checker does is refused by the solver."""
    source, right, wrong = ALL[name]
    for target, holds in ((right, name != "flags"), (wrong, False)):
        pair = Pair((parse(source, NAMES[0]), parse(target, NAMES[1])), ("f", "f"), ())
        proof = _forged(source, target)
        if holds:
            check_function(pair, proof, meaning_of(Options()), Solver())
            continue
        with pytest.raises(Rejected, match="z3 does not show the obligation"):
            check_function(pair, proof, meaning_of(Options()), Solver(milliseconds=2_000))


def test_each_result_has_its_proof() -> None:
    """Of two results the second differs; one proof says nothing of it, nor do two of the first."""
    two = "func.func @f(%x: i32) -> (i32, i32) {{\n{}  return %r, %s : i32, i32\n}}"
    body = POWER[POWER.index("  %zero") : POWER.index("  return")]
    source = two.format(body.replace("%s", "%t") + "  %s = arith.addi %r, %x : i32\n")
    target = two.format(SQUARES.format(last="%x").replace("%s", "%t") + "  %s = arith.subi %r, %x : i32\n")
    good = _forged(POWER, ALL["power"][1])
    assert isinstance(good.proof, Via) and isinstance(good.proof.proof, Results)
    (first,) = good.proof.proof.proofs
    pair = Pair((parse(source, NAMES[0]), parse(target, NAMES[1])), ("f", "f"), ())
    for proofs, why in (((), "no proof for each"), ((first,), "no proof for each"), ((first, first), "result 1")):
        claim = FunctionProof("f", "f", "refines", Via("full-unrolling", Results(proofs)))
        with pytest.raises(Rejected, match=why):
            check_function(pair, claim, meaning_of(Options()), Solver())


def _stored(text: str) -> str:
    """The program with its result stored to memory."""
    body = text[text.index("  %") : text.index("  return")]
    return f"""func.func @f(%x: i32, %A: memref<?xi32>, %j: index) -> i32 {{
{body}  memref.store %r, %A[%j] : memref<?xi32>
  return %r : i32
}}"""


def test_what_stores_is_no_matter_of_results() -> None:
    """The results are equal, what is stored is not: of such functions only a proof by statements is one."""
    source, right, wrong = map(_stored, PAIRS["power"])
    proof = _forged(POWER, PAIRS["power"][1])
    for target in (right, wrong):
        pair = Pair((parse(source, NAMES[0]), parse(target, NAMES[1])), ("f", "f"), ())
        with pytest.raises(Rejected, match="do not compute integers alone"):
            check_function(pair, proof, meaning_of(Options()), Solver())


def certified_by(method: Method, source: str, target: str) -> tuple[Via, bool]:
    """The certificate of a proof that this method is said to have found."""
    shown = Shown("sweep", ())
    return certify(_case(source, target), Shown("sweep", (), found=Found(FULL_UNROLLING, method, shown)))


def test_what_is_swept_is_replayed() -> None:
    source, right, wrong = map(_stored, PAIRS["power"])
    proof, converse = certified_by(SWEEP, source, right)
    assert isinstance(proof.proof, Aligned) and converse
    for target, holds in ((right, True), (wrong, False)):
        claim = FunctionProof("f", "f", "equivalent", proof)
        text = render(certificate_of((source, target), meaning_of(Options()), [claim]))
        if holds:
            replayed(text, source, target)
        else:
            with pytest.raises((Rejected, Malformed)):
                replayed(text, source, target)


def test_what_array_dataflow_shows_is_replayed() -> None:
    source, right, wrong = map(_stored, PAIRS["power"])
    proof, _ = certified_by(array_dataflow.METHOD, source, right)
    claim = FunctionProof("f", "f", "equivalent", proof)
    replayed(render(certificate_of((source, right), meaning_of(Options()), [claim])), source, right)
    with pytest.raises((Rejected, Malformed)):
        replayed(render(certificate_of((source, wrong), meaning_of(Options()), [claim])), source, wrong)


def test_what_may_be_poison_is_not_called_the_same() -> None:
    """The sum of four may overflow where the product does not: one refines the other, not the other way round."""
    source, target, _ = ALL["flags"]
    data = json.loads(certificate("flags"))
    assert data["verdict"] == "refines" and proof_of("flags")["proof"]["proofs"][0]["backward"] is None
    data["verdict"] = data["functions"][0]["verdict"] = "equivalent"
    with pytest.raises(Rejected, match="the source is not shown to refine the target"):
        replayed(sealed(data), source, target)
    (proof,) = data["functions"][0]["proof"]["proof"]["proofs"]
    proof["backward"] = proof["forward"]
    with pytest.raises(Rejected, match="backward, poison"):
        replayed(sealed(data), source, target)
