"""The certificate of a proof by loop theorems.

The proof is sought again, with a record of the theorems that it uses and of the terms that it takes for equal; the
checker's congruence closure is asked which of these are enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType, IndexType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.kernel.certificate.file_format import Theorems
from hecv.kernel.certificate.loop_theorem_format import (
    EqualTerms,
    TheoremsProof,
    theorems_data,
)
from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.loop_theorem_check import Equality, arithmetic, equalities, follows, forms, reads
from hecv.kernel.terms.congruence_closure import takes_exact
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import read_pair
from hecv.program.tree import Block, Call, Function, walk
from hecv.prove.loops.statement_rows import TreeRows
from hecv.prove.pair.pair_context import Case
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.theorems.schedules.theorem_instance import INDEX_WIDTH

if TYPE_CHECKING:
    from hecv.egraph.programs.theorem_rounds import Equation as Found

MOST_TRIED: Final = 64
"""So many equalities are left out one by one, to see whether the rest is enough."""


class Pair(Struct, frozen=True):
    """Two terms, and how it is shown that they are equal."""

    one: Term
    other: Term
    proof: RefinementProof


def certify(case: Case) -> Theorems:
    """The certificate of a proof by loop theorems.

    Raises: Uncertified, Rejected, Malformed.
    """
    from hecv.prove.loops.loop_theorems import recorded

    pool, functions, constrain = _read(case)
    laws, loops = case.comparer.proved_laws(), case.loop_rules.usable
    steps = recorded(pool, functions, constrain, case.task.strategy, laws, loops)
    if steps is None:
        raise Uncertified("theorems", "the proof is not found again")
    called = any(isinstance(s, Call) for f in functions for s in walk(f.body))
    strict = case.task.switches.floats == "strict" and not called
    terms, count = list(_compared(pool, steps.terms, strict)), len(steps.equations)
    known, programs = _replayed(case, _written(pool, steps.equations, terms))
    if not follows(programs, known):
        raise Uncertified("theorems", "a step of it is not written down")
    needed = _enough(programs, known)
    equations = [e for k, e in enumerate(steps.equations) if k in needed]
    return Theorems(theorems_data(_written(pool, equations, [p for k, p in enumerate(terms, count) if k in needed])))


def _read(case: Case) -> tuple[TermPool, tuple[Function, Function], list[Term]]:
    """The functions and what is assumed of them, in a pool as a replay has it."""
    task, pool = case.task, TermPool()
    functions = read_pair(task.modules, task.names, pool, task.switches.index_width)
    return pool, functions, [c.term(pool, functions[0]) for c in task.constraints]


def _replayed(case: Case, proof: TheoremsProof) -> tuple[list[Equality], tuple[Block, Block]]:
    """What a proof says is equal, about programs that are read anew."""
    pool, functions, constrain = _read(case)
    programs = forms(pool, functions, constrain)
    strict = case.task.switches.floats == "strict"
    return equalities(pool, programs, proof, constrain, Solver("z3", INDEX_WIDTH), strict), programs


def _written(pool: TermPool, equations: Sequence[Found], equal: Sequence[Pair]) -> TheoremsProof:
    """The steps of a proof as plain data."""
    writer = TreeRows(pool)
    made = tuple([writer.equation(e) for e in equations])
    pairs = tuple([EqualTerms(writer.term(p.one), writer.term(p.other), p.proof) for p in equal])
    return TheoremsProof(tuple(writer.rows), tuple(writer.statements), made, pairs)


def _enough(programs: tuple[Block, Block], known: Sequence[Equality]) -> list[int]:
    """The numbers of equalities that are enough, the later ones left out first."""
    needed = list(range(len(known)))
    for number in reversed(needed) if len(needed) <= MOST_TRIED else ():
        fewer = [k for k in needed if k != number]
        if follows(programs, [known[k] for k in fewer]):
            needed = fewer
    return needed


def _compared(pool: TermPool, pairs: Sequence[tuple[Term, Term]], strict: bool) -> Iterator[Pair]:
    """The pairs of terms of which it can be written down that they are equal."""
    seen: set[tuple[int, int]] = set()
    waiting = list(pairs)
    while waiting:
        one, other = waiting.pop()
        if one is other or (one.id, other.id) in seen:
            continue
        seen.add((one.id, other.id))
        if (one.op, one.attrs, len(one.args)) == (other.op, other.attrs, len(other.args)):
            waiting += zip(one.args, other.args, strict=True)
        index = isinstance(one.type, IndexType) and (takes_exact(one) or takes_exact(other))
        if index or one.type != other.type or reads(one) != reads(other) or arithmetic(one) != arithmetic(other):
            continue
        if isinstance(one.type, FloatType) and not strict:
            continue
        try:
            proof = certify_refinement(pool, one, other, Refinement(True, True, True), INDEX_WIDTH)
        except (Uncertified, Rejected, Malformed):
            continue
        yield Pair(one, other, proof)
