"""Long functions run operator by operator do what their compiled text does."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from hecv.base.term import TermPool
from hecv.base.value import POISON
from hecv.mlir.importer import parse, read_function
from hecv.run.interpreter import operator_steps
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

BINARY = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui", "shli", "shrsi"),
    *("divui", "remsi", "divsi", "ceildivui"),
)


def _lines(rng: random.Random, size: int) -> Iterator[str]:
    """A function of `i8`, some of whose operators are undefined or poison for some inputs."""
    yield "func.func @f(%v0: i8, %v1: i8, %v2: i1) -> (i8, i1, i8) {"
    bytes_, bits = ["%v0", "%v1"], ["%v2"]
    for k in range(3, size):
        name, x, y = f"%v{k}", rng.choice(bytes_[-6:]), rng.choice(bytes_[-6:])
        kind = rng.randrange(8)
        if kind == 0:
            yield f"  {name} = arith.constant {rng.randrange(-128, 128)} : i8"
        elif kind == 1:
            yield f"  {name} = arith.select {rng.choice(bits)}, {x}, {y} : i8"
        elif kind == 2:
            yield f"  {name} = arith.cmpi {rng.choice(('slt', 'ule', 'eq'))}, {x}, {y} : i8"
            bits.append(name)
            continue
        elif kind == 3:
            yield f"  {name} = arith.{rng.choice(('addi', 'subi'))} {x}, {y} overflow<nsw> : i8"
        else:
            yield f"  {name} = arith.{rng.choice(BINARY[: 8 if kind < 7 else None])} {x}, {y} : i8"
        bytes_.append(name)
    yield f"  return {bytes_[-1]}, {bits[-1]}, {bytes_[-2]} : i8, i1, i8"
    yield "}"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(40))
def test_the_same_as_compiled(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    function = read_function(parse("\n".join(_lines(rng, rng.randrange(6, 30))), "f"), "f", TermPool())
    compiled = compile(function)
    monkeypatch.setattr(operator_steps, "LONG", 0)
    steps = compile(function)
    assert compiled.source and not steps.source
    for _ in range(30):
        arguments = [rng.choice((0, 1, 255, 128, rng.randrange(256))) for _ in range(2)]
        given = [*arguments, rng.randrange(2)]
        assert steps.run(given) == compiled.run(given), given


def test_what_is_undefined_and_what_is_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%x: i8, %y: i8) -> (i8, i8) {
        %0 = arith.addi %x, %y overflow<nuw> : i8
        %1 = arith.divui %x, %y : i8
        return %0, %1 : i8, i8
      }
    """
    monkeypatch.setattr(operator_steps, "LONG", 0)
    steps = compile(read_function(parse(text, "f"), "f", TermPool()))
    assert not steps.source
    assert isinstance(steps.run([3, 0]), Undefined)
    found = steps.run([255, 2])
    assert isinstance(found, Finished) and found.results == (POISON, 127)


def test_what_is_poison_whatever_the_inputs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%x: i8) -> (i8, i8) {
        %0 = arith.addi %x, %x : i8
        %p = ub.poison : i8
        %1 = arith.addi %x, %p : i8
        return %0, %1 : i8, i8
      }
    """
    monkeypatch.setattr(operator_steps, "LONG", 0)
    steps = compile(read_function(parse(text, "f"), "f", TermPool()))
    assert not steps.source
    found = steps.run([3])
    assert isinstance(found, Finished) and found.results == (6, POISON)
