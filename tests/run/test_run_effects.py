"""Assertions, calls, globals and layouts: what a run of the interpreter answers, and what MLIR's JIT does with them."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.types import FloatType, Layout, MemRefType
from hecv.base.value import Buffer, Value
from hecv.mlir.importer import parse, read_function
from hecv.run import jit
from hecv.run.interpreter.interpreter import Excluded, Executable, Finished, Undefined, compile

F32 = FloatType("f32")
PAIR = MemRefType((2,), F32)

GLOBALS = """
memref.global "private" constant @w : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" @s : memref<2xf32> = dense<0.0>
memref.global "private" constant @e : memref<2xf32>
func.func @f(%x: f32) -> f32 {
  %w = memref.get_global @w : memref<2xf32>
  %s = memref.get_global @s : memref<2xf32>
  %e = memref.get_global @e : memref<2xf32>
  %c1 = arith.constant 1 : index
  %a = memref.load %w[%c1] : memref<2xf32>
  %b = memref.load %s[%c1] : memref<2xf32>
  %d = memref.load %e[%c1] : memref<2xf32>
  %p = arith.mulf %a, %b : f32
  %q = arith.addf %p, %d : f32
  memref.store %x, %s[%c1] : memref<2xf32>
  return %q : f32
}
"""


def code(text: str) -> Executable:
    return compile(read_function(parse(text, "t.mlir"), "f", TermPool()))


def test_a_false_assertion_is_undefined() -> None:
    run = code('func.func @f(%c: i1) { cf.assert %c, "why not"\nreturn }').run
    assert isinstance(run([1]), Finished)
    end = run([0])
    assert isinstance(end, Undefined)
    assert end.text == "assertion failed: why not"


def test_an_assertion_of_poison_is_undefined() -> None:
    text = """
    func.func @f() {
      %l = memref.alloc() : memref<i1>
      %c = memref.load %l[] : memref<i1>
      cf.assert %c, "why not"
      return
    }
    """
    end = code(text).run([])
    assert isinstance(end, Undefined)
    assert "poison" in end.text


def test_a_call_without_a_body_excludes_the_run_that_reaches_it() -> None:
    text = """
    func.func private @h()
    func.func @f(%c: i1) {
      scf.if %c { func.call @h() : () -> () }
      return
    }
    """
    run = code(text).run
    assert isinstance(run([0]), Finished)
    end = run([1])
    assert isinstance(end, Excluded)
    assert end.reason == "a call of @h, which has no body"


def test_globals_are_inputs_and_outputs() -> None:
    executable = code(GLOBALS)
    assert [g.name for g in executable.function.inputs()] == ["x", "@e", "@s"]
    given: list[Value] = [7.0, Buffer((2,), [0.0, 5.0]), Buffer((2,), [3.0, 4.0])]
    end = executable.run(given)
    assert isinstance(end, Finished)
    assert end.results == (13.0,)
    assert end.arguments == (7.0, Buffer((2,), [0.0, 5.0]), Buffer((2,), [3.0, 7.0]))


def test_the_jit_sets_globals_and_reads_them_back() -> None:
    given: list[Value] = [7.0, Buffer((2,), [0.0, 5.0]), Buffer((2,), [3.0, 4.0])]
    again: list[Value] = [8.0, Buffer((2,), [0.0, 6.0]), Buffer((2,), [1.0, 1.0])]
    ends = jit.run_many(GLOBALS, "f", [given, again], [F32], [F32], globals=[("e", PAIR), ("s", PAIR)])
    assert ends == [
        jit.Finished((13.0,), (7.0, Buffer((2,), [0.0, 5.0]), Buffer((2,), [3.0, 7.0]))),
        jit.Finished((8.0,), (8.0, Buffer((2,), [0.0, 6.0]), Buffer((2,), [1.0, 8.0]))),
    ]


STRIDED = "memref<2x3xf32, strided<[{0}, {1}], offset: {2}>>"


@pytest.mark.parametrize(
    ("strides", "offset"), [((8, 2), 5), ((1, 2), 0), ((None, 1), None), ((None, None), 3), ((0, None), 3)]
)
def test_the_jit_lays_elements_out_as_the_type_says(strides: tuple[int | None, int | None], offset: int | None) -> None:
    first, second, start = ("?" if n is None else str(n) for n in (*strides, offset))
    layout = Layout(f"strided<[{first}, {second}], offset: {start}>", strides, offset, True)
    kind = MemRefType((2, 3), F32, layout)
    text = f"""
    func.func @f(%A: {kind}, %x: f32) -> f32 {{
      %v = affine.load %A[1, 2] : {kind}
      affine.store %x, %A[1, 1] : {kind}
      return %v : f32
    }}
    """
    end = jit.run(text, "f", [Buffer((2, 3), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), 9.0], [kind, F32], [F32])
    if strides[0] == 0:
        assert isinstance(end, jit.Failed)
        return
    assert end == jit.Finished((5.0,), (Buffer((2, 3), [0.0, 1.0, 2.0, 3.0, 9.0, 5.0]), 9.0))


def test_the_jit_runs_buffers_that_lie_by_a_map() -> None:
    tiled = "memref<8xf32, affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>>"
    text = f"""
    func.func @f(%x: f32) -> f32 {{
      %t = memref.alloc() : {tiled}
      affine.store %x, %t[6] : {tiled}
      %v = affine.load %t[6] : {tiled}
      return %v : f32
    }}
    """
    assert jit.run(text, "f", [2.0], [F32], [F32]) == jit.Finished((2.0,), (2.0,))
