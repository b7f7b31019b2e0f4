"""Runs JIT calls of one function in a child process and collects their outcomes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

from hecv.base.forking import fork
from hecv.base.types import MemRefType, ScalarType, Type
from hecv.base.value import Value
from hecv.run.evaluation.external_functions import Made
from hecv.run.jit.abi.external_callbacks import Answers
from hecv.run.jit.abi.jit_outcome import Diverged, Failed, JitOutcome, Refused, Signature
from hecv.run.jit.jit_child import live
from hecv.run.jit.llvm_compilation import compile_function
from hecv.run.jit.native_call import call, same_as_globals

P = ParamSpec("P")
T = TypeVar("T")


def run(
    text: str,
    function: str,
    arguments: Sequence[Value],
    types: Sequence[Type],
    results: Sequence[ScalarType],
    *,
    globals: Sequence[tuple[str, MemRefType]] = (),
    seconds: float = 20.0,
    megabytes: int = 4096,
    index_width: int = 64,
    script: tuple[Made, ...] | None = None,
) -> JitOutcome:
    """The outcome of one call of `@function` in the module `text`: `run_many` with one call."""
    limits: dict[str, Any] = {"seconds": seconds, "megabytes": megabytes, "index_width": index_width}
    limits |= {"globals": globals, "script": script}
    return run_many(text, function, [arguments], types, results, **limits)[0]


class Running(Struct, frozen=True):
    """A running child: how many calls it makes, and its deadline."""

    reader: Connection
    pid: int
    count: int
    seconds: float
    deadline: float

    def outcomes(self) -> list[JitOutcome]:
        """Waits for the outcome of each call, and kills the child."""
        try:
            return _collect(self.reader, self.pid, self.count, self.seconds, self.deadline)
        finally:
            self.reader.close()
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def run_many(
    text: str,
    function: str,
    calls: Sequence[Sequence[Value]],
    types: Sequence[Type],
    results: Sequence[ScalarType],
    *,
    globals: Sequence[tuple[str, MemRefType]] = (),
    seconds: float = 20.0,
    megabytes: int = 4096,
    index_width: int = 64,
    script: tuple[Made, ...] | None = None,
) -> list[JitOutcome]:
    """The outcome of each call of `@function` in the module `text`: `start`, and wait."""
    limits: dict[str, Any] = {"seconds": seconds, "megabytes": megabytes, "index_width": index_width}
    limits["script"] = script
    return start(text, function, calls, types, results, globals=globals, **limits).outcomes()


def start(
    text: str,
    function: str,
    calls: Sequence[Sequence[Value]],
    types: Sequence[Type],
    results: Sequence[ScalarType],
    *,
    globals: Sequence[tuple[str, MemRefType]] = (),
    shown: Sequence[int] = (),
    seconds: float = 20.0,
    megabytes: int = 4096,
    index_width: int = 64,
    script: tuple[Made, ...] | None = None,
    isolated: bool = False,
) -> Running:
    """Starts calls of `@function` in the module `text`: one compilation and one child for all.

    A call that crashes or runs out of time ends the child: earlier calls keep their results, later ones are not run.
    `seconds` bounds the compilation and all calls together, `megabytes` what the child maps beyond what this process
    has mapped. Every buffer gets its own storage; the given values are not modified.

    `globals` are symbols of `memref.global`s: the last values of each call are their contents before it, and the last
    arguments of its outcome those after it.

    For the memref results numbered `shown`, `results` ends with the number, offset and strides of the buffer that each
    is.

    `script` has the answers of functions without a body, call by call; if another call is made, the child ends.

    With `isolated`, each op is lowered by itself (`hecv.run.jit.lowering.op_isolation`).

    Requires: no call depends on what an earlier one left in another mutable `memref.global`; the same arguments share
              their memory with globals in all calls.
    """
    deadline = time.monotonic() + seconds
    answered = script is not None
    same = same_as_globals(calls[0], len(types)) if calls else ()
    signature = Signature(tuple(types), tuple(results), index_width, tuple(globals), tuple(shown), answered, same)
    reader, writer = Pipe(duplex=False)
    pid = fork()
    if pid == 0:
        work = partial(_serve, writer.send, text, function, calls, signature, script, isolated)
        live(writer, seconds, megabytes, work)
    writer.close()
    return Running(reader, pid, len(calls), seconds, deadline)


def _collect(reader: Connection, pid: int, count: int, seconds: float, deadline: float) -> list[JitOutcome]:
    """The outcomes of `count` calls, from the child's messages and from how it ends."""
    outcomes: list[JitOutcome] = []
    compiled = False
    try:
        if failed := _receive(reader, deadline):
            return [failed] * count
        compiled = True
        while len(outcomes) < count:
            outcomes.append(_receive(reader, deadline))
        return outcomes
    except TimeoutError:
        end = f"timed out after {seconds:g} s"
    except EOFError:
        end = _end(pid)
    if not compiled:
        return [Failed(f"the compiler {end}")] * count
    not_run = Failed(f"not run: an earlier call {end}")
    return [*outcomes, Failed(end), *[not_run] * (count - len(outcomes) - 1)]


def _receive(reader: Connection, deadline: float) -> Any:
    """The child's next message.

    Raises: TimeoutError at the deadline, EOFError if the child has ended.
    """
    if not reader.poll(max(0.0, deadline - time.monotonic())):
        raise TimeoutError
    message = reader.recv()
    if isinstance(message, RuntimeError):
        raise message
    return message


def _end(pid: int) -> str:
    """How the child ended; it is not reaped yet."""
    end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert end is not None
    if end.si_code == os.CLD_EXITED:
        return f"exited with status {end.si_status}"
    return f"crashed with {signal.Signals(end.si_status).name}"


def _serve(
    send: Callable[[Any], None],
    text: str,
    function: str,
    calls: Sequence[Sequence[Value]],
    signature: Signature,
    script: tuple[Made, ...] | None,
    isolated: bool,
) -> None:
    """Sends None (or the failure) once the function is compiled, then the outcome of each call."""
    answers = None if script is None else Answers(script, signature.index_width, lambda end: _ended(send, end))
    compiled = _attempt(compile_function, text, function, signature, answers, isolated)
    if isinstance(compiled, Failed):
        return send(compiled)
    send(None)
    for arguments in calls:
        send(_attempt(call, compiled, arguments, signature))


def _ended(send: Callable[[Any], None], end: Diverged) -> None:
    """Reports how the run ended, from inside compiled code, and exits."""
    send(end)
    os._exit(0)


def _attempt(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Failed:
    """What `work` returns, or why it fails."""
    try:
        return work(*args, **kwargs)
    except Refused as refused:
        return Failed(str(refused))
    except MemoryError:
        return Failed("out of memory")
