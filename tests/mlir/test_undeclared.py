"""Ops that nobody declares, as calls: which, and which of them are the same function."""

from __future__ import annotations

import pytest

from hecv.mlir.importer import ParsedModule, parse
from hecv.mlir.module.unregistered_ops import as_calls


def module(*ops: str, others: str = "") -> ParsedModule:
    body = "\n".join(ops)
    text = f"func.func @f(%x: i32, %y: f32) {{\n{body}\nreturn\n}}\nfunc.func private @foo.taken()\n{others}"
    return parse(text, "p.mlir")


def calling(*modules: ParsedModule, declared: frozenset[str] = frozenset()) -> list[list[str]]:
    """The lines of each module with calls."""
    made = as_calls((modules[0], modules[-1]), declared)
    assert all(m.module.operation.verify() for m in made)
    return [str(m.module).splitlines() for m in made]


def calls(*modules: ParsedModule, declared: frozenset[str] = frozenset()) -> list[list[str]]:
    """What each calls, in order."""
    lines = calling(*modules, declared=declared)
    return [[line.partition("@")[2].partition("(")[0] for line in found if "call @foo." in line] for found in lines]


def test_the_same_op_is_one_function_in_both() -> None:
    ops = ['%a = "foo.a"(%x) {k = 1} : (i32) -> i32', '"foo.b"(%a) : (i32) -> ()']
    first, second = module(*ops), module(*ops, '"foo.b"(%a) : (i32) -> ()')
    assert calls(first, second) == [["foo.a", "foo.b"], ["foo.a", "foo.b", "foo.b"]]


def test_another_attribute_or_type_is_another_function() -> None:
    first = module('"foo.a"(%x) {k = 1} : (i32) -> ()', '"foo.a"(%y) {k = 1} : (f32) -> ()')
    second = module('"foo.a"(%x) {k = 2} : (i32) -> ()', '%r = "foo.a"(%x) {k = 1} : (i32) -> i32')
    assert calls(first, second) == [["foo.a", "foo.a__1"], ["foo.a__2", "foo.a__3"]]


def test_no_name_is_taken_twice() -> None:
    assert calls(module('"foo.taken"() : () -> ()'), module()) == [["foo.taken__1"], []]


REGION = """%r = "foo.r"(%x) ({{
^bb0(%k: i32):
  %s = arith.addi %k, {} : i32
  %t = arith.{} %s, {} : i32
  "foo.end"(%t) : (i32) -> ()
}}) : (i32) -> i32"""


def test_regions_are_part_of_an_op() -> None:
    """What they take from outside is given at each use, so that it does not matter which of these are one value."""
    other = "%d = arith.muli %x, %x : i32"
    twice, once = (module(other, REGION.format("%x", "addi", taken)) for taken in ("%d", "%x"))
    assert calls(twice, once) == [["foo.r"], ["foo.r"]]
    given = [line for line in calling(twice, once)[1] if "call @foo.r" in line]
    assert "call @foo.r(%arg0, %arg0, %arg0) : (i32, i32, i32) -> i32" in given[0]


def test_what_was_done_to_a_region_is_no_difference() -> None:
    """The op of either module is left as it is, and with it the check without an answer."""
    pair = (module(REGION.format("%x", name, "%x")) for name in ("addi", "subi"))
    assert calls(*pair) == [[], []]
    assert calls(module(REGION.format("%x", "addi", "%x")), module()) == [[], []]


def test_blocks_and_ops_of_any_dialect_in_regions() -> None:
    region = """"foo.r"() ({{
      cf.cond_br %c, ^bb1, ^bb{}
    ^bb1:
      memref.store %x, %m[%i] : memref<4xi32>
      "foo.end"() : () -> ()
    ^bb2:
      memref.store %x, %m[%i] : memref<4xi32>
      "foo.other"() ({{
        %z = tosa.exp %t : (tensor<4xf32>) -> tensor<4xf32>
      }}) : () -> ()
      "foo.end"() : () -> ()
    }}) : () -> ()"""
    given = "%c = arith.constant true\n%i = arith.constant 1 : index\n%m = memref.alloc() : memref<4xi32>\n"
    given += "%t = tensor.empty() : tensor<4xf32>"
    first, second = module(given, region.format(2)), module(given, region.format(2))
    assert calls(first, second) == [["foo.r"], ["foo.r"]]
    line = next(line for line in calling(first, second)[1] if "call @foo.r" in line)
    # A memref once, whatever it is used for: it is one memory.
    assert line.endswith("(i1, i32, memref<4xi32>, index, i32, index, tensor<4xf32>) -> ()")
    assert calls(module(given, region.format(2)), module(given, region.format(1))) == [[], []]


CALLED = """
func.func private @helper(%a: i32) -> i32 {{
  %b = call @inner(%a) : (i32) -> i32
  return %b : i32
}}
func.func private @inner(%a: i32) -> i32 {{
  %b = arith.{} %a, %a : i32
  return %b : i32
}}
memref.global "private" @table : memref<4xi32> = dense<0>
"""


@pytest.mark.parametrize(
    ("op", "inner", "taken"),
    [
        ('"foo.s"() {to = @helper} : () -> ()', "addi", True),
        ('"foo.s"() {to = @helper} : () -> ()', "muli", False),
        ('"foo.s"() {to = @elsewhere} : () -> ()', "addi", True),
        ('"foo.s"() {to = @table} : () -> ()', "addi", False),
        ('"foo.s"() {to = @f} : () -> ()', "addi", True),
        ('"foo.s"() {note = "about @helper"} : () -> ()', "addi", True),
    ],
)
def test_a_symbol_that_is_the_same_code_in_both(op: str, inner: str, taken: bool) -> None:
    """Memory that a symbol names is seen by what has no name for it, so it is left alone."""
    pair = [module(op, others=CALLED.format(name)) for name in ("addi", inner)]
    assert calls(*pair) == ([["foo.s"], ["foo.s"]] if taken else [[], []])


def test_operands_are_what_earlier_calls_return() -> None:
    ops = ('%a = "foo.a"(%x) : (i32) -> i32', '%b = "foo.b"(%a) ({\n"foo.end"(%a) : (i32) -> ()\n}) : (i32) -> i32')
    first, second = module(*ops, '"foo.c"(%b) : (i32) -> ()'), module(*ops, '"foo.c"(%b) : (i32) -> ()')
    assert calls(first, second) == [["foo.a", "foo.b", "foo.c"]] * 2


def test_what_is_left_as_it_is() -> None:
    """Declared ops, what ends a block, and what refers to contents that are not in the text."""
    blob = '"foo.s"() {to = dense_resource<blob> : tensor<1xi32>} : () -> ()'
    distinct = '"foo.d"() {of = distinct[0]<i32>} : () -> ()'
    ops = ['"my.op"(%x) : (i32) -> ()', blob, distinct]
    found = as_calls((module(*ops), module(*ops)), frozenset({"my.op"}))
    assert not found[0].outside and found[0].expanded is None
