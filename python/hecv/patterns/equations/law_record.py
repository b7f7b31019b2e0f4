"""Laws: equations by name, and the types at which they may be applied."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, Protocol

from msgspec import Struct

from hecv.base.types import FloatType, IntType
from hecv.patterns.equations.equations import Equation, Kind, Operation, Pattern, index_width, variables

Domain = typing.Literal["integers", "floats", "any"]
Reading = typing.Literal["signed", "unsigned"]
WIDTHS: Final = (1, 2, 4, 8, 16, 32, 64)
"""The widths at which laws of integers are proved, and the only ones at which they fire."""

WIDE: Final = WIDTHS[1:]
"""The widths for arithmetic: at one bit it is logic, with laws of its own."""

FORMATS: Final = ("f16", "bf16", "f32", "f64")
"""The formats at which laws of floats are proved, and the only ones at which they fire."""

NUMBER: Final = "#"
"""The separator between the name of a user's rule and the number of one of its laws."""


class Define(Protocol):
    """The equation of a law as a function of types, its own first; None if the law does not apply there."""

    @property
    def arity(self) -> int:
        """The number of types it takes."""
        ...

    @property
    def root(self) -> str:
        """The operator at the root of its left side."""
        ...

    def __call__(self, *kinds: Kind) -> Equation | None: ...


class Single(Struct, frozen=True):
    """One equation."""

    equation: Equation

    @property
    def arity(self) -> int:
        return 0

    @property
    def root(self) -> str:
        return root_of(self.equation.left)

    def __call__(self, *kinds: Kind) -> Equation | None:
        return self.equation


class Law(Struct, frozen=True):
    """An equation for each choice of types.

    - `widths` and `formats`: where the law is proved. With `integral` it is proved over the integers, whose operands
      are read as that says, and so at every width of two bits or more.
    - `expands`: applied in one guarded iteration at a time.
    - `refines`: no equation; its right side may replace its left one, never the reverse
      (`hecv.laws.audit.refinement_proofs`).
    - `derived`: follows from other laws and normal forms; the e-graph does without it.
    - `modest`: taken only in a goal that has the operators of its left side, and has those of its right side or gets
      them from others.
    - `why`: a remark for the user.
    """

    name: str
    domain: Domain
    define: Define
    place: str
    expands: bool = False
    widths: tuple[int, ...] = WIDTHS
    formats: tuple[str, ...] = FORMATS
    integral: Reading | None = None
    refines: bool = False
    derived: bool = False
    modest: bool = False
    why: str = ""

    @property
    def arity(self) -> int:
        """The number of types that the law ranges over."""
        return self.define.arity

    @property
    def root(self) -> str:
        """The operator at the root of its left side; cheaper than an instance."""
        return self.define.root

    def instance(self, kinds: Sequence[Kind]) -> Instance | None:
        """The equation at these types, the law's own first; None if it does not apply or is not proved there.

        Requires: there are `arity` types.
        """
        if not all(self._proved_at(kind) for kind in kinds):
            return None
        if kinds and not _in_domain(kinds[0], self.domain):
            return None
        equation = self.define(*kinds)
        return None if equation is None else Instance(self, tuple(kinds), equation)

    def instances(self, kinds: Sequence[Kind]) -> Iterator[Instance]:
        """Every equation of the law over these types."""
        if self.domain == "floats" and not any(isinstance(kind.type, FloatType) for kind in kinds):
            return
        for chosen in product(kinds, repeat=self.arity):
            found = self.instance(chosen)
            if found is not None:
                yield found

    def _proved_at(self, kind: Kind) -> bool:
        if isinstance(kind.type, FloatType):
            return kind.type.name in self.formats
        return kind.width >= 2 if self.integral else kind.width in self.widths


def _in_domain(kind: Kind, domain: Domain) -> bool:
    return domain == "any" or isinstance(kind.type, FloatType) == (domain == "floats")


class Instance(Struct, frozen=True):
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
    def index_width(self) -> int:
        """The bits of `index`, where it occurs."""
        return index_width(self.equation) or 64

    @property
    def conditional(self) -> bool:
        """Whether the equation depends on facts of a goal."""
        return bool(self.equation.given)


def root_of(side: Pattern) -> str:
    """The operator at the root of a side of an equation."""
    assert isinstance(side, Operation)
    return side.op


def rule_of(name: str) -> str:
    """The rule behind a law, or an instance of one: a user's rule may be several laws, with numbers."""
    return name.split("@")[0].split(NUMBER)[0]


def integer(width: int) -> Kind:
    """The kind of `iN`."""
    return Kind(IntType(width), width)
