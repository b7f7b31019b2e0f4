"""Random functions that choose among memrefs, and that compute with complex numbers."""

from __future__ import annotations

from random import Random

LENGTH = 6
MEMREF = f"memref<{LENGTH}xi32>"
CONDITIONS = ("%p", "%q", "%less")
COMPLEX = "complex<f64>"


def memrefs(random: Random) -> str:
    """A function of two conditions and three memrefs: loads and stores of what `arith.select`, `scf.if` or a loop that
    exchanges two of them gives."""
    names, values, lines = ["%A", "%B", "%C"], ["%x", "%y"], ["%less = arith.cmpi slt, %x, %y : i32"]
    for number in range(random.randint(3, 7)):
        match random.randrange(5):
            case 0:
                one, two = random.choice(names), random.choice(names)
                lines.append(f"%m{number} = arith.select {random.choice(CONDITIONS)}, {one}, {two} : {MEMREF}")
                names.append(f"%m{number}")
            case 1:
                one, two, three = (random.choice(names) for _ in range(3))
                lines += _branch(number, random.choice(CONDITIONS), one, two, three, random.choice(values))
                names.append(f"%m{number}")
            case 2:
                lines += _exchange(number, random.choice(names), random.choice(names), random.choice(values))
                names.append(f"%m{number}#0")
            case 3:
                lines.append(f"%v{number} = memref.load {random.choice(names)}[%{random.choice('ijk')}] : {MEMREF}")
                values.append(f"%v{number}")
            case _:
                at = f"[%{random.choice('ijk')}] : {MEMREF}"
                lines.append(f"memref.store {random.choice(values)}, {random.choice(names)}{at}")
    at, last = random.choice("ijk"), random.choice(names)
    lines += [f"memref.store {values[-1]}, {last}[%{at}] : {MEMREF}", f"return {random.choice(values)} : i32"]
    given = f"%p: i1, %q: i1, %x: i32, %y: i32, %i: index, %A: {MEMREF}, %B: {MEMREF}, %C: {MEMREF}"
    head = [f"func.func @f({given}) -> i32 {{", "%j = arith.constant 1 : index", "%k = arith.constant 4 : index"]
    return "\n".join([*head, *lines, "}", ""])


def _branch(number: int, condition: str, one: str, two: str, three: str, value: str) -> list[str]:
    return [
        f"%m{number} = scf.if {condition} -> ({MEMREF}) {{",
        f"  memref.store {value}, {three}[%j] : {MEMREF}",
        f"  scf.yield {one} : {MEMREF}",
        "} else {",
        f"  scf.yield {two} : {MEMREF}",
        "}",
    ]


def _exchange(number: int, one: str, two: str, value: str) -> list[str]:
    return [
        f"%m{number}:2 = scf.for %t{number} = %j to %k step %j iter_args(%s{number} = {one}, %r{number} = {two})"
        f" -> ({MEMREF}, {MEMREF}) {{",
        f"  memref.store {value}, %s{number}[%t{number}] : {MEMREF}",
        f"  scf.yield %r{number}, %s{number} : {MEMREF}, {MEMREF}",
        "}",
    ]


def numbers(random: Random) -> str:
    """A function on complex numbers, in memory and as values."""
    values, lines = ["%a", "%b"], list[str]()
    for number in range(random.randint(3, 8)):
        one, two, name = random.choice(values), random.choice(values), f"%v{number}"
        match random.randrange(6):
            case 0 | 1:
                lines.append(f"{name} = complex.{random.choice(('add', 'sub', 'mul'))} {one}, {two} : {COMPLEX}")
            case 2:
                lines.append(f"{name} = complex.{random.choice(('neg', 'conj'))} {one} : {COMPLEX}")
            case 3:
                parts = (f"%re{number} = complex.re {one} : {COMPLEX}", f"%im{number} = complex.im {two} : {COMPLEX}")
                lines += [*parts, f"{name} = complex.create %im{number}, %re{number} : {COMPLEX}"]
            case 4:
                test = f"%c{number} = complex.{random.choice(('eq', 'neq'))} {one}, {two} : {COMPLEX}"
                lines += [test, f"{name} = arith.select %c{number}, {two}, {one} : {COMPLEX}"]
            case _:
                lines.append(f"memref.store {one}, %A[%{random.choice('ij')}] : memref<4x{COMPLEX}>")
                lines.append(f"{name} = memref.load %A[%{random.choice('ij')}] : memref<4x{COMPLEX}>")
        values.append(name)
    head = f"func.func @f(%a: {COMPLEX}, %b: {COMPLEX}, %A: memref<4x{COMPLEX}>, %i: index) -> {COMPLEX} {{"
    return "\n".join([head, "%j = arith.constant 2 : index", *lines, f"return {values[-1]} : {COMPLEX}", "}", ""])
