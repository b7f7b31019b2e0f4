"""Greedy rewriting to a fixpoint: ops in order, for each the rules in order.

The first match with a branch whose guard holds is replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.mlir.ssa.ssa_builder import CannotBuild
from hecv.mlir.ssa.ssa_graph import Program
from hecv.patterns.calculus.claim_unfolding import mentioned
from hecv.patterns.calculus.guard_expressions import holds
from hecv.patterns.calculus.matches import Bound, Match
from hecv.patterns.calculus.pattern_ast import Branch, Definitions, Place, Rule, RuleFile, guards
from hecv.patterns.machine.machine import Search
from hecv.patterns.machine.pattern_program import compiled
from hecv.rewrite.block_subject import BlockSubject
from hecv.rewrite.replacement_builder import Builder, Refused
from hecv.rewrite.replacement_cone import shape
from hecv.rewrite.rewrite_limits import Reached, Watch, cuts

LEAST_LIMIT: Final = 10_000
REWRITES_PER_OP: Final = 10
"""The default limit of rewrites: so many for each op of the program, at least `LEAST_LIMIT`."""
MOST_PLACES: Final = 3
"""The most places named in one note."""
_RECENT: Final = 64
"""The number of last rewrites whose rules are named if rewriting does not end."""


class Endless(Struct, frozen=True):
    """Rewriting was stopped after this many `rewrites`, by a `limit`, or by their number if `limit` is None.

    `rules` are those of the last rewrites. `again`: most of these rewrote what rewriting had made.
    """

    rules: tuple[str, ...]
    rewrites: int
    limit: Reached | None = None
    again: bool = True


class Rewritten(Struct, frozen=True):
    """The result of rewriting: how often each rule was applied, what was left alone and why, and why it did not end
    (None if it did).

    `spellings` counts, by rule, the matches that were replaced by an op that stands for something else elsewhere.
    """

    uses: Mapping[str, int]
    notes: tuple[Diagnostic, ...] = ()
    endless: Endless | None = None
    spellings: Mapping[str, int] = field(default_factory=dict[str, int])


class _Rewriter(Struct):
    """`first` is the number of the first op that rewriting makes; `order` are the rules that were applied and `roots`
    the ops that they replaced."""

    program: Program
    file: RuleFile
    most: int
    watch: Watch
    given: frozenset[str]
    first: int
    order: list[str] = field(default_factory=list[str])
    roots: list[int] = field(default_factory=list[int])
    notes: dict[Diagnostic, None] = field(default_factory=dict[Diagnostic, None])
    spellings: Counter[str] = field(default_factory=Counter[str])
    firsts: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    refused: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    asks_uses: bool = True
    others: Counter[Diagnostic] = field(default_factory=Counter["Diagnostic"])

    def run(self) -> Endless | None:
        """Rewrites until no rule applies."""
        definitions = compiled(self.file.definitions)
        self.asks_uses = _asks_uses(self.file.definitions)
        changed = True
        while changed:
            changed = False
            for block in range(len(self.program.blocks)):
                subject = BlockSubject.of(self.program, self.file.operators, block)
                search = Search(definitions, subject, frozen=True)
                for number in self.program.ops(block):
                    changed |= number not in self.program.dead and self._visit(search, subject, number)
                    limit = self.watch.reached()
                    if limit is not None or len(self.order) >= self.most:
                        return self._endless(limit)
                self.notes |= dict.fromkeys(cuts(search))
        return None

    def _endless(self, limit: Reached | None) -> Endless:
        recent = self.roots[-_RECENT:]
        again = 2 * sum(root >= self.first for root in recent) > len(recent)
        return Endless(tuple(dict.fromkeys(self.order[-_RECENT:])), len(self.order), limit, again)

    def _visit(self, search: Search, subject: BlockSubject, number: int) -> bool:
        """Whether a rule was applied to a result of the op; one of several that nothing uses is no one's to replace."""
        results = self.program.op(number).results
        for value in results:
            if len(results) > 1 and not any(True for _ in self.program.users(value)):
                continue
            for rule in self.file.rules:
                if (rule.name, value) not in self.refused and self._attempt(search, subject, number, value, rule):
                    return True
        return False

    def _attempt(self, search: Search, subject: BlockSubject, number: int, value: int, rule: Rule) -> bool:
        """Whether the rule was applied to the value. What the search knows is of the operands of ops that were visited,
        and of theirs: these stand before the op, and stay as they are, but for how many uses they have."""
        match = search.first(rule.pattern, value)
        if match is None:
            return False
        bound = Bound(renamed(match, rule, self.file.definitions), subject)
        branch = next((b for b in rule.branches if holds(b.guard, bound)), None)
        if branch is None or not self._apply(bound, number, value, rule, branch):
            return False
        if self.asks_uses:
            search.forget()
        return True

    def _apply(self, bound: Bound, number: int, value: int, rule: Rule, branch: Branch) -> bool:
        builder = Builder(self.program, self.file, bound, value, number, self.given)
        try:
            new = builder.build(branch.replacement)
            self._require_type(rule, value, new)
        except Refused as problem:
            self._drop(builder)
            self.refused.add((rule.name, value))
            place = self.program.op(number).location
            self._note("rule-not-applied", f"'{rule.name}' is not applied here: {problem}", place)
            return False
        except CannotBuild as problem:
            self._drop(builder)
            raise _failed(rule, f"'{rule.name}' makes an op that is none: {problem}") from None
        for note in builder.notes:
            self._note("meaning-unknown", f"'{rule.name}': {note}", self.program.op(number).location)
        if self._is_same(value, new, builder.made):
            self._drop(builder)
            return False
        self._share_meanings(rule, builder)
        self.program.replace(value, new, builder.made)
        self.order.append(rule.name)
        self.roots.append(number)
        return True

    def _is_same(self, value: int, new: int, made: Sequence[int]) -> bool:
        """Whether both are the same op on the same values, so that nothing would change. What was not `made` just now
        is only itself: the way down is as long as the replacement, not as the program."""
        pairs = [(value, new)]
        while pairs:
            old, other = pairs.pop()
            if old == other:
                continue
            first, second = self.program.value(old), self.program.value(other)
            if first.op is None or second.op is None or second.op not in made or first.result != second.result:
                return False
            ours, theirs = self.program.op(first.op), self.program.op(second.op)
            if self.program.written(ours.number) != self.program.written(theirs.number):
                return False
            pairs += zip(ours.operands, theirs.operands, strict=True)
        return True

    def _drop(self, builder: Builder) -> None:
        """Forgets the ops of a replacement that is not used."""
        for number in builder.made:
            self.program.meanings.pop(number, None)
            self.program.drop(number)

    def _note(self, name: str, message: str, place: Location | None) -> None:
        """Notes what happened at a place; of many places the first ones."""
        note = Diagnostic("note", name, message, place)
        alike = replace(note, location=None)
        self.others[alike] += note not in self.notes
        if self.others[alike] <= MOST_PLACES:
            self.notes[note] = None

    def told(self) -> tuple[Diagnostic, ...]:
        """The notes."""
        more = {note: count - MOST_PLACES for note, count in self.others.items() if count > MOST_PLACES}
        rest = (replace(n, message=f"{n.message} ({count} more)") for n, count in more.items())
        return (*self.notes, *rest)

    def _require_type(self, rule: Rule, value: int, new: int) -> None:
        ours, theirs = (self.program.value(v).type.text for v in (value, new))
        if ours != theirs:
            raise _failed(rule, f"'{rule.name}' puts a value of type {theirs} in place of one of type {ours}")

    def _share_meanings(self, rule: Rule, builder: Builder) -> None:
        """Lets ops that look alike stand for one function, the first; that it is the same is for the check to show."""
        for number in (n for n in builder.made if n in self.program.meanings):
            meaning = self.program.meanings[number]
            name, place = self.program.op(number).name, self.program.op(number).location
            first = self.firsts.setdefault((name, self.program.written(number)), number)
            shared = self.program.meanings[first]
            if shape(self.program, meaning) != shape(self.program, shared):
                where = self.program.op(first).location
                text = f"'{rule.name}': `{name}` stands for something else here than at {where}"
                self._note("two-meanings", text, place)
                self.program.meanings[number] = shared
                self.program.replaced[number] = meaning
                self.spellings[rule.name] += 1


def rewrite(program: Program, file: RuleFile, most: int | None = None, watch: Watch | None = None) -> Rewritten:
    """Rewrites the functions of a program in place, at most `most` times, if given, and within the limits.

    Raises: InputError if a rule makes something that is no op, or values of another type.
    """
    size = len(program.handles)
    given = frozenset(program.op(n).name for n in range(size) if n not in program.meanings)
    most = max(LEAST_LIMIT, REWRITES_PER_OP * size) if most is None else most
    rewriter = _Rewriter(program, file, most, watch or Watch(), given, size)
    endless = rewriter.run()
    uses = Counter(rewriter.order)
    counted = {rule.name: uses[rule.name] for rule in file.rules if uses[rule.name]}
    return Rewritten(counted, rewriter.told(), endless, rewriter.spellings)


def _asks_uses(definitions: Definitions) -> bool:
    """Whether a pattern asks how many uses a value has."""
    asked = (a for d in definitions.values() for g in guards(d.body) for a in mentioned(g))
    return any(a.path == ("uses",) for a in asked)


def renamed(match: Match, rule: Rule, definitions: Definitions) -> Match:
    """The match with the names of the rule, whose parameters are those of the definition by position."""
    own = {p.name: q.name for p, q in zip(definitions[rule.pattern].parameters, rule.parameters, strict=True)}
    return Match(
        {own[name]: value for name, value in match.terms.items()},
        {own[name]: operator for name, operator in match.functions.items()},
        {own[name]: count for name, count in match.arities.items()},
    )


def _failed(rule: Rule, message: str) -> InputError:
    return InputError(Diagnostic("error", "invalid-rewrite", message, location(rule.place)))


def location(place: Place | None) -> Location | None:
    """A place in a rule file."""
    return None if place is None else Location(place.file, place.line, 1)
