"""Each op of the dialects that hecv reads, and how: `python -m tests.mlir.ops > docs/ops.md`.

The ops are those of the bindings, so a new one is missed until it has a probe here, a line that uses it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from torch_mlir import ir

from hecv.base.diagnostics import InputError, Unsupported
from hecv.base.term import TermPool
from hecv.mlir.importer import new_context, parse, read_function

DIALECTS: Final = (
    *("arith", "index", "math", "complex", "ub", "func", "scf", "cf", "affine", "memref", "vector", "tensor"),
    *("linalg", "bufferization"),
)

ARGUMENTS: Final = (
    "%c: i1, %i: index, %j: index, %n: i32, %m: i32, %h: i16, %x: f32, %y: f32, %d: f64, %e: f16, %z: complex<f32>, "
    "%w: complex<f32>, %v: vector<4xf32>, %u: vector<4xf32>, %k: vector<4xi32>, %b: vector<4xi1>, %M: memref<4x4xf32>, "
    "%N: memref<4x4xf32>, %L: memref<4xf32>, %D: memref<?xf32>, %I: memref<4xi32>, %B: memref<64xi8>, "
    "%S: memref<2xindex>, %T: tensor<4x4xf32>, %U: tensor<4x4xf32>, %R: tensor<4xf32>, %Q: tensor<2xindex>"
)
"""What every probe may use."""

_SELF: Final = "read by what stands around it"


def _binary(dialect: str, names: str, kind: str, operands: str) -> dict[str, str]:
    return {f"{dialect}.{name}": f"%r = {dialect}.{name} {operands} : {kind}" for name in names.split()}


_ARITH: Final = {
    **_binary("arith", "addf subf mulf divf remf maximumf minimumf maxnumf minnumf", "f32", "%x, %y"),
    **_binary("arith", "addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi", "i32", "%n, %m"),
    **_binary("arith", "andi ori xori shli shrsi shrui maxsi maxui minsi minui", "i32", "%n, %m"),
    **_binary("arith", "negf flush_denormals", "f32", "%x"),
    "arith.addui_extended": "%r:2 = arith.addui_extended %n, %m : i32, i1",
    "arith.subui_extended": "%r:2 = arith.subui_extended %n, %m : i32, i1",
    "arith.mulsi_extended": "%r:2 = arith.mulsi_extended %n, %m : i32",
    "arith.mului_extended": "%r:2 = arith.mului_extended %n, %m : i32",
    "arith.bitcast": "%r = arith.bitcast %x : f32 to i32",
    "arith.cmpf": "%r = arith.cmpf olt, %x, %y : f32",
    "arith.cmpi": "%r = arith.cmpi slt, %n, %m : i32",
    "arith.constant": "%r = arith.constant 1 : i32",
    "arith.convertf": "%r = arith.convertf %e : f16 to bf16",
    "arith.extf": "%r = arith.extf %x : f32 to f64",
    "arith.extsi": "%r = arith.extsi %n : i32 to i64",
    "arith.extui": "%r = arith.extui %n : i32 to i64",
    "arith.fptosi": "%r = arith.fptosi %x : f32 to i32",
    "arith.fptoui": "%r = arith.fptoui %x : f32 to i32",
    "arith.index_cast": "%r = arith.index_cast %n : i32 to index",
    "arith.index_castui": "%r = arith.index_castui %n : i32 to index",
    "arith.scaling_extf": "%r = arith.scaling_extf %q, %s : f4E2M1FN, f8E8M0FNU to f32",
    "arith.scaling_truncf": "%r = arith.scaling_truncf %x, %s : f32, f8E8M0FNU to f4E2M1FN",
    "arith.select": "%r = arith.select %c, %x, %y : f32",
    "arith.sitofp": "%r = arith.sitofp %n : i32 to f32",
    "arith.uitofp": "%r = arith.uitofp %n : i32 to f32",
    "arith.truncf": "%r = arith.truncf %x : f32 to f16",
    "arith.trunci": "%r = arith.trunci %n : i32 to i16",
}

_INDEX: Final = {
    **{
        f"index.{name}": f"%r = index.{name} %i, %j"
        for name in [
            "add",
            "and",
            "ceildivs",
            "ceildivu",
            "divs",
            "divu",
            "floordivs",
            "maxs",
            "maxu",
            "mins",
            "minu",
            "mul",
            "or",
            "rems",
            "remu",
            "shl",
            "shrs",
            "shru",
            "sub",
            "xor",
        ]
    },
    "index.bool.constant": "%r = index.bool.constant true",
    "index.casts": "%r = index.casts %i : index to i32",
    "index.castu": "%r = index.castu %i : index to i32",
    "index.cmp": "%r = index.cmp slt(%i, %j)",
    "index.constant": "%r = index.constant 1",
    "index.sizeof": "%r = index.sizeof",
}

_MATH: Final = {
    **_binary("math", "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1", "f32", "%x"),
    **_binary("math", "floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc", "f32", "%x"),
    **_binary("math", "isfinite isinf isnan isnormal sincos", "f32", "%x"),
    **_binary("math", "atan2 copysign powf", "f32", "%x, %y"),
    **_binary("math", "absi ctlz ctpop cttz", "i32", "%n"),
    "math.clampf": "%r = math.clampf %x to [%x, %y] : f32",
    "math.fma": "%r = math.fma %x, %y, %x : f32",
    "math.fpowi": "%r = math.fpowi %x, %n : f32, i32",
    "math.ipowi": "%r = math.ipowi %n, %m : i32",
    "math.sincos": "%r:2 = math.sincos %x : f32",
}

_COMPLEX: Final = {
    **_binary(
        "complex", "abs angle conj cos exp expm1 im log log1p neg re rsqrt sign sin sqrt tan tanh", "complex<f32>", "%z"
    ),
    **_binary("complex", "add atan2 div eq mul neq pow sub", "complex<f32>", "%z, %w"),
    "complex.bitcast": "%r = complex.bitcast %z : complex<f32> to i64",
    "complex.constant": "%r = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>",
    "complex.create": "%r = complex.create %x, %y : complex<f32>",
    "complex.powi": "%r = complex.powi %z, %n : complex<f32>, i32",
}

_CONTROL: Final = {
    "ub.poison": "%r = ub.poison : i32",
    "ub.unreachable": "cf.cond_br %c, ^a, ^b\n^a:\nub.unreachable\n^b:",
    "func.call": "%r = func.call @g(%n) : (i32) -> i32",
    "func.call_indirect": "%p = func.constant @g : (i32) -> i32\n%r = func.call_indirect %p(%n) : (i32) -> i32",
    "func.constant": "%p = func.constant @g : (i32) -> i32",
    "func.func": "",
    "func.return": "",
    "scf.condition": _SELF,
    "scf.execute_region": "%r = scf.execute_region -> f32 { scf.yield %x : f32 }",
    "scf.for": "scf.for %k0 = %i to %j step %i { memref.store %x, %D[%k0] : memref<?xf32> }",
    "scf.forall": "scf.forall (%k0) in (4) { memref.store %x, %L[%k0] : memref<4xf32> }",
    "scf.forall.in_parallel": (
        "%s = tensor.empty() : tensor<4xf32>\n%r = scf.forall (%k0) in (4) shared_outs(%o = %s) -> tensor<4xf32> {\n"
        "%p = tensor.extract_slice %R[%k0] [1] [1] : tensor<4xf32> to tensor<1xf32>\nscf.forall.in_parallel {\n"
        "tensor.parallel_insert_slice %p into %o[%k0] [1] [1] : tensor<1xf32> into tensor<4xf32> } }"
    ),
    "scf.if": "scf.if %c { memref.store %x, %L[%i] : memref<4xf32> }",
    "scf.index_switch": "%r = scf.index_switch %i -> f32 case 1 { scf.yield %x : f32 } default { scf.yield %y : f32 }",
    "scf.parallel": "scf.parallel (%k0) = (%i) to (%j) step (%i) { memref.store %x, %D[%k0] : memref<?xf32> }",
    "scf.reduce": (
        "%r = scf.parallel (%k0) = (%i) to (%j) step (%i) init (%n) -> i32 { scf.reduce(%m : i32) {\n"
        "^bb0(%p: i32, %q: i32): %s = arith.addi %p, %q : i32 scf.reduce.return %s : i32 } }"
    ),
    "scf.reduce.return": _SELF,
    "scf.while": (
        "%r = scf.while (%a = %n) : (i32) -> i32 { scf.condition(%c) %a : i32 } do {\n"
        "^bb0(%a: i32): scf.yield %a : i32 }"
    ),
    "scf.yield": _SELF,
    "cf.assert": 'cf.assert %c, "a message"',
    "cf.br": "cf.br ^a\n^a:",
    "cf.cond_br": "cf.cond_br %c, ^a, ^b\n^a:\ncf.br ^b\n^b:",
    "cf.switch": "cf.switch %n : i32, [default: ^a, 1: ^b]\n^a:\ncf.br ^b\n^b:",
}

_AFFINE: Final = {
    "affine.apply": "%r = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)",
    "affine.delinearize_index": "%r:2 = affine.delinearize_index %i into (4, 4) : index, index",
    "affine.dma_start": (
        "%t = memref.alloc() : memref<1xi32>\n%s = memref.alloc() : memref<4xf32, 2>\n%o = arith.constant 4 : index\n"
        "affine.dma_start %L[0], %s[0], %t[0], %o : memref<4xf32>, memref<4xf32, 2>, memref<1xi32>\n"
        "affine.dma_wait %t[0], %o : memref<1xi32>"
    ),
    "affine.dma_wait": (
        "%t = memref.alloc() : memref<1xi32>\n%s = memref.alloc() : memref<4xf32, 2>\n%o = arith.constant 4 : index\n"
        "affine.dma_start %L[0], %s[0], %t[0], %o : memref<4xf32>, memref<4xf32, 2>, memref<1xi32>\n"
        "affine.dma_wait %t[0], %o : memref<1xi32>"
    ),
    "affine.for": "affine.for %k0 = 0 to 4 { affine.store %x, %L[%k0] : memref<4xf32> }",
    "affine.if": "affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) { affine.store %x, %L[0] : memref<4xf32> }",
    "affine.linearize_index": "%r = affine.linearize_index [%i, %j] by (4, 4) : index",
    "affine.load": "%r = affine.load %L[%i] : memref<4xf32>",
    "affine.max": "%r = affine.max affine_map<(d0) -> (d0, 1)>(%i)",
    "affine.min": "%r = affine.min affine_map<(d0) -> (d0, 1)>(%i)",
    "affine.parallel": "affine.parallel (%k0) = (0) to (4) { affine.store %x, %L[%k0] : memref<4xf32> }",
    "affine.prefetch": "affine.prefetch %L[%i], read, locality<3>, data : memref<4xf32>",
    "affine.store": "affine.store %x, %L[%i] : memref<4xf32>",
    "affine.vector_load": "%r = affine.vector_load %L[%i] : memref<4xf32>, vector<4xf32>",
    "affine.vector_store": "affine.vector_store %v, %L[%i] : memref<4xf32>, vector<4xf32>",
    "affine.yield": _SELF,
}

_STRIDED: Final = "memref<2x2xf32, strided<[4, 1]>>"
_MEMREF: Final = {
    "memref.alloc": "%r = memref.alloc(%i) : memref<?xf32>",
    "memref.alloca": "%r = memref.alloca() : memref<4xf32>",
    "memref.alloca_scope": "memref.alloca_scope { %r = memref.alloca() : memref<4xf32> }",
    "memref.alloca_scope.return": _SELF,
    "memref.assume_alignment": "%r = memref.assume_alignment %L, 16 : memref<4xf32>",
    "memref.atomic_rmw": "%r = memref.atomic_rmw addi %n, %I[%i] : (i32, memref<4xi32>) -> i32",
    "memref.atomic_yield": _SELF,
    "memref.cast": "%r = memref.cast %L : memref<4xf32> to memref<?xf32>",
    "memref.collapse_shape": "%r = memref.collapse_shape %M [[0, 1]] : memref<4x4xf32> into memref<16xf32>",
    "memref.copy": "memref.copy %M, %N : memref<4x4xf32> to memref<4x4xf32>",
    "memref.dealloc": "%r = memref.alloc() : memref<4xf32>\nmemref.dealloc %r : memref<4xf32>",
    "memref.dim": "%o = arith.constant 0 : index\n%r = memref.dim %D, %o : memref<?xf32>",
    "memref.distinct_objects": "%r:2 = memref.distinct_objects %M, %N : memref<4x4xf32>, memref<4x4xf32>",
    "memref.dma_start": (
        "%t = memref.alloc() : memref<1xi32>\n%s = memref.alloc() : memref<4xf32, 2>\n%o = arith.constant 4 : index\n"
        "memref.dma_start %L[%i], %s[%i], %o, %t[%i] : memref<4xf32>, memref<4xf32, 2>, memref<1xi32>\n"
        "memref.dma_wait %t[%i], %o : memref<1xi32>"
    ),
    "memref.dma_wait": (
        "%t = memref.alloc() : memref<1xi32>\n%s = memref.alloc() : memref<4xf32, 2>\n%o = arith.constant 4 : index\n"
        "memref.dma_start %L[%i], %s[%i], %o, %t[%i] : memref<4xf32>, memref<4xf32, 2>, memref<1xi32>\n"
        "memref.dma_wait %t[%i], %o : memref<1xi32>"
    ),
    "memref.expand_shape": (
        "%r = memref.expand_shape %L [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>"
    ),
    "memref.extract_aligned_pointer_as_index": (
        "%r = memref.extract_aligned_pointer_as_index %L : memref<4xf32> -> index"
    ),
    "memref.extract_strided_metadata": (
        "%r, %o, %s, %t = memref.extract_strided_metadata %L : memref<4xf32> -> memref<f32>, index, index, index"
    ),
    "memref.generic_atomic_rmw": (
        "%r = memref.generic_atomic_rmw %L[%i] : memref<4xf32> {\n^bb0(%o: f32):\n%s = arith.addf %o, %x : f32\n"
        "memref.atomic_yield %s : f32 }"
    ),
    "memref.get_global": "%r = memref.get_global @g0 : memref<4xf32>",
    "memref.global": "%r = memref.get_global @g0 : memref<4xf32>",
    "memref.load": "%r = memref.load %L[%i] : memref<4xf32>",
    "memref.memory_space_cast": "%r = memref.memory_space_cast %L : memref<4xf32> to memref<4xf32, 2>",
    "memref.prefetch": "memref.prefetch %L[%i], read, locality<3>, data : memref<4xf32>",
    "memref.rank": "%r = memref.rank %L : memref<4xf32>",
    "memref.realloc": "%a = memref.alloc() : memref<4xf32>\n%r = memref.realloc %a : memref<4xf32> to memref<8xf32>",
    "memref.reinterpret_cast": (
        "%r = memref.reinterpret_cast %L to offset: [0], sizes: [2, 2], strides: [2, 1] : "
        "memref<4xf32> to memref<2x2xf32>"
    ),
    "memref.reshape": "%r = memref.reshape %M(%S) : (memref<4x4xf32>, memref<2xindex>) -> memref<?x?xf32>",
    "memref.store": "memref.store %x, %L[%i] : memref<4xf32>",
    "memref.subview": f"%r = memref.subview %M[0, 0] [2, 2] [1, 1] : memref<4x4xf32> to {_STRIDED}",
    "memref.transpose": (
        "%r = memref.transpose %M (a, b) -> (b, a) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>"
    ),
    "memref.view": "%o = arith.constant 0 : index\n%a = memref.alloc() : memref<64xi8>\n"
    "%r = memref.view %a[%o][] : memref<64xi8> to memref<16xf32>",
}

_V: Final = "vector<4xf32>"
_VECTOR: Final = {
    "vector.bitcast": f"%r = vector.bitcast %v : {_V} to vector<4xi32>",
    "vector.broadcast": f"%r = vector.broadcast %x : f32 to {_V}",
    "vector.compressstore": f"vector.compressstore %D[%i], %b, %v : memref<?xf32>, vector<4xi1>, {_V}",
    "vector.constant_mask": "%r = vector.constant_mask [2] : vector<4xi1>",
    "vector.contract": (
        "%r = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, "
        "affine_map<(i) -> ()>], "
        f'iterator_types = ["reduction"], kind = #vector.kind<add>}} %v, %u, %x : {_V}, {_V} into f32'
    ),
    "vector.create_mask": "%r = vector.create_mask %i : vector<4xi1>",
    "vector.deinterleave": f"%r, %s = vector.deinterleave %v : {_V} -> vector<2xf32>",
    "vector.expandload": f"%r = vector.expandload %D[%i], %b, %v : memref<?xf32>, vector<4xi1>, {_V} into {_V}",
    "vector.extract": f"%r = vector.extract %v[1] : f32 from {_V}",
    "vector.extract_strided_slice": (
        f"%r = vector.extract_strided_slice %v {{offsets = [1], sizes = [2], strides = [1]}} : {_V} to vector<2xf32>"
    ),
    "vector.fma": f"%r = vector.fma %v, %u, %v : {_V}",
    "vector.from_elements": "%r = vector.from_elements %x, %y : vector<2xf32>",
    "vector.gather": (
        f"%r = vector.gather %D[%i] [%k], %b, %v : memref<?xf32>, vector<4xi32>, vector<4xi1>, {_V} into {_V}"
    ),
    "vector.insert": f"%r = vector.insert %x, %v[1] : f32 into {_V}",
    "vector.insert_strided_slice": (
        "%s = vector.from_elements %x, %y : vector<2xf32>\n"
        f"%r = vector.insert_strided_slice %s, %v {{offsets = [1], strides = [1]}} : vector<2xf32> into {_V}"
    ),
    "vector.interleave": f"%r = vector.interleave %v, %u : {_V} -> vector<8xf32>",
    "vector.load": f"%r = vector.load %D[%i] : memref<?xf32>, {_V}",
    "vector.mask": (
        f"%r = vector.mask %b {{ vector.transfer_read %D[%i], %x : memref<?xf32>, {_V} }} : vector<4xi1> -> {_V}"
    ),
    "vector.maskedload": f"%r = vector.maskedload %D[%i], %b, %v : memref<?xf32>, vector<4xi1>, {_V} into {_V}",
    "vector.maskedstore": f"vector.maskedstore %D[%i], %b, %v : memref<?xf32>, vector<4xi1>, {_V}",
    "vector.multi_reduction": f"%r = vector.multi_reduction <add>, %v, %x [0] : {_V} to f32",
    "vector.outerproduct": f"%r = vector.outerproduct %v, %u : {_V}, {_V}",
    "vector.print": f"vector.print %v : {_V}",
    "vector.reduction": f"%r = vector.reduction <add>, %v, %x : {_V} into f32",
    "vector.scalable.extract": "%s = ub.poison : vector<[4]xf32>\n"
    "%r = vector.scalable.extract %s[0] : vector<4xf32> from vector<[4]xf32>",
    "vector.scalable.insert": "%s = ub.poison : vector<[4]xf32>\n"
    "%r = vector.scalable.insert %v, %s[0] : vector<4xf32> into vector<[4]xf32>",
    "vector.scan": (
        "%s = vector.from_elements %x : vector<1xf32>\n%t = vector.shape_cast %v : vector<4xf32> to vector<4x1xf32>\n"
        "%r:2 = vector.scan <add>, %t, %s {inclusive = true, reduction_dim = 0 : i64} : vector<4x1xf32>, vector<1xf32>"
    ),
    "vector.scatter": f"vector.scatter %D[%i] [%k], %b, %v : memref<?xf32>, vector<4xi32>, vector<4xi1>, {_V}",
    "vector.shape_cast": f"%r = vector.shape_cast %v : {_V} to vector<2x2xf32>",
    "vector.shuffle": f"%r = vector.shuffle %v, %u [0, 5] : {_V}, {_V}",
    "vector.step": "%r = vector.step : vector<4xindex>",
    "vector.store": f"vector.store %v, %D[%i] : memref<?xf32>, {_V}",
    "vector.to_elements": f"%r:4 = vector.to_elements %v : {_V}",
    "vector.transfer_read": f"%r = vector.transfer_read %D[%i], %x : memref<?xf32>, {_V}",
    "vector.transfer_write": f"vector.transfer_write %v, %D[%i] : {_V}, memref<?xf32>",
    "vector.transpose": (
        f"%s = vector.shape_cast %v : {_V} to vector<2x2xf32>\n"
        "%r = vector.transpose %s, [1, 0] : vector<2x2xf32> to vector<2x2xf32>"
    ),
    "vector.type_cast": "%r = vector.type_cast %M : memref<4x4xf32> to memref<vector<4x4xf32>>",
    "vector.vscale": "%r = vector.vscale",
    "vector.yield": _SELF,
}

_TENSOR: Final = {
    "tensor.bitcast": "%r = tensor.bitcast %R : tensor<4xf32> to tensor<4xi32>",
    "tensor.cast": "%r = tensor.cast %R : tensor<4xf32> to tensor<?xf32>",
    "tensor.collapse_shape": "%r = tensor.collapse_shape %T [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>",
    "tensor.concat": "%r = tensor.concat dim(0) %T, %U : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>",
    "tensor.dim": "%o = arith.constant 0 : index\n%r = tensor.dim %T, %o : tensor<4x4xf32>",
    "tensor.empty": "%s = tensor.empty() : tensor<4xf32>\n"
    "%r = linalg.fill ins(%x : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>",
    "tensor.expand_shape": (
        "%r = tensor.expand_shape %R [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>"
    ),
    "tensor.extract": "%r = tensor.extract %R[%i] : tensor<4xf32>",
    "tensor.extract_slice": "%r = tensor.extract_slice %R[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>",
    "tensor.from_elements": "%r = tensor.from_elements %x, %y : tensor<2xf32>",
    "tensor.gather": (
        "%s = tensor.from_elements %i, %j : tensor<2x1xindex>\n"
        "%r = tensor.gather %R[%s] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2x1xf32>"
    ),
    "tensor.generate": "%r = tensor.generate { ^bb0(%o: index): tensor.yield %x : f32 } : tensor<4xf32>",
    "tensor.insert": "%r = tensor.insert %x into %R[%i] : tensor<4xf32>",
    "tensor.insert_slice": "%s = tensor.from_elements %x, %y : tensor<2xf32>\n"
    "%r = tensor.insert_slice %s into %R[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>",
    "tensor.pad": (
        "%r = tensor.pad %R low[1] high[1] { ^bb0(%o: index): tensor.yield %x : f32 } : tensor<4xf32> to tensor<6xf32>"
    ),
    "tensor.parallel_insert_slice": _SELF,
    "tensor.rank": "%r = tensor.rank %R : tensor<4xf32>",
    "tensor.reshape": "%r = tensor.reshape %T(%Q) : (tensor<4x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>",
    "tensor.scatter": (
        "%s = tensor.from_elements %i, %j : tensor<2x1xindex>\n%t = tensor.from_elements %x, %y : tensor<2x1xf32>\n"
        "%r = tensor.scatter %t into %R[%s] scatter_dims([0]) unique : "
        "(tensor<2x1xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>"
    ),
    "tensor.splat": "%r = tensor.splat %x : tensor<4xf32>",
    "tensor.yield": _SELF,
}


def _linalg(name: str, shapes: tuple[str, ...], out: str, more: str = "", inner: str = "") -> str:
    """A named op on memrefs that it makes."""
    given = [f"memref<{s}>" for s in shapes]
    made = [f"%q{k} = memref.alloc() : {t}" for k, t in enumerate([*given, f"memref<{out}>"])]
    operands = ", ".join(f"%q{k}" for k in range(len(given)))
    return (
        "\n".join(
            [*made, f"linalg.{name}{inner} ins({operands}{more} : {', '.join(given)}{', i32' * more.count(',')})"]
        )
        + f" outs(%q{len(given)} : memref<{out}>)"
    )


_Q: Final = ", %n, %m"
_UNARY: Final = "abs ceil erf exp floor log negf reciprocal round rsqrt sqrt square tanh"
_BOTH: Final = "add div div_unsigned max min mul powf sub"
_SQUARE: Final = ("4x4xf32", "4x4xf32")
_CONVOLUTIONS: Final = {
    "conv_1d": (("6xf32", "3xf32"), "4xf32"),
    "conv_1d_ncw_fcw": (("1x2x6xf32", "3x2x3xf32"), "1x3x4xf32"),
    "conv_1d_nwc_wcf": (("1x6x2xf32", "3x2x3xf32"), "1x4x3xf32"),
    "conv_2d": (("6x6xf32", "3x3xf32"), "4x4xf32"),
    "conv_2d_nchw_fchw": (("1x2x6x6xf32", "3x2x3x3xf32"), "1x3x4x4xf32"),
    "conv_2d_nchw_fchw_q": (("1x2x6x6xi8", "3x2x3x3xi8"), "1x3x4x4xi32"),
    "conv_2d_ngchw_fgchw": (("1x2x2x6x6xf32", "3x2x2x3x3xf32"), "1x2x3x4x4xf32"),
    "conv_2d_ngchw_gfchw": (("1x2x2x6x6xf32", "2x3x2x3x3xf32"), "1x2x3x4x4xf32"),
    "conv_2d_ngchw_gfchw_q": (("1x2x2x6x6xi8", "2x3x2x3x3xi8"), "1x2x3x4x4xi32"),
    "conv_2d_nhwc_fhwc": (("1x6x6x2xf32", "3x3x3x2xf32"), "1x4x4x3xf32"),
    "conv_2d_nhwc_fhwc_q": (("1x6x6x2xi8", "3x3x3x2xi8"), "1x4x4x3xi32"),
    "conv_2d_nhwc_hwcf": (("1x6x6x2xf32", "3x3x2x3xf32"), "1x4x4x3xf32"),
    "conv_2d_nhwc_hwcf_q": (("1x6x6x2xi8", "3x3x2x3xi8"), "1x4x4x3xi32"),
    "conv_2d_nhwgc_gfhwc": (("1x6x6x2x2xf32", "2x3x3x3x2xf32"), "1x4x4x2x3xf32"),
    "conv_2d_nhwgc_gfhwc_q": (("1x6x6x2x2xi8", "2x3x3x3x2xi8"), "1x4x4x2x3xi32"),
    "conv_3d": (("6x6x6xf32", "3x3x3xf32"), "4x4x4xf32"),
    "conv_3d_ncdhw_fcdhw": (("1x2x6x6x6xf32", "3x2x3x3x3xf32"), "1x3x4x4x4xf32"),
    "conv_3d_ndhwc_dhwcf": (("1x6x6x6x2xf32", "3x3x3x2x3xf32"), "1x4x4x4x3xf32"),
    "conv_3d_ndhwc_dhwcf_q": (("1x6x6x6x2xi8", "3x3x3x2x3xi8"), "1x4x4x4x3xi32"),
    "depthwise_conv_1d_ncw_cw": (("1x2x6xf32", "2x3xf32"), "1x2x4xf32"),
    "depthwise_conv_1d_nwc_wc": (("1x6x2xf32", "3x2xf32"), "1x4x2xf32"),
    "depthwise_conv_1d_nwc_wcm": (("1x6x2xf32", "3x2x3xf32"), "1x4x2x3xf32"),
    "depthwise_conv_2d_nchw_chw": (("1x2x6x6xf32", "2x3x3xf32"), "1x2x4x4xf32"),
    "depthwise_conv_2d_nhwc_hwc": (("1x6x6x2xf32", "3x3x2xf32"), "1x4x4x2xf32"),
    "depthwise_conv_2d_nhwc_hwc_q": (("1x6x6x2xi8", "3x3x2xi8"), "1x4x4x2xi32"),
    "depthwise_conv_2d_nhwc_hwcm": (("1x6x6x2xf32", "3x3x2x3xf32"), "1x4x4x2x3xf32"),
    "depthwise_conv_2d_nhwc_hwcm_q": (("1x6x6x2xi8", "3x3x2x3xi8"), "1x4x4x2x3xi32"),
    "depthwise_conv_3d_ncdhw_cdhw": (("1x2x6x6x6xf32", "2x3x3x3xf32"), "1x2x4x4x4xf32"),
    "depthwise_conv_3d_ndhwc_dhwc": (("1x6x6x6x2xf32", "3x3x3x2xf32"), "1x4x4x4x2xf32"),
    "depthwise_conv_3d_ndhwc_dhwcm": (("1x6x6x6x2xf32", "3x3x3x2x3xf32"), "1x4x4x4x2x3xf32"),
}


def _pooling(name: str) -> tuple[tuple[str, ...], str]:
    kind = "i32" if "unsigned" in name else "f32"
    layout = name.split("_")[1]
    spatial = dict.fromkeys("dhw", (6, 3, 4))
    given, made = ("x".join(str({"n": 1, "c": 2}.get(c, spatial.get(c, (0, 0, 0))[k])) for c in layout) for k in (0, 2))
    window = "x".join("3" for c in layout if c in spatial)
    return (f"{given}x{kind}", f"{window}x{kind}"), f"{made}x{kind}"


_POOLINGS: Final = [
    "pooling_nchw_max",
    "pooling_nchw_sum",
    "pooling_ncw_max",
    "pooling_ncw_sum",
    "pooling_ndhwc_max",
    "pooling_ndhwc_min",
    "pooling_ndhwc_sum",
    "pooling_nhwc_max",
    "pooling_nhwc_max_unsigned",
    "pooling_nhwc_min",
    "pooling_nhwc_min_unsigned",
    "pooling_nhwc_sum",
    "pooling_nwc_max",
    "pooling_nwc_max_unsigned",
    "pooling_nwc_min",
    "pooling_nwc_min_unsigned",
    "pooling_nwc_sum",
]
_PRODUCTS: Final = {
    "batch_matmul": (("2x4x4xf32", "2x4x4xf32"), "2x4x4xf32"),
    "batch_matvec": (("2x4x4xf32", "2x4xf32"), "2x4xf32"),
    "batch_mmt4d": (("2x2x2x4x1xf32", "2x2x2x4x1xf32"), "2x2x2x4x4xf32"),
    "batch_reduce_matmul": (("2x4x4xf32", "2x4x4xf32"), "4x4xf32"),
    "batch_vecmat": (("2x4xf32", "2x4x4xf32"), "2x4xf32"),
    "dot": (("4xf32", "4xf32"), "f32"),
    "matmul": (_SQUARE, "4x4xf32"),
    "matvec": (("4x4xf32", "4xf32"), "4xf32"),
    "mmt4d": (("2x2x4x1xf32", "2x2x4x1xf32"), "2x2x4x4xf32"),
    "vecmat": (("4xf32", "4x4xf32"), "4xf32"),
}
_MAPS3: Final = (
    "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
    "affine_map<(m, n, k) -> (m, n)>]"
)
_LINALG: Final = {
    **{f"linalg.{n}": _linalg(n, ("4x4xf32",), "4x4xf32") for n in _UNARY.split()},
    **{f"linalg.{n}": _linalg(n, _SQUARE, "4x4xf32") for n in _BOTH.split()},
    "linalg.div_unsigned": _linalg("div_unsigned", ("4xi32", "4xi32"), "4xi32"),
    **{
        f"linalg.{n}": _linalg(n, shapes, out, _Q if n.endswith("_q") else "")
        for n, (shapes, out) in (_CONVOLUTIONS | _PRODUCTS).items()
    },
    **{f"linalg.{n}": _linalg(n, *_pooling(n)) for n in _POOLINGS},
    "linalg.quantized_matmul": _linalg("quantized_matmul", ("4x4xi8", "4x4xi8"), "4x4xi32", _Q),
    "linalg.quantized_batch_matmul": _linalg("quantized_batch_matmul", ("2x4x4xi8", "2x4x4xi8"), "2x4x4xi32", _Q),
    "linalg.select": _linalg("select", ("4xi1", "4xf32", "4xf32"), "4xf32"),
    "linalg.copy": _linalg("copy", ("4x4xf32",), "4x4xf32"),
    "linalg.contract": _linalg("contract", _SQUARE, "4x4xf32", inner=f" {_MAPS3}"),
    "linalg.elementwise": _linalg("elementwise", ("4x4xf32",), "4x4xf32", inner=" kind=#linalg.elementwise_kind<exp>"),
    "linalg.fill": "linalg.fill ins(%x : f32) outs(%M : memref<4x4xf32>)",
    "linalg.fill_rng_2d": "linalg.fill_rng_2d ins(%d, %d, %n : f64, f64, i32) outs(%M : memref<4x4xf32>)",
    "linalg.broadcast": "linalg.broadcast ins(%L : memref<4xf32>) outs(%M : memref<4x4xf32>) dimensions = [0]",
    "linalg.transpose": "linalg.transpose ins(%N : memref<4x4xf32>) outs(%M : memref<4x4xf32>) permutation = [1, 0]",
    "linalg.map": "linalg.map { arith.addf } ins(%N, %N : memref<4x4xf32>, memref<4x4xf32>) outs(%M : memref<4x4xf32>)",
    "linalg.reduce": (
        "linalg.reduce { arith.addf } ins(%M : memref<4x4xf32>) outs(%L : memref<4xf32>) dimensions = [0]"
    ),
    "linalg.generic": (
        'linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} '
        "outs(%L : memref<4xf32>) { ^bb0(%o: f32): linalg.yield %x : f32 }"
    ),
    "linalg.index": _SELF,
    "linalg.yield": _SELF,
    "linalg.softmax": (
        "%r = linalg.softmax dimension(1) ins(%T : tensor<4x4xf32>) outs(%U : tensor<4x4xf32>) -> tensor<4x4xf32>"
    ),
    "linalg.pack": (
        "%s = tensor.empty() : tensor<2x2x2x2xf32>\n%r = linalg.pack %T inner_dims_pos = [0, 1] inner_tiles = [2, 2] "
        "into %s : tensor<4x4xf32> -> tensor<2x2x2x2xf32>"
    ),
    "linalg.unpack": (
        "%s = tensor.empty() : tensor<2x2x2x2xf32>\n%p = linalg.pack %T inner_dims_pos = [0, 1] inner_tiles = [2, 2] "
        "into %s : tensor<4x4xf32> -> tensor<2x2x2x2xf32>\n%t = tensor.empty() : tensor<4x4xf32>\n"
        "%r = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %t : tensor<2x2x2x2xf32> -> "
        "tensor<4x4xf32>"
    ),
    **{
        f"linalg.winograd_{what}_transform": (
            f"%s = ub.poison : tensor<{given}xf32>\n%t = ub.poison : tensor<{made}xf32>\n"
            f"%r = linalg.winograd_{what}_transform fmr(F_4_3) ins(%s : tensor<{given}xf32>) "
            f"outs(%t : tensor<{made}xf32>) -> tensor<{made}xf32>"
        )
        for what, given, made in (
            ("filter", "2x3x3x5", "6x6x5x2"),
            ("input", "2x10x10x5", "6x6x2x2x2x5"),
            ("output", "6x6x2x2x2x2", "2x8x8x2"),
        )
    },
}

_BUFFERIZATION: Final = {
    "bufferization.alloc_tensor": "%r = bufferization.alloc_tensor() copy(%R) : tensor<4xf32>",
    "bufferization.clone": "%r = bufferization.clone %L : memref<4xf32> to memref<4xf32>",
    "bufferization.dealloc": (
        "%r = memref.alloc() : memref<4xf32>\nbufferization.dealloc (%r : memref<4xf32>) if (%c)"
    ),
    "bufferization.dealloc_tensor": (
        "%s = bufferization.alloc_tensor() copy(%R) : tensor<4xf32>\nbufferization.dealloc_tensor %s : tensor<4xf32>"
    ),
    "bufferization.materialize_in_destination": (
        "bufferization.materialize_in_destination %R in restrict writable %L : (tensor<4xf32>, memref<4xf32>) -> ()"
    ),
    "bufferization.to_buffer": "%r = bufferization.to_buffer %R read_only : tensor<4xf32> to memref<4xf32>",
    "bufferization.to_tensor": "%r = bufferization.to_tensor %L restrict : memref<4xf32> to tensor<4xf32>",
}

PROBES: Final[Mapping[str, str]] = {
    **_ARITH,
    **_INDEX,
    **_MATH,
    **_COMPLEX,
    **_CONTROL,
    **_AFFINE,
    **_MEMREF,
    **_VECTOR,
    **_TENSOR,
    **_LINALG,
    **_BUFFERIZATION,
}
"""Lines that use each op."""


def names(dialect: str) -> list[str]:
    """The ops that a dialect of the bindings has."""
    module = importlib.import_module(f"torch_mlir.dialects._{dialect}_ops_gen")
    made = inspect.getmembers(module, inspect.isclass)
    return sorted({c.OPERATION_NAME for _, c in made if hasattr(c, "OPERATION_NAME")})


@cache
def meaning(op: str) -> str:
    """How hecv reads an op: `read`, `a function` of which nothing is known, or what it says."""
    return "read" if PROBES[op] == _SELF else _read(program(op))


def program(op: str) -> str:
    """A program that uses an op; one that is read by what stands around it is not in it."""
    probe = "" if PROBES[op] == _SELF else PROBES[op]
    more = "".join(f", %{v}: {t}" for v, t in (("q", "f4E2M1FN"), ("s", "f8E8M0FNU")) if "scaling" in op)
    return (
        "memref.global @g0 : memref<4xf32>\nfunc.func private @g(%n: i32) -> i32 { return %n : i32 }\n"
        f"func.func @f({ARGUMENTS}{more}) {{\n{probe}\nreturn }}"
    )


@cache
def _context() -> ir.Context:
    """Making one takes longer than most probes."""
    return new_context()


def _read(text: str) -> str:
    module = parse(text, "probe.mlir", _context())
    try:
        found = read_function(module, "f", TermPool(), True)
        return "read" if not found.opaque else "a function"
    except Unsupported as problem:
        why = problem.text
    try:
        read_function(module, "f", TermPool())
    except Unsupported:
        return why.partition(": ")[2] or why
    return "a function"


def page() -> str:
    """The table."""
    lines = [
        "# Ops",
        "",
        "How hecv reads each op of the dialects below, as the bindings have them; made by "
        "`python -m tests.mlir.ops > docs/ops.md`, and a",
        "test holds that it is current. *Read*: it has a meaning, which the interpreter runs and the proof knows. *A "
        "function*: nothing is known of it",
        "but that equal operands give equal results ([soundness](soundness.md#ops-without-semantics)). Limits of ops "
        "that are read stand in",
        "[aggregates](aggregates.md) and [soundness](soundness.md).",
        "",
        "| dialect | read | a function | neither |",
        "| --- | --- | --- | --- |",
        *(_row(dialect) for dialect in DIALECTS),
    ]
    return "\n".join(lines) + "\n"


def _row(dialect: str) -> str:
    found = {op.removeprefix(f"{dialect}."): meaning(op) for op in names(dialect)}
    columns = [[n for n, m in found.items() if m == kind] for kind in ("read", "a function")]
    left = [f"`{n}`: {m}" for n, m in found.items() if m not in ("read", "a function")]
    shown = [f"{len(columns[0])} of {len(found)}", " ".join(f"`{n}`" for n in columns[1]), "; ".join(left)]
    if len(columns[0]) == len(found):
        shown[0] = f"all {len(found)}"
    return f"| {dialect} | {shown[0]} | {shown[1]} | {shown[2]} |"


def problems() -> Iterator[str]:
    """Probes that are missing, of no op, or that MLIR refuses."""
    known = {name for dialect in DIALECTS for name in names(dialect)}
    yield from (f"{name} has no probe" for name in sorted(known - PROBES.keys()))
    yield from (f"{name} is no op" for name in sorted(PROBES.keys() - known))
    for name in sorted(known & PROBES.keys()):
        try:
            meaning(name)
        except InputError as problem:
            yield f"{name}: {problem.diagnostics[0].message}"


if __name__ == "__main__":
    print(page(), end="")
