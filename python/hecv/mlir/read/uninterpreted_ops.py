"""Ops without semantics as uninterpreted functions: equal operands, attributes, types and regions give equal results.

These are ops of the dialects below that MLIR says have no memory effects (`hecv.mlir.module.purity`), and ops that the
user's rules declare. A value that a region takes from outside is an operand. A value whose contents are left open
(`tensor.empty`) may only go to ops that do not read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import Final, NoReturn

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Attributes, Term
from hecv.mlir.module.dense_resources import RESOURCE
from hecv.mlir.module.purity import captured_values, inner_ops
from hecv.mlir.read.function_reader import Reader
from hecv.ops.facts.impure_ops import NO_FUNCTIONS

TOTAL: Final = frozenset({"tosa", "stablehlo", "torch", "linalg"})
"""Dialects whose ops are taken to be defined on all operands, if the ops of their regions are."""
TRAPPING: Final = frozenset(
    {"tosa.intdiv", "tosa.gather", "tosa.scatter", "tosa.while_loop", "stablehlo.while"},
)
"""Ops of these dialects that may be undefined: integer division by 0, an index out of range, loops that may not end."""

_BY_CONTENTS: Final = frozenset({"tensor.gather", "tensor.scatter", "tensor.reshape"})
"""Ops of `tensor` with an operand whose elements are indices or a shape, which may be out of range."""

_SAID: Final = ("indices_are_sorted", "unique_indices")
"""Attributes by which an op states a property of its indices; if it does not hold, the op is undefined."""
_ALONG: Final = re.compile(r"index_vector_dim = (\d+)")
"""The dimension of the indices that holds the components of one index."""

_MARK: Final = re.compile(r"__\w+__")
"""Names of attributes by which a pass marks an op for another pass, as `__inplace_operands_attr__`: no op has one by
its definition."""

DIALECTS: Final = TOTAL | {"arith", "math", "tensor", "vector", "complex", "shape", "quant", "index", "ub"}
"""Dialects whose ops may be uninterpreted functions; in others, a pure op may differ from place to place (`gpu`)."""

CAST: Final = "builtin.unrealized_conversion_cast"
"""The op by which a conversion under way has a value of another type."""

OPEN: Final = "tensor.empty"
"""The op whose result has unspecified contents."""

_INSIDE: Final = DIALECTS | {"affine", "scf"}
"""Dialects whose ops may be in a region of such an op."""

_TORCH_UNARY: Final = (
    "abs acos acosh alias asin asinh atan atanh ceil clone contiguous cos cosh detach erf exp exp2 expm1 floor gelu "
    "isfinite isinf isnan log log10 log1p log2 logical_not neg reciprocal relu relu6 round rsqrt sigmoid sign silu sin "
    "sinh softplus sqrt square tan tanh t trunc hardsigmoid hardswish hardtanh elu leaky_relu mish log_sigmoid"
)
_TORCH_OTHERS: Final = (
    "add.Tensor add.Scalar sub.Tensor sub.Scalar mul.Tensor mul.Scalar div.Tensor div.Scalar div.Tensor_mode "
    "rsub.Scalar pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar maximum minimum where.self where.ScalarOther "
    "where.ScalarSelf eq.Tensor eq.Scalar ne.Tensor ne.Scalar lt.Tensor lt.Scalar le.Tensor le.Scalar gt.Tensor "
    "gt.Scalar ge.Tensor ge.Scalar bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor bitwise_not "
    "logical_and logical_or logical_xor mm matmul bmm addmm baddbmm linear mv dot einsum convolution conv1d "
    "conv2d conv3d batch_norm layer_norm native_layer_norm group_norm native_group_norm rms_norm softmax.int "
    "_softmax log_softmax.int _log_softmax sum sum.dim_IntList mean mean.dim var var.dim std std.dim max max.dim "
    "min min.dim amax amin argmax argmin prod prod.dim_int any all cumsum view _unsafe_view reshape "
    "flatten.using_ints unflatten.int permute transpose.int squeeze squeeze.dim squeeze.dims unsqueeze expand "
    "expand_as broadcast_to repeat cat stack split.Tensor split_with_sizes chunk slice.Tensor select.int "
    "index_select index.Tensor gather embedding masked_fill.Scalar masked_fill.Tensor tril triu clamp "
    "clamp.Tensor clamp_min clamp_max threshold flip roll pad constant_pad_nd zeros ones full zeros_like "
    "ones_like full_like arange arange.start arange.start_step _to_copy to.dtype to.prim_dtype type_as size "
    "size.int dim numel avg_pool2d max_pool2d adaptive_avg_pool2d atan2 fmod.Tensor remainder.Tensor "
    "remainder.Scalar floor_divide lift_fresh_copy item"
)
TORCH: Final = frozenset(f"torch.aten.{name}" for name in (_TORCH_UNARY + " " + _TORCH_OTHERS).split()) | {
    "torch.vtensor.literal",
    "torch.constant.int",
    "torch.constant.float",
    "torch.constant.bool",
    "torch.constant.none",
    "torch.constant.str",
    "torch.prim.ListConstruct",
}
"""Torch ops on values that draw no random numbers; MLIR knows nothing of the effects of `torch.aten`."""


def read_opaque(reader: Reader, op: ir.Operation) -> None:
    """Reads an op as an uninterpreted function of its operands.

    Example: `%c = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`.
    """
    _require_function(reader, op)
    unread = _unread(op)
    captured = {v: _operand(reader, op, v, frozenset()) for v in captured_values(op)}
    others = tuple(dict.fromkeys(captured.values()))
    numbers = {v: others.index(t) for v, t in captured.items()}
    operands = (*(_operand(reader, op, v, unread) for v in op.operands), *others)
    kinds = [reader.scalar_type(op, r.type) for r in op.results]
    partial = _can_be_undefined(reader, op)
    attributes: Attributes = (("name", op.name), ("key", key(op, numbers, reader.reject)))
    for number, (result, kind) in enumerate(zip(op.results, kinds, strict=True)):
        which = (("result", number),) if len(kinds) > 1 else ()
        name = OPAQUE_PARTIAL if partial else OPAQUE
        term = reader.pool.make(name, operands, kind, (*attributes, *which))
        reader.opaque_terms.append(term)
        if op.name == OPEN:
            reader.unspecified[result] = term
            continue
        reader.scalars[result] = term
        if partial:
            reader.evaluate(op, term)


def _require_function(reader: Reader, op: ir.Operation) -> None:
    """Raises: Unsupported if the op may not be a function."""
    dialect = op.name.split(".", 1)[0]
    declared = op.name in reader.module.declared
    listed = op.name == CAST or (dialect in DIALECTS and op.name not in NO_FUNCTIONS)
    if not (declared or listed) or not len(op.results):
        reader.reject(op, "it has no semantics here")
    known = op.name in TORCH if op.name.startswith("torch.") else None
    free = declared or (reader.purity.is_free(op) if known is None else known)
    if not free:
        reader.reject(op, "it has no semantics here, and may have effects")
    for result in op.results:
        reader.scalar_type(op, result.type)


def _can_be_undefined(reader: Reader, op: ir.Operation) -> bool:
    dialect = op.name.split(".", 1)[0]
    if op.name in reader.module.declared:
        return False
    if any(map(_states, inner_ops(op))):
        return True
    if dialect in TOTAL:
        trapping = any(inner.name in TRAPPING or says_of_indices(inner) for inner in (op, *inner_ops(op)))
        return trapping or not (_regions_are_total(reader, op) or reader.purity.is_speculatable(op))
    return _states(op) or not reader.purity.is_speculatable(op)


def _states(op: ir.Operation) -> bool:
    """True if an op that MLIR may speculate is still undefined for some index or shape that it states."""
    indexed = op.name.startswith(("tensor.", "vector.")) and any(isinstance(v.type, ir.IndexType) for v in op.operands)
    return indexed or op.name in _BY_CONTENTS or _states_shapes(op)


def _states_shapes(op: ir.Operation) -> bool:
    """True if an op is undefined for some shapes that types leave open: a cast or slice, or two operands that must
    have the same shape."""
    tensors = [v.type for v in op.operands if isinstance(v.type, ir.ShapedType)]
    if op.name.startswith("tensor."):
        tensors += [r.type for r in op.results if isinstance(r.type, ir.ShapedType)]
    return len(tensors) > 1 and not all(t.has_static_shape for t in tensors)


def says_of_indices(op: ir.Operation) -> bool:
    """True if an op states that its indices are sorted or distinct. For a single index this says nothing."""
    if not any(name in op.attributes and str(op.attributes[name]) == "true" for name in _SAID):
        return False
    kind, along = ir.ShapedType(op.operands[1].type), _ALONG.search(str(op.attributes["dimension_numbers"]))
    if along is None or not kind.has_static_shape:
        return True
    return prod(n for d, n in enumerate(kind.shape) if d != int(along[1])) != 1


def _regions_are_total(reader: Reader, op: ir.Operation) -> bool:
    """True if the ops in the regions of an op are defined for all operands: the payload of a structured op may
    divide."""
    return all(reader.purity.is_speculatable(inner) for inner in inner_ops(op) if len(inner.results))


def _operand(reader: Reader, op: ir.Operation, value: ir.Value, unread: frozenset[ir.Value]) -> Term:
    open_contents = reader.unspecified.get(value)
    if open_contents is None:
        return reader.term(op, value)
    if value not in unread:
        reader.reject(op, f"the contents of `{OPEN}` are not specified")
    return open_contents


def _unread(op: ir.Operation) -> frozenset[ir.Value]:
    """The operands of a structured op of `linalg` of which only the shape matters: the payload does not use them,
    and each of their elements is written."""
    if not op.name.startswith("linalg.") or len(op.regions) != 1 or len(op.regions[0].blocks) != 1:
        return frozenset()
    arguments, operands = list(op.regions[0].blocks[0].arguments), list(op.operands)
    if len(arguments) != len(operands):
        return frozenset()
    numbered = enumerate(zip(arguments, operands, strict=True))
    read = {v for k, (a, v) in numbered if any(True for _ in a.uses) or not _covers(op, k)}
    return frozenset(operands) - read


def _covers(op: ir.Operation, number: int) -> bool:
    """True if a structured op writes every element of an operand.

    If a map leaves some elements out, or another dimension has no iterations, they keep their values. Named ops without
    maps write every element.
    """
    if "indexing_maps" not in op.attributes:
        return True
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    return number < len(maps) and ir.AffineMapAttr(maps[number]).value.is_permutation


# Keys

_HEAD: Final = re.compile(r'(?:[^"=]* = )?"(?:[^"\\]|\\.)*"\([^()]*\)')
"""The results, name and operands of an op in generic form."""


def _quoted(name: str) -> str:
    """A name with an unambiguous end, whatever characters it has."""
    return json.dumps(name)


class _Writer(Struct):
    """Writes an op without its operands; values of its regions are numbered."""

    reject: Callable[[ir.Operation, str], NoReturn]
    names: dict[ir.Value, str]
    defined: int = 0

    def op(self, op: ir.Operation) -> Iterator[str]:
        yield _quoted(op.name)
        yield self._tail(op)
        yield ":" + ",".join(str(v.type) for v in op.operands)
        yield "->" + ",".join(str(r.type) for r in op.results)
        for region in op.regions:
            yield "{"
            yield from self._region(op, region)
            yield "}"

    def _region(self, op: ir.Operation, region: ir.Region) -> Iterator[str]:
        if len(region.blocks) > 1:
            self.reject(op, "it has no semantics here, and a region of several blocks")
        for block in region.blocks:
            self._define(block.arguments)
            yield "^" + ",".join(str(a.type) for a in block.arguments)
            for view in block.operations:
                yield from self._inner(view.operation)

    def _inner(self, op: ir.Operation) -> Iterator[str]:
        if op.name.split(".", 1)[0] not in _INSIDE or op.name == OPEN or op.name in NO_FUNCTIONS:
            self.reject(op, "it has no semantics here")
        yield "(" + ",".join(self.names[v] for v in op.operands) + ")"
        self._define(op.results)
        yield from self.op(op)

    def _define(self, values: Iterable[ir.Value]) -> None:
        for value in values:
            self.names[value] = f"v{self.defined}"
            self.defined += 1

    def _tail(self, op: ir.Operation) -> str:
        """The attributes of an op, including properties: the bindings do not show those that are not attributes."""
        alone = op.clone(ip=False)  # in its function it is printed with the names of all values there
        if op.context.is_registered_operation(op.name):
            for name in [name for name in alone.attributes if _MARK.fullmatch(name)]:
                del alone.attributes[name]
        text = alone.get_asm(print_generic_op_form=True, skip_regions=True, use_local_scope=True, assume_verified=True)
        found = _HEAD.match(text)
        assert found is not None, text
        return self._fixed(op, text[found.end() :])

    def _fixed(self, op: ir.Operation, text: str) -> str:
        if "@" in text or RESOURCE in text or "distinct[" in text:
            self.reject(op, f"it has no semantics here, and an attribute that refers to something: {text[:80]}")
        return text


def key(op: ir.Operation, captured: Mapping[ir.Value, int], reject: Callable[[ir.Operation, str], NoReturn]) -> str:
    """A text that two ops share exactly if they are equal apart from operands and captured values, which are numbered.

    `reject` is called with a part that has no such text, and why.
    """
    names = {v: f"c{k}" for v, k in captured.items()}
    return " ".join(_Writer(reject, names).op(op))
