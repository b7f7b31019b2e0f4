"""What is refused: the place, the name and the words of each message."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from hecv.base.diagnostics import Diagnostic, InputError, Unsupported
from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function, read_text
from hecv.mlir.read.function_reader import DEEPEST_NEST


def refusal(path: str) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        read_text(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.severity == "error" and diagnostic.help
    return diagnostic


def rejected(text: str, file: str = "t.mlir") -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        parse(dedent(text), file)
    return caught.value.diagnostics


def unsupported(text: str, name: str = "f") -> str:
    with pytest.raises(Unsupported) as caught:
        read_function(parse(dedent(text), "t.mlir"), name, TermPool())
    return f"{caught.value.location}: {caught.value.text}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary, latin, empty = tmp_path / "b", tmp_path / "l", tmp_path / "e"
    binary.write_bytes(b"ML\xefR\0")
    latin.write_bytes(b"// caf\xe9\n")
    empty.write_text(" \n")
    missing = refusal(str(tmp_path / "none.mlir"))
    assert (missing.name, missing.message) == ("file-not-found", f"there is no file {tmp_path}/none.mlir")
    assert refusal(str(tmp_path)).name == "file-is-directory"
    assert (refusal(str(binary)).name, refusal(str(binary)).message) == (
        "file-not-text",
        f"{binary} is binary: it holds a NUL byte",
    )
    assert refusal(str(latin)).message == f"{latin} is not UTF-8: byte 6 is invalid"
    assert (refusal(str(empty)).name, refusal(str(empty)).message) == ("file-empty", f"{empty} is empty")
    assert refusal("a\0b").name == "file-unreadable"
    assert refusal(f"{empty}/below").name == "file-unreadable"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"func.func @f() { return %x }")))
    text = read_text("-")
    (error,) = rejected(text, "-")
    assert str(error.location) == "<stdin>:1:27"


def test_parse_error_has_mlir_s_message_and_place() -> None:
    (error,) = rejected("func.func @f(%a: i32) {\n  %b = arith.addi %a, %c : i32\n  return\n}\n", "in/my.mlir")
    assert (error.severity, error.name, error.message) == ("error", "parse-error", "use of undeclared SSA value name")
    assert str(error.location) == "in/my.mlir:2:23"
    assert error.help


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (r'func.func private @"\F0\9F"()', 20),
        (r'module attributes {a.b = "\FF"} {}', 26),
        (r'func.func private @f(i32 {a.b = ["\5C", "\C3("]})', 41),
    ],
)
def test_strings_that_are_no_text(line: str, column: int) -> None:
    (error,) = rejected(f'// "\\FF"\n{line}\n')
    assert (error.name, str(error.location)) == ("string-not-text", f"t.mlir:2:{column}")


def test_strings_with_characters_as_bytes() -> None:
    assert list(parse(r'func.func private @"\F0\9F\98\80\\FF"()', "t.mlir").symbols) == ["\U0001f600\\FF"]


def test_the_verifier_runs() -> None:
    (error,) = rejected("func.func @f() -> i32 {\n  return\n}\n")
    assert error.name == "invalid-mlir"
    assert error.message == "'func.return' op has 0 operands, but enclosing function (@f) returns 1"
    assert str(error.location) == "t.mlir:2:3"


def test_notes_follow_their_error() -> None:
    error, *notes = rejected("func.func @f() { return }\nfunc.func @f() { return }\n")
    assert (error.message, str(error.location)) == ("redefinition of symbol named 'f'", "t.mlir:2:1")
    assert [(n.severity, str(n.location)) for n in notes] == [("note", "t.mlir:1:1")]


def test_custom_syntax_of_an_unknown_dialect_gets_a_way_on() -> None:
    (error,) = rejected("func.func @f(%a: i32) { foo.bar %a return }")
    assert error.message == "Dialect `foo' not found for custom op 'foo.bar'"
    assert error.help and "--mlir-print-op-generic" in error.help


def test_text_nested_too_deep_for_mlir_s_parser() -> None:
    (error,) = rejected("func.func @f() {\n" + "affine.for %i = 0 to 2 {\n" * 3000 + "}" * 3001)
    assert (error.name, error.message) == ("nested-too-deep", "brackets are nested deeper than 1000 levels")
    assert str(error.location) == "t.mlir:1001:1"


def test_many_brackets_side_by_side_are_fine() -> None:
    rows = ",".join("[1]" for _ in range(5000))
    parse(f"func.func @f() {{ %c = arith.constant dense<[{rows}]> : tensor<5000x1xi8> return }}", "t.mlir")


def test_loops_nested_too_deep_are_unsupported() -> None:
    loops = "".join(f"affine.for %i{k} = 0 to 2 {{\n" for k in range(500))
    text = "func.func @f() {\n" + loops + "}" * 500 + "return }"
    expected = f"t.mlir:{DEEPEST_NEST + 1}:1: op `affine.for`: nested deeper than {DEEPEST_NEST} levels"
    assert unsupported(text) == expected


def test_affine_expressions_nested_too_deep_are_unsupported() -> None:
    expression = "d0"
    for k in range(150):
        expression = f"({expression} floordiv 2 + d0 mod {k + 2})"
    text = f"func.func @f(%n: index) {{ %x = affine.apply affine_map<(d0) -> ({expression})>(%n) return }}"
    assert unsupported(text) == "t.mlir:1:32: op `affine.apply`: its affine expression is nested too deep"


def test_recursion_names_the_cycle() -> None:
    direct = "func.func @f() {\n  call @f() : () -> ()\n  return\n}"
    assert unsupported(direct) == "t.mlir:2:3: op `func.call`: recursion: @f -> @f"
    mutual = """\
    func.func @f() { call @g() : () -> () return }
    func.func @g() { call @h() : () -> () return }
    func.func @h() { call @g() : () -> () return }
    """
    assert unsupported(mutual) == "t.mlir:3:18: op `func.call`: recursion: @g -> @h -> @g"


def test_calls_that_double_at_each_level_are_unsupported() -> None:
    calls = "".join(
        f"func.func @f{k}() {{\n  call @f{k + 1}() : () -> ()\n  call @f{k + 1}() : () -> ()\n  return\n}}\n"
        for k in range(40)
    )
    found = unsupported(calls + "func.func @f40() { return }", "f0")
    assert found.endswith("op `func.call`: more than 20000 calls to inline")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('func.func @f(%a: i8) {\n  "foo.bar"(%a) : (i8) -> ()\n  return }',
         "2:3: op `foo.bar`: it has no semantics here"),
        ("func.func @f() {\n  gpu.barrier\n  return }", "2:3: op `gpu.barrier`: it has no semantics here"),
        ("func.func private @f(i8)", "1:1: @f has no body"),
        ("func.func @f(%t: !llvm.ptr) { return }", "1:1: op `func.func`: type `!llvm.ptr` is not supported"),
        ("func.func @f(%t: tuple<memref<f32>>) { return }",
         "1:1: op `func.func`: type `tuple<memref<f32>>` is not supported"),
        ("func.func @f() -> tensor<4xf32> {\n  %e = tensor.empty() : tensor<4xf32>\n  return %e : tensor<4xf32> }",
         "3:3: op `func.return`: contents that are not specified (of `tensor.empty`) are not supported here"),
        ("func.func @f(%t: tensor<4xf32>) {\n  %r = \"a.b\"(%t) : (tensor<4xf32>) -> tensor<4xf32>\n  return }",
         "2:8: op `a.b`: it has no semantics here"),
        ("func.func @f(%t: memref<*xf32>) { return }", "1:1: op `func.func`: type `memref<*xf32>` is not supported"),
        ("func.func @f(%t: memref<4x4xf32, strided<[2, 1]>>) { return }",
         "1:1: op `func.func`: type `memref<4x4xf32, strided<[2, 1]>>` is not supported"),
        ("func.func @f(%m: memref<f32>) {\n  %s = affine.for %i = 0 to 2 iter_args(%a = %m) -> memref<f32> {\n"
         "    %n = memref.alloc() : memref<f32>\n    affine.yield %n : memref<f32>\n  }\n  return }",
         "4:5: op `affine.yield`: a view of %n that a loop makes is handed on"),
        ("func.func @f(%m: memref<?xf32>) {\n  %c = arith.constant 3 : index\n"
         "  %r = memref.dim %m, %c : memref<?xf32>\n  return }",
         "3:8: op `memref.dim`: dimension 3 is out of range: the rank is 1"),
        ("func.func @f(%m: memref<?xf32>) {\n  memref.dealloc %m : memref<?xf32>\n  return }",
         "2:3: op `memref.dealloc`: %m does not come from a memref.alloc of this function"),
        ("func.func @f(%m: memref<*xf32>) {\n  return }", "1:1: op `func.func`: type `memref<*xf32>` is not supported"),
        ("memref.global @f : memref<4xf32>", "1:1: op `memref.global`: it has no semantics here"),
    ],
)  # fmt: skip
def test_unsupported_input_is_named_and_located(text: str, expected: str) -> None:
    assert unsupported(text) == f"t.mlir:{expected}"


def test_places_written_in_the_text_win() -> None:
    text = 'func.func @f() {\n  "foo.bar"() : () -> () loc(fused["k.c":7:2, "k.c":9:1])\n  return }'
    assert unsupported(text) == "k.c:7:2: op `foo.bar`: it has no semantics here"
    assert unsupported('func.func @f() { "foo.bar"() : () -> () loc(unknown)\n  return }').startswith("None: ")
