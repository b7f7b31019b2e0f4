"""Prints the program graph: one statement a line, source-like names, shared subterms named.

| text                          | stands for                                                        |
| ----------------------------- | ----------------------------------------------------------------- |
| `%A`, `%n`                    | a memory or a scalar argument, by its source name                 |
| `%i0`                         | the induction variable of the loop that 0 loops enclose           |
| `%@g`                         | a memory that is a global, by its symbol                          |
| `r2 = load %A[%i0]`           | a `Load`; `r2` is the value that it read                          |
| `t3 = arith.addf(r0, r1)`     | a term that the lines below use more than once, or a long one     |
| `2*%i0 + (%n floordiv 4) - 1` | index arithmetic, see `hecv.program.index.quasi_affine`                         |
| `arith.cmpi[slt](%a, 3 : i8)` | any other operator, with its attributes and the type of a cast    |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hecv.base.term import Attribute, Term, is_opaque, literal
from hecv.base.types import BOOL, IndexType, IntType
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
    enclosed,
    roots,
)

LONGEST_TERM = 100
"""Characters. A term with a longer text gets a name."""

SHORTEST_NAMED = 16
"""Characters. A term with a text this short gets no name: `%i0 + 1` is easier to read in place."""

_LEAVES = frozenset({"const", "arg", "dim", "iv", "read"})
_ORDER = ("iv", "arg", "dim", "read")


def render(function: Function, *, locations: bool = False) -> str:
    """The function as text; with `locations`, each line gives its source location."""
    return "\n".join(_Renderer(function, locations).function()) + "\n"


def memory_names(function: Function) -> dict[int, str]:
    """A unique name for each memory."""
    names: dict[int, str] = {}
    taken = {a.name for a in function.arguments if a.memory is None}
    for number, memory in sorted(function.memories().items()):
        name = memory.name if memory.name not in taken else f"{memory.name}_{number}"
        taken.add(name)
        names[number] = name
    return names


def _count(block: Block) -> Counter[int]:
    """Uses of each term in `block` and its nested blocks, by statements and by other terms."""
    uses: Counter[int] = Counter()
    stack: list[Statement] = list(block)
    while stack:
        statement = stack.pop()
        terms = list(roots(statement))
        while terms:
            term = terms.pop()
            uses[term.id] += 1
            if uses[term.id] == 1:
                terms.extend(term.args)
        for inner in enclosed(statement):
            stack.extend(inner)
    return uses


class _Renderer:
    """The state of printing one function: the names given so far."""

    def __init__(self, function: Function, locations: bool) -> None:
        self.source = function
        self.locations = locations
        self.memories = memory_names(function)
        self.arguments = {a.number: a.name for a in function.arguments}
        taken = {*self.memories.values(), *self.arguments.values()}
        self.iv = next(p for p in ("i", "iv", "iv_", "iv__") if not any(re.fullmatch(rf"{p}\d+", n) for n in taken))
        self.reads: dict[int, str] = {}
        self.names: dict[int, str] = {}

    def function(self) -> Iterator[str]:
        source = self.source
        arguments = ", ".join(f"%{a.name}: {a.type}" for a in source.arguments)
        results = ", ".join(f"%{self.memories[m.id]}: {m.element}" for m in source.results)
        head = f"func @{source.name}({arguments})" + (f" -> ({results})" if results else "") + " {"
        yield self.located(head, source.location)
        yield from self.block(source.body, "  ", {})
        yield "}"

    def located(self, line: str, place: object) -> str:
        return f"{line}  // {place}" if self.locations and place is not None else line

    def block(self, block: Block, indent: str, visible: dict[int, str]) -> Iterator[str]:
        """The lines of `block`; `visible` maps terms named in enclosing blocks to their names."""
        uses = _count(block)
        visible = dict(visible)
        for statement in block:
            if isinstance(statement, While):
                yield from self.repetition(statement, indent, visible)
                continue
            lines: list[str] = []
            texts = [self.term(root, uses, visible, lines) for root in roots(statement)]
            yield from (indent + line for line in lines)
            head = self.statement(statement, texts)
            yield self.located(indent + head, self.source.locations.get(statement.id))
            match statement:
                case Loop():
                    yield from self.block(statement.body, indent + "  ", visible)
                    yield indent + "}"
                case If():
                    yield from self.block(statement.then, indent + "  ", visible)
                    if statement.otherwise:
                        yield indent + "} else {"
                        yield from self.block(statement.otherwise, indent + "  ", visible)
                    yield indent + "}"
                case _:
                    pass

    def repetition(self, loop: While, indent: str, visible: dict[int, str]) -> Iterator[str]:
        """The lines of a `While`: its condition is printed between the two blocks, where it is evaluated."""
        yield self.located(indent + "while {", self.source.locations.get(loop.id))
        yield from self.block(loop.before, indent + "  ", visible)
        lines: list[str] = []
        condition = self.term(loop.condition, Counter(), dict(visible), lines)
        yield from (f"{indent}  {line}" for line in lines)
        yield f"{indent}}} condition {condition} do {{"
        yield from self.block(loop.after, indent + "  ", visible)
        yield indent + "}"

    def statement(self, statement: Statement, texts: list[str]) -> str:
        match statement:
            case Load():
                name = self.reads.setdefault(statement.id, f"r{len(self.reads)}")
                return f"{name} = load {self.element(statement.memory.id, texts)}"
            case Store():
                return f"store {texts[-1]}, {self.element(statement.memory.id, texts[:-1])}"
            case Alloc():
                return f"{self.allocation(statement.memory, texts)} : {statement.memory.element}"
            case Dealloc():
                return f"dealloc %{self.memories[statement.memory.id]}"
            case Evaluate():
                return f"evaluate {texts[0]}"
            case Touch():
                return f"touch {', '.join(texts)}"
            case Assert():
                return f"assert {texts[0]}"
            case Call():
                return self.call(statement, texts)
            case Loop():
                return self.loop(statement, texts)
            case If():
                return f"if {texts[0]} {{"
            case While():
                raise AssertionError("a while loop has no single line")

    def call(self, call: Call, operands: list[str]) -> str:
        results = ", ".join(f"%{self.memories[m.id]}" for m in call.results)
        reached = ", ".join(f"%{self.memories[m.id]}" for m in call.memories)
        return f"{results}{' = ' if results else ''}call @{call.callee}({', '.join(operands)}) reaching [{reached}]"

    def allocation(self, memory: Memory, extents: list[str]) -> str:
        word = "cell" if memory.kind is MemoryKind.CELL else "alloc"
        return f"{word} {self.element(memory.id, extents)}"

    def element(self, memory: int, indices: list[str]) -> str:
        return f"%{self.memories[memory]}" + (f"[{', '.join(indices)}]" if indices else "")

    def loop(self, loop: Loop, texts: list[str]) -> str:
        lowers, uppers = texts[: len(loop.lowers)], texts[len(loop.lowers) : -1]
        lower = lowers[0] if len(lowers) == 1 else f"max({', '.join(lowers)})"
        upper = uppers[0] if len(uppers) == 1 else f"min({', '.join(uppers)})"
        step = "" if literal(loop.step) == 1 else f" step {texts[-1]}"
        sign = "unsigned " if loop.unsigned else ""
        kind = "" if isinstance(loop.iv.type, IndexType) else f" : {loop.iv.type}"
        word = "parallel" if loop.parallel else "for"
        return f"{word} {sign}{self.leaf(loop.iv)} = {lower} to {upper}{step}{kind} {{"

    def term(self, root: Term, uses: Counter[int], visible: dict[int, str], lines: list[str]) -> str:
        """The text of `root`; definitions that it needs are first appended to `lines`."""
        texts: dict[int, str] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in texts or node.id in visible:
                stack.pop()
                continue
            missing = [a for a in node.args if a.id not in texts and a.id not in visible]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            text = self.operation(node, [visible.get(a.id) or texts[a.id] for a in node.args])
            shared = uses[node.id] > 1 and len(text) > SHORTEST_NAMED
            if node.op not in _LEAVES and (shared or len(text) > LONGEST_TERM):
                visible[node.id] = self.names.setdefault(node.id, f"t{len(self.names)}")
                lines.append(f"{visible[node.id]} = {text}")
            else:
                texts[node.id] = text
        return visible.get(root.id) or texts[root.id]

    def operation(self, term: Term, args: list[str]) -> str:
        match term.op:
            case "affine.linear":
                return _linear(term, args)
            case "affine.floordiv":
                return f"({_factor(args[0])} floordiv {term.attr('divisor')})"
            case "affine.quotient":
                return f"({_factor(args[0])} floordiv {_factor(args[1])})"
            case "affine.mul":
                return "*".join(sorted(map(_factor, args)))
            case "affine.max" | "affine.min":
                return f"{term.op[7:]}({', '.join(sorted(args))})"
            case "load":
                memory = term.attr("memory")
                assert isinstance(memory, int)
                return self.element(memory, args)
            case op if op in _LEAVES:
                return self.leaf(term)
            case _:
                return f"{term.op}{_attributes(term)}({', '.join(args)})"

    def leaf(self, term: Term) -> str:
        match term.op, term.attrs:
            case "arg", ((_, int(number)),):
                return f"%{self.arguments[number]}"
            case "dim", ((_, int(number)), (_, dimension)):
                return f"dim(%{self.arguments[number]}, {dimension})"
            case "iv", ((_, depth),):
                return f"%{self.iv}{depth}"
            case "read", ((_, int(load)),):
                return self.reads.get(load, f"read{load}")
            case _:
                return _literal(term)


def _literal(term: Term) -> str:
    value = literal(term)
    match term.type:
        case IndexType():
            return str(value)
        case IntType(width) if isinstance(value, int):
            if width == 1:
                return "true" if value else "false"
            return f"{value - (1 << width) if value >> (width - 1) else value} : {term.type}"
        case _:
            return f"{value!r} : {term.type}"


def _linear(term: Term, args: list[str]) -> str:
    constant, coefficients = term.attr("constant"), term.attr("coefficients")
    assert isinstance(constant, int) and isinstance(coefficients, tuple)
    parts: list[tuple[int, str]] = []
    for coefficient, text, _ in sorted(zip(coefficients, args, term.args, strict=True), key=_place_in_sum):
        parts.append((coefficient, text if abs(coefficient) == 1 else f"{abs(coefficient)}*{_factor(text)}"))
    if constant:
        parts.append((constant, str(abs(constant))))
    first, *rest = parts
    text = f"-{first[1]}" if first[0] < 0 else first[1]
    return text + "".join(f" - {t}" if c < 0 else f" + {t}" for c, t in rest)


def _place_in_sum(part: tuple[int, str, Term]) -> tuple[bool, int, tuple[Attribute, ...], str]:
    """Sort key of a summand: positive first, induction variables first; independent of the order of term creation."""
    coefficient, text, term = part
    if term.op in _ORDER:
        return coefficient < 0, _ORDER.index(term.op), tuple(value for _, value in term.attrs), text
    return coefficient < 0, len(_ORDER), (), text


def _factor(text: str) -> str:
    return text if re.fullmatch(r"[%\w.$][%\w.$-]*|\w*\([^()]*\)", text) else f"({text})"


def _attributes(term: Term) -> str:
    """The attributes of an operator, and its type if the operands do not determine it."""
    kept = [pair for pair in term.attrs if not (is_opaque(term) and pair[0] == "key")]
    words = [name if value is True else str(value) for name, value in kept]
    known = term.type == BOOL or (term.args and term.args[-1].type == term.type)
    if not known:
        words.append(str(term.type))
    return f"[{', '.join(words)}]" if words else ""
