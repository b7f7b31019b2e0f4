"""Path enumeration: runs the body of a pattern or rule once for each path through its branches.

Python asks a condition on unknown values for its truth (`if`, `and`, `assert`, `in`); the answer is a decision. The
body is run with every sequence of decisions, True first; the decisions of a path hold on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from traceback import walk_tb
from typing import Any, Final, Generic, Literal, TypeVar

from hecv.patterns.calculus.pattern_ast import AttributeOf, Compute, Declaration, Expression, Known, Replacement

T = TypeVar("T")
Kind = Literal["pattern", "rule", "law"]

MOST_PATHS: Final = 256
MOST_DECISIONS: Final = 1_000


class Misuse(Exception):
    """A body uses what the rule language does not have; reported at the line that does it."""

    def __init__(self, name: str, message: str, help: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.help = help
        self.line = line


class NoMatch(AssertionError):
    """There is no match on this path."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision that a condition holds, or not, on this path."""

    condition: Expression
    holds: bool


@dataclass(slots=True)
class Trace:
    """One run of a body: what it has decided and stated so far.

    - `script`: the decisions it begins with. `build` makes a term of a condition, from what the body writes it with.
    - `names`: those of the variables in use. `operators`: those that the rule file declares; `used`: those that the
      body names.
    - `flows`: variables with the pattern and the parameter that they are passed to. `placed`: the parts of a law's left
      side, by identity. `compared`: comparisons with their lines.
    - `failed`: what the body did wrong, even if it caught the exception.
    """

    kind: Kind
    file: str
    script: Sequence[bool]
    names: set[str]
    operators: Mapping[str, Declaration]
    build: Callable[[Any], Replacement]
    decisions: list[Decision] = field(default_factory=list[Decision])
    constraints: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])
    locals: list[Any] = field(default_factory=list[Any])
    compared: list[tuple[Any, int]] = field(default_factory=list[tuple[Any, int]])
    used: dict[str, Declaration] = field(default_factory=dict[str, Declaration])
    flows: list[tuple[Any, Any, int]] = field(default_factory=list[tuple[Any, Any, int]])
    placed: set[int] = field(default_factory=set[int])
    asked: int = 0
    failed: Exception | None = None

    def fresh(self, wish: str) -> str:
        """A name that no variable of the body has, like `wish`."""
        names = (wish if k == 1 else f"{wish}{k}" for k in range(1, len(self.names) + 2))
        found = next(name for name in names if name not in self.names)
        self.names.add(found)
        return found

    def decide(self, condition: Expression) -> bool:
        """Whether the condition holds on this path."""
        self.asked += 1
        if self.asked > MOST_DECISIONS:
            hint = "bound loops by Python numbers; patterns repeat by calling themselves"
            raise misuse("too-many-branches", f"a path asks more than {MOST_DECISIONS:,} conditions", hint)
        if isinstance(condition, Compute) and condition.op == "!=":
            return not self.decide(Compute("==", condition.args))
        if isinstance(condition, Compute) and condition.op == "not":
            return not self.decide(condition.args[0])
        known = implied(condition, self.decisions)
        if known is not None:
            return known
        place = len(self.decisions)
        holds = self.script[place] if place < len(self.script) else True
        self.decisions.append(Decision(condition, holds))
        return holds


_RUNNING: Final[ContextVar[Trace | None]] = ContextVar("running", default=None)


def running() -> Trace:
    """The run that the caller is part of.

    Raises: Misuse outside of a run.
    """
    trace = _RUNNING.get()
    if trace is None:
        hint = "write it in the body of a function with @pattern, @rule or @law"
        raise Misuse("outside-pattern", "this means something in the body of a pattern or rule only", hint)
    return trace


def misuse(name: str, message: str, help: str | None = None) -> Misuse:
    """A misuse to be raised; the current run fails with it even if the body catches it."""
    found = Misuse(name, message, help)
    trace = _RUNNING.get()
    if trace is not None and trace.failed is None:
        trace.failed = found
    return found


def implied(condition: Expression, decisions: Sequence[Decision]) -> bool | None:
    """The truth of a condition that the decisions imply: it was decided before, or an attribute is known to have
    another value."""
    for made in decisions:
        if same(made.condition, condition):
            return made.holds
        if made.holds and _other_value(made.condition, condition):
            return False
    return None


def _other_value(holds: Expression, asked: Expression) -> bool:
    """`a == k` holds, and `a == l` is asked, for other literals of the same type."""
    match holds, asked:
        case Compute("==", (AttributeOf() as a, Known(k))), Compute("==", (AttributeOf() as b, Known(l))):
            return a == b and type(k) is type(l) and k != l
        case _:
            return False


def same(left: object, right: object) -> bool:
    """Whether both are equal, including the types of their literals: `1`, `1.0` and `True` are three values."""
    return left == right and repr(left) == repr(right)


# Paths


@dataclass(frozen=True, slots=True)
class Path(Generic[T]):
    """A path through a body: the decisions, and the result; None if an assertion fails."""

    decisions: tuple[Decision, ...]
    outcome: T | None


def explore(
    start: Callable[[Sequence[bool]], Trace], run: Callable[[Trace], T]
) -> tuple[list[Path[T]], AssertionError | None]:
    """Every path of a body, True first, and the first assertion that failed on a path.

    Raises: whatever the body raises.
    """
    paths: list[Path[T]] = []
    script: tuple[bool, ...] | None = ()
    failure: AssertionError | None = None
    while script is not None:
        if len(paths) == MOST_PATHS:
            hint = "split the pattern into several"
            raise Misuse("too-many-branches", f"there are more than {MOST_PATHS} ways through this body", hint)
        trace = start(script)
        outcome, failed = once(trace, run)
        failure = failure or failed
        _require_steady(paths, trace, script)
        paths.append(Path(tuple(trace.decisions), outcome))
        script = _next(trace.decisions)
    return paths, failure


def once(trace: Trace, run: Callable[[Trace], T]) -> tuple[T | None, AssertionError | None]:
    """The result of one run, and the assertion that ended it."""
    token = _RUNNING.set(trace)
    try:
        outcome = run(trace)
    except AssertionError as failed:
        if not isinstance(failed, NoMatch) and _is_own(failed, trace.file):
            raise
        if trace.failed is not None:
            raise trace.failed from None
        return None, failed
    finally:
        _RUNNING.reset(token)
    if trace.failed is not None:
        raise trace.failed
    return outcome, None


def _is_own(failed: AssertionError, file: str) -> bool:
    """An assertion of this package failed, and not one of a rule file, which the book of laws is made of, too."""
    *_, (frame, _) = walk_tb(failed.__traceback__)
    return frame.f_code.co_filename != file and frame.f_globals.get("__name__", "").startswith(
        __name__.partition(".")[0] + "."
    )


def _require_steady(paths: Sequence[Path[T]], trace: Trace, script: Sequence[bool]) -> None:
    """The run asked what the one before it asked, up to the decision that differs."""
    before = paths[-1].decisions[: len(script)] if paths else ()
    if [d.condition for d in before] != [d.condition for d in trace.decisions[: len(script)]]:
        hint = "it may depend on its parameters only: no random numbers, no state that it changes"
        raise Misuse("unsteady-body", "the body asks other conditions when it is run again", hint)


def _next(decisions: Sequence[Decision]) -> tuple[bool, ...] | None:
    """The decisions of the next path: the last one that was True is False; None after the last path."""
    last = max((k for k, made in enumerate(decisions) if made.holds), default=None)
    if last is None:
        return None
    return (*[made.holds for made in decisions[:last]], False)


# What holds on paths


def condition_of(paths: Sequence[Path[T]], chosen: Collection[int]) -> Expression:
    """One expression that holds on the chosen paths and on none of the others; `paths` are all, in order."""
    return _condition(paths, 0, len(paths), 0, chosen)


def _condition(paths: Sequence[Path[T]], first: int, end: int, depth: int, chosen: Collection[int]) -> Expression:
    """Of the paths from `first` to before `end`, which agree on their decisions up to `depth`."""
    inside = [k in chosen for k in range(first, end)]
    if all(inside) or not any(inside):
        return Known(all(inside))
    middle = next(k for k in range(first, end) if not paths[k].decisions[depth].holds)
    asked = paths[first].decisions[depth].condition
    yes = _condition(paths, first, middle, depth + 1, chosen)
    no = _condition(paths, middle, end, depth + 1, chosen)
    if same(yes, no):
        return yes
    if yes == Known(True):
        return disjunction(asked, no)
    if no == Known(True):
        return disjunction(negation(asked), yes)
    return disjunction(conjunction(asked, yes), conjunction(negation(asked), no))


def negation(condition: Expression) -> Expression:
    """`not condition`."""
    match condition:
        case Known(value):
            return Known(not value)
        case Compute("not", (inner,)):
            return inner
        case Compute("==", args):
            return Compute("!=", args)
        case _:
            return Compute("not", (condition,))


def conjunction(left: Expression, right: Expression) -> Expression:
    """`left and right`."""
    if Known(False) in (left, right):
        return Known(False)
    if Known(True) in (left, right):
        return right if left == Known(True) else left
    return Compute("and", (left, right))


def disjunction(left: Expression, right: Expression) -> Expression:
    """`left or right`."""
    if Known(True) in (left, right):
        return Known(True)
    if Known(False) in (left, right):
        return right if left == Known(False) else left
    return Compute("or", (left, right))


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions whose conjunction is `condition`; none if it always holds."""
    match condition:
        case Known(True):
            return
        case Compute("and", args):
            for arg in args:
                yield from conjuncts(arg)
        case _:
            yield condition
