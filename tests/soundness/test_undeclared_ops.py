"""Ops that no dialect registers, ops that print, and vectors and tensors that the outside world sees."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.mlir.importer import parse_both
from hecv.mlir.module.unregistered_ops import as_calls

ARGUMENTS = "%A: memref<8xf32>, %B: memref<8xf32>, %x: f32, %y: f32, %n: i32, %t: tensor<4xf32>, %v: vector<4xf32>, "
ARGUMENTS += "%u: vector<4xi32>, %g: tensor<4xi32>"
OUTSIDE = "func.func private @show(tensor<4xf32>)\nfunc.func private @make(tensor<?xf32>) -> tensor<4xf32>\n"
CONSTANTS = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"
A, B = '%a = "my.a"(%n) {k = 3 : i32} : (i32) -> i32\n', '%b = "my.b"(%n) : (i32) -> i32\n'
LOAD, STORE = "%l = memref.load %A[%c0] : memref<8xf32>\n", "memref.store %x, %A[%c0] : memref<8xf32>\n"
SEES = '"my.sees"(%A) : (memref<8xf32>) -> ()\n'


def function(body: str, result: str = "%n : i32") -> str:
    kind = result.partition(":")[2]
    return f"{OUTSIDE}func.func @f({ARGUMENTS}) -> {kind} {{\n{CONSTANTS}{body}\nreturn {result}\n}}\n"


def loop(body: str, upper: str = "%c8") -> str:
    return f"scf.for %i = %c0 to {upper} step %c1 {{\n{body}}}\n"


VECTOR = """%p = "my.vector"(%u) : (vector<4xi32>) -> vector<4xi32>
%z = arith.{} : vector<4xi32>
"my.seen"(%z) : (vector<4xi32>) -> ()
"""
TENSOR = VECTOR.replace("vector<", "tensor<").replace("%u", "%g")
SHOWN = "%z = arith.{} %t, %t : tensor<4xf32>\nfunc.call @show(%z) : (tensor<4xf32>) -> ()\n"
GENERIC = """%e = tensor.empty() : tensor<4xf32>
%z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) {
^bb0(%p: f32, %o: f32):
  %m = arith.mulf %p, %p : f32
  linalg.yield %m : f32
} -> tensor<4xf32>
func.call @show(%z) : (tensor<4xf32>) -> ()
"""
CAST = "%d = tensor.cast %t : tensor<4xf32> to tensor<?xf32>\n"
MADE = (
    CAST
    + "%r = func.call @make(%d) : (tensor<?xf32>) -> tensor<4xf32>\n{}func.call @show(%z) : (tensor<4xf32>) -> ()\n"
)
REGION = """%r = "my.region"(%n) ({{
^bb0(%k: i32):
  %s = arith.{} %k, %n : i32
  "my.end"(%s) : (i32) -> ()
}}) : (i32) -> i32
"""

EQUAL = {
    "the value is used otherwise": (
        function(A + "%r = arith.addi %a, %n : i32", "%r : i32"),
        function(A + "%r = arith.addi %n, %a : i32", "%r : i32"),
    ),
    "a load moves before what sees nothing else": (
        function(A + "memref.store %x, %B[%c0] : memref<8xf32>\n" + LOAD, "%l : f32"),
        function(A + LOAD + "memref.store %x, %B[%c0] : memref<8xf32>\n", "%l : f32"),
    ),
    "in a loop, split": (
        function(loop('"my.sink"(%i) : (index) -> ()\n')),
        function(
            "%c4 = arith.constant 4 : index\n"
            + loop('"my.sink"(%i) : (index) -> ()\n', "%c4")
            + 'scf.for %i = %c4 to %c8 step %c1 {\n"my.sink"(%i) : (index) -> ()\n}\n'
        ),
    ),
    "several results": (
        function('%r:2 = "my.two"(%n) : (i32) -> (i32, i32)\n%s = arith.muli %r#0, %r#1 : i32', "%s : i32"),
        function('%r:2 = "my.two"(%n) : (i32) -> (i32, i32)\n%s = arith.muli %r#1, %r#0 : i32', "%s : i32"),
    ),
    "of a dialect that mlir-opt alone has": (
        function(A.replace("my.a", "test.a") + "%r = arith.addi %a, %n : i32", "%r : i32"),
        function(A.replace("my.a", "test.a") + "%r = arith.addi %n, %a : i32", "%r : i32"),
    ),
    "with a region": (
        function(REGION.format("addi") + "%q = arith.xori %r, %n : i32", "%q : i32"),
        function(REGION.format("addi") + "%q = arith.xori %n, %r : i32", "%q : i32"),
    ),
    "on vectors": (function(VECTOR.format("addi %p, %u")), function(VECTOR.format("addi %u, %p"))),
    "on tensors": (function(TENSOR.format("muli %p, %g")), function(TENSOR.format("muli %g, %p"))),
    "a tensor shown": (function(SHOWN.format("mulf")), function(GENERIC)),
    "a tensor returned": (
        function(MADE.format("%z = arith.mulf %r, %r : tensor<4xf32>\n")),
        function(MADE.format("").partition("func.call @show")[0] + GENERIC.replace("%t", "%r")),
    ),
    "printed": (
        function(
            loop("%l = memref.load %A[%i] : memref<8xf32>\n%s = arith.addf %l, %l : f32\nvector.print %s : f32\n")
        ),
        function(
            "%two = arith.constant 2.0 : f32\n"
            + loop("%l = memref.load %A[%i] : memref<8xf32>\n%s = arith.mulf %l, %two : f32\nvector.print %s : f32\n")
        ),
    ),
    "a vector printed": (
        function("%s = arith.mulf %v, %v : vector<4xf32>\nvector.print %s : vector<4xf32>"),
        function(
            "".join(
                f"%e{k} = vector.extract %v[{k}] : f32 from vector<4xf32>\n%m{k} = arith.mulf %e{k}, %e{k} : f32\n"
                for k in range(4)
            )
            + "%s = vector.from_elements %m0, %m1, %m2, %m3 : vector<4xf32>\nvector.print %s : vector<4xf32>"
        ),
    ),
    "a store moves before what is printed": (
        function("vector.print %x : f32\n" + STORE),
        function(STORE + "vector.print %x : f32\n"),
    ),
}

HANDLE = """%h = "my.open"(%n) : (i32) -> !my.handle
{}
%r = "my.read"(%h) : (!my.handle) -> i32
%s0 = arith.addi {} : i32
"""
KEPT = """%L = memref.alloc() : memref<8xf32>
memref.store %x, %L[%c0] : memref<8xf32>
%h = "my.reference"(%L) : (memref<8xf32>) -> !my.handle
"my.write"(%h) : (!my.handle) -> ()
%l = memref.load %L[%c0] : memref<8xf32>
"""

OF_OPAQUE_TYPES = {
    "a handle": (
        function(HANDLE.format("", "%r, %n"), "%s0 : i32"),
        function(HANDLE.format("", "%n, %r"), "%s0 : i32"),
        "equivalent",
    ),
    "what is done with a handle in between": (
        function(HANDLE.format('"my.step"(%h) : (!my.handle) -> ()', "%r, %n"), "%s0 : i32"),
        function(HANDLE.format("", "%r, %n"), "%s0 : i32"),
        "unknown",
    ),
    "memory that a handle refers to": (function(KEPT, "%l : f32"), function(KEPT, "%x : f32"), "unknown"),
}
"""A value of a type that no dialect registers is not run."""

WRONG = {
    "another attribute": (function(A), function(A.replace("k = 3", "k = 4"))),
    "dropped": (function(A), function("")),
    "done twice": (function(A), function(A + A.replace("%a", "%a2"))),
    "another order": (function(A + B), function(B + A)),
    "another operand": (function(A), function("%m = arith.addi %n, %n : i32\n" + A.replace("(%n)", "(%m)"))),
    "a store moves before what sees it": (function(SEES + STORE), function(STORE + SEES)),
    "a load moves before what may write": (function(SEES + LOAD, "%l : f32"), function(LOAD + SEES, "%l : f32")),
    "out of a loop": (function(loop(A, "%c0")), function(A + loop("", "%c0"))),
    "another number printed": (function("vector.print %x : f32"), function("vector.print %y : f32")),
    "printed in another order": (
        function("vector.print %x : f32\nvector.print %y : f32"),
        function("vector.print %y : f32\nvector.print %x : f32"),
    ),
    "another text printed": (function('vector.print str "a"'), function('vector.print str "b"')),
    "printed and not": (function("vector.print %x : f32"), function("")),
}


OF_AGGREGATES = {
    "another operation on vectors": (function(VECTOR.format("addi %p, %u")), function(VECTOR.format("subi %p, %u"))),
    "another operation on tensors": (function(TENSOR.format("addi %p, %g")), function(TENSOR.format("addi %p, %p"))),
    "another tensor shown": (function(SHOWN.format("mulf")), function(SHOWN.format("addf"))),
    "another tensor made": (
        function(MADE.format("%z = arith.mulf %r, %t : tensor<4xf32>\n")),
        function(MADE.format("%z = arith.mulf %r, %r : tensor<4xf32>\n")),
    ),
    "a vector returned and given up": (
        function(VECTOR.format("addi %p, %u")),
        function(VECTOR.format("addi %u, %u")),
    ),
}
"""MLIR's JIT does not run calls with vectors or tensors, so that a difference in a run is not confirmed."""


def report(source: str, target: str) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_the_same_calls(name: str) -> None:
    assert report(*EQUAL[name]).verdict == "equivalent"


@pytest.mark.parametrize("name", WRONG)
def test_what_the_outside_world_tells(name: str) -> None:
    assert report(*WRONG[name]).verdict == "not-equivalent"


@pytest.mark.parametrize("name", OF_AGGREGATES)
def test_what_the_outside_world_tells_of_elements(name: str) -> None:
    assert report(*OF_AGGREGATES[name]).verdict in ("not-equivalent", "unknown")


@pytest.mark.parametrize("name", OF_OPAQUE_TYPES)
def test_values_of_types_that_nobody_registers(name: str) -> None:
    source, target, verdict = OF_OPAQUE_TYPES[name]
    assert report(source, target).verdict == verdict


def test_a_message_names_the_op() -> None:
    text = function('%m = "my.memory"() : () -> memref<8xf32>\n%l = memref.load %m[%c0] : memref<8xf32>', "%l : f32")
    found = report(text, text.replace("my.memory", "my.other"))
    assert found.unknown is not None and found.unknown.text.startswith("op `my.memory`: ")


def test_the_assumption_names_them() -> None:
    found = report(*EQUAL["the value is used otherwise"])
    assert [a.text.rpartition(": ")[2] for a in found.assumptions if a.id == "undeclared-ops"] == ["my.a"]
    assert not [a for a in report(*EQUAL["printed"]).assumptions if a.id in ("undeclared-ops", "calls-return")]


@pytest.mark.parametrize("name", ["dropped", "done twice", "another order", "another attribute"])
def test_what_a_pass_may_have_known_is_not_refuted(name: str) -> None:
    source, target = (text.replace("my.", "test.") for text in WRONG[name])
    assert report(source, target).verdict == "unknown"


def test_a_changed_region_is_unknown() -> None:
    assert report(function(REGION.format("addi")), function(REGION.format("muli"))).verdict == "unknown"


def test_the_modules_are_left_as_they_are() -> None:
    modules = parse_both((function(A), function(A)), ("s.mlir", "t.mlir"))
    made = as_calls(modules, frozenset())
    assert [str(m.module).count('"my.a"') for m in modules] == [1, 1]
    assert [dict(m.outside) for m in made] == [{"my.a": "my.a"}] * 2
