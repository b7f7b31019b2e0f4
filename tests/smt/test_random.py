"""Random terms of two-bit integers, against all values and all poison: what is proved holds, what is refuted does not.

The source's and the target's leaves differ here as they may in programs: where the source's leaf is poison, the
target's is anything. So this also tests the argument by which `hecv.smt.term_refinement` asks about equal leaves only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random

import pytest

from hecv.base.term import Attributes, Term, TermPool, literal, postorder
from hecv.base.types import BOOL, IntType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.smt.term_encoding import Encoder
from hecv.smt.term_refinement import refine
from hecv.smt.z3_goals import python_value
from hecv.smt.z3_theory import Z3

I2 = IntType(2)
BINARY: list[tuple[str, list[Attributes]]] = [
    *[(op, [(), *[(("overflow", f),) for f in ("nsw", "nuw")]]) for op in ("addi", "subi", "muli", "shli")],
    *[(op, [(), (("exact", True),)]) for op in ("divui", "divsi", "shrui", "shrsi")],
    *[(op, [()]) for op in ("remui", "remsi", "floordivsi", "andi", "xori", "minsi", "maxui")],
    ("ori", [(), (("disjoint", True),)]),
]
Environment = Mapping[int, Scalar]


class Maker:
    """Random terms over two leaves of i2 and one of i1."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.pool = TermPool()
        types = (I2, I2, BOOL)
        self.leaves = [self.pool.make("leaf", (), t, (("number", k),)) for k, t in enumerate(types)]

    def term(self, depth: int, type_: ScalarType = I2) -> Term:
        chance, pool = self.chance, self.pool
        if depth == 0 or chance.random() < 0.15:
            if type_ == BOOL:
                return self.leaves[2]
            return chance.choice([*self.leaves[:2], pool.integer(chance.randrange(4), I2)])
        if type_ == BOOL:
            predicate = (("predicate", chance.choice(["eq", "slt", "ule"])),)
            return pool.make("arith.cmpi", (self.term(depth - 1), self.term(depth - 1)), BOOL, predicate)
        if chance.random() < 0.25:
            branches = self.term(depth - 1), self.term(depth - 1)
            return pool.make("arith.select", (self.term(depth - 1, BOOL), *branches), I2)
        op, flags = chance.choice(BINARY)
        return pool.make(f"arith.{op}", (self.term(depth - 1), self.term(depth - 1)), I2, chance.choice(flags))

    def changed(self, root: Term) -> Term:
        """The term with the flags or the operands of one node changed."""
        chosen = self.chance.choice([t for t in postorder((root,)) if t.args] or [root])
        images: dict[int, Term] = {}
        for term in postorder((root,)):
            args = tuple(images[a.id] for a in term.args)
            attrs = term.attrs
            if term is chosen and term.op not in ("arith.cmpi", "arith.select", "leaf", "const"):
                attrs = () if attrs else attrs
                args = args[::-1] if self.chance.random() < 0.5 else args
            images[term.id] = self.pool.make(term.op, args, term.type, attrs)
        return images[root.id]


def evaluated(root: Term, leaves: Environment, evaluator: Evaluator) -> Scalar | None:
    """The value, or None where an operator of the term is undefined: every one is evaluated."""
    values: dict[int, Scalar] = {}
    for term in postorder((root,)):
        value = literal(term)
        if value is None:
            known = leaves.get(term.id)
            value = evaluator(term, tuple(values[a.id] for a in term.args)) if known is None else known
        if value is None:
            return None
        values[term.id] = value
    return values[root.id]


def environments(leaves: list[Term]) -> Iterator[dict[int, Scalar]]:
    """All values of the leaves, poison included."""
    ranges: list[list[Scalar]] = [[*range(2 if t.type == BOOL else 4), POISON] for t in leaves]
    for values in itertools.product(*ranges):
        yield {t.id: v for t, v in zip(leaves, values, strict=True)}


def refining(given: Environment, leaves: list[Term]) -> list[dict[int, Scalar]]:
    """The target's leaves that refine the source's."""
    return [e for e in environments(leaves) if all(given[k] is POISON or e[k] == given[k] for k in e)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(60))
def test_refinement_is_what_enumeration_says(seed: int) -> None:
    maker, evaluator = Maker(seed), Evaluator()
    source = maker.term(3)
    target = maker.changed(source) if seed % 2 else maker.term(2)
    found = refine(source, target, value=True, milliseconds=5_000)
    assert found.value is not None
    broken = {"undefined": False, "poison": False, "value": False}
    for given in environments(maker.leaves):
        left = evaluated(source, given, evaluator)
        if left is None:
            continue
        for right in (evaluated(target, e, evaluator) for e in refining(given, maker.leaves)):
            broken["undefined"] |= right is None
            broken["poison"] |= left is not POISON and right is POISON
            broken["value"] |= POISON not in (left, right) and right is not None and left != right
    answers = {"undefined": found.undefined.answer, "poison": found.poison.answer, "value": found.value.answer}
    for name, answer in answers.items():
        assert answer != "unknown"
        assert answer == "refuted" or not broken[name], f"{name} is broken: {source} by {target}"
    assert found.holds == (not any(broken.values())), f"{answers} and {broken}: {source} by {target}"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(100, 130))
def test_terms_in_z3_are_what_runs_say(seed: int) -> None:
    maker, evaluator, encoder = Maker(seed), Evaluator(), Encoder()
    root = maker.term(4)
    encoded = encoder.term(root)
    variables = {t.id: encoder.leaf(t) for t in maker.leaves}
    for given in environments(maker.leaves):
        pairs = [
            (v.value, v.value if given[k] is POISON else Z3.BitVecVal(given[k], v.value.size(), encoder.context))
            for k, v in variables.items()
        ]
        pairs += [(v.poison, encoder.true if given[k] is POISON else encoder.false) for k, v in variables.items()]
        value, poison, ub = (Z3.simplify(Z3.substitute(f, *pairs)) for f in (encoded.value, encoded.poison, encoded.ub))
        expected = evaluated(root, given, evaluator)
        assert Z3.is_true(ub) == (expected is None)
        if expected is not None:
            assert Z3.is_true(poison) == (expected is POISON)
        if expected is not None and expected is not POISON:
            assert python_value(value) == expected
