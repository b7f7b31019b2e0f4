"""The program graph: a tree of statements in program order over hash-consed terms.

This is the renamed dataflow graph with loop and block nodes of HEC (section 4.1), with memory made explicit: a load is
a statement that reads at its own place, so a load before and after a store are two values. Region ops are desugared
to `Loop` and `If`; a value carried by a loop or yielded by a branch lives in a *cell*, a rank-0 memory that is written
before the loop and at each yield; a function result is stored to a *result* memory at the return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final

from msgspec import Struct, field

from hecv.base.diagnostics import Location
from hecv.base.term import Term, postorder
from hecv.base.types import ScalarType, Type


class MemoryKind(Enum):
    """Where a memory comes from, which decides what it holds at first and who sees it in the end."""

    ARGUMENT = "argument"  # holds proper values at first; observable
    LOCAL = "local"  # an allocation: undefined at first; not observable
    CELL = "cell"  # a rank-0 memory of our own making; always written before it is read
    RESULT = "result"  # a rank-0 memory written once, at the return; observable
    GLOBAL = "global"  # a `memref.global`, named by its symbol; observable unless it is constant


class Memory(Struct, frozen=True):
    """One allocation site. `id` is unique within its function; that of an argument is the argument's number.

    Shapes: `extents` has one index term a dimension (constants, extents of arguments, or computed for `LOCAL`).
    A `LOCAL` or `CELL` inside loops is a new allocation in each iteration: its `Alloc` statement stands there.
    """

    id: int
    kind: MemoryKind
    name: str
    element: ScalarType
    extents: tuple[Term, ...]


class Load(Struct, frozen=True):
    """Reads `memory[indices]` here; the term `read id` denotes the value. Undefined when out of bounds."""

    id: int
    memory: Memory
    indices: tuple[Term, ...]


class Store(Struct, frozen=True):
    """Writes `value` to `memory[indices]`; `load` terms in it read just before. Undefined when out of bounds.

    A `guarded` store, made by `hecv.normal.branches.if_conversion`, is one that the program may not run: then it writes
    what was there before, and its accesses are undefined only where the program does run it.
    """

    id: int
    memory: Memory
    indices: tuple[Term, ...]
    value: Term
    guarded: bool = False


class Alloc(Struct, frozen=True):
    """Brings `memory` to life with undefined elements. Undefined when an extent is negative."""

    id: int
    memory: Memory


class Dealloc(Struct, frozen=True):
    """Ends the life of `memory`; a later access is undefined."""

    id: int
    memory: Memory


class Evaluate(Struct, frozen=True):
    """Evaluates the operator at the root of `term` here: an op that can be undefined (a division) stands in the tree
    even when nothing uses its value. The term may also occur in later statements."""

    id: int
    term: Term


class Touch(Struct, frozen=True):
    """Accesses that must be in bounds and operators that must be defined, without any effect.

    Made from dead loads, dead stores and `Evaluate` by `hecv.normal.passes`.
    `accesses` are `load` terms; `terms` are terms whose every operator is evaluated. `guarded` is as in `Store`.
    """

    id: int
    accesses: tuple[Term, ...]
    terms: tuple[Term, ...]
    guarded: bool = False


class Loop(Struct, frozen=True):
    """`for iv = max(lowers) to min(uppers) step step`, the iterations in order.

    `iv` is the term `iv depth`. The trip count is `max(0, ceil((ub - lb) / step))` over the exact integers of the
    type of `iv`, signed unless `unsigned`. Undefined when `step <= 0`, and when `iv + step` of the last iteration is
    not a value of that type. Bounds are evaluated once, before the loop.

    A `parallel` loop runs its iterations in any order: a race, two iterations that access one element of which one
    writes, is undefined behaviour. Cells from outside are exempt: they hold the accumulators of reductions. So are the
    memories `updated`, by their ids: all that the loop does to one is to update its elements atomically, by one
    operator that is associative and commutative, and it does not look at what they hold. Where it `overwrites`, two
    iterations that write one element do so in some order, which is left open, and that is not undefined.

    Where `fits`, the bounds are computed wherever the loop stands, by index arithmetic that does not overflow: so much
    is assumed of the bounds of the ops `affine.for` and `scf.for`.
    """

    id: int
    iv: Term
    lowers: tuple[Term, ...]
    uppers: tuple[Term, ...]
    step: Term
    unsigned: bool
    body: Block
    parallel: bool = False
    fits: bool = False
    updated: frozenset[int] = frozenset()
    overwrites: bool = False


class While(Struct, frozen=True):
    """Runs `before`; where the i1 term `condition`, evaluated after it, holds, runs `after` and begins again.

    Undefined when the condition is poison. Values that it carries live in cells.
    """

    id: int
    before: Block
    condition: Term
    after: Block


class Assert(Struct, frozen=True):
    """Undefined unless the i1 term `condition` holds; `text` says what is broken then. `exact` is as in `If`."""

    id: int
    condition: Term
    text: str
    exact: tuple[Term, ...] = ()


class Call(Struct, frozen=True):
    """Calls a function without a body: any function of that name, the same one on both sides of a pair.

    It sees `operands` and the contents of `memories` (all that it can reach), may write those, and writes its results
    to the cells `results`. The first `given` of the memories are those that it is passed. Where the body is `known`, it
    is one of the `callees` of the function that the call stands in: `memories` are then those it is given, in order,
    and the globals that it can reach, by name. Of those that it is passed some may be `viewed`: it is given a view of
    the memory, and can reach all of that. Then the last of the operands say which are, and where each view lies: its
    offset, sizes and strides. `viewed` has for each memref that is passed how many operands these are.
    """

    id: int
    callee: str
    operands: tuple[Term, ...]
    memories: tuple[Memory, ...]
    results: tuple[Memory, ...]
    known: bool = False
    given: int = 0
    viewed: tuple[int, ...] = ()


class If(Struct, frozen=True):
    """Runs `then` where the i1 term `condition` holds, `otherwise` where it does not. Undefined when it is poison.

    In normal form `exact` has the index terms that `condition` reads as exact arithmetic though they stand for ops
    that wrap: it says what the program says only where they stay within the range of `index`. It may also have i1
    terms: premises of a rewriting of the branches, which say what the program says only where they hold.
    `guarded`: it may not be reached, as a condition on data is no condition any more
    (`hecv.normal.branches.if_conversion`).
    """

    id: int
    condition: Term
    then: Block
    otherwise: Block
    exact: tuple[Term, ...] = ()
    guarded: bool = False


Statement = Load | Store | Alloc | Dealloc | Evaluate | Touch | Loop | If | While | Assert | Call
Block = tuple[Statement, ...]


class Role(Enum):
    """What the memory of an argument is to the caller."""

    BUFFER = "buffer"  # a memref or global, which is seen to change
    VALUE = "value"  # a vector or tensor, which never changes
    RESULT = "result"  # takes a vector, tensor or memref that the function returns
    AROUND = "around"  # takes what lies around a part of an allocation that it returns; no run tells of it


class Argument(Struct, frozen=True):
    """A function argument: `term` where it is a scalar, `memory` where it is a memref.

    `name` is the SSA name in the source text without the percent sign, or `arg0`, `arg1`... where there is none.
    `role` tells what its memory is to the caller, and `text` is the type in the text where that is not `type`.
    """

    number: int
    name: str
    type: Type
    term: Term | None
    memory: Memory | None
    role: Role = Role.BUFFER
    text: str = ""

    def is_shared(self) -> bool:
        """Whether it is memory of the caller's, which others may overlap."""
        return self.memory is not None and self.role is Role.BUFFER


class Constant(Struct, frozen=True):
    """A constant memory of known contents: literals in row-major order, one alone where all are the same; None where
    they are too many to be listed, of which `packed` has the bytes: elements of whole bytes, little-endian.

    `number` is the same for two of them, also of a pair of functions, exactly when shape, type and contents are.
    """

    number: int
    memory: Memory
    contents: tuple[Term, ...] | None
    packed: bytes = b""


class Standing(Enum):
    """What a function returns of an allocation of its own."""

    WHOLE = "all of it"
    PART = "a part"
    UNKNOWN = "a part, it is not known which"
    DEAD = "memory that does not live on"


STANDINGS: Final = 6
"""Numbers of an allocation: one that is compared as a whole, a part of one that is not, on either side, a part of which
it is not known which, on either side, and one that does not live on."""


class Place(Struct, frozen=True):
    """Where a memref lies. `buffer` names an argument by its number, or a global; of an allocation of the function's
    own it is the number of the first result that is of it. `layout` is where it lies: offset and strides, in elements,
    of an allocation only where it is a part; `standing`, how it lies in an allocation, which is the memory with the id
    `memory`. Where the layout of an argument is not known, it lies as `layout` says if that is row-major; `rows` are
    then the subscripts of the first element, and along each dimension by how much those of the next are more."""

    buffer: str | int
    layout: tuple[Term, ...] = ()
    standing: Standing = Standing.WHOLE
    memory: int = -1
    rows: tuple[tuple[Term, ...], ...] = ()


class Chosen(Struct, frozen=True):
    """Where a memref lies that is `then` where the i1 term `condition` holds and `otherwise` where it does not."""

    condition: Term
    then: Place | Chosen
    otherwise: Place | Chosen


class Returned(Struct, frozen=True):
    """A memref that a function returns as its result number `result`; the argument `taken` takes its contents. `which`
    says which buffer it is. Where the functions of a pair do not plainly agree on that, it is None, and results number
    `shown` and following say it: the buffer's number, offset and strides (`hecv.mlir.aliasing.returned_memrefs`)."""

    result: int
    taken: int
    which: Place | Chosen | None
    shown: int = -1

    def scalars(self, rank: int) -> range:
        """The results that say which buffer it is, of a memref of so many dimensions."""
        return range(self.shown, self.shown + 2 + rank) if self.which is None else range(0)


class Function(Struct, frozen=True, dict=True):
    """One public function with its calls inlined.

    `locations` maps a statement's id to the places in the source text that it comes from. `results` are the `RESULT`
    memories in order. `globals` are the globals that either function of a pair names and that are not `constants`, by
    symbol: hidden arguments, numbered after the arguments. `opaque` are the operators without semantics that the text
    has; `known` tells that there are none, nor values of a type without meaning.
    `returned` says of each memref that it returns which buffer it is: its contents are an argument more. `callees` are
    those that it may call, directly or not, by name, and that may call themselves: all others are inlined.
    `overlapping` are the memories of which two may have elements in common; no others have. `alone` are those of the
    caller's of which the tree is right only where they overlap nothing: a `memref.copy` goes between them, or a tensor
    is what they hold. The text says that the pairs of arguments `distinct` do not overlap, and of how many bytes an
    address is a multiple (`aligned`). Of the memories that are `rebased` it accesses elements through their offset and
    strides, which are not known. Other modules do not see the globals `private`. Where vectors and tensors are not read
    by element, `whole` says why. `apart` tells that fast-math flags were left out that have no effect while inputs do
    not overlap. Where it was read as a source that does less than the text may, `one_way` says why the text need not
    refine what refines it. `rounds` tells that products are taken to be rounded before they are added, where the text
    leaves that open. `unanswered` is what is said of functions without a body that a run does not respect.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Memory, ...]
    body: Block
    location: Location | None
    locations: Mapping[int, Location] = field(default_factory=dict[int, Location])
    globals: tuple[Argument, ...] = ()
    constants: tuple[Constant, ...] = ()
    opaque: tuple[Term, ...] = ()
    known: bool = True
    returned: tuple[Returned, ...] = ()
    callees: Mapping[str, Function] = field(default_factory=dict[str, "Function"])
    overlapping: frozenset[int] = frozenset()
    alone: frozenset[int] = frozenset()
    distinct: frozenset[tuple[int, int]] = frozenset()
    aligned: frozenset[tuple[int, int]] = frozenset()
    rebased: frozenset[int] = frozenset()
    whole: str = ""
    private: frozenset[str] = frozenset()
    apart: bool = False
    one_way: str = ""
    rounds: bool = False
    unanswered: str = ""

    def inputs(self) -> tuple[Argument, ...]:
        """All that a run starts from: the arguments, then the globals."""
        return (*self.arguments, *self.globals)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term of the body, operands before users; found once a body, since a long one has many."""
        # `replace` hands on what is kept here to a function with another body.
        body, terms = vars(self).get("found", (None, ()))
        if body is not self.body:
            terms = tuple(postorder(tuple({t.id: t for s in walk(self.body) for t in roots(s)}.values())))
            vars(self)["found"] = self.body, terms
        return terms

    def memories(self) -> dict[int, Memory]:
        """Every memory of the function by its id."""
        found = {a.memory.id: a.memory for a in self.inputs() if a.memory is not None}
        found |= {c.memory.id: c.memory for c in self.constants}
        found |= {m.id: m for m in self.results}
        found |= {s.memory.id: s.memory for s in walk(self.body) if isinstance(s, Alloc)}
        return found


def memories_in(function: Function, body: Block) -> dict[int, Memory]:
    """Every memory of a form `body` of the function by its id.

    An allocation has the extents that it has in the body: accesses may name those of another form, in which other
    variables were what the extents are made of.
    """
    stored, made = ({s.memory.id: s.memory for s in walk(body) if isinstance(s, kind)} for kind in (Store, Alloc))
    return function.memories() | stored | made


def roots(statement: Statement) -> tuple[Term, ...]:
    """The terms that stand in `statement` itself, without those of the blocks that it encloses."""
    match statement:
        case Load():
            return statement.indices
        case Store():
            return (*statement.indices, statement.value)
        case Alloc():
            return statement.memory.extents
        case Dealloc():
            return ()
        case Evaluate():
            return (statement.term,)
        case Touch():
            return (*statement.accesses, *statement.terms)
        case Assert():
            return (statement.condition,)
        case Call():
            return statement.operands
        case Loop():
            return (*statement.lowers, *statement.uppers, statement.step)
        case If() | While():
            return (statement.condition,)


def is_of_cell(statement: Load | Store | Alloc) -> bool:
    """Whether the statement is about a cell."""
    return statement.memory.kind is MemoryKind.CELL


def enclosed(statement: Statement) -> tuple[Block, ...]:
    """The blocks that a statement encloses, in program order."""
    match statement:
        case Loop():
            return (statement.body,)
        case If():
            return statement.then, statement.otherwise
        case While():
            return statement.before, statement.after
        case _:
            return ()


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
            case While():
                stack.extend(reversed(statement.after))
                stack.extend(reversed(statement.before))
            case _:
                pass
