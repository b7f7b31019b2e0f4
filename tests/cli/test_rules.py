"""`hecv rules` and `hecv explain` as processes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from tests.cli.conftest import Shell

import hecv
from hecv.explain import DYNAMIC, LICENSED, explain
from hecv.normal.passes import names
from hecv.prove.portfolio import TEXTS

RULES = """
from hecv.rules import arith, is_power_of_two, law, log2, op, pattern, rule, tosa


@op("my.fused")
def fused(x): ...


@law
def twice(x):
    return x + x, x << 1


@law
def halves(x):
    assert x.width >= 2
    return arith.divui(x, 2), arith.shrui(x, 1)


@law
def power(x, c):
    assert is_power_of_two(c.value)
    return x * c, x << log2(c.value)


@law
def wrong_sign(x):
    return arith.divsi(x, 2), arith.shrsi(x, 1)


@pattern
def chain(x):
    return tosa.abs(chain(x))


@pattern
def chain(x):
    return tosa.exp(x)


@rule(chain)
def fuse(x):
    return fused(x)
"""

LISTED = """
twice       x + x => x << 1                                              R.py:9
halves      divui(x, 2) => shrui(x, 1) if x.width >= 2                   R.py:14
power       x * c => x << log2(c.value) if is_power_of_two(c.value)      R.py:20
wrong-sign  divsi(x, 2) => shrsi(x, 1)                                   R.py:26
fuse        chain(x) => my.fused(x)                                      R.py:41
"""

SHOWN = """
fuse
  chain(x) => my.fused(x)
  chain(x) is tosa.abs(chain(x))
  chain(x) is tosa.exp(x)
  --> R.py:41
"""


def squeezed(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def test_lists_the_book(shell: Shell) -> None:
    answer = shell.run("rules")
    assert answer.status == 0 and answer.err == ""
    lines = {line.split()[0]: line for line in answer.out.splitlines()}
    assert "x + 0 = x" in lines["addi-zero"] and "hecv/laws/integers/modular_arithmetic.py:" in lines["addi-zero"]
    assert len(lines) > 100


def test_shows_a_law_with_its_condition(shell: Shell) -> None:
    answer = shell.run("rules", "shrui-as-divui")
    name, equation, condition, why, proved, place = answer.out.splitlines()
    assert name == "shrui-as-divui" and equation == "  shrui(x, K) = divui(x, 1 << K)"
    assert condition == "  where cmpi(K, 32, predicate=ult)"
    assert why == "  Fails at `k >= width`: the divisor is 0 then."
    assert "widths" in proved and "hecv/laws/bits/shift_laws.py:" in place


def test_lists_and_shows_a_file(shell: Shell) -> None:
    shell.write("R.py", RULES)
    assert squeezed(shell.run("rules", "--rules", "R.py").out) == squeezed(LISTED)
    assert shell.run("rules", "--rules", "R.py", "fuse").out == SHOWN.lstrip()


def test_audits_a_file(shell: Shell) -> None:
    shell.write("R.py", RULES)
    answer = shell.run("rules", "--audit", "--rules", "R.py", "--widths", "4,8", "--format", "json")
    assert answer.status == 1
    report = answer.json()
    assert report["schema"] == "hecv.rules/1" and report["diagnostics"] == []
    found = {r["name"]: r for r in report["rules"]}
    assert {name: r["audit"] for name, r in found.items()} == {
        "twice": "proved",
        "halves": "proved",
        "power": "tested",
        "wrong-sign": "failed",
        "fuse": "unknown",
    }
    assert found["twice"]["widths"] == [4, 8] and found["twice"]["kind"] == "static"
    assert found["fuse"]["kind"] == "dynamic" and found["fuse"]["types"][0]["reason"]
    wrong = found["wrong-sign"]["types"][0]
    assert wrong["types"] == ["i4"] and wrong["audit"] == "failed"
    x = wrong["counterexample"]["x"]
    signed = x - 16 if x >= 8 else x
    assert int(signed / 2) != signed >> 1


INDICES = """
from hecv.rules import arith, law

@law
def there_and_back(x):
    return arith.index_cast(arith.index_cast(x, type="index"), type="i64"), x

@law
def never_far(x):
    assert x.elType == "index"
    return arith.cmpi(x, 4294967295, predicate="eq"), arith.cmpi(x, -1, predicate="eq")

@law
def brain(x):
    assert x.elType == "bf16"
    return arith.addf(x, 0.0), x
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("widths", "results"),
    [("64", ["proved", "failed"]), ("32", ["failed", "proved"]), ("8", ["failed", "failed"])],
)
def test_audits_index_at_32_and_64_bits(shell: Shell, widths: str, results: list[str]) -> None:
    """It said that these laws say nothing at any type, or looked at one of the widths."""
    shell.write("R.py", INDICES)
    answer = shell.run("rules", "--audit", "--rules", "R.py", "--widths", widths, "--format", "json")
    assert [r["audit"] for r in answer.json()["rules"]] == [*results, "failed"]
    shown = shell.run("rules", "there-and-back", "--audit", "--rules", "R.py", "--widths", "32")
    assert "at index of 32 bits: x = " in shown.out


def test_audits_literals_that_guards_name(shell: Shell) -> None:
    shell.write(
        "R.py",
        """
from hecv.rules import law

@law
def but_one(x, c):
    if c.value == 12345:
        return x * c, x * 12346
    return x * c, c * x
""",
    )
    answer = shell.run("rules", "--audit", "--rules", "R.py", "--widths", "32")
    assert answer.status == 1 and "at i32: c = 12345" in answer.out


def test_audit_for_people_and_its_exit_status(shell: Shell) -> None:
    shell.write("R.py", RULES)
    answer = shell.run("rules", "twice", "wrong-sign", "--audit", "--rules", "R.py", "--widths", "8")
    assert answer.status == 1
    assert "proved        twice (i8)" in answer.out and "failed        wrong-sign (i8)" in answer.out
    assert "  at i8: x = " in answer.out and "--> R.py:26" in answer.out
    good = shell.run("rules", "twice", "--audit", "--rules", "R.py", "--widths", "8")
    assert good.status == 0 and good.out.splitlines()[-1].startswith("1 rule: 1 proved;")


def test_audits_laws_of_the_book_by_name(shell: Shell) -> None:
    answer = shell.run("rules", "muli-one", "--audit", "--widths", "8,16", "--format", "json")
    (found,) = answer.json()["rules"]
    assert answer.status == 0 and found["audit"] == "proved" and found["widths"] == [8, 16]


def test_a_bad_file_exits_2_and_is_quoted(shell: Shell) -> None:
    shell.write("R.py", "from hecv.rules import *\n@pattern\ndef p(x):\n    return arith.absf(x)\n")
    answer = shell.run("rules", "--audit", "--rules", "R.py")
    assert answer.status == 2 and answer.out == ""
    assert "error[unknown-op]" in answer.err and "--> R.py:4:12" in answer.err
    assert " 4 |     return arith.absf(x)" in answer.err and "did you mean math.absf?" in answer.err
    report = shell.run("rules", "--rules", "R.py", "--format", "json").json()
    assert report["schema"] == "hecv.rules/1" and report["rules"] == []
    assert [(d["name"], d["line"]) for d in report["diagnostics"]] == [("unknown-op", 4)]


def test_a_file_that_ends_the_program_exits_2(shell: Shell) -> None:
    shell.write("R.py", "import sys\nprint('bye')\nsys.exit(0)\n")
    answer = shell.run("rules", "--rules", "R.py", "--format", "json")
    assert answer.status == 2 and answer.json()["diagnostics"][0]["line"] == 3 and answer.err == "bye\n"


def test_unknown_names_and_widths_exit_2(shell: Shell) -> None:
    assert "did you mean muli-one" in shell.run("rules", "muli-on").err
    for arguments in (["muli-on"], ["--audit", "--widths", "0"], ["--audit", "--widths", "8,x"], ["--rules", "no.py"]):
        assert shell.run("rules", *arguments).status == 2


def test_explains_laws_and_operators(shell: Shell) -> None:
    law = shell.run("explain", "shrui-as-divui").out
    assert "shrui(x, K) = divui(x, 1 << K)" in law and "the divisor is 0 then" in law
    scalar = shell.run("explain", "arith.shli").out
    assert scalar.startswith("arith.shli(lhs, rhs, overflow=)") and "Poison:" in scalar
    assert "read as arith.shli" in shell.run("explain", "index.shl").out
    assert "Families: pointwise, unary_pointwise." in shell.run("explain", "tosa.exp").out
    unknown = shell.run("explain", "arith.shl")
    assert unknown.status == 2 and "arith.shli" in unknown.err


def test_explains_every_theorem_of_the_documentation() -> None:
    table = (Path(__file__).parents[2] / "docs" / "theorems.md").read_text()
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`((?:loop|cell|touch)-[a-z-]+|swap)`", row)}
    assert len(names) > 15 and names <= DYNAMIC.keys()
    for name in (*DYNAMIC, *LICENSED):
        assert len(explain(name).splitlines()) >= 2, name


def test_explains_every_pass_and_prover() -> None:
    for name in (*names(), *TEXTS):
        assert len(explain(name).splitlines()) >= 2, name


def used_rules(path: Path) -> Iterator[str]:
    """The names of rules that a module says a verdict rests on, literals and constants of modules."""
    root = Path(hecv.__file__).parents[1]
    module = import_module(".".join(path.relative_to(root).with_suffix("").parts))
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name("RuleUse"), args=[ast.Constant(str(name)), *_]):
                yield name
            case ast.Call(func=ast.Name("RuleUse"), args=[ast.Attribute(ast.Name(owner), constant), *_]):
                (defined,) = (root / "hecv").rglob(f"{owner}.py")
                name = ".".join(defined.relative_to(root).with_suffix("").parts)
                yield getattr(import_module(name), constant)
            case ast.Call(func=ast.Name("RuleUse"), args=[ast.Name(constant), *_]) if constant.isupper():
                yield getattr(module, constant)
            case _:
                pass


def test_explains_every_rule_that_a_verdict_names() -> None:
    package = Path(hecv.__file__).parent
    files = [file for room in ("claim", "prove", "verdict") for file in (package / room).rglob("*.py")]
    names = {name for path in files if "RuleUse(" in path.read_text() for name in used_rules(path)}
    assert {"while-induction", "call-induction", "identical-programs"} <= names <= DYNAMIC.keys()


def test_rules_among_the_examples_pass_their_audit(shell: Shell) -> None:
    path = Path(__file__).parents[2] / "examples" / "rules" / "datapath.py"
    report = shell.run("rules", "--audit", "--rules", str(path), "--widths", "8,32", "--format", "json").json()
    assert {r["audit"] for r in report["rules"]} <= {"proved", "tested"}
    assert sum(r["audit"] == "proved" for r in report["rules"]) >= 7


UNDER_SELECT = """
from hecv.rules import arith, law


@law
def choose(p, x, y):
    return arith.select(p, arith.addi(x, y, overflow="nsw"), x + y), x + y
"""


def test_audit_says_what_is_assumed(shell: Shell) -> None:
    """The sum is poison only where it is chosen, and the law is used only where it is no poison at all."""
    answer = shell.run("rules", "--audit", "--rules", shell.write("R.py", UNDER_SELECT), "--widths", "8")
    assert answer.status == 0
    first, second, *_ = answer.out.splitlines()
    assert first.split()[:2] == ["proved", "choose"]
    assert second == "   = note: given that addi(x, y, overflow=nsw) is defined and not poison"
