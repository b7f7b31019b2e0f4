"""The verb `hecv models SRC.py:f TGT.py:g`: its options, and the call of `hecv.models`."""

from __future__ import annotations

import argparse

from hecv.base.diagnostics import InputError
from hecv.cli.options import DEVICES, decision_options, settings_of, with_rules
from hecv.cli.terminal import clear_progress, print_answer, show_progress
from hecv.report.formats import Checked


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SRC.py:f", help="f() returns (module, example_args) of torch, or (function, args) of jax")
    add("target", metavar="TGT.py:g", help="the model that should compute the same")
    add("--inputs", metavar="R.toml", help="how the target's parameters are made of the source's (default: found)")
    add("--device", choices=DEVICES, default="cpu", help="where torch runs both models, in f64 (default: cpu)")
    add("--rule-library", metavar="R.py", help="rules of this file are tried first; those of this pair are added to it")
    decision_options(parser)
    parser.set_defaults(verb=run, fp="real")


def run(options: argparse.Namespace) -> int:
    """`hecv models SRC.py:f TGT.py:g`"""
    from hecv.check import failed
    from hecv.claim.result import exit_code
    from hecv.models import run_models

    settings = settings_of(options)
    texts: dict[str, str] = {}
    try:
        settings, texts = with_rules(settings, options)
        found = run_models(
            (options.source, options.target),
            options.inputs,
            settings,
            show_progress,
            options.device,
            options.rule_library,
        )
        report, texts = found.report, {**texts, **found.texts}
        clear_progress(report.seconds)
    except InputError as problem:
        report = failed(problem.diagnostics, settings)
    answer = Checked(report, texts, (options.source, options.target))
    print_answer("verdict", answer, options.format, options.verbose)
    return exit_code(report)
