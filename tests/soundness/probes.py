"""Random functions of all ops that hecv knows: lines that use one op each, on values of the types that these take."""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Final

from tests.mlir.ops import ARGUMENTS, PROBES
from torch_mlir import ir

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import new_context, parse

LEFT_OUT: Final = re.compile(
    r"scaling_|dma_|winograd|vector\.print|scalable|vscale|indirect|func\.(constant|func|return|call)|unreachable"
    r"|fill_rng|aligned_pointer|tensor\.(bitcast|reshape)|complex\.bitcast|sparse|unpack|realloc|conv_3d|softmax"
)
"""Ops without a meaning, or that end a program, or take long."""

MORE: Final = (
    "%r = func.call @g(%n) : (i32) -> i32",
    "%r = arith.extf %e : f16 to f32",
    "%r = arith.truncf %d : f64 to f32",
    "%r = arith.bitcast %n : i32 to f32",
    "%r = arith.ceildivsi %n, %m : i32",
    "%r = arith.remf %e, %e : f16",
    "%r = arith.addf %x, %y fastmath<nnan> : f32",
    "%r = arith.mulf %x, %y fastmath<ninf,nsz> : f32",
    "%r = arith.divf %x, %y fastmath<arcp> : f32",
    "%r = arith.maxnumf %e, %e : f16",
    "%r = arith.minimumf %d, %d : f64",
    "%r = arith.cmpf une, %x, %y : f32",
    "%r = arith.cmpf ult, %d, %d : f64",
    "%r = arith.cmpi ugt, %h, %h : i16",
    "%r = arith.shli %h, %h overflow<nuw> : i16",
    "%r = arith.shrsi %n, %m exact : i32",
    "%r = arith.divui %h, %h : i16",
    "%r = arith.trunci %n overflow<nsw> : i32 to i16",
    "%r = arith.extui %h nneg : i16 to i32",
    "%r = arith.select %c, %n, %m : i32",
    "%r = arith.select %c, %i, %j : index",
    "%r = arith.select %c, %z, %w : complex<f32>",
    "%r = arith.select %b, %v, %u : vector<4xi1>, vector<4xf32>",
    "%r = arith.cmpi sgt, %k, %k : vector<4xi32>",
    "%r = arith.addi %k, %k overflow<nsw> : vector<4xi32>",
    "%r = arith.muli %k, %k : vector<4xi32>",
    "%r = arith.divsi %k, %k : vector<4xi32>",
    "%r = arith.shrui %k, %k : vector<4xi32>",
    "%r = arith.mulf %v, %u : vector<4xf32>",
    "%r = arith.fptosi %v : vector<4xf32> to vector<4xi32>",
    "%r = arith.addf %R, %R : tensor<4xf32>",
    "%r = arith.index_cast %i : index to i32",
    "%r = arith.index_castui %h : i16 to index",
    "%r = math.absf %v : vector<4xf32>",
    "%r = math.sqrt %d : f64",
    "%r = math.floor %e : f16",
    "%r = math.ctpop %h : i16",
    "%r = math.fma %v, %u, %v : vector<4xf32>",
    "%r = complex.mul %z, %w fastmath<nnan> : complex<f32>",
    "%r = ub.poison : f32",
    "%r = ub.poison : vector<4xi32>",
    "%r = vector.reduction <minsi>, %k : vector<4xi32> into i32",
    "%r = vector.reduction <xor>, %k, %n : vector<4xi32> into i32",
    "%r = vector.reduction <mul>, %v : vector<4xf32> into f32",
    "%r = vector.extract %k[2] : i32 from vector<4xi32>",
    "%r = vector.insert %n, %k[0] : i32 into vector<4xi32>",
    "%r = vector.bitcast %k : vector<4xi32> to vector<4xf32>",
    "%r = vector.shuffle %k, %k [7, 2, 0, 5] : vector<4xi32>, vector<4xi32>",
    "%r = vector.bitcast %k : vector<4xi32> to vector<8xi16>",
    "memref.store %n, %I[%i] : memref<4xi32>",
    "%r = memref.load %I[%i] : memref<4xi32>",
    "%r = memref.load %M[%i, %j] : memref<4x4xf32>",
    "memref.store %y, %N[%i, %j] : memref<4x4xf32>",
    "%r = memref.atomic_rmw maxu %n, %I[%i] : (i32, memref<4xi32>) -> i32",
    "%r = tensor.extract %T[%i, %j] : tensor<4x4xf32>",
    "%r = tensor.insert %x into %T[%i, %j] : tensor<4x4xf32>",
)

ODDS: Final = {"linalg": 0.05, "bufferization": 0.3, "math": 0.5, "tensor": 0.6, "complex": 0.5}
"""How often a probe of a dialect is taken; of others always."""

RESULTS: Final = re.compile(r"i\d+|f\d+|index|complex<f32>|(?:vector|tensor)<[\dx]+(?:i32|f32|i1|index)>")
"""Types of which a value is returned."""

HEAD: Final = (
    "memref.global @g0 : memref<4xf32>\n"
    "func.func private @g(%a: i32) -> i32 {\n  %r = arith.addi %a, %a : i32\n  return %r : i32\n}\n"
)
INDICES: Final = tuple(f"%c{k}" for k in range(4))
GIVEN: Final = {name: kind for name, _, kind in (one.partition(": ") for one in re.split(r", (?=%)", ARGUMENTS))}
"""Types of the arguments, by name."""


def program(random: Random) -> str:
    """A function of a few ops, some of them in a loop or under a branch; it returns what was computed last."""
    while True:
        text = _Writer(random).text(random.randint(3, 9))
        try:
            return str(parse(text, "probes.mlir", _context()).module)
        except InputError:  # where an op is where it may not stand
            continue


@cache
def _context() -> ir.Context:
    return new_context()


@cache
def _lines() -> tuple[tuple[str, str], ...]:
    """Probes, and the type of what each calls `%r`; a dialect with many stands for as much as one with few."""
    known = [(op, probe) for op, probe in PROBES.items() if "%" in probe and not LEFT_OUT.search(op + " " + probe)]
    more = [(re.search(r"[a-z]+\.[a-z_]+", probe)[0], probe) for probe in MORE]  # type: ignore[index]
    return tuple((op.partition(".")[0], probe) for op, probe in (*known, *more, *more))


@cache
def _made(probe: str) -> str | None:
    """The type of what a probe calls `%r`; None where that is nothing, or is freed."""
    if not re.search(r"^%r\b.* = ", probe, re.MULTILINE) or "dealloc" in probe:
        return None
    parsed = parse(f"{HEAD}func.func @f({ARGUMENTS}) {{\n{probe}\nreturn }}", "probe.mlir", _context())
    *_, function = parsed.module.body.operations
    made = [op for op in function.regions[0].blocks[0].operations if len(op.operation.results)]
    return str(made[-1].operation.results[0].type)


class _Writer:
    """Writes a function; `values` are the names in scope, by type."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.lines = [f"{name} = arith.constant {k} : index" for k, name in enumerate(INDICES)]
        self.used: set[str] = set()
        self.values: dict[str, list[str]] = {}
        for name, kind in GIVEN.items():
            self.values.setdefault(kind, []).append(name)
        self.values["index"] += INDICES * 3

    def text(self, count: int) -> str:
        """A function of so many probes."""
        while count > 0:
            inside = min(count, self.random.choice((0, 0, 0, 0, 2, 3)))
            if inside:
                self.region(inside)
            else:
                self.probe(False)
            count -= max(1, inside)
        kept = [(v, t) for t, names in self.values.items() if RESULTS.fullmatch(t) for v in names if v.startswith("%r")]
        results = sorted(kept, key=lambda one: int(re.sub(r"%r|#.*", "", one[0])))[-4:]
        kinds = ", ".join(t for _, t in results)
        last = f"return {', '.join(v for v, _ in results)} : {kinds}" if results else "return"
        head = ", ".join(f"{name}: {kind}" for name, kind in GIVEN.items() if name in self.used)
        lines = "\n  ".join([*self.lines, last])
        return f"{HEAD}func.func @f({head}) -> ({kinds}) {{\n  {lines}\n}}\n"

    def probe(self, nested: bool) -> None:
        """A probe on values in scope; in a region none of which ends a block."""
        dialect, probe = self.random.choice(_lines())
        while self.random.random() > ODDS.get(dialect, 1.0) or (nested and "^" in probe and "cf." in probe):
            dialect, probe = self.random.choice(_lines())
        self.count += 1
        number = self.count
        own = {n for names in re.findall(r"^(%.*?) = ", probe, re.MULTILINE) for n in re.findall(r"%\w+", names)}
        own |= set(re.findall(r"(%\w+)(?=:[^:])", probe)) if "bb0" in probe else set()

        def renamed(match: re.Match[str]) -> str:
            name = match[0]
            if name in own or name not in GIVEN:
                return f"{name}{number}"
            chosen = self.random.choice(self.values[GIVEN[name]][-6:] if self.random.random() < 0.7 else [name])
            self.used.add(chosen)
            return chosen

        text = re.sub(r"%[a-zA-Z]\w*", renamed, probe)
        self.lines += re.sub(r"\^(?!bb0)\w+", lambda m: f"{m[0]}{number}", text).split("\n")
        kind = _made(probe)
        if kind is not None:
            several = "#0" if re.search(r"^%r:\d", probe, re.MULTILINE) else ""
            self.values.setdefault(kind, []).append(f"%r{number}{several}")

    def region(self, count: int) -> None:
        """Probes in a loop that carries a value, or under a branch that chooses one."""
        self.count += 1
        number, kind = self.count, self.random.choice(("f32", "i32", "vector<4xf32>", "index", "complex<f32>"))
        first, scope = self.random.choice(self.values[kind]), {t: list(v) for t, v in self.values.items()}
        self.used.add(first)
        if self.random.random() < 0.5:
            bound = self.random.choice((*INDICES[1:], "%j"))
            self.used.add(bound)
            steps = f"%t{number} = %c0 to {bound} step %c1"
            head = f"%r{number} = scf.for {steps} iter_args(%u{number} = {first}) -> ({kind}) {{"
            self.values["index"].append(f"%t{number}")
            self.values[kind].append(f"%u{number}")
            rest: tuple[str, ...] = ("}",)
        else:
            chosen = self.random.choice(self.values["i1"])
            self.used.add(chosen)
            head = f"%r{number} = scf.if {chosen} -> ({kind}) {{"
            rest = ("} else {", f"scf.yield {first} : {kind}", "}")
        self.lines.append(head)
        for _ in range(count):
            self.probe(True)
        last = self.random.choice(self.values[kind][-3:])
        self.used.add(last)
        self.lines += [f"scf.yield {last} : {kind}", *rest]
        self.values = scope
        self.values[kind].append(f"%r{number}")
