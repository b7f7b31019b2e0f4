"""Random functions that reach the same elements in several ways: overlapping views of two arguments and of globals, one
argument computed from the other and back, atomic updates of views.
"""

from __future__ import annotations

from random import Random

from .views import BASES, LARGEST_OFFSET, View, collapse, expand, row_major, subview, transpose

GLOBALS = (
    "memref.global @seen : memref<6xf32> = dense<1.0>\n",
    'memref.global "private" @own : memref<6xf32> = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]>\n',
    'memref.global "private" constant @table : memref<6xf32> = dense<[5.0, 3.0, 1.0, -1.0, 0.5, 2.0]>\n',
)
NAMES = {"%seen": "@seen", "%own": "@own", "%table": "@table"}
ATOMIC = ("addf", "mulf", "maximumf", "minimumf", "assign")
WAYS = (subview, subview, subview, transpose, collapse, expand)


class Writer:
    """Writes statements on `views`; those of `kept` memory are not written."""

    def __init__(self, random: Random, views: list[View], kept: set[str]) -> None:
        self.random, self.views, self.kept = random, views, kept
        self.lines: list[str] = []
        self.count = 0

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def see(self) -> None:
        """One more view of what is there."""
        view = self.random.choice(self.views)
        made = self.cast(view) if self.random.random() < 0.25 else None
        if made is None:
            made = self.random.choice(WAYS)(self.fresh("w"), view, self.lines, self.random)
        if made is not view and all(made.shape):
            self.views.append(made)
            if view.name in self.kept:
                self.kept.add(made.name)

    def cast(self, view: View) -> View | None:
        """Other offsets and strides of the same buffer, within its bounds."""
        if not view.plain or view.offset != 0 or not view.shape:
            return None
        elements = 1
        for extent in view.shape:
            elements *= extent
        stride = self.random.choice((1, 1, 2, 3))
        extent = self.random.randint(1, max(1, elements // stride // 2))
        first = self.random.randrange(max(1, elements - stride * (extent - 1)))
        made = View(self.fresh("w"), (extent,), (stride,), first, False)
        parts = f"offset: [{first}], sizes: [{extent}], strides: [{stride}]"
        self.lines.append(
            f"{made.name} = memref.reinterpret_cast {view.name} to {parts} : {view.type()} to {made.type()}"
        )
        return made

    # Accesses.

    def subscripts(self, view: View, iv: str, trips: int) -> str:
        """In bounds of the view, by the variable of a loop of so many `trips`, a number, or an offset."""
        parts: list[str] = []
        for extent in view.shape:
            ways = [str(self.random.randrange(extent))]
            if trips <= extent:
                ways += [iv, iv, f"{trips - 1} - {iv}"]
                if trips < extent:
                    ways.append(f"{iv} + {self.random.randint(1, extent - trips)}")
            ways.append(f"({iv} * {self.random.choice((1, 2))}) mod {extent}")
            if extent > LARGEST_OFFSET:
                ways.append("symbol(%n)")
            parts.append(self.random.choice(ways))
        return ", ".join(parts)

    def read(self, iv: str, trips: int) -> str:
        view, name = self.random.choice(self.views), self.fresh()
        self.lines.append(f"{name} = affine.load {view.name}[{self.subscripts(view, iv, trips)}] : {view.type()}")
        return name

    def written(self) -> View:
        return self.random.choice([v for v in self.views if v.name not in self.kept])

    def store(self, iv: str, trips: int) -> None:
        left, right, value = self.read(iv, trips), self.read(iv, trips), self.fresh()
        self.lines.append(f"{value} = arith.{self.random.choice(('addf', 'mulf', 'subf'))} {left}, {right} : f32")
        view = self.written()
        self.lines.append(f"affine.store {value}, {view.name}[{self.subscripts(view, iv, trips)}] : {view.type()}")

    def crosswise(self, iv: str, trips: int) -> None:
        """Two elements are exchanged, or each is made of the other."""
        views = [v for v in self.views if v.name not in self.kept]
        one, two = self.random.choice(views), self.random.choice(views)
        at, to = self.subscripts(one, iv, trips), self.subscripts(two, iv, trips)
        first, second = self.fresh(), self.fresh()
        self.lines += [
            f"{first} = affine.load {one.name}[{at}] : {one.type()}",
            f"{second} = affine.load {two.name}[{to}] : {two.type()}",
            f"affine.store {second}, {one.name}[{at}] : {one.type()}",
            f"affine.store {first}, {two.name}[{to}] : {two.type()}",
        ]

    def update(self, iv: str, trips: int) -> None:
        """An atomic update of an element of a view."""
        view, value = self.written(), self.read(iv, trips)
        places: list[str] = []
        for extent in view.shape:
            places.append(
                iv if trips <= extent and self.random.random() < 0.6 else f"%c{self.random.randrange(min(extent, 3))}"
            )
        at = ", ".join(places)
        if self.random.random() < 0.6:
            kind = self.random.choice(ATOMIC)
            made = f"memref.atomic_rmw {kind} {value}, {view.name}[{at}] : (f32, {view.type()}) -> f32"
            self.lines.append(f"{self.fresh()} = {made}")
            return
        old, new = self.fresh(), self.fresh()
        self.lines += [
            f"{self.fresh()} = memref.generic_atomic_rmw {view.name}[{at}] : {view.type()} {{",
            f"^bb0({old}: f32):",
            f"{new} = arith.subf {value}, {old} : f32",
            f"memref.atomic_yield {new} : f32",
            "}",
        ]

    def loop(self) -> None:
        trips, iv = self.random.choice((1, 2, 2, 3, 4)), self.fresh("i")
        ways = (self.store, self.store, self.crosswise, self.update)
        head, guard = self.random.random(), self.random.random()
        if head < 0.15:
            self.lines.append(f"affine.parallel ({iv}) = (0) to ({trips}) {{")
        elif head < 0.4:
            self.lines.append(f"affine.for {iv} = 0 to min affine_map<()[s] -> ({trips}, s + 1)>()[%n] {{")
        else:
            self.lines.append(f"affine.for {iv} = 0 to {trips} {{")
        if guard < 0.2:
            self.lines.append(f"affine.if affine_set<(d0)[s] : (d0 - s >= 0)>({iv})[%m] {{")
        for _ in range(self.random.choice((1, 1, 2))):
            self.random.choice(ways)(iv, trips)
        self.lines += ["}"] * (2 if guard < 0.2 else 1)


def program(random: Random) -> str:
    """A function of two buffers and two small offsets, and globals."""
    shapes = [random.choice(BASES) for _ in range(2)]
    if random.random() < 0.5:
        shapes[1] = shapes[0]
    views = [View(name, shape, row_major(shape), 0, True) for name, shape in zip(("%A", "%B"), shapes, strict=True)]
    head = "".join(f"{view.name}: {view.type()}, " for view in views)
    used = random.sample(tuple(NAMES), random.choice((0, 1, 2)))
    views += [View(name, (6,), (1,), 0, True) for name in used]
    writer = Writer(random, views, {"%table"})
    for _ in range(random.randint(1, 4)):
        writer.see()
    for _ in range(random.randint(1, 3)):
        writer.loop()
    first = [f"%c{k} = arith.constant {k} : index" for k in range(3)]
    first += [f"{name} = memref.get_global {NAMES[name]} : memref<6xf32>" for name in used]
    body = [*first, *writer.lines, "return"]
    text = "\n".join([f"func.func @f({head}%n: index, %m: index) {{", *(f"  {line}" for line in body), "}", ""])
    return "".join(GLOBALS) + text
