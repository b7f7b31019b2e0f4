"""The `index` dialect: each op that is read as one of `arith` computes what MLIR's own lowering of it does.

And no scalar op that is read is left without such a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import POISON, Value
from hecv.mlir.aggregates import complex_ops
from hecv.mlir.importer import HANDLERS, parse, read_function
from hecv.ops import OPERATORS
from hecv.ops.index import SYNONYMS
from hecv.run.interpreter.interpreter import Finished, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run_many

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
EDGES = (0, 1, -1, 2, 3, 7, -8, 63, 64, 2**31, -(2**31), 2**63 - 1, -(2**63))
CASTS = ("index.casts", "index.castu")
SCALAR = ("arith", "index", "math", "complex", "ub")
WRONG = {"index.ceildivs %x, %y": (2**63 - 1, -(2**63))}
"""Dividends for which convert-index-to-llvm is wrong (MLIR 22 and 24): it divides MAX + 1 by -1 for a value that
it then does not take, and negates MIN."""
ELSEWHERE = {
    "arith.constant": "test_a_constant_is_what_mlir_says",
    "index.constant": "test_a_constant_is_what_mlir_says",
    "index.bool.constant": "test_a_constant_is_what_mlir_says",
    "math.sincos": "two operators: sin and cos",
    "ub.unreachable": "no value",
    "arith.scaling_extf": "rejected",
    "arith.scaling_truncf": "rejected",
}


def lines() -> dict[str, tuple[str, ...]]:
    """The text of each op, with `%r` and the type of its result."""
    found: dict[str, tuple[str, ...]] = {
        name: (f"{name} %x, %y", "index") for name in SYNONYMS if name not in (*CASTS, "index.cmp")
    }
    found |= {f"index.cmp {p}": (f"index.cmp {p}(%x, %y)", "i1") for p in PREDICATES}
    for name, kind in product(CASTS, ("i1", "i8", "i32", "i64", "i128")):
        found[f"{name} to {kind}"] = (f"{name} %x : index to {kind}", kind)
        narrow = "" if kind == "i128" else f"%n = index.casts %x : index to {kind}\n"
        if narrow:
            found[f"{name} from {kind}"] = (f"{name} %n : {kind} to index", "index", narrow)
    return found


LINES = lines()


def check_agreement(text: str, given: Sequence[tuple[Value, ...]]) -> int:
    """How many of the inputs are defined and proper: on these both engines agree."""
    function = read_function(parse(text, "f.mlir"), "f", TermPool(), True)
    program = compile(function)
    own = [(arguments, program.run(arguments)) for arguments in given]
    proper = [(a, e) for a, e in own if isinstance(e, Finished) and POISON not in e.results]
    types, results = [a.type for a in function.arguments], [m.element for m in function.results]
    found = run_many(text, "f", [a for a, _ in proper], types, results)
    for (arguments, end), machine in zip(proper, found, strict=True):
        assert isinstance(machine, Ran) and end.results == machine.results, (text, arguments, end, machine)
    return len(proper)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("group", range(6))
def test_each_op_computes_what_mlir_does(group: int) -> None:
    """In a function of its own: one that is undefined or poison says nothing of another."""
    random = Random(group)
    given = [*product(EDGES, repeat=2), *((random.randrange(-99, 99), random.randrange(-9, 9)) for _ in range(40))]
    for name in sorted(LINES)[group::6]:
        text, result, *before = LINES[name]
        body = f"{''.join(before)}%r = {text}\nreturn %r : {result}"
        asked = [pair for pair in given if pair[0] not in WRONG.get(text, ())]
        done = check_agreement(f"func.func @f(%x: index, %y: index) -> {result} {{\n{body}\n}}", asked)
        assert done > 20, name


def test_a_constant_is_what_mlir_says() -> None:
    body = "\n".join(
        (
            "func.func @f() -> (index, i1, i8, index) {",
            "%a = index.constant -3\n%b = index.bool.constant true",
            "%c = arith.constant -3 : i8\n%d = arith.constant 9223372036854775807 : index",
            "return %a, %b, %c, %d : index, i1, i8, index\n}",
        )
    )
    assert check_agreement(body, [()]) == 1


def test_no_scalar_op_is_left_out() -> None:
    """What is neither an operator of `test_agreement` nor here is one of `tests/soundness/test_complex.py`."""
    read = {name for name in HANDLERS if name.split(".")[0] in SCALAR}
    tested = {*OPERATORS, *SYNONYMS, *complex_ops.HANDLERS, *ELSEWHERE}
    assert read - tested == set() and {*ELSEWHERE} <= read
