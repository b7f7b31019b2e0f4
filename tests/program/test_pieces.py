"""Loops that were cut in pieces as one: the same stores in the same order, and undefined on the same inputs."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Value
from hecv.check import Options, check
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import parse, read_function
from hecv.normal.loops.strip_joining import join_split_loops
from hecv.normal.passes import normalize
from hecv.program.index.index_ranges import NOTHING
from hecv.program.tree import Function, Loop, walk
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Undefined, compile

HEAD = "func.func @f(%A: memref<40xi32>, %n: index, %m: index) {"
BODY = """%x = affine.load %A[INDEX + 3] : memref<40xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %A[INDEX + 4] : memref<40xi32>"""
FLOOR = "affine_map<()[n] -> ((n floordiv 4) * 4)>()[%n]"
EARLIER = "affine_map<()[n] -> ((n floordiv 4) * 4 - 4)>()[%n]"
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
    "the ends say more than is needed": function(
        [loop("%t", "0", FLOOR, 4), loop("%i", at("%t"), least("%t", 4), 1)], BODY
    ),
    "the last strip alone": function([loop("%t", FLOOR, "%n", 4), loop("%i", at("%t"), at("%n"), 1)], BODY),
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
    "the last two strips overlap": function([loop("%t", EARLIER, "%n", 4), loop("%i", at("%t"), at("%n"), 1)], BODY),
}


def pieces(*ranges: tuple[str, str, int], around: str = "affine.for %o = 0 to %n {", body: str = BODY) -> str:
    """Loops over these ranges, one after the other."""
    heads = [f"affine.for %i = {low} to {up} step {step} {{" for low, up, step in ranges]
    loops = [f"{head}\n{body.replace('INDEX', '%i')}\n}}" for head in heads]
    return "\n".join([HEAD, around, *loops, "}" if around else "", "return }"])


EIGHTH = "affine_map<()[n] -> ((n floordiv 8) * 8)>()[%n]"
CONTINUED = {
    "a clean-up loop of a clean-up loop": pieces(("0", EIGHTH, 1), (EIGHTH, FLOOR, 1), (FLOOR, "%n", 1)),
    "nothing between": pieces(("0", FLOOR, 1), (FLOOR, FLOOR, 3), (FLOOR, "%n", 1)),
    "a clean-up loop": pieces(("0", FLOOR, 1), (FLOOR, "%n", 1)),
    "three pieces": pieces(("0", "3", 1), ("3", "7", 1), ("7", "9", 1), around=""),
    "with a step": pieces(("1", "7", 3), ("7", "11", 3)),
    "around a loop": pieces(("0", FLOOR, 1), (FLOOR, "%n", 1), body=INNER),
    "up to the loop around": pieces(("0", at("%o"), 1), (at("%o"), "%n", 1)),
}
EMPTIED = {"a clean-up loop of a clean-up loop": 2, "nothing between": 2}
APART = {
    "something between": pieces(("0", EIGHTH, 1), (EIGHTH, FLOOR, 3), (FLOOR, "%n", 1)),
    "they may cross": pieces(("0", FLOOR, 1), (FLOOR, "%n", 1), around=""),
    "a gap": pieces(("0", "3", 1), ("4", "7", 1)),
    "an overlap": pieces(("0", "4", 1), ("3", "7", 1)),
    "other steps": pieces(("0", "4", 2), ("4", "7", 1)),
    "out of step": pieces(("0", "5", 2), ("5", "9", 2)),
    "backwards": pieces(("0", "7", 1), ("7", "%m", 1)),
    "another end": pieces(("0", at("%m"), 1), (at("%m"), "%n", 1)),
}


def both(text: str) -> tuple[Function, Function]:
    """The function, and the same with its normal form joined."""
    pool = TermPool()
    given = read_function(parse(text, "f.mlir"), "f", pool)
    return given, replace(given, body=join_split_loops(pool, normalize(pool, given), NOTHING))


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


@pytest.mark.parametrize("name", CONTINUED)
def test_adjoining_ranges_are_joined(name: str) -> None:
    given, joined = both(CONTINUED[name])
    assert loops(joined) == loops(given) - {"three pieces": 2, "around a loop": 2, **EMPTIED}.get(name, 1)
    same(given, joined)


@pytest.mark.parametrize("name", APART)
def test_other_neighbours_stay(name: str) -> None:
    given, joined = both(APART[name])
    assert loops(joined) == loops(given)


def test_neighbours_with_other_bodies_stay() -> None:
    text = CONTINUED["three pieces"]
    given, joined = both(text.replace("%A[%i + 3]", "%A[%i + 2]", 2).replace("%A[%i + 2]", "%A[%i + 3]", 1))
    assert loops(joined) == loops(given)


def at_index(index: str, names: str = "xy") -> str:
    return BODY.replace("INDEX", index).replace("%x", f"%{names[0]}").replace("%y", f"%{names[1]}")


def first_and(end: str, rest: str, around: str = "affine.for %o = 0 to %n {") -> str:
    """A loop from 0, and what stands after it."""
    return "\n".join([HEAD, around, f"affine.for %i = 0 to {end} {{", at_index("%i"), "}", rest, "}", "return }"])


SHIFTED = "affine.for %i = 0 to %m {\n" + at_index("%i + 8") + "\n}"
ONE_LOOP = {
    "counted from another number": first_and("8", SHIFTED.replace("%m", "5")),
    "run once": first_and("8", at_index("8")),
    "run twice": first_and("8", at_index("8") + "\n" + at_index("9", "zw")),
    "run once, where the loop may end": first_and(at("%o"), at_index("%o")),
}
NOT_ONE = {
    "a gap": first_and("7", SHIFTED.replace("%m", "5")),
    "it may end before": first_and("8", SHIFTED),
    "another element": first_and("8", at_index("9")),
    "the loop may be beyond": first_and("%m", at_index("%m")),
}


@pytest.mark.parametrize("name", ONE_LOOP)
def test_what_counts_otherwise_is_joined(name: str) -> None:
    given, joined = both(ONE_LOOP[name])
    assert loops(joined) == 2
    (around,) = joined.body
    assert isinstance(around, Loop) and len(around.body) == 1
    same(given, joined)


def test_a_loop_of_nothing_is_one_loop() -> None:
    given, joined = both(first_and("8", at_index("8")).replace(at_index("%i"), "", 1))
    assert loops(joined) == 2
    same(given, joined)


@pytest.mark.parametrize("name", NOT_ONE)
def test_what_does_not_continue_stays(name: str) -> None:
    given, joined = both(NOT_ONE[name])
    (around,) = joined.body
    assert isinstance(around, Loop) and len(around.body) > 1
    same(given, joined)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(60))
def test_random_neighbours(seed: int) -> None:
    random = Random(f"neighbours {seed}")
    ends = ["0", "3", FLOOR, at("%o"), "%n", "%m", "8"]
    cuts = random.sample(ends, 3) if random.random() < 0.5 else [ends[k] for k in sorted(random.sample(range(7), 3))]
    step = random.choice((1, 1, 2, 3))
    first, second = (cuts[0], cuts[1], step), (cuts[1], cuts[2], step)
    same(*both(pieces(first, second, body=random.choice((BODY, INNER)))))


@pytest.mark.one_in(4)
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


def sized(random: Random) -> str:
    """Strips of a size that is not known: where that is not positive the loop over them is undefined, if empty, too."""
    size, end = random.choice(("%n", "%m", "%some", "%some")), random.choice(("%n", "%m", "%size"))
    low, high = random.choice(("%t", "%t", "%t", "%c0")), random.choice(("%least", "%least", "%least", end, "%next"))
    return f"""{HEAD}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %some = arith.maxsi %m, %c1 : index
  %size = arith.minsi {size}, {random.choice(("%n", size, size))} : index
  scf.for %t = {random.choice(("%c0", "%c1"))} to {end} step %size {{
    %next = arith.addi %t, %size : index
    %least = arith.minsi %next, {end} : index
    scf.for %i = {low} to {high} step {random.choice(("%c1", "%c1", "%c1", "%size"))} {{
      %x = memref.load %A[%i] : memref<40xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %A[%i] : memref<40xi32>
    }}
  }}
  return
}}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(40))
def test_random_strips_of_a_size_that_is_not_known(seed: int) -> None:
    same(*both(sized(Random(seed))))


STRIPS = """
func.func @f(%A: memref<?xf32>, %n: index, %t: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %size = arith.addi %t, %zero : index
  scf.for %k = %zero to %n step %size {
    %end = affine.min affine_map<(d0)[s0, s1] -> (d0 + s1, s0)>(%k)[%n, %size]
    scf.for %i = %k to %end step %one {
      %a = memref.load %A[%i] : memref<?xf32>
      %r = math.sqrt %a : f32
      memref.store %r, %A[%i] : memref<?xf32>
    }
  }
  return
}"""
WHOLE = """
func.func @f(%A: memref<?xf32>, %n: index, %t: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %r = math.sqrt %a : f32
    affine.store %r, %A[%i] : memref<?xf32>
  }
  return
}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("strips", "assume", "verdict"),
    [
        (STRIPS, ("t >= 1",), "equivalent"),
        (STRIPS, (), "not-equivalent"),  # a step that is not positive is undefined
        (STRIPS.replace("arith.addi %t, %zero", "arith.maxsi %t, %one"), (), "equivalent"),
        (STRIPS.replace("step %one", "step %two"), ("t >= 1",), "not-equivalent"),  # a strip may be of odd size
        (STRIPS.replace("(d0 + s1, s0)", "(d0 + s1)"), ("t >= 1",), "not-equivalent"),
        (STRIPS.replace("(d0 + s1, s0)", "(d0 + s1 - 1, s0)"), ("t >= 1",), "not-equivalent"),
        (STRIPS.replace("(d0 + s1, s0)", "(d0 + s1, s0 - 1)"), ("t >= 1",), "not-equivalent"),
    ],
)
def test_strips_of_a_size_that_is_an_argument(strips: str, assume: tuple[str, ...], verdict: str) -> None:
    options = Options(assume=assume, strategy=Strategy(engine="dataflow"))
    assert check(WHOLE, strips, ("source.mlir", "target.mlir"), options).verdict == verdict


@pytest.mark.parametrize(("compared", "verdict"), [("sgt", "equivalent"), ("sge", "not-equivalent")])
def test_strips_of_a_size_that_a_branch_knows(compared: str, verdict: str) -> None:
    """The size is that of all, under a branch that it is positive, or at least 0."""
    branch = f"  %any = arith.cmpi {compared}, %n, %zero : index\n  scf.if %any {{\n  scf.for %k"
    strips = STRIPS.replace("addi %t, %zero", "addi %n, %zero").replace("  scf.for %k", branch)
    options = Options(strategy=Strategy(engine="dataflow"))
    found = check(WHOLE, strips.replace("  return", "  }\n  return"), ("source.mlir", "target.mlir"), options)
    assert found.verdict == verdict


def test_strips_of_two_sizes() -> None:
    """Of the inner strips none need reach the end of an outer one."""
    outer = "  %wide = arith.muli %size, %two : index\n  scf.for %m = %zero to %n step %wide {\n"
    stop = "affine.min affine_map<(d0)[s0, s1] -> (d0 + 2 * s1, s0)>(%m)[%n, %size]"
    twice = STRIPS.replace("  scf.for %k = %zero to %n", f"{outer}  %stop = {stop}\n  scf.for %k = %m to %stop")
    twice = twice.replace("(%k)[%n, %size]", "(%k)[%stop, %size]").replace("  return", "  }\n  return")
    options = Options(assume=("t >= 1",), strategy=Strategy(engine="dataflow"))
    names = ("source.mlir", "target.mlir")
    assert check(WHOLE, twice, names, options).verdict == "equivalent"
    assert check(WHOLE, twice.replace("2 * s1", "s1"), names, options).verdict == "not-equivalent"
