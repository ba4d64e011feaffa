"""`editblocks demo`, as somebody without a network and with nothing but Python sees it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.gitkit import FILE, git, make_repository

from editblocks.faces.cli.demo import FILES

# Python tells its audit hooks of every connection, look-up and process before it happens.
OFFLINE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request", "subprocess.Popen"):
        raise SystemExit(f"{event}")

sys.addaudithook(refuse)
from editblocks.faces.cli.main import main
sys.exit(main(["demo"]))
"""
ROWS = (  # number, result, where, how it matched, lines
    ["1", "✓ applied", "cart.py:5", "exact", "+1 -1"],
    ["2", "✗ failed", "cart.py", "no-match", "+1 -1"],
    ["3", "✓ applied", "discount.py", "new file", "+2"],
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What it prints in an empty folder, by the titles."""
    place = tmp_path_factory.mktemp("demo")
    environment = {"PATH": str(place), "HOME": str(place), "TMPDIR": str(place), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-I", "-c", OFFLINE]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode(), list(place.iterdir())) == (0, "", [])
    found = re.findall(r"^(\S.*):\n((?:  │.*\n)+)", done.stdout.decode(), re.MULTILINE)
    return {title: re.sub("^  │ ?", "", text, flags=re.MULTILINE) for title, text in found}


def test_the_status_names_each_block(parts: dict[str, str]) -> None:
    rows = re.findall(r"^ ([0-9]+  .*)$", parts["editblocks answers"], re.MULTILINE)
    assert tuple(re.split(" {2,}", row) for row in rows) == ROWS
    assert "\n3 blocks in 2 files: 2 applied, 1 failed\n" in parts["editblocks answers"]
    assert "no-match: line 1 of the block differs from cart.py:1 at column 10" in parts["editblocks answers"]


def test_the_comment_is_shown_as_it_was_posted(parts: dict[str, str]) -> None:
    comment = parts["octocat says"]
    assert comment.count("<<<<<<< SEARCH") == comment.count(">>>>>>> REPLACE") == len(ROWS)
    prompt = parts["What to tell the model about block 2 (retry prompt)"]
    assert prompt.startswith("1 of your 3 edit blocks could not be applied to the files at ")


def test_the_commit_holds_exactly_the_plan(parts: dict[str, str], tmp_path: Path) -> None:
    message = parts["The message of the commit"]
    assert message.startswith("Apply 2 edit blocks\n\n2 of 3 edit blocks, 2 files, +3 -1.\n")
    path = make_repository(tmp_path / "shop", {name: (FILE, data) for name, data in FILES.items()})
    patch = re.sub("^$", " ", parts["What the commit changes"], flags=re.MULTILINE).removesuffix(" ")
    git(path, "apply", stdin=patch.encode())
    assert (path / "cart.py").read_bytes() == FILES["cart.py"].replace(b"(prices)\n", b"(prices) * (1 + TAX)\n")
    assert (path / "discount.py").read_bytes() == b"def discount(total):\n    return total * 0.9\n"
