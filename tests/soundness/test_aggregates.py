"""Vectors, tensors and structured ops: the interpreter does what MLIR's own execution does."""

from __future__ import annotations

from math import prod
from random import Random

import pytest

from hecv.base.term import TermPool, literal
from hecv.base.value import Buffer, Value
from hecv.mlir.importer import read_function
from hecv.program.tree import Function
from hecv.run import jit
from hecv.run.interpreter.interpreter import Finished, compile

from .running import parsed

HEAD = (
    "func.func @f(%A: memref<4x8xf32>, %B: memref<16xf32>, %I: memref<8xi32>, %O: memref<4x8xf32>, %P: memref<8xi32>)"
)
START = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 2.5 : f32
  %a = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
  %b = vector.load %B[%c0] : memref<16xf32>, vector<8xf32>
  %i = vector.load %I[%c0] : memref<8xi32>, vector<8xi32>
"""
KEEP = "vector.store %r, %O[%c1, %c0] : memref<4x8xf32>, vector<8xf32>"
KEEP_INTEGERS = "vector.store %r, %P[%c0] : memref<8xi32>, vector<8xi32>"
KEEP_ALL = "vector.transfer_write %r, %O[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>"
KEEP_ONE = "memref.store %r, %O[%c3, %c1] : memref<4x8xf32>"

MASK = "%m = vector.create_mask %c3 : vector<8xi1>\n"

VECTORS = {
    "load": "%r = vector.load %B[%c3] : memref<16xf32>, vector<8xf32>\n" + KEEP,
    "elementwise": "%s = arith.addf %b, %b : vector<8xf32>\n%r = arith.divf %b, %s : vector<8xf32>\n" + KEEP,
    "integers": "%s = arith.shli %i, %i : vector<8xi32>\n%r = arith.xori %i, %i : vector<8xi32>\n" + KEEP_INTEGERS,
    "compare": "%q = arith.cmpf olt, %b, %b : vector<8xf32>\n"
    "%r = arith.select %q, %b, %b : vector<8xi1>, vector<8xf32>\n" + KEEP,
    "constant": "%k = arith.constant dense<[1.0, -2.0, 3.0, 4.0, 5.0, 6.0, 7.0, -0.0]> : vector<8xf32>\n"
    "%r = arith.mulf %k, %b : vector<8xf32>\n" + KEEP,
    "splat": "%k = arith.constant dense<7> : vector<8xi32>\n%r = arith.muli %k, %i : vector<8xi32>\n" + KEEP_INTEGERS,
    "past-the-end": "%r = vector.transfer_read %B[%c5], %z : memref<16xf32>, vector<8xf32>\n" + KEEP,
    "far-past-the-end": "%c12 = arith.constant 12 : index\n"
    "%r = vector.transfer_read %B[%c12], %z : memref<16xf32>, vector<8xf32>\n" + KEEP,
    "column": "%r = vector.transfer_read %A[%c1, %c3], %z {permutation_map = affine_map<(d0, d1) -> (d0)>} : "
    "memref<4x8xf32>, vector<8xf32>\n" + KEEP,
    "repeated": "%r = vector.transfer_read %A[%c1, %c3], %z "
    "{in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<4x8xf32>, vector<8xf32>\n" + KEEP,
    "transposed": "%t = vector.transfer_read %A[%c0, %c0], %z {in_bounds = [true, true], "
    "permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<4x8xf32>, vector<8x4xf32>\n"
    "%r = vector.shape_cast %t : vector<8x4xf32> to vector<4x8xf32>\n" + KEEP_ALL,
    "written-past-the-end": "vector.transfer_write %b, %O[%c1, %c3] : vector<8xf32>, memref<4x8xf32>",
    "written-column": "vector.transfer_write %b, %O[%c1, %c3] {permutation_map = affine_map<(d0, d1) -> (d0)>} : "
    "vector<8xf32>, memref<4x8xf32>",
    "masked-read": MASK + "%r = vector.transfer_read %B[%c5], %z, %m : memref<16xf32>, vector<8xf32>\n" + KEEP,
    "masked-write": MASK
    + "vector.transfer_write %b, %O[%c1, %c0], %m {in_bounds = [true]} : vector<8xf32>, memref<4x8xf32>",
    "maskedload": MASK
    + "%r = vector.maskedload %B[%c5], %m, %b : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>\n"
    + KEEP,
    "maskedstore": MASK
    + "vector.maskedstore %O[%c1, %c0], %m, %b : memref<4x8xf32>, vector<8xi1>, vector<8xf32>",
    "gather": "%k = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6]> : vector<8xindex>\n%m = vector.constant_mask [6] : "
    "vector<8xi1>\n%r = vector.gather %B[%c1] [%k], %m, %b : memref<16xf32>, vector<8xindex>, vector<8xi1>, "
    "vector<8xf32> into vector<8xf32>\n" + KEEP,
    "scatter": "%k = arith.constant dense<[3, 1, 4, 7, 5, 0, 2, 6]> : vector<8xindex>\n%m = vector.constant_mask [6] : "
    "vector<8xi1>\nvector.scatter %P[%c0] [%k], %m, %i : memref<8xi32>, vector<8xindex>, vector<8xi1>, vector<8xi32>",
    "broadcast": "%r = vector.broadcast %z : f32 to vector<8xf32>\n" + KEEP,
    "broadcast-rows": "%r = vector.broadcast %b : vector<8xf32> to vector<4x8xf32>\n" + KEEP_ALL,
    "broadcast-columns": "%t = vector.extract_strided_slice %a {offsets = [0, 2], sizes = [4, 1], strides = [1, 1]} : "
    "vector<4x8xf32> to vector<4x1xf32>\n%r = vector.broadcast %t : vector<4x1xf32> to vector<4x8xf32>\n" + KEEP_ALL,
    "extract": "%r = vector.extract %a[2] : vector<8xf32> from vector<4x8xf32>\n" + KEEP,
    "extract-element": "%r = vector.extract %a[2, 5] : f32 from vector<4x8xf32>\n" + KEEP_ONE,
    "insert": "%r = vector.insert %b, %a[2] : vector<8xf32> into vector<4x8xf32>\n" + KEEP_ALL,
    "insert-element": "%r = vector.insert %z, %a[2, 5] : f32 into vector<4x8xf32>\n" + KEEP_ALL,
    "insert-slice": "%s = vector.extract_strided_slice %b {offsets = [1], sizes = [3], strides = [1]} : vector<8xf32> "
    "to vector<3xf32>\n%r = vector.insert_strided_slice %s, %a {offsets = [2, 4], strides = [1]} : vector<3xf32> "
    "into vector<4x8xf32>\n" + KEEP_ALL,
    "transpose": "%t = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>\n"
    "%r = vector.shape_cast %t : vector<8x4xf32> to vector<4x8xf32>\n" + KEEP_ALL,
    "shuffle": "%r = vector.shuffle %b, %b [0, 9, 2, 11, 4, 13, 6, 15] : vector<8xf32>, vector<8xf32>\n" + KEEP,
    "interleave": "%e, %o = vector.deinterleave %b : vector<8xf32> -> vector<4xf32>\n"
    "%r = vector.interleave %o, %e : vector<4xf32> -> vector<8xf32>\n" + KEEP,
    "from-elements": "%x = vector.extract %b[3] : f32 from vector<8xf32>\n"
    "%r = vector.from_elements %x, %z, %x, %z, %x, %z, %z, %x : vector<8xf32>\n" + KEEP,
    "to-elements": "%e:8 = vector.to_elements %b : vector<8xf32>\n%r = arith.addf %e#3, %e#6 : f32\n" + KEEP_ONE,
    "step": "%s = vector.step : vector<8xindex>\n%r = arith.index_cast %s : vector<8xindex> to vector<8xi32>\n"
    + KEEP_INTEGERS,
    "reduction": "%r = vector.reduction <maximumf>, %b : vector<8xf32> into f32\n" + KEEP_ONE,
    "reduction-from": "%r = vector.reduction <add>, %b, %z : vector<8xf32> into f32\n" + KEEP_ONE,
    "reduction-integers": "%s = vector.reduction <xor>, %i : vector<8xi32> into i32\n"
    "%r = vector.broadcast %s : i32 to vector<8xi32>\n" + KEEP_INTEGERS,
    "multi-reduction": "%r = vector.multi_reduction <maximumf>, %a, %b [0] : vector<4x8xf32> to vector<8xf32>\n" + KEEP,
    "contract": "%t = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>\n"
    "%w = vector.shape_cast %a : vector<4x8xf32> to vector<4x8xf32>\n"
    "%k = arith.constant dense<1.0> : vector<8x8xf32>\n"
    "%s = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, "
    'affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], '
    "kind = #vector.kind<add>} %w, %a, %k : vector<4x8xf32>, vector<4x8xf32> into vector<8x8xf32>\n"
    "%r = vector.extract_strided_slice %s {offsets = [2, 0], sizes = [4, 8], strides = [1, 1]} : vector<8x8xf32> "
    "to vector<4x8xf32>\n" + KEEP_ALL,
    "outer-product": "%s = vector.extract_strided_slice %b {offsets = [1], sizes = [4], strides = [1]} : vector<8xf32> "
    "to vector<4xf32>\n%r = vector.outerproduct %s, %b, %a {kind = #vector.kind<add>} : vector<4xf32>, vector<8xf32>\n"
    + KEEP_ALL,
    "one-lane": "%m = vector.create_mask %c3 : vector<i1>\n%n = vector.constant_mask [0] : vector<i1>\n"
    "%v = vector.broadcast %z : f32 to vector<f32>\n%w = vector.interleave %v, %v : vector<f32> -> vector<2xf32>\n"
    "%s = vector.reduction <mul>, %v, %z : vector<f32> into f32\n%u = vector.broadcast %s : f32 to vector<f32>\n"
    "%p = arith.select %m, %u, %v : vector<i1>, vector<f32>\n%q = arith.select %n, %u, %v : vector<i1>, vector<f32>\n"
    "%x = vector.extract %p[] : f32 from vector<f32>\n%y = vector.extract %q[] : f32 from vector<f32>\n"
    "%r = arith.subf %x, %y : f32\nvector.store %w, %O[%c0, %c3] : memref<4x8xf32>, vector<2xf32>\n" + KEEP_ONE,
    "fma": "%r = vector.fma %b, %b, %b : vector<8xf32>\n" + KEEP,
    "carried": "%r = scf.for %k = %c0 to %c5 step %c1 iter_args(%v = %b) -> vector<8xf32> {\n"
    "%w = arith.addf %v, %b : vector<8xf32>\nscf.yield %w : vector<8xf32> }\n" + KEEP,
    "swapped": "%q = arith.negf %b : vector<8xf32>\n"
    "%r, %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%v = %b, %w = %q) "
    "-> (vector<8xf32>, vector<8xf32>) {\nscf.yield %w, %v : vector<8xf32>, vector<8xf32> }\n" + KEEP,
    "chosen": "%x = vector.extract %b[3] : f32 from vector<8xf32>\n%t = arith.cmpf ogt, %x, %z : f32\n"
    "%r = scf.if %t -> vector<8xf32> {\nscf.yield %b : vector<8xf32>\n} else {\n"
    "%n = arith.negf %b : vector<8xf32>\nscf.yield %n : vector<8xf32> }\n" + KEEP,
    "masked": MASK
    + "%r = vector.mask %m { vector.reduction <add>, %i, %q : vector<8xi32> into i32 } : vector<8xi1> -> i32\n"
    "memref.store %r, %P[%c5] : memref<8xi32>",
}  # fmt: skip

TENSORS = {
    "insert": "%r = tensor.insert %z into %t[%c1, %c5] : tensor<4x8xf32>",
    "pad": "%p = tensor.pad %t low[1, 0] high[0, 2] { ^bb0(%p0: index, %p1: index): tensor.yield %z : f32 } : "
    "tensor<4x8xf32> to tensor<5x10xf32>\n"
    "%r = tensor.extract_slice %p[0, 1] [4, 8] [1, 1] : tensor<5x10xf32> to tensor<4x8xf32>",
    "reduced-slice": "%s = tensor.extract_slice %t[2, 1] [1, 4] [1, 2] : tensor<4x8xf32> to tensor<4xf32>\n"
    "%r = tensor.insert_slice %s into %t[0, 3] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x8xf32>",
    "reshaped": "%s = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>\n"
    "%u = tensor.expand_shape %s [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>\n"
    "%e = tensor.empty() : tensor<4x8xf32>\n"
    "%r = linalg.transpose ins(%u : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]",
    "generated": "%r = tensor.generate { ^bb0(%g0: index, %g1: index):\n%x = tensor.extract %t[%g0, %c3] : "
    "tensor<4x8xf32>\ntensor.yield %x : f32 } : tensor<4x8xf32>",
    "concat": "%s = tensor.extract_slice %t[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>\n"
    "%r = tensor.concat dim(0) %s, %s : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>",
    "elementwise": "%u = arith.mulf %t, %t : tensor<4x8xf32>\n%r = arith.subf %u, %t : tensor<4x8xf32>",
    "constant": "%k = arith.constant dense<2.0> : tensor<4x8xf32>\n%r = arith.mulf %t, %k : tensor<4x8xf32>",
    "accumulated": "%r = linalg.add ins(%t, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) "
    "-> tensor<4x8xf32>",
    "product": "%s = tensor.extract_slice %t[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>\n"
    "%r = linalg.matmul ins(%s, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>",
    "carried": "%r = scf.for %k = %c0 to %c3 step %c1 iter_args(%v = %t) -> tensor<4x8xf32> {\n"
    "%w = tensor.insert %z into %v[%k, %k] : tensor<4x8xf32>\nscf.yield %w : tensor<4x8xf32> }",
    "index": "%e = tensor.empty() : tensor<4x8xf32>\n"
    "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], "
    'iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x8xf32>) {\n^bb0(%o: f32):\n'
    "%x = linalg.index 1 : index\n%y = arith.index_cast %x : index to i32\n%w = arith.sitofp %y : i32 to f32\n"
    "linalg.yield %w : f32 } -> tensor<4x8xf32>",
}  # fmt: skip

STRUCTURED = {
    "fill": "linalg.fill ins(%z : f32) outs(%O : memref<4x8xf32>)",
    "copy": "linalg.copy ins(%A : memref<4x8xf32>) outs(%O : memref<4x8xf32>)",
    "convolution": "%k = memref.subview %B[0] [3] [1] : memref<16xf32> to memref<3xf32>\n"
    "%o = memref.subview %O[0, 0] [1, 6] [1, 1] : memref<4x8xf32> to memref<6xf32, strided<[1]>>\n"
    "%x = memref.subview %A[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 8>>\n"
    "linalg.conv_1d ins(%x, %k : memref<8xf32, strided<[1], offset: 8>>, memref<3xf32>) "
    "outs(%o : memref<6xf32, strided<[1]>>)",
    "reduce": "%o = memref.subview %O[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 8>>\n"
    "linalg.reduce ins(%A : memref<4x8xf32>) outs(%o : memref<8xf32, strided<[1], offset: 8>>) dimensions = [0] "
    "(%x: f32, %y: f32) {\n%s = arith.maximumf %x, %y : f32\nlinalg.yield %s : f32 }",
    "broadcast": "%x = memref.subview %B[0] [8] [1] : memref<16xf32> to memref<8xf32>\n"
    "linalg.broadcast ins(%x : memref<8xf32>) outs(%O : memref<4x8xf32>) dimensions = [0]",
    "map": "linalg.map ins(%A, %A : memref<4x8xf32>, memref<4x8xf32>) outs(%O : memref<4x8xf32>) "
    "(%x: f32, %y: f32, %o: f32) {\n%s = arith.mulf %x, %y : f32\nlinalg.yield %s : f32 }",
}  # fmt: skip


def _arguments(function: Function, random: Random) -> tuple[Value, ...]:
    values: list[Value] = []
    for argument in function.arguments:
        assert argument.memory is not None
        shape = tuple(int(literal(e) or 0) for e in argument.memory.extents)
        whole = str(argument.memory.element) == "i32"
        made = [random.randrange(8) if whole else random.randrange(-32, 32) / 4 for _ in range(prod(shape))]
        values.append(Buffer(shape, made))
    return tuple(values)


def _agrees(text: str) -> None:
    function = read_function(parsed(text), "f", TermPool(), by_element=True)
    given = _arguments(function, Random(7))
    ours = compile(function).run(given)
    assert isinstance(ours, Finished), (ours, text)
    theirs = jit.run(text, "f", given, [a.type for a in function.arguments], [])
    assert isinstance(theirs, jit.Finished), (theirs, text)
    assert ours.arguments == theirs.arguments, text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", VECTORS)
def test_a_vector_op_agrees_with_mlir(name: str) -> None:
    start = START + ("  %q = arith.constant 3 : i32\n" if name == "masked" else "")
    _agrees(f"{HEAD} {{{start}{VECTORS[name]}\n  return\n}}")


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_op_agrees_with_mlir(name: str) -> None:
    start = "".join(line + "\n" for line in START.splitlines() if "constant" in line)
    head, end = "func.func @f(%t: tensor<4x8xf32>) -> tensor<4x8xf32>", "return %r : tensor<4x8xf32>"
    _agrees(f"{head} {{\n{start}{TENSORS[name]}\n  {end}\n}}")


@pytest.mark.parametrize("name", STRUCTURED)
def test_a_structured_op_agrees_with_mlir(name: str) -> None:
    start = "".join(line + "\n" for line in START.splitlines() if "constant" in line)
    _agrees(f"{HEAD} {{\n{start}{STRUCTURED[name]}\n  return\n}}")
