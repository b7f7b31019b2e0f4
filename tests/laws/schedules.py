"""Random pairs of schedules over the same parts: a nest, and what rewrites make of it, right or wrong.

No theorem makes most of them, but a certificate may claim any: the law of schedules alone says which are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, postorder
from hecv.base.types import INDEX
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Block, Dealloc, Statement, Store
from hecv.theorems.schedules.schedule_tree import Copy, For, Mover, Part, Schedule, depth_of, plus, step_of, substitute
from hecv.theorems.schedules.theorem_instance import Instance, Surroundings
from hecv.theorems.transforms import unroll_peel_strip
from hecv.theorems.transforms.theorem_reconstruction import LAW
from hecv.theorems.user_rules.loop_rule_trials import World

Items = tuple[Schedule, ...]
Ivs = tuple[Term, ...]
DEEPEST: Final = 2
"""Loops around a copy, before rewrites."""


def schedules(world: World, around: Surroundings) -> Iterator[Instance]:
    """One pair, of one to three parts."""
    world.local = world.local or world.chance(0.4)
    parts: list[Part] = []
    before = tuple(_item(world, around.depth, (), parts) for _ in range(world.random.choice((1, 1, 1, 2, 2, 3))))
    rewriter = _Rewriter(world, around.depth)
    after = before
    for _ in range(world.random.choice((1, 1, 2, 3))):
        after = rewriter.anywhere(after, 0)
    if after != before:
        reorders = world.chance(0.9)
        yield unroll_peel_strip.instance(world.pool, LAW, around, tuple(parts), before, after, reorders)


# Nests


def _item(world: World, depth: int, ivs: Ivs, parts: list[Part]) -> Schedule:
    """A loop around one or two items, or a run of a part; `ivs` are those of the loops around it, from `depth` on."""
    at = depth + len(ivs)
    if ivs and (len(ivs) == DEEPEST or ivs[-1].type != INDEX or world.chance(0.6)):
        return _copy(world, depth, ivs, parts)
    header = world.narrow_loop(at, ()) if world.chance(0.1) else world.loop(at, ())
    step = step_of(header)
    assert step is not None
    body = tuple(_item(world, depth, (*ivs, header.iv), parts) for _ in range(world.random.choice((1, 1, 1, 2))))
    return For(0, header.iv.type, header.lowers, header.uppers, step, body)


def _copy(world: World, depth: int, ivs: Ivs, parts: list[Part]) -> Copy:
    """A run of a new part, now and then of an old one."""
    types = tuple(iv.type for iv in ivs)
    fitting = [k for k, part in enumerate(parts) if part.types == types]
    if fitting and world.chance(0.2):
        return Copy(world.random.choice(fitting), ivs)
    inside = depth + len(ivs)
    block = (world.statement(inside),) if world.chance(0.6) else world.body(inside)
    if world.local and world.chance(0.7):
        block = _about_own(world, inside)
    places = tuple(iv if iv.type == INDEX else world.pool.make("arith.index_cast", (iv,), INDEX) for iv in ivs)
    parts.append(Part(Mover(world.pool, depth, places, inside).block(block), types))
    return Copy(len(parts) - 1, ivs)


def _about_own(world: World, depth: int) -> Block:
    """Statements that may allocate `L`, write an element of it, use one, and free it."""
    own, places = world.own(), [world.subscript(depth) for _ in range(2)]
    out: list[Statement] = [Alloc(0, own)] if world.chance(0.8) else []
    if world.chance(0.8):
        out.append(Store(0, own, (places[0],), world.value(depth)))
    if world.chance(0.7):
        read = world.pool.load(own.id, (places[0 if world.chance(0.8) else 1],), own.element)
        value = world.pool.make("arith.addi", (read, world.value(depth)), own.element)
        out.append(Store(0, world.memory(world.random.randrange(2)), (world.subscript(depth),), value))
    return (*out, Dealloc(0, own)) if world.chance(0.05) else tuple(out)


# Rewrites


class _Rewriter:
    """Rewrites schedules below `depth` loops; what is right of it depends on the nest, and a part of it is wrong."""

    def __init__(self, world: World, depth: int) -> None:
        self.world, self.pool, self.random = world, world.pool, world.random
        self.depth = depth
        in_order = (self.unrolled, self.split, self.peeled, self.strips, self.shifted, self.skewed, self.strayed)
        reordering = (self.interchanged, self.reversed, self.distributed)
        self.loops: tuple[Callable[[For, int], Items | None], ...] = (*in_order, *reordering, *reordering)

    def anywhere(self, items: Items, level: int) -> Items:
        """The items with one of them, or one inside of one, rewritten; `level` loops of the schedule enclose them."""
        if not items:
            return items
        place = self.random.randrange(len(items))
        item = items[place]
        if isinstance(item, For) and self.world.chance(0.3):
            return (*items[:place], replace(item, body=self.anywhere(item.body, level + 1)), *items[place + 1 :])
        if self.world.chance(0.6 if len(items) > 1 else 0.05):
            return self.rearranged(items, place)
        made = self.random.choice(self.loops)(item, level) if isinstance(item, For) else self.altered(item)
        return items if made is None else (*items[:place], *made, *items[place + 1 :])

    def rearranged(self, items: Items, place: int) -> Items:
        """Items fused, exchanged, done twice, or left out."""
        before, item, rest = items[:place], items[place], items[place + 1 :]
        if rest and self.world.chance(0.95):
            other = rest[0]
            both = isinstance(item, For) and isinstance(other, For) and item.type == other.type
            if both and self.world.chance(0.5):
                return (*before, replace(item, body=(*item.body, *other.body)), *rest[1:])
            return (*before, other, item, *rest[1:])
        return (*before, *((item, item) if self.world.chance(0.5) else ()), *rest)

    def altered(self, item: Copy) -> Items | None:
        """A copy with another value of a variable."""
        if not item.values:
            return None
        values = list(item.values)
        place = self.random.randrange(len(values))
        values[place] = plus(self.pool, values[place], self.random.choice((-1, 1)))
        return (Copy(item.part, tuple(values)),)

    # Of a loop

    def unrolled(self, item: For, level: int) -> Items | None:
        factor, iv = self.random.choice((2, 3)), self.iv(item, level)
        bodies = (self.with_iv(item.body, level, plus(self.pool, iv, k * item.step)) for k in range(factor))
        main = replace(item, step=factor * item.step, body=tuple(s for body in bodies for s in body))
        middle = self.middle(item, factor)
        if middle is None:
            return (main,)
        return replace(main, uppers=(middle,)), replace(item, lowers=(middle,))

    def middle(self, item: For, factor: int) -> Term | None:
        """Where the rest begins; None for none."""
        if self.world.chance(0.3) or len(item.lowers) != 1:
            return None
        lower, size = item.lowers[0], factor * item.step
        if item.type != INDEX or self.world.chance(0.2):
            return plus(self.pool, lower, self.random.randrange(3) * size)
        span = quasi_affine.extremum(
            self.pool, "affine.max", (quasi_affine.subtract(self.pool, item.uppers[0], lower), self.pool.integer(0))
        )
        whole = quasi_affine.floordiv(self.pool, span, self.pool.integer(size))
        return quasi_affine.combine(self.pool, 0, ((lower, 1), (whole, size)))

    def split(self, item: For, level: int) -> Items | None:
        middle = plus(self.pool, item.lowers[0], self.random.randrange(6))
        if item.type == INDEX and self.world.chance(0.3):
            middle = self.world.bound(self.depth + level, 2)
        first, second = replace(item, uppers=(middle,)), replace(item, lowers=(middle,))
        return (first, second) if self.world.chance(0.7) else (second, first)

    def peeled(self, item: For, level: int) -> Items | None:
        lower = item.lowers[0]
        rest = replace(item, lowers=(plus(self.pool, lower, item.step),))
        return (*self.outside(item.body, level, lower), rest)

    def strips(self, item: For, level: int) -> Items | None:
        if item.type != INDEX or level >= DEEPEST:
            return None
        factor = self.random.choice((2, 3, 4))
        outer, inner = (self.pool.induction(self.depth + level + k, INDEX) for k in (0, 1))
        end = quasi_affine.combine(self.pool, factor * item.step, ((outer, 1),))
        uppers = (end, *item.uppers) if self.world.chance(0.8) else (end,)
        if self.world.chance(0.5):
            body = self.moved(item.body, level, lambda d: inner if d == 0 else None, 1)
            tile = For(0, INDEX, (outer,), uppers, item.step, body)
        else:
            value = quasi_affine.combine(self.pool, 0, ((outer, 1), (inner, 1)))
            body = self.moved(item.body, level, lambda d: value if d == 0 else None, 1)
            uppers = tuple(quasi_affine.subtract(self.pool, u, outer) for u in uppers)
            tile = For(0, INDEX, (self.pool.integer(0),), uppers, item.step, body)
        return (replace(item, step=factor * item.step, body=(tile,)),)

    def interchanged(self, item: For, level: int) -> Items | None:
        inner = item.body[0] if len(item.body) == 1 else None
        if not isinstance(inner, For) or self.sees(inner, level):
            return None
        ivs = self.iv(inner, level + 1), self.iv(item, level)
        if inner.type != INDEX or item.type != INDEX:
            return None
        body = self.moved(inner.body, level, lambda d: ivs[d] if d < 2 else None, 0)
        return (replace(inner, body=(replace(item, body=body),)),)

    def reversed(self, item: For, level: int) -> Items | None:
        if item.type != INDEX or len(item.lowers) != 1 or len(item.uppers) != 1:
            return None
        last = self.random.choice((-1, -1, -1, 0, -item.step))
        parts = ((item.lowers[0], 1), (item.uppers[0], 1), (self.iv(item, level), -1))
        return (replace(item, body=self.with_iv(item.body, level, quasi_affine.combine(self.pool, last, parts))),)

    def shifted(self, item: For, level: int) -> Items | None:
        by = self.random.choice((-2, 1, 3))
        lowers, uppers = (tuple(plus(self.pool, b, by) for b in bounds) for bounds in (item.lowers, item.uppers))
        value = plus(self.pool, self.iv(item, level), -by)
        return (replace(item, lowers=lowers, uppers=uppers, body=self.with_iv(item.body, level, value)),)

    def skewed(self, item: For, level: int) -> Items | None:
        """The first loop in another begins later in each iteration of the other."""
        inner = item.body[0] if len(item.body) == 1 else None
        if not isinstance(inner, For) or inner.type != INDEX or item.type != INDEX:
            return None
        outer = self.iv(item, level)
        sign = self.random.choice((1, -1))
        lowers, uppers = (
            tuple(quasi_affine.combine(self.pool, 0, ((b, 1), (outer, sign))) for b in bounds)
            for bounds in (inner.lowers, inner.uppers)
        )
        value = quasi_affine.combine(self.pool, 0, ((self.iv(inner, level + 1), 1), (outer, -sign)))
        body = self.with_iv(inner.body, level + 1, value)
        return (replace(item, body=(replace(inner, lowers=lowers, uppers=uppers, body=body),)),)

    def distributed(self, item: For, level: int) -> Items | None:
        if len(item.body) < 2:
            return None
        at = self.random.randrange(1, len(item.body))
        made = replace(item, body=item.body[:at]), replace(item, body=item.body[at:])
        return made if self.world.chance(0.7) else made[::-1]

    def strayed(self, item: For, level: int) -> Items | None:
        """A bound or the step is another one."""
        by = self.random.choice((-1, 1))
        match self.random.randrange(4):
            case 0:
                return (replace(item, lowers=(plus(self.pool, item.lowers[0], by), *item.lowers[1:])),)
            case 1:
                return (replace(item, uppers=(plus(self.pool, item.uppers[0], by), *item.uppers[1:])),)
            case 2:
                return (replace(item, uppers=item.uppers[1:] or item.uppers),)
            case _:
                return (replace(item, step=max(1, item.step + by)),)

    # Terms

    def iv(self, item: For, level: int) -> Term:
        return self.pool.induction(self.depth + level, item.type)

    def sees(self, item: For, level: int) -> bool:
        """Whether a bound of the loop has the variable of that level."""
        nodes = postorder((*item.lowers, *item.uppers))
        return any(n.op == "iv" and depth_of(n) == self.depth + level for n in nodes)

    def with_iv(self, items: Items, level: int, value: Term) -> Items:
        """The items with `value` for the variable of that level."""
        return self.moved(items, level, lambda d: value if d == 0 else None, 0)

    def outside(self, items: Items, level: int, value: Term) -> Items:
        """The items with `value` for the variable of that level, without that loop around them."""
        return self.moved(items, level, lambda d: value if d == 0 else None, -1)

    def moved(self, items: Items, level: int, value: Callable[[int], Term | None], by: int) -> Items:
        """The items with other values for the variables from a level on, those without one moved `by` levels in."""
        place = self.depth + level

        def leaf(node: Term) -> Term | None:
            if node.op != "iv" or depth_of(node) < place:
                return None
            found = value(depth_of(node) - place)
            return self.pool.induction(depth_of(node) + by, node.type) if found is None else found

        def term(root: Term) -> Term:
            return substitute(self.pool, root, leaf, {})

        return tuple(_mapped(item, term) for item in items)


def _mapped(item: Schedule, term: Callable[[Term], Term]) -> Schedule:
    match item:
        case Copy(part=part, values=values):
            return Copy(part, tuple(map(term, values)))
        case For(lowers=lowers, uppers=uppers):
            body = tuple(_mapped(inner, term) for inner in item.body)
            return replace(item, lowers=tuple(map(term, lowers)), uppers=tuple(map(term, uppers)), body=body)
