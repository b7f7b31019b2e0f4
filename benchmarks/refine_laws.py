"""The laws that refinement derives, by model (GraphGuard, Figure 7, counts its hand-written lemmas so).

`python benchmarks/refine_laws.py --models gpt,llama --ranks 2,4` runs `hecv refine` on each model, writes what its
proofs derived to `refine_laws.json`, and prints a table: laws, and for how many values of each model each was used.
Models that the file has already are not run again, unless with `--anew`. `--markdown` prints the table of the file.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_suffix(".json")
BLOCKS, EXAMPLES = ROOT / "tests" / "refine" / "programs" / "blocks.py", ROOT / "examples" / "refine"

MODELS = {
    "gpt": (BLOCKS, "gpt", "gpt_tp"),
    "gpt-sp": (BLOCKS, "gpt", "gpt_sp"),
    "llama": (BLOCKS, "llama", "llama_tp"),
    "llama-gradients": (BLOCKS, "llama_backward", "llama_backward_sp"),
    "qwen2": (BLOCKS, "qwen", "qwen_tp"),
    "megatron": (EXAMPLES / "megatron_gpt.py", "gpt_loss", "gpt_loss_ranks"),
    "megatron-gradients": (EXAMPLES / "megatron_gpt.py", "gpt_gradients", "gpt_sequence_gradients_ranks"),
    "megatron-llama": (EXAMPLES / "megatron_gpt.py", "llama_training", "llama_training_ranks"),
    "transformers": (EXAMPLES / "transformers_tp.py", "llama", "llama_ranks"),
    "dtensor": (EXAMPLES / "dtensor_block.py", "sequential", "tensor_parallel"),
    "jax": (EXAMPLES / "jax_block.py", "sequential", "partitioned"),
}
"""Each by its file, its sequential function, and that of the ranks."""


def measure(model: str, ranks: int, limit: float) -> dict[str, Any]:
    """The verdict and the laws of one model at one degree."""
    file, sequential, distributed = MODELS[model]
    command = [sys.executable, "-m", "hecv", "refine", f"{file}:{sequential}", f"{file}:{distributed}"]
    command += ["--ranks", str(ranks), "--format=json", f"--time-limit={limit}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{model}: {done.stderr}")
    report = json.loads(done.stdout)
    if "laws" not in report:
        sys.exit(f"{model}: {done.stdout}")
    laws = [{key: law[key] for key in ("law", "values", "proofs")} for law in report["laws"]]
    return {"model": model, "ranks": ranks, "verdict": report["verdict"], "seconds": report["seconds"], "laws": laws}


def table(cells: Sequence[Mapping[str, Any]], markdown: bool, least: int) -> str:
    """Laws by model and degree, those that most models use first, of those that at least so many use."""
    columns = [f"{c['model']} {c['ranks']}" for c in cells]
    counts: dict[str, dict[str, int]] = {}
    for column, cell in zip(columns, cells, strict=True):
        for law in cell["laws"]:
            counts.setdefault(law["law"], {})[column] = law["values"]
    laws = sorted((law for law in counts if len(counts[law]) >= least), key=lambda law: (-len(counts[law]), law))
    rows = [["law", *columns]]
    rows += [[f"`{law}`" if markdown else law, *(str(counts[law].get(c, "")) for c in columns)] for law in laws]
    rows.append([f"all laws ({len(counts)})", *(str(len(c["laws"])) for c in cells)])
    rows.append(["values", *(str(sum(law["values"] for law in c["laws"])) for c in cells)])
    rows.append(["proofs", *(str(sum(law["proofs"] for law in c["laws"])) for c in cells)])
    if markdown:
        rows.insert(1, ["---"] * len(rows[0]))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(text.ljust(n) for text, n in zip(row, widths, strict=True)).rstrip() for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = lambda text: [int(n) for n in text.split(",")]  # noqa: E731
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--ranks", type=numbers, default=[2])
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds a model, without capture")
    parser.add_argument("--anew", action="store_true", help="run all models again")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--least", type=int, default=1, help="only laws that so many models use")
    options = parser.parse_args()
    unknown = [m for m in options.models if m not in MODELS]
    if unknown:
        parser.error(f"there is no model {unknown[0]}: there are {', '.join(MODELS)}")
    known = json.loads(FILE.read_text()) if FILE.exists() else []
    cells = {(c["model"], c["ranks"]): c for c in known}
    order = list(MODELS)
    wanted = [(model, ranks) for model in options.models for ranks in options.ranks]
    for key in wanted:
        if options.anew or key not in cells:
            cells[key] = measure(*key, options.time_limit)
            listed = sorted(cells, key=lambda k: (order.index(k[0]), k[1]))
            FILE.write_text(json.dumps([cells[k] for k in listed], indent=1) + "\n")
    print(table([cells[key] for key in wanted], options.markdown, options.least))


if __name__ == "__main__":
    main()
