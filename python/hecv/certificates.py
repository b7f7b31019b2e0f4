"""Writes the certificate of a report to a file."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.check import Options, meaning_of
from hecv.claim.result import Report
from hecv.kernel.certificate import file_format as certificates
from hecv.mlir.module.source_text import write_text
from hecv.replaying import certificate_of


def write_certificate(report: Report, programs: tuple[str, str], options: Options, path: str) -> Report:
    """Writes the proofs of a report to a file. If there is no proof, the report gets a warning that says why; if the
    file cannot be written, an error, which is then the verdict of the whole."""
    if report.verdict not in ("equivalent", "refines"):
        return _warned(report, f"the verdict is {report.verdict}, which has no proof")
    for function in report.functions:
        if function.certificate is None:
            return _warned(report, f"of @{function.name}: {function.uncertified}")
    proofs = [f.certificate for f in report.functions if f.certificate is not None]
    made = certificate_of(programs, meaning_of(options), proofs)
    try:
        write_text(path, certificates.render(made))
    except InputError as problem:
        return replace(report, verdict="error", diagnostics=(*report.diagnostics, *problem.diagnostics))
    return report


def _warned(report: Report, why: str) -> Report:
    warning = Diagnostic("warning", "no-certificate", f"no certificate was written: {why}")
    return replace(report, diagnostics=(*report.diagnostics, warning))
