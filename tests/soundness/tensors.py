"""Random functions on tensors: slices, updates of values that are read again later, loops and branches."""

from __future__ import annotations

from random import Random

LENGTH = 6
WHOLE, PART = f"tensor<{LENGTH}xf32>", "tensor<3xf32>"


class Writer:
    """Writes ops; `wholes`, `parts` and `scalars` are the values in scope."""

    def __init__(self, random: Random, whiles: bool = False) -> None:
        """`whiles` says that there are loops that test a counter, too."""
        self.random = random
        self.whiles = whiles
        self.lines: list[str] = []
        self.count = 0
        self.wholes = ["%t0", "%t1"]
        self.parts: list[str] = []
        self.scalars = ["%x"]
        self.indices = ["%c0", "%c1", "%c2"]

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def pick(self, values: list[str]) -> str:
        """One of the values, the later ones more often."""
        return values[-1] if self.random.random() < 0.5 else self.random.choice(values)

    def emit(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def step(self, depth: int) -> None:
        """One op, or a loop or branch of some."""
        kinds = [self.insert, self.extract, self.cut, self.paste, self.add, self.generic, self.cast, self.forall]
        if depth < 2:
            kinds += [lambda: self.loop(depth), lambda: self.branch(depth)]
            kinds += [lambda: self.repeat(depth)] * (2 * self.whiles)
        self.random.choice(kinds)()

    def insert(self) -> None:
        value, into, at = self.pick(self.scalars), self.pick(self.wholes), self.pick(self.indices)
        self.wholes.append(self.emit(f"tensor.insert {value} into {into}[{at}] : {WHOLE}"))

    def extract(self) -> None:
        self.scalars.append(self.emit(f"tensor.extract {self.pick(self.wholes)}[{self.pick(self.indices)}] : {WHOLE}"))

    def cut(self) -> None:
        source, at = self.pick(self.wholes), self.pick(self.indices)
        self.parts.append(self.emit(f"tensor.extract_slice {source}[{at}] [3] [1] : {WHOLE} to {PART}"))

    def paste(self) -> None:
        if not self.parts:
            return self.cut()
        part, into, at = self.pick(self.parts), self.pick(self.wholes), self.pick(self.indices)
        self.wholes.append(self.emit(f"tensor.insert_slice {part} into {into}[{at}] [3] [1] : {PART} into {WHOLE}"))

    def cast(self) -> None:
        shaped = self.emit(
            f"tensor.expand_shape {self.pick(self.wholes)} [[0, 1]] output_shape [2, 3] : {WHOLE} into tensor<2x3xf32>"
        )
        self.parts.append(self.emit(f"tensor.extract_slice {shaped}[1, 0] [1, 3] [1, 1] : tensor<2x3xf32> to {PART}"))

    def forall(self) -> None:
        """Each of two iterations writes its half, of what was there, of another tensor, or of a sum of both."""
        shared, other = self.pick(self.wholes), self.pick(self.wholes)
        name, iv, out, start = (self.fresh() for _ in range(4))
        self.lines.append(f"{name} = scf.forall ({iv}) in (2) shared_outs({out} = {shared}) -> ({WHOLE}) {{")
        self.lines.append(f"{start} = affine.apply affine_map<(i) -> (3 * i)>({iv})")
        own = self.emit(f"tensor.extract_slice {out}[{start}] [3] [1] : {WHOLE} to {PART}")
        at = self.random.choice([start, *self.indices])
        part = self.emit(f"tensor.extract_slice {other}[{at}] [3] [1] : {WHOLE} to {PART}")
        chosen = self.random.choice([part, self.emit(f"arith.addf {own}, {part} : {PART}")])
        insertion = f"tensor.parallel_insert_slice {chosen} into {out}[{start}] [3] [1] : {PART} into {WHOLE}"
        self.lines += ["scf.forall.in_parallel {", insertion, "}", "}"]
        self.wholes.append(name)

    def add(self) -> None:
        self.wholes.append(self.emit(f"arith.addf {self.pick(self.wholes)}, {self.pick(self.wholes)} : {WHOLE}"))

    def generic(self) -> None:
        """Adds an input, perhaps reversed, to the output."""
        kind, values = (PART, self.parts) if self.parts and self.random.random() < 0.5 else (WHOLE, self.wholes)
        source, into = self.pick(values), self.pick(values)
        values.append(
            self.emit(
                "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
                f'iterator_types = ["parallel"]}} ins({source} : {kind}) outs({into} : {kind}) {{\n'
                "^bb0(%p: f32, %q: f32):\n%s = arith.addf %p, %q : f32\nlinalg.yield %s : f32\n"
                f"}} -> {kind}"
            )
        )

    def scope(self) -> tuple[int, int, int, int]:
        return len(self.wholes), len(self.parts), len(self.scalars), len(self.indices)

    def close(self, sizes: tuple[int, int, int, int]) -> None:
        for values, size in zip((self.wholes, self.parts, self.scalars, self.indices), sizes, strict=True):
            del values[size:]

    def body(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 5)):
            self.step(depth + 1)

    def loop(self, depth: int) -> None:
        count = self.random.randrange(1, 3)
        first = [self.pick(self.wholes) for _ in range(count)]
        sizes, iv = self.scope(), self.fresh()
        carried = [self.fresh() for _ in range(count)]
        name, kinds = self.fresh(), ", ".join([WHOLE] * count)
        given = ", ".join(f"{a} = {b}" for a, b in zip(carried, first, strict=True))
        self.lines.append(f"{name}:{count} = scf.for {iv} = %c0 to %c3 step %c1 iter_args({given}) -> ({kinds}) {{")
        self.wholes += carried
        self.indices.append(iv)
        self.body(depth)
        values = ", ".join(self.pick(self.wholes) for _ in range(count))
        self.lines += [f"scf.yield {values} : {kinds}", "}"]
        self.close(sizes)
        self.wholes += [f"{name}#{k}" for k in range(count)]

    def repeat(self, depth: int) -> None:
        """A while loop; each region updates what it likes, and what one gives the other may change places."""
        count, passed = self.random.randrange(1, 3), self.random.randrange(1, 3)
        first, sizes = [self.pick(self.wholes) for _ in range(count)], self.scope()
        name, iv = self.fresh(), self.fresh()
        carried, given = [self.fresh() for _ in range(count)], [self.fresh() for _ in range(passed)]
        starts = ", ".join(f"{a} = {b}" for a, b in zip([*carried, iv], [*first, "%c0"], strict=True))
        before, after = (", ".join([*[WHOLE] * n, "index"]) for n in (count, passed))
        self.lines.append(f"{name}:{passed + 1} = scf.while ({starts}) : ({before}) -> ({after}) {{")
        self.wholes += carried
        self.indices.append(iv)
        self.body(depth)
        values = [self.pick(self.wholes) for _ in range(passed)]
        flag = self.emit(f"arith.cmpi slt, {iv}, %c3 : index")
        self.lines.append(f"scf.condition({flag}) {', '.join([*values, iv])} : {after}")
        self.close(sizes)
        arguments = ", ".join(f"{v}: {t}" for v, t in [*((v, WHOLE) for v in given), (f"{iv}b", "index")])
        self.lines += ["} do {", f"^bb0({arguments}):"]
        self.wholes += given
        self.body(depth)
        values = [self.pick(self.wholes) for _ in range(count)]
        following = self.emit(f"arith.addi {iv}b, %c1 : index")
        self.lines += [f"scf.yield {', '.join([*values, following])} : {before}", "}"]
        self.close(sizes)
        self.wholes += [f"{name}#{k}" for k in range(passed)]

    def branch(self, depth: int) -> None:
        flag = self.emit(f"arith.cmpf ogt, {self.pick(self.scalars)}, %x : f32")
        name = self.fresh()
        self.lines.append(f"{name} = scf.if {flag} -> ({WHOLE}) {{")
        for k in range(2):
            sizes = self.scope()
            self.body(depth)
            self.lines += [f"scf.yield {self.pick(self.wholes)} : {WHOLE}", "}" if k else "} else {"]
            self.close(sizes)
        self.wholes.append(name)


def program(random: Random, whiles: bool = False) -> str:
    """A function of two tensors and a scalar that returns two tensors."""
    writer = Writer(random, whiles)
    for _ in range(random.randrange(4, 12)):
        writer.step(0)
    # MLIR crashes where one buffer is returned twice.
    first, second = random.sample(writer.wholes, 2)
    ends = f"{first}, {second}"
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in range(4))
    head = f"func.func @f(%t0: {WHOLE}, %t1: {WHOLE}, %x: f32) -> ({WHOLE}, {WHOLE})"
    return "\n".join([head + " {", constants, *writer.lines, f"return {ends} : {WHOLE}, {WHOLE}", "}"])
