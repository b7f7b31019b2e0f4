"""Premises of laws: facts that hold wherever a term is neither undefined nor poison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes, Term, postorder
from hecv.base.theory import FALSE, Outcome, Variable, sort_of
from hecv.base.types import ScalarType
from hecv.ops import OPERATORS
from hecv.ops.registry import Operator
from hecv.patterns.equations.equations import Operation

FLAGS: Final = ("exact", "nneg", "disjoint")


class Premise(Struct, frozen=True):
    """A premise on operands: the operator with `flag` (or without any) is not undefined on them, and makes no poison.
    `nsw` and `nuw` stand for themselves."""

    op: str
    flag: str
    type: ScalarType
    operands: tuple[ScalarType, ...]


class Fact(Struct, frozen=True):
    """A premise that holds of certain terms."""

    premise: Premise
    args: tuple[Term, ...]


def premise_of(pattern: Operation) -> Premise:
    """The premise that a law states by an operator with at most one flag."""
    flags = flags_of(pattern.attrs)
    assert len(flags) <= 1
    types = tuple(a.kind.type for a in pattern.args)
    return Premise(pattern.op, flags[0] if flags else "", pattern.kind.type, types)


def flags_of(attributes: Attributes) -> list[str]:
    """The flags that can make poison, one by one."""
    found: list[str] = []
    for name, value in attributes:
        if name == "overflow":
            found += [flag for flag in str(value).replace(" ", "").split(",") if flag in ("nsw", "nuw")]
        elif name in FLAGS and value:
            found.append(name)
    return found


def facts_of(source: Term, index_width: int = 64) -> tuple[Fact, ...]:
    """The facts that hold wherever `source` is neither undefined nor poison.

    Every operator of a term is evaluated, so no division in it is undefined. An operator is not poison if `source`
    needs it not to be: it is the root, or an operand of a strict operator that is not poison, or a divisor, an address
    or a condition.
    """
    nodes = postorder((source,))
    proper = _proper(nodes, source)
    return tuple(fact for node in nodes for fact in _facts(node, node.id in proper, index_width))


def _proper(nodes: list[Term], root: Term) -> set[int]:
    """The ids of nodes that are not poison wherever `root` is neither undefined nor poison."""
    proper = {root.id}
    for node in reversed(nodes):
        proper.update(a.id for a in _needed(node, node.id in proper))
    return proper


def _needed(node: Term, proper: bool) -> Iterable[Term]:
    """The operands of an evaluated node that are not poison."""
    operator = OPERATORS.get(node.op)
    if node.op == "load":
        return node.args
    if proper and node.op == "arith.select":
        return node.args[:1]
    if proper and (operator is None or operator.strict):
        return node.args
    return node.args[1:] if operator is not None and operator.facts.division is not None else ()


def _facts(node: Term, proper: bool, index_width: int) -> Iterable[Fact]:
    operator = OPERATORS.get(node.op)
    if operator is None or operator.exact:
        return
    types = tuple(a.type for a in node.args)
    bare = _outcome(operator, node, _without_flags(node.attrs), index_width)
    if bare is not None and (bare.ub is not FALSE or bare.poison is not FALSE) and (proper or bare.poison is FALSE):
        yield Fact(Premise(node.op, "", node.type, types), node.args)
    if proper:
        for flag in flags_of(node.attrs):
            yield Fact(Premise(node.op, flag, node.type, types), node.args)


def _without_flags(attributes: Attributes) -> Attributes:
    return tuple((name, value) for name, value in attributes if name not in ("overflow", "fastmath", *FLAGS))


def _outcome(operator: Operator, node: Term, attributes: Attributes, index_width: int) -> Outcome | None:
    operands = tuple(Variable(sort_of(a.type, index_width), f"x{k}", proper=True) for k, a in enumerate(node.args))
    try:
        return operator.outcome(operands, sort_of(node.type, index_width), attributes)
    except Unsupported:
        return None
