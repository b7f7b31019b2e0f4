"""Random MLIR functions of the affine, scf, memref and arith subset, and random chains of mlir-opt passes for them.

`program(seed)` is a valid function `@f`, the same for the same seed. Most are in bounds for positive sizes: every
index expression has a range, from which a subscript that could leave a static extent is wrapped with `mod`. What a
compiler may get wrong is made on purpose: crossing bounds, loads that a store overtakes, dead stores, uninitialised
reads (rare), divisors that may be zero (rare), overflow flags (rare).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i8")
MAX_DEPTH = 4
SIZES = (8, 12, 16, 24, 40)
"""About how many lines a function may have."""


class Expression(Struct, frozen=True):
    """A quasi-affine expression: a template over operand names, and the least and greatest value (None: unbounded)."""

    text: str
    operands: tuple[str, ...]
    low: int
    high: int | None

    def plus(self, constant: int) -> Expression:
        """`self + constant`."""
        if constant == 0:
            return self
        text = f"{self.text} + {constant}" if constant >= 0 else f"{self.text} - {-constant}"
        return replace(
            self, text=text, low=self.low + constant, high=None if self.high is None else self.high + constant
        )

    def within(self, extent: int | None) -> Expression:
        """The expression, moved or wrapped so that it lies in `0 <= e < extent` (from 0 where the extent is open)."""
        moved = self.plus(-self.low) if self.low < 0 else self
        if extent is None or (moved.high is not None and moved.high < extent):
            return moved
        return replace(moved, text=f"({moved.text}) mod {extent}", low=0, high=extent - 1)

    def inline(self) -> str:
        """The expression as a subscript of `affine.load`."""
        return self.text.format(*self.operands)

    def map(self) -> str:
        """The expression applied as a map, `affine_map<(d0) -> (d0 + 1)>(%i)`."""
        return many((self,))


def many(parts: tuple[Expression, ...]) -> str:
    """Several expressions as one map."""
    names = tuple(dict.fromkeys(o for p in parts for o in p.operands))
    dims = {name: f"d{k}" for k, name in enumerate(names)}
    results = ", ".join(p.text.format(*(dims[o] for o in p.operands)) for p in parts)
    return f"affine_map<({', '.join(dims.values())}) -> ({results})>({', '.join(names)})"


def constant(value: int) -> Expression:
    """A literal."""
    return Expression(str(value), (), value, value)


class Array(Struct, frozen=True):
    """A memref in scope; an extent is a number, or None where it is an argument's own."""

    name: str
    element: str
    extents: tuple[int | None, ...]

    @property
    def type(self) -> str:
        return f"memref<{''.join('?x' if e is None else f'{e}x' for e in self.extents)}{self.element}>"


class Scope(Struct):
    """What a statement may use: induction variables, sizes, arrays, and values by type."""

    ivs: list[Expression]
    sizes: list[Expression]
    arrays: list[Array]
    values: dict[str, list[str]]
    affine: bool = True
    flags: list[str] = field(default_factory=list[str])

    def child(self) -> Scope:
        """A copy for a region."""
        values = {t: list(v) for t, v in self.values.items()}
        return Scope(list(self.ivs), self.sizes, list(self.arrays), values, self.affine, self.flags)


class Taste(Struct, frozen=True):
    """How often the rarer things are made."""

    data_conditions: float = 0.0
    traps: float = 0.05
    uninitialised: float = 0.04
    flags: float = 0.05
    scf: float = 0.15
    symbolic: float = 0.6
    indirect: float = 0.0
    index_data: float = 0.1
    narrow: float = 0.2
    calls: float = 0.15
    scattered: float = 0.0


class Writer(Struct):
    """Writes one function."""

    random: Random
    taste: Taste
    most: int
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    count: int = 0
    loops: int = 0
    callee: Array | None = None

    # Text.

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.indent + line)

    @contextmanager
    def region(self) -> Iterator[None]:
        self.indent += 1
        yield
        self.indent -= 1

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def full(self) -> bool:
        return len(self.lines) > self.most

    # Index expressions.

    def linear(self, scope: Scope) -> Expression:
        """A small expression over the induction variables and sizes in scope."""
        random = self.random
        atoms = list(scope.ivs) or list(scope.sizes)
        if not atoms or self.chance(0.1):
            return constant(random.randrange(5))
        atom = random.choice(atoms[-2:] if self.chance(0.6) else atoms)
        roll = random.random()
        if roll < 0.55:
            return atom.plus(random.choice((-1, 0, 0, 0, 0, 1, 1, 2)))
        if roll < 0.7 and len(atoms) > 1:
            return self.sum(atom, random.choice(atoms))
        if roll < 0.76 and scope.sizes and scope.ivs:
            return self.difference(random.choice(scope.sizes), atom)
        if roll < 0.88:
            by = random.choice((2, 3, 4))
            return replace(atom, text=f"({atom.text}) floordiv {by}", low=atom.low // by, high=_over(atom.high, by))
        if roll < 0.94:
            by = random.choice((2, 3, 4))
            return replace(atom, text=f"({atom.text}) mod {by}", low=0, high=by - 1)
        scale = random.choice((2, 3))
        high = None if atom.high is None else atom.high * scale
        return replace(atom, text=f"({atom.text}) * {scale}", low=atom.low * scale, high=high)

    def sum(self, left: Expression, right: Expression) -> Expression:
        shift = len(left.operands)
        moved = right.text.format(*(f"{{{k + shift}}}" for k in range(len(right.operands))))
        high = None if left.high is None or right.high is None else left.high + right.high
        return Expression(f"{left.text} + {moved}", (*left.operands, *right.operands), left.low + right.low, high)

    def difference(self, size: Expression, atom: Expression) -> Expression:
        """`size - 1 - atom`; in bounds where the loop runs to the size."""
        shift = len(size.operands)
        moved = atom.text.format(*(f"{{{k + shift}}}" for k in range(len(atom.operands))))
        return Expression(f"{size.text} - 1 - ({moved})", (*size.operands, *atom.operands), 0, size.high)

    def subscripts(self, array: Array, scope: Scope) -> list[Expression]:
        return [self.linear(scope).within(e) for e in array.extents]

    # Values.

    def value(self, scope: Scope, kind: str) -> str:
        """A value of the type: one in scope, or a new one."""
        known = scope.values.setdefault(kind, [])
        roll = self.random.random()
        if known and roll < 0.45:
            return self.random.choice(known[-4:])
        if roll < 0.8 and any(a.element == kind for a in scope.arrays):
            return self.load(scope, kind)
        if kind == "index" and (scope.ivs or scope.sizes):
            return self.index_value(scope)
        return self.literal(scope, kind)

    def literal(self, scope: Scope, kind: str) -> str:
        name = self.fresh("c")
        if kind in FLOATS:
            text = self.random.choice(("0.0", "1.0", "-0.0", "2.5", "-3.0"))
        else:
            text = str(self.random.choice((0, 1, 2, 3, -1, 7)))
        self.emit(f"{name} = arith.constant {text} : {kind}")
        scope.values.setdefault(kind, []).append(name)
        return name

    def index_value(self, scope: Scope) -> str:
        name = self.fresh("x")
        if scope.affine:
            self.emit(f"{name} = affine.apply {self.linear(scope).map()}")
        else:
            name = self.computed(self.linear(scope), scope)
        scope.values.setdefault("index", []).append(name)
        return name

    def computed(self, expression: Expression, scope: Scope) -> str:
        """The expression by `arith` alone: its variables may come from an `scf.for`."""
        if expression.text == "{0}":
            return expression.operands[0]
        if not expression.operands:
            name = self.fresh("c")
            self.emit(f"{name} = arith.constant {expression.low} : index")
            return name
        return _Arith(self).of(expression)

    def load(self, scope: Scope, kind: str) -> str:
        array = self.random.choice([a for a in scope.arrays if a.element == kind])
        name = self.fresh()
        self.access(scope, array, f"{name} = ", "load", "")
        scope.values.setdefault(kind, []).append(name)
        return name

    def access(self, scope: Scope, array: Array, result: str, op: str, value: str) -> None:
        indices = self.subscripts(array, scope)
        if scope.affine and self.chance(0.9):
            subscripts = ", ".join(e.inline() for e in indices)
            self.emit(f"{result}affine.{op} {value}{array.name}[{subscripts}] : {array.type}")
            return
        if self.chance(self.taste.indirect) and scope.values.get("index"):
            names = [self.random.choice(scope.values["index"]) for _ in indices]
        else:
            names = [self.computed(e, scope) for e in indices]
        self.emit(f"{result}memref.{op} {value}{array.name}[{', '.join(names)}] : {array.type}")

    def arithmetic(self, scope: Scope, kind: str) -> str:
        """An operator applied to values of the type."""
        name = self.fresh()
        roll = self.random.random()
        if roll < 0.1:
            self.emit(f"{name} = {self.selection(scope, kind)}")
        elif kind in FLOATS:
            op = self.random.choice(("addf", "mulf", "subf", "addf", "mulf", "divf", "maximumf", "negf"))
            operands = [self.value(scope, kind) for _ in range(1 if op == "negf" else 2)]
            self.emit(f"{name} = arith.{op} {', '.join(operands)} : {kind}")
        elif roll < 0.2:
            self.emit(f"{name} = {self.division(scope, kind)}")
        elif roll < 0.27 and kind in INTEGERS:
            self.emit(f"{name} = {self.conversion(scope, kind)}")
        else:
            op = self.random.choice(("addi", "muli", "subi", "addi", "maxsi", "xori", "andi"))
            flag = " overflow<nsw>" if op in ("addi", "muli", "subi") and self.chance(self.taste.flags) else ""
            self.emit(f"{name} = arith.{op} {self.value(scope, kind)}, {self.value(scope, kind)}{flag} : {kind}")
        scope.values.setdefault(kind, []).append(name)
        return name

    def division(self, scope: Scope, kind: str) -> str:
        op = self.random.choice(("divsi", "remsi", "divui", "floordivsi"))
        dividend = self.value(scope, kind)
        if self.chance(self.taste.traps):
            divisor = self.value(scope, kind)
        else:
            divisor = self.fresh("c")
            self.emit(f"{divisor} = arith.constant {self.random.choice((2, 3, 7))} : {kind}")
        return f"arith.{op} {dividend}, {divisor} : {kind}"

    def conversion(self, scope: Scope, kind: str) -> str:
        if self.chance(0.6) and (scope.ivs or scope.sizes):
            return f"arith.index_cast {self.index_value(scope)} : index to {kind}"
        if kind == "i32":
            return f"arith.extsi {self.value(scope, 'i8')} : i8 to i32"
        return f"arith.trunci {self.value(scope, 'i32')} : i32 to i8"

    def selection(self, scope: Scope, kind: str) -> str:
        condition = self.condition(scope, self.chance(0.3))
        return f"arith.select {condition}, {self.value(scope, kind)}, {self.value(scope, kind)} : {kind}"

    def condition(self, scope: Scope, data: bool) -> str:
        """An i1: on values of the program (`data`), or on indices; an argument; or a combination of these."""
        if scope.flags and self.chance(0.4):
            return self.random.choice(scope.flags)
        if self.chance(0.1):
            left, right, both = self.condition(scope, data), self.condition(scope, data), self.fresh("p")
            self.emit(f"{both} = arith.{self.random.choice(('andi', 'ori', 'xori'))} {left}, {right} : i1")
            return both
        name = self.fresh("p")
        if data:
            kind = self.random.choice([a.element for a in scope.arrays])
            op, predicates = ("cmpf", ("olt", "ogt", "oeq")) if kind in FLOATS else ("cmpi", ("slt", "sgt", "eq"))
            left, right = self.value(scope, kind), self.value(scope, kind)
        else:
            kind, op, predicates = "index", "cmpi", ("slt", "sle", "eq", "ne", "sge", "sgt")
            left, right = self.computed(self.linear(scope), scope), self.computed(self.linear(scope), scope)
        self.emit(f"{name} = arith.{op} {self.random.choice(predicates)}, {left}, {right} : {kind}")
        return name

    # Statements.

    def block(self, scope: Scope, depth: int, most: int) -> None:
        """A few statements."""
        for number in range(self.random.randint(1, most)):
            if number and self.full():
                return
            self.statement(scope, depth)

    def statement(self, scope: Scope, depth: int) -> None:
        choices: list[tuple[float, Callable[[], None]]] = [
            (3.0, lambda: self.store(scope)),
            (2.0, lambda: self.update(scope)),
            (0.8, lambda: self.overtaken(scope)),
            (0.5, lambda: self.twice(scope)),
            (0.4, lambda: self.dead_load(scope)),
        ]
        if depth < MAX_DEPTH and not self.full():
            choices += [
                (2.5 if depth < 2 else 1.0, lambda: self.loop(scope, depth)),
                (1.0, lambda: self.reduction(scope, depth)),
                (0.9, lambda: self.branch(scope, depth)),
                (0.5, lambda: self.yielding_branch(scope, depth)),
                (0.7, lambda: self.local(scope, depth)),
            ]
        if self.callee is not None and any(a.type == self.callee.type for a in scope.arrays):
            choices.append((1.5, lambda: self.call(scope)))
        if self.taste.scattered and any(a.extents and a.element != "index" for a in scope.arrays):
            choices.append((self.taste.scattered, lambda: self.scattered(scope)))
        weights = [w for w, _ in choices]
        self.random.choices([c for _, c in choices], weights)[0]()

    def store(self, scope: Scope) -> None:
        array = self.random.choice(scope.arrays)
        value = self.arithmetic(scope, array.element) if self.chance(0.7) else self.value(scope, array.element)
        self.access(scope, array, "", "store", f"{value}, ")

    def update(self, scope: Scope) -> None:
        """`A[i] = f(A[i - 1], A[i + 1])`: an update in place with a dependence."""
        array = self.random.choice(scope.arrays)
        base = [self.linear(scope) for _ in array.extents]
        near = [[e.plus(self.random.choice((-1, 0, 0, 1))) for e in base] for _ in range(3)]
        lowest = [min(e.low for e in column) for column in zip(*near, strict=True)]
        raised = [[e.plus(-low) if low < 0 else e for e, low in zip(row, lowest, strict=True)] for row in near]
        placed = [[e.within(n) for e, n in zip(row, array.extents, strict=True)] for row in raised]
        reads: list[str] = []
        for row in placed[1:]:
            reads.append(self.fresh())
            self.place(scope, array, row, f"{reads[-1]} = ", "load", "")
        result = self.fresh()
        op = self.random.choice(("addf", "mulf", "subf") if array.element in FLOATS else ("addi", "muli", "subi"))
        self.emit(f"{result} = arith.{op} {reads[0]}, {reads[1]} : {array.element}")
        scope.values.setdefault(array.element, []).extend((*reads, result))
        self.place(scope, array, placed[0], "", "store", f"{result}, ")

    def scattered(self, scope: Scope) -> None:
        """`A[P[i]] = A[P[i]] op v`: an update at a subscript that is a value, mostly from memory; `v` may divide by
        what an array holds, this one too."""
        array = self.random.choice([a for a in scope.arrays if a.extents and a.element != "index"])
        places = ", ".join(self.value(scope, "index") for _ in array.extents)
        floats = array.element in FLOATS
        value = self.value(scope, array.element)
        if not floats and self.chance(0.4):
            first, second, value = self.literal(scope, array.element), self.fresh(), self.fresh()
            ends = ", ".join(str(self.random.choice((0, 0, n or 1)) and (n or 1) - 1) for n in array.extents)
            self.emit(f"{second} = affine.load {array.name}[{ends}] : {array.type}")
            self.emit(f"{value} = arith.{self.random.choice(('divui', 'remsi'))} {first}, {second} : {array.element}")
        old, new = self.fresh(), self.fresh()
        self.emit(f"{old} = memref.load {array.name}[{places}] : {array.type}")
        op = self.random.choice(("addf", "mulf", "subf", "maximumf") if floats else ("addi", "subi", "xori", "maxsi"))
        self.emit(f"{new} = arith.{op} {old}, {value} : {array.element}")
        self.emit(f"memref.store {new}, {array.name}[{places}] : {array.type}")

    def place(self, scope: Scope, array: Array, indices: list[Expression], result: str, op: str, value: str) -> None:
        if scope.affine:
            subscripts = ", ".join(e.inline() for e in indices)
            self.emit(f"{result}affine.{op} {value}{array.name}[{subscripts}] : {array.type}")
        else:
            names = [self.computed(e, scope) for e in indices]
            self.emit(f"{result}memref.{op} {value}{array.name}[{', '.join(names)}] : {array.type}")

    def overtaken(self, scope: Scope) -> None:
        """A load, a store to the same array, and then a use of the load."""
        array = self.random.choice(scope.arrays)
        kept = self.load(scope, array.element)
        self.access(scope, array, "", "store", f"{self.value(scope, array.element)}, ")
        self.access(scope, array, "", "store", f"{kept}, ")

    def twice(self, scope: Scope) -> None:
        """Two stores to one element, perhaps with a read in between that may be of it."""
        array = self.random.choice(scope.arrays)
        indices = self.subscripts(array, scope)
        first = self.arithmetic(scope, array.element)
        self.place(scope, array, indices, "", "store", f"{first}, ")
        if self.chance(0.5):
            other = self.random.choice(scope.arrays)
            self.access(scope, other, "", "store", f"{self.value(scope, other.element)}, ")
        second = self.value(scope, array.element)
        self.place(scope, array, indices, "", "store", f"{second}, ")

    def call(self, scope: Scope) -> None:
        """Calls the private function, perhaps with one array twice."""
        assert self.callee is not None
        fitting = [a.name for a in scope.arrays if a.type == self.callee.type]
        size = self.computed(self.random.choice(scope.sizes or [constant(3)]), scope)
        first, second = self.random.choice(fitting), self.random.choice(fitting)
        kind = self.callee.type
        self.emit(f"func.call @g({first}, {second}, {size}) : ({kind}, {kind}, index) -> ()")

    def dead_load(self, scope: Scope) -> None:
        self.access(scope, self.random.choice(scope.arrays), f"{self.fresh()} = ", "load", "")

    def bounds(self, scope: Scope) -> tuple[str, str, Expression]:
        """Lower and upper bound as text of an `affine.for`, and what is known of its induction variable."""
        random = self.random
        low: Expression = constant(random.choice((0, 0, 0, 0, 1, 2, -2)))
        if scope.ivs and self.chance(0.25):
            low = random.choice(scope.ivs).plus(random.choice((0, 0, 1)))
        if self.chance(self.taste.symbolic) and scope.sizes:
            high = random.choice(scope.sizes).plus(random.choice((0, 0, 0, -1, 1)))
            if self.chance(0.15):
                high = replace(high, text=f"({high.text}) floordiv 2", high=None)
        elif scope.ivs and self.chance(0.3):
            high = random.choice(scope.ivs).plus(random.choice((0, 1, 1, 3)))
        else:
            high = constant(random.choice((3, 4, 5, 7, 8, 10)))
        lower, upper, known = low.map(), high.map(), high.high
        if not low.operands:
            lower = str(low.low)
        if not high.operands:
            upper = str(high.low)
        if self.chance(0.15):
            other = constant(random.choice((3, 6))) if not scope.ivs else random.choice(scope.ivs).plus(2)
            upper = "min " + many((high, other))
            known = other.high if known is None else known if other.high is None else min(known, other.high)
        if self.chance(0.1):
            lower = "max " + many((low, constant(1)))
        return lower, upper, Expression("{0}", (), low.low, None if known is None else max(known - 1, low.low))

    def loop(self, scope: Scope, depth: int) -> None:
        """A nest step: an `affine.for`, or an `scf.for`."""
        self.loops += 1
        name = self.fresh("i")
        inner = scope.child()
        if self.chance(self.taste.scf) or not scope.affine:
            iv = self.open_scf(scope, name)
            inner.affine = False
        else:
            lower, upper, known = self.bounds(scope)
            step = f" step {self.random.choice((2, 3))}" if self.chance(0.15) else ""
            self.emit(f"affine.for {name} = {lower} to {upper}{step} {{")
            iv = replace(known, operands=(name,))
        inner.ivs.append(iv)
        with self.region():
            self.block(inner, depth + 1, 3)
        self.emit("}")

    def open_scf(self, scope: Scope, name: str, tail: str = "") -> Expression:
        low = self.random.choice((0, 0, 1))
        if not tail and self.chance(self.taste.narrow):
            return self.open_narrow(name, low)
        lower = self.computed(constant(low), scope)
        if scope.sizes and self.chance(self.taste.symbolic):
            size = self.random.choice(scope.sizes)
            upper, high = self.computed(size, scope), size.high
        else:
            high = self.random.choice((3, 4, 6))
            upper = self.computed(constant(high), scope)
            high -= 1
        step = self.computed(constant(self.random.choice((1, 1, 1, 2))), scope)
        self.emit(f"{tail}scf.for {name} = {lower} to {upper} step {step} ".rstrip() + (" {" if not tail else ""))
        return Expression("{0}", (name,), low, high)

    def open_narrow(self, name: str, low: int) -> Expression:
        """An `scf.for` over `i32` or `i8`."""
        kind, high = self.random.choice(INTEGERS), self.random.choice((3, 4, 6))
        names = [self.fresh("c") for _ in range(3)]
        for constant_, number in zip(names, (low, high, self.random.choice((1, 1, 2))), strict=True):
            self.emit(f"{constant_} = arith.constant {number} : {kind}")
        self.emit(f"scf.for {name} = {names[0]} to {names[1]} step {names[2]} : {kind} {{")
        cast = self.fresh("x")
        self.emit(f"  {cast} = arith.index_cast {name} : {kind} to index")
        return Expression("{0}", (cast,), low, high - 1)

    def reduction(self, scope: Scope, depth: int) -> None:
        """A loop that carries values; what it yields may be swapped."""
        random = self.random
        kinds = [random.choice(scope.arrays).element for _ in range(random.choice((1, 1, 2, 3)))]
        if len(kinds) > 1 and self.chance(0.6):
            kinds = [kinds[0]] * len(kinds)
        initial = [self.value(scope, k) for k in kinds]
        carried = [self.fresh("a") for _ in kinds]
        name, result = self.fresh("i"), self.fresh("r")
        pairs = ", ".join(f"{a} = {v}" for a, v in zip(carried, initial, strict=True))
        types = ", ".join(kinds)
        bind = f"{result}:{len(kinds)} = " if len(kinds) > 1 else f"{result} = "
        inner = scope.child()
        dialect = "affine"
        if scope.affine and not self.chance(self.taste.scf):
            lower, upper, known = self.bounds(scope)
            iv = replace(known, operands=(name,))
            self.emit(f"{bind}affine.for {name} = {lower} to {upper} iter_args({pairs}) -> ({types}) {{")
        else:
            dialect, inner.affine = "scf", False
            iv = self.open_scf(scope, name, bind)
            self.lines[-1] += f" iter_args({pairs}) -> ({types}) {{"
        inner.ivs.append(iv)
        for kind, argument in zip(kinds, carried, strict=True):
            inner.values.setdefault(kind, []).append(argument)
        with self.region():
            if self.chance(0.6):
                self.block(inner, depth + 1, 2)
            yielded = [
                self.arithmetic(inner, k) if self.chance(0.6) else a for k, a in zip(kinds, carried, strict=True)
            ]
            if len(set(kinds)) == 1 and self.chance(0.5):
                random.shuffle(yielded)
            self.emit(f"{dialect}.yield {', '.join(yielded)} : {types}")
        self.emit("}")
        names = [result] if len(kinds) == 1 else [f"{result}#{k}" for k in range(len(kinds))]
        for kind, one in zip(kinds, names, strict=True):
            scope.values.setdefault(kind, []).append(one)

    def affine_condition(self, scope: Scope) -> str:
        parts = [self.linear(scope) for _ in range(self.random.choice((1, 1, 2)))]
        parts = [p.plus(-self.random.randrange(4)) for p in parts]
        names = tuple(dict.fromkeys(o for p in parts for o in p.operands))
        dims = {name: f"d{k}" for k, name in enumerate(names)}
        texts = [p.text.format(*(dims[o] for o in p.operands)) for p in parts]
        tests = ", ".join(f"{t} {self.random.choice(('>=', '>=', '=='))} 0" for t in texts)
        return f"affine_set<({', '.join(dims.values())}) : ({tests})>({', '.join(names)})"

    def head_of_branch(self, scope: Scope) -> tuple[str, str]:
        """The dialect of an `if` and the text of its condition."""
        if self.chance(self.taste.data_conditions) or (scope.flags and self.chance(0.3)):
            return "scf", self.condition(scope, self.chance(self.taste.data_conditions))
        if scope.affine and not self.chance(self.taste.scf):
            return "affine", self.affine_condition(scope)
        return "scf", self.condition(scope, False)

    def branch(self, scope: Scope, depth: int) -> None:
        dialect, condition = self.head_of_branch(scope)
        self.emit(f"{dialect}.if {condition} {{")
        with self.region():
            self.block(scope.child(), depth + 1, 2)
        if self.chance(0.5):
            self.emit("} else {")
            with self.region():
                self.block(scope.child(), depth + 1, 2)
        self.emit("}")

    def yielding_branch(self, scope: Scope, depth: int) -> None:
        kind = self.random.choice(scope.arrays).element
        dialect, condition = self.head_of_branch(scope)
        name = self.fresh("b")
        self.emit(
            f"{name} = {dialect}.if {condition} -> {'' if dialect == 'affine' else '('}{kind}"
            f"{'' if dialect == 'affine' else ')'} {{"
        )
        for closing in ("} else {", "}"):
            inner = scope.child()
            with self.region():
                if self.chance(0.4):
                    self.block(inner, depth + 1, 2)
                self.emit(f"{dialect}.yield {self.arithmetic(inner, kind)} : {kind}")
            self.emit(closing)
        scope.values.setdefault(kind, []).append(name)

    def local(self, scope: Scope, depth: int) -> None:
        """An allocation, mostly filled first, and used in what follows."""
        random = self.random
        kind = random.choice(scope.arrays).element
        extents = tuple(random.choice((1, 3, 4, 6)) for _ in range(random.choice((0, 1, 1, 1, 2))))
        array = Array(self.fresh("t"), kind, extents)
        op = random.choice(("alloc", "alloc", "alloca"))
        if scope.affine and scope.sizes and self.chance(0.25):
            array = replace(array, extents=(None, *extents[1:]))
            size = random.choice((*scope.sizes, *scope.ivs[-1:])).plus(random.choice((0, 1, 2, 4)))
            self.emit(f"{array.name}n = affine.apply {size.map()}")
            self.emit(f"{array.name} = memref.{op}({array.name}n) : {array.type}")
            first = size.map()
        else:
            self.emit(f"{array.name} = memref.{op}() : {array.type}")
            first = str(extents[0]) if extents else ""
        if not self.chance(self.taste.uninitialised):
            self.fill(scope, array, first)
        inner = scope if op == "alloca" or self.chance(0.4) else scope.child()
        inner.arrays.append(array)
        self.block(inner, depth, 3)
        if inner is not scope and self.chance(0.8):
            self.emit(f"memref.dealloc {array.name} : {array.type}")

    def fill(self, scope: Scope, array: Array, first: str) -> None:
        """Writes every element; `first` is the first extent as a bound."""
        value = self.value(scope, array.element)
        ivs = [self.fresh("i") for _ in array.extents]
        for depth, (iv, extent) in enumerate(zip(ivs, array.extents, strict=True)):
            self.emit(f"affine.for {iv} = 0 to {extent if depth else first} {{")
            self.indent += 1
        self.emit(f"affine.store {value}, {array.name}[{', '.join(ivs)}] : {array.type}")
        for _ in ivs:
            self.indent -= 1
            self.emit("}")


class _Arith:
    """Writes an index expression as `arith` ops, by reading its text."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def of(self, expression: Expression) -> str:
        tokens = expression.inline().replace("(", " ( ").replace(")", " ) ").split()
        name = self._sum(tokens)
        assert not tokens
        return name

    def _emit(self, op: str, left: str, right: str) -> str:
        name = self._writer.fresh("x")
        self._writer.emit(f"{name} = arith.{op} {left}, {right} : index")
        return name

    def _sum(self, tokens: list[str]) -> str:
        left = self._product(tokens)
        while tokens and tokens[0] in ("+", "-"):
            op = "addi" if tokens.pop(0) == "+" else "subi"
            left = self._emit(op, left, self._product(tokens))
        return left

    def _product(self, tokens: list[str]) -> str:
        left = self._atom(tokens)
        while tokens and tokens[0] in ("*", "floordiv", "mod"):
            op = tokens.pop(0)
            right = self._atom(tokens)
            if op == "*":
                left = self._emit("muli", left, right)
            elif op == "floordiv":
                left = self._emit("floordivsi", left, right)
            else:
                left = self._emit("subi", left, self._emit("muli", self._emit("floordivsi", left, right), right))
        return left

    def _atom(self, tokens: list[str]) -> str:
        token = tokens.pop(0)
        if token == "(":
            inner = self._sum(tokens)
            assert tokens.pop(0) == ")"
            return inner
        if token.startswith("%"):
            return token
        name = self._writer.fresh("c")
        self._writer.emit(f"{name} = arith.constant {token} : index")
        return name


def _over(value: int | None, by: int) -> int | None:
    return None if value is None else value // by


def program(seed: int | str, taste: Taste | None = None) -> str:
    """A random function `@f` as MLIR text."""
    random = Random(f"program {seed}")
    taste = taste or Taste()
    writer = Writer(random, taste, random.choice(SIZES))
    common = random.choice((*FLOATS, *INTEGERS))
    sizes = [Expression("{0}", (f"%n{k}",), 1, None) for k in range(random.choice((0, 1, 1, 2)))]
    arrays = [_argument(random, k, common, taste, bool(sizes)) for k in range(random.choice((1, 2, 2, 3)))]
    scope = Scope([], sizes, arrays, {})
    parameters = [f"{a.name}: {a.type}" for a in arrays] + [f"{s.operands[0]}: index" for s in sizes]
    for number in range(random.choice((0, 0, 1, 2))):
        parameters.append(f"%s{number}: {common}")
        scope.values.setdefault(common, []).append(f"%s{number}")
    for number in range(random.choice((0, 0, 0, 0, 1, 2))):
        parameters.append(f"%q{number}: i1")
        scope.flags.append(f"%q{number}")
    random.shuffle(parameters)
    for array in arrays:
        if None in array.extents and random.random() < 0.25:
            name = writer.fresh("d")
            writer.emit(f"{name}c = arith.constant {array.extents.index(None)} : index")
            writer.emit(f"{name} = memref.dim {array.name}, {name}c : {array.type}")
            scope.sizes.append(Expression("{0}", (name,), 0, None))
    helper = _helper(random, taste, arrays) if random.random() < taste.calls else None
    writer.callee = helper[0] if helper else None
    while writer.loops == 0 and not writer.full():
        writer.block(scope, 0, 5)
    results = [random.choice(arrays).element for _ in range(random.choice((0, 0, 0, 1, 2)))]
    returned = [writer.value(scope, kind) for kind in results]
    types = ", ".join(results)
    arrow = f" -> ({types})" if results else ""
    end = f"return {', '.join(returned)} : {types}" if results else "return"
    text = "\n".join([f"func.func @f({', '.join(parameters)}){arrow} {{", *writer.lines, f"  {end}", "}", ""])
    return text + (helper[1] if helper else "")


def _helper(random: Random, taste: Taste, arrays: list[Array]) -> tuple[Array, str]:
    """A private function `@g` of two arrays of one type and a size."""
    array = random.choice(arrays)
    writer = Writer(random, taste, 8)
    sizes = [Expression("{0}", ("%m",), 1, None)]
    writer.block(Scope([], sizes, [replace(array, name="%P"), replace(array, name="%Q")], {}), 1, 2)
    head = f"func.func private @g(%P: {array.type}, %Q: {array.type}, %m: index) {{"
    return array, "\n".join([head, *writer.lines, "  return", "}", ""])


def _argument(random: Random, number: int, common: str, taste: Taste, sized: bool) -> Array:
    element = common if random.random() < 0.75 else random.choice((*FLOATS, *INTEGERS))
    if random.random() < taste.index_data:
        element = "index"
    rank = random.choice((1, 1, 2))
    extents = [None if sized and random.random() < 0.7 else random.choice((4, 6, 8, 12)) for _ in range(rank)]
    return Array(f"%A{number}", element, tuple(extents))


# Transformations.

PASSES: tuple[Callable[[Random], str], ...] = (
    lambda r: f"affine-loop-unroll{{unroll-factor={r.choice((2, 3, 4, 8))}}}",
    lambda r: f"affine-loop-unroll{{unroll-factor={r.choice((2, 4))} cleanup-unroll}}",
    lambda r: "affine-loop-unroll{unroll-factor=-1}",
    lambda r: "affine-loop-unroll{unroll-up-to-factor unroll-factor=8}",
    lambda r: "affine-loop-fusion{mode=sibling}",
    lambda r: f"affine-loop-unroll-jam{{unroll-jam-factor={r.choice((2, 3, 4))}}}",
    lambda r: f"affine-loop-tile{{tile-size={r.choice((2, 3, 4))}}}",
    lambda r: "affine-loop-fusion",
    lambda r: "affine-loop-fusion{maximal}",
    lambda r: "affine-loop-invariant-code-motion",
    lambda r: "loop-invariant-code-motion",
    lambda r: "affine-loop-normalize",
    lambda r: "affine-loop-normalize{promote-single-iter}",
    lambda r: "affine-scalrep",
    lambda r: "affine-loop-coalescing",
    lambda r: "affine-simplify-structures",
    lambda r: "affine-expand-index-ops",
    lambda r: "lower-affine",
    lambda r: "canonicalize",
    lambda r: "cse",
)


def chain(random: Random) -> str:
    """One to four passes, as the inside of a pipeline of `func.func`."""
    return ",".join(random.choice(PASSES)(random) for _ in range(random.randint(1, 4)))


class PassFailed(Exception):
    """mlir-opt did not make a program: a pass failed, crashed or ran too long."""


def transformed(text: str, passes: str) -> str:
    """What mlir-opt makes of `text` by passes on functions.

    Raises: PassFailed.
    """
    return run_pipeline(text, f"builtin.module(func.func({passes}))")


def run_pipeline(text: str, pipeline: str) -> str:
    """What mlir-opt makes of `text` by a pipeline.

    Raises: PassFailed.
    """
    command = ["mlir-opt-22", f"--pass-pipeline={pipeline}"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        raise PassFailed(pipeline) from None
    if done.returncode != 0:
        raise PassFailed(f"{pipeline}: {done.stderr[-2000:]}")
    return done.stdout
