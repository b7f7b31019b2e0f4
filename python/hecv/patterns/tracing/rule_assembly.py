"""Assembles the paths of a body into patterns, branches and laws of the calculus."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hecv.patterns.calculus.body_paths import condition_of, conjuncts
from hecv.patterns.calculus.guard_expressions import needed, variables
from hecv.patterns.calculus.pattern_ast import Alternate, Branch, Definition, Known, Parameter, Pattern, Rule
from hecv.patterns.tracing.body_tracing import Traced
from hecv.patterns.tracing.path_lowering import assembled


def alternates(found: Traced, parameters: Sequence[str], kept: Sequence[str]) -> list[Pattern]:
    """The patterns of a body, one for each group of paths.

    Raises: Misuse if one leaves a variable unbound.
    """
    made: list[Pattern] = []
    for outcome, chosen in found.groups("left"):
        assert outcome.left is not None
        guards = [*conjuncts(condition_of(found.paths, chosen))]
        made.append(assembled(outcome.left, guards, [*parameters, *kept], kept))
    return made


def either(alternates: Sequence[Pattern]) -> Pattern:
    """The alternates as one pattern: the first that matches."""
    return reduce(lambda later, first: Alternate(first, later), reversed(alternates))


def branches_of(found: Traced) -> tuple[Branch, ...]:
    """The branches of a rule: the replacement of each group of paths."""
    made: list[Branch] = []
    for outcome, chosen in found.groups("right"):
        assert outcome.right is not None
        made.append(Branch(condition_of(found.paths, chosen), outcome.right))
    return tuple(made)


def stated(name: str, found: Traced, own: tuple[Parameter, ...]) -> tuple[Definition, Rule]:
    """A law as a definition and a rule. Local variables that its right side needs become parameters.

    Raises: Misuse if it leaves a variable unbound.
    """
    body, branches = found.body, branches_of(found)
    if len(branches) == 1:
        # The definition has the guards already.
        branches = (Branch(Known(True), branches[0].replacement),)
    wanted = {n for b in branches for n in (*needed(b.replacement), *variables(b.guard))}
    kept = sorted(wanted - {*body.parameters})
    patterns = alternates(found, body.parameters, kept)
    lefts = [path.outcome.left for path in found.paths if path.outcome is not None]
    locals_ = {p.name: p for left in lefts if left is not None for p in left.locals}
    parameters = (*own, *[locals_[label] for label in kept])
    return Definition(name, parameters, either(patterns), body.place), Rule(
        name, name, parameters, branches, body.place
    )
