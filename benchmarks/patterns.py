"""How long it takes to find attention and epilogues in models, against how many there are (PYPM, section 5).

Each pattern is looked for at every value of each model, captured by torch.export at full size. `partial` is the same
search where every match fails at its very end, by a guard, and so is undone step by step.

    python benchmarks/patterns.py
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hecv.patterns.calculus.pattern_ast import AttributeOf, Compute, Guarded, Known, RuleFile
from hecv.rewrite.fx_rewriting import find
from hecv.rule_files.rule_loader import load
from hecv.torch.fx_graph import FxValues, read
from model_zoo import MODELS, capture

FOLDER = Path(__file__).parent
RULES = FOLDER.parent / "examples" / "rules"
PATTERNS = (("torch_attention.py", "mha"), ("torch_epilogue.py", "epilogue"))
REPEATS = 5


def failing(rules: RuleFile, pattern: str) -> RuleFile:
    """The rules with a guard that fails at the end of each match of the pattern."""
    definition = rules.definitions[pattern]
    never = Compute("==", (AttributeOf(definition.parameters[0].name, ("uses",)), Known(-1)))
    guarded = replace(definition, body=Guarded(definition.body, never))
    return replace(rules, definitions={**rules.definitions, pattern: guarded})


def seconds(values: FxValues, rules: RuleFile, pattern: str) -> tuple[int, float]:
    """How many matches there are, and the median of the seconds that it takes to find them."""
    taken: list[float] = []
    count = 0
    for _ in range(REPEATS):
        begin = time.perf_counter()
        count = sum(1 for _ in find(values, rules, [pattern]))
        taken.append(time.perf_counter() - begin)
    return count, statistics.median(taken)


def measure(name: str) -> dict[str, Any]:
    """One model."""
    begin = time.perf_counter()
    module = capture(name)
    captured = time.perf_counter() - begin
    values = read(module.graph)
    row: dict[str, Any] = {"model": name, "values": len(values.values), "capture_seconds": round(captured, 3)}
    for file, pattern in PATTERNS:
        rules = load(str(RULES / file))
        count, whole = seconds(values, rules, pattern)
        none, partial = seconds(values, failing(rules, pattern), pattern)
        assert none == 0
        row[pattern] = {"matches": count, "seconds": round(whole, 5), "partial_seconds": round(partial, 5)}
    return row


def show(row: dict[str, Any]) -> str:
    parts = [f"{row['model']:14} {row['values']:5} values, captured in {row['capture_seconds']:5.2f} s"]
    for _, pattern in PATTERNS:
        found = row[pattern]
        times = f"{1000 * found['seconds']:6.1f} ms, {1000 * found['partial_seconds']:6.1f} ms partial"
        parts.append(f"{pattern} {found['matches']:3}: {times}")
    return "   ".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="MODEL")
    parser.add_argument("--out", type=Path, default=FOLDER / "patterns.json")
    options = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    for name in options.models:
        rows.append(measure(name))
        print(show(rows[-1]), flush=True)
    slowest = max(row[p]["seconds"] for row in rows for _, p in PATTERNS)
    matches = sum(row[p]["matches"] for row in rows for _, p in PATTERNS)
    print(f"{len(rows)} models, {matches} matches, slowest search {slowest:.3f} s")
    options.out.write_text(json.dumps({"models": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
