"""Run git: find the program, clean its environment, set its options, and turn failures into `RepoError`.

Arguments are fixed lists. Paths come after `--`; ids and revisions are checked first. See docs/internals/security.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.report.escape import cut_end
from editblocks.repos.tree_modes import to_system

ANY_STATUS = range(256)
SECONDS = 60.0  # no call takes that long unless git waits for something
MIN_VERSION = (2, 34)

_TIMED_OUT = -1000  # no signal has this number
_MAX_WORDS = 200  # characters of git's own message that are quoted
_OBJECT_ID = r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z"


class Mode(str, Enum):
    """Whose configuration git uses. `USER`: on the command line; `HOOK`: in a hook, with the variables of git."""

    ISOLATED = "isolated"  # action, scratch repositories, tests: no configuration of the machine or the user
    USER = "user"
    HOOK = "hook"
    RECEIVE = "receive"  # in a server's pre-receive hook, where new objects are in git's quarantine directory


HOOK_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
_IDENTITY = tuple(f"GIT_{role}_{field}" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL", "DATE"))
_QUARANTINE = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
_KEPT: Mapping[Mode, tuple[str, ...]] = {
    Mode.ISOLATED: (),
    Mode.USER: _IDENTITY,
    Mode.HOOK: HOOK_VARIABLES,
    Mode.RECEIVE: ("GIT_DIR", *_QUARANTINE),
}
_ALWAYS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_PAGER": "cat",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_ISOLATED = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.pager=cat",
    "gc.auto=0",
    "maintenance.auto=0",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
# Options of every mode but `USER`. There git stores files as the user's `git add` would, and signs if the user does.
_IMPERSONAL = ("core.attributesFile=/dev/null", "commit.gpgSign=false")


def scrub_environment(environ: Mapping[str, str], mode: Mode) -> dict[str, str]:
    """Return the environment for git: our own `GIT_*` variables, and of the others only those that `mode` allows."""
    kept = _KEPT[mode]
    scrubbed = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}
    scrubbed.update(_ALWAYS)
    if mode is Mode.ISOLATED:
        scrubbed.pop("XDG_CONFIG_HOME", None)
        scrubbed.update(_ISOLATED, HOME=os.devnull)
    return scrubbed


def is_object_id(text: str) -> bool:
    """Whether `text` is a full object id: 40 or 64 lower-case hex digits."""
    return re.match(_OBJECT_ID, text) is not None


def printable(text: str, length: int = _MAX_WORDS) -> str:
    """Return text from outside as one short line of printable ASCII."""
    return cut_end(text.strip().encode("unicode_escape").decode("ascii").replace("\\\\", "\\"), length)


class ProcessResult(NamedTuple):
    """The result of a process. `status` is negative if a signal or the time-out ended it."""

    status: int
    output: bytes
    error: str


Launch = Callable[[Sequence[str], Mapping[str, str], bytes, float], ProcessResult]  # argv, environment, stdin, seconds


def start(command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> ProcessResult:
    """Run `command` with exactly this environment. Raises `RepoError` if it cannot be started."""
    try:
        done = subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return ProcessResult(_TIMED_OUT, b"", "time-out")
    except OSError as error:
        reason = (error.strerror or "not found").lower()
        raise RepoError(f"{command[0]} cannot be started: {reason}; install git 2.34 or newer") from error
    return ProcessResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))


class Git:
    """Runs git in `directory`. `git_dir` names the repository; without it git searches for one itself."""

    def __init__(
        self,
        directory: Path,
        mode: Mode,
        *,
        git_dir: Path | None = None,
        launch: Launch = start,
        seconds: float = SECONDS,
    ) -> None:
        self.directory = directory
        self.mode = mode
        self.environment = scrub_environment(os.environ, mode)
        self._launch = launch
        self._seconds = seconds
        executable = find_git(self.environment.get("PATH", os.defpath), directory)
        options = _OPTIONS if mode is Mode.USER else (*_OPTIONS, *_IMPERSONAL)
        self._start = [executable, "-C", str(directory), *(part for option in options for part in ("-c", option))]
        if git_dir is not None:
            self._start.append(f"--git-dir={git_dir}")
            self.environment.pop("GIT_DIR", None)
        self._executable = executable

    def with_environment(self, variables: Mapping[str, str]) -> Git:
        other = object.__new__(Git)
        vars(other).update(vars(self))
        other.environment = {**self.environment, **variables}
        return other

    def run(
        self,
        command: str,
        *args: str,
        stdin: bytes = b"",
        options: Sequence[str] = (),
        ok_statuses: Collection[int] = (0,),
    ) -> ProcessResult:
        """Run git with extra `options` (`key=value`). Raises `RepoError` for a status that is not in `ok_statuses`."""
        settings = (part for option in options for part in ("-c", option))
        argv = [*self._start, *settings, command, *map(to_system, args)]
        answer = self._launch(argv, self.environment, stdin, self._seconds)
        if answer.status == _TIMED_OUT:
            raise RepoError(f"git {command} did not finish within {self._seconds:g} s; nothing was written")
        if answer.status < 0:
            raise RepoError(f"git {command} did not finish: signal {-answer.status}; nothing was written")
        if answer.status not in ok_statuses:
            self.check_version()
            raise RepoError(f"git {command} failed: {error_reason(answer)}; nothing was written")
        return answer

    def check_version(self) -> str:
        """Return the version of git. Called before git writes and after it fails. Raises `RepoError` for an old one."""
        return check_version(self._executable, self._launch)

    def ask(self, command: str, *args: str, stdin: bytes = b"", options: Sequence[str] = ()) -> bytes:
        return self.run(command, *args, stdin=stdin, options=options).output


def error_reason(answer: ProcessResult) -> str:
    """Return the reason that git printed for a failure: its first `fatal:` or `error:` line, else its first line.

    If a lock file is in the way, it ends with what to do.
    """
    lines = [line for line in answer.error.splitlines() if line.strip()] or ["no reason given"]
    reasons = [line.partition(": ")[2] for line in lines if line.startswith(("fatal: ", "error: "))]
    reason = printable((reasons or lines)[0])
    if reason.endswith(".lock': File exists."):
        reason = f"{reason[:-1]}; remove that file if no other git process is running"
    return reason


@lru_cache(maxsize=8)
def find_git(search_path: str, outside: Path) -> str:
    """Return the absolute path of git, not inside `outside`. Raises `RepoError` if there is none."""
    program = find_program("git", search_path, outside)
    if program is None:
        raise RepoError("git was not found; install git 2.34 or newer", ReasonCode.BAD_CONFIG)
    return program


def find_program(name: str, search_path: str, outside: Path) -> str | None:
    """Return the absolute path of program `name`, or None. Skips programs in `outside`, which may come from others."""
    forbidden = Path(os.path.realpath(outside))
    file_name = f"{name}.exe" if sys.platform == "win32" else name
    for place in search_path.split(os.pathsep):
        program = Path(place, file_name)
        is_program = Path(place).is_absolute() and os.access(program, os.X_OK) and program.is_file()
        if is_program and forbidden not in Path(os.path.realpath(program)).parents:
            return str(program)
    return None


@lru_cache(maxsize=8)
def check_version(executable: str, launch: Launch) -> str:
    """Return the output of `git version`. Raises `RepoError` if it is older than 2.34 or cannot be parsed."""
    answer = launch([executable, "version"], scrub_environment(os.environ, Mode.ISOLATED), b"", SECONDS)
    version = answer.output.decode("ascii", "replace")
    match = re.match(r"git version (\d+)\.(\d+)", version)
    if not match:
        raise RepoError(f"`git version` says {printable(version) or 'nothing'}; install git 2.34 or newer")
    if tuple(map(int, match.groups())) < MIN_VERSION:
        raise RepoError(f"git {'.'.join(match.groups())} is too old; install git 2.34 or newer", ReasonCode.BAD_CONFIG)
    return printable(version.strip())
