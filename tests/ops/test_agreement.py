"""One meaning, three engines: the interpreter's Python, Z3 and MLIR's JIT agree on every operator.

The interpreter and Z3 are compared on values, poison and undefined behaviour, also with operands that are poison; the
total value counts where it is poison, too, because proofs speak of it. The JIT is asked only where the outcome is
defined and not poison.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from hecv.base.types import BOOL, INDEX, FloatType, IntType
from hecv.base.value import POISON, Buffer, Scalar
from hecv.ops import OPERATORS
from hecv.run.interpreter.interpreter import Finished, Undefined
from hecv.run.jit.float_emulation.bfloat_emulation import IN_F32
from hecv.smt.term_encoding import CHOOSING

from . import machine
from .cases import Case, cases, inputs
from .engines import Formulas, Given, Result, compiled, run, same, texts

Expected = list[tuple[Given, Scalar | None]]


def no_value(case: Case) -> str:
    """Why Z3 knows no value of a case, empty where it does."""
    if case.operator.uninterpreted:
        return "any function will do"
    if case.operator.name == "arith.remf":
        return "Z3 has no fmod"
    if case.operator.name == "math.ipowi" and case.result not in map(IntType, (1, 2, 3, 4, 8)):
        return "too many products"
    return ""


def no_machine(case: Case) -> str:
    """Why MLIR cannot run a case, empty where it can."""
    types, name = {*case.types, case.result}, case.operator.name
    if FloatType("bf16") in types and name not in IN_F32 | {"arith.bitcast", "arith.select", "arith.extf"}:
        return "the JIT does bf16 in f32, where another rounding would show"
    if INDEX in types and (name.startswith("math.") or name.endswith("_extended")):
        return "the JIT lowers these on iN and floats only"
    if dict(case.attributes).get("rounding", "to_nearest_even") != "to_nearest_even":
        return "LLVM's constrained conversions expect the mode to be set in the processor, where it is to nearest"
    if name == "arith.floordivsi" and case.result == IntType(128):
        return "arith-expand writes the -1 that it adds as 2**64 - 1 in i128 (MLIR 22 and 24)"
    if name == "math.fpowi" and BOOL in types:
        return "convert-math-to-funcs shifts the exponent by 1, which i1 cannot: the loop does not end"
    return ""


def with_poison(given: Sequence[Given]) -> list[Given]:
    """A few inputs, with each set of operands poison."""
    few = given[:: max(1, len(given) // 12)]
    masks = [m for m in itertools.product((False, True), repeat=len(given[0])) if any(m)]
    return [tuple(POISON if p else v for v, p in zip(x, m, strict=True)) for x in few for m in masks]


@pytest.mark.one_in(15)
@pytest.mark.parametrize("name", OPERATORS)
def test_engines_agree(name: str) -> None:
    assert cases(name), f"{name} has no signature that MLIR accepts: say in cases.py what it is made of"
    check_agreement(cases(name), 64)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", OPERATORS)
def test_engines_agree_on_narrow_index(name: str) -> None:
    check_agreement([case for case in cases(name) if INDEX in (*case.types, case.result)], 32)


def check_agreement(chosen: Sequence[Case], index_width: int) -> None:
    asked: dict[Case, Expected] = {}
    for case in chosen:
        given = inputs(case, index_width)
        given += with_poison(given)
        found = list(map(texts(case, index_width), given))
        check_solver(case, given, found, index_width)
        check_runs(case, given, found, index_width)
        if not no_machine(case):
            asked[case] = [(x, r.value) for x, r in zip(given, found, strict=True) if r.proper and POISON not in x]
    if asked:
        check_machine(asked, index_width)


def check_solver(case: Case, given: Sequence[Given], found: Sequence[Result], index_width: int) -> None:
    """Z3 says of each input what the interpreter says."""
    formulas = Formulas(case, index_width)
    for x, python in zip(given, found, strict=True):
        z3 = formulas.result(x)
        if no_value(case) and (z3 is None or z3.value is None):
            continue
        assert z3 is not None, f"{case}: Z3 does not decide {x}"
        assert (python.poison, python.ub) == (z3.poison, z3.ub), f"{case}: {x} is {python}, in Z3 {z3}"
        assert same(python.value, z3.value, case.result, index_width), f"{case}: {x} is {python}, in Z3 {z3}"


def check_runs(case: Case, given: Sequence[Given], found: Sequence[Result], index_width: int) -> None:
    """Runs the op over all inputs that are defined, and over a few that are not, one by one."""
    executable = compiled(case, index_width)
    defined = [k for k, r in enumerate(found) if (r.poison and not r.ub) or (r.proper and fits(r, case, index_width))]
    outcome = run(executable, case, [given[k] for k in defined])
    assert isinstance(outcome, Finished), f"{case}: {outcome}"
    results = outcome.arguments[-1]
    assert isinstance(results, Buffer)
    for k, value in zip(defined, results.data, strict=True):
        expected = POISON if found[k].poison else found[k].value
        assert same(value, expected, case.result, index_width), f"{case}: {given[k]} gives {value}"
    for k in [k for k, r in enumerate(found) if r.ub][:3]:
        assert isinstance(run(executable, case, [given[k]]), Undefined), f"{case}: {given[k]} is defined"


def fits(result: Result, case: Case, index_width: int) -> bool:
    """Index arithmetic that overflows is outside the interpreter's assumptions."""
    half = 1 << (index_width - 1)
    return case.result != INDEX or (isinstance(result.value, int) and -half <= result.value < half)


def check_machine(asked: dict[Case, Expected], index_width: int) -> None:
    """The JIT says of each input what the interpreter says, where that is defined and not poison."""
    answers = machine.run(list(asked), [[x for x, _ in expected] for expected in asked.values()], index_width)
    for (case, expected), answer in zip(asked.items(), answers, strict=True):
        assert isinstance(answer, list), f"{case}: the JIT says {answer}"
        for (x, left), right in zip(expected, answer, strict=True):
            either = case.operator.name in CHOOSING and left == right == 0  # the sign of zero is left open
            alike = either or same(left, right, case.result, index_width)
            assert alike, f"{case}: {x} gives {left} in the interpreter and {right} in the JIT"
