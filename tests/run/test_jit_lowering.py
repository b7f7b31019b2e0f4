"""What MLIR's passes do not lower, or lower otherwise than the language says, is computed as the interpreter has it."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from hecv.base.term import TermPool
from hecv.base.types import INDEX, FloatType, IntType, MemRefType
from hecv.base.value import Buffer, Scalar
from hecv.mlir.importer import parse, read_function
from hecv.run.evaluation.softfloat import round_to
from hecv.run.interpreter import interpreter
from hecv.run.interpreter.interpreter import compile
from hecv.run.jit import Failed, Finished, run, run_many

F16, BF16, F32, F64 = FloatType("f16"), FloatType("bf16"), FloatType("f32"), FloatType("f64")
MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


def floats(wide: FloatType, narrow: FloatType) -> list[float]:
    """Values around the numbers of a format: ties, the least and the greatest ones, and any."""
    random = Random(0)
    greatest = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": float(np.finfo(np.float32).max)}[narrow.name]
    least = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149}[narrow.name]
    digits = {"f16": 11, "bf16": 8, "f32": 24}[narrow.name]
    ties = [1 + (2 * k + 1) * 2.0**-digits for k in range(4)]
    near = [greatest, greatest * (1 + 2.0**-digits), greatest * (1 + 2.0 ** -(digits - 2)), least, least / 2, least / 4]
    found = [0.0, float("inf"), float("nan"), *ties, *near, *(random.uniform(0, 9) for _ in range(20))]
    signed = [s * x for x in found for s in (1.0, -1.0)]
    return [float(np.float32(x)) for x in signed if not greatest < abs(x) < math.inf] if wide == F32 else signed


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("wide", "narrow"), [(F32, F16), (F32, BF16), (F64, F16), (F64, F32), (F64, BF16)])
def test_casts_are_rounded_by_their_mode(wide: FloatType, narrow: FloatType, mode: str) -> None:
    text = f"""func.func @f(%x: {wide}) -> {narrow} {{
      %r = arith.truncf %x {mode} : {wide} to {narrow}
      return %r : {narrow}
    }}"""
    calls: list[list[Scalar]] = [[x] for x in floats(wide, narrow)]
    executable = compile(read_function(parse(text, "f.mlir"), "f", TermPool()))
    for (x,), outcome in zip(calls, run_many(text, "f", calls, [wide], [narrow]), strict=True):
        expected = executable.run((x,), 100, None)
        assert isinstance(expected, interpreter.Finished) and isinstance(outcome, Finished)
        assert repr(outcome.results) == repr(expected.results), x


@pytest.mark.parametrize(("name", "expected"), [("index_cast", 2**64 - 2**31 + 5), ("index_castui", 2**31 + 5)])
def test_an_index_of_32_bits_holds_no_more(name: str, expected: int) -> None:
    """MLIR folds both casts into nothing."""
    text = f"""func.func @f(%x: i64) -> i64 {{
      %i = arith.{name} %x : i64 to index
      %r = arith.{name} %i : index to i64
      return %r : i64
    }}"""
    given = (1 << 40) + (1 << 31) + 5
    outcome = run(text, "f", [given], [IntType(64)], [IntType(64)], index_width=32)
    assert outcome == Finished((expected,), (given,))
    assert run(text, "f", [given], [IntType(64)], [IntType(64)]) == Finished((given,), (given,))


def twice_rounded() -> list[float]:
    """Numbers that are other bf16 where they are rounded to f32 first, and ends."""
    near = [1 + 2.0**-8 + s * 2.0**-40 for s in (-1, 0, 1)] + [1 + 3 * 2.0**-8 + s * 2.0**-52 for s in (-1, 0, 1)]
    small = [k * 2.0**-134 * (1 + s * 2.0**-30) for k in (1, 3, 5) for s in (-1, 0, 1)]
    ends = [2.0**-149, 2.0**-150, 2.0**-1074, 3.3961775292304893e38, 3.4028235e38, 1.7e308, math.inf, math.nan, 0.0]
    return [s * x for x in (*near, *small, *ends) for s in (1.0, -1.0)]


def test_f64_is_rounded_once_to_bf16() -> None:
    text = "func.func @f(%x: f64) -> bf16 {\n%r = arith.truncf %x : f64 to bf16\nreturn %r : bf16\n}"
    calls: list[list[Scalar]] = [[x] for x in twice_rounded()]
    executable = compile(read_function(parse(text, "f.mlir"), "f", TermPool()))
    for (x,), outcome in zip(calls, run_many(text, "f", calls, [F64], [BF16]), strict=True):
        expected = executable.run((x,), 100, None)
        assert isinstance(expected, interpreter.Finished) and isinstance(outcome, Finished)
        assert repr(outcome.results) == repr(expected.results), x


@pytest.mark.parametrize("kind", ["bf16", "f16"])
def test_a_fused_product_is_rounded_once(kind: str) -> None:
    text = f"""func.func @f(%x: {kind}, %y: {kind}, %z: {kind}) -> {kind} {{
      %r = math.fma %x, %y, %z : {kind}
      return %r : {kind}
    }}"""
    random, type = Random(3), FloatType(kind)
    digits, least = (8, -133) if kind == "bf16" else (11, -24)
    one = [1.0, 1 + 2.0 ** (1 - digits), 1 + 2.0 ** (2 - digits), 1.5, 1 - 2.0**-digits, 1 + 2.0 ** (1 - digits // 2)]
    tiny = [2.0**least, 2.0 ** (least // 2), 2.0**-digits, 2.0 ** (-2 * digits), 0.0, math.inf, math.nan, 2.0**15]
    values = [s * x * y for s in (1, -1) for x in one for y in (1.0, 2.0**-digits, 2.0 ** (3 - digits))] + tiny
    values = [round_to(v, kind, "to_nearest_even") for v in values]
    calls: list[list[Scalar]] = [[random.choice(values) for _ in range(3)] for _ in range(3000)]
    executable = compile(read_function(parse(text, "f.mlir"), "f", TermPool()))
    for arguments, outcome in zip(calls, run_many(text, "f", calls, [type] * 3, [type]), strict=True):
        expected = executable.run(tuple(arguments), 100, None)
        assert isinstance(expected, interpreter.Finished) and isinstance(outcome, Finished)
        assert repr(outcome.results) == repr(expected.results), arguments


def test_a_vector_is_rounded_by_its_mode() -> None:
    text = """func.func @f(%x: f32) -> f16 {
      %v = vector.broadcast %x : f32 to vector<2xf32>
      %r = arith.truncf %v upward : vector<2xf32> to vector<2xf16>
      %y = vector.extract %r[1] : f16 from vector<2xf16>
      return %y : f16
    }"""
    assert run(text, "f", [1.0 + 2.0**-20], [F32], [F16]) == Finished((1.0 + 2.0**-10,), (1.0 + 2.0**-20,))


SPACES = """#workgroup = #gpu.address_space<workgroup>
func.func @f(%A: memref<4xf32, 1>, %B: memref<2xf32, strided<[2], offset: 1>, #workgroup>) {
  %a = memref.memory_space_cast %A : memref<4xf32, 1> to memref<4xf32>
  %b = memref.memory_space_cast %B
    : memref<2xf32, strided<[2], offset: 1>, #workgroup> to memref<2xf32, strided<[2], offset: 1>>
  affine.for %i = 0 to 2 {
    %x = affine.load %b[%i] : memref<2xf32, strided<[2], offset: 1>>
    affine.store %x, %a[%i + 1] : memref<4xf32>
  }
  return
}
"""


def test_memory_spaces_are_one() -> None:
    given = [Buffer((4,), [1.0, 2.0, 3.0, 4.0]), Buffer((2,), [5.0, 6.0])]
    plain = SPACES.replace(", strided<[2], offset: 1>", "")
    outcome = run(plain, "f", given, [MemRefType((4,), F32), MemRefType((2,), F32)], [])
    assert outcome == Finished((), (Buffer((4,), [1.0, 5.0, 6.0, 4.0]), given[1]))


@pytest.mark.parametrize("type", [F32, F64, F16])
def test_an_atomic_update_by_a_region_on_floats(type: FloatType) -> None:
    text = f"""func.func @f(%A: memref<2x{type}>, %x: {type}, %i: index) -> {type} {{
      %r = memref.generic_atomic_rmw %A[%i] : memref<2x{type}> {{
      ^bb0(%c: {type}):
        %m = arith.mulf %c, %x : {type}
        %s = arith.addf %m, %c : {type}
        memref.atomic_yield %s : {type}
      }}
      %o = memref.atomic_rmw mulf %x, %A[%i] : ({type}, memref<2x{type}>) -> {type}
      return %r : {type}
    }}"""
    outcome = run(text, "f", [Buffer((2,), [1.0, 2.0]), 3.0, 1], [MemRefType((2,), type), type, INDEX], [type])
    assert outcome == Finished((2.0,), (Buffer((2,), [1.0, 24.0]), 3.0, 1))


def test_what_is_owned_ends() -> None:
    text = """func.func @f(%x: f32, %c: i1) -> f32 {
      %m = memref.alloc() : memref<f32>
      memref.store %x, %m[] : memref<f32>
      %y = memref.load %m[] : memref<f32>
      %n = memref.alloc() : memref<f32>
      %o = bufferization.dealloc (%m, %n : memref<f32>, memref<f32>) if (%c, %c) retain (%n : memref<f32>)
      %z = arith.uitofp %o : i1 to f32
      %r = arith.addf %y, %z : f32
      return %r : f32
    }"""
    for owned, expected in ((1, 3.0), (0, 2.0)):
        assert run(text, "f", [2.0, owned], [F32, IntType(1)], [F32]) == Finished((expected,), (2.0, owned))
        executable = compile(read_function(parse(text, "f.mlir"), "f", TermPool()))
        outcome = executable.run((2.0, owned), 100, None)
        assert isinstance(outcome, interpreter.Finished) and outcome.results == (expected,)


@pytest.mark.parametrize(("lanes", "element"), [(4, "f32"), (5, "f32"), (8, "i1")])
def test_memory_seen_as_a_vector(lanes: int, element: str) -> None:
    """LLVM rounds `vector<5xf32>` up to 8 elements and packs those of `vector<8xi1>`: a row is elsewhere."""
    rows, whole = f"memref<2x{lanes}x{element}>", f"vector<2x{lanes}x{element}>"
    text = f"""func.func @f(%x: {element}, %y: {element}) -> ({element}, {element}, {element}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = memref.alloca() : {rows}
      %v = vector.broadcast %y : {element} to {whole}
      %t = vector.type_cast %m : {rows} to memref<{whole}>
      memref.store %v, %t[] : memref<{whole}>
      memref.store %x, %m[%c1, %c0] : {rows}
      %w = memref.load %t[] : memref<{whole}>
      %r = vector.extract %w[1, 0] : {element} from {whole}
      %s = vector.extract %w[1, {lanes - 1}] : {element} from {whole}
      %u = memref.load %m[%c0, %c0] : {rows}
      return %r, %s, %u : {element}, {element}, {element}
    }}"""
    kind, x, y = (IntType(1), 1, 0) if element == "i1" else (F32, 7.0, 2.0)
    assert run(text, "f", [x, y], [kind, kind], [kind] * 3) == Finished((x, y, y), (x, y))


def test_memory_seen_as_a_vector_for_good() -> None:
    text = """func.func @f(%m: memref<5xf32>) {
      %t = vector.type_cast %m : memref<5xf32> to memref<vector<5xf32>>
      call @g(%t) : (memref<vector<5xf32>>) -> ()
      return
    }
    func.func private @g(%t: memref<vector<5xf32>>) {
      return
    }"""
    outcome = run(text, "f", [Buffer((5,), [0.0] * 5)], [MemRefType((5,), F32)], [])
    assert isinstance(outcome, Failed) and "layout" in outcome.reason


@pytest.mark.parametrize("stride", [0, 1])
def test_a_slice_of_one_element_is_not_written_in_place(stride: int) -> None:
    """MLIR's bufferization fills the one element of a slice of stride 0 many times."""
    text = f"""func.func @f(%t: tensor<4xf32>, %x: tensor<2xf32>) -> f32 {{
      %c0 = arith.constant 0 : index
      %s = tensor.extract_slice %t[1] [2] [{stride}] : tensor<4xf32> to tensor<2xf32>
      %a = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
      %r = tensor.extract %a[%c0] : tensor<2xf32>
      return %r : f32
    }}"""
    given = [Buffer((4,), [0.0] * 4), Buffer((2,), [1.0, 5.0])]
    outcome = run(text, "f", given, [MemRefType((4,), F32), MemRefType((2,), F32)], [F32])
    if stride:
        assert isinstance(outcome, Finished) and outcome.results == (2.0,)
    else:
        assert isinstance(outcome, Failed) and "stride 0" in outcome.reason


MASKED = """func.func @f(%x: memref<5x6xf32>, %n: index) -> f32 {{
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant 7.0 : f32
  %zero = arith.constant dense<1.0> : vector<4xf32>
  %one = arith.constant 1.0 : f32
  %mask = vector.create_mask %n, %c3 : vector<4x4xi1>
  %lanes = vector.create_mask %n : vector<4xi1>
  %a = vector.mask %mask {{ vector.transfer_read %x[%c0, %c0], %p {{in_bounds = [true, true]}}
    : memref<5x6xf32>, vector<4x4xf32> }} : vector<4x4xi1> -> vector<4x4xf32>
  {step}
  return %r : f32
}}"""
STEPS = {
    "multi_reduction": """%s = vector.mask %mask { vector.multi_reduction <add>, %a, %zero [1]
      : vector<4x4xf32> to vector<4xf32> } : vector<4x4xi1> -> vector<4xf32>
    %r = vector.reduction <add>, %s : vector<4xf32> into f32""",
    "reduction": """%s = vector.extract %a[0] : vector<4xf32> from vector<4x4xf32>
    %r = vector.mask %lanes { vector.reduction <mul>, %s, %one : vector<4xf32> into f32 } : vector<4xi1> -> f32""",
    "transfer_write": """vector.mask %mask { vector.transfer_write %a, %x[%c3, %c3]
      : vector<4x4xf32>, memref<5x6xf32> } : vector<4x4xi1>
    %r = memref.load %x[%c3, %c3] : memref<5x6xf32>""",
}


@pytest.mark.parametrize("lanes", [0, 2, 4])
@pytest.mark.parametrize("name", STEPS)
def test_ops_under_a_mask_are_run(name: str, lanes: int) -> None:
    text = MASKED.format(step=STEPS[name])
    types = [MemRefType((5, 6), F32), INDEX]
    given = [Buffer((5, 6), [float(k % 5 + 1) for k in range(30)]), lanes]
    executable = compile(read_function(parse(text, "f.mlir"), "f", TermPool(), by_element=True))
    expected, outcome = executable.run(given), run(text, "f", given, types, [F32])
    assert isinstance(expected, interpreter.Finished) and isinstance(outcome, Finished), outcome
    assert (outcome.results, outcome.arguments) == (expected.results, expected.arguments)


@pytest.mark.parametrize("second", ["%s", "%v"])
def test_a_tensor_that_a_loop_yields_twice_is_not_written_in_place(second: str) -> None:
    """MLIR's bufferization takes the results of such a loop for two buffers."""
    text = f"""func.func @f(%t: tensor<2xf32>, %x: f32) -> (f32, f32) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %t, %b = %t) -> (tensor<2xf32>, tensor<2xf32>) {{
        %e = tensor.empty() : tensor<2xf32>
        %s = linalg.add ins(%a, %b : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
        %w = tensor.expand_shape %s [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
        %v = tensor.collapse_shape %w [[0, 1]] : tensor<1x2xf32> into tensor<2xf32>
        scf.yield %s, {second} : tensor<2xf32>, tensor<2xf32>
      }}
      %n = tensor.insert %x into %r#0[%c1] : tensor<2xf32>
      %p = tensor.extract %n[%c1] : tensor<2xf32>
      %q = tensor.extract %r#1[%c1] : tensor<2xf32>
      return %p, %q : f32, f32
    }}"""
    outcome = run(text, "f", [Buffer((2,), [1.0, 2.0]), 7.0], [MemRefType((2,), F32), F32], [F32, F32])
    assert isinstance(outcome, Finished) and outcome.results == (7.0, 8.0)


def test_blocks_that_nothing_reaches_are_left_out() -> None:
    """No conversion looks at them; a loop of two that use each other's values, and one within an op of theirs."""
    text = """func.func @f(%x: i32, %c: i1) -> i32 {
      cf.br ^end(%x : i32)
    ^first(%k: i32):
      %l = arith.addi %k, %m : i32
      %r = scf.execute_region -> i32 {
        scf.yield %l : i32
      ^inner:
        %n = arith.muli %l, %k : i32
        scf.yield %n : i32
      }
      cf.br ^second
    ^second:
      %m = arith.muli %k, %x : i32
      cf.cond_br %c, ^first(%m : i32), ^end(%r : i32)
    ^end(%s: i32):
      %t = arith.addi %s, %x : i32
      return %t : i32
    }"""
    (outcome,) = run_many(text, "f", [[21, 1]], [IntType(32), IntType(1)], [IntType(32)])
    assert isinstance(outcome, Finished) and outcome.results == (42,), outcome
