"""Resources: contents that stand at the end of a file (`hecv.mlir.module.dense_resources`)."""

from __future__ import annotations

import struct

import pytest

from hecv.check import Options, check
from hecv.claim.result import Report
from hecv.mlir.importer import parse
from hecv.mlir.module.unchanged_functions import unchanged


def end(**contents: str) -> str:
    held = ", ".join(f'{name}: "0x{data}"' for name, data in contents.items())
    return f"{{-# dialect_resources: {{ builtin: {{ {held} }} }} #-}}\n"


def constant(value: str, kind: str = "tensor<2xf32>") -> str:
    return f"func.func @f() -> {kind} {{\n  %c = arith.constant {value} : {kind}\n  return %c : {kind}\n}}\n"


def verdict(source: str, target: str) -> Report:
    return check(source, target, ("source.mlir", "target.mlir"), Options())


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        ("tensor<2xf32>", "[1.0, 2.0]", "040000000000803F00000040"),
        ("tensor<2xf64>", "[1.0, -0.0]", "08000000000000000000F03F0000000000000080"),
        ("tensor<2xbf16>", "[1.0, 2.0]", "02000000803F0040"),
        ("tensor<2x1xi8>", "[[1], [-1]]", "0100000001FF"),
        ("tensor<2xindex>", "[1, -1]", "080000000100000000000000FFFFFFFFFFFFFFFF"),
        ("vector<2xi16>", "[1, 256]", "0200000001000001"),
        ("tensor<2xf8E4M3FN>", "[1.0, 2.0]", "010000003840"),
        ("tensor<3xi1>", "[true, false, true]", "01000000010001"),
        ("tensor<1x2xi1>", "[[false, true]]", "010000000001"),
    ],
)
def test_a_resource_is_what_it_holds(kind: str, value: str, data: str) -> None:
    held = constant("dense_resource<r>", kind) + end(r=data)
    listed = constant(f"dense<{value}>", kind)
    assert verdict(held, listed).verdict == "equivalent"
    other = data[:-1] + format(int(data[-1], 16) ^ 1, "X")  # another last byte
    assert verdict(held.replace(data, other), listed).verdict == "not-equivalent"


@pytest.mark.parametrize("name", ["w", "torch_tensor_2_torch.float32", '"a quoted: \\"name\\""'])
def test_names_of_resources(name: str) -> None:
    text = constant(f"dense_resource<{name}>") + '{-# dialect_resources: { builtin: { other: "0x040000000000803F", '
    text += f'{name}: "0x040000000000803F00000040" }} }} #-}}'
    module = parse(text, "f.mlir")
    assert "dense<[1.000000e+00, 2.000000e+00]>" in str(module.module)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("tensor<2xf32>", "040000000000803F"),  # one element
        ("tensor<2xf32>", "0400000000"),
        ("tensor<2xi4>", "010000000102"),  # how elements lie is not said
        ("tensor<2xi1>", "0100000003"),  # bits
        ("tensor<2xi1>", "0100000001FF"),
        ("tensor<1xf80>", "10000000" + 10 * "00"),
    ],
)
def test_what_is_no_list_of_whole_elements_is_unsupported(kind: str, data: str) -> None:
    text = constant("dense_resource<r>", kind) + end(r=data)
    report = verdict(text, constant("dense<0>" if "i" in kind else "dense<0.0>", kind))
    assert (report.verdict, report.functions[0].unknown.reason) == ("unknown", "unsupported-op")


def test_two_files_may_use_one_name() -> None:
    first = constant("dense_resource<r>") + end(r="040000000000803F00000040")
    second = constant("dense_resource<r>") + end(r="040000000000803F00000041")
    assert verdict(first, first).verdict == "equivalent"
    assert verdict(first, second).verdict == "not-equivalent"


def test_a_pass_that_changes_a_resource_of_a_global_leaves_nothing_alone() -> None:
    """Of elements of half a byte the text has the name alone; other modules see the global."""
    text = "memref.global @w : memref<2xi4> = dense_resource<r>\nfunc.func @f() {\n  return\n}\n"
    before, after = (parse(text + end(r=f"01000000{data}"), "f.mlir") for data in ("0102", "0103"))
    assert not unchanged(before, after)


def test_a_constant_tensor_is_the_global_that_it_is_bufferized_to() -> None:
    source = """func.func @f(%i: index) -> f32 {
  %c = arith.constant dense_resource<r> : tensor<4xf32>
  %x = tensor.extract %c[%i] : tensor<4xf32>
  return %x : f32
}
"""
    target = """memref.global "private" constant @g : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @f(%i: index) -> f32 {
  %c = memref.get_global @g : memref<4xf32>
  %x = memref.load %c[%i] : memref<4xf32>
  return %x : f32
}
"""
    held = source + end(r="040000000000803F000000400000404000008040")
    assert verdict(held, target).verdict == "equivalent"
    wrong = verdict(held, target.replace("3.0", "5.0"))
    assert wrong.verdict == "not-equivalent"


def test_contents_that_are_too_many_to_list_are_compared_as_a_whole() -> None:
    count = 100_001
    data = struct.pack("<I", 4) + struct.pack(f"<{count}f", *range(count))
    kind = f"tensor<{count}xf32>"
    source = f"""func.func @f(%i: index) -> f32 {{
  %c = arith.constant dense_resource<r> : {kind}
  %x = tensor.extract %c[%i] : {kind}
  return %x : f32
}}
"""
    target = f"""memref.global "private" constant @g : memref<{count}xf32> = dense_resource<s>
func.func @f(%i: index) -> f32 {{
  %c = memref.get_global @g : memref<{count}xf32>
  %x = memref.load %c[%i] : memref<{count}xf32>
  return %x : f32
}}
"""
    held = source + end(r=data.hex())
    assert verdict(held, target + end(s=data.hex())).verdict == "equivalent"
    wrong = target.replace("%c[%i]", "%c[%z]").replace("  %x", "  %z = arith.constant 0 : index\n  %x")
    assert verdict(held, wrong + end(s=data.hex())).verdict == "not-equivalent"
    other = data[:4] + b"".join(struct.pack("<f", 2 * n + 1) for n in range(count))
    assert verdict(held, target + end(s=other.hex())).verdict == "not-equivalent"
    again = data[:-4] + struct.pack("<f", 1.0)  # no run looks there
    assert verdict(held, target + end(s=again.hex())).verdict == "unknown"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("element", "one"),
    [
        ("bf16", "803F"),
        ("f8E5M2", "3C"),
        ("i8", "05"),
        ("i13", "0500"),
        ("i33", "0500000000"),
        ("index", "05" + 14 * "0"),
    ],
)
def test_contents_that_are_too_many_to_list_are_run(element: str, one: str) -> None:
    kind, zero = f"tensor<100001x{element}>", "00" * (len(one) // 2)
    source = f"""func.func @f() -> {element} {{
  %i = arith.constant 3 : index
  %c = arith.constant dense<"0x{3 * zero + 99_998 * one}"> : {kind}
  %x = tensor.extract %c[%i] : {kind}
  return %x : {element}
}}
"""
    report = verdict(source, source.replace("constant 3", "constant 2"))
    assert report.verdict == "not-equivalent"
    assert report.functions[0].counterexample.engines == ("interpreter", "jit")


def test_elements_that_are_all_the_same_are_one_value() -> None:
    ones = constant("dense_resource<r>") + end(r="040000000000803F0000803F")
    assert verdict(ones, constant("dense<1.0>")).verdict == "equivalent"
