"""The JIT's child process: detached from the parent's files and signals, within limits."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import traceback
from collections.abc import Callable
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn


def live(writer: Connection, seconds: float, megabytes: int, work: Callable[[], None]) -> NoReturn:
    """Runs `work` within the limits and exits, without the parent's exit handlers and unflushed output."""
    try:
        _confine(writer.fileno(), seconds, megabytes)
        work()
    except Exception:
        writer.send(RuntimeError(traceback.format_exc()))
    finally:
        os._exit(0)


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGILL)


def _confine(pipe: int, seconds: float, megabytes: int) -> None:
    """Detaches this process from the parent's files, terminal and signal handlers, and sets its limits."""
    # Before the descriptors: pytest's faulthandler holds a copy of the terminal and would write to it on a crash.
    faulthandler.disable()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # A pipe of another child that is open here would hide the end of that child from the parent.
    os.closerange(3, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(os.memfd_create("stderr"), 2)  # `_first_error` reads it
    # The parent may have changed rounding or flushed denormals; and compiled code looks for libm in the global scope.
    ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL).fesetenv(ctypes.c_void_p(-1))
    # Division of i128, and conversions between f16 and f64 or i128, are calls of the compiler's runtime library.
    ctypes.CDLL("libgcc_s.so.1", ctypes.RTLD_GLOBAL)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + (megabytes << 20))
    # Should the parent be killed: the child then ends by itself, also in a loop without end.
    _limit(resource.RLIMIT_CPU, ceil(seconds) + 1)
    _limit(resource.RLIMIT_FSIZE, 1 << 20)
    _limit(resource.RLIMIT_CORE, 0)
    # A `memref.alloca` in a loop body is freed only at the return; the shell's 8 MiB are soon full of them.
    _limit(resource.RLIMIT_STACK, 1 << 30)


def _limit(what: int, value: int) -> None:
    """Sets a soft limit, below the hard one."""
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
