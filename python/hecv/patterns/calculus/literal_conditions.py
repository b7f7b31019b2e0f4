"""Conditions on literals written with MLIR's operators, computed in the arithmetic of the literals' types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from hecv.base.types import BOOL, FloatType, IntType, ScalarType
from hecv.ops import OPERATORS
from hecv.patterns.calculus.claim_unfolding import NotStatic
from hecv.patterns.calculus.literal_conversion import NoInstance, number_of
from hecv.patterns.calculus.operator_names import is_attribute_value
from hecv.patterns.calculus.pattern_ast import Build, BuildVariable, Computed, Expression, Replacement, Same, Value
from hecv.patterns.calculus.type_inference import BITS_OF, CASTS, fits, in_domain, options, signature, type_of
from hecv.patterns.equations.constant_folding import Folder, Scalar
from hecv.patterns.equations.equations import kind_of

FOLDER: Final = Folder()

_Typed = tuple[ScalarType, Scalar]


class Attributes(Protocol):
    """What is known about variables."""

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None: ...

    def member(self, function: str, family: str) -> bool | None: ...


Evaluate = Callable[[Expression, Attributes], Value | None]


def holds_of_literals(term: Replacement, known: Attributes, evaluate: Evaluate) -> bool | None:
    """Whether a term of type i1 over literals is 1; None if unknown, as for `index`, whose width is not known here."""
    found = _Reading(known, evaluate).value(term, None)
    return None if found is None or found[0] != BOOL else found[1] == 1


class _Reading:
    """The evaluation of one term."""

    def __init__(self, known: Attributes, evaluate: Evaluate) -> None:
        self._known: Final = known
        self._evaluate: Final = evaluate

    def value(self, term: Replacement, wanted: ScalarType | None) -> _Typed | None:
        """Type and value of a term; a number has the type that is `wanted`."""
        match term:
            case Same(variable=variable):
                text, value = (self._known.attribute(variable, (name,)) for name in ("type", "value"))
                type_ = type_of(text) if isinstance(text, str) else None
                return self._literal(value, type_)
            case Computed(value=expression):
                return self._literal(self._evaluate(expression, self._known), wanted)
            case Build():
                return self._operator(term, wanted)
            case BuildVariable():
                return None

    def _literal(self, value: Value | None, type_: ScalarType | None) -> _Typed | None:
        if value is None or not isinstance(type_, IntType | FloatType):
            return None
        try:
            number = number_of(value, kind_of(type_, 0)).value
        except NoInstance:
            return None
        return type_, float.fromhex(number) if isinstance(number, str) else number

    def _operator(self, term: Build, wanted: ScalarType | None) -> _Typed | None:
        if term.op not in OPERATORS:
            return None
        attrs = [(name, self._evaluate(value, self._known)) for name, value in term.attrs]
        inner = None if term.op in CASTS or term.op in BITS_OF else wanted
        operands = self._operands(term, inner)
        if operands is None or not operands:
            return None
        types = tuple(type_ for type_, _ in operands)
        to = self._result(term, types)
        known = tuple((name, value) for name, value in attrs if isinstance(value, int | str))
        if to is None or len(known) < len(attrs) or not {name for name, _ in known} <= options(term.op):
            return None
        if not all(is_attribute_value(term.op, name, value) for name, value in known) or not _are_of(term, types, to):
            return None
        value = FOLDER.fold(term.op, tuple(sorted(known)), types, to, tuple(v for _, v in operands))
        return None if value is None else (to, value)

    def _operands(self, term: Build, wanted: ScalarType | None) -> list[_Typed] | None:
        """The operands; a number among them is of the type of the others."""
        rest = term.args[1:] if term.op == "arith.select" else term.args
        first = [self.value(term.args[0], BOOL)] if term.op == "arith.select" else []
        types = [found[0] for a in rest if not isinstance(a, Computed) and (found := self.value(a, wanted))]
        type_ = types[0] if types else wanted
        found = [*first, *[self.value(a, type_) for a in rest]]
        known = [one for one in found if one is not None]
        same = len({one[0] for one in known[len(first) :]}) == 1
        return known if len(known) == len(found) and same else None

    def _result(self, term: Build, types: tuple[ScalarType, ...]) -> ScalarType | None:
        if term.op in BITS_OF:
            return BOOL
        if term.op not in CASTS:
            return types[-1] if term.result == 0 else None
        text = None if term.type is None else self._evaluate(term.type, self._known)
        return type_of(text) if isinstance(text, str) else None


def _are_of(term: Build, types: tuple[ScalarType, ...], to: ScalarType) -> bool:
    """Whether these are types that the operator at the root of a term is for."""
    try:
        shape = signature(term.op, len(types), term.result)
    except NotStatic:
        return False
    pairs = zip(types, shape.operands, strict=True)
    known = all(in_domain(t, w) if isinstance(w := shape.slots[key], str) else t == w for t, key in pairs)
    return known and fits(term.op, [kind_of(t, 0) for t in types], kind_of(to, 0))
