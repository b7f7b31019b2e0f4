"""Python code for terms: one local variable each, in the outermost block where its leaves live."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IndexType, ScalarType
from hecv.ops import facts_about
from hecv.program.tree import Function, Memory
from hecv.run.codegen.code_scopes import Bound, Lines
from hecv.run.evaluation.external_functions import Sites
from hecv.run.evaluation.index_intervals import interval, natural_interval
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import Pattern, float_text, integer_text

UNBOUNDED: Final = frozenset({"affine.linear", "affine.mul"})


class Facts(Struct, frozen=True):
    """Static facts about a function, by ids of terms, statements and memories.

    `poison`: terms that may be poison. `loading`, `dividing`: terms that contain a `load` or an `affine.quotient`.
    `risky`: statements that may use a memory after its `Dealloc`; `mortal`: those memories. `sites`: calls of functions
    without a body that a run can make. `long`: the whole text would take too long to compile. `placing`: terms of which
    subscripts and bounds are made; other index arithmetic wraps.
    """

    poison: set[int]
    loading: set[int]
    dividing: set[int]
    risky: set[int]
    mortal: set[int]
    sites: Sites
    long: bool
    placing: set[int]


class Terms(Lines):
    """Code for the values of terms, and for the checks that they are defined."""

    def __init__(self, function: Function, patterns: Patterns, facts: Facts, may_overlap: bool = False) -> None:
        """`may_overlap`: buffers may share memory."""
        super().__init__()
        self.function = function
        self.may_overlap = may_overlap
        self.limit = 1 << (patterns.index_width - 1)
        self.patterns = patterns
        self.wrapping = patterns.wrapping()
        self.placing = facts.placing
        self.poison = facts.poison
        self.loading = facts.loading
        self.dividing = facts.dividing
        self.memories = function.memories()
        self.reads: dict[int, tuple[int, ScalarType]] = {}

    def term(self, root: Term) -> Bound:
        """The value of a term; subterms that have not been evaluated are evaluated now."""
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

    def access(self, memory: Memory, indices: tuple[Term, ...], writes: bool = False) -> str:
        """The text of an element; emits the checks that it exists and that no parallel iteration races with the
        access."""
        raise NotImplementedError

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
        low, high = interval(term, args, self.limit)
        beyond = low < -self.limit or high >= self.limit
        wraps = beyond and (self.patterns.index_wraps or term.id not in self.placing)
        if wraps and facts_about(term.op).wraps is not None:
            low, high = -self.limit, self.limit - 1
        patterns = self.wrapping if wraps else self.patterns
        found = patterns.of(term, tuple(a.id not in self.poison for a in term.args))
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
        """True if the exact integer may not be a value of type `index`."""
        return isinstance(term.type, IndexType) and (bound.low < -self.limit or bound.high >= self.limit)

    def in_range(self, term: Term) -> Bound:
        """The value of a term; the run is excluded if an index overflows."""
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
        """Emits a check: if an index overflows, the run is excluded."""
        proper = f"{name} is not POISON and " if poison else ""
        text = '"index arithmetic overflows"'
        self.line(
            f"if {proper}not {-self.limit} <= {name} < {self.limit}: "
            f"return Excluded({text}, {self.statement}, budget - left)"
        )

    def number(self, term: Term, role: str) -> Bound:
        """The value of an index that must be defined: a bound, a step or an extent."""
        self.observe_index(term)
        bound = self.in_range(term)
        if term.id in self.poison:
            self.undefined(f"{bound.text} is POISON", f"{role} is poison")
        return bound

    def observe(self, root: Term) -> None:
        """Emits checks of all operators under `root` that may be undefined."""
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
        """Emits checks of the divisors in an index expression, which is evaluated where it stands."""
        if index.id in self.dividing:
            self.observe(index)

    def check(self, term: Term) -> None:
        """Emits the check that the operator at the root of `term` is defined."""
        found = self.patterns.of(term, tuple(a.id not in self.poison for a in term.args))
        if found.ub is None:
            return
        operands = [self.in_range(a).text for a in term.args]
        shown = ", ".join(operands)
        self.line(
            f"if {found.ub.format(*operands)}: "
            f"return undefined_op({term.op!r}, {self.statement}, budget - left, {shown})"
        )


def number_of(term: Term, name: str) -> int:
    """The integer attribute called `name`."""
    value = term.attr(name)
    assert isinstance(value, int)
    return value
