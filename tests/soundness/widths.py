"""Random scalar code on integers of any width, indices and floats, each op with any of the flags that it may have.

There are loops over such integers, signed and unsigned, some of them to the ends of their type, memory of them, and
vectors of one lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

WIDTHS = (1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 15, 16, 17, 24, 31, 32, 32, 33, 48, 63, 64, 64, 65, 96, 127, 128)
FLOATS = ("f16", "bf16", "f32", "f64")
FASTMATH = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
OVERFLOWING = ("addi", "subi", "muli", "shli")
EXACT = ("divsi", "divui", "shrsi", "shrui")
PLAIN = ("andi", "xori", "ori", "remsi", "remui", "maxsi", "maxui", "minsi", "minui", "floordivsi", "ceildivui")
LESS_OF_I1 = ("floordivsi", "ceildivui")
"""What MLIR's expansion of is not defined at a width of 1."""
SIGNED = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
ORDERED = ("oeq", "olt", "oge", "one", "ord", "ueq", "ult", "une", "uno", "true", "false")
OF_FLOATS = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
EXTENT = 4
MOST_TRIPS = 3


def is_float(kind: str) -> bool:
    return kind not in ("index",) and not kind.startswith("i")


def width(kind: str) -> int:
    """The bits of an integer type."""
    return int(kind[1:])


class Writer:
    """Writes ops; `values` are those in scope, by type."""

    def __init__(self, random: Random, kinds: tuple[str, ...]) -> None:
        self.random, self.kinds = random, kinds
        self.lines: list[str] = []
        self.count = 0
        self.values: dict[str, list[str]] = {}

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, kind: str, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.setdefault(kind, []).append(name)
        return name

    def pick(self, kind: str) -> str:
        """One of the values, the later ones more often, or a literal."""
        known = self.values.get(kind, [])
        if known and self.random.random() < 0.85:
            return self.random.choice(known[-3:] if self.random.random() < 0.6 else known)
        return self.literal(kind)

    def literal(self, kind: str) -> str:
        if is_float(kind):
            return self.emit(
                kind, f"arith.constant {self.random.choice(('0.0', '-0.0', '1.0', '-2.5', '0.1'))} : {kind}"
            )
        edges = (0, 1, 2, 3, -1) if kind == "index" else (0, 1, 2, 3, -1, (1 << (width(kind) - 1)) - 1)
        value = self.random.choice(edges)
        if kind == "i1":
            return self.emit(kind, f"arith.constant {'true' if value % 2 else 'false'}")
        if kind != "index":
            value = (value + (1 << (width(kind) - 1))) % (1 << width(kind)) - (1 << (width(kind) - 1))
        return self.emit(kind, f"arith.constant {value} : {kind}")

    def some(self, flags: tuple[str, ...]) -> list[str]:
        """A subset, often none."""
        return [f for f in flags if self.random.random() < 0.3] if self.random.random() < 0.6 else []

    def licences(self) -> str:
        flags = self.some(FASTMATH)
        return f" fastmath<{','.join(flags)}>" if flags else ""

    def overflow(self) -> str:
        flags = self.some(("nsw", "nuw"))
        return f" overflow<{', '.join(flags)}>" if flags else ""

    # Ops.

    def step(self) -> None:
        """One op."""
        ways: tuple[Callable[[], object], ...] = (
            *(self.integer, self.integer, self.integer, self.comparison, self.selection, self.resized, self.resized),
            *(self.float, self.float, self.converted, self.access, self.access, self.extended, self.lane, self.counted),
        )
        self.random.choice(ways)()

    def of_integers(self) -> str:
        return self.random.choice([k for k in self.kinds if not is_float(k)])

    def of_floats(self) -> str:
        return self.random.choice([k for k in self.kinds if is_float(k)])

    def integer(self) -> str:
        kind = self.of_integers()
        op = self.random.choice((*OVERFLOWING, *EXACT, *PLAIN))
        if kind == "i1" and op in LESS_OF_I1:
            op = "xori"
        left, right = self.pick(kind), self.pick(kind)
        if op in ("shli", "shrsi", "shrui") and self.random.random() < 0.7:
            right = self.literal(kind)
        if op in OVERFLOWING:
            return self.emit(kind, f"arith.{op} {left}, {right}{self.overflow()} : {kind}")
        if op in EXACT:
            exact = " exact" if self.random.random() < 0.25 else ""
            return self.emit(kind, f"arith.{op} {left}, {right}{exact} : {kind}")
        return self.emit(kind, f"arith.{op} {left}, {right} : {kind}")

    def comparison(self) -> str:
        if self.random.random() < 0.3:
            kind = self.of_floats()
            predicate = self.random.choice(ORDERED)
            return self.emit(
                "i1", f"arith.cmpf {predicate}, {self.pick(kind)}, {self.pick(kind)}{self.licences()} : {kind}"
            )
        kind = self.of_integers()
        return self.emit(
            "i1", f"arith.cmpi {self.random.choice(SIGNED)}, {self.pick(kind)}, {self.pick(kind)} : {kind}"
        )

    def selection(self) -> str:
        kind = self.random.choice(self.kinds)
        return self.emit(kind, f"arith.select {self.pick('i1')}, {self.pick(kind)}, {self.pick(kind)} : {kind}")

    def resized(self) -> str:
        """A value in another width, or as an index."""
        kind, other = self.of_integers(), self.of_integers()
        value = self.pick(kind)
        if kind == other:
            return value
        if "index" in (kind, other):
            cast = self.random.choice(("index_cast", "index_castui"))
            return self.emit(other, f"arith.{cast} {value} : {kind} to {other}")
        if width(other) < width(kind):
            return self.emit(other, f"arith.trunci {value}{self.overflow()} : {kind} to {other}")
        if self.random.random() < 0.5:
            return self.emit(other, f"arith.extsi {value} : {kind} to {other}")
        nneg = " nneg" if self.random.random() < 0.3 else ""
        return self.emit(other, f"arith.extui {value}{nneg} : {kind} to {other}")

    def float(self) -> str:
        kind = self.of_floats()
        if self.random.random() < 0.15:
            return self.emit(kind, f"arith.negf {self.pick(kind)}{self.licences()} : {kind}")
        op = self.random.choice(OF_FLOATS)
        return self.emit(kind, f"arith.{op} {self.pick(kind)}, {self.pick(kind)}{self.licences()} : {kind}")

    def converted(self) -> str:
        """A number as a float, or a float as a number."""
        kind, other = self.random.choice([k for k in self.kinds if k[0] == "i" and k != "index"]), self.of_floats()
        if self.random.random() < 0.5:
            op = self.random.choice(("fptosi", "fptoui"))
            return self.emit(kind, f"arith.{op} {self.pick(other)} : {other} to {kind}")
        op = self.random.choice(("sitofp", "uitofp"))
        nneg = " nneg" if op == "uitofp" and self.random.random() < 0.3 else ""
        return self.emit(other, f"arith.{op} {self.pick(kind)}{nneg} : {kind} to {other}")

    def access(self) -> None:
        """A load or store at a subscript that is in bounds, mostly."""
        number = self.random.randrange(len(self.kinds))
        kind = self.kinds[number]
        at = self.emit("index", f"arith.constant {self.random.randrange(EXTENT)} : index")
        if self.random.random() < 0.4:
            mask = self.emit("index", f"arith.constant {EXTENT - 1} : index")
            at = self.emit("index", f"arith.andi {self.pick('index')}, {mask} : index")
        if self.random.random() < 0.5:
            self.emit(kind, f"memref.load %A{number}[{at}] : memref<{EXTENT}x{kind}>")
        else:
            self.lines.append(f"memref.store {self.pick(kind)}, %A{number}[{at}] : memref<{EXTENT}x{kind}>")

    def extended(self) -> None:
        """A sum with its carry, or both halves of a product."""
        kind = self.random.choice([k for k in self.kinds if k[0] == "i" and k != "index"])
        op, second = self.random.choice((("addui_extended", "i1"), ("mulsi_extended", kind), ("mului_extended", kind)))
        name, types = self.fresh(), f"{kind}, i1" if op == "addui_extended" else kind
        self.lines.append(f"{name}:2 = arith.{op} {self.pick(kind)}, {self.pick(kind)} : {types}")
        self.values.setdefault(kind, []).append(f"{name}#0")
        self.values.setdefault(second, []).append(f"{name}#1")

    def lane(self) -> str:
        """An op on vectors of one lane."""
        kind = self.random.choice([k for k in self.kinds if k != "index"])
        one = f"vector<1x{kind}>"
        left, right = (self.emit(one, f"vector.broadcast {self.pick(kind)} : {kind} to {one}") for _ in range(2))
        op = self.random.choice(OF_FLOATS[:4] if is_float(kind) else ("addi", "muli", "andi", "shrui", "maxsi"))
        made = self.emit(one, f"arith.{op} {left}, {right} : {one}")
        if self.random.random() < 0.3:
            reduced = "add" if self.random.random() < 0.5 else "mul"
            return self.emit(kind, f"vector.reduction <{reduced}>, {made} : {one} into {kind}")
        return self.emit(kind, f"vector.extract {made}[0] : {kind} from {one}")

    # Regions.

    @contextmanager
    def region(self) -> Iterator[None]:
        sizes = {kind: len(names) for kind, names in self.values.items()}
        yield
        for kind, names in self.values.items():
            del names[sizes.get(kind, 0) :]

    def counted(self) -> None:
        """A loop over some width that carries a value; where it is to the end of the type, of few bits."""
        kind = self.of_integers()
        carried = self.random.choice(self.kinds)
        unsigned = " unsigned" if self.random.random() < 0.5 else ""
        lower, upper, step = self.bounds(kind, bool(unsigned))
        first, name = self.pick(carried), self.fresh()
        iv, held = self.fresh(), self.fresh()
        typed = "" if kind == "index" else f" : {kind}"
        head = f"{name} = scf.for{unsigned} {iv} = {lower} to {upper} step {step} iter_args({held} = {first})"
        self.lines.append(f"{head} -> ({carried}){typed} {{")
        with self.region():
            self.values.setdefault(kind, []).append(iv)
            self.values.setdefault(carried, []).append(held)
            for _ in range(self.random.randint(1, 3)):
                self.random.choice((self.integer, self.float, self.resized, self.selection, self.access))()
            self.lines += [f"scf.yield {self.pick(carried)} : {carried}", "}"]
        self.values.setdefault(carried, []).append(name)

    def bounds(self, kind: str, unsigned: bool) -> tuple[str, str, str]:
        """The bounds of a loop and its step."""
        step = self.emit(kind, "arith.constant true" if kind == "i1" else f"arith.constant 1 : {kind}")
        if kind != "index" and width(kind) <= 5:
            return self.pick(kind), self.pick(kind), step if self.random.random() < 0.8 else self.pick(kind)
        mask = self.emit(kind, f"arith.constant {MOST_TRIPS} : {kind}")
        trips = self.emit(kind, f"arith.andi {self.pick(kind)}, {mask} : {kind}")
        if self.random.random() < 0.6:
            return self.emit(kind, f"arith.constant 0 : {kind}"), trips, step
        edge = -1 if unsigned or kind == "index" else (1 << (width(kind) - 1)) - 1
        last = self.emit(kind, f"arith.constant {edge} : {kind}")
        return self.emit(kind, f"arith.subi {last}, {trips} : {kind}"), last, step


def program(random: Random) -> str:
    """A function of scalars and memory of three widths, an index and two floats, that returns some of its values."""
    integers = tuple(f"i{w}" for w in random.sample(WIDTHS, 3))
    kinds = tuple(dict.fromkeys((*integers, "i1", "index", *random.sample(FLOATS, random.choice((1, 2))))))
    return written(Writer(random, kinds), random)


def written(writer: Writer, random: Random) -> str:
    """A function of two scalars and a memory of each type of the writer's."""
    kinds, given = writer.kinds, list[str]()
    for number, kind in enumerate(kinds):
        writer.values[kind] = [f"%x{number}", f"%y{number}"]
        given += [f"%x{number}: {kind}", f"%y{number}: {kind}", f"%A{number}: memref<{EXTENT}x{kind}>"]
    for _ in range(random.randint(5, 14)):
        writer.step()
    returned = [random.choice(kinds) for _ in range(random.randint(1, 3))]
    names, types = ", ".join(writer.values[k][-1] for k in returned), ", ".join(returned)
    body = [*writer.lines, f"return {names} : {types}"]
    return "\n".join([f"func.func @f({', '.join(given)}) -> ({types}) {{", *(f"  {line}" for line in body), "}", ""])
