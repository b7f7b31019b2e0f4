"""The program graph: a tree of statements in program order over hash-consed terms.

This is the renamed dataflow graph with loop and block nodes of HEC (section 4.1), with memory made explicit: a load is
a statement that reads at its own place, so a load before and after a store are two values. Region ops are desugared
to `Loop` and `If`; a value carried by a loop or yielded by a branch lives in a *cell*, a rank-0 memory that is written
before the loop and at each yield; a function result is stored to a *result* memory at the return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from hecv.base.diag import Location
from hecv.base.term import Term
from hecv.base.types import ScalarType, Type


class MemoryKind(Enum):
    """Where a memory comes from, which decides what it holds at first and who sees it in the end."""

    ARGUMENT = "argument"  # holds proper values at first; observable
    LOCAL = "local"  # an allocation: undefined at first; not observable
    CELL = "cell"  # a rank-0 memory of our own making; always written before it is read
    RESULT = "result"  # a rank-0 memory written once, at the return; observable


@dataclass(frozen=True, slots=True)
class Memory:
    """One allocation site. `id` is unique within its function; that of an argument is the argument's number.

    Shapes: `extents` has one index term a dimension (constants, extents of arguments, or computed for `LOCAL`).
    A `LOCAL` or `CELL` inside loops is a new allocation in each iteration: its `Alloc` statement stands there.
    """

    id: int
    kind: MemoryKind
    name: str
    element: ScalarType
    extents: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """Reads `memory[indices]` here; the term `read id` denotes the value. Undefined when out of bounds."""

    id: int
    memory: Memory
    indices: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Writes `value` to `memory[indices]`; `load` terms in it read just before. Undefined when out of bounds."""

    id: int
    memory: Memory
    indices: tuple[Term, ...]
    value: Term


@dataclass(frozen=True, slots=True)
class Alloc:
    """Brings `memory` to life with undefined elements. Undefined when an extent is negative."""

    id: int
    memory: Memory


@dataclass(frozen=True, slots=True)
class Dealloc:
    """Ends the life of `memory`; a later access is undefined."""

    id: int
    memory: Memory


@dataclass(frozen=True, slots=True)
class Evaluate:
    """Evaluates the operator at the root of `term` here: an op that can be undefined (a division) stands in the tree
    even when nothing uses its value. The term may also occur in later statements."""

    id: int
    term: Term


@dataclass(frozen=True, slots=True)
class Touch:
    """Accesses that must be in bounds and operators that must be defined, without any effect.

    Made from dead loads, dead stores and `Evaluate` by `hecv.graph.memory`.
    `accesses` are `load` terms; `terms` are terms whose every operator is evaluated.
    """

    id: int
    accesses: tuple[Term, ...]
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`for iv = max(lowers) to min(uppers) step step`, the iterations in order.

    `iv` is the term `iv depth`. The trip count is `max(0, ceil((ub - lb) / step))` over the exact integers of the
    type of `iv`, signed unless `unsigned`. Undefined when `step <= 0`, and when `iv + step` of the last iteration is
    not a value of that type. Bounds are evaluated once, before the loop.
    """

    id: int
    iv: Term
    lowers: tuple[Term, ...]
    uppers: tuple[Term, ...]
    step: Term
    unsigned: bool
    body: Block


@dataclass(frozen=True, slots=True)
class If:
    """Runs `then` where the i1 term `condition` holds, `otherwise` where it does not. Undefined when it is poison.

    In normal form `exact` has the index terms that `condition` reads as exact arithmetic though they stand for ops
    that wrap: it says what the program says only where they stay within the range of `index`.
    """

    id: int
    condition: Term
    then: Block
    otherwise: Block
    exact: tuple[Term, ...] = ()


Statement = Load | Store | Alloc | Dealloc | Evaluate | Touch | Loop | If
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """A function argument: `term` where it is a scalar, `memory` where it is a memref.

    `name` is the SSA name in the source text without the percent sign, or `arg0`, `arg1`... where there is none.
    """

    number: int
    name: str
    type: Type
    term: Term | None
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class Function:
    """One public function with its calls inlined.

    `locations` maps a statement's id to the places in the source text that it comes from. `results` are the `RESULT`
    memories in order.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Memory, ...]
    body: Block
    location: Location | None
    locations: Mapping[int, Location] = field(default_factory=dict[int, Location])

    def memories(self) -> dict[int, Memory]:
        """Every memory of the function by its id."""
        found = {a.memory.id: a.memory for a in self.arguments if a.memory is not None}
        found |= {m.id: m for m in self.results}
        found |= {s.memory.id: s.memory for s in walk(self.body) if isinstance(s, Alloc)}
        return found


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of `block` in program order, each before what it encloses."""
    stack: list[Statement] = list(reversed(block))
    while stack:
        statement = stack.pop()
        yield statement
        match statement:
            case Loop():
                stack.extend(reversed(statement.body))
            case If():
                stack.extend(reversed(statement.otherwise))
                stack.extend(reversed(statement.then))
            case _:
                pass
