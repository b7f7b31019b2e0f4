"""The importer: reads functions of an MLIR module as statement trees. Import the frontend from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.memo import Once
from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, MemRefType
from hecv.mlir.aggregates import (
    complex_ops,
    linalg_ops,
    linalg_pack,
    tensor_gather_scatter,
    tensor_ops,
    vector_ops,
    vector_reductions,
    vector_transfers,
)
from hecv.mlir.aggregates.tensor_ops import require_unwritten
from hecv.mlir.aliasing import memref_assumptions, returned_memrefs
from hecv.mlir.aliasing.selected_memrefs import by_choice, contents, select
from hecv.mlir.control import (
    atomic_ops,
    external_call_ops,
    parallel_ops,
    recursive_calls,
    structured_control,
    unstructured_control,
)
from hecv.mlir.memory import (
    buffer_clones,
    buffer_deallocation,
    byte_views,
    memory_transfers,
    memref_copies,
    memref_globals,
    memref_ops,
    unreachable_deallocs,
    view_ops,
)
from hecv.mlir.memory.allocation_hoisting import widen_scopes
from hecv.mlir.module.parsed_module import (
    ParsedModule,
    Signature,
    argument_names,
    functions,
    index_bits,
    locate,
    new_context,
    parse,
    parse_both,
)
from hecv.mlir.module.source_text import read_text
from hecv.mlir.pair import idle_fast_math_flags, min_max_operand_order
from hecv.mlir.pair.bufferized_target import Bufferized, bufferized, same_signature
from hecv.mlir.pair.parallel_reading import Ahead
from hecv.mlir.read import (
    affine_apply,
    linearize_index,
    scalar_ops,
    strided_metadata,
    uninterpreted_ops,
    unrealized_casts,
)
from hecv.mlir.read.function_reader import Handler, Kept, Meaning, Reader
from hecv.mlir.read.memref_views import Choice, View, whole
from hecv.mlir.read.operand_preconditions import Stated
from hecv.mlir.values.aggregate_values import copied, elementwise, held, poison, shape_of
from hecv.mlir.values.carried_cells import store_cells, terminator
from hecv.mlir.values.dense_constants import constant
from hecv.ops import OPERATORS
from hecv.program.tree import Argument, Function, Memory, MemoryKind, Role, roots, walk

__all__ = [
    "ParsedModule",
    "Signature",
    "functions",
    "new_context",
    "parse",
    "parse_both",
    "read_alone",
    "read_function",
    "read_pair",
    "read_text",
    "same_signature",
]

LONG: Final = 400_000
"""Characters. The functions of a pair are read in parallel if both texts are at least this long."""

_CONTRACT = "vector.contract"

_ON_MEMREFS: Mapping[str, Handler] = {
    **vector_ops.HANDLERS,
    **vector_transfers.HANDLERS,
    **linalg_ops.HANDLERS,
    **tensor_ops.HANDLERS,
    **tensor_gather_scatter.HANDLERS,
    **memref_ops.HANDLERS,
    **atomic_ops.HANDLERS,
    **byte_views.HANDLERS,
    **buffer_deallocation.HANDLERS,
    **view_ops.HANDLERS,
    **memory_transfers.HANDLERS,
    **memref_copies.HANDLERS,
    **buffer_clones.HANDLERS,
}
"""Handlers of ops that take memrefs and affect nothing else: for a selected memref they run once a candidate."""

HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(OPERATORS, elementwise(scalar_ops.read_scalar_op)),
    **{name: elementwise(handler) for name, handler in scalar_ops.HANDLERS.items()},
    "arith.constant": constant(scalar_ops.HANDLERS["arith.constant"]),
    "ub.poison": memref_ops.poison(poison(scalar_ops.read_scalar_op)),
    "arith.select": select(elementwise(scalar_ops.read_scalar_op)),
    **vector_reductions.HANDLERS,
    **linalg_pack.HANDLERS,
    **affine_apply.HANDLERS,
    **unrealized_casts.HANDLERS,
    **linearize_index.HANDLERS,
    **complex_ops.HANDLERS,
    **{name: by_choice(handler) for name, handler in _ON_MEMREFS.items()},
    **memref_assumptions.HANDLERS,
    **memref_globals.HANDLERS,
    **external_call_ops.HANDLERS,
    **structured_control.HANDLERS,
    **parallel_ops.HANDLERS,
    **unstructured_control.HANDLERS,
}
"""The handler of each op, by op name."""


def read_function(
    module: ParsedModule,
    name: str,
    pool: TermPool,
    by_element: bool = False,
    tensors: Bufferized = Bufferized(),  # noqa: B008
    kept: Mapping[str, Kept] | None = None,
) -> Function:
    """Reads the function `name` as a statement tree, with its calls inlined; terms are made in `pool`.

    With `by_element`, vectors and tensors are read element by element, otherwise as opaque values. `tensors` are the
    memrefs of a bufferized function that stand for tensors. Calls of the functions `kept` are not inlined.

    Raises: Unsupported at the first op, type or attribute without semantics here; KeyError if no symbol has that name.
    """
    op = module.symbols[name]
    place = locate(op.location, module.file)
    if op.name != "func.func":
        raise Unsupported(f"op `{op.name}`: it has no semantics here", place)
    if not op.regions[0].blocks:
        raise Unsupported(f"@{name} has no body", place)
    reader = Reader(module, pool, HANDLERS, uninterpreted_ops.read_opaque, by_element, kept)
    given, entry = _read_arguments(reader, op, tensors), op.regions[0].blocks[0].arguments
    arguments, results = _read_results(reader, op, given)
    given_values = [_value(reader, op, a, v.type, tensors) for a, v in zip(given, entry, strict=True)]
    meanings = structured_control.inline(reader, op, op, name, given_values)
    for symbol in reader.kept[name].globals or () if name in reader.kept else ():
        memref_globals.global_memory(reader, symbol)
    unreachable_deallocs.require_own(reader)
    require_unwritten(reader)
    buffer_clones.require_unwritten_clones(reader)
    widen_scopes(reader)
    end = terminator(op.regions[0].blocks[len(op.regions[0].blocks) - 1])
    buffers = returned_memrefs.identities(reader, end, meanings, results, tensors.results)
    values = [contents(reader, end, m) if isinstance(m, (View, Choice)) else m for m in meanings]
    returned_memrefs.require_extents(reader, end, results, values)
    store_cells(reader, end, results, values)
    widen_scopes(reader)
    hidden, constants = memref_globals.named_globals(reader, len(arguments))
    body, scalars_returned = tuple(reader.block), tuple(r for r in results if r.kind is MemoryKind.RESULT)
    opaque_terms = reader.opaque_terms
    if reader.has_stated:
        written_out = Stated(reader)
        body, opaque_terms = written_out.block(body), list(map(written_out.value, opaque_terms))
        buffers = tuple(returned_memrefs.written_out(written_out, b) for b in buffers)
    if reader.taken:
        strided_metadata.require_no_symbols(
            reader.taken.values(), body, (t for b in buffers for t in returned_memrefs.terms(b))
        )
    functions = tuple(dict.fromkeys(opaque_terms))
    known = not functions and not reader.has_opaque_types
    function = Function(
        name, arguments, scalars_returned, body, place, reader.locations, hidden, constants, functions, known, buffers
    )
    given = (a.memory for a in arguments if a.is_shared() and a.memory is not None)
    distinct = frozenset((*reader.distinct, *memref_assumptions.noalias(op, given)))
    function = replace(function, alone=frozenset(reader.alone), distinct=distinct, aligned=frozenset(reader.aligned))
    function = replace(function, rebased=frozenset(reader.rebased), rounds=reader.rounds)
    function = replace(function, launches=reader.launches)
    function = replace(function, undeclared=frozenset(reader.undeclared), lane=name in module.lanes)
    return external_call_ops.complete_calls(function)


def read_pair(
    modules: tuple[ParsedModule, ParsedModule],
    names: tuple[str, str],
    pool: TermPool,
    index_width: int = 64,
    once: Once | None = None,
    cores: int = 1,
    meanwhile: Callable[[Function], None] | None = None,
) -> tuple[Function, Function]:
    """Reads the two functions of a pair, so that they have the same globals and can be compared.

    `once` is the memo of earlier readings of the source. Long texts are read on a core each if `cores` allows it; then
    `meanwhile` is called with the source as it was read, before it is known whether the target can be read at all, and
    which globals both name.

    Raises: Unsupported as `read_function` does; where the modules disagree on what the functions share; where a module
            states another `index_width`, or a literal does not fit an `index` of that width.
    """
    for module in modules:
        _require_layout(module, index_width)
    memref_assumptions.require_no_more(modules, names)
    kept = recursive_calls.kept(modules, names)
    source, target = modules
    if source.may_have((_CONTRACT,)) and not target.may_have((_CONTRACT,)):
        modules = (replace(source, fuses=True), target)
    flags, chooses = (
        idle_fast_math_flags.has_flags(modules) or modules[0].fuses,
        min_max_operand_order.has_choices(modules),
    )
    changed = flags or chooses
    functions = _read_both(modules, names, pool, kept, once or Once(), cores, None if changed else meanwhile)
    outside = external_call_ops.common_callees(modules, functions)
    memref_assumptions.require_same(functions)
    alone = memref_assumptions.said_alone(modules, names, outside)
    functions = memref_globals.pair_globals(modules, functions, pool)
    first, second = returned_memrefs.paired(functions, pool)
    first, second = external_call_ops.complete_calls(first), external_call_ops.complete_calls(second)
    both = _with_callees(modules[0], first, pool, kept[0]), _with_callees(modules[1], second, pool, kept[1])
    both = idle_fast_math_flags.without_idle(both, pool) if flags else both
    both = min_max_operand_order.in_target_order(both, pool) if chooses else both
    for function in both if index_width < 64 else ():
        _require_narrow(function, index_width)
    memref_assumptions.require_kept(modules[1], names[1], both)
    unanswered = memref_assumptions.unanswered(modules[0], sorted(external_call_ops.outside_callees(both[0])))
    unanswered = unanswered or external_call_ops.known_elsewhere(both)
    return replace(both[0], one_way=both[0].one_way or alone, unanswered=unanswered), both[1]


def _require_layout(module: ParsedModule, index_width: int) -> None:
    bits = index_bits(module)
    if bits is not None and bits != index_width:
        place = locate(module.module.operation.location, module.file)
        text = f"the data layout has an index of {bits} bits, --index-width one of {index_width}"
        raise Unsupported(text, place)


def _require_narrow(function: Function, index_width: int) -> None:
    """Rejects a literal of type `index` that is not a value of this width.

    Raises: Unsupported.
    """
    half = 1 << (index_width - 1)
    for group in (function, *function.callees.values()):
        if any(c.contents is None and isinstance(c.memory.element, IndexType) for c in group.constants):
            raise Unsupported(
                f"a constant too long to list, of indices of {index_width} bits, is not supported", group.location
            )
        terms = [t for s in walk(group.body) for t in roots(s)]
        held = [t for c in group.constants for t in c.contents or ()]
        for term in postorder((*terms, *held)):
            value = literal(term) if isinstance(term.type, IndexType) else None
            if isinstance(value, int) and not -half <= value < half:
                raise Unsupported(f"{value} is no index of {index_width} bits", group.location)


def _with_callees(module: ParsedModule, function: Function, pool: TermPool, kept: Mapping[str, Kept]) -> Function:
    """The function with its `callees`: the functions that it may call and that are not inlined.

    Raises: Unsupported as `read_function` does, and where one of them frees memory that it was given.
    """
    own = {k.name: name for name, k in kept.items()}
    found: dict[str, Function] = {}
    left = list(recursive_calls.called(function))
    while left:
        name = left.pop()
        if name not in found:
            found[name] = _read_callee(module, own[name], pool, kept)
            left += recursive_calls.called(found[name])
    if not found:
        return function
    recursive_calls.require_kept_memory(function)
    known = function.known and all(f.known for f in found.values())
    return replace(function, callees=found, known=known)


def _read_callee(module: ParsedModule, name: str, pool: TermPool, kept: Mapping[str, Kept]) -> Function:
    try:
        found = read_function(module, name, pool, True, kept=kept)
    except Unsupported as problem:
        try:
            found = read_function(module, name, pool, kept=kept)
        except Unsupported:
            raise problem from None
    recursive_calls.require_kept_memory(found)
    return found


def read_alone(module: ParsedModule, name: str, pool: TermPool) -> Function:
    """Reads one function, with vectors and tensors by element or, if that is unsupported, as opaque values.

    Raises: as `read_function` does.
    """
    kept, _ = recursive_calls.kept((module, module), (name, name))
    try:
        found = read_function(module, name, pool, True, kept=kept)
    except Unsupported as problem:
        try:
            found = read_function(module, name, pool, kept=kept)
        except Unsupported:
            raise problem from None
    return _with_callees(module, found, pool, kept)


def _read_both(
    modules: tuple[ParsedModule, ParsedModule],
    names: tuple[str, str],
    pool: TermPool,
    kept: tuple[Mapping[str, Kept], Mapping[str, Kept]],
    once: Once,
    cores: int,
    meanwhile: Callable[[Function], None] | None,
) -> tuple[Function, Function]:
    """Reads both functions, with vectors and tensors by element or, if that is unsupported, as opaque values."""
    tensors = bufferized(modules, names)
    try:
        with Ahead(
            partial(read_function, modules[1], names[1], by_element=True, tensors=tensors, kept=kept[1])
        ) as ahead:
            apart = cores > 1 and min(len(m.text) for m in modules) >= LONG
            if apart:
                ahead.begin()
            first = once(read_function, modules[0], names[0], pool, True, kept=kept[0])
            if apart and meanwhile is not None:
                meanwhile(first)
            return first, ahead.finish(pool)
    except Unsupported as problem:
        if tensors.arguments or tensors.results or any(m.lowered is not None for m in modules):
            raise
        try:
            first = once(read_function, modules[0], names[0], pool, kept=kept[0])
            second = read_function(modules[1], names[1], pool, kept=kept[1])
            return replace(first, whole=problem.text), replace(second, whole=problem.text)
        except Unsupported:
            raise problem from None


def _value(reader: Reader, op: ir.Operation, argument: Argument, source: ir.Type, tensors: Bufferized) -> Meaning:
    """The value of an argument; a memref that stands for a tensor is a copy of the argument."""
    if argument.memory is None:
        assert argument.term is not None
        return argument.term
    assert isinstance(argument.type, MemRefType)
    view = whole(reader.pool, argument.memory, argument.type.layout is None)
    if isinstance(source, ir.MemRefType) and argument.role is Role.VALUE:
        memory = copied(reader, op, held(reader, view)).memory
        if argument.number in tensors.unwritable:
            reader.borrowed[memory.id] = op
        return whole(reader.pool, memory, argument.type.layout is None)
    return view if isinstance(source, ir.MemRefType) else held(reader, view)


def _function_type(op: ir.Operation) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)


def _read_arguments(reader: Reader, op: ir.Operation, tensors: Bufferized) -> tuple[Argument, ...]:
    inputs = list(_function_type(op).inputs)
    names = argument_names(reader.module, op, len(inputs))
    return tuple(
        _read_argument(reader, op, k, n, t, k in tensors.arguments)
        for k, (n, t) in enumerate(zip(names, inputs, strict=True))
    )


def _read_argument(
    reader: Reader, op: ir.Operation, number: int, name: str, source: ir.Type, as_value: bool
) -> Argument:
    kind = _buffer_type(reader, op, source) or reader.scalar_type(op, source)
    if not isinstance(kind, MemRefType):
        reader.skip_memory(name)
        return Argument(number, name, kind, reader.pool.argument(number, kind), None)
    memory = reader.new_memory(MemoryKind.ARGUMENT, kind.element, _argument_extents(reader, number, kind), name)
    role = Role.BUFFER if isinstance(source, ir.MemRefType) and not as_value else Role.VALUE
    return Argument(number, name, kind, None, memory, role, "" if str(source) == str(kind) else str(source))


def _argument_extents(reader: Reader, number: int, kind: MemRefType) -> tuple[Term, ...]:
    pool = reader.pool
    return tuple(pool.extent(number, k) if n is None else pool.integer(n) for k, n in enumerate(kind.shape))


def _buffer_type(reader: Reader, op: ir.Operation, source: ir.Type) -> MemRefType | None:
    """The type of the memory that holds an argument or result; None for a scalar."""
    if isinstance(source, ir.MemRefType):
        found = reader.type_of(op, source)
        assert isinstance(found, MemRefType)
        return found
    shape = shape_of(reader, op, source)
    return shape and MemRefType(shape.extents, shape.element)


def _read_results(
    reader: Reader, op: ir.Operation, arguments: tuple[Argument, ...]
) -> tuple[tuple[Argument, ...], tuple[Memory, ...]]:
    """All arguments, and the memory of each result.

    An aggregate or memref is returned in an additional argument, which is written at the return and never read before.
    """
    types = list(_function_type(op).results)
    buffers = {k: _buffer_type(reader, op, t) for k, t in enumerate(types)}
    found: dict[int, Memory] = {}
    more: list[Argument] = []
    for k, kind in buffers.items():
        if kind is not None:
            made = _read_result(reader, len(arguments) + len(more), f"result{k}", kind, str(types[k]))
            assert made.memory is not None
            more.append(made)
            found[k] = made.memory
    for k, source in enumerate(types):
        if k not in found:
            found[k] = reader.new_memory(MemoryKind.RESULT, reader.scalar_type(op, source), (), f"result{k}")
    return (*arguments, *more), tuple(found[k] for k in range(len(types)))


def _read_result(reader: Reader, number: int, name: str, kind: MemRefType, text: str) -> Argument:
    memory = reader.new_memory(MemoryKind.ARGUMENT, kind.element, _argument_extents(reader, number, kind), name)
    return Argument(number, memory.name, MemRefType(kind.shape, kind.element), None, memory, Role.RESULT, text)
