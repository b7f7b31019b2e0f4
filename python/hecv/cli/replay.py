"""The verb `hecv replay CERT SRC TGT`: its options, and the call of `hecv.replaying`."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from typing import Any, Final

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import positive
from hecv.cli.terminal import rejected_input, versions

EXITS: Final = "exit status: 0 accepted; 1 rejected; 2 bad input, or no certificate; 4 a bug of hecv"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("certificate", metavar="CERT", help="what `hecv check --certificate CERT` wrote")
    add("source", metavar="SRC", help="the original program, MLIR text")
    add("target", metavar="TGT", help="the transformed program")
    add("--solver", choices=("z3", "cvc5"), default="z3", help="what obligations are given to (default: z3)")
    add("--trust", action="store_true", help="take rules of users that are not proved on trust, and say which")
    add("--time-limit", metavar="S", type=positive(float), default=600.0, help="seconds a function (default: 600)")
    add("--memory-limit", metavar="MB", type=positive(int), default=8192, help="megabytes a function (default: 8192)")
    add("--format", choices=("text", "json"), default="text")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv replay CERT SRC TGT`"""
    from hecv.kernel.certificate.rejection import Malformed
    from hecv.mlir.importer import read_text
    from hecv.process.worker_pool import Limits
    from hecv.replaying import Accepted, replay

    try:
        _require_solver(options.solver)
        text, source, target = (read_text(path) for path in (options.certificate, options.source, options.target))
        limits = Limits(options.time_limit, options.memory_limit)
        names = options.source, options.target
        found = replay(text, (source, target), names, options.solver, limits, options.trust)
    except InputError as problem:
        return rejected_input(problem, options.format)
    except Malformed as problem:
        hint = "`hecv check --certificate OUT` writes one"
        message = f"{options.certificate} is no certificate: {problem}"
        return rejected_input(InputError(Diagnostic("error", "no-certificate", message, help=hint)), options.format)
    as_json = options.format == "json"
    sys.stdout.write(f"{json.dumps(_data(found, options.solver))}\n" if as_json else _text(found))
    return 0 if isinstance(found, Accepted) else 1


def _require_solver(name: str) -> None:
    """Raises: InputError if the solver is not installed."""
    if name == "cvc5" and find_spec("cvc5") is None:
        hint = "pip install 'hecv[cvc5]'"
        raise InputError(Diagnostic("error", "no-solver", "cvc5 is not installed", help=hint))


def _text(found: Any) -> str:
    from hecv.replaying import Accepted
    from hecv.report.text_lines import Painter, remark, visible
    from hecv.report.verdict_text import assumption_text

    if not isinstance(found, Accepted):
        return f"{visible(f'rejected: {found.step}: {found.why}')}\n"
    plain = Painter(False)
    lines = [f"accepted: {found.verdict}"]
    lines += [f"   @{name}: {verdict}, proof of kind '{kind}'" for name, verdict, kind in found.functions]
    for t in found.trusted:
        lines.append(f"   = on trust: {t.instance}, by the rule '{t.rule}' ({t.known}, as the certificate says)")
    lines += [line for a in found.assumptions for line in remark("assumes", assumption_text(a), plain)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _data(found: Any, solver: str) -> dict[str, Any]:
    from hecv.replaying import Accepted

    head = {"schema": "hecv.replay/1", "versions": versions(), "solver": solver}
    if not isinstance(found, Accepted):
        return {**head, "answer": "rejected", "step": found.step, "why": found.why, "functions": []}
    functions = [{"name": n, "verdict": v, "kind": k} for n, v, k in found.functions]
    trusted = [{"rule": t.rule, "instance": t.instance, "evidence": t.known} for t in found.trusted]
    assumptions = [{"id": a.id, "text": a.text, "switch": a.switch} for a in found.assumptions]
    rest = {"functions": functions, "trusted": trusted, "assumptions": assumptions}
    return {**head, "answer": "accepted", "verdict": found.verdict, **rest}
