"""Python code for accesses to elements of memories, with their bounds checks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hecv.base.term import Term
from hecv.base.value import Scalar
from hecv.program.tree import Alloc, Constant, Function, Memory, MemoryKind, Statement
from hecv.run.codegen.code_scopes import Bound
from hecv.run.codegen.race_detection import Races
from hecv.run.codegen.term_code import Facts, Terms
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.packed_elements import unpacked


class Accesses(Terms):
    """Code for elements of memories, and for the checks that they exist."""

    def __init__(self, function: Function, patterns: Patterns, facts: Facts, may_overlap: bool = False) -> None:
        super().__init__(function, patterns, facts, may_overlap)
        self.risky = facts.risky
        self.mortal = facts.mortal
        self.sites = facts.sites
        self.extents: dict[int, tuple[Bound, ...]] = {}
        self.unlisted: dict[str, Sequence[Scalar]] = {}
        """The elements of constants that are too many to be listed, by the names of the memories."""
        self.below: dict[int, set[int]] = {}
        self.races = Races(function, may_overlap)

    def in_list(self, memory: Memory) -> bool:
        """True if the memory's elements are in a Python list: all memories but a single element that cannot be
        aliased."""
        return bool(memory.extents) or (self.may_overlap and memory.kind is MemoryKind.ARGUMENT)

    def listed(self, memory: Memory) -> str:
        """The text of the list of elements."""
        return f"m{memory.id}" if self.in_list(memory) else f"[m{memory.id}]"

    def access(self, memory: Memory, indices: tuple[Term, ...], writes: bool = False) -> str:
        """The text of an element; emits the checks that it exists and that no parallel iteration races with the
        access."""
        text = self.element(memory, indices)
        for line in self.races.access(memory, text, writes, self.statement):
            self.line(line)
        return text

    def element(self, memory: Memory, indices: tuple[Term, ...]) -> str:
        """The text of an element; emits the checks that it exists."""
        if memory.id in self.mortal and self.statement in self.risky:
            self.undefined(f"not v{memory.id}", f"use of dead memory {memory.name}")
        if not memory.extents:
            return f"m{memory.id}[0]" if self.in_list(memory) else f"m{memory.id}"
        for index in indices:
            self.observe_index(index)
        values = [self.term(index) for index in indices]
        fact = ("in bounds", memory.id, tuple(i.id for i in indices))
        if fact in self.facts:
            return f"m{memory.id}[{self.facts[fact]}]"
        extents = self.extents[memory.id]
        checked = self.check_bounds(memory, indices, values)
        offset = offset_text(values, extents)
        if not offset.isidentifier() and not offset.isdigit():
            name = self.fresh("o")
            depth = max(b.depth for b in (*values, *extents))
            self.line(f"{name} = {offset}", -1 if checked else depth)
            offset = name
        if not any(v.volatile for v in values):
            self.state(fact, offset)
        return f"m{memory.id}[{offset}]"

    def check_bounds(self, memory: Memory, indices: tuple[Term, ...], values: list[Bound]) -> bool:
        """Emits the bounds check if one is needed; False if not."""
        extents = self.extents[memory.id]
        poison = [f"{v.text} is POISON" for i, v in zip(indices, values, strict=True) if i.id in self.poison]
        tests: list[str] = []
        for index, value, extent, term in zip(indices, values, extents, memory.extents, strict=True):
            below = value.high < extent.low or term.id in self.below.get(index.id, ())
            if value.low < 0 and not below:
                tests.append(f"0 <= {value.text} < {extent.text}")
            elif value.low < 0:
                tests.append(f"0 <= {value.text}")
            elif not below:
                tests.append(f"{value.text} < {extent.text}")
        failed = [*poison, *([f"not ({' and '.join(tests)})"] if tests else [])]
        if failed:
            pairs = ", ".join(f"{v.text}, {e.text}" for v, e in zip(values, extents, strict=True))
            self.line(
                f"if {' or '.join(failed)}: return bounds({self.statement}, budget - left, {self.limit}, {pairs})"
            )
        return bool(failed)

    def allocate(self, memory: Memory) -> None:
        """Emits an allocation of a local memory, charged by its size."""
        extents = tuple(self.number(e, f"extent of {memory.name}") for e in memory.extents)
        for extent in extents:
            if extent.low < 0:
                self.undefined(f"{extent.text} < 0", f"negative extent of {memory.name}")
        self.extents[memory.id] = extents
        if memory.id in self.mortal:
            self.line(f"v{memory.id} = True")
        if not extents:
            self.line(f"m{memory.id} = POISON")
            return
        size = self.fresh("n")
        self.line(f"{size} = {' * '.join(e.text for e in extents)}")
        self.line(f"left -= {size}")
        self.line("if left < 0: return Exhausted(budget)")
        self.line(f"m{memory.id} = [POISON] * {size}")

    def constant(self, constant: Constant) -> None:
        """Emits the contents of a constant global."""
        memory = constant.memory
        self.extents[memory.id] = tuple(self.term(e) for e in memory.extents)
        if constant.contents is None:
            self.unlisted[f"m{memory.id}"] = unpacked(constant.packed, memory.element)
            return
        texts = [self.term(t).text for t in constant.contents]
        count = math.prod(e.low for e in self.extents[memory.id])
        if not memory.extents:
            self.line(f"m{memory.id} = {texts[0]}")
            return
        elements = f"({', '.join(texts)},)" if texts else "()"
        self.line(f"m{memory.id} = {elements}{f' * {count}' if len(texts) == 1 else ''}")

    def argument_extent(self, position: int, dimension: int, extent: Term) -> Bound:
        """The extent of an argument, named where it is dynamic."""
        if extent.op == "dim":
            name = f"d{extent.attr('argument')}_{extent.attr('dimension')}"
            self.line(f"{name} = arguments[{position}].shape[{dimension}]")
        return self.term(extent)


def offset_text(indices: Sequence[Bound], extents: Sequence[Bound]) -> str:
    """The row-major position of an element."""
    if all(i.low == i.high for i in indices) and all(e.low == e.high for e in extents[1:]):
        position = 0
        for index, extent in zip(indices, extents, strict=True):
            position = position * extent.low + index.low
        return str(position)
    text = indices[0].text
    for index, extent in zip(indices[1:], extents[1:], strict=True):
        text = f"({text}) * {extent.text} + {index.text}" if " " in text else f"{text} * {extent.text} + {index.text}"
    return text


def allocates(statement: Statement) -> bool:
    """True if the statement allocates elements; a cell is a variable and needs none."""
    return isinstance(statement, Alloc) and statement.memory.kind is MemoryKind.LOCAL
