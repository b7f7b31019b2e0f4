"""Plain code is lowered by a few of the passes, and computes what all of them make of it; other code gets all."""

from __future__ import annotations

import pytest
from torch_mlir import ir, passmanager

from hecv.base.types import INDEX, FloatType, IntType, MemRefType
from hecv.base.value import Buffer, Value
from hecv.mlir.importer import new_context
from hecv.run.jit import Finished, run
from hecv.run.jit.lowering import lowering_passes

I32 = IntType(32)
ROW = MemRefType((None,), I32)
CODE = {
    "affine": """
        affine.for %i = 0 to affine_map<(d0) -> (d0 floordiv 2)>(%n) {
          affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
            %x = affine.load %A[2 * %i + 1] : memref<?xi32>
            affine.store %x, %A[%i] : memref<?xi32>
          }
        }""",
    "extrema": """
        affine.for %i = max affine_map<(d0) -> (d0 - 3, 1)>(%n) to min affine_map<(d0) -> (d0, 4)>(%n) {
          %m = affine.min affine_map<(d0) -> (d0, 2)>(%i)
          %w = arith.index_cast %m : index to i32
          affine.store %w, %A[%i] : memref<?xi32>
        }""",
    "scf": """
        %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %w0) -> (i32) {
          %x = memref.load %A[%i] : memref<?xi32>
          %b = arith.cmpi sgt, %x, %s : i32
          %r = scf.if %b -> (i32) { %q = arith.floordivsi %x, %w2 : i32
            scf.yield %q : i32 } else { scf.yield %s : i32 }
          scf.yield %r : i32
        }
        memref.store %t, %A[%c0] : memref<?xi32>""",
    "while": """
        %t = scf.while (%i = %c0) : (index) -> index {
          %b = arith.cmpi slt, %i, %n : index
          scf.condition(%b) %i : index
        } do {
        ^bb0(%i: index):
          memref.store %w2, %A[%i] : memref<?xi32>
          %j = arith.addi %i, %c1 : index
          scf.yield %j : index
        }""",
    "parallel": """
        affine.parallel (%i) = (0) to (%n) {
          %x = affine.load %A[%i] : memref<?xi32>
          %y = arith.ceildivsi %x, %w2 : i32
          affine.store %y, %A[%i] : memref<?xi32>
        }""",
    "memory": """
        %M = memref.alloc(%n) : memref<?xi32>
        memref.copy %A, %M : memref<?xi32> to memref<?xi32>
        %d = memref.dim %M, %c0 : memref<?xi32>
        %g = memref.get_global @G : memref<2xi32>
        %h = memref.cast %g : memref<2xi32> to memref<?xi32>
        %k = arith.subi %d, %c1 : index
        %x = memref.load %M[%k] : memref<?xi32>
        %y = memref.load %h[%c1] : memref<?xi32>
        %z = func.call @sum(%x, %y) : (i32, i32) -> i32
        memref.store %z, %A[%c0] : memref<?xi32>
        memref.dealloc %M : memref<?xi32>""",
}
ARGUMENTS: tuple[Value, ...] = (Buffer((6,), [5, 7, 1, 9, 8, 3]), 6)


def module(body: str) -> str:
    return f"""
    memref.global @G : memref<2xi32> = dense<[10, 20]>
    func.func private @sum(%x: i32, %y: i32) -> i32 {{ %s = arith.addi %x, %y : i32  return %s : i32 }}
    func.func @f(%A: memref<?xi32>, %n: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %w0 = arith.constant 0 : i32
      %w2 = arith.constant 2 : i32
      {body}
      return
    }}
    """


def chosen(text: str) -> tuple[str | None, str]:
    made = ir.Module.parse(text, new_context())
    printed = str(made)
    loops = lowering_passes.to_loops(made, printed)
    if loops is not None:
        passmanager.PassManager.parse(loops, made.context).run(made.operation)
    return loops, lowering_passes.to_llvm(made, printed, 64)


@pytest.mark.parametrize("body", CODE.values(), ids=list(CODE))
def test_few_passes_make_of_plain_code_what_all_do(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loops, llvm = chosen(module(body))
    assert (loops or "").count(",") == 0 and "convert-vector-to-llvm" not in llvm
    few = run(module(body), "f", ARGUMENTS, [ROW, INDEX], [])
    assert isinstance(few, Finished) and few.arguments != ARGUMENTS
    monkeypatch.setattr(lowering_passes, "_PLAIN", frozenset())
    assert "convert-vector-to-llvm" in chosen(module(body))[1]
    assert run(module(body), "f", ARGUMENTS, [ROW, INDEX], []) == few


@pytest.mark.parametrize(
    "body",
    [
        "%v = math.absi %w2 : i32",
        "%i = index.add %c0, %c1",
        "%v = ub.poison : i32",
        "%v = vector.broadcast %w2 : i32 to vector<4xi32>",
        "%v = arith.constant dense<1> : vector<4xi32>",
        "%M = memref.subview %A[%c0] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>",
        "scf.forall (%i) in (%n) { }",
        "%q:2 = affine.delinearize_index %n into (3, 4) : index, index",
    ],
)
def test_other_code_gets_all_passes(body: str) -> None:
    """They may leave plain code: what is not used goes."""
    assert "convert-vector-to-scf" in (chosen(module(body))[0] or "")


def test_what_is_left_for_the_last_passes_gets_them_all() -> None:
    left = ir.Module.parse(module("%v = ub.poison : i32"), new_context())
    assert "convert-ub-to-llvm" in lowering_passes.to_llvm(left, str(left), 64)


def test_what_a_layout_leaves_is_lowered() -> None:
    """Normal layouts are made of maps after the text was printed."""
    layout = "affine_map<(d0) -> (d0 * 2 + 1)>"
    text = f"""
    func.func @f(%A: memref<4xi32>, %i: index) {{
      %M = memref.alloc() : memref<4xi32, {layout}>
      %x = memref.load %A[%i] : memref<4xi32>
      memref.store %x, %M[%i] : memref<4xi32, {layout}>
      %y = memref.load %M[%i] : memref<4xi32, {layout}>
      %z = arith.addi %y, %y : i32
      memref.store %z, %A[%i] : memref<4xi32>
      return
    }}
    """
    given = Buffer((4,), [1, 2, 3, 4])
    outcome = run(text, "f", [given, 2], [MemRefType((4,), I32), INDEX], [])
    assert outcome == Finished((), (Buffer((4,), [1, 2, 6, 4]), 2))


def test_floats_are_expanded_alike() -> None:
    """What `arith-expand` is for is in both."""
    f32 = FloatType("f32")
    cast = "%h = arith.truncf %x : f32 to bf16 %y = arith.extf %h : bf16 to f32"
    text = f"func.func @f(%x: f32) -> f32 {{ {cast} return %y : f32 }}"
    assert run(text, "f", [1.00390625], [f32], [f32]) == Finished((1.0,), (1.00390625,))
