"""The part of a module that is compiled: what a function names, directly or not, and no more."""

from __future__ import annotations

import re

from hecv.mlir.importer import parse
from hecv.mlir.module.symbol_closure import code_for

MAP = "#map = affine_map<(d0) -> (d0 + 3)>"
TEXT = """
#map = affine_map<(d0) -> (d0 + 3)>
memref.global "private" constant @"a table" : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" @other : memref<2xf32>
func.func private @first(%n: index) -> f32 {
  %0 = memref.get_global @"a table" : memref<2xf32>
  %1 = memref.load %0[%n] : memref<2xf32>
  return %1 : f32
}
func.func @f(%n: index) -> f32 {
  %0 = affine.apply #map(%n)
  %1 = func.call @first(%0) : (index) -> f32
  return %1 : f32
}
func.func @g(%n: index) -> f32 {
  %0 = func.call @first(%n) : (index) -> f32
  return %0 : f32
}
func.func @alone(%x: f32) -> f32 { return %x : f32 }
"""


def _symbols(text: str) -> set[str]:
    return set(parse(text, "part.mlir").symbols)


def test_what_a_function_names_comes_with_it() -> None:
    module = parse(TEXT, "whole.mlir")
    assert _symbols(code_for(module, ["f"])) == {"f", "first", "a table"}
    assert _symbols(code_for(module, ["alone"])) == {"alone"}
    assert _symbols(code_for(module, ["alone", "other"])) == {"alone", "other"}


def test_ops_keep_their_places() -> None:
    part = code_for(parse(TEXT, "whole.mlir"), ["alone"])
    line = TEXT.split("\n").index("func.func @alone(%x: f32) -> f32 { return %x : f32 }") + 1
    assert set(re.findall(r'"-":(\d+):', part)) == {str(line)}


def test_a_module_that_says_how_it_is_compiled_stays_whole() -> None:
    spec = 'dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">'
    body = TEXT.partition(MAP)[2].replace("#map", MAP.partition(" = ")[2])
    text = f"module attributes {{{spec}}} {{{body}}}"
    module = parse(text, "whole.mlir")
    assert code_for(module, ["alone"]) == text


def test_resources_are_not_lost() -> None:
    text = """
    func.func @f() -> tensor<1xi32> {
      %0 = arith.constant dense_resource<held> : tensor<1xi32>
      return %0 : tensor<1xi32>
    }
    func.func @g() { return }
    {-# dialect_resources: { builtin: { held: "0x0400000001000000" } } #-}
    """
    assert "dense<1> : tensor<1xi32>" in code_for(parse(text, "whole.mlir"), ["f"])
    unread = text.replace("i32", "i4")
    assert code_for(parse(unread, "whole.mlir"), ["f"]) == unread
