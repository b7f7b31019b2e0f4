"""Pass pipelines: their text, where each pass runs, running them, and what they left alone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.mlir.importer import parse
from hecv.mlir.module.source_text import write_text
from hecv.mlir.module.unchanged_functions import is_same, unchanged
from hecv.mlir.passes.mlir_opt import Tool, find_tool
from hecv.mlir.passes.pass_names import NAMES
from hecv.mlir.passes.pass_pipeline import parse_pipeline
from hecv.mlir.passes.pass_runner import Ran, Runner, resolve
from hecv.mlir.passes.python_bindings import Bindings

UNROLL = "affine-loop-unroll{unroll-factor=2}"

LOOP = """\
func.func @f(%A: memref<?x8xi32>, %lb: index, %my-value: i32) -> i32 {
  affine.for %row = %lb to 10 {
    affine.for %column = 0 to 8 {
      %old = affine.load %A[%row, %column] : memref<?x8xi32>
      %new = arith.addi %old, %my-value : i32
      affine.store %new, %A[%row, %column] : memref<?x8xi32>
    }
  }
  return %my-value : i32
}
"""

RUNNERS = pytest.mark.parametrize("runner", [Bindings(), find_tool("mlir-opt")], ids=["bindings", "mlir-opt"])


def silent(stage: str, done: int) -> None:
    """No progress."""


def pipelines(text: str) -> list[str]:
    return [one.pipeline for one in parse_pipeline(text)]


def problems(text: str, runner: Runner) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as refused:
        resolve(text, runner, silent)
    return refused.value.diagnostics


# The text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" builtin.module( ) ", []),
        ("func.func()", []),
        ("cse", ["builtin.module(cse)"]),
        ("any(cse)", ["any(cse)"]),
        (f"func.func(cse,{UNROLL}), cse", ["func.func(cse)", f"func.func({UNROLL})", "cse"]),
        ("builtin.module(cse,any(cse,func.func(cse)))", ["cse", "any(cse)", "any(func.func(cse))"]),
        ("builtin.module(cse),builtin.module(symbol-dce)", ["cse", "symbol-dce"]),
        ("\n cse ,\n\tcanonicalize { top-down=0 } \n", ["cse", "canonicalize{top-down=0}"]),
        ("inline{op-pipelines=func.func(cse,canonicalize{a=b})},cse", None),
        ('a{x={1,2},{3} y="(,"},b{z=")"}', ['a{x={1,2},{3} y="(,"}', 'b{z=")"}']),
    ],
)
def test_passes_of_a_pipeline(text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = [text.removesuffix(",cse"), "cse"]
    assert pipelines(text) == [e if "builtin.module" in e or e == text else f"builtin.module({e})" for e in expected]


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("cse,", 1, 5, "the end"),
        (",cse", 1, 1, "`,`"),
        ("cse,,cse", 1, 5, "`,`"),
        ("func.func(cse,)", 1, 15, "`)`"),
        ("builtin.module(cse", 1, 19, "`)` after the passes of builtin.module"),
        ("cse)", 1, 4, "unexpected `)`"),
        ("cse cse", 1, 5, "unexpected `c`"),
        ("cse,\ncse{a", 2, 4, "`}` after the options"),
        ("cse{a}}", 1, 7, "unexpected `}`"),
        ("cse{a}(cse)", 1, 7, "unexpected `(`"),
        ("(cse)", 1, 1, "`(`"),
        ("a(" * 100_000, 1, 203, "nested deeper"),
    ],
)
def test_what_is_no_pipeline(text: str, line: int, column: int, word: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_pipeline(text)
    (problem,) = refused.value.diagnostics
    assert problem.name == "invalid-pipeline" and word in problem.message
    assert problem.location == Location("--pass-pipeline", line, column)


# Where passes run


@RUNNERS
def test_bare_passes_are_put_where_they_run(runner: Runner) -> None:
    found = resolve(f"cse,{UNROLL},convert-gpu-to-nvvm,func.func(cse),any(cse)", runner, silent)
    assert [one.anchors[1:] for one in found] == [(), ("func.func",), ("gpu.module",), ("func.func",), ("any",)]


@RUNNERS
def test_pipelines_with_a_name_are_their_passes(runner: Runner) -> None:
    found = resolve("cse,buffer-deallocation-pipeline", runner, silent)
    assert [one.name for one in found][:4] == ["cse", "expand-realloc", "canonicalize", found[3].name]
    assert found[1].options == "emit-deallocs=false" and len(found) == 9


@RUNNERS
def test_every_refused_pass_is_told(runner: Runner) -> None:
    found = problems("canonicalise,cse,builtin.module(affine-loop-unroll),cse{x=1}", runner)
    assert [d.name for d in found] == ["unknown-pass", "pass-anchor", "invalid-pass"]
    assert [d.location and d.location.column for d in found] == [1, 33, 53]
    assert "canonicalize" in (found[0].help or "") and "func.func(affine-loop-unroll)" in (found[1].help or "")


@RUNNERS
def test_a_pass_like_none_there_is(runner: Runner) -> None:
    (found,) = problems("frobnicate-nests", runner)
    told = found.help or ""
    assert "--list-passes" in told and ("without --tool" in told) == isinstance(runner, Tool)


def test_known_names_are_names_of_passes() -> None:
    with ir.Context():
        for name in NAMES:
            try:
                PassManager.parse(f"any({name})")
            except ValueError as refused:
                assert "does not refer to a registered pass" not in str(refused)


def test_tools_that_are_not_there() -> None:
    with pytest.raises(InputError) as refused:
        find_tool("mlir-opt=/nowhere/mlir-opt")
    assert refused.value.diagnostics[0].name == "tool-not-found"
    assert find_tool("mlir-opt").path == find_tool(f"x={find_tool('mlir-opt').path}").path


# Running them


def run(text: str, pipeline: str, runner: Runner) -> Ran:
    return runner.run(text, "in.mlir", resolve(pipeline, runner, silent), silent)


@RUNNERS
def test_one_by_one_is_as_all_at_once(runner: Runner) -> None:
    passes = ["canonicalize", f"func.func({UNROLL})", "cse", "func.func(affine-loop-tile{tile-size=3})", "lower-affine"]
    ran = run(LOOP, ",".join(passes), runner)
    with ir.Context():
        module = ir.Module.parse(LOOP)
        PassManager.parse(f"builtin.module({','.join(passes)})").run(module.operation)
        assert is_same(parse(ran.texts[-1], "a"), parse(str(module), "b"))
    assert len(ran.texts) == 5 and not ran.problems


def test_values_keep_their_names() -> None:
    (text,) = run(LOOP, f"func.func({UNROLL})", Bindings()).texts
    assert "func.func @f(%A: memref<?x8xi32>, %lb: index, %my-value: i32) -> i32" in text
    assert "affine.for %row = %lb to 10" in text
    assert "%old = affine.load %A[%row, %column]" in text
    assert re.search(r"%old_\d = affine.load %A\[%row, %\d\]", text)


def test_names_that_are_none() -> None:
    text = """
func.func @f(%0: i1, %1: i32, %$x: i32) -> i32 {
  %two:2 = "some.op"() : () -> (i32, i32)
  cf.cond_br %0, ^a(%1 : i32), ^b(%$x, %two#1 : i32, i32)
^a(%p: i32):
  return %p : i32
^b(%p_0: i32, %q.1: i32):
  %r = arith.addi %p_0, %q.1 : i32
  return %r : i32
}
"""
    (after,) = run(text, "cse", Bindings()).texts
    assert is_same(parse(text, "a"), parse(after, "b"))
    assert "%r = arith.addi %p_0, %q.1 : i32" in after or "%r = arith.addi %p, %q.1 : i32" in after


@RUNNERS
def test_a_pass_that_fails(runner: Runner) -> None:
    text = 'func.func @f() -> tensor<4xf32> {\n  %0 = "a.b"() : () -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n'
    ran = run(text, "one-shot-bufferize,cse", runner)
    assert ran.texts == ()
    first = ran.problems[0]
    assert first.name == "pass-failed" and first.message.startswith("one-shot-bufferize: ")
    assert first.location == Location("in.mlir", 2, 8)


# What they left alone


CALLEE = "return %x : i32\n  }\n  func.func @calls"

TWO = """
module attributes {some.layout = 32 : i32} {
  memref.global "private" @table : memref<2xi32> = dense<[1, 2]>
  func.func private @callee(%x: i32) -> i32 {
    return %x : i32
  }
  func.func @calls(%x: i32) -> i32 {
    %y = func.call @callee(%x) : (i32) -> i32
    return %y : i32
  }
  func.func @alone(%x: i32) -> i32 {
    return %x : i32
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("%x", "%renamed", {"calls", "alone", "callee"}),
        (CALLEE, CALLEE.replace("return", '"some.op"() : () -> () return'), {"alone"}),
        ("@alone(%x: i32)", "@alone(%x: i32, %y: i32)", {"calls", "callee"}),
        ("dense<[1, 2]>", "dense<[1, 3]>", set[str]()),
        ("some.layout = 32", "some.layout = 64", set[str]()),
        ("@table", "@other", set[str]()),
        ("@callee", '@"another name"', {"alone"}),
        ("%y = func.call", '"some.op"() {name = @alone} : () -> ()\n    %y = func.call', {"alone", "callee"}),
    ],
)
def test_functions_left_alone(old: str, new: str, same: set[str]) -> None:
    source, target = parse(TWO, "a"), parse(TWO.replace(old, new), "b")
    assert unchanged(source, target) == same
    assert is_same(source, target) == (len(same) == 3)


def test_names_with_escapes_are_not_followed() -> None:
    text = TWO.replace("@callee", '@"a\\22b"')
    changed = text.replace(CALLEE, CALLEE.replace("return", '"some.op"() : () -> () return'))
    assert text != changed
    assert unchanged(parse(text, "a"), parse(changed, "b")) == {"alone"}


def test_resources_stand_outside_of_the_text() -> None:
    text = """
func.func @f() -> tensor<1xi32> {
  %0 = arith.constant dense_resource<blob> : tensor<1xi32>
  return %0 : tensor<1xi32>
}
{-# dialect_resources: { builtin: { blob: "0x0400000001000000" } } #-}
"""
    assert unchanged(parse(text, "a"), parse(text.replace("01000000", "02000000"), "b")) == set()
    assert not is_same(parse(text, "a"), parse(text.replace("01000000", "02000000"), "b"))


# Writing


def test_files_are_written_whole(tmp_path: Path) -> None:
    file, link = tmp_path / "out.mlir", tmp_path / "link.mlir"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(str(link), "after")
    assert (file.read_text(), link.is_symlink(), file.stat().st_mode & 0o777) == ("after", True, 0o640)
    with pytest.raises(InputError):
        write_text(str(file), "\ud800")
    assert file.read_text() == "after" and sorted(os.listdir(tmp_path)) == ["link.mlir", "out.mlir"]


def test_devices_stay_devices() -> None:
    write_text(os.devnull, "text")
    assert not Path(os.devnull).is_file()


def test_folders_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        write_text(str(tmp_path / "none" / "out.mlir"), "text")
    assert refused.value.diagnostics[0].name == "file-unwritable"
