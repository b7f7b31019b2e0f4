"""Python source for a function of the graph.

A term becomes one local variable, in the outermost block where its leaves live. Bounds and poison are tested only
where `Facts` and intervals cannot exclude that they fail. Every failure is a `return` of the run's outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from hecv.base.diag import Unsupported
from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.execute.intervals import interval, natural_interval
from hecv.execute.patterns import WRAPPING, Patterns
from hecv.execute.python import Pattern, float_text, integer_text
from hecv.execute.races import Races
from hecv.graph.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Constant,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
    walk,
)

LOOPS: Final = 18  # Python allows 20 nested loops in one function
DEPTH: Final = 90  # and 100 levels of indentation
UNBOUNDED: Final = frozenset({"affine.linear", "affine.mul"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a function beforehand, by ids of terms, statements and memories.

    `poison`: terms that may be poison; `loading` and `dividing`: terms with a `load` and with an `affine.quotient`
    inside; `risky`: statements that may use a memory after its `Dealloc`; `mortal`: those memories.
    """

    poison: set[int]
    loading: set[int]
    dividing: set[int]
    risky: set[int]
    mortal: set[int]


@dataclass(frozen=True, slots=True)
class Bound:
    """The text of a term that has been evaluated, in the scope at `depth`, and the interval of its value.

    The interval speaks of integers only. A `volatile` term loads from memory and is good for one statement.
    """

    text: str
    low: int
    high: int
    depth: int
    volatile: bool = False


@dataclass(slots=True)
class _Scope:
    """The lines of a block so far, and what was evaluated in it."""

    lines: list[str] = field(default_factory=list[str])
    terms: list[int] = field(default_factory=list[int])
    facts: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])


class Generator:
    """Python source for one function. Scopes nest like blocks; scope 0 is the function body."""

    def __init__(self, function: Function, patterns: Patterns, facts: Facts, may_overlap: bool = False) -> None:
        """`may_overlap` tells that buffers may share their memory."""
        self.function = function
        self.may_overlap = may_overlap
        self.limit = 1 << (patterns.index_width - 1)
        self.patterns = patterns
        self.poison = facts.poison
        self.loading = facts.loading
        self.dividing = facts.dividing
        self.risky = facts.risky
        self.mortal = facts.mortal
        self.memories = function.memories()
        self.extents: dict[int, tuple[Bound, ...]] = {}
        self.reads: dict[int, tuple[int, ScalarType]] = {}
        self.scopes: list[_Scope] = []
        self.memo: dict[int, Bound] = {}
        self.facts: dict[tuple[object, ...], str] = {}
        self.below: dict[int, set[int]] = {}
        self.volatile: list[int] = []
        self.statement = -1
        self.races = Races(function)
        self.loops = 0
        self.count = 0

    def generate(self) -> str:
        """The source of a function `run(arguments, budget)`."""
        try:
            self.scopes.append(_Scope())
            self.prologue()
            self.statements(self.function.body)
            self.epilogue()
        except Unsupported as problem:
            location = self.function.locations.get(self.statement, self.function.location)
            raise Unsupported(problem.text, problem.location or location) from None
        return "\n".join(["def run(arguments, budget):", *self.scopes[0].lines, ""])

    # Lines

    def line(self, text: str, depth: int = -1) -> None:
        """Adds a line to the scope at `depth`, by default the innermost: in front of what stands open there."""
        depth = depth if depth >= 0 else len(self.scopes) - 1
        self.scopes[depth].lines.append(" " * (depth + 1) + text)

    def fresh(self, prefix: str) -> str:
        """A name not used before."""
        self.count += 1
        return f"{prefix}{self.count}"

    def undefined(self, condition: str, text: str) -> None:
        """A check: where `condition` holds, the run is undefined here."""
        self.line(f"if {condition}: return Undefined({text!r}, {self.statement}, budget - left)")

    def body(self, block: Block) -> list[str]:
        """The lines of a nested block."""
        return self.nested(lambda: self.statements(block))

    def nested(self, emit: Callable[[], None]) -> list[str]:
        """The lines that `emit` adds in a scope of its own."""
        if len(self.scopes) >= DEPTH:
            raise Unsupported(f"blocks nested more than {DEPTH} deep", None)
        self.scopes.append(_Scope())
        emit()
        depth = len(self.scopes)
        scope = self.scopes.pop()
        for term in scope.terms:
            self.memo.pop(term, None)
        for fact in scope.facts:
            self.facts.pop(fact, None)
        return scope.lines or [" " * depth + "pass"]

    # The function

    def prologue(self) -> None:
        """Unpacks arguments: scalars, copies of buffers, dynamic extents."""
        self.line(f"left = budget - {weight(self.function.body)}")
        self.line("if left < 0: return Exhausted(budget)")
        if self.may_overlap:
            self.line("copies = {}")
        for n, argument in enumerate(self.function.inputs()):
            memory = argument.memory
            if memory is None:
                self.line(f"a{argument.number} = arguments[{n}]")
                continue
            content = f"list(arguments[{n}].data)" if memory.extents else f"arguments[{n}].data[0]"
            if self.may_overlap and self.in_list(memory):
                content = f"placed(arguments[{n}], copies)"
            self.line(f"m{memory.id} = {content}")
            self.extents[memory.id] = tuple(self.argument_extent(n, k, e) for k, e in enumerate(memory.extents))
        for constant in self.function.constants:
            self.constant(constant)
        for memory in self.memories.values():
            if memory.id in self.mortal:
                alive = memory.kind in (MemoryKind.ARGUMENT, MemoryKind.GLOBAL)
                self.line(f"v{memory.id} = {alive}")
        for memory in self.function.results:
            self.line(f"m{memory.id} = POISON")

    def in_list(self, memory: Memory) -> bool:
        """Whether elements are in a list: all but a single one that nothing else can be."""
        return bool(memory.extents) or (self.may_overlap and memory.kind is MemoryKind.ARGUMENT)

    def listed(self, memory: Memory) -> str:
        """The text of the list of elements."""
        return f"m{memory.id}" if self.in_list(memory) else f"[m{memory.id}]"

    def constant(self, constant: Constant) -> None:
        """Names the contents of a constant global."""
        memory = constant.memory
        texts = [self.term(t).text for t in constant.contents]
        self.extents[memory.id] = tuple(self.term(e) for e in memory.extents)
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

    def epilogue(self) -> None:
        """Returns results and arguments."""
        results = "".join(f"m{m.id}, " for m in self.function.results)
        arguments = ""
        for n, argument in enumerate(self.function.inputs()):
            if argument.memory is None:
                arguments += f"arguments[{n}], "
            else:
                data = self.listed(argument.memory)
                data = f"held({data})" if self.may_overlap else data
                arguments += f"Buffer(arguments[{n}].shape, {data}), "
        self.line(f"return Finished(({results}), ({arguments}), budget - left)")

    # Terms

    def term(self, root: Term) -> Bound:
        """The value of a term; what of it is not evaluated yet is evaluated now."""
        found = self.memo.get(root.id)
        if found is not None:
            return found
        stack = [root]
        while stack:
            term = stack[-1]
            missing = [] if term.id in self.memo else [a for a in term.args if a.id not in self.memo]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if term.id not in self.memo:
                self.keep(term, self.evaluate(term))
        return self.memo[root.id]

    def keep(self, term: Term, bound: Bound) -> None:
        """Remembers the value of a term as long as its scope lives."""
        self.memo[term.id] = bound
        self.scopes[bound.depth].terms.append(term.id)
        if bound.volatile:
            self.volatile.append(term.id)

    def evaluate(self, term: Term) -> Bound:
        """Emits one term, whose operands are evaluated."""
        match term.op:
            case "const":
                value = literal(term)
                assert value is not None
                if isinstance(term.type, FloatType):
                    return Bound(float_text(float(value)), 0, 0, 0)
                return Bound(integer_text(int(value)), int(value), int(value), 0)
            case "arg":
                return Bound(f"a{term.attr('number')}", *natural_interval(term.type, self.limit), 0)
            case "dim":
                return Bound(f"d{term.attr('argument')}_{term.attr('dimension')}", 0, self.limit - 1, 0)
            case "read":
                depth, type_ = self.reads[number_of(term, "load")]
                return Bound(f"r{term.attr('load')}", *natural_interval(type_, self.limit), depth)
            case "load":
                name = self.fresh("t")
                self.line(f"{name} = {self.access(self.memories[number_of(term, 'memory')], term.args)}")
                return Bound(name, *natural_interval(term.type, self.limit), len(self.scopes) - 1, True)
            case "iv":
                raise AssertionError(f"{term} is used outside its loop")
            case _:
                return self.operator(term)

    def operator(self, term: Term) -> Bound:
        """Emits one operator, in the outermost scope where its operands live and no check is needed."""
        args = [self.memo[a.id] for a in term.args]
        here = len(self.scopes) - 1
        volatile = any(a.volatile for a in args)
        depth = here if volatile else max((a.depth for a in args), default=0)
        if term.op not in UNBOUNDED and any(self.may_overflow(a, b) for a, b in zip(term.args, args, strict=True)):
            args = [self.in_range(a) for a in term.args]
            depth = here
        found = self.patterns.of(term, tuple(a.id not in self.poison for a in term.args))
        low, high = interval(term, args, self.limit)
        beyond = low < -self.limit or high >= self.limit
        if beyond and self.patterns.index_wraps and term.op in WRAPPING:
            low, high = -self.limit, self.limit - 1
        overflow = found.wraps and beyond
        if overflow:
            low, high, depth = max(low, -self.limit), min(high, self.limit - 1), here
        name = self.fresh("t")
        self.assign(name, found, [a.text for a in args], depth)
        if overflow:
            self.exclude(name, found.poison is not None)
        return Bound(name, low, high, depth, volatile)

    def assign(self, name: str, found: Pattern, operands: list[str], depth: int) -> None:
        """Emits `name = ` the value of a pattern."""
        value = found.value.format(*operands)
        poison = found.poison and found.poison.format(*operands)
        if not found.f32:
            self.line(f"{name} = POISON if {poison} else {value}" if poison else f"{name} = {value}", depth)
        elif poison:
            self.line(f"if {poison}: {name} = POISON", depth)
            self.line(f"else: F32[0] = {value}; {name} = F32[0]", depth)
        else:
            self.line(f"F32[0] = {value}", depth)
            self.line(f"{name} = F32[0]", depth)

    def may_overflow(self, term: Term, bound: Bound) -> bool:
        """The exact integer may not be a value of type `index`."""
        return isinstance(term.type, IndexType) and (bound.low < -self.limit or bound.high >= self.limit)

    def in_range(self, term: Term) -> Bound:
        """The value of a term, with the run excluded where an index overflows."""
        bound = self.term(term)
        if not self.may_overflow(term, bound):
            return bound
        fact = ("in range", term.id)
        if fact not in self.facts:
            self.exclude(bound.text, term.id in self.poison)
            if not bound.volatile:
                self.state(fact, "")
        return replace(bound, low=max(bound.low, -self.limit), high=min(bound.high, self.limit - 1))

    def exclude(self, name: str, poison: bool) -> None:
        """A check: where an index overflows, the run is excluded."""
        proper = f"{name} is not POISON and " if poison else ""
        text = '"index arithmetic overflows"'
        self.line(
            f"if {proper}not {-self.limit} <= {name} < {self.limit}: "
            f"return Excluded({text}, {self.statement}, budget - left)"
        )

    def state(self, fact: tuple[object, ...], text: str) -> None:
        """Remembers a fact as long as the innermost scope lives."""
        self.facts[fact] = text
        self.scopes[-1].facts.append(fact)

    def number(self, term: Term, role: str) -> Bound:
        """The value of an index that must be defined: a bound, a step or an extent."""
        self.observe_index(term)
        bound = self.in_range(term)
        if term.id in self.poison:
            self.undefined(f"{bound.text} is POISON", f"{role} is poison")
        return bound

    def observe(self, root: Term) -> None:
        """Checks each operator under `root` that can be undefined."""
        seen: set[int] = set()
        stack = [root]
        while stack:
            term = stack.pop()
            if term.id in seen or ("defined", term.id) in self.facts:
                continue
            seen.add(term.id)
            stack.extend(term.args)
            if term.args and term.op != "load":
                self.check(term)
            if term.id not in self.loading:
                self.state(("defined", term.id), "")

    def observe_index(self, index: Term) -> None:
        """Checks the divisors of an index expression, which is evaluated where it stands."""
        if index.id in self.dividing:
            self.observe(index)

    def check(self, term: Term) -> None:
        """Checks that the operator at the root of `term` is defined."""
        found = self.patterns.of(term, tuple(a.id not in self.poison for a in term.args))
        if found.ub is None:
            return
        operands = [self.in_range(a).text for a in term.args]
        shown = ", ".join(operands)
        self.line(
            f"if {found.ub.format(*operands)}: "
            f"return undefined_op({term.op!r}, {self.statement}, budget - left, {shown})"
        )

    # Memory

    def access(self, memory: Memory, indices: tuple[Term, ...], writes: bool = False) -> str:
        """The text of an element, after the checks that it exists and that no parallel iteration is in the way."""
        text = self.element(memory, indices)
        for line in self.races.access(memory, text, writes, self.statement):
            self.line(line)
        return text

    def element(self, memory: Memory, indices: tuple[Term, ...]) -> str:
        """The text of an element, after the checks that it exists."""
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
        """Emits the bounds check that is needed; false where none is."""
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
        """A new life of a local memory, charged by its size."""
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

    # Statements

    def statements(self, block: Block) -> None:
        """Emits the statements of a block in order."""
        self.forget()  # what the header around the block has loaded may change within
        for s in block:
            self.statement = s.id
            self.emit(s)
            self.forget()

    def forget(self) -> None:
        """Forgets what was loaded from memory."""
        for term in self.volatile:
            self.memo.pop(term, None)
        self.volatile.clear()

    def emit(self, s: Statement) -> None:
        """Emits one statement."""
        match s:
            case Load():
                self.line(f"r{s.id} = {self.access(s.memory, s.indices)}")
                self.reads[s.id] = len(self.scopes) - 1, s.memory.element
            case Store():
                value = self.in_range(s.value)
                self.line(f"{self.access(s.memory, s.indices, writes=True)} = {value.text}")
            case Alloc():
                if allocates(s):
                    self.allocate(s.memory)
            case Dealloc():
                if s.id in self.risky:
                    self.undefined(f"not v{s.memory.id}", f"double free of {s.memory.name}")
                if s.memory.id in self.mortal:
                    self.line(f"v{s.memory.id} = False")
            case Evaluate():
                self.check(s.term)
            case Touch():
                for access in s.accesses:
                    self.access(self.memories[number_of(access, "memory")], access.args)
                for term in s.terms:
                    self.observe(term)
            case Assert():
                self.assertion(s)
            case Call() if s.known:
                self.call(s)
            case Call():
                text = f"a call of @{s.callee}, which has no body"
                self.line(f"return Excluded({text!r}, {self.statement}, budget - left, {text!r})")
            case If():
                self.branch(s)
            case Loop():
                self.loop(s)
            case While():
                self.repetition(s)

    def call(self, s: Call) -> None:
        """Emits a call of a function that is one of the callees."""
        buffers: list[str] = []
        for memory in s.memories:
            extents = "".join(f"{e.text}, " for e in self.extents.get(memory.id, ()))
            buffers.append(f"Buffer(({extents}), {self.listed(memory)})")
        operands = [self.in_range(t).text for t in s.operands]
        given = f"[{', '.join(operands)}], [{', '.join(buffers)}]"
        end = self.fresh("end")
        self.line(f"{end} = call({s.callee!r}, {given}, left, {self.statement}, budget)")
        self.line(f"if type({end}) is not Finished: return {end}")
        self.line(f"left -= {end}.steps")
        for k, cell in enumerate(s.results):
            self.line(f"m{cell.id} = {end}.results[{k}]")
        for k, memory in enumerate(s.memories):
            data = f"{end}.arguments[{k}].data"
            self.line(f"m{memory.id}[:] = {data}" if self.in_list(memory) else f"m{memory.id} = {data}[0]")

    def assertion(self, s: Assert) -> None:
        """Emits an `Assert`."""
        condition = self.term(s.condition)
        if s.condition.id in self.poison:
            self.undefined(f"{condition.text} is POISON", f"{s.text} (its condition is poison)")
        self.undefined(f"not {condition.text}", s.text)

    def branch(self, s: If) -> None:
        """Emits an `If`."""
        condition = self.term(s.condition)
        if s.condition.id in self.poison:
            self.undefined(f"{condition.text} is POISON", "branch on poison")
        then = self.body(s.then)
        otherwise = self.body(s.otherwise) if s.otherwise else []
        self.line(f"if {condition.text}:")
        self.scopes[-1].lines.extend(then)
        if otherwise:
            self.line("else:")
            self.scopes[-1].lines.extend(otherwise)

    def repetition(self, s: While) -> None:
        """Emits a `While`; see its docstring for the meaning."""

        def emit() -> None:
            self.line(f"left -= {weight((*s.before, *s.after))}")
            self.line("if left < 0: return Exhausted(budget)")
            self.statements(s.before)
            self.statement = s.id
            condition = self.term(s.condition)
            if s.condition.id in self.poison:
                self.undefined(f"{condition.text} is POISON", "branch on poison")
            self.line(f"if not {condition.text}: break")
            self.statements(s.after)

        body = self.repeated(emit)
        self.line("while True:")
        self.scopes[-1].lines.extend(body)

    def repeated(self, emit: Callable[[], None]) -> list[str]:
        """The lines of the body of a loop."""
        if self.loops >= LOOPS:
            raise Unsupported(f"loops nested more than {LOOPS} deep", None)
        self.loops += 1
        statement = self.statement
        body = self.nested(emit)
        self.statement = statement
        self.loops -= 1
        return body

    def loop(self, s: Loop) -> None:
        """Emits a `Loop`; see its docstring for the meaning."""
        header = self.header(s)

        def emit() -> None:
            self.enter(s, header)
            self.statements(s.body)

        if s.parallel:
            self.races.enter(s, header.name, self.line)
        body = self.repeated(emit)
        if s.parallel:
            self.races.leave()
        step = "" if header.step.text == "1" else f", {header.step.text}"
        if header.whole:
            self.charge(s, header)
        self.line(f"for {header.name} in range({header.lower.text}, {header.upper.text}{step}):")
        self.scopes[-1].lines.extend(body)
        if header.whole:
            self.line("if left < 0: return Exhausted(budget)")
        self.last_increment(header)

    def header(self, s: Loop) -> _Header:
        """Evaluates the bounds and the step of a loop, as exact integers."""
        lower = self.extremum(s, s.lowers, "max", "lower bound")
        upper = self.extremum(s, s.uppers, "min", "upper bound")
        step = self.interpreted(s, s.step, "step")
        if step.low <= 0:
            self.undefined(f"{step.text} <= 0", "the step of a loop is not positive")
        whole = not any(isinstance(x, Loop | While) or allocates(x) for x in walk(s.body))
        if whole:
            name = self.fresh("u")
            self.line(f"{name} = {upper.text}")
            upper = replace(upper, text=name)
        return _Header(self.fresh("i"), lower, upper, step, whole, _greatest(s, self.limit))

    def extremum(self, s: Loop, terms: tuple[Term, ...], op: str, role: str) -> Bound:
        """The greatest lower or the least upper bound."""
        values = [self.interpreted(s, t, role) for t in terms]
        if len(values) == 1:
            return values[0]
        choose = max if op == "max" else min
        name = self.fresh("t")
        self.line(f"{name} = {op}({', '.join(v.text for v in values)})")
        return Bound(name, choose(v.low for v in values), choose(v.high for v in values), len(self.scopes) - 1)

    def interpreted(self, s: Loop, term: Term, role: str) -> Bound:
        """A bound or step as the exact integer it denotes, signed or unsigned as the loop says."""
        value = self.number(term, f"{role} of a loop")
        greatest = _greatest(s, self.limit)
        half, mask = (greatest + 1, 2 * greatest + 1) if not s.unsigned else (0, greatest)
        if isinstance(term.type, IndexType):
            if not s.unsigned or value.low >= 0:
                return value
            text, low, high = f"{value.text} & {mask}", 0, mask
        else:
            if s.unsigned or value.high < half:
                return value
            text, low, high = f"({value.text} ^ {half}) - {half}", -half, half - 1
        name = self.fresh("t")
        self.line(f"{name} = {text}")
        return Bound(name, low, high, len(self.scopes) - 1)

    def enter(self, s: Loop, header: _Header) -> None:
        """Begins the body: charges an iteration and gives the induction variable its encoding."""
        if not header.whole:
            self.line(f"left -= {weight(s.body)}")
            self.line("if left < 0: return Exhausted(budget)")
        low, high = header.lower.low, max(header.lower.low, header.upper.high - 1)
        name = header.name
        if isinstance(s.iv.type, IndexType) and high >= self.limit:
            name, low, high = self.fresh("i"), -self.limit, self.limit - 1
            self.line(f"{name} = ({header.name} ^ {self.limit}) - {self.limit}")
        elif isinstance(s.iv.type, IntType) and low < 0:
            low, high = natural_interval(s.iv.type, self.limit)
            name = self.fresh("i")
            self.line(f"{name} = {header.name} & {high}")
        self.keep(s.iv, Bound(name, low, high, len(self.scopes) - 1))
        self.below[s.iv.id] = set() if s.unsigned else {t.id for t in s.uppers} - self.loading

    def charge(self, s: Loop, header: _Header) -> None:
        """Charges all iterations of an innermost loop, and cuts it short where the budget ends within it."""
        lower, upper, step = header.lower.text, header.upper.text, header.step.text
        cost = weight(s.body)
        trips = f"({upper} - {lower})" if step == "1" else f"(({upper} - {lower} + {step} - 1) // {step})"
        self.line(f"if {lower} < {upper}:")
        self.line(f" left -= {trips} * {cost}")
        self.line(f" if left < 0: {upper} += left // {cost} * {step}")

    def last_increment(self, header: _Header) -> None:
        """Checks that the induction variable does not wrap after the last iteration."""
        lower, upper, step = header.lower, header.upper, header.step
        if step.text == "1" or upper.high + step.high - 1 <= header.greatest:
            return
        last = f"{lower.text} + ({upper.text} - {lower.text} + {step.text} - 1) // {step.text} * {step.text}"
        wraps = f"{lower.text} < {upper.text} and {last} > {header.greatest}"
        self.undefined(wraps, "the last increment of a loop wraps")


@dataclass(frozen=True, slots=True)
class _Header:
    """A loop's evaluated header: exact bounds, the name that runs, and the greatest value of its type.

    A `whole` loop has no loop or allocation inside and is charged when it starts.
    """

    name: str
    lower: Bound
    upper: Bound
    step: Bound
    whole: bool
    greatest: int


def _greatest(s: Loop, limit: int) -> int:
    half = limit if not isinstance(s.iv.type, IntType) else 1 << (s.iv.type.width - 1)
    return 2 * half - 1 if s.unsigned else half - 1


def allocates(statement: Statement) -> bool:
    """The statement makes elements; a cell is a variable and needs none."""
    return isinstance(statement, Alloc) and statement.memory.kind is MemoryKind.LOCAL


def weight(block: Block) -> int:
    """The steps of one run of a block: its statements, those in loops apart; at least one."""
    count = 0
    stack = list(block)
    while stack:
        s = stack.pop()
        count += 1
        if isinstance(s, If):
            stack.extend((*s.then, *s.otherwise))
    return max(count, 1)


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


def number_of(term: Term, name: str) -> int:
    """The integer attribute called `name`."""
    value = term.attr(name)
    assert isinstance(value, int)
    return value
