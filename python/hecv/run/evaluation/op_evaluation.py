"""Evaluates one operator on concrete operands, as a run would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term
from hecv.base.types import IndexType
from hecv.base.value import Scalar
from hecv.ops import OPERATORS
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import NAMESPACE, LeftOpen

Compiled = Callable[..., Scalar | None]


class Evaluator:
    """Applies the operator at the root of a term to operand values; each operator is compiled once."""

    def __init__(self, index_width: int = 64) -> None:
        self._patterns: Final = Patterns(index_width)
        self._half: Final = 1 << (index_width - 1)
        self._made: dict[tuple[object, ...], Compiled | None] = {}

    def __call__(self, term: Term, operands: tuple[Scalar, ...]) -> Scalar | None:
        """The value, which may be POISON; None if it is undefined or nondeterministic, or the op has no semantics to
        run."""
        compiled = self.compiled(term)
        try:
            value = None if compiled is None else compiled(*operands)
        except LeftOpen:
            return None
        if isinstance(value, int) and isinstance(term.type, IndexType) and not OPERATORS[term.op].exact:
            return (value + self._half) % (2 * self._half) - self._half
        return value

    def compiled(self, term: Term) -> Compiled | None:
        """The operator at the root as a Python function; None if it has no semantics to run.

        The function may raise `LeftOpen`; it returns None where the operator is undefined.
        """
        key = (term.op, term.attrs, term.type, tuple(a.type for a in term.args))
        if key not in self._made:
            self._made[key] = self._compile(term)
        return self._made[key]

    def _compile(self, term: Term) -> Compiled | None:
        names = [f"a{k}" for k in range(len(term.args))]
        try:
            found = self._patterns.make(term, (False,) * len(names), False)
        except Unsupported:
            return None
        value, poison, ub = (text and text.format(*names) for text in (found.value, found.poison, found.ub))
        text = f"round_f32({value})" if found.f32 else str(value)
        text = f"(POISON if {poison} else {text})" if poison else text
        text = f"(None if {ub} else {text})" if ub else text
        return eval(f"lambda {', '.join(names)}: {text}", dict(NAMESPACE))
