"""Parameters and inputs with names that are alike: each is told from the others, or the models are refused."""

from __future__ import annotations

import subprocess
import sys
from math import prod
from pathlib import Path

import pytest

from hecv.base.diagnostics import InputError
from hecv.check import Options
from hecv.claim.semantic_options import Switches
from hecv.lowered_models import compare_models
from hecv.parameters.captured_model import Captured, Kind, Tensor
from hecv.parameters.parameter_relation import Own
from hecv.relate.state.lowered_state import relate_state

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
from hecv.jax.jax_capture import capture
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


def shaped(shape: tuple[int, ...], element: str = "f32") -> tuple[Tensor, Captured]:
    """A parameter `w` and a model that takes it and returns its input."""
    kind = f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"
    held = Tensor("w", "parameter", shape, kind, (1.0,) * prod(shape))
    text = f"func.func @main(%a: {kind}, %x: {TYPE}) -> {TYPE} {{ return %x : {TYPE} }}"
    return held, Captured("jax", text, (held, X), (tensor("result0", "input", *X.values),))


def related(source: Captured, target: Captured, relation: str, folder: Path) -> str:
    file = folder / "r.toml"
    file.write_text(f'[parameters]\nw = "{relation}"\n', encoding="utf-8")
    options = Options(switches=Switches(floats="real"))
    return compare_models(("a.py:f", "b.py:g"), (source, target), str(file), options).report.verdict


def test_a_scalar_is_reshaped(tmp_path: Path) -> None:
    """It had the type of a row."""
    for shape in ((1,), (1, 1)):
        words = ", ".join(map(str, shape))
        assert related(shaped(())[1], shaped(shape)[1], f"reshape(w, {words})", tmp_path) == "equivalent"


def test_a_relation_of_other_elements(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        related(shaped((2,), "f16")[1], shaped((2,))[1], "slice(w, 0, 0, 2)", tmp_path)
    assert "`w` has elements of f32, `w` of f16" in caught.value.diagnostics[0].message


def test_a_relation_that_is_nested_without_end(tmp_path: Path) -> None:
    one = shaped((2, 2))[1]
    assert related(one, one, f"{'transpose(' * 50}w{')' * 50}", tmp_path) == "equivalent"
    with pytest.raises(InputError) as caught:
        related(one, one, f"{'transpose(' * 3000}w{')' * 3000}", tmp_path)
    assert "more than 50 deep" in caught.value.diagnostics[0].message


def test_a_relation_with_a_number_that_is_no_extent(tmp_path: Path) -> None:
    """Python does not read it: it ended the check."""
    one = shaped((2, 2))[1]
    with pytest.raises(InputError) as caught:
        related(one, one, f"reshape(w, {'1' * 5000})", tmp_path)
    assert "more than 18 digits" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("shape", "element"), [((2,), "i32"), ((2,), "i1"), ((), "i64"), ((0, 3), "f32"), ((2, 0), "i8")]
)
def test_a_value_of_integers_or_without_elements(shape: tuple[int, ...], element: str, tmp_path: Path) -> None:
    """It was written as floats, or as an extent too few: neither could be read."""
    one = shaped(shape, element)[1]
    assert related(one, one, "value", tmp_path) == "equivalent"


def test_a_value_of_integers_that_are_rounded(tmp_path: Path) -> None:
    held, one = shaped((1,), "i64")
    large = Tensor("w", "parameter", (1,), held.type, (float(1 << 53),))
    with pytest.raises(InputError) as caught:
        related(one, Captured("jax", one.text, (large, X), one.results), "value", tmp_path)
    assert "its value has integers that are too large" in caught.value.diagnostics[0].message


def test_parameters_of_equal_values_are_not_guessed() -> None:
    """Any of these in any order has the values of `c`."""

    def zeros(name: str, size: int) -> Tensor:
        return Tensor(name, "parameter", (size,), f"tensor<{size}xf32>", (0.0,) * size)

    assert relate_state([zeros(f"b{k}", 4) for k in range(24)], [zeros("c", 96)], {}).unmatched == ("c",)


def test_parameters_of_other_types_are_not_taken() -> None:
    held = Tensor("w", "parameter", (2,), "tensor<2xf16>", (0.5, 2.0))
    wide = Tensor("v", "parameter", (2,), "tensor<2xf32>", (0.5, 2.0))
    kept = Tensor("b", "buffer", (2,), "tensor<2xf32>", (0.5 + 2**-24, 2.0))
    found = relate_state([held], [wide, kept], {})
    assert found.unmatched == ("v",)
    assert found.expressions == {"b": Own()}
    buffer = Tensor("b", "buffer", (2,), "tensor<2xf32>", (0.5, 2.0))
    assert relate_state([buffer], [kept], {}).expressions == {"b": Own()}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("%p = ub.poison : f32", "leaves element 0 of result0 open, the model computes 0.5"),
        ("%p = arith.constant 0x7F800000 : f32", "computes inf for element 0 of result0, the model 0.5"),
    ],
)
def test_a_lowering_that_leaves_something_open_is_not_believed(value: str, text: str) -> None:
    """Anything refines what is poison."""
    body = f"  {value}\n  %r = tensor.from_elements %p, %p : {TYPE}"
    source = model(body, X, result=(0.5, 0.25))
    options = Options(switches=Switches(floats="real"))
    found = compare_models(("a.py:f", "b.py:g"), (source, source), None, options).report.functions[0]
    assert found.verdict == "unknown" and found.unknown is not None
    assert text in found.unknown.text
