"""Term refinement by Z3: the target term refines the source term, given leaves that do.

A leaf that stands in both terms stands for two positions in two programs: where the source's is not poison, the
target's is not poison either and has the same value. The goals below give both sides the same values *and* the same
flags. That suffices, because semantics is monotone: where an operator is defined and not poison, it stays so, with the
same value, when an operand that was poison becomes any value (`tests/ops/test_agreement_monotone.py` proves it of
every operator). So let the source's leaves be `s`, the target's `t`, and let `t` refine `s`. If the source is defined
and not poison at `s`, then by monotonicity it is so at `t`, with the same value; what is proved here, at `t` on both
sides, then says the same of the target at `t`.

The three goals are apart: none uses another. So values may also be proved equal elsewhere, as total functions that know
no flags, and only `undefined` and `poison` asked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import Shapes
from hecv.smt.poison_strictness import needed, suspects
from hecv.smt.term_encoding import Encoded, Encoder
from hecv.smt.z3_goals import Model, Proved, Refuted, decide
from hecv.smt.z3_theory import Z3, Truth, Unencodable

Answer = Literal["proved", "refuted", "unknown"]


class Verdict(Struct, frozen=True):
    """An answer. `how` is `shape` or `z3`, or why it is unknown; `model` has the leaves of a refutation."""

    answer: Answer
    how: str
    model: Model | None = None


class Refinement(Struct, frozen=True):
    """The three goals of refinement, where the source is defined.

    `undefined`: the target is defined. `poison`: if the source is not poison, the target is not. `value`: if the source
    is not poison, the values are equal; None if not asked.
    """

    undefined: Verdict
    poison: Verdict
    value: Verdict | None = None

    @property
    def holds(self) -> bool:
        """True if every goal asked is proved."""
        asked = (self.undefined, self.poison, self.value)
        return all(v is None or v.answer == "proved" for v in asked)


SHAPE = Verdict("proved", "shape")


def refine(
    source: Term,
    target: Term,
    *,
    evaluated: Sequence[Term] = (),
    value: bool = False,
    index_width: int = 64,
    milliseconds: int = 1000,
) -> Refinement:
    """Decides whether `target` refines `source`; with `value`, values are compared too.

    `evaluated` are further terms that the source evaluates wherever it evaluates `source`: they are defined, and
    nothing else is known of them. A source that is never defined is refined by everything.

    Requires: both are of one pool.
    """
    if source is target and not (value and any(map(exposes, postorder((source,))))):
        return Refinement(SHAPE, SHAPE, SHAPE if value else None)
    undefined, poison = suspicious(source, target, (source, *evaluated), Shapes(index_width))
    if not (poison or undefined or value):
        return Refinement(SHAPE, SHAPE)
    return _by_solver(source, target, evaluated, (undefined, poison, value), index_width, milliseconds)


def suspicious(source: Term, target: Term, evaluated: Sequence[Term], shapes: Shapes) -> tuple[bool, bool]:
    """(the target may be undefined, it may be poison), where the source is not."""
    defined = {t.id for t in postorder(tuple(evaluated))}
    _, undefined = suspects(shapes, target, needed(shapes, evaluated), defined)
    poison, _ = suspects(shapes, target, needed(shapes, evaluated, source), defined)
    return undefined, poison


def _by_solver(
    source: Term,
    target: Term,
    evaluated: Sequence[Term],
    asked: tuple[bool, bool, bool],
    index_width: int,
    milliseconds: int,
) -> Refinement:
    undefined, poison, value = asked
    encoder = Encoder(index_width)
    try:
        src, *more = encoder.terms((source, *evaluated))
        tgt = encoder.term(target)  # apart: what an operator leaves open may differ from one side to the other
    except Unencodable as problem:
        stuck = Verdict("unknown", str(problem))
        return Refinement(stuck if undefined else SHAPE, stuck if poison else SHAPE, stuck if value else None)
    defined = encoder.not_(encoder.any_of(src.ub, *[m.ub for m in more]))
    proper = encoder.all_of(defined, encoder.not_(src.poison))

    def ask(premise: Truth, goal: Truth) -> Verdict:
        return _ask(encoder, Z3.Implies(premise, goal), milliseconds)

    return Refinement(
        ask(defined, encoder.not_(tgt.ub)) if undefined else SHAPE,
        ask(proper, encoder.not_(tgt.poison)) if poison else SHAPE,
        ask(proper, same(src, tgt)) if value else None,
    )


def same(left: Encoded, right: Encoded) -> Truth:
    """Both have the same value. Two exact integers are compared as such, which implies it and is far easier to show."""
    if left.exact is not None and right.exact is not None:
        return left.exact == right.exact
    return left.value == right.value


def _ask(encoder: Encoder, goal: Truth, milliseconds: int) -> Verdict:
    decision = decide(goal, (), milliseconds)
    match decision:
        case Proved():
            return Verdict("proved", "z3")
        case Refuted(model) if not encoder.abstractions:
            return Verdict("refuted", "z3", model)
        case Refuted():
            return Verdict("unknown", "not for every meaning of " + ", ".join(sorted(encoder.abstractions)))
        case _:
            return Verdict("unknown", decision.reason)
