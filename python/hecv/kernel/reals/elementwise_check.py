"""Two functions of known sizes, compared over the real numbers element by element.

Both are executed symbolically (`hecv.elements.element_unfolding`, which is trusted), so that each element that the
caller sees is one term, without loops, memory or subscripts. Theorem: the target refines the source if

1. the two terms of each element are equal expressions (`hecv.kernel.reals.real_algebra`), wherever each term below them
   has a value, selected or not; or they are equal in each of several cases, where an expression that is compared is
   positive and where it is not: by 2 it has a value, so there are no other cases;
2. each term of either side has a value wherever all that the source certainly computes has one: what it needs of its
   operands is also needed there, or follows from signs (`Signs`), operands first;
3. control flow and accesses are the same on all inputs, so one run of each side without undefined behaviour shows that
   there is none on any input; assertions of the target hold where those of the source do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import FloatType, MemRefType
from hecv.base.value import Buffer, Scalar
from hecv.base.value import Value as Argued
from hecv.elements.element_unfolding import NotUnfolded, Output, Unfolded, initial, unfold
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.reals.known_signs import Signs
from hecv.kernel.reals.real_algebra import UNIT, Algebra, Value
from hecv.kernel.reals.real_semantics import Meanings
from hecv.ops.fastmath_flags import EVERY, flags_of
from hecv.program.tree import Argument, Function
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.interpreter.interpreter import Finished, compile

MOST_OPERATORS: Final = 2_000_000
"""The most operators evaluated in one function."""

MOST_SPLITS: Final = 6
"""The most case splits for one element."""

TRIED: Final = (1, 0, 2)
"""Values for all elements of the input in a run, tried in turn."""


class _Side(Struct, frozen=True):
    """What a function computes, and what it asserts."""

    values: Sequence[Term]
    asserted: Sequence[Term]


def replay_elements(pool: TermPool, functions: tuple[Function, Function], count: int, index_width: int) -> bool:
    """Checks that the target refines the source, on `count` elements; returns whether the source refines the target
    too.

    Requires: floats are real numbers, indices do not overflow, and memory arguments do not overlap.
    Raises: Rejected.
    """
    if not all(f.known and not f.callees for f in functions):
        raise Rejected("programs", "an op has no semantics, or a function calls itself")
    evaluator = Evaluator(index_width)
    try:
        first, second = (unfold(pool, f, evaluator, MOST_OPERATORS) for f in functions)
    except NotUnfolded as problem:
        raise Rejected("programs", problem.text) from None
    for function in functions:
        _require_finished(function, index_width)
    pairs = _outputs(pool, functions, (first, second))
    if len(pairs) != count:
        raise Rejected("elements", f"there are {len(pairs)} of them")
    for term in postorder((*first.asserted, *second.asserted, *[o.value for pair in pairs for o in pair])):
        if flags_of(term.attrs) - EVERY:
            raise Rejected("elements", f"`{term.op}` has a flag that makes poison")
    names = [f"element {one.position} of {one.memory}" for one, _ in pairs]
    return compared([(a.value, b.value) for a, b in pairs], (first.asserted, second.asserted), names)


def compared(
    values: Sequence[tuple[Term, Term]],
    asserted: tuple[Sequence[Term], Sequence[Term]],
    names: Sequence[str],
    rounded: bool = True,
) -> bool:
    """Checks that the target's elements refine the source's; returns whether the converse holds too.

    The elements have `values` and `names`, and each side asserts some terms. `rounded`: literals may stand for other
    numbers.
    Raises: Rejected.
    """
    sides = _Side([a for a, _ in values], asserted[0]), _Side([b for _, b in values], asserted[1])
    meanings = Meanings(Algebra(), rounded)
    for side in sides:
        meanings.read((*side.values, *side.asserted))
    for (one, other), name in zip(values, names, strict=True):
        left, right = meanings.values[one.id], meanings.values[other.id]
        if not _is_equal(meanings.algebra, left, right) and not _is_equal_by_cases(one, other, rounded):
            raise Rejected(name, "the expressions are not equal")
    lacking = _undefined(meanings, *sides)
    if lacking is not None:
        raise Rejected("elements", f"`{lacking.op}` may have no value where the source has one")
    return _undefined(meanings, *sides[::-1]) is None


def _is_equal(algebra: Algebra, left: Value, right: Value) -> bool:
    if left == right or min(left, right) < 0:
        return left == right
    return algebra.equal(left, right) or algebra.vanishes(algebra.subtract(left, right))


def _is_equal_by_cases(one: Term, other: Term, rounded: bool) -> bool:
    """Whether two terms are equal in all cases, by repeated case splits on what they compare.

    Raises: Rejected if one has no meaning in a case.
    """
    algebra = Algebra()
    waiting: list[dict[Value, bool]] = [{}]
    while waiting:
        assumed = waiting.pop()
        if _is_impossible(algebra, assumed):
            continue
        algebra.assumed, algebra.open = assumed, {}
        meanings = Meanings(algebra, rounded)
        meanings.read((one, other))
        if _is_equal(algebra, meanings.values[one.id], meanings.values[other.id]):
            continue
        split = next((d for d in algebra.open if d not in assumed), None)
        if split is None or len(assumed) == MOST_SPLITS:
            return False
        waiting += [{**assumed, split: holds} for holds in (True, False)]
    return True


def _is_impossible(algebra: Algebra, assumed: Mapping[Value, bool]) -> bool:
    """Whether two of the assumptions contradict each other: a positive combination of them is a constant of the wrong
    sign."""
    facts = [(algebra.polynomial(d if holds else algebra.scale(d, -1)), holds) for d, holds in assumed.items()]
    for (one, strict), (other, also) in combinations(facts, 2):
        shared = next((m for m in one if m != UNIT and one[m] * other.get(m, 0) < 0), None)
        if shared is None:
            continue
        factor = -Fraction(one[shared]) / other[shared]
        total = {m: one.get(m, 0) + factor * other.get(m, 0) for m in {**one, **other}}
        constant = total.pop(UNIT, 0)
        if not any(total.values()) and (constant < 0 or (constant == 0 and (strict or also))):
            return True
    return False


def _outputs(
    pool: TermPool, functions: tuple[Function, Function], sides: tuple[Unfolded, Unfolded]
) -> list[tuple[Output, Output]]:
    """What each side has in the end in all elements that either writes."""
    found: list[tuple[Output, Output]] = []
    for place in {**sides[0].outputs, **sides[1].outputs}:
        pair = [s.outputs.get(place) or initial(pool, f, place) for s, f in zip(sides, functions, strict=True)]
        if pair[0] is None or pair[1] is None:
            raise Rejected("elements", "a result is not written")
        found.append((pair[0], pair[1]))
    return found


def _undefined(meanings: Meanings, given: _Side, asked: _Side) -> Term | None:
    """A term of either side that may have no value, or an assertion of `asked` that may not hold, if all that `given`
    certainly computes has a value.

    Nothing is learned of a term that depends on one without a value. Failing case: `select(y == 0, x, x / y)` is an
    expression that is not 0 only where `y` is not.
    """
    signs = Signs(meanings)
    certain = {t.id for t in _certain((*given.values, *given.asserted))}
    true = {t.id for t in given.asserted}
    order = postorder((*given.values, *given.asserted, *asked.values, *asked.asserted))
    lacking: dict[int, Term] = {}
    while True:
        before, lacking = lacking, {}
        for term in order:
            needs = meanings.needs.get(term.id, ())
            known = term.id in certain or all(map(signs.holds, needs))
            if not known or any(a.id in lacking for a in term.args):
                lacking[term.id] = term
                continue
            for need in needs:
                signs.give(need)
            signs.note(term)
            if term.id in true:
                signs.give_true(meanings.values[term.id])
        if not lacking:
            return next((t for t in asked.asserted if not signs.is_true(meanings.values[t.id])), None)
        if lacking.keys() == before.keys():  # later terms may tell of earlier ones
            return next(iter(lacking.values()))


def _certain(roots: Sequence[Term]) -> list[Term]:
    """The terms that the roots certainly depend on, whatever is selected, operands first."""
    found: dict[int, Term] = {}
    waiting = [(root, False) for root in reversed(roots)]
    while waiting:
        term, ready = waiting.pop()
        if ready:
            found.setdefault(term.id, term)
        elif term.id not in found:
            waiting.append((term, True))
            args = term.args[:1] if term.op == "arith.select" else term.args
            waiting += [(a, False) for a in reversed(args)]
    return list(found.values())


def _require_finished(function: Function, index_width: int) -> None:
    """Checks that some run ends without undefined behaviour.

    Raises: Rejected.
    """
    executable = compile(function, index_width=index_width)
    for number in TRIED:
        arguments = [_filled(a, number) for a in function.inputs()]
        if isinstance(executable.run(arguments), Finished):
            return
    raise Rejected("programs", "no run is seen to finish")


def _filled(argument: Argument, number: int) -> Argued:
    """An argument of known extents that has one value everywhere."""
    memory = argument.memory
    if memory is None:
        assert not isinstance(argument.type, MemRefType)
        return _scalar(argument.type, number)
    shape: list[int] = []
    for extent in memory.extents:
        size = literal(extent)
        if not isinstance(size, int):
            raise Rejected("programs", "an extent is not known")
        shape.append(size)
    return Buffer(tuple(shape), [_scalar(memory.element, number)] * math.prod(shape))


def _scalar(kind: object, number: int) -> Scalar:
    return float(number) if isinstance(kind, FloatType) else number % 2
