"""`editblocks doctor`: report what is installed, found and missing, and what to do. It changes nothing."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from editblocks import __version__
from editblocks.core.errors import EditBlocksError, how_to_install
from editblocks.core.settings import POLICY_FILE
from editblocks.faces.cli.request import policy_for
from editblocks.faces.hooks.install import INSTALLED, hook_states, next_step
from editblocks.faces.reading import NO_TOOL, find_tool, root_of
from editblocks.faces.terminal import code_for, has_unicode, printing, show_wrapped
from editblocks.report.escape import visible
from editblocks.repos.git.repository import Git, Mode, is_git_folder, is_repository, open_repository
from editblocks.repos.records import is_unfinished

FOUND = "ok"
ABSENT = "absent"  # nothing is wrong, but something is not installed or not set up
WRONG = "wrong"

_ICONS = {FOUND: "✓", ABSENT: "–", WRONG: "✗"}
_EXTRAS = (  # the extra, its package, and what it is for
    ("report", "jinja2", "the report page"),
    ("report", "jsonschema", "the report page"),
    ("report", "pygments", "the report page"),
    ("github", "PyGithub", "the GitHub Action"),
    ("syntax", "tree-sitter", "--matching loose, and summaries in context"),
    ("completion", "shtab", "--print-completion"),
    ("mcp", "mcp-types", "editblocks mcp, the server for agents"),  # a package that mcp 1 does not have
    ("gitpython", "GitPython", "Python programs that use git.Repo"),
)

Diagnosis = tuple[str, str]  # its state, and what was checked, with advice if something is wrong


def main(options: argparse.Namespace) -> int:
    """Print a line for each finding. Return 1 if one is wrong."""
    root = root_of(options.root)
    looks = (_programs(), _repository(root), _settings(options, root), _hooks(root), _clipboard(), _extras())
    findings = dict.fromkeys(finding for look in looks for finding in _with_faults(look))  # each fault only once
    with printing():
        for state, what in findings:
            mark = f"{state:7}"
            if has_unicode(sys.stdout):
                mark = _ICONS[state]
            show_wrapped(f"{mark} {visible(what)}\n")
    return code_for(all(state != WRONG for state, _ in findings))


def _with_faults(look: Iterator[Diagnosis]) -> Iterator[Diagnosis]:
    """Yield the findings of a check; an error becomes the last one."""
    try:
        yield from look
    except EditBlocksError as error:
        yield WRONG, error.message


def _programs() -> Iterator[Diagnosis]:
    yield FOUND, f"editblocks {__version__}, Python {platform.python_version()} at {sys.executable}"
    yield FOUND, Git(Path.cwd(), Mode.USER).check_version()


def _repository(root: Path) -> Iterator[Diagnosis]:
    if not is_repository(root):
        yield ABSENT, f"{root} is not a git repository, so nothing can be undone here; git init makes it one"
        return
    repository = open_repository(root)
    kind = "repository" if repository.top is not None else "bare repository"
    yield FOUND, f"{kind} {root} ({repository.object_format})"
    for place in dict.fromkeys((root, repository.git_dir, repository.common_dir)):
        if not os.access(place, os.W_OK):
            yield ABSENT, f"you may not write to {place}, so nothing can be applied here; check still works"
    if is_unfinished(repository.git_dir):
        what = "an apply or undo was interrupted, or is still running"
        yield WRONG, f"{what}; the next apply or undo repairs it"


def _settings(options: argparse.Namespace, root: Path) -> Iterator[Diagnosis]:
    policy = policy_for(options, root)
    if (root / POLICY_FILE).exists():
        yield FOUND, f"{POLICY_FILE} can be read"
    elif is_git_folder(root):
        yield ABSENT, f"no {POLICY_FILE}, so every setting has its default"
    else:
        yield ABSENT, f"no {POLICY_FILE}, so every setting has its default; editblocks init writes one"
    for key, value, origin in policy.rows:
        yield FOUND, f"{key}: {value} ({origin})"
    for note in policy.notes:
        yield WRONG, note


def _hooks(root: Path) -> Iterator[Diagnosis]:
    if not is_repository(root):
        return
    for place, state in hook_states(root).items():
        if state == INSTALLED:
            yield FOUND, f"hook {place.name}: {state} at {place}"
        else:
            yield ABSENT, f"hook {place.name}: {state}; {next_step(place.name, state)}"


def _clipboard() -> Iterator[Diagnosis]:
    command = find_tool()
    if command is None:
        yield ABSENT, NO_TOOL
    else:
        yield FOUND, f"clipboard: {command[0]}"


def _extras() -> Iterator[Diagnosis]:
    for extra, package, use in _EXTRAS:
        try:
            yield FOUND, f"{package} {version(package)}, for {use}"
        except PackageNotFoundError:
            yield ABSENT, f"{package} is not installed; it is for {use}; {how_to_install(extra)}"
