"""The rule files among the examples do what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from hecv.mlir.ssa.ssa_graph import read
from hecv.mlir.ssa.ssa_printer import text
from hecv.rewrite.greedy_rewriting import rewrite
from hecv.rule_files.portable_json import dumps, loads
from hecv.rule_files.rule_loader import load
from hecv.rule_files.rule_loader import loads as read_rules
from hecv.theorems.user_rules.loop_rule_audit import audited

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted((EXAMPLES / "rules").glob("*.py"))

REWRITTEN = {
    "attention": ("attention", {"fuse-attention": 1}, ['"my.attention"(%q, %k, %v, %scale)']),
    "mlp": (
        "gemm_epilogue",
        {"apply-once": 1, "begin-epilogue": 1, "extend-epilogue": 2},
        ["tosa.abs %w", 'epilogue = "tosa.sigmoid tosa.tanh tosa.ceil"'],
    ),
    "gelu": (
        "gelu",
        {"fuse-gelu": 1, "fuse-gelu-tanh": 1},
        ['"my.gelu"(%x) {approximate = "none"}', '"my.gelu"(%x) {approximate = "tanh"}'],
    ),
    "scores": ("transposed_gemm", {"by-kernel": 2}, ['"my.gemm_nt_f32"(%q, %k)', '"my.gemm_nt_i8"(%q, %k)']),
}


@pytest.mark.parametrize("program", REWRITTEN)
def test_rewrites(program: str) -> None:
    rules, uses, expected = REWRITTEN[program]
    file = load(str(EXAMPLES / "rules" / f"{rules}.py"))
    source = EXAMPLES / f"{program}.mlir"
    found = read(source.read_text(), str(source), frozenset(file.operators))
    assert rewrite(found, file).uses == uses
    written = text(found)
    for part in expected:
        assert part in written
    assert "tosa.matmul" not in written


QK = "tosa.mul %qk, %scale, %shift : (tensor<1x16x16xf32>, tensor<1x1x1xf32>"
SCALED = f"  %s = {QK}, tensor<1xi8>) -> tensor<1x16x16xf32>"
WEIGHTS = "tosa.mul %exp, %over, %shift : (tensor<1x16x16xf32>, tensor<1x16x1xf32>"
QUERIES = (
    "  %qs = tosa.mul %scale, %q, %shift : (tensor<1x1x1xf32>, tensor<1x16x8xf32>, tensor<1xi8>) -> tensor<1x16x8xf32>"
)
MASKED = SCALED.replace("%scale", "%mask").replace("1x1x1x", "1x16x16x")


@pytest.mark.parametrize(
    ("edits", "fused"),
    [
        ({QK: "tosa.mul %scale, %qk, %shift : (tensor<1x1x1xf32>, tensor<1x16x16xf32>"}, True),
        ({WEIGHTS: "tosa.mul %over, %exp, %shift : (tensor<1x16x1xf32>, tensor<1x16x16xf32>"}, True),
        ({SCALED: QUERIES, "%qk =": "%s =", "matmul %q,": "matmul %qs,"}, True),
        ({SCALED: MASKED, "%v: tensor": "%mask: tensor<1x16x16xf32>, %v: tensor"}, False),
        ({"reduce_max %s": "reduce_max %qk"}, False),
        ({"%less = tosa.sub %s,": "%less = tosa.sub %qk,"}, False),
    ],
)
def test_attention_in_other_spellings(edits: dict[str, str], fused: bool) -> None:
    source = (EXAMPLES / "attention.mlir").read_text()
    for old, new in edits.items():
        assert old in source
        source = source.replace(old, new)
    if QUERIES in source:  # a value stands before its uses
        lines = source.splitlines()
        lines.insert(5, lines.pop(lines.index(QUERIES)))
        source = "\n".join(lines)
    file = load(str(EXAMPLES / "rules" / "attention.py"))
    found = read(source, "attention.mlir", frozenset(file.operators))
    assert rewrite(found, file).uses == ({"fuse-attention": 1} if fused else {})
    assert ('"my.attention"(%q, %k, %v, %scale)' in text(found)) == fused


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_loads_and_is_portable(path: Path) -> None:
    file = load(str(path))
    if not file.loops:
        assert loads(dumps(file), str(path)) == file


def test_loop_rules_pass_their_audit() -> None:
    file = load(str(EXAMPLES / "rules" / "loops.py"))
    assert len(file.loops) == 5
    assert {audited(rule, 100).status for rule in file.loops} == {"tested"}


def test_the_file_in_the_documentation_loads() -> None:
    documentation = (EXAMPLES.parent / "docs" / "rule-language.md").read_text()
    code = documentation.split("```python\n")[1].split("```")[0]
    file = read_rules(code, "R.py")
    assert [r.name for r in file.rules] == ["half-as-product", "power-as-shift"]


GELUS = {
    "half-outside": "%v = tosa.mul %x, %e, %z : (tensor<4xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>\n"
    "%r = tosa.mul %h, %v, %z : (tensor<1xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>",
    "half-of-erf": "%v = tosa.mul %e, %h, %z : (tensor<4xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<4xf32>\n"
    "%r = tosa.mul %x, %v, %z : (tensor<4xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>",
    "half-of-x": "%v = tosa.mul %h, %x, %z : (tensor<1xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>\n"
    "%r = tosa.mul %e, %v, %z : (tensor<4xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>",
}


@pytest.mark.parametrize("spelling", GELUS)
@pytest.mark.parametrize(("root", "fires"), [("0.707106769", True), ("0.7075", False)])
def test_gelu_is_found_in_every_order_and_by_its_constant(spelling: str, root: str, fires: bool) -> None:
    program = f"""
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
      %h = "tosa.const"() <{{values = dense<0.5> : tensor<1xf32>}}> : () -> tensor<1xf32>
      %k = "tosa.const"() <{{values = dense<{root}> : tensor<1xf32>}}> : () -> tensor<1xf32>
      %one = "tosa.const"() <{{values = dense<1.0> : tensor<1xf32>}}> : () -> tensor<1xf32>
      %m = tosa.mul %k, %x, %z : (tensor<1xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>
      %f = tosa.erf %m : (tensor<4xf32>) -> tensor<4xf32>
      %e = tosa.add %one, %f : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
      {GELUS[spelling]}
      return %r : tensor<4xf32>
    }}
    """
    file = load(str(EXAMPLES / "rules" / "gelu.py"))
    found = read(program, "f.mlir", frozenset(file.operators))
    assert rewrite(found, file).uses == ({"fuse-gelu": 1} if fires else {})


@pytest.mark.parametrize(("op", "uses"), [("abs", {"apply-once": 2}), ("tanh", {}), ("negate", {})])
def test_only_what_is_idempotent_is_applied_once(op: str, uses: dict[str, int]) -> None:
    rest = ", %z, %z" if op == "negate" else ""
    types = ", tensor<1xf32>, tensor<1xf32>" if op == "negate" else ""
    lines = [f"%{k + 1} = tosa.{op} %{k}{rest} : (tensor<4xf32>{types}) -> tensor<4xf32>" for k in range(3)]
    program = """
    func.func @f(%0: tensor<4xf32>) -> tensor<4xf32> {
      %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      BODY
      return %3 : tensor<4xf32>
    }
    """.replace("BODY", "\n".join(lines)).replace("%0", "%x")
    file = load(str(EXAMPLES / "rules" / "gemm_epilogue.py"))
    found = read(program, "f.mlir", frozenset(file.operators))
    assert rewrite(found, file).uses == uses


def test_other_types_take_the_general_kernel() -> None:
    program = (EXAMPLES / "scores.mlir").read_text().replace("f32", "f16")
    file = load(str(EXAMPLES / "rules" / "transposed_gemm.py"))
    found = read(program, "f.mlir", frozenset(file.operators))
    assert rewrite(found, file).uses == {"by-kernel": 1, "by-matmul-t": 1}
    assert "tosa.matmul_t" in text(found)
