"""Closed form of a `while` by a loop invariant, checked: the loop computes the formula that the other function has.

Both functions are read as a transition system (`hecv.normal.summaries.transition_system`, which is trusted): the values
of the loop-carried variables before the first iteration and after an iteration, the loop condition, and the results
where it fails; and the formula. All terms are total, of integers, and never poison. Theorem: a result equals the
formula if for some term `G` over loop variables and arguments

1. `G` of the initial values is the formula;
2. wherever the loop continues, `G` of the values after the iteration is `G`;
3. wherever the loop exits, the result is `G`;

for all values of variables and arguments. Where `G` comes from does not matter.

Termination: the loop ends if some variable, as an unsigned number, decreases in each iteration after which the loop
continues, or increases in each. Without that the formula refines the loop, since inputs on which the source does not
end claim nothing; the loop does not refine the formula.
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool, rebuild
from hecv.base.types import BOOL
from hecv.kernel.certificate.closed_form_format import Invariant, Kept
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.normal.summaries.transition_system import Guess, Turning, computed, guessed, turning
from hecv.program.tree import Function

Question = tuple[Term, Term]
"""A proof obligation: two terms that have to be equal for all values of their leaves."""

PREDICATES = frozenset(("ult", "ugt"))


def replay_invariant(
    pool: TermPool, functions: tuple[Function, Function], proof: Invariant, solver: Solver, index_width: int
) -> bool:
    """Checks that the target refines the source; returns whether the source refines the target too.

    Raises: Rejected, Malformed.
    """
    loop, formulas = read_sides(pool, functions, proof.side)
    if len(proof.results) != len(formulas):
        raise Rejected("invariant", "not of each result there is one")
    for number, (kept, result, formula) in enumerate(zip(proof.results, loop.results, formulas, strict=True)):
        questions = of_result(pool, loop, result, formula, Guess(kept.now, kept.so_far))
        if questions is None:
            raise Rejected(f"result {number}", "its invariant has no such variables, or of other types")
        for name, question, shown in zip(Kept.__struct_fields__[2:], questions, _proofs(kept), strict=True):
            _require(pool, question, shown, solver, index_width, f"result {number}, {name}")
    if proof.falls is not None:
        question = of_end(pool, loop, proof.falls.variable, proof.falls.predicate)
        if question is None:
            raise Rejected("end", "there is no such variable, or no such predicate")
        _require(pool, question, proof.falls.proof, solver, index_width, "end")
    elif proof.side == 1:
        raise Rejected("end", "the loop of the target is not shown to end")
    return proof.falls is not None


def read_sides(pool: TermPool, functions: tuple[Function, Function], side: int) -> tuple[Turning, tuple[Term, ...]]:
    """The function on `side` as a transition system, and the results of the other one as formulas.

    Raises: Rejected if they are not of this form.
    """
    loop, formulas = turning(pool, functions[side]), computed(pool, functions[1 - side])
    if loop is None or formulas is None or [r.type for r in loop.results] != [f.type for f in formulas]:
        raise Rejected("invariant", "the functions are not one while over integers and a formula")
    return loop, formulas


def of_result(
    pool: TermPool, loop: Turning, result: Term, formula: Term, guess: Guess
) -> tuple[Question, Question, Question] | None:
    """The proof obligations of a result (initial, preserved, at exit); None if the guess is no term."""
    now = guessed(pool, loop, formula, guess)
    if now is None:
        return None
    first, after = (_with(pool, now, loop, values) for values in (loop.first, loop.following))
    zero = pool.integer(0, now.type)

    def where(goes_on: bool, value: Term) -> Term:
        """The value where the loop goes on, or where it does not, and 0 elsewhere."""
        values = (value, zero) if goes_on else (zero, value)
        return pool.make("arith.select", (loop.condition, *values), value.type)

    return (first, formula), (where(True, after), where(True, now)), (where(False, result), where(False, now))


def of_end(pool: TermPool, loop: Turning, variable: int, predicate: str) -> Question | None:
    """The proof obligation that a variable decreases, or increases; None if there is no such variable or predicate."""
    if not 0 <= variable < len(loop.variables) or predicate not in PREDICATES:
        return None
    values = loop.following[variable], loop.variables[variable]
    falls = pool.make("arith.cmpi", values, BOOL, (("predicate", predicate),))
    true, false = pool.integer(1, BOOL), pool.integer(0, BOOL)
    return pool.make("arith.select", (loop.condition, falls, false), BOOL), pool.make(
        "arith.select", (loop.condition, true, false), BOOL
    )


def _with(pool: TermPool, term: Term, loop: Turning, values: tuple[Term, ...]) -> Term:
    """The term with values in the place of variables."""
    return rebuild(pool, term, dict(zip(loop.variables, values, strict=True)).get, {})


def _proofs(kept: Kept) -> tuple[RefinementProof, ...]:
    return kept.first, kept.turn, kept.last


def _require(
    pool: TermPool, question: Question, proof: RefinementProof, solver: Solver, index_width: int, step: str
) -> None:
    """Raises: Rejected where two terms are not shown equal."""
    try:
        refines, _, _ = check_refinement(pool, *question, proof, solver, index_width)
    except Rejected as problem:
        raise Rejected(f"{step}, {problem.step}", problem.why) from None
    if not refines:
        raise Rejected(step, "it is not shown")
