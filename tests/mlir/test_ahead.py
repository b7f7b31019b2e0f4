"""What another process reads is what this one would read: the same terms, statements and refusals."""

from __future__ import annotations

import os

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.mlir import importer
from hecv.mlir.importer import parse, read_pair
from hecv.process.forked_child import Beside
from hecv.program.structural_equality import same_program

SOURCE = """func.func @f(%n: index, %x: i8, %A: memref<?xi8>) -> i8 {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi8>
    %b = arith.addi %a, %x : i8
    affine.store %b, %A[%i] : memref<?xi8>
  }
  %c = arith.constant 3 : i8
  %y = arith.divui %x, %c : i8
  return %y : i8
}"""
DOUBLED = SOURCE.replace("arith.addi %a, %x", "arith.muli %a, %x")
SUMS = """func.func @f(%n: index, %m: index, %A: memref<?xi8>) {
  %z = arith.constant 0 : i8
  affine.for %i = 0 to 4 {
    affine.store %z, %A[FIRST] : memref<?xi8>
    affine.store %z, %A[SECOND] : memref<?xi8>
  }
  return
}"""
ORDERED = SUMS.replace("FIRST", "symbol(%n) + %i").replace("SECOND", "symbol(%m) + %i + 1")
TURNED = SUMS.replace("FIRST", "symbol(%m) + symbol(%n)").replace("SECOND", "symbol(%n) + symbol(%m) + %i + 1")
CONSTANT = """func.func @f() -> tensor<2xi8> {
  %t = arith.constant dense<[1, 2]> : tensor<2xi8>
  return %t : tensor<2xi8>
}"""


@pytest.mark.parametrize(
    ("source", "target"), [(SOURCE, DOUBLED), (ORDERED, TURNED), (TURNED, ORDERED), (CONSTANT, CONSTANT)]
)
def test_a_target_that_is_read_ahead_is_the_same(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "LONG", 0)
    modules, pool = (parse(source, "s"), parse(target, "t")), TermPool()
    alone = read_pair(modules, ("f", "f"), pool)
    made = len(pool.terms())
    beside = read_pair(modules, ("f", "f"), pool, cores=2)
    assert len(pool.terms()) == made
    assert all(same_program(*pair) for pair in zip(alone, beside, strict=True))
    assert alone[1] == beside[1]
    first, second = TermPool(), TermPool()
    read_pair(modules, ("f", "f"), first)
    read_pair(modules, ("f", "f"), second, cores=2)
    assert list(map(str, first.terms())) == list(map(str, second.terms()))


@pytest.mark.parametrize("bad", [0, 1])
def test_what_cannot_be_read_is_refused_as_ever(bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "LONG", 0)
    texts = [SOURCE, SOURCE]
    texts[bad] = texts[bad].replace("arith.divui %x, %c : i8", '"some.op"(%A) : (memref<?xi8>) -> i8')
    modules = parse(texts[0], "s"), parse(texts[1], "t")
    refused: list[str] = []
    for cores in (1, 2):
        with pytest.raises(Unsupported) as problem:
            read_pair(modules, ("f", "f"), TermPool(), cores=cores)
        refused.append(f"{problem.value.text} {problem.value.location}")
    assert refused[0] == refused[1]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_process_that_fails_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "LONG", 0)
    monkeypatch.setattr(Beside, "result", lambda self: None)
    modules = parse(SOURCE, "s"), parse(DOUBLED, "t")
    source, target = read_pair(modules, ("f", "f"), TermPool(), cores=2)
    assert not same_program(source, target)
