"""Proofs that a while computes a formula: what is shown of one loop is said of no other, and a loop has to end."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from msgspec.structs import replace
from tests.kernel.specimens import INVARIANT
from tests.verdict.test_closed import BITS, COUNT, LENGTH, LOWEST, PARITY, ZEROS, formula, loop

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.kernel.certificate.closed_form_format import Invariant, invariant_data, invariant_from
from hecv.kernel.certificate.file_format import FunctionProof, Options, Proved
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse, read_pair
from hecv.normal.summaries.transition_system import turning
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Budget
from hecv.prove.whiles.closed_form import certify, prove_closed
from hecv.replaying import Pair, check_function
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.interpreter.interpreter import Finished, compile

STAYS = loop("    %j = arith.ori %i, %one : KIND\n    %m = arith.addi %n, %zero : KIND\n")
ZERO = formula("  %r = arith.constant 0 : KIND\n")
SHORT = loop(LOWEST, width=16)
OTHERS = [
    loop(LOWEST, first="%one", width=16),
    loop(LOWEST, "cmpi ugt, %i, %one", width=16),
    loop(LOWEST, "cmpi sgt, %i, %zero", width=16),
    loop(LOWEST, back="%m, %j", width=16),
    loop(LOWEST.replace("%i, %d", "%y, %d"), width=16),
]


@cache
def certified(source: str, target: str) -> Invariant:
    modules = parse(source, "source.mlir"), parse(target, "target.mlir")
    case = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    shown = prove_closed(case, Budget())
    assert shown is not None
    return certify(case, shown)[0]


def replayed(source: str, target: str, proof: Invariant, verdict: Proved, options: Options | None = None) -> None:
    """Raises: Rejected, Malformed."""
    pair = Pair((parse(source, "source.mlir"), parse(target, "target.mlir")), ("f", "f"), ())
    written = invariant_from(invariant_data(proof))
    check_function(pair, FunctionProof("f", "f", verdict, written), options or Options(), Solver())


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param(loop(LENGTH, first="%all"), ZEROS, id="taken away"),
        pytest.param(loop(BITS.format("xori")), PARITY, id="exclusive"),
        pytest.param(COUNT, loop(BITS.format("addi")), id="of the target"),
    ],
)
def test_what_is_proved_is_accepted(source: str, target: str) -> None:
    replayed(source, target, certified(source, target), "equivalent")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("other", OTHERS)
def test_another_loop_is_not_shown(other: str) -> None:
    proof = certified(SHORT, INVARIANT.target)
    for source, target, side in ((other, INVARIANT.target, 0), (INVARIANT.target, other, 1)):
        with pytest.raises((Rejected, Malformed)):
            replayed(source, target, replace(proof, side=side), "refines")


def test_another_side() -> None:
    proof = certified(SHORT, INVARIANT.target)
    replayed(INVARIANT.target, SHORT, replace(proof, side=1), "equivalent")
    with pytest.raises(Rejected, match="one while over integers and a formula"):
        replayed(SHORT, INVARIANT.target, replace(proof, side=1), "equivalent")


def test_a_loop_that_is_not_shown_to_end() -> None:
    proof = certified(STAYS, ZERO)
    assert proof.falls is None
    replayed(STAYS, ZERO, proof, "refines")
    with pytest.raises(Rejected, match="the source is not shown to refine the target"):
        replayed(STAYS, ZERO, proof, "equivalent")
    with pytest.raises(Rejected, match="the loop of the target is not shown to end"):
        replayed(ZERO, STAYS, replace(proof, side=1), "refines")


def test_what_falls_is_another_question() -> None:
    proof = certified(SHORT, INVARIANT.target)
    assert proof.falls is not None
    for falls in (
        replace(proof.falls, predicate="ule"),
        replace(proof.falls, predicate="ugt"),
        replace(proof.falls, variable=1 - proof.falls.variable),
        replace(proof.falls, variable=-1),
        replace(proof.falls, proof=proof.results[0].last),
    ):
        with pytest.raises(Rejected):
            replayed(SHORT, INVARIANT.target, replace(proof, falls=falls), "equivalent")


def test_a_result_without_an_invariant() -> None:
    proof = certified(SHORT, INVARIANT.target)
    for results in ((), proof.results * 2, (replace(proof.results[0], so_far=("arith.muli", 1)),)):
        with pytest.raises(Rejected):
            replayed(SHORT, INVARIANT.target, replace(proof, results=results), "refines")


def test_indices_may_wrap() -> None:
    """No index is computed."""
    proof = certified(SHORT, INVARIANT.target)
    replayed(SHORT, INVARIANT.target, proof, "equivalent", Options(index_wraps=True, may_overlap=True, floats="real"))


# What a loop is read as


@pytest.mark.parametrize("turn", [LOWEST, BITS.format("addi"), BITS.format("xori"), LENGTH])
@pytest.mark.parametrize("first", ["%zero", "%all", "%y"])
def test_a_loop_as_terms_does_what_it_does(turn: str, first: str) -> None:
    text, pool, random = loop(turn, first=first, width=8), TermPool(), Random(turn + first)
    function, _ = read_pair((parse(text, "s.mlir"), parse(text, "t.mlir")), ("f", "f"), pool)
    found, run = turning(pool, function), compile(function)
    assert found is not None

    def value(term: Term, given: dict[Term, int]) -> int:
        values: dict[Term, int] = {}
        for part in postorder((term,)):
            known = literal(part)
            operands = tuple([values[a] for a in part.args])
            values[part] = (
                int(known) if known is not None else given[part] if part in given else _computed(part, operands)
            )
        return values[term]

    for _ in range(20):
        inputs = [random.choice((0, 1, 255, random.randrange(256))) for _ in range(2)]
        given = {a.term: n for a, n in zip(function.arguments, inputs, strict=True) if a.term is not None}
        state = [value(t, given) for t in found.first]
        while value(found.condition, now := given | dict(zip(found.variables, state, strict=True))):
            state = [value(t, now) for t in found.following]
        end = run.run(inputs)
        assert isinstance(end, Finished) and list(end.results) == [value(r, now) for r in found.results]


EVALUATE = Evaluator(64)


def _computed(term: Term, operands: tuple[int, ...]) -> int:
    found = EVALUATE(term, operands)
    assert isinstance(found, int)
    return found
