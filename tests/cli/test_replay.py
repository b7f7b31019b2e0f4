"""`hecv check --certificate` and `hecv replay` as processes."""

from __future__ import annotations

import json
import os

import pytest
from tests.kernel.test_tampering import sealed

from .conftest import Shell

SOURCE = """
    func.func @f(%a: i32) -> i32 {
      %c2 = arith.constant 2 : i32
      %x = arith.muli %a, %c2 : i32
      return %x : i32
    }
"""
TARGET = """
    func.func @f(%a: i32) -> i32 {
      %x = arith.addi %a, %a : i32
      return %x : i32
    }
"""
FILES = ("src.mlir", "tgt.mlir")
FILL = """
    func.func @f(%n: index, %x: f32, %A: memref<?xf32>) {
      affine.for %i = 0 to %n {
        affine.store %x, %A[%i] : memref<?xf32>
      }
      return
    }
"""


@pytest.fixture
def certified(shell: Shell) -> Shell:
    """A folder with two programs and the certificate `proof`."""
    answer = shell.check(SOURCE, TARGET, "--certificate", "proof")
    assert (answer.status, answer.err) == (0, "")
    return shell


def test_accepted(certified: Shell) -> None:
    answer = certified.run("replay", "proof", *FILES)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        "accepted: equivalent",
        "   @f: equivalent, proof of kind 'aligned'",
        "   = assumes: arguments and their memory hold no poison",
    ]


def test_accepted_as_json(certified: Shell) -> None:
    report = certified.run("replay", "proof", *FILES, "--format", "json", "--solver", "cvc5").json()
    assert (report["schema"], report["answer"], report["solver"]) == ("hecv.replay/1", "accepted", "cvc5")
    assert report["functions"] == [{"name": "f", "verdict": "equivalent", "kind": "aligned"}]


def test_what_a_certificate_assumes_is_said(shell: Shell) -> None:
    """On the other inputs the target is another program."""
    target = FILL.replace("0 to %n", "1 to %n")
    answer = shell.check(FILL, target, "--assume", "n <= 0", "--certificate", "proof")
    assert answer.status == 0, answer.out
    assert "   = assumes: n <= 0 (--assume)" in shell.run("replay", "proof", *FILES).out.splitlines()
    report = shell.run("replay", "proof", *FILES, "--format", "json").json()
    assert {"id": "assume", "text": "n <= 0", "switch": "--assume"} in report["assumptions"]


def test_what_literals_stand_for_is_said(shell: Shell) -> None:
    text = (
        "func.func @f(%a: f32) -> f32 {{\n%c = arith.constant {} : f32\n%x = arith.{} %a, %c : f32\nreturn %x : f32\n}}"
    )
    tenth = shell.check(
        text.format("0.1", "mulf"), text.format("10.0", "divf"), "--fp", "real", "--certificate", "proof"
    )
    said = "= assumes: literals stand for the simplest numbers that round to them"
    assert tenth.status == 0 and f"{said}: 0.100000001 : f32 for 1/10 (--fp)" in tenth.said
    assert f"{said} (--fp)" in shell.run("replay", "proof", *FILES).said


@pytest.mark.parametrize("engine", ["dataflow", "theorems"])
def test_that_calls_return_is_said(shell: Shell, engine: str) -> None:
    """Where the call does not return, the source does not divide."""
    declared = "func.func private @ext()\nfunc.func @f(%a: i32) -> i32 {\n"
    division = "%x = arith.divsi %a, %a : i32\n"
    source, target = f"func.call @ext() : () -> ()\n{division}", f"{division}func.call @ext() : () -> ()\n"
    texts = (f"{declared}{body}return %x : i32\n}}" for body in (source, target))
    answer = shell.check(*texts, "--certificate", "proof", "--engine", engine)
    said = "   = assumes: functions without a body return and free nothing: @ext"
    assert answer.status == 0 and said in answer.out.splitlines()
    assert said in shell.run("replay", "proof", *FILES).out.splitlines()


def test_rejected(certified: Shell) -> None:
    answer = certified.run("replay", "proof", FILES[0], FILES[0])
    assert (answer.status, answer.err) == (1, "")
    assert answer.out == "rejected: programs: the target is not the one that was certified\n"
    report = certified.run("replay", "proof", FILES[0], FILES[0], "--format", "json")
    assert report.status == 1
    assert (report.json()["answer"], report.json()["step"]) == ("rejected", "programs")


def _several(*values: str) -> str:
    """Functions `@f0`, `@f1` and so on, of which each returns `%a` and something."""
    lines = "%x = arith.addi %a, %a : i32\n%y = arith.{} : i32\nreturn %y : i32"
    heads = (f"func.func @f{k}(%a: i32) -> i32 {{\n" for k in range(len(values)))
    return "".join(head + lines.format(value) + "\n}\n" for head, value in zip(heads, values, strict=True))


def test_the_first_function_that_is_not_proved_is_named(shell: Shell) -> None:
    source, target = (
        _several("addi %x, %a", "muli %a, %a", "subi %a, %a"),
        _several("addi %a, %x", "muli %a, %a", "subi %a, %a"),
    )
    assert shell.check(source, target, "--certificate", "proof").status == 0
    assert shell.run("replay", "proof", *FILES).out.count(": equivalent, proof of kind") == 3
    certificate = json.loads((shell.folder / "proof").read_text())
    certificate["functions"][1]["proof"] = {"kind": "inputs", "count": 1}
    certificate["functions"][2]["proof"] = {"kind": "elements", "count": 1}
    shell.write("other", sealed(certificate))
    answer = shell.run("replay", "other", *FILES)
    assert answer.status == 1 and answer.out.startswith("rejected: @f1, inputs: ")


def test_what_ends_the_checker_is_rejected(shell: Shell) -> None:
    """isl reads parentheses by recursion."""
    assert shell.check(FILL, FILL.replace("%i]", "%n - 1 - %i]"), "--certificate", "proof").status == 0
    certificate = json.loads((shell.folder / "proof").read_text())
    certificate["functions"][0]["proof"]["data"]["entries"][0][2] = f"{{ S0[i] -> T0[j] : {'(' * 200_000} }}"
    shell.write("other", sealed(certificate))
    answer = shell.run("replay", "other", *FILES)
    assert answer.status == 1 and answer.out.startswith("rejected: @f, ")


@pytest.mark.parametrize("text", ["n >", f"n > {'9' * 5000}", f"{'(' * 50_000}n", "\ud800 > 0", "m > 0"])
def test_an_assumption_of_a_certificate_that_is_none(certified: Shell, text: str) -> None:
    certificate = json.loads((certified.folder / "proof").read_text())
    certificate["options"]["assume"] = [text]
    certified.write("other", sealed(certificate))
    answer = certified.run("replay", "other", *FILES)
    assert (answer.status, answer.out) == (2, "") and answer.err.startswith("error[invalid-assumption]: ")


def test_what_is_no_certificate_is_bad_input(certified: Shell) -> None:
    for text in ("[]", "{}", (certified.folder / "proof").read_text().replace("equivalent", "refines", 1)):
        certified.write("other", text)
        answer = certified.run("replay", "other", *FILES)
        assert (answer.status, answer.out) == (2, "")
        assert answer.err.startswith("error[no-certificate]: other is no certificate: ")


def test_a_file_that_there_is_not(certified: Shell) -> None:
    answer = certified.run("replay", "none", *FILES)
    assert answer.status == 2 and answer.err.startswith("error[file-not-found]")


def test_an_older_certificate_stays_where_there_is_no_new_one(certified: Shell) -> None:
    before = (certified.folder / "proof").read_text()
    answer = certified.check(SOURCE, TARGET.replace("addi", "muli"), "--certificate", "proof")
    assert answer.status == 1
    assert (certified.folder / "proof").read_text() == before
    assert sorted(p.name for p in certified.folder.iterdir()) == ["proof", *FILES]


def test_a_pipe_takes_the_certificate_and_stays(certified: Shell) -> None:
    path = certified.folder / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDWR)
    try:
        answer = certified.check(SOURCE, TARGET, "--certificate", "pipe")
        assert answer.status == 0 and path.is_fifo()
        assert os.read(reader, 1 << 20) == (certified.folder / "proof").read_bytes()
    finally:
        os.close(reader)


def test_what_a_link_names_takes_the_certificate(certified: Shell) -> None:
    (certified.folder / "link").symlink_to("named")
    assert certified.check(SOURCE, TARGET, "--certificate", "link").status == 0
    assert (certified.folder / "link").is_symlink()
    assert (certified.folder / "named").read_bytes() == (certified.folder / "proof").read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_a_certificate_takes_not_the_place_of_a_program(shell: Shell, name: str) -> None:
    answer = shell.check(SOURCE, TARGET, "--certificate", f"./{name}")
    assert (answer.status, answer.err.splitlines()[0]) == (
        2,
        f"error[usage]: the certificate would be written over {name}",
    )
    assert "func.func" in (shell.folder / name).read_text()


def test_a_verdict_without_proof_has_no_certificate(shell: Shell) -> None:
    answer = shell.check(SOURCE, TARGET.replace("addi", "muli"), "--certificate", "proof")
    assert answer.status == 1
    assert "no certificate was written: the verdict is not-equivalent" in answer.said
    assert not (shell.folder / "proof").exists()


def test_where_it_cannot_be_written(shell: Shell) -> None:
    """It is said before the work is done: of programs that differ too, which have no proof to write."""
    for place in ("no/such/folder/proof", "."):
        for target in (TARGET, TARGET.replace("addi", "muli")):
            answer = shell.check(SOURCE, target, "--certificate", place)
            assert answer.status == 2 and f"error[file-unwritable]: cannot write {place}" in answer.err


def test_every_proof_is_replayed(shell: Shell) -> None:
    answer = shell.check(SOURCE, TARGET, "--format", "json", HECV_REPLAY="1")
    assert answer.status == 0 and json.loads(answer.out)["verdict"] == "equivalent"


def test_a_rule_that_is_trusted_is_said(shell: Shell) -> None:
    rules = "from hecv.rules import *\n\n\n@law\ndef even(x):\n    return math.cos(arith.negf(x)), math.cos(x)\n"
    (shell.folder / "rules.py").write_text(rules)
    target = "func.func @f(%a: f32) -> f32 {\n%r = math.cos %a : f32\nreturn %r : f32\n}\n"
    source = target.replace("math.cos %a", "math.cos %n").replace("%r =", "%n = arith.negf %a : f32\n%r =")
    answer = shell.check(source, target, "--certificate", "proof", "--rules", "rules.py", "--trust")
    assert answer.status == 0, answer.err
    refused = shell.run("replay", "proof", *FILES)
    assert refused.status == 1 and "the rule 'even' is tested, not proved (--trust)" in refused.out
    taken = shell.run("replay", "proof", *FILES, "--trust")
    told = "by the rule 'even' (tested, as the certificate says)"
    assert (
        taken.status == 0
        and f"= on trust: math.cos(arith.negf(leaf 0 True)) = math.cos(leaf 0 True), {told}" in taken.out
    )


def test_options_that_say_what_a_verdict_means_are_said(shell: Shell) -> None:
    """With indices of 32 bits they are equal; who replays has not asked for that."""
    source = """
        func.func @f(%a: i64) -> i64 {
          %i = arith.index_cast %a : i64 to index
          %r = arith.index_cast %i : index to i64
          return %r : i64
        }
        func.func @g(%a: i64) -> i64 {
          return %a : i64
        }
    """
    cast = source.replace("arith.index_cast %a : i64 to index", "arith.trunci %a : i64 to i32")
    target = cast.replace("arith.index_cast %i : index to i64", "arith.extsi %i : i32 to i64")
    target = target.replace("return %a", "%b = arith.addi %a, %a : i64\nreturn %b")
    given = ("--index-width", "32", "--func", "f", "--certificate", "proof")
    assert shell.check(source, target, *given).status == 0
    lines = shell.run("replay", "proof", *FILES).out.splitlines()
    assert "   = assumes: index has 32 bits (--index-width)" in lines
    assert "   = assumes: nothing is said of other functions (--func)" in lines


def test_texts_of_a_certificate_stay_on_their_line(certified: Shell) -> None:
    path = certified.folder / "proof"
    data = json.loads(path.read_text())
    data["functions"][0]["proof"]["values"]["steps"].append(["law", "\x1b[2J\naccepted: equivalent", [], []])
    path.write_text(sealed(data))
    answer = certified.run("replay", "proof", *FILES)
    assert answer.status == 1 and len(answer.out.splitlines()) == 1
    assert "\\u001b[2J\\u000aaccepted" in answer.out
