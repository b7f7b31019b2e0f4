"""Equality of float terms whose sums and products may be regrouped, or are computed over the reals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial
from math import isfinite
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term
from hecv.base.types import FloatType
from hecv.egraph.normal_forms.bitvector_forms import CONGRUENCE
from hecv.egraph.normal_forms.cancelling_detours import Detours
from hecv.egraph.normal_forms.exact_sums import has_numbers
from hecv.egraph.normal_forms.float_forms import CASTS, RING, Level, Regrouping, float_family
from hecv.egraph.normal_forms.operator_chains import NormalNode, chains
from hecv.egraph.session import Contradiction
from hecv.egraph.total_terms import Dag, literal_of
from hecv.ops.facts.poison_conditions import DOUBTFUL

DIVISION: Final = "arith.divf"
SIGNS: Final = {"math.sqrt": 1, "math.rsqrt": 2, "math.log": 2, "math.log2": 2, "math.log10": 2}
"""Functions that are defined if their operand is not negative (1), or positive (2)."""

STRICT: Final = RING | {"arith.maximumf", "arith.minimumf"}
"""Operators that have no value, or are poison, if an operand is, as functions do."""

PARTIAL: Final = frozenset(
    {"arith.remf", "math.powf", "math.fpowi", "math.log1p", "math.tan"}
    | {f"math.{name}" for name in ("asin", "acos", "acosh", "atanh")}
)
"""Other functions that are undefined for some operands."""

MOST_COMPARED: Final = 200
"""The most pairs of operands of selects and the like that are compared."""


class FloatAnswer(Struct, frozen=True):
    """Whether two terms are equal wherever the first has a value, and the normal forms that showed it."""

    proved: bool
    rules: Mapping[str, int]


def equal_floats(
    source: Term,
    target: Term,
    level: Level,
    ops: frozenset[str] = RING,
    index_width: int = 64,
    spoiled: frozenset[str] = frozenset(),
    flagged: bool = False,
) -> FloatAnswer:
    """Whether two terms are equal for all values of their leaves, if sums and products of operators in `ops` may be
    computed in any order.

    Over the reals, only leaves count for which no divisor is 0 whose quotient enters the source's value by arithmetic.
    The target must not divide by what may be 0 unless the source divides by it too; it must take no roots or logarithms
    that the source does not take; and it must not compute with a leaf that is `DOUBTFUL`, or a literal that is no
    number, unless the source's value is made of it.

    `spoiled` operators make poison of infinities and NaN, or compute something else than was proved. Their operands are
    known to be neither if the source's value is made of them; the target has no other such operators.

    `flagged`: the licence is that of the source's flags. The source's literals may be folded; the target's must not
    have to be. The target must take no detour that the source does not take, and not round to fewer digits.

    Requires: both are of one pool, and none of `ops` has fast-math flags.
    """
    dag = Dag.empty()
    roots = (dag.enter(source), dag.enter(target))
    # Where a format is too narrow to compute in, a cast is one of what is equal.
    casts = level == "real" and any(e.symbol.op in CASTS for e in dag.entries)
    for allowed in (ops, ops - CASTS) if casts else (ops,):
        found = _compared(dag, roots, level, allowed, index_width, spoiled, flagged)
        if found is not None:
            return found
    # An order of the source's own operands needs no literal to be folded.
    return _compared(dag, roots, "reassoc", ops, index_width, spoiled, False, folds=False) or FloatAnswer(False, {})


def _compared(
    dag: Dag,
    roots: tuple[int, int],
    level: Level,
    ops: frozenset[str],
    index_width: int,
    spoiled: frozenset[str],
    flagged: bool,
    folds: bool = True,
) -> FloatAnswer | None:
    """As `equal_floats`; None where that they are equal is no licence of flags."""
    symbols, args = [e.symbol for e in dag.entries], [e.args for e in dag.entries]
    forms = Regrouping(len(symbols), index_width, level, ops, folds)
    needed = set(_divisions(dag, roots[0])) if level == "real" else set[int]()
    try:
        nodes = dict(chains(symbols, args, set(roots), partial(float_family, level=level, ops=ops)))
        for number, node in nodes.items():
            if number in needed:
                forms.admit(args[number][1])
            forms.enter(number, node)
    except Contradiction:
        return FloatAnswer(False, {})
    proved = forms.find(roots[0]) == forms.find(roots[1])
    if proved and flagged and not _is_licensed(dag, forms, nodes, roots):
        return None
    if proved and (spoiled or level == "real"):
        proved = _Proper(dag, forms, spoiled, _doubtful(dag)).follows(roots[0], roots[1], _Demands())
    return FloatAnswer(proved, {name: count for name, count in forms.uses.items() if name != CONGRUENCE})


def _is_licensed(dag: Dag, forms: Regrouping, nodes: Mapping[int, NormalNode], roots: tuple[int, int]) -> bool:
    """Whether flags of the source license the target, of which the normal form is the source's."""
    ours, theirs = (_reachable(dag, root) for root in roots)
    if forms.level == "reassoc":
        return not forms.folded & (theirs - ours)
    casts = CASTS & forms.ops and any(e.symbol.op in CASTS for e in dag.entries)
    if (casts and _is_narrower(dag, theirs, ours)) or not _is_made_alike(dag, forms, roots, (ours, theirs)):
        return False
    return Detours(dag, forms, nodes).are_of(ours, theirs, roots[1])


def _is_narrower(dag: Dag, theirs: Set[int], ours: Set[int]) -> bool:
    """Whether arithmetic of the target rounds to a format that lacks numbers of one that the source has.

    Flags let a cast be left out, so that wider formats are computed in. A cast of what is returned, or given to another
    operator, gives that the format that it has in the source, too.
    """
    symbols = {n: dag.entries[n].symbol for n in ours | theirs}
    formats = {str(symbols[n].type) for n in ours if isinstance(symbols[n].type, FloatType)}
    made = {n for n in theirs if symbols[n].op in RING}
    inside = {a for n in made for a in dag.entries[n].args}
    ends = {n for n in made - inside if symbols[n].op in CASTS}
    return not all(has_numbers(str(symbols[n].type), other) for n in made - ends for other in formats)


def _is_made_alike(dag: Dag, forms: Regrouping, roots: tuple[int, int], sides: tuple[Set[int], Set[int]]) -> bool:
    """Whether the source makes by arithmetic, which has the flags, what arithmetic of the target makes to be returned
    or given to another operator, and what is a zero there. Else it is what it is: `x` is not `x + 0.0`, nor is 0 -0.
    """
    ring = RING & forms.ops

    def is_made(number: int) -> bool:
        return dag.entries[number].symbol.op in ring

    def is_loose(number: int) -> bool:
        return is_made(number) or literal_of(dag.entries[number].symbol) == 0

    given = [{a for n in side if not is_made(n) for a in dag.entries[n].args} for side in sides]
    made: dict[int, set[int]] = {}
    for number in given[0]:
        made.setdefault(forms.find(number), set()).add(number)
    pairs = [(roots[1], {roots[0]}), *[(n, made.get(forms.find(n), set())) for n in given[1]]]
    return all(other == n or is_made(other) for n, others in pairs if is_loose(n) for other in others)


class _Demands(Struct, frozen=True):
    """What some nodes demand to have a value: classes that are no 0, the signs of classes, other functions by their
    operands, and classes that are neither infinite nor NaN; `real` are the classes of these nodes, which are numbers
    over the reals."""

    nonzero: set[int] = field(default_factory=set[int])
    signs: dict[int, int] = field(default_factory=dict[int, int])
    others: set[tuple[str, tuple[int, ...]]] = field(default_factory=set[tuple[str, tuple[int, ...]]])
    finite: set[int] = field(default_factory=set[int])
    real: set[int] = field(default_factory=set[int])

    @classmethod
    def of(cls, dag: Dag, forms: Regrouping, numbers: Iterable[int], spoiled: Set[str] = RING) -> _Demands:
        found = cls()
        roots: list[tuple[int, int]] = []
        for number in numbers:
            op, classes = dag.entries[number].symbol.op, tuple(map(forms.find, dag.entries[number].args))
            found.real.add(forms.find(number))
            if op == DIVISION:
                found.nonzero.add(classes[1])
            elif op in SIGNS:
                found.signs[classes[0]] = max(SIGNS[op], found.signs.get(classes[0], 0))
                roots += [(forms.find(number), classes[0])] if op == "math.sqrt" else []
            elif op in PARTIAL:
                found.others.add((op, classes))
            if op in spoiled:
                found.finite.update((forms.find(number), *classes))
        found.signs.update({operand: 2 for root, operand in roots if root in found.nonzero})
        return found

    def also(self, more: _Demands) -> _Demands:
        """Both these demands and others."""
        signs = {n: max(self.signs.get(n, 0), more.signs.get(n, 0)) for n in {*self.signs, *more.signs}}
        finite, real = self.finite | more.finite, self.real | more.real
        return _Demands(self.nonzero | more.nonzero, signs, self.others | more.others, finite, real)

    def cover(self, dag: Dag, forms: Regrouping, numbers: Iterable[int]) -> bool:
        """Whether nodes have a value wherever these demands are met."""
        theirs = _Demands.of(dag, forms, numbers)
        divisors = (dag.entries[n].args[1] for n in numbers if dag.entries[n].symbol.op == DIVISION)
        return (
            all(forms.find(n) in self.nonzero or forms.is_nonzero(n) for n in divisors)
            and all(self.signs.get(number, 0) >= sign for number, sign in theirs.signs.items())
            and theirs.others <= self.others
        )


class _Proper(Struct):
    """Whether one node is a number wherever another one is, of the same class, where `spoiled` operators on infinities
    or NaN, or that make such, are poison.

    What stands below another operator, a select, may be poison without spoiling it. There nothing is known of operands
    but what those of the same operator, at the same place, tell.
    """

    dag: Dag
    forms: Regrouping
    spoiled: frozenset[str]
    doubtful: frozenset[int]
    _left: int = MOST_COMPARED

    def follows(self, source: int, target: int, known: _Demands) -> bool:
        """Whether the target is a number wherever the source is one, and what is `known` holds."""
        self._left -= 1
        ours, theirs = _on_the_way(self.dag, source), _on_the_way(self.dag, target)
        known = known.also(_Demands.of(self.dag, self.forms, ours, self.spoiled))
        if self._left < 0 or not self._cover(known, theirs):
            return False
        return all(self._same_below(ours, number, known) for number in theirs - ours if not self._is_strict(number))

    def _is_strict(self, number: int) -> bool:
        op = self.dag.entries[number].symbol.op
        return op in STRICT or op.startswith("math.")

    def _cover(self, known: _Demands, numbers: Set[int]) -> bool:
        """Whether nodes make no infinity nor NaN, where this is known of operands."""
        entries = self.dag.entries
        made = {a for n in numbers if entries[n].symbol.op in self.spoiled for a in entries[n].args}
        leaves = (a for a in made if entries[a].symbol.op not in self.spoiled)
        finite = all(self.forms.find(a) in known.finite or self.forms.is_finite_literal(a) for a in leaves)
        if not finite or self.forms.level != "real":
            return finite
        computed = {a for n in numbers if entries[n].symbol.op in RING for a in entries[n].args} & self.doubtful
        inner = (a for a in computed if entries[a].symbol.op not in RING)
        return all(self.forms.find(a) in known.real for a in inner) and known.cover(self.dag, self.forms, numbers)

    def _same_below(self, ours: Set[int], number: int, known: _Demands) -> bool:
        """Whether the operands of an operator of the target are numbers where they are chosen: all of them are, or they
        are those of the source's operators of the same class."""
        if self._cover(known, _reachable(self.dag, number)):
            return True
        entries, find = self.dag.entries, self.forms.find
        peers = [n for n in ours if find(n) == find(number) and not self._is_strict(n)]
        if any(entries[n].symbol != entries[number].symbol for n in peers):
            return False
        pairs = [p for n in peers for p in zip(entries[n].args, entries[number].args, strict=True)]
        return bool(pairs) and all(find(a) == find(b) and self.follows(a, b, known) for a, b in pairs)


def _on_the_way(dag: Dag, root: int) -> Set[int]:
    """The nodes without whose values a value has none: operands of arithmetic and of functions."""
    stack, seen = [root], set[int]()
    while stack:
        number = stack.pop()
        if number in seen:
            continue
        seen.add(number)
        entry = dag.entries[number]
        if entry.symbol.op in STRICT or entry.symbol.op.startswith("math."):
            stack += entry.args
    return seen


def _divisions(dag: Dag, root: int) -> Iterator[int]:
    """The divisions whose quotient goes into a value by sums and products."""
    stack, seen = [root], set[int]()
    while stack:
        number = stack.pop()
        entry = dag.entries[number]
        if number in seen or entry.symbol.op not in RING:
            continue
        seen.add(number)
        if entry.symbol.op == DIVISION:
            yield number
            stack.append(entry.args[0])
        else:
            stack += entry.args


def _doubtful(dag: Dag) -> frozenset[int]:
    """The nodes that are made of a leaf which may be no number, or of a literal that is none."""
    found = set[int]()
    for number, (symbol, args) in enumerate(dag.entries):
        value = literal_of(symbol)
        lacking = isinstance(value, float) and not isfinite(value)
        if lacking or (DOUBTFUL, True) in symbol.attrs or not found.isdisjoint(args):
            found.add(number)
    return frozenset(found)


def _reachable(dag: Dag, root: int) -> Set[int]:
    stack, seen = [root], set[int]()
    while stack:
        number = stack.pop()
        if number not in seen:
            seen.add(number)
            stack += dag.entries[number].args
    return seen
