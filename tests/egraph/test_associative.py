"""Long chains of an associative and commutative operator in programs."""

from __future__ import annotations

from math import prod
from random import Random

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import IntType
from hecv.egraph.programs.operand_bags import SHORT, Bags, associates, families
from hecv.egraph.programs.poison_neutral_laws import neutral
from hecv.egraph.programs.program_nodes import Programs
from hecv.egraph.programs.theorem_rounds import Budgets, Equal, Stuck, prove_by_theorems
from hecv.egraph.session import Session
from hecv.laws.all_laws import LAWS
from hecv.mlir.importer import parse, read_function
from hecv.patterns.equations.equations import kind_of

pytestmark = pytest.mark.egraph

I32 = IntType(32)
FAMILIES = families(i for law in LAWS for i in law.instances([kind_of(I32, 64)]) if neutral(i.equation))


def text(op: str, order: list[int], flag: str = "") -> str:
    """A store of all elements of `A` under `op`, in that order."""
    count = len(order)
    lines = [f"func.func @f(%A: memref<{count}xi32>, %o: memref<i32>) {{"]
    lines += [f"  %a{k} = affine.load %A[{k}] : memref<{count}xi32>" for k in range(count)]
    last = f"%a{order[0]}"
    for place, k in enumerate(order[1:]):
        lines.append(f"  %p{place} = arith.{op} {last}, %a{k} {flag} : i32")
        last = f"%p{place}"
    return "\n".join([*lines, f"  memref.store {last}, %o[] : memref<i32>", "  return", "}", ""])


def decide(source: str, target: str) -> Equal | Stuck:
    pool = TermPool()
    first, second = (read_function(parse(t, "t.mlir"), "f", pool) for t in (source, target))
    return prove_by_theorems(pool, first, second, budgets=Budgets(rounds=2))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("op", ["addi", "muli", "andi", "xori", "maxsi"])
def test_two_hundred_operands_in_any_order(op: str) -> None:
    """The laws alone take gigabytes."""
    order = list(range(200))
    Random(op).shuffle(order)
    found = decide(text(op, sorted(order)), text(op, order))
    assert isinstance(found, Equal) and found.statistics.nodes < 5000
    assert found.statistics.rules[f"{op}-associates"] >= 1


def test_bags_count() -> None:
    """With `a7` twice and without `a8` the product is another one, and so is one of which an op has a flag."""
    order = list(range(20))
    assert isinstance(decide(text("muli", order), text("muli", [*order[:8], 7, *order[9:]])), Stuck)
    flagged = text("addi", order, "overflow<nsw>")
    assert isinstance(decide(flagged, flagged.replace("%p0, %a2 overflow<nsw>", "%p0, %a2")), Stuck)


def test_the_families_are_those_of_laws() -> None:
    assert {symbol.op.removeprefix("arith.") for symbol in FAMILIES} >= {"addi", "muli", "andi", "ori", "xori", "minsi"}
    assert not any(symbol.op in ("arith.subi", "arith.shli", "arith.divui") or symbol.attrs for symbol in FAMILIES)


@pytest.mark.parametrize("name", ["addi-commutes", "muli-distributes", "andi-absorbs-ori", "addi-zero"])
def test_other_laws_do_not_associate(name: str) -> None:
    found = [i for law in LAWS for i in law.instances([kind_of(I32, 64)]) if law.name == name]
    assert not any(associates(i.equation) for i in found)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_merged_has_one_value(seed: int) -> None:
    """Random graphs of sums and products, with classes that hold a node on themselves (`x & x = x`)."""
    random = Random(seed)
    pool, session = TermPool(), Session()
    session.prepare(range(3))
    values: dict[int, int] = {}
    terms: list[Term] = []
    for k in range(6):
        terms.append(pool.argument(k, I32))
        values[terms[-1].id] = random.choice((0, 1, 2, 3, 5))
    for _ in range(30):
        one, two = random.choice(terms), random.choice(terms[-9:])
        op = random.choice(("addi", "addi", "muli", "andi"))
        terms.append(pool.make(f"arith.{op}", (one, two), I32))
        x, y = values[one.id], values[two.id]
        values[terms[-1].id] = {"addi": x + y, "muli": x * y, "andi": x & y}[op] % (1 << 32)
    with session.goal() as goal:
        programs = Programs(pool, session, goal)
        numbers = {programs.term(t): values[t.id] for t in terms}
        same = [(a, b) for a in numbers for b in numbers if a < b and numbers[a] == numbers[b]]
        goal.equate(random.sample(same, min(3, len(same))))
        classes = goal.classes()
        value = {classes.of[n]: v for n, v in numbers.items()}
        bags = Bags(session, classes, FAMILIES)
        assert all(value[one] == value[other] for one, other, _ in bags.merged)


def test_chains_with_several_users_are_seen_through() -> None:
    """`p = a * b` is also stored by itself, or the order is another one; chains of 3 and of `2**6` operands."""
    pool, session = TermPool(), Session()
    session.prepare(range(3))
    leaves = [pool.argument(k, I32) for k in range(3)]

    def product(one: Term, other: Term) -> Term:
        return pool.make("arith.muli", (one, other), I32)

    power, other = leaves[2], leaves[2]
    for _ in range(6):
        power = product(power, power)
    for _ in range(63):
        other = product(leaves[2], other)
    a, b, c = leaves
    pairs = [(product(product(a, b), c), product(product(c, b), a)), (power, other)]
    with session.goal() as goal:
        programs = Programs(pool, session, goal)
        ends = [tuple(map(programs.term, pair)) for pair in pairs]
        programs.term(pool.make("arith.subi", (product(a, b), a), I32))
        classes = goal.classes()
        merged = {frozenset((one, two)) for one, two, _ in Bags(session, classes, FAMILIES).merged}
        assert {frozenset((classes.of[x], classes.of[y])) for x, y in ends} <= merged


def test_short_chains_are_left_to_the_laws() -> None:
    found = decide(text("muli", list(range(SHORT))), text("muli", list(range(SHORT))[::-1]))
    assert isinstance(found, Equal) and prod(found.statistics.rules.get(n, 0) for n in ("muli-associates",)) > 0
