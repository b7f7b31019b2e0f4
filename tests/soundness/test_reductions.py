"""Random pairs of reductions against an oracle: which elements, and how often, each of them sums up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.ops.fastmath_flags import FloatMode

SIZES = [(n, m) for n in range(6) for m in range(5)]


@dataclass(frozen=True)
class Reduction:
    """Nests that sum elements of a matrix one after the other into one accumulator, or each into its own.

    A nest has the order of its loops, their first iterations, whether each is reversed, its tile size (0: none), and
    the elements that it reads, as offsets of row and column.
    """

    nests: tuple[Nest, ...]
    apart: bool

    def elements(self, n: int, m: int) -> Counter[tuple[int, int]]:
        found: Counter[tuple[int, int]] = Counter()
        for nest in self.nests:
            found.update(nest.elements(n, m))
        return found

    def text(self, kind: str, add: str, zero: str) -> str:
        body, result = "", "%z"
        for number, nest in enumerate(self.nests):
            body += nest.text(number, "%z" if self.apart else result, kind, add)
            total = f"%t{number}"
            if self.apart:
                body += f"  {total} = arith.{add} {result}, %s{number} : {kind}\n"
            result = total if self.apart else f"%s{number}"
        head = f"func.func @f(%A: memref<?x?x{kind}>, %n: index, %m: index) -> {kind} {{\n"
        return f"{head}  %z = arith.constant {zero} : {kind}\n{body}  return {result} : {kind}\n}}\n"


@dataclass(frozen=True)
class Nest:
    order: tuple[str, str]
    first: tuple[int, int]
    reversed: tuple[bool, bool]
    tile: int
    reads: tuple[tuple[int, int], ...]

    def elements(self, n: int, m: int) -> Counter[tuple[int, int]]:
        rows = range(self.first[0], n)
        columns = range(self.first[1], m)
        return Counter((i + a, j + b) for i in rows for j in columns for a, b in self.reads)

    def text(self, number: int, start: str, kind: str, add: str) -> str:
        sizes = {"i": ("%n", self.first[0], self.reversed[0]), "j": ("%m", self.first[1], self.reversed[1])}
        outer, inner = self.order
        index = {
            name: f"{size} - 1 - %{name} + {first}" if turned else f"%{name}"
            for name, (size, first, turned) in sizes.items()
        }
        lines = f"  %s{number} = {self._outer(outer, sizes, start, kind)}"
        size, first, _ = sizes[inner]
        lines += f"    %y{number} = affine.for %{inner} = {first} to {size} iter_args(%b = %a) -> {kind} {{\n"
        last = "%b"
        for k, (a, b) in enumerate(self.reads):
            lines += f"      %v{k} = affine.load %A[{index['i']} + {a}, {index['j']} + {b}] : memref<?x?x{kind}>\n"
            lines += f"      %r{k} = arith.{add} {last}, %v{k} : {kind}\n"
            last = f"%r{k}"
        lines += f"      affine.yield {last} : {kind}\n    }}\n    affine.yield %y{number} : {kind}\n  }}\n"
        if self.tile:
            lines += f"    affine.yield %w : {kind}\n  }}\n"
        return lines

    def _outer(self, outer: str, sizes: dict[str, tuple[str, int, bool]], start: str, kind: str) -> str:
        size, first, _ = sizes[outer]
        if not self.tile:
            return f"affine.for %{outer} = {first} to {size} iter_args(%a = {start}) -> {kind} {{\n"
        upper = f"min affine_map<(d0)[s0] -> (d0 + {self.tile}, s0)>(%t)[{size}]"
        return (
            f"affine.for %t = {first} to {size} step {self.tile} iter_args(%c = {start}) -> {kind} {{\n"
            f"    %w = affine.for %{outer} = affine_map<(d0) -> (d0)>(%t) to {upper} iter_args(%a = %c) -> {kind} {{\n"
        )


def _nest(random: Random) -> Nest:
    order = random.choice((("i", "j"), ("j", "i")))
    reads = random.choice((((0, 0),), ((0, 0), (0, 0)), ((0, 0), (0, 1)), ((0, 1), (0, 0)), ((1, 0), (0, 1))))
    turned = (random.random() < 0.3, random.random() < 0.3)
    return Nest(order, (random.randrange(2), random.randrange(2)), turned, random.choice((0, 0, 2, 3)), reads)


def _variant(random: Random, nest: Nest) -> Nest:
    """The same elements in another order, mostly."""
    reads = nest.reads if random.random() < 0.6 else tuple(reversed(nest.reads))
    other = _nest(random)
    if random.random() < 0.25:
        return Nest(other.order, other.first, other.reversed, other.tile, reads)
    return Nest(other.order, nest.first, other.reversed, other.tile, reads)


def _pair(random: Random) -> tuple[Reduction, Reduction]:
    nests = tuple(_nest(random) for _ in range(random.choice((1, 1, 2))))
    changed = [_variant(random, nest) for nest in nests]
    random.shuffle(changed)
    return Reduction(nests, random.random() < 0.3), Reduction(tuple(changed), random.random() < 0.3)


def _proved(
    pair: tuple[Reduction, Reduction], fp: FloatMode, kind: str, add: str, zero: str, seconds: float = 20.0
) -> bool:
    source, target = (side.text(kind, add, zero) for side in pair)
    options = Options(switches=Switches(floats=fp), seconds=seconds)
    report = check(source, target, ("source.mlir", "target.mlir"), options)
    assert report.verdict != "error", f"{source}\n{target}\n{report.diagnostics}"
    same = all(pair[0].elements(n, m) == pair[1].elements(n, m) for n, m in SIZES)
    proved = report.verdict in ("equivalent", "refines")
    assert same or not proved, f"{source}\n{target}"
    assert not same or report.verdict != "not-equivalent", f"{source}\n{target}"
    return proved


@pytest.mark.one_in(12)
@pytest.mark.parametrize("seed", range(12))
def test_random_integer_reductions(seed: int) -> None:
    _proved(_pair(Random(seed)), "strict", "i32", "addi", "0", 5.0)


@pytest.mark.one_in(14)
@pytest.mark.parametrize("seed", range(100, 106))
@pytest.mark.parametrize("fp", ["reassoc", "real"])
def test_random_float_reductions(seed: int, fp: FloatMode) -> None:
    _proved(_pair(Random(seed)), fp, "f32", "addf", "0.0", 5.0)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "fp"), [(8, "strict"), (9, "strict"), (105, "reassoc"), (105, "real")])
def test_random_reductions_that_take_long(seed: int, fp: FloatMode) -> None:
    """These are not decided within the time of the others."""
    _proved(_pair(Random(seed)), fp, *(("i32", "addi", "0") if fp == "strict" else ("f32", "addf", "0.0")))


@pytest.mark.long
def test_many_random_reductions() -> None:
    proved = sum(_proved(_pair(Random(seed)), "strict", "i16", "addi", "0") for seed in range(1000, 1012))
    proved += sum(_proved(_pair(Random(seed)), "reassoc", "f64", "addf", "0.0") for seed in range(2000, 2006))
    assert proved > 3
