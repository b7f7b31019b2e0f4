"""Structured ops of `linalg` on memrefs and tensors: a loop nest around the payload.

A parallel iterator becomes a parallel loop, where two iterations that access one element, one of them writing it, are a
race. A named op means what MLIR's own generalization makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hecv.base.term import Term, literal
from hecv.mlir.aggregates.ops_by_lowering import known_types, read_lowered
from hecv.mlir.module.purity import free_values
from hecv.mlir.read.function_reader import Handler, Meaning, Reader
from hecv.mlir.read.memref_views import Aggregate, View, both, compare, within
from hecv.mlir.values.aggregate_elements import lanes_of, read_element, store_element
from hecv.mlir.values.aggregate_values import Terms, aggregate, allocate, by_element, held, loop, meaning
from hecv.mlir.values.carried_cells import terminator
from hecv.mlir.values.in_place_updates import updated

_GENERALIZE: Final = "builtin.module(func.func(linalg-generalize-named-ops))"


class Structured(Struct, frozen=True):
    """A structured op: its operands, inputs first, with the map of each, and which iterators are parallel."""

    op: ir.Operation
    body: ir.Block
    values: tuple[ir.Value, ...]
    operands: tuple[Meaning, ...]
    inputs: int
    maps: tuple[ir.AffineMap, ...]
    parallel: tuple[bool, ...]


def _read_structured(reader: Reader, op: ir.Operation) -> None:
    """Example: `linalg.matmul ins(%A, %B : ...) outs(%C : ...)`."""
    generic = op if op.name == "linalg.generic" else _generalized(reader, op)
    found = _structured(reader, op, generic)
    targets = [_target(reader, found, k) for k in range(found.inputs, len(found.operands))]
    reached = [*found.operands[: found.inputs], *targets]
    extents = _extents(reader, found, reached)
    reader.iterations.append(())
    _nest(reader, found, extents, reached, targets)
    reader.iterations.pop()
    for result, view in zip(op.results, targets, strict=bool(len(op.results))):
        reader.aggregates[result] = held(reader, view)


def _structured(reader: Reader, op: ir.Operation, generic: ir.Operation) -> Structured:
    attributes = generic.attributes
    inputs, _ = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])
    kinds = [str(kind) for kind in ir.ArrayAttr(attributes["iterator_types"])]
    if any("window" in kind for kind in kinds):
        reader.reject(op, "a window iterator is not supported")
    # The operands of what MLIR made of a named op are arguments, in the order of those of the op.
    own = list(op.operands) if generic is op else _own(op, generic)
    return Structured(
        op,
        generic.regions[0].blocks[0],
        tuple(own),
        tuple(reader.value(v) for v in own),
        inputs,
        tuple(ir.AffineMapAttr(m).value for m in ir.ArrayAttr(attributes["indexing_maps"])),
        tuple("parallel" in kind for kind in kinds),
    )


def _target(reader: Reader, found: Structured, number: int) -> View:
    """Where an output is written: a memref in place, a tensor in its own memory if nothing else reads that."""
    given = found.operands[number]
    if isinstance(given, View):
        return given
    if isinstance(given, Term):
        reader.reject(found.op, "a scalar as an output is not supported")
    if _is_used(found.body.arguments[number]) or not _covers(found, number):
        return updated(reader, found.op, found.values[number])
    return allocate(reader, found.op, given.kind, given.extents)


def _covers(found: Structured, number: int) -> bool:
    """True if each element of an output is plainly written: its map is a permutation of the iterators, except for
    some that run at least once. Otherwise the output keeps its old elements elsewhere."""
    dimensions = {r.position for r in found.maps[number].results if isinstance(r, ir.AffineDimExpr)}
    if len(dimensions) != len(found.maps[number].results):
        return False
    rest = set(range(len(found.parallel))) - dimensions
    return all(_runs(found, dimension) for dimension in rest)


def _runs(found: Structured, dimension: int) -> bool:
    """True if an operand shows that the extent of an iterator is a positive number."""
    for value, own in zip(found.operands, found.maps, strict=True):
        extents = () if isinstance(value, Term) else value.extents  # with those of an element
        for extent, result in zip(extents, own.results, strict=False):
            if isinstance(result, ir.AffineDimExpr) and result.position == dimension:
                known = literal(extent)
                if isinstance(known, int) and known > 0:
                    return True
    return False


def _is_used(value: ir.Value) -> bool:
    return any(True for _ in value.uses)


def _extents(reader: Reader, found: Structured, operands: Sequence[Meaning]) -> Terms:
    """The extent of each iterator: that of a dimension that it indexes alone. All such extents must agree."""
    known: dict[int, Term] = {}
    for value, own in zip(operands, found.maps, strict=True):
        if isinstance(value, Term):
            continue
        # The last are those of an element that has some.
        for extent, result in zip(value.extents, own.results, strict=False):
            if not isinstance(result, ir.AffineDimExpr):
                continue
            first = known.setdefault(result.position, extent)
            reader.require(found.op, compare(reader.pool, "eq", first, extent), "shapes do not agree")
    if len(known) != len(found.parallel):
        reader.reject(found.op, "an iterator whose extent no operand determines is not supported")
    return tuple(known[d] for d in range(len(known)))


def _nest(
    reader: Reader,
    found: Structured,
    extents: Terms,
    operands: Sequence[Meaning],
    targets: Sequence[View],
    at: Terms = (),
) -> None:
    if len(at) == len(extents):
        return _payload(reader, found, operands, targets, at)
    zero = reader.pool.integer(0)

    def inner(iv: Term) -> None:
        _nest(reader, found, extents, operands, targets, (*at, iv))

    loop(reader, found.op, zero, extents[len(at)], inner, found.parallel[len(at)])


def _payload(
    reader: Reader, found: Structured, operands: Sequence[Meaning], targets: Sequence[View], at: Terms
) -> None:
    places = [_place(reader, found, own, at) for own in found.maps]
    for number, (value, place, own) in enumerate(zip(operands, places, found.maps, strict=True)):
        argument = found.body.arguments[number]
        used = _is_used(argument)
        if not _is_bounded(value, used or number >= found.inputs):
            _require_inside(reader, found.op, value, own, place)
        if used:
            reader.bind(argument, read_element(reader, found.op, value, place, lanes_of(argument.type)))
    reader.iterations[-1] = at
    reader.read_block(found.body)
    end = terminator(found.body)
    values = [meaning(reader, end, value) for value in end.operands]
    for view, value, place in zip(targets, values, places[found.inputs :], strict=True):
        store_element(reader, found.op, view, place, value)


def _is_bounded(value: Meaning, accessed: bool) -> bool:
    """True if the accesses to an operand state all that its extents demand.

    A tensor may be part of a larger memory; an operand that the payload does not use is not accessed.
    """
    match value:
        case Term():
            return True
        case Aggregate(whole=None):
            return False
        case _:
            return accessed


def _require_inside(reader: Reader, op: ir.Operation, value: Meaning, own: ir.AffineMap, place: Terms) -> None:
    """Emits that an index of an operand is within its extents; it is where one iterator indexes a dimension alone.

    Cites: the verifier of structured ops, which rejects other shapes where it sees them, used or not;
           `generate-runtime-verification` asserts it of each operand where the loops run.
    """
    assert isinstance(value, (Aggregate, View))
    numbered = zip(place, value.extents, own.results, strict=False)
    inside = (within(reader.pool, i, n) for i, n, result in numbered if not isinstance(result, ir.AffineDimExpr))
    reader.require(op, both(reader.pool, *inside), "an index is beyond the tensor")


def _place(reader: Reader, found: Structured, own: ir.AffineMap, at: Terms) -> Terms:
    with found.op.context:
        return reader.apply_map(found.op, ir.AffineMapAttr.get(own), at)


def _read_index(reader: Reader, op: ir.Operation) -> None:
    """Example: `%i = linalg.index 0 : index`."""
    reader.scalars[op.result] = reader.iterations[-1][ir.IntegerAttr(op.attributes["dim"]).value]


def _read_yield(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


# Named ops


def _generalized(reader: Reader, op: ir.Operation) -> ir.Operation:
    """MLIR's `linalg.generic` form of a named op, in a module of its own."""
    values = free_values(op)
    types = [v.type for v in values]
    with op.context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.TypeAttr.get(ir.FunctionType.get(types, []))
            attributes = {"sym_name": ir.StringAttr.get("named"), "function_type": kind}
            function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        entry = ir.Block.create_at_start(function.regions[0], types, [ir.Location.unknown()] * len(types))
        place = dict(zip(values, entry.arguments, strict=True))
        with ir.InsertionPoint(entry):
            copy = op.clone().operation
            _replace_operands(copy, place)
            # What nothing uses would be erased.
            ir.Operation.create("hecv.use", operands=list(copy.results))
            ir.Operation.create("func.return")
        try:
            PassManager.parse(_GENERALIZE).run(module.operation)
        except ir.MLIRError:
            reader.reject(op, "MLIR does not generalize it")
    *constants, made = _until_generic(entry)
    if made.name != "linalg.generic" or any(c.name != "arith.constant" for c in constants):
        reader.reject(op, "it has no semantics here")
    for constant in constants:
        reader.handlers[constant.name](reader, constant)
    own = [c.result for c in constants]
    for value in free_values(made):  # what the payload takes from outside
        if value in own:
            continue
        if value not in place.values():
            reader.reject(op, "it has no semantics here")
        if value not in list(made.operands):
            reader.bind(value, reader.value(values[ir.BlockArgument(value).arg_number]))
    reader.generalized.append(module)
    return made


def _until_generic(block: ir.Block) -> list[ir.Operation]:
    """The ops of a block up to and including the first structured one."""
    found: list[ir.Operation] = []
    for view in block.operations:
        found.append(view.operation)
        if found[-1].name.startswith("linalg."):
            break
    return found


def _replace_operands(op: ir.Operation, place: Mapping[ir.Value, ir.Value]) -> None:
    """Replaces values by those that `place` gives, in an op and its regions."""

    def visit(inner: ir.Operation) -> ir.WalkResult:
        for number, value in enumerate(inner.operands):
            if value in place:
                inner.operands[number] = place[value]
        return ir.WalkResult.ADVANCE

    op.walk(visit)


def _own(op: ir.Operation, generic: ir.Operation) -> list[ir.Value]:
    """The operands of `op`, in the order of its generic form."""
    values = free_values(op)
    return [values[ir.BlockArgument(v).arg_number] for v in generic.operands]


def _read_softly(reader: Reader, op: ir.Operation) -> None:
    """A structured op whose outputs are neither aggregates nor memrefs here is opaque."""
    for value in op.operands:
        if isinstance(value.type, ir.RankedTensorType):
            aggregate(reader, op, value)
    _read_structured(reader, op)


def _read_decomposed(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) -> ...`."""
    if not len(op.results):
        reader.reject(op, "on memrefs it is not supported")
    for value in op.operands:
        aggregate(reader, op, value)
    with op.context, op.location:
        if op.name in _STATIC and not all(ir.ShapedType(t).has_static_shape for t in known_types(reader, op)):
            reader.reject(op, "of a shape that is not known it has no semantics here")
    read_lowered(reader, op, _decompose, shaped=True)


def _decompose(module: ir.Module) -> None:
    """Decomposes the ops for which MLIR has no lowering pass."""
    from torch_mlir.dialects.transform import interpreter  # importing it takes time

    names = {view.operation.name for view in module.body.operations[0].regions[0].blocks[0].operations}
    (name,) = names & _DECOMPOSED.keys()
    script = ir.Module.parse(_DECOMPOSE.format(name, _DECOMPOSED[name]), module.context)
    (lower,) = script.body.operations
    interpreter.apply_named_sequence(module.operation, lower.operation, script)


_DECOMPOSE: Final = """module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @lower(%root: !transform.any_op) {{
    %found = transform.structured.match ops{{["{}"]}} in %root : (!transform.any_op) -> !transform.any_op
    %made = transform.structured.{} %found : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}"""

_DECOMPOSED: Final = {
    "linalg.softmax": "decompose_interface",
    "linalg.winograd_filter_transform": "decompose_winograd_op",
    "linalg.winograd_input_transform": "decompose_winograd_op",
    "linalg.winograd_output_transform": "decompose_winograd_op",
}
"""The transform op that decomposes each op."""
_STATIC: Final = _DECOMPOSED.keys() - {"linalg.softmax"}
"""Those that MLIR decomposes wrongly for shapes that are not known: it takes a dynamic extent for a number."""

_NAMED = (
    "generic fill copy map reduce transpose broadcast elementwise contract matmul batch_matmul batch_reduce_matmul "
    "mmt4d batch_mmt4d matvec vecmat batch_matvec batch_vecmat dot exp log abs ceil floor negf reciprocal round sqrt "
    "rsqrt square tanh erf add sub mul div div_unsigned max min powf select quantized_matmul quantized_batch_matmul "
    "conv_1d conv_2d conv_3d conv_1d_nwc_wcf conv_1d_ncw_fcw conv_2d_nhwc_hwcf conv_2d_nhwc_fhwc conv_2d_nchw_fchw "
    "conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_nhwgc_gfhwc conv_3d_ndhwc_dhwcf conv_3d_ncdhw_fcdhw "
    "depthwise_conv_1d_nwc_wc depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nhwc_hwc "
    "depthwise_conv_2d_nchw_chw depthwise_conv_2d_nhwc_hwcm depthwise_conv_3d_ndhwc_dhwc pooling_nhwc_sum "
    "pooling_nchw_sum pooling_nhwc_max pooling_nhwc_max_unsigned pooling_nchw_max pooling_nhwc_min "
    "pooling_nhwc_min_unsigned pooling_nwc_sum pooling_ncw_sum pooling_nwc_max pooling_ncw_max pooling_nwc_min "
    "pooling_ndhwc_sum pooling_ndhwc_max pooling_ndhwc_min pooling_nwc_max_unsigned pooling_nwc_min_unsigned "
    "conv_2d_nhwc_hwcf_q conv_2d_nhwc_fhwc_q conv_2d_nchw_fchw_q conv_2d_ngchw_gfchw_q conv_2d_nhwgc_gfhwc_q "
    "conv_3d_ndhwc_dhwcf_q depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm_q depthwise_conv_3d_ncdhw_cdhw "
    "depthwise_conv_3d_ndhwc_dhwcm fill_rng_2d"
)

HANDLERS: Mapping[str, Handler] = {
    **{f"linalg.{name}": by_element(_read_softly) for name in _NAMED.split()},
    **{name: by_element(_read_decomposed) for name in _DECOMPOSED},
    "linalg.index": _read_index,
    "linalg.yield": _read_yield,
}
