"""The Python API. Files may be in a store, behind a function, or in an object of GitPython."""

from typing import TYPE_CHECKING, Any

from editblocks.applying import engine
from editblocks.prompts import retry
from editblocks.repos.git.gitpython import folder_and_rev

if TYPE_CHECKING:
    from editblocks.applying.files import Read, Tree
    from editblocks.core.model import ApplyResult
    from editblocks.core.outcome import Response
    from editblocks.core.settings import Settings
    from editblocks.repos.git.gitpython import GitObject, GitReference, GitRepo

    GitPython = GitRepo | GitObject | GitReference


def apply_response(
    response: "str | Response",
    tree: "Read | Tree | GitPython",
    settings: "Settings | None" = None,
    options: engine.Options | None = None,
) -> "ApplyResult":
    """Read the blocks of `response` and plan them on the files of `tree`; nothing is written.

    `tree` is a store, or a function that reads a path. With a function, links, submodules and names that differ only by
    case are not noticed. A `git.Repo` of GitPython means the files of its working tree on disk or, if it is bare, those
    of HEAD; a commit, a branch or a tag means the files in it.

    Raises `ConfigError` if `options.select` names a block that is not there, `TypeError` for an object of GitPython
    that is not a version of the files, and what reading raises, except `UnreadableFile`.
    """
    return engine.apply_response(response, _store(tree), settings, options)


def retry_prompt(
    result: "ApplyResult",
    tree: "Read | Tree | GitPython",
    *,
    target: str = "",
    fresh: bool = False,
    max_chars: int = 6000,
    response: "str | Response" = "",
) -> str:
    """Write a prompt that asks a model to send the failed blocks of `result` again, corrected; "" if nothing failed.

    `tree` holds the files as they are now (see `apply_response`). `target` names the project, such as `acme/shop`. The
    prompt is for the same chat, where the model still has its answer; with `fresh` it is for a new chat and repeats the
    failed blocks. `response` is what was planned: without it, a fresh prompt cannot show the blocks that could not be
    read. It has at most `max_chars` characters and no last line end.

    Raises `ValueError` if `max_chars` is below 500, and what reading raises, except `UnreadableFile`.
    """
    store = _store(tree)
    return retry.retry_prompt(result, store, target=target, fresh=fresh, max_chars=max_chars, response=response)


def _store(tree: Any) -> Any:
    """Return the store that reads the files of an object of GitPython; any other value is returned unchanged."""
    folder, rev = folder_and_rev(tree)
    if folder is None:
        return tree
    from editblocks.repos.git.repository import as_repository  # it loads what runs git
    from editblocks.repos.stores.objects import CommitReader
    from editblocks.repos.stores.worktree import WorktreeRepo

    repository = as_repository(folder)
    if rev is None and repository.top is not None:
        return WorktreeRepo(repository.top, repository=repository)
    return CommitReader(repository, rev)
