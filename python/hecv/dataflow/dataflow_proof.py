"""The dataflow proof of one pair of functions: equal values, bounds, initialisation, traps.

`prove` discharges every proof obligation of "the target refines the source" (and of the converse, as far as it holds):

- each observable element ends with the same value (`hecv.dataflow.induction.wellfounded_induction`);
- wherever the source is defined, the target accesses no element out of bounds, no allocation has a negative extent, no
  loop over `iN` steps out of its type, and no freed memory is used;
- each operator of the target that can be undefined is total, by its literals and non-poison operands, or is shown to be
  defined whenever one that the source evaluates is.
"""

from __future__ import annotations

from typing import Final

import islpy as isl
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, name_of, postorder
from hecv.dataflow.induction.induction_evidence import Grounds
from hecv.dataflow.induction.induction_failures import Failure
from hecv.dataflow.induction.wellfounded_induction import Induction, Limit
from hecv.dataflow.induction.wrapping_indices import Computed
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import Flattened, Instances
from hecv.dataflow.model.silent_stores import without_idle_writes
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Budget, Dataflow, Unverified, analyse
from hecv.dataflow.obligations.loop_races import racing
from hecv.dataflow.obligations.no_wrap import Broken, Premises
from hecv.dataflow.obligations.undefined_domain import possibly_undefined, undefined
from hecv.dataflow.obligations.use_after_free import dead_access
from hecv.dataflow.pair_model import (
    HINT_OPERATIONS,
    OPERATIONS,
    Pair,
    exposes_nan,
    has_nan,
    same_instances,
    source_chooses,
)
from hecv.dataflow.reductions.reduction_equality import Reductions
from hecv.dataflow.residual.scalar_refinement import Scalars
from hecv.dataflow.residual.scalar_residual import Residual
from hecv.dataflow.trap_obligations import uncovered
from hecv.program.tree import Assert, If, walk

MAX_KNOWN_PARTS = 12

IN_CONDITION: Final = (
    "index arithmetic in a condition may overflow, or both trip counts of a coalesced loop be negative"
)
"""Why a normal form does not stand for its program."""


class Statistics(Struct, frozen=True):
    """The cost of a proof: statements after re-rolling, obligations visited, relations widened, chains regrouped."""

    statements: tuple[int, int]
    visits: int
    widenings: int
    regrouped: int = 0


class Proved(Struct, frozen=True):
    """Every obligation is discharged: the target refines the source.

    `converse`: the source refines the target too; if not, `one_way` says why. `initialised`: both sides read of their
    local memory only what was written. `safe`: also, no operator of either side may be undefined, and the converse
    holds; so where the source is in bounds, either side may be compiled and run. `grounds`: the evidence for a
    certificate.
    """

    converse: bool
    one_way: str | None
    initialised: bool
    safe: bool
    statistics: Statistics
    grounds: Grounds | None = None


class Stuck(Struct, frozen=True):
    """An obligation is not discharged. `reason` is `unsupported-op`, `no-proof` or `budget`.

    `source` and `target` are the statements where the proof stopped. `exact`: the obligation really has to hold (no
    widening led to it). `hints` are values of the parameters (by term) on which a run may show a difference. `safe`:
    only equality of values is left to be proved, and both sides are safe in the sense of `Proved`. `inexact`: index
    arithmetic in a condition may overflow.
    """

    reason: str
    text: str
    source: int | None
    target: int | None
    exact: bool
    hints: tuple[dict[Term, int], ...]
    statistics: Statistics
    safe: bool = False
    inexact: bool = False


def prove(
    pair: Pair, operations: int = OPERATIONS, scalars: Scalars | None = None, regroup: bool = True
) -> Proved | Stuck:
    """Proves that the target refines the source, or says where the proof stopped.

    `operations` is the budget of isl operations. `scalars` decides terms with different operators; without it they are
    not proved equal. Without `regroup`, chains of one operator through memory are not compared as multisets.
    """
    pair.space.renew(operations)
    known = pair.space.known
    try:
        return _prove(pair, operations, scalars, regroup)
    except (Budget, isl.Error) as error:
        if isinstance(error, isl.Error) and not isinstance(pair.space.failure(error), Budget):
            raise
        return _stuck(pair, "budget", "the budget of isl operations is used up")
    except Unverified:
        return _stuck(pair, "no-proof", "isl computed a dataflow that does not verify")
    finally:
        # What an attempt learns of the source it learns for itself: the next must not take it for an assumption.
        pair.space.known = known


def _inexact_text(pair: Pair, broken: Broken) -> str:
    """Why the statement that is `broken` may not do what dataflow reads."""
    place = broken.source, broken.target
    branches = (s.id for side in (pair.source, pair.target) for s in walk(side.body) if isinstance(s, If | Assert))
    if any(number in place for number in branches):
        return IN_CONDITION
    return "an element may lie beyond the end of its row, and the length of rows is not known"


def _stuck(
    pair: Pair,
    reason: str,
    text: str,
    source: int | None = None,
    target: int | None = None,
    exact: bool = False,
    hints: tuple[dict[Term, int], ...] = (),
    induction: Induction | None = None,
) -> Stuck:
    return Stuck(reason, text, source, target, exact, hints, _statistics(pair, induction))


def _statistics(pair: Pair, induction: Induction | None) -> Statistics:
    counts = (len(pair.source.flat.statements), len(pair.target.flat.statements))
    if induction is None:
        return Statistics(counts, 0, 0)
    return Statistics(counts, induction.visits, induction.widenings, induction.regrouped)


def _prove(pair: Pair, operations: int, scalars: Scalars | None, regroup: bool) -> Proved | Stuck:
    space = pair.space
    dead = dead_access(pair.target.body, pair.parameters.index_width)
    if dead is not None:
        return _stuck(pair, "no-proof", "memory may be used after it is deallocated", None, dead)
    source_undefined = undefined(space, pair.source.flat)
    premises = Premises(space, pair.parameters, pair.source.flat, pair.target.flat)
    broken = premises.broken(source_undefined)
    if broken is not None:
        text, hints = _inexact_text(pair, broken), pair.sampler.points(broken.parameters)
        stuck = _stuck(pair, "no-proof", text, broken.source, broken.target, exact=True, hints=hints)
        return replace(stuck, inexact=text == IN_CONDITION)
    exact = premises.converse()
    target_undefined = undefined(space, pair.target.flat)
    worse = possibly_undefined(space, pair.target.flat, target_undefined).subtract(source_undefined)
    worse = worse.intersect(premises.inputs())
    if not worse.is_empty():
        text = f"{_undefined_by(pair, pair.target.flat, worse, 'the target')} where the source does not"
        return _stuck(pair, "no-proof", text, exact=True, hints=pair.sampler.points(worse))
    better = possibly_undefined(space, pair.source.flat, source_undefined).subtract(target_undefined)
    better = better.intersect(premises.inputs())
    more = None if better.is_empty() else _undefined_by(pair, pair.source.flat, better, "the source")
    outcomes: list[Proved | Stuck] = []
    for known in inside(pair, source_undefined):
        space.renew(operations)
        space.known = known
        outcomes.append(_compare(pair, operations, scalars, regroup, premises, more, exact))
        if isinstance(outcomes[-1], Proved) and outcomes[-1].converse:
            break
    return next((o for o in reversed(outcomes) if isinstance(o, Proved)), outcomes[-1])


def inside(pair: Pair, source_undefined: isl.Set) -> list[isl.Set]:
    """The sets of parameters to try a proof for; each contains all for which the source is defined.

    The first is larger, in a single piece: with n pieces all relations have up to n times as many, and few proofs need
    to know that an access may be out of bounds where its loop does not run.
    """
    known = pair.space.known
    if source_undefined.is_empty():
        return [known]
    exact = pair.space.coalesced(known.subtract(source_undefined))
    pieces = exact.n_basic_set()
    if pieces <= 1:
        return [exact]
    hull = isl.Set.from_basic_set(exact.simple_hull()).intersect(known)
    return [hull, exact] if pieces <= MAX_KNOWN_PARTS else [hull]


def _compare(
    pair: Pair,
    operations: int,
    scalars: Scalars | None,
    regroup: bool,
    premises: Premises,
    more: str | None,
    exact: bool,
) -> Proved | Stuck:
    """The proof that values are equal and nothing traps, for all parameters in the known set."""
    space = pair.space
    flows = analyse(space, pair.source.flat), analyse(space, pair.target.flat)
    outcome = _through(pair, flows, operations, scalars, regroup, premises, more, exact)
    if isinstance(outcome, Proved):
        return outcome
    space.renew(operations)
    less = without_idle_writes(space, flows[0]), without_idle_writes(space, flows[1])
    if not any(flow.idle for flow in less):
        return outcome
    again = _through(pair, less, operations, scalars, regroup, premises, more, exact)
    return again if isinstance(again, Proved) else outcome


def _through(
    pair: Pair,
    flows: tuple[Dataflow, Dataflow],
    operations: int,
    scalars: Scalars | None,
    regroup: bool,
    premises: Premises,
    more: str | None,
    exact: bool,
) -> Proved | Stuck:
    """The proof through given dataflows."""
    space = pair.space
    width = pair.parameters.index_width
    proper = Proper(flows[0], width), Proper(flows[1], width)
    mode = "strict" if scalars is None else scalars.mode
    to_the_bit = exposes_nan(pair, mode == "strict") or any(flow.program.mixed() for flow in flows)
    if to_the_bit and has_nan(pair):
        return _stuck(pair, "no-proof", "which NaN a constant global holds is not known, and an op shows it")
    residual = (
        None
        if scalars is None
        else Residual(space, flows, proper, pair.partial, scalars, source_chooses(pair), to_the_bit)
    )
    reductions = Reductions(space, flows, proper, mode, to_the_bit, pair.pool) if regroup else None
    computed = Computed(pair.pool, space, premises, width, pair.facts)

    def induct(eager: bool = False, careful: bool = False) -> Proved | Stuck:
        given = (pair.partial, residual, to_the_bit, reductions)
        made = Induction(space, flows[0], flows[1], *given, eager, computed, careful, proper)
        return _induct(pair, made, flows, proper, more, exact)

    if reductions is not None and reductions.occur():
        space.renew(operations // 2)
        outcome = induct(eager=True)
        if isinstance(outcome, Proved):
            return outcome
        space.renew(operations)
    outcome = induct()
    if isinstance(outcome, Stuck) and outcome.reason == "no-proof" and outcome.statistics.widenings:
        again = induct(careful=True)
        return again if isinstance(again, Proved) else outcome
    return outcome


def _induct(
    pair: Pair,
    induction: Induction,
    flows: tuple[Dataflow, Dataflow],
    proper: tuple[Proper, Proper],
    more: str | None,
    exact: bool,
) -> Proved | Stuck:
    """The outcome of one induction.

    `more`: where the source is undefined and the target is not. `exact`: index arithmetic does not prevent the
    converse.
    """
    safe = more is None and exact and _is_safe(pair, flows)
    try:
        failed = _values(pair, induction, *flows)
        trap = None if failed else uncovered(pair, induction, flows[1], proper[1], "T")
        if failed or trap:
            return replace(_failed(pair, induction, "no-proof", trap), safe=safe)
        one_way = _one_way(pair, induction, flows[0], proper[0], more)
        if one_way is None and not exact:
            one_way = "index arithmetic in a condition of the target may overflow where the source is undefined"
    except Limit:
        return replace(_failed(pair, induction, "no-proof"), safe=safe)
    except isl.Error as error:
        if not isinstance(pair.space.failure(error), Budget):
            raise
        return replace(_failed(pair, induction, "budget"), safe=safe)
    initialised = all(flow.initialised() for flow in flows)
    safe = safe and one_way is None
    grounds = induction.grounds(pair.space.known)
    return Proved(one_way is None, one_way, initialised, safe, _statistics(pair, induction), grounds)


def _is_safe(pair: Pair, flows: tuple[Dataflow, Dataflow]) -> bool:
    """Whether neither side evaluates an operator that can be undefined, reads uninitialised local memory, or uses
    memory after its deallocation."""
    statements = (*pair.source.flat.statements, *pair.target.flat.statements)
    if any(t.op in pair.partial for s in statements for t in postorder(s.terms)):
        return False
    dead = any(dead_access(side.body, pair.parameters.index_width) is not None for side in (pair.source, pair.target))
    return not dead and all(flow.initialised() for flow in flows)


def _undefined_by(pair: Pair, program: Flattened, where: isl.Set, side: str) -> str:
    """What is undefined in a program at some of the parameters `where`."""
    if program.parallel and not racing(pair.space, program, True).intersect(where).is_empty():
        return f"{side} has a race between iterations of a parallel loop"
    return f"{side} leaves the bounds of an array"


def _one_way(pair: Pair, induction: Induction, source: Dataflow, proper: Proper, more: str | None) -> str | None:
    """Why the source does not refine the target, None where it does."""
    if more is not None:
        return f"{more} where the target does not"
    if dead_access(pair.source.body, pair.parameters.index_width) is not None:
        return "the source may use memory after it is deallocated"
    trap = uncovered(pair, induction, source, proper, "S")
    if trap is not None:
        return f"`{name_of(trap[1])}` of the source may be undefined where the target is not"
    # Last, because to cover a trap is a proof too, and may find poison in the source.
    return "the source has poison, flags or a choice where the target has a value" if induction.one_way else None


def _values(pair: Pair, induction: Induction, source: Dataflow, target: Dataflow) -> bool:
    """Tries to prove that each observable array ends with the same contents; returns whether that failed."""
    written = {s.write.array for f in (source, target) for s in f.program.statements if s.write is not None}
    for name in source.program.arrays:
        first, second = source.final(name), target.final(name)
        if first is None or second is None or name not in written:
            continue
        assert first.value is not None and second.value is not None
        relation = same_instances(pair, first, second)
        if not induction.prove(At(first, first.value), At(second, second.value), relation):
            return True
    return False


def _failed(pair: Pair, induction: Induction, reason: str, trap: tuple[Instances, Term] | None = None) -> Stuck:
    """The report of the most informative failure: the first exact one, else the first."""
    pair.space.renew(HINT_OPERATIONS)
    if trap is not None:
        text = f"`{name_of(trap[1])}` of the target may be undefined where the source is not"
        return _stuck(pair, reason, text, None, trap[0].statement, induction=induction)
    failures = list(induction.failures)
    exact = [f for f in failures if f.exact]
    if not failures:
        return _stuck(pair, reason, "the proof took more steps than it may", induction=induction)
    best = (exact or failures)[0]
    hints: list[dict[Term, int]] = []
    try:
        for failure in _distinct(exact + failures):
            hints += pair.sampler.points(failure.parameters)
    except isl.Error as error:
        if not isinstance(pair.space.failure(error), Budget):
            raise
    return _stuck(
        pair, reason, best.reason, best.source, best.target, best.exact, tuple(hints[:12]), induction=induction
    )


def _distinct(failures: list[Failure]) -> list[Failure]:
    seen: set[tuple[int | None, int | None]] = set()
    out: list[Failure] = []
    for failure in failures:
        if (failure.source, failure.target) not in seen:
            seen.add((failure.source, failure.target))
            out.append(failure)
    return out[:6]
