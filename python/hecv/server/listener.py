"""The server: accepts requests, forks a process for each, and tells the client how that ended.

Messages of a client are `PROTOCOL`, a kind and fields, with NUL between them: `run` and a request (`request.py`);
`ask` and a request, which is not run; `stop`. Answers are `accepted` and later `exit N` or `crashed WHY`, or `declined
WHY`, after which the client runs the command itself.

This process never runs a command, and has one thread: each request is run by a fork of what it was when it began to
listen, so nothing that a command leaves in memory is seen by another one.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from time import monotonic, sleep
from typing import Final

from msgspec import Struct

from hecv import __version__
from hecv.base.forking import fork
from hecv.server.client import MESSAGE, MOST_FILES, PROTOCOL, identity, user_of
from hecv.server.fingerprint import AT_START, Code, at_start
from hecv.server.request import Request, Standing, read_request, standing_of
from hecv.server.served_command import Run, become, kill_session
from hecv.server.socket_file import listener

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that end the server."""

WAITS: Final = 10.0
"""Seconds that a request waits for one of the jobs. A command that waits longer runs in its client: what it reads may
be written by one that waits, too."""

GRACE: Final = 2.0
"""Seconds from a request to end to being killed."""

TICK: Final = 0.25
"""Seconds between two looks at what is overdue."""


class _Message(Struct):
    """A message that was received."""

    kind: bytes
    fields: list[bytes]
    files: list[int]


class _Running(Struct, eq=False):
    """A process that runs a request. `handle` is readable when it has ended; after `killed_at` it is killed."""

    pid: int
    handle: int
    line: socket.socket
    killed_at: float | None = None

    def terminate(self) -> None:
        """Asks it to end, as a user does by Ctrl-C."""
        if self.killed_at is None:
            self.killed_at = monotonic() + GRACE
            os.kill(self.pid, signal.SIGTERM)


class _Waiting(Struct, eq=False):
    """A request that waits for one of the jobs until `until`."""

    request: Request
    standing: Standing
    files: list[int]
    line: socket.socket
    until: float


class Server:
    """A server that has loaded what commands need.

    `code` is what the code was when it began to load. At most `jobs` requests run at a time; without any it ends after
    `idle` seconds. `attached` is a file whose end ends it, too.
    """

    def __init__(
        self,
        place: str,
        run: Run,
        code: Code,
        jobs: int | None = None,
        idle: float | None = None,
        attached: int | None = None,
    ) -> None:
        """Listens at the socket `place`.

        Raises: InputError if it cannot.
        """
        self._place, self._run, self._code, self._jobs, self._idle = place, run, code, jobs, idle
        self._identity = identity()
        self._at_start = at_start(dict(os.environb))
        self._running: list[_Running] = []
        self._waiting = deque[_Waiting]()
        self._served, self._active = 0, monotonic()
        self._asked_to_stop: list[socket.socket] = []
        self._selector = selectors.DefaultSelector()
        self._listener = listener(place)
        self._inode, self._listening = os.stat(place).st_ino, True
        self._signals, self._wakeup = socket.socketpair()
        self._hear(self._listener, self._accept)
        self._hear(self._signals, self.end)
        if attached is not None:
            self._hear(attached, partial(self._detached, attached))
        self._await_signals()

    def _await_signals(self) -> None:
        for end in (self._signals, self._wakeup):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wakeup.fileno())
        for number in ENDING:
            signal.signal(number, lambda *_: None)  # heard of by the file above

    def serve(self) -> None:
        """Runs requests until the server is stopped, or nobody has asked for so long."""
        while self._listening or self._running or self._waiting:
            for key, _ in self._selector.select(TICK if self._running or self._waiting else self._patience()):
                if self._selector.get_map().get(key.fd) == key:  # an earlier one may have ended this one
                    key.data()
            self._look()
        for line in self._asked_to_stop:
            line.close()

    def stop(self) -> None:
        """Accepts no more requests; those that run go on to their end."""
        if self._listening:
            self._listening = False
            self._selector.unregister(self._listener)
            self._listener.close()
            with suppress(OSError):
                if os.stat(self._place).st_ino == self._inode:
                    os.unlink(self._place)

    def end(self) -> None:
        """Accepts no more requests, and ends those that run."""
        with suppress(BlockingIOError):
            self._signals.recv(1 << 10)
        self.stop()
        while self._waiting:
            self._decline(self._waiting[0].line, "the server ends")
        for running in self._running:
            running.terminate()

    def _detached(self, file: int) -> None:
        if not os.read(file, 1 << 10):
            self._selector.unregister(file)
            self.end()

    # Time

    def _patience(self) -> float | None:
        """Seconds until the server has been idle for too long."""
        return None if self._idle is None else max(0.0, self._active + self._idle - monotonic())

    def _look(self) -> None:
        """Kills, declines or ends what is overdue; starts what may start."""
        now = monotonic()
        for running in self._running:
            if running.killed_at is not None and running.killed_at <= now:
                kill_session(running.pid)
        while self._waiting and self._waiting[0].until <= now:
            self._decline(self._waiting[0].line, f"no job was free for {WAITS:g} s")
        while self._waiting and self._has_a_job():
            self._start(self._waiting.popleft())
        if self._running or self._waiting:
            self._active = now
        elif self._patience() == 0:
            self.stop()

    def _has_a_job(self) -> bool:
        return self._jobs is None or len(self._running) < self._jobs

    # Connections

    def _hear(self, file: socket.socket | int, call: Callable[[], None]) -> None:
        self._selector.register(file, selectors.EVENT_READ, call)

    def _accept(self) -> None:
        try:
            line = self._listener.accept()[0]
        except OSError:  # too many files are open: who asks, waits
            sleep(TICK)
            return
        if user_of(line) != os.geteuid():
            line.close()
            return
        self._hear(line, partial(self._receive, line))

    def _close(self, line: socket.socket, *last: str) -> None:
        with suppress(OSError):  # who asked has gone
            for said in last:
                line.send(said.encode())
        with suppress(KeyError):
            self._selector.unregister(line)
        line.close()

    def _decline(self, line: socket.socket, why: str) -> None:
        for waiting in [w for w in self._waiting if w.line is line]:
            self._waiting.remove(waiting)
            _close_all(waiting.files)
        self._close(line, f"declined {why}")

    def _receive(self, line: socket.socket) -> None:
        """Takes up what a client wants."""
        message = _received(line)
        if message is None:
            self._close(line)
            return
        kept = False
        match message.kind:
            case b"run" | b"ask":
                kept = self._judge(line, message)
            case b"stop":
                self._selector.unregister(line)
                self._asked_to_stop.append(line)
                self.stop()
                with suppress(OSError):  # who asked has gone
                    line.send(f"stopping {len(self._running) + len(self._waiting)}".encode())
            case _:
                self._close(line, "declined the message is of another version")
        if not kept:
            _close_all(message.files)

    def _judge(self, line: socket.socket, message: _Message) -> bool:
        """Has a request wait for a job, or says why not; true if its files are still needed."""
        try:
            request = read_request(message.fields)
            standing = standing_of(_process_of(line))
            why = self._objection(request)
        except OSError as problem:
            self._close(line, f"declined the client cannot be followed: {problem}")
            return False
        except (ValueError, IndexError) as problem:
            self._close(line, f"declined the request cannot be read: {problem}")
            return False
        if why is not None:
            self._close(line, f"declined {why}")
            return False
        if message.kind == b"ask":
            said = f"version {__version__}, process {os.getpid()}, {self._served} served, {len(self._running)} running"
            self._close(line, f"accepted {said}")
            return False
        self._selector.unregister(line)
        self._hear(line, partial(self._decline, line, "the client hung up"))
        self._waiting.append(_Waiting(request, standing, message.files, line, monotonic() + WAITS))
        return True

    def _objection(self, request: Request) -> str | None:
        """Why a process of the client would not do what a fork of this one does."""
        if request.identity != self._identity:
            return "the server runs another installation of hecv"
        for name, mine, its in zip(AT_START, self._at_start, at_start(request.environment), strict=True):
            if mine != its:
                return f"the server was started with another {name}"
        if not self._code.is_current():
            self.stop()
            return "hecv has changed since the server was started, which ends"
        return None

    # Requests

    def _start(self, waiting: _Waiting) -> None:
        """Forks the process of a request."""
        line = waiting.line
        self._selector.unregister(line)
        if _has_hung_up(line):
            _close_all(waiting.files)
            line.close()
            return
        try:
            pid, handle = self._forked(waiting)
        except OSError as problem:
            self._close(line, f"declined the server cannot fork: {problem}")
            return
        finally:
            _close_all(waiting.files)
        self._served += 1
        running = _Running(pid, handle, line)
        self._running.append(running)
        self._hear(running.handle, partial(self._ended, running))
        self._hear(line, partial(self._left, running))
        with suppress(OSError):
            line.send(b"accepted")

    def _forked(self, waiting: _Waiting) -> tuple[int, int]:
        """A process for the request, and a file that is readable when it has ended."""
        # A signal between the fork and its own handlers would be heard by this process.
        usual, own = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING), os.getpid()
        try:
            pid = fork()
            if pid == 0:
                become(waiting.request, waiting.standing, waiting.files, self._run, own)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        try:
            return pid, os.pidfd_open(pid)
        except OSError:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise

    def _left(self, running: _Running) -> None:
        """The client has gone, or was interrupted."""
        self._selector.unregister(running.line)
        running.terminate()

    def _ended(self, running: _Running) -> None:
        """The process of a request has ended."""
        self._selector.unregister(running.handle)
        os.close(running.handle)
        end = os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        if end is None or end.si_code != os.CLD_EXITED or running.killed_at is not None:
            kill_session(running.pid)  # before it is reaped, so that its number is nobody else's
        status = os.waitpid(running.pid, 0)[1]
        self._running.remove(running)
        self._close(running.line, _end(status))


def _end(status: int) -> str:
    if os.WIFEXITED(status):
        return f"exit {os.WEXITSTATUS(status)}"
    return f"crashed the process that ran the command was ended by {signal.Signals(os.WTERMSIG(status)).name}"


def _has_hung_up(line: socket.socket) -> bool:
    """Whether a client that says no more has gone."""
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(0))


def _process_of(line: socket.socket) -> int:
    """The process id of the client."""
    return int.from_bytes(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)


def _received(line: socket.socket) -> _Message | None:
    """The next message; None if there is none, or it is none of ours."""
    with suppress(OSError):
        data, files, flags, _ = socket.recv_fds(line, MESSAGE, MOST_FILES)
        protocol, *fields = data.split(b"\0")
        if protocol == PROTOCOL and fields and not flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            return _Message(fields[0], fields[1:], files)
        _close_all(files)
    return None


def _close_all(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)
