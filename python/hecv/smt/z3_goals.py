"""Decides goals by Z3 within limits on its work, and fails closed.

A goal that follows only because its premises contradict each other says nothing: it is `Vacuous`, not `Proved`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from hecv.smt.z3_theory import Z3, Formula, Truth

SEED: Final = 7
WORK: Final = 2_500
"""Z3's units of work (`rlimit`) per millisecond. They are the limit, so that a verdict does not depend on how busy
the machine is; the clock may run up to `PATIENCE` times as long."""

PATIENCE: Final = 3

MEGABYTES: Final = 2048

Model = dict[str, int | float | bool]
"""Values of free variables by name; for a bit-vector its residue."""


class Proved(Struct, frozen=True):
    """The goal holds wherever the premises do, and they hold somewhere."""


class Vacuous(Struct, frozen=True):
    """The premises contradict each other."""

    reason: str = "the premises exclude each other"


class Refuted(Struct, frozen=True):
    """The premises hold and the goal does not, at `model`: the relevant free variables, by name."""

    model: Model


class Unknown(Struct, frozen=True):
    """Z3 gave up; why."""

    reason: str


Decision = Proved | Vacuous | Refuted | Unknown


def decide(goal: Truth, premises: Sequence[Truth] = (), milliseconds: int = 2000) -> Decision:
    """Decides whether `premises` imply `goal` for all values of the free variables, with work worth `milliseconds`.

    Requires: all are of one Z3 context.
    """
    try:
        found, evidence = _check([*premises, Z3.Not(goal)], milliseconds)
        if found == Z3.sat:
            return Refuted(_values(evidence))
        if found != Z3.unsat:
            return Unknown(evidence)
        found, evidence = _check(premises, milliseconds) if premises else (Z3.sat, None)
        if found == Z3.unknown:
            return Unknown(f"the premises may exclude each other: {evidence}")
        return Proved() if found == Z3.sat else Vacuous()
    except (Z3.Z3Exception, MemoryError) as error:
        return Unknown(f"Z3 failed: {error}")


def _check(formulas: Sequence[Truth], milliseconds: int) -> tuple[Any, Any]:
    """Z3's answer, with the model where it is `sat` and the reason where it is `unknown`."""
    solver = Z3.Solver(ctx=formulas[0].ctx)
    solver.set("timeout", milliseconds * PATIENCE)
    solver.set("rlimit", milliseconds * WORK)
    solver.set("max_memory", MEGABYTES)
    solver.set("random_seed", SEED)
    solver.add(*formulas)
    answer = solver.check()
    if answer == Z3.sat:
        return answer, solver.model()
    return answer, solver.reason_unknown() if answer == Z3.unknown else None


def _values(model: Any) -> Model:
    """The values of the free variables in a model, without functions."""
    found: Model = {}
    for declaration in model.decls():
        if declaration.arity() == 0:
            found[declaration.name()] = python_value(model[declaration])
    return found


def python_value(value: Formula) -> int | float | bool:
    """A literal of Z3 as a Python value: of a bit-vector, the residue."""
    if Z3.is_bv_value(value) or Z3.is_int_value(value):
        return value.as_long()
    if Z3.is_fp_value(value):
        return _float(value)
    return Z3.is_true(value)


def _float(value: Formula) -> float:
    if value.isNaN():
        return float("nan")
    if value.isInf():
        return float("-inf" if value.isNegative() else "inf")
    if value.isZero():
        return -0.0 if value.isNegative() else 0.0
    significant = value.sort().sbits()
    magnitude = value.significand_as_long() | (0 if value.isSubnormal() else 1 << (significant - 1))
    least = 2 - (1 << (value.sort().ebits() - 1))
    exponent = least if value.isSubnormal() else value.exponent_as_long(biased=False)
    return float.fromhex(f"{'-' if value.isNegative() else ''}0x{magnitude:x}p{exponent - significant + 1}")
