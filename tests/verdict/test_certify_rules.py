"""Certificates of proofs by rules of users: what is proved is shown again, the rest is taken on trust and said so."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from hecv.check import Options, check, meaning_of
from hecv.claim.strategy import Strategy
from hecv.kernel.certificate.file_format import Dataflow, FunctionProof, read, render
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse
from hecv.replaying import Pair, certificate_of, check_function
from hecv.rule_files.rule_loader import loads

COSINE = "@law\ndef even(x):\n    return math.cos(arith.negf(x)), math.cos(x)\n"
CHOICE = """
@pattern
def chosen(c, x, y, f):
    assert f in unary_pointwise
    return arith.select(c, f(x), f(y))

@rule(chosen)
def after_choice(c, x, y, f):
    return f(arith.select(c, x, y))
"""


def function(*body: str) -> str:
    return "\n".join(("func.func @f(%c: i1, %a: f32, %b: f32) -> f32 {", *body, "return %r : f32 }"))


NEGATED = function("%n = arith.negf %a : f32", "%r = math.cos %n : f32")
PLAIN = function("%r = math.cos %a : f32")
SINE = function("%r = math.sin %a : f32")
TWICE = function(
    "%x = math.tanh %a : f32", "%y = math.tanh %b : f32", "%s = arith.select %c, %x, %y : f32", "%r = math.cos %s : f32"
)
ONCE = function("%s = arith.select %c, %a, %b : f32", "%x = math.tanh %s : f32", "%r = math.cos %x : f32")


def proof(source: str, target: str, rules: str, trust: bool = False) -> FunctionProof:
    file = loads(f"from hecv.rules import *\n{rules}", "rules.py")
    options = Options(strategy=Strategy("dataflow", rules=(file,), trust=trust), recording=True, seconds=30)
    (found,) = check(source, target, ("s.mlir", "t.mlir"), options).functions
    assert found.certificate is not None, found.uncertified
    made = certificate_of((source, target), meaning_of(options), [found.certificate])
    return read(render(made)).functions[0]


def replayed(source: str, target: str, made: FunctionProof, trusting: bool = False) -> dict[tuple[str, str], str]:
    """What was taken on trust, rules with their instances, and what is known of the rules.

    Raises: Rejected, Malformed.
    """
    solver = Solver("z3", 64, trusting=trusting)
    pair = Pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), ())
    check_function(pair, made, meaning_of(Options()), solver)
    return solver.trusted


def test_what_a_rule_says_is_shown_again() -> None:
    made = proof(TWICE, ONCE, CHOICE)
    assert replayed(TWICE, ONCE, made) == {}
    with pytest.raises(Rejected):
        replayed(TWICE, function("%x = math.tanh %a : f32", "%r = math.cos %x : f32"), made)


def test_what_a_trusted_rule_says_is_taken_on_trust() -> None:
    made = proof(NEGATED, PLAIN, COSINE, trust=True)
    with pytest.raises(Rejected, match="the rule 'even' is tested, not proved"):
        replayed(NEGATED, PLAIN, made)
    ((rule, instance),) = replayed(NEGATED, PLAIN, made, trusting=True).items()
    assert rule == ("even", "math.cos(arith.negf(leaf 0 True)) = math.cos(leaf 0 True)") and instance == "tested"
    with pytest.raises(Rejected):
        replayed(NEGATED, SINE, made, trusting=True)


def test_trust_is_not_made_a_proof() -> None:
    made = proof(NEGATED, PLAIN, COSINE, trust=True)
    assert isinstance(made.proof, Dataflow)
    data = made.proof.data
    for by in ("smt", "ring"):
        changed = copy.deepcopy(data)
        lemma = next(find(changed))
        lemma["by"] = by
        if by == "ring":
            del lemma["text"]
        with pytest.raises((Rejected, Malformed)):
            replayed(NEGATED, PLAIN, replace(made, proof=replace(made.proof, data=changed)), trusting=True)


def find(data: Any) -> Iterator[dict[str, Any]]:
    """The lemmas somewhere in a proof."""
    match data:
        case {"claim": _, "rows": _}:
            yield data
        case dict():
            for part in data.values():
                yield from find(part)
        case list():
            for part in data:
                yield from find(part)
        case _:
            return
