"""`editblocks demo`: a comment on a made-up pull request becomes one commit and a status, offline.

The repository is real, and so is everything that happens to it: the same flow as in the action,
with git's own objects for GitHub's and the terminal for the conversation.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.common.exit_codes import BROKEN, FINE
from editblocks.faces.common.terminal import printing, show
from editblocks.report.terminal.console import report
from editblocks.report.view import OutcomeView
from editblocks.repos.git.command import Git, Mode, scrub_environment
from editblocks.repos.git.commits import Identity
from editblocks.repos.git.repository import Repository, open_repository
from editblocks.repos.stores.commit_repo import ObjectsRepo
from editblocks.run.flow import ApplyRequest, settle

BRANCH = "add-the-tax"
IDENTITY = Identity("editblocks demo", "editblocks-demo@localhost")
FILES = {
    "cart.py": b"""\
TAX = 0.15


def total(prices):
    return sum(prices)
""",
}
COMMENT = """\
The total lacks the tax, and a discount deserves a file of its own:

````python
cart.py
<<<<<<< SEARCH
    return sum(prices)
=======
    return sum(prices) * (1 + TAX)
>>>>>>> REPLACE

<<<<<<< SEARCH
TAX = 0.16
=======
TAX = 0.19
>>>>>>> REPLACE
````

````python
discount.py
<<<<<<< SEARCH
=======
def discount(total):
    return total * 0.9
>>>>>>> REPLACE
````
"""


def main(_: argparse.Namespace) -> int:
    """Make the repository and the pull request, handle one comment, show the result; the exit code.

    The repository stays, for people to look around; one that was not finished goes.
    """
    environment = scrub_environment(os.environ, Mode.ISOLATED)
    os.environ.clear()
    os.environ.update(environment)
    try:
        folder = Path(tempfile.mkdtemp(prefix="editblocks-demo-")).absolute()
    except OSError as error:
        reason = "there is no folder for temporary files; let TMPDIR name one that can be written"
        raise RepoError(reason, ReasonCode.BAD_CONFIG) from error
    try:
        with printing():
            return _show(folder)
        return FINE  # somebody has seen enough
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _show(folder: Path) -> int:
    bare = folder / "shop.git"
    repository = _repository(folder, bare)
    response = Response(COMMENT, Source("issuecomment-1", "comment", author="octocat"))
    settings = Settings(partial=True)
    show("A comment on a pull request, with `partial: true`, so that the good blocks need not wait for the bad one.\n")
    show(f"\noctocat says:\n{_quoted(COMMENT)}\neditblocks answers:\n")
    request = ApplyRequest(response, settings, allow_partial=True)
    outcome = settle(request, None, lambda: ObjectsRepo(repository, branch=BRANCH, identity=IDENTITY))
    shown = report(OutcomeView(replace(outcome, retry_blocks=())))  # the prompt stands below, no command writes it
    show(f"{_quoted(shown)}\nWhat to tell the model of block 2 (retry prompt):\n{_quoted(outcome.retry_prompt)}\n")
    if outcome.commit is not None:
        commit = repository.git.ask("show", "--stat", "--format=medium", outcome.commit).decode("utf-8", "replace")
        show(f"The commit on {BRANCH} (git show --stat):\n\n{commit}\n")
    show(f"The repository is {bare}\nLook around: git -C {shlex.quote(str(bare))} log -p {BRANCH}\n")
    show(f"Remove it: rm -rf {shlex.quote(str(folder))}\n")
    return FINE if outcome.commit is not None else BROKEN


def _quoted(text: str) -> str:
    return "".join(f"  │ {line}".rstrip() + "\n" for line in text.splitlines())


def _repository(folder: Path, bare: Path) -> Repository:
    """A bare repository with one commit on main and a branch of the pull request."""
    Git(folder, Mode.ISOLATED).ask("init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    repository = open_repository(bare, Mode.ISOLATED)
    first = ObjectsRepo(repository, branch="main", identity=IDENTITY).write(FILES, "Add the cart\n")
    repository.git.ask("update-ref", f"refs/heads/{BRANCH}", first or "HEAD")
    return repository
