"""Every loop theorem on thousands of random loops: where its obligations hold, runs of both sides agree; and each
obligation is needed, for without it some run disagrees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.types import BOOL, INDEX, IntType
from hecv.explain import DYNAMIC
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, If, Loop, Memory, MemoryKind, Statement, Store, Touch
from hecv.theorems.schedules.schedule_tree import Copy, Mover, Part, plus
from hecv.theorems.schedules.theorem_instance import Branch, Instance, Surroundings
from hecv.theorems.transforms import (
    coalesce_interchange,
    fusion_distribution,
    loop_decoalescing,
    loop_marks,
    scalar_stores,
    unroll_and_jam,
    unroll_peel_strip,
)
from hecv.theorems.transforms.theorem_reconstruction import LAW
from hecv.theorems.user_rules.loop_rule_trials import World, difference

from .schedules import schedules

Maker = Callable[[World, Surroundings], Iterator[Instance]]
RUNS = 8


def some(instance: Instance | None) -> Iterator[Instance]:
    if instance is not None:
        yield instance


def unroll(world: World, around: Surroundings) -> Iterator[Instance]:
    loop, factor = world.any_loop(around.depth), world.random.choice((2, 3, 4))
    near = plus(world.pool, loop.lowers[0], world.random.randrange(8))
    exact = unroll_peel_strip.middle_of(world.pool, loop, factor)
    middle = world.random.choice((None, exact, near, world.bound(around.depth, 3)))
    return some(unroll_peel_strip.unroll(world.pool, around, loop, factor, middle))


def unroll_fully(world: World, around: Surroundings) -> Iterator[Instance]:
    loop = world.any_loop(around.depth)
    return some(unroll_peel_strip.unroll_fully(world.pool, around, loop, world.random.randrange(6)))


def split(world: World, around: Surroundings) -> Iterator[Instance]:
    loop = world.any_loop(around.depth)
    near = plus(world.pool, loop.lowers[0], world.random.randrange(5))
    return some(
        unroll_peel_strip.split(world.pool, around, loop, world.random.choice((near, world.bound(around.depth, 2))))
    )


def peel(world: World, around: Surroundings) -> Iterator[Instance]:
    loop = world.any_loop(around.depth)
    return some(unroll_peel_strip.peel(world.pool, around, loop, world.chance(0.5)))


def join(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of loops that continue each other, leave a gap, or overlap."""
    first = world.loop(around.depth, world.body(around.depth + 1))
    second = world.loop(around.depth, first.body)
    if world.chance(0.8):
        middle = first.uppers[0]
        first = replace(first, lowers=(plus(world.pool, middle, -world.random.randrange(6)),))
        lower, upper = (plus(world.pool, middle, d) for d in (world.random.randint(-2, 1), world.random.randrange(5)))
        second = replace(first, lowers=(lower,), uppers=(upper,))
    return some(unroll_peel_strip.join(world.pool, around, first, second))


def jammed(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a nest with blocks between its loops, the bounds of which depend on the outer loop now and then."""
    depth, pool = around.depth, world.pool
    inner = world.loop(depth + 1, world.body(depth + 2), loads=world.chance(0.5))
    body = (*((world.statement(depth + 1),) if world.chance(0.3) else ()), inner)
    if world.chance(0.3):
        body = (*body, world.statement(depth + 1))
    loop = world.loop(depth, body, loads=world.chance(0.5))
    factor = world.random.choice((2, 3))
    near = plus(pool, loop.lowers[0], world.random.randrange(6))
    middle = world.random.choice((None, unroll_peel_strip.middle_of(pool, loop, factor), near))
    return some(unroll_and_jam.jam(pool, around, loop, factor, middle))


def strip_mine(world: World, around: Surroundings) -> Iterator[Instance]:
    loop = world.any_loop(around.depth)
    return some(unroll_peel_strip.strip_mine(world.pool, around, loop, world.random.choice((2, 3, 4))))


def bounded(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a loop with two upper bounds and one without one of them, or with another one."""
    loop = world.any_loop(around.depth)
    if loop.iv.type == INDEX:
        near = plus(world.pool, loop.uppers[0], world.random.randint(-1, 6))
        loop = replace(loop, uppers=(loop.uppers[0], near if world.chance(0.6) else world.bound(around.depth, 6)))
    fewer = world.random.choice((loop.uppers[:1], loop.uppers[-1:], (world.bound(around.depth, 5),)))
    return some(unroll_peel_strip.bounded(world.pool, around, loop, loop.lowers, fewer))


def sequential(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a parallel loop, of which every second body races."""
    depth = around.depth
    loop = world.loop(depth, world.body(depth + 1) if world.chance(0.5) else (world.statement(depth + 1),))
    return some(loop_marks.sequential(world.pool, around, replace(loop, parallel=True)))


def signed(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a loop that compares unsigned numbers."""
    return some(loop_marks.signed(world.pool, around, replace(world.any_loop(around.depth), unsigned=True)))


def normalise(world: World, around: Surroundings) -> Iterator[Instance]:
    return some(unroll_peel_strip.normalise(world.pool, around, world.any_loop(around.depth)))


def coalesce(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a strip-mined or unrolled and re-rolled loop, one of its bounds changed now and then."""
    depth, pool = around.depth, world.pool
    loop = world.loop(depth, world.body(depth + 1), loads=False)
    made = unroll_peel_strip.strip_mine(pool, around, loop, world.random.choice((2, 3)))
    if made is None:
        return
    (outer,) = made.after
    assert isinstance(outer, Loop)
    (inner,) = outer.body
    assert isinstance(inner, Loop)
    if world.chance(0.4):
        longer = (plus(pool, inner.uppers[0], world.random.randrange(4)), *inner.uppers[1:])
        inner = replace(inner, uppers=world.random.choice((longer, (inner.uppers[0], world.bound(depth, 4)))))
    outer = replace(outer, body=(inner,))
    yield from coalesce_interchange.coalesce(pool, around, (outer, inner), 0, 1)


def split_digits(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a nest over `n` and `m`, or over numbers, written as one loop; its bound is changed now and then."""
    pool, depth = world.pool, around.depth
    symbolic = world.chance(0.4)
    by = pool.argument(4, INDEX) if symbolic else pool.integer(world.random.choice((2, 3, 4)))
    iv = pool.induction(depth, INDEX)
    high = quasi_affine.floordiv(pool, iv, by)
    low = quasi_affine.subtract(pool, iv, quasi_affine.multiply(pool, by, high))
    body = Mover(pool, depth, (high, low), depth + 1).block((world.statement(depth + 2),))
    upper = quasi_affine.multiply(pool, pool.argument(3, INDEX), by)
    if not symbolic and world.chance(0.5):
        upper = quasi_affine.combine(pool, world.random.randrange(3), ((world.bound(depth, 5), 1),))
    loop = Loop(0, iv, (pool.integer(0),), (upper,), pool.integer(1), False, body)
    for found in loop_decoalescing.divisors(loop):
        yield from some(loop_decoalescing.split_digits(pool, around, loop, found))


def interchange(world: World, around: Surroundings) -> Iterator[Instance]:
    inner = world.loop(around.depth + 1, world.body(around.depth + 2), loads=False)
    outer = world.loop(around.depth, (inner,), loads=False)
    return some(coalesce_interchange.interchange(world.pool, around, outer, inner))


def fuse(world: World, around: Surroundings) -> Iterator[Instance]:
    first = world.any_loop(around.depth)
    second = replace(first, body=world.body(around.depth + 1))
    if world.chance(0.2):
        second = replace(second, uppers=(world.bound(around.depth, 4),))
    return some(fusion_distribution.fuse(world.pool, around, first, second))


def distribute(world: World, around: Surroundings) -> Iterator[Instance]:
    body = (*world.body(around.depth + 1), *world.body(around.depth + 1))
    loop = world.loop(around.depth, body)
    return some(fusion_distribution.distribute(world.pool, around, loop, world.random.randrange(1, len(body))))


def swap(world: World, around: Surroundings) -> Iterator[Instance]:
    first = (world.any_loop(around.depth),)
    second = (world.any_loop(around.depth),)
    yield fusion_distribution.swap(world.pool, around, first, second)


def once(world: World, around: Surroundings) -> Iterator[Instance]:
    body = world.body(around.depth) if world.chance(0.8) else world.body(around.depth + 1)
    make = world.narrow_loop if world.chance(0.3) else world.loop
    loop = make(around.depth, body if world.chance(0.9) else ())
    if not any(isinstance(s, Loop) for s in body):
        yield from some(fusion_distribution.once(world.pool, around, loop))


def forward(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of stores to `c` with statements between them, some of which read or write it."""
    depth, cell = around.depth, world.cell(MemoryKind.ARGUMENT)
    between = [_about_cell(world, cell, depth) for _ in range(world.random.randrange(3))]
    block = (Store(0, cell, (), world.of_cell(cell, depth)), *between, Store(0, cell, (), world.of_cell(cell, depth)))
    return some(scalar_stores.forward(world.pool, block))


def last(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a cell that is stored to, then read to the end of its block."""
    depth, cell = around.depth, world.cell(MemoryKind.CELL)
    first = Store(0, cell, (), world.pool.integer(1, IntType(8)))
    rest = [_about_cell(world, cell, depth) for _ in range(world.random.randrange(1, 4))]
    block = (Alloc(0, cell), first, Store(0, cell, (), world.of_cell(cell, depth)), *rest)
    return some(scalar_stores.last(world.pool, block, 2))


def _about_cell(world: World, cell: Memory, depth: int) -> Statement:
    """A store of what `c` holds, now and then under a condition, or a store to `c`."""
    store = Store(0, world.memory(world.random.randrange(2)), (world.subscript(depth),), world.of_cell(cell, depth))
    if world.chance(0.2):
        store = Store(0, cell, (), world.of_cell(cell, depth))
    return If(0, world.condition(depth), (store,), (), ()) if world.chance(0.3) else store


def idle(world: World, around: Surroundings) -> Iterator[Instance]:
    """Of a quotient, by a literal or by something that may be 0."""
    pool, byte = world.pool, IntType(8)
    value = pool.make("arith.index_cast", (world.size(),), byte)
    by = pool.integer(world.random.randrange(1, 5), byte) if world.chance(0.6) else world.value(around.depth)
    touch = Touch(0, (), (pool.make(world.random.choice(("arith.divui", "arith.addi")), (value, by), byte),))
    return some(scalar_stores.idle(touch))


MAKERS: dict[str, Maker] = {
    f.__name__: f
    for f in (
        unroll,
        unroll_fully,
        split,
        peel,
        join,
        bounded,
        strip_mine,
        jammed,
        sequential,
        signed,
        normalise,
        coalesce,
        split_digits,
        interchange,
        fuse,
        distribute,
        swap,
        once,
        forward,
        last,
        idle,
        schedules,
    )
}

NEEDED: dict[str, set[str]] = {
    "unroll": {"same-iterations", "once-each", "steps-fit", "same-wraps", "steady-bounds"},
    "unroll_fully": {"same-iterations", "same-wraps", "steady-bounds"},
    "split": {"same-iterations", "same-wraps", "steady-bounds"},
    "peel": {"same-iterations", "steady-bounds"},
    "join": {"same-iterations", "once-each", "steady-bounds"},
    "bounded": {"same-iterations", "same-wraps", "steady-bounds"},
    "strip_mine": {"steady-bounds"},
    "jammed": {"same-iterations", "once-each", "in-order", "steady-bounds"},
    "sequential": {"race-free"},
    "signed": {"nonnegative", "no-wraps"},
    "normalise": {"steady-bounds"},
    "coalesce": {"same-iterations", "once-each"},
    "split_digits": {"same-iterations", "nonnegative"},
    "interchange": {"in-order"},
    "fuse": {"same-iterations", "in-order", "steady-bounds"},
    "distribute": {"in-order", "steady-bounds"},
    "swap": {"in-order"},
    "forward": {"unchanged", "still-evaluated"},
    "last": {"unchanged", "still-evaluated"},
    "idle": {"total"},
    "once": {"same-iterations", "no-wraps", "total-bounds", "invariant", "idempotent"},
    "schedules": {"same-iterations", "once-each", "in-order", "steady-bounds", "same-wraps"},
}
"""The obligations without which random loops are told apart by a run, by theorem."""


def placed(world: World) -> tuple[Surroundings, tuple[Loop | Branch, ...]]:
    """A place; often one where `n` and `m` are known not to be negative."""
    around, frame = world.place()
    if world.chance(0.5):
        return around, frame
    given = tuple(
        world.pool.make(
            "arith.cmpi", (world.pool.argument(k, INDEX), world.pool.integer(0)), BOOL, (("predicate", "sge"),)
        )
        for k in (3, 4)
        if world.chance(0.8)
    )
    return replace(around, assumptions=given), (*(Branch(term, True) for term in given), *frame)


def test_every_theorem_is_listed() -> None:
    assert MAKERS.keys() == NEEDED.keys()


def held_alike(name: str, seeds: range) -> int:
    """How many instances hold; no run tells the sides of one apart."""
    held = 0
    for seed in seeds:
        world = World(TermPool(), Random(f"{name}{seed}"))
        around, frame = placed(world)
        for instance in MAKERS[name](world, around):
            if instance.broken() is None:
                held += 1
                found = difference(world, frame, instance.before, instance.after, RUNS)
                assert found is None, f"seed {seed}: {found}"
    return held


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", MAKERS)
def test_what_obligations_allow_runs_alike(name: str) -> None:
    assert held_alike(name, range(200)) >= 4


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_what_obligations_allow_runs_alike_on_thousands(name: str) -> None:
    assert held_alike(name, range(200, 800)) >= 10


def without_each(name: str, seeds: range) -> Iterator[tuple[str, Callable[[], bool]]]:
    """Obligations that alone keep an instance from holding, and whether a run tells its sides apart."""
    for seed in seeds:
        world = World(TermPool(), Random(f"drop {name}{seed}"), loads=0.06 + 0.5 * (seed % 2))
        around, frame = placed(world)
        for instance in MAKERS[name](world, around):
            broken = instance.broken()
            if broken is not None and instance.broken((broken,)) is None:
                yield broken, partial(_told, world, frame, instance)


def _told(world: World, frame: tuple[Loop | Branch, ...], instance: Instance) -> bool:
    return difference(world, frame, instance.before, instance.after, RUNS) is not None


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", MAKERS)
def test_each_obligation_is_needed(name: str) -> None:
    caught: set[str] = set()
    for broken, told in without_each(name, range(1500)):
        if broken not in caught and told():
            caught.add(broken)
            if caught >= NEEDED[name]:
                break
    assert caught >= NEEDED[name], f"not caught: {NEEDED[name] - caught}"


@pytest.mark.long
@pytest.mark.parametrize("name", MAKERS)
def test_no_other_obligation_decides(name: str) -> None:
    """What may alone keep an instance from holding is needed, or says that there is a place to speak of."""
    assert {broken for broken, _ in without_each(name, range(1500, 2000))} <= {*NEEDED[name], "reachable"}


ANYWHERE = {"forward", "last", "idle"}
"""Theorems that hold wherever they stand, without a look at the surroundings."""


@pytest.mark.parametrize("name", [n for n in MAKERS if n not in ANYWHERE])
def test_nothing_is_concluded_in_a_loop_that_never_runs(name: str) -> None:
    """There everything holds; dropping `reachable` is caught here, since no run tells."""
    last: set[str | None] = set()
    for seed in range(60):
        world = World(TermPool(), Random(f"never {name}{seed}"))
        pool = world.pool
        never = Loop(0, pool.induction(0, INDEX), (pool.integer(5),), (pool.integer(3),), pool.integer(1), False, ())
        found = [i.broken() for i in MAKERS[name](world, Surroundings(1, (never,)))]
        assert None not in found
        last.update(found)
    assert last & {"reachable", "nonnegative"}


def test_a_bound_that_changes_within_the_nest_is_refused() -> None:
    """`for t = 0 to 3: for i = t to N[t]` is no loop from 0 to 3: isl cannot hold `N[t]` as one value."""
    world = World(TermPool(), Random(0))
    pool = world.pool
    outer, inner = pool.induction(0, INDEX), pool.induction(1, INDEX)
    store = Store(0, world.memory(0), (inner,), pool.integer(1, IntType(8)))
    nest = Loop(0, inner, (outer,), (pool.load(2, (outer,), INDEX),), pool.integer(1), False, (store,))
    band = Loop(0, outer, (pool.integer(0),), (pool.integer(3),), pool.integer(1), False, (nest,)), nest
    found = list(coalesce_interchange.coalesce(pool, Surroundings(0), band, 0, 1))
    assert found and {i.broken() for i in found} == {"affine"}
    assert all(i.broken(("affine",)) is None for i in found)
    assert any(difference(world, (), i.before, i.after, 50) is not None for i in found)


# The documentation


def rows(heading: str) -> list[list[str]]:
    """The cells of the tables of docs/theorems.md under a heading."""
    text = (
        (Path(__file__).parents[2] / "docs" / "theorems.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    )
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def named_in(cell: str) -> set[str]:
    return set(re.findall(r"`([a-z][a-z-]{3,})`", cell))


def made() -> tuple[set[str], set[str]]:
    """The names of all theorems and of all their obligations."""
    theorems: set[str] = set()
    obligations = {"affine"}
    for name in MAKERS:
        for seed in range(40):
            world = World(TermPool(), Random(f"{name}{seed}"))
            for instance in MAKERS[name](world, Surroundings(0)):
                theorems |= {instance.name} - {LAW}
                obligations |= {o.name for o in instance.obligations}
    return theorems, obligations


def test_the_documentation_has_every_theorem_with_its_obligations() -> None:
    theorems, obligations = made()
    law, others = rows("The law behind most of them"), rows("Others")
    conditions = [row for row in law if named_in(row[0]) <= obligations]
    stated = [row for row in (*law, *others) if row not in conditions]
    assert set().union(*(named_in(row[0]) for row in stated)) == theorems
    digits = next(row for row in law if "loop-digits" in row[0])
    described = [*(row[0] for row in conditions), *(row[2] for row in others), digits[1]]
    assert set().union(*map(named_in, described)) == obligations
    assert theorems == {name for name, stands in DYNAMIC.items() if not isinstance(stands, ModuleType)}


def test_every_obligation_is_dropped_somewhere() -> None:
    _, obligations = made()
    assert set().union(*NEEDED.values()) | {"affine", "reachable", "in-type"} == obligations


def test_sums_over_a_type_on_both_sides_may_be_one_value() -> None:
    """`A[5] = 1; A[5 + 100 + 100 + 56] = 2` over i8 stores twice to one element; no theorem makes such schedules."""
    world = World(TermPool(), Random(0))
    pool, byte = world.pool, IntType(8)
    place = pool.make("arith.index_cast", (pool.induction(0, byte),), INDEX)
    stores = (Store(k, world.memory(0), (place,), pool.integer(k + 1, byte)) for k in (0, 1))
    value = first = pool.integer(5, byte)
    for number in (100, 100, 56):
        value = pool.make("arith.addi", (value, pool.integer(number, byte)), byte)
    parts = tuple(Part((store,), (byte,)) for store in stores)
    copies = Copy(0, (first,)), Copy(1, (value,))
    instance = unroll_peel_strip.instance(pool, "loop", Surroundings(0), parts, copies, copies[::-1], True)
    assert instance.broken() == "in-type" and instance.broken(("in-type",)) is None
    assert difference(world, (), instance.before, instance.after, 50) is not None


def test_a_bound_that_the_body_writes_is_refused() -> None:
    """`for i = N[0] to N[0] + 4: N[0] = 0; A[i] = 1`: both evaluate the bound again."""
    world = World(TermPool(), Random(0))
    pool, zero = world.pool, world.pool.integer(0)
    iv, bound = pool.induction(0, INDEX), pool.load(2, (zero,), INDEX)
    body = (
        Store(0, world.memory(2), (zero,), zero),
        Store(0, world.memory(0), (iv,), pool.integer(1, IntType(8))),
    )
    loop = Loop(0, iv, (bound,), (plus(pool, bound, 4),), pool.integer(1), False, body)
    for instance in (
        unroll_peel_strip.split(pool, Surroundings(0), loop, plus(pool, bound, 2)),
        unroll_peel_strip.strip_mine(pool, Surroundings(0), loop, 2),
    ):
        assert instance is not None
        assert instance.broken() == "steady-bounds" and instance.broken(("steady-bounds",)) is None
        assert difference(world, (), instance.before, instance.after, 50) is not None


def test_a_bound_that_may_wrap_is_not_read_as_exact() -> None:
    """`for i = a to b + 1` over i8 never runs for b = 127, `for i = a to b` does."""
    pool, byte = TermPool(), IntType(8)
    start, end = (pool.argument(k, byte) for k in (0, 1))
    bound = pool.make("arith.addi", (end, pool.integer(1, byte)), byte)
    loop = Loop(0, pool.induction(0, byte), (start,), (bound,), pool.integer(1, byte), False, ())
    least = pool.make("arith.cmpi", (start, end), BOOL, (("predicate", "sle"),))
    instance = unroll_peel_strip.split(pool, Surroundings(0, (), (least,)), loop, end)
    assert instance is not None and instance.broken() == "same-iterations"
