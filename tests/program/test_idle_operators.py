"""Operators that change no bit are gone after the pass, and values and poison are as they were."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random

import pytest

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IntType
from hecv.base.value import POISON, Scalar
from hecv.check import Options, check
from hecv.normal.integers.idle_operators import without_idle_operators
from hecv.program.tree import Assert
from hecv.run.evaluation.op_evaluation import Evaluator

EVALUATE = Evaluator()
I4, I8 = IntType(4), IntType(8)
OPS = ("andi", "ori", "xori", "addi", "subi", "muli", "minui", "maxui", "minsi", "maxsi", "shrui", "shrsi", "shli")


def _changed(pool: TermPool, term: Term) -> Term:
    (found,) = without_idle_operators(pool, (Assert(0, term, ""),))
    assert isinstance(found, Assert)
    return found.condition


def _value(term: Term, leaves: Mapping[Term, Scalar]) -> Scalar | None:
    known: dict[int, Scalar | None] = {}
    for node in postorder((term,)):
        number = literal(node)
        if node in leaves or number is not None:
            known[node.id] = leaves.get(node, number)
            continue
        args = tuple([v for a in node.args if (v := known[a.id]) is not None])
        known[node.id] = EVALUATE(node, args) if len(args) == len(node.args) else None
    return known[term.id]


def _random(pool: TermPool, random: Random, leaves: list[Term]) -> Term:
    """A term of many operators over integers of 8 bits, of which few bits are used."""
    terms = list(leaves)
    for _ in range(random.randrange(3, 12)):
        first = random.choice(terms)
        second = random.choice([*terms, *[pool.integer(random.choice((0, 1, 3, 7, 15, 128, 255)), I8)] * len(terms)])
        op = random.choice(OPS)
        if op.startswith("sh"):
            second = pool.integer(random.randrange(8), I8)
        terms.append(pool.make(f"arith.{op}", (first, second), I8))
    return terms[-1]


def test_values_and_poison_are_kept() -> None:
    changed = 0
    for seed in range(400):
        random, pool = Random(seed), TermPool()
        arguments = [pool.argument(k, I4) for k in range(2)]
        read = pool.read(7, I8)  # of memory that may hold poison
        leaves = [pool.make("arith.extui", (a,), I8) for a in arguments]
        term = _random(pool, random, [*leaves, read])
        found = _changed(pool, term)
        changed += found is not term
        reads = (POISON, 0, 5, 129, 255)
        for values in product(range(0, 16, 3), range(1, 16, 4), reads) if found is not term else ():
            given = dict(zip([*arguments, read], values, strict=True))
            assert _value(term, given) == _value(found, given), (seed, values)
    assert changed > 100


@pytest.mark.parametrize(
    ("first", "op", "second", "is_idle"),
    [
        (15, "andi", 15, True),
        (15, "andi", 7, False),
        (15, "remui", 16, True),
        (15, "remui", 15, False),
        (15, "minui", 15, True),
        (15, "minui", 14, False),
        (15, "maxsi", 0, True),
        (15, "maxsi", 1, False),
        (15, "andi", 240, True),  # it is 0
        (16, "andi", 240, True),
        (24, "andi", 240, False),
    ],
)
def test_one_operator(first: int, op: str, second: int, is_idle: bool) -> None:
    pool = TermPool()
    masked = pool.make("arith.andi", (pool.argument(0, I8), pool.integer(first, I8)), I8)
    term = pool.make(f"arith.{op}", (masked, pool.integer(second, I8)), I8)
    assert (_changed(pool, term) is not term) == is_idle


def test_what_may_be_poison_is_not_dropped() -> None:
    """A literal is no poison; what is read from memory that was not written may be."""
    pool = TermPool()
    read = pool.read(3, I8)
    nothing = pool.make("arith.andi", (read, pool.integer(0, I8)), I8)
    assert _changed(pool, nothing) is nothing
    argument = pool.argument(0, I8)
    low, high = (pool.make("arith.andi", (x, pool.integer(k, I8)), I8) for x, k in ((argument, 7), (read, 8)))
    either = pool.make("arith.ori", (high, pool.integer(7, I8)), I8)
    both = pool.make("arith.andi", (low, either), I8)
    assert _changed(pool, both) is both


def _program(count: int, seed: int, masked: bool, short: int = -1) -> str:
    """A program with or without a mask after each operator that clears nothing; number `short` clears two bits."""
    random = Random(seed)
    lines, total = list[str](), "%a0"
    values = [(f"%a{k}", 32) for k in range(4)]
    for k in range(count):
        (x, _), (y, more) = random.choice(values[:4]), random.choice(values[-6:])
        few, more, op = random.randrange(4, 16), min(more, 14), random.choice(("addi", "muli", "xori"))
        width = {"addi": max(few, more) + 1, "muli": few + more, "xori": max(few, more)}[op]
        mask = (1 << random.randrange(width, 32)) - 1
        value = f"%w{k}" if masked or k == short else f"%v{k}"
        lines += [
            f"%f{k} = arith.constant {(1 << few) - 1} : i32",
            f"%g{k} = arith.constant {(1 << 14) - 1} : i32",
            f"%m{k} = arith.constant {mask if k != short else mask >> (mask.bit_length() - width + 2)} : i32",
            f"%x{k} = arith.andi {x}, %f{k} : i32",
            f"%y{k} = arith.andi {y}, %g{k} : i32",
            f"%v{k} = arith.{op} %x{k}, %y{k} : i32",
            f"%w{k} = arith.andi %v{k}, %m{k} : i32",
            f"%t{k} = arith.addi {total}, {value} : i32",
        ]
        values.append((value, width))
        total = f"%t{k}"
    body = "\n  ".join(lines)
    return f"func.func @f(%a0: i32, %a1: i32, %a2: i32, %a3: i32) -> i32 {{\n  {body}\n  return {total} : i32\n}}"


@pytest.mark.parametrize(("wrong", "verdict"), [(-1, "equivalent"), (40, "not-equivalent"), (397, "not-equivalent")])
def test_a_long_program(wrong: int, verdict: str) -> None:
    source, target = _program(400, 1, masked=True), _program(400, 1, masked=False, short=wrong)
    assert check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict == verdict


def test_a_product_of_true_overflows() -> None:
    """It is -1 times -1 in one bit."""
    pool, bit = TermPool(), IntType(1)
    flagged = pool.make("arith.muli", (pool.argument(0, bit), pool.integer(1, bit)), bit, (("overflow", "nsw"),))
    assert _changed(pool, flagged) is flagged
