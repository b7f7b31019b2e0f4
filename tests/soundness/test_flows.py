"""Random control flow graphs: what is read of them does what they do."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.run.interpreter.interpreter import Exhausted, Finished, Undefined, compile

from . import flows
from .running import read
from .test_normal_form import disagreement


def arguments(random: Random) -> tuple[int, int, int, Buffer]:
    """Two numbers, fuel that is soon used up, and an array."""
    return (
        *(random.randrange(16), random.randrange(16), random.randrange(1, 30)),
        Buffer((8,), [random.randrange(8) for _ in range(8)]),
    )


def check_seed(seed: int, dead: bool = False) -> None:
    """The graph of this seed is run and compared; not every one is reducible."""
    random = Random(seed)
    nodes = flows.graph(random)
    nodes = flows.with_dead_ends(nodes, random) if dead else nodes
    text = flows.text(nodes)
    function = read(text, TermPool())
    code = compile(function)
    own = [arguments(random) for _ in range(12)]
    for given in own:
        first, second, fuel, array = *given[:3], given[3].data
        end = code.run(given, 100_000)
        expected = flows.run(nodes, first, second, fuel, array)
        if isinstance(expected, str):
            assert isinstance(end, Undefined if expected == "unreachable" else Exhausted), f"{end}\n{text}"
            continue
        assert isinstance(end, Finished), f"{end}\n{text}"
        after = end.arguments[3]
        assert isinstance(after, Buffer)
        found = (*end.results, after.data)
        assert found == expected, f"{found}, expected {expected}, on {first}, {second}, {fuel}, {array}\n{text}"
    assert disagreement(text, random, 6, own) is None, text


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 100, 50))
def test_graphs_do_what_they_say(first: int) -> None:
    for seed in range(first, first + 50):
        check_seed(seed)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(5000, 5100, 50))
def test_graphs_with_dead_ends_do_what_they_say(first: int) -> None:
    """What ends does not go on to blocks that do not."""
    for seed in range(first, first + 50):
        check_seed(seed, True)


RETURNS_OR_NOT = """func.func @f(%a: memref<8xi32>, %c: i1, %d: i1, %x: i32) {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^one, ^other
^one:
  cf.cond_br %d, ^never, ^end
^other:
  cf.cond_br %d, ^never, ^end
^end:
  memref.store %x, %a[%c0] : memref<8xi32>
  return
^never:
  {never}
}"""


@pytest.mark.parametrize("never", ["ub.unreachable", "cf.br ^never"])
def test_what_returns_is_defined(never: str) -> None:
    source = RETURNS_OR_NOT.replace("{never}", never)
    target = "func.func @f(%a: memref<8xi32>, %c: i1, %d: i1, %x: i32) {\n  return\n}"
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"


TWO_WAYS_IN = """func.func @f(%a: memref<8xi32>, %c: i1, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  cf.cond_br %c, ^halve(%n : i32), ^less(%n : i32)
^halve(%i: i32):
  %j = arith.divsi %i, DIVISOR : i32
  memref.store %j, %a[%c0] : memref<8xi32>
  %more = arith.cmpi sgt, %j, %one : i32
  cf.cond_br %more, ^less(%j : i32), ^end(%j : i32)
^less(%k: i32):
  %l = arith.LESS %k, %one : i32
  JUMP
^end(%r: i32):
  return %r : i32
}"""
RIGHT = {"DIVISOR": "%two", "LESS": "subi", "JUMP": "cf.br ^halve(%l : i32)"}


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"JUMP": "%m = arith.addi %k, %minus : i32\n  cf.br ^halve(%m : i32)"}, "equivalent"),
        ({"JUMP": "cf.br ^end(%l : i32)"}, "not-equivalent"),
        ({"JUMP": "cf.br ^halve(%k : i32)"}, "not-equivalent"),
        ({"LESS": "addi"}, "not-equivalent"),
        ({"DIVISOR": "%one"}, "not-equivalent"),
    ],
)
def test_loops_with_two_ways_in(change: dict[str, str], verdict: str) -> None:
    target = source = TWO_WAYS_IN
    for place, code in RIGHT.items():
        source, target = source.replace(place, code), target.replace(place, change.get(place, code))
    assert check(source, target, ("s.mlir", "t.mlir"), Options(seconds=20)).verdict == verdict


BLOCKS_WITH_VECTORS = """
func.func @f(%A: memref<?x4xf32>, %n: index, %v: vector<4xf32>, %x: f32) -> (vector<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %v : index, vector<4xf32>)
^head(%i: index, %s: vector<4xf32>):
  %t = arith.mulf %s, %v : vector<4xf32>
  %m = arith.cmpi slt, %i, %n : index
  cf.cond_br %m, ^body, ^end
^body:
  %p = arith.cmpf ogt, %x, %x : f32
  %w = arith.addf %t, %s : vector<4xf32>
  cf.cond_br %p, ^one, ^two
^one:
  cf.br ^both(%x : f32)
^two:
  %e = vector.extract %w[1] : f32 from vector<4xf32>
  cf.br ^both(%e : f32)
^both(%y: f32):
  %b = vector.broadcast %y : f32 to vector<4xf32>
  %u = arith.addf %w, %b : vector<4xf32>
  vector.store %u, %A[%i, %c0] : memref<?x4xf32>, vector<4xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u : index, vector<4xf32>)
^end:
  %r = vector.extract %t[2] : f32 from vector<4xf32>
  return %s, %r : vector<4xf32>, f32
}"""
LOOP_WITH_VECTORS = """
func.func @f(%A: memref<?x4xf32>, %n: index, %v: vector<4xf32>, %x: f32) -> (vector<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%s = %v) -> vector<4xf32> {
    %t = arith.mulf %s, %v : vector<4xf32>
    %w = arith.addf %t, %s : vector<4xf32>
    %p = arith.cmpf ogt, %x, %x : f32
    %y = scf.if %p -> f32 { scf.yield %x : f32 } else {
      %e = vector.extract %w[1] : f32 from vector<4xf32>
      scf.yield %e : f32
    }
    %b = vector.broadcast %y : f32 to vector<4xf32>
    %u = arith.addf %w, %b : vector<4xf32>
    vector.store %u, %A[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    scf.yield %u : vector<4xf32>
  }
  %t2 = arith.mulf %q, %v : vector<4xf32>
  %r = vector.extract %t2[2] : f32 from vector<4xf32>
  return %q, %r : vector<4xf32>, f32
}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("old", "new"),
    [("%t2 = arith.mulf %q, %v", "%t2 = arith.mulf %v, %v"), ("vector.extract %w[1]", "vector.extract %s[1]")],
)
def test_vectors_that_other_blocks_use(old: str, new: str) -> None:
    """A vector is kept for blocks that its own does not show."""
    names = "s.mlir", "t.mlir"
    assert old in LOOP_WITH_VECTORS
    assert check(BLOCKS_WITH_VECTORS, BLOCKS_WITH_VECTORS, names, Options()).verdict == "equivalent"
    assert check(BLOCKS_WITH_VECTORS, LOOP_WITH_VECTORS, names, Options(seconds=10)).verdict != "not-equivalent"
    wrong = LOOP_WITH_VECTORS.replace(old, new)
    assert check(BLOCKS_WITH_VECTORS, wrong, names, Options(seconds=10)).verdict == "not-equivalent"


@pytest.mark.long
@pytest.mark.parametrize("first", [100, *range(1000, 2500, 300)])
@pytest.mark.parametrize("dead", (False, True), ids=("ending", "dead-ends"))
def test_many_graphs_do_what_they_say(first: int, dead: bool) -> None:
    for seed in range(first, first + 300):
        check_seed(5000 + seed if dead else seed, dead)
