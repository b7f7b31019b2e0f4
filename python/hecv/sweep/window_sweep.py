"""SAT sweeping: both programs' terms in one pass, operands first, each merged with an equal term that was met before.

The terms of the source come first. A term is rewritten over the representatives of its operands; if that is not a known
term, its fingerprint proposes candidates, and one of them becomes its representative if

- their total values are equal: they have one normal form, or a window of both is proved, by laws or by Z3; and
- the term is poison only where its representative is (`hecv.sweep.cuts.poison_sources`); for a term of the source,
  exactly there.

Operators are monotone: replacing an operand by one that it refines gives a term that the original refines. So a term of
the target refines its representative; and equals it, unless a replacement was `one_way`. Every question is about a
window of bounded size, and windows of the same shape are asked about once: the time is linear in the number of terms.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Sequence
from time import process_time
from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import IntType, is_wide
from hecv.egraph.normal_forms.bitvector_forms import NormalForms
from hecv.egraph.normal_forms.operator_chains import NormalNode, Operand
from hecv.egraph.total_terms import Dag
from hecv.ops.facts.poison_conditions import without_flags
from hecv.sweep.chain_interiors import Chains
from hecv.sweep.cuts.fingerprints import Fingerprint, Fingerprints
from hecv.sweep.cuts.poison_sources import Taints
from hecv.sweep.cuts.term_windows import MOST_NODES, Shape, View, terms_of_shape, windows

MOST_CANDIDATES: Final = 8
"""The most terms of one fingerprint that are compared with a new one."""

BRIEF: Final = 12
"""The most operators of a window for two terms of one program."""

NEAR: Final = 24
"""The most terms that are searched for operands shared with a candidate."""

Prove = Callable[[Term, Term], bool]
"""Proves that two terms without flags are equal for all values of their leaves, which are not poison."""


class Sweep:
    """One sweep over the terms of a pair of programs."""

    def __init__(
        self,
        pool: TermPool,
        prove: Prove,
        is_proper: Callable[[Term], bool],
        poisonous: Container[int],
        index_width: int = 64,
        deadline: float = float("inf"),
        asked: dict[Shape, bool] | None = None,
    ) -> None:
        self._pool: Final = pool
        self._prove: Final = prove
        self._deadline: Final = deadline
        self._fingerprints: Final = Fingerprints(index_width)
        self._taints: Final = Taints(
            index_width, poisonous, lambda term: is_proper(closed(pool, term, self._taints.is_opaque))
        )
        self._index_width: Final = index_width
        self._dag: Final = Dag.empty()
        self._forms = NormalForms(0, index_width)
        self._members: dict[int, list[Term]] = {}
        self._entered = 0
        self._merged = 0
        self._firsts: dict[int, int] = {}
        self._ranks: dict[int, int] = {}
        self._buckets: dict[tuple[object, Fingerprint], tuple[int, list[Term]]] = {}
        self._literals: dict[int, Term] = {}
        self._above: dict[tuple[int, int], list[Term]] = {}
        self._source = 0
        self._asked: Final = {} if asked is None else asked
        self._became: dict[int, Term] = {}
        self._open: dict[int, bool] = {}
        self._view: Final = View(self.became, self._rank, self._opens)
        self.one_way = False
        """Whether a term of the target took the place of one that it refines and may not equal."""
        self.uses: Counter[str] = Counter()
        self.asked = 0

    def run(self, source: Sequence[Term], target: Sequence[Term], exact: bool = False) -> None:
        """Sweeps both programs' terms, each with operands before users.

        With `exact`, the representative of a target term is poison wherever the term is, and nowhere else.
        """
        # Each term is entered once, with a cast where it is an index, and so is what takes its place.
        self._forms = NormalForms(4 * (len(source) + len(target)) + 4, self._index_width)
        self._side(source, exact=True, offered=True)
        self._source = len(self._firsts)
        self._side(target, exact, offered=False)

    def became(self, term: Term) -> Term:
        """The representative of a term; itself if it was not swept."""
        return self._became.get(term.id, term)

    def rebuilt(self, term: Term) -> Term:
        """The operator at the root of `term` over the representatives of its operands."""
        args = tuple([self.became(a) for a in term.args])
        return term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)

    def is_proper(self, term: Term) -> bool:
        """Whether a representative is never poison."""
        return not self._taints.of(term)

    def _side(self, terms: Sequence[Term], exact: bool, offered: bool) -> None:
        chains = Chains(terms)
        became = self._became
        for term in terms:
            place = became.get(term.id)
            if place is None:
                place = became[term.id] = self._place(term, chains, exact)
            self._ranks[term.id] = self._firsts.setdefault(place.id, len(self._firsts))
            if offered and (term.args or term.op == "const") and not is_wide(term.type):
                self._offer(term)

    def _place(self, term: Term, chains: Chains, exact: bool) -> Term:
        """What takes the place of a term, given what took those of its operands."""
        made = self.rebuilt(term)
        args = made.args
        known = self._became.get(made.id)
        if known is not None:
            return known
        fingerprint = self._fingerprints.of(made)
        taints = self._taints.of(made)
        if args and all(a.op == "const" for a in args) and self._folds(made) and not taints:
            constant = self._pool.make("const", (), made.type, (("value", fingerprint[0]),))  # type: ignore[arg-type]
            found = self._became[made.id] = self._place(constant, chains, exact)
            return found
        if made.op == "arith.select" and literal(args[0]) is not None:
            found = self._became[made.id] = args[1] if literal(args[0]) else args[2]
            return found
        found = self._normal(made, term, chains, exact) or self._similar(made, term, exact)
        if found is not None:
            self._became[made.id] = found
            return found
        self._became[made.id] = made
        self._ranks.setdefault(made.id, self._firsts.setdefault(made.id, len(self._firsts)))
        self._members.setdefault(self._forms.find(self._dag.enter(made)), []).append(made)
        return made

    # By normal form

    def _normal(self, made: Term, term: Term, chains: Chains, exact: bool) -> Term | None:
        """A term of the same normal form."""
        number = self._dag.enter(made)
        entries = self._dag.entries
        for k in range(self._entered, len(entries)):
            operands = signed(entries[k].symbol.op, entries[k].args)
            if k == number and chains.is_long(term):
                if chains.is_inner(term):
                    continue
                operands = [Operand(self._dag.enter(self._became[t.id]), sign) for t, sign in chains.operands(term)]
            self._forms.enter(k, NormalNode(entries[k].symbol, tuple(operands)))
        self._entered = len(entries)
        for known, home in self._forms.merged[self._merged :]:
            self._members.setdefault(known, []).extend(self._members.pop(home, ()))
        self._merged = len(self._forms.merged)
        known = self._forms.literal(number)
        if known is not None and made.args:
            constant = self._pool.make("const", (), made.type, known.attrs)
            if self._refines(made, self._place(constant, chains, exact), exact):
                return constant
        for other in self._members.get(self._forms.find(number), ()):
            if other.type == made.type and self._refines(made, other, exact):
                self.uses.update({"normal-form": 1})
                return other
        return None

    def _refines(self, made: Term, other: Term, exact: bool) -> bool:
        """Whether `made`, whose total value is that of `other`, may take its place."""
        mine, theirs = self._taints.of(made), self._taints.of(other)
        if mine == theirs:
            return True
        if exact or not mine <= theirs:
            return False
        self.one_way = True
        return True

    # By windows

    def _similar(self, made: Term, term: Term, exact: bool) -> Term | None:
        """A term of the same fingerprint that a window shows equal."""
        if not made.args or is_wide(made.type) or self._taints.is_opaque(made):
            return None
        for candidate in self._candidates(made, term):
            other = self._became[candidate.id]
            mine, theirs = self._taints.of(made), self._taints.of(other)
            fits = mine == theirs or (mine <= theirs and not exact)
            if fits and self._equal_somehow((candidate, term), (other, made), self._source == 0):
                self._refines(made, other, exact)
                self._forms.equate(self._dag.enter(other), self._dag.enter(made))
                return other
        return None

    def _offer(self, term: Term) -> None:
        """Makes a term of the source a candidate."""
        fingerprint = self._fingerprints.of(self._became[term.id])
        number, bucket = self._buckets.setdefault((term.type, fingerprint), (len(self._buckets), []))
        if term.op == "const":
            self._literals[number] = term
            return
        bucket.append(term)
        for name in {self._name(b) for a in term.args for b in (a, *a.args) if b.op != "const"}:
            self._above.setdefault((name, number), []).append(term)

    def _candidates(self, made: Term, term: Term) -> list[Term]:
        """Terms of the source with the fingerprint of `made`, those first that have most of their operands near `term`,
        whose place it takes."""
        number, bucket = self._buckets.get((made.type, self._fingerprints.of(made)), (-1, []))
        if len(bucket) > MOST_CANDIDATES:
            near = self._near(term)
            found = {t.id: t for k in near for t in self._above.get((k, number), ())[-NEAR:]}
            bucket = sorted(found.values(), key=lambda t: (-self._nearness(t, near), -self._rank(t)))
        known = [self._literals[number]] if number in self._literals else []
        return known + bucket[:MOST_CANDIDATES]

    def _near(self, term: Term) -> set[int]:
        """The names of terms below `term`: those of the target down to the source, then more."""
        near: set[int] = set()
        waiting, border = deque([term]), deque[Term]()
        while (waiting or border) and len(near) < NEAR:
            below = waiting.popleft() if waiting else border.popleft()
            for a in below.args:
                name = self._name(a)
                if a.op == "const" or name in near:
                    continue
                near.add(name)
                (waiting if self._rank(a) >= self._source > 0 else border).append(a)
        return near

    def _nearness(self, term: Term, near: set[int]) -> int:
        """How much of what is near a candidate is made of, less what of it is elsewhere."""
        below = [a for a in term.args if a.op != "const"]
        names = {self._name(b) for a in below for b in (a, *a.args)}
        far = [a for a in below if self._name(a) not in near]
        return len(names & near) - sum(1 if any(self._name(b) in near for b in a.args) else 4 for a in far)

    def _equal_somehow(self, given: tuple[Term, Term], now: tuple[Term, Term], brief: bool) -> bool:
        """Whether two terms are shown equal as the programs have them, as they are now with what is known of their
        operands, or as the programs have them with nothing known to be a literal."""
        if self._equal(*given, self._view, brief):
            return True
        if now != given and self._equal(*now, self._view, brief):
            return True
        return not brief and self._equal(*given, replace(self._view, opens=self._opens_literals), brief)

    def _equal(self, source: Term, target: Term, view: View, brief: bool) -> bool:
        """Whether a window shows the total values equal; only small ones are made where that is to be `brief`."""
        for window in windows(source, target, view, BRIEF if brief else MOST_NODES):
            shape = window.shape()
            known = self._asked.get(shape)
            if known is None and process_time() < self._deadline:
                self.asked += 1
                known = self._asked[shape] = self._prove(*terms_of_shape(self._pool, shape))
            if known:
                self.uses.update({"window": 1})
                return True
        return False

    def _folds(self, made: Term) -> bool:
        """Whether the value of an operator on literals is known."""
        return isinstance(made.type, IntType) and not self._taints.is_opaque(made)

    def _rank(self, term: Term) -> int:
        """When what took the place of a term was first met; that of the term in question is the last."""
        return self._ranks.get(term.id, len(self._firsts))

    def _name(self, term: Term) -> int:
        return self.became(term).id

    def _opens(self, term: Term) -> bool:
        """Whether windows look into a term."""
        found = self._open.get(term.id)
        if found is None:
            found = self._opens_literals(term) and self.became(term).op != "const"
            if term.id in self._became:
                self._open[term.id] = found
        return found

    def _opens_literals(self, term: Term) -> bool:
        return bool(term.args) and not self._taints.is_opaque(term)


def closed(
    pool: TermPool,
    root: Term,
    opaque: Callable[[Term], bool],
    depth: int = 2,
    named: dict[int, Term] | None = None,
) -> Term:
    """The operator at the root over leaves that are not poison, its operands expanded to `depth`, as a term of `pool`:
    equal for all terms of one shape.

    `named` collects the terms of the leaves, by their numbers.
    """
    names: dict[int, Term] = {}

    def made(term: Term, left: int) -> Term:
        if term.op == "const":
            return pool.make("const", (), term.type, term.attrs)
        if not left or not term.args or (opaque(term) and left <= depth):
            if named is not None and term.id not in names:
                named[len(names)] = term
            leaf = pool.make("leaf", (), term.type, (("number", len(names)), ("proper", True)))
            return names.setdefault(term.id, leaf)
        attrs = term.attrs if left > depth else without_flags(term.attrs)
        return pool.make(term.op, tuple([made(a, left - 1) for a in term.args]), term.type, attrs)

    return made(root, depth + 1)


def signed(op: str, args: Sequence[int]) -> list[Operand]:
    """The operands of a node, the second of a difference with its sign."""
    return [Operand(a, -1 if k and op == "arith.subi" else 1) for k, a in enumerate(args)]
