"""The two sides of a claim as parts that have slots for their types."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from hecv.base.types import ScalarType
from hecv.dialects.index import SYNONYMS
from hecv.rules.pattern.core import (
    Apply,
    AttributeOf,
    Build,
    Computed,
    Constant,
    Expression,
    Known,
    Pattern,
    Replacement,
    Same,
    Variable,
)
from hecv.rules.pattern.inference import CASTS, FLAGS, Slots, options, required, type_of
from hecv.rules.pattern.unfold import Claim, NotStatic

Attributes = tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A variable."""

    name: str
    slot: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal with the value of an expression."""

    value: Expression
    slot: int


@dataclass(frozen=True, slots=True)
class Operate:
    """An operator; `flags` are asked of it and no part of its value, `type` is what its result is to be."""

    op: str
    args: tuple[Part, ...]
    attrs: Attributes
    slot: int
    flags: Attributes = ()
    type: Expression | None = None


Part = Hole | Literal | Operate


@dataclass(slots=True)
class Reader:
    """Gives the parts of a claim their slots."""

    claim: Claim
    slots: Slots = field(default_factory=Slots)
    holes: dict[str, int] = field(default_factory=dict[str, int])
    named: dict[str, Part] = field(default_factory=dict[str, Part])
    """The parts that match constraints name."""

    def left(self, pattern: Pattern) -> Part:
        """Raises: NotStatic."""
        match pattern:
            case Variable(name=name):
                return Hole(name, self.holes.setdefault(name, self.slots.new()))
            case Constant(value=value):
                return Literal(Known(value), self.slots.new())
            case Apply(op=op, args=args, attrs=attrs, result=result):
                known = tuple((n, Known(v)) for n, v in attrs)
                return self._operate(op, tuple(map(self.left, args)), known, result)
            case _:
                raise AssertionError(pattern)

    def name_parts(self) -> None:
        """Notes where the patterns of match constraints stand: equal ones are one part."""
        for name, pattern in self.claim.parts.items():
            self.named[name] = self.left(pattern)

    def right(self, replacement: Replacement, root: int | None = None) -> Part:
        """Raises: NotStatic."""
        match replacement:
            case Same(variable=variable):
                if variable in self.named:
                    return self.named[variable]
                if variable not in self.holes:
                    raise NotStatic(f"{variable} stands on the right side alone")
                return Hole(variable, self.holes[variable])
            case Computed(value=value):
                return Literal(value, self.slots.new())
            case Build(op=op, args=args, attrs=attrs, type=type_, result=result):
                made = self._operate(op, tuple(map(self.right, args)), attrs, result, type_)
                self._type(made, root)
                return made
            case _:
                raise AssertionError(replacement)

    def _operate(
        self, op: str, args: tuple[Part, ...], attrs: Attributes, result: int, type_: Expression | None = None
    ) -> Operate:
        slot = self.slots.apply(op, tuple(a.slot for a in args), result)
        name = SYNONYMS.get(op, op)
        if "result" in options(name) and "result" not in dict(attrs):
            attrs = (*attrs, ("result", Known(result)))
        flags = tuple(a for a in attrs if a[0] in FLAGS)
        values = tuple(sorted((a for a in attrs if a[0] not in FLAGS), key=lambda a: a[0]))
        unknown = {n for n, _ in attrs} - options(name)
        missing = required(name) - {n for n, _ in attrs}
        if "fastmath" in dict(attrs) or unknown or missing:
            which = (
                f"the attribute {min(unknown)}" if unknown else f"no {min(missing)}" if missing else "fastmath flags"
            )
            raise NotStatic(f"{op} has {which}")
        return Operate(name, args, values, slot, flags, type_)

    def _type(self, made: Operate, root: int | None) -> None:
        match made.type:
            case Known(value=str(text)) if type_of(text) is not None:
                self.slots.join(made.slot, self.slots.new(_required_type(text)))
            case AttributeOf(variable=variable, path=("type" | "elType",)) if variable in self.holes:
                self.slots.join(made.slot, self.holes[variable])
            case None if root is not None:
                self.slots.join(made.slot, root)
            case None if made.op in CASTS:
                raise NotStatic(f"{made.op} on the right side has no type")
            case _:
                pass


def _required_type(text: str) -> ScalarType:
    found = type_of(text)
    assert found is not None
    return found


def asked(claim: Claim, right: Part) -> Iterator[Expression]:
    """The expressions on whose values a claim depends."""
    yield from claim.guards
    yield from claim.excluded
    stack = [right]
    while stack:
        part = stack.pop()
        match part:
            case Literal(value=value):
                yield value
            case Operate(args=args, attrs=attrs):
                yield from (value for _, value in attrs)
                stack.extend(args)
            case Hole():
                pass


def is_structural(asked_: AttributeOf, named: Container[str]) -> bool:
    """Whether an expression asks for more of a value than its type and, where it is a literal, what it is; of a value
    whose pattern is known, that says the rest."""
    return asked_.path[0] not in ("type", "elType", "width", "value") and asked_.variable not in named


def holes(part: Part) -> set[str]:
    """The variables of a part."""
    match part:
        case Hole(name=name):
            return {name}
        case Operate(args=args):
            return set[str]().union(*map(holes, args))
        case Literal():
            return set()


def size(part: Part) -> int:
    """The operators of a part."""
    return 1 + sum(map(size, part.args)) if isinstance(part, Operate) else 0


def parts(part: Part) -> Iterator[Part]:
    """A part with all parts of it."""
    yield part
    if isinstance(part, Operate):
        for argument in part.args:
            yield from parts(argument)
