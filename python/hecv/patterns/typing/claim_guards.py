"""The guards of a claim by use: decided for each choice of types, computed for literals, or assumed as premises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hecv.patterns.calculus.claim_unfolding import LOCAL, Claim, NotStatic, mentioned
from hecv.patterns.calculus.guard_expressions import needed, postfix
from hecv.patterns.calculus.pattern_ast import (
    AttributeOf,
    Build,
    Compute,
    Computed,
    Defined,
    Expression,
    Holds,
    Known,
    Replacement,
)


@dataclass(slots=True)
class Guards:
    """The guards of a claim.

    `plain`: Python expressions on types and the values of literals. `where`: terms over literals that must be 1.
    `given`: operators that must be defined. `literals`: variables for literals. `numbers`: local variables that are
    literals of these values.
    """

    plain: list[Expression] = field(default_factory=list[Expression])
    where: list[Replacement] = field(default_factory=list[Replacement])
    given: list[Replacement] = field(default_factory=list[Replacement])
    literals: set[str] = field(default_factory=set[str])
    numbers: dict[str, Expression] = field(default_factory=dict[str, Expression])


def guards_of(claim: Claim) -> Guards:
    """The guards of a claim.

    Raises: NotStatic if a condition on literals, or a premise, is not a conjunct.
    """
    found = Guards()
    for guard in claim.guards:
        for one in conjuncts(guard):
            _sort(one, found)
    if any(_is_mixed(e) for e in (*found.plain, *claim.excluded)):
        raise NotStatic("it has conditions by operators on literals beside others in one `or`")
    return found


def conjuncts(guard: Expression) -> Iterator[Expression]:
    """The conjuncts of a guard."""
    if isinstance(guard, Compute) and guard.op == "and":
        for argument in guard.args:
            yield from conjuncts(argument)
    elif guard != Known(True):
        yield guard


def _sort(guard: Expression, found: Guards) -> None:
    match guard:
        case Holds(term=term):
            found.where.append(term)
        case Compute("not", (Holds(term=term),)):
            found.where.append(Build("arith.xori", (term, Computed(Known(True)))))
        case Defined(term=term):
            found.given.append(term)
        case AttributeOf(variable=variable, path=("literal",)):
            found.literals.add(variable)
        case Compute("==", (AttributeOf(variable=variable, path=("value",)), Compute("wrap", (value, _)))) if (
            LOCAL in variable and not any(a.path == ("value",) for a in mentioned(value))
        ):
            found.numbers[variable] = value
        case _:
            found.plain.append(guard)


def _is_mixed(expression: Expression) -> bool:
    return any(isinstance(part, Holds | Defined) for part in postfix(expression))


def literals_asked(expression: Expression) -> set[str]:
    """The variables whose values, as literals, an expression depends on."""
    found = {a.variable for a in mentioned(expression) if a.path in (("value",), ("literal",))}
    terms = [part.term for part in postfix(expression) if isinstance(part, Holds)]
    return found.union(*[leaves(term) for term in terms])


def leaves(term: Replacement) -> frozenset[str]:
    """The variables whose values, and not only types or attributes, a term depends on."""
    match term:
        case Build(args=args):
            return frozenset[str]().union(*map(leaves, args))
        case Computed():
            return frozenset()
        case _:
            return needed(term)
