"""Instances of users' loop rules, at places of a program.

A rule only proposes: its two sides are schedules over the same parts, and they are proved equal by the obligations of
the schedule law, as for hecv's own theorems (docs/theorems.md). The rule's conditions are obligations too, so that it
is used for what it states and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Final

import islpy as isl
from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.value_dataflow import Isl
from hecv.patterns.calculus.loop_rules import (
    Compare,
    Condition,
    Independent,
    InOrder,
    Item,
    LoopRule,
    Nest,
    Quantity,
    Relation,
    Use,
    condition_text,
)
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Loop
from hecv.theorems.schedules.block_accesses import Accesses, conflicts, sees
from hecv.theorems.schedules.isl_schedules import Reader
from hecv.theorems.schedules.schedule_equality import OPERATIONS, compared
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, Schedule, build, uses
from hecv.theorems.schedules.theorem_instance import Instance, Obligation, Scheduled, Surroundings
from hecv.theorems.transforms.unroll_peel_strip import plain

MOST_MATCHES: Final = 64
"""The most matches of one rule at one place."""

NEGATED: Final[Mapping[Relation, str]] = {"==": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
HOLDS: Final = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class Binding(Struct, frozen=True):
    """The values of a rule's parameters at a place."""

    bounds: Mapping[str, Term] = field(default_factory=dict[str, Term])
    numbers: Mapping[str, int] = field(default_factory=dict[str, int])
    bodies: Mapping[str, Part] = field(default_factory=dict[str, Part])


class Unbound(Exception):
    """An expression has a parameter without a value, or a number that must be positive and is not."""


def instances(pool: TermPool, around: Surroundings, rule: LoopRule, block: Block) -> Iterator[tuple[int, Instance]]:
    """The instances of a rule at the beginning of a block, each with the number of statements it is about."""
    for length, binding in matches(pool, around.depth, rule, block):
        found = instance(pool, around, rule, binding)
        if found is not None:
            yield length, found


def instance(pool: TermPool, around: Surroundings, rule: LoopRule, binding: Binding) -> Instance | None:
    """The instance of a rule for bound parameters; None if a step is not positive."""
    parts = tuple(binding.bodies[name] for name in rule.bodies)
    numbers = {name: k for k, name in enumerate(rule.bodies)}
    try:
        sides = [_schedule(pool, around.depth, side, binding, numbers, {}) for side in (rule.before, rule.after)]
    except Unbound:
        return None
    law = compared(pool, around, parts, *sides, reorders=True)
    own = tuple(_condition(pool, around, c, binding, parts, numbers, law) for c in rule.conditions)
    before, after = (build(pool, around.depth, parts, side) for side in sides)
    return Instance(rule.name, before, after, (*own, *law), Scheduled(parts, sides[0], sides[1], True))


# Matching


def matches(pool: TermPool, depth: int, rule: LoopRule, block: Block) -> Iterator[tuple[int, Binding]]:
    """The matches of a rule's first side with statements at the beginning of a block inside `depth` loops."""
    open_ = {name: choices for name, choices in rule.numbers.items() if choices}
    matcher, left = _Matcher(pool, depth), MOST_MATCHES
    for values in product(*open_.values()):
        start = Binding({}, dict(zip(open_, values, strict=True)), {})
        for length, binding in matcher.items(rule.before, block, start, {}, depth, False):
            yield length, binding
            left -= 1
            if not left:
                return


class _Matcher:
    def __init__(self, pool: TermPool, depth: int) -> None:
        self._pool = pool
        self._depth = depth

    def items(
        self, items: tuple[Item, ...], block: Block, known: Binding, ivs: dict[str, Term], at: int, whole: bool
    ) -> Iterator[tuple[int, Binding]]:
        """Matches of items with the first statements of a block inside `at` loops; with all statements if `whole`."""
        if not items:
            if not whole or not block:
                yield 0, known
            return
        first, rest = items[0], items[1:]
        found = (
            self._nest(first, block, known, ivs, at)
            if isinstance(first, Nest)
            else self._use(first, block, known, ivs, at)
        )
        for length, binding in found:
            if rest or not whole or length == len(block):
                for more, final in self.items(rest, block[length:], binding, ivs, at, whole):
                    yield length + more, final

    def _nest(
        self, item: Nest, block: Block, known: Binding, ivs: dict[str, Term], at: int
    ) -> Iterator[tuple[int, Binding]]:
        loop = block[0] if block else None
        if not isinstance(loop, Loop) or loop.iv.type != INDEX:
            return
        header = plain(loop)
        if header is None or len(header.lowers) != len(item.lowers) or len(header.uppers) != len(item.uppers):
            return
        pairs = [*zip(item.lowers, header.lowers, strict=True), *zip(item.uppers, header.uppers, strict=True)]
        binding: Binding | None = known
        for expected, term in [*pairs, (item.step, self._pool.integer(header.step))]:
            binding = None if binding is None else self._solve(expected, term, binding, ivs)
        if binding is None:
            return
        inner = {**ivs, item.iv: loop.iv}
        for _, found in self.items(item.items, loop.body, binding, inner, at + 1, True):
            yield 1, found

    def _solve(self, expected: Quantity, term: Term, known: Binding, ivs: dict[str, Term]) -> Binding | None:
        """The binding under which an expression is the term; None where there is none."""
        try:
            return known if term_of(self._pool, expected, known, ivs) is term else None
        except Unbound:
            pass
        match expected.op:
            case "bound":
                free = any(uses(term, d, {}) for d in range(self._depth, self._depth + len(ivs) + 1))
                return None if free else replace(known, bounds={**known.bounds, expected.name: term})
            case "number":
                value = literal(term)
                if not isinstance(value, int) or value < 1:
                    return None
                return replace(known, numbers={**known.numbers, expected.name: value})
            case "+" | "-":
                return self._solve_sum(expected, term, known, ivs)
            case _:
                return None

    def _solve_sum(self, expected: Quantity, term: Term, known: Binding, ivs: dict[str, Term]) -> Binding | None:
        """Of a sum or difference with one side that is known."""
        sign = 1 if expected.op == "+" else -1
        left, right = expected.args
        try:
            value = term_of(self._pool, right, known, ivs)
            return self._solve(left, quasi_affine.combine(self._pool, 0, ((term, 1), (value, -sign))), known, ivs)
        except Unbound:
            pass
        try:
            value = term_of(self._pool, left, known, ivs)
            return self._solve(right, quasi_affine.combine(self._pool, 0, ((term, sign), (value, -sign))), known, ivs)
        except Unbound:
            return None

    def _use(
        self, item: Use, block: Block, known: Binding, ivs: dict[str, Term], at: int
    ) -> Iterator[tuple[int, Binding]]:
        part = known.bodies.get(item.body)
        if part is not None:
            values = tuple(term_of(self._pool, v, known, ivs) for v in item.values)
            copy = Mover(self._pool, self._depth, values, at).block(part.block)
            if block[: len(copy)] == copy:
                yield len(copy), known
            return
        for length in range(len(block), 0, -1):
            found = self._part(item, block[:length], ivs, at)
            if found is not None:
                yield length, replace(known, bodies={**known.bodies, item.body: found})

    def _part(self, item: Use, block: Block, ivs: dict[str, Term], at: int) -> Part | None:
        """Statements as a function of the variables that the item names; None where they see another loop's."""
        own = [v.name for v in item.values]
        hidden = [k for k, name in enumerate(ivs) if name not in own]
        if any(sees(block, self._depth + k) for k in hidden):
            return None
        values = tuple(
            self._pool.induction(self._depth + own.index(name), INDEX) if name in own else self._pool.integer(0)
            for name in ivs
        )
        return Part(Mover(self._pool, self._depth, values, self._depth + len(own)).block(block), (INDEX,) * len(own))


def term_of(pool: TermPool, value: Quantity, known: Binding, ivs: Mapping[str, Term]) -> Term:
    """The index term of an expression.

    Raises: Unbound.
    """
    if value.args:
        left, right = (term_of(pool, a, known, ivs) for a in value.args)
        match value.op:
            case "+" | "-":
                return quasi_affine.combine(pool, 0, ((left, 1), (right, 1 if value.op == "+" else -1)))
            case "*":
                return quasi_affine.multiply(pool, left, right)
            case _ if not isinstance(divisor := literal(right), int) or divisor < 1:
                raise Unbound("a divisor that is no positive number")
            case "//":
                return quasi_affine.floordiv(pool, left, right)
            case _:
                return quasi_affine.modulo(pool, left, right)
    found = known.bounds.get(value.name) if value.op == "bound" else ivs.get(value.name)
    number = value.value if value.op == "fixed" else known.numbers.get(value.name)
    if found is None and number is None:
        raise Unbound(value.name)
    return found if found is not None else pool.integer(number if number is not None else 0)


# Schedules and conditions


def _schedule(
    pool: TermPool,
    depth: int,
    items: tuple[Item, ...],
    known: Binding,
    numbers: Mapping[str, int],
    ivs: Mapping[str, Term],
) -> tuple[Schedule, ...]:
    """Raises: Unbound, also for a step that is not positive."""
    out: list[Schedule] = []
    for item in items:
        if isinstance(item, Use):
            out.append(Copy(numbers[item.body], tuple(term_of(pool, v, known, ivs) for v in item.values)))
            continue
        iv = pool.induction(depth + len(ivs), INDEX)
        step = literal(term_of(pool, item.step, known, ivs))
        if not isinstance(step, int) or step < 1:
            raise Unbound("a step that is no positive number")
        lowers, uppers = (
            tuple(dict.fromkeys(term_of(pool, b, known, ivs) for b in bounds)) for bounds in (item.lowers, item.uppers)
        )
        body = _schedule(pool, depth, item.items, known, numbers, {**ivs, item.iv: iv})
        out.append(For(0, INDEX, lowers, uppers, step, body))
    return tuple(out)


def _condition(
    pool: TermPool,
    around: Surroundings,
    condition: Condition,
    known: Binding,
    parts: tuple[Part, ...],
    numbers: Mapping[str, int],
    law: tuple[Obligation, ...],
) -> Obligation:
    """A condition of the rule as an obligation, named as it is written."""
    name = condition_text(condition)
    match condition:
        case Compare():
            return Obligation(name, lambda: compares(pool, around, condition, known))
        case Independent(first, second):
            two = numbers[first], numbers[second]
            return Obligation(name, lambda: _independent(pool, around, parts, *two))
        case InOrder():
            return Obligation(name, lambda: all(o.holds() for o in law if o.name in ("affine", "in-order")))


def compares(pool: TermPool, around: Surroundings, condition: Compare, known: Binding) -> bool:
    """Whether isl proves a comparison of two expressions wherever the place is reached."""
    reader = Reader(pool, around)
    try:
        terms = [term_of(pool, side, known, {}) for side in (condition.left, condition.right)]
        first, second = map(literal, terms)
        if isinstance(first, int) and isinstance(second, int):
            return bool(HOLDS[condition.relation](first, second))
        texts = [reader.text(term, {}) for term in terms]
        space = Isl(reader.parameters, reader.given, OPERATIONS)
        broken = (
            space.set(f"{{ : {texts[0]} {NEGATED[condition.relation]} {texts[1]} }}").params().intersect(space.known)
        )
        return bool(broken.is_empty()) and not space.known.is_empty()
    except (isl.Error, NotAffine, Unbound):
        return False


def _independent(pool: TermPool, around: Surroundings, parts: tuple[Part, ...], first: int, second: int) -> bool:
    """Whether no run of one part writes what a run of the other accesses; of one part, another run of it."""
    reader = Reader(pool, around)
    accesses = [Accesses(pool, reader, around.depth, parts[k]) for k in (first, second)]
    left, right = (", ".join(f"{v}{k}" for k in range(len(parts[n].types))) for v, n in (("x", first), ("y", second)))
    apart = [f"x{k} != y{k}" for k in range(len(parts[first].types))]
    same = first == second
    if same and not apart:
        return True  # there is one run of it
    try:
        space = Isl(reader.parameters, reader.given, OPERATIONS)
        pairs = space.map(f"{{ [{left}] -> [{right}] : {' or '.join(apart) if same else '1 = 1'} }}")
        return not conflicts(space, accesses[0], accesses[1], pairs)
    except (isl.Error, NotAffine):
        return False
