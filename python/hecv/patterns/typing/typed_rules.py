"""Rules that are equations between scalars, as laws: for each choice of types an equation that can be audited.

A rule says that a match and its replacement are equal. Here its patterns get types, its guards on types are decided for
each choice of types, and those on the values of literals become conditions of the equation. A rule without a finite set
of such equations, or without a meaning as scalar code, is no law; `laws_of` says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from hecv.base.types import FloatType
from hecv.patterns.calculus.claim_unfolding import Claim, NotStatic, claims, computations, mentioned, shown
from hecv.patterns.calculus.guard_expressions import evaluate, postfix
from hecv.patterns.calculus.literal_conversion import NoInstance, number_of, signed_value
from hecv.patterns.calculus.operator_names import is_attribute_value
from hecv.patterns.calculus.pattern_ast import Expression, Known, Rule, RuleFile, Value
from hecv.patterns.calculus.type_inference import FLAGS, FORMAT_BITS, POISON, fits, in_domain
from hecv.patterns.equations import equations
from hecv.patterns.equations.equations import Equation, Kind
from hecv.patterns.equations.law_record import NUMBER, Law
from hecv.patterns.typing.claim_guards import Guards, guards_of
from hecv.patterns.typing.typed_parts import (
    Attributes,
    Hole,
    Literal,
    Operate,
    Part,
    Reader,
    asked,
    holes,
    is_structural,
    parts,
    size,
)

WIDTHS: Final = tuple(range(1, 129))
FORMATS: Final = tuple(FORMAT_BITS)
MOST_LITERALS: Final = 3
MARK: Final = "?"
"""The prefix of variable names, so that they are no other names of the e-graph."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The laws of a rule file, and the rules that are no laws, with the reason.

    The laws of a rule with several alternates have its name with a number; `hecv.patterns.equations.law_record.rule_of`
    removes it.
    """

    laws: tuple[Law, ...]
    others: Mapping[str, str]


def laws_of(file: RuleFile, index_width: int = 64) -> Typed:
    """The rules of a file as laws, for `index` of this width."""
    laws: list[Law] = []
    others: dict[str, str] = {}
    for rule in file.rules:
        try:
            found = [_law(rule, claim, index_width) for claim in claims(rule, file.definitions)]
        except NotStatic as problem:
            others[rule.name] = str(problem)
            continue
        laws += found if len(found) == 1 else [_numbered(law, k) for k, law in enumerate(found, 1)]
    return Typed(tuple(laws), others)


def _numbered(law: Law, number: int) -> Law:
    return Law(
        f"{law.name}{NUMBER}{number}",
        law.domain,
        law.define,
        law.place,
        law.expands,
        law.widths,
        law.formats,
    )


# Laws


def _law(rule: Rule, claim: Claim, index_width: int) -> Law:
    """Raises: NotStatic."""
    define = equation_of(rule, claim, index_width)
    expands = size(define.right) >= size(define.left)
    place = str(rule.place) if rule.place else rule.name
    return Law(rule.name, "any", define, place, expands, WIDTHS, FORMATS)


def equation_of(rule: Rule, claim: Claim, index_width: int, mark: str = MARK, one_way: bool = False) -> Define:
    """The equation of a claim as a function of types. `mark` prefixes the names of variables; with `one_way`, the flags
    of operators are part of it.

    Raises: NotStatic.
    """
    guards = guards_of(claim)
    reader = Reader(claim, guards.numbers)
    left = reader.left(claim.left)
    reader.name_parts()
    reader.name_types(*guards.plain, *claim.excluded, *guards.numbers.values(), *computations(claim.right))
    right = reader.right(claim.right, left.slot)
    reader.slots.join(left.slot, right.slot)
    reader.join_types(guards.plain)
    conditions = Conditions(
        tuple(guards.plain),
        tuple(reader.condition(term) for term in guards.where),
        tuple(reader.premise(term) for term in guards.given),
    )
    asked_ = [*guards.plain, *claim.excluded, *asked(right), *(e for p in conditions.parts() for e in asked(p))]
    literals = _literals(reader, guards, conditions, asked_)
    if not isinstance(left, Operate):
        if not isinstance(right, Operate) or literals or not holes(left) <= holes(right):
            raise NotStatic("its left side is no operator")
        left, right = right, left
    if not all(holes(part) <= holes(left) for part in (right, *conditions.parts())):
        raise NotStatic("a variable stands on the right side alone")
    if not one_way and any(p.op == POISON for p in (*operates(left), *operates(right))):
        raise NotStatic("poison is no value")
    typing = _typing(reader, [p.name for p in rule.parameters], left, (right, *conditions.parts()), index_width)
    return Define(claim, left, right, conditions, typing, literals, mark, one_way)


def _literals(reader: Reader, guards: Guards, conditions: Conditions, asked_: Sequence[Expression]) -> frozenset[str]:
    """The variables that stand for literals.

    Raises: NotStatic where the claim rests on something of its variables that has no equation.
    """
    structural = next((a for e in asked_ for a in mentioned(e) if is_structural(a, reader.named)), None)
    if structural is not None:
        raise NotStatic(f"it asks for {'.'.join(structural.path)} of {shown(structural.variable)}")
    flagged = next((a for e in asked_ for a in mentioned(e) if a.path[0] in (*FLAGS, "fastmath")), None)
    if flagged is not None:
        raise NotStatic(
            f"a guard asks for the flags of {shown(flagged.variable)}, which stand at the operator in a law"
        )
    computed = {a.variable for e in asked_ for a in mentioned(e) if a.path == ("value",)} & reader.holes.keys()
    terms = frozenset[str]().union(*map(holes, conditions.where))
    found = frozenset(computed | terms | guards.literals)
    if not found <= reader.holes.keys():
        raise NotStatic("what is to be a literal is an operator")
    if len(found) > MOST_LITERALS:
        raise NotStatic(f"it asks for the values of {len(found)} literals, {MOST_LITERALS} are allowed")
    return found


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a claim: decided for types and literals, terms that must be 1, and operators that are assumed
    to be defined."""

    plain: tuple[Expression, ...] = ()
    where: tuple[Part, ...] = ()
    given: tuple[Part, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        """The terms in the conditions."""
        return (*self.where, *self.given)


@dataclass(frozen=True, slots=True)
class _Typing:
    """Where each slot has its type from: a number of the free ones, or a type."""

    free: tuple[int, ...]
    of: Mapping[int, int | Kind]
    domains: tuple[str, ...]
    holes: Mapping[str, int]
    named: Mapping[str, Part]


def _typing(reader: Reader, parameters: Sequence[str], left: Part, others: Sequence[Part], index_width: int) -> _Typing:
    slots = reader.slots
    of: dict[int, int | Kind] = {}
    whole = parts(left)
    inside = [p for other in (*others, *reader.named.values()) for p in parts(other)]
    found = {p.slot: slots.find(p.slot) for p in (*whole, *inside)}
    found |= {slot: slots.find(slot) for slot in reader.types}
    free = _free(reader, parameters, whole)
    for own, slot in found.items():
        known = slots.known(slot)
        if not isinstance(known, str):
            of[own] = equations.kind_of(known, index_width)
        elif slot in free:
            of[own] = free.index(slot)
        else:
            raise NotStatic("the type of a part of its right side is not known")
    return _Typing(tuple(free), of, tuple(str(slots.known(s)) for s in free), reader.holes, reader.named)


def _free(reader: Reader, parameters: Sequence[str], left: Sequence[Part]) -> list[int]:
    """The slots of the left side that may be of any type: those of the parameters in their order, then from inner parts
    to outer ones."""
    slots = reader.slots
    own = [reader.holes[name] for name in parameters if name in reader.holes]
    everything = [slots.find(slot) for slot in (*own, *(p.slot for p in reversed(left)), *reader.types)]
    there = {slots.find(p.slot) for p in left} | {slots.find(slot) for slot in reader.types}
    return [s for s in dict.fromkeys(everything) if s in there and isinstance(slots.known(s), str)]


@dataclass(frozen=True, slots=True)
class Define:
    """The equation of a claim as a function of types."""

    claim: Claim
    left: Operate
    right: Part
    conditions: Conditions
    typing: _Typing
    literals: frozenset[str]
    mark: str
    one_way: bool

    @property
    def arity(self) -> int:
        """The number of types it takes."""
        return len(self.typing.free)

    @property
    def root(self) -> str:
        """The operator at the root of its left side."""
        return self.left.op

    @property
    def numbers(self) -> frozenset[int]:
        """The integers that its guards name."""
        guards = (*self.conditions.plain, *self.claim.excluded)
        known = [part.value for guard in guards for part in postfix(guard) if isinstance(part, Known)]
        return frozenset(value for value in known if isinstance(value, int) and not isinstance(value, bool))

    def __call__(self, *kinds: Kind) -> Equation | None:
        """The equation, None where there is none at these types."""
        if not all(in_domain(k.type, d) for k, d in zip(kinds, self.typing.domains, strict=True)):  # type: ignore[arg-type]
            return None
        types = _Types(self, kinds)
        if types.holds({}) is False:
            return None
        try:
            return types.equation()
        except NoInstance:
            return None


@dataclass(frozen=True, slots=True)
class _Types:
    """A claim at given types."""

    define: Define
    kinds: Sequence[Kind]

    def kind(self, slot: int) -> Kind:
        """The type of a slot."""
        found = self.define.typing.of[slot]
        return self.kinds[found] if isinstance(found, int) else found

    def holds(self, values: Mapping[str, equations.Scalar]) -> bool | None:
        """Whether the guards hold for these values of literals, and what is excluded is known to be false; None if
        unknown."""
        claim, lookup = self.define.claim, _Lookup(self, values)
        wanted = [(guard, True) for guard in self.define.conditions.plain]
        wanted += [(guard, False) for guard in claim.excluded]
        found = [(evaluate(guard, lookup), truth) for guard, truth in wanted]
        if any(value is (not truth) for value, truth in found):
            return False
        return True if all(value is truth for value, truth in found) else None

    def equation(self) -> Equation:
        """The equation at these types.

        Raises: NoInstance.
        """
        define = self.define
        outputs: dict[str, tuple[Expression, Kind]] = {}
        left = self.part(define.left, None)
        right = self.part(define.right, outputs)
        assert isinstance(left, equations.Operation)
        where, given = self._where(), self._given()
        if self.holds({}) is True and not outputs:
            return Equation(left, right, where, given)
        if not define.literals:
            raise NoInstance
        return Equation(left, right, where, given, _Compute(self, outputs))

    def _where(self) -> equations.Pattern | None:
        found = [self.part(term, None) for term in self.define.conditions.where]
        return reduce(lambda one, other: one & other, found) if found else None

    def _given(self) -> tuple[equations.Operation, ...]:
        """The flags of the left side, and what is said to be defined."""
        define = self.define
        flagged = [p for operate in operates(define.left) for p in self._premises(operate) if not define.one_way]
        stated = [p for term in define.conditions.given for p in self._stated(term)]
        return (*flagged, *stated)

    def _stated(self, term: Part) -> Iterator[equations.Operation]:
        assert isinstance(term, Operate)
        found = [*self._premises(term)]
        bare = self.part(term, None)
        assert isinstance(bare, equations.Operation)
        yield from found or [bare]

    def part(self, part: Part, outputs: dict[str, tuple[Expression, Kind]] | None) -> equations.Pattern:
        """The part at these types; literals that are computed from those of the left side are added to `outputs`.

        Raises: NoInstance.
        """
        kind = self.kind(part.slot)
        match part:
            case Hole(name=name):
                return equations.Variable(kind, self.define.mark + name, literal=name in self.define.literals)
            case Literal(value=value):
                known = evaluate(value, _Lookup(self, {}))
                if known is not None:
                    return number_of(known, kind)
                if outputs is None:
                    raise NoInstance
                name = f"{MARK}{len(outputs)}"
                outputs[name] = (value, kind)
                return equations.Variable(kind, name, literal=True)
            case Operate(op=op, args=args):
                operands = tuple(self.part(a, outputs) for a in args)
                if not fits(op, [o.kind for o in operands], kind) or not self._has_type(part, kind):
                    raise NoInstance
                flags = part.flags if self.define.one_way else ()
                attrs = sorted(self._attributes(op, (*part.attrs, *flags)))
                return equations.Operation(kind, op, operands, tuple(attrs))

    def _has_type(self, part: Operate, kind: Kind) -> bool:
        return part.type is None or evaluate(part.type, _Lookup(self, {})) == str(kind.type)

    def _attributes(self, op: str, attrs: Attributes) -> tuple[tuple[str, int | str | bool], ...]:
        found: list[tuple[str, int | str | bool]] = []
        for name, expression in attrs:
            value = evaluate(expression, _Lookup(self, {}))
            if not isinstance(value, int | str) or not is_attribute_value(op, name, value):
                raise NoInstance
            found.append((name, value))
        return tuple(found)

    def _premises(self, operate: Operate) -> Iterator[equations.Operation]:
        """The flags that the left side asks of an operator: it is not poison with them."""
        if not operate.flags:
            return
        bare = self.part(Operate(operate.op, operate.args, operate.attrs, operate.slot), None)
        assert isinstance(bare, equations.Operation)
        for name, value in self._attributes(operate.op, operate.flags):
            wanted = str(value).replace(" ", "").split(",") if name == "overflow" else [value]
            for flag in wanted:
                if flag not in ("none", False):
                    yield equations.Operation(bare.kind, bare.op, bare.args, (*bare.attrs, (name, flag)))


def operates(part: Part) -> Iterator[Operate]:
    """The operators of a part."""
    return (p for p in parts(part) if isinstance(p, Operate))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """What guards may ask: types, the attributes that the pattern says, and the values of literals."""

    types: _Types
    values: Mapping[str, equations.Scalar]

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None:
        """An attribute of a variable's value."""
        typing = self.types.define.typing
        part = typing.named.get(variable)
        if part is None and variable not in typing.holes:
            return None
        if part is None:
            part = Hole(variable, typing.holes[variable])
        if part.slot not in typing.of:
            return None
        kind = self.types.kind(part.slot)
        match path:
            case ("type" | "elType",):
                return str(kind.type)
            case ("width",):
                return FORMAT_BITS[kind.type.name] if isinstance(kind.type, FloatType) else kind.width
            case ("value",):
                return self._value(part, kind)
            case (name,):
                return self._own(part, name)
            case _:
                return None

    def _value(self, part: Part, kind: Kind) -> Value | None:
        if isinstance(part, Literal):
            return evaluate(part.value, self)
        value = self.values.get(self.types.define.mark + part.name) if isinstance(part, Hole) else None
        return None if value is None else signed_value(value, kind)

    def _own(self, part: Part, name: str) -> Value | None:
        if not isinstance(part, Operate):
            return None
        if name == "op":
            return part.op
        found = dict((*part.attrs, *part.flags)).get(name)
        return found.value if isinstance(found, Known) else None

    def member(self, function: str, family: str) -> bool | None:
        """There are no function variables."""
        return None


@dataclass(frozen=True, slots=True)
class _Compute:
    """Decides the guards for literals, and computes those of the right side."""

    types: _Types
    outputs: Mapping[str, tuple[Expression, Kind]]

    def __call__(self, values: Mapping[str, equations.Scalar]) -> Mapping[str, equations.Scalar] | None:
        if self.types.holds(values) is not True:
            return None
        found: dict[str, equations.Scalar] = {}
        lookup = _Lookup(self.types, values)
        for name, (expression, kind) in self.outputs.items():
            value = evaluate(expression, lookup)
            try:
                number = None if value is None else number_of(value, kind)
            except NoInstance:
                return None
            if number is None:
                return None
            found[name] = float.fromhex(number.value) if isinstance(number.value, str) else number.value
        return found
