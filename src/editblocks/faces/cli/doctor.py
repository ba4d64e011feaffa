"""`editblocks doctor`: what is installed, found and missing here, and what to do. It changes nothing."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from editblocks import __version__
from editblocks.core.errors import EditBlocksError, how_to_install
from editblocks.core.settings import POLICY_FILE
from editblocks.faces.cli.request import policy_for
from editblocks.faces.common.clipboard import find_tool, why_no_tool
from editblocks.faces.common.locations import is_git_folder, root_of
from editblocks.faces.common.terminal import code_for, has_unicode, printing, show_wrapped
from editblocks.faces.hooks.install import INSTALLED, hook_states, next_step
from editblocks.report.escape import visible
from editblocks.repos.git.command import Git, Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.journal.records import is_unfinished

FOUND = "ok"
ABSENT = "absent"  # nothing is wrong; something more could be had
WRONG = "wrong"

_ICONS = {FOUND: "✓", ABSENT: "–", WRONG: "✗"}
_EXTRAS = (  # the extra, its package, and what it is for
    ("report", "jinja2", "the report page"),
    ("report", "pygments", "the report page"),
    ("github", "PyGithub", "the GitHub Action"),
    ("syntax", "tree-sitter", "--matching loose, and summaries in context"),
    ("completion", "shtab", "--print-completion"),
    ("mcp", "mcp-types", "editblocks mcp, the server for agents"),  # which mcp 1 does not bring
    ("gitpython", "GitPython", "Python programs that use git.Repo"),
)


class Finding(NamedTuple):
    """One line of the answer: how it is, what was looked at, and what to do if it is not well."""

    state: str
    what: str
    advice: str = ""

    def __str__(self) -> str:
        """The line as it is printed."""
        if self.advice:
            return f"{self.what}; {self.advice}"
        return self.what


def main(options: argparse.Namespace) -> int:
    """Print a line for each thing; the exit code is 1 if one is wrong."""
    root = root_of(options.root)
    findings = [*_programs(), *_repository(root), *_settings(options, root), *_hooks(root), _clipboard(), *_extras()]
    with printing():
        for finding in dict.fromkeys(findings):  # what breaks git is found again and again
            mark = f"{finding.state:7}"
            if has_unicode(sys.stdout):
                mark = _ICONS[finding.state]
            show_wrapped(f"{mark} {visible(str(finding))}\n")
    return code_for(all(finding.state != WRONG for finding in findings))


def _programs() -> Iterator[Finding]:
    yield Finding(FOUND, f"editblocks {__version__}, Python {platform.python_version()} at {sys.executable}")
    try:
        yield Finding(FOUND, Git(Path.cwd(), Mode.USER).check_floor())
    except EditBlocksError as error:
        yield Finding(WRONG, error.message)


def _repository(root: Path) -> Iterator[Finding]:
    if not ((root / ".git").exists() or is_git_folder(root)):
        yield Finding(ABSENT, f"{root} is not a git repository, so nothing can be undone here", "git init makes it one")
        return
    try:
        repository = open_repository(root)
    except EditBlocksError as error:
        yield Finding(WRONG, error.message)
        return
    kind = "repository" if repository.top is not None else "bare repository"
    yield Finding(FOUND, f"{kind} {root} ({repository.object_format})")
    for place in dict.fromkeys((root, repository.git_dir, repository.common_dir)):
        if not os.access(place, os.W_OK):
            yield Finding(ABSENT, f"you may not write to {place}, so nothing can be applied here", "check still works")
    if is_unfinished(repository.git_dir):
        yield Finding(
            WRONG, "an apply or undo was interrupted, or is still running", "the next apply or undo repairs it"
        )


def _settings(options: argparse.Namespace, root: Path) -> Iterator[Finding]:
    try:
        policy = policy_for(options, root)
    except EditBlocksError as error:
        yield Finding(WRONG, error.message)
        return
    if (root / POLICY_FILE).exists():
        yield Finding(FOUND, f"{POLICY_FILE} can be read")
    else:
        advice = "" if is_git_folder(root) else "editblocks init writes one"
        yield Finding(ABSENT, f"no {POLICY_FILE}, so every setting has its default", advice)
    for key, value, origin in policy.rows:
        yield Finding(FOUND, f"{key}: {value} ({origin})")
    for note in policy.notes:
        yield Finding(WRONG, note)


def _hooks(root: Path) -> Iterator[Finding]:
    if not ((root / ".git").exists() or is_git_folder(root)):
        return
    try:
        states = hook_states(root)
    except EditBlocksError as error:
        yield Finding(WRONG, error.message)
        return
    for place, state in states.items():
        if state == INSTALLED:
            yield Finding(FOUND, f"hook {place.name}: {state} at {place}")
        else:
            yield Finding(ABSENT, f"hook {place.name}: {state}", next_step(place.name, state))


def _clipboard() -> Finding:
    tool = find_tool()
    if tool is None:
        return Finding(ABSENT, *why_no_tool())
    return Finding(FOUND, f"clipboard: {tool.copies[0]}")


def _extras() -> Iterator[Finding]:
    for extra, package, use in _EXTRAS:
        try:
            yield Finding(FOUND, f"{package} {version(package)}, for {use}")
        except PackageNotFoundError:
            yield Finding(ABSENT, f"{package} is not installed; it is for {use}", how_to_install(extra))
