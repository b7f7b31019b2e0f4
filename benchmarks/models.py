"""Whole models against each other: transformers against litgpt, eager against sdpa attention, transformers against a
decoder as serving engines write it, and wrong twins of each; with counts, seconds by phase, and growth with depth.

`python benchmarks/models.py [GROUP ...]` writes `models.json`, pair after pair: a run that ends early goes on where it
ended. It needs transformers, lightning and litgpt (`make test-models`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parent / "model_families"))
import published
from deciding import Make, decide

from hecv.relate.graph_relation import USUAL, SearchOptions

HERE: Final = Path(__file__).parent

DEPTHS: Final = {
    "llama": 32, "qwen2": 24, "qwen3": 28, "phi": 32, "mistral": 32, "gemma": 18, "gpt2": 12, "phi3": 32,
    "windowed": 40,
}  # fmt: skip
"""Layers of the published models."""

GROWTH: Final = (2, 8, 80)
"""Layers at which growth is measured, beside those of the published model."""

WRONG: Final = 4
"""Layers of wrong twins."""

RULES: Final = 2
"""Layers of the models whose rules are counted: more layers state the same ones again."""

ABLATED: Final = 8
"""Layers of the model on which parts of the search are switched off."""

ABLATION: Final = {
    "all": USUAL,
    "all values": SearchOptions(computing=False),
    "no moments": SearchOptions(moments=False),
    "no cuts": SearchOptions(cuts=False),
    "no reuse": SearchOptions(reuse=False),
}
"""The search with one part of it switched off."""


class Pair(Struct, frozen=True):
    """Two models, and the verdict that is right; `line` is the text of the target's line that a mistake is at."""

    name: str
    group: str
    source: Make
    target: Make
    expected: str = "equivalent"
    line: str = ""
    search: SearchOptions = USUAL


def published_model(family: str, layers: int, attention: str = "eager", flat: bool = False) -> Make:
    ids = published.token_ids(published.TOKENS) if flat else published.token_ids(1, published.TOKENS)
    return lambda: (published.Logits(published.transformers_model(family, layers, attention), flat).eval(), ids)


def litgpt_model(family: str, layers: int, **changed: Any) -> Make:
    return _made(lambda n: published.litgpt_model(family, n, **changed), layers)


def _made(make: Callable[[int], Any], layers: int) -> Make:
    return lambda: (make(layers), published.token_ids(1, published.TOKENS))


def _served(family: str, layers: int, mistake: Any = "none") -> Make:
    return lambda: (published.served_model(family, layers, mistake), published.token_ids(published.TOKENS))


def _flat(family: str, layers: int) -> Make:
    return published_model(family, layers, "opaque" if published.SERVED[family].get("opaque") else "eager", True)


def pairs(depths: Mapping[str, int] = DEPTHS, growth: Sequence[int] = GROWTH, wrong: int = WRONG) -> Iterator[Pair]:
    """All pairs, with these numbers of layers."""
    for family in published.SERVED:
        n = depths[family]
        yield Pair(f"{family}: transformers, serving", "serving", _flat(family, n), _served(family, n))
    for family in published.LITGPT:
        n = depths[family]
        yield Pair(f"{family}: transformers, litgpt", "litgpt", published_model(family, n), litgpt_model(family, n))
    for family in published.MORE_LITGPT if growth else ():
        yield Pair(
            f"{family}: transformers, litgpt, 2 layers", "more", published_model(family, 2), litgpt_model(family, 2)
        )
    for n in growth:
        yield Pair(f"llama of {n} layers: serving", "growth", _flat("llama", n), _served("llama", n))
    for family in published.LITGPT:
        n = depths[family]
        yield Pair(
            f"{family}: eager, sdpa", "attention", published_model(family, n), published_model(family, n, "sdpa")
        )
    for name, (family, make, line) in published.WRONG_LITGPT.items():
        yield Pair(name, "wrong", published_model(family, wrong), _made(make, wrong), "not-equivalent", line)
    for name, (family, mistake, line) in published.WRONG_SERVED.items():
        source, target = _flat(family, wrong), _served(family, wrong, mistake)
        yield Pair(name, "wrong", source, target, "not-equivalent", line)
    yield from _rule_pairs(RULES if growth else 0)
    for name, search in ABLATION.items() if growth else ():
        n = min(ABLATED, depths["llama"])
        expected = "equivalent" if search.cuts else "unknown"
        source, target = _flat("llama", n), _served("llama", n)
        yield Pair(f"llama of {n} layers: {name}", "ablation", source, target, expected, search=search)


def _rule_pairs(layers: int) -> Iterator[Pair]:
    """One pair a family, whose rules are counted."""
    for family in published.SERVED if layers else ():
        yield Pair(f"{family}: serving, {layers} layers", "rules", _flat(family, layers), _served(family, layers))
    for family in published.LITGPT if layers else ():
        source, target = published_model(family, layers), litgpt_model(family, layers)
        yield Pair(f"{family}: litgpt, {layers} layers", "rules", source, target)


def as_expected(pair: Pair, row: Mapping[str, Any]) -> bool:
    """Whether a verdict is right, and names the line that a mistake is at."""
    return row["verdict"] == pair.expected and pair.line in row.get("target", "")


def exponents(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """By phase the power of the layers, from the second depth to the last, that seconds grow with."""
    ends = [rows.get(f"llama of {n} layers: serving") for n in (GROWTH[1], GROWTH[-1])]
    if None in ends:
        return {}
    found: dict[str, float] = {}
    for phase in ("capture", "values", "matching", "proof"):
        first, last = (row["seconds"].get(phase, 0) for row in ends if row)
        if first and last:
            found[phase] = round(math.log(last / first) / math.log(GROWTH[-1] / GROWTH[1]), 2)
    return found


def by_method(row: dict[str, Any]) -> tuple[int, int, int]:
    """Obligations proved as an instance of one that was, by comprehensions, and by congruence of opaque ops."""
    methods = row.get("methods", {})
    again = sum(count for name, count in methods.items() if name.endswith("again"))
    congruent = methods.get("congruence", 0)
    return again, sum(methods.values()) - again - congruent, congruent


def show(name: str, row: dict[str, Any]) -> None:
    """One line of the table."""
    if not row.get("ops"):
        print(f"{name:36} {row['verdict']:15} {row.get('note', '')}", flush=True)
        return
    seconds = "".join(f"{row['seconds'].get(p, 0):7.2f}" for p in ("capture", "values", "matching", "proof"))
    counts = "/".join(map(str, by_method(row)))
    ops = "+".join(map(str, row["ops"]))
    pairs = f"{row['proved']}/{row['pairs']}"
    print(f"{name:36} {row['verdict']:15}{row['layers']:4} {ops:>11} {pairs:>11} {counts:>12} {seconds}", flush=True)
    for key in ("target", "note"):
        if key in row:
            print(f"{'':36} {key}: {row[key]}", flush=True)


def show_rules(rows: Mapping[str, Mapping[str, Any]]) -> None:
    """The table of rules: by family distinct rules, also up to sizes, where they fired, and by kind."""
    print(f"{'rules of':30} rules sizeless proved tested  again layout fusion algebraic")
    everything: list[list[Any]] = []
    for name, row in (*((n, r) for n, r in rows.items() if r["group"] == "rules"), ("all families", None)):
        rules = everything if row is None else row["rules"]
        everything = everything if row is None else [*everything, *rules]
        counts = [len({r[0] for r in rules}), len({r[3] for r in rules})]
        counts += [sum(r[4] for r in rules if r[2] == evidence) for evidence in ("proved", "tested")]
        counts.append(sum(counts[2:]) - counts[0])
        counts += [len({r[0] for r in rules if r[1] == kind}) for kind in ("layout", "fusion", "algebraic")]
        print(f"{name:30}" + "".join(f"{count:7}" for count in counts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("groups", nargs="*", help="serving, growth, more, litgpt, wrong, attention, rules, ablation")
    parser.add_argument("--name", default="", help="only pairs with this in their name")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--out", type=Path, default=HERE / "models.json")
    options = parser.parse_args()
    found = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {"rows": {}}
    rows, wrong = found["rows"], 0
    header = f"{'pair':36} {'verdict':15}{'layers':>4} {'ops':>9} {'proved':>11} {'again/own/op':>12}"
    print(f"{header}  capture values  match  proof")
    groups = options.groups or ["serving", "growth", "more", "litgpt", "wrong", "attention", "rules", "ablation"]
    chosen = [p for p in pairs() if p.group in groups and options.name in p.name]
    for pair in sorted(chosen, key=lambda p: groups.index(p.group)):
        if pair.name not in rows or options.again:
            load = os.getloadavg()[0]
            row = decide(pair.source, pair.target, search=pair.search)
            if pair.group != "rules":
                row.pop("rules", None)
            rows[pair.name] = {"group": pair.group, "as expected": as_expected(pair, row), "load": round(load, 1)} | row
            found["exponents"] = exponents(rows)
            _write(options.out, found)
        show(pair.name, rows[pair.name])
        wrong += not rows[pair.name]["as expected"]
    if "rules" in groups:
        show_rules(rows)
    print(f"growth: {found.get('exponents', {})}; {wrong} not as expected")
    return 1 if wrong else 0


def _write(path: Path, found: dict[str, Any]) -> None:
    """Writes the whole file or nothing."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
