"""Rewriting of torch.fx graphs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from hecv.patterns.calculus.pattern_ast import (
    TRUE,
    Alternate,
    Apply,
    ApplyVariable,
    AttributeOf,
    Branch,
    Build,
    Call,
    Compute,
    Computed,
    Constant,
    Definition,
    Exists,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    Replacement,
    Rule,
    RuleFile,
    Same,
    Variable,
)
from hecv.rewrite.fx_rewriting import Refused, rewrite
from hecv.rule_files.rule_loader import load, loads
from hecv.torch.fx_edits import has_effects, is_new

X, Y = Variable("x"), Variable("y")


def rules(*given: tuple[str, Pattern, Replacement], more: tuple[Definition, ...] = ()) -> RuleFile:
    """A rule for each pattern over x and y, unconditional."""
    names = {name: _parameters(pattern) for name, pattern, _ in given}
    definitions = {name: Definition(name, names[name], pattern) for name, pattern, _ in given}
    definitions |= {d.name: d for d in more}
    made = tuple(Rule(name, name, names[name], (Branch(TRUE, right),)) for name, _, right in given)
    return RuleFile("rules.py", {}, definitions, made)


def _parameters(pattern: Pattern) -> tuple[Parameter, ...]:
    text = repr(pattern)
    return tuple(Parameter(name) for name in ("x", "y") if f"name='{name}'" in text or f"'{name}'" in text)


def exported(module: nn.Module, *inputs: torch.Tensor) -> torch.fx.GraphModule:
    return torch.export.export(module.eval(), inputs, strict=False).module()  # type: ignore[return-value]


def called(module: torch.fx.GraphModule) -> list[str]:
    return [str(node.target) for node in module.graph.nodes if node.op == "call_function"]


class Of(nn.Module):
    """A module that computes a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arguments: torch.Tensor) -> Any:
        return self.function(*arguments)


TWICE = Build("torch.aten.mul.Tensor", (Same("x"), Computed(Known(2))))
DOUBLE = rules(("sum", Apply("torch.aten.add.Tensor", (X, X, Constant(1))), TWICE))


def test_a_match_is_replaced_and_the_graph_computes_the_same() -> None:
    x = torch.randn(3, 4)
    module = exported(Of(lambda a: torch.relu(a + a)), x)
    expected = module(x)
    assert rewrite(module, DOUBLE).uses == {"sum": 1}
    assert called(module) == ["aten.mul.Tensor", "aten.relu.default"]
    assert torch.equal(module(x), expected)


def test_a_variable_stands_for_one_value() -> None:
    x = torch.randn(3, 4)
    module = exported(Of(lambda a, b: a + b), x, torch.randn(3, 4))
    assert rewrite(module, DOUBLE).uses == {}


def test_a_match_of_a_match_is_rewritten_too() -> None:
    x = torch.randn(3, 4)

    def four(a: torch.Tensor) -> torch.Tensor:
        b = a + a
        return b + b

    module = exported(Of(four), x)
    assert rewrite(module, DOUBLE).uses == {"sum": 2}
    assert called(module) == ["aten.mul.Tensor"] * 2
    assert torch.equal(module(x), 4 * x)


BELOW_ZERO = Build("torch.aten.neg", (Build("torch.aten.clamp_max", (Same("x"), Computed(Known(0)))),))
RELU_OF_NEG = rules(("pair", Apply("torch.aten.relu", (Apply("torch.aten.neg", (X,)),)), BELOW_ZERO))


def test_a_matched_value_with_other_users_stays() -> None:
    x = torch.randn(8)

    def both(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = -a
        return torch.relu(b), b

    module = exported(Of(both), x)
    expected = module(x)
    assert rewrite(module, RELU_OF_NEG).uses == {"pair": 1}
    assert called(module).count("aten.neg.default") == 2
    assert all(torch.equal(a, b) for a, b in zip(module(x), expected, strict=True))


def test_a_match_across_a_write_is_left_alone() -> None:
    def writes(a: torch.Tensor) -> torch.Tensor:
        b = -a
        a.add_(1)
        return torch.relu(b) + a

    module = torch.fx.symbolic_trace(writes)
    file = rules(
        ("pair", Apply("torch.relu", (Apply("operator.neg", (X,)),)), Build("torch.neg", (Same("x"),))),
    )
    assert rewrite(module, file).uses == {}

    def writes_inside(a: torch.Tensor) -> torch.Tensor:
        b = -a
        nn.functional.relu(a, inplace=True)
        return torch.relu(b) + a

    assert rewrite(torch.fx.symbolic_trace(writes_inside), file).uses == {}
    module = torch.fx.symbolic_trace(lambda a: torch.relu(-a))
    relu = next(n for n in module.graph.nodes if n.target is torch.relu)
    with module.graph.inserting_before(relu):
        module.graph.call_function(operator.setitem, (next(iter(module.graph.nodes)), 0, 1.0))
    assert rewrite(module, file).uses == {}
    pure = torch.fx.symbolic_trace(lambda a: torch.relu(-a))
    assert rewrite(pure, file).uses == {"pair": 1}


def test_random_numbers_are_drawn_as_often_as_before() -> None:
    def draws(a: torch.Tensor) -> torch.Tensor:
        return torch.relu(nn.functional.dropout(a, 0.5, True))

    file = rules(("kept", Apply("torch.relu", (X,)), Build("torch.neg", (Same("x"),))))
    module = torch.fx.symbolic_trace(draws)
    assert rewrite(module, file).uses == {"kept": 1}
    assert any("dropout" in str(n.target) for n in module.graph.nodes)


def test_a_chain_of_pointwise_operators_of_any_length_is_one_call() -> None:
    chain = Definition(
        "chain",
        (Parameter("x"),),
        Exists(
            "f",
            Guarded(
                Alternate(ApplyVariable("f", (Call("chain", ("x",)),)), ApplyVariable("f", (X,))),
                Member("f", "unary_pointwise"),
            ),
            "function",
        ),
    )
    file = rules(
        ("root", Apply("torch.aten.neg", (Call("chain", ("x",)),)), Build("fused", (Same("x"),))), more=(chain,)
    )
    x = torch.randn(5)
    module = exported(Of(lambda a: -torch.sin(torch.cos(torch.tanh(a)))), x)
    expected = module(x)
    done = rewrite(module, file, {"fused": lambda a: -torch.sin(torch.cos(torch.tanh(a)))})
    assert done.uses == {"root": 1}
    assert len(called(module)) == 1
    assert torch.equal(module(x), expected)


def test_a_guard_that_is_not_known_is_false() -> None:
    wide = Compute(">=", (AttributeOf("x", ("shape", "0")), Known(4)))
    unknown = Compute(">=", (AttributeOf("x", ("size",)), Known(4)))
    for guard, count in ((wide, 1), (unknown, 0)):
        pattern = Guarded(Apply("torch.aten.relu", (X,)), guard)
        module = exported(Of(torch.relu), torch.randn(5))
        assert rewrite(module, rules(("r", pattern, Build("torch.aten.abs", (Same("x"),))))).uses.get("r", 0) == count


def test_rules_that_do_not_end_stop_with_their_name() -> None:
    module = exported(Of(torch.abs), torch.randn(5))
    swap = rules(
        ("there", Apply("torch.aten.abs", (X,)), Build("torch.aten.relu", (Same("x"),))),
        ("back", Apply("torch.aten.relu", (X,)), Build("torch.aten.abs", (Same("x"),))),
    )
    done = rewrite(module, swap, limit=11)
    assert sum(done.uses.values()) == 11
    assert done.stopped is not None
    assert "rule 'there'" in done.stopped


def test_an_operator_that_nobody_has_is_refused() -> None:
    module = exported(Of(torch.abs), torch.randn(5))
    file = rules(("r", Apply("torch.aten.abs", (X,)), Build("fused", (Same("x"),))))
    with pytest.raises(Refused, match="no implementation of operator fused"):
        rewrite(module, file)


EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"


def transposed(k: torch.Tensor) -> torch.Tensor:
    return k.transpose(-1, -2)


ATTENTIONS: dict[str, tuple[str, Callable[..., torch.Tensor]]] = {
    "factor": ("fuse-by-factor", lambda q, k, v, m: torch.softmax(q @ k.transpose(2, 3) * 0.25, -1) @ v),
    "masked": ("fuse-by-factor-masked", lambda q, k, v, m: torch.softmax(q @ transposed(k) * 0.25 + m, 3) @ v),
    "divisor": ("fuse-by-divisor-masked", lambda q, k, v, m: torch.softmax(q @ transposed(k) / 4.0 + m, -1) @ v),
    "plain": ("fuse-plain", lambda q, k, v, m: torch.softmax((q * 0.25) @ transposed(k), -1) @ v),
    "another axis": ("", lambda q, k, v, m: torch.softmax(q @ transposed(k) * 0.25, 2) @ v),
    "other dimensions": ("", lambda q, k, v, m: torch.softmax(q @ k.transpose(0, 1) * 0.25, -1) @ v),
    "twice the mask": ("", lambda q, k, v, m: torch.softmax(torch.add(q @ transposed(k), m, alpha=2), -1) @ v),
    "filled": ("", lambda q, k, v, m: torch.softmax((q @ transposed(k)).masked_fill(m > 0, -1e9), -1) @ v),
}


class Attention(nn.Module):
    """Attention written out, as models have it."""

    def __init__(self, compute: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(self.compute(q, k, v, mask), 0.1, self.training).relu()


@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention_is_found_in_a_model(name: str) -> None:
    """With all that it has: the scale and the mask were left out, and any axis matched."""
    fires, compute = ATTENTIONS[name]
    inputs = *(torch.randn(2, 2, 5, 5) for _ in range(3)), torch.randn(5, 5)
    module = exported(Attention(compute), *inputs)

    def fused(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *more: Any) -> torch.Tensor:
        factor, divisor, mask = more
        return torch.softmax(q @ k.mT * factor / divisor + mask, -1) @ v

    expected = module(*inputs)
    done = rewrite(module, load(str(EXAMPLES / "torch_attention.py")), {"my.attention": fused})
    assert done.uses == ({fires: 1} if fires else {})
    assert torch.allclose(module(*inputs), expected, atol=1e-6)


def test_the_first_match_in_the_order_of_the_graph_is_replaced() -> None:
    layers = [nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8), nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.Linear(8, 8)]
    module = exported(nn.Sequential(*layers), torch.randn(3, 8))
    calls: list[str] = []

    def fused(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        calls.append("fused")
        return x

    done = rewrite(module, load(str(EXAMPLES / "torch_epilogue.py")), {"my.gemm_epilogue": fused})
    assert done.uses == {"fuse-epilogue": 2}
    assert called(module)[2:] == ["aten.tanh.default", "aten.sigmoid.default", "aten.linear.default"]
    module(torch.randn(3, 8))
    assert len(calls) >= 2


RELUS = """
from hecv.rules import pattern, rule, torch

@pattern
def relus(x):
    return torch.aten.relu(relus(x))
@pattern
def relus(x):
    return torch.aten.tanh(x)

@pattern
def end(x):
    return torch.aten.sigmoid(relus(x))

@rule(end)
def bounded(x):
    return torch.aten.sigmoid(torch.aten.relu(torch.aten.tanh(x)))
"""


@pytest.mark.parametrize(("depth", "uses"), [(3, {}), (100, {"bounded": 1})])
def test_a_recursive_pattern_that_is_cut_is_told(depth: int, uses: dict[str, int]) -> None:
    module = exported(nn.Sequential(nn.Tanh(), *[nn.ReLU() for _ in range(6)], nn.Sigmoid()), torch.randn(3))
    done = rewrite(module, loads(RELUS, "relus.py"), limit=1, depth=depth)
    assert done.uses == uses
    assert [note.name for note in done.notes] == ["search-cut"] * (depth == 3)
    assert all("pattern 'relus' is nested more than 3 deep" in note.message for note in done.notes)


ONE = rules(("one", Apply("torch.aten.mul.Tensor", (X, Constant(1))), Same("x")))
TURNED = rules(
    ("turned", Apply("torch.aten.neg", (Apply("torch.aten.neg", (X,)),)), Build("torch.aten.t", (Same("x"),)))
)
POSITIVE = rules(("abs", Apply("torch.aten.abs", (X,)), Build("torch.aten.relu", (Same("x"),))))
ATEN = torch.ops.aten


def _operand_is_written(a: torch.Tensor) -> torch.Tensor:
    b = ATEN.mul.Tensor(a, 1)
    a.add_(1)
    return b


def _result_is_written(a: torch.Tensor) -> torch.Tensor:
    b = ATEN.mul.Tensor(a, 1)
    ATEN.add_.Tensor(b, 1)
    return a


def _neither_is_shared(a: torch.Tensor) -> torch.Tensor:
    b = ATEN.abs.default(a)
    a.add_(1)
    b.mul_(2)
    return b


@pytest.mark.parametrize(
    ("compute", "given", "fires"),
    [
        (_operand_is_written, ONE, False),
        (_result_is_written, ONE, False),
        (lambda a: _operand_is_written(ATEN.neg.default(ATEN.neg.default(a))), TURNED, False),
        (lambda a: ATEN.mul.Tensor(ATEN.relu.default(ATEN.rand_like.default(a)), 1), ONE, True),
        (_neither_is_shared, POSITIVE, True),
    ],
)
def test_what_is_written_afterwards_is_not_shared(compute: Callable[..., Any], given: RuleFile, fires: bool) -> None:
    """A product with 1 is another tensor than its operand, which shows when one of them is written."""
    module = torch.fx.symbolic_trace(compute)
    x = torch.ones(2, 2)
    torch.manual_seed(0)
    expected = module(x.clone())
    assert bool(rewrite(module, given).uses) == fires
    torch.manual_seed(0)
    assert torch.equal(module(x.clone()), expected)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (ATEN.add.Tensor, True),
        (ATEN.t.default, False),
        (ATEN.dropout.default, False),
        (ATEN._unsafe_view.default, False),
        (torch.relu, True),
        (nn.functional.gelu, True),
        (operator.add, True),
        (operator.truediv, True),
        (torch.reshape, False),
        (torch.einsum, False),
        (operator.getitem, False),
        (print, False),
        ("view", False),
    ],
)
def test_which_functions_make_a_tensor_of_their_own(target: Any, expected: bool) -> None:
    assert is_new(target) == expected


def _normed(a: torch.Tensor, training: bool, kept: bool) -> torch.Tensor:
    stats = (torch.zeros(2), torch.ones(2)) if kept else (None, None)
    return ATEN.batch_norm.default(a, None, None, *stats, training, 0.1, 1e-5, False)


@pytest.mark.parametrize(
    ("training", "kept", "expected"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_a_norm_that_writes_to_its_statistics(training: bool, kept: bool, expected: bool) -> None:
    """The schema of `batch_norm` says that it writes nothing."""
    by_aten = torch.fx.symbolic_trace(lambda a: _normed(a, training, kept))
    stats = (torch.zeros(2), torch.ones(2)) if kept else (None, None)
    by_name = torch.fx.symbolic_trace(lambda a: nn.functional.batch_norm(a, *stats, training=training))
    for module in (by_aten, by_name):
        norms = [node for node in module.graph.nodes if "norm" in str(node.target)]
        assert [has_effects(node) for node in norms] == [expected]
