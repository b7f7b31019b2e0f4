"""Rules that pairs of models state: their text, the file that keeps them, and what a wrong file can do (nothing)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hecv.base.diagnostics import InputError
from hecv.check import Options
from hecv.claim.result import FunctionReport, ModelRule
from hecv.claim.semantic_options import Switches
from hecv.cli.main import main
from hecv.models import compare_graphs
from hecv.relate.rule_library import library_text, read_library
from hecv.relate.rule_validation import refused, unproved
from hecv.report.verdict_json import function_json
from hecv.rule_files.rule_loader import load

from . import llama_styles as styles
from .test_relations import Model, captured, in_process

D, HEADS, HEAD, TOKENS = 8, 2, 4, 5
OPTIONS = Options(switches=Switches(floats="real"), relation="equivalent")


def decide(source: Callable[[], Model], target: Callable[[], Model], library: Path) -> FunctionReport:
    names = f"source.py:{source.__name__}", f"target.py:{target.__name__}"
    graphs = captured(source), captured(target)
    known = read_library(str(library))
    report = compare_graphs(names, graphs, None, OPTIONS, in_process, None, str(library), known)
    return report.report.functions[0]


def rules_of(report: FunctionReport) -> Sequence[ModelRule]:
    assert report.models is not None
    return report.models.rules


def deadline() -> float:
    return perf_counter() + 60


# R1 and R2 of EMERGE: the split of a merged projection, and heads that are split off and exchanged with tokens


def _weights(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


class Separate(nn.Module):
    """Queries, keys and values of three projections of [1, T, d]."""

    def __init__(self) -> None:
        super().__init__()
        for k, name in enumerate("qkv"):
            layer = nn.Linear(D, D, bias=False)
            layer.weight = nn.Parameter(_weights(D, D) * (k + 1) + k)
            self.add_module(name, layer)

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [torch.exp(layer(x)) for layer in self.children()]


class Merged(nn.Module):
    """The same of one projection of [T, d], split in an order."""

    def __init__(self, order: str = "qkv") -> None:
        super().__init__()
        weights = {name: p.detach() for (name, p) in zip("qkv", Separate().parameters(), strict=True)}
        self.qkv = nn.Linear(D, 3 * D, bias=False)
        self.qkv.weight = nn.Parameter(torch.cat([weights[name] for name in "qkv"]))
        self.order = order

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        parts = dict(zip(self.order, self.qkv(x[0]).split(D, -1), strict=True))
        return [torch.exp(parts[name])[None] for name in "qkv"]


class HeadsFirst(nn.Module):
    """Scores of heads that are a dimension before that of tokens."""

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        q, k = (t.view(1, TOKENS, HEADS, HEAD).transpose(1, 2) for t in (q, k))
        return F.softmax(q @ k.transpose(2, 3), -1)


class TokensFirst(nn.Module):
    """The same scores of [T, H, d], by a contraction; `interleaved` takes the elements of heads in turn."""

    def __init__(self, interleaved: bool = False) -> None:
        super().__init__()
        self.interleaved = interleaved

    def forward(self, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        if self.interleaved:
            q, k = (t[0].reshape(TOKENS, HEAD, HEADS).transpose(1, 2) for t in (q, k))
        else:
            q, k = (t[0].reshape(TOKENS, HEADS, HEAD) for t in (q, k))
        return F.softmax(torch.bmm(q.transpose(0, 1), k.permute(1, 2, 0)), -1)[None]


X, Q, K = _weights(1, TOKENS, D), _weights(1, TOKENS, D), _weights(TOKENS, D)[None] * 2


def separate() -> Model:
    return Separate().eval(), (X,)


def merged() -> Model:
    return Merged().eval(), (X,)


def exchanged() -> Model:
    return Merged("qvk").eval(), (X,)


def heads_first() -> Model:
    return HeadsFirst(), (Q, K)


def tokens_first() -> Model:
    return TokensFirst(), (Q, K)


def interleaved() -> Model:
    return TokensFirst(interleaved=True), (Q, K)


R1 = """\
assert x.shape == (1, 5, 8) and x.elType == "f32"
assert y.shape == (8, 8) and y.elType == "f32"
assert z.shape == (8, 8) and z.elType == "f32"
assert u.shape == (8, 8) and u.elType == "f32"
t1: "1x5x8xf32" = linear(x, y, None)
t2: "5x8xf32" = reshape(t1, (5, 8))
t3: "5x8xf32" = select_int(x, 0, 0)
t4: "24x8xf32" = cat((y, z, u), 0)
t5: "5x24xf32" = linear(t3, t4, None)
t6: "5x8xf32, 5x8xf32, 5x8xf32" = split_Tensor(t5, 8, -1)
return t6, t2"""


def test_the_split_of_a_merged_projection_is_a_rule(tmp_path: Path) -> None:
    report = decide(separate, merged, tmp_path / "rules.py")
    assert report.verdict == "equivalent", report
    statements = [rule.statement for rule in rules_of(report)]
    assert R1 in statements, "\n\n".join(statements)
    known = next(k for k in read_library(str(tmp_path / "rules.py")) if k.rule.statement == R1)
    assert (known.kind, unproved(known.rule, deadline())) == ("layout", "")
    assert {place.split(" = ")[0].split(":")[0] for place in known.fired} == {"test_rule_library.py"}


def test_heads_exchanged_with_tokens_are_a_rule(tmp_path: Path) -> None:
    report = decide(heads_first, tokens_first, tmp_path / "rules.py")
    assert report.verdict == "equivalent", report
    (rule,) = [r for r in rules_of(report) if "bmm(" in r.statement and "matmul(" in r.statement]
    assert rule.evidence == "proved by comprehensions"
    lines = rule.statement.splitlines()
    for step in ("view(x, (1, 5, 2, 4))", "transpose_int(", "permute("):
        assert any(step in line for line in lines), rule.statement
    (known,) = [k for k in read_library(str(tmp_path / "rules.py")) if k.rule.statement == rule.statement]
    assert unproved(known.rule, deadline()) == ""


@pytest.mark.parametrize(("source", "target"), [(separate, exchanged), (heads_first, interleaved)])
def test_wrong_twins_state_no_such_rule(
    source: Callable[[], Model], target: Callable[[], Model], tmp_path: Path
) -> None:
    assert decide(source, target, tmp_path / "rules.py").verdict == "not-equivalent"
    assert not (tmp_path / "rules.py").exists()


# The file


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules of a Llama in two styles."""
    path = tmp_path_factory.mktemp("rules") / "llama.py"
    report = decide(styles.written, styles.served, path)
    assert report.verdict == "equivalent"
    assert {rule.kind for rule in rules_of(report)} == {"layout", "fusion", "algebraic"}
    assert not any(rule.known for rule in rules_of(report))
    return path


def test_the_file_is_a_rule_file_of_the_language(library: Path) -> None:
    names = {rule.name for rule in load(str(library)).rules}
    assert names == {known.name for known in read_library(str(library))}
    assert len(names) > 15


def test_what_is_written_is_read(library: Path, tmp_path: Path) -> None:
    rules = read_library(str(library))
    (tmp_path / "again.py").write_text(library_text(rules), encoding="utf-8")
    assert (tmp_path / "again.py").read_text() == library.read_text()
    assert all(known.rule.key == known.name.rpartition("-")[2] for known in rules)
    assert not refused(rules, in_process, deadline())


def test_rules_that_are_there_are_known_and_fire_again(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(library.read_text())
    report = decide(styles.written, styles.served, path)
    assert report.verdict == "equivalent"
    assert not report.diagnostics
    unknown = [rule for rule in rules_of(report) if not rule.known]
    assert all(".values ==" in rule.statement for rule in unknown), unknown
    assert path.read_text() == library.read_text()
    assert report.models is not None
    plain = function_json(report)
    assert plain["models"]["rules"][0].keys() == {
        "name", "kind", "evidence", "known", "statement", "fired",
    }  # fmt: skip


# Wrong files


def _changed(library: Path, path: Path, old: str, new: str) -> None:
    text = library.read_text()
    assert old in text, text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("(16,), x, 1e-05)", "(16,), x, 1e-06)", styles.wrong_eps),
        ("cat((y, z), 0)", "cat((z, y), 0)", styles.wrong_gate),
        ("permute(t4, (1, 0, 2))", "permute(t4, (0, 1, 2))", styles.wrong_pairs),
    ],
)
def test_a_false_rule_proposes_nothing_and_proves_nothing(
    old: str, new: str, wrong: Callable[[], Model], library: Path, tmp_path: Path
) -> None:
    path = tmp_path / "rules.py"
    _changed(library, path, old, new)
    assert decide(styles.written, wrong, path).verdict == "not-equivalent"
    _changed(library, path, old, new)
    report = decide(styles.written, styles.served, path)
    assert report.verdict == "equivalent"
    assert [d.name for d in report.diagnostics] == ["rule-refused"] * len(report.diagnostics) != []
    assert all(d.location is not None and d.location.line > 1 for d in report.diagnostics)
    refused_names = {d.message.split("'")[1] for d in report.diagnostics}
    kept = {known.name: known.evidence for known in read_library(str(path))}
    assert all(kept[name].startswith("none: ") for name in refused_names), kept
    load(str(path))


STATED = '''\
from hecv.rules import law, op
@op("aten.mul.Tensor")
def mul_Tensor(*operands): ...
@op("aten.index_select.default")
def index_select(*operands): ...
@law
def rule(x, y):
    """A rule of kind algebraic.

    Evidence: proved by comprehensions
    """
    assert x.shape == (4, 3) and x.elType == "f32"{more}
    assert y.shape == (2,) and y.elType == "i64"{other}
    t1: "2x3xf32" = index_select(x, 0, y)
    t2: "{type}" = mul_Tensor(t1, {factor})
    return {sides}
'''


def stated(
    path: Path, more: str = "", other: str = "", type: str = "2x3xf32", factor: str = "1", sides: str = "t1, t2"
) -> Path:
    path.write_text(STATED.format(more=more, other=other, type=type, factor=factor, sides=sides))
    return path


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, ""),
        ({"other": " and y.integers == (0, 3)"}, ""),
        ({"other": " and y.integers == (3, 0)"}, "its conditions cannot hold"),
        ({"other": " and y.integers == (5, 4)", "factor": "2"}, "its conditions cannot hold"),
        ({"other": " and y.boolean == True and y.integers == (2, 3)", "factor": "2"}, "its conditions cannot hold"),
        ({"factor": "2"}, "not proved"),
        ({"factor": "2", "other": " and y.integers == (0, 3)"}, "not proved"),
        ({"factor": "-1"}, "not proved"),
        ({"type": "3x2xf32"}, "shapes"),
        ({"factor": "(1, None)"}, "operand"),
    ],
)  # fmt: skip
def test_rules_of_a_file_are_shown_again(change: dict[str, str], reason: str, tmp_path: Path) -> None:
    rules = read_library(str(stated(tmp_path / "rules.py", **change)))
    found = refused(rules, in_process, deadline())
    assert reason in found.get("rule", "") and bool(found) == bool(reason), found


def test_a_rule_on_tensors_without_elements_is_refused(tmp_path: Path) -> None:
    path = stated(tmp_path / "rules.py", factor="2")
    path.write_text(path.read_text().replace("(2,)", "(0,)").replace("2x3xf32", "0x3xf32"))
    assert "has no elements" in refused(read_library(str(path)), in_process, deadline())["rule"]


@pytest.mark.parametrize(
    ("change", "line", "text"),
    [
        ({"more": " and x.shape == (4, 4)"}, 12, "x.shape cannot be (4, 3) and (4, 4)"),
        ({"more": " and x.size == 3"}, 12, "attributes: shape, elType"),
        ({"sides": "t1, t9"}, 16, "'t9' is not defined"),
        ({"factor": "t9"}, 15, "neither a variable"),
        ({"factor": "open('/etc/passwd')"}, 15, "neither a variable"),
        ({"type": "2x3"}, 15, "types"),
        ({"other": "\n    print(1)"}, 14, "no assertion"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_an_error_at_its_line(change: dict[str, str], line: int, text: str, tmp_path: Path) -> None:
    path = stated(tmp_path / "rules.py", **change)
    with pytest.raises(InputError) as found:
        read_library(str(path))
    (problem,) = found.value.diagnostics
    assert problem.location is not None
    assert (problem.name, problem.location.line) == ("rule-library", line), problem
    assert text in problem.message


def test_a_library_goes_with_relations_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = ("examples/models/attention.py:merged", "examples/models/attention.py:separate")
    assert main(["models", *models, "--rule-library", str(tmp_path / "rules.py"), "--fp", "strict"]) == 2
    assert "without --fp" in capsys.readouterr().err
    assert main(["models", *models, "--rule-library", str(tmp_path / "none" / "rules.py")]) == 2
    assert "error[file-unwritable]" in capsys.readouterr().err


def test_what_is_written_by_hand_beside_rules_is_kept(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    lines = library.read_text().replace("    Evidence:", "    Holds in all our models.\n    # 1\n    Evidence:", 1)
    first, law, rest = lines.partition("@law\n")
    path.write_text(f"{first}# Reviewed on Monday.\n{law}{rest}\n\n# The end.\n")
    path.write_text(library_text(read_library(str(path))))
    text = path.read_text()
    assert "# Reviewed on Monday.\n@law\n" in text and text.count("# 1\n") == text.count("# The end.\n") == 1
    assert "\n    Holds in all our models.\n" in text
    path.write_text(library_text(read_library(str(path))))
    assert path.read_text() == text
    load(str(path))
