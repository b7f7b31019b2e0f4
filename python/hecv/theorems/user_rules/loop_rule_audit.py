"""The audit of users' loop rules: both sides run on random loops that satisfy the conditions.

No proof rests on the audit: each instance of a rule is proved by the schedule law. The audit shows the user, with
values, that a rule is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import TermPool, literal
from hecv.base.types import INDEX
from hecv.patterns.calculus.loop_rules import Compare, LoopRule
from hecv.theorems.schedules.schedule_tree import Part
from hecv.theorems.schedules.theorem_instance import Surroundings
from hecv.theorems.user_rules.loop_rule_instances import Binding, compares, instance
from hecv.theorems.user_rules.loop_rule_trials import World, difference

QUICK: Final = 150
THOROUGH: Final = 3_000
"""The number of random loops before a rule is used, and if its audit is all that is asked."""

FEWEST: Final = 10
"""The fewest random loops that satisfy a rule's conditions for it to count as audited."""

RUNS: Final = 4
BEYOND: Final = 50
DRAWS: Final = 8
SMALLEST: Final = 3
"""The number of smallest values of a number that are tried: larger steps leave the small memories of the trials."""


class LoopAudit(Struct, frozen=True):
    """The result of an audit: of `tried` random loops `held` satisfied the conditions.

    `failure` is how the sides differ where they do, for these `values` of bounds and numbers.
    """

    rule: LoopRule
    tried: int
    held: int
    failure: str | None = None
    values: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def status(self) -> Literal["failed", "tested", "unknown"]:
        if self.failure is not None:
            return "failed"
        return "tested" if self.held >= FEWEST else "unknown"

    @property
    def text(self) -> str:
        """What the audit says, in words."""
        if self.failure is not None:
            values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
            return f"for {values}: {self.failure}"
        return f"the conditions held for {self.held} of {self.tried} random loops"


def audited(rule: LoopRule, trials: int) -> LoopAudit:
    """Runs both sides on `trials` random loops, up to the first difference in values.

    After a difference in definedness only, a few more are run: values say more.
    """
    held, last, failure = 0, trials, None
    for seed in range(trials):
        if seed > last:
            break
        world = World(TermPool(), Random(f"{rule.name} {seed}"))
        binding = _binding(world, rule)
        found = instance(world.pool, Surroundings(0), rule, binding)
        if found is None or not all(o.holds() for o in found.obligations[: len(rule.conditions)]):
            continue
        held += 1
        differs = difference(world, (), found.before, found.after, RUNS)
        if differs is not None and (failure is None or "undefined" not in differs):
            last, failure = seed + BEYOND, LoopAudit(rule, seed + 1, held, differs, _values(binding))
            if "undefined" not in differs:
                return failure
    return failure or LoopAudit(rule, trials, held)


def _binding(world: World, rule: LoopRule) -> Binding:
    """Parameters at random; bounds and numbers again while their own conditions do not hold, a few times."""
    random, drawn = world.random, Binding()
    for _ in range(DRAWS):
        bounds = {name: world.pool.integer(random.randint(-3, 9)) for name in rule.bounds}
        numbers = {
            name: random.choice(sorted(choices)[:SMALLEST]) if choices else random.randint(1, 3)
            for name, choices in rule.numbers.items()
        }
        drawn = Binding(bounds, numbers)
        if all(compares(world.pool, Surroundings(0), c, drawn) for c in rule.conditions if isinstance(c, Compare)):
            break
    return replace(drawn, bodies={name: _body(world, arity) for name, arity in rule.bodies.items()})


def _body(world: World, arity: int) -> Part:
    block = world.body(arity) if world.chance(0.5) else (world.statement(arity),)
    return Part(block, (INDEX,) * arity)


def _values(binding: Binding) -> dict[str, int]:
    bounds = {name: literal(term) for name, term in binding.bounds.items()}
    return {name: v for name, v in bounds.items() if isinstance(v, int)} | dict(binding.numbers)
