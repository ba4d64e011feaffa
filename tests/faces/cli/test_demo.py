"""`editblocks demo`, as somebody without a network and with nothing but Python and git sees it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line, read_tree

# Python tells its audit hooks of every connection and look-up before it happens.
OFFLINE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        raise SystemExit(f"network: {event}")

sys.addaudithook(refuse)
from editblocks.faces.cli.main import main
sys.exit(main(["demo"]))
"""

BEFORE = {"cart.py": b"TAX = 0.15\n\n\ndef total(prices):\n    return sum(prices)\n"}
AFTER = {
    "cart.py": b"TAX = 0.15\n\n\ndef total(prices):\n    return sum(prices) * (1 + TAX)\n",
    "discount.py": b"def discount(total):\n    return total * 0.9\n",
}
ROWS = (  # number, result, where, how it matched, lines
    ["1", "✓ applied", "cart.py:5", "exact", "+1 -1"],
    ["2", "✗ failed", "cart.py", "no-match", "+1 -1"],
    ["3", "✓ applied", "discount.py", "new file", "+2"],
)


@dataclass(frozen=True)
class Shown:
    """What the demo printed, and the repository that it names."""

    text: str
    repository: Path


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo with a PATH that holds git alone, a home of its own and no configuration."""
    place = tmp_path_factory.mktemp("demo")
    for name in ("bin", "home", "tmp", "here"):
        (place / name).mkdir()
    found = shutil.which("git")
    assert found is not None
    (place / "bin/git").symlink_to(found)
    environment = {
        "PATH": str(place / "bin"),
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "LC_ALL": "C.UTF-8",
        "GIT_DIR": str(place / "nowhere"),  # as in a hook or an alias of git's: it must not matter
        "GIT_CONFIG_COUNT": "nonsense",
    }
    command = [sys.executable, "-I", "-c", OFFLINE]
    done = subprocess.run(command, cwd=place / "here", env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    text = done.stdout.decode()
    named = re.search(r"^The repository is (.+)$", text, re.MULTILINE)
    assert named is not None
    assert place / "tmp" in Path(named[1]).parents
    assert list((place / "here").iterdir()) + list((place / "home").iterdir()) == []
    return Shown(text, Path(named[1]))


@pytest.mark.long
def test_the_status_names_each_block(shown: Shown) -> None:
    answer = shown.text[shown.text.index("editblocks answers:") :]
    rows = re.findall(r"^  │  ([0-9]+  .*)$", answer, re.MULTILINE)
    assert tuple(re.split(" {2,}", row) for row in rows) == ROWS
    assert "  │ 3 blocks in 2 files: 2 applied, 1 failed\n" in answer
    head = line(shown.repository, "rev-parse", "main")[:7]
    assert f"1 of your 3 edit blocks could not be applied to the files at {head}." in answer


def test_the_comment_is_shown_as_it_was_posted(shown: Shown) -> None:
    assert shown.text.index("octocat says:") < shown.text.index("editblocks answers:")
    comment = shown.text[: shown.text.index("editblocks answers:")]
    assert comment.count("<<<<<<< SEARCH") == comment.count(">>>>>>> REPLACE") == len(ROWS)
    assert "TAX = 0.16" in comment


def test_the_failure_says_where_the_texts_part(shown: Shown) -> None:
    assert "no-match: line 1 of the block differs from cart.py:1 at column 10" in shown.text


def test_the_commit_holds_exactly_the_plan(shown: Shown) -> None:
    branch, main = "add-the-tax", "main"
    assert read_tree(shown.repository, main) == {name: (FILE, data) for name, data in BEFORE.items()}
    assert read_tree(shown.repository, branch) == {name: (FILE, data) for name, data in AFTER.items()}
    assert line(shown.repository, "rev-parse", f"{branch}^") == line(shown.repository, "rev-parse", main)
    assert line(shown.repository, "rev-list", "--count", "--all") == "2"
    assert f"commit {line(shown.repository, 'rev-parse', branch)}\n" in shown.text
    assert " 2 files changed, 3 insertions(+), 1 deletion(-)\n" in shown.text
    message = git(shown.repository, "log", "-1", "--format=%B", branch).decode()
    assert message.startswith("Apply 2 edit blocks\n\n2 of 3 edit blocks, 2 files, +3 -1.\n")
    assert "\nEdit-Blocks-Selected: 1,3\n" in message


def test_the_last_lines_are_commands_that_work(shown: Shown, tmp_path: Path) -> None:
    look, remove = shown.text.splitlines()[-2:]
    assert look == f"Look around: git -C {shown.repository} log -p add-the-tax"
    log = git(Path("/"), *look.partition("git ")[2].split()).decode()
    assert log.count("\ncommit ") + log.startswith("commit ") == 2
    folder = shown.repository.parent
    assert remove == f"Remove it: rm -rf {folder}"
    copy = shutil.copytree(folder, tmp_path / "copy")
    subprocess.run([*remove.partition(": ")[2].split()[:-1], copy], stdin=subprocess.DEVNULL, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_repository_is_sound(shown: Shown) -> None:
    assert git(shown.repository, "fsck", "--strict") == b""


def test_without_git(tmp_path: Path) -> None:
    done = _demo(tmp_path, {"PATH": str(tmp_path)})
    said = "editblocks: bad-config: git was not found; install git 2.34 or newer\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_interrupted(tmp_path: Path) -> None:
    """A git that interrupts whoever asks stands for a key pressed in the middle."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text('#!/bin/sh\nkill -INT "$PPID"\nexec sleep 60\n')
    (tmp_path / "bin/git").chmod(0o755)
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    done = _demo(tmp_path, {"PATH": f"{tmp_path / 'bin'}:{gitkit.ISOLATED['PATH']}"}, listen)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.long
def test_without_a_place_for_temporary_files(tmp_path: Path) -> None:
    """No file may have a byte, so Python finds no usable folder, whoever runs this."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    done = _demo(tmp_path, {"PATH": gitkit.ISOLATED["PATH"]}, limit)
    said = "editblocks: bad-config: there is no folder for temporary files; let TMPDIR name one that can be written\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def _demo(place: Path, variables: dict[str, str], before: str = "") -> subprocess.CompletedProcess[str]:
    code = f"import sys; from editblocks.faces.cli.main import main; {before}sys.exit(main(['demo']))"
    environment = {"HOME": str(place), "TMPDIR": str(place), **variables}
    return subprocess.run(
        [sys.executable, "-I", "-c", code], env=environment, cwd=place, capture_output=True, text=True, check=False
    )
