"""Transitive closure of a recurrence: from one instance of a chain to all whose results it uses, directly or not.

It is guessed and then verified. With `step` the map from an instance to the one whose result it uses, the equation
`reach = identity + reach after step` has exactly one solution, because every step leads to an earlier time.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, access_text

Spot = tuple[str, int, bool]
"""A chain, by its place, and whether it is negated as a whole."""

Step = tuple[Spot, Spot, isl.Map]
"""A step between two chains: from an instance to the one whose result it uses."""

Closure = dict[tuple[Spot, Spot], isl.Map]


class Closures:
    """Transitive closures of the recurrences of one program."""

    def __init__(self, space: Isl, flow: Dataflow) -> None:
        self._space = space
        self._flow = flow
        self._orders: dict[tuple[str, str, int, bool], isl.Map] = {}
        self._rewrites: dict[tuple[str, str, int, bool], isl.Map] = {}

    def of(self, statements: Mapping[Spot, Instances], steps: list[Step], once: bool) -> Closure | None:
        """The closure: all instances that instances lead to by any number of steps, verified; None if no guess is
        correct.

        With `once`, each instance has at most one successor.
        """
        if once and not all(
            first[2].domain().is_disjoint(second[2].domain())
            for n, first in enumerate(steps)
            for second in steps[:n]
            if first[0] == second[0]
        ):
            return None
        for guess in (self._by_element, self._by_dimension, self._since_end, self._by_use, self._by_isl):
            closure = guess(statements, steps)
            if closure is not None and self._is_closure(statements, steps, closure):
                return closure
        return None

    def _is_closure(
        self,
        statements: Mapping[Spot, Instances],
        steps: list[Step],
        guess: Closure,
    ) -> bool:
        """Whether the guess is the identity and, after each step, the guess again."""
        for start in statements:
            for end in statements:
                parts = [step.apply_range(guess[t, end]) for p, t, step in steps if p == start]
                if start == end:
                    parts.append(self._flow.domains[start[0]].identity())
                whole = guess[start, end]
                together = whole.subtract(whole)
                for part in parts:
                    together = together.union(part)
                if not whole.is_equal(together):
                    return False
        return True

    def _by_element(self, statements: Mapping[Spot, Instances], _: list[Step]) -> Closure | None:
        """Every earlier write of the same element by these statements, without another write in between."""
        writes = [s.write for s in statements.values()]
        arrays = {None if w is None else w.array for w in writes}
        if len(arrays) != 1 or None in arrays:
            return None
        own = {s.name for s in statements.values()}
        array = arrays.pop()
        others = [s for s in self._flow.program.statements if s.write is not None and s.write.array == array]
        resets = [s for s in others if s.name not in own]
        length = 1 + max(len(s.schedule) for s in others)
        guess: Closure = {}
        for p, first in statements.items():
            for q, second in statements.items():
                pairs = self._later(first, second, length, True)
                for reset in resets:
                    after = self._later(first, reset, length, False)
                    pairs = pairs.subtract(after.apply_range(self._later(reset, second, length, False)))
                guess[p, q] = self._space.coalesced(pairs)
        return guess

    def _later(self, first: Instances, second: Instances, length: int, or_equal: bool) -> isl.Map:
        """Pairs of instances that write one element, the first after the second."""
        key = first.name, second.name, length, or_equal
        if key not in self._rewrites:
            same = self._written(first).apply_range(self._written(second).reverse())
            self._rewrites[key] = same.intersect(self._before(first, second, length, or_equal))
        return self._rewrites[key]

    def _before(self, first: Instances, second: Instances, length: int, or_equal: bool) -> isl.Map:
        """Pairs of instances of which the second runs before the first, or is it."""
        key = first.name, second.name, length, or_equal
        if key not in self._orders:
            times = isl.Space.set_alloc(self._space.context, 0, length)
            order = isl.Map.lex_ge(times) if or_equal else isl.Map.lex_gt(times)
            later = self._time(first, length).apply_range(order)
            self._orders[key] = later.apply_range(self._time(second, length).reverse())
        return self._orders[key]

    def _written(self, statement: Instances) -> isl.Map:
        assert statement.write is not None
        text = access_text(statement.tuple_text(), statement.write, statement.domain_text())
        return self._space.map(f"{{ {text} }}").intersect_params(self._space.known)

    def _time(self, statement: Instances, length: int) -> isl.Map:
        padding = ["0"] * (length - len(statement.schedule))
        text = f"{{ {statement.tuple_text()} -> [{', '.join([*statement.schedule, *padding])}] }}"
        return self._space.map(text).intersect_domain(self._flow.domains[statement.name])

    def _by_dimension(self, statements: Mapping[Spot, Instances], steps: list[Step]) -> Closure:
        """Every earlier instance of these statements in the same iterations of the loops that no step leaves."""
        common = range(min(len(s.dims) for s in statements.values()))
        kept = [k for k in common if all(self._keeps(statements[p], statements[q], k, step) for p, q, step in steps)]
        length = 1 + max(len(s.schedule) for s in statements.values())
        return {
            (p, q): self._before(first, second, length, True).intersect(self._same(first, second, kept))
            for p, first in statements.items()
            for q, second in statements.items()
        }

    def _since_end(self, statements: Mapping[Spot, Instances], steps: list[Step]) -> Closure:
        """Those of `_by_dimension` since the last instance that no step leaves: there a chain begins anew."""
        pairs = self._by_dimension(statements, steps)
        ends: dict[Spot, isl.Set] = {p: self._flow.domains[s.name] for p, s in statements.items()}
        for p, _, step in steps:
            ends[p] = ends[p].subtract(step.domain())
        found: Closure = {}
        for (p, q), earlier in pairs.items():
            for r, last in ends.items():
                onward = pairs[r, q].subtract(self._flow.domains[q[0]].identity()) if r == q else pairs[r, q]
                earlier = earlier.subtract(pairs[p, r].intersect_range(last).apply_range(onward))
            found[p, q] = self._space.coalesced(earlier)
        return found

    def _by_use(self, statements: Mapping[Spot, Instances], steps: list[Step]) -> Closure:
        """Those of `_by_dimension` that some step leads to, from such as some step leaves: what a lane computes that is
        off is used by none."""
        found: Closure = {}
        for (p, q), earlier in self._by_dimension(statements, steps).items():
            nothing = earlier.subtract(earlier)
            own = self._flow.domains[p[0]].identity() if p == q else nothing
            left, entered = nothing.domain(), nothing.range()
            for first, second, step in steps:
                left = left.union(step.domain()) if first == p else left
                entered = entered.union(step.range()) if second == q else entered
            found[p, q] = own.union(earlier.intersect_domain(left).intersect_range(entered).subtract(own))
        return found

    def _keeps(self, first: Instances, second: Instances, dimension: int, step: isl.Map) -> bool:
        return bool(step.is_subset(self._same(first, second, [dimension])))

    def _same(self, first: Instances, second: Instances, dimensions: list[int]) -> isl.Map:
        """Pairs of instances that agree in some dimensions."""
        names = [f"o{k}" for k in range(len(second.dims))]
        equal = " and ".join(f"{first.dims[k]} = {names[k]}" for k in dimensions) or "1 = 1"
        return self._space.map(f"{{ {first.tuple_text()} -> {second.name}[{', '.join(names)}] : {equal} }}")

    def _by_isl(self, statements: Mapping[Spot, Instances], steps: list[Step]) -> Closure | None:
        """isl's transitive closure of a recurrence of one statement."""
        if len(statements) != 1:
            return None
        ((place, statement),) = statements.items()
        step = steps[0][2]
        for _, _, more in steps[1:]:
            step = step.union(more)
        closed, _ = step.transitive_closure()
        return {(place, place): closed.union(self._flow.domains[statement.name].identity())}
