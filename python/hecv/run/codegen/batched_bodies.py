"""Selects loop bodies of long functions to run in batches, as compiling their Python text takes longer than a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term, literal
from hecv.base.types import IndexType
from hecv.base.value import Scalar
from hecv.ops import OPERATORS
from hecv.program.tree import Evaluate, Function, Load, Loop, Memory, Store
from hecv.run.codegen.access_code import Accesses
from hecv.run.codegen.code_scopes import Bound
from hecv.run.codegen.term_code import Facts, number_of
from hecv.run.codegen.vectorized_bodies import Body, Bounds, Check, Effect, Operation, Read, Step, Write, operation
from hecv.run.evaluation.index_intervals import interval, natural_interval
from hecv.run.evaluation.op_templates import Patterns

SHORT: Final = 32
"""Statements and terms of a body, at least, for it to run in batches."""

Interval = tuple[int, int]
Subscripts = tuple[tuple[int, ...], tuple[int, ...]]
"""Columns of indices and of extents."""


class _Refused(Exception):
    """The body has to be Python text."""


class Batch(Struct, frozen=True):
    """A loop body to run in batches, the texts of the values from outside that it is given, and its memories."""

    body: Body
    outside: tuple[str, ...]
    memories: tuple[Memory, ...]


class Kinds(Struct, frozen=True):
    """Compiled operators, shared by all bodies: `of` by kind, with the range of values, and `texts` by Python text."""

    of: dict[tuple[object, ...], tuple[Operation, Interval]] = field(
        default_factory=dict[tuple[object, ...], tuple[Operation, Interval]]
    )
    texts: dict[tuple[str, int], Operation] = field(default_factory=dict[tuple[str, int], Operation])

    def operation(self, text: str, count: int) -> Operation:
        """The compiled text of an operator with `count` operands, on columns."""
        found = self.texts.get((text, count))
        if found is None:
            found = self.texts[text, count] = operation(text, count)
        return found


class Batches(Accesses):
    """The bodies that run in batches, by name in `bodies`."""

    def __init__(self, function: Function, patterns: Patterns, facts: Facts, may_overlap: bool = False) -> None:
        super().__init__(function, patterns, facts, may_overlap)
        self.bodies: dict[str, Body] = {}
        self.kinds = Kinds()
        self._is_long = facts.long

    def batched(self, s: Loop, iv: Bound) -> Batch | None:
        """The `Batch` of an innermost loop with induction variable `iv`; None if its body has to be text."""
        if not self._is_long or s.parallel or self.races.watching or type(self.patterns) is not Patterns:
            return None
        if self.may_overlap or self.patterns.index_wraps:
            return None
        try:
            return _Maker(self, s, iv).made()
        except _Refused:
            return None

    def run_batch(self, batch: Batch, iterations: str) -> None:
        """Emits the run of a batch on some iterations."""
        name, end = self.fresh("body"), self.fresh("end")
        self.bodies[name] = batch.body
        cells = [m for m in batch.memories if not self.in_list(m)]
        for memory in cells:
            self.line(f"c{memory.id} = [m{memory.id}]")
        given = "".join(f"{'m' if self.in_list(m) else 'c'}{m.id}, " for m in batch.memories)
        outside = "".join(f"{text}, " for text in batch.outside)
        self.line(f"{end} = {name}.run({iterations}, ({outside}), ({given}))")
        self.line(f"if {end} is not None: return failed({end}, budget - left, {self.limit})")
        for memory in cells:
            self.line(f"m{memory.id} = c{memory.id}[0]")


class _Maker:
    """Builds the `Batch` of one loop."""

    def __init__(self, around: Batches, loop: Loop, iv: Bound) -> None:
        self._around: Final = around
        self._loop: Final = loop
        self._positions: Final[dict[int, int]] = {loop.iv.id: 0}
        self._ranges: Final[list[Interval]] = [(iv.low, iv.high)]
        """Of each column."""
        self._literals: Final[dict[int, Scalar]] = {}
        self._outside: Final[dict[int, str]] = {}
        """What is evaluated before the loop, by column."""
        self._own: Final = {s.id for s in loop.body if isinstance(s, Load)}
        self._loads: Final[dict[int, int]] = {}
        self._extents: Final[dict[str, int]] = {}
        self._subscripts: Final[dict[int, Subscripts]] = {}
        self._places: Final[dict[Subscripts, int]] = {}
        self._checked: Final[set[Subscripts]] = set()
        self._parts: Final[list[tuple[list[Step], Effect]]] = []
        self._steps: list[Step] = []
        self._memories: Final[list[Memory]] = []

    def made(self) -> Batch:
        """The batch.

        Raises: _Refused if it cannot run in batches, or is short.
        """
        accesses = [s for s in self._loop.body if isinstance(s, Load | Store)]
        offsets = {s.id: self._offsets(s) for s in accesses}
        addresses, self._steps = self._steps, []
        for s in self._loop.body:
            match s:
                case Load() | Store():
                    self._access(s, offsets[s.id])
                case Evaluate():
                    self._check(s)
                case _:
                    raise _Refused
        if len(self._ranges) + len(self._loop.body) < SHORT:
            raise _Refused
        literals, shared = tuple(self._literals.items()), self._shared(accesses, offsets)
        body = Body(len(self._ranges), tuple(self._outside), literals, addresses, self._parts, shared)
        return Batch(body, tuple(self._outside.values()), tuple(self._memories))

    def _shared(self, accesses: Sequence[Load | Store], offsets: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
        """For each memory where several statements may touch one element and one writes: the columns of their
        offsets."""
        found: list[tuple[int, ...]] = []
        for memory in self._memories:
            own = [s for s in accesses if s.memory.id == memory.id]
            if len(own) > 1 and any(isinstance(s, Store) for s in own):
                found.append(tuple(dict.fromkeys(offsets[s.id] for s in own)))
        return tuple(found)

    # Columns

    def _column(self, low: int = 0, high: int = 0) -> int:
        self._ranges.append((low, high))
        return len(self._ranges) - 1

    def _literal(self, value: Scalar) -> int:
        column = self._column(int(value), int(value)) if isinstance(value, int) else self._column()
        self._literals[column] = value
        return column

    def _given(self, bound: Bound) -> int:
        """The column of a value computed outside the loop."""
        column = self._column(bound.low, bound.high)
        self._outside[column] = bound.text
        return column

    def _extent(self, bound: Bound) -> int:
        found = self._extents.get(bound.text)
        if found is None:
            found = self._extents[bound.text] = self._given(bound)
        return found

    def _need(self, root: Term) -> int:
        """The column of a term; adds the steps that compute it."""
        stack, positions = [root], self._positions
        while stack:
            term = stack[-1]
            if term.id in positions or self._is_known(term):
                stack.pop()
                continue
            missing = [a for a in term.args if a.id not in positions and not self._is_known(a)]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            positions[term.id] = self._leaf(term) if not term.args else self._operator(term)
        return positions[root.id]

    def _is_known(self, term: Term) -> bool:
        """True if a term has a column; a value computed outside gets one."""
        if term.id in self._positions:
            return True
        bound = self._around.memo.get(term.id)
        if bound is None or bound.volatile:
            return False
        self._positions[term.id] = self._known(term, bound)
        return True

    def _known(self, term: Term, bound: Bound) -> int:
        if self._around.may_overflow(term, bound):
            raise _Refused
        return self._given(bound)

    def _leaf(self, term: Term) -> int:
        if term.op == "const":
            value = literal(term)
            assert value is not None
            return self._literal(value)
        if term.op == "read" and number_of(term, "load") in self._own:
            column = self._loads.get(number_of(term, "load"))
            if column is None:  # an address is what was read
                raise _Refused
            return column
        if term.op not in ("arg", "dim", "read"):
            raise _Refused
        return self._known(term, self._around.term(term))

    def _operator(self, term: Term) -> int:
        columns, poison = tuple([self._positions[a.id] for a in term.args]), self._around.poison
        args = term.args
        # The function holds all its types meanwhile: an address is that of one.
        key = (term.op, term.attrs, id(term.type), *[id(a.type) for a in args], *[a.id in poison for a in args])
        found = self._around.kinds.of.get(key)
        if found is None:
            found = self._made(term, len(columns)), self._interval(term, columns)
            if not self._is_index(term) and self._around.patterns.harmless(term, self._proper(term)):
                self._around.kinds.of[key] = found
        made, range_ = found
        column = self._column(*range_)
        self._steps.append((made, column, columns))
        return column

    def _is_index(self, term: Term) -> bool:
        return any(isinstance(t.type, IndexType) for t in (term, *term.args))

    def _proper(self, term: Term) -> tuple[bool, ...]:
        return tuple([a.id not in self._around.poison for a in term.args])

    def _interval(self, term: Term, columns: tuple[int, ...]) -> Interval:
        """The range of an operator's values, within that of its type."""
        around = self._around
        if not self._is_index(term):
            return natural_interval(term.type, around.limit)
        ranges = [Bound("", *self._ranges[k], 0) for k in columns]
        low, high = interval(term, ranges, around.limit)
        beyond = isinstance(term.type, IndexType) and not -around.limit <= low <= high < around.limit
        if beyond or any(map(around.may_overflow, term.args, ranges)):
            raise _Refused
        return low, high

    def _made(self, term: Term, count: int) -> Operation:
        if term.op not in OPERATORS:
            raise _Refused
        found = self._around.patterns.of(term, self._proper(term))
        if found.open:
            raise _Refused
        text = f"round_f32({found.value})" if found.f32 else found.value
        return self._around.kinds.operation(f"POISON if {found.poison} else {text}" if found.poison else text, count)

    # Statements

    def _offsets(self, s: Load | Store) -> int:
        """The column of the row-major positions that a statement accesses."""
        around, memory = self._around, s.memory
        unlike = any(i.id in around.poison or i.id in around.dividing for i in s.indices)
        if unlike or memory.id in around.mortal or (memory.extents and memory.id not in around.extents):
            raise _Refused
        if memory not in self._memories:
            self._memories.append(memory)
        indices = tuple([self._need(i) for i in s.indices])
        extents = tuple([self._extent(e) for e in around.extents[memory.id]]) if memory.extents else ()
        self._subscripts[s.id] = indices, extents
        if (indices, extents) not in self._places:
            self._places[indices, extents] = self._place(indices, extents)
        return self._places[indices, extents]

    def _place(self, indices: tuple[int, ...], extents: tuple[int, ...]) -> int:
        """The column of row-major positions."""
        if not indices:
            return self._literal(0)
        if len(indices) == 1:
            return indices[0]
        text, count = "{0}", len(indices)
        for k in range(1, count):
            text = f"({text}) * {{{count + k}}} + {{{k}}}"
        column = self._column()
        self._steps.append((self._around.kinds.operation(text, 2 * count), column, (*indices, *extents)))
        return column

    def _access(self, s: Load | Store, offsets: int) -> None:
        value = self._need(s.value) if isinstance(s, Store) else None
        indices, extents = self._subscripts[s.id]
        if indices and (indices, extents) not in self._checked:
            self._checked.add((indices, extents))
            self._add(Bounds(indices, extents, s.id))
        if value is not None:
            self._add(Write(self._memories.index(s.memory), offsets, value))
            return
        column = self._column(*natural_interval(s.memory.element, self._around.limit))
        self._loads[s.id] = column
        self._add(Read(self._memories.index(s.memory), offsets, column))

    def _check(self, s: Evaluate) -> None:
        """Adds the check that the operator that a statement evaluates is defined."""
        columns = tuple([self._need(a) for a in s.term.args])
        ranges = [Bound("", *self._ranges[k], 0) for k in columns]
        if any(map(self._around.may_overflow, s.term.args, ranges)):
            raise _Refused
        found = self._around.patterns.of(s.term, tuple([a.id not in self._around.poison for a in s.term.args]))
        if found.ub is not None:
            self._add(Check(self._around.kinds.operation(found.ub, len(columns)), columns, s.term.op, s.id))

    def _add(self, effect: Effect) -> None:
        self._parts.append((self._steps, effect))
        self._steps = []
