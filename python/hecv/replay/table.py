"""The digest of the rule table: of every law of the book, as it reads at a few types."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final

from hecv.base.types import FloatType, IntType
from hecv.rules.language import Equation, Kind, Number, Operation, Pattern, Variable
from hecv.rules.law import Law
from hecv.rules.laws import BOOK

KINDS: Final = (Kind(IntType(1), 1), Kind(IntType(8), 8), Kind(IntType(16), 16), Kind(FloatType("f32"), 0))


@cache
def table_digest() -> str:
    """The SHA-256 of the laws; another table may give a name to another law."""
    lines = "\n".join(line for law in BOOK for line in _lines(law))
    return hashlib.sha256(lines.encode()).hexdigest()


def _lines(law: Law) -> Iterator[str]:
    yield f"{law.name} {law.domain} {law.widths} {law.formats} {law.integral} {law.refines}"
    for kinds in product(KINDS, repeat=law.arity):
        instance = law.instance(kinds)
        if instance is not None:
            yield _equation(instance.equation)


def _equation(equation: Equation) -> str:
    parts = [_term(equation.left), _term(equation.right), *map(_term, equation.given)]
    parts += [] if equation.where is None else [f"where {_term(equation.where)}"]
    return " ".join([*parts, *(["computed"] if equation.computed is not None else [])])


def _term(pattern: Pattern) -> str:
    match pattern:
        case Variable(name=name, literal=literal):
            return f"{'#' if literal else ''}{name}:{pattern.kind.type}"
        case Number(value=value):
            return f"{value}:{pattern.kind.type}"
        case Operation(op=op, args=args, attrs=attrs):
            return f"{op}{attrs}({', '.join(map(_term, args))}):{pattern.kind.type}"
        case _:
            raise AssertionError(pattern)
