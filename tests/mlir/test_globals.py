"""Globals, assertions and calls of what has no body: what is read, and what two modules have to agree on."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool, literal
from hecv.base.types import FloatType, MemRefType
from hecv.mlir.importer import functions, parse, read_function, read_pair
from hecv.program.structural_equality import same_program
from hecv.program.tree import Call, Function, walk
from hecv.program.tree_printer import render

USES = """
func.func @f(%A: memref<2xf32>) {
  %g = memref.get_global @g : memref<2xf32>
  affine.for %i = 0 to 2 {
    %v = affine.load %g[%i] : memref<2xf32>
    affine.store %v, %A[%i] : memref<2xf32>
  }
  return
}
"""
RESOURCE = """
memref.global "private" @g : memref<2xf32> = dense_resource<w>
{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}
"""
ESCAPED = (
    r'"memref.glob\61l"() {sym_name = "g", type = memref<2xf32>, initial_value = dense<2.0> : tensor<2xf32>} : () -> ()'
)
IDLE = "func.func @f(%A: memref<2xf32>) { return }"


def one(text: str) -> Function:
    return read_function(parse(text, "t.mlir"), "f", TermPool())


def pair(source: str, target: str) -> tuple[Function, Function]:
    return read_pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), TermPool())


def refusal(source: str, target: str) -> str:
    with pytest.raises(Unsupported) as caught:
        pair(source, target)
    return caught.value.text


def declared(rest: str, symbol: str = "g", visibility: str = '"private" ') -> str:
    return f"memref.global {visibility}{rest.replace('@', '@' + symbol, 1)}"


CONSTANT = declared("constant @ : memref<2xf32> = dense<[1.0, 2.0]>")
MUTABLE = declared("@ : memref<2xf32> = dense<[1.0, 2.0]>")
EXTERNAL = declared("constant @ : memref<2xf32>")
PUBLIC = declared("@ : memref<2xf32> = dense<[1.0, 2.0]>", visibility="")


def test_a_constant_is_data() -> None:
    function = one(CONSTANT + USES)
    assert function.globals == ()
    assert [literal(t) for t in function.constants[0].contents] == [1.0, 2.0]
    assert "r0 = load %@g[%i0]" in render(function)


@pytest.mark.parametrize("text", [MUTABLE, EXTERNAL, declared("@ : memref<2xf32> = uninitialized")])
def test_what_may_hold_anything_is_a_hidden_argument(text: str) -> None:
    function = one(text + USES)
    assert function.constants == ()
    hidden = function.globals[0]
    assert (hidden.number, hidden.name, hidden.type) == (1, "@g", MemRefType((2,), FloatType("f32")))
    assert [a.name for a in function.inputs()] == ["A", "@g"]


@pytest.mark.parametrize(
    ("kind", "contents", "expected"),
    [
        ("2xi1", "[true, false]", [1, 0]),
        ("2xi8", "[-1, 3]", [255, 3]),
        ("2xindex", "[-1, 3]", [-1, 3]),
        ("2x1xf64", "[[0.5], [-0.0]]", [0.5, -0.0]),
        ("2xi4", "[-1, 3]", [15, 3]),
        ("2xi128", "[18446744073709551617, -1]", [2**64 + 1, 2**128 - 1]),
        ("2xf16", "[0.5, -0.0]", [0.5, -0.0]),
        ("3xbf16", "1.5", [1.5]),
        ("2xbf16", "[1.5, -0.0]", [1.5, -0.0]),
        ("2xf8E4M3FN", "[448.0, -0.0]", [448.0, -0.0]),
        ("2xf8E4M3FNUZ", "[240.0, -0.0]", [240.0, 0.0]),
        ("f32", "2.5", [2.5]),
        ("0xf32", "[]", []),
    ],
)
def test_contents(kind: str, contents: str, expected: list[float]) -> None:
    text = f'memref.global "private" constant @g : memref<{kind}> = dense<{contents}>'
    function = one(f"{text}\nfunc.func @f() {{ %g = memref.get_global @g : memref<{kind}>\nreturn }}")
    assert repr([literal(t) for t in function.constants[0].contents]) == repr(expected)


def test_equal_constants_are_the_same_whatever_their_symbols() -> None:
    other = declared("constant @ : memref<2xf32> = dense<[1.0, 2.0]>", "h") + USES.replace("@g", "@h")
    first, second = pair(CONSTANT + USES, other)
    assert first.constants[0].number == second.constants[0].number
    assert same_program(first, second)
    differs = CONSTANT.replace("2.0", "3.0") + USES
    first, second = pair(CONSTANT + USES, differs)
    assert first.constants[0].number != second.constants[0].number
    assert not same_program(first, second)


def test_other_shapes_of_the_same_elements_are_another_constant() -> None:
    flat = one('memref.global "private" constant @g : memref<4xf32> = dense<0.0>\n' + _reads("4xf32"))
    assert literal(flat.constants[0].contents[0]) == 0.0
    pool = TermPool()
    texts = [
        f'memref.global "private" constant @g : memref<{k}> = dense<0.0>\n{_reads(k)}' for k in ("4xf32", "2x2xf32")
    ]
    numbers = {read_function(parse(t, "t.mlir"), "f", pool).constants[0].number for t in texts}
    assert len(numbers) == 2


def _reads(kind: str) -> str:
    return f"func.func @f() {{ %g = memref.get_global @g : memref<{kind}>\nreturn }}"


def test_both_sides_have_the_globals_that_one_of_them_names() -> None:
    more = declared("@ : memref<3xi32>", "b")
    first, second = pair(MUTABLE + more + USES, MUTABLE + more + IDLE)
    assert [g.name for g in first.globals] == [g.name for g in second.globals] == ["@g"]
    memories = [g.memory for f in (first, second) for g in f.globals]
    assert all(m is not None and m.id in f.memories() for m, f in zip(memories, (first, second), strict=True))
    assert not same_program(first, second)


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        (MUTABLE + USES, IDLE, "@g is no global of the other module"),
        (MUTABLE + USES, MUTABLE.replace("2.0", "3.0") + USES, "`initial_value` differs"),
        (MUTABLE + USES, EXTERNAL + USES, "differs"),
        (USES + RESOURCE, USES + RESOURCE.replace("803F", "A040"), "`initial_value` differs"),
        (MUTABLE.replace('"private" ', "") + IDLE, IDLE, "@g is no global of the other module"),
        (IDLE, CONSTANT.replace('"private" ', "") + IDLE, "@g is no global of the other module"),
        (ESCAPED + IDLE, IDLE, "@g is no global of the other module"),
        (PUBLIC + IDLE, MUTABLE + IDLE, "other modules see @g"),
        (MUTABLE + USES, PUBLIC + USES, "other modules see @g"),
    ],
)
def test_modules_have_to_agree(source: str, target: str, why: str) -> None:
    assert why in refusal(source, target)


def test_a_private_global_that_neither_function_names_does_not_count() -> None:
    first, second = pair(MUTABLE + IDLE, IDLE)
    assert first.globals == second.globals == ()


def test_public_globals_are_no_functions() -> None:
    module = parse(MUTABLE.replace('"private" ', "") + IDLE, "t.mlir")
    assert [s.name for s in functions(module)] == ["f"]


def test_a_store_to_a_constant_is_undefined() -> None:
    text = CONSTANT + USES.replace("affine.store %v, %A", "affine.store %v, %g")
    assert "assert false" in render(one(text))


def test_assertion() -> None:
    text = 'func.func @f(%c: i1) { cf.assert %c, "why"\nreturn }'
    assert "assert %c" in render(one(text))


OPAQUE = """
func.func private @h(memref<2xf32>, index) -> f32
func.func private @k()
func.func @f(%A: memref<2xf32>, %B: memref<?xi8>, %n: index) -> f32 {
  %g = memref.get_global @g : memref<2xf32>
  %l = memref.alloc() : memref<2xf32>
  %m = memref.alloc() : memref<2xf32>
  %r = func.call @h(%l, %n) : (memref<2xf32>, index) -> f32
  func.call @k() : () -> ()
  return %r : f32
}
"""


def test_a_call_reaches_arguments_globals_and_what_calls_were_given() -> None:
    function = one(MUTABLE + OPAQUE)
    calls = [s for s in walk(function.body) if isinstance(s, Call)]
    assert [[m.name for m in c.memories] for c in calls] == [["l", "A", "B", "@g"], ["A", "B", "@g", "l"]]
    assert [c.callee for c in calls] == ["h", "k"]
    assert "call @h(%n) reaching [%l, %A, %B, %@g]" in render(function)


def test_a_call_reaches_globals_that_only_the_other_function_names() -> None:
    text = MUTABLE + OPAQUE
    _, second = pair(text, text.replace("%g = memref.get_global @g : memref<2xf32>", ""))
    calls = [s for s in walk(second.body) if isinstance(s, Call)]
    assert all("@g" in [m.name for m in c.memories] for c in calls)


def test_memrefs_are_given_in_order() -> None:
    text = """
    func.func private @h(memref<2xf32>, memref<2xf32>)
    func.func @f(%A: memref<2xf32>, %B: memref<2xf32>) {
      func.call @h(%A, %B) : (memref<2xf32>, memref<2xf32>) -> ()
      return
    }
    """
    first, second = pair(text, text.replace("@h(%A, %B)", "@h(%B, %A)"))
    assert not same_program(first, second)
    first, second = pair(text, text)
    assert same_program(first, second)


def test_callees_have_to_have_one_type() -> None:
    text = "func.func private @h({0})\nfunc.func @f(%n: index) {{ func.call @h({1}) : ({0}) -> ()\nreturn }}"
    assert "@h has type" in refusal(text.format("index", "%n"), text.format("", ""))


def test_a_view_is_given_with_its_place() -> None:
    text = """
    func.func private @h(memref<2xf32, strided<[1], offset: 1>>)
    func.func @f(%A: memref<4xf32>) {
      %s = memref.subview %A[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
      func.call @h(%s) : (memref<2xf32, strided<[1], offset: 1>>) -> ()
      return
    }
    """
    (call,) = (s for s in walk(one(text).body) if isinstance(s, Call))
    assert call.viewed == (3,)
    assert [literal(t) for t in call.operands] == [1, 1, 2, 1]
