"""Relation files as a user writes them: each constructor refines and has a twin that fails, several relations of one
tensor, what cannot be asked is an error with its line, and what a report prints can be given back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.refine import test_blocks, test_layers, test_published_mistakes, test_rank_programs
from tests.refine.rank_answers import programs, run

from hecv.base.diagnostics import InputError
from hecv.capture.value_process import Request
from hecv.refine.joined_graph import join
from hecv.refine.relation_file import read_relation
from hecv.refinement import Degree, RefinementReport, Settings, decide
from hecv.report import refinement_report
from hecv.tensors.tensor_graph import TensorGraph

torch = pytest.importorskip("torch")

X = torch.randn(4, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
BORDERED = torch.nn.functional.pad(X[:2], (0, 0, 1, 1))


def captured(model: Any, arguments: tuple[Any, ...], ranks: int = 1, rank: int = 0) -> TensorGraph:
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    start_group(rank, ranks)
    try:
        return capture_rank(model, arguments, "program")
    finally:
        dist.destroy_process_group()


def curved(x: Any) -> Any:
    return x * x + x


def doubled(x: Any) -> Any:
    return x * 2


def related(model: Callable[[Any], Any], whole: Any, parts: Sequence[Any], text: str, wrong: bool = False) -> Degree:
    """The answer for ranks that compute the model of their parts; the last one is wrong, if one is to be."""
    own = [model] * len(parts)
    if wrong:
        own[-1] = lambda x: model(x) + 1
    ours = captured(model, (whole,))
    theirs = [
        captured(lambda x, f=f: f(x), (p,), len(parts), r) for r, (f, p) in enumerate(zip(own, parts, strict=True))
    ]
    expected = re.sub(r"\bx(?=[@,)])", "out", text)
    relation = f'[inputs]\nx = "{text}"\n[outputs]\nout = "{expected}"\n'
    return decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)


CONSTRUCTORS = [
    ("replicate(x)", curved, X, [X, X]),
    ("concat(x, dim=0)", curved, X, X.chunk(2)),
    ("concat(x, dim=-1)", curved, X, X.chunk(3, 1)),
    ("concat(x@0, x@1, dim=0)", curved, X, [X[:1], X[1:]]),
    ("concat(x, ranks=[1, 0], dim=1)", curved, X, X.chunk(2, 1)[::-1]),
    ("sum(x)", doubled, X, [X / 4, X * 3 / 4]),
    ("stack(x, dim=1)", curved, X, [X[:, k] for k in range(6)]),
    ("concat(x@0, slice(x@1, 0, 1, 3), dim=0)", curved, X, [X[:2], X[1:]]),
    ("pad(x@0, 0, 1, 1)", curved, BORDERED, [X[:2]]),
    ("concat(r: transpose(x@r, 0, 1), dim=0)", curved, X, [p.T for p in X.chunk(2)]),
    ("reshape(concat(x, dim=0), 4, 6)", curved, X, X.reshape(24).chunk(2)),
    ("interleave(x, dim=0)", curved, X, [X[::2], X[1::2]]),
    ("interleave(x, dim=1, block=2)", curved, X, [X[:, [0, 1]], X[:, [2, 3]], X[:, [4, 5]]]),
    ("interleave(x, dim=0, block=1)", curved, X, [X[[0, 2]], X[[1, 3]]]),
    (
        "concat(replicate(x, ranks=[0, 1]), replicate(x, ranks=[2, 3]), dim=0)",
        curved,
        X,
        [X[:2], X[:2], X[2:], X[2:]],
    ),
    (
        "concat(concat(x, ranks=[0, 2], dim=0), concat(x, ranks=[1, 3], dim=0), dim=1)",
        curved,
        X,
        [X[:2, :3], X[:2, 3:], X[2:, :3], X[2:, 3:]],
    ),
    ("sum(replicate(x, ranks=[0, 1]), replicate(x, ranks=[2, 3]))", doubled, X, [X / 4, X / 4, X * 3 / 4, X * 3 / 4]),
    ("sum(replicate(x@0, concat(x@1, x@2, dim=0)), x@3)", doubled, X, [X / 4, X[:2] / 4, X[2:] / 4, X * 3 / 4]),
    ("concat(sum(x, ranks=[0, 1]), sum(x, ranks=[2, 3]), dim=0)", doubled, X, [X[:2] / 2, X[:2] / 2, X[2:], X[2:] * 0]),
]


@pytest.mark.parametrize(("text", "model", "whole", "parts"), CONSTRUCTORS)
def test_each_constructor_refines(text: str, model: Any, whole: Any, parts: Any) -> None:
    found = related(model, whole, parts, text)
    assert found.verdict == "refines", found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("text", "model", "whole", "parts"), CONSTRUCTORS)
def test_each_constructor_has_a_twin_that_fails(text: str, model: Any, whole: Any, parts: Any) -> None:
    found = related(model, whole, parts, text, wrong=True)
    assert found.verdict == "not-equivalent", found
    assert found.counterexample is not None and found.counterexample.output == "out"


def test_a_sum_is_no_relation_of_what_is_not_linear() -> None:
    assert related(curved, X, [X / 4, X * 3 / 4], "sum(x)").verdict == "not-equivalent"


def twice(wrong: bool, lines: str) -> Degree:
    """A tensor that ranks have whole and in parts; the mistake adds a part of the other rank."""
    ours = captured(lambda x: x.relu() + x.exp(), (X,))
    theirs = []
    for rank in range(2):
        part = X.chunk(2)[1 - rank if wrong else rank]
        theirs.append(captured(lambda a, b, r=rank: a.relu() + b.chunk(2)[r].exp(), (part, X), 2, rank))
    relation = f'[inputs]\nx = {lines}\n[outputs]\nout = "concat(out, dim=0)"\n'
    return decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)


def test_one_tensor_has_several_relations() -> None:
    assert twice(False, '["concat(a, dim=0)", "replicate(b)"]').verdict == "refines"
    swapped = twice(True, '["concat(a, ranks=[1, 0], dim=0)", "replicate(b)"]')
    assert swapped.verdict == "not-equivalent"


def test_several_relations_have_to_agree() -> None:
    with pytest.raises(InputError, match="the value of `x` is not that of `concat"):
        twice(False, '["replicate(b)", "concat(a, ranks=[1, 0], dim=0)"]')


def test_values_that_contradict_a_relation_are_an_error() -> None:
    with pytest.raises(InputError, match="the value of `x` is not that of `concat"):
        related(curved, X, X.chunk(2), "interleave(x, dim=0)")


PADDED = '["concat(a, dim=0)", "pad(b@0, 0, 1, 1)"]'


@pytest.mark.parametrize(("at", "verdict"), [(0, "refines"), (1, "unknown")])
def test_what_one_relation_pads_is_zero_in_all(at: int, verdict: str) -> None:
    """Row 0 is 0, row 1 is not: and is on the example values, where a whole tensor is."""
    ours = captured(lambda x: x[at], (torch.zeros(4, 6, dtype=torch.float64),))
    zeros = torch.zeros(2, 6, dtype=torch.float64)
    theirs = [captured(lambda a, b: (a + b)[0] * 0, (zeros, zeros), 2, r) for r in range(2)]
    relation = f"[inputs]\nx = {PADDED}\n"
    assert decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run).verdict == verdict


def test_all_relations_that_are_expected_of_an_output_are_asked() -> None:
    ours, theirs = captured(curved, (X,)), [captured(curved, (X,), 2, r) for r in range(2)]
    other = captured(lambda x: curved(x) + 1, (X,), 2, 1)
    relation = '[outputs]\nout = ["out@0", "replicate(out)"]\n'
    for ranks, verdict in ((theirs, "refines"), ([theirs[0], other], "not-equivalent")):
        given = read_relation("R.toml", relation, ours, ranks)
        assert decide(ours, ranks, given, Settings(), run=run).verdict == verdict


ERRORS = [
    ('"concat(y, dim=0)"', "no rank has a tensor `y`"),
    ('"x@4"', "rank 4 has no tensor `x`"),
    ('"concat(x, ranks=[0, 7], dim=0)"', "rank 7 has no tensor `x`"),
    ('"concat(x, dim=2)"', "dimension 2 of a tensor with 2"),
    ('"concat(x@0, slice(x@1, 1, 0, 2), dim=0)"', "concat of tensors of different sizes along dimension 0: [2, 6] and"),
    ('"stack(x, dim=0)"', "`x` has sizes [4, 6], `stack(x, dim=0)` has [2, 2, 6]"),
    ('"sum(x@0, transpose(x@1, 0, 1))"', "sum of tensors of different sizes"),
    ('"replicate(x)"', "`x` has sizes [4, 6], `replicate(x)` has [2, 6]"),
    ('"slice(concat(x, dim=0), 0, 0, 5)"', "slice 0:5 of a dimension of 4"),
    ('"pad(x@0, 0, -1, 3)"', "pad of -1 before and 3 behind"),
    ('"pad(x@0, 0, 2)"', "`pad` takes 3 numbers behind its expression, not 2"),
    ('"transpose(concat(x, dim=0), 0, 2)"', "dimension 2 of a tensor with 2"),
    ('"reshape(x@0, -5)"', "reshape of [2, 6] to [-5]"),
    ('"reshape(concat(x, dim=0), 5, 5)"', "reshape of [4, 6] to [5, 5]"),
    ('"interleave(x)"', "`interleave` needs `dim=`"),
    ('"interleave(x, dim=0, block=3)"', "interleave of blocks of 3 of a dimension of 2"),
    ('"concat(x, dim=0, dim=1)"', "`concat` has two of `dim`"),
    ('"concat(x, dim=0) / 2"', "`/` stands behind the expression"),
    ('"mean(x)"', "`mean` is not clean"),
    ("3", "neither a text nor a list of texts"),
    ('"x@-1"', "`-1` of `x@-1` is no rank"),
    ('"x@00"', "`00` of `x@00` is no rank"),
    ('"x@\u0661"', "is no rank"),
    ('"concat(x, dim=0"', "expected `,`, found the end"),
    ('"concat(x, dim=1.5)"', "expected a number, found `1.5`"),
    ('"sum(y, x@0)"', "`y`"),
    (f'"{"sum(" * 200}x@0{")" * 200}"', "more than 100 expressions in one another"),
]


@pytest.mark.parametrize(
    ("relation", "text", "line"),
    [
        ('[ranks]\n"x@5" = "x"\n', "`x@5` is no tensor of a rank", 2),
        ('[ranks]\n"x@00" = 3\n', "`x@00` is no tensor of a rank", 2),
        ('[ranks]\n"x@0" = []\n', "`x@0` is neither a text nor a number", 2),
        ('[ranks]\n"x@0" = true\n', "`x@0` is neither a text nor a number", 2),
        ('[ranks]\n"x@0" = "y"\n', "there is no tensor `y`", 2),
        ('[inputs]\nx = "concat(x, dim=0)"\nx = "x@0"\n', "Cannot overwrite a value", 3),
        ('[parameters]\na.b = "x@0"\n"a.b" = "x@0"\n', "`a.b` stands twice in [parameters]", 2),
        ('[input]\nx = "x@0"\n', "`input` is no table of a relation", 1),
        ('[inputs]\nx = "concat(x, dim=0)"\n\n[outputs]\nx = "x@0"\n', "has no output `x`", 5),
        ('[inputs]\nx = "concat(x dim=0)"\n', "expected `,` or `)` behind `x`, found `dim`", 2),
        ('[outputs]\nout = "concat(owt, dim=0)"\n', "no rank has a tensor `owt`", 2),
    ],
)
def test_tables_with_mistakes_are_errors_with_their_line(relation: str, text: str, line: int) -> None:
    ours, theirs = captured(curved, (X,)), [captured(curved, (p,), 2, r) for r, p in enumerate(X.chunk(2))]
    with pytest.raises(InputError) as caught:
        read_relation("R.toml", relation, ours, theirs)
    (problem,) = caught.value.diagnostics
    assert text in problem.message
    assert problem.location is not None and problem.location.line == line
    assert ("owt" in text) == (problem.help == "did you mean `out`?")


def test_parts_of_a_sequence_of_modules_have_names() -> None:
    whole = torch.nn.Sequential(torch.nn.Linear(6, 4, bias=False, dtype=torch.float64), torch.nn.Tanh())
    parts = []
    for rank in range(2):
        part = torch.nn.Sequential(torch.nn.Linear(6, 2, bias=False, dtype=torch.float64), torch.nn.Tanh())
        part[0].weight = torch.nn.Parameter(whole[0].weight.detach().chunk(2)[rank].clone())
        parts.append(captured(part, (X,), 2, rank))
    ours = captured(whole, (X,))
    relation = '[parameters]\n"0.weight" = "concat(0.weight@0, 0.weight@1, dim=0)"\n'
    found = decide(ours, parts, read_relation("R.toml", relation, ours, parts), Settings(), run=run)
    assert (found.verdict, found.given["0.weight"]) == ("refines", "concat(0.weight, dim=0)")
    assert read_relation("R.toml", relation.replace("0.weight@0, 0.weight@1", "0.weight"), ours, parts).leaves


@pytest.mark.parametrize(("line", "text"), ERRORS)
def test_what_cannot_be_asked_is_an_error_with_its_line(line: str, text: str) -> None:
    ours, theirs = captured(curved, (X,)), [captured(curved, (p,), 2, r) for r, p in enumerate(X.chunk(2))]
    for table, name in (("inputs", "x"), ("outputs", "out")):
        relation, expected = (
            re.sub(r"\bx(?=[@,)`])", name, said) for said in (f"# given\n[{table}]\n{name} = {line}\n", text)
        )
        with pytest.raises(InputError) as caught:
            decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)
        (problem,) = caught.value.diagnostics
        assert expected in problem.message
        assert problem.location is not None and (problem.location.file, problem.location.line) == ("R.toml", 3)


REPORTED = [
    *(("layers", sequential, distributed, 2, "") for sequential, distributed, _ in test_layers.REFINES),
    *(("blocks", *case[:4]) for case in test_blocks.REFINES),
    *(("mistakes", *case) for case in test_rank_programs.REFINES),
    *(("published", s, d, 2, relation) for s, d, relation, _ in test_published_mistakes.REFINES),
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("file", "sequential", "distributed", "ranks", "relation"), REPORTED)
def test_what_is_reported_can_be_given_back_and_run(
    file: str, sequential: str, distributed: str, ranks: int, relation: str
) -> None:
    made = programs(file)
    ours = captured(*getattr(made, sequential)())
    theirs = [_rank(getattr(made, distributed), r, ranks) for r in range(ranks)]
    first = decide(ours, theirs, read_relation("R.toml", relation, ours, theirs), Settings(), run=run)
    assert first.verdict == "refines"
    report = RefinementReport((sequential, distributed), "refines", (first,), 0.0)
    again = relation.partition("[outputs]")[0] + refinement_report.as_toml(report, {}, False, False)
    second = decide(ours, theirs, read_relation("R.toml", again, ours, theirs), Settings(), run=run)
    assert (second.verdict, second.outputs) == ("refines", first.outputs)

    space: dict[str, Any] = {}
    exec(refinement_report.as_python(report, {}, False, False), space)
    joined = join(theirs)
    given = [{n: _wide(a) for n, a in g.arrays.items()} for g in (ours, joined.graph)]
    whole, parts = (
        {**leaves, **run([Request(g, {}, [leaves], [ref.name for _, ref in g.outputs])])[0][0]}
        for g, leaves in zip((ours, joined.graph), given, strict=True)
    )
    outputs: list[dict[str, Any]] = [{} for _ in theirs]
    for name, ref in joined.graph.outputs:
        output, _, rank = name.rpartition("@")
        outputs[int(rank)][output] = parts[ref.name]
    rebuilt = space["sequential_outputs"](outputs)
    assert set(rebuilt) == {name for name, _ in ours.outputs}
    for name, ref in ours.outputs:
        np.testing.assert_allclose(rebuilt[name], whole[ref.name], atol=1e-9, err_msg=name)


def _wide(array: Any) -> Any:
    found = np.asarray(array)
    return found.astype(np.float64) if found.dtype.kind == "f" else found


def _rank(made: Callable[[int, int], Any], rank: int, ranks: int) -> TensorGraph:
    import torch.distributed as dist

    from hecv.torch.rank_capture import capture_rank, start_group

    start_group(rank, ranks)
    try:
        return capture_rank(*made(rank, ranks), "program")
    finally:
        dist.destroy_process_group()
