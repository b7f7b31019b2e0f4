"""Files of several programs, modules in modules, and what other tools put at the head of a file."""

from __future__ import annotations

import subprocess

import pytest

from hecv.mlir.module.split_input import split_input

from .conftest import Shell
from .programs import ADD

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"

SECOND = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func @g(%a: i32) -> i32 {
  return %a : i32
}
"""
WRONG = SECOND.replace("addi", "muli")
LINE = "// -----\n"


def verdicts(shell: Shell, source: str, target: str, *options: str) -> list[tuple[int | None, str, str]]:
    report = shell.check(source, target, *options, "--format", "json").json()
    return [(f["chunk"], f["name"], f["verdict"]) for f in report["functions"]]


# Chunks


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("a\n// -----\nb\n", ["a\n", "\n        \nb\n"]),
        ("a // -----\nb", ["a ", "          \nb"]),
        ("a\n// -----b", ["a\n", "\n        b"]),
        ("a\n// ----- \n// -----\n", ["a\n", "\n         \n", "\n\n        \n"]),
        ("a\n// ---\nb\n", ["a\n// ---\nb\n"]),
        ("a\n// -----", ["a\n// -----"]),
        ("// -----\na\n", ["", "        \na\n"]),
        ("a\n", ["a\n"]),
    ],
)
def test_chunks_keep_their_places(text: str, chunks: list[str]) -> None:
    assert [*split_input(text)] == chunks


def test_texts_are_split_as_mlir_opt_splits_them() -> None:
    one = "func.func @f() { return }"
    for between in (
        "\n// -----\n",
        " // ----- \n",
        "\n// -----\n// -----\n",
        "\n//-----\n",
        "\n// -----0\n",
        "\n// ----\n",
    ):
        for end in ("\n", "", "\n// -----", "\n// -----\n"):
            text = f"{one}{between}{one}{end}"
            split = split_input(text)
            command = [MLIR_OPT, "--split-input-file", "--no-implicit-module"]
            ran = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
            printed = ran.stdout.count("// -----")
            assert len(split) == printed + 1, (text, ran.stdout)


def test_another_marker() -> None:
    assert split_input("a\n//@@\nb\n// -----\nc\n", "//@@") == ("a\n", "\n    \nb\n// -----\nc\n")


def test_chunks_are_checked_one_by_one(shell: Shell) -> None:
    answer = shell.check(ADD + LINE + SECOND, ADD + LINE + WRONG)
    assert answer.status == 1
    heads = [line.partition(" (")[0] for line in answer.out.splitlines() if line[:1].strip()]
    assert heads == ["equivalent: chunk 1: @f", "not equivalent: chunk 2: @f", "equivalent: chunk 2: @g"]
    assert f"--> tgt.mlir:{(ADD + LINE + WRONG).lstrip().count(chr(10)) - 4}:3" in answer.out
    assert verdicts(shell, ADD + LINE + SECOND, ADD + LINE + WRONG) == [
        (1, "f", "equivalent"),
        (2, "f", "not-equivalent"),
        (2, "g", "equivalent"),
    ]


@pytest.mark.parametrize("text", [SECOND, SECOND + LINE + ADD, ADD + LINE + SECOND + LINE])
def test_as_many_chunks_on_both_sides(text: str, shell: Shell) -> None:
    source = ADD + LINE + SECOND + LINE + SECOND
    if text.count(LINE) == 2:
        assert [v for _, _, v in verdicts(shell, source, text + SECOND)] == ["equivalent"] * 5
        return
    answer = shell.check(source, text)
    assert answer.status == 2 and "error[chunks-differ]: src.mlir has 3 chunks, tgt.mlir has" in answer.err


def test_a_marker_in_one_file_may_be_a_comment(shell: Shell) -> None:
    one = SECOND.replace("func.func @g", f"{LINE}func.func @g")
    assert verdicts(shell, one, SECOND) == [(None, "f", "equivalent"), (None, "g", "equivalent")]
    assert verdicts(shell, SECOND, WRONG.replace("func.func @g", f"{LINE}func.func @g"))[0][2] == "not-equivalent"
    answer = shell.check(one, SECOND, "--split-input-file")
    assert answer.status == 2 and "chunks-differ" in answer.err


def test_a_marker_in_both_files_may_be_a_comment(shell: Shell) -> None:
    """The second chunk calls the first."""
    calls = SECOND.replace("func.func @g", f"{LINE}func.func @g").replace(
        "return %a", "%r = call @f(%a) : (i32) -> i32\n  return %r"
    )
    assert verdicts(shell, calls, calls) == [(None, "f", "equivalent"), (None, "g", "equivalent")]
    answer = shell.check(calls, calls, "--split-input-file")
    assert answer.status == 2 and "'f' does not reference a valid function" in answer.err


def test_a_marker_of_ones_own(shell: Shell) -> None:
    texts = (ADD + "// <<>>\n" + text for text in (SECOND, WRONG))
    assert verdicts(shell, *texts, "--split-input-file=// <<>>")[1] == (2, "f", "not-equivalent")


def test_functions_and_assumptions_apply_to_the_chunks_that_have_them(shell: Shell) -> None:
    source, target = ADD + LINE + SECOND, ADD + LINE + WRONG
    assert verdicts(shell, source, target, "--func", "g") == [(2, "g", "equivalent")]
    found = [verdict for _, _, verdict in verdicts(shell, source, target, "--assume", "b >= a")]
    assert found == ["equivalent", "not-equivalent", "equivalent"]
    answer = shell.check(source, target, "--func", "h")
    assert answer.status == 2 and "no public function @h in any chunk" in answer.err


def test_a_chunk_without_functions(shell: Shell) -> None:
    empty = "memref.global @m : memref<4xi32>\n"
    assert verdicts(shell, SECOND + LINE + empty, SECOND + LINE + empty) == [
        (1, "f", "equivalent"),
        (1, "g", "equivalent"),
    ]


def test_a_certificate_is_about_one_program(shell: Shell) -> None:
    answer = shell.check(ADD + LINE + SECOND, ADD + LINE + SECOND, "--certificate", "proof")
    assert answer.status == 2 and "a certificate is about one program" in answer.err


def test_a_pipeline_runs_on_each_chunk(shell: Shell) -> None:
    zero = "  %c = arith.constant 0 : i32\n  %1 = arith.addi %0, %c : i32\n  return %1 : i32\n"
    shell.write("a.mlir", ADD + LINE + SECOND.replace("  return %0 : i32\n", zero))
    answer = shell.run("opt", "a.mlir", "--pass-pipeline=cse,canonicalize", "-o", "b.mlir", "--save-steps", "steps")
    lines = answer.out.splitlines()
    assert answer.status == 0 and lines[0].split() == ["1", "cse", "unchanged"]
    assert lines[1].split()[:3] == ["2", "canonicalize", "equivalent"] and "chunk 2: @f" in lines[1]
    written = (shell.folder / "b.mlir").read_text()
    assert written.count("// -----\nmodule") == 1
    assert (shell.folder / "steps" / "02-canonicalize.mlir").read_text() == written
    assert shell.run("check", "a.mlir", "b.mlir").status == 0


# Modules in modules

NESTED = """
module {
  module @a {
    func.func @f(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      return %0 : i32
    }
    module @inner {
      func.func @f(%x: i32) -> i32 {
        return %x : i32
      }
    }
  }
  module @b {
    func.func @f(%x: i32) -> i32 {
      %0 = call @g(%x) : (i32) -> i32
      return %0 : i32
    }
    func.func private @g(%x: i32) -> i32 {
      return %x : i32
    }
  }
  func.func @f(%x: i32) -> i32 {
    return %x : i32
  }
}
"""
PATHS = ["f", "a::@f", "a::@inner::@f", "b::@f"]


def test_functions_are_paired_by_symbol_path(shell: Shell) -> None:
    target = NESTED.replace("arith.addi %x, %x", "arith.muli %x, %x")
    found = verdicts(shell, NESTED, target)
    assert found == [(None, p, "not-equivalent" if p == "a::@f" else "equivalent") for p in PATHS]
    answer = shell.check(NESTED, target)
    assert "not equivalent: @a::@f (" in answer.out and "--> src.mlir:5:7" in answer.out
    assert verdicts(shell, NESTED, target, "--func", "@b::@f") == [(None, "b::@f", "equivalent")]


def test_what_a_nested_function_calls_is_in_its_module(shell: Shell) -> None:
    target = NESTED.replace(
        "@g(%x: i32) -> i32 {\n      return %x",
        "@g(%x: i32) -> i32 {\n      %1 = arith.addi %x, %x : i32\n      return %1",
    )
    assert [v for _, _, v in verdicts(shell, NESTED, target)] == ["equivalent"] * 3 + ["not-equivalent"]


def test_a_nested_module_that_is_missing(shell: Shell) -> None:
    answer = shell.check(NESTED, NESTED.replace("@inner", "@other"))
    assert answer.status == 2
    assert "tgt.mlir has no public function @a::@inner::@f" in answer.err and "--> src.mlir:8:7" in answer.err


def test_a_private_nested_module_is_not_compared(shell: Shell) -> None:
    private = NESTED.replace("module @a {", 'module @a attributes {sym_visibility = "private"} {')
    assert verdicts(shell, private, private.replace("addi", "muli")) == [
        (None, p, "equivalent") for p in ("f", "b::@f")
    ]


def test_a_nested_module_that_others_refer_to_stays_unknown(shell: Shell) -> None:
    refers = NESTED.replace(
        "  func.func @f(%x: i32) -> i32 {\n    return",
        '  func.func @f(%x: i32) -> i32 {\n    "x.use"() {a = @a::@f} : () -> ()\n    return',
    )
    found = {name: verdict for _, name, verdict in verdicts(shell, refers, refers.replace("addi", "muli"))}
    assert found["a"] == "unknown" and "equivalent" not in (found["f"], found["a"])


def test_the_data_layout_around_a_nested_module(shell: Shell) -> None:
    """`index_castui` of -1 is 2**32 - 1 where an index has 32 bits."""
    body = "module @a {{ func.func @f() -> i64 {{ %c = arith.constant -1 : index\n {}\n return %r : i64 }} }}"
    values = "%r = arith.index_castui %c : index to i64", "%r = arith.constant 4294967295 : i64"
    for width, verdict in ((32, "equivalent"), (64, "not-equivalent")):
        head = f"module attributes {{dlti.dl_spec = #dlti.dl_spec<index = {width}>}} {{"
        texts = [f"{head} {body.format(value)} }}" for value in values]
        assert verdicts(shell, *texts, "--index-width", str(width)) == [(None, "a::@f", verdict)]
        other = shell.check(*texts, "--index-width", str(96 - width)).out
        assert f"the data layout has an index of {width} bits" in other


# Heads of files


def test_a_byte_order_mark(shell: Shell) -> None:
    assert verdicts(shell, ADD, "\ufeff" + ADD) == [(None, "f", "equivalent")]
    broken = shell.check(ADD, "\ufeff" + ADD.lstrip().replace("func.func @f", "func.func f"))
    assert broken.status == 2 and "--> tgt.mlir:1:11" in broken.err


REJECTED = {
    "dlti.dl_spec": "#dlti.dl_spec<f32 = 64 : i64, f32 = 64 : i64>",
    "dlti.target_system_spec": '#dlti.target_system_spec<"CPU": #dlti.target_device_spec<>>',
    "llvm.data_layout": '"e-nothing"',
    "spirv.target_env": "#spirv.target_env<#spirv.vce<v9.9, [Kernel], []>, #spirv.resource_limits<>>",
    "dlti.other": "1 : i32",
}


@pytest.mark.parametrize("name", REJECTED)
@pytest.mark.parametrize("form", ["{%s}", "{x.a = 1, %s}", "{%s, x.b = [2, {c = 3}]}", "{x.a, %s, x.b}"])
def test_attributes_that_mlir_rejects_are_ignored(name: str, form: str, shell: Shell) -> None:
    head = f"module attributes {form % f'{name} = {REJECTED[name]}'} {{"
    answer = shell.check(f"{head}{SECOND}}}", f"module {{{WRONG}}}")
    assert answer.status == 1 and "not equivalent: @f" in answer.out
    assert f"warning[attribute-ignored]: the attribute {name} of the module is ignored" in answer.said
    assert f"--> src.mlir:1:{head.index(name) + 1}" in answer.err


def test_an_alias_that_mlir_rejects(shell: Shell) -> None:
    aliases = "#l = #dlti.dl_spec<f32 = 3, f32 = 4>\n#m = affine_map<(d0) -> (d0)>\n"
    text = f"{aliases}module attributes {{dlti.dl_spec = #l, x.m = #m}} {{{SECOND}}}"
    assert shell.check(text, SECOND).status == 0
    assert shell.check(text.replace("f32", "index"), SECOND).status == 2


@pytest.mark.parametrize("layout", ["#dlti.dl_spec<index = 32, index = 32>", '"E-nothing"'])
def test_a_rejected_layout_that_changes_the_meaning_is_an_error(layout: str, shell: Shell) -> None:
    text = f"module attributes {{dlti.dl_spec = {layout}}} {{{SECOND}}}"
    assert shell.check(text, SECOND).status == 2


def test_other_errors_stay_errors(shell: Shell) -> None:
    head = f"module attributes {{dlti.dl_spec = {REJECTED['dlti.dl_spec']}}} {{"
    answer = shell.check(f"{head}{SECOND.replace('return %0', 'return %9')}}}", SECOND)
    assert answer.status == 2 and "repeated DLTI key" in answer.err
    answer = shell.check("module attributes {x.a = 1} {" + SECOND.replace("return %0", "return %9") + "}", SECOND)
    assert answer.status == 2 and "undeclared SSA value" in answer.err


def test_a_pipeline_of_a_program_with_such_an_attribute(shell: Shell) -> None:
    shell.write("a.mlir", f"module attributes {{llvm.data_layout = {REJECTED['llvm.data_layout']}}} {{{SECOND}}}")
    answer = shell.run("opt", "a.mlir", "--pass-pipeline=cse")
    assert answer.status == 0 and answer.err.count("attribute-ignored") == 1


def test_functions_of_several_chunks_are_paired_by_name(shell: Shell) -> None:
    first, second = "func.func @f() { return }\n", "func.func @g() { return }\n"
    answer = shell.check(first + LINE + second, second + LINE + first)
    assert answer.status == 2 and "@f" in answer.err
