"""The laws of one subject, in the notation of rule files, with the facts that their audit shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.patterns.calculus.claim_unfolding import claims
from hecv.patterns.calculus.operator_names import DECLARATIONS
from hecv.patterns.calculus.pattern_ast import Parameter, Place
from hecv.patterns.equations.equations import Equation, Kind
from hecv.patterns.equations.law_record import FORMATS, WIDTHS, Define, Domain, Law, Reading
from hecv.patterns.tracing.body_tracing import roots, trace
from hecv.patterns.tracing.decorators import Body
from hecv.patterns.tracing.rule_assembly import stated
from hecv.patterns.typing.typed_rules import equation_of

Function = Callable[..., Any]

INDEX_WIDTH: Final = 64
"""The width of `index` in laws that name that type."""


class Book(Struct):
    """The laws of one subject; filled by decorators in the file that makes it.

    With `refines` they are one-way laws; with `modest` they are modest, unless they say otherwise.
    """

    domain: Domain
    widths: tuple[int, ...] = WIDTHS
    integral: Reading | None = None
    refines: bool = False
    modest: bool = False
    laws: list[Law] = field(default_factory=list[Law])

    def law(
        self,
        name: str,
        *,
        expands: bool = False,
        both: bool = False,
        widths: tuple[int, ...] = (),
        formats: tuple[str, ...] = FORMATS,
        integral: Reading | None = None,
        derived: bool = False,
        modest: bool | None = None,
    ) -> Callable[[Function], Function]:
        """Declares the law `name`: the equation that the decorated function returns
        (`hecv.patterns.equations.law_record`).

        `integral`: the law is proved over the integers, and how those read its operands. With `both` the equation is
        also a law from right to left, `<name>-back`.
        """

        def declare(function: Function) -> Function:
            code = function.__code__
            place = Place(code.co_filename, code.co_firstlineno)
            define = Stated(name, function, place, self.refines)
            law = Law(
                name,
                self.domain,
                define,
                str(place),
                expands,
                widths or self.widths,
                formats,
                integral or self.integral,
                self.refines,
                derived,
                self.modest if modest is None else modest,
                " ".join((function.__doc__ or "").split()),
            )
            self.laws.append(law)
            if both:
                self.laws.append(replace(law, name=f"{name}-back", define=_Turned(define)))
            return function

        return declare


class Stated:
    """The equation that a function states; traced when it is first asked for."""

    def __init__(self, name: str, function: Function, place: Place, one_way: bool) -> None:
        self._name: Final = name
        self._function: Final = function
        self._place: Final = place
        self._one_way: Final = one_way

    @property
    def arity(self) -> int:
        """The number of types that it ranges over."""
        return self._define.arity

    def __call__(self, *kinds: Kind) -> Equation | None:
        return self._define(*kinds)

    @property
    def root(self) -> str:
        """The operator at the root of its left side."""
        return self.roots[0]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The operators at the roots of its sides."""
        return roots(self._body, self._body.parameters, DECLARATIONS)

    @cached_property
    def _body(self) -> Body:
        code = self._function.__code__
        return Body(self._function, "law", code.co_varnames[: code.co_argcount], self._place)

    @cached_property
    def _define(self) -> Define:
        found = trace(self._body, self._body.parameters, DECLARATIONS)
        definition, rule = stated(self._name, found, tuple(map(Parameter, self._body.parameters)))
        (claim,) = claims(rule, {self._name: definition})
        return equation_of(rule, claim, INDEX_WIDTH, "", self._one_way)


class _Turned(Struct, frozen=True):
    """The equation from right to left."""

    define: Stated

    @property
    def arity(self) -> int:
        return self.define.arity

    @property
    def root(self) -> str:
        return self.define.roots[1]

    def __call__(self, *kinds: Kind) -> Equation | None:
        equation = self.define(*kinds)
        return equation and replace(equation, left=equation.right, right=equation.left)
