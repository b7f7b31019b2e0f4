"""Constant propagation for reductions: where a term is a literal, so that masked lanes and padding add nothing.

`x[i] * y[i]` is `0 * 0` where a mask switches both off. A literal of the program propagates, at some instances, through
memory, selects on affine conditions, and operators on literals. A product with one zero is zero if the other factor is
never poison; not so for floats, where the factor may be an infinity, or the product the other zero.

Floats are folded only on zeros and ones: there rounding, order and the reals all agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final

import islpy as isl

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.reassociation import Piece, is_unit
from hecv.ops.fastmath_flags import POISONING, FloatMode, flags_of
from hecv.program.index.exact_integers import signed

Where = dict[Term, isl.Set]
"""The instances at which a term is a literal, for each literal."""

DEEPEST: Final = 6
"""The most selects and copies in a row that are looked through."""

MOST: Final = 4
"""The most literals that an operand may be; with more it counts as unknown."""

ABSORBED: Final = frozenset({"arith.muli", "arith.andi"})
"""Operators for which one operand 0 makes the result 0."""

HARMLESS: Final = frozenset({"reassoc", "contract", "arcp", "afn"}) | POISONING
"""Flags that do not matter if operands and result are zeros and ones; not `nsz`, which may change the sign of a zero.
"""

INTEGERS: Final[Mapping[str, Callable[..., Any]]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.minsi": min,
    "arith.minui": min,
    "arith.maxsi": max,
    "arith.maxui": max,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.extsi": lambda a: a,
    "arith.extui": lambda a: a,
    "arith.trunci": lambda a: a,
    "math.absi": lambda a: -a if a < 0 else a,
}
"""Operators on integers, modulo the size of the type."""

SIGNED: Final = frozenset({"arith.minsi", "arith.maxsi", "arith.extsi", "math.absi"})
"""Operators that read integers as signed."""

FLOATS: Final[Mapping[str, Callable[..., Any]]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.negf": lambda a: -a,
    "arith.extf": lambda a: a,
    "arith.truncf": lambda a: a,
    "math.absf": abs,
}
"""Operators on float zeros and ones."""


class Literals:
    """Constant propagation in one program: the instances at which terms are literals."""

    def __init__(self, space: Isl, flow: Dataflow, pool: TermPool, proper: Proper, mode: FloatMode) -> None:
        self._space = space
        self._flow = flow
        self._pool = pool
        self._proper = proper
        self._mode: FloatMode = mode
        self._known: dict[tuple[str, int, int], Where] = {}

    def of(self, at: At) -> Where:
        """The instances at which a term is known to be a literal, for each literal."""
        return self._of(at, DEEPEST)

    def settled(self, piece: Piece, op: str) -> list[Piece] | None:
        """The piece where it is no neutral literal of a chain of `op`, then these literals, each where it is one; None
        if it is nowhere one."""
        at, negative = piece.at, piece.negative
        if at.term.op == "const":
            return None
        found = [(value, where) for value, where in self.of(at).items() if is_unit(op, value)]
        units = [(v, piece.instances.intersect_range(where)) for v, where in sorted(found, key=lambda f: repr(f[0]))]
        if all(instances.is_empty() for _, instances in units):
            return None
        rest = piece.instances
        for _, instances in units:
            rest = rest.subtract(instances)
        return [Piece(at, negative, rest), *(Piece(At(at.statement, value), negative, own) for value, own in units)]

    def _of(self, at: At, depth: int) -> Where:
        key = (*at.key(), depth)
        if key not in self._known:
            self._known[key] = {value: where for value, where in self._found(at, depth).items() if not where.is_empty()}
        return self._known[key]

    def _found(self, at: At, depth: int) -> Where:
        term = at.term
        if not isinstance(term.type, IntType | FloatType):
            return {}
        if term.op == "const":
            return {term: self._flow.domains[at.statement.name]}
        if not depth:
            return {}
        if term.op == "load":
            return self._read(at, depth)
        if term.op == "arith.select":
            return self._selected(at, depth)
        return self._computed(at, depth)

    def _read(self, at: At, depth: int) -> Where:
        """By what was written."""
        found: Where = {}
        for writer, step in self._flow.producers[at.statement.name, at.term].certain():
            if writer.value is not None:
                for value, where in self._of(At(writer, writer.value), depth - 1).items():
                    _note(found, value, step.intersect_range(where).domain())
        return found

    def _selected(self, at: At, depth: int) -> Where:
        """By the operand that is selected."""
        condition, *branches = at.term.args
        found: Where = {}
        for holds, branch in zip((True, False), branches, strict=True):
            try:
                text = at.statement.translator.condition(condition, holds)
            except NotAffine:
                return {}
            taken = self._space.set(f"{{ {at.statement.tuple_text()} : {text} }}")
            for value, where in self._of(At(at.statement, branch), depth - 1).items():
                _note(found, value, where.intersect(taken))
        return found

    def _computed(self, at: At, depth: int) -> Where:
        """By an operator on literals."""
        term = at.term
        if term.op not in INTEGERS and term.op not in FLOATS:
            return {}
        parts = [self._of(At(at.statement, operand), depth) for operand in term.args]
        if any(len(part) > MOST for part in parts):
            return {}
        found = self._absorbed(at, parts) if term.op in ABSORBED else {}
        for choice in product(*(part.items() for part in parts)):
            value = computed(self._pool, term, [operand for operand, _ in choice], self._mode)
            if value is not None:
                where = choice[0][1]
                for _, other in choice[1:]:
                    where = where.intersect(other)
                _note(found, value, where)
        return found

    def _absorbed(self, at: At, parts: list[Where]) -> Where:
        """Where one factor is 0 and the other is never poison."""
        found: Where = {}
        for part, other in zip(parts, reversed(at.term.args), strict=True):
            zeros = [where for value, where in part.items() if literal(value) == 0]
            if zeros and self._proper.term(at.statement, other):
                _note(found, self._pool.integer(0, _scalar(at.term)), zeros[0])
        return found


def computed(pool: TermPool, term: Term, operands: list[Term], mode: FloatMode) -> Term | None:
    """The literal that the operator of a term gives for literals; None if unknown."""
    values, kind = [literal(o) for o in operands], term.type
    if isinstance(kind, IntType) and term.op in INTEGERS:
        read = [n for n in (_integer(o, term.op in SIGNED) for o in operands) if n is not None]
        if len(read) < len(operands):
            return None
        number: int = INTEGERS[term.op](*read)
        # A flag says that nothing wraps: numbers that read alike with a sign and without do not.
        small = all(_is_small(v, o.type) for v, o in zip((*values, number), (*operands, term), strict=True))
        return pool.integer(number % (1 << kind.width), kind) if small or not flags_of(term.attrs) else None
    if isinstance(kind, FloatType) and term.op in FLOATS:
        plain = [float(v) for v, o in zip(values, operands, strict=True) if v is not None and _is_plain(v, o.type)]
        if len(plain) < len(operands):
            return None
        made: float = FLOATS[term.op](*plain)
        licensed = flags_of(term.attrs) <= HARMLESS or mode == "real"
        return pool.real(made, kind) if licensed and _is_plain(made, kind) else None
    return None


def _integer(constant: Term, with_sign: bool) -> int | None:
    value, kind = literal(constant), constant.type
    if not (isinstance(value, int) and isinstance(kind, IntType)):
        return None
    return signed(value, kind.width) if with_sign else value


def _is_small(value: float | None, kind: ScalarType) -> bool:
    """Whether an integer is the same whether it is read with a sign or without."""
    return isinstance(value, int) and isinstance(kind, IntType) and 0 <= value < 1 << (kind.width - 1)


def _is_plain(value: float, kind: ScalarType) -> bool:
    """Whether a float is a zero or a one of a type that has both zeros."""
    return isinstance(kind, FloatType) and not kind.small and value in (0.0, 1.0, -1.0)


def _scalar(term: Term) -> ScalarType:
    assert isinstance(term.type, IntType | FloatType)
    return term.type


def _note(found: Where, value: Term, where: isl.Set) -> None:
    found[value] = where if value not in found else found[value].union(where)
