"""What the engine proves of random terms is true, at every value; and rewriting by laws is undone."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import product

import pytest

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import FloatType, IntType
from hecv.base.value import POISON, Scalar
from hecv.egraph.normal_forms.bitvector_forms import NormalForms
from hecv.egraph.saturation.rule_selection import Library
from hecv.egraph.saturation.runner import Budget, Search, operands_first
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.egraph.total_terms import Dag, Symbol, literal_of
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import Number, Operation, Pattern, Variable, kind_of
from hecv.patterns.equations.law_record import Instance
from hecv.patterns.equations.premise_facts import facts_of
from hecv.run.evaluation.op_evaluation import Evaluator

from .terms import Terms, value

ENGINE = TermEngine(LAWS, Budget(iterations=8, nodes=400, seconds=5))
FOLDER = Folder()
LEAVES = 2


def _everywhere(width: int) -> Iterator[dict[int, int | float]]:
    for chosen in product(range(1 << width), repeat=LEAVES):
        yield dict(enumerate(chosen))


def _same_value(source: Term, target: Term, width: int) -> bool:
    return all(value(source, leaves, FOLDER) == value(target, leaves, FOLDER) for leaves in _everywhere(width))


FEW = range(20)
MANY = [pytest.param(seed, marks=pytest.mark.long) for seed in range(20, 300)]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", [*FEW, *MANY])
def test_what_is_proved_is_true(seed: int) -> None:
    """Small terms on few values: many pairs are equal by chance."""
    rng = random.Random(seed)
    width = rng.choice((1, 2, 2, 4))
    t = Terms(IntType(width))
    for _ in range(4):
        source, target = (t.random(rng, rng.randrange(1, 5), LEAVES) for _ in range(2))
        if ENGINE.equal(source, target).proved:
            assert _same_value(source, target, width), (source, target)


Assignments = list[dict[int, int | float]]
SPECIAL = (0.0, -0.0, 1.0, -1.5, 65504.0, 2.0**-24, float("inf"), float("-inf"), float("nan"))


def _values(symbol: Symbol, args: list[list[int | float]], at: Assignments) -> list[int | float] | None:
    """The value of a node for each assignment, from those of its operands."""
    if symbol.op == "leaf":
        number = int(dict(symbol.attrs)["number"])  # type: ignore[arg-type]
        return [leaves[number] for leaves in at]
    given = literal_of(symbol)
    if given is not None:
        return [given for _ in at]
    found = [
        FOLDER.fold(symbol.op, symbol.attrs, symbol.operands, symbol.type, row)  # type: ignore[arg-type]
        for row in zip(*args, strict=True)
    ]
    return None if None in found else found  # type: ignore[return-value]


def _saturated(roots: tuple[Term, Term]) -> Iterator[tuple[int, Symbol, tuple[int, ...]]]:
    """The nodes of the e-graph after a search, operands first: class, symbol, classes of operands."""
    dag = Dag.empty()
    numbers = (dag.enter(roots[0]), dag.enter(roots[1]))
    rules = Library(LAWS, 64).session(dag.entries)
    with rules.session.goal() as goal:
        search = Search(goal, rules, FOLDER, Budget(8, 400, 5), numbers, time.process_time(), 64)
        search.load(dag, NormalForms(len(dag.entries), 64), [])
        search.run()
        classes = goal.classes()
    for home, node in operands_first(classes.nodes):
        yield home, rules.session.key(node.symbol), node.args


def _require_one_value(roots: tuple[Term, Term], at: Assignments) -> None:
    """Whatever saturation put into one class is equal at every assignment."""
    known: dict[int, list[str]] = {}
    numbers: dict[int, list[int | float]] = {}
    for home, symbol, args in _saturated(roots):
        found = _values(symbol, [numbers[a] for a in args], at)
        assert found is not None
        text = [v.hex() if isinstance(v, float) else str(v) for v in found]
        assert known.setdefault(home, text) == text, symbol
        numbers.setdefault(home, found)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", [*FEW, *MANY])
def test_every_class_has_one_value(seed: int) -> None:
    rng = random.Random(4000 + seed)
    width = rng.choice((1, 2, 2, 4))
    t = Terms(IntType(width))
    left, right = (t.random(rng, rng.randrange(2, 6), LEAVES) for _ in range(2))
    _require_one_value((left, right), list(_everywhere(width)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [*FEW, *MANY])
def test_every_class_of_floats_has_one_value(seed: int) -> None:
    """-0 is not +0; there is one NaN."""
    rng = random.Random(5000 + seed)
    t = Terms(FloatType("f16"))
    left, right = (t.random_float(rng, rng.randrange(2, 7), LEAVES) for _ in range(2))
    _require_one_value((left, right), [dict(enumerate(chosen)) for chosen in product(SPECIAL, repeat=LEAVES)])


def _evaluate(root: Term, leaves: dict[int, int | float], evaluator: Evaluator) -> Scalar | None:
    """The value as a run gives it: None where it is undefined."""
    known: dict[int, Scalar] = {}
    for term in postorder((root,)):
        given = literal(term)
        if given is not None or term.op == "leaf":
            known[term.id] = leaves[int(term.attr("number"))] if given is None else given  # type: ignore[arg-type]
            continue
        found = evaluator(term, tuple(known[a.id] for a in term.args))
        if found is None:
            return None
        known[term.id] = found
    return known[root.id]


@pytest.mark.one_in(14)
@pytest.mark.parametrize("seed", [*FEW, *MANY])
def test_what_is_proved_from_facts_holds_where_the_source_is_defined(seed: int) -> None:
    rng = random.Random(1000 + seed)
    width = rng.choice((2, 2, 4))
    t = Terms(IntType(width))
    evaluator = Evaluator()
    for _ in range(4):
        source = t.random(rng, rng.randrange(1, 5), LEAVES, flags=True)
        target = t.random(rng, rng.randrange(1, 3), LEAVES)
        if not ENGINE.equal(source, target, facts_of(source)).proved:
            continue
        for leaves in _everywhere(width):
            found = _evaluate(source, leaves, evaluator)
            if found is not None and found is not POISON:
                assert found == value(target, leaves, FOLDER), (source, target, leaves)


# Rewriting


def _match(pattern: Pattern, term: Term, found: dict[str, Term]) -> bool:
    match pattern:
        case Variable(kind=kind, name=name, literal=wants_literal):
            if term.type != kind.type or (wants_literal and term.op != "const"):
                return False
            return found.setdefault(name, term) is term
        case Number(kind=kind, value=given):
            return term.op == "const" and term.type == kind.type and term.attr("value") == given
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            if (term.op, term.type, term.attrs, len(term.args)) != (op, kind.type, attrs, len(args)):
                return False
            return all(_match(a, b, found) for a, b in zip(args, term.args, strict=True))
        case _:
            raise AssertionError(pattern)


def _build(pattern: Pattern, found: dict[str, Term], pool: TermPool) -> Term:
    match pattern:
        case Variable(name=name):
            return found[name]
        case Number(kind=kind, value=given):
            return pool.make("const", (), kind.type, (("value", given),))
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            return pool.make(op, tuple(_build(a, found, pool) for a in args), kind.type, attrs)
        case _:
            raise AssertionError(pattern)


def _rewritings(root: Term, instances: list[Instance], pool: TermPool) -> list[Term]:
    """`root` with one node rewritten by one law, each way there is."""
    results: list[Term] = []
    for node in postorder((root,)):
        for instance in instances:
            found: dict[str, Term] = {}
            if not _match(instance.equation.left, node, found):
                continue
            where = instance.equation.where
            numbers = {name: number for name, term in found.items() if (number := literal(term)) is not None}
            if where is None or FOLDER.evaluate(where, numbers) == 1:
                new = _build(instance.equation.right, found, pool)
                results.append(rebuild(pool, root, lambda t, n=node, r=new: r if t is n else None, {}))
    return results


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", [*FEW, *MANY[:20]])
def test_terms_rewritten_by_laws_are_found_equal(seed: int) -> None:
    rng = random.Random(2000 + seed)
    t = Terms(IntType(32))
    kinds = [kind_of(t.type, 64), kind_of(IntType(1), 64)]
    instances = [i for law in LAWS for i in law.instances(kinds) if not i.conditional and not law.expands]
    source = target = t.random(rng, 8, 3)
    for _ in range(3):
        choices = _rewritings(target, instances, t.pool)
        target = rng.choice(choices) if choices else target
    answer = ENGINE.equal(source, target)
    assert answer.proved, (source, target, answer)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", [*FEW, *MANY[:20]])
def test_mutants_are_never_proved(seed: int) -> None:
    """One operator or literal is changed; where a run shows a difference, no proof may be found."""
    rng = random.Random(3000 + seed)
    t = Terms(IntType(8))
    source = t.random(rng, 6, LEAVES)
    node = rng.choice([n for n in postorder((source,)) if n.args or n.op == "const"])
    number = literal(node)
    new = t.complement(node) if number is None else t.literal(number + 1, node.type)
    target = rebuild(t.pool, source, lambda term: new if term is node else None, {})
    samples = [{k: rng.randrange(256) for k in range(LEAVES)} for _ in range(100)]
    if any(value(source, s, FOLDER) != value(target, s, FOLDER) for s in samples):
        assert not ENGINE.equal(source, target).proved
