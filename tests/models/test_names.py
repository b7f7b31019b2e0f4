"""Parameters and inputs with names that are alike: each is told from the others, or the models are refused."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hecv.base.diag import InputError
from hecv.check import Options
from hecv.frontend.models.captured import Captured, Kind, Tensor
from hecv.models import compare_models
from hecv.verdict.switches import Switches

TYPE = "tensor<2xf32>"


def tensor(name: str, kind: Kind, *values: float) -> Tensor:
    return Tensor(name, kind, (2,), TYPE, values)


def model(body: str, *arguments: Tensor, result: tuple[float, float]) -> Captured:
    """A model of tensors `%a0`, `%a1`... that returns `%r`."""
    head = ", ".join(f"%a{k}: {TYPE}" for k in range(len(arguments)))
    text = f"func.func @main({head}) -> {TYPE} {{\n{body}\n  return %r : {TYPE}\n}}\n"
    return Captured("jax", text, arguments, (tensor("result0", "input", *result),))


def verdict(source: Captured, target: Captured) -> str:
    options = Options(switches=Switches(floats="real"))
    return compare_models(("a.py:f", "b.py:g"), (source, target), None, options).report.functions[0].verdict


def added(one: str, other: str) -> str:
    return f"  %r = arith.addf {one}, {other} : {TYPE}"


X = tensor("input0", "input", 0.5, 0.25)


@pytest.mark.parametrize(("body", "expected"), [(("%a0", "%a0"), "not-equivalent"), (("%a0", "%a1"), "equivalent")])
def test_a_parameter_with_the_name_of_an_input(body: tuple[str, str], expected: str) -> None:
    w, named = tensor("w", "parameter", 1.0, 2.0), tensor("input0", "parameter", 1.0, 2.0)
    target = model(added("%a0", "%a1"), named, X, result=(1.5, 2.25))
    for own in (w, named):
        source = model(added(*body), own, X, result=(2.0, 4.0) if body[1] == "%a0" else (1.5, 2.25))
        assert verdict(source, target) == expected
        assert verdict(target, source) == expected


def test_a_buffer_that_nothing_is_made_of_with_the_name_of_an_input() -> None:
    buffer = tensor("input0", "buffer", 1.0, 2.0)
    source = model(added("%a0", "%a1"), buffer, X, result=(1.5, 2.25))
    body = f"  %c = arith.constant dense<[1.0, 2.0]> : {TYPE}\n" + added("%a0", "%c")
    assert verdict(source, model(body, X, result=(1.5, 2.25))) == "equivalent"
    twice = f"  %c = arith.constant dense<[1.0, 2.0]> : {TYPE}\n" + added("%c", "%c")
    assert verdict(source, model(twice, X, result=(2.0, 4.0))) == "not-equivalent"


def test_two_parameters_of_one_name() -> None:
    one, other = tensor("w", "parameter", 1.0, 2.0), tensor("w", "parameter", 3.0, 5.0)
    source = model(added("%a0", "%a0"), one, other, X, result=(2.0, 4.0))
    with pytest.raises(InputError) as problem:
        verdict(source, model(added("%a1", "%a1"), one, other, X, result=(6.0, 10.0)))
    assert [d.name for d in problem.value.diagnostics] == ["parameter-ambiguous"]


SEVERAL = """
import jax.numpy as jnp
from hecv.frontend.jax.capture import capture
a, b, c, x = (jnp.array([float(k), 2.0]) for k in range(4))
found = capture(lambda p, q, x: p["w"] * x + q["w"] + q["v"], ({"w": a}, {"w": b, "v": c}, x))
print(*(f"{t.name} {t.values[0]}" for t in found.arguments))
found = capture(lambda p: p["a"]["b"] * 2 + p["a.b"], ({"a": {"b": a}, "a.b": b},))
print(*(t.name for t in found.arguments))
"""


def test_keys_that_several_dictionaries_have() -> None:
    """In a process of its own: this one forks, and JAX has threads."""
    done = subprocess.run([sys.executable, "-c", SEVERAL], capture_output=True, text=True, timeout=100)
    names, nested = done.stdout.splitlines()
    assert names == "argument0.w 0.0 v 2.0 argument1.w 1.0 input0 3.0", done.stderr
    assert nested == "[0]['a']['b'] [0]['a.b']"
