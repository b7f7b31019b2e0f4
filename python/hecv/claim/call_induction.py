"""Recursive functions: refinement by induction over the depth of the source's calls.

Let `S` be the functions of the source that may call themselves and `T` those of the target, and `s[X]` the body of one
of them with calls of `X` in it. Let `S(0)` be undefined everywhere, and `S(n + 1)` be `s[S(n)]`. A call that terminates
in `S` is a call of some `S(n)`, so it suffices that `T` refines every `S(n)`:

    T  =  t[T]  refines  s[T]  refines  s[S(n)]  =  S(n + 1)

- The first step is what is proved of each pair of bodies: `t[X]` refines `s[X]` for all functions `X`, also undefined
  or non-terminating ones. So the target calls what the source calls, on equal operands and contents.
- The second step: a program whose parts are refined is refined. What holds of `T` and `S(n)` holds for the inputs that
  a proof is about, so the source's calls have to be such inputs: no poison is passed on, as the operators show,
  memories are distinct and not freed (`hecv.mlir.control.recursive_calls`), and no `--assume` is used of a function
  that is called.

The functions are mutually recursive: each that may be called has to be proved so. The converse is the same with the
roles exchanged. Functions on floats are compared without licences, and only if none shows which NaN a float is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from hecv.base.types import FloatType
from hecv.claim.result import Assumption, FunctionReport, RuleUse, Unknown
from hecv.ops import exposes
from hecv.ops.fastmath_flags import FloatMode
from hecv.ops.registry import licensed
from hecv.program.tree import Call, Function, walk
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.interpreter.outcome_analysis import chooses, poison_in, terms_of

RULE = "call-induction"


def calls(functions: tuple[Function, Function]) -> bool:
    """Whether one of the functions has a call that is not inlined."""
    return any(f.callees for f in functions)


def required(functions: tuple[Function, Function], own: str | None) -> list[str]:
    """The functions that need a proof beside the pair, which is called `own`; None if its functions have no common name
    (`hecv.mlir.control.recursive_calls.own_name`)."""
    return sorted({name for f in functions for name in f.callees} - {own})


def refusal(functions: tuple[Function, Function], index_width: int, mode: FloatMode) -> str | None:
    """Why the induction does not apply to the pair; None if it does."""
    group = [g for f in functions for g in _group(f)]
    terms = [t for g in group for t in terms_of(g)]
    floats = any(isinstance(t.type, FloatType) for t in terms)
    if floats and (mode != "strict" or any(licensed(t.attrs) for t in terms)):
        return "floats of recursive functions are compared without licences only"
    if any(map(chooses, group)):
        return "a recursive function has an op that leaves its value open"
    if any(map(exposes, terms)):
        return "a recursive function may show which NaN a float is"
    return _poison(functions[0], index_width, "source")


def one_way(functions: tuple[Function, Function], index_width: int) -> str | None:
    """Why the induction does not prove the converse; None if it does."""
    return _poison(functions[1], index_width, "target")


def _group(function: Function) -> Iterable[Function]:
    return (function, *function.callees.values())


def _poison(function: Function, index_width: int, side: str) -> str | None:
    """Why poison may be passed to a call: the least that operators tell, whether calls give any or, as no more than
    proper values come in, none."""
    given = all(_passes_proper(g, index_width, False) for g in _group(function))
    if given or all(
        _passes_proper(g, index_width, True) and (g is function or _returns_proper(g, index_width))
        for g in _group(function)
    ):
        return None
    return f"a recursive call of the {side} may be given poison"


def _passes_proper(function: Function, index_width: int, proper_calls: bool) -> bool:
    terms, memories = poison_in(function, terms_of(function), Patterns(index_width), proper_calls=proper_calls)
    found = [s for s in walk(function.body) if isinstance(s, Call)]
    return not any(t.id in terms for s in found for t in s.operands) and not any(
        m.id in memories for s in found for m in s.memories
    )


def _returns_proper(function: Function, index_width: int) -> bool:
    _, memories = poison_in(function, terms_of(function), Patterns(index_width), proper_calls=True)
    seen = [*function.results, *(a.memory for a in function.inputs() if a.memory is not None)]
    return not any(m.id in memories for m in seen)


def concluded(
    report: FunctionReport,
    functions: tuple[Function, Function],
    others: Iterable[tuple[str, Callable[[], FunctionReport]]],
    limits: tuple[int, FloatMode],
) -> FunctionReport:
    """The verdict on a pair of functions whose bodies were proved equal for all functions that they call.

    `others` are the verdicts on the called functions, computed on demand; `limits` are the width of `index` and the
    float mode.
    """
    why = refusal(functions, *limits)
    if why is not None:
        return _unknown(report, functions, why)
    text = one_way(functions, limits[0])
    if text is not None and report.verdict == "equivalent":
        report = replace(report, verdict="refines", notes=(*report.notes, f"the source does not refine it: {text}"))
    count = 1
    for name, verdict in others:
        found = verdict()
        if found.verdict not in ("equivalent", "refines"):
            return _unknown(report, functions, f"@{name}, which it calls, is not shown equal: {_because(found)}")
        report, count = _joined(report, found), count + 1
    return replace(report, rules=(*report.rules, RuleUse(RULE, "dynamic", count, "proved")))


def _because(found: FunctionReport) -> str:
    return found.unknown.text if found.unknown is not None else found.verdict


def _unknown(report: FunctionReport, functions: tuple[Function, Function], why: str) -> FunctionReport:
    unknown = Unknown("no-proof", why, functions[1].location)
    return FunctionReport(report.name, "unknown", runs=report.runs, unknown=unknown)


def _joined(report: FunctionReport, other: FunctionReport) -> FunctionReport:
    """A verdict that rests on another one, too."""
    verdict = "refines" if "refines" in (report.verdict, other.verdict) else report.verdict
    order = ("trusted", "tested", "proved")
    found = {report.evidence, other.evidence}
    weakest = next(e for e in order if e in found)
    known: dict[str, Assumption] = {a.text: a for a in (*report.assumptions, *other.assumptions)}
    rules: dict[tuple[str, str], RuleUse] = {}
    for rule in (*report.rules, *other.rules):
        key = (rule.name, rule.evidence)
        rules[key] = replace(rule, uses=rule.uses + (rules[key].uses if key in rules else 0))
    return replace(
        report, verdict=verdict, evidence=weakest, assumptions=tuple(known.values()), rules=tuple(rules.values())
    )
