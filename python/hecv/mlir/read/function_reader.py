"""The reader of one function: SSA values as terms, statements in program order, and their source locations.

The meaning of an op is in its handler, elsewhere in `hecv.mlir`; the handler reads its op and emits statements here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from msgspec import Struct
from torch_mlir import ir

from hecv.base.diagnostics import Location, Unsupported
from hecv.base.term import Attributes, Term, TermPool, literal
from hecv.base.types import BOOL, MemRefType, OpaqueType, ScalarType, Type
from hecv.mlir.module.parsed_module import BUFFER, ParsedModule, locate
from hecv.mlir.module.purity import Purity
from hecv.mlir.read.affine_maps import Membership, Recipe, TooDeep, compile_map, compile_set, steps_of
from hecv.mlir.read.memref_views import Aggregate, Aggregates, Choice, Memref, Part, View, bounds, element
from hecv.mlir.read.mlir_types import read_memref_of_vectors, read_type
from hecv.mlir.read.strided_metadata import Taken
from hecv.program.index import quasi_affine
from hecv.program.index.raising import Raiser
from hecv.program.tree import Alloc, Assert, Block, Constant, Evaluate, Load, Memory, MemoryKind, Statement, Store

DEEPEST_NEST = 128
"""Nesting depth of loops, branches and inlined calls, at most: every later stage recurses over them."""

OF_VECTORS = frozenset(
    f"memref.{name}"
    for name in "load store dim dealloc copy subview cast collapse_shape expand_shape memory_space_cast".split()  # noqa: SIM905
) | {
    "affine.load",
    "affine.store",
    "affine.dma_start",
    "memref.dma_start",
    "vector.type_cast",
}
"""Ops that accept a memref of vectors or complex numbers, whose dimensions are then its last."""

BY_LANE = (ir.VectorType, ir.ComplexType)
"""Types that are several elements, in a memref too."""


class Kept(Struct, frozen=True):
    """A function whose calls are not inlined: its name in the source of the pair, the globals that it can reach
    (None if unknown), and its type."""

    name: str
    globals: tuple[str, ...] | None
    type: str


class Reader:
    """The state of reading one function. Handlers are looked up by op name; an op without one is unsupported."""

    def __init__(
        self,
        module: ParsedModule,
        pool: TermPool,
        handlers: Mapping[str, Handler],
        others: Handler | None = None,
        by_element: bool = False,
        kept: Mapping[str, Kept] | None = None,
    ) -> None:
        """`others` reads ops without a handler of their own. With `by_element`, vectors and tensors are read element
        by element (`hecv.mlir.values.aggregate_values`), otherwise as opaque values. Calls of the functions
        `kept` are not inlined."""
        self.module = module
        self.kept: Mapping[str, Kept] = kept or {}
        self.pool = pool
        self.handlers = handlers
        self.purity = Purity(module.module.context)
        self._others = others
        self.scalars: dict[ir.Value, Term] = {}
        self.views: dict[ir.Value, Memref] = {}
        self.has_choices = False
        self.hands_on_choices = False
        """Whether a loop hands a memref on that a condition chose which may be poison."""
        self.aggregates = Aggregates()
        self.by_element = by_element
        self.lanes = 0
        self.generalized: list[ir.Module] = []
        self.iterations: list[tuple[Term, ...]] = []
        self.unspecified: dict[ir.Value, Term] = {}
        self.borrowed: dict[int, ir.Operation] = {}
        self.cloned: dict[int, tuple[ir.Operation, Memory]] = {}
        """Clones by their memory, with what they were made of (`hecv.mlir.memory.buffer_clones`)."""
        self.alone: set[int] = set()
        self.distinct: set[tuple[int, int]] = set()
        self.aligned: set[tuple[int, int]] = set()
        self.taken: dict[ir.Value, Taken] = {}
        """Memrefs of unknown layout that were taken apart, and their bases."""
        self.rebased: set[int] = set()
        self.opaque_terms: list[Term] = []
        self.has_stated = False
        """Whether an op says something of its operands (`hecv.mlir.read.operand_preconditions`)."""
        self.has_opaque_types = False
        self.rounds = False
        self.undeclared: set[str] = set()
        self.launches = False
        self.heap: set[int] = set()
        self.foreign: dict[int, tuple[ir.Operation, Memory]] = {}
        """Deallocations of what is not on the heap, to be shown to be out of reach
        (`hecv.mlir.memory.unreachable_deallocs`)."""
        self.stack: set[int] = set()
        self.remade: dict[int, Memory] = {}
        self.parts: dict[ir.Value, tuple[tuple[Part, Memory], ...]] = {}
        self.globals: dict[str, Memory] = {}
        self.constants: dict[int, Constant] = {}
        """Literals that are tensors."""
        self.constant: set[int] = set()
        """Memories that are constant."""
        self.updates: dict[int, str] = {}
        """Loads and stores of atomic updates in parallel loops, and the operators of these."""
        self.block: list[Statement] = []
        self.locations: dict[int, Location] = {}
        self.decoded: dict[tuple[str, str, ir.Attribute], Attributes] = {}
        self.loops = 0
        self.calls: list[str] = []
        self.inlined = 0
        self._nest = 0
        self._memories = 0
        self._statements = 0
        self._names: set[str] = set()
        self._types: dict[ir.Type, Type | None] = {}
        self._maps: dict[ir.Attribute, tuple[Recipe, ...]] = {}
        self._steps: dict[ir.Attribute, tuple[Recipe, ...]] = {}
        self._sets: dict[ir.Attribute, Membership] = {}
        self._raiser = Raiser(pool, asserted=False)

    # Reading

    def read_block(self, block: ir.Block) -> None:
        """Appends the ops of `block` to the current statements."""
        handlers = self.handlers
        for view in block:
            op = view.operation
            handler = handlers.get(op.name, self._others)
            if handler is None:
                self.reject(op, "it has no semantics here")
            handler(self, op)

    def opaque(self, op: ir.Operation) -> None:
        """Reads an op as one without a handler of its own."""
        if self._others is None:
            self.reject(op, "it has no semantics here")
        self._others(self, op)

    def enter(self, op: ir.Operation) -> list[Statement]:
        """Starts a nested block inside `op`; gives the statements around it, to be passed to `leave`."""
        if self._nest == DEEPEST_NEST:
            self.reject(op, f"nested deeper than {DEEPEST_NEST} levels")
        self._nest += 1
        outer, self.block = self.block, []
        return outer

    def leave(self, outer: list[Statement]) -> Block:
        """Ends the block that `enter` started."""
        self._nest -= 1
        inner, self.block = self.block, outer
        return tuple(inner)

    @contextmanager
    def behind(self, op: ir.Operation, branches: int) -> Generator[None]:
        """Reads at the end of `branches` nested branches: each stands in the one before."""
        if self._nest + branches > DEEPEST_NEST:
            self.reject(op, f"nested deeper than {DEEPEST_NEST} levels")
        self._nest += branches
        yield
        self._nest -= branches

    def runs_once(self, op: ir.Operation) -> bool:
        """True if the op runs in every execution of the function that does not end before it.

        It is then in the first block, in no region of another op, and in no call (the function itself is one level).
        """
        around = op.parent
        return self._nest == 1 and around is not None and op.block == around.regions[0].blocks[0]

    def reject(self, op: ir.Operation, why: str) -> NoReturn:
        """Raises: Unsupported, at `op`."""
        callee = op.attributes["callee"] if op.name == "func.call" else None
        name = op.name if callee is None else self.module.outside.get(ir.FlatSymbolRefAttr(callee).value, op.name)
        raise Unsupported(f"op `{name}`: {why}", locate(op.location, self.module.file))

    # Values

    def term(self, op: ir.Operation, value: ir.Value) -> Term:
        """The scalar that `value` is; `op` is the user, for the message."""
        found = self.scalars.get(value)
        if found is None:
            self._reject_value(op, value)
        return found

    def terms(self, op: ir.Operation, values: Iterable[ir.Value]) -> tuple[Term, ...]:
        """The scalars that `values` are."""
        scalars = self.scalars
        try:
            return tuple([scalars[v] for v in values])
        except KeyError as problem:
            self._reject_value(op, problem.args[0])

    def _reject_value(self, op: ir.Operation, value: ir.Value) -> NoReturn:
        if value in self.unspecified:
            self.reject(op, "contents that are not specified (of `tensor.empty`) are not supported here")
        if isinstance(value.type, ir.MemRefType):
            self.reject(op, "memrefs as values are not supported")
        self.reject(op, f"a value of type `{value.type}` is not supported here")

    def value(self, value: ir.Value) -> Meaning:
        """The meaning of `value`: scalar, memref or aggregate."""
        found = self.views.get(value) or self.aggregates.get(value)
        if found is None and value in self.unspecified:
            raise Unsupported("contents that are not specified (of `tensor.empty`) are not supported here", None)
        return self.scalars[value] if found is None else found

    def bind(self, value: ir.Value, meaning: Meaning) -> None:
        """Sets the meaning of `value`."""
        if isinstance(meaning, Term):
            self.scalars[value] = meaning
        elif isinstance(meaning, Aggregate):
            self.aggregates[value] = meaning
        else:
            self.views[value] = meaning

    def view(self, op: ir.Operation, value: ir.Value) -> View:
        """The memref that `value` is; `op` is the user, for the message."""
        found = self.views.get(value)
        vectors = isinstance(value.type, ir.MemRefType) and isinstance(value.type.element_type, BY_LANE)
        if isinstance(found, Choice):
            self.reject(op, "a memref that a condition chooses is not supported here")
        if found is None or (vectors and op.name not in OF_VECTORS):
            self.reject(op, f"a value of type `{value.type}` is not supported here")
        return found

    def memref(self, op: ir.Operation, value: ir.Value) -> Memref:
        """The memref `value`, which may be a selected one; `op` is the user, for the message."""
        return self.views.get(value) or self.view(op, value)

    def type_of(self, op: ir.Operation, source: ir.Type) -> Type:
        """`source` as plain data."""
        try:
            found = self._types[source]
        except KeyError:
            by_lane = read_memref_of_vectors(source) if self.by_element else None
            found = self._types[source] = by_lane or read_type(source)
        if found is None:
            self.reject(op, f"type `{source}` is not supported")
        self.has_opaque_types |= isinstance(found.element if isinstance(found, MemRefType) else found, OpaqueType)
        return found

    def scalar_type(self, op: ir.Operation, source: ir.Type) -> ScalarType:
        """`source` as plain data if it is a scalar or has no meaning here; for an aggregate read by element, the
        element type."""
        if self.by_element and isinstance(source, (ir.VectorType, ir.RankedTensorType, ir.ComplexType)):
            if not self.lanes:
                self.reject(op, f"type `{source}` is not supported here")
            source = source.element_type
            source = source.element_type if isinstance(source, ir.ComplexType) else source
        found = self.type_of(op, source)
        if isinstance(found, MemRefType):
            self.reject(op, "memrefs as values are not supported")
        return found

    # Affine maps

    def apply_map(self, op: ir.Operation, attribute: ir.Attribute, operands: tuple[Term, ...]) -> tuple[Term, ...]:
        """The results of an affine map, canonical; divisions that may be undefined are evaluated here."""
        recipes = self._maps.get(attribute)
        if recipes is None:
            try:
                recipes = self._maps[attribute] = compile_map(ir.AffineMapAttr(attribute).value)
            except TooDeep:
                self.reject(op, "its affine expression is nested too deep")
        quotients: list[Term] = []
        pool = self.pool
        terms = tuple([recipe(pool, operands, quotients) for recipe in recipes])
        for quotient in quotients:
            self.evaluate(op, quotient)
        return terms

    def apply_set(self, op: ir.Operation, attribute: ir.Attribute, operands: tuple[Term, ...]) -> Term:
        """The `i1` term that the operands are in an integer set."""
        membership = self._sets.get(attribute)
        if membership is None:
            try:
                membership = self._sets[attribute] = compile_set(attribute)
            except TooDeep:
                self.reject(op, "its affine expression is nested too deep")
        quotients: list[Term] = []
        term = membership.test(self.pool, operands, quotients)
        for quotient in quotients:
            self.evaluate(op, quotient)
        for step in () if quotients else membership.steps:
            self.compute(op, step(self.pool, operands, []))
        return term

    def steps(self, attribute: ir.Attribute, operands: tuple[Term, ...]) -> Iterator[Term]:
        """The intermediate values of an affine map that was applied; none if a division in it may be undefined."""
        recipes = self._steps.get(attribute)
        if recipes is None:
            recipes = self._steps[attribute] = steps_of(ir.AffineMapAttr(attribute).value)
        quotients: list[Term] = []
        for recipe in self._maps[attribute]:
            recipe(self.pool, operands, quotients)
        for recipe in () if quotients else recipes:
            yield recipe(self.pool, operands, [])

    def compute(self, op: ir.Operation, step: Term) -> None:
        """Records by an assertion that always holds that an affine expression is computed; none overflows, by
        assumption."""
        if step.op.startswith("affine.") and quasi_affine.is_proper(step):
            same = self.pool.make("arith.cmpi", (step, step), BOOL, (("predicate", "eq"),))
            self.block.append(Assert(self.number(op), same, "an affine expression is itself"))

    # Statements

    def number(self, op: ir.Operation) -> int:
        """A fresh statement id with the location of `op`."""
        number = self._statements
        self._statements = number + 1
        place = op.location
        if isinstance(place, ir.FileLineColLoc):
            name = place.filename
            file = self.module.file if name == BUFFER else name
            self.locations[number] = Location(file, place.start_line, place.start_col)
        else:
            found = locate(place, self.module.file)
            if found is not None:
                self.locations[number] = found
        return number

    def number_at(self, place: int) -> int:
        """A fresh statement id with the location of another statement."""
        number = self._statements
        self._statements = number + 1
        if place in self.locations:
            self.locations[number] = self.locations[place]
        return number

    def load(self, op: ir.Operation, memory: Memory, indices: tuple[Term, ...]) -> Term:
        """Emits a load and gives the value that it reads."""
        number = self.number(op)
        self.block.append(Load(number, memory, indices))
        return self.pool.read(number, memory.element)

    def store(self, op: ir.Operation, memory: Memory, indices: tuple[Term, ...], value: Term) -> None:
        """Emits a store."""
        self.block.append(Store(self.number(op), memory, indices, value))

    def evaluate(self, op: ir.Operation, term: Term) -> None:
        """Emits the evaluation of an operator that may be undefined."""
        self.block.append(Evaluate(self.number(op), term))

    def load_element(self, op: ir.Operation, view: View, indices: tuple[Term, ...]) -> Term:
        """Emits a load of an element of `view` and gives the value that it reads."""
        return self.load(op, view.memory, self.reach(op, view, indices))

    def store_element(self, op: ir.Operation, view: View, indices: tuple[Term, ...], value: Term) -> None:
        """Emits a store to an element of `view`; a store to a constant global is undefined."""
        if view.memory.id in self.constant:
            self.require(op, self.pool.integer(0, BOOL), f"a store to the constant {view.memory.name}")
            return
        self.store(op, view.memory, self.reach(op, view, indices), value)

    def reach(self, op: ir.Operation, view: View, indices: tuple[Term, ...]) -> tuple[Term, ...]:
        """The subscripts, in its memory, of an element of `view`; emits the bounds that the view's extents demand of
        them."""
        if not view.steps and all(view.implied):
            return indices
        # Subscripts are exact arithmetic, here as where they are used: that they do not overflow is assumed.
        exact = tuple(map(self.exact, indices))
        self.require(op, bounds(self.pool, view, exact), "an index is beyond the extents of a view")
        return element(self.pool, view, exact)

    def exact(self, index: Term) -> Term:
        """An index that locates an element, as exact arithmetic."""
        return self._raiser.exact(index)

    def require(self, op: ir.Operation, condition: Term, text: str) -> None:
        """Emits the assertion `condition`, unless it plainly holds."""
        if literal(condition) != 1:
            self.block.append(Assert(self.number(op), condition, text))

    def alloc(self, op: ir.Operation, memory: Memory) -> None:
        """Emits an allocation."""
        self.block.append(Alloc(self.number(op), memory))

    # Memories

    def new_memory(
        self, kind: MemoryKind, element: ScalarType, extents: tuple[Term, ...], name: str | None = None
    ) -> Memory:
        """A memory with the next id; `name` is kept if it is unused, otherwise one is made from the kind and the id."""
        number = self._memories
        self._memories = number + 1
        chosen = name or f"{kind.value}{number}"
        while chosen in self._names:
            chosen = f"{chosen}_{number}"
        self._names.add(chosen)
        return Memory(number, kind, chosen, element, extents)

    def skip_memory(self, name: str) -> None:
        """Skips an id that belongs to a scalar argument, and reserves its name."""
        self._memories += 1
        self._names.add(name)

    def source_name(self, op: ir.Operation) -> str | None:
        """The SSA name of the only result of `op` in the source text, if it can be found."""
        place = op.location
        if isinstance(place, ir.FileLineColLoc) and place.filename == BUFFER:
            return self.module.names.result(place.start_line, place.start_col)
        return None


Meaning = Term | Memref | Aggregate
"""The meaning of an SSA value: a scalar, a memref, or a vector or tensor read element by element."""

Handler = Callable[[Reader, ir.Operation], None]
