"""Random functions that call others: ones without a body or that call such, or ones that call themselves."""

from __future__ import annotations

from random import Random

MEMREF = "memref<4xi32>"
TYPES = {"out": f"(i32, {MEMREF}) -> i32", "note": "(i32) -> ()", "own": f"(i32, {MEMREF}) -> i32"}
TYPES |= {"deep": f"(i32, {MEMREF}) -> i32", "even": "(i32) -> i32", "odd": "(i32) -> i32"}
DECLARED = f"func.func private @out(i32, {MEMREF}) -> i32\nfunc.func private @note(i32)\n"
STEPS = ("addi", "subi", "muli", "xori", "maxsi")
FEWEST = "%few = arith.constant 3 : i32\n  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32"


class Writer:
    """Writes ops on memories `%A` and `%B`; `values` are those in scope."""

    def __init__(self, random: Random, prefix: str, values: list[str], callees: tuple[str, ...]) -> None:
        self.random, self.prefix, self.callees = random, prefix, callees
        self.values = values
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def pick(self) -> str:
        return self.random.choice(self.values[-4:])

    def emit(self, text: str) -> None:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.append(name)

    def place(self) -> str:
        return f"{self.random.choice(('%A', '%B'))}[%c{self.random.randrange(2)}] : {MEMREF}"

    def step(self, depth: int) -> None:
        """An op, a call, or a loop or branch of some."""
        match self.random.randrange(10):
            case 0 | 1:
                self.emit(f"arith.{self.random.choice(STEPS)} {self.pick()}, {self.pick()} : i32")
            case 2:
                self.emit(f"memref.load {self.place()}")
            case 3 | 4:
                self.lines.append(f"memref.store {self.pick()}, {self.place()}")
            case 5 if depth < 2:
                self.within(depth, f"scf.for {self.fresh()} = %c0 to %n step %c1 {{", ("}",))
            case 6 if depth < 2:
                test = self.fresh()
                self.lines.append(f"{test} = arith.cmpi slt, {self.pick()}, {self.pick()} : i32")
                self.within(depth, f"scf.if {test} {{", ("} else {", "}"))
            case _:
                self.call()

    def call(self) -> None:
        if not self.callees:
            return self.emit(f"arith.addi {self.pick()}, {self.pick()} : i32")
        callee = self.random.choice(self.callees)
        given = [self.pick()]
        if callee in ("deep", "even", "odd"):
            name = self.fresh()
            self.lines.append(f"{name} = arith.andi {given[0]}, %few : i32")
            given = [name]
        if "memref" in TYPES[callee]:
            given.append(self.random.choice(("%A", "%B")))
        text = f"func.call @{callee}({', '.join(given)}) : {TYPES[callee]}"
        if TYPES[callee].endswith("i32"):
            self.emit(text)
        else:
            self.lines.append(text)

    def within(self, depth: int, head: str, ends: tuple[str, ...]) -> None:
        self.lines.append(head)
        for end in ends:
            known = len(self.values)
            for _ in range(self.random.randint(1, 2)):
                self.step(depth + 1)
            del self.values[known:]
            self.lines.append(end)


def _body(random: Random, prefix: str, callees: tuple[str, ...], count: int) -> tuple[list[str], str]:
    """Ops, and what they end with."""
    writer = Writer(random, prefix, ["%x"], callees)
    for _ in range(count):
        writer.step(0)
    return writer.lines, writer.pick()


def _function(head: str, lines: list[str], value: str) -> str:
    constants = ("%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%n = arith.constant 2 : index")
    return "\n  ".join([f"{head} -> i32 {{", *constants, FEWEST, *lines, f"return {value} : i32\n}}\n"])


def _recursive(random: Random, name: str, callee: str) -> str:
    """A function that calls one with a number less by one, while that is positive."""
    memory = "memref" in TYPES[name]
    lines, value = _body(random, "w", (), random.randint(0, 3)) if memory else ([], "%x")
    given = "%A" if memory else ""
    view = ["%B = memref.alloc() : memref<4xi32>", "memref.store %x, %B[%c0] : memref<4xi32>"] if memory else []
    view += ["memref.store %x, %B[%c1] : memref<4xi32>"] if memory else []
    inner = [
        "%stop = arith.cmpi sle, %x, %zero : i32",
        "%r = scf.if %stop -> (i32) {",
        "  scf.yield %few : i32",
        "} else {",
        "  %less = arith.subi %x, %one : i32",
        f"  %s = func.call @{callee}(%less{', ' * memory}{given}) : {TYPES[callee]}",
        f"  %t = arith.{random.choice(STEPS)} %s, {value} : i32",
        "  scf.yield %t : i32",
        "}",
    ]
    arguments = f"%x: i32, %A: {MEMREF}" if memory else "%x: i32"
    return _function(f"func.func private @{name}({arguments})", [*view, *lines, *inner], "%r")


def program(random: Random) -> str:
    """A function that calls others."""
    plain, value = _body(random, "p", ("note",), random.randint(1, 3))
    own = ["%B = memref.alloca() : memref<4xi32>", *(f"memref.store %x, %B[%c{k}] : memref<4xi32>" for k in (0, 1))]
    callees = random.choice((("out", "note", "own"), ("deep", "even", "odd")))
    lines, result = _body(random, "v", callees, random.randint(3, 8))
    return (
        DECLARED
        + _function(f"func.func private @own(%x: i32, %A: {MEMREF})", [*own, *plain], value)
        + _recursive(random, "deep", "deep")
        + _recursive(random, "even", "odd")
        + _recursive(random, "odd", "even")
        + _function(f"func.func @f(%x: i32, %A: {MEMREF}, %B: {MEMREF})", lines, result)
    )
