"""Pairs of datapaths as MLIR text: random sources, and targets made by random rewrites.

A pair is made from its `Recipe` alone, seed included, so that it can be made again. Every rewrite keeps the function
what it was but one in a wrong pair, and that one shows in the outputs on inputs that `evaluate` has tried. There are at
least `DENSITY` rewrites a hundred lines, and the sides differ by more than names, order and repetition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Literal

from datapath_rewriter import Datapath, Node, Rewriter, evaluate

Shape = Literal["function", "functions", "loop", "sum", "product"]
WIDTHS = (8, 16, 32, 64)
INPUTS = 16
OUTPUTS = 24
RECENT = 48
"""Operands are drawn from so many of the latest values of a type."""
RATES = (0.45, 0.6, 0.75, 0.9)
"""The share of operators that are rewritten, the later ones where rewrites are too few; a rewrite makes two to four
lines of one."""
DENSITY = 20
"""Rewrites a hundred lines of the longer side."""
PER_FUNCTION = 120
PER_LOOP = 240
TRIALS = 48
WRONG_STEPS = 30
"""So many are tried on one source."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pair: its shape, about how many lines its larger side has, its seed, and whether a step is wrong.

    With `careful` ops the source has overflow flags and divisions by what is not zero.
    """

    shape: Shape
    lines: int
    seed: int
    wrong: bool = False
    careful: bool = False

    @property
    def name(self) -> str:
        """A name for files."""
        marks = "-careful" * self.careful + "-wrong" * self.wrong
        return f"{self.shape}-{self.lines}-{self.seed}{marks}"


@dataclass(frozen=True, slots=True)
class Made:
    """A pair as text, how many rewrites lie between its sides, and the datapaths, function by function."""

    source: str
    target: str
    steps: int
    paths: tuple[tuple[Datapath, Datapath], ...]


def make(recipe: Recipe) -> Made:
    """The pair of a recipe."""
    for attempt in count():
        random = Random(f"{recipe.shape} {recipe.lines} {recipe.seed} {recipe.careful} {attempt}")
        try:
            return _attempt(recipe, random, RATES[min(attempt, len(RATES) - 1)])
        except ValueError:  # too few rewrites, or a source of which no wrong step shows
            continue
    raise AssertionError


def _attempt(recipe: Recipe, random: Random, rate: float) -> Made:
    """Raises: ValueError where no wrong step shows, rewrites are few, or hash-consing alone makes the sides equal."""
    sizes = _sizes(recipe)
    wrong = random.randrange(len(sizes)) if recipe.wrong else None
    pairs: list[tuple[Datapath, Datapath]] = []
    steps = 0
    for number, size in enumerate(sizes):
        source = _source(recipe, random, size)
        target, made = _target(source, random, rate, number == wrong, recipe)
        pairs.append((source, target))
        steps += made
    texts = [_module(recipe.shape, [pair[side] for pair in pairs]) for side in (0, 1)]
    if steps * 100 < DENSITY * max(text.count("\n") for text in texts) or all(_same(*pair) for pair in pairs):
        raise ValueError("too few rewrites")
    return Made(texts[0], texts[1], steps, tuple(pairs))


def _same(source: Datapath, target: Datapath) -> bool:
    """Whether both compute the same expressions."""
    known = Datapath()
    sides: list[list[int]] = []
    for path in (source, target):
        places: list[int] = []
        for node in path.nodes:
            places.append(known.add(replace(node, args=tuple(places[a] for a in node.args))))
        sides.append([places[k] for k in path.outputs])
    return sides[0] == sides[1]


def _sizes(recipe: Recipe) -> list[int]:
    """The number of operators of each datapath of a source; a target has about two lines for one of its source."""
    total = max(recipe.lines * 4 // 7, 4)
    if recipe.shape in ("sum", "product"):
        return [recipe.lines]
    each = {"functions": PER_FUNCTION, "loop": PER_LOOP}.get(recipe.shape, total)
    count = max(round(total / each), 1)
    return [total // count] * count


# Sources


def _source(recipe: Recipe, random: Random, size: int) -> Datapath:
    if recipe.shape in ("sum", "product"):
        return _chain(recipe.shape, random, size)
    return Builder(random, recipe.careful).run(size)


def _chain(shape: str, random: Random, size: int) -> Datapath:
    """A sum or product of `size` operands of one type."""
    path, width = Datapath(), random.choice((32, 64))
    parts = [path.add(Node("input", width, value=k)) for k in range(INPUTS)]
    values = [parts[random.randrange(INPUTS)] for _ in range(size)]
    if shape == "sum":
        values = [path.add(Node("muli", width, (v, path.constant(random.getrandbits(width), width)))) for v in values]
    path.outputs = [_folded(path, values, "addi" if shape == "sum" else "muli", width)]
    return path


def _folded(path: Datapath, values: Sequence[int], op: str, width: int) -> int:
    total = values[0]
    for value in values[1:]:
        total = path.add(Node(op, width, (total, value)), fresh=True)
    return total


class Builder:
    """A random datapath; operands are preferably values that nothing uses yet, so that little is computed in vain."""

    def __init__(self, random: Random, careful: bool) -> None:
        self._random = random
        self._careful = careful
        self._path = Datapath()
        self._values: dict[int, list[int]] = {width: [] for width in (1, *WIDTHS)}
        self._unused: dict[int, list[int]] = {width: [] for width in (1, *WIDTHS)}
        self._narrow: set[int] = set()

    def run(self, size: int) -> Datapath:
        """A datapath of about `size` operators."""
        for number in range(INPUTS):
            width = WIDTHS[number % len(WIDTHS)]
            self._keep(self._path.add(Node("input", width, value=number)))
        while len(self._path.nodes) < size + INPUTS:
            self._step()
        self._finish()
        return self._path

    def _keep(self, place: int) -> int:
        width = self._path.nodes[place].width
        self._values[width].append(place)
        self._unused[width].append(place)
        return place

    def _operand(self, width: int, other: int | None = None) -> int:
        """A value of a type, not `other` where that can be: made by a cast where there is none."""
        place = self._drawn(width)
        for _ in range(4):
            if place != other:
                break
            place = self._drawn(width)
        return place

    def _drawn(self, width: int) -> int:
        unused, known = self._unused[width], self._values[width]
        if not known:
            return self._keep(self._cast(width))
        if unused and self._random.random() < 0.6:
            return unused.pop(self._random.randrange(max(len(unused) - RECENT, 0), len(unused)))
        place = known[self._random.randrange(max(len(known) - RECENT, 0), len(known))]
        if place in unused[-RECENT:]:
            unused.remove(place)
        return place

    def _two(self, width: int) -> tuple[int, int]:
        """Two values of a type, one twice only where there is no other."""
        first = self._operand(width)
        return first, self._operand(width, first)

    def _cast(self, width: int) -> int:
        if width == 1:
            other = self._random.choice(WIDTHS)
            predicates = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
            args = self._two(other)
            return self._path.add(Node("cmpi", 1, args, predicate=self._random.choice(predicates)))
        other = self._random.choice([w for w in WIDTHS if w != width] + [1] * bool(self._values[1]))
        op = "trunci" if other > width else self._random.choice(("extui", "extsi"))
        place = self._path.add(Node(op, width, (self._operand(other),)))
        if op == "extsi" and other < width:
            self._narrow.add(place)
        return place

    def _step(self) -> None:
        width = self._random.choice((*WIDTHS, *WIDTHS, *WIDTHS, 1))
        kind = self._random.random()
        if kind < 0.2:
            self._keep(self._cast(width))
        elif width == 1:
            op = self._random.choice(("andi", "ori", "xori"))
            self._keep(self._path.add(Node(op, 1, self._two(1))))
        elif kind < 0.3 and self._values[1]:
            args = (self._operand(1), *self._two(width))
            self._keep(self._path.add(Node("select", width, args)))
        elif kind < 0.5:
            self._keep(self._with_literal(width))
        else:
            self._keep(self._binary(width))

    def _with_literal(self, width: int) -> int:
        random, x = self._random, self._operand(width)
        op = random.choice(
            ("shli", "shrui", "shrsi", "muli", "addi", "andi", "xori", "muli", "divui", "remui", "divsi")
        )
        if op in ("shli", "shrui", "shrsi"):
            value = random.randrange(1, min(width, 12))
        elif op in ("divui", "remui", "divsi"):
            value = 1 << random.randrange(1, min(width - 1, 8))
        elif op == "muli":
            value = (
                random.choice((2, 3, 4, 5, 8, 10, 16, 17, 24, 33))
                if random.random() < 0.7
                else random.getrandbits(8) | 1
            )
        else:
            value = random.getrandbits(width) | 1
        return self._path.add(Node(op, width, (x, self._path.constant(value, width))))

    def _binary(self, width: int) -> int:
        random = self._random
        if self._careful and random.random() < 0.15:
            return self._careful_step(width)
        op = random.choice(
            (
                "addi",
                "addi",
                "addi",
                "subi",
                "subi",
                "muli",
                "xori",
                "xori",
                "andi",
                "ori",
                "minsi",
                "maxui",
                "maxsi",
                "minui",
            )
        )
        return self._path.add(Node(op, width, self._two(width)))

    def _careful_step(self, width: int) -> int:
        """A sum that cannot overflow and says so, or a division by what is odd."""
        x = self._operand(width)
        if self._random.random() < 0.5 and width > 8:
            narrow = [self._path.add(Node("extsi", width, (self._operand(8),))) for _ in range(2)]
            return self._path.add(Node("addi", width, tuple(narrow), flag="nsw"))
        divisor = self._path.add(Node("ori", width, (self._operand(width), self._path.constant(1, width))))
        return self._path.add(Node(self._random.choice(("divui", "remui")), width, (x, divisor)))

    def _finish(self) -> None:
        """Makes outputs of what is not used, at most `OUTPUTS`, by exclusive sums of values of one type."""
        path = self._path
        left = [p for width in self._unused for p in self._unused[width]]
        for width in (1, *WIDTHS):
            values = [p for p in left if path.nodes[p].width == width]
            groups = [values[k :: OUTPUTS // 5] for k in range(OUTPUTS // 5)]
            path.outputs += [_folded(path, group, "xori", width) for group in groups if group]


# Targets


def _target(source: Datapath, random: Random, rate: float, wrong: bool, recipe: Recipe) -> tuple[Datapath, int]:
    if recipe.shape in ("sum", "product"):
        return _shuffled(source, random, wrong), recipe.lines
    if not wrong:
        rewriter = Rewriter(source, random, rate)
        return rewriter.run(), rewriter.steps
    for _ in range(WRONG_STEPS):
        rewriter = Rewriter(source, random, rate)
        place = random.randrange(len(source.nodes) * 3 // 4)
        try:
            target = rewriter.run(place)
        except ValueError:
            continue
        if _differs(source, target, random):
            return target, rewriter.steps
    raise ValueError("no wrong step shows")


def _shuffled(source: Datapath, random: Random, wrong: bool) -> Datapath:
    """A long sum or product with its operands in another order, grouped as a random tree."""
    chain = source.nodes[source.outputs[0]]
    inner = {source.outputs[0]}
    leaves: list[int] = []
    stack = [source.outputs[0]]
    while stack:
        node = source.nodes[stack.pop()]
        for a in node.args:
            is_chain = source.nodes[a].op == chain.op and (chain.op == "addi" or source.nodes[a].op != "input")
            (stack if is_chain else leaves).append(a)
            inner |= {a} if is_chain else set()
    target = Datapath()
    places = {k: target.add(n) for k, n in enumerate(source.nodes) if n.op in ("input", "constant")}
    for k in leaves:
        if k not in places:
            node = source.nodes[k]
            places[k] = target.add(Node(node.op, node.width, tuple(places[a] for a in node.args)))
    values = [places[k] for k in leaves]
    if wrong:
        values[random.randrange(len(values))] = values[random.randrange(len(values))]
        values.append(target.constant(3, chain.width))
    random.shuffle(values)
    while len(values) > 1:
        x, y = (values.pop(random.randrange(len(values))) for _ in range(2))
        values.append(target.add(Node(chain.op, chain.width, (x, y))))
    target.outputs = values
    return target


def draw(path: Datapath, random: Random) -> list[int]:
    """Inputs: any, small ones, and ends of the range."""
    found: list[int] = []
    for node in path.nodes:
        if node.op == "input":
            whole = 1 << node.width
            found.append(random.choice((random.randrange(whole), random.randrange(-8, 9) % whole, whole // 2, 0)))
    return found


def _differs(source: Datapath, target: Datapath, random: Random) -> bool:
    """Whether the outputs differ on a fair share of the inputs that are tried; to divide by zero is to differ."""
    found = 0
    for _ in range(TRIALS if len(source.nodes) < 20_000 else 6):
        inputs = [random.randrange(1 << n.width) for n in source.nodes if n.op == "input"]
        expected = evaluate(source, inputs)
        try:
            found += evaluate(target, inputs) != expected
        except ZeroDivisionError:
            found += 1
        if found >= 2:
            return True
    return False


# Text


def _module(shape: Shape, paths: Sequence[Datapath]) -> str:
    lines: list[str] = []
    if shape == "loop":
        lines += _loops(paths)
    else:
        for number, path in enumerate(paths):
            lines += _function(f"f{number}", path)
    return "\n".join([*lines, ""])


def _function(name: str, path: Datapath) -> Iterator[str]:
    inputs = [n for n in path.nodes if n.op == "input"]
    arguments = ", ".join(f"%a{n.value}: i{n.width}" for n in inputs)
    kinds = ", ".join(f"i{path.nodes[k].width}" for k in path.outputs)
    yield f"func.func @{name}({arguments}) -> ({kinds}) {{"
    names = {k: f"%a{n.value}" for k, n in enumerate(path.nodes) if n.op == "input"}
    yield from _body(path, names, "  ")
    yield f"  return {', '.join(names[k] for k in path.outputs)} : {kinds}"
    yield "}"


def _loops(paths: Sequence[Datapath]) -> Iterator[str]:
    """One function with a loop for each datapath: inputs are loaded at `i` and beyond, outputs are added bit by bit to
    what lies at `i`, so that no later loop hides what an earlier one does."""
    inputs = [n for n in paths[0].nodes if n.op == "input"]
    outputs = {(k, p.nodes[o].width) for p in paths for k, o in enumerate(p.outputs)}
    arguments = [f"%in{n.value}: memref<68xi{n.width}>" for n in inputs]
    arguments += [f"%out{k}_{w}: memref<64xi{w}>" for k, w in sorted(outputs)]
    yield f"func.func @f({', '.join(arguments)}) {{"
    for number, path in enumerate(paths):
        yield "  affine.for %i = 0 to 64 {"
        names: dict[int, str] = {}
        for k, node in enumerate(path.nodes):
            if node.op == "input":
                names[k] = f"%l{k}"
                memory = f"%in{node.value}[%i + {(node.value + number) % 4}]"
                yield f"    %l{k} = affine.load {memory} : memref<68xi{node.width}>"
        yield from _body(path, names, "    ")
        for k, place in enumerate(path.outputs):
            width = path.nodes[place].width
            output = f"%out{k}_{width}[%i] : memref<64xi{width}>"
            yield f"    %old{k} = affine.load {output}"
            yield f"    %new{k} = arith.xori {names[place]}, %old{k} : i{width}"
            yield f"    affine.store %new{k}, {output}"
        yield "  }"
    yield "  return"
    yield "}"


def _body(path: Datapath, names: dict[int, str], indent: str) -> Iterator[str]:
    """A line for each operator; `names` gets the names of all nodes."""
    for k, node in enumerate(path.nodes):
        if node.op == "input":
            continue
        names[k] = f"%v{k}"
        yield f"{indent}%v{k} = {_operation(node, [names[a] for a in node.args], path)}"


def _operation(node: Node, args: list[str], path: Datapath) -> str:
    kind = f"i{node.width}"
    match node.op:
        case "constant":
            return f"arith.constant {node.value - (1 << node.width if node.value >> (node.width - 1) else 0)} : {kind}"
        case "cmpi":
            return f"arith.cmpi {node.predicate}, {', '.join(args)} : i{path.nodes[node.args[0]].width}"
        case "extui" | "extsi" | "trunci":
            return f"arith.{node.op} {args[0]} : i{path.nodes[node.args[0]].width} to {kind}"
        case _:
            flag = f" overflow<{node.flag}>" if node.flag else ""
            return f"arith.{node.op} {', '.join(args)}{flag} : {kind}"


# The standard list

SCALE = (1_000, 3_000, 10_000, 30_000, 100_000, 200_000)


def standard(largest: int = SCALE[-1]) -> list[Recipe]:
    """The pairs of the table, small ones first; none is much longer than `largest` lines."""
    small = [Recipe("function", lines, seed) for lines in (20, 50, 100, 200, 400) for seed in range(10)]
    small += [Recipe("loop", lines, seed) for lines in (40, 100, 300) for seed in range(5)]
    small += [Recipe("functions", lines, seed) for lines in (400, 800) for seed in range(3)]
    small += [Recipe("function", lines, seed, careful=True) for lines in (60, 200) for seed in range(5)]
    small += [Recipe(shape, lines, 0) for shape in ("sum", "product") for lines in (100, 1_000)]
    large = [Recipe(shape, lines, 0) for lines in SCALE for shape in ("function", "functions", "loop")]
    large += [Recipe("function", lines, 0, careful=True) for lines in SCALE]
    chosen = [r for r in (*small, *large) if r.lines <= largest]
    return [Recipe(r.shape, r.lines, r.seed, wrong, r.careful) for r in chosen for wrong in (False, True)]
