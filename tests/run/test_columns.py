"""Bodies of long loops run by columns do what their compiled text does."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from hecv.base.term import TermPool
from hecv.base.value import POISON, Buffer
from hecv.mlir.importer import parse, read_function
from hecv.run.codegen import batched_bodies, vectorized_bodies
from hecv.run.interpreter import interpreter
from hecv.run.interpreter.interpreter import Executable, Finished, Undefined, compile

BINARY = (
    *("addi", "subi", "muli", "xori", "minsi", "maxui", "shli", "shrsi"),
    *("divui", "remsi", "divsi", "ceildivui"),
)
SUBSCRIPTS = ("%i", "%i", "%i + 1", "2 * %i", "%i floordiv 2", "3", "%i mod 3", "%n", "%i + 30", "-%i + 31")
LENGTH = 32


def _lines(rng: random.Random, size: int) -> Iterator[str]:
    """Loops over two memrefs of `i8`: accesses of other iterations' elements, out of bounds, divisions, a scalar that
    is carried."""
    yield f"func.func @f(%A: memref<{LENGTH}xi8>, %B: memref<?x4xi8>, %x: i8, %m: index) -> i8 {{"
    yield "  %n = affine.apply affine_map<(d0) -> (d0 mod 8)>(%m)"
    step = rng.choice((1, 1, 3))
    for loop in ("a", "b"):
        start = "%x" if loop == "a" else "%sum_a"
        header = f"affine.for %i = 0 to {rng.choice((9, 16, 31))} step {step} iter_args(%s = {start}) -> i8"
        yield f"  %sum_{loop} = {header} {{"
        known = ["%x", "%s"]
        for k in range(size):
            name, a, b = f"%{loop}{k}", rng.choice(known[-5:]), rng.choice(known[-5:])
            kind = rng.randrange(10)
            risky = rng.random() < 0.03
            subscript = rng.choice(SUBSCRIPTS if risky else SUBSCRIPTS[:7])
            if kind < 2:
                subscript = "%i" if "2 *" in subscript else subscript
                yield f"    {name} = affine.load %A[{subscript}] : memref<{LENGTH}xi8>"
            elif kind == 2:
                yield f"    {name} = affine.load %B[{subscript}, {rng.randrange(4)}] : memref<?x4xi8>"
            elif kind == 3 or kind == 4:
                memory = "%A[%i + 1]" if kind == 3 and rng.random() < 0.3 else f"%B[%i, {rng.randrange(4)}]"
                kept = f"memref<{LENGTH}xi8>" if "%A" in memory else "memref<?x4xi8>"
                yield f"    affine.store {a}, {memory} : {kept}"
                continue
            elif kind == 5:
                yield f"    {name} = arith.addi {a}, {b} overflow<nsw> : i8"
            elif kind == 6:
                yield f"    %c{name[1:]} = arith.constant {rng.randrange(1, 8)} : i8"
                yield f"    {name} = arith.{rng.choice(('shli', 'shrui', 'divui', 'muli'))} {a}, %c{name[1:]} : i8"
            else:
                op = rng.choice(BINARY if rng.random() < 0.05 else BINARY[:6])
                yield f"    {name} = arith.{op} {a}, {b} : i8"
            known.append(name)
        yield f"    affine.yield {known[-1]} : i8"
        yield "  }"
    yield "  return %sum_b : i8"
    yield "}"


def _both(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Executable, Executable]:
    """The function as text, and with its loops by columns."""
    function = read_function(parse(text, "f"), "f", TermPool())
    compiled = compile(function)
    monkeypatch.setattr(interpreter, "LONG", 0)
    monkeypatch.setattr(batched_bodies, "SHORT", 1)
    return compiled, compile(function)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(40))
def test_the_same_as_compiled(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(vectorized_bodies, "MOST", rng.choice((1, 3, 256)))
    compiled, batched = _both("\n".join(_lines(rng, rng.randrange(3, 25))), monkeypatch)
    assert ".run(range(" in batched.source and ".run(" not in compiled.source
    for _ in range(12):
        rows = rng.choice((32, 32, 61, 8))
        data = [Buffer((LENGTH,), _bytes(rng, LENGTH)), Buffer((rows, 4), _bytes(rng, rows * 4))]
        given = [*data, rng.randrange(256), rng.choice((0, 5, 100))]
        budget = rng.choice((10_000, 10_000, 10_000, 150))
        assert batched.run(given, budget) == compiled.run(given, budget), batched.source


def _bytes(rng: random.Random, count: int) -> list[int]:
    return [rng.choice((0, 1, 255, rng.randrange(256))) for _ in range(count)]


def _run(text: str, monkeypatch: pytest.MonkeyPatch, *data: list[int]) -> object:
    compiled, batched = _both(text, monkeypatch)
    given = [Buffer((len(d),), d) for d in data]
    found = batched.run(given)
    assert ".run(range(" in batched.source
    assert found == compiled.run(given)
    return found


def test_iterations_that_touch_one_element_are_not_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%A: memref<5xi8>) {
        affine.for %i = 0 to 4 {
          %0 = affine.load %A[%i] : memref<5xi8>
          %1 = arith.addi %0, %0 : i8
          affine.store %1, %A[%i + 1] : memref<5xi8>
        }
        return
      }
    """
    found = _run(text, monkeypatch, [1, 0, 0, 0, 0])
    assert isinstance(found, Finished) and found.arguments == (Buffer((5,), [1, 2, 4, 8, 16]),)


def test_a_later_store_of_an_earlier_iteration_is_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%A: memref<5xi8>, %B: memref<5xi8>) {
        affine.for %i = 0 to 4 {
          %0 = affine.load %A[%i] : memref<5xi8>
          affine.store %0, %B[%i] : memref<5xi8>
          affine.store %0, %B[%i + 1] : memref<5xi8>
        }
        return
      }
    """
    found = _run(text, monkeypatch, [1, 2, 3, 4, 5], [0] * 5)
    assert isinstance(found, Finished) and found.arguments[1] == Buffer((5,), [1, 2, 3, 4, 4])


def test_what_fails_in_an_earlier_iteration_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%A: memref<5xi8>, %B: memref<3xi8>) {
        affine.for %i = 0 to 5 {
          %0 = affine.load %B[%i] : memref<3xi8>
          %1 = affine.load %A[%i] : memref<5xi8>
          %2 = arith.divui %0, %1 : i8
          affine.store %2, %A[%i] : memref<5xi8>
        }
        return
      }
    """
    found = _run(text, monkeypatch, [1, 0, 1, 1, 1], [1, 1, 1])
    assert isinstance(found, Undefined) and found.text == "division by zero"
    found = _run(text, monkeypatch, [1, 1, 1, 0, 1], [1, 1, 1])
    assert isinstance(found, Undefined) and found.text.startswith("out of bounds: index 3")


def test_poison_is_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%A: memref<4xi8>) {
        affine.for %i = 0 to 4 {
          %0 = affine.load %A[%i] : memref<4xi8>
          %1 = arith.addi %0, %0 overflow<nuw> : i8
          %2 = arith.xori %1, %0 : i8
          affine.store %2, %A[%i] : memref<4xi8>
        }
        return
      }
    """
    found = _run(text, monkeypatch, [1, 255, 2, 128])
    assert isinstance(found, Finished) and found.arguments == (Buffer((4,), [3, POISON, 6, POISON]),)


def test_an_address_that_is_read_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
      func.func @f(%A: memref<4xi8>, %B: memref<4xi8>) {
        affine.for %i = 0 to 4 {
          %0 = affine.load %A[%i] : memref<4xi8>
          %1 = arith.index_castui %0 : i8 to index
          %2 = memref.load %B[%1] : memref<4xi8>
          affine.store %2, %A[%i] : memref<4xi8>
        }
        return
      }
    """
    compiled, batched = _both(text, monkeypatch)
    assert batched.source == compiled.source
