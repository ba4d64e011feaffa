"""Functions of POSIX only: on Windows, a test that calls one is skipped with a reason.

Use the functions of `os` below only here, and in modules that are skipped as a whole. `mypy --platform win32`, which
.ci/lint runs, reports any other use.
"""

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

starts_scripts = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows does not start scripts by their first line"
)
limits_file_size = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit for the size of files")


def make_fifo(path: Path) -> None:
    """Make a named pipe."""
    if sys.platform == "win32":
        pytest.skip("a folder of Windows holds no named pipes")
    os.mkfifo(path)


def make_socket(name: str) -> None:
    """Bind a socket to a name in the current folder, because a full path may be too long."""
    if sys.platform == "win32":
        pytest.skip("a folder of Windows holds no sockets that Python can make")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)


def open_unread(path: Path) -> int:
    """A descriptor of a named pipe (O_PATH), opened for neither reading nor writing."""
    if sys.platform == "win32":
        pytest.skip("Windows has no O_PATH")
    return os.open(path, os.O_PATH)


def is_root() -> bool:
    """Whether this process may change the owner of a file."""
    if sys.platform == "win32":
        return False
    return os.geteuid() == 0


def give_away(path: Path, owner: int) -> None:
    if sys.platform == "win32":
        pytest.skip("files of Windows have no owner that is a number")
    os.chown(path, owner, owner)


def do_not_wait(descriptor: int) -> None:
    """Make a pipe non-blocking."""
    if sys.platform == "win32":
        pytest.skip("Python before 3.12 cannot make a pipe of Windows non-blocking")
    os.set_blocking(descriptor, False)


def waits(descriptor: int) -> bool:
    if sys.platform == "win32":
        pytest.skip("Python before 3.12 cannot make a pipe of Windows non-blocking")
    return os.get_blocking(descriptor)


def open_terminal() -> tuple[int, int]:
    """Both ends of a pseudo-terminal."""
    if sys.platform == "win32":
        pytest.skip("Windows has no pseudo-terminals that Python can open")
    return os.openpty()


def fork() -> int:
    if sys.platform == "win32":
        pytest.skip("Windows cannot fork")
    return os.fork()


def session_of(pid: int) -> int:
    if sys.platform == "win32":
        pytest.skip("Windows has no sessions of processes")
    return os.getsid(pid)


def kill(pid: int) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no SIGKILL")
    os.kill(pid, signal.SIGKILL)


def file_size_limit(size: int) -> Callable[[], None]:
    """Return a `preexec_fn` for a child: its files may not grow beyond `size` bytes, and it ignores SIGXFSZ."""
    if sys.platform == "win32":
        pytest.skip("Windows has no limit for the size of files")
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
