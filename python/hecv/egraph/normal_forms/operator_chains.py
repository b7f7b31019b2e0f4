"""Chains of one operator family, flattened: a graph with each chain as one node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hecv.egraph.total_terms import Symbol
from hecv.ops import facts_about

Families = Callable[[str], str | None]
"""The operator of whose chains an operator is a link, of those whose chains are read at once."""


def family_of(op: str) -> str | None:
    """The family of an operator of integers that is a link of chains in any order and grouping."""
    family = facts_about(op).family(op)
    regrouped = family is not None and facts_about(family).associative and facts_about(op).total
    return family if regrouped else None


class Operand(NamedTuple):
    """A class with the sign that it has in a chain."""

    number: int
    sign: int = 1


class NormalNode(NamedTuple):
    """A node to be normalised: a symbol, or a flattened chain of one family, over classes."""

    symbol: Symbol
    operands: tuple[Operand, ...]


def chains(
    symbols: Sequence[Symbol], args: Sequence[Sequence[int]], kept: set[int], families: Families = family_of
) -> Iterator[tuple[int, NormalNode]]:
    """The nodes of a graph, operands first, with each chain of one family as one node.

    A node inside a chain, used once and not in `kept`, is left out.
    """
    users = [0] * len(symbols)
    for operands in args:
        for a in operands:
            users[a] += 1
    inner = {
        a
        for number, operands in enumerate(args)
        for a in operands
        if users[a] == 1 and a not in kept and _one_chain(symbols[number], symbols[a], families)
    }
    for number, symbol in enumerate(symbols):
        if number not in inner:
            yield number, NormalNode(symbol, _operands(number, symbols, args, inner, families))


def _one_chain(user: Symbol, operand: Symbol, families: Families) -> bool:
    family = families(user.op)
    return (
        family is not None
        and family == families(operand.op)
        and (user.type, user.attrs) == (operand.type, operand.attrs)
        and not (user.unknown or operand.unknown)
    )


def _operands(
    number: int, symbols: Sequence[Symbol], args: Sequence[Sequence[int]], inner: set[int], families: Families
) -> tuple[Operand, ...]:
    found: list[Operand] = []
    stack = _signed(number, 1, symbols, args)
    while stack:
        operand = stack.pop()
        if operand.number in inner and _one_chain(symbols[number], symbols[operand.number], families):
            stack += _signed(operand.number, operand.sign, symbols, args)
        else:
            found.append(operand)
    return tuple(found)


def _signed(number: int, sign: int, symbols: Sequence[Symbol], args: Sequence[Sequence[int]]) -> list[Operand]:
    """The operands of a node from last to first, with their signs where it is a difference."""
    signs = (sign, -sign) if facts_about(symbols[number].op).subtracts else (sign,) * len(args[number])
    return [Operand(a, s) for a, s in reversed(list(zip(args[number], signs, strict=True)))]
