"""Views: the interpreter does what MLIR's own execution does, and passes that fold views are never refuted."""

from __future__ import annotations

import subprocess
from math import prod
from pathlib import Path
from random import Random

import pytest

from hecv.base.term import literal
from hecv.base.value import Buffer, Value
from hecv.check import Options, check
from hecv.program.tree import Function
from hecv.run import jit
from hecv.run.interpreter.interpreter import Finished, compile

from .running import read
from .views import LARGEST_OFFSET, program

MLIR_OPT = Path("/usr/lib/llvm-22/bin/mlir-opt")
PIPELINES = (
    "fold-memref-alias-ops",
    "expand-strided-metadata",
    "normalize-memrefs",
    "fold-memref-alias-ops,canonicalize",
    "expand-strided-metadata,lower-affine,canonicalize",
    "memref-expand,fold-memref-alias-ops,cse",
)


def arguments(function: Function, random: Random) -> tuple[Value, ...]:
    values: list[Value] = []
    for argument in function.arguments:
        if argument.memory is None:
            values.append(random.randint(0, LARGEST_OFFSET))
            continue
        shape = tuple(int(literal(e) or 0) for e in argument.memory.extents)
        values.append(Buffer(shape, [float(k) for k in range(prod(shape))]))
    return tuple(values)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(40))
def test_interpreter_agrees_with_mlir(seed: int) -> None:
    random = Random(seed)
    text = program(random)
    function = read(text)
    given = arguments(function, random)
    ours = compile(function).run(given)
    assert isinstance(ours, Finished), (ours, text)
    theirs = jit.run(text, "f", given, [a.type for a in function.arguments], [])
    assert isinstance(theirs, jit.Finished), (theirs, text)
    assert ours.arguments == theirs.arguments, text


@pytest.mark.one_in(12)
@pytest.mark.parametrize("seed", range(40))
def test_passes_over_views(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    random = Random(1000 + seed)
    text, pipeline = program(random), random.choice(PIPELINES)
    command = [str(MLIR_OPT), "-", f"--pass-pipeline=builtin.module({pipeline})"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for target in (text, done.stdout):
        report = check(text, target, ("s.mlir", "t.mlir"), Options(seconds=20))
        assert report.verdict in ("equivalent", "refines"), (pipeline, report, text, target)


def test_programs_are_of_every_kind() -> None:
    texts = "\n".join(program(Random(seed)) for seed in range(40))
    for op in ("subview", "transpose", "collapse_shape", "expand_shape", "copy"):
        assert f"memref.{op}" in texts


@pytest.mark.one_in(6)
def test_a_row_of_a_larger_array_is_contiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one row is looked at, the distance of rows leads nowhere."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    kind, head = (
        "memref<?x4xf32, strided<[?, 1]>>",
        "func.func @f(%A: memref<8x8xf32>, %n: index, %i: index) -> f32 {\n",
    )
    rows = f"""{head}%s = arith.constant 1 : index
%v = memref.subview %A[0, 0][%n, 4][%s, 1] : memref<8x8xf32> to {kind}
%c = memref.collapse_shape %v [[0, 1]] : {kind} into memref<?xf32, strided<[1]>>
%x = memref.load %c[%i] : memref<?xf32, strided<[1]>>
return %x : f32\n}}"""
    first = f"{head}%c0 = arith.constant 0 : index\n%x = memref.load %A[%c0, %i] : memref<8x8xf32>\nreturn %x : f32\n}}"
    zero = f"{head}%x = arith.constant 0.0 : f32\nreturn %x : f32\n}}"
    found = [check(rows, target, ("s.mlir", "t.mlir"), Options(seconds=20)).verdict for target in (first, zero)]
    assert found == ["refines", "not-equivalent"]


COLUMN = """func.func @f(%A: memref<4x6xf32>, %B: memref<4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {}
  affine.for %i = 0 to 4 {{
    %x = memref.load {} : {}
    memref.store %x, %B[%i] : memref<4xf32>
  }}
  return
}}"""


@pytest.mark.parametrize(("extent", "verdict"), [("1", "equivalent"), ("%c1", "not-equivalent")])
def test_a_dimension_is_passed_over_where_its_type_says_one(extent: str, verdict: str) -> None:
    """Of one that is so at run time only the stride counts to MLIR: it takes the element one further on, not a row."""
    known = extent == "1"
    kind = f"memref<4x{'1' if known else '?'}xf32, strided<[6, 1]>>"
    flat = "memref<4xf32, strided<[6]>>" if known else "memref<?xf32, strided<[?]>>"
    views = f"""%v = memref.subview %A[0, 0][4, {extent}][1, 1] : memref<4x6xf32> to {kind}
  %c = memref.collapse_shape %v [[0, 1]] : {kind} into {flat}"""
    plain = COLUMN.format("", "%A[%i, %c0]", "memref<4x6xf32>")
    report = check(plain, COLUMN.format(views, "%c[%i]", flat), ("s.mlir", "t.mlir"), Options())
    assert report.verdict == verdict


def test_the_stride_of_dimensions_of_extent_1_is_that_of_the_first() -> None:
    kind, flat = "memref<4x1x1xf32, strided<[30, 6, 1]>>", "memref<4x1xf32, strided<[30, 6]>>"
    source = f"""func.func @f() -> index {{
  %m = memref.alloc() : memref<4x5x6xf32>
  %v = memref.subview %m[0, 0, 0][4, 1, 1][1, 1, 1] : memref<4x5x6xf32> to {kind}
  %c = memref.collapse_shape %v [[0], [1, 2]] : {kind} into {flat}
  %b, %o, %n:2, %s:2 = memref.extract_strided_metadata %c : {flat} -> memref<f32>, index, index, index, index, index
  memref.dealloc %m : memref<4x5x6xf32>
  return %s#1 : index
}}"""
    target = "func.func @f() -> index {{ %s = arith.constant {} : index return %s : index }}"
    verdicts = [check(source, target.format(n), ("s.mlir", "t.mlir"), Options()).verdict for n in (6, 1)]
    assert verdicts == ["equivalent", "not-equivalent"]
