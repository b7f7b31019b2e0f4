"""Asks for a run of `hecv` by the process that `tests/serving.py` keeps: `served.py SOCKET STATUS ARGUMENTS...`

The run must end with just that STATUS, unless it is `any`: `not` would take a crash (4) or a usage error (2) for a
refutation (1). What it reads and writes is this process's own. This process has to start fast: it imports what is
written in C alone, and is run without `site` (`python -S -E`).
"""

import _socket
import os
import sys

NUMBER = 4
"""Bytes of the length of a request, and of the status that is answered."""


def ask(socket, folder, environment, arguments, files, seconds=None):
    """The exit status of `hecv` with these arguments, in a folder, with three open files as its standard streams.

    Raises: TimeoutError, after which the run is ended; ConnectionError where there is no server.
    """
    fields = [folder, str(len(environment)), *(f"{k}={v}" for k, v in environment.items()), *arguments]
    request = "\0".join(fields).encode(errors="surrogateescape")
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(seconds)
        line.connect(socket)
        handles = b"".join(f.to_bytes(4, sys.byteorder) for f in files)
        size = len(request).to_bytes(NUMBER, sys.byteorder)
        line.sendmsg([size], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handles)])
        line.sendall(request)
        answer = line.recv(NUMBER)
    finally:
        line.close()
    if len(answer) != NUMBER:
        raise ConnectionError("the server has ended")
    return int.from_bytes(answer, sys.byteorder)


def main():
    socket, expected, *arguments = sys.argv[1:]
    status = ask(socket, os.getcwd(), os.environ, arguments, (0, 1, 2))
    if expected == "any":
        return status
    if status != int(expected):
        sys.stderr.write(f"exit status is {status}, expected {expected}: hecv {' '.join(arguments)}\n")
    return int(status != int(expected))


if __name__ == "__main__":
    sys.exit(main())
