"""Long code is cut before it is compiled; what it computes stays as it is."""

from __future__ import annotations

from random import Random

import pytest
from torch_mlir import ir

from hecv.base.types import INDEX, IntType, MemRefType
from hecv.base.value import Buffer
from hecv.run.jit import Finished, run
from hecv.run.jit.lowering import block_splitting

I8, I32 = IntType(8), IntType(32)


def chain(count: int, seed: int) -> tuple[list[str], int]:
    """Lines that compute %v0, %v1, ... from %a and %b, each from any two before it, and the last value."""
    random, lines = Random(seed), []
    values = [random.randrange(1 << 8), random.randrange(1 << 8)]
    names, given = ["%a", "%b"], tuple(values)
    for number in range(count):
        op, (x, y) = random.choice(("addi", "muli", "xori")), (random.randrange(len(names)) for _ in range(2))
        lines.append(f"%v{number} = arith.{op} {names[x]}, {names[y]} : i8")
        names.append(f"%v{number}")
        a, b = values[x], values[y]
        values.append({"addi": a + b, "muli": a * b, "xori": a ^ b}[op] % 256)
    return lines, (given[0] << 16) + (given[1] << 8) + values[-1]


@pytest.mark.parametrize(
    "count",
    [
        block_splitting.PIECE - 2,
        3 * block_splitting.PIECE - 1,
        3 * block_splitting.PIECE,
        5 * block_splitting.PIECE + 7,
    ],
)
def test_pieces_compute_what_the_whole_does(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_splitting, "LONG", 1)
    lines, packed = chain(count, count)
    a, b, expected = packed >> 16, packed >> 8 & 255, packed & 255
    text = f"func.func @f(%a: i8, %b: i8) -> i8 {{\n{chr(10).join(lines)}\nreturn %v{count - 1} : i8 }}"
    assert run(text, "f", [a, b], [I8, I8], [I8]) == Finished((expected,), (a, b))


def test_the_body_of_a_loop_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_splitting, "LONG", block_splitting.PIECE)
    additions = "\n".join(f"%s{k + 1} = arith.addi %s{k}, %one : i32" for k in range(3 * block_splitting.PIECE))
    text = f"""
    func.func @f(%A: memref<?xi32>, %n: index) {{
      %one = arith.constant 1 : i32
      affine.for %i = 0 to %n {{
        %s0 = affine.load %A[%i] : memref<?xi32>
        {additions}
        affine.store %s{3 * block_splitting.PIECE}, %A[%i] : memref<?xi32>
      }}
      return
    }}
    """
    before, after = Buffer((3,), [5, 6, 7]), Buffer((3,), [x + 3 * block_splitting.PIECE for x in (5, 6, 7)])
    assert run(text, "f", [before, 3], [MemRefType((None,), I32), INDEX], []) == Finished((), (after, 3))


def test_a_short_function_stays_one_block() -> None:
    short, long = (
        "\n".join(f"%v{k + 1} = llvm.add %v{k}, %v{k} : i8" for k in range(count))
        for count in (50, block_splitting.LONG)
    )
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(
            f"llvm.func @short(%v0: i8) {{ {short}\nllvm.return }} llvm.func @long(%v0: i8) {{ {long}\nllvm.return }}"
        )
        block_splitting.cut(module)
        assert module.operation.verify()
        first, second = module.body.operations
        assert len(list(first.regions[0].blocks)) == 1 and "passthrough" not in first.attributes
        sizes = [len(list(block.operations)) for block in second.regions[0].blocks]
        assert (
            len(sizes) == block_splitting.LONG // block_splitting.PIECE + 1 and max(sizes) == block_splitting.PIECE + 1
        )
        assert '"optnone"' in str(second.attributes["passthrough"])
