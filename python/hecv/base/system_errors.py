"""Errors of the system hecv runs on: a full disk, too many processes or files, forbidden access. They are no bugs."""

from __future__ import annotations

import errno
from typing import Final

ERRORS: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
        *(errno.EACCES, errno.EPERM),
    }
)
"""What the system refuses whoever asks. Of others, such as a file that is missing, hecv should have made sure."""

NO_FOLDER: Final = "No usable temporary directory"

HELP: Final = "see the space on the disk and in TMPDIR, and the limits of the shell (`ulimit -a`)"


def system_error(problem: BaseException) -> str | None:
    """What the system refused, None where the error is another one."""
    if not isinstance(problem, OSError):
        return "memory is used up" if isinstance(problem, MemoryError) else None
    if problem.errno not in ERRORS and NO_FOLDER not in str(problem):
        return None
    told = (problem.strerror or str(problem)).lower()
    return told if problem.filename is None else f"{told}: {problem.filename}"
