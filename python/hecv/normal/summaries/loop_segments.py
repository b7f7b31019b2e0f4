"""Segments: the paths of a function from one loop header to the next, by symbolic execution.

Every loop is a `While` first. From the entry of the function, or from the header of a while, each way through branches
and conditions is followed until the next header, or the end. Such a path has no loop, so it is told by terms over the
values at its start: the conditions under which it is taken, what has to hold for it to be defined, and what cells,
loads and memories hold at its end. Memory is a base with the writes of the path; an element that is read is what the
last write to it wrote, a selection where it depends on subscripts which that is.

All values are total: they know no poison and no undefined behaviour. What makes a path undefined is told beside, and a
branch on poison is among that. So exactly one path is taken by total values, and if that path is defined, it is the one
that a run takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Attributes, Term, TermPool, literal, postorder
from hecv.base.theory import FALSE
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, ScalarType
from hecv.normal.whiles.variable_steps import stepped
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.index.exact_integers import signed
from hecv.program.index.selector_folding import fold, negated
from hecv.program.read_write_sets import number
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Store,
    While,
    is_of_cell,
    walk,
)
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.interpreter.outcome_analysis import placing, poison_in, possibly_dead, terms_of

ENTRY: Final = -1
EXIT: Final = -2
"""Where paths start and end that do not at the header of a while, which has the number of its statement."""

MOST_PATHS: Final = 64
"""Paths from one place."""
MOST_WRITES: Final = 8
"""Writes of a path that may or may not be to the element that is read."""
MOST_STEPS: Final = 4000
"""Statements on a path."""

Variable = tuple[str, int]
"""What a cell holds (`cell` and its memory), or what a load has read (`load` and its statement)."""

_SWAPPED: Final = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}
_OPPOSITE: Final = {"slt": "sle", "sle": "slt", "ult": "ule", "ule": "ult"}
_WEAKER: Final = {"slt": "sle", "ult": "ule"}
_COMMUTATIVE: Final = frozenset({"arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori"})
_EXACT: Final = frozenset({"arith.addi", "arith.subi", "arith.muli"})


class Untraceable(Exception):
    """The function, or a path of it, has no such form; the text says why."""


class Contents(Struct, frozen=True):
    """What a memory holds: what its `base` does, but for the elements written since, in order."""

    base: int
    writes: tuple[tuple[tuple[Term, ...], Term], ...] = ()


class Path(Struct, frozen=True):
    """A path to the header or end `end`, of which `first` is the first that it came to.

    `taken` are i1 terms whose total values are true where the path is taken: a run needs them not to be poison.
    `demanded` have to be true, and not poison, for the path to be defined, and each operator of `evaluated` has to be
    defined. `exact` is index arithmetic that is assumed not to overflow: terms that are poison where it does.
    `values` and `memories` are what was written on the path.
    """

    end: int
    first: int
    taken: tuple[Term, ...]
    demanded: tuple[Term, ...]
    evaluated: tuple[Term, ...]
    exact: tuple[Term, ...]
    values: Mapping[Variable, Term]
    memories: Mapping[int, Contents]


class Origin(Struct, frozen=True):
    """What holds at the start of a path: the value of each variable, the number of each memory's contents, of those
    which hold no poison; and what is known of conditions (`facts`)."""

    value: Callable[[Variable, ScalarType], Term]
    number: Callable[[int], int]
    proper: Callable[[int], bool]
    facts: Mapping[Term, Term]


class _Frame(Struct, frozen=True):
    """What is left to do: the rest of a block, then what follows it. At the end of a block may stand the test of a
    while, or its header."""

    block: Block
    place: int
    then: _Frame | None
    test: While | None = None
    head: While | None = None


class _State(Struct):
    """A path so far."""

    values: dict[Variable, Term]
    memories: dict[int, Contents]
    facts: dict[Term, Term]
    hops: int
    first: int | None = None
    taken: list[Term] = field(default_factory=list[Term])
    demanded: dict[Term, None] = field(default_factory=dict[Term, None])
    evaluated: dict[Term, None] = field(default_factory=dict[Term, None])
    exact: dict[Term, None] = field(default_factory=dict[Term, None])
    steps: int = 0

    def copy(self) -> _State:
        """The same, to be followed another way."""
        return _State(
            dict(self.values),
            dict(self.memories),
            dict(self.facts),
            self.hops,
            self.first,
            list(self.taken),
            dict(self.demanded),
            dict(self.evaluated),
            dict(self.exact),
            self.steps,
        )


class Segments:
    """The segments of one function of a pair.

    Requires: no `load` terms (no normal form yet); index arithmetic in subscripts, bounds and conditions of whiles does
    not overflow, and no memory of the caller's overlaps another.
    Raises: Untraceable.
    """

    def __init__(self, pool: TermPool, function: Function, index_width: int) -> None:
        self._pool = pool
        self.function = stepped(pool, function, every=True)
        _require_plain(self.function)
        self.heads = {s.id: s for s in walk(self.function.body) if isinstance(s, While)}
        self.memories = self.function.memories()
        self.types = _types(self.function)
        self._simplify = Simplifier(pool, index_width)
        self._placing = placing(self.function)
        self._start = _Frame(self.function.body, 0, None)
        self._after: dict[int, _Frame | None] = {}
        self._place(self.function.body, None)
        terms, memories = poison_in(self.function, terms_of(self.function), Patterns(index_width))
        self._poison = terms, memories
        self.results: tuple[Variable, ...] = tuple([("cell", m.id) for m in self.function.results])
        self.live = self._liveness()

    def is_clean(self, variable: Variable) -> bool:
        """Whether what a variable holds is never poison."""
        kind, which = variable
        terms, memories = self._poison
        return which not in memories if kind == "cell" else self._pool.read(which, self.types[variable]).id not in terms

    def holds_no_poison(self, memory: int) -> bool:
        """Whether no element of a memory is ever poison."""
        return memory not in self._poison[1]

    def paths(self, start: int, hops: int, origin: Origin) -> list[Path]:
        """The paths from a place, over so many headers but for those that end before.

        Raises: Untraceable.
        """
        found: list[Path] = []
        state = _State({}, {}, dict(origin.facts), hops)
        if start != ENTRY and start not in self.heads:
            raise Untraceable("there is no such loop header")
        if hops == 0:
            return [_told(state, start)]
        self._follow(self._start if start == ENTRY else self._into(self.heads[start]), state, origin, found)
        return found

    # What lives at a header

    def _liveness(self) -> dict[int, tuple[Variable, ...]]:
        needed: dict[int, set[Variable]] = {EXIT: set(self.results)}
        flows: list[tuple[int, int, set[Variable]]] = []
        for start in (ENTRY, *self.heads):
            read: set[Variable] = set()

            def value(variable: Variable, type_: ScalarType, read: set[Variable] = read) -> Term:
                read.add(variable)
                return leaf(self._pool, variable, type_, False)

            for path in self.paths(start, 1, Origin(value, lambda memory: memory, lambda memory: False, {})):
                flows.append((start, path.end, set(path.values)))
            needed[start] = read
        changed = True
        while changed:
            changed = False
            for start, end, written in flows:
                more = needed[end] - written - needed[start]
                needed[start] |= more
                changed |= bool(more)
        if needed[ENTRY] - set(self.results):
            raise Untraceable("a cell is read before it is written")
        return {start: tuple(sorted(found)) for start, found in needed.items()}

    # Where a path goes on

    def _place(self, block: Block, then: _Frame | None) -> None:
        """Notes what follows each while."""
        for place, statement in enumerate(block):
            rest = _Frame(block, place + 1, then)
            match statement:
                case If():
                    self._place(statement.then, rest)
                    self._place(statement.otherwise, rest)
                case While():
                    self._after[statement.id] = rest
                    self._place(statement.before, _Frame((), 0, None, test=statement))
                    self._place(statement.after, _Frame((), 0, None, head=statement))
                case _:
                    pass

    def _into(self, loop: While) -> _Frame:
        return _Frame(loop.before, 0, _Frame((), 0, None, test=loop))

    def _follow(self, frame: _Frame | None, state: _State, origin: Origin, found: list[Path]) -> None:
        while frame is not None:
            state.steps += 1
            if state.steps > MOST_STEPS:
                raise Untraceable("a path is too long")
            if frame.place < len(frame.block):
                statement, frame = frame.block[frame.place], replace(frame, place=frame.place + 1)
                match statement:
                    case While():
                        frame = self._arrive(statement, state, found)
                    case If(condition=condition, then=then, otherwise=otherwise):
                        sides = _Frame(then, 0, frame), _Frame(otherwise, 0, frame)
                        frame = self._branch(condition, *sides, state, origin, found)
                    case _:
                        self._step(statement, state, origin)
            elif frame.test is not None:
                loop = frame.test
                again = _Frame(loop.after, 0, _Frame((), 0, None, head=loop))
                frame = self._branch(loop.condition, again, self._after[loop.id], state, origin, found)
            elif frame.head is not None:
                frame = self._arrive(frame.head, state, found)
            else:
                frame = frame.then
                if frame is None:
                    self._end(EXIT, state, found)

    def _arrive(self, loop: While, state: _State, found: list[Path]) -> _Frame | None:
        """At a header: the path ends, or goes on over it."""
        state.hops -= 1
        state.first = loop.id if state.first is None else state.first
        if state.hops > 0:
            return self._into(loop)
        self._end(loop.id, state, found)
        return None

    def _end(self, end: int, state: _State, found: list[Path]) -> None:
        found.append(_told(state, end))
        if len(found) > MOST_PATHS:
            raise Untraceable("there are too many ways from one loop header to the next")

    def _branch(
        self,
        condition: Term,
        then: _Frame | None,
        otherwise: _Frame | None,
        state: _State,
        origin: Origin,
        found: list[Path],
    ) -> _Frame | None:
        """Follows one side, and gives the other one; a branch on a conjunction is one on its parts."""
        value = self._value(condition, state, origin)
        known = literal(value)
        if known is not None:
            return then if known else otherwise
        state.evaluated[value] = None
        other = state.copy()
        self._assume(value, True, other)
        # A side that ends the function has no frame.
        self._follow(then or _Frame((), 0, None), other, origin, found)
        self._assume(value, False, state)
        return otherwise or _Frame((), 0, None)

    def _assume(self, condition: Term, holds: bool, state: _State) -> None:
        state.taken.append(condition if holds else negated(self._pool, condition))
        note(self._pool, state.facts, condition, holds)

    # Statements

    def _step(self, statement: object, state: _State, origin: Origin) -> None:
        match statement:
            case Load(id=which, memory=memory) if _is_variable(memory):
                state.values["load", which] = self._variable(("cell", memory.id), memory.element, state, origin)
            case Load(id=which, memory=memory, indices=indices):
                subscripts = self._access(memory, indices, state, origin)
                contents = self._contents(memory, state, origin)
                state.values["load", which] = self._read(memory, contents, subscripts, state, origin)
            case Store(memory=memory, value=value) if _is_variable(memory):
                state.values["cell", memory.id] = self._evaluated(value, state, origin)
            case Store(memory=memory, indices=indices, value=value):
                subscripts = self._access(memory, indices, state, origin)
                contents = self._contents(memory, state, origin)
                written = (*contents.writes, (subscripts, self._evaluated(value, state, origin)))
                state.memories[memory.id] = Contents(contents.base, written)
            case Alloc(memory=memory) if is_of_cell(statement):
                state.values.pop(("cell", memory.id), None)
            case Alloc(memory=memory):
                for extent in memory.extents:
                    self._demand(self._compare("sle", self._pool.integer(0), extent), state)
                state.memories[memory.id] = Contents(-1 - origin.number(memory.id))
            case Evaluate(term=term):
                self._evaluated(term, state, origin)
            case Assert(condition=condition):
                value = self._evaluated(condition, state, origin)
                self._demand(value, state)
                note(self._pool, state.facts, value, True)
            case _:
                pass

    def _evaluated(self, term: Term, state: _State, origin: Origin) -> Term:
        value = self._value(term, state, origin)
        state.evaluated[value] = None
        return value

    def _value(self, term: Term, state: _State, origin: Origin) -> Term:
        """The total value of a term at this point of the path."""
        made: dict[int, Term] = {}
        for node in postorder((term,)):
            if node.op == "read":
                made[node.id] = self._variable(("load", number(node, "load")), node.type, state, origin)
                continue
            args = tuple([made[a.id] for a in node.args])
            if node.op in _EXACT and node.type == INDEX and node.id in self._placing and not node.attrs:
                exact = self._pool.make(node.op, args, INDEX, (("overflow", "nsw"),))
                state.exact[exact] = None
            built = self._simplify(node, args)
            made[node.id] = state.facts.get(built, built)
        return made[term.id]

    def _variable(self, variable: Variable, type_: ScalarType, state: _State, origin: Origin) -> Term:
        if variable not in state.values:
            state.values[variable] = origin.value(variable, type_)
        value = state.values[variable]
        return state.facts.get(value, value)

    def _access(self, memory: Memory, indices: Sequence[Term], state: _State, origin: Origin) -> tuple[Term, ...]:
        subscripts = tuple([self._evaluated(i, state, origin) for i in indices])
        for subscript, extent in zip(subscripts, memory.extents, strict=True):
            self._demand(self._compare("ult", subscript, extent), state)
        return subscripts

    def _compare(self, predicate: str, left: Term, right: Term) -> Term:
        made = self._pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))
        return self._simplify(made, (left, right))

    def _demand(self, condition: Term, state: _State) -> None:
        if literal(condition) != 1:
            state.demanded[condition] = None

    # Memory

    def _contents(self, memory: Memory, state: _State, origin: Origin) -> Contents:
        return state.memories.get(memory.id) or Contents(origin.number(memory.id))

    def _read(
        self, memory: Memory, contents: Contents, subscripts: tuple[Term, ...], state: _State, origin: Origin
    ) -> Term:
        value = self.element(memory.element, contents, subscripts, origin.proper(memory.id))
        return state.facts.get(value, value)

    def element(self, element: ScalarType, contents: Contents, subscripts: tuple[Term, ...], proper: bool) -> Term:
        """The element at subscripts; `proper` if none is poison.

        Raises: Untraceable.
        """
        open_: list[tuple[Term, Term]] = []
        for written, value in reversed(contents.writes):
            same = self._same(written, subscripts)
            known = literal(same)
            if known == 1:
                found = value
                break
            if known is None:
                open_.append((same, value))
            if len(open_) > MOST_WRITES:
                raise Untraceable("too many writes may be to the element that is read")
        else:
            attributes = (("memory", contents.base), *((("proper", True),) if proper and contents.base >= 0 else ()))
            found = self._pool.make("load", subscripts, element, attributes)
        for same, value in reversed(open_):
            found = (
                found
                if found is value
                else fold(self._pool, self._pool.make("arith.select", (same, value, found), element))
            )
        return found

    def _same(self, left: Sequence[Term], right: Sequence[Term]) -> Term:
        """Whether subscripts are the same, an i1 term."""
        found = self._pool.integer(1, BOOL)
        for one, other in zip(left, right, strict=True):
            part = self._compare("eq", one, other)
            if literal(part) == 0:
                return part
            if literal(part) is None:
                known = literal(found) == 1
                found = part if known else self._pool.make("arith.andi", (found, part), BOOL)
        return found


def _told(state: _State, end: int) -> Path:
    return Path(
        end,
        end if state.first is None else state.first,
        tuple(state.taken),
        tuple(state.demanded),
        tuple(state.evaluated),
        tuple(state.exact),
        state.values,
        state.memories,
    )


def leaf(pool: TermPool, variable: Variable, type_: ScalarType, proper: bool, side: int = 0) -> Term:
    """The value of a variable of a side at the start of a path."""
    kind, which = variable
    place = 4 * which + 2 * side + (kind == "load")
    attributes = (("number", place), *((("proper", True),) if proper else ()))
    return pool.make("leaf", (), type_, attributes)


def note(pool: TermPool, facts: dict[Term, Term], condition: Term, holds: bool) -> None:
    """Notes that a condition is known, with what follows of its parts and of its complement."""
    if literal(condition) is not None:
        return
    facts[condition] = pool.integer(int(holds), BOOL)
    if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
        return note(pool, facts, condition.args[0], not holds)
    facts[negated(pool, condition)] = pool.integer(int(not holds), BOOL)
    if condition.op == ("arith.andi" if holds else "arith.ori"):
        for part in condition.args:
            note(pool, facts, part, holds)
    elif condition.op == "arith.cmpi":
        _note_comparison(pool, facts, condition, holds)


def _note_comparison(pool: TermPool, facts: dict[Term, Term], condition: Term, holds: bool) -> None:
    predicate, (left, right) = str(condition.attr("predicate")), condition.args

    def say(name: str, operands: tuple[Term, Term], value: bool) -> None:
        made = pool.make("arith.cmpi", operands, BOOL, (("predicate", name),))
        facts.setdefault(made, pool.integer(int(value), BOOL))

    if predicate in ("eq", "ne"):
        say("ne" if predicate == "eq" else "eq", (left, right), not holds)
    elif predicate in _OPPOSITE:
        say(_OPPOSITE[predicate], (right, left), not holds)
        strict = predicate if holds else _OPPOSITE[predicate]
        operands = (left, right) if holds else (right, left)
        if strict in _WEAKER:
            say(_WEAKER[strict], operands, True)
            say(strict, (operands[1], operands[0]), False)


class Simplifier:
    """Folds an operator whose operands are simplified; it is poison where it was, and has its total value."""

    def __init__(self, pool: TermPool, index_width: int) -> None:
        self._pool = pool
        self._index_width = index_width
        self._evaluate = Evaluator(index_width)
        self._shapes = Shapes(index_width)
        self._proper: dict[int, bool] = {}

    def __call__(self, node: Term, args: tuple[Term, ...]) -> Term:
        pool = self._pool
        if not args:
            return node
        attributes = node.attrs
        if node.op == "arith.cmpi":
            args, attributes = _ordered_comparison(args, attributes)
        elif node.op in _COMMUTATIVE:
            args = tuple(sorted(args, key=lambda a: (a.op == "const", a.id)))
        made = pool.make(node.op, args, node.type, attributes)
        values = [literal(a) for a in args]
        if isinstance(node.type, IntType | IndexType) and all(isinstance(v, int) for v in values):
            found = self._evaluate(made, tuple([v for v in values if v is not None]))
            if isinstance(found, int):
                return self._integer(int(found), node.type)
        return self._with_literals(made) if node.op != "arith.cmpi" else self._comparison(made)

    def _with_literals(self, made: Term) -> Term:
        """Neutral and absorbing literals, and sums of sums."""
        pool, op, args = self._pool, made.op, made.args
        last = literal(args[-1])
        if op in ("arith.addi", "arith.subi", "arith.ori", "arith.xori") and last == 0:
            return args[0]
        if op == "arith.muli" and last == 1 and not (made.attrs and made.type == BOOL):  # -1 * -1 overflows
            return args[0]
        if op in ("arith.andi", "arith.ori") and made.type == BOOL and last is not None:
            absorbs = (last == 1) == (op == "arith.ori")
            return made if absorbs and not self._is_proper(args[0]) else args[1] if absorbs else args[0]
        if op in ("arith.andi", "arith.ori") and args[0] is args[1]:
            return args[0]
        if op == "arith.subi" and isinstance(last, int) and not made.attrs:
            opposite = self._integer(-last, made.type)
            return self(pool.make("arith.addi", (args[0], opposite), made.type), (args[0], opposite))
        if op == "arith.addi" and isinstance(last, int) and not made.attrs:
            base, offset = split(args[0])
            if offset:
                total = self._integer(offset + last, made.type)
                return self(pool.make("arith.addi", (base, total), made.type), (base, total))
        return fold(pool, made)

    def _is_proper(self, term: Term) -> bool:
        """Whether a term is plainly never poison."""
        for node in postorder((term,)):
            if node.id not in self._proper:
                operands = tuple([self._proper[a.id] for a in node.args])
                self._proper[node.id] = self._shapes.of(node, operands).poison is FALSE
        return self._proper[term.id]

    def _integer(self, value: int, type_: ScalarType) -> Term:
        if isinstance(type_, IntType):
            return self._pool.integer(value % (1 << type_.width), type_)
        return self._pool.integer(signed(value % (1 << self._index_width), self._index_width), type_)

    def _comparison(self, made: Term) -> Term:
        """A comparison of a value with itself, or of two that differ by a literal."""
        predicate, (left, right) = str(made.attr("predicate")), made.args
        if left is right and self._is_proper(left):
            return self._pool.integer(int(predicate in ("eq", "sle", "ule")), BOOL)
        if predicate in ("eq", "ne"):
            (one, first), (other, second) = split(left), split(right)
            if one is other and first != second and self._is_proper(one):
                return self._pool.integer(int(predicate == "ne"), BOOL)
        return fold(self._pool, made)


def split(term: Term) -> tuple[Term, int]:
    """A sum with a literal as the other summand and the literal, which is 0 for any other term."""
    value = literal(term.args[1]) if term.op == "arith.addi" and not term.attrs else None
    return (term.args[0], value) if isinstance(value, int) else (term, 0)


def _ordered_comparison(args: tuple[Term, ...], attributes: Attributes) -> tuple[tuple[Term, ...], Attributes]:
    predicate = str(dict(attributes)["predicate"])
    if predicate in _SWAPPED:
        return (args[1], args[0]), (("predicate", _SWAPPED[predicate]),)
    if predicate in ("eq", "ne"):
        return tuple(sorted(args, key=lambda a: (a.op == "const", a.id))), attributes
    return args, attributes


def _is_variable(memory: Memory) -> bool:
    return memory.kind in (MemoryKind.CELL, MemoryKind.RESULT)


def _types(function: Function) -> dict[Variable, ScalarType]:
    found: dict[Variable, ScalarType] = {}
    for s in walk(function.body):
        if isinstance(s, Load):
            found["load", s.id] = s.memory.element
        if isinstance(s, Load | Store | Alloc) and _is_variable(s.memory):
            found["cell", s.memory.id] = s.memory.element
    return found


def _require_plain(function: Function) -> None:
    """Raises: Untraceable where a function does more than compute, branch, loop, and access memory."""
    if function.returned or function.overlapping or function.rebased or function.callees:
        raise Untraceable("memrefs are returned, may overlap, have unknown layouts, or a function calls itself")
    for statement in walk(function.body):
        match statement:
            case Load() | While() | Evaluate():
                pass
            case Store(guarded=False) | If(exact=(), guarded=False) | Assert(exact=()):
                pass
            case Alloc(memory=memory):
                if any(t.op not in ("const", "arg", "dim") for t in memory.extents):
                    raise Untraceable("an allocation has an extent that is computed")
            case Dealloc(memory=memory) if memory.kind is MemoryKind.LOCAL:
                pass
            case Loop():
                raise Untraceable("a loop runs in parallel")
            case _:
                raise Untraceable("a function is called, or memory of the caller's is freed")
    if possibly_dead(function)[0]:
        raise Untraceable("memory may be used after it is freed")
    if not all(isinstance(t.type, FloatType | IntType | IndexType) for t in terms_of(function)):
        raise Untraceable("a value has a type without meaning")
