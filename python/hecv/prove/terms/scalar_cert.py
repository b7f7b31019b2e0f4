"""The certificate of a comparison of two terms, by the first means that the replayer accepts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
from hecv.kernel.certificate.term_format import Direction, Obligation, Reading, RefinementProof, TermProof
from hecv.kernel.certificate.term_rows import canonical
from hecv.kernel.terms.equality_derivation import Equalities
from hecv.kernel.terms.fastmath_readings import read as read_by_licence
from hecv.kernel.terms.refinement_check import OVER_REALS, PROPER, check_refinement, equal_values, given_terms
from hecv.kernel.terms.solvers import Solver
from hecv.laws.floats.fastmath_licences import extrema, towards, without_flags
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import LEAVES, PROPER_LEAVES, Shapes
from hecv.ops.fastmath_flags import ARITHMETIC, flags_of
from hecv.program.uninterpreted import named
from hecv.prove.terms.proof_minimization import shortened
from hecv.prove.terms.recorded_lemmas import TermProofs, add_sweep
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere, is_small
from hecv.smt.term_refinement import suspicious

if TYPE_CHECKING:
    from hecv.prove.terms.user_rules import Rulebook

MILLISECONDS: Final = 2_000
SECONDS: Final = 5.0
MOST_SOLVED: Final = 60
"""Terms of more operators are not given to Z3 as a whole."""


def certify_refinement(
    pool: TermPool,
    source: Term,
    target: Term,
    wanted: Refinement,
    index_width: int,
    strict: bool = True,
    book: Rulebook | None = None,
    reals: bool = False,
) -> RefinementProof:
    """The certificate of what is `wanted` of two terms. Unless floats are `strict` nothing is said of those but where
    they are `reals`; the `book` has rules of users, where there are such.

    Raises: Uncertified.
    """
    solver = Solver("z3", index_width, MILLISECONDS, trusting=book is not None)
    why = Uncertified("dataflow", "nothing was tried")
    for readings in _readings(pool, source, target, strict and not wanted.converse):
        read = read_by_licence(pool, source, target, readings)
        attempts = _attempts(pool, *read, index_width, strict, book)
        try:
            return _certified(pool, source, target, wanted, solver, index_width, strict, attempts, readings)
        except Uncertified as problem:
            why = problem
    if reals:
        plain = iter([(TermProof(), False)])
        return _certified(pool, source, target, wanted, solver, index_width, strict, plain, OVER_REALS)
    raise why


def _readings(pool: TermPool, source: Term, target: Term, licensed: bool) -> Iterator[tuple[Reading, ...]]:
    """What flags may let the source be computed as, itself first."""
    yield ()
    flags = [flags_of(t.attrs) for t in postorder((source,)) if isinstance(t.type, FloatType)]
    if not licensed or not any(flags):
        return
    arithmetic = _of_arithmetic(pool, source, target)
    if arithmetic is not None:
        yield (arithmetic,)
    for way, read in extrema(pool, source, target):
        yield ((way, ()),)
        arithmetic = _of_arithmetic(pool, read, target)
        if arithmetic is not None:
            yield (way, ()), arithmetic


def _of_arithmetic(pool: TermPool, source: Term, target: Term) -> Reading | None:
    """The source with arithmetic computed as the target does; None where flags do not let it be computed otherwise."""
    ours = [flags_of(t.attrs) for t in postorder((source,)) if t.op in ARITHMETIC]
    first, second = (without_flags(pool, term, ARITHMETIC) for term in (source, target))
    _, steps = towards(pool, first, second, frozenset[str].intersection(*ours) if ours else frozenset())
    try:
        read_by_licence(pool, source, target, (("arithmetic", steps),))
    except Rejected:
        return None
    return "arithmetic", steps


def certify_by_solver(
    pool: TermPool, source: Term, target: Term, wanted: Refinement, index_width: int, milliseconds: int
) -> RefinementProof:
    """The certificate of what Z3 shows of two terms as a whole, however long, with so much work.

    Raises: Uncertified.
    """
    attempts = iter([(TermProof(), False), (TermProof(), True)])
    solver = Solver("z3", index_width, milliseconds)
    return _certified(pool, source, target, wanted, solver, index_width, True, attempts)


def _certified(
    pool: TermPool,
    source: Term,
    target: Term,
    wanted: Refinement,
    solver: Solver,
    index_width: int,
    strict: bool,
    attempts: Iterator[tuple[TermProof, bool]],
    readings: tuple[Reading, ...] = (),
) -> RefinementProof:
    """What the replayer accepts first. Raises: Uncertified."""
    names: dict[int, Term] = {}
    reals = readings == OVER_REALS
    read = (source, target) if reals else read_by_licence(pool, source, target, readings)
    first, second = (named(pool, t, names) for t in read)
    why = "no proof about them that the replayer accepts was found"
    for values, by_solver in attempts:
        proof = replace(_around(first, second, values, by_solver, wanted, solver, index_width), readings=readings)
        try:
            found = check_refinement(pool, source, target, proof, solver, index_width, strict, reals)
        except (Rejected, Malformed) as problem:
            why = str(problem)
            continue
        if found[0] and found[1] >= wanted.defined and found[2] >= wanted.converse:
            return proof
    raise Uncertified("dataflow", f"of {first} and {second}: {why}")


def _attempts(
    pool: TermPool, source: Term, target: Term, index_width: int, strict: bool, book: Rulebook | None
) -> Iterator[tuple[TermProof, bool]]:
    """Proofs of equal values, and whether Z3 is asked about them as a whole."""
    yield TermProof(), False
    given = given_terms(pool, source, target)
    if not strict and any(isinstance(t.type, FloatType) for t in given):
        return
    if is_small(given):
        with suppress(Uncertified):
            yield _by_values(pool, given, source, target, index_width), False
    with suppress(Uncertified):
        yield _swept(pool, given, source, target, index_width), False
    if book is not None:
        with suppress(Uncertified):
            yield _by_laws(pool, given, source, target, index_width, book), False
    floats = any(isinstance(t.type, FloatType) for t in given)
    for by_laws in (floats, not floats):  # Z3 takes long for arithmetic of floats, and seldom answers
        if by_laws:
            with suppress(Uncertified):
                yield _by_laws(pool, given, source, target, index_width), False
        elif len(given) <= MOST_SOLVED:
            yield TermProof(), True


def _around(
    source: Term, target: Term, values: TermProof, by_solver: bool, wanted: Refinement, solver: Solver, width: int
) -> RefinementProof:
    """A proof of equal values with the obligations that belong to it."""
    forward = _direction(source, target, wanted.defined, by_solver, solver, width)
    backward = _direction(target, source, True, by_solver, solver, width) if wanted.converse else None
    return RefinementProof(values, forward, backward)


def _direction(source: Term, target: Term, defined: bool, by_solver: bool, solver: Solver, width: int) -> Direction:
    undefined, poison = suspicious(source, target, (source,), Shapes(width))
    texts: tuple[str, str, str] = ("", "", "")
    if by_solver or (undefined and defined) or poison:
        found = solver.questions.refined(*canonical(TermPool(), (source, target), PROPER))
        texts = found or texts
    return Direction(
        Obligation(texts[0] if undefined else "") if defined else None,
        Obligation(texts[1] if poison else ""),
        Obligation(texts[2]) if by_solver else None,
    )


def _swept(pool: TermPool, given: tuple[Term, ...], source: Term, target: Term, index_width: int) -> TermProof:
    """What a quick sweep over both terms shows.

    Raises: Uncertified.
    """
    from hecv.prove.terms.sat_sweeping import sweep_terms
    from hecv.sweep.cuts.merge_record import Record

    if any(map(exposes, given)):
        raise Uncertified("sweep", "an op shows which NaN a float is")
    names: dict[int, Term] = {}
    orders = [postorder((named(pool, t, names),)) for t in (source, target)]
    poisonous = {t.id for t in given if t.op in LEAVES - PROPER_LEAVES and ("proper", True) not in t.attrs}
    record = Record()
    _, tools = sweep_terms(pool, (orders[0], orders[1]), poisonous, index_width, SECONDS, record)
    proofs = TermProofs("sweep", given, index_width)
    add_sweep(proofs, pool, record, tools)
    return _shortest(pool, given, proofs.proof(), (orders[0][-1], orders[1][-1]), index_width)


def _by_values(pool: TermPool, given: tuple[Term, ...], source: Term, target: Term, index_width: int) -> TermProof:
    """That both terms have one value for all values of their leaves, which may be fewer than those of a part.

    Raises: Uncertified.
    """
    names: dict[int, Term] = {}
    ends = [named(pool, t, names) for t in (source, target)]
    if not equal_everywhere(ends[0], ends[1], index_width):
        raise Uncertified("dataflow", "they are not seen to be equal for all values")
    left, right = canonical(TermPool(), ends, dict.fromkeys(LEAVES, True))
    leaves = [t for t in postorder((ends[0], ends[1])) if not t.args and t.op in LEAVES]
    proofs = TermProofs("dataflow", given, index_width)
    proofs.equal(left, right, dict(enumerate(leaves)))
    return proofs.proof()


def _by_laws(
    pool: TermPool,
    given: tuple[Term, ...],
    source: Term,
    target: Term,
    index_width: int,
    book: Rulebook | None = None,
) -> TermProof:
    """What ground instances of laws show.

    Raises: Uncertified.
    """
    # The e-graph takes a tenth of a second to load.
    from hecv.prove.terms.law_search import law_proof

    names: dict[int, Term] = {}
    ends = named(pool, source, names), named(pool, target, names)
    return _shortest(pool, given, law_proof(pool, given, ends, index_width, book), ends, index_width)


def _shortest(
    pool: TermPool, given: tuple[Term, ...], whole: TermProof, ends: tuple[Term, Term], index_width: int
) -> TermProof:
    """The proof of equal values without what it does not need."""
    solver = Solver("z3", index_width, MILLISECONDS, trusting=True)

    def closes(proof: TermProof) -> bool:
        """Whether a proof shows the values of both terms equal."""
        try:
            known = Equalities(pool, given, proof, solver, index_width)
        except Rejected:
            return False
        return equal_values(known, *ends)

    return shortened(whole, len(given), closes) if closes(whole) else whole
