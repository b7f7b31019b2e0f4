"""Integers of widths that no machine has: the interpreter, MLIR's execution and exact arithmetic."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Scalar
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.run.interpreter.interpreter import Finished, Undefined, compile
from hecv.run.jit import Finished as Ran
from hecv.run.jit import run_many

PLAIN = "addi subi muli andi ori xori maxsi maxui minsi minui divsi divui remsi remui floordivsi ceildivsi ceildivui"
ROUNDED = (PLAIN.split().index("floordivsi"), PLAIN.split().index("ceildivsi"))
EXTENDED = ("mulsi_extended", "mului_extended")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def text(width: int) -> tuple[str, int]:
    """A function that computes every op, and how many results it has."""
    kind, wide = f"i{width}", f"i{width + 3}"
    lines, results = [f"%three = arith.constant 3 : {kind}", f"%few = arith.andi %y, %three : {kind}"], []

    def add(line: str, *kinds: str) -> None:
        name = f"%r{len(lines)}"
        lines.append(f"{name}{f':{len(kinds)}' if len(kinds) > 1 else ''} = {line}")
        results.extend((f"{name}#{k}" if len(kinds) > 1 else name, t) for k, t in enumerate(kinds))

    for op in PLAIN.split():
        add(f"arith.{op} %x, %y : {kind}", kind)
    for op in ("shli", "shrsi", "shrui"):
        add(f"arith.{op} %x, %few : {kind}", kind)
    for op in EXTENDED:
        add(f"arith.{op} %x, %y : {kind}", kind, kind)
    add(f"arith.addui_extended %x, %y : {kind}, i1", kind, "i1")
    add(f"arith.subui_extended %x, %y : {kind}, i1", kind, "i1")
    for predicate in PREDICATES:
        add(f"arith.cmpi {predicate}, %x, %y : {kind}", "i1")
    for op in ("ctlz", "cttz", "ctpop", "absi"):
        add(f"math.{op} %x : {kind}", kind)
    add(f"math.ipowi %x, %few : {kind}", kind)
    add(f"arith.extsi %x : {kind} to {wide}", wide)
    add(f"arith.extui %x : {kind} to {wide}", wide)
    add(f"arith.trunci %x : {kind} to i3", "i3")
    types, values = ", ".join(t for _, t in results), ", ".join(v for v, _ in results)
    body = "\n".join(lines)
    return (
        f"func.func @f(%x: {kind}, %y: {kind}) -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}",
        len(results),
    )


def inputs(width: int) -> list[tuple[Scalar, ...]]:
    random, top = Random(width), 1 << width
    edges = (1, 2, 3, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1)
    pairs = [(a, b) for a in (0, *edges) for b in edges]
    return [*pairs, *((random.randrange(top), random.randrange(1, top)) for _ in range(32))]


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


@pytest.mark.parametrize("width", [5, 7, 13, 31, 33, 63, 65, 100, 125])
def test_ops_at_odd_widths(width: int) -> None:
    source, count = text(width)
    found = read_function(parse(source, "f.mlir"), "f", TermPool(), True)
    program, top = compile(found), 1 << width
    assert len(found.results) == count
    given, ends = [], []
    for arguments in inputs(width):
        end = program.run(arguments)
        x, y = (signed(int(v), width) for v in arguments)  # type: ignore[arg-type]
        assert isinstance(end, Undefined) == (x == -(top // 2) and y == -1), end
        if isinstance(end, Finished):
            given.append(arguments)
            ends.append(end)
    outcomes = run_many(source, "f", given, [a.type for a in found.arguments], [m.element for m in found.results])
    for (x, y), own, other in zip(given, ends, outcomes, strict=True):
        assert isinstance(other, Ran), other
        assert isinstance(x, int) and isinstance(y, int)
        left, right = signed(x, width), signed(y, width)
        rounded = (left // right % top, -(-left // right) % top)
        assert tuple(own.results[k] for k in ROUNDED) == rounded
        assert own.results == other.results, (x, y)
        product = left * right
        assert own.results[:3] == ((x + y) % top, (x - y) % top, x * y % top)
        low, high = (own.results[len(PLAIN.split()) + 3 + k] for k in range(2))
        assert (low, high) == (product % top, (product >> width) % top)


def test_the_least_quotient_of_many_bits_is_refuted() -> None:
    """`arith-expand` takes -1 for 2**64 - 1 where there are more than 64 bits."""
    source = "func.func @f(%x: i125, %y: i125) -> i125 {\n%r = arith.floordivsi %x, %y : i125\nreturn %r : i125\n}"
    expanded = """func.func @f(%x: i125, %y: i125) -> i125 {
      %zero = arith.constant 0 : i125
      %minus = arith.constant MINUS : i125
      %q = arith.divsi %x, %y : i125
      %p = arith.muli %q, %y : i125
      %left = arith.cmpi ne, %x, %p : i125
      %a = arith.cmpi slt, %x, %zero : i125
      %b = arith.cmpi slt, %y, %zero : i125
      %turned = arith.cmpi ne, %a, %b : i1
      %both = arith.andi %left, %turned : i1
      %less = arith.addi %q, %minus : i125
      %r = arith.select %both, %less, %q : i125
      return %r : i125
    }"""
    found = check(
        source, expanded.replace("MINUS", str(2**64 - 1)), ("s.mlir", "t.mlir"), Options(seconds=30)
    ).functions[0]
    assert found.verdict == "not-equivalent", found.unknown
    assert found.counterexample is not None and found.counterexample.engines == ("interpreter", "jit")
    right = check(source, expanded.replace("MINUS", "-1"), ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0]
    assert right.verdict != "not-equivalent"
