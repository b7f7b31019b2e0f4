"""Value-based array dataflow: for each read, the exact write that produced the value (Feautrier, IJPP 1991).

All isl objects of one proof live in one private context; `Isl` holds it and the parameter prefix, and turns text into
sets and maps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import islpy as isl

from hecv.base.term import Term
from hecv.graph.tree import MemoryKind
from hecv.poly.space import Parameters
from hecv.poly.statements import Access, Flattened, Instances


class Budget(Exception):
    """isl's operation budget is used up."""


class Isl:
    """One isl context with an operation budget, and the parameters of a pair of programs."""

    def __init__(self, parameters: Parameters, assumptions: Iterable[str], budget: int) -> None:
        self.context = isl.Context()
        self.context.set_max_operations(budget)
        parameters.closed = True
        self._prefix = parameters.prefix()
        constraints = " and ".join([*parameters.context, *assumptions]) or "1 = 1"
        self.known = self.set(f"{{ : {constraints} }}")

    def renew(self, budget: int) -> None:
        """Starts a new budget of operations."""
        self.context.reset_operations()
        self.context.set_max_operations(budget)

    def failure(self, error: isl.Error) -> Exception:
        """`Budget` where isl stopped at its operation limit, otherwise the error itself.

        Beyond its limit isl refuses all work, and calls the most harmless text a syntax error.
        """
        try:
            isl.Set.read_from_str(self.context, "{ [i] : 0 <= i <= 9 }").coalesce()
        except isl.Error:
            return Budget()
        return error

    def set(self, text: str) -> isl.Set:
        """The set of an isl text without its parameter prefix."""
        return isl.Set.read_from_str(self.context, self._prefix + text)

    def map(self, text: str) -> isl.Map:
        """The map of an isl text without its parameter prefix."""
        return isl.Map.read_from_str(self.context, self._prefix + text)

    def union_map(self, texts: Iterable[str]) -> isl.UnionMap:
        """The union of maps given as `A[..] -> B[..] : constraints`."""
        return isl.UnionMap.read_from_str(self.context, f"{self._prefix}{{ {'; '.join(texts)} }}")

    def domain(self, statement: Instances) -> isl.Set:
        """The instances of a statement within what is known of the parameters."""
        text = f"{{ {statement.tuple_text()} : {statement.domain_text()} }}"
        return self.set(text).intersect_params(self.known)

    def restrict(self, params: isl.Set) -> None:
        """Learns that the parameters lie in `params`."""
        self.known = self.known.intersect(params).coalesce()


@dataclass(frozen=True, slots=True)
class Producers:
    """Where the value of one read comes from.

    `writes` maps instances of the reading statement to those of the writing one; `initial` are the instances that read
    what the array held before the program (None where there is none).
    """

    writes: tuple[tuple[Instances, isl.Map], ...]
    initial: isl.Set | None


@dataclass(frozen=True, slots=True)
class Dataflow:
    """A program with its domains and the producers of every read."""

    program: Flattened
    domains: Mapping[str, isl.Set]
    producers: Mapping[tuple[str, Term], Producers]

    def final(self, array: str) -> Instances | None:
        """The statement that reads all of an observable array in the end."""
        for statement in self.program.statements:
            if statement.statement == -1 and statement.name[2:] == array:
                return statement
        return None


def access_text(isl_tuple: str, access: Access, domain: str) -> str:
    """`S0[i0] -> A1[i0 + 1] : domain`."""
    return f"{isl_tuple} -> {access.array}[{', '.join(access.indices)}] : {domain}"


def analyse(space: Isl, program: Flattened) -> Dataflow:
    """The dataflow of a program.

    Raises: Budget when isl's operation budget is used up.
    """
    try:
        return _analyse(space, program)
    except isl.Error as error:
        raise space.failure(error) from error


def _analyse(space: Isl, program: Flattened) -> Dataflow:
    domains = {s.name: space.domain(s) for s in program.statements}
    sinks: dict[str, tuple[Instances, Term]] = {}
    reads: list[str] = []
    times: list[str] = []
    writes: list[str] = []
    length = 1 + max(len(s.schedule) for s in program.statements) if program.statements else 1
    written = {s.write.array for s in program.statements if s.write is not None}
    for statement in program.statements:
        domain, dims = statement.domain_text(), ", ".join(statement.dims)
        if statement.write is not None:
            writes.append(access_text(statement.tuple_text(), statement.write, domain))
            times.append(_time(statement.tuple_text(), statement, length, 1))
        for number, (load, access) in enumerate(statement.reads.items()):
            if access.array not in written:
                continue
            name = f"{statement.name}_r{number}"
            sinks[name] = (statement, load)
            reads.append(access_text(f"{name}[{dims}]", access, domain))
            times.append(_time(f"{name}[{dims}]", statement, length, 0))
    found = _flow(space, reads, writes, times) if reads and writes else {}
    by_name = {s.name: s for s in program.statements}
    producers: dict[tuple[str, Term], Producers] = {}
    sink_of = {(s.name, t): n for n, (s, t) in sinks.items()}
    for statement in program.statements:
        for load in statement.reads:
            sink = sink_of.get((statement.name, load))
            producers[statement.name, load] = _producers(statement, found.get(sink or "", []), domains, by_name)
    return Dataflow(program, domains, producers)


def _time(isl_tuple: str, statement: Instances, length: int, last: int) -> str:
    padding = ["0"] * (length - 1 - len(statement.schedule))
    return f"{isl_tuple} -> [{', '.join([*statement.schedule, *padding, str(last)])}]"


def _flow(space: Isl, reads: list[str], writes: list[str], times: list[str]) -> dict[str, list[tuple[str, isl.Map]]]:
    """For each sink tuple name, the `(writing statement, map from sink to writer)` pairs."""
    access = isl.UnionAccessInfo.from_sink(space.union_map(reads).intersect_params(space.known))
    access = access.set_must_source(space.union_map(writes).intersect_params(space.known))
    flow = access.set_schedule_map(space.union_map(times)).compute_flow()
    found: dict[str, list[tuple[str, isl.Map]]] = {}
    dependences = flow.get_must_dependence().get_map_list()
    for k in range(dependences.n_map()):
        dependence = dependences.get_at(k).coalesce()
        sink = dependence.get_tuple_name(isl.dim_type.out)
        source = dependence.get_tuple_name(isl.dim_type.in_)
        found.setdefault(sink, []).append((source, dependence.reverse()))
    return found


def _producers(
    statement: Instances,
    found: list[tuple[str, isl.Map]],
    domains: Mapping[str, isl.Set],
    by_name: Mapping[str, Instances],
) -> Producers:
    writes: list[tuple[Instances, isl.Map]] = []
    rest = domains[statement.name]
    for source, dependence in found:
        renamed = dependence.set_tuple_name(isl.dim_type.in_, statement.name)
        writes.append((by_name[source], renamed))
        rest = rest.subtract(renamed.domain())
    rest = rest.coalesce()
    return Producers(tuple(writes), None if rest.is_empty() else rest)


def undefined_at_first(program: Flattened, array: str) -> bool:
    """Whether the array holds nothing before the program writes it."""
    return program.arrays[array].memory.kind is not MemoryKind.ARGUMENT
