"""Shared names for the leaves of two terms, so that the terms can be compared as scalar code."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term, TermPool
from hecv.base.types import ScalarType
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.dataflow.residual.term_leaves import Part, compatible
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import DOUBTFUL
from hecv.ops.nondeterminism import choice_of, settled

Names = tuple[dict[int, Term], dict[int, Term]]
"""The replacements of the leaves of the source and of the target, by the numbers of their parts."""

Doubts = tuple[frozenset[int], frozenset[int]]
"""Leaves of the source and of the target, by the numbers of their parts."""


class Named(Struct, frozen=True):
    """Two terms over names, how they compare, and what that rests on.

    `groups`: leaves of source and target with one name, by their numbers among the `parts`. `replaced`: a side, a leaf
    of it, and the operator of the other side that stands for it. `links`: the parts that were proved equal.
    """

    refinement: Refinement
    terms: tuple[Term, Term]
    parts: tuple[list[Part], list[Part]]
    groups: tuple[tuple[list[int], list[int]], ...]
    replaced: tuple[tuple[int, int, int], ...]
    links: tuple[tuple[int, int], ...]


class Naming:
    """Names for the leaves of two terms: equal leaves get one name, a leaf that equals an operator of the other term is
    replaced by it.

    A name stands for leaves of the source and leaves of the target; each of the former is refined by each of the
    latter. So it has a value that refines those source leaves and that those target leaves refine: poison if all the
    source leaves are, else their one value. What stands for a leaf has to be such a value. Operators are monotone, so
    the source is then refined by the named source, the named target by the target, and what holds of the named terms
    holds of the terms. Two cases need to know on which leaf the value lies:

    - A name is `proper` if it has the value of a leaf that is.
    - An operator of the source is refined by the target leaf that it replaces. The named operator is too only if its
      names have the values of the *source's* leaves, no less poison. An operator of the target refines the source leaf
      that it replaces; the named one does only if its names have the values of the *target's* leaves, no more poison.

    Smallest failing case of both: one source leaf that is poison and unused; any two target leaves match it.

    NaN: leaves of one name are equal up to which NaN they are. So an operator that shows it has that choice as an
    operand of its own (`hecv.ops.nondeterminism`), whatever its operands are called: what is then proved holds for all
    NaNs. If its operands are the same parts, the choice is the same. Smallest failing case: `bits(x) - bits(y)` where
    both are NaN with one name.

    Reals: a name is `DOUBTFUL` if its leaves may be no numbers: they are numbers if the source's value is made of the
    name, whatever is selected. Smallest failing cases: `(x + q) - q` for `x`, and `select(c, q, q * 0)` for `select(c,
    q, 0)`, where `q` reads a quotient by 0.
    """

    def __init__(
        self,
        pool: TermPool,
        source: list[Part],
        target: list[Part],
        settles: bool = False,
        doubts: Doubts = (frozenset(), frozenset()),
    ) -> None:
        """`settles`: the source's ops that have a choice are one function; `settled`: there are such ops. `doubts`: the
        leaves of either side that may be no numbers, over the reals."""
        self._pool = pool
        self._doubts = doubts
        self._settles = settles
        self.settled = False
        self._source = source
        self._target = target
        self._dropped: set[tuple[int, int]] = set()
        self._fresh = 0
        self._exact: tuple[set[int], set[int]] = set(), set()
        self._choices: dict[tuple[int, str, tuple[int | Term, ...]], Term] = {}
        self.groups: list[tuple[list[int], list[int]]] = []
        self.replaced: list[tuple[int, int, int]] = []
        """A side, a leaf of it, and the operator of the other side that stands for it."""
        self.links: list[tuple[int, int]] = []
        """The parts of the source and of the target whose equality the last terms rest on."""

    def named(self, refinement: Refinement) -> Named:
        """The named terms with the evidence that they compare as `refinement` says."""
        terms, parts = self.terms(), (self._source, self._target)
        return Named(refinement, terms, parts, tuple(self.groups), tuple(self.replaced), tuple(self.links))

    def drop(self, link: tuple[int, int]) -> None:
        """Drops a proposed equality that was not proved."""
        self._dropped.add(link)

    def terms(self) -> tuple[Term, Term]:
        """Both terms over names, under the proposed equalities that are left."""
        self._fresh, self._exact, self.links, self.replaced = 0, (set(), set()), [], []
        self._choices = {}
        names: Names = ({}, {})
        self.groups = self._groups()
        for group in self.groups:
            self._name_group(*group, names)
        for t in self._unnamed(1, names[1]):
            s = next((k for k in self._operators(0) if self._stands_for(k, t) and self._is_exact(0, k, names[0])), None)
            if s is not None:
                names[1][t] = self._rebuilt(0, s, names[0])
                self.replaced.append((1, t, s))
                self.links.append((s, t))
        for s in self._unnamed(0, names[0]):
            t = next((k for k in self._operators(1) if self._stands_for(s, k) and self._is_exact(1, k, names[1])), None)
            if t is not None:
                names[0][s] = self._rebuilt(1, t, names[1])
                self.replaced.append((0, s, t))
                self.links.append((s, t))
        return (
            self._rebuilt(0, len(self._source) - 1, names[0]),
            self._rebuilt(1, len(self._target) - 1, names[1]),
        )

    def _groups(self) -> list[tuple[list[int], list[int]]]:
        """Groups of leaves of the source and of the target that may be equal, each with each."""
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for t in self._unnamed(1, {}):
            s = next((k for k in self._unnamed(0, {}) if self._fits(k, t)), None)
            if s is not None:
                groups.setdefault(s, ([s], []))[1].append(t)
        for s in self._unnamed(0, {}):
            home = next((g for g in groups.values() if all(self._fits(s, t) for t in g[1])), None)
            if home is not None and s not in groups:
                home[0].append(s)
        return list(groups.values())

    def _name_group(self, sources: list[int], targets: list[int], names: Names) -> None:
        """Names equal leaves, and records which of them have the value of the name.

        A poison-free source leaf gives its value to all; else a single target leaf does, else a single source leaf.
        """
        proper = {s for s in sources if self._source[s].proper}
        alone = len(targets) == 1
        if proper or alone:
            self._exact[0].update(proper)
            self._exact[1].update(targets)
        elif len(sources) == 1:
            self._exact[0].update(sources)
        kind = self._source[sources[0]].type
        doubtful = self._doubts[1].issuperset(targets) and self._doubts[0].issuperset(proper)
        name = self._name(kind, bool(proper) or (alone and self._target[targets[0]].proper), doubtful)
        names[0].update(dict.fromkeys(sources, name))
        names[1].update(dict.fromkeys(targets, name))
        self.links += [(s, t) for s in sources for t in targets]

    def _unnamed(self, side: int, names: dict[int, Term]) -> list[int]:
        return [k for k, p in enumerate((self._source, self._target)[side]) if p.leaf and k not in names]

    def _operators(self, side: int) -> list[int]:
        return [k for k, p in enumerate((self._source, self._target)[side]) if not p.leaf]

    def _is_exact(self, side: int, root: int, names: dict[int, Term]) -> bool:
        """Whether the names of an operator's leaves have the leaves' values; a leaf without a name will get one."""
        parts = (self._source, self._target)[side]
        seen, stack = {root}, [root]
        while stack:
            k = stack.pop()
            if parts[k].leaf and k not in self._exact[side] and k in names:
                return False
            stack += [a for a in parts[k].args if isinstance(a, int) and a not in seen]
            seen.update(stack)
        return True

    def _name(self, kind: ScalarType, proper: bool, doubtful: bool = False) -> Term:
        self._fresh += 1
        flags = [(name, True) for name, holds in (("proper", proper), (DOUBTFUL, doubtful)) if holds]
        return self._pool.make("leaf", (), kind, (("number", self._fresh), *flags))

    def _fits(self, s: int, t: int) -> bool:
        """Whether the target's part may refine the source's, and one of them is smaller than the root."""
        first, second = self._source[s], self._target[t]
        if (s, t) in self._dropped or first.type != second.type or not compatible(first.values, second.values):
            return False
        if s == len(self._source) - 1 and t == len(self._target) - 1:
            return False
        return not any(p.partial for p in (first, second) if not p.leaf)

    def _stands_for(self, s: int, t: int) -> bool:
        """Whether an operator may replace a leaf: at some sample both values are known, or neither is."""
        pairs = zip(self._source[s].values, self._target[t].values, strict=True)
        return any((a is None) == (b is None) for a, b in pairs) and self._fits(s, t)

    def _rebuilt(self, side: int, root: int, names: dict[int, Term]) -> Term:
        """The term of a part with its leaves replaced; leaves that have no name yet get one."""
        parts = (self._source, self._target)[side]
        made: dict[int, Term] = {}
        stack = [root]
        while stack:
            k = stack[-1]
            part = parts[k]
            missing = [a for a in part.args if isinstance(a, int) and a not in made]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            made[k] = self._named(side, k, names) if part.leaf else self._remade(side, k, made)
        return made[root]

    def _remade(self, side: int, k: int, made: dict[int, Term]) -> Term:
        part = (self._source, self._target)[side][k]
        assert isinstance(part.position, At)
        term = part.position.term
        args = tuple(made[a] if isinstance(a, int) else a for a in part.args)
        if exposes(term):
            found = choice_of(term)
            assert found is not None, "terms that show another NaN are not compared as scalar code"
            op, kind = found
            of = (side, op, part.args)  # one part is one value, read from one place or computed once
            if of not in self._choices:
                self._choices[of] = self._name(kind, True)
            return self._pool.make(op, (*args, self._choices[of]), term.type, term.attrs)
        one = settled(self._pool, term, args) if self._settles and side == 0 else None
        if one is not None:
            self.settled = True
            return one
        return self._pool.make(term.op, args, term.type, term.attrs) if args else term

    def _named(self, side: int, k: int, names: dict[int, Term]) -> Term:
        if k not in names:
            part = (self._source, self._target)[side][k]
            names[k] = self._name(part.type, part.proper, k in self._doubts[side])
            self._exact[side].add(k)
        return names[k]
