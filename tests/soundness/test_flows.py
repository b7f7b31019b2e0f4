"""Random control flow graphs: what is read of them does what they do."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.diag import Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.execute.interpreter import Exhausted, Finished, Undefined, compile

from . import flows
from .running import read
from .test_normal_form import disagreement


def arguments(random: Random) -> tuple[int, int, int, Buffer]:
    """Two numbers, fuel that is soon used up, and an array."""
    return (
        *(random.randrange(16), random.randrange(16), random.randrange(1, 30)),
        Buffer((8,), [random.randrange(8) for _ in range(8)]),
    )


def check_seed(seed: int, dead: bool = False) -> bool:
    """Whether the graph of this seed is reducible; if so, it is run and compared."""
    random = Random(seed)
    nodes = flows.graph(random)
    nodes = flows.with_dead_ends(nodes, random) if dead else nodes
    text = flows.text(nodes)
    try:
        function = read(text, TermPool())
    except Unsupported as problem:
        assert "irreducible" in problem.text, f"{problem.text}\n{text}"
        return False
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
    return True


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_graphs_do_what_they_say(first: int) -> None:
    reducible = sum(check_seed(seed) for seed in range(first, first + 50))
    assert reducible > 10


@pytest.mark.parametrize("first", range(5000, 5400, 100))
def test_graphs_with_dead_ends_do_what_they_say(first: int) -> None:
    """What ends does not go on to blocks that do not."""
    reducible = sum(check_seed(seed, True) for seed in range(first, first + 100))
    assert reducible > 20


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


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2500, 250))
def test_many_graphs_do_what_they_say(first: int) -> None:
    for seed in range(first, first + 250):
        check_seed(seed)
