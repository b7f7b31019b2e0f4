"""Random functions that return memrefs: arguments, what they allocate, globals, parts of these, and what conditions and
loops choose among them. What is called with the same arguments, and what it returns then read and written, tells two of
them apart (`calling`)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

WHOLE, PART = "memref<4xi32>", "memref<2xi32, strided<[1], offset: ?>>"
GIVEN = f"%p: i1, %q: i1, %x: i32, %y: i32, %A: {WHOLE}, %B: {WHOLE}"
RESULTS = f"({WHOLE}, {WHOLE}, {PART})"
GLOBAL = 'memref.global "private" @kept : memref<4xi32> = dense<[3, 1, 4, 1]>\n'
CONDITIONS = ("%p", "%q", "%less")


class Writer:
    """Writes one function; `wholes` and `parts` are the memrefs in scope."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.wholes, self.parts, self.values = ["%A", "%B"], list[str](), ["%x", "%y"]
        self.lines: list[str] = []
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def whole(self) -> str:
        return self.random.choice(self.wholes[-4:] if self.random.random() < 0.7 else self.wholes)

    def step(self) -> None:
        """A memref, a load or a store."""
        match self.random.randrange(8):
            case 0:
                self.allocate()
            case 1:
                test, one, two = self.random.choice(CONDITIONS), self.whole(), self.whole()
                self.see(f"arith.select {test}, {one}, {two} : {WHOLE}")
            case 2:
                self.branch()
            case 3:
                self.exchange()
            case 4:
                self.part()
            case 5 if self.random.random() < 0.4:
                self.see(f"memref.get_global @kept : {WHOLE}")
            case 6:
                name = self.fresh("v")
                self.lines.append(f"{name} = memref.load {self.whole()}[{self.place()}] : {WHOLE}")
                self.values.append(name)
            case _:
                self.store()

    def place(self) -> str:
        return f"%c{self.random.randrange(4)}"

    def see(self, text: str) -> None:
        name = self.fresh("m")
        self.lines.append(f"{name} = {text}")
        self.wholes.append(name)

    def store(self) -> None:
        self.lines.append(f"memref.store {self.random.choice(self.values)}, {self.whole()}[{self.place()}] : {WHOLE}")

    def allocate(self) -> None:
        self.see(f"memref.alloc() : {WHOLE}")
        name = self.wholes[-1]
        for k in range(4 if self.random.random() < 0.9 else 3):
            self.lines.append(f"memref.store {self.random.choice(self.values)}, {name}[%c{k}] : {WHOLE}")

    def part(self) -> None:
        name, start = self.fresh("w"), self.random.choice(("%c0", "%c1", "%c2", "%some"))
        self.lines.append(f"{name} = memref.subview {self.whole()}[{start}] [2] [1] : {WHOLE} to {PART}")
        self.parts.append(name)

    def branch(self) -> None:
        name, test, known = self.fresh("m"), self.random.choice(CONDITIONS), len(self.wholes)
        self.lines.append(f"{name} = scf.if {test} -> ({WHOLE}) {{")
        for end in ("} else {", "}"):
            if self.random.random() < 0.5:
                self.random.choice((self.store, self.allocate))()
            self.lines += [f"scf.yield {self.whole()} : {WHOLE}", end]
            del self.wholes[known:]
        self.wholes.append(name)

    def exchange(self) -> None:
        name, inner, other = self.fresh("m"), self.fresh("s"), self.fresh("s")
        steps, one, two = self.random.choice(("%c1", "%c2", "%c3", "%some")), self.whole(), self.whole()
        self.lines += [
            f"{name}:2 = scf.for %t = %c0 to {steps} step %c1 iter_args({inner} = {one}, {other} = {two})"
            f" -> ({WHOLE}, {WHOLE}) {{",
            f"  memref.store {self.random.choice(self.values)}, {inner}[%t] : {WHOLE}",
            f"  scf.yield {other}, {inner} : {WHOLE}, {WHOLE}",
            "}",
        ]
        self.wholes += [f"{name}#0", f"{name}#1"]


def program(random: Random) -> str:
    """A function `@f` of two conditions, two integers and two memrefs."""
    writer = Writer(random)
    for _ in range(random.randint(2, 6)):
        writer.step()
    writer.part()
    results = [writer.whole(), writer.whole(), random.choice(writer.parts)]
    head = f"func.func @f({GIVEN}) -> {RESULTS} {{"
    constants = [f"%c{k} = arith.constant {k} : index" for k in range(4)]
    some = ["%less = arith.cmpi slt, %x, %y : i32", "%some = arith.index_castui %p : i1 to index"]
    last = f"return {', '.join(results)} : {RESULTS[1:-1]}"
    return GLOBAL + "\n  ".join([head, *constants, *some, *writer.lines, last]) + "\n}\n"


def returns(text: str, random: Random) -> Iterator[str]:
    """The function with another memref in the place of one that it returns, without end."""
    head, _, rest = text.rpartition("return ")
    results, _, end = rest.partition(" : ")
    names = results.split(", ")
    wholes = [
        "%A",
        "%B",
        *dict.fromkeys(line.split()[0] for line in head.split("\n  ") if line.endswith(f" : {WHOLE}")),
    ]
    wholes = [w for w in wholes if w.startswith(("%m", "%A", "%B")) and ":" not in w]
    while True:
        changed = list(names)
        changed[random.randrange(2)] = random.choice(wholes)
        yield f"{head}return {', '.join(changed)} : {end}"


def calling(text: str) -> str:
    """The module with a function `@g` that calls `@f`, reads all that it returns, writes to it and reads again,
    with the global."""
    private = text.replace("func.func @f(", "func.func private @f(")
    arguments = ", ".join(one.split(":")[0] for one in GIVEN.split(", %")).replace(", ", ", %")
    types = ", ".join(("i1", "i1", "i32", "i32", WHOLE, WHOLE))
    lines = [
        f"func.func @g({GIVEN}) -> ({', '.join(['i32'] * 24)}) {{",
        *(f"%c{k} = arith.constant {k} : index" for k in range(4)),
        "%n0 = arith.constant 1001 : i32",
        "%n1 = arith.constant 1002 : i32",
        "%n2 = arith.constant 1003 : i32",
        f"%r:3 = func.call @f({arguments}) : ({types}) -> {RESULTS}",
    ]
    seen: list[str] = []

    def read(memref: str, places: int, kind: str) -> None:
        for k in range(places):
            seen.append(f"%o{len(seen)}")
            lines.append(f"{seen[-1]} = memref.load {memref}[%c{k}] : {kind}")

    read("%r#0", 4, WHOLE)
    read("%r#1", 4, WHOLE)
    read("%r#2", 2, PART)
    lines.append(f"memref.store %n0, %r#0[%c1] : {WHOLE}")
    read("%r#1", 2, WHOLE)
    read("%r#2", 2, PART)
    lines += [f"memref.store %n1, %r#2[%c0] : {PART}", f"memref.store %n2, %r#1[%c3] : {WHOLE}"]
    read("%r#0", 4, WHOLE)
    read("%r#2", 2, PART)
    lines.append(f"%kept = memref.get_global @kept : {WHOLE}")
    read("%kept", 4, WHOLE)
    lines += [f"return {', '.join(seen)} : {', '.join(['i32'] * 24)}", "}", ""]
    own = "\n  ".join(lines)
    head, module, _ = private.rpartition("}") if "module {" in private else (private, "", "")
    return f"{head}{own}{module}"
