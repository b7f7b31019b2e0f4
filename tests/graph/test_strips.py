"""Strip-mined loops as one loop: the same stores in the same order, and undefined on the same inputs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Value
from hecv.execute.interpreter import Excluded, Exhausted, Undefined, compile
from hecv.frontend.mlir import parse, read_function
from hecv.graph.memory import normalize
from hecv.graph.strips import join_strips
from hecv.graph.tree import Function, Loop, walk

HEAD = "func.func @f(%A: memref<40xi32>, %n: index, %m: index) {"
BODY = """%x = affine.load %A[INDEX + 3] : memref<40xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %A[INDEX + 4] : memref<40xi32>"""
INNER = """affine.for %q = affine_map<(d0) -> (d0)>(%i) to %m {
      %x = affine.load %A[%q] : memref<40xi32>
      %y = arith.addi %x, %x : i32
      affine.store %y, %A[%i + 4] : memref<40xi32>
    }"""


def function(heads: list[str], body: str, index: str = "%i") -> str:
    return "\n".join([HEAD, *heads, body.replace("INDEX", index), "}" * len(heads), "return }"])


def loop(name: str, lower: str, upper: str, step: int) -> str:
    return f"affine.for {name} = {lower} to {upper} step {step} {{"


def at(name: str) -> str:
    return f"affine_map<(d) -> (d)>({name})"


def least(name: str, size: int, end: str = "n") -> str:
    return f"min affine_map<(d)[n, m] -> (d + {size}, {end})>({name})[%n, %m]"


JOINED = {
    "strips": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 4), 1)], BODY),
    "with a step": function([loop("%t", "1", "%n", 6), loop("%i", at("%t"), least("%t", 6), 3)], BODY),
    "from another loop": function(
        [loop("%q", "0", "%m", 1), loop("%t", at("%q"), "%n", 4), loop("%i", at("%t"), least("%t", 4), 1)], BODY
    ),
    "of strips": function(
        [loop("%s", "0", "%n", 8), loop("%t", at("%s"), least("%s", 8), 4), loop("%i", at("%t"), least("%t", 4), 1)],
        BODY,
    ),
    "all whole": function([loop("%t", "0", "24", 4), loop("%i", at("%t"), "affine_map<(d) -> (d + 4)>(%t)", 1)], BODY),
    "whole up to a floor": function(
        [
            loop("%t", "0", "affine_map<()[n] -> ((n floordiv 4) * 4)>()[%n]", 4),
            loop("%i", at("%t"), "affine_map<(d) -> (d + 4)>(%t)", 1),
        ],
        BODY,
    ),
    "counted from 0": function(
        [loop("%t", "0", "%n", 4), loop("%i", "0", "min affine_map<(d)[n] -> (4, n - d)>(%t)[%n]", 1)],
        BODY,
        "%i + %t",
    ),
    "around a loop": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 4), 1)], INNER),
}
STAYS = {
    "the strips are longer": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 5), 1)], BODY),
    "the strips are shorter": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 3), 1)], BODY),
    "the step does not divide": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 4), 3)], BODY),
    "another end": function([loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 4, "m"), 1)], BODY),
    "the last strip goes on": function(
        [loop("%t", "0", "%n", 4), loop("%i", at("%t"), "affine_map<(d) -> (d + 4)>(%t)", 1)], BODY
    ),
    "the strip is seen": function(
        [loop("%t", "0", "%n", 4), loop("%i", at("%t"), least("%t", 4), 1)], BODY, "%i - %t + 6"
    ),
    "they begin elsewhere": function(
        [loop("%t", "0", "%n", 4), loop("%i", "affine_map<(d) -> (d + 1)>(%t)", least("%t", 4), 1)], BODY
    ),
}


def both(text: str) -> tuple[Function, Function]:
    """The function, and the same with its normal form joined."""
    pool = TermPool()
    given = read_function(parse(text, "f.mlir"), "f", pool)
    return given, replace(given, body=join_strips(pool, normalize(pool, given)))


def loops(given: Function) -> int:
    return sum(isinstance(s, Loop) for s in walk(given.body))


def ending(given: Function, sizes: tuple[int, ...]) -> object:
    """The final contents of the array, or that the run is undefined."""
    arguments: tuple[Value, ...] = (Buffer((40,), [3 * k + 1 for k in range(40)]), *sizes)
    end = compile(given).run(arguments)
    assert not isinstance(end, Exhausted | Excluded)
    if isinstance(end, Undefined):
        return "undefined"
    array = end.arguments[0]
    assert isinstance(array, Buffer)
    return array.data


def same(first: Function, second: Function) -> None:
    for sizes in product((-5, -1, 0, 1, 4, 7, 12, 17, 60), (-2, 3, 9)):
        assert ending(first, sizes) == ending(second, sizes), sizes


@pytest.mark.parametrize("name", JOINED)
def test_strips_are_joined(name: str) -> None:
    given, joined = both(JOINED[name])
    levels = {"of strips": 2}.get(name, 1)
    assert loops(joined) == loops(given) - levels
    same(given, joined)


@pytest.mark.parametrize("name", STAYS)
def test_other_nests_stay(name: str) -> None:
    given, joined = both(STAYS[name])
    assert loops(joined) == loops(given)


@pytest.mark.parametrize("seed", range(60))
def test_random_nests(seed: int) -> None:
    """Bounds, steps and sizes near those of strips: what is joined runs alike."""
    random = Random(seed)
    size, step = random.choice((2, 3, 4, 6)), random.choice((1, 1, 2, 3))
    ends = random.choice((("n",), ("n",), ("m",), ("n", "m"), ("12",), ("8 * (n floordiv 8)",)))
    inner = random.choice((ends, ends, ("n",), ()))
    lower = random.choice(("d", "d", "d", "d + 1", "0"))
    bounds = ", ".join([f"d + {size + random.choice((0, 0, 0, 1, -1))}", *inner])
    heads = [
        loop(
            "%t",
            random.choice(("0", "0", "1", "%m")),
            f"min affine_map<()[n, m] -> ({', '.join(ends)})>()[%n, %m]",
            size,
        ),
        loop("%i", f"affine_map<(d) -> ({lower})>(%t)", f"min affine_map<(d)[n, m] -> ({bounds})>(%t)[%n, %m]", step),
    ]
    same(*both(function(heads, random.choice((BODY, INNER)), random.choice(("%i", "%i", "%t")))))
