"""Value-based array dataflow: for each read, the exact write that produced the value.

The producer of a read is the last write to the same element before it: the lexicographic maximum of a relation. isl's
answers are verified. isl's own dataflow analysis (`compute_flow`) is not used: it loses producers of some programs with
floors in their subscripts (docs/design/0002).

All isl objects of one proof live in one private context; `Isl` holds it and the parameter prefix, and turns text into
sets and maps.

Cites: Feautrier, "Dataflow analysis of array and scalar references", IJPP 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

import islpy as isl
from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term
from hecv.dataflow.model.isl_translation import Parameters
from hecv.dataflow.model.scop import Access, Flattened, Instances
from hecv.program.tree import MemoryKind

SHELVED: Final = 5_000
"""The most sets that are cached, and the most maps."""

AnyPieces = TypeVar("AnyPieces", isl.Set, isl.Map)


class Budget(Exception):
    """isl's operation budget is used up."""


class Unverified(Exception):
    """An answer of isl failed its check."""


def whole(value: isl.Val) -> int:
    """An isl integer as a Python integer.

    Raises: isl.Error beyond the budget; islpy's own conversion would read the missing text as a number.
    """
    text = value.to_str()
    if not text:
        raise isl.Error("isl gave no text")
    return int(text)


class Shelf:
    """An isl context shared by successive proofs, with a cache of parsed texts: pairs with one source repeat much."""

    def __init__(self) -> None:
        self.context: Final = isl.Context()
        self.sets: Final[dict[str, isl.Set]] = {}
        self.maps: Final[dict[str, isl.Map]] = {}

    def make_room(self) -> None:
        """Clears the cache if it is large."""
        for kept in (self.sets, self.maps):
            if len(kept) >= SHELVED:
                kept.clear()


class Isl:
    """One isl context with an operation budget, and the parameters of a pair of programs; with a `shelf`, the context
    of an earlier proof, which has ended."""

    def __init__(
        self, parameters: Parameters, assumptions: Iterable[str], budget: int, shelf: Shelf | None = None
    ) -> None:
        self._shelf = shelf
        self.context = isl.Context() if shelf is None else shelf.context
        if shelf is not None:
            shelf.make_room()
        self.renew(budget)
        parameters.closed = True
        self._prefix = parameters.prefix()
        constraints = " and ".join([*parameters.context, *assumptions]) or "1 = 1"
        self.known = self.set(f"{{ : {constraints} }}")

    def renew(self, budget: int) -> None:
        """Starts a new budget of operations."""
        self.context.reset_operations()
        self.context.set_max_operations(budget)

    def failure(self, error: isl.Error) -> Exception:
        """`Budget` if isl stopped at its operation limit, otherwise the error itself.

        Beyond its limit isl refuses all work, and reports even correct text as a syntax error.
        """
        try:
            isl.Set.read_from_str(self.context, "{ [i] : 0 <= i <= 9 }").coalesce()
        except isl.Error:
            return Budget()
        return error

    def coalesced(self, pieces: AnyPieces) -> AnyPieces:
        """The same set or map with fewer disjuncts; unchanged if isl cannot (some of its assertions fail)."""
        try:
            return pieces.coalesce()
        except isl.Error as error:
            if isinstance(self.failure(error), Budget):
                raise
            return pieces

    def set(self, text: str) -> isl.Set:
        """The set of an isl text without its parameter prefix."""
        text = self._prefix + text
        if self._shelf is None:
            return isl.Set.read_from_str(self.context, text)
        if text not in self._shelf.sets:
            self._shelf.sets[text] = isl.Set.read_from_str(self.context, text)
        return self._shelf.sets[text]

    def map(self, text: str) -> isl.Map:
        """The map of an isl text without its parameter prefix."""
        text = self._prefix + text
        if self._shelf is None:
            return isl.Map.read_from_str(self.context, text)
        if text not in self._shelf.maps:
            self._shelf.maps[text] = isl.Map.read_from_str(self.context, text)
        return self._shelf.maps[text]

    def domain(self, statement: Instances) -> isl.Set:
        """The instances of a statement, for the parameters that are possible."""
        text = f"{{ {statement.tuple_text()} : {statement.domain_text()} }}"
        return self.set(text).intersect_params(self.known)

    def restrict(self, params: isl.Set) -> None:
        """Adds the constraint that the parameters lie in `params`."""
        self.known = self.coalesced(self.known.intersect(params))


class Producers(Struct, frozen=True):
    """The producers of one read.

    `writes` maps instances of the reading statement to those of the writing one; `initial` are the instances that read
    the initial contents (None if there are none). Both hold if no arrays overlap. They hold for every overlap except at
    the instances `unsettled` (None if there are none): there an array that may overlap is written after the producer
    and before the read. `between` has the times between the two for those instances.
    """

    writes: tuple[tuple[Instances, isl.Map], ...]
    initial: isl.Set | None
    unsettled: isl.Set | None = None
    between: isl.Map | None = None

    def certain(self) -> tuple[tuple[Instances, isl.Map], ...]:
        """The writes that are read for every overlap of arrays."""
        if self.unsettled is None:
            return self.writes
        steps = ((writer, step.subtract_domain(self.unsettled)) for writer, step in self.writes)
        return tuple((writer, step) for writer, step in steps if not step.is_empty())

    def without_write(self) -> isl.Set | None:
        """The instances whose producer is not known to be a particular write; None if there are none."""
        if self.initial is None or self.unsettled is None:
            return self.initial if self.unsettled is None else self.unsettled
        return self.initial.union(self.unsettled)


class Idle(Struct, frozen=True):
    """Silent stores: each instance of the `writer` writes back what an instance of the `copier` (reached by `step`) has
    copied from the same element."""

    writer: str
    copier: str
    step: isl.Map


class Dataflow(Struct, frozen=True):
    """A program with its domains, the producers of every read, and the writers of each array.

    `idle` has the silent stores that are left out (`hecv.dataflow.model.silent_stores`), in rounds: those of a round
    are silent in the program without those of the rounds before.
    """

    program: Flattened
    domains: Mapping[str, isl.Set]
    producers: Mapping[tuple[str, Term], Producers]
    writers: Mapping[str, tuple[Writer, ...]] = field(default_factory=dict[str, "tuple[Writer, ...]"])
    idle: tuple[tuple[Idle, ...], ...] = ()

    def final(self, array: str) -> Instances | None:
        """The statement that stands for the caller's read of an observable array in the end."""
        for statement in self.program.statements:
            if statement.statement == -1 and statement.name[2:] == array:
                return statement
        return None

    def initialised(self) -> bool:
        """Whether no read of memory that the program allocates finds it unwritten."""
        return not any(
            undefined_at_first(self.program, access.array) and self.producers[statement.name, load].initial is not None
            for statement in self.program.statements
            for load, access in statement.reads.items()
        )


def access_text(isl_tuple: str, access: Access, domain: str) -> str:
    """`S0[i0] -> A1[i0 + 1] : domain`."""
    return f"{isl_tuple} -> {access.array}[{', '.join(access.indices)}] : {domain}"


def analyse(space: Isl, program: Flattened) -> Dataflow:
    """The value-based dataflow of a program.

    Raises: Budget if isl's operation budget is used up; Unverified if isl's answer fails its check.
    """
    try:
        return _analyse(space, program)
    except isl.Error as error:
        raise space.failure(error) from error


class Writer(Struct, frozen=True):
    """A statement that writes an array: the map from elements to the instances that write them, and their times."""

    statement: Instances
    instances: isl.Map
    time: isl.Map


def _analyse(space: Isl, program: Flattened) -> Dataflow:
    domains = {s.name: space.domain(s) for s in program.statements}
    length = _length(program)
    writers: dict[str, tuple[Writer, ...]] = {}
    for statement in program.statements:
        if statement.write is not None and not domains[statement.name].is_empty():
            writer = Writer(
                statement,
                elements_of(space, statement, statement.write).reverse(),
                space.map(_time(statement, length, 1)).intersect_domain(domains[statement.name]),
            )
            array = statement.write.array
            writers[array] = (*writers.get(array, ()), writer)
    return flow_of(space, program, domains, writers)


def flow_of(
    space: Isl, program: Flattened, domains: Mapping[str, isl.Set], writers: Mapping[str, tuple[Writer, ...]]
) -> Dataflow:
    """The dataflow of a program, given the `writers` of each array.

    Raises: Unverified, islpy.Error.
    """
    length = _length(program)
    times = isl.Space.set_alloc(space.context, 0, length)
    earlier, later = isl.Map.lex_gt(times), isl.Map.lex_lt(times)
    producers: dict[tuple[str, Term], Producers] = {}
    for statement in program.statements:
        domain, past = domains[statement.name], None
        for load, access in statement.reads.items():
            candidates = writers.get(access.array, ())
            others = [w for name in program.overlapping(access.array) for w in writers.get(name, ())]
            if domain.is_empty() or not (candidates or others):
                producers[statement.name, load] = Producers((), None if domain.is_empty() else domain)
                continue
            if past is None:
                past = space.map(_time(statement, length, 0)).intersect_domain(domain).apply_range(earlier)
            elements = elements_of(space, statement, access)
            found, last = _producers(space, elements, past, candidates, domain, later)
            producers[statement.name, load] = _overtaken(space, found, others, _after(past, last, later))
    return Dataflow(program, domains, producers, writers)


def written_before(space: Isl, flow: Dataflow, writer: Writer) -> Producers:
    """The last writes to the same elements before the instances of a writing statement.

    Raises: Unverified, islpy.Error.
    """
    statement = writer.statement
    assert statement.write is not None
    domain, length = writer.instances.range(), _length(flow.program)
    times = isl.Space.set_alloc(space.context, 0, length)
    past = space.map(_time(statement, length, 0)).intersect_domain(domain).apply_range(isl.Map.lex_gt(times))
    candidates = flow.writers[statement.write.array]
    return _producers(space, writer.instances.reverse(), past, candidates, domain, isl.Map.lex_lt(times))[0]


def _length(program: Flattened) -> int:
    """How many numbers a time has."""
    return 1 + max((len(s.schedule) for s in program.statements), default=0)


def _after(past: isl.Map, last: isl.Map | None, later: isl.Map) -> isl.Map:
    """The part of `past` after the `last` write, where there is one."""
    if last is None:
        return past
    return past.intersect(last.apply_range(later)).union(past.subtract_domain(last.domain()))


def _overtaken(space: Isl, found: Producers, others: list[Writer], between: isl.Map) -> Producers:
    """The producers, with the instances at which a write of the `others` may come after them."""
    unsettled: isl.Set | None = None
    for writer in others:
        own = between.intersect_range(writer.time.range()).domain()
        unsettled = own if unsettled is None else unsettled.union(own)
    if unsettled is None or unsettled.is_empty():
        return found
    unsettled = space.coalesced(unsettled)
    return replace(found, unsettled=unsettled, between=between.intersect_domain(unsettled))


def elements_of(space: Isl, statement: Instances, access: Access) -> isl.Map:
    """The element that each instance accesses."""
    text = access_text(statement.tuple_text(), access, statement.domain_text())
    return space.map(f"{{ {text} }}").intersect_params(space.known)


def _time(statement: Instances, length: int, last: int) -> str:
    padding = ["0"] * (length - 1 - len(statement.schedule))
    return f"{{ {statement.tuple_text()} -> [{', '.join([*statement.schedule, *padding, str(last)])}] }}"


def _producers(
    space: Isl, elements: isl.Map, past: isl.Map, candidates: Sequence[Writer], domain: isl.Set, later: isl.Map
) -> tuple[Producers, isl.Map | None]:
    """The last write before each instance of a read, and its time.

    `elements` maps the reading instances to the element they read, `past` to all times before them.
    """
    writes: isl.Map | None = None
    touching: list[tuple[Writer, isl.Map]] = []
    for writer in candidates:
        same = elements.apply_range(writer.instances)
        times = same.apply_range(writer.time).intersect(past)
        if not times.is_empty():
            touching.append((writer, same))
            writes = times if writes is None else writes.union(times)
    if writes is None:
        return Producers((), domain), None
    last = last_of(space, writes, later)
    found: list[tuple[Instances, isl.Map]] = []
    rest = space.coalesced(domain.subtract(writes.domain()))
    covered = rest
    for writer, same in touching:
        produced = space.coalesced(last.apply_range(writer.time.reverse()).intersect(same))
        if not produced.is_empty():
            found.append((writer.statement, produced))
            covered = covered.union(produced.domain())
    if not domain.is_subset(covered):
        raise Unverified
    return Producers(tuple(found), None if rest.is_empty() else rest), last


def last_of(space: Isl, writes: isl.Map, later: isl.Map) -> isl.Map:
    """The lexicographic maximum of `writes`, verified.

    isl computes maxima in place, and damages its argument if floors occur: so it gets a copy, made by renaming. Its
    answer may lack disjuncts; then the maximum is computed by subtracting all that is earlier than another.

    Raises: Unverified.
    """
    copy = writes.set_tuple_name(isl.dim_type.out, "time")
    last = space.coalesced(copy.lexmax().reset_tuple_id(isl.dim_type.out))
    if not _is_last(last, writes, later):
        last = space.coalesced(writes.subtract(writes.apply_range(later.reverse())))
        if not _is_last(last, writes, later):
            raise Unverified
    return last


def _is_last(last: isl.Map, writes: isl.Map, later: isl.Map) -> bool:
    """Whether `last` is the maximum of `writes`: one of them, for each instance that has any, and none is later."""
    if not last.is_subset(writes) or not writes.domain().is_subset(last.domain()):
        return False
    return last.apply_range(later).intersect(writes).is_empty()


def undefined_at_first(program: Flattened, array: str) -> bool:
    """Whether the array is uninitialised before the program writes it."""
    return program.arrays[array].memory.kind not in (MemoryKind.ARGUMENT, MemoryKind.GLOBAL)
