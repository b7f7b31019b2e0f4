"""The verb `hecv check SRC TGT`: its options, and the call of `hecv.check`."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.cli.options import decision_options, settings_of, split_option, with_rules
from hecv.cli.terminal import clear_progress, print_answer, show_progress
from hecv.report.formats import Checked


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SRC", help="the original program, MLIR text; - is standard input")
    add("target", metavar="TGT", help="the transformed program")
    add("--certificate", metavar="OUT", help="write the proof, for `hecv replay`")
    split_option(parser)
    decision_options(parser)
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv check SRC TGT`"""
    from hecv.check import check, failed
    from hecv.claim.assumptions import SWITCH
    from hecv.claim.result import exit_code
    from hecv.mlir.importer import read_text
    from hecv.mlir.module.source_text import display_name, require_writable

    paths = (options.source, options.target)
    settings = replace(settings_of(options), recording=options.certificate is not None, split=options.split_input_file)
    texts = {SWITCH: "\n".join(options.assume)}
    try:
        if paths == ("-", "-"):
            raise InputError(Diagnostic("error", "usage", "SRC and TGT are both standard input", help="name a file"))
        _require_elsewhere(options)
        source, target = (read_text(path) for path in paths)
        texts |= dict(zip(map(display_name, paths), (source, target), strict=True))
        settings, rules = with_rules(settings, options)
        texts |= rules
        if options.certificate is not None:
            require_writable(options.certificate)
        report = check(source, target, paths, settings, show_progress)
        clear_progress(report.seconds)
        if options.certificate is not None:
            from hecv.certificates import write_certificate

            report = write_certificate(report, (source, target), settings, options.certificate)
    except InputError as problem:
        report = failed(problem.diagnostics, settings)
    print_answer("verdict", Checked(report, texts, paths), options.format, options.verbose)
    return exit_code(report)


def _require_elsewhere(options: argparse.Namespace) -> None:
    """Raises: InputError if the certificate would overwrite an input file."""
    for path in (options.source, options.target, *options.rules):
        with suppress(OSError, ValueError):  # of a path that names no file
            if options.certificate is not None and os.path.samefile(options.certificate, path):
                message = f"the certificate would be written over {path}"
                raise InputError(Diagnostic("error", "usage", message, help="name another file"))
