"""Which symbols of a module are programs, which are seen from outside, and which a pass left as they are."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.mlir.importer import functions, new_context, parse
from hecv.mlir.module.unchanged_functions import unchanged

SCHEDULE = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
"""
F = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"


def names(text: str) -> list[str]:
    return [f.name for f in functions(parse(text, "t.mlir"))]


@pytest.mark.parametrize(
    "beside",
    [
        SCHEDULE,
        f"module {{{SCHEDULE}}}",
        'module {\npdl.pattern @p : benefit(1) {\n  %r = pdl.operation "a.b"\n  pdl.rewrite %r { pdl.erase %r }\n}\n}',
    ],
    ids=["schedule", "nested schedule", "patterns"],
)
def test_instructions_for_a_compiler_are_no_program(beside: str) -> None:
    assert names(F + beside) == ["f"]


@pytest.mark.parametrize(
    "beside",
    ["module {}", "module {\nfunc.func @g() {\n  return\n}\n}", f"module {{{SCHEDULE}func.func private @g()\n}}"],
    ids=["empty", "function", "schedule and function"],
)
def test_other_modules_without_a_name_are_listed(beside: str) -> None:
    assert names(F + beside) == ["f", "builtin.module number 0"]


def visible(kind: str, number: int) -> str:
    """A function that its only caller gives 1, and that returns its argument, or this number."""
    body = "  return %a : i32" if number == 0 else f"  %n = arith.constant {number} : i32\n  return %n : i32"
    return f"""func.func {kind} @g(%a: i32) -> i32 {{
{body}
}}
func.func @f() -> i32 {{
  %c = arith.constant 1 : i32
  %r = call @g(%c) : (i32) -> i32
  return %r : i32
}}"""


@pytest.mark.parametrize("kind", ["private", "nested"])
def test_what_only_this_module_calls_counts_through_its_callers(kind: str) -> None:
    """So a pass may use that all callers are known, as `sccp` does."""
    texts = visible(kind, 0), visible(kind, 1), visible(kind, 2)
    verdicts = [check(texts[0], t, ("s.mlir", "t.mlir"), Options(jobs=1)).verdict for t in texts]
    assert verdicts == ["equivalent", "equivalent", "not-equivalent"]


def test_what_others_may_call_counts_by_itself() -> None:
    found = check(visible("", 0), visible("", 1), ("s.mlir", "t.mlir"), Options(jobs=1))
    assert {f.name: f.verdict for f in found.functions} == {"g": "not-equivalent", "f": "equivalent"}


USER = '"live.user"() {{uses = [@{}]}} : () -> ()\n'
H = "func.func @h(%a: i32) -> i32 {{\n  %n = arith.constant {} : i32\n  return %n : i32\n}}\n"


def same(source: str, target: str) -> set[str]:
    context = new_context()
    return set(unchanged(parse(source, "s.mlir", context), parse(target, "t.mlir", context)))


def test_ops_beside_functions_are_unchanged_with_all_they_refer_to() -> None:
    assert same(F + USER.format("f") + H.format(1), F + USER.format("f") + H.format(2)) == {"f", "live.user number 0"}
    assert same(F + USER.format("h") + H.format(1), F + USER.format("h") + H.format(2)) == {"f"}
    assert same(F + USER.format("f"), F + USER.format("f").replace("uses", "used")) == set()
