"""The operator registry: each scalar op by name, with its semantics as a function over `hecv.base.theory`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes
from hecv.base.theory import Expression, Outcome, Sort, any_of, outcome, poisoned
from hecv.ops.fastmath_flags import licences_of
from hecv.ops.op_facts import NO_FACTS, Facts

Semantics = Callable[..., Any]


class Operator(Struct, frozen=True):
    """A scalar op of an MLIR dialect: its full name and its meaning.

    `semantics(*operands, **attributes)` returns an `Outcome`, or a bare expression if it is always defined.
    `strict`: a poison operand makes the result poison (an op that is not strict says so itself with `poisoned`).
    `typed`: the semantics takes the sort of the result as `to`. `exact`: `index` operands and results are exact
    integers, not bit-vectors. `facts`: what follows from the semantics.

    `uninterpreted`: the semantics serves runs only; nothing is known of the op but that it is a function, so no literal
    may be folded by it. `exposes`: the value depends on the sign or payload of a NaN operand; two floats that are equal
    up to those are then not equal enough.
    """

    name: str
    semantics: Semantics
    facts: Facts = NO_FACTS
    strict: bool = True
    typed: bool = False
    exact: bool = False
    uninterpreted: bool = False
    exposes: bool = False

    def outcome(self, operands: tuple[Expression, ...], to: Sort, attributes: Attributes = ()) -> Outcome:
        """The outcome of the op on these operands, including the poison of the operands.

        Raises: Unsupported if the semantics does not know an attribute.
        """
        named: dict[str, Any] = dict(attributes)
        if self.typed:
            named["to"] = to
        try:
            result = outcome(self.semantics(*operands, **named))
        except TypeError:
            self._require_fitting(operands, named)
            raise
        if not self.strict:
            return result
        return replace(result, poison=any_of(*[poisoned(operand) for operand in operands], result.poison))

    def _require_fitting(self, operands: tuple[Expression, ...], named: dict[str, Any]) -> None:
        try:
            inspect.signature(self.semantics).bind(*operands, **named)
        except TypeError as error:
            raise Unsupported(f"{self.name}: {error}", None) from None


class Dialect(Struct):
    """The operators of one dialect; decorators in the file that makes it add to it."""

    name: str
    exact: bool = False
    operators: dict[str, Operator] = field(default_factory=dict[str, Operator])

    def op(
        self,
        name: str,
        facts: Facts = NO_FACTS,
        *,
        strict: bool = True,
        typed: bool = False,
        uninterpreted: bool = False,
        exposes: bool = False,
    ) -> Callable[[Semantics], Semantics]:
        """Declares the operator `<dialect>.<name>` with the decorated function as its meaning."""

        def declare(semantics: Semantics) -> Semantics:
            full = f"{self.name}.{name}"
            self.operators[full] = Operator(full, semantics, facts, strict, typed, self.exact, uninterpreted, exposes)
            return semantics

        return declare


def licensed(attributes: Attributes) -> bool:
    """True if the flags of a float op let it compute something other than its semantics."""
    return bool(licences_of(attributes))
