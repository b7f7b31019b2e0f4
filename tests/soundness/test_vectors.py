"""Random functions on vectors: the interpreter does what MLIR's own execution does, and what is proved holds."""

from __future__ import annotations

import re
from math import prod
from random import Random

import pytest

from hecv.base.term import TermPool, literal
from hecv.base.value import Buffer, Value
from hecv.check import Options, check
from hecv.mlir.importer import read_function
from hecv.program.tree import Function
from hecv.run import jit
from hecv.run.interpreter.interpreter import Finished, compile

from .running import parsed
from .vectors import program


def _read(text: str) -> Function:
    return read_function(parsed(text), "f", TermPool(), by_element=True)


def _arguments(function: Function, random: Random) -> tuple[Value, ...]:
    """Small numbers, so that no sum of them is rounded or order matters."""
    open_extents = iter((random.randrange(1, 7), random.randrange(1, 10)))
    values: list[Value] = []
    for argument in function.arguments:
        if argument.memory is None:
            values.append(random.randrange(5) if str(argument.type) == "index" else float(random.randrange(-9, 9)))
            continue
        known = [literal(e) for e in argument.memory.extents]
        shape = tuple(next(open_extents) if n is None else int(n) for n in known)
        values.append(Buffer(shape, [float(random.randrange(-9, 9)) for _ in range(prod(shape))]))
    return tuple(values)


def _agrees(seed: int) -> None:
    random = Random(seed)
    text = program(random)
    function = _read(text)
    given = _arguments(function, random)
    ours = compile(function).run(given)
    if not isinstance(ours, Finished):
        return
    theirs = jit.run(text, "f", given, [a.type for a in function.arguments], [])
    assert isinstance(theirs, jit.Finished), (theirs, text)
    assert ours.arguments == theirs.arguments, text


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(40))
def test_interpreter_agrees_with_mlir(seed: int) -> None:
    _agrees(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40, 1000))
def test_interpreter_agrees_with_mlir_longer(seed: int) -> None:
    _agrees(seed)


_EDITS = (
    (r"constant ([123]) : index", lambda m: f"constant {int(m[1]) - 1} : index"),
    (r"offsets = \[(\d)", lambda m: f"offsets = [{(int(m[1]) + 1) % 4}"),
    (r"addf", lambda _: "subf"),
    (r"maximumf", lambda _: "minimumf"),
    (r"constant_mask \[(\d)\]", lambda m: f"constant_mask [{(int(m[1]) + 1) % 9}]"),
    (r"\(d1, d0\)", lambda _: "(d0, d1)"),
    (r"olt", lambda _: "ole"),
    (r"\[(\d), (\d)", lambda m: f"[{m[2]}, {m[1]}"),
)


def _mutant(text: str, random: Random) -> str | None:
    """The text with one edit."""
    found = [(m, new) for pattern, new in _EDITS for m in re.finditer(pattern, text)]
    if not found:
        return None
    match, new = random.choice(found)
    return text[: match.start()] + new(match) + text[match.end() :]


def _is_never_wrong(seed: int) -> None:
    random = Random(seed)
    source = program(random, 5)
    target = _mutant(source, random)
    if target is None:
        return
    try:
        functions = [_read(source), _read(target)]
    except Exception as problem:  # an edit may make text that MLIR rejects
        assert "mlir" in type(problem).__module__ or "diag" in type(problem).__module__, problem
        return
    report = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=8.0))
    assert not report.internal, (report.diagnostics, source, target)
    if report.verdict not in ("equivalent", "refines"):
        return
    for _ in range(10):
        given = _arguments(functions[0], random)
        first, second = (compile(f).run(given) for f in functions)
        if isinstance(first, Finished):
            assert isinstance(second, Finished) and first.arguments == second.arguments, (source, target)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(12))
def test_an_edit_that_changes_what_runs_is_not_proved(seed: int) -> None:
    _is_never_wrong(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12, 150))
def test_an_edit_that_changes_what_runs_is_not_proved_longer(seed: int) -> None:
    _is_never_wrong(seed)


def test_a_note_on_a_load_is_no_map() -> None:
    """`affine.vector_load` has an attribute of that name, `vector.load` has none."""

    def loaded(place: str, note: str = "") -> str:
        return f"""func.func @f(%A: memref<8xf32>, %B: memref<4xf32>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %v = vector.load %A[{place}] {note} : memref<8xf32>, vector<4xf32>
          vector.store %v, %B[%c0] : memref<4xf32>, vector<4xf32>
          return
        }}"""

    noted = loaded("%c0", "{map = affine_map<(d0) -> (d0 + 1)>}")
    for source, verdict in ((loaded("%c0"), "equivalent"), (loaded("%c1"), "not-equivalent")):
        assert check(source, noted, ("s.mlir", "t.mlir"), Options()).verdict == verdict
