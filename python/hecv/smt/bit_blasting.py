"""Bit-blasting: decides small bit-vector formulas by simplification and then SAT.

Z3's general solver takes twice as long on these, most of it for set-up.
"""

from __future__ import annotations

from typing import Any, Final

from hecv.smt.z3_goals import PATIENCE, SEED, WORK
from hecv.smt.z3_theory import Z3, Truth

STEPS: Final = (
    "simplify",
    "propagate-values",
    "solve-eqs",
    "elim-uncnstr",
    "simplify",
    "max-bv-sharing",
    "bit-blast",
    "simplify",
    "sat",
)
"""Z3's tactics, in turn."""


class Blaster:
    """Decides formulas of one Z3 context, with work worth `milliseconds` for each."""

    def __init__(self, context: Any, milliseconds: int) -> None:
        first, *rest = [Z3.Tactic(step, ctx=context) for step in STEPS]
        for step in rest:
            first = Z3.AndThen(first, step)
        self._tactic: Final = first
        self._limits: Final = Z3.ParamsRef(context)
        self._limits.set("timeout", milliseconds * PATIENCE)
        self._limits.set("rlimit", milliseconds * WORK)
        self._limits.set("random_seed", SEED)

    def holds(self, goal: Truth) -> bool | None:
        """True if a formula over bit-vectors only holds for all values, False if not, None if Z3 does not say."""
        try:
            solver = self._tactic.solver()
            # `Solver.set` makes and checks parameters anew for each.
            Z3.Z3_solver_set_params(self._tactic.ctx.ref(), solver.solver, self._limits.params)
            solver.add(Z3.Not(goal))
            answer = solver.check()
        except (Z3.Z3Exception, MemoryError):
            return None
        return None if answer == Z3.unknown else answer == Z3.unsat
