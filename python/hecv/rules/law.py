"""Laws: equations by name, and the types at which they may fire."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Final

from hecv.base.types import FloatType, IntType
from hecv.rules.language import BIT, Equation, Kind, Operation, Pattern, Variable, variables

Domain = typing.Literal["integers", "floats", "any"]
Reading = typing.Literal["signed", "unsigned"]
Role = typing.Literal["Term", "Literal", "Bit", "Kind"]
Define = Callable[..., Equation | None]

Term = Pattern
"""A parameter of a law that takes any term of the law's type."""

Literal = Pattern
"""A parameter that takes literals of the law's type only."""

Bit = Pattern
"""A parameter that takes any term of type i1."""

WIDTHS: Final = (1, 2, 4, 8, 16, 32, 64)
"""The widths at which laws of integers are proved, and the only ones at which they fire."""

WIDE: Final = WIDTHS[1:]
"""Those of arithmetic: at one bit it is logic, and said so by laws of its own."""

FORMATS: Final = ("f16", "f32", "f64")
"""The formats at which laws of floats are proved, and the only ones at which they fire."""

NUMBER: Final = "#"
"""Between the name of a user's rule and the number of one of its laws."""


@dataclass(frozen=True, slots=True)
class Law:
    """An equation for each choice of types.

    `define` is traced with patterns for its `parameters`, by annotation: `Term` and `Literal` are of the law's own
    type, `Bit` is of type i1, `Kind` is a further type. It returns None where the types do not fit. `widths` and
    `formats` are where the law is proved; one with `integral` is proved over the integers, read as that says, and so at
    every width of two bits or more. A law that `expands` is applied one guarded iteration at a time. One that `refines`
    is no equation: its right side may stand for its left one and not the other way round (`hecv.rules.oneway`). One
    that is `derived` follows from other laws and normal forms; the e-graph does without it. A `modest` law is taken
    only in a goal that has the operators of its left side, and has those of its right side or gets them from others.
    """

    name: str
    domain: Domain
    define: Define
    parameters: tuple[tuple[str, Role], ...]
    place: str
    expands: bool = False
    widths: tuple[int, ...] = WIDTHS
    formats: tuple[str, ...] = FORMATS
    integral: Reading | None = None
    refines: bool = False
    derived: bool = False
    modest: bool = False

    @property
    def arity(self) -> int:
        """The number of types that the law is about: its own and those of `Kind` parameters."""
        roles = [role for _, role in self.parameters]
        return roles.count("Kind") + ("Term" in roles or "Literal" in roles)

    def instance(self, kinds: Sequence[Kind]) -> Instance | None:
        """The equation at these types, the law's own first; None where it says nothing there or is not proved there.

        Requires: there are `arity` of them.
        """
        if not all(self._proved_at(kind) for kind in kinds):
            return None
        parameters, others = self.parameters, list(kinds)
        own = others.pop(0) if any(role in ("Term", "Literal") for _, role in parameters) else BIT
        if not _in_domain(own, self.domain):
            return None
        equation = self.define(*[_argument(name, role, own, others) for name, role in parameters])
        return None if equation is None else Instance(self, tuple(kinds), equation)

    def instances(self, kinds: Sequence[Kind]) -> Iterator[Instance]:
        """Every equation of the law over these types."""
        for chosen in product(kinds, repeat=self.arity):
            found = self.instance(chosen)
            if found is not None:
                yield found

    def _proved_at(self, kind: Kind) -> bool:
        if isinstance(kind.type, FloatType):
            return kind.type.name in self.formats
        return kind.width >= 2 if self.integral else kind.width in self.widths


def _argument(name: str, role: Role, own: Kind, others: list[Kind]) -> Pattern | Kind:
    match role:
        case "Term":
            return Variable(own, name)
        case "Literal":
            return Variable(own, name, literal=True)
        case "Bit":
            return Variable(BIT, name)
        case "Kind":
            return others.pop(0)


def _in_domain(kind: Kind, domain: Domain) -> bool:
    return domain == "any" or isinstance(kind.type, FloatType) == (domain == "floats")


@dataclass(frozen=True, slots=True)
class Instance:
    """A law at certain types."""

    law: Law
    kinds: tuple[Kind, ...]
    equation: Equation

    def __post_init__(self) -> None:
        free = variables(self.equation.left).keys()
        sides = [self.equation.right, *self.equation.given, *([self.equation.where] if self.equation.where else [])]
        for side in sides:
            alone = {name: hole for name, hole in variables(side).items() if name not in free}
            computed = self.equation.computed is not None and all(hole.literal for hole in alone.values())
            assert not alone or computed, f"{self.law.place}: {self.law.name} has a hole on one side only"
        assert isinstance(self.equation.left, Operation), f"{self.law.place}: the left side is an operator"

    @property
    def name(self) -> str:
        """The law's name and the types: `addi-zero@i32`."""
        return "@".join([self.law.name, ",".join(str(kind.type) for kind in self.kinds)])

    @property
    def conditional(self) -> bool:
        """The equation rests on facts of a goal."""
        return bool(self.equation.given)


@dataclass(slots=True)
class Book:
    """The laws of one subject; filled by decorators in the file that makes it. Those of a book that `refines` hold one
    way only; those of one that is `modest` are, where they do not say otherwise."""

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
    ) -> Callable[[Define], Define]:
        """Declares the law `name` with the decorated function as its equation.

        `integral` says that the law is proved over the integers, and how those read its operands. With `both` it is
        also read from right to left, as `<name>-back`.
        """

        def declare(define: Define) -> Define:
            place = f"{define.__code__.co_filename}:{define.__code__.co_firstlineno}"
            law = Law(
                name,
                self.domain,
                define,
                _parameters(define, place),
                place,
                expands,
                widths or self.widths,
                formats,
                integral or self.integral,
                self.refines,
                derived,
                self.modest if modest is None else modest,
            )
            self.laws.append(law)
            if both:
                self.laws.append(replace(law, name=f"{name}-back", define=_turned(define)))
            return define

        return declare


def _parameters(define: Define, place: str) -> tuple[tuple[str, Role], ...]:
    """The parameters of a law with their roles."""
    found: list[tuple[str, Role]] = []
    for name, parameter in inspect.signature(define).parameters.items():
        role: Any = parameter.annotation
        assert role in ("Term", "Literal", "Bit", "Kind"), f"{place}: {name} has no role"
        found.append((name, role))
    return tuple(found)


def _turned(define: Define) -> Define:
    def back(*args: Any) -> Equation | None:
        equation = define(*args)
        return equation and replace(equation, left=equation.right, right=equation.left)

    return back


def rule_of(name: str) -> str:
    """The rule that a law, or an instance of one, stands for: a rule of a user may be several laws, with numbers."""
    return name.split("@")[0].split(NUMBER)[0]


def integer(width: int) -> Kind:
    """The kind of `iN`."""
    return Kind(IntType(width), width)
