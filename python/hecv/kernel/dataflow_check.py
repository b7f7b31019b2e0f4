"""Replays a proof by array dataflow: the target refines the source, for all inputs and all sizes.

The programs are read, brought into normal form and cut into statements as for the proof (`hecv.dataflow.pair_model`).
Trusted are: that, the sets of parameters on which a program is undefined (`undefined`, `premises`, `races`), which
operators are total (`proper`), and isl. The certificate gives the parameters for which something is proved, who wrote
what is read, and a table of obligations. Theorem: the target refines the source if

1. the parameters are all for which the source is not undefined for all contents of memory, and on these
2. the writes that are left out are silent (`hecv.kernel.dataflow.silent_store_check`), the claims about reads are
   correct (`hecv.kernel.dataflow.last_writers`), and the table holds (`hecv.kernel.dataflow.instance_induction`);
3. each array that the caller sees in the end and that one of the programs writes has equal elements by such steps;
4. the target is undefined on no other parameters than the source, uses no memory that it freed, and what it reads as
   exact index arithmetic is exact, or is not only on inputs that do not count;
5. each operator of the target that may be undefined is total, or the source evaluates it on operands that it refines.

The source refines the target too if no step proves refinement only, and 4 and 5 hold with the sides exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, name_of, postorder
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import OBSERVABLE, Flattened
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Budget, Dataflow
from hecv.dataflow.obligations.no_wrap import Premises
from hecv.dataflow.obligations.static_assertions import is_assured
from hecv.dataflow.obligations.undefined_domain import possibly_undefined, undefined
from hecv.dataflow.obligations.use_after_free import dead_access
from hecv.dataflow.pair_model import OPERATIONS, Pair, exposes_nan, has_nan, same_instances
from hecv.kernel.certificate.dataflow_format import DataflowProof, dataflow_from
from hecv.kernel.certificate.file_format import Options
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.dataflow.claim_lookup import Texts
from hecv.kernel.dataflow.instance_induction import Compare, Obligation, Setting, Table
from hecv.kernel.dataflow.last_writers import verified
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.refusal import Refused
from hecv.program.tree import Function


class Shown(Struct, frozen=True):
    """The target refines the source; moreover, whether the converse holds, and whether both read of their local memory
    only what they have written."""

    converse: bool
    initialised: bool


def replay(
    data: Any,
    pool: TermPool,
    functions: tuple[Function, Function],
    constraints: Sequence[Term],
    options: Options,
    solver: Solver,
    whiles: bool = False,
    elements: bool = False,
) -> Shown:
    """Checks that the target refines the source; returns what is proved besides.

    `data` is what `hecv.kernel.certificate.dataflow_format` writes. With `whiles` it is about the functions with each
    `while` as a counted loop (`hecv.kernel.bounded_while_check`); with `elements`, about the functions with gathers and
    scatters as loops over elements (`hecv.normal.indirect.gather_loops`).
    Requires: the semantic options leave to dataflow what the functions mean (`unproved_by_dataflow`), and the functions
        name the memories that may overlap.
    Raises: Rejected if the proof fails; Malformed if `data` has another form.
    """
    proof = dataflow_from(data)
    try:
        pair = Pair(pool, *functions, constraints, options.index_width, whiles, elements=elements)
    except (Refused, NotAffine) as problem:
        raise Rejected("programs", f"isl does not hold {problem.text}") from None
    pair.space.renew(OPERATIONS)
    try:
        return _replay(pair, proof, options, partial(_compare, pool, solver, options))
    except Budget:
        raise Rejected("isl", "the budget of operations is used up") from None
    except isl.Error as error:
        if not isinstance(pair.space.failure(error), Budget):
            raise Rejected("isl", str(error)) from None
        raise Rejected("isl", "the budget of operations is used up") from None


def _compare(
    pool: TermPool, solver: Solver, options: Options, source: Term, target: Term, proof: RefinementProof, step: str
) -> tuple[bool, bool, bool]:
    """What is shown of two terms over names.

    Raises: Rejected.
    """
    try:
        strict, reals = options.floats == "strict", options.floats == "real"
        return check_refinement(pool, source, target, proof, solver, options.index_width, strict, reals)
    except Rejected as problem:
        raise Rejected(f"{step}, {problem.step}", problem.why) from None


def _replay(pair: Pair, proof: DataflowProof, options: Options, compare: Compare) -> Shown:
    texts = Texts(pair)
    premises = Premises(pair.space, pair.parameters, pair.source.flat, pair.target.flat)
    source_undefined = undefined(pair.space, pair.source.flat)
    better = _bounds(pair, premises, source_undefined)
    known = texts.parameters(proof.known, "known")
    if not pair.space.known.subtract(source_undefined).is_subset(known):
        raise Rejected("known", "parameters are left out for which the source is defined")
    pair.space.known = known
    mixed = any(side.flat.mixed() for side in (pair.source, pair.target))
    to_the_bit = exposes_nan(pair, options.floats == "strict") or mixed
    if to_the_bit and has_nan(pair):
        raise Rejected("programs", "an op shows which NaN a constant global holds")
    sides = zip((pair.source, pair.target), proof.reads, proof.idle, strict=True)
    source, target = (verified(pair.space, texts, side.flat, reads, idle) for side, reads, idle in sides)
    computed = Computed(pair.pool, pair.space, premises, pair.parameters.index_width, pair.facts)
    proper = Proper(source, pair.parameters.index_width), Proper(target, pair.parameters.index_width)
    setting = Setting(pair, (source, target), proper, computed, texts, to_the_bit, _mode(options), compare)
    table = Table(setting, proof.entries)
    table.check()
    _arrays(pair, table, (source, target), proof)
    trap = _trap(pair, table, target, proper[1])
    if trap is not None:
        raise Rejected("traps", f"`{name_of(trap)}` of the target may be undefined where the source is not")
    converse = better and not table.one_way and _trap(pair, table, source, proper[0]) is None
    return Shown(converse, source.initialised() and target.initialised())


def _mode(options: Options) -> FloatMode:
    match options.floats:
        case "reassoc" | "real" as mode:
            return mode
        case _:
            return "strict"


def _bounds(pair: Pair, premises: Premises, source: isl.Set) -> bool:
    """Checks that the target is undefined for no other parameters than the source; returns whether the converse holds,
    as far as parameters alone decide it.

    `source` are parameters for which the source is undefined for all contents of memory.
    Raises: Rejected if the target may be undefined where the source is not.
    """
    if dead_access(pair.target.body, pair.parameters.index_width) is not None:
        raise Rejected("bounds", "memory of the target may be used after it is deallocated")
    target = undefined(pair.space, pair.target.flat)
    if premises.broken(source) is not None:
        raise Rejected("bounds", "what is read as exact index arithmetic may not be")
    worse = possibly_undefined(pair.space, pair.target.flat, target).subtract(source)
    if not worse.intersect(premises.inputs()).is_empty():
        raise Rejected("bounds", "the target may be undefined where the source is not")
    better = possibly_undefined(pair.space, pair.source.flat, source).subtract(target)
    better = better.intersect(premises.inputs())
    return (
        bool(better.is_empty())
        and premises.converse()
        and dead_access(pair.source.body, pair.parameters.index_width) is None
    )


def _arrays(pair: Pair, table: Table, flows: tuple[Dataflow, Dataflow], proof: DataflowProof) -> None:
    """Checks that everything the caller sees in the end is refined.

    Raises: Rejected.
    """
    steps = dict(proof.arrays)
    source, target = (flow.program for flow in flows)
    if _seen(source) != _seen(target):
        raise Rejected("arrays", "the programs do not end with the same arrays")
    if len(steps) < len(proof.arrays):
        raise Rejected("arrays", "one of them stands twice")
    written = {s.write.array for program in (source, target) for s in program.statements if s.write is not None}
    for name in sorted(_seen(source) & written):
        first, second = (flow.final(name) for flow in flows)
        if first is None or second is None or name not in steps:
            raise Rejected(f"array {name}", "it is not shown to end with the same elements")
        assert first.value is not None and second.value is not None
        relation = same_instances(pair, first, second)
        ends = flows[0].domains[first.name], flows[1].domains[second.name]
        if not (ends[0].is_subset(relation.domain()) and ends[1].is_subset(relation.range())):
            raise Rejected(f"array {name}", "it does not have the same extents")
        table.show(Obligation(At(first, first.value), At(second, second.value), relation), steps[name], f"array {name}")


def _seen(program: Flattened) -> set[str]:
    """The arrays that the caller sees in the end."""
    constant = {c.memory.id for c in program.function.constants}
    arrays = program.arrays.values()
    return {a.name for a in arrays if a.memory.kind in OBSERVABLE and a.memory.id not in constant}


def _trap(pair: Pair, table: Table, flow: Dataflow, proper: Proper) -> Term | None:
    """An operator that may be undefined where the other side is not; None if there is none."""
    for statement in flow.program.statements:
        for term in postorder(statement.terms):
            if term.op not in pair.partial or proper.defined(statement, term):
                continue
            domain = flow.domains[statement.name]
            if table.covers(statement, term, domain):
                continue
            if not is_assured(pair.space, proper, statement, term, domain.intersect_params(pair.space.known)):
                return term
    return None
