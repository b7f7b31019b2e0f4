"""The program graph: a tree of statements in program order over hash-consed terms.

This is HEC's renamed dataflow graph with loop and block nodes (section 4.1), with explicit memory: a load is a
statement that reads where it stands, so loads before and after a store are two values. Ops with regions become `Loop`,
`While` and `If`. A value carried by a loop or yielded by a branch lives in a *cell*, a memory of rank 0 that is written
before the loop and at each yield. A function result is stored to a *result* memory at the return.
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
    """The origin of a memory, which determines its initial contents and whether the caller sees its final ones."""

    ARGUMENT = "argument"  # holds proper values at first; observable
    LOCAL = "local"  # an allocation: undefined at first; not observable
    CELL = "cell"  # a rank-0 memory of our own making; always written before it is read
    RESULT = "result"  # a rank-0 memory written once, at the return; observable
    GLOBAL = "global"  # a `memref.global`, named by its symbol; observable unless it is constant


class Memory(Struct, frozen=True):
    """One allocation site. `id` is unique within its function; for an argument it is the argument's number.

    Shapes: `extents` has one index term a dimension (constants, extents of arguments, or computed for `LOCAL`).
    A `LOCAL` or `CELL` inside a loop is a new allocation in each iteration: its `Alloc` statement stands there.
    """

    id: int
    kind: MemoryKind
    name: str
    element: ScalarType
    extents: tuple[Term, ...]


class Load(Struct, frozen=True):
    """Reads `memory[indices]` here; the term `read id` denotes the value. Undefined if out of bounds."""

    id: int
    memory: Memory
    indices: tuple[Term, ...]


class Store(Struct, frozen=True):
    """Writes `value` to `memory[indices]`; `load` terms in `value` are read just before. Undefined if out of bounds.

    A `guarded` store comes from if-conversion (`hecv.normal.branches.if_conversion`): the program may not execute it.
    If it does not, the store writes the old contents back, and its accesses are never undefined.
    """

    id: int
    memory: Memory
    indices: tuple[Term, ...]
    value: Term
    guarded: bool = False


class Alloc(Struct, frozen=True):
    """Allocates `memory` with undefined elements. Undefined if an extent is negative."""

    id: int
    memory: Memory


class Dealloc(Struct, frozen=True):
    """Frees `memory`; a later access is undefined."""

    id: int
    memory: Memory


class Evaluate(Struct, frozen=True):
    """Evaluates the operator at the root of `term` here. The term may also occur in later statements.

    An op that can be undefined (a division) is in the tree even if nothing uses its value.
    """

    id: int
    term: Term


class Touch(Struct, frozen=True):
    """Accesses that must be in bounds and operators that must be defined, without any effect.

    Made from dead loads, dead stores and `Evaluate` by `hecv.normal.passes`. `accesses` are `load` terms; of
    `terms`, every operator is evaluated. `guarded` is as in `Store`.
    """

    id: int
    accesses: tuple[Term, ...]
    terms: tuple[Term, ...]
    guarded: bool = False


class Loop(Struct, frozen=True):
    """`for iv = max(lowers) to min(uppers) step step`, with iterations in order.

    `iv` is the term `iv depth`. The trip count is `max(0, ceil((ub - lb) / step))` over the exact integers of the type
    of `iv`, signed unless `unsigned`. Undefined if `step <= 0`, or if `iv + step` of the last iteration is not a value
    of that type. Bounds are evaluated once, before the loop.

    A `parallel` loop runs its iterations in any order. A race is undefined behaviour: two iterations access one element
    and one of them writes it. Exempt are cells from outside the loop, which hold the accumulators of reductions, and
    the memories with ids in `updated`: all that the loop does to such a memory is to update elements atomically, by one
    associative and commutative operator, without looking at the contents. With `overwrites`, two iterations that write
    one element do so in an unspecified order, and that is not undefined.

    `fits`: wherever the loop stands, its bounds are computed by index arithmetic that does not overflow. This is
    assumed of the bounds of `affine.for` and `scf.for`.
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
    """Runs `before`, then evaluates the i1 term `condition`; if it holds, runs `after` and starts again.

    Undefined if the condition is poison. Carried values live in cells.
    """

    id: int
    before: Block
    condition: Term
    after: Block


class Assert(Struct, frozen=True):
    """Undefined unless the i1 term `condition` holds; `text` says what a failure means. `exact` is as in `If`."""

    id: int
    condition: Term
    text: str
    exact: tuple[Term, ...] = ()


class Call(Struct, frozen=True):
    """A call of a function that is not inlined. Without a body it is any function of that name, the same on both sides.

    The callee sees `operands` and the contents of `memories` (all that it can reach), may write these memories, and
    writes its results to the cells `results`. The first `given` memories are those passed to it.

    A `known` call is of one of the enclosing function's `callees`: `memories` are then those passed, in order, and the
    globals that it can reach, by name.

    The last `values` of the given memories have the elements of a vector or tensor, for this call alone: nobody else
    knows them. A call that only `prints` sees its operands and nothing else, and writes nothing.

    `viewed`: a passed memref may be a view of its memory, all of which the callee can reach. The last operands then say
    which are views and where each lies: offset, sizes and strides. `viewed[k]` is how many operands describe memref
    `k`.
    """

    id: int
    callee: str
    operands: tuple[Term, ...]
    memories: tuple[Memory, ...]
    results: tuple[Memory, ...]
    known: bool = False
    given: int = 0
    viewed: tuple[int, ...] = ()
    values: int = 0
    prints: bool = False

    def passed(self) -> tuple[Memory, ...]:
        """The memrefs passed to a function, which it may remember."""
        return self.memories[: self.given - self.values]


class If(Struct, frozen=True):
    """Runs `then` if the i1 term `condition` holds, otherwise `otherwise`. Undefined if the condition is poison.

    In normal form, `exact` has the index terms that `condition` reads as exact arithmetic although they stand for ops
    that wrap: the condition is the program's only while they stay in the range of `index`. It may also have i1 terms:
    premises of a rewriting of the branches, which is right only where they hold.

    `guarded`: the branch may not be reached, since a condition on data was if-converted
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
    """A function argument: `term` if it is a scalar, `memory` if it is a memref, vector or tensor.

    `name` is the SSA name in the source text without the percent sign, or `arg0`, `arg1`... if there is none. `role`
    says what its memory is to the caller. `text` is the type in the source text if it differs from `type`.
    """

    number: int
    name: str
    type: Type
    term: Term | None
    memory: Memory | None
    role: Role = Role.BUFFER
    text: str = ""

    def is_shared(self) -> bool:
        """True if it is a buffer of the caller, which others may overlap."""
        return self.memory is not None and self.role is Role.BUFFER


class Constant(Struct, frozen=True):
    """A constant memory of known contents.

    `contents` are literals in row-major order, a single one if all are equal. They are None if there are too many to
    list; `packed` then has their bytes: elements of whole bytes, little-endian. Two constants, also of the two
    functions of a pair, have the same `number` exactly if shape, type and contents are equal.
    """

    number: int
    memory: Memory
    contents: tuple[Term, ...] | None
    packed: bytes = b""


class Standing(Enum):
    """How much of one of its own allocations a function returns."""

    WHOLE = "all of it"
    PART = "a part"
    UNKNOWN = "a part, it is not known which"
    DEAD = "memory that does not live on"


STANDINGS: Final = 6
"""Numbers reserved for each allocation: compared as a whole; a part of one that is not, on either side; an unknown
part, on either side; one that does not live on."""


class Place(Struct, frozen=True):
    """The position of a memref in a buffer.

    `buffer` is an argument's number or a global's name; for one of the function's own allocations it is the number of
    the first result that lies in it. `layout` is offset and strides, in elements (for an allocation only if the memref
    is a part of it). `standing` says how the memref lies in an allocation, `memory` is that allocation's id.

    If the layout of an argument is unknown, `layout` is what it would be if the argument were row-major; `rows` then
    has the subscripts of the first element, and for each dimension the difference to the subscripts of the next
    element.
    """

    buffer: str | int
    layout: tuple[Term, ...] = ()
    standing: Standing = Standing.WHOLE
    memory: int = -1
    rows: tuple[tuple[Term, ...], ...] = ()


class Chosen(Struct, frozen=True):
    """The position of a selected memref: `then` where the i1 term `condition` holds, otherwise `otherwise`."""

    condition: Term
    then: Place | Chosen
    otherwise: Place | Chosen


class Returned(Struct, frozen=True):
    """A memref returned as result number `result`; its contents go to the argument number `taken`.

    `which` says which buffer it is. If the two functions do not plainly agree on that, it is None, and the results from
    number `shown` on say it: the buffer's number, offset and strides (`hecv.mlir.aliasing.returned_memrefs`).
    """

    result: int
    taken: int
    which: Place | Chosen | None
    shown: int = -1

    def scalars(self, rank: int) -> range:
        """The results that say which buffer it is, for a memref of this rank."""
        return range(self.shown, self.shown + 2 + rank) if self.which is None else range(0)


class Function(Struct, frozen=True, dict=True):
    """One public function with its calls inlined.

    Body:
    - `locations` maps a statement's id to the places in the source text that it comes from.
    - `results` are the `RESULT` memories in order.
    - `returned` says of each returned memref which buffer it is; its contents are an additional argument.
    - `callees` are the functions it may call, directly or not, by name, that may call themselves: others are inlined.

    Globals:
    - `globals` are those that either function of a pair names and that are not `constants`, by symbol: hidden
      arguments, numbered after the arguments. Other modules do not see those in `private`.

    Semantics that is missing:
    - `opaque` are the operators without semantics in the text; `known` is true if there are none, and no values of a
      type without meaning.
    - `whole`: why vectors and tensors are not read by element, empty if they are.
    - `unanswered`: what is said of functions without a body and not respected by a run.
    - `launches`: it launches threads (`gpu.launch`), which are read as a parallel loop.
    - `lane`: it is one lane of a function on scalable vectors.
    - `undeclared` are the ops that neither MLIR nor the user knows, read as calls of functions without a body.

    Aliasing and layout:
    - `overlapping` are the memories of which two may have elements in common; no others have.
    - `alone` are memories of the caller for which the tree is right only if they overlap nothing: a `memref.copy` goes
      between them, or they hold a tensor.
    - `distinct` are pairs of arguments that the text says do not overlap; `aligned`, of how many bytes an address is a
      multiple.
    - `rebased` are memories whose elements are accessed through their offset and strides, which are unknown.

    Indices:
    - `modular`: the normal form takes what its conditions compare modulo `2**width`, where that may overflow.

    Floats:
    - `apart`: fast-math flags were removed that have no effect as long as inputs do not overlap.
    - `one_way`: the source was read as one that does less than its text may; why the text need not refine what refines
      it.
    - `rounds`: products are assumed to be rounded before they are added, which the text leaves open.
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
    undeclared: frozenset[str] = frozenset()
    modular: bool = False
    lane: bool = False
    launches: bool = False

    def inputs(self) -> tuple[Argument, ...]:
        """The arguments, then the globals: everything that a run starts from."""
        return (*self.arguments, *self.globals)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term of the body, operands before users. Computed once a body, since a long one has many."""
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
    """Every memory by its id, for `body`, a form of the function's body.

    An allocation has its extents in `body`: accesses may name the memory of an earlier form, whose extents were made of
    other variables.
    """
    stored, made = ({s.memory.id: s.memory for s in walk(body) if isinstance(s, kind)} for kind in (Store, Alloc))
    return function.memories() | stored | made


def roots(statement: Statement) -> tuple[Term, ...]:
    """The terms in `statement` itself, without those of its nested blocks."""
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
    """True if the statement accesses or allocates a cell."""
    return statement.memory.kind is MemoryKind.CELL


def enclosed(statement: Statement) -> tuple[Block, ...]:
    """The nested blocks of a statement, in program order."""
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
    """Every statement of `block` in preorder: program order, each before its nested blocks."""
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
