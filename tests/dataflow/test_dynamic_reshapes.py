"""Reshapes of tensors of which sizes are not known: undone, and beside ops on each element."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

ARGUMENTS = "%a: tensor<?x?xf32>, %t: tensor<?x?x?xf32>, %v: tensor<?xf32>, %m: index, %n: index"
SIZES = "".join(f"%c{k} = arith.constant {k} : index\n" for k in range(3)) + "".join(
    f"%{name}{k} = tensor.dim %{name}, %c{k} : tensor<{'?x' * rank}f32>\n"
    for name, rank in (("a", 2), ("t", 3), ("v", 1))
    for k in range(rank)
)
TYPES = {rank: f"tensor<{'?x' * rank}f32>" for rank in (1, 2, 3)}
ROWS, FIRST, LAST = "[[0, 1]]", "[[0, 1], [2]]", "[[0], [1, 2]]"


def function(body: str, rank: int) -> str:
    return f"func.func @f({ARGUMENTS}) -> {TYPES[rank]} {{\n{SIZES}{body}return %r : {TYPES[rank]}\n}}\n"


def collapse(result: str, operand: str, groups: str, ranks: tuple[int, int]) -> str:
    return f"{result} = tensor.collapse_shape {operand} {groups} : {TYPES[ranks[0]]} into {TYPES[ranks[1]]}\n"


def expand(result: str, operand: str, groups: str, shape: str, ranks: tuple[int, int]) -> str:
    kinds = f"{TYPES[ranks[0]]} into {TYPES[ranks[1]]}"
    return f"{result} = tensor.expand_shape {operand} {groups} output_shape [{shape}] : {kinds}\n"


def negated(result: str, operand: str, rank: int, op: str = "negf") -> str:
    """An op on each element, in a tensor of the same sizes."""
    sizes = [f"%{result[1:]}s{k}" for k in range(rank)]
    dims = "".join(f"{s} = tensor.dim {operand}, %c{k} : {TYPES[rank]}\n" for k, s in enumerate(sizes))
    empty = f"%{result[1:]}e = tensor.empty({', '.join(sizes)}) : {TYPES[rank]}\n"
    kinds = f"ins({operand} : {TYPES[rank]}) outs(%{result[1:]}e : {TYPES[rank]})"
    return f"{dims}{empty}{result} = linalg.{op} {kinds} -> {TYPES[rank]}\n"


A, T = "tensor.cast %a : tensor<?x?xf32> to tensor<?x?xf32>", "tensor.cast %t : tensor<?x?x?xf32> to tensor<?x?x?xf32>"

EQUAL = {
    "collapsed and expanded": (
        collapse("%c", "%a", ROWS, (2, 1)) + expand("%r", "%c", ROWS, "%a0, %a1", (1, 2)),
        f"%r = {A}\n",
        2,
    ),
    "the first two dimensions": (
        collapse("%c", "%t", FIRST, (3, 2)) + expand("%r", "%c", FIRST, "%t0, %t1, %t2", (2, 3)),
        f"%r = {T}\n",
        3,
    ),
    "the last two dimensions": (
        collapse("%c", "%t", LAST, (3, 2)) + expand("%r", "%c", LAST, "%t0, %t1, %t2", (2, 3)),
        f"%r = {T}\n",
        3,
    ),
    "negated after and before": (
        collapse("%c", "%a", ROWS, (2, 1)) + negated("%r", "%c", 1),
        negated("%g", "%a", 2) + collapse("%r", "%g", ROWS, (2, 1)),
        1,
    ),
    "the exponential, of three dimensions": (
        collapse("%c", "%t", LAST, (3, 2)) + negated("%r", "%c", 2, "exp"),
        negated("%g", "%t", 3, "exp") + collapse("%r", "%g", LAST, (3, 2)),
        2,
    ),
    "negated in between": (
        collapse("%c", "%a", ROWS, (2, 1)) + negated("%g", "%c", 1) + expand("%r", "%g", ROWS, "%a0, %a1", (1, 2)),
        negated("%r", "%a", 2),
        2,
    ),
}

WRONG = {
    "the sizes exchanged": (
        collapse("%c", "%a", ROWS, (2, 1)) + expand("%r", "%c", ROWS, "%a1, %a0", (1, 2)),
        f"%r = {A}\n",
        2,
    ),
    "another op": (
        collapse("%c", "%a", ROWS, (2, 1)) + negated("%r", "%c", 1),
        negated("%g", "%a", 2, "abs") + collapse("%r", "%g", ROWS, (2, 1)),
        1,
    ),
    "transposed": (
        collapse("%r", "%a", ROWS, (2, 1)),
        "%e = tensor.empty(%a1, %a0) : tensor<?x?xf32>\n%x = linalg.transpose ins(%a : tensor<?x?xf32>) "
        "outs(%e : tensor<?x?xf32>) permutation = [1, 0]\n" + collapse("%r", "%x", ROWS, (2, 1)),
        1,
    ),
    "once and twice": (
        collapse("%c", "%a", ROWS, (2, 1)) + negated("%g", "%c", 1) + negated("%r", "%g", 1),
        negated("%g", "%a", 2) + collapse("%r", "%g", ROWS, (2, 1)),
        1,
    ),
}


def report(source: str, target: str, rank: int) -> FunctionReport:
    found = check(function(source, rank), function(target, rank), ("s.mlir", "t.mlir"), Options(seconds=60))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_the_same_elements(name: str) -> None:
    assert report(*EQUAL[name]).verdict == "equivalent"


@pytest.mark.parametrize("name", WRONG)
def test_other_elements(name: str) -> None:
    assert report(*WRONG[name]).verdict in ("not-equivalent", "unknown")
