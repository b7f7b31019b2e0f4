"""Tensors and memrefs of complex numbers: what each op computes, against MLIR's execution, and verdicts on them."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.types import INDEX, MemRefType
from hecv.base.value import Buffer, Value
from hecv.check import Options, check
from hecv.mlir.importer import read_function
from hecv.program.tree import Role
from hecv.run.interpreter.interpreter import Finished, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run_many

from .running import parsed

Z, T, M = "complex<f32>", "tensor<4xcomplex<f32>>", "memref<4xcomplex<f32>>"
T22, T24 = "tensor<2x2xcomplex<f32>>", "tensor<2x4xcomplex<f32>>"
ARGUMENTS = f"%t: {T}, %u: {T}, %w: {T24}, %z: {Z}, %i: index, %A: {M}, %B: memref<2x4x{Z}>"
MAP = "affine_map<(i) -> (i)>"

TENSORS = {
    "extract": (f"%e = tensor.extract %t[%i] : {T}\n%r = complex.mul %e, %z : {Z}", Z),
    "insert": (f"%r = tensor.insert %z into %t[%i] : {T}", T),
    "insert twice": (
        f"%e = tensor.extract %t[%i] : {T}\n%o = tensor.insert %z into %t[%i] : {T}\n"
        f"%g = complex.add %e, %z : {Z}\n%j = arith.constant 3 : index\n%r = tensor.insert %g into %o[%j] : {T}",
        T,
    ),
    "from_elements": (f"%e = complex.neg %z : {Z}\n%r = tensor.from_elements %z, %e, %z, %e : {T22}", T22),
    "splat": (f"%r = tensor.splat %z : {T}", T),
    "generate": (
        f"%r = tensor.generate {{\n^bb0(%k: index):\n%e = tensor.extract %t[%k] : {T}\n%g = complex.sub %e, %z : {Z}\n"
        f"tensor.yield %g : {Z}\n}} : {T}",
        T,
    ),
    "pad": (
        f"%r = tensor.pad %t low[1] high[%i] {{\n^bb0(%k: index):\ntensor.yield %z : {Z}\n}} : {T} to tensor<?x{Z}>",
        f"tensor<?x{Z}>",
    ),
    "extract_slice": (f"%r = tensor.extract_slice %w[1, 0] [1, 2] [1, 2] : {T24} to tensor<2x{Z}>", f"tensor<2x{Z}>"),
    "insert_slice": (f"%r = tensor.insert_slice %t into %w[1, 0] [1, 4] [1, 1] : {T} into {T24}", T24),
    "collapse": (f"%r = tensor.collapse_shape %w [[0, 1]] : {T24} into tensor<8x{Z}>", f"tensor<8x{Z}>"),
    "expand": (f"%r = tensor.expand_shape %t [[0, 1]] output_shape [2, 2] : {T} into {T22}", T22),
    "concat": (f"%r = tensor.concat dim(0) %t, %u : ({T}, {T}) -> tensor<8x{Z}>", f"tensor<8x{Z}>"),
    "reshape": (
        f"%s = arith.constant dense<[2, 2]> : tensor<2xi32>\n"
        f"%r = tensor.reshape %t(%s) : ({T}, tensor<2xi32>) -> {T22}",
        T22,
    ),
    "constant": (f"%r = arith.constant dense<[(1.0, -2.5), (0.0, 3.0), (-0.0, 1.0), (4.0, 0.5)]> : {T}", T),
    "constant of one": (f"%r = arith.constant dense<(1.5, -2.0)> : {T}", T),
    "select": (f"%c = arith.constant true\n%r = arith.select %c, %t, %u : {T}", T),
    "dim": (
        f"%c0 = arith.constant 0 : index\n%n = tensor.dim %t, %c0 : {T}\n%k = arith.subi %n, %i : index\n"
        f"%j = arith.constant 1 : index\n%m = arith.subi %k, %j : index\n%r = tensor.extract %t[%m] : {T}",
        Z,
    ),
    "map": (f"%o = tensor.empty() : {T}\n%r = linalg.map {{ complex.mul }} ins(%t, %u : {T}, {T}) outs(%o : {T})", T),
    "fill": (f"%o = tensor.empty() : {T}\n%r = linalg.fill ins(%z : {Z}) outs(%o : {T}) -> {T}", T),
    "transpose": (
        f"%o = tensor.empty() : tensor<4x2x{Z}>\n"
        f"%r = linalg.transpose ins(%w : {T24}) outs(%o : tensor<4x2x{Z}>) permutation = [1, 0]",
        f"tensor<4x2x{Z}>",
    ),
    "generic": (
        "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],"
        f' iterator_types = ["parallel", "reduction"]}} ins(%w : {T24}) outs(%t : {T}) {{\n^bb0(%p: {Z}, %q: {Z}):\n'
        f"%s = complex.mul %p, %z : {Z}\n%v = complex.add %s, %q : {Z}\nlinalg.yield %v : {Z}\n}} -> {T}",
        T,
    ),
    "carried": (
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n"
        f"%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %t) -> ({T}) {{\n%e = tensor.extract %s[%k] : {T}\n"
        f"%g = complex.mul %e, %z : {Z}\n%o = tensor.insert %g into %s[%k] : {T}\nscf.yield %o : {T}\n}}",
        T,
    ),
}
S = f"memref<2x{Z}, strided<[2], offset: 1>>"
MEMREFS = {
    "map": f"linalg.map {{ complex.add }} ins(%A, %A : {M}, {M}) outs(%A : {M})",
    "subview": (
        f"%s = memref.subview %A[1] [2] [2] : {M} to {S}\n%c1 = arith.constant 1 : index\n"
        f"memref.store %z, %s[%c1] : {S}"
    ),
    "row": (
        f"%s = memref.subview %B[1, 0] [1, 4] [1, 1] : memref<2x4x{Z}> to memref<4x{Z}, strided<[1], offset: 4>>\n"
        f"memref.copy %A, %s : {M} to memref<4x{Z}, strided<[1], offset: 4>>"
    ),
    "cast": f"%s = memref.cast %A : {M} to memref<?x{Z}>\nmemref.store %z, %s[%i] : memref<?x{Z}>",
    "collapse": (
        f"%s = memref.collapse_shape %B [[0, 1]] : memref<2x4x{Z}> into memref<8x{Z}>\n"
        f"%c5 = arith.constant 5 : index\nmemref.store %z, %s[%c5] : memref<8x{Z}>"
    ),
    "expand": (
        f"%s = memref.expand_shape %A [[0, 1]] output_shape [2, 2] : {M} into memref<2x2x{Z}>\n"
        f"%c1 = arith.constant 1 : index\n%c0 = arith.constant 0 : index\n"
        f"memref.store %z, %s[%c1, %c0] : memref<2x2x{Z}>"
    ),
    "vectors": (
        "%a = memref.alloc() : memref<4xvector<2xf32>>\n%v = arith.constant dense<[1.5, 2.5]> : vector<2xf32>\n"
        "linalg.fill ins(%v : vector<2xf32>) outs(%a : memref<4xvector<2xf32>>)\n"
        "%l = memref.load %a[%i] : memref<4xvector<2xf32>>\n%p = vector.extract %l[0] : f32 from vector<2xf32>\n"
        f"%q = vector.extract %l[1] : f32 from vector<2xf32>\n%y = complex.create %p, %q : {Z}\n"
        f"memref.store %y, %A[%i] : {M}"
    ),
}


def of_tensors(ops: str, result: str) -> str:
    return f"func.func @f({ARGUMENTS}) -> {result} {{\n{ops}\nreturn %r : {result}\n}}"


def of_memrefs(ops: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n{ops}\nreturn\n}}"


TEXTS = {
    **{f"tensor, {name}": of_tensors(*pair) for name, pair in TENSORS.items()},
    **{f"memref, {name}": of_memrefs(ops) for name, ops in MEMREFS.items()},
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", TEXTS)
def test_each_op_computes_what_mlir_does(name: str) -> None:
    found = read_function(parsed(TEXTS[name]), "f", TermPool(), True)
    assert found.known
    random, calls = Random(name), []
    for _ in range(4):
        index = random.randrange(3)
        values: list[Value] = []
        for argument in found.arguments:
            if argument.type == INDEX:
                values.append(index)
                continue
            kind = argument.type
            assert isinstance(kind, MemRefType)
            shape = tuple(5 + index if n is None else n for n in kind.shape)
            count = 1
            for extent in shape:
                count *= extent
            zero = argument.role is Role.RESULT
            values.append(Buffer(shape, [0.0 if zero else random.randrange(-64, 64) / 8 for _ in range(count)]))
        calls.append(tuple(values))
    outcomes = run_many(TEXTS[name], "f", calls, [a.type for a in found.arguments], [])
    program = compile(found)
    for arguments, other in zip(calls, outcomes, strict=True):
        own = program.run(arguments)
        assert isinstance(own, Finished) and isinstance(other, Ran), (own, other)
        kept = [n for n, a in enumerate(found.arguments) if a.role is not Role.VALUE]
        assert repr([own.arguments[n] for n in kept]) == repr([other.arguments[n] for n in kept])


def verdict(source: str, target: str) -> str:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    assert found.functions[0].verdict != "unknown", found.functions[0].unknown
    return found.functions[0].verdict


EMPTY = f"%o = tensor.empty() : {T}\n"
PAIRS = [
    (
        of_tensors(*TENSORS["map"]),
        of_tensors(
            f'{EMPTY}%r = linalg.generic {{indexing_maps = [{MAP}, {MAP}, {MAP}], iterator_types = ["parallel"]}} '
            f"ins(%u, %t : {T}, {T}) outs(%o : {T}) {{\n^bb0(%p: {Z}, %q: {Z}, %s: {Z}):\n"
            f"%v = complex.mul %q, %p : {Z}\nlinalg.yield %v : {Z}\n}} -> {T}",
            T,
        ),
        ("complex.mul %q, %p", "complex.mul %q, %q"),
    ),
    (
        of_tensors(*TENSORS["insert_slice"]),
        of_tensors(
            f"%x = tensor.extract_slice %w[0, 0] [1, 4] [1, 1] : {T24} to tensor<1x4x{Z}>\n"
            f"%y = tensor.expand_shape %t [[0, 1]] output_shape [1, 4] : {T} into tensor<1x4x{Z}>\n"
            f"%r = tensor.concat dim(0) %x, %y : (tensor<1x4x{Z}>, tensor<1x4x{Z}>) -> {T24}",
            T24,
        ),
        ("concat dim(0) %x, %y", "concat dim(0) %x, %x"),
    ),
    (
        of_memrefs(MEMREFS["subview"]),
        of_memrefs(f"%c3 = arith.constant 3 : index\nmemref.store %z, %A[%c3] : {M}"),
        ("constant 3", "constant 2"),
    ),
    (
        of_tensors(*TENSORS["extract"]),
        of_tensors(f"%e = tensor.extract %t[%i] : {T}\n%r = complex.mul %z, %e : {Z}", Z),
        ("complex.mul %z, %e", "complex.div %z, %e"),
    ),
    (
        of_tensors(*TENSORS["constant of one"]),
        of_tensors(
            f"%x = complex.constant [1.5 : f32, -2.0 : f32] : {Z}\n%r = tensor.splat %x : {T}",
            T,
        ),
        ("-2.0", "2.0"),
    ),
]


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_pairs_and_their_wrong_twins(number: int) -> None:
    source, target, (right, wrong) = PAIRS[number]
    assert verdict(source, target) in ("equivalent", "refines")
    assert right in target and verdict(source, target.replace(right, wrong)) == "not-equivalent"
