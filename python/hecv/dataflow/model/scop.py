"""Statements in the polyhedral model: domain, schedule, access relations.

`flatten` reads the tree in normal form (`hecv.normal.passes`, `hecv.normal.loops.rerolling`) into a list of statements,
each a set of instances under affine constraints, with the time at which they run. What isl cannot represent raises
`Refused` with the statement at fault. Dimensions are `i0, i1...` in the source and `j0, j1...` in the target, so that
one isl text can name both.

Cites: Feautrier, "Dataflow analysis of array and scalar references", IJPP 1991.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.dataflow.model.delinearized_subscripts import Rows
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Quasi, Translator
from hecv.normal.branches.if_conversion import ASSERT
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.index.index_conditions import assumed, is_note
from hecv.program.refusal import Refused
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
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
)

OBSERVABLE = (MemoryKind.ARGUMENT, MemoryKind.RESULT, MemoryKind.GLOBAL)
"""Kinds of memory whose final contents the caller sees."""


class Access(Struct, frozen=True):
    """An access relation: an element of an array as a function of the statement's dimensions.

    `array` is the isl tuple name; `indices` are isl texts, first those of the enclosing loops of a local allocation
    (each iteration has an array of its own), then the subscripts. `extents` bound the subscripts.
    """

    array: str
    indices: tuple[str, ...]
    private: int
    extents: tuple[str, ...]


class Instances(Struct, frozen=True):
    """One statement: its instances, their time, what they write and read.

    `reads` maps each `load` term within `value` (and `touched` terms) to its access. `write` and `value` are None for a
    touch. `terms` are the terms whose operators must be defined. A `guarded` statement stands under a data-dependent
    condition: it may not run at all, so its accesses alone do not make the program undefined.
    """

    name: str
    dims: tuple[str, ...]
    constraints: tuple[str, ...]
    schedule: tuple[str, ...]
    write: Access | None
    value: Term | None
    reads: Mapping[Term, Access]
    terms: tuple[Term, ...]
    translator: Translator
    statement: int
    guarded: bool = False

    def tuple_text(self) -> str:
        """The isl tuple, `S3[i0, i1]`."""
        return f"{self.name}[{', '.join(self.dims)}]"

    def loops(self) -> tuple[str, ...]:
        """The loops around the statement, outermost first, each identified by its dimension and place."""
        depth = max((k for k, time in enumerate(self.schedule) if time in self.dims), default=-1)
        return (self.name[:1], *self.schedule[: depth + 1])

    def domain_text(self) -> str:
        """The isl constraints of the domain."""
        return " and ".join(self.constraints) or "1 = 1"


class Array(Struct, frozen=True):
    """An isl array: the memory it stands for. Its `private` leading dimensions are the iterations that allocate it."""

    name: str
    memory: Memory
    private: int
    extents: tuple[str, ...]


class Parallel(Struct, frozen=True):
    """A parallel loop: its statement, the depth of its dimension, the statements that it runs, the memories that it
    only `updated` atomically, and whether its iterations may overwrite one element in some order."""

    statement: int
    depth: int
    statements: tuple[Instances, ...]
    updated: frozenset[int]
    overwrites: bool


class Flattened(Struct, frozen=True):
    """A program in the polyhedral model: statements, arrays, and the conditions under which it is undefined or not
    exact.

    - `negative`: extents of allocations that must not be negative.
    - `broken`: conditions under which an assertion fails (an assertion that isl cannot express is a statement that
      evaluates the operator `ASSERT`).
    - `wraps`: conditions under which the last increment of a loop over `iN` leaves the type.
    - `inexact`: conditions under which the model is not what the program does, because arithmetic wraps that is read as
      exact, or an element is not in the row that its subscript says (`hecv.dataflow.model.delinearized_subscripts`).
    - `overflowing`: conditions under which an affine expression in a branch's condition, or in a loop's bound,
      overflows; the assumptions exclude that.
    - `parallel`: the loops whose iterations must not race.
    - `asserted`: assertions state the conditions under which the accesses of guarded statements are in bounds.
    """

    function: Function
    statements: tuple[Instances, ...]
    arrays: Mapping[str, Array]
    negative: tuple[tuple[Instances, str], ...]
    broken: tuple[tuple[Instances, str], ...]
    wraps: tuple[tuple[Instances, str], ...]
    inexact: tuple[tuple[Instances, str], ...]
    overflowing: tuple[tuple[Instances, str], ...]
    parallel: tuple[Parallel, ...] = ()
    asserted: bool = False

    def overlapping(self, array: str) -> tuple[str, ...]:
        """The other arrays that may share elements with `array`. Two globals never do."""
        shared, own = self.function.overlapping, self.arrays[array].memory
        if own.id not in shared:
            return ()
        others = (a for a in self.arrays.values() if a.memory.id in shared and a.name != array)
        apart = self.function.distinct
        others = (a for a in others if not {(a.memory.id, own.id), (own.id, a.memory.id)} & apart)
        kinds = ((a.name, {a.memory.kind, own.kind}) for a in others)
        return tuple(name for name, both in kinds if both != {MemoryKind.GLOBAL})

    def mixed(self) -> frozenset[str]:
        """The arrays that may overlap an array with another element type."""
        kinds = {name: array.memory.element for name, array in self.arrays.items()}
        return frozenset(a for a, kind in kinds.items() if any(kinds[b] != kind for b in self.overlapping(a)))


class _Scope(Struct, frozen=True):
    """The place of a block: dimensions, their constraints, the schedule prefix, and induction variables by depth."""

    dims: tuple[str, ...]
    constraints: tuple[str, ...]
    schedule: tuple[str, ...]
    ivs: Mapping[int, Quasi]
    translator: Translator


class _Flattener:
    def __init__(self, pool: TermPool, function: Function, parameters: Parameters, side: str) -> None:
        self._pool = pool
        self._function = function
        self._parameters = parameters
        self._side = side
        self._letter = "i" if side == "S" else "j"
        self._statements: list[Instances] = []
        self._arrays: dict[str, Array] = {}
        self._by_memory: dict[int, Array] = {}
        self._negative: list[tuple[Instances, str]] = []
        self._broken: list[tuple[Instances, str]] = []
        self._wraps: list[tuple[Instances, str]] = []
        self._inexact: list[tuple[Instances, str]] = []
        self._overflowing: list[tuple[Instances, str]] = []
        self._parallel: list[Parallel] = []
        self._loads: dict[int, tuple[Term, ...]] = {}

    def run(self, body: Block) -> Flattened:
        scope = self._scope((), (), (), {})
        for argument in self._function.arguments:
            if argument.memory is not None:
                self._declare(argument.memory, f"A{argument.number}", scope)
        for number, memory in enumerate(self._function.results):
            self._declare(memory, f"R{number}", scope)
        for number, hidden in enumerate(self._function.globals):
            assert hidden.memory is not None
            self._declare(hidden.memory, f"G{number}", scope)
        for constant in self._function.constants:
            self._declare(constant.memory, f"K{constant.number}", scope)
        names = {f"K{constant.number}" for constant in self._function.constants}
        self._block(body, scope)
        for array in tuple(self._arrays.values()):
            if array.memory.kind in OBSERVABLE and array.name not in names:
                self._final(array)
        return Flattened(
            self._function,
            tuple(self._statements),
            self._arrays,
            tuple(self._negative),
            tuple(self._broken),
            tuple(self._wraps),
            tuple(self._inexact),
            tuple(self._overflowing),
            tuple(self._parallel),
        )

    def _scope(
        self,
        dims: tuple[str, ...],
        constraints: tuple[str, ...],
        schedule: tuple[str, ...],
        ivs: Mapping[int, Quasi],
    ) -> _Scope:
        return _Scope(dims, constraints, schedule, ivs, Translator(self._parameters, ivs))

    def _declare(self, memory: Memory, name: str, scope: _Scope) -> Array:
        extents = tuple(scope.translator.index(e).text for e in memory.extents)
        array = Array(name, memory, len(scope.dims), extents)
        self._arrays[name] = self._by_memory[memory.id] = array
        return array

    def _block(self, block: Block, scope: _Scope) -> None:
        for position, statement in enumerate(block):
            inner = _Scope(scope.dims, scope.constraints, (*scope.schedule, str(position)), scope.ivs, scope.translator)
            self._at = statement
            try:
                self._statement(statement, inner)
            except NotAffine as error:
                raise Refused(error.text, self._side, statement.id) from None

    def _statement(self, statement: Statement, scope: _Scope) -> None:
        match statement:
            case Store():
                write = self._access(statement.memory.id, statement.indices, scope)
                self._instances(statement, scope, write, statement.value, (statement.value,))
            case Touch():
                self._instances(statement, scope, None, None, (*statement.accesses, *statement.terms))
            case Alloc(memory=memory):
                array = self._declare(memory, f"{self._side}M{memory.id}", scope)
                for extent, term in zip(array.extents, memory.extents, strict=True):
                    known = literal(term)
                    if known is None or known < 0:
                        self._negative.append((self._bare(statement, scope), extent))
            case Dealloc():
                pass
            case Loop():
                self._loop(statement, scope)
            case If():
                self._premises(statement, scope)
                condition = scope.translator.condition
                self._block(statement.then, self._where(scope, condition(statement.condition)))
                self._block(statement.otherwise, self._where(scope, condition(statement.condition, False)))
            case Assert():
                self._assertion(statement, scope)
            case Call():
                what = "of memory" if statement.known else "which has no body,"
                raise Refused(f"a call of @{statement.callee}, {what} in a parallel loop", self._side, statement.id)
            case Load() | Evaluate() | While():
                raise Refused("a statement that is not in normal form", self._side, statement.id)

    def _premises(self, statement: If | Assert, scope: _Scope) -> None:
        """Notes where a condition's arithmetic leaves the range of `index`."""
        translator, bare = scope.translator, self._bare(statement, scope)
        for term in statement.exact:
            holds = term.type == BOOL
            text = translator.condition(term, False) if holds else self._beyond(translator.index(term))
            self._inexact.append((bare, text))
        # Where the branch is not reached, its affine expressions may overflow.
        guarded = isinstance(statement, If) and statement.guarded
        for term in () if guarded else assumed(statement.condition, statement.exact):
            with suppress(NotAffine):
                self._overflowing.append((bare, self._beyond(translator.index(term))))

    def _beyond(self, value: Quasi) -> str:
        half = 1 << (self._parameters.index_width - 1)
        return f"({value.text} < {-half} or {value.text} >= {half})"

    def _assertion(self, statement: Assert, scope: _Scope) -> None:
        if is_note(statement.condition):
            # It holds even where ops that wrap are in it.
            if not statement.exact:
                self._premises(statement, scope)
            return
        self._premises(statement, scope)
        try:
            broken = scope.translator.condition(statement.condition, False)
        except NotAffine:
            trap = self._pool.make(ASSERT, (statement.condition,), BOOL)
            self._instances(statement, scope, None, None, (trap,))
        else:
            self._broken.append((self._bare(statement, scope), broken))

    def _where(self, scope: _Scope, constraint: str) -> _Scope:
        # Both branches get the same schedule prefix: their instances never run at the same iteration.
        return _Scope(scope.dims, (*scope.constraints, f"({constraint})"), scope.schedule, scope.ivs, scope.translator)

    def _loop(self, loop: Loop, scope: _Scope) -> None:
        step = literal(loop.step)
        if not isinstance(step, int):
            raise Refused("a step that is not a constant", self._side, loop.id)
        if isinstance(loop.iv.type, IntType):
            step = signed(step, loop.iv.type.width)
        if step <= 0:
            raise Refused(f"a step of {step}", self._side, loop.id)
        if loop.unsigned:
            raise Refused("a loop that compares unsigned", self._side, loop.id)
        depth, dim = len(scope.dims), f"{self._letter}{len(scope.dims)}"
        lowers = [scope.translator.index(t) for t in loop.lowers]
        uppers = [scope.translator.index(t) for t in loop.uppers]
        if step == 1:
            ends = [scope.translator.index(t) for t in quasi_affine.ends(self._pool, "affine.max", loop.lowers)]
            value, own = Quasi(dim, False, False), [f"{end.text} <= {dim}" for end in ends]
        elif len(lowers) == 1 and not lowers[0].floors:
            value, own = Quasi(f"({lowers[0].text} + {step}*{dim})", False, False), [f"{dim} >= 0"]
        elif len(lowers) == 1 and (split := self._split(loop.lowers[0], step, scope)) is not None:
            base, rest = split
            value, own = Quasi(f"({base.text} + {step}*{dim})", False, False), [f"{rest.text} <= {dim}"]
        else:
            value, own = Quasi(dim, False, False), [_strided(dim, [low.text for low in lowers], step)]
        # isl makes a case of each operand of a `min` in a constraint, and keeps them.
        ends = [scope.translator.index(t) for t in quasi_affine.ends(self._pool, "affine.min", loop.uppers)]
        own += [f"{value.text} < {end.text}" for end in ends]
        if loop.fits:
            bare, bounds = self._bare(loop, scope), zip((*loop.lowers, *loop.uppers), (*lowers, *uppers), strict=True)
            self._overflowing += [(bare, self._beyond(bound)) for term, bound in bounds if term.args]
        inner = self._scope(
            (*scope.dims, dim), (*scope.constraints, *own), (*scope.schedule, dim), {**scope.ivs, depth: value}
        )
        if isinstance(loop.iv.type, IntType):
            top = (1 << (loop.iv.type.width - 1)) - 1
            self._wraps.append((self._bare(loop, inner), f"{value.text} + {step} > {top}"))
        start = len(self._statements)
        self._block(loop.body, inner)
        if loop.parallel:
            inner = tuple(self._statements[start:])
            self._parallel.append(Parallel(loop.id, depth, inner, loop.updated, loop.overwrites))

    def _split(self, lower: Term, step: int, scope: _Scope) -> tuple[Quasi, Quasi] | None:
        """`lower` as `base + step * rest` with a base free of floors; None if it has no such form.

        An affine hull keeps an equality through `iv = base + step * dim`; it does not see that two close values of one
        residue class are equal.
        """
        form = quasi_affine.linear(lower)
        whole = quasi_affine.Linear(0, tuple((t, c // step) for t, c in form.terms if c % step == 0))
        part = quasi_affine.Linear(form.constant, tuple((t, c) for t, c in form.terms if c % step))
        base = scope.translator.index(quasi_affine.of_linear(self._pool, part))
        return None if base.floors else (base, scope.translator.index(quasi_affine.of_linear(self._pool, whole)))

    def _access(self, memory: int, indices: tuple[Term, ...], scope: _Scope) -> Access:
        array = self._by_memory[memory]
        own = tuple(self._subscript(i, scope) for i in indices)
        return Access(array.name, (*scope.dims[: array.private], *own), array.private, array.extents)

    def _subscript(self, index: Term, scope: _Scope) -> str:
        """The text of a subscript. A division by a row length makes a claim: in a target, which its source may prove;
        in a source, only if isl cannot express it otherwise."""
        rows = Rows(self._pool, plain=True)
        settled = rows.subscript(index) if self._side == "T" else None
        if settled is None:
            try:
                return scope.translator.index(index).text
            except NotAffine:
                rows = Rows(self._pool, plain=False)
                settled = rows.subscript(index)
                if settled is None:
                    raise
        translator, bare = scope.translator, self._bare(self._at, scope)
        for claim in rows.claims:
            rest, length = translator.index(claim.rest).text, translator.index(claim.length).text
            self._inexact.append((bare, f"{rest} < 0 or {rest} >= {length}"))
        return translator.index(settled).text

    def _bare(self, statement: Statement, scope: _Scope) -> Instances:
        return Instances(
            f"{self._side}B{statement.id}",
            scope.dims,
            scope.constraints,
            scope.schedule,
            None,
            None,
            {},
            (),
            scope.translator,
            statement.id,
        )

    def _instances(
        self, statement: Statement, scope: _Scope, write: Access | None, value: Term | None, terms: tuple[Term, ...]
    ) -> None:
        reads = {load: self._access(_memory_id(load), load.args, scope) for load in self._loads_of(terms)}
        self._declare_values(terms, scope)
        name = f"{self._side}{len(self._statements)}"
        self._statements.append(
            Instances(
                name,
                scope.dims,
                scope.constraints,
                scope.schedule,
                write,
                value,
                reads,
                terms,
                scope.translator,
                statement.id,
                isinstance(statement, Store | Touch) and statement.guarded,
            )
        )

    def _declare_values(self, terms: tuple[Term, ...], scope: _Scope) -> None:
        """Names the arguments, and floors of these, in index values, so that these can be compared."""
        known = set(self._parameters.names)
        for term in postorder(terms):
            if isinstance(term.type, IndexType) and (term.op in ("arg", "dim") or term.op.startswith("affine.")):
                with suppress(NotAffine):
                    scope.translator.index(term)
        self._parameters.idle.update(t for t in self._parameters.names if t not in known)

    def _loads_of(self, terms: tuple[Term, ...]) -> list[Term]:
        return [t for t in postorder(terms) if t.op == "load"]

    def _final(self, array: Array) -> None:
        """A read of every element after everything: what the caller sees."""
        rank = len(array.extents)
        dims = tuple(f"{self._letter}{k}" for k in range(rank))
        ivs = {k: Quasi(dim, False, False) for k, dim in enumerate(dims)}
        constraints = tuple(f"0 <= {d} < {e}" for d, e in zip(dims, array.extents, strict=True))
        indices = tuple(self._pool.induction(k, INDEX) for k in range(rank))
        load = self._pool.load(array.memory.id, indices, array.memory.element)
        access = Access(array.name, dims, 0, array.extents)
        schedule = (str(FINAL),)
        self._statements.append(
            Instances(
                f"{self._side}F{array.name}",
                dims,
                constraints,
                schedule,
                None,
                load,
                {load: access},
                (),
                Translator(self._parameters, ivs),
                -1,
            )
        )


FINAL = 1_000_000_000


def _strided(dim: str, lowers: list[str], step: int) -> str:
    """`dim` is `max(lowers) + step*k` for some `k >= 0`."""
    cases: list[str] = []
    for low in lowers:
        greatest = [f"{low} >= {other}" for other in lowers if other is not low]
        cases.append("(" + " and ".join([*greatest, f"{low} <= {dim}", f"({dim} - ({low})) mod {step} = 0"]) + ")")
    return "(" + " or ".join(cases) + ")"


def _memory_id(load: Term) -> int:
    memory = load.attr("memory")
    assert isinstance(memory, int)
    return memory


def flatten(
    pool: TermPool, function: Function, body: Block, parameters: Parameters, side: str, asserted: bool = False
) -> Flattened:
    """The statements of `body`, the normal form of `function`; isl names begin with `side` (`S` or `T`).

    `asserted`: assertions state the conditions under which the accesses of guarded statements are in bounds.
    Raises: Refused if a bound, subscript or condition is not quasi-affine.
    """
    return replace(_Flattener(pool, function, parameters, side).run(body), asserted=asserted)
