"""Lowers a module to LLVM and compiles one of its functions."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

# 30 ms together, of which the engine is 0.5 ms; imported before the fork, so that no child pays for them.
from torch_mlir import execution_engine, ir, passmanager  # pyright: ignore[reportMissingTypeStubs]

from hecv.run.jit.abi.call_wrappers import is_declaration, type_of, wrapped
from hecv.run.jit.abi.element_encoding import Array, format_of, scalar_of
from hecv.run.jit.abi.external_callbacks import Answers, Callee, callee_of
from hecv.run.jit.abi.jit_outcome import Refused, Signature
from hecv.run.jit.float_emulation.bfloat_emulation import without_bf16
from hecv.run.jit.float_emulation.rounding_modes import without_rounding_modes
from hecv.run.jit.float_emulation.small_float_emulation import without_small
from hecv.run.jit.lowering.atomic_expansion import without_atomics
from hecv.run.jit.lowering.block_splitting import cut
from hecv.run.jit.lowering.dynamic_vector_positions import without_positions
from hecv.run.jit.lowering.empty_reductions import without_empty_reductions
from hecv.run.jit.lowering.gather_scatter_loops import without_gathers
from hecv.run.jit.lowering.index_casts import without_wide_casts
from hecv.run.jit.lowering.lowering_passes import to_llvm, to_loops
from hecv.run.jit.lowering.memory_spaces import without_spaces
from hecv.run.jit.lowering.op_isolation import isolate
from hecv.run.jit.lowering.transform_lowering import lower_by_transforms
from hecv.run.jit.lowering.unreachable_blocks import without_unreached
from hecv.run.jit.lowering.vector_memory_layout import without_gaps
from hecv.run.jit.lowering.wide_divisions import without_wide_rounding

# The bindings are typed in small part.
IR: Any = ir
PASSES: Any = passmanager
ENGINE: Any = execution_engine

DIALECTS = ("arith", "cf", "func", "llvm", "math", "memref", "scf", "ub", "vector")
"""Dialects of the ops that are built here. Others are loaded on demand; loading all takes much longer."""


class Compiled(Struct, frozen=True):
    """Machine code: `entry` takes an array of pointers, to each argument and to where results go."""

    entry: Callable[[Any], None]
    engine: Any  # owns the code
    runtime: Any  # what the code calls
    answers: Answers | None = None  # of functions without a body


def compile_function(
    text: str, function: str, signature: Signature, answers: Answers | None = None, isolated: bool = False
) -> Compiled:
    """Machine code for `@function`; `answers` handles its calls of functions without a body. With `isolated`, each op
    is lowered by itself, so that MLIR's folds of several ops do not apply.

    Raises: Refused.
    """
    for type in (*signature.inputs(), *signature.results):
        format_of(scalar_of(type), signature.index_width)
    module, symbol = _parse(text, function, signature, isolated)
    declared = [] if answers is None else _declared(module, signature)
    outside = [] if answers is None else [(callee, answers.code(callee)) for callee in declared]
    module = _lowered(module, signature.index_width, [callee.name for callee in declared])
    cut(module)
    copy = _memref_copy(signature.index_width)
    try:
        # Level 0: the optimiser may make anything of a program whose behaviour is undefined, also a plausible result.
        engine = ENGINE.ExecutionEngine(module, opt_level=0, enable_object_dump=False)
        engine.raw_register_runtime("memrefCopy", ctypes.cast(copy, ctypes.c_void_p))
        for callee, code in outside:
            engine.raw_register_runtime(f"_mlir_ciface_{callee.name}", code)
        address = engine.raw_lookup(f"_mlir_ciface_{symbol}")
    except RuntimeError as error:
        raise Refused(f"could not compile: {_not_lowered(module) or _first_error() or error}") from error
    if not address:
        raise Refused(f"could not compile: {_first_error()}")
    return Compiled(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address), engine, copy, answers)


def _parse(text: str, function: str, signature: Signature, isolated: bool) -> tuple[Any, str]:
    """The module of `text`, ready to lower, and the symbol that `@function` has in it.

    Every definition is renamed: a function `@free` or `@expf` would otherwise be called in place of the C library's.
    """
    context = IR.Context(load_on_create_dialects=[*DIALECTS])
    context.enable_multithreading(False)  # each thread would reserve 64 MiB of the memory limit
    context.allow_unregistered_dialects = True  # attributes of other tools; their ops fail to lower
    try:
        module: Any = IR.Module.parse(text, context)
    except IR.MLIRError as error:
        raise Refused(f"could not parse: {_diagnostic(error)}") from error
    without_wide_casts(module, signature.index_width)
    if "fastmath" in text:
        _drop_licences(module)
    without_empty_reductions(module, text)
    lower_by_transforms(module, text)
    if isolated:
        isolate(module)
    without_gaps(module, text)
    module = without_spaces(module, text)
    without_gathers(module, text)
    without_positions(module, text)
    if "vector.mask " in text:
        _lower_masks(module)
    if "tensor" in text:
        _bufferize(module)
    entry = wrapped(module, function, signature)
    symbol = ""
    for n, op in enumerate(list(module.body.operations)):
        if "sym_name" not in op.attributes or is_declaration(op):
            continue
        name = op.attributes["sym_name"].value
        unique = f"hecv.{n}.{name}"
        IR.SymbolTable.replace_all_symbol_uses(name, unique, module.operation)
        IR.SymbolTable.set_symbol_name(op, unique)
        wanted = name == entry and op.operation.name == "func.func"
        op.attributes["sym_visibility"] = IR.StringAttr.get("public" if wanted else "private", context)
        if wanted:
            op.attributes["llvm.emit_c_interface"] = IR.UnitAttr.get(context)
            symbol = unique
    if not symbol:
        raise Refused(f"the module defines no function @{function}")
    return module, symbol


def _drop_licences(module: Any) -> None:
    """Removes fast-math flags: by these LLVM fuses a product and a sum even without an optimiser."""

    def visit(op: Any) -> Any:
        if "fastmath" in op.attributes:
            op.attributes["fastmath"] = IR.Attribute.parse("#arith.fastmath<none>", op.context)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)


_MASKS = "builtin.module(func.func(lower-affine, lower-vector-multi-reduction, lower-vector-mask))"
"""From `vector.mask` to masked ops: bufferization does not look inside it, and other passes leave it with several ops.
`lower-affine` comes first, as below."""


def _lower_masks(module: Any) -> None:
    """Lowers `vector.mask` to masked ops.

    Raises: Refused.
    """
    try:
        PASSES.PassManager.parse(_MASKS, module.context).run(module.operation)
    except IR.MLIRError as error:
        raise Refused(f"could not lower masks: {_diagnostic(error)}") from error


_BUFFERIZE = """builtin.module(func.func(convert-elementwise-to-linalg),
    one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1
        function-boundary-type-conversion=identity-layout-map%s})"""
_COPYING = " copy-before-write=1"

_HANDED_ON = {"scf.yield", "scf.condition", "affine.yield", "cf.br", "cf.cond_br", "func.return"}
_VIEWS = {"tensor.cast", "tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape"}


def _bufferize(module: Any) -> None:
    """Bufferizes tensors; memrefs that are arguments stay as they are.

    Raises: Refused.
    """
    if not any(_has_tensors(op) for op in module.body.operations):
        return
    _require_strides(module)
    context = module.context
    read_only = IR.DictAttr.get({"bufferization.writable": IR.BoolAttr.get(False, context)}, context)
    nothing = IR.DictAttr.get({}, context)
    for op in module.body.operations:
        if op.operation.name == "func.func" and not is_declaration(op):
            tensors = [isinstance(kind, IR.RankedTensorType) for kind in type_of(op).inputs]
            op.attributes["arg_attrs"] = IR.ArrayAttr.get([read_only if t else nothing for t in tensors], context)
    try:
        passes = _BUFFERIZE % (_COPYING if _hands_on_twice(module) else "")
        PASSES.PassManager.parse(passes, context).run(module.operation)
    except IR.MLIRError as error:
        raise Refused(f"could not bufferize: {_diagnostic(error)}") from error


def _hands_on_twice(module: Any) -> bool:
    """True if a block passes one tensor on in two places.

    MLIR may then write one of the two in place although the other is still used, as it does with the results of a loop
    that yields a tensor of its own twice.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _HANDED_ON:
            roots = [_root(v) for v in op.operands if isinstance(v.type, IR.RankedTensorType)]
            found.extend([op] if len(set(roots)) < len(roots) else [])
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    return bool(found)


def _root(value: Any) -> Any:
    """The tensor that a tensor is a part or another form of."""
    while isinstance(value.owner, IR.Operation | IR.OpView) and value.owner.name in _VIEWS:
        value = value.owner.operands[0]
    return value


def _require_strides(module: Any) -> None:
    """Rejects a slice with stride 0: MLIR writes it in place, all its elements to one.

    Raises: Refused.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "tensor.extract_slice":
            found.append(list(IR.DenseI64ArrayAttr(op.attributes["static_strides"])))
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    if any(0 in strides for strides in found):
        raise Refused("unsupported: a slice of a tensor with stride 0")


def _has_tensors(op: Any) -> bool:
    return op.operation.name == "func.func" and "tensor<" in str(op)


def _declared(module: Any, signature: Signature) -> list[Callee]:
    """The functions without a body that are called, made callable by C conventions.

    Raises: Refused.
    """
    PASSES.PassManager.parse("builtin.module(symbol-dce)", module.context).run(module.operation)
    found = [op for op in module.body.operations if op.operation.name == "func.func" and is_declaration(op)]
    if found and "complex<" in str(module):
        raise Refused("unsupported: a function without a body where there are complex numbers")
    if found and signature.globals and signature.index_width < 64:
        raise Refused("unsupported: a function without a body where there are globals, whose addresses are no indices")
    for op in found:
        op.attributes["llvm.emit_c_interface"] = IR.UnitAttr.get(module.context)
    return list(map(callee_of, found))


def _lowered(module: Any, index_width: int, outside: Sequence[str] = ()) -> Any:
    """The module in the LLVM dialect; the functions `outside` may lack a body.

    Raises: Refused.
    """
    try:
        PASSES.PassManager.parse("builtin.module(symbol-dce)", module.context).run(module.operation)
        for op in module.body.operations:
            declared = op.operation.name == "func.func" and is_declaration(op)
            if declared and op.attributes["sym_name"].value not in outside:
                raise Refused(f"unsupported: @{op.attributes['sym_name'].value} has no body")
        text = str(module)  # long code takes as long to print as to parse
        without_unreached(module, text)
        if "complex<" in text:
            PASSES.PassManager.parse(_COMPLEX, module.context).run(module.operation)
        _lower_math(module)
        without_wide_rounding(module)
        if "arith.truncf" in text:
            without_rounding_modes(module)
        if _has_mapped_layouts(text):
            PASSES.PassManager.parse("builtin.module(normalize-memrefs)", module.context).run(module.operation)
        if loops := to_loops(module, text):
            PASSES.PassManager.parse(loops, module.context).run(module.operation)
        if "atomic_rmw" in text:
            without_atomics(module)
        module = without_bf16(without_small(module, text), text)
        PASSES.PassManager.parse(to_llvm(module, text, index_width), module.context).run(module.operation)
    except IR.MLIRError as error:
        raise Refused(f"could not lower: {_diagnostic(error)}") from error
    return module


_INTRINSICS = {
    "math.absi": ("llvm.intr.abs", {"is_int_min_poison": "false"}),
    "math.ctlz": ("llvm.intr.ctlz", {"is_zero_poison": "false"}),
    "math.cttz": ("llvm.intr.cttz", {"is_zero_poison": "false"}),
    "math.ctpop": ("llvm.intr.ctpop", {}),
    "math.copysign": ("llvm.intr.copysign", {}),
    "math.isnan": ("llvm.intr.is.fpclass", {"bit": "3 : i32"}),
    "math.isinf": ("llvm.intr.is.fpclass", {"bit": "516 : i32"}),
    "math.isfinite": ("llvm.intr.is.fpclass", {"bit": "504 : i32"}),
    "math.isnormal": ("llvm.intr.is.fpclass", {"bit": "264 : i32"}),
}
"""LLVM intrinsics, as `convert-math-to-llvm` chooses them."""


def _lower_math(module: Any) -> None:
    """Lowers the ops for which the C library has no function.

    `convert-math-to-libm` rejects a module with one of them, and `convert-math-to-llvm` would turn expm1 into `exp(x) -
    1`.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _INTRINSICS or op.name == "math.sincos":
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    _ = module.context.dialects["llvm"]  # loads it
    for op in found:
        with op.location, IR.InsertionPoint(op):
            for old, new in zip(op.results, _lowered_math(op), strict=True):
                old.replace_all_uses_with(new)
        op.erase()


def _lowered_math(op: Any) -> list[Any]:
    """Ops that replace `op`; gives their results."""
    kind, operands = op.results[0].type, list(op.operands)
    if op.name == "math.sincos":
        return [IR.Operation.create(n, results=[kind], operands=operands).result for n in ("math.sin", "math.cos")]
    name, texts = _INTRINSICS[op.name]
    attributes = {k: IR.Attribute.parse(text, op.context) for k, text in texts.items()}
    return [IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes).result]


def _has_mapped_layouts(text: str) -> bool:
    """True if a buffer may have an affine map as layout, which cannot be converted to LLVM."""
    return re.search(r"memref<[^<>]*, (#map|affine_map<)", text) is not None


def _not_lowered(module: Any) -> str:
    """The first op without a conversion to LLVM, if any; the casts around it are less informative."""
    left: list[str] = []

    def visit(op: Any) -> Any:
        if not op.name.startswith(("llvm.", "builtin.")):
            left.append(f"no conversion to LLVM of '{op.name}'")
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    return left[0] if left else ""


_COMPLEX = "builtin.module(func.func(convert-complex-to-standard))"


def _diagnostic(error: Any) -> str:
    """The first diagnostic of an MLIRError, with its location in the text."""
    first = error.error_diagnostics[0]
    place = str(first.location).removeprefix('loc("-":').removesuffix(")")
    return f"{place}: {first.message.strip()}"


def _first_error() -> str:
    """The first line that C++ wrote to stderr: LLVM's error, which Python does not see."""
    return os.pread(2, 4096, 0).decode(errors="replace").partition("\n")[0]


def _memref_copy(index_width: int) -> Any:
    """The C function `memrefCopy(index size, ranked *source, ranked *target)`, which makes strided copies."""
    index = ctypes.c_int64 if index_width == 64 else ctypes.c_int32

    def view(ranked: int, size: int) -> Array:
        rank = index.from_address(ranked).value
        descriptor = ctypes.c_void_p.from_address(ranked + 8).value or 0
        aligned = ctypes.c_void_p.from_address(descriptor + 8).value or 0
        offset, *rest = (index * (1 + 2 * rank)).from_address(descriptor + 16)
        first = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(aligned + offset * size)).view(f"V{size}")
        return np.lib.stride_tricks.as_strided(first, rest[:rank], [size * stride for stride in rest[rank:]])

    def copy(size: int, source: int, target: int) -> None:
        try:
            view(target, size)[...] = view(source, size)
        except Exception:  # ctypes would print it and go on as if copied
            os.abort()

    return ctypes.CFUNCTYPE(None, index, ctypes.c_void_p, ctypes.c_void_p)(copy)
