"""Casts of a conversion that is under way undo each other, and are functions otherwise."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

STRUCT = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"


def cast(result: str, operand: str, source: str, target: str) -> str:
    return f"{result} = builtin.unrealized_conversion_cast {operand} : {source} to {target}\n"


def function(body: str, result: str) -> str:
    arguments = "%a: i64, %n: index, %A: memref<?xi64>, %t: tensor<4xi64>"
    return f"func.func @f({arguments}) -> {result.partition(':')[2]} {{\n{body}return {result}\n}}\n"


BACK = cast("%i", "%a", "i64", "index") + cast("%b", "%i", "index", "i64")
LONG = (
    cast("%i", "%a", "i64", "index") + cast("%j", "%i", "index", "!my.number") + cast("%b", "%j", "!my.number", "i64")
)
BUFFER = cast("%s", "%A", "memref<?xi64>", STRUCT) + cast("%B", "%s", STRUCT, "memref<?xi64>")
PAIR = cast("%p", "%a, %n", "i64, index", "!my.pair") + (
    "%b, %m = builtin.unrealized_conversion_cast %p : !my.pair to i64, index\n"
)
OTHER = cast("%i", "%a", "i64", "index")
SUM = "%c = arith.addi {}, {} : i64\n"
INDICES = "%c = arith.addi {}, {} : index\n"
STEPS = cast("%s", "%a", "i64", "{0}") + cast("%i", "%s", "{0}", "index") + INDICES.format("%i", "%n")
STORE = "memref.store %a, {}[%n] : memref<?xi64>\n"

EQUAL = {
    "there and back": (BACK + SUM.format("%b", "%a"), SUM.format("%a", "%a"), "%c : i64"),
    "by way of a type without meaning": (LONG + SUM.format("%b", "%a"), SUM.format("%a", "%a"), "%c : i64"),
    "a memref": (BUFFER + STORE.format("%B"), STORE.format("%A"), "%a : i64"),
    "two values": (PAIR + SUM.format("%b", "%a"), SUM.format("%a", "%a"), "%c : i64"),
    "a tensor": (
        cast("%s", "%t", "tensor<4xi64>", "!my.t") + cast("%u", "%s", "!my.t", "tensor<4xi64>"),
        "%u = arith.addi %t, %z : tensor<4xi64>\n",
        "%u : tensor<4xi64>",
    ),
    "one way, in two steps": (STEPS.format("i32"), STEPS.format("i32"), "%c : index"),
    "one way": (OTHER + INDICES.format("%i", "%n"), OTHER + INDICES.format("%n", "%i"), "%c : index"),
}

DIFFERENT = {
    "one way, and none": (OTHER + INDICES.format("%i", "%n"), INDICES.format("%n", "%n"), "%c : index"),
    "of another value": (
        BACK + SUM.format("%b", "%a"),
        "%one = arith.constant 1 : i64\n%d = arith.addi %a, %one : i64\n" + SUM.format("%d", "%a"),
        "%c : i64",
    ),
    "to another type than before": (
        cast("%i", "%a", "i64", "index") + cast("%b", "%i", "index", "i32") + "%c = arith.extsi %b : i32 to i64\n",
        "%b = arith.trunci %a : i64 to i32\n%c = arith.extsi %b : i32 to i64\n",
        "%c : i64",
    ),
    "one way, in two steps, by another type": (STEPS.format("i32"), STEPS.format("i16"), "%c : index"),
    "one way, in two steps, and in one": (STEPS.format("i32"), OTHER + INDICES.format("%i", "%n"), "%c : index"),
    "two values exchanged": (
        PAIR + SUM.format("%b", "%a"),
        "%b = arith.index_cast %n : index to i64\n" + SUM.format("%b", "%a"),
        "%c : i64",
    ),
}


def report(source: str, target: str, result: str) -> FunctionReport:
    zero = "%z = arith.constant dense<0> : tensor<4xi64>\n"
    texts = function(zero + source, result), function(zero + target, result)
    found = check(*texts, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_casts_that_undo_each_other(name: str) -> None:
    assert report(*EQUAL[name]).verdict == "equivalent"


def test_each_step_of_casts_is_a_function() -> None:
    """The first is used by a cast alone, which does not undo it."""
    found = report(STEPS.format("!my.number"), STEPS.format("i16"), "%c : index").unknown
    assert found is not None and "is not supported here" not in found.text


@pytest.mark.parametrize("name", DIFFERENT)
def test_casts_are_not_left_out(name: str) -> None:
    assert report(*DIFFERENT[name]).verdict in ("not-equivalent", "unknown")
