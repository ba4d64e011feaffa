"""Turn a command line into a request: its responses, its settings, and the files to plan on, or a snapshot of them."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from editblocks.applying.engine import OnProgress
from editblocks.core.characters import show_text
from editblocks.core.errors import ConfigError, UnreadableFile, UsageError
from editblocks.core.outcome import FrontMatter, Response, WrittenFile
from editblocks.core.selection import Selection
from editblocks.core.settings import POLICY_FILE, Policy, Settings
from editblocks.faces.cli.commands import lasting
from editblocks.faces.reading import policy_of, read_response, read_settings, root_of, root_option
from editblocks.faces.terminal import message
from editblocks.report.escape import shell_line
from editblocks.report.next_commands import Kept
from editblocks.repos.git.repository import (
    OpenRepository,
    Repository,
    as_repository,
    find_branch,
    git_folder,
    is_in_git_folder,
    may_have_records,
    repository_at,
    resolve_commit,
)
from editblocks.repos.records import is_unfinished, written_files
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run import ApplyRequest, Repo, Version


def policy_for(options: argparse.Namespace, root: Path, environ: Mapping[str, str] = os.environ) -> Policy:
    """Return the settings of this call: option, else environment, else file, else default. Raises `ConfigError`.

    `mode` is about pull requests and has no effect here. A value that cannot be used is an error, even if another place
    overrides it. Page: docs/reference/settings.md, "on your machine".
    """
    name = options.config
    data = None
    if name == "":
        raise ConfigError("--config is empty; name a file with settings")
    if name is not None:
        data = read_settings(Path(name), name, follow=True)
        if data is None:
            raise ConfigError(f"--config: there is no {show_text(name)}; name one with settings")
    elif not options.isolated:
        data = read_settings(root / POLICY_FILE, POLICY_FILE)
    environment = {} if options.isolated else environ
    return policy_of(vars(options), environment, data, (name or POLICY_FILE, ""), writes=options.command == "apply")


def opened_once(root: Path) -> OpenRepository:
    """Return a function that opens the repository at `root` when it is first called."""
    return cache(partial(repository_at, root))


class Request(NamedTuple):
    """One call of check, diff, apply, retry or report. Fields without a comment are options of that name."""

    command: str
    sources: Sequence[str]  # paths, or "-"
    root: Path
    settings: Settings  # `mode` is apply for the command that writes, and check for all others
    rev: str | None = None
    session_root: str | None = None
    base: str | None = None  # a revision that names the commit the response was written against
    staged: bool = False
    clipboard: bool = False
    select: Selection | None = None  # of --only
    interactive: bool = False
    to_index: bool = False
    commit: bool = False
    branch: str | None = None
    is_new_branch: bool = False  # `branch` does not exist yet
    message: str | None = None
    keep: bool = False
    format: str = "text"
    texts: bool = False
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    allow_protected: Sequence[str] = ()
    lasting: Sequence[str] = ()  # the options that every later command about the same answer needs
    repository: OpenRepository = lambda: None  # opens the repository at `root` once; None: no `.git`

    @classmethod
    def of(cls, options: argparse.Namespace) -> "Request":
        """Make the request from parsed options. Raises `ConfigError` and `RepoError`."""
        given = vars(options)
        root = root_of(options.root)
        policy = policy_for(options, root)
        for note in policy.notes:
            message(note)
        if given.get("verbose"):
            for key, value, origin in policy.rows:
                message(f"{key}: {value} ({origin})")
        values = {name: value for name, value in given.items() if name in cls._fields}
        values["root"] = root
        values["settings"] = policy.settings
        values["lasting"] = lasting(given)
        values["to_index"] = given.get("index", False)
        values["verbose"] = given.get("verbose") or os.environ.get("RUNNER_DEBUG") == "1"
        values["repository"] = opened_once(root)
        if given.get("only"):
            values["select"] = Selection.read(",".join(given["only"]))
        request = cls(**values)
        if request.branch:
            _, tip = find_branch(as_repository(request.place), request.branch)
            request = request._replace(is_new_branch=tip is None)
        return request

    @property
    def place(self) -> Repository | Path:
        """The repository at the root if there is one, else the root, which may be a bare repository."""
        return self.repository() or self.root

    @property
    def is_partial(self) -> bool:
        """Whether blocks may be applied although others fail: with `--partial`, or if only some are selected."""
        return self.settings.partial or (self.select is not None and not self.select.every)

    @property
    def kept(self) -> Kept:
        """The options of this call that a next command needs: one that writes, and one that only reads."""
        options = (*root_option(self.root), *self.lasting)
        if self.staged:  # a next command would not write to the files that were planned on
            return None, (*options, "--staged")
        if self.rev is not None:
            return None, (*options, "--rev", self.rev)
        if self.branch is not None:
            read_at = "HEAD" if self.is_new_branch else self.branch
            return (*options, "--branch", self.branch), (*options, "--rev", read_at)
        if self.commit:
            return (*options, "--commit"), (*options, "--rev", "HEAD")
        if self.to_index:
            return (*options, "--index"), (*options, "--staged")
        return options, options

    def undo(self, record_id: str) -> str:
        """Return the command that undoes a write of this call."""
        return shell_line(["editblocks", "undo", record_id, *root_option(self.root)])

    def written_before(self, response: Response) -> tuple[WrittenFile, ...]:
        """Return the files as earlier applies of this response left them, from the undo records."""
        repository = None
        if may_have_records(git_folder(self.root)):
            repository = self.repository()
        if repository is None:
            return ()
        return written_files(repository, response)

    def of_response(self, response: Response, progress: OnProgress | None = None) -> ApplyRequest:
        """Return the request for one response."""
        return ApplyRequest(
            response,
            self.settings,
            self.select,
            allow_partial=self.is_partial,
            written=partial(self.written_before, response),
            progress=progress,
        )

    def responses(self, read: Callable[[str, int], Response] = read_response) -> list[Response]:
        """Read all responses. `--base` and `--message` override their front matter.

        Warns if files may be half written, which the next writing command repairs.
        """
        responses = [read(source, self.settings.max_response_bytes) for source in self.sources]
        responses = [self.complete(response) for response in responses]
        if self.command != "apply" and not self.staged and self.rev is None and is_unfinished(git_folder(self.root)):
            state = "an apply or undo was interrupted or is still running, so files may be half written"
            message(f"{state}; the next apply or undo repairs it")
        return responses

    def complete(self, response: Response) -> Response:
        """Add the options about the response to it: base, title and session root."""
        front = response.front
        if self.message is not None:
            front = (front or FrontMatter())._replace(title=self.message)
        if self.base is not None:
            commit = resolve_commit(as_repository(self.place), self.base)
            front = (front or FrontMatter())._replace(base=commit)
        root = self.root.resolve().as_posix()
        return response._replace(front=front, root=root, session_root=self.session_root or "")

    def opener(self) -> Callable[[], Version]:
        """Return a function that opens the files to plan on. Raises `UsageError` for a root without files."""
        limit = self.settings.max_file_bytes
        if self.staged:
            from editblocks.repos.stores.objects import IndexRepo  # loaded late, because it is rarely used

            return lambda: IndexRepo(self.place, max_file_bytes=limit)
        if self.rev is not None:
            from editblocks.repos.stores.objects import CommitReader

            return lambda: CommitReader(self.place, self.rev, max_file_bytes=limit)
        self.refuse_git_folder()
        return lambda: WorktreeRepo(
            self.root, repository=self.repository, max_file_bytes=limit, allow_ignored=self.allow_protected
        )

    def refuse_git_folder(self) -> None:
        """Raise `UsageError` for a root without files: a bare repository or a `.git` folder."""
        if is_in_git_folder(self.root.resolve()):
            advice = "name a commit to check against with --rev"
            if self.command == "apply":
                advice = "commit to a branch with --branch NAME"
            what = "is in a .git folder or a bare repository, without files to change"
            raise UsageError(f"{self.root} {what}; {advice}")


class Snapshot:
    """A `run.Version` that reads each file of another one only once, so that everything shown is consistent."""

    def __init__(self, repo: Version) -> None:
        self._repo = repo
        self._seen: dict[str, bytes | None] = {}
        self.head = repo.head
        self.listings = repo.listings
        self.entries: Callable[[str], Mapping[str, str]] = repo.entries
        self.at: Callable[[str], Callable[[str], bytes | None] | None] = repo.at
        self.link_target: Callable[[str], str | None] = repo.link_target
        self.ignored: Callable[[Iterable[str]], Iterable[str]] = repo.ignored

    def prefetch(self, paths: Iterable[str]) -> None:
        """Fetch these paths, except those that were read before."""
        self._repo.prefetch([path for path in paths if path not in self._seen])

    def read(self, path: str) -> bytes | None:
        """Return the bytes from the first time this path was read. Raises `UnreadableFile` and `RepoError`."""
        if path not in self._seen:
            self._seen[path] = self._repo.read(path)
        return self._seen[path]

    def changed(self, fresh: Version, paths: Iterable[str]) -> str | None:
        """Return the first of `paths` whose bytes in `fresh` differ from those read here; None if none does."""
        for path in paths:
            try:
                if fresh.read(path) != self._seen.get(path):
                    return path
            except UnreadableFile:
                return path  # it was readable when it was shown
        return None


class WritableSnapshot(Snapshot):
    """A `Snapshot` of a `run.Repo`, so that a write is based on the bytes that were shown."""

    def __init__(self, repo: Repo) -> None:
        super().__init__(repo)
        self.write = repo.write
