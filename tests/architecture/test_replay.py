"""The checker of certificates stands apart: what searches for proofs is not loaded by it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import hecv

from . import trusted_base

ROOT = Path(__file__).parents[2]

PAGES = {
    "README.md": r"(\d+)\s+of\s+the\s+(\d+)\s+modules",
    "docs/certificates.md": r"(\d+)\s+of\s+the\s+(\d+)\s+modules.*?([\d,]+)\s+of\s+([\d,]+)\s+lines",
}

SEARCHES = (
    "egglog",
    "hecv.check",
    "hecv.egraph",
    "hecv.sweep",
    "hecv.elements.real_field",
    "hecv.elements.real_sums",
    "hecv.elements.element_prover",
    "hecv.elements.real_terms",
    "hecv.elements.expression_signs",
    "hecv.dataflow.reductions.reduction_bags",
    "hecv.dataflow.reductions.transitive_closure",
    "hecv.dataflow.residual.term_cuts",
    "hecv.dataflow.induction.wellfounded_induction",
    "hecv.dataflow.reductions.bag_matching",
    "hecv.dataflow.residual.leaf_naming",
    "hecv.dataflow.dataflow_proof",
    "hecv.dataflow.residual.scalar_residual",
    "hecv.dataflow.induction.hypothesis_table",
    "hecv.dataflow.induction.relation_widening",
    "hecv.theorems.user_rules.loop_rule_audit",
    "hecv.theorems.transforms.coalesce_interchange",
    "hecv.theorems.transforms.unroll_and_jam",
    "hecv.theorems.user_rules.loop_rule_instances",
    "hecv.patterns.machine.machine",
    "hecv.patterns.calculus.matches",
    "hecv.prove.pair",
    "hecv.prove.portfolio",
    "hecv.prove.certify",
    "hecv.prove.terms.sat_sweeping_cert",
    "hecv.prove.whiles.closed_form_cert",
    "hecv.prove.dataflow",
    "hecv.prove.terms.scalar_cert",
    "hecv.prove.loop_theorems_cert",
    "hecv.prove.whiles.while_induction_cert",
    "hecv.prove.terms.integer_results_cert",
    "hecv.prove.whiles.closed_form",
    "hecv.verdict.decision",
    "hecv.prove.elementwise_reals",
    "hecv.prove.whiles.while_methods",
    "hecv.prove.terms.fastmath_terms",
    "hecv.prove.changed_pair",
    "hecv.prove.terms.law_search",
    "hecv.prove.terms.scalar_comparison",
    "hecv.prove.sweep_prover",
    "hecv.prove.theorem_prover",
    "hecv.prove.terms.sat_sweeping",
    "hecv.prove.terms.recorded_lemmas",
    "hecv.prove.loops.loop_theorems",
    "hecv.prove.whiles.while_induction",
)

PROGRAM = """
import sys
import hecv.cli.replay, hecv.replaying, hecv.kernel.reals.elementwise_check, hecv.kernel.terms.law_instances
import hecv.kernel.loop_theorem_check, hecv.kernel.terms.refinement_check
import hecv.smt.smtlib, hecv.prove.exhaustive_runs
print(*sys.modules)
"""


def test_the_checker_loads_no_search() -> None:
    path = str(Path(hecv.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "hecv.kernel.statementwise_check" in loaded
    assert not list(filter(_searches, loaded))


def test_nor_where_it_imports_late() -> None:
    """Imports within functions count, too, of all that may be loaded so."""
    reached = trusted_base.reached()
    assert {"hecv.kernel.loop_theorem_check", "hecv.smt.smtlib", "z3", "cvc5"} <= reached
    assert not list(filter(_searches, reached))


def _searches(module: str) -> bool:
    return any(module == s or module.startswith(f"{s}.") for s in SEARCHES)


def test_the_pages_say_how_much_it_reaches() -> None:
    """README.md and docs/certificates.md have the figures of `python tests/architecture/trusted_base.py`, to a
    twentieth, and all libraries."""
    reached, package = trusted_base.totals()
    for page, pattern in PAGES.items():
        found = re.search(pattern, (ROOT / page).read_text("utf-8"), re.DOTALL)
        assert found is not None, page
        said = [int(number.replace(",", "")) for number in found.groups()]
        for stated, measured in zip(said, (reached[0], package[0], reached[1], package[1]), strict=False):
            assert abs(stated - measured) <= measured / 20, f"{stated} in {page}, {measured} measured"
    assert trusted_base.libraries() == {"cvc5", "islpy", "msgspec", "torch_mlir", "z3"}


def test_what_it_must_not_load_is_there() -> None:
    package = Path(hecv.__file__).parent
    for name in SEARCHES[1:]:
        part = package.joinpath(*name.split(".")[1:])
        assert part.is_dir() or part.with_suffix(".py").is_file(), name
