"""The three forms of the program graph for readers: text, Graphviz and JSON."""

from __future__ import annotations

import json
import re
from textwrap import dedent

from hecv.base.term import TermPool
from hecv.base.types import FloatType
from hecv.mlir.importer import parse, read_function
from hecv.program.graph_export import to_dot, to_json
from hecv.program.tree import Function, Memory, MemoryKind, Store, Touch
from hecv.program.tree_printer import render

KERNEL = """
func.func @kernel(%A: memref<?x8xf32>, %n: index, %x: f32) -> f32 {
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4xf32>
  %s = affine.for %i = max affine_map<(d0) -> (0, d0 - 4)>(%n) to 8 step 2 iter_args(%a = %z) -> (f32) {
    %v = affine.load %A[%i + 16 * symbol(%n), %i floordiv 4] : memref<?x8xf32>
    %w = arith.mulf %v, %x : f32
    %u = arith.addf %w, %w : f32
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      affine.store %w, %t[%i floordiv 2] : memref<4xf32>
    } else {
      affine.store %u, %A[%i, 0] : memref<?x8xf32>
    }
    %y = arith.addf %a, %v : f32
    affine.yield %y : f32
  }
  memref.dealloc %t : memref<4xf32>
  return %s : f32
}
"""


def read(text: str, name: str) -> Function:
    return read_function(parse(text, "k.mlir"), name, TermPool())


def test_a_whole_function_as_text() -> None:
    assert render(read(KERNEL, "kernel")) == dedent(
        """\
        func @kernel(%A: memref<?x8xf32>, %n: index, %x: f32) -> (%result0: f32) {
          alloc %t[4] : f32
          cell %cell5 : f32
          store 0.0 : f32, %cell5
          for %i0 = max(0, %n - 4) to 8 step 2 {
            r0 = load %cell5
            r1 = load %A[%i0 + 16*%n, (%i0 floordiv 4)]
            if arith.cmpi[sge](%i0 - 3, 0) {
              store arith.mulf(r1, %x), %t[(%i0 floordiv 2)]
            } else {
              t0 = arith.mulf(r1, %x)
              store arith.addf(t0, t0), %A[%i0, 0]
            }
            store arith.addf(r0, r1), %cell5
          }
          r2 = load %cell5
          dealloc %t
          store r2, %result0
        }
        """
    )


def test_lines_can_say_where_they_come_from() -> None:
    text = "func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}"
    assert render(read(text, "f"), locations=True) == dedent(
        """\
        func @f(%x: f32) -> (%result0: f32) {  // k.mlir:1:1
          store %x, %result0  // k.mlir:2:3
        }
        """
    )


def test_names_are_each_once() -> None:
    text = """
    func.func @f(%i0: index, %iv1: index, %A: memref<8xf32>) {
      affine.for %k = 0 to 8 {
        %v = affine.load %A[%k] : memref<8xf32>
        affine.store %v, %A[symbol(%i0)] : memref<8xf32>
      }
      return
    }
    """
    assert "for %iv_0 = 0 to 8 {" in render(read(text, "f"))


def test_a_shared_term_is_named_where_it_is_first_used_in_each_scope() -> None:
    text = """
    func.func @f(%a: i8, %b: i8) -> (i8, i8) {
      %p = arith.muli %a, %b : i8
      %q = arith.addi %p, %p : i8
      %r = arith.subi %q, %p : i8
      return %q, %r : i8, i8
    }
    """
    body = render(read(text, "f")).splitlines()[1:-1]
    assert [line.strip() for line in body] == [
        "t0 = arith.muli(%a, %b)",
        "t1 = arith.addi(t0, t0)",
        "store t1, %result0",
        "store arith.subi(t1, t0), %result1",
    ]


def test_long_chains_are_cut_by_names_and_do_not_recurse() -> None:
    ops = "".join(f"%v{k + 1} = arith.addi %v{k}, %v0 : i8\n" for k in range(5000))
    text = f"func.func @f(%v0: i8) -> i8 {{\n{ops}return %v5000 : i8\n}}"
    lines = render(read(text, "f")).splitlines()
    assert len(lines) > 500 and max(map(len, lines)) < 140


def test_touch_and_load_terms() -> None:
    pool = TermPool()
    memory = Memory(0, MemoryKind.LOCAL, "m", FloatType("f32"), (pool.integer(4),))
    element = pool.load(0, (pool.integer(2),), FloatType("f32"))
    touch, store = Touch(0, (element,), ()), Store(1, memory, (pool.integer(1),), element)
    function = Function("f", (), (memory,), (touch, store), None)
    assert render(function) == "func @f() -> (%m: f32) {\n  touch %m[2]\n  store %m[2], %m[1]\n}\n"


def test_json_is_plain_data() -> None:
    data = to_json(read(KERNEL, "kernel"))
    assert json.loads(json.dumps(data)) == data
    assert data["schema"] == "hecv.graph/1"
    assert [m["name"] for m in data["memories"]] == ["A", "result0", "t", "cell5"]
    assert [s["kind"] for s in data["body"]] == ["alloc", "alloc", "store", "loop", "load", "dealloc", "store"]
    assert data["body"][0]["location"] == {"file": "k.mlir", "line": 4, "column": 8}
    assert [t["id"] for t in data["terms"]] == list(range(len(data["terms"])))
    assert all(a < t["id"] for t in data["terms"] for a in t["args"])
    loop = data["body"][3]
    assert data["terms"][loop["iv"]]["op"] == "iv"
    assert [s["kind"] for s in loop["body"]] == ["load", "load", "if", "store"]


def test_dot_is_well_formed() -> None:
    text = to_dot(read(KERNEL, "kernel"))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert '"' not in bare
    assert bare.count("{") == bare.count("}") == 4 and bare.count("[") == bare.count("]")
    declared = set(re.findall(r"^\s*(\w+) \[(?:shape)", bare, re.M))
    used = {name for edge in re.findall(r"^\s*(\w+) -> (\w+)", bare, re.M) for name in edge}
    assert used <= declared


WHILE = """
func.func @f(%n: index, %A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%i = %c0) : (index) -> index {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    scf.parallel (%k) = (%c0) to (%n) step (%c1) {
      memref.store %x, %A[%k] : memref<?xf32>
      scf.reduce
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}
"""


def test_while_and_parallel_loops_are_exported() -> None:
    function = read_function(parse(WHILE, "f.mlir"), "f", TermPool())
    shown = render(function)
    assert "} condition arith.cmpi[slt](r0, %n) do {" in shown
    assert "parallel %i0 = 0 to %n {" in shown
    data = to_json(function)
    (loop,) = [s for s in data["body"] if s["kind"] == "while"]
    assert [s["kind"] for s in loop["before"]] == ["load", "store"]
    assert [s["parallel"] for s in loop["after"] if s["kind"] == "loop"] == [True]
    dot = to_dot(function)
    assert "_before {" in dot
    assert "parallel %i0" in dot
