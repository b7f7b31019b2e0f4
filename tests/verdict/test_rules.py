"""Rules of users in verdicts: named, refused, trusted, wrong, and too many."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport, Report, RuleUse, Saturation, exit_code
from hecv.claim.strategy import Engine, Strategy
from hecv.dataflow.dataflow_proof import Proved, Statistics
from hecv.prove.dataflow import array_dataflow
from hecv.prove.dataflow.array_dataflow import Flow
from hecv.prove.loops import loop_theorems
from hecv.prove.loops.loop_theorems import Theorems
from hecv.prove.pair.pair_context import Case
from hecv.prove.terms.scalar_comparison import Comparer
from hecv.rule_files.rule_loader import loads

NAMES = ("a.mlir", "b.mlir")
STEPS = 15

EVEN_PRODUCT = """
@law
def even_product(x):
    return (x * (x + 1)) & 1, 0
"""
EVEN = "@law\ndef even(x):\n    return math.cos(arith.negf(x)), math.cos(x)\n"


def repeated(body: str) -> str:
    """A function of so many copies of `body`, from %a0 with %b and the constant %one."""
    text = "".join(body.replace("K1", str(k + 1)).replace("K", str(k)) for k in range(STEPS))
    head = "func.func @f(%a0: i32, %b: i32) -> i32 {\n%one = arith.constant 1 : i32\n"
    return f"{head}{text}return %a{STEPS} : i32\n}}\n"


LONG = repeated(
    "%xK = arith.addi %aK, %one : i32\n%yK = arith.muli %aK, %xK : i32\n%zK = arith.andi %yK, %one : i32\n"
    "%wK = arith.xori %aK, %zK : i32\n%aK1 = arith.addi %wK, %b : i32\n"
)
SHORT = repeated("%aK1 = arith.addi %aK, %b : i32\n")


def function(body: str, arguments: str = "%a: f32", result: str = "f32") -> str:
    return f"func.func @f({arguments}) -> {result} {{\n{body}\n}}\n"


NEGATED = function("%0 = arith.negf %a : f32\n%1 = math.cos %0 : f32\nreturn %1 : f32")
PLAIN = function("%1 = math.cos %a : f32\nreturn %1 : f32")


def ask(
    source: str, target: str, *texts: str, trust: bool = False, nodes: int = 10_000, engine: Engine = "auto"
) -> Report:
    files = tuple(loads("from hecv.rules import *\n" + text, f"rules{k}.py") for k, text in enumerate(texts))
    return check(source, target, NAMES, Options(strategy=Strategy(engine, rules=files, trust=trust, nodes=nodes)))


def only(report: Report) -> FunctionReport:
    (found,) = report.functions
    return found


def use(rules: Iterable[RuleUse], name: str) -> tuple[str, str]:
    return next((r.kind, r.evidence) for r in rules if r.name == name and r.uses)


def test_proved_law_is_named() -> None:
    found = only(ask(LONG, SHORT, EVEN_PRODUCT, engine="dataflow"))
    assert (found.verdict, found.evidence) == ("equivalent", "proved")
    assert use(found.rules, "even-product") == ("static", "proved")


@pytest.mark.one_in(2)
def test_without_the_law() -> None:
    report = ask(LONG, SHORT, engine="dataflow")
    assert (report.verdict, report.diagnostics) == ("unknown", ())
    assert ask(LONG, SHORT, EVEN_PRODUCT, engine="dataflow").verdict == "equivalent"


@pytest.mark.one_in(2)
def test_rules_without_the_laws_of_the_book() -> None:
    """They are judged by the book all the same; neither its laws nor normal forms nor Z3 show values equal."""

    def alone(text: str) -> Options:
        files = (loads("from hecv.rules import *\n" + text, "rules.py"),)
        return Options(strategy=Strategy("dataflow", static=False, rules=files))

    assert only(check(LONG, SHORT, NAMES, alone(EVEN_PRODUCT))).verdict == "unknown"
    options = alone(EVEN_PRODUCT + "\n@law\ndef nothing(x):\n    return x ^ 0, x\n")
    found = only(check(LONG, SHORT, NAMES, options))
    assert (found.verdict, found.evidence) == ("equivalent", "proved")
    assert use(found.rules, "even-product") == ("static", "proved")
    divided = "%c = arith.constant 4 : i32\n%0 = arith.divui %a, %c : i32\nreturn %0 : i32"
    wide = function(divided, "%a: i32", "i32")
    shifted = wide.replace("constant 4", "constant 2").replace("divui", "shrui")
    assert only(check(wide, shifted, NAMES, Options(strategy=Strategy("dataflow")))).verdict == "equivalent"
    assert only(check(wide, shifted, NAMES, options)).verdict == "unknown"


def test_false_law_is_bad_input() -> None:
    report = ask(LONG, SHORT, EVEN_PRODUCT, "@law\ndef off(x, y):\n    return x + y, x - y\n")
    (diagnostic,) = report.diagnostics
    assert (report.verdict, report.internal, exit_code(report)) == ("error", False, 2)
    assert (diagnostic.name, str(diagnostic.location)) == ("rule-false", "rules1.py:3:1")
    assert "'off' is false: for x = " in diagnostic.message and "the right side is" not in diagnostic.message


def test_false_law_for_another_type_is_not_used() -> None:
    report = ask(LONG, SHORT, EVEN_PRODUCT, "@law\ndef off(x):\n    return arith.addf(x, 0.0), x\n")
    assert report.verdict == "equivalent"


def test_one_way_law_warns() -> None:
    divided = function("%0 = arith.divui %a, %a : i32\nreturn %0 : i32", "%a: i32", "i32")
    report = ask(divided, divided, "@law\ndef same(x):\n    return arith.divui(x, x), 1\n")
    (diagnostic,) = report.diagnostics
    assert (diagnostic.severity, diagnostic.name, report.verdict) == ("warning", "rule-one-way", "equivalent")
    assert "'same' is not used for proof" in diagnostic.message and "x = 0" in diagnostic.message


@pytest.mark.parametrize(("right", "name"), [("x", "rule-one-way"), ("y", "rule-false")])
def test_one_way_law_with_a_flag_is_not_false(right: str, name: str) -> None:
    """Where its left side divides by zero it is undefined, and no counterexample."""
    product = "%0 = arith.muli %a, %b overflow<nsw> : i8\n%1 = arith.divsi %0, %b : i8\nreturn %1 : i8"
    text = function(product, "%a: i8, %b: i8", "i8")
    law = f"@law\ndef back(x, y):\n    return arith.divsi(arith.muli(x, y, overflow='nsw'), y), {right}\n"
    (diagnostic,) = ask(text, text, law).diagnostics
    assert diagnostic.name == name


def test_unproved_law_warns() -> None:
    report = ask(NEGATED, PLAIN, EVEN)
    (diagnostic,) = report.diagnostics
    assert (report.verdict, diagnostic.name, diagnostic.severity) == ("unknown", "rule-unproved", "warning")


def test_trusted_law() -> None:
    report = ask(NEGATED, PLAIN, EVEN, trust=True)
    found = only(report)
    assert (found.verdict, found.evidence, report.diagnostics) == ("equivalent", "tested", ())
    assert use(found.rules, "even") == ("static", "tested")
    assert [(a.id, a.switch) for a in found.assumptions if "even" in a.text] == [("rule-trusted", "--trust")]
    assert found.runs > 24


def test_trust_is_no_evidence_where_a_proof_does_without() -> None:
    found = only(ask(LONG, SHORT, EVEN_PRODUCT, EVEN, trust=True, engine="dataflow"))
    assert (found.verdict, found.evidence) == ("equivalent", "proved")


@pytest.mark.one_in(2)
def test_trusted_law_that_a_run_refutes() -> None:
    source = function("%0 = math.exp %a : f32\n%1 = arith.mulf %0, %0 : f32\nreturn %1 : f32")
    target = function("%0 = arith.addf %a, %a : f32\n%1 = math.exp %0 : f32\nreturn %1 : f32")
    law = "@law\ndef sums(x, y):\n    return arith.mulf(math.exp(x), math.exp(y)), math.exp(arith.addf(x, y))\n"
    report = ask(source, target, law, trust=True)
    assert (report.verdict, exit_code(report)) == ("not-equivalent", 1)


@pytest.mark.parametrize("crosscheck", ["0", "1"])
def test_proof_on_trust_that_a_run_refutes(monkeypatch: pytest.MonkeyPatch, crosscheck: str) -> None:
    def claim(case: Case, operations: int) -> Flow:
        assert case.pair is not None
        statistics = Statistics((1, 1), 1, 0)
        return Flow(case.pair, Proved(converse=True, one_way=None, initialised=True, safe=True, statistics=statistics))

    def trusted(comparer: Comparer) -> tuple[str, ...]:
        return ("wrong-rule",)

    def rules(comparer: Comparer) -> tuple[RuleUse, ...]:
        return (RuleUse("wrong-rule", "static", 1, "trusted"),)

    monkeypatch.setattr(array_dataflow, "attempt", claim)
    monkeypatch.setattr(Comparer, "trusted", trusted)
    monkeypatch.setattr(Comparer, "rules", rules)
    monkeypatch.setenv("HECV_CROSSCHECK", crosscheck)
    add = function("%0 = arith.addi %a, %b : i32\nreturn %0 : i32", "%a: i32, %b: i32", "i32")
    report = check(add, add.replace("addi", "subi"), NAMES, Options())
    assert (report.verdict, exit_code(report)) == ("not-equivalent", 1)
    assert any("'wrong-rule', taken on trust" in note and "it is wrong" in note for note in only(report).notes)


GROWING = """
@law
def shifting(x, y):
    return x + y, (x + 3) + (y - 3)

@law
def regrouped(x, y, z):
    return (x + y) + z, x + (y + z)
"""


def test_rules_that_grow_the_graph() -> None:
    body = "%0 = arith.addi %a, %b : i32\n%1 = arith.sitofp %0 : i32 to f32\n"
    pair = ("%2 = arith.negf %1 : f32\n%3 = math.cos %2 : f32", "%3 = math.cos %1 : f32")
    source, target = (function(f"{body}{end}\nreturn %3 : f32", "%a: i32, %b: i32") for end in pair)
    found = only(ask(source, target, GROWING, nodes=3_000))
    assert found.verdict == "unknown" and found.unknown is not None
    assert found.stop_reason in ("node-limit", "iteration-limit", "time-limit")
    assert (
        "of the user's rules 'shifting' made the e-graph grow the most" in found.unknown.text
        or "'regrouped'" in found.unknown.text
    )


# Matched outside


CHOSEN = """
@pattern
def chosen(c, x, y, f):
    assert f in unary_pointwise
    return arith.select(c, f(x), f(y))

@rule(chosen)
def after_choice(c, x, y, f):
    return f(arith.select(c, x, y))
"""


def test_function_variable() -> None:
    """Whatever `f` is: here a function of which nothing else is known."""
    arguments = "%c: i1, %a: f32, %b: f32"
    first = "%0 = math.tanh %a : f32\n%1 = math.tanh %b : f32\n%2 = arith.select %c, %0, %1 : f32"
    second = "%0 = arith.select %c, %a, %b : f32\n%2 = math.tanh %0 : f32"
    source, target = (
        function(f"{body}\n%3 = arith.negf %2 : f32\nreturn %3 : f32", arguments) for body in (first, second)
    )
    found = only(ask(source, target, CHOSEN))
    assert found.verdict == "equivalent" and use(found.rules, "after-choice") == ("dynamic", "proved")


def tensors(*operators: str) -> str:
    kind = "tensor<4xf32>"
    body = "".join(f'%a{k + 1} = "{op}"(%a{k}) : ({kind}) -> {kind}\n' for k, op in enumerate(operators))
    return f"func.func @f(%a0: {kind}) -> {kind} {{\n{body}return %a{len(operators)} : {kind}\n}}\n"


BLUR = """
@op("my.blur")
def blur(x): ...

@law
def blur_blur(x):
    return blur(blur(x)), blur(x)
"""


def test_operators_of_a_user() -> None:
    twice, once = tensors("my.blur", "my.blur", "my.blur"), tensors("my.blur")
    assert ask(twice, once).verdict == "unknown"  # a call of the outside world may count
    plain = ask(twice, once, BLUR)
    assert plain.verdict == "unknown" and plain.diagnostics[0].name == "rule-unproved"
    found = only(ask(twice, once, BLUR, trust=True))
    assert (found.verdict, found.evidence) == ("equivalent", "trusted")
    assert use(found.rules, "blur-blur") == ("dynamic", "trusted")
    assert {"rule-trusted", "opaque-functions"} <= {a.id for a in found.assumptions}
    assert ask(twice, tensors("my.other"), BLUR, trust=True).verdict == "unknown"


def test_declared_operator_with_effects() -> None:
    text = BLUR.replace('@op("my.blur")', '@op("my.blur", effects=True)')
    twice, once = tensors("my.blur", "my.blur", "my.blur"), tensors("my.blur")
    assert ask(once, once, text).verdict == "equivalent"
    assert ask(twice, once, text, trust=True).verdict == "unknown"


def test_theorems_use_proved_laws() -> None:
    loop = """
func.func @f(%m: memref<8xi32>) {{
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 8 {{
    %x = affine.load %m[%i] : memref<8xi32>
    {0}
    affine.store %v, %m[%i] : memref<8xi32>
  }}
  return
}}
"""
    product = "%s = arith.addi %x, %one : i32\n%p = arith.muli %x, %s : i32\n%z = arith.andi %p, %one : i32\n"
    source = loop.format(product + "%v = arith.xori %x, %z : i32")
    target = loop.format("%v = arith.addi %x, %zero : i32")
    law = "@law\ndef even_product(x):\n    return x ^ ((x * (x + 1)) & 1), x\n"
    files = (loads("from hecv.rules import *\n" + law, "rules.py"),)
    first, second = (
        only(check(source, target, NAMES, Options(strategy=Strategy("theorems", rules=rules)))) for rules in (files, ())
    )
    assert (first.verdict, first.engine) == ("equivalent", "theorems") and second.engine != "theorems"
    assert use(first.rules, "even-product") == ("static", "proved")


BACKWARDS = """
@loop_rule
def backwards(a: Bound, b: Bound, S: Body):
    assert in_order()
    return loop(a, b, lambda i: S(i)), loop(0, b - a, lambda k: S(b - 1 - k))
"""


def gather(index: str) -> str:
    return f"""
func.func @f(%A: memref<?xi32>, %B: memref<?xindex>, %C: memref<?xi32>, %n: index) {{
  affine.for %k = 0 to %n {{
    %i = affine.apply affine_map<(d0)[s0] -> ({index})>(%k)[%n]
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%b] : memref<?xi32>
    memref.store %a, %C[%i] : memref<?xi32>
  }}
  return
}}
"""


def test_a_loop_rule_is_named_and_proved() -> None:
    source, target = gather("d0"), gather("s0 - d0 - 1")
    assert only(ask(source, target, engine="theorems")).verdict == "unknown"
    found = only(ask(source, target, BACKWARDS, engine="theorems"))
    assert (found.verdict, found.evidence, found.engine) == ("equivalent", "proved", "theorems")
    assert [(r.name, r.kind, r.evidence) for r in found.rules] == [("backwards", "dynamic", "proved")]


def test_a_loop_rule_that_is_false_is_an_error_with_values() -> None:
    report = ask(gather("d0"), gather("s0 - d0 - 1"), BACKWARDS.replace("b - 1 - k", "b - k"), trust=True)
    assert exit_code(report) == 2
    (problem,) = only(report).diagnostics
    assert problem.name == "rule-false" and "for a = " in problem.message and problem.location is not None


def test_a_loop_rule_that_was_not_audited_is_left_out_with_a_warning() -> None:
    never = BACKWARDS.replace("assert in_order()", "assert b == a + 500")
    found = only(ask(gather("d0"), gather("s0 - d0 - 1"), never, engine="theorems"))
    assert found.verdict == "unknown"
    assert [d.name for d in found.diagnostics] == ["rule-untested"]


def test_a_loop_rule_proves_nothing_of_a_wrong_target() -> None:
    found = only(ask(gather("d0"), gather("s0 - d0 - 2"), BACKWARDS, engine="theorems"))
    assert found.verdict in ("unknown", "not-equivalent")


def test_a_search_that_a_limit_ends_names_what_took_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Saturation(1, 10, 20, 3, ())
    ended = Theorems(False, "node-limit", None, None, (), taken, "loop-split")
    monkeypatch.setattr(loop_theorems, "prove", lambda *given: ended)
    found = only(ask(gather("d0"), gather("s0 - d0 - 1"), engine="theorems"))
    assert found.verdict == "unknown" and found.stop_reason == "node-limit" and found.unknown is not None
    assert found.unknown.text.endswith("the loop theorems met their node limit, and 'loop-split' took the most of it")


TENSOR = "tensor<4xf32>"
SIGNLESS = """
@pattern
def magnitude(x):
    return tosa.abs(x)
@rule(magnitude)
def drop_abs(x):
    return x
"""
FLOORS = "@law\ndef floor_ceil(x):\n    return tosa.floor(tosa.ceil(x)), tosa.ceil(x)\n"


def on_tensors(*ops: str) -> str:
    """A function of %0 that applies these unary ops one after the other."""
    lines = [f"%{k} = tosa.{op} %{k - 1} : ({TENSOR}) -> {TENSOR}" for k, op in enumerate(ops, 1)]
    text = "\n".join([*lines, f"return %{len(ops)} : {TENSOR}"])
    return f"func.func @f(%0: {TENSOR}) -> {TENSOR} {{\n{text}\n}}\n".replace("%", "%v")


def test_what_is_trusted_of_tensors_is_run_as_what_they_are_lowered_to() -> None:
    """As functions of which nothing is known they cannot be run, and so a false rule was not found out."""
    report = ask(on_tensors("abs", "exp"), on_tensors("exp"), SIGNLESS, trust=True)
    assert only(report).verdict == "not-equivalent" and only(report).counterexample
    assert any("'drop-abs', taken on trust" in note and "wrong" in note for note in only(report).notes)
    assert any(a.id == "lowering-tosa" for a in only(report).assumptions)


def test_a_rule_about_tensors_that_runs_agree_with_is_trusted() -> None:
    found = only(ask(on_tensors("ceil", "floor"), on_tensors("ceil"), FLOORS, trust=True))
    assert (found.verdict, found.evidence) == ("equivalent", "trusted")
    assert found.runs and found.runs_skipped is None
