"""The dataflow proof of one pair of functions: values, bounds, initialisation, traps.

`prove` discharges every obligation of "the target refines the source" (and of the converse, as far as it holds):

- each observable element ends with the same value (`hecv.poly.equivalence`);
- wherever the source is defined, the target accesses no element out of bounds, no allocation has a negative extent, no
  loop over `iN` steps out of its type, and no dead memory is used;
- each operator of the target that can be undefined is evaluated by the source too, with the same operands, or has a
  literal divisor that makes it total.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.graph.memory import normalize
from hecv.graph.raising import signed
from hecv.graph.reroll import reroll
from hecv.graph.tree import Alloc, Block, Dealloc, Evaluate, Function, If, Loop, Statement, Store, Touch, walk
from hecv.poly.dataflow import Budget, Dataflow, Isl, Unverified, analyse, undefined_at_first
from hecv.poly.equivalence import At, Failure, Induction, Limit
from hecv.poly.space import Parameters, Translator
from hecv.poly.statements import Access, Flattened, Instances, flatten

MAX_KNOWN_PARTS = 12
RECURSION = 200_000
OPERATIONS = 20_000_000
HINT_OPERATIONS = 2_000_000


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a proof took: statements after re-rolling, obligations visited, relations widened."""

    statements: tuple[int, int]
    visits: int
    widenings: int


@dataclass(frozen=True, slots=True)
class Proved:
    """Every obligation is discharged. `converse` tells whether the source refines the target too; if not,
    `one_way` says why. `safe` tells that both sides read only what was written and have no operator that may be
    undefined: where the source's bounds hold, either may be given to a compiler and run."""

    converse: bool
    one_way: str | None
    safe: bool
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Stuck:
    """An obligation is not discharged. `reason` is `unsupported-op`, `no-proof` or `budget`.

    `source` and `target` are the statements where the proof stopped. `exact` tells that the obligation really has to
    hold; `hints` are values of the parameters (by term) worth a run.
    """

    reason: str
    text: str
    source: int | None
    target: int | None
    exact: bool
    hints: tuple[dict[Term, int], ...]
    statistics: Statistics


@dataclass(slots=True)
class Side:
    """One program on its way through the proof."""

    function: Function
    body: Block
    flat: Flattened


class Pair:
    """Both programs as isl sees them, in one context; made once, then used to sample inputs and to prove.

    `constrain` are i1 terms over arguments and extents that are assumed to hold.
    Raises: Refused where one of the functions is not affine; NotAffine where an assumption is not.
    """

    def __init__(
        self,
        pool: TermPool,
        source: Function,
        target: Function,
        constrain: Sequence[Term],
        index_width: int = 64,
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
        self.parameters = Parameters(index_width=index_width)
        self.source = _side(pool, source, self.parameters, "S")
        self.target = _side(pool, target, self.parameters, "T")
        assumed = [Translator(self.parameters, {}).condition(term) for term in constrain]
        self.space = Isl(self.parameters, assumed, OPERATIONS)
        self.partial = frozenset(s.term.op for f in (source, target) for s in walk(f.body) if isinstance(s, Evaluate))

    def undefined(self) -> isl.Set:
        """The parameters, among those assumed, for which the source leaves the bounds of an array.

        Raises: Budget.
        """
        try:
            return undefined(self.space, self.source.flat)
        except isl.Error as error:
            raise self.space.failure(error) from error

    def is_vacuous(self) -> bool:
        """Whether isl shows that no parameters are left that respect the assumptions and keep the source in bounds."""
        self.space.renew(HINT_OPERATIONS)
        try:
            return bool(self.space.known.subtract(self.undefined()).is_empty())
        except (Budget, isl.Error) as error:
            if isinstance(error, isl.Error) and not isinstance(self.space.failure(error), Budget):
                raise
            return False


def _side(pool: TermPool, function: Function, parameters: Parameters, side: str) -> Side:
    body = reroll(pool, normalize(pool, function))
    return Side(function, body, flatten(pool, function, body, parameters, side))


def undefined(space: Isl, program: Flattened) -> isl.Set:
    """The parameters for which some access is out of bounds, an extent negative or an `iN` loop wraps."""
    result = space.known.subtract(space.known)
    for statement in program.statements:
        accesses = list(statement.reads.values())
        if statement.write is not None:
            accesses.append(statement.write)
        outside = sorted({_outside(a) for a in accesses} - {""})
        if outside:
            result = result.union(_where(space, statement, " or ".join(outside)))
    for statement, extent in program.negative:
        result = result.union(_where(space, statement, f"{extent} < 0"))
    for statement, beyond in program.wraps:
        result = result.union(_where(space, statement, beyond))
    return space.coalesced(result)


def _overflowing(pair: Pair, program: Flattened) -> int | None:
    """A branch whose condition computes an index that may leave the range of `index`, None where there is none."""
    half = 1 << (pair.parameters.index_width - 1)
    names = [n for t, n in pair.parameters.names.items() if t.op in ("arg", "dim") and isinstance(t.type, IndexType)]
    given = "".join(f" and {-half} <= {n} < {half}" for n in names)
    for statement, text in program.exact:
        if not _where(pair.space, statement, f"({text} < {-half} or {text} >= {half}){given}").is_empty():
            return statement.statement
    return None


def _outside(access: Access) -> str:
    subscripts = access.indices[access.private :]
    return " or ".join(f"{i} < 0 or {i} >= {n}" for i, n in zip(subscripts, access.extents, strict=True))


def _where(space: Isl, statement: Instances, condition: str) -> isl.Set:
    text = f"{{ {statement.tuple_text()} : {statement.domain_text()} and ({condition}) }}"
    return space.set(text).params().intersect(space.known)


def prove(pair: Pair, operations: int = OPERATIONS) -> Proved | Stuck:
    """Proves that the target refines the source, or says where the proof stopped; isl may do so many operations."""
    pair.space.renew(operations)
    known = pair.space.known
    try:
        return _prove(pair)
    except (Budget, isl.Error) as error:
        if isinstance(error, isl.Error) and not isinstance(pair.space.failure(error), Budget):
            raise
        return _stuck(pair, "budget", "the budget of isl operations is used up")
    except Unverified:
        return _stuck(pair, "no-proof", "isl computed a dataflow that does not verify")
    finally:
        # What an attempt learns of the source it learns for itself: the next must not take it for an assumption.
        pair.space.known = known


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
    return Statistics(counts, induction.visits, induction.widenings)


def _prove(pair: Pair) -> Proved | Stuck:
    space = pair.space
    dead = dead_access(pair.target.body)
    if dead is not None:
        return _stuck(pair, "no-proof", "memory may be used after it is deallocated", None, dead)
    for side in (pair.source, pair.target):
        at = _overflowing(pair, side.flat)
        if at is not None:
            places = (at, None) if side is pair.source else (None, at)
            return _stuck(pair, "no-proof", "index arithmetic in a condition may overflow", *places)
    source_undefined = undefined(space, pair.source.flat)
    target_undefined = undefined(space, pair.target.flat)
    worse = target_undefined.subtract(source_undefined)
    if not worse.is_empty():
        text = "the target leaves the bounds of an array where the source does not"
        return _stuck(pair, "no-proof", text, exact=True, hints=samples(pair, worse))
    better = source_undefined.subtract(target_undefined)
    if not source_undefined.is_empty():
        inside = space.coalesced(space.known.subtract(source_undefined))
        if inside.n_basic_set() <= MAX_KNOWN_PARTS:
            space.restrict(inside)
    flows = analyse(space, pair.source.flat), analyse(space, pair.target.flat)
    induction = Induction(space, flows[0], flows[1], pair.partial)
    try:
        failed = _values(pair, induction, *flows)
        trap = None if failed else _uncovered(pair, induction, flows[1], "T")
        if failed or trap:
            return _failed(pair, induction, "no-proof", trap)
        one_way = _one_way(pair, induction, flows[0], better)
    except Limit:
        return _failed(pair, induction, "no-proof")
    except isl.Error as error:
        if not isinstance(pair.space.failure(error), Budget):
            raise
        return _failed(pair, induction, "budget")
    safe = one_way is None and not pair.partial and all(_initialised(flow) for flow in flows)
    return Proved(one_way is None, one_way, safe, _statistics(pair, induction))


def _initialised(flow: Dataflow) -> bool:
    """Whether every read of memory that the program allocates finds something written."""
    return not any(
        undefined_at_first(flow.program, access.array) and flow.producers[statement.name, load].initial is not None
        for statement in flow.program.statements
        for load, access in statement.reads.items()
    )


def _one_way(pair: Pair, induction: Induction, source: Dataflow, better: isl.Set) -> str | None:
    """Why the source does not refine the target, None where it does."""
    if not better.is_empty():
        return "the source leaves the bounds of an array where the target does not"
    if dead_access(pair.source.body) is not None:
        return "the source may use memory after it is deallocated"
    trap = _uncovered(pair, induction, source, "S")
    if trap is not None:
        return f"`{trap[1].op}` of the source may be undefined where the target is not"
    # Last, because to cover a trap is a proof too, and may find poison in the source.
    return "the source has poison where the target has a value" if induction.one_way else None


def _values(pair: Pair, induction: Induction, source: Dataflow, target: Dataflow) -> bool:
    """Tries to prove that each observable array ends with the same contents; answers whether that failed."""
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


def same_instances(pair: Pair, source: Instances, target: Instances) -> isl.Map:
    """The map between the instances of two statements that have the same dimensions' values."""
    equal = " and ".join(f"{i} = {j}" for i, j in zip(source.dims, target.dims, strict=True)) or "1 = 1"
    bounds = f"{source.domain_text()} and {target.domain_text()} and {equal}"
    text = f"{{ {source.tuple_text()} -> {target.tuple_text()} : {bounds} }}"
    return pair.space.map(text).intersect_params(pair.space.known)


def _failed(pair: Pair, induction: Induction, reason: str, trap: tuple[Instances, Term] | None = None) -> Stuck:
    """The report of the failure that says most: the first exact one, else the first."""
    pair.space.renew(HINT_OPERATIONS)
    if trap is not None:
        text = f"`{trap[1].op}` of the target may be undefined where the source is not"
        return _stuck(pair, reason, text, None, trap[0].statement, induction=induction)
    failures = induction.failures
    exact = [f for f in failures if f.exact]
    if not failures:
        return _stuck(pair, reason, "the proof took more steps than it may", induction=induction)
    best = (exact or failures)[0]
    hints: list[dict[Term, int]] = []
    try:
        for failure in _distinct(exact + failures):
            hints += samples(pair, failure.parameters)
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


def samples(pair: Pair, parameters: isl.Set) -> tuple[dict[Term, int], ...]:
    """A few points of a set of parameters, small ones first."""
    found: list[dict[Term, int]] = []
    names = [(term, name) for term, name in pair.parameters.names.items() if term.op in ("arg", "dim")]
    small = parameters
    for bound in (3, 20, 100):
        for low in (0, -bound):
            within = " and ".join(f"{low} <= {name} <= {bound}" for _, name in names) or "1 = 1"
            small = parameters.intersect(pair.space.set(f"{{ : {within} }}").params())
            point = sample(pair, small)
            if point is not None:
                return (*found, point)
    point = sample(pair, parameters)
    return (point,) if point is not None else ()


def sample(pair: Pair, parameters: isl.Set) -> dict[Term, int] | None:
    """One point of a set of parameters, None where it is empty."""
    if parameters.is_empty():
        return None
    point = parameters.sample_point()
    values: dict[Term, int] = {}
    space = parameters.get_space()
    for term, name in pair.parameters.names.items():
        at = space.find_dim_by_name(isl.dim_type.param, name)
        if term.op in ("arg", "dim") and at >= 0:
            values[term] = int(point.get_coordinate_val(isl.dim_type.param, at).to_python())
    return values


# Traps and dead memory.


def _uncovered(pair: Pair, induction: Induction, flow: Dataflow, side: str) -> tuple[Instances, Term] | None:
    """An operator that may be undefined and that the other side does not evaluate alike, None where there is none."""
    for statement in flow.program.statements:
        for term in postorder(statement.terms):
            if term.op not in pair.partial or _total(term):
                continue
            rest = flow.domains[statement.name].intersect_params(pair.space.known)
            known = induction.covered.get((statement.name, term.id))
            if known is not None:
                rest = rest.subtract(known)
            if not rest.is_empty() and not _matched(pair, induction, statement, term, side):
                return statement, term
    return None


def _matched(pair: Pair, induction: Induction, statement: Instances, term: Term, side: str) -> bool:
    """Whether a statement of the other side with the same dimensions evaluates the same at the same iterations."""
    other = pair.source.flat if side == "T" else pair.target.flat
    for candidate in other.statements:
        if len(candidate.dims) != len(statement.dims):
            continue
        for theirs in postorder(candidate.terms):
            if theirs.op != term.op:
                continue
            first, second = (candidate, statement) if side == "T" else (statement, candidate)
            one, two = (theirs, term) if side == "T" else (term, theirs)
            relation = same_instances(pair, first, second)
            domain = pair.space.domain(statement)
            whole = domain.is_subset(relation.range() if side == "T" else relation.domain())
            if whole and induction.prove(At(first, one), At(second, two), relation):
                return True
    return False


def _total(term: Term) -> bool:
    """Whether a division has a literal divisor for which it is defined whatever the dividend is."""
    if len(term.args) != 2:
        return False
    divisor, width = literal(term.args[1]), 64
    if not isinstance(divisor, int):
        return False
    if isinstance(term.type, IntType):
        width = term.type.width
        divisor = signed(divisor, width)
    if term.op == "affine.quotient":
        return divisor > 0
    return divisor != 0 and divisor != -1 and width > 1


def dead_access(block: Block) -> int | None:
    """A statement that may use memory after its deallocation, None where the tree shows that there is none.

    A deallocation is accepted where it stands in the block of its allocation, once, and nothing after it in that block
    names the memory.
    """
    allocated: set[int] = set()
    dead: set[int] = set()
    for statement in block:
        for inner in walk((statement,)):
            if any(m in dead for m in _named(inner)):
                return inner.id
        match statement:
            case Alloc(memory=memory):
                allocated.add(memory.id)
            case Dealloc(memory=memory):
                if memory.id not in allocated:
                    return statement.id
                dead.add(memory.id)
            case Loop():
                inner_dead = dead_access(statement.body)
                if inner_dead is not None:
                    return inner_dead
            case If():
                for branch in (statement.then, statement.otherwise):
                    inner_dead = dead_access(branch)
                    if inner_dead is not None:
                        return inner_dead
            case _:
                pass
    return None


def _named(statement: Statement) -> Iterable[int]:
    match statement:
        case Store(memory=memory):
            terms = (*statement.indices, statement.value)
            return [memory.id, *_loaded(terms)]
        case Touch():
            return _loaded((*statement.accesses, *statement.terms))
        case Alloc(memory=memory) | Dealloc(memory=memory):
            return [memory.id]
        case _:
            return []


def _loaded(terms: tuple[Term, ...]) -> list[int]:
    return [int(str(t.attr("memory"))) for t in postorder(terms) if t.op == "load"]
