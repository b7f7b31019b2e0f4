"""Random scalar code under branches on data.

`program(random)` is a tree of statements over small arrays of narrow integers, floats and indices: branches on values
(nested, or yielding one), divisions, shifts and flags under them, conditions that read what the branch writes, local
buffers of which some elements were never written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

INTEGERS = ("i1", "i8", "i16", "i32", "index")
EXTENT = 3
"""Elements of every array."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A literal, a read, an argument, an induction variable, or an operator.

    `op` is `const`, `load`, `arg`, `iv`, `choose`, `cast`, `cmp` or the name of an `arith` op of the type; `name` is
    the literal, the array, the value, the predicate, or the flags.
    """

    op: str
    kind: str
    args: tuple[Expression, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """`array[at] = value`, with a subscript that is a literal or an induction variable."""

    array: str
    at: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Branch:
    """Runs one of two blocks."""

    condition: Expression
    then: Block
    otherwise: Block


@dataclass(frozen=True, slots=True)
class Loop:
    """Runs the block for 0 up to `count`; `name` is the induction variable."""

    name: str
    count: int
    body: Block


Statement = Store | Branch | Loop
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A function of arrays `A0` and `A1`, a scalar `s0`, and `p0` and `p1` of type i1; `L0` is a local buffer.

    `A0`, `L0` and `s0` are of one type.
    """

    kinds: dict[str, str]
    body: Block


def is_float(kind: str) -> bool:
    return kind.startswith("f")


# Programs


@dataclass(slots=True)
class _Maker:
    random: Random
    kinds: dict[str, str]
    loops: int = 0
    ivs: list[str] = field(default_factory=list[str])

    def of(self, op: str, kind: str, *args: Expression, name: str = "") -> Expression:
        return Expression(op, kind, args, name)

    def at(self) -> Expression:
        if self.ivs and self.random.random() < 0.6:
            return self.of("iv", "index", name=self.random.choice(self.ivs))
        return self.of("const", "index", name=str(self.random.randrange(EXTENT)))

    def leaf(self, kind: str) -> Expression:
        roll = self.random.random()
        arrays = [n for n, k in self.kinds.items() if k == kind and n[0] in "AL"]
        scalars = [n for n, k in self.kinds.items() if k == kind and n[0] in "sp"]
        if arrays and roll < 0.65:
            return self.of("load", kind, self.at(), name=self.random.choice(arrays))
        if scalars and roll < 0.8:
            return self.of("arg", kind, name=self.random.choice(scalars))
        if self.ivs and kind == "index" and roll < 0.95:
            return self.of("iv", kind, name=self.random.choice(self.ivs))
        return self.literal(kind)

    def literal(self, kind: str) -> Expression:
        return self.of("const", kind, name=literal(kind, self.random.choice((0, 1, 2, 3, -1))))

    def expression(self, kind: str, depth: int) -> Expression:
        roll = self.random.random()
        if depth == 0 or roll < 0.15:
            return self.leaf(kind)
        if roll < 0.3:
            branches = (self.expression(kind, depth - 1) for _ in range(2))
            return self.of("choose", kind, self.condition(depth - 1), *branches)
        if roll < 0.36 and kind in ("i8", "i32"):
            other = "i8" if kind == "i32" else "i32"
            return self.of("cast", kind, self.expression(other, depth - 1), name=self.random.choice(("s", "u")))
        left, right = (self.expression(kind, depth - 1) for _ in range(2))
        if is_float(kind):
            return self.of(self.random.choice(("addf", "mulf", "subf", "divf", "maximumf")), kind, left, right)
        op = self.random.choice(_OPS if kind != "i1" else _OPS[:6])
        if op in ("shli", "shrui", "shrsi") and self.random.random() < 0.7:
            right = self.literal(kind)
        if op in ("divui", "divsi", "remui", "remsi") and self.random.random() < 0.4:
            right = self.literal(kind)
        flags = ""
        if op in FLAGGED and self.random.random() < 0.2:
            flags = self.random.choice(("nsw", "nuw", "nsw, nuw"))
        return self.of(op, kind, left, right, name=flags)

    def condition(self, depth: int) -> Expression:
        if self.random.random() < 0.25:
            return self.expression("i1", min(depth, 1))
        kind = self.random.choice([k for n, k in self.kinds.items() if n[0] in "AL"])
        operands = (self.expression(kind, min(depth, 1)), self.leaf(kind))
        if is_float(kind):
            return self.of("cmp", "i1", *operands, name=self.random.choice(("olt", "oge", "une", "ueq")))
        return self.of("cmp", "i1", *operands, name=self.random.choice(("slt", "eq", "ne", "ult", "sge")))

    def block(self, depth: int, most: int) -> Block:
        return tuple(self.statement(depth) for _ in range(self.random.randint(1, most)))

    def statement(self, depth: int) -> Statement:
        roll = self.random.random()
        if depth and roll < 0.35:
            otherwise = self.block(depth - 1, 2) if self.random.random() < 0.5 else ()
            return Branch(self.condition(1), self.block(depth - 1, 2), otherwise)
        if depth and roll < 0.55:
            self.loops += 1
            name = f"i{self.loops}"
            self.ivs.append(name)
            body = self.block(depth - 1, 2)
            self.ivs.remove(name)
            return Loop(name, self.random.choice((0, 1, EXTENT, EXTENT, EXTENT)), body)
        array = self.random.choice([n for n in self.kinds if n[0] in "AL"])
        return Store(array, self.at(), self.expression(self.kinds[array], self.random.choice((1, 1, 2))))


_OPS = ("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi", "divui", "divsi", "remui", "remsi")
FLAGGED = ("addi", "subi", "muli", "shli")


def literal(kind: str, value: int) -> str:
    """A literal of the type next to `value`."""
    if is_float(kind):
        return f"{value}.0"
    return "true" if kind == "i1" and value % 2 else "false" if kind == "i1" else str(value)


def program(random: Random) -> Program:
    """A random program."""
    common = random.choice((*INTEGERS, "i8", "i8", "f32"))
    kinds = {"A0": common, "A1": common if random.random() < 0.8 else random.choice(INTEGERS)}
    if random.random() < 0.4:
        kinds["L0"] = common
    kinds |= {"p0": "i1", "p1": "i1", "s0": common}
    maker = _Maker(random, kinds)
    return Program(kinds, maker.block(random.choice((1, 1, 2)), 2))


# Text


@dataclass(slots=True)
class _Writer:
    random: Random
    branching: float
    lines: list[str] = field(default_factory=list[str])
    indent: int = 1
    count: int = 0
    known: dict[Expression, str] = field(default_factory=dict[Expression, str])

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def value(self, e: Expression, kinds: dict[str, str]) -> str:
        match e.op:
            case "arg" | "iv":
                return f"%{e.name}"
            case "choose":
                return self.chosen(e, kinds)
            case _:
                operands = [self.value(a, kinds) for a in e.args]
                name = self.fresh()
                self.emit(f"{name} = {_operation(e, operands, kinds)}")
                return name

    def chosen(self, e: Expression, kinds: dict[str, str]) -> str:
        condition, *sides = e.args
        test, name = self.value(condition, kinds), ""
        if self.random.random() >= self.branching:
            one, two = (self.value(s, kinds) for s in sides)
            name = self.fresh()
            self.emit(f"{name} = arith.select {test}, {one}, {two} : {e.kind}")
            return name
        name = self.fresh()
        self.emit(f"{name} = scf.if {test} -> ({e.kind}) {{")
        for side, closing in zip(sides, ("} else {", "}"), strict=True):
            self.indent += 1
            self.emit(f"scf.yield {self.value(side, kinds)} : {e.kind}")
            self.indent -= 1
            self.emit(closing)
        return name

    def block(self, block: Block, kinds: dict[str, str]) -> None:
        self.indent += 1
        for statement in block:
            self.statement(statement, kinds)
        self.indent -= 1

    def statement(self, statement: Statement, kinds: dict[str, str]) -> None:
        match statement:
            case Store(array, at, value):
                text = self.value(value, kinds)
                where = self.value(at, kinds)
                self.emit(f"memref.store {text}, %{array}[{where}] : memref<{EXTENT}x{kinds[array]}>")
            case Branch(condition, then, otherwise):
                self.emit(f"scf.if {self.value(condition, kinds)} {{")
                self.block(then, kinds)
                if otherwise:
                    self.emit("} else {")
                    self.block(otherwise, kinds)
                self.emit("}")
            case Loop(name, count, body):
                self.emit(f"affine.for %{name} = 0 to {count} {{")
                self.block(body, kinds)
                self.emit("}")


def _operation(e: Expression, operands: list[str], kinds: dict[str, str]) -> str:
    match e.op:
        case "const":
            return f"arith.constant {e.name}" + ("" if e.kind == "i1" else f" : {e.kind}")
        case "load":
            return f"memref.load %{e.name}[{operands[0]}] : memref<{EXTENT}x{kinds[e.name]}>"
        case "cast":
            op = "trunci" if e.kind == "i8" else f"ext{e.name}i"
            return f"arith.{op} {operands[0]} : {e.args[0].kind} to {e.kind}"
        case "cmp":
            kind = e.args[0].kind
            return f"arith.cmp{'f' if is_float(kind) else 'i'} {e.name}, {operands[0]}, {operands[1]} : {kind}"
        case _:
            flags = f" overflow<{e.name}>" if e.name else ""
            return f"arith.{e.op} {', '.join(operands)}{flags} : {e.kind}"


def text(program: Program, random: Random, branching: float = 0.3) -> str:
    """The program as a function `@f`; a choice is a branch with this probability, else a select."""
    writer = _Writer(random, branching)
    for name, kind in program.kinds.items():
        if name[0] == "L":
            writer.emit(f"%{name} = memref.alloc() : memref<{EXTENT}x{kind}>")
    for statement in program.body:
        writer.statement(statement, program.kinds)
    parameters = [
        f"%{name}: " + (kind if name[0] in "sp" else f"memref<{EXTENT}x{kind}>")
        for name, kind in program.kinds.items()
        if name[0] != "L"
    ]
    return "\n".join([f"func.func @f({', '.join(parameters)}) {{", *writer.lines, "  return", "}", ""])
