"""The replacement of one match over e-classes, as a typed pattern."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hecv.base.term import Attributes
from hecv.ops import OPERATORS
from hecv.ops.index import SYNONYMS
from hecv.patterns.calculus.claim_unfolding import NotStatic
from hecv.patterns.calculus.guard_expressions import evaluate, same_value
from hecv.patterns.calculus.literal_conversion import NoInstance, number_of
from hecv.patterns.calculus.match_subject import Operator
from hecv.patterns.calculus.matches import Bound
from hecv.patterns.calculus.operator_names import is_attribute_value
from hecv.patterns.calculus.pattern_ast import Build, BuildVariable, Computed, Expression, Replacement, Same, Value
from hecv.patterns.calculus.type_inference import FLAGS, POISON, fits, in_domain, options, required, signature, type_of
from hecv.patterns.equations.equations import Kind, Operation, Pattern, kind_of
from hecv.patterns.machine.eclass_subject import Member

Signature = tuple[Member, tuple[Kind, ...], Kind]
"""An operator that occurs, with the types of its operands and of its result."""


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds the right side of a match. `named` are the values of variables; `known` are operators without a meaning
    here: these can be built only as they occur somewhere."""

    bound: Bound
    named: Mapping[str, Pattern]
    known: Iterable[Signature]
    index_width: int

    def build(self, replacement: Replacement, wanted: Kind | None) -> Pattern:
        """The replacement, of the type `wanted` if nothing else determines it.

        Raises: NoInstance if it has no type or value.
        """
        match replacement:
            case Same(variable=variable):
                if variable not in self.named:
                    raise NoInstance
                return self.named[variable]
            case Computed(value=value):
                found = evaluate(value, self.bound)
                if found is None or wanted is None:
                    raise NoInstance
                return number_of(found, wanted)
            case Build(op=op, args=args, attrs=attrs, type=type_, result=result):
                values = tuple((name, self._value(e)) for name, e in attrs)
                to = wanted if type_ is None else self._type(type_)
                return self._apply(Operator(op, values), args, result, to)
            case BuildVariable(function=function, args=args):
                operator = self.bound.match.functions.get(function)
                if operator is None:
                    raise NoInstance
                return self._apply(operator, args, 0, wanted)

    def _value(self, expression: Expression) -> Value:
        found = evaluate(expression, self.bound)
        if found is None:
            raise NoInstance
        return found

    def _type(self, expression: Expression) -> Kind:
        found = type_of(str(self._value(expression)))
        if found is None:
            raise NoInstance
        return kind_of(found, self.index_width)

    def _apply(self, operator: Operator, args: tuple[Replacement, ...], result: int, to: Kind | None) -> Pattern:
        name = SYNONYMS.get(operator.name, operator.name)
        if name == POISON:  # it is no value
            raise NoInstance
        if name not in OPERATORS:
            return self._opaque(operator, tuple(self.build(a, None) for a in args), result)
        try:
            shape = signature(operator.name, len(args), result)
        except NotStatic:
            raise NoInstance from None
        types = {key: kind_of(t, self.index_width) for key, t in shape.slots.items() if not isinstance(t, str)}
        if to is not None:
            types.setdefault(shape.result, to)
        built: dict[int, Pattern] = {}
        for position, (key, argument) in enumerate(zip(shape.operands, args, strict=True)):
            if not isinstance(argument, Computed):
                built[position] = self.build(argument, types.get(key))
                types.setdefault(key, built[position].kind)
        for position, (key, argument) in enumerate(zip(shape.operands, args, strict=True)):
            if position not in built:
                built[position] = self.build(argument, types.get(key))
        operands = tuple(built[k] for k in range(len(args)))
        if any(types[key] != o.kind for key, o in zip(shape.operands, operands, strict=True)):
            raise NoInstance
        kind = types.setdefault(shape.result, operands[0].kind)
        if not all(in_domain(types[key].type, t) for key, t in shape.slots.items() if isinstance(t, str)):
            raise NoInstance
        if not fits(name, [o.kind for o in operands], kind):
            raise NoInstance
        return Operation(kind, name, operands, _attributes(name, operator, result))

    def _opaque(self, operator: Operator, operands: tuple[Pattern, ...], result: int) -> Pattern:
        """Raises: NoInstance where no such operator occurs on operands of these types, or two that differ do."""
        types = tuple(o.kind for o in operands)
        found = [
            (member, kind)
            for member, operand_types, kind in self.known
            if (member.name, member.result) == (operator.name, result)
            and operand_types == types
            and all(_has(member, n, v) for n, v in operator.attrs)
        ]
        distinct = dict.fromkeys((m.op, m.attrs, k) for m, k in found)
        if len(distinct) != 1:
            raise NoInstance
        op, attrs, kind = next(iter(distinct))
        return Operation(kind, op, operands, attrs)


def _has(member: Member, name: str, value: Value) -> bool:
    attrs = dict(member.node.operator.attrs)
    return name in attrs and same_value(attrs[name], value)


def _attributes(name: str, operator: Operator, result: int) -> Attributes:
    """The attributes that the value depends on.

    Raises: NoInstance where some are missing or not known.
    """
    found: dict[str, int | str | bool] = {}
    for key, value in operator.attrs:
        if key in FLAGS:
            continue
        if key not in options(name) or not isinstance(value, int | str) or key == "fastmath":
            raise NoInstance
        if not is_attribute_value(name, key, value):
            raise NoInstance
        found[key] = value
    if "result" in options(name):
        found["result"] = result
    if required(name) - found.keys():
        raise NoInstance
    return tuple(sorted(found.items()))
