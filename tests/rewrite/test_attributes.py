"""Attributes and types between MLIR and rules: read as plain data, and made again as the op wants them."""

from __future__ import annotations

import pytest

from hecv.mlir.ssa.ssa_printer import text
from hecv.patterns.calculus.pattern_ast import Value
from hecv.rewrite.block_subject import BlockSubject
from hecv.rewrite.greedy_rewriting import rewrite

from .programs import body, program, rules

CASES = {
    "predicate": (
        "def p(x, y): return arith.cmpi(x, y, predicate='slt')",
        "def r(x, y): return arith.cmpi(y, x, predicate='sgt')",
        "%r = arith.cmpi slt, %i, %j : i32",
        "%r : i1",
        "%r = arith.cmpi sgt, %j, %i : i32",
    ),
    "flags": (
        "def p(x, y): return arith.addi(x, y)",
        "def r(x, y): return arith.subi(x, y, overflow='nsw')",
        "%r = arith.addi %i, %j : i32",
        "%r : i32",
        "%r = arith.subi %i, %j overflow<nsw> : i32",
    ),
    "array": (
        "def p(x): return tosa.transpose(tosa.transpose(x, perms=(1, 0)), perms=(1, 0))",
        "def r(x): return tosa.transpose(x, perms=(0, 1))",
        "%q = tosa.transpose %t {perms = array<i32: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
        "%r = tosa.transpose %q {perms = array<i32: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>",
        "%r : tensor<2x3xf32>",
        "%r = tosa.transpose %t {perms = array<i32: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    "of-a-variable": (
        "def p(x, y, f):\n    assert f in (arith.addf, arith.mulf) and y.value == 1.0\n    return f(x, y)",
        "def r(x, y, f): return f(y, x)",
        "%one = arith.constant 1.0 : f32\n%r = arith.mulf %u, %one fastmath<nnan,ninf> : f32",
        "%r : f32",
        "%r = arith.mulf %one, %u fastmath<nnan,ninf> : f32",
    ),
    "custom": (
        "def p(x): return my_op(x, mode='fast', sizes=(1, 2))",
        "def r(x): return my_op(x, mode='slow', sizes=(3,), scale=0.5, count=2)",
        '%r = "my.op"(%u) {mode = "fast", sizes = array<i64: 1, 2>} : (f32) -> f32',
        "%r : f32",
        '%r = "my.op"(%u) {count = 2 : i64, mode = "slow", scale = 5.000000e-01 : f32, sizes = array<i64: 3>} '
        ": (f32) -> f32",
    ),
    "of-a-dialect-that-was-not-there": (
        "def p(x): return my_op(x)",
        "def r(x): return tosa.abs(x)",
        '%r = "my.op"(%t) : (tensor<2x3xf32>) -> tensor<2x3xf32>',
        "%r : tensor<2x3xf32>",
        "%r = tosa.abs %t : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    "torch": (
        "def p(x): return torch.aten.relu(torch.aten.relu(x))",
        "def r(x): return torch.aten.relu(x)",
        "%q = torch.aten.relu %v : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>\n"
        "%r = torch.aten.relu %q : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>",
        "%r : !torch.vtensor<[4],f32>",
        "%r = torch.aten.relu %v : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>",
    ),
}
ARGUMENTS = "%i: i32, %j: i32, %t: tensor<2x3xf32>, %u: f32, %v: !torch.vtensor<[4],f32>"


@pytest.mark.parametrize("name", CASES)
def test_attributes_of_a_replacement(name: str) -> None:
    pattern, replacement, ops, result, expected = CASES[name]
    declared = "@op('my.op')\ndef my_op(x, *, mode, sizes, scale, count): ...\n"
    file = rules(f"from hecv.rules import torch\n{declared}@pattern\n{pattern}\n@rule(p)\n{replacement}\n")
    found = program(ARGUMENTS, ops, result, file=file)
    assert rewrite(found, file).uses == {"r": 1}
    assert expected in body(text(found))


KNOWN: list[tuple[str, tuple[str, ...], Value | None]] = [
    ("t", ("type",), "tensor<2x?xf32>"),
    ("t", ("elType",), "f32"),
    ("t", ("width",), 32),
    ("t", ("rank",), 2),
    ("t", ("shape", "0"), 2),
    ("t", ("shape", "1"), None),
    ("t", ("shape",), None),
    ("t", ("op",), None),
    ("s", ("rank",), 0),
    ("s", ("shape",), ()),
    ("s", ("uses",), 2),
    ("c", ("value",), -3),
    ("d", ("value",), 0.5),
    ("d", ("shape",), (4,)),
    ("e", ("value",), None),
    ("r", ("op",), "arith.addi"),
    ("r", ("overflow",), "nsw,nuw"),
    ("r", ("fastmath",), None),
    ("p", ("predicate",), "ule"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "path", "expected"), KNOWN, ids=lambda v: str(v))
def test_attributes_of_values(name: str, path: tuple[str, ...], expected: Value | None) -> None:
    """What is dynamic, no literal, or not there is not known."""
    ops = (
        "%c = arith.constant -3 : i8\n%d = arith.constant dense<0.5> : tensor<4xf32>\n"
        "%e = arith.constant dense<[1, 2]> : tensor<2xi8>\n"
        "%r = arith.addi %s, %s overflow<nsw, nuw> : i16\n%p = arith.cmpi ule, %r, %r : i16\n"
        '"some.use"(%t) : (tensor<2x?xf32>) -> ()'
    )
    found = program("%t: tensor<2x?xf32>, %s: i16", ops, "%p : i1")
    made = [found.op(k) for k in found.ops(0)]
    values = {n: op.results[0] for n, op in zip("cderp", made, strict=False)}
    values |= {"s": made[3].operands[0], "t": made[5].operands[0]}
    known = BlockSubject.of(found, {}, 0).attribute(values[name], path)
    assert known == expected and type(known) is type(expected)


def test_the_types_of_ops_inside_a_replacement() -> None:
    """An op of tosa says the shape of its result and not the elements, for which the bindings abort the process."""
    file = rules(
        """
        @pattern
        def p(x): return tosa.exp(tosa.exp(x))
        @rule(p)
        def r(x): return tosa.exp(tosa.abs(x))
        """
    )
    kind = "tensor<4xf32>"
    ops = f'%q = tosa.exp %x : ({kind}) -> {kind}\n%r = tosa.exp %q {{note = loc("a")}} : ({kind}) -> {kind}'
    found = program(f"%x: {kind}", ops, f"%r : {kind}", file=file)
    assert rewrite(found, file).uses == {"r": 1}
    assert [line.split(" = ")[1] for line in body(text(found))[:2]] == [
        f"tosa.abs %x : ({kind}) -> {kind}",
        f"tosa.exp %r : ({kind}) -> {kind}",
    ]
