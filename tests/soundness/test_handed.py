"""Random control flow graphs whose blocks hand on views and vectors: what is read of them does what they do."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.mlir.importer import read_alone
from hecv.run.interpreter.interpreter import Finished, compile

from . import handed
from .running import parsed

REFUSED = ("hands on a memref", "is handed on", "is used after it", "is used outside the block")


def arguments(random: Random) -> tuple[int, int, int, Buffer, Buffer]:
    """Two numbers, fuel that is soon used up, and two arrays."""
    arrays = [Buffer((8,), [random.randrange(8) for _ in range(8)]) for _ in range(2)]
    return random.randrange(16), random.randrange(16), random.randrange(16), arrays[0], arrays[1]


def check_seed(seed: int) -> bool:
    """Whether the graph of this seed is read; if so, it is run and compared."""
    random = Random(seed)
    nodes = handed.graph(random)
    text = handed.text(nodes)
    try:
        code = compile(read_alone(parsed(text), "f", TermPool()))
    except Unsupported as problem:
        assert any(one in problem.text for one in REFUSED), f"{problem.text}\n{text}"
        return False
    for _ in range(12):
        given = arguments(random)
        first, second, fuel, *buffers = given
        arrays = {name: [int(str(x)) for x in b.data] for name, b in zip("AB", buffers, strict=True)}
        expected = handed.run(nodes, first, second, fuel, arrays)
        end = code.run(given, 100_000)
        assert isinstance(end, Finished), f"{end}\n{text}"
        found = [*end.results, *(x for b in end.arguments[3:] if isinstance(b, Buffer) for x in b.data)]
        assert found == [*expected, *arrays["A"], *arrays["B"]], f"{given}\n{text}"
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_graphs_that_hand_on_views_do_what_they_say(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 50)) > 10
