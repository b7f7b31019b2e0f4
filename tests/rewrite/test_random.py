"""Random programs over ops without semantics: what is written out is what was there, and the check says just that.

The ops are free functions, so two programs are equal exactly when their results are the same expressions.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from hecv.check import Options, check
from hecv.mlir.ssa.ssa_printer import text
from hecv.rewrite.greedy_rewriting import rewrite

from .programs import body, program, rules, source

KIND = "tensor<4xf32>"
UNARY = ("exp", "log", "tanh", "abs", "floor")
BINARY = ("add", "sub", "maximum", "minimum")
ARGUMENTS = f"%x: {KIND}, %y: {KIND}, %z: {KIND}"

Op = tuple[str, str, tuple[str, ...]]
"""The name of its result, of the op, and of its operands."""


def drawn(random: Random, count: int) -> list[Op]:
    """Ops on arguments and on each other; later ones are used more often."""
    names, found = ["x", "y", "z"], list[Op]()
    for k in range(count):
        pool = [*names, *names[-4:]]
        unary = random.random() < 0.5
        operands = tuple(random.choice(pool) for _ in range(1 if unary else 2))
        found.append((f"v{k}", random.choice(UNARY if unary else BINARY), operands))
        names.append(f"v{k}")
    return found


def lines(ops: list[Op]) -> str:
    return "\n".join(
        f"%{name} = tosa.{op} {', '.join(f'%{o}' for o in operands)} : ({', '.join([KIND] * len(operands))}) -> {KIND}"
        for name, op, operands in ops
    )


def results(ops: list[Op]) -> tuple[str, ...]:
    """The last two values."""
    return tuple(f"%{name} : {KIND}" for name, _, _ in ops[-2:])


def read(block: list[str]) -> list[Op]:
    """The ops of a printed function; the last line is its return."""
    found: list[Op] = []
    for line in block[:-1]:
        head, _, _ = line.partition(" : ")
        name, op, *operands = re.findall(r"%\w+|(?<=tosa\.)\w+", head)
        found.append((name.removeprefix("%"), op, tuple(o.removeprefix("%") for o in operands)))
    return found


def value(ops: list[Op], name: str, made: dict[str, object]) -> object:
    """A value as a nested expression."""
    by_name = {n: (op, operands) for n, op, operands in ops}
    if name not in by_name:
        return name
    if name not in made:
        op, operands = by_name[name]
        made[name] = (op, *(value(ops, o, made) for o in operands))
    return made[name]


def returned(block: list[str]) -> list[object]:
    """What a printed function returns, as expressions."""
    ops, made = read(block), dict[str, object]()
    return [value(ops, name, made) for name in re.findall(r"%(\w+)", block[-1].partition(" : ")[0])]


RULES = rules(
    """
    @op("my.f")
    def f(x, y): ...

    @op("my.g")
    def g(x): ...

    @op("my.h")
    def h(x, y, z): ...

    @pattern
    def exp_sum(x, y):
        return tosa.exp(tosa.add(x, y))

    @rule(exp_sum)
    def to_f(x, y):
        return f(x, y)

    @pattern
    def tanh_log(x):
        return tosa.tanh(tosa.log(x))

    @rule(tanh_log)
    def to_g(x):
        return g(x)

    @pattern
    def nested(x, y, z):
        return tosa.sub(f(x, y), z)

    @pattern
    def nested(x, y, z):
        return tosa.sub(z, f(x, y))

    @rule(nested)
    def to_h(x, y, z):
        return h(x, y, z)

    @pattern
    def twice(x, f):
        assert f in (tosa.abs, tosa.floor)
        return f(f(x))

    @rule(twice)
    def once(x, f):
        return f(x)
    """
)


def simplified(expression: object) -> object:
    """The expression with `abs` and `floor` of themselves applied once, as the rule has it."""
    if not isinstance(expression, tuple):
        return expression
    op, *operands = expression
    made = (op, *map(simplified, operands))
    inner = made[1]
    return inner if op in ("abs", "floor") and isinstance(inner, tuple) and inner[0] == op else made


@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_out_is_what_was_there(seed: int) -> None:
    ops = drawn(Random(seed), 30)
    found = program(ARGUMENTS, lines(ops), *results(ops), file=RULES)
    before = returned(body(text(found)))
    outcome = rewrite(found, RULES)
    assert outcome.endless is None
    own = found.meanings | found.replaced
    after = returned(body(text(found, own)))
    assert [simplified(e) for e in before] == [simplified(e) for e in after]
    names = re.findall(r'"my\.(\w)"', text(found))
    assert bool(names) <= bool(outcome.uses)


def changed(random: Random, ops: list[Op]) -> list[Op]:
    """One op changed: its name, its operands, or their order."""
    made = list(ops)
    k = random.randrange(len(ops))
    name, op, operands = ops[k]
    others = [o for o in (UNARY if len(operands) == 1 else BINARY) if o != op]
    if len(operands) == 2 and random.random() < 0.5:
        made[k] = (name, op, operands[::-1])
    else:
        made[k] = (name, random.choice(others), operands)
    return made


def duplicated(random: Random, ops: list[Op]) -> list[Op]:
    """Some ops computed twice, the second time for some of the uses, and some for nothing."""
    made: list[Op] = []
    twins: dict[str, str] = {}
    for name, op, operands in ops:
        used = tuple(twins[o] if o in twins and random.random() < 0.5 else o for o in operands)
        made.append((name, op, used))
        if random.random() < 0.3:
            twins[name] = f"{name}_again"
            made.append((twins[name], op, operands))
    last = [(n, op, o) for n, op, o in made if n not in twins.values()][-2:]
    return [*(m for m in made if m not in last), *last]


@pytest.mark.parametrize("seed", range(10))
def test_equivalent_exactly_when_the_expressions_are_the_same(seed: int) -> None:
    """As long as nothing is known of the ops: a tensor of f80 keeps the functions from being read by element."""
    random = Random(seed)
    ops = drawn(random, 12)
    other = duplicated(random, ops) if seed % 2 else changed(random, ops)
    given = f"{ARGUMENTS}, %w: tensor<4xf80>"
    sides = [source(given, lines(side), *results(side)) for side in (ops, other)]
    names = [[n.removeprefix("%").split(" ")[0] for n in results(side)] for side in (ops, other)]
    values = [[value(side, n, {}) for n in own] for side, own in zip((ops, other), names, strict=True)]
    report = check(sides[0], sides[1], ("src.mlir", "tgt.mlir"), Options(seconds=30))
    assert not report.diagnostics
    assert report.verdict == ("equivalent" if values[0] == values[1] else "unknown")
