"""One term refines another, over the same leaves: values by a term proof, poison and definedness by shape or by Z3.

`hecv.smt.term_refinement` argues why both sides may be given the same leaves. Operators without semantics are
uninterpreted; one that can be undefined is so only where the same one on the same leaves is.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import Direction, Reading, RefinementProof, TermProof
from hecv.kernel.certificate.term_rows import canonical
from hecv.kernel.terms.congruence_closure import takes_exact
from hecv.kernel.terms.equality_derivation import Equalities
from hecv.kernel.terms.solvers import Solver
from hecv.ops.facts.poison_conditions import LEAVES, PROPER_LEAVES, Shapes
from hecv.program.uninterpreted import named, partial

OVER_REALS: Final[tuple[Reading, ...]] = (("reals", ()),)
"""Both terms as expressions over the real numbers."""

PROPER: Final = {op: op in PROPER_LEAVES for op in LEAVES}


def given_terms(pool: TermPool, source: Term, target: Term) -> tuple[Term, ...]:
    """The terms that a proof about two terms may name, in order."""
    names: dict[int, Term] = {}
    return tuple(postorder(tuple([named(pool, t, names) for t in (source, target)])))


def check_refinement(
    pool: TermPool,
    source: Term,
    target: Term,
    proof: RefinementProof,
    solver: Solver,
    index_width: int,
    strict: bool = True,
    reals: bool = False,
) -> tuple[bool, bool, bool]:
    """Checks a refinement proof; returns three facts about two terms.

    - `refines`: wherever the source is neither undefined nor poison, the target has its value, and is not poison.
    - `defined`: the target is undefined only where the source is.
    - `converse`: both hold with the sides exchanged.

    Unless floats are `strict`, a lemma about floats proves nothing; with `reals`, floats may be read as real numbers.
    Raises: Rejected, Malformed.
    """
    ours, theirs = partial(source), partial(target)
    if reals and proof.readings == OVER_REALS:
        return _over_reals(pool, source, target, proof, solver, index_width)
    if proof.readings:
        if not strict:
            raise Rejected("readings", "what flags allow is no proof where floats may be rounded otherwise")
        from hecv.kernel.terms.fastmath_readings import read  # the laws of the book are loaded with it

        source, target = read(pool, source, target, proof.readings)
    names: dict[int, Term] = {}
    first, second = (named(pool, t, names) for t in (source, target))
    order = postorder((first, second))
    if not strict and any(isinstance(t.type, FloatType) for t in order) and not _is_plain(proof):
        raise Rejected("values", "an equality of floats is no proof where they may be rounded otherwise")
    known = Equalities(pool, order, proof.values, solver, index_width)
    equal = equal_values(known, first, second)
    refines, defined = _direction(first, second, proof.forward, equal, solver, index_width, "forward")
    if proof.backward is None:
        return refines, defined and theirs <= ours, False
    back = _direction(second, first, proof.backward, equal, solver, index_width, "backward")
    return refines, defined and theirs <= ours, all(back) and ours <= theirs and not proof.readings


def _over_reals(
    pool: TermPool, source: Term, target: Term, proof: RefinementProof, solver: Solver, index_width: int
) -> tuple[bool, bool, bool]:
    """Like `check_refinement`, for arithmetic over the real numbers; each term is one element of the theorem of
    `hecv.kernel.reals.elementwise_check`.

    Raises: Rejected.
    """
    from hecv.kernel.reals.elementwise_check import compared  # few terms are compared over the reals

    if proof.values != TermProof():
        raise Rejected("values", "over the reals nothing is told of values")
    ours, theirs = partial(source), partial(target)
    names: dict[int, Term] = {}
    first, second = (named(pool, t, names) for t in (source, target))
    # That literals stand for other numbers is an assumption of proofs about elements alone.
    converse = compared([(first, second)], ((), ()), ["values"], rounded=False)
    refines, defined = _direction(first, second, proof.forward, True, solver, index_width, "forward")
    if proof.backward is None:
        return refines, defined and theirs <= ours, False
    back = _direction(second, first, proof.backward, True, solver, index_width, "backward")
    return refines, defined and theirs <= ours, converse and all(back) and ours <= theirs


def _is_plain(proof: RefinementProof) -> bool:
    """Whether values are equal by congruence alone."""
    directions = (proof.forward, *(() if proof.backward is None else (proof.backward,)))
    return not proof.values.steps and all(d.value is None for d in directions)


def equal_values(known: Equalities, source: Term, target: Term) -> bool:
    """Whether two terms are known to have one value; exact integers, one integer."""
    closure = known.closure
    if source.type != target.type:
        return False
    if takes_exact(source) and takes_exact(target) and closure.same(closure.exact(source), closure.exact(target)):
        return True
    return closure.same(closure.value(source), closure.value(target))


def _direction(
    source: Term, target: Term, given: Direction, equal: bool, solver: Solver, index_width: int, name: str
) -> tuple[bool, bool]:
    """Whether the target refines the source where that is defined, and whether it is defined there.

    Raises: Rejected.
    """
    from hecv.smt.term_refinement import suspicious  # Z3 takes a tenth of a second to load

    undefined, poison = suspicious(source, target, (source,), Shapes(index_width))
    texts: tuple[str, str, str] | None = None
    if undefined or poison or given.value is not None:
        texts = solver.questions.refined(*canonical(TermPool(), (source, target), PROPER))
    asked = (("undefined", given.undefined, undefined), ("poison", given.poison, poison), ("value", given.value, True))
    for number, (what, obligation, needed) in enumerate(asked):
        if obligation is None:
            continue
        if needed:
            solver.require(f"{name}, {what}", obligation.text, texts and texts[number])
        elif obligation.text:
            raise Rejected(f"{name}, {what}", "shape shows this, no obligation is to be given")
    if not equal and given.value is None:
        raise Rejected(f"{name}, value", "the values are not shown equal")
    return True, given.undefined is not None
