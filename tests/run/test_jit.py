"""MLIR's execution of a function, in a child process: values go through exactly, and what goes wrong stays there."""

from __future__ import annotations

import ctypes
import math
import os
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType, MemRefType, ScalarType
from hecv.base.value import POISON, Buffer, Scalar
from hecv.mlir.importer import parse, read_function
from hecv.run.interpreter import interpreter
from hecv.run.interpreter.interpreter import compile
from hecv.run.jit import Failed, Finished, run, run_many

F16, BF16, F32, F64 = FloatType("f16"), FloatType("bf16"), FloatType("f32"), FloatType("f64")
I8, I16, I32, I64 = IntType(8), IntType(16), IntType(32), IntType(64)

SUM = """
func.func @sum(%A: memref<?x3xi32>, %n: index) -> i32 {
  %zero = arith.constant 0 : i32
  %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> i32 {
    %r = affine.for %j = 0 to 3 iter_args(%u = %t) -> i32 {
      %a = affine.load %A[%i, %j] : memref<?x3xi32>
      %v = arith.addi %u, %a : i32
      affine.yield %v : i32
    }
    affine.yield %r : i32
  }
  return %s : i32
}
"""

DIVIDE = """
func.func @divide(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}
"""

# Ends only for an even `n`.
SPIN = """
func.func @spin(%n: i8) -> i8 {
  %two = arith.constant 2 : i8
  %r = scf.while (%i = %n) : (i8) -> i8 {
    %zero = arith.constant 0 : i8
    %more = arith.cmpi ne, %i, %zero : i8
    scf.condition(%more) %i : i8
  } do {
  ^bb0(%i: i8):
    %next = arith.subi %i, %two : i8
    scf.yield %next : i8
  }
  return %r : i8
}
"""


def same(left: Scalar, right: Scalar) -> bool:
    """Whether two scalars are the same value: NaN is, 0.0 and -0.0 are not."""
    if isinstance(left, float) and isinstance(right, float):
        return (left == right and math.copysign(1, left) == math.copysign(1, right)) or (
            left != left and right != right
        )
    return left == right and type(left) is type(right)


def identity(type: ScalarType) -> str:
    """A function that returns its scalar, and copies its buffer into the other one."""
    return f"""
    func.func @identity(%x: {type}, %A: memref<?x{type}>, %B: memref<?x{type}>) -> {type} {{
      %zero = arith.constant 0 : index
      %n = memref.dim %A, %zero : memref<?x{type}>
      affine.for %i = 0 to %n {{
        %a = affine.load %A[%i] : memref<?x{type}>
        affine.store %a, %B[%i] : memref<?x{type}>
      }}
      return %x : {type}
    }}
    """


# Values.


def test_sum_of_a_memref_of_dynamic_shape() -> None:
    buffer = Buffer((2, 3), [1, 2, 3, 4, 5, 2**32 - 1])
    outcome = run(SUM, "sum", [buffer, 2], [MemRefType((None, 3), I32), INDEX], [I32])
    assert outcome == Finished((14,), (buffer, 2))


def test_buffers_come_back_updated_and_the_given_ones_stay() -> None:
    text = """
    func.func @scale(%A: memref<2x2xf64>, %x: f64) {
      affine.for %i = 0 to 2 {
        affine.for %j = 0 to 2 {
          %a = affine.load %A[%i, %j] : memref<2x2xf64>
          %p = arith.mulf %a, %x : f64
          affine.store %p, %A[%j, %i] : memref<2x2xf64>
        }
      }
      return
    }
    """
    given = Buffer((2, 2), [1.0, 2.0, 3.0, 4.0])
    outcome = run(text, "scale", [given, 10.0], [MemRefType((2, 2), F64), F64], [])
    assert outcome == Finished((), (Buffer((2, 2), [10.0, 200.0, 20.0, 40.0]), 10.0))
    assert given.data == [1.0, 2.0, 3.0, 4.0]


def test_several_results_of_different_sizes() -> None:
    text = """
    func.func @results(%a: i1, %b: f64, %c: i8, %d: index, %e: f32) -> (i1, f64, i8, index, f32) {
      return %a, %b, %c, %d, %e : i1, f64, i8, index, f32
    }
    """
    types = [BOOL, F64, I8, INDEX, F32]
    arguments = [1, -0.0, 200, -(2**63), 0.5]
    assert run(text, "results", arguments, types, types) == Finished(tuple(arguments), tuple(arguments))


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan]
VALUES: list[tuple[ScalarType, list[Scalar]]] = [
    (BOOL, [0, 1]),
    (I8, [0, 1, 127, 128, 255]),
    (I16, [0, 32768, 65535]),
    (I32, [0, 2**31, 2**32 - 1]),
    (I64, [0, 2**63, 2**64 - 1]),
    *((IntType(w), [0, 1, 2 ** (w - 1), 2**w - 1]) for w in (4, 7, 12, 24, 40, 63, 65, 96, 127, 128)),
    (INDEX, [0, -1, 2**63 - 1, -(2**63)]),
    (F16, [*SPECIAL, 65504.0, 2.0**-24, -(2.0**-14)]),
    (BF16, [*SPECIAL, 2.0**-133, -(2.0**-126), 1.0078125, 3.3895313892515355e38]),
    (F32, [*SPECIAL, 2.0**-149, -(2.0**-126), float(np.float32(0.1))]),
    (F64, [*SPECIAL, 5e-324, 0.1, 1.7976931348623157e308]),
]


@pytest.mark.parametrize(("type", "values"), VALUES, ids=[str(type) for type, _ in VALUES])
def test_every_value_survives_both_ways(type: ScalarType, values: list[Scalar]) -> None:
    memref = MemRefType((None,), type)
    n = len(values)
    calls = [[value, Buffer((n,), values), Buffer((n,), [0] * n)] for value in values]
    for value, outcome in zip(
        values, run_many(identity(type), "identity", calls, [type, memref, memref], [type]), strict=True
    ):
        assert isinstance(outcome, Finished)
        assert same(outcome.results[0], value)
        copied = outcome.arguments[2]
        assert isinstance(copied, Buffer)
        assert all(same(a, b) for a, b in zip(copied.data, values, strict=True))


def test_f32_rounds_after_each_operation() -> None:
    text = """
    func.func @f(%a: f32, %b: f32, %c: f32) -> f32 {
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %c : f32
      return %s : f32
    }
    """
    # Fails where multiply and add are fused: a * a is exactly 1 + 2**-11 + 2**-24, and c cancels what f32 keeps of it.
    calls = [[1.0 + 2.0**-12, 1.0 + 2.0**-12, -1.0 - 2.0**-11]]
    random = np.random.default_rng(1)
    calls += [[float(x) for x in row] for row in random.standard_normal((50, 3)).astype(np.float32)]
    calls += [[float(x) for x in row] for row in (random.standard_normal((50, 3)) * 1e-22).astype(np.float32)]
    for (a, b, c), outcome in zip(calls, run_many(text, "f", calls, [F32] * 3, [F32]), strict=True):
        assert isinstance(outcome, Finished)
        assert same(outcome.results[0], float(np.float32(a) * np.float32(b) + np.float32(c)))


def test_f16_rounds_after_each_operation() -> None:
    text = """
    func.func @f(%a: f16, %b: f16, %c: f16) -> f16 {
      %s = arith.addf %a, %b : f16
      %t = arith.subf %s, %c : f16
      return %t : f16
    }
    """
    calls = [[2048.0, 1.0, 2048.0], [2.0**-24, 2.0**-24, 0.0], [65504.0, 65504.0, 65504.0]]
    outcomes = run_many(text, "f", calls, [F16] * 3, [F16])
    assert [o.results for o in outcomes if isinstance(o, Finished)] == [(0.0,), (2.0**-23,), (math.inf,)]


def test_signed_zero_and_nan_of_maximumf_and_minnumf() -> None:
    text = """
    func.func @f(%a: f32, %b: f32) -> (f32, f32) {
      %x = arith.maximumf %a, %b : f32
      %n = arith.minnumf %a, %b : f32
      return %x, %n : f32, f32
    }
    """
    calls = [[0.0, -0.0], [-0.0, 0.0], [math.nan, 1.0], [1.0, math.nan]]
    outcomes = run_many(text, "f", calls, [F32, F32], [F32, F32])
    results = [outcome.results for outcome in outcomes if isinstance(outcome, Finished)]
    assert all(same(x, y) for (x, _), y in zip(results, [0.0, 0.0, math.nan, math.nan], strict=True))
    assert [n for _, n in results[2:]] == [1.0, 1.0]


def test_math_is_the_c_library() -> None:
    text = """
    func.func @f(%x: f64) -> (f64, f64, f64, f64, f64) {
      %a = math.expm1 %x : f64
      %b = math.log1p %x : f64
      %c = math.tanh %x : f64
      %d = math.rsqrt %x : f64
      %e = math.floor %x : f64
      return %a, %b, %c, %d, %e : f64, f64, f64, f64, f64
    }
    """
    x = 1e-17  # expm1 and log1p give 0 where they are made of exp and log
    outcome = run(text, "f", [x], [F64], [F64] * 5)
    assert isinstance(outcome, Finished)
    assert outcome.results == (x, x, math.tanh(x), 1 / math.sqrt(x), 0.0)


def test_the_rounding_of_the_parent_does_not_matter() -> None:
    text = """
    func.func @f(%a: f64, %b: f64) -> f64 {
      %s = arith.addf %a, %b : f64
      return %s : f64
    }
    """
    libm = ctypes.CDLL("libm.so.6")
    nearest = libm.fegetround()
    modes = [1 << 10, 2 << 10, 3 << 10] if os.uname().machine == "x86_64" else [1 << 22, 2 << 22, 3 << 22]
    try:
        for mode in modes:
            assert libm.fesetround(mode) == 0
            assert run(text, "f", [1.0, 2.0**-60], [F64, F64], [F64]) == Finished((1.0,), (1.0, 2.0**-60))
    finally:
        libm.fesetround(nearest)


# Shapes.


def test_rank_zero() -> None:
    text = """
    func.func @f(%A: memref<f32>) -> f32 {
      %a = affine.load %A[] : memref<f32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[] : memref<f32>
      return %a : f32
    }
    """
    outcome = run(text, "f", [Buffer((), [1.5])], [MemRefType((), F32)], [F32])
    assert outcome == Finished((1.5,), (Buffer((), [3.0]),))


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)])
def test_buffers_without_elements(shape: tuple[int, int]) -> None:
    text = """
    func.func @f(%A: memref<?x?xi8>) -> (index, index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %m = memref.dim %A, %zero : memref<?x?xi8>
      %n = memref.dim %A, %one : memref<?x?xi8>
      return %m, %n : index, index
    }
    """
    empty = Buffer(shape, [])
    assert run(text, "f", [empty], [MemRefType((None, None), I8)], [INDEX, INDEX]) == Finished(shape, (empty,))


def test_rank_three_is_row_major() -> None:
    text = """
    func.func @f(%A: memref<2x?x4xi16>, %i: index, %j: index, %k: index) -> i16 {
      %a = memref.load %A[%i, %j, %k] : memref<2x?x4xi16>
      return %a : i16
    }
    """
    buffer = Buffer((2, 3, 4), list(range(24)))
    types = [MemRefType((2, None, 4), I16), INDEX, INDEX, INDEX]
    assert run(text, "f", [buffer, 1, 2, 1], types, [I16]) == Finished((21,), (buffer, 1, 2, 1))


def test_strided_copy() -> None:
    text = """
    func.func @f(%A: memref<4x4xi8>, %B: memref<2x2xi8>) {
      %inner = memref.subview %A[1, 1] [2, 2] [1, 2] : memref<4x4xi8> to memref<2x2xi8, strided<[4, 2], offset: 5>>
      memref.copy %inner, %B : memref<2x2xi8, strided<[4, 2], offset: 5>> to memref<2x2xi8>
      return
    }
    """
    arguments = [Buffer((4, 4), list(range(16))), Buffer((2, 2), [0] * 4)]
    for index_width in (32, 64):
        outcome = run(
            text, "f", arguments, [MemRefType((4, 4), I8), MemRefType((2, 2), I8)], [], index_width=index_width
        )
        assert outcome == Finished((), (arguments[0], Buffer((2, 2), [5, 7, 9, 11])))


def test_index_of_32_bits_wraps() -> None:
    text = """
    func.func @f(%A: memref<?xf32>, %n: index) -> (index, i64) {
      %zero = arith.constant 0 : index
      %d = memref.dim %A, %zero : memref<?xf32>
      %s = arith.addi %d, %n : index
      %w = arith.index_cast %s : index to i64
      return %s, %w : index, i64
    }
    """
    arguments = [Buffer((1,), [0.0]), 2**31 - 1]
    types = [MemRefType((None,), F32), INDEX]
    narrow = run(text, "f", arguments, types, [INDEX, I64], index_width=32)
    assert narrow == Finished((-(2**31), 2**64 - 2**31), tuple(arguments))
    wide = run(text, "f", arguments, types, [INDEX, I64])
    assert wide == Finished((2**31, 2**31), tuple(arguments))
    assert run(text, "f", arguments, types, [INDEX, I64], index_width=16) == Failed("unsupported index width 16")


# Modules.


def test_names_of_the_c_library_do_not_capture() -> None:
    text = """
    func.func @free(%x: f32) -> f32 {
      %m = memref.alloc() : memref<4xf32>
      %c0 = arith.constant 0 : index
      memref.store %x, %m[%c0] : memref<4xf32>
      %y = memref.load %m[%c0] : memref<4xf32>
      memref.dealloc %m : memref<4xf32>
      %e = math.exp %y : f32
      %r = func.call @expf(%e) : (f32) -> f32
      return %r : f32
    }
    func.func @expf(%x: f32) -> f32 {
      %r = arith.negf %x : f32
      return %r : f32
    }
    """
    assert run(text, "free", [0.0], [F32], [F32]) == Finished((-1.0,), (0.0,))


def test_other_functions_and_attributes_of_other_tools_do_no_harm() -> None:
    text = """
    func.func private @opaque(tensor<4xf32>)
    func.func @unused(%t: tensor<4xf32>) {
      func.call @opaque(%t) : (tensor<4xf32>) -> ()
      return
    }
    memref.global "private" constant @table : memref<2xi8> = dense<[3, 4]>
    func.func private @"main 1"(%i: index) -> i8 attributes {tool.tag = 1 : i32} {
      %t = memref.get_global @table : memref<2xi8>
      %x = memref.load %t[%i] : memref<2xi8>
      return %x : i8
    }
    """
    assert run(text, "main 1", [1], [INDEX], [I8]) == Finished((4,), (1,))


# What goes wrong.


def test_a_crash_is_of_one_call() -> None:
    calls = [[7, 2], [2**32 - 7, 2], [1, 0], [4, 2]]
    assert run_many(DIVIDE, "divide", calls, [I32, I32], [I32]) == [
        Finished((3,), (7, 2)),
        Finished((2**32 - 3,), (2**32 - 7, 2)),
        Failed("crashed with SIGFPE"),
        Failed("not run: an earlier call crashed with SIGFPE"),
    ]


def test_no_calls() -> None:
    assert run_many(DIVIDE, "divide", [], [I32, I32], [I32]) == []


def test_an_access_far_outside_crashes() -> None:
    text = """
    func.func @f(%A: memref<?xi8>, %i: index) -> i8 {
      %a = memref.load %A[%i] : memref<?xi8>
      return %a : i8
    }
    """
    outcome = run(text, "f", [Buffer((1,), [0]), 2**46], [MemRefType((None,), I8), INDEX], [I8])
    assert outcome == Failed("crashed with SIGSEGV")


def test_a_crash_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    text = """
    func.func @f(%c: i1) {
      cf.assert %c, "said on the terminal"
      return
    }
    """
    assert run(text, "f", [0], [BOOL], []) == Failed("crashed with SIGABRT")
    assert run("func.func @f(", "f", [], [], []) != Finished((), ())
    assert capfd.readouterr() == ("", "")


def test_a_loop_without_end_times_out() -> None:
    start = time.monotonic()
    assert run_many(SPIN, "spin", [[4], [3], [2]], [I8], [I8], seconds=3) == [
        Finished((0,), (4,)),
        Failed("timed out after 3 s"),
        Failed("not run: an earlier call timed out after 3 s"),
    ]
    assert time.monotonic() - start < 12


def test_memory_has_a_limit() -> None:
    text = """
    func.func @f(%n: index) -> i8 {
      %m = memref.alloc(%n) : memref<?xi8>
      %one = arith.constant 1 : i8
      affine.for %i = 0 to %n step 4096 {
        affine.store %one, %m[%i] : memref<?xi8>
      }
      %a = affine.load %m[0] : memref<?xi8>
      memref.dealloc %m : memref<?xi8>
      return %a : i8
    }
    """
    outcomes = run_many(text, "f", [[1 << 20], [1 << 30]], [INDEX], [I8], megabytes=512)
    assert outcomes == [Finished((1,), (1 << 20,)), Failed("crashed with SIGSEGV")]


def test_no_child_is_left() -> None:
    run(DIVIDE, "divide", [1, 0], [I32, I32], [I32])
    run(SPIN, "spin", [1], [I8], [I8], seconds=0.2)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert children == []


def test_text_that_does_not_parse() -> None:
    outcome = run("func.func @f() -> i32 {\n  return %x : i32\n}", "f", [], [], [I32])
    assert outcome == Failed("could not parse: 2:10: use of undeclared SSA value name")


def test_text_that_does_not_lower() -> None:
    text = """
    func.func @f() -> i8 {
      %x = "other.op"() : () -> i8
      return %x : i8
    }
    """
    assert run(text, "f", [], [], [I8]) == Failed("could not compile: no conversion to LLVM of 'other.op'")


def test_functions_that_cannot_be_called() -> None:
    text = """
    func.func private @opaque(i8) -> i8
    func.func @f(%x: i8) -> i8 {
      %y = func.call @opaque(%x) : (i8) -> i8
      return %y : i8
    }
    """
    assert run(text, "f", [1], [I8], [I8]) == Failed("unsupported: @opaque has no body")
    assert run(text, "g", [1], [I8], [I8]) == Failed("the module defines no function @g")
    assert run(text, "f", [1], [I16], [I8]) == Failed("@f has type (i8) -> i8, expected (i16) -> (i8)")


def test_types_and_values_without_a_form_in_memory() -> None:
    for type in (IntType(129), FloatType("f128")):
        assert run(identity(type), "identity", [0], [type], []) == Failed(f"unsupported type {type}")
    refused: list[tuple[list[Scalar | Buffer], str]] = [
        ([1, POISON], "unsupported: poison in an argument"),
        ([1], "1 arguments given, expected 2"),
        ([-1, 1], "an argument is no i32: Python integer -1 out of bounds for uint32"),
        ([1.5, 1], "1.5 is no i32"),
        ([Buffer((), [1]), 1], "Buffer(shape=(), data=[1]) is no i32"),
        ([7, 2], ""),
    ]
    outcomes = run_many(DIVIDE, "divide", [call for call, _ in refused], [I32, I32], [I32])
    expected = [Failed(reason) if reason else Finished((3,), (7, 2)) for _, reason in refused]
    assert outcomes == expected


BFLOATS = """
func.func @f(%a: bf16, %b: bf16, %c: bf16, %n: index, %i: i16) -> (bf16, bf16, bf16, i1) {
  %k = arith.constant 1.0078125 : bf16
  %p = arith.mulf %a, %b : bf16
  %s = arith.addf %p, %c : bf16
  %q = arith.divf %s, %k : bf16
  %m = arith.maximumf %q, %c : bf16
  %r = affine.for %j = 0 to %n iter_args(%x = %m) -> bf16 {
    affine.yield %x : bf16
  }
  %v = vector.broadcast %r : bf16 to vector<2xbf16>
  %kv = arith.constant dense<[1.0, -2.0]> : vector<2xbf16>
  %w = arith.mulf %v, %kv : vector<2xbf16>
  %e = vector.extract %w[1] : bf16 from vector<2xbf16>
  %t = arith.sitofp %i : i16 to bf16
  %l = arith.cmpf olt, %e, %t : bf16
  return %r, %e, %t, %l : bf16, bf16, bf16, i1
}"""


def test_bf16_is_rounded_after_each_op_and_keeps_denormals() -> None:
    function = read_function(parse(BFLOATS, "f.mlir"), "f", TermPool(), by_element=True)
    program, random = compile(function), Random(7)
    values = [0.0, -0.0, 1.0, 2.0**-133, -(2.0**-126), math.inf, math.nan, 3.3895313892515355e38]

    def draw() -> float:
        bits = random.getrandbits(16) << 16
        return random.choice(values) if random.random() < 0.4 else float(np.uint32(bits).view(np.float32))

    calls: list[list[Scalar | Buffer]] = [
        [draw(), draw(), draw(), random.randrange(3), random.getrandbits(16)] for _ in range(200)
    ]
    kinds = [BF16, BF16, BF16, INDEX, I16]
    for call, theirs in zip(calls, run_many(BFLOATS, "f", calls, kinds, [BF16, BF16, BF16, BOOL]), strict=True):
        ours = program.run(tuple(call))
        assert isinstance(ours, interpreter.Finished) and isinstance(theirs, Finished)
        assert all(same(a, b) for a, b in zip(ours.results, theirs.results, strict=True)), (call, ours, theirs)


def test_what_a_function_gives_is_rounded_to_bf16_before_it_is_used() -> None:
    """The square of e in more bits would be 7.375."""
    text = "%y = math.exp %x : bf16\n %r = arith.mulf %y, %y : bf16"
    found = run(f"func.func @f(%x: bf16) -> bf16 {{\n {text}\n return %r : bf16\n}}", "f", [1.0], [BF16], [BF16])
    assert isinstance(found, Finished) and found.results == (7.40625,)


def test_buffers_that_do_not_fit_their_type() -> None:
    calls = [[Buffer((2, 2), [0] * 4), 0], [Buffer((6,), [0] * 6), 0], [Buffer((2, 3), [0] * 5), 0]]
    outcomes = run_many(SUM, "sum", calls, [MemRefType((None, 3), I32), INDEX], [I32])
    assert [outcome.reason for outcome in outcomes if isinstance(outcome, Failed)] == [
        "a buffer of shape (2, 2) with 4 elements is no memref<?x3xi32>",
        "a buffer of shape (6,) with 6 elements is no memref<?x3xi32>",
        "a buffer of shape (2, 3) with 5 elements is no memref<?x3xi32>",
    ]
