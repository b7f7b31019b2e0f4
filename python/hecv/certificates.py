"""The certificate of a report, and the file that it goes to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from msgspec.structs import replace

from hecv.base.diag import Diagnostic, InputError
from hecv.certificate import format as certificates
from hecv.check import Options, meaning_of
from hecv.replaying import certificate_of
from hecv.verdict.result import Report


def write_certificate(report: Report, programs: tuple[str, str], options: Options, path: str) -> Report:
    """Writes the proof of a report to a file; where there is none, the report with a warning that says why.

    Raises: InputError where the file cannot be written.
    """
    if report.verdict not in ("equivalent", "refines"):
        return _warned(report, f"the verdict is {report.verdict}, which has no proof")
    for function in report.functions:
        if function.certificate is None:
            return _warned(report, f"of @{function.name}: {function.uncertified}")
    proofs = [f.certificate for f in report.functions if f.certificate is not None]
    made = certificate_of(programs, meaning_of(options), proofs)
    _write(Path(path), certificates.render(made))
    return report


def _warned(report: Report, why: str) -> Report:
    warning = Diagnostic("warning", "no-certificate", f"no certificate was written: {why}")
    return replace(report, diagnostics=(*report.diagnostics, warning))


def _write(path: Path, text: str) -> None:
    """Writes a file as a whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as problem:
        message = f"cannot write {path}: {problem.strerror}"
        raise InputError(Diagnostic("error", "unwritable", message)) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
