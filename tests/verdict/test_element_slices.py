"""One wrong copy among many of code that takes too long for the interpreter: its element alone is computed."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.program.tree import Loop, walk
from hecv.refute.differential_runs import least_steps
from hecv.refute.element_slice import slice_of
from hecv.run.interpreter.interpreter import Exhausted, Finished, compile

COPY = """        %a{t} = affine.load %A[%i + {x}, %k] : memref<{n}x{n}xf32>
        %b{t} = affine.load %B[%k, %j + {y}] : memref<{n}x{n}xf32>
        %c{t} = affine.load %C[%i + {x}, %j + {y}] : memref<{n}x{n}xf32>
        %p{t} = arith.mulf %a{t}, %b{t} : f32
        %s{t} = arith.{op} %c{t}, %p{t} : f32
        affine.store %s{t}, %C[%i + {x}, %j + {y}] : memref<{n}x{n}xf32>
"""


def product(n: int, unrolled: int, wrong: tuple[int, int] | None = None, order: str = "ijk") -> str:
    """C += A * B, with so many copies of the innermost statement in two dimensions, one of them `wrong`."""
    copies = ""
    for x in range(unrolled):
        for y in range(unrolled):
            copies += COPY.format(t=f"{x}_{y}", x=x, y=y, n=n, op="subf" if (x, y) == wrong else "addf")
    steps = {"i": unrolled, "j": unrolled, "k": 1}
    loops = "".join(f"affine.for %{v} = 0 to {n} step {steps[v]} {{\n" for v in order)
    kinds = ", ".join(f"%{name}: memref<{n}x{n}xf32>" for name in "ABC")
    return f"func.func @f({kinds}) {{\n{loops}{copies}}}\n}}\n}}\n  return\n}}"


def _inputs(n: int) -> tuple[Buffer, ...]:
    return tuple(Buffer((n, n), [float((k * step) % 7 - 3) for k in range(n * n)]) for step in (1, 2, 3))


@pytest.mark.parametrize("order", ["ijk", "kij", "jki"])
@pytest.mark.parametrize("unrolled", [1, 2, 4])
def test_a_slice_has_the_value_of_its_element(unrolled: int, order: str) -> None:
    pool, n = TermPool(), 8
    function = read_function(parse(product(n, unrolled, (1, 0), order), "f.mlir"), "f", pool)
    whole = compile(function).run(_inputs(n))
    assert isinstance(whole, Finished)
    for position in (0, 9, 27, 63):
        own = slice_of(pool, function, 2, position, (n, n))
        assert own is not None
        end = compile(own).run(_inputs(n))
        assert isinstance(end, Finished) and end.steps * 16 < whole.steps
        pair = [end.arguments[2], whole.arguments[2]]
        assert all(isinstance(held, Buffer) for held in pair)
        assert pair[0].data[position] == pair[1].data[position]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "edit",
    [
        ("affine.load %C[%i + 0, %j + 0]", "affine.load %C[%i + 0, %k]"),
        ("affine.load %C[%i + 0, %j + 0]", "affine.load %C[%j + 0, %i + 0]"),
        ("affine.store %s0_0, %C[%i + 0, %j + 0]", "affine.store %s0_0, %C[%i + %j, %j + 0]"),
        ("affine.store %s0_0, %C[%i + 0, %j + 0]", "affine.store %s0_0, %A[%i + 0, %j + 0]"),
        ("affine.store %s0_0, %C", "affine.store %s0_0, %B[%i, %j] : memref<8x8xf32>\n        affine.store %s0_0, %C"),
    ],
)
def test_what_reads_other_elements_has_no_slice(edit: tuple[str, str]) -> None:
    pool = TermPool()
    text = product(8, 1)
    assert edit[0] in text
    function = read_function(parse(text.replace(*edit), "f.mlir"), "f", pool)
    assert slice_of(pool, function, 2, 9, (8, 8)) is None


def test_steps_that_are_known_are_not_run() -> None:
    function = read_function(parse(product(16, 2), "f.mlir"), "f", TermPool())
    least = least_steps(function.body)
    assert isinstance(compile(function).run(_inputs(16), least), Finished)
    assert isinstance(compile(function).run(_inputs(16), least * 9 // 10), Exhausted)
    assert sum(isinstance(s, Loop) for s in walk(function.body)) == 3


@pytest.mark.one_in(2)
@pytest.mark.parametrize("unrolled", [4, 8])
def test_one_wrong_copy_of_a_large_product_is_refuted(unrolled: int) -> None:
    source, target = product(128, 1), product(128, unrolled, (unrolled - 1, 2))
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("slice", "jit")
