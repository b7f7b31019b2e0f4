"""The two sides of a claim as parts with slots for their types."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hecv.base.types import BOOL, ScalarType
from hecv.ops.index import SYNONYMS
from hecv.patterns.calculus.claim_unfolding import Claim, NotStatic, mentioned
from hecv.patterns.calculus.pattern_ast import (
    Apply,
    AttributeOf,
    Build,
    Compute,
    Computed,
    Constant,
    Expression,
    Known,
    Pattern,
    Replacement,
    Same,
    Variable,
)
from hecv.patterns.calculus.type_inference import CASTS, FLAGS, Slots, options, required, type_of

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
    """An operator; `flags` are required of it and no part of its value, `type` is the required type of its result."""

    op: str
    args: tuple[Part, ...]
    attrs: Attributes
    slot: int
    flags: Attributes = ()
    type: Expression | None = None


Part = Hole | Literal | Operate


@dataclass(slots=True)
class Reader:
    """Gives the parts of a claim their type slots."""

    claim: Claim
    numbers: Mapping[str, Expression] = field(default_factory=dict[str, Expression])
    """Variables that are literals of these values."""
    slots: Slots = field(default_factory=Slots)
    holes: dict[str, int] = field(default_factory=dict[str, int])
    named: dict[str, Part] = field(default_factory=dict[str, Part])
    """The parts that match constraints name."""
    read: dict[Pattern, Part] = field(default_factory=dict[Pattern, "Part"])
    """The parts of the left side, the first of those with one pattern."""
    types: list[int] = field(default_factory=list[int])
    """The slots of types that are no type of a part."""

    def left(self, pattern: Pattern) -> Part:
        """A pattern of the left side as a part.

        Raises: NotStatic.
        """
        match pattern:
            case Variable(name=name) if name in self.numbers:
                return Literal(self.numbers[name], self.slots.new())
            case Variable(name=name):
                return Hole(name, self.holes.setdefault(name, self.slots.new()))
            case Constant(value=value):
                return Literal(Known(value), self.slots.new())
            case Apply(op=op, args=args, attrs=attrs, result=result):
                known = tuple((n, Known(v)) for n, v in attrs)
                made = self._operate(op, tuple(map(self.left, args)), known, result)
                return self.read.setdefault(pattern, made)
            case _:
                raise AssertionError(pattern)

    def name_parts(self) -> None:
        """Records the parts that match constraints describe: equal patterns are one part."""
        for name, pattern in self.claim.parts.items():
            self.named[name] = self.read.get(pattern) or self.left(pattern)

    def join_types(self, guards: Iterable[Expression]) -> None:
        """Unifies slots whose types guards say to be equal, and sets the types that operators are given.

        Raises: NotStatic.
        """
        for guard in guards:
            match guard:
                case Compute("==", (AttributeOf(one, ("type" | "elType",)), AttributeOf(other, ("type" | "elType",)))):
                    slots = [slot for slot in (self._slot_of(one), self._slot_of(other)) if slot is not None]
                    if len(slots) == 2:
                        self.slots.join(*slots)
                case Compute("==", (AttributeOf(one, ("type",)), Known(value=str(text)))) if (
                    one in self.named and type_of(text) is not None
                ):
                    self.slots.join(self.named[one].slot, self.slots.new(_required_type(text)))
                case _:
                    pass

    def _slot_of(self, variable: str) -> int | None:
        named = self.named.get(variable)
        return self.holes.get(variable) if named is None else named.slot

    def name_types(self, *asked_: Expression) -> None:
        """Gives slots to types that no part of the left side need have."""
        for one in (a for expression in asked_ for a in mentioned(expression)):
            if one.variable not in self.holes and one.variable not in self.named:
                self.holes[one.variable] = self.slots.new()
                self.types.append(self.holes[one.variable])

    def right(self, replacement: Replacement, root: int | None = None) -> Part:
        """A replacement as a part.

        Raises: NotStatic.
        """
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

    def condition(self, term: Replacement) -> Part:
        """A term over literals that must be 1, as a part.

        Raises: NotStatic.
        """
        found = self.right(term)
        self.slots.join(found.slot, self.slots.new(BOOL))
        return found

    def premise(self, term: Replacement) -> Part:
        """An operator that must be defined, as a part.

        Raises: NotStatic.
        """
        return self.right(term)

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
            case AttributeOf(variable=variable, path=("type" | "elType",)) if variable in self.named:
                self.slots.join(made.slot, self.named[variable].slot)
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


def asked(part: Part) -> Iterator[Expression]:
    """The expressions whose values a part depends on."""
    stack = [part]
    while stack:
        match stack.pop():
            case Literal(value=value):
                yield value
            case Operate(args=args, attrs=attrs):
                yield from (value for _, value in attrs)
                stack.extend(args)
            case Hole():
                pass


def is_structural(asked_: AttributeOf, named: Container[str]) -> bool:
    """Whether an expression asks for more of a value than its type and, for a literal, its value. If the pattern of the
    value is known, that answers the rest."""
    return asked_.path[0] not in ("type", "elType", "width", "value", "literal") and asked_.variable not in named


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


def parts(part: Part) -> list[Part]:
    """A part with all parts of it, outer ones first."""
    found: list[Part] = [part]
    if isinstance(part, Operate):
        for argument in part.args:
            found += parts(argument)
    return found
