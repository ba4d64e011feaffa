"""Run git, open a repository, and resolve the branches and revisions in it that a user names.

To run git, the program is found, its environment is cleaned, its options are set, and failures become `RepoError`.
Arguments are fixed lists. Paths come after `--`; ids and revisions are checked first. See docs/internals/security.md.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.report.escape import cut_end
from editblocks.repos.git.gitpython import folder_of
from editblocks.repos.tree_modes import to_system

if TYPE_CHECKING:
    from editblocks.repos.git.gitpython import GitRepo

ANY_STATUS = range(256)
LOCK_SECONDS = 10.0
LOCK_FOLDER = "editblocks"  # in the git directory of a working tree: where the lock of the records is

_MIN_VERSION = (2, 34)
_SECONDS = 60.0  # no call takes that long unless git waits for something
_TIMED_OUT = -1000  # a status; no signal has this number
_MAX_WORDS = 200  # characters of git's own message that are quoted
_OBJECT_ID = r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z"
_LINES = 6  # of the output of `git rev-parse` in `open_repository`, without the id of HEAD
_OWNED = rb"dubious ownership|unsafe repository"  # the first is git's message since 2.35.3, the second the one before


class Mode(str, Enum):
    """Whose configuration git uses. `USER`: on the command line; `HOOK`: in a hook, with the variables of git."""

    ISOLATED = "isolated"  # action, scratch repositories, tests: no configuration of the machine or the user
    USER = "user"
    HOOK = "hook"
    RECEIVE = "receive"  # in a server's pre-receive hook, where new objects are in git's quarantine directory


_HOOK_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")
_IDENTITY = tuple(f"GIT_{role}_{field}" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL", "DATE"))
_QUARANTINE = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
_KEPT: Mapping[Mode, tuple[str, ...]] = {
    Mode.ISOLATED: (),
    Mode.USER: _IDENTITY,
    Mode.HOOK: _HOOK_VARIABLES,
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

# argv, environment, stdin, seconds
Launch = Callable[[Sequence[str], Mapping[str, str], bytes, float], subprocess.CompletedProcess[bytes]]


def start(
    command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """Run `command` with exactly this environment. Raises `RepoError` if it cannot be started."""
    try:
        return subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, _TIMED_OUT, b"", b"")
    except OSError as error:
        reason = (error.strerror or "not found").lower()
        raise RepoError(f"{command[0]} cannot be started: {reason}; install git 2.34 or newer") from error


class Git:
    """Runs git in `directory`. `git_dir` names the repository; without it git searches for one itself."""

    def __init__(
        self,
        directory: Path,
        mode: Mode,
        *,
        git_dir: Path | None = None,
        launch: Launch = start,
        seconds: float = _SECONDS,
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

    def with_environment(self, variables: Mapping[str, str]) -> "Git":
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
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git with extra `options` (`key=value`). Raises `RepoError` for a status that is not in `ok_statuses`."""
        settings = (part for option in options for part in ("-c", option))
        argv = [*self._start, *settings, command, *map(to_system, args)]
        answer = self._launch(argv, self.environment, stdin, self._seconds)
        if answer.returncode == _TIMED_OUT:
            raise RepoError(f"git {command} did not finish within {self._seconds:g} s; nothing was written")
        if answer.returncode < 0:
            raise RepoError(f"git {command} did not finish: signal {-answer.returncode}; nothing was written")
        if answer.returncode not in ok_statuses:
            self.check_version()
            raise RepoError(f"git {command} failed: {error_reason(answer)}; nothing was written")
        return answer

    def check_version(self) -> str:
        """Return the version of git. Called before git writes and after it fails. Raises `RepoError` for an old one."""
        return check_version(self._executable, self._launch)

    def ask(self, command: str, *args: str, stdin: bytes = b"", options: Sequence[str] = ()) -> bytes:
        return self.run(command, *args, stdin=stdin, options=options).stdout


def scrub_environment(environ: Mapping[str, str], mode: Mode) -> dict[str, str]:
    """Return the environment for git: our own `GIT_*` variables, and of the others only those that `mode` allows."""
    kept = _KEPT[mode]
    scrubbed = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}
    scrubbed.update(_ALWAYS)
    if mode is Mode.ISOLATED:
        scrubbed.pop("XDG_CONFIG_HOME", None)
        scrubbed.update(_ISOLATED, HOME=os.devnull)
    return scrubbed


def error_reason(answer: subprocess.CompletedProcess[bytes]) -> str:
    """Return the reason that git printed for a failure: its first `fatal:` or `error:` line, else its first line.

    If a lock file is in the way, it ends with what to do.
    """
    words = answer.stderr.decode("utf-8", "backslashreplace")
    lines = [line for line in words.splitlines() if line.strip()] or ["no reason given"]
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
    answer = launch([executable, "version"], scrub_environment(os.environ, Mode.ISOLATED), b"", _SECONDS)
    version = answer.stdout.decode("ascii", "replace")
    match = re.match(r"git version (\d+)\.(\d+)", version)
    if not match:
        raise RepoError(f"`git version` says {printable(version) or 'nothing'}; install git 2.34 or newer")
    if tuple(map(int, match.groups())) < _MIN_VERSION:
        raise RepoError(f"git {'.'.join(match.groups())} is too old; install git 2.34 or newer", ReasonCode.BAD_CONFIG)
    return printable(version.strip())


class Repository(NamedTuple):
    """A repository. `top` is its working tree, None if it is bare. `object_format` is sha1 or sha256.

    `common_dir` holds objects and branches; in a linked working tree it differs from `git_dir`. `head` is the commit of
    HEAD when the repository was opened, None if there was none. `lock_seconds`: how long to wait for locks of others.
    """

    git: Git
    git_dir: Path
    common_dir: Path
    top: Path | None
    object_format: str
    head: str | None = None
    lock_seconds: float = LOCK_SECONDS

    @property
    def null_id(self) -> str:
        """The id that git uses for "no object"."""
        digits = 64 if self.object_format == "sha256" else 40
        return "0" * digits

    @property
    def lock_options(self) -> list[str]:
        """The git option that sets how long git waits for a locked ref."""
        return [f"core.filesRefLockTimeout={int(self.lock_seconds * 1000)}"]


OpenRepository = Callable[[], Repository | None]  # opens a repository, if there is one


def open_repository(
    path: Path, mode: Mode = Mode.USER, *, launch: Launch = start, lock_seconds: float = LOCK_SECONDS
) -> Repository:
    """Open the repository whose working tree or bare directory is `path`, never one of a parent directory.

    Raises `RepoError` if `path` is neither, and if git's variables in a hook name another repository.
    """
    if not path.is_dir():
        raise _unusable(path, "there is no such folder")
    looks_bare = not (path / ".git").exists() and (path / "HEAD").is_file() and (path / "objects").is_dir()
    # safe.bareRepository: git only accepts a bare repository given by --git-dir; others could be part of a checkout.
    bare_dir = path.resolve() if looks_bare else None
    finder_mode = Mode.USER if mode is Mode.HOOK else mode
    finder = Git(path, finder_mode, git_dir=bare_dir, launch=launch)
    answer = finder.run(
        "rev-parse",
        *("--default", "HEAD"),  # prints the id of HEAD as last line, or nothing if HEAD has no commit
        *("--show-object-format", "--is-bare-repository", "--is-inside-work-tree", "--show-prefix"),
        *("--path-format=absolute", "--git-dir", "--git-common-dir"),
        ok_statuses=ANY_STATUS,
    )
    if answer.returncode:
        finder.check_version()
        raise _not_opened(path, answer)
    lines = os.fsdecode(answer.stdout[:-1]).split("\n")
    head = None
    if is_object_id(lines[-1]):
        head = lines.pop()
    if len(lines) != _LINES:
        finder.check_version()
    if len(lines) < _LINES:
        what = f"`git rev-parse` says {printable(lines[0]) or 'nothing'}, so the git on PATH is broken"
        raise RepoError(f"{what}; install git 2.34 or newer")
    object_format, is_bare, is_inside, prefix, *places = lines
    if len(places) != 2:
        raise _unusable(path, "there is a line break in its path", "rename the folder")
    if looks_bare is not (is_bare == "true") or (not looks_bare and is_inside != "true"):
        raise _unusable(path, "it is in a .git folder")
    if prefix:
        raise _unusable(path, "it lies below the top of a repository")
    git_dir, common_dir = map(Path, places)
    top = None if looks_bare else path.resolve()
    git = Git(top or git_dir, mode, git_dir=git_dir, launch=launch)
    if mode is Mode.HOOK:
        _refuse_stray_variables(git_dir, top)
        if os.environ.get("GIT_INDEX_FILE"):  # may be relative to the hook's directory, but git runs in another one
            git.environment["GIT_INDEX_FILE"] = str(Path(os.environ["GIT_INDEX_FILE"]).absolute())
    return Repository(git, git_dir, common_dir, top, object_format, head, lock_seconds)


def _refuse_stray_variables(git_dir: Path, top: Path | None) -> None:
    """Raise `RepoError` if GIT_DIR, GIT_WORK_TREE or GIT_INDEX_FILE points outside the repository."""
    here = git_dir.resolve()
    belongs_here: Mapping[str, Callable[[Path], bool]] = {
        "GIT_DIR": lambda place: place == here,
        "GIT_WORK_TREE": lambda place: place == top,
        "GIT_INDEX_FILE": lambda place: here in place.parents,
    }
    for name, is_right in belongs_here.items():
        place = os.environ.get(name)
        if place and not is_right(Path(place).resolve()):
            reason = f"{name} points outside the repository at {git_dir}; unset it"
            raise RepoError(reason, ReasonCode.BAD_CONFIG)


def _not_opened(path: Path, answer: subprocess.CompletedProcess[bytes]) -> RepoError:
    """Return the error for a folder that git does not open, from git's answer."""
    if re.search(_OWNED, answer.stderr):
        place = printable(str(path.resolve()), 1000)
        advice = f"if you trust it: git config --global --add safe.directory {place}"
        reason = f"{place} belongs to somebody else, so git does not use it; {advice}"
        return RepoError(reason, ReasonCode.BAD_CONFIG)
    if b"not a git repository" in answer.stderr and not os.path.lexists(path / ".git"):
        return _unusable(path, error_reason(answer))
    return _unusable(path, error_reason(answer), "run git status there, and repair what it reports")


def _unusable(path: Path, why: str, advice: str = "name the top folder of the repository") -> RepoError:
    place = printable(str(path), 1000)
    return RepoError(f"{place} cannot be used as a git repository: {why}; {advice}", ReasonCode.BAD_CONFIG)


def as_repository(place: "str | os.PathLike[str] | Repository | GitRepo") -> Repository:
    """Return `place` if it is a `Repository`, else open the repository of a folder or a `git.Repo`."""
    if isinstance(place, Repository):
        return place
    return open_repository(Path(folder_of(place)))


def repository_at(path: Path) -> Repository | None:
    """Return the repository whose working tree is `path`, or None if there is no `.git`.

    Raises `RepoError` if git cannot use it. Without git, no file would count as ignored.
    """
    if not os.path.lexists(path / ".git"):
        return None
    return open_repository(path)


def git_folder(root: Path) -> Path | None:
    """Return the git directory of the working tree at `root`, or None. Does not run git."""
    place = root / ".git"
    with suppress(OSError, ValueError):
        if place.is_file() and place.stat().st_size < 65_536:
            kind, _, target = place.read_bytes().partition(b": ")
            if kind == b"gitdir":
                place = root / os.fsdecode(target.rstrip(b"\r\n"))
        if place.is_dir() and os.path.lexists(place / "HEAD"):
            return place
    return None


def is_git_folder(folder: Path) -> bool:
    """Whether `folder` is a bare repository or a `.git` folder."""
    return all((folder / name).exists() for name in ("HEAD", "objects", "refs"))


def is_repository(folder: Path) -> bool:
    """Whether `folder` is the top of a repository, a bare repository or a `.git` folder."""
    return (folder / ".git").exists() or is_git_folder(folder)


def is_in_git_folder(place: Path) -> bool:
    """Whether a resolved path is a bare repository or a `.git` folder, or is inside one."""
    for folder in (place, *place.parents):
        if is_repository(folder):
            return is_git_folder(folder)
    return False


def may_have_records(git_dir: Path | None) -> bool:
    """Whether there may be records of writes, because something was written here before. Does not run git."""
    return git_dir is not None and (git_dir / LOCK_FOLDER).exists()


def resolve_commit(repository: Repository, rev: str) -> str:
    """Return the id of the commit that `rev` names. Raises `RepoError` if there is none or if `rev` starts with `-`."""
    if not rev or rev.startswith("-") or not rev.isprintable():
        reason = f"`{printable(rev)}` does not name a commit; give an id, a branch or a tag"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    commit = ref_value(repository, f"{rev}^{{commit}}")
    if commit is None or not is_object_id(commit):
        reason = f"there is no commit `{printable(rev)}` in {repository.git_dir}; give an id, a branch or a tag"
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return commit


def unborn_branch(repository: Repository) -> str | None:
    """Return the full name of the branch of HEAD if it has no commit yet, else None."""
    ref = symbolic_ref(repository, "HEAD")
    if ref is None or ref_value(repository, ref) is not None:
        return None
    return ref


def find_branch(repository: Repository, branch: str) -> tuple[str, str | None]:
    """Return the ref of `branch`, with symbolic refs resolved, and its commit, or None if the branch does not exist.

    Raises `RepoError` if `branch` is not a valid branch name.
    """
    ref = f"refs/heads/{branch}"
    reason = f"`{printable(branch)}` is not the name of a branch; give one without refs/"
    if branch.startswith(("-", "refs/")) or branch == "HEAD" or not branch.isprintable():
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    # git also lists refs whose names start with `ref/`
    rows = repository.git.ask("for-each-ref", "--format=%(refname)%00%(symref)%00%(objectname)", ref)
    for row in rows.splitlines():
        name, target, commit = os.fsdecode(row).split("\0")
        if name == ref:
            return target or ref, commit
    if repository.git.run("check-ref-format", ref, ok_statuses=ANY_STATUS).returncode:
        raise RepoError(reason, ReasonCode.BAD_CONFIG)
    return symbolic_ref(repository, ref) or ref, None


def ref_value(repository: Repository, ref: str) -> str | None:
    """Return the current id of a ref (a full name, or a revision that was checked), or None if there is none."""
    return _line(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)


def symbolic_ref(repository: Repository, ref: str) -> str | None:
    """Return the full name of the ref that `ref` points to (for HEAD: its branch), or None if `ref` is not symbolic."""
    return _line(repository, "symbolic-ref", "--quiet", ref)


def _line(repository: Repository, command: str, *args: str) -> str | None:
    """Return the line that a git command prints, or None if it fails."""
    answer = repository.git.run(command, *args, ok_statuses=ANY_STATUS)
    if answer.returncode:
        return None
    return os.fsdecode(answer.stdout).strip()


def is_object_id(text: str) -> bool:
    """Whether `text` is a full object id: 40 or 64 lower-case hex digits."""
    return re.match(_OBJECT_ID, text) is not None


def printable(text: str, length: int = _MAX_WORDS) -> str:
    """Return text from outside as one short line of printable ASCII."""
    return cut_end(text.strip().encode("unicode_escape").decode("ascii").replace("\\\\", "\\"), length)
