"""Root conditions of rules: how a left side finds its root so that no class makes terms of itself without end."""

from __future__ import annotations

from collections.abc import Callable

from hecv.egraph.session import pattern
from hecv.ops import facts_about
from hecv.patterns.equations.equations import Equation, Operation, Pattern


def conditions(name: str, equation: Equation, symbol: int, text: Callable[[Pattern], str]) -> list[str]:
    """The facts of a rule by which `name` is the root of a left side with this symbol.

    The root of a law that multiplies must be in another class than its operands.
    """
    left = equation.left
    assert isinstance(left, Operation), equation
    operands = [text(a) for a in left.args]
    if not multiplies(left, equation.right):
        return [f"(= {name} {pattern(symbol, *operands)})"]
    parts = [f"{name}{k}" for k in range(len(operands))]
    found = [f"(= {part} {operand})" for part, operand in zip(parts, operands, strict=True)]
    return [f"(= {name} {pattern(symbol, *parts)})", *found, *[f"(!= {name} {part})" for part in parts]]


def multiplies(left: Operation, right: Pattern) -> bool:
    """Whether a law makes one term of two of its kind, under an idempotent operator.

    A class that is its own conjunction then gets as many forms as there were pairs of them, and so on: after a few
    rounds there are more than any budget holds.
    """
    if not facts_about(left.op).idempotent or not isinstance(right, Operation):
        return False
    return all(isinstance(a, Operation) and (a.op, a.attrs) == (right.op, right.attrs) for a in left.args)
