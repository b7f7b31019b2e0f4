"""`hecv rewrite` as a process: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Answer, Shell

HALVES = """
from hecv.rules import arith, op, pattern, rule, tosa

@pattern
def half(x):
    return arith.divf(x, 2.0)

@rule(half)
def half_to_mul(x):
    return arith.mulf(x, 0.5)
"""

SCALE = """
func.func @scale(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %y = arith.divf %x, %two : f32
  return %y : f32
}
"""

WRONG = """
from hecv.rules import arith, pattern, rule

@pattern
def half(x):
    return arith.divf(x, 2.0)

@rule(half)
def forget(x):
    return x
"""

TURNED = """
from hecv.rules import arith, binary_pointwise, pattern, rule

@pattern
def halves(x, y, f):
    assert f in binary_pointwise and y.value == 2.0
    return f(x, y)

@rule(halves)
def turn(x, y, f):
    return f(y, x)
"""

INVERSES = """
from hecv.rules import pattern, rule, tosa

@pattern
def inverses(x):
    return tosa.exp(tosa.log(x))

@rule(inverses)
def exp_log(x):
    return x
"""

TENSORS = """
func.func @f(%x: tensor<4xf32>, %other: tensor<4xf80>) -> (tensor<4xf32>, tensor<4xf80>) {
  %l = tosa.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %e = tosa.exp %l : (tensor<4xf32>) -> tensor<4xf32>
  return %e, %other : tensor<4xf32>, tensor<4xf80>
}
"""

ENDLESS = """
from hecv.rules import arith, pattern, rule

@pattern
def quotient(x, y):
    return arith.divf(x, y)

@rule(quotient)
def there(x, y):
    return arith.mulf(x, y)

@pattern
def product(x, y):
    return arith.mulf(x, y)

@rule(product)
def back(x, y):
    return arith.divf(x, y)
"""


def rewrite(shell: Shell, program: str, rules: str, *options: str) -> Answer:
    shell.write("p.mlir", program)
    shell.write("r.py", rules)
    return shell.run("rewrite", "p.mlir", "--rules", "r.py", "-o", "out.mlir", *options)


def written(shell: Shell) -> str | None:
    out = shell.folder / "out.mlir"
    return out.read_text() if out.exists() else None


def test_what_is_validated_is_written(shell: Shell) -> None:
    answer = rewrite(shell, SCALE, HALVES)
    assert answer.status == 0 and not answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "rule 'half-to-mul': 1 use"
    assert lines[1].startswith("equivalent: @scale (proved; ") and lines[-1] == "wrote out.mlir"
    assert "arith.mulf %x, %cst" in str(written(shell)) and "divf" not in str(written(shell))
    again = shell.run("rewrite", "out.mlir", "--rules", "r.py")
    assert again.status == 0 and again.out == "no rule applied\nequivalent: nothing was changed\n"
    assert shell.run("check", "p.mlir", "out.mlir").status == 0


def test_what_a_run_refutes_is_not_written(shell: Shell) -> None:
    shell.write("out.mlir", "kept\n")
    answer = rewrite(shell, SCALE, TURNED)
    assert answer.status == 1 and "not equivalent: @scale" in answer.out and "rule 'turn': 1 use" in answer.out
    assert written(shell) == "kept\n"


def test_a_false_rule_is_an_error_in_it(shell: Shell) -> None:
    shell.write("out.mlir", "kept\n")
    answer = rewrite(shell, SCALE, WRONG)
    assert answer.status == 2 and "error[rule-false]: 'forget'" in answer.err
    assert written(shell) == "kept\n"


def test_what_is_not_proved_is_written_only_where_that_is_asked(shell: Shell) -> None:
    answer = rewrite(shell, TENSORS, INVERSES)
    assert answer.status == 3 and written(shell) is None and "wrote" not in answer.out
    answer = rewrite(shell, TENSORS, INVERSES, "--unvalidated")
    assert answer.status == 3 and "return %x" in str(written(shell)) and "wrote out.mlir" in answer.out


def test_trust_is_told(shell: Shell) -> None:
    answer = rewrite(shell, TENSORS, INVERSES, "--trust")
    assert answer.status == 0 and "(trusted; 0 runs" in answer.out and "'exp-log'" in answer.out
    assert "return %x" in str(written(shell))


def test_rewriting_without_end(shell: Shell) -> None:
    answer = rewrite(shell, SCALE, ENDLESS, "--format", "json", "--most-rewrites", "40")
    report = answer.json()
    assert answer.status == 3 and report["verdict"] == "unknown" and written(shell) is None
    (function,) = report["functions"]
    assert function["stop_reason"] == "budget" and function["unknown"]["reason"] == "budget"
    text = "rewriting was stopped after 40 rewrites: 'there', 'back' apply to each other's results without end"
    assert function["unknown"]["text"] == text


UNDECLARED = """
func.func @f(%x: i32, %m: memref<4xi32>) -> i32 {
  %two = arith.constant 2 : i32
  %c = arith.constant 0 : index
  %v = memref.load %m[%c] : memref<4xi32>
  "foo.sort"(%m) {how = "up"} : (memref<4xi32>) -> ()
  %w = memref.load %m[%c] : memref<4xi32>
  %p:2 = "foo.two"(%v, %w) : (i32, i32) -> (i32, i32)
  %y = arith.muli %p#1, %two : i32
  "foo.print"(%y) : (i32) -> ()
  return %y : i32
}
"""


DOUBLES = """
from hecv.rules import pattern, rule

@pattern
def double(x):
    return x * 2

@rule(double)
def as_shift(x):
    return x << 1
"""


def test_ops_that_nobody_declares_pass_through(shell: Shell) -> None:
    """They keep their places, and may do what a function without a body may do."""
    answer = rewrite(shell, UNDECLARED, DOUBLES)
    assert answer.status == 0 and "equivalent: @f (proved; " in answer.out
    assumed = "ops that nobody declares do no more than functions without a body may do: foo.print, foo.sort, foo.two"
    assert assumed in answer.said
    lines = str(written(shell)).splitlines()
    assert [line.split('"')[1] for line in lines if '"foo.' in line] == ["foo.sort", "foo.two", "foo.print"]
    assert any("arith.shli %0#1" in line for line in lines)


def test_what_they_are_given_counts(shell: Shell) -> None:
    """The rule is wrong, and not shown to be so by itself: only what is printed differs."""
    program = UNDECLARED.replace("arith.muli %p#1, %two", "arith.subi %p#1, %two").replace("return %y", "return %x")
    answer = rewrite(shell, program, TURNED.replace("2.0", "2"))
    assert answer.status == 1 and "not equivalent: @f" in answer.out and written(shell) is None


REGIONS = """
func.func @f(%x: i32, %m: memref<4xi32>) {
  %two = arith.constant 2 : i32
  %y = arith.muli %x, %two : i32
  "foo.launch"() ({
  ^bb0(%k: index):
    %s = arith.subi %y, %x : i32
    memref.store %s, %m[%k] : memref<4xi32>
    "foo.end"() : () -> ()
  }) {grid = 4, of = @kernel} : () -> ()
  return
}
func.func private @kernel(i32)
"""


def test_what_regions_take_counts(shell: Shell) -> None:
    """An op with regions is one call, which is given what they take: that is rewritten, and what is in them is not."""
    answer = rewrite(shell, REGIONS, DOUBLES)
    assert answer.status == 0 and "equivalent: @f (proved; " in answer.out and "foo.launch" in answer.out
    assert "arith.shli %x" in str(written(shell)) and "arith.subi %y, %x : i32" in str(written(shell))
    wrong = REGIONS.replace("arith.muli %x, %two", "arith.subi %x, %two")
    answer = rewrite(shell, wrong, TURNED.replace("2.0", "2"))
    assert answer.status == 1 and "not equivalent: @f" in answer.out


GROWING = """
from hecv.rules import arith, pattern, rule

@pattern
def product(x, y):
    return arith.divf(x, y)

@rule(product)
def grow(x, y):
    return arith.addf(arith.divf(x, y), 0.0)
"""


def test_rewriting_has_the_time_of_a_check(shell: Shell) -> None:
    answer = rewrite(shell, SCALE, GROWING, "--most-rewrites", "1000000", "--time-limit", "1")
    assert answer.status == 3 and written(shell) is None
    assert "rewriting was stopped by the time limit after " in answer.said and "the last of 'grow'" in answer.said
    assert "help: `--time-limit 4` gives it four times as long" in answer.said


def test_json(shell: Shell) -> None:
    report = rewrite(shell, SCALE, HALVES, "--format", "json").json()
    assert list(report) == [
        *("schema", "verdict", "relation", "seconds", "seed", "versions", "diagnostics"),
        *("rules", "applied", "introduced", "written", "partition", "functions"),
    ]
    assert report["schema"] == "hecv.rewrite/1" and report["verdict"] == "equivalent"
    assert report["applied"] == [{"name": "half-to-mul", "uses": 1}]
    assert report["rules"] == "r.py" and report["written"] == "out.mlir" and report["partition"] is None


PRODUCTS = """
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %l = tosa.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %e = tosa.exp %l : (tensor<4xf32>) -> tensor<4xf32>
  %m = tosa.log %y : (tensor<4xf32>) -> tensor<4xf32>
  %g = tosa.exp %m : (tensor<4xf32>) -> tensor<4xf32>
  %r = tosa.add %e, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def test_partition(shell: Shell) -> None:
    answer = rewrite(shell, PRODUCTS, INVERSES, "--partition", "inverses")
    assert answer.status == 0
    assert answer.out.splitlines()[:7] == [
        "pattern 'inverses': 2 parts",
        "@inverses_0(%x: tensor<4xf32>) -> tensor<4xf32>",
        "  tosa.log  p.mlir:2:8",
        "  tosa.exp  p.mlir:3:8",
        "@inverses_1(%y: tensor<4xf32>) -> tensor<4xf32>",
        "  tosa.log  p.mlir:4:8",
        "  tosa.exp  p.mlir:5:8",
    ]
    assert "equivalent: @f (proved" in answer.out and "= call @inverses_1(%y)" in str(written(shell))
    report: dict[str, Any] = rewrite(shell, PRODUCTS, INVERSES, "--partition", "inverses", "--format", "json").json()
    first = report["partition"]["parts"][0]
    assert report["partition"]["pattern"] == "inverses" and len(report["partition"]["parts"]) == 2
    assert first["name"] == "inverses_0" and first["operands"] == [{"name": "%x", "type": "tensor<4xf32>"}]
    assert first["ops"][1] == {"op": "tosa.exp", "location": "p.mlir:3:8"}
    assert shell.run("check", "p.mlir", "out.mlir").status == 0


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("p.mlir",), "usage"),
        (("p.mlir", "--rules", "r.py", "--rules", "r.py"), "usage"),
        (("p.mlir", "--rules", "r.py", "-o", "-"), "usage"),
        (("p.mlir", "--rules", "r.py", "--partition", "halves"), "missing-pattern"),
        (("p.mlir", "--rules", "none.py"), "unreadable"),
        (("none.mlir", "--rules", "r.py"), "file-not-found"),
        (("latin.mlir", "--rules", "r.py"), "file-not-text"),
        (("broken.mlir", "--rules", "r.py"), "parse-error"),
        (("p.mlir", "--rules", "broken.py"), None),
        (("p.mlir", "--rules", "r.py", "-o", "no/folder.mlir"), "file-unwritable"),
    ],
)
def test_errors(shell: Shell, options: tuple[str, ...], name: str | None) -> None:
    for file, text in (("p.mlir", SCALE), ("r.py", HALVES), ("broken.mlir", "func.func {"), ("broken.py", "def (")):
        shell.write(file, text)
    Path(shell.folder / "latin.mlir").write_bytes(b"// \xe9\n" + SCALE.encode())
    answer = shell.run("rewrite", *options, "--format", "json")
    assert answer.status == 2
    report = json.loads(answer.out)
    assert report["verdict"] == "error" and report["written"] is None
    assert report["diagnostics"] and name in (None, report["diagnostics"][0]["name"])
    assert sorted(p.name for p in shell.folder.iterdir()) == [
        *("broken.mlir", "broken.py", "latin.mlir", "p.mlir", "r.py"),
    ]


ONE_NAME = """
from hecv.rules import math, op, pattern, rule

@op("my.f", type="x")
def f(x): ...

@pattern
def power(x):
    return math.exp(x)

@rule(power)
def first(x):
    return f(x)

@pattern
def logarithm(x):
    return math.log(x)

@rule(logarithm)
def second(x):
    return f(x)
"""

TWO_FUNCTIONS = """
func.func @f(%x: f32) -> (f32, f32) {
  %a = math.log %x : f32
  %b = math.exp %x : f32
  return %a, %b : f32, f32
}
"""


@pytest.mark.parametrize("trust", [(), ("--trust",)])
def test_one_op_for_two_functions_is_never_proved(shell: Shell, trust: tuple[str, ...]) -> None:
    """Written out, the result is the input, and still the two ops in it are one and the same: a run tells."""
    refuted = rewrite(shell, TWO_FUNCTIONS, ONE_NAME, *trust)
    assert refuted.status == 1 and written(shell) is None and "not equivalent: @f" in refuted.out


EVEN = ONE_NAME.replace("math.exp(x)", "math.cos(arith.negf(x))").replace("math.log(x)", "math.cos(x)")
COSINES = """
func.func @f(%x: f32) -> (f32, f32) {
  %a = math.cos %x : f32
  %n = arith.negf %x : f32
  %b = math.cos %n : f32
  return %a, %b : f32, f32
}
"""


def test_one_op_for_what_no_run_tells_apart_is_trusted(shell: Shell) -> None:
    even = EVEN.replace("import math", "import arith, math")
    unproved = rewrite(shell, COSINES, even)
    assert unproved.status == 3 and written(shell) is None
    trusted = rewrite(shell, COSINES, even, "--trust")
    assert trusted.status == 0 and "equivalent: @f (trusted; " in trusted.out
    assert "assumes: the rule 'first' holds" in trusted.out


def test_each_check_reads_the_input_anew(shell: Shell) -> None:
    """A check makes calls of ops that nobody declares, in the modules that it is given."""
    even = EVEN.replace("import math", "import arith, math")
    program = COSINES.replace("  %a =", '  "foo.print"(%x) : (f32) -> ()\n  %a =')
    trusted = rewrite(shell, program, even, "--trust")
    assert trusted.status == 0 and "equivalent: @f (trusted; " in trusted.out


def test_a_private_function_that_nobody_calls_is_rewritten_and_not_compared(shell: Shell) -> None:
    """It said that nothing was changed."""
    answer = rewrite(shell, "func.func @f() { return }\n" + SCALE.replace("@scale", "private @scale"), HALVES)
    assert answer.status == 0
    assert answer.out.splitlines()[:2] == [
        "rule 'half-to-mul': 1 use",
        "equivalent: nothing that others can call was changed",
    ]
