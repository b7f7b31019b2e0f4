"""Greedy rewriting to a fixpoint: at each op in its order, the rules in theirs; the first match that has a branch whose
guard holds is replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Final

from hecv.base.diag import Diagnostic, InputError, Location
from hecv.frontend.ssa import Program
from hecv.frontend.ssa_build import CannotBuild
from hecv.rewrite.cone import shape
from hecv.rewrite.replacement import Builder, Refused
from hecv.rewrite.subject import BlockSubject
from hecv.rules.pattern.core import Branch, Definitions, Place, Rule, RuleFile
from hecv.rules.pattern.expressions import holds
from hecv.rules.pattern.machine import Search
from hecv.rules.pattern.match import Bound, Match
from hecv.rules.pattern.program import compiled

MOST_REWRITES: Final = 10_000
_RECENT: Final = 64
"""Of so many last rewrites the rules are named where there is no end."""
_VISITS: Final = 32


@dataclass(frozen=True, slots=True)
class Endless:
    """Rewriting was stopped, after the number of `rewrites` that was given or, `late`, in the time that was; `rules`
    are those that went on last."""

    rules: tuple[str, ...]
    rewrites: int
    late: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """How rewriting went: rules with how often each was applied, what was left alone and why, and why it did not end,
    None where it did.

    `spellings` counts, by rule, the matches that were replaced by an op that stands for something else elsewhere.
    """

    uses: Mapping[str, int]
    notes: tuple[Diagnostic, ...] = ()
    endless: Endless | None = None
    spellings: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True)
class _Rewriter:
    program: Program
    file: RuleFile
    most: int
    deadline: float
    given: frozenset[str]
    order: list[str] = field(default_factory=list[str])
    notes: dict[Diagnostic, None] = field(default_factory=dict[Diagnostic, None])
    spellings: Counter[str] = field(default_factory=Counter[str])
    firsts: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    visits: int = 0
    refused: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def run(self) -> Endless | None:
        """Rewrites until no rule applies."""
        definitions = compiled(self.file.definitions)
        changed = True
        while changed:
            changed = False
            for block in range(len(self.program.blocks)):
                subject = BlockSubject.of(self.program, self.file.operators, block)
                search = Search(definitions, subject, frozen=True)
                for number in self.program.ops(block):
                    changed |= number not in self.program.dead and self._visit(search, subject, number)
                    late = self._is_late()
                    if late or len(self.order) >= self.most:
                        return Endless(tuple(dict.fromkeys(self.order[-_RECENT:])), len(self.order), late)
                self._tell_of_cuts(search)
        return None

    def _is_late(self) -> bool:
        """Whether the time is up, asked of the clock now and then: an answer takes as long as a visit."""
        self.visits += 1
        return self.visits % _VISITS == 0 and process_time() > self.deadline

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
        match = search.first(rule.pattern, value)
        if match is None:
            return False
        bound = Bound(renamed(match, rule, self.file.definitions), subject)
        branch = next((b for b in rule.branches if holds(b.guard, bound)), None)
        if branch is None or not self._apply(bound, number, value, rule, branch):
            return False
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
            self._note(f"'{rule.name}' is not applied here: {problem}", place)
            return False
        except CannotBuild as problem:
            self._drop(builder)
            raise _failed(rule, f"'{rule.name}' makes an op that is none: {problem}") from None
        for note in builder.notes:
            self._note(f"'{rule.name}': {note}", self.program.op(number).location)
        if self._is_same(value, new, builder.made):
            self._drop(builder)
            return False
        self._share_meanings(rule, builder)
        self.program.replace(value, new, builder.made)
        self.order.append(rule.name)
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

    def _note(self, message: str, place: Location | None) -> None:
        self.notes[Diagnostic("note", "rule-not-applied", message, place)] = None

    def _tell_of_cuts(self, search: Search) -> None:
        """Notes that a search met a bound: there may be more matches."""
        for name in sorted(search.depth_reached):
            self.notes[Diagnostic("note", "search-cut", f"pattern '{name}' is nested too deep to find all matches")] = (
                None
            )
        if search.out_of_steps:
            self.notes[Diagnostic("note", "search-cut", "a search for a pattern took too many steps and was cut")] = (
                None
            )

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
                self._note(f"'{rule.name}': `{name}` stands for something else here than at {where}", place)
                self.program.meanings[number] = shared
                self.program.replaced[number] = meaning
                self.spellings[rule.name] += 1


def rewrite(program: Program, file: RuleFile, most: int = MOST_REWRITES, deadline: float = float("inf")) -> Rewritten:
    """Rewrites the functions of a program, which is edited.

    Units: `deadline` is a time of `time.process_time`.
    Raises: InputError where a rule makes something that is no op, or values of another type.
    """
    given = frozenset(program.op(n).name for n in range(len(program.handles)) if n not in program.meanings)
    rewriter = _Rewriter(program, file, most, deadline, given)
    endless = rewriter.run()
    uses = Counter(rewriter.order)
    counted = {rule.name: uses[rule.name] for rule in file.rules if uses[rule.name]}
    return Rewritten(counted, tuple(rewriter.notes), endless, rewriter.spellings)


def renamed(match: Match, rule: Rule, definitions: Definitions) -> Match:
    """The match by the names of the rule, whose parameters are those of the definition by position."""
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
