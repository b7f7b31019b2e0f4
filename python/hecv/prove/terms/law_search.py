"""Ground instances of laws that show two terms equal, for a certificate: a small search of its own.

The e-graph says which laws matched; with these alone the terms are rewritten again, here where every match is a ground
instance. What is found is no longer than the e-graph's work on small terms, and nothing rests on either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from typing import TYPE_CHECKING, Final

from hecv.base.term import Term, TermPool
from hecv.egraph.saturation.rule_evidence import Evidence
from hecv.egraph.saturation.runner import Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.kernel.certificate.rejection import Rejected, Uncertified
from hecv.kernel.certificate.term_format import TermProof
from hecv.kernel.certificate.term_rows import type_of, type_text
from hecv.kernel.terms.congruence_closure import Symbol, symbol_of, takes_exact
from hecv.kernel.terms.equality_derivation import Equalities, folds
from hecv.kernel.terms.law_instances import Laws, equations, literal_attributes
from hecv.kernel.terms.solvers import Solver
from hecv.laws.all_laws import LAWS
from hecv.ops import OPERATORS
from hecv.patterns.equations.equations import Equation, Number, Operation, Pattern, Variable, kind_of
from hecv.patterns.equations.law_record import Instance, Law, rule_of
from hecv.prove.terms.recorded_lemmas import TermProofs

if TYPE_CHECKING:
    from hecv.prove.terms.user_rules import Rulebook

NODES: Final = 10_000
SECONDS: Final = 3.0
"""For the e-graph, and for the search after it."""

MOST_INSTANCES: Final = 5_000
ROUNDS: Final = 8

Bound = dict[str, Term]
Users = Mapping[str, tuple[Law, Evidence]]
"""Laws of users by name, and what is known of them."""


def law_proof(
    pool: TermPool, given: Sequence[Term], ends: tuple[Term, Term], index_width: int, book: Rulebook | None = None
) -> TermProof:
    """A proof by laws, those of the `book` of users too, that the `ends`, two of the given terms, have one value.

    Raises: Uncertified where none is found.
    """
    if book is None:
        answer = TermEngine(LAWS, Budget(nodes=NODES, seconds=SECONDS), index_width).equal(*ends)
    else:
        answer = book.equal(*ends, ())
    if not answer.proved:
        raise Uncertified("laws", "the laws do not show the terms equal")
    users = {} if book is None else book.used(answer.instances)
    found = _Search(pool, given, index_width, _instances(answer.instances, users, index_width), users).run(ends)
    if found is None:
        raise Uncertified("laws", "no ground instances were found in time")
    return found


def _instances(names: Sequence[str], users: Users, index_width: int) -> list[Instance]:
    """The laws at their types that rules of the e-graph stand for; those with premises are left out."""
    found: list[Instance] = []
    for name in dict.fromkeys(n.removesuffix("?") for n in names):
        law, _, types = name.partition("@")
        known = users[law][0] if law in users else equations().get(law)
        if known is None:
            continue
        kinds = [kind_of(type_of(text), index_width) for text in types.split(",") if text]
        instance = known.instance(kinds[: known.arity])
        if instance is not None and not instance.equation.given:
            found.append(instance)
    return found


class _Search:
    def __init__(
        self, pool: TermPool, given: Sequence[Term], index_width: int, instances: Sequence[Instance], users: Users
    ) -> None:
        self._users: Final = users
        self._scratch: Final = TermPool()
        self._pool: Final = pool
        self._proofs: Final = TermProofs("laws", given, index_width)
        self._known: Final = Equalities(pool, given, TermProof(), Solver("z3", index_width), index_width)
        self._closure: Final = self._known.closure
        self._laws: Final = Laws(self._closure, index_width)
        self._instances: Final = instances
        self._terms: dict[int, Term] = {t.id: t for t in given}
        self._seen: set[tuple[object, ...]] = set()
        self._symbols: dict[int, Symbol] = {}
        self._classes: dict[int, list[Term]] = {}
        self._deadline = process_time() + SECONDS

    def run(self, ends: tuple[Term, Term]) -> TermProof | None:
        """The steps until the ends are equal; None where a limit is met first."""
        for _ in range(ROUNDS):
            self._index()
            for instance in self._instances:
                for bound in list(self._matches(instance)):
                    self._apply(instance, bound)
                    if len(self._seen) > MOST_INSTANCES or process_time() > self._deadline:
                        return None
            self._fold()
            if self._closure.same(*map(self._closure.value, ends)):
                return self._proofs.proof()
        return None

    def _index(self) -> None:
        self._classes = {}
        for term in self._terms.values():
            self._classes.setdefault(self._class(term), []).append(term)

    def _class(self, term: Term) -> int:
        return self._closure.find(self._closure.value(term))

    def _fold(self) -> None:
        for term in list(self._terms.values()):
            literals = [self._closure.literal(self._closure.value(a)) for a in term.args]
            if literals and None not in literals and folds(term) and self._closure.literal(self._class(term)) is None:
                try:
                    self._known.fold("fold", term)
                except Rejected:
                    continue
                self._proofs.fold(term)

    # Matching

    def _matches(self, instance: Instance) -> Iterator[Bound]:
        left = instance.equation.left
        for number in list(self._classes):
            yield from self._match(left, number, {})

    def _match(self, part: Pattern, number: int, bound: Bound) -> Iterator[Bound]:
        """The ways in which a pattern is the value of a class, with what is bound already."""
        match part:
            case Variable(name=name, literal=literal):
                if name in bound:
                    if self._class(bound[name]) == number:
                        yield bound
                    return
                found = self._closure.literal(number) if literal else self._classes.get(number, [None])[0]
                if found is not None and found.type == part.kind.type:
                    yield {**bound, name: found}
            case Number(value=value):
                found = self._closure.literal(number)
                if found is not None and found.type == part.kind.type and found.attr("value") == value:
                    yield bound
            case Operation(args=args):
                wanted, exchanges = self._symbol(part)
                for term in self._classes.get(number, ()):
                    if symbol_of(term) == wanted:
                        for operands in (term.args, term.args[::-1])[: 2 if exchanges else 1]:
                            yield from self._match_all(args, operands, bound)
            case _:
                return

    def _match_all(self, parts: Sequence[Pattern], terms: Sequence[Term], bound: Bound) -> Iterator[Bound]:
        if not parts:
            yield bound
            return
        for found in self._match(parts[0], self._class(terms[0]), bound):
            yield from self._match_all(parts[1:], terms[1:], found)

    def _symbol(self, part: Operation) -> tuple[Symbol, bool]:
        """The symbol of the root of a pattern, and whether its operands may be exchanged."""
        leaves = [self._pool.make("leaf", (), a.kind.type, (("number", k),)) for k, a in enumerate(part.args)]
        symbol = symbol_of(self._pool.make(part.op, tuple(leaves), part.kind.type, part.attrs))
        return symbol, OPERATORS[part.op].facts.commutative and symbol[-1] is True

    # Instances

    def _apply(self, instance: Instance, bound: Bound) -> None:
        key = (instance.name, *[self._class(bound[name]) for name in sorted(bound)])
        if key in self._seen:
            return
        self._seen.add(key)
        try:
            equation = self._laws.at("law", instance.equation, bound)
        except Rejected:
            return
        left, right = (self._built(side, bound) for side in (equation.left, equation.right))
        if left is None or right is None or self._class(left) == self._class(right):
            return
        if instance.law.name not in self._users:
            self._proofs.law(instance.law.name, tuple(type_text(k.type) for k in instance.kinds), bound)
        elif not self._enter_users(instance.law.name, equation, bound):
            return
        self._closure.union(self._closure.value(left), self._closure.value(right))

    def _enter_users(self, law: str, equation: Equation, bound: Bound) -> bool:
        """Writes an instance of a user's law down as a lemma; whether the replayer would take it."""
        leaves = dict(enumerate(bound.values()))
        holes = {
            name: self._scratch.make("leaf", (), term.type, (("number", number), ("proper", True)))
            for number, (name, term) in enumerate(bound.items())
        }
        left, right = (self._schema(side, holes) for side in (equation.left, equation.right))
        if left is None or right is None:
            return False
        known = self._users[law][1]
        if known != "proved":
            self._proofs.trusted(left, right, leaves, rule_of(law), known)
            return True
        try:
            self._proofs.equal(left, right, leaves)
        except Uncertified:
            return False
        return True

    def _schema(self, side: Pattern, holes: Mapping[str, Term]) -> Term | None:
        """A side over leaves; None where a part of it cannot be computed."""
        folded = self._laws.folded(side)
        if folded is not None:
            return self._scratch.make("const", (), side.kind.type, literal_attributes(folded))
        match side:
            case Variable(name=name):
                return holes[name]
            case Operation(kind=kind, op=op, args=args, attrs=attrs):
                operands = [self._schema(a, holes) for a in args]
                found = tuple([o for o in operands if o is not None])
                return self._scratch.make(op, found, kind.type, attrs) if len(found) == len(operands) else None
            case _:
                return None

    def _built(self, side: Pattern, bound: Mapping[str, Term]) -> Term | None:
        """The term of a side; None where a part of it is an exact integer, or cannot be computed."""
        folded = self._laws.folded(side)
        if folded is not None:
            return self._enter(self._pool.make("const", (), side.kind.type, literal_attributes(folded)))
        match side:
            case Variable(name=name):
                return bound[name]
            case Operation(kind=kind, op=op, args=args, attrs=attrs):
                operands = [self._built(a, bound) for a in args]
                found = tuple([o for o in operands if o is not None])
                if len(found) != len(operands):
                    return None
                made = self._pool.make(op, found, kind.type, attrs)
                return None if takes_exact(made) else self._enter(made)
            case _:
                return None

    def _enter(self, term: Term) -> Term:
        self._terms.setdefault(term.id, term)
        self._closure.value(term)
        return term
