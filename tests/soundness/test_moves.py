"""Ops that read bits or shapes in another way, against MLIR's execution: `vector.bitcast`, `tensor.reshape`,
`linalg.softmax`."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import read_function
from hecv.run.interpreter.interpreter import Finished, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run

from .running import parsed


def verdict(source: str, target: str) -> str:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0].verdict


def agree(text: str, *arguments: Buffer) -> None:
    """Interpreter and JIT leave the same in the last argument, which takes the result."""
    found = read_function(parsed(text), "f", TermPool(), True)
    own = compile(found).run(arguments)
    other = run(text, "f", arguments, [a.type for a in found.arguments], [m.element for m in found.results])
    assert isinstance(own, Finished) and isinstance(other, Ran), (own, other)
    assert repr(own.arguments[-1]) == repr(other.arguments[-1])


def cast(source: str, target: str) -> str:
    return (
        f"func.func @f(%v: vector<{source}>) -> vector<{target}> {{\n"
        f"%r = vector.bitcast %v : vector<{source}> to vector<{target}>\nreturn %r : vector<{target}>\n}}"
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        *[("4xi32", "8xi16"), ("4xi32", "2xi64"), ("2x4xi8", "2x1xi32"), ("2xi64", "16xi8"), ("4xi32", "4xf32")],
        *[("8xi1", "1xi8"), ("1xi8", "8xi1")],
    ],
)
def test_bits_read_as_another_vector(source: str, target: str) -> None:
    width = int(source.rpartition("i")[2])
    shapes = [tuple(int(n) for n in t.split("x")[:-1]) for t in (source, target)]
    random = Random(3)
    count = shapes[0][0] * (shapes[0][1] if len(shapes[0]) > 1 else 1)
    for _ in range(3):
        # No NaN: which one an encoding is, a run does not say.
        data = [random.randrange(1 << width) & ~(1 << 30) for _ in range(count)]
        size = shapes[1][0] * (shapes[1][1] if len(shapes[1]) > 1 else 1)
        zero = 0.0 if "f" in target else 0
        agree(cast(source, target), Buffer(shapes[0], data), Buffer(shapes[1], [zero] * size))


@pytest.mark.one_in(2)
def test_casts_in_two_steps() -> None:
    two = (
        "func.func @f(%v: vector<4xi32>) -> vector<2xi64> {\n"
        "%a = vector.bitcast %v : vector<4xi32> to vector<8xi16>\n"
        "%r = vector.bitcast %a : vector<8xi16> to vector<2xi64>\nreturn %r : vector<2xi64>\n}"
    )
    assert verdict(cast("4xi32", "2xi64"), two) == "equivalent"
    swapped = two.replace(
        "%r = ", "%s = vector.shuffle %a, %a [1, 0, 2, 3, 4, 5, 6, 7] : vector<8xi16>, vector<8xi16>\n%r = "
    )
    assert verdict(cast("4xi32", "2xi64"), swapped.replace("bitcast %a :", "bitcast %s :")) == "not-equivalent"


RESHAPE = (
    "func.func @f(%t: tensor<2x3xf32>) -> tensor<6xf32> {\n%s = arith.constant dense<6> : tensor<1xi32>\n"
    "%r = tensor.reshape %t(%s) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>\nreturn %r : tensor<6xf32>\n}"
)


def test_a_reshaped_tensor() -> None:
    agree(RESHAPE, Buffer((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Buffer((6,), [0.0] * 6))
    collapsed = (
        "func.func @f(%t: tensor<2x3xf32>) -> tensor<6xf32> {\n"
        "%r = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>\nreturn %r : tensor<6xf32>\n}"
    )
    assert verdict(RESHAPE, collapsed) == "equivalent"
    turned = collapsed.replace(
        "%r = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xf32>",
        "%e = tensor.empty() : tensor<3x2xf32>\n%u = linalg.transpose ins(%t : tensor<2x3xf32>) "
        "outs(%e : tensor<3x2xf32>) permutation = [1, 0]\n%r = tensor.collapse_shape %u [[0, 1]] : tensor<3x2xf32>",
    )
    assert verdict(RESHAPE, turned) == "not-equivalent"


OPEN = (
    "func.func @f(%t: tensor<?x3xf32>, %n: index) -> tensor<?xf32> {{\n%c0 = arith.constant 0 : index\n"
    "%c3 = arith.constant 3 : index\n%d = tensor.dim %t, %c0 : tensor<?x3xf32>\n%m = arith.muli %d, %c3 : index\n"
    "{0}\nreturn %r : tensor<?xf32>\n}}"
)
RESHAPED = (
    "%s = tensor.from_elements {} : tensor<1xindex>\n"
    "%r = tensor.reshape %t(%s) : (tensor<?x3xf32>, tensor<1xindex>) -> tensor<?xf32>"
)
COLLAPSED = "%r = tensor.collapse_shape %t [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>"


def test_a_tensor_of_open_shape() -> None:
    """A shape that does not fit is undefined, so the target may not have one."""
    assert verdict(OPEN.format(RESHAPED.format("%m")), OPEN.format(COLLAPSED)) == "equivalent"
    assert verdict(OPEN.format(RESHAPED.format("%n")), OPEN.format(COLLAPSED)) in ("refines", "unknown")
    assert verdict(OPEN.format(COLLAPSED), OPEN.format(RESHAPED.format("%n"))) == "not-equivalent"


BITS = "func.func @f(%t: tensor<?xf32>) -> tensor<?xi32> {{\n{}\nreturn %r : tensor<?xi32>\n}}"


def test_bits_of_a_tensor() -> None:
    own, elementwise = (
        BITS.format(f"%r = {dialect}.bitcast %t : tensor<?xf32> to tensor<?xi32>") for dialect in ("tensor", "arith")
    )
    assert verdict(own, elementwise) == "equivalent"
    other = BITS.format("%a = math.absf %t : tensor<?xf32>\n%r = tensor.bitcast %a : tensor<?xf32> to tensor<?xi32>")
    assert verdict(own, other) == "not-equivalent"


def softmax(dimension: int) -> str:
    return (
        "func.func @f(%t: tensor<2x3xf32>) -> tensor<2x3xf32> {\n%e = tensor.empty() : tensor<2x3xf32>\n"
        f"%r = linalg.softmax dimension({dimension}) ins(%t : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)"
        " -> tensor<2x3xf32>\nreturn %r : tensor<2x3xf32>\n}"
    )


def test_softmax_computes_what_mlir_does() -> None:
    for dimension in (0, 1):
        agree(softmax(dimension), Buffer((2, 3), [1.0, -2.0, 0.5, 4.0, 0.0, 3.0]), Buffer((2, 3), [0.0] * 6))
    assert verdict(softmax(1), softmax(1)) == "equivalent"
    assert verdict(softmax(1), softmax(0)) != "equivalent"
