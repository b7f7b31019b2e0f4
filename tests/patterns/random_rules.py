"""Random definitions that are well-formed, and graphs that they may match."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.patterns.graphs import Graph

from hecv.patterns.calculus.pattern_ast import (
    Alternate,
    Apply,
    ApplyVariable,
    AttributeOf,
    Call,
    Compute,
    Constant,
    Constrained,
    Definition,
    Exists,
    Expression,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    Variable,
)

OPS = {"f": 1, "k": 1, "g": 2, "h": 2}
Scope = dict[str, str]


@dataclass(frozen=True)
class Profile:
    """What random definitions are like: `late` says that guards and constraints may ask for what is bound after them,
    `calls` how likely calls are."""

    late: bool = False
    calls: int = 3


Heads = dict[str, tuple[Parameter, ...]]


def definitions(random: Random, profile: Profile) -> dict[str, Definition]:
    """One to three definitions, which may call each other. Most are well-formed."""
    heads = {f"P{i}": parameters(random) for i in range(random.randint(1, 3))}
    maker = Maker(random, profile)
    return {name: Definition(name, params, maker.body(params, heads)) for name, params in heads.items()}


def parameters(random: Random) -> tuple[Parameter, ...]:
    return random.choice(
        [
            (Parameter("x"),),
            (Parameter("x"),),
            (Parameter("x"), Parameter("y")),
            (Parameter("x"), Parameter("F", "function")),
        ]
    )


@dataclass(frozen=True)
class Maker:
    """Makes random patterns."""

    random: Random
    profile: Profile

    def body(self, params: tuple[Parameter, ...], heads: Heads) -> Pattern:
        scope = {p.name: p.sort for p in params}
        last = self.pattern(scope, set(scope), {}, 2)
        for _ in range(self.random.randint(0, 2)):
            last = Alternate(self.pattern(scope, set(scope), heads, 3), last)
        return last

    def pattern(self, scope: Scope, must: set[str], heads: Heads, depth: int) -> Pattern:
        """A pattern of which every success binds `must`."""
        kinds = ["apply"] * 4 if depth else []
        if len(must) <= 1 and all(scope[name] == "term" for name in must):
            kinds += ["leaf"] * (2 if depth else 6)
        if not must and not depth:
            kinds += ["constant"]
        if any(sort == "function" and (depth or name in must) for name, sort in scope.items()):
            kinds += ["apply-variable"] * 2
        if depth:
            kinds += ["alternate", "guarded", "exists", "constrained"]
            if heads:
                kinds += ["call"] * self.profile.calls
        match self.random.choice(kinds or ["apply"]):
            case "leaf":
                return Variable(self.random.choice(sorted(must) or terms(scope)))
            case "constant":
                return Constant(self.random.choice([0, 1, 2]))
            case "apply":
                op = self.random.choice(["g", "h"] if len(must) > 1 else list(OPS))
                attrs = (("c", self.random.choice([0, 1])),) if self.random.random() < 0.1 else ()
                return Apply(op, self.operands(scope, must, heads, depth, OPS[op]), attrs)
            case "apply-variable":
                functions = [name for name, sort in scope.items() if sort == "function"]
                function = self.random.choice([name for name in functions if name in must] or functions)
                # One arity a function variable: that of its name.
                args = self.operands(scope, must - {function}, heads, depth, 1 if function.startswith("F") else 2)
                return ApplyVariable(function, args)
            case "alternate":
                first = self.pattern(scope, must, heads, depth - 1)
                return Alternate(first, self.pattern(scope, must, heads, depth - 1))
            case "guarded":
                inner = self.pattern(scope, must, heads, depth - 1)
                # What the paper's machine is asked for has to be bound by then.
                asked = scope if self.profile.late else {name: scope[name] for name in must}
                return Guarded(inner, guard(self.random, asked, 2)) if asked else inner
            case "exists":
                name, sort = self.random.choice([("y", "term"), ("z", "term"), ("F", "function"), ("G", "function")])
                inner = self.pattern({**scope, name: sort}, (must - {name}) | {name}, heads, depth - 1)
                # A variable of the same name outside is not bound by this.
                return inner if name in must and scope.get(name) == sort else Exists(name, inner, sort)
            case "constrained":
                variable = self.random.choice(sorted(name for name in must if scope[name] == "term") or terms(scope))
                later = {name for name in sorted(must) if self.random.random() < 0.3} - {variable}
                early = must - later if self.profile.late else (must - later) | {variable}
                inner = self.pattern(scope, early, heads, depth - 1)
                return Constrained(inner, variable, self.pattern(scope, later, heads, depth - 1))
            case _:
                return self.call(scope, must, heads, depth)

    def operands(self, scope, must, heads, depth, count) -> tuple[Pattern, ...]:
        shares: list[set[str]] = [set() for _ in range(count)]
        for name in sorted(must):
            self.random.choice(shares).add(name)
        return tuple(self.pattern(scope, share, heads, max(depth - 1, 0)) for share in shares)

    def call(self, scope, must, heads, depth) -> Pattern:
        name = self.random.choice(sorted(heads))
        wanted = sorted(must)
        args: list[str] = []
        for parameter in heads[name]:
            fitting = [v for v, sort in scope.items() if sort == parameter.sort]
            if parameter.sort == "function":
                fitting = [v for v in fitting if v.startswith("F")]
            chosen = next((v for v in wanted if v in fitting), None) or (
                self.random.choice(fitting) if fitting else None
            )
            if chosen is None:
                return self.pattern(scope, must, {}, depth - 1)
            wanted = [v for v in wanted if v != chosen]
            args.append(chosen)
        made = Call(name, tuple(args))
        return Apply("g", (made, self.pattern(scope, set(wanted), {}, 0))) if wanted else made


def terms(scope: Scope) -> list[str]:
    return [name for name, sort in scope.items() if sort == "term"]


def guard(random: Random, scope: Scope, depth: int) -> Expression:
    if depth and random.random() < 0.4:
        op = random.choice(["and", "or", "not"])
        return Compute(op, tuple(guard(random, scope, depth - 1) for _ in range(1 if op == "not" else 2)))
    name = random.choice(sorted(scope))
    if scope[name] == "function":
        return random.choice(
            [Member(name, "unary"), Member(name, "binary"), Compute("==", (AttributeOf(name, ("name",)), Known("f")))]
        )
    return Compute(random.choice(["==", "!=", "<="]), (AttributeOf(name, ("rank",)), Known(random.randint(0, 2))))


def graph(random: Random, size: int, classes: int = 0) -> Graph:
    """A few leaves and literals, `size` operators on them, and `classes` unions: these may make cycles."""
    made = Graph()
    values = [made.leaf(rank=random.randint(0, 2)), made.leaf()]
    values.append(made.number(random.choice([0, 1, 2])))
    for _ in range(size):
        op = random.choice([*OPS, "f", "g"])
        attrs = {"c": random.choice([0, 1])} if random.random() < 0.2 else {}
        args = [random.choice(values[-4:] if random.random() < 0.6 else values) for _ in range(OPS[op])]
        values.append(made.make(op, *args, **attrs))
        if random.random() < 0.3:
            made.known[values[-1], ("rank",)] = random.randint(0, 2)
    for _ in range(classes):
        made.union(random.choice(values), random.choice(values))
    return made


def grammar(random: Random) -> dict[str, Definition]:
    """Definitions as the rules of a context-free grammar, left recursion and all: `P(x)` matches a value if a path of
    unary operators, read as a word of `P`, leads from it to `x`."""
    names = [f"P{i}" for i in range(random.randint(1, 3))]

    def word() -> Pattern:
        called = Call(random.choice(names), ("x",))
        match random.randint(0, 4):
            case 0:
                return Variable("x")
            case 1 | 2:
                return Apply(random.choice("fk"), (called,))
            case 3:
                return Exists("y", Constrained(Call(random.choice(names), ("y",)), "y", called))
            case _:
                return called

    made: dict[str, Definition] = {}
    for name in names:
        last: Pattern = Apply(random.choice("fk"), (Variable("x"),))
        for _ in range(random.randint(1, 3)):
            last = Alternate(word(), last)
        made[name] = Definition(name, (Parameter("x"),), last)
    return made


def network(random: Random, size: int) -> Graph:
    """Values, each with some unary operators on any of them."""
    made = Graph()
    values = [made.leaf() for _ in range(size)]
    for _ in range(random.randint(size, 2 * size)):
        made.union(random.choice(values), made.make(random.choice("fk"), made.find(random.choice(values))))
    return made
