"""Test cases for the audit of theorems and loop rules: small random loops, places for them, and runs of two blocks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, INDEX, IntType, MemRefType
from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Argument, Block, Function, If, Loop, Memory, MemoryKind, Statement, Store, Touch
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Finished, Outcome, Undefined, compile
from hecv.theorems.schedules.schedule_tree import Mover
from hecv.theorems.schedules.theorem_instance import Branch, Surroundings

BYTE, WORD = IntType(8), IntType(32)
SIZE = 24
STEPS = 20_000


class World(Struct):
    """A generator of random programs: memories `A` and `B` of bytes and `N` of indices, scalars `n` and `m`.

    `loads`: how often a bound is loaded from `N`, and `N` written. `local`: functions also have a memory `L` of bytes
    of their own, and copy its final contents to `O`.
    """

    pool: TermPool
    random: Random
    loads: float = 0.06
    local: bool = False

    def memory(self, number: int) -> Memory:
        element = INDEX if number == 2 else BYTE
        return Memory(number, MemoryKind.ARGUMENT, "ABN"[number], element, (self.pool.integer(SIZE),))

    def own(self) -> Memory:
        """The memory `L`, which a function allocates."""
        return Memory(7, MemoryKind.LOCAL, "L", BYTE, (self.pool.integer(SIZE),))

    def cell(self, kind: MemoryKind) -> Memory:
        """A memory `c` of one byte: an argument, or a local cell."""
        return Memory(5 if kind is MemoryKind.ARGUMENT else 8, kind, "c", BYTE, ())

    def of_cell(self, cell: Memory, depth: int) -> Term:
        """A value that mostly reads `c`; sometimes it divides, which may be undefined."""
        pool = self.pool
        value = self.value(depth)
        if self.chance(0.8):
            value = pool.make("arith.addi", (pool.load(cell.id, (), BYTE), value), BYTE)
        if self.chance(0.15):
            value = pool.make("arith.divui", (value, pool.load(0, (self.subscript(depth),), BYTE)), BYTE)
        return value

    def size(self) -> Term:
        """`n` or `m`."""
        return self.pool.argument(self.random.choice((3, 4)), INDEX)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def bound(self, depth: int, base: int) -> Term:
        """A bound over sizes and the variables of `depth` loops, about `base`."""
        shift = self.random.randint(-2, 3) + base
        atoms = [self.size(), *(self.pool.induction(k, INDEX) for k in range(depth))]
        if self.chance(0.5):
            return self.pool.integer(shift)
        term = quasi_affine.combine(self.pool, shift - base, ((self.random.choice(atoms), 1),))
        if self.chance(0.2):
            by = self.random.choice((2, 3))
            term = quasi_affine.combine(
                self.pool, 0, ((quasi_affine.floordiv(self.pool, term, self.pool.integer(by)), by),)
            )
        return term

    def loop(self, depth: int, body: Block, *, loads: bool = True) -> Loop:
        """A loop at `depth` around `body`; a bound may be loaded."""
        lowers = [self.bound(depth, 0)]
        uppers = [self.bound(depth, 5)]
        if self.chance(0.15):
            uppers.append(self.bound(depth, 6))
        if loads and self.chance(self.loads):
            where = self.size() if self.chance(0.3) else self.pool.integer(self.random.randrange(2))
            loaded = self.pool.load(2, (where,), INDEX)
            uppers[0] = loaded
            if self.chance(0.4):
                lowers, uppers = [loaded], [quasi_affine.combine(self.pool, self.random.randrange(4), ((loaded, 1),))]
        step = self.random.choice((1, 1, 1, 2, 3))
        iv = self.pool.induction(depth, INDEX)
        return Loop(0, iv, tuple(lowers), tuple(dict.fromkeys(uppers)), self.pool.integer(step), False, body)

    def narrow_loop(self, depth: int, body: Block) -> Loop:
        """A loop over i4 around `body`, which was made for an index; it may step out of its type."""
        narrow = IntType(4)
        iv = self.pool.induction(depth, narrow)
        cast = self.pool.make("arith.index_cast", (iv,), INDEX)
        lower, upper = (
            self.pool.integer(v % 16, narrow) for v in (self.random.randint(-3, 3), self.random.randint(3, 7))
        )
        step = self.pool.integer(self.random.choice((1, 2, 3)), narrow)
        return Loop(0, iv, (lower,), (upper,), step, False, Mover(self.pool, depth, (cast,), depth + 1).block(body))

    def any_loop(self, depth: int) -> Loop:
        """A loop with a body of its own, sometimes over i4."""
        body = self.body(depth + 1)
        return self.narrow_loop(depth, body) if self.chance(0.15) else self.loop(depth, body)

    def subscript(self, depth: int) -> Term:
        """An index over the variables of `depth` loops, mostly in bounds."""
        if depth == 0 or self.chance(0.15):
            return self.pool.integer(self.random.randrange(SIZE))
        parts = [(self.pool.induction(depth - 1, INDEX), self.random.choice((1, 1, 1, 2, -1)))]
        if depth > 1 and self.chance(0.5):
            parts.append((self.pool.induction(self.random.randrange(depth - 1), INDEX), self.random.choice((1, 3))))
        return quasi_affine.combine(self.pool, self.random.randrange(6, 10), tuple(parts))

    def value(self, depth: int) -> Term:
        """A byte from loads, literals, and induction variables."""
        load = self.pool.load(self.random.randrange(2), (self.subscript(depth),), BYTE)
        other = self.pool.integer(self.random.randrange(256), BYTE)
        if depth and self.chance(0.5):
            other = self.pool.make("arith.index_cast", (self.pool.induction(depth - 1, INDEX),), BYTE)
        return self.pool.make(self.random.choice(("arith.addi", "arith.muli", "arith.xori")), (load, other), BYTE)

    def statement(self, depth: int) -> Statement:
        """A store; sometimes a touch, or under a condition on data or on a variable."""
        roll = self.random.random()
        if roll < 0.08:
            return Touch(0, (self.pool.load(0, (self.subscript(depth),), BYTE),), ())
        if roll < 0.08 + self.loads:
            return Store(0, self.memory(2), (self.pool.integer(self.random.randrange(2)),), self.bound(depth, 4))
        number, where, value = self.random.randrange(2), self.subscript(depth), self.value(depth)
        if self.chance(0.5):
            # What is there already counts, so that a run tells how often and in which order this is done.
            there = self.pool.make(
                "arith.muli", (self.pool.load(number, (where,), BYTE), self.pool.integer(3, BYTE)), BYTE
            )
            value = self.pool.make("arith.addi", (there, value), BYTE)
        store = Store(0, self.memory(number), (where,), value)
        if roll < 0.18 + self.loads:
            return If(0, self.condition(depth), (store,), (), ())
        return store

    def condition(self, depth: int) -> Term:
        """A comparison of data, or of a variable."""
        left, right = self.value(depth), self.pool.integer(100, BYTE)
        if depth and self.chance(0.5):
            left, right = self.pool.induction(depth - 1, INDEX), self.bound(depth - 1, 3)
        return self.pool.make("arith.cmpi", (left, right), BOOL, (("predicate", "slt"),))

    def body(self, depth: int) -> Block:
        """One to three statements inside `depth` loops, sometimes a loop."""
        out = [self.statement(depth) for _ in range(self.random.choice((1, 1, 2, 3)))]
        if depth < 3 and self.chance(0.12):
            out.append(self.loop(depth, (self.statement(depth + 1),), loads=False))
        return tuple(out)

    def place(self) -> tuple[Surroundings, tuple[Loop | Branch, ...]]:
        """Surroundings, and the loops and branches that make them."""
        around: tuple[Loop | Branch, ...] = ()
        depth = 0
        if self.chance(0.4):
            around, depth = (self.loop(0, (), loads=False),), 1
        if self.chance(0.2):
            around = (*around, Branch(self.condition(depth), True))
        return Surroundings(depth, around if self.chance(0.5) else ()), around


def within(around: tuple[Loop | Branch, ...], block: Block) -> Block:
    """The block inside its loops and branches."""
    for item in reversed(around):
        match item:
            case Loop():
                block = (Loop(0, item.iv, item.lowers, item.uppers, item.step, False, block),)
            case Branch(condition=condition):
                block = (If(0, condition, block, (), ()),)
    return block


def explicit(block: Block) -> Block:
    """The block with a touch of its value before each store.

    A store of the normal form evaluates every operator of its value; the interpreter does so only where a statement
    says it.
    """
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Store(value=value):
                out += [Touch(0, (), (value,)), statement]
            case Loop(body=body):
                out.append(replace(statement, body=explicit(body)))
            case If(then=then):
                out.append(replace(statement, then=explicit(then)))
            case _:
                out.append(statement)
    return tuple(out)


def function(world: World, body: Block) -> Function:
    """A function around a block."""
    memories = [world.memory(k) for k in range(3)]
    arguments = [Argument(k, m.name, MemRefType((SIZE,), m.element), None, m) for k, m in enumerate(memories)]
    sizes = [Argument(k, "nm"[k - 3], INDEX, world.pool.argument(k, INDEX), None) for k in (3, 4)]
    cell = world.cell(MemoryKind.ARGUMENT)
    last = Argument(5, "c", MemRefType((), BYTE), None, cell)
    shown = Memory(6, MemoryKind.ARGUMENT, "O", BYTE, (world.pool.integer(SIZE),))
    if world.local:
        body = (Alloc(0, world.own()), *body, _copied(world.pool, world.own(), shown))
    out = Argument(6, "O", MemRefType((SIZE,), BYTE), None, shown)
    return Function("f", (*arguments, *sizes, last, out), (), body, None)


def _copied(pool: TermPool, source: Memory, target: Memory) -> Statement:
    """A loop that copies one memory to another."""
    iv = pool.induction(0, INDEX)
    store = Store(0, target, (iv,), pool.load(source.id, (iv,), source.element))
    return Loop(0, iv, (pool.integer(0),), source.extents, pool.integer(1), False, (store,))


def inputs(random: Random) -> Iterator[tuple[Value, ...]]:
    """An endless sequence of arguments; sizes are small, also zero and negative."""
    while True:
        data = [Buffer((SIZE,), [random.randrange(256) for _ in range(SIZE)]) for _ in range(2)]
        counts = Buffer((SIZE,), [random.randrange(-1, 12) for _ in range(SIZE)])
        sizes = random.randrange(-4, 11), random.randrange(-2, 8)
        yield (*data, counts, *sizes, Buffer((), [random.randrange(256)]), Buffer((SIZE,), [0] * SIZE))


def difference(world: World, around: tuple[Loop | Branch, ...], before: Block, after: Block, count: int) -> str | None:
    """How a run tells two blocks at one place apart; None if no run does."""
    codes = [compile(function(world, within(around, explicit(block)))) for block in (before, after)]
    for _, arguments in zip(range(count), inputs(world.random), strict=False):
        first, second = (code.run(arguments, STEPS) for code in codes)
        found = _unequal(first, second)
        if found is not None:
            n, m = (v for v in arguments if not isinstance(v, Buffer))
            return f"{found}, with n = {n}, m = {m}"
    return None


def _unequal(first: Outcome, second: Outcome) -> str | None:
    if any(isinstance(o, Exhausted | Excluded) for o in (first, second)):
        return None
    if isinstance(first, Undefined) or isinstance(second, Undefined):
        same = isinstance(first, Undefined) and isinstance(second, Undefined)
        return None if same else f"{_end(second)}, expected {_end(first)}"
    assert isinstance(first, Finished) and isinstance(second, Finished)
    pairs = zip(_image(first), _image(second), strict=True)
    return next((f"{name} is {y}, expected {x}" for (name, x), (_, y) in pairs if x != y), None)


def _end(outcome: Outcome) -> str:
    return f"undefined: {outcome.text}" if isinstance(outcome, Undefined) else "a defined run"


def _image(end: Finished) -> Iterator[tuple[str, Scalar | str]]:
    for name, buffer in zip("ABNnmcO", end.arguments, strict=True):
        if isinstance(buffer, Buffer):
            yield from ((f"{name}[{k}]", "poison" if x is POISON else x) for k, x in enumerate(buffer.data))
