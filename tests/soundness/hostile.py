"""Files that nobody means well with: cut off, scrambled, huge, deeply nested, of loops and shapes without measure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

PLAIN = """func.func @f(%A: memref<8xi32>, %x: i32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<8xi32>
    %w = arith.addi %v, %x overflow<nsw> : i32
    affine.store %w, %A[%i] : memref<8xi32>
  }
  %r = memref.load %A[%c0] : memref<8xi32>
  return %r : i32
}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """The contents of two files."""

    name: str
    source: bytes
    target: bytes


# Adversarial by construction


def _case(name: str, source: str, target: str | None = None) -> Case:
    return Case(name, source.encode(), (source if target is None else target).encode())


def _loop(trips: int) -> str:
    return f"""func.func @f(%m: memref<4xi32>, %x: i32) {{
  affine.for %i = 0 to {trips} {{
    %v = affine.load %m[0] : memref<4xi32>
    %w = arith.addi %v, %x : i32
    affine.store %w, %m[0] : memref<4xi32>
  }}
  return
}}
"""


def _filled(elements: int, first: int) -> str:
    kind = f"memref<{elements}xi32>"
    return f"""func.func @f(%m: {kind}, %x: i32) {{
  affine.for %i = {first} to {elements} {{
    affine.store %x, %m[%i] : {kind}
  }}
  return
}}
"""


def _nested(levels: int, opening: str) -> str:
    head = "func.func @f(%c: i1, %m: memref<4xi32>, %x: i32) {\n"
    inner = "affine.store %x, %m[0] : memref<4xi32>\n"
    return head + "".join(opening.format(k) for k in range(levels)) + inner + "}\n" * levels + "return\n}\n"


def _chain(count: int, kind: str, op: str, last: int) -> str:
    """A chain of ops of which each uses the one before."""
    lines = [f"func.func @f(%c: i1, %x: {kind}, %y: {kind}) -> {kind} {{", f"  %s0 = arith.addi %x, %y : {kind}"]
    lines += [f"  %s{k + 1} = {op.format(f'%s{k}', 'xy'[k % 2])} : {kind}" for k in range(count)]
    return "\n".join([*lines, f"  return %s{last} : {kind}", "}", ""])


def _calls(levels: int) -> str:
    """A function that, inlined, has `2**levels` ops."""
    text = "func.func @f(%x: i32) -> i32 {\n  %r = call @g0(%x) : (i32) -> i32\n  return %r : i32\n}\n"
    for k in range(levels):
        text += f"func.func private @g{k}(%x: i32) -> i32 {{\n  %a = call @g{k + 1}(%x) : (i32) -> i32\n"
        text += f"  %b = call @g{k + 1}(%a) : (i32) -> i32\n  return %b : i32\n}}\n"
    return text + f"func.func private @g{levels}(%x: i32) -> i32 {{\n  return %x : i32\n}}\n"


def adversarial(scale: int) -> Iterator[Case]:
    """Cases that are to exhaust something; 1 is the full `scale`, a larger one makes each so many times smaller."""
    trips, elements = 1_000_000 // scale, 1_000_000_000 // scale
    yield _case("many-iterations", _loop(trips), _loop(trips - 1))
    yield _case("endless-iterations", _loop(2**63 - 1), _loop(2**63 - 2))
    yield _case("many-elements", _filled(elements, 0), _filled(elements, 1))
    selects = 2_000 // scale
    choice = "arith.select %c, {0}, %{1}"
    yield _case("nested-selects", _chain(selects, "i32", choice, selects), _chain(selects, "i32", choice, selects - 1))
    squares = _chain(200 // scale, "i128", "arith.muli {0}, {0}", 200 // scale)
    yield _case("squares", squares, squares.replace("%x, %y", "%y, %x", 1))
    for name, opening in (("ifs", "scf.if %c {{\n"), ("loops", "affine.for %i{0} = 0 to 2 {{\n")):
        for levels in (60, 10_000 // scale):
            yield _case(f"nested-{name}-{levels}", _nested(levels, opening))
    parentheses = 10_000 // scale
    expression = "(" * parentheses + "d0" + " + 1)" * parentheses
    yield _case(
        "nested-parentheses",
        f"func.func @f(%x: index) -> index {{\n  %a = affine.apply affine_map<(d0) -> ({expression})>(%x)\n"
        "  return %a : index\n}\n",
    )
    yield _case("affine-of-itself", _applied(1, "%a1"))
    yield _case("affine-chain", _applied(100_000 // scale, "%a{0}"))
    yield _case("nested-modules", "module {\n" * (10_000 // scale) + PLAIN + "}\n" * (10_000 // scale))
    yield _case("calls", _calls(40))
    wide = PLAIN.replace("i32", "i16777215")
    yield _case("wide-integers", wide, wide.replace("%v, %x", "%x, %v"))
    yield _case("recursion", "func.func @f(%x: i32) -> i32 {\n %r = call @f(%x) : (i32) -> i32\n return %r : i32\n}\n")
    yield _case("long-name", PLAIN.replace("%w", "%" + "w" * (1_000_000 // scale)), PLAIN)
    yield _case("long-line", "// " + "x" * (10_000_000 // scale) + "\n" + PLAIN, PLAIN)
    yield _case("vast-shape", "func.func @f(%m: memref<4611686018427387904x4xi32>) {\n  return\n}\n")
    yield _case("vast-result", PLAIN, PLAIN.replace("%v, %x", "%v#2147483648, %x"))
    yield _case("nothing", "", PLAIN)
    yield Case("zero-bytes", PLAIN.encode().replace(b"%r", bytes((37, 0, 114))), PLAIN.encode())
    yield Case("not-utf-8", PLAIN.encode() + bytes((255, 254)), PLAIN.encode())


def _applied(steps: int, operand: str) -> str:
    """Values in a loop, each what a map makes of `operand`, in which {0} is the number of the value before."""
    chain = (
        f"  %a{k} = affine.apply affine_map<(d0) -> (d0 mod 3)>({operand.format(k - 1)})\n" for k in range(1, steps + 1)
    )
    return (
        "func.func @f(%A: memref<8xi32>, %x: i32) {\n  affine.for %a0 = 0 to 8 {\n"
        + "".join(chain)
        + f"  affine.store %x, %A[%a{steps}] : memref<8xi32>\n  }}\n  return\n}}\n"
    )


# Random

Spoil = Callable[[str, Random], str]
TOKEN = re.compile(r"%?[\w#]+|\S")


def _cut(text: str, random: Random) -> str:
    return text[: random.randrange(len(text))]


def _scramble(text: str, random: Random) -> str:
    """A few characters become others."""
    letters = list(text)
    for _ in range(random.randrange(1, 6)):
        letters[random.randrange(len(letters))] = chr(
            random.choice((random.randrange(32, 127), random.randrange(1, 2000)))
        )
    return "".join(letters)


def _token(text: str, random: Random) -> str:
    """One token becomes another of the text, is doubled, or is left out."""
    tokens = list(TOKEN.finditer(text))
    one, two = random.choice(tokens), random.choice(tokens)
    put = random.choice((two[0], f"{one[0]} {one[0]}", ""))
    return text[: one.start()] + put + text[one.end() :]


def _number(text: str, random: Random) -> str:
    """One number becomes an extreme one."""
    numbers = list(re.finditer(r"(?<![\w%@])\d+", text))
    values = (0, -1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**9, 10**30, 1_000_000)
    if not numbers:
        return _cut(text, random)
    one = random.choice(numbers)
    return text[: one.start()] + str(random.choice(values)) + text[one.end() :]


def _type(text: str, random: Random) -> str:
    """One type becomes another one everywhere."""
    kinds = ("i32", "index", "f32", "i1", "i128", "f16", "f8E4M3FN", "vector<4xi32>", "tensor<?xi32>", "memref<?xi32>")
    found = sorted(set(re.findall(r"\b(?:i\d+|f\d+|index)\b", text)))
    return text.replace(random.choice(found), random.choice(kinds)) if found else _cut(text, random)


def _line(text: str, random: Random) -> str:
    """A line is left out, doubled, or moved."""
    lines = text.splitlines()
    one = lines.pop(random.randrange(len(lines)))
    for _ in range(random.randrange(3)):
        lines.insert(random.randrange(len(lines) + 1), one)
    return "\n".join(lines) + "\n"


def _paste(text: str, random: Random) -> str:
    """A part stands elsewhere, too, or in the place of another one."""
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    start = random.randrange(len(text) + 1)
    end = random.choice((start, min(len(text), start + last - first)))
    return text[:start] + text[first:last] + text[end:]


def _nest(text: str, random: Random) -> str:
    """A bracket stands there many times, or is closed by another one."""
    brackets = list(re.finditer(r"[()\[\]{}<>]", text))
    if not brackets:
        return _cut(text, random)
    one = random.choice(brackets)
    put = one[0] * random.choice((2, 20, 3_000)) if random.random() < 0.5 else random.choice("()[]{}<>")
    return text[: one.start()] + put + text[one.end() :]


SPOILS: tuple[Spoil, ...] = (_cut, _scramble, _token, _number, _type, _line, _paste, _nest)


def spoiled(text: str, random: Random) -> str:
    """The text spoiled in one way, or in several."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if text.strip():
            text = random.choice(SPOILS)(text, random)
    return text
