"""Proofs of one-way laws: wherever the left side is defined, the right side is, and it refines the left one.

They are never unions of an e-graph. Operands may be poison, flags count, and every operator of a side is evaluated, as
in a program.
"""

from __future__ import annotations

from collections.abc import Mapping

from hecv.base.term import Term, TermPool
from hecv.patterns.equations.equations import Number, Operation, Pattern
from hecv.patterns.equations.equations import Variable as Hole
from hecv.patterns.equations.law_record import Instance
from hecv.smt.term_encoding import Encoded, Encoder
from hecv.smt.term_refinement import same
from hecv.smt.z3_goals import Decision, Refuted, Unknown, decide
from hecv.smt.z3_theory import Truth, Unencodable

Value = int | float | bool | str


def refinement(instance: Instance, milliseconds: int, values: bool = True) -> Decision:
    """Whether the right side refines the left one, for all values of the variables, also poison, that satisfy the
    condition on literals and the premises.

    `by_hole` reads a counterexample. Without `values`, only whether the right side is defined and not poison where the
    left one is: equal total values are proved elsewhere.
    """
    equation, pool = instance.equation, TermPool()
    encoder = Encoder(instance.index_width)
    try:
        source, target = (encoder.term(as_term(side, pool)) for side in (equation.left, equation.right))
        where = None if equation.where is None else encoder.term(as_term(equation.where, pool))
        given = [encoder.term(as_term(premise, pool)) for premise in equation.given]
    except Unencodable as problem:
        return Unknown(str(problem))
    premises = [encoder.not_(source.ub), *([] if where is None else [where.value == 1])]
    premises += [encoder.not_(encoder.any_of(premise.ub, premise.poison)) for premise in given]
    decision = decide(_refined(encoder, source, target, values), premises, milliseconds)
    if isinstance(decision, Refuted) and encoder.abstractions:
        return Unknown("not for every meaning of " + ", ".join(sorted(encoder.abstractions)))
    return decision


def by_hole(model: Mapping[str, Value]) -> dict[str, Value]:
    """The values of the variables in a counterexample to a refinement; `poison` for one that is poison."""
    found: dict[str, Value] = {}
    for name, value in sorted(model.items()):
        match name.split():
            case ["poison", _, hole, _] if value:
                found[hole] = "poison"
            case [_, hole, _]:
                found[hole] = value
            case _:
                pass
    return found


def _refined(encoder: Encoder, source: Encoded, target: Encoded, values: bool) -> Truth:
    """The target is defined, and where the source is not poison it is not, and with `values` equal."""
    proper = encoder.not_(target.poison)
    equal = encoder.all_of(proper, same(source, target)) if values else proper
    return encoder.all_of(encoder.not_(target.ub), encoder.any_of(source.poison, equal))


def as_term(pattern: Pattern, pool: TermPool) -> Term:
    """A pattern as a term of a program, with its variables as leaves; literals are not poison."""
    match pattern:
        case Hole(kind=kind, name=name, literal=literal):
            attributes = (("name", name), ("proper", True)) if literal else (("name", name),)
            return pool.make("leaf", (), kind.type, attributes)
        case Number(kind=kind, value=value):
            return pool.make("const", (), kind.type, (("value", value),))
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            return pool.make(op, tuple(as_term(a, pool) for a in args), kind.type, attrs)
        case _:
            raise AssertionError(pattern)
