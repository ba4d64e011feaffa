"""What cannot be used: one line on stderr, exit code 2, and nothing is changed."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.applykit import CART, Run
from support.gitkit import FILE, read_folder
from support.hookkit import Ran
from support.posix import make_fifo, make_socket

# What cannot be used: one line on stderr, exit code 2, and nothing is changed.

TROUBLES = [
    ("chek fits.md", "there is no command `chek`; did you mean `check`?"),
    ("help", "there is no command `help`; did you mean `--help`?"),
    ("version", "there is no command `version`; did you mean `--version`?"),
    ("merge", "there is no command `merge`; see editblocks --help"),
    ("--verson", "`--verson` is not an option before a command; did you mean `--version`?"),
    ("-C x check fits.md", "`-C` is not an option before a command; see editblocks --help"),
    ("apply --comit fits.md", "apply has no option `--comit`; did you mean `--commit`?"),
    ("apply --dry-run fits.md", "apply has no option `--dry-run`; editblocks check shows what would happen, "),
    ("apply --comit", "apply has no option `--comit`; did you mean `--commit`?"),
    ("apply --comm=x fits.md", "apply has no option `--comm`; did you mean `--commit`?"),
    ("check --commit fits.md", "check has no option `--commit`; "),
    ("check --foo fits.md", "check has no option `--foo`; see editblocks check --help"),
    ("check --rot fits.md", "check has no option `--rot`; did you mean `--root`?"),
    ("check -z fits.md", "check has no option `-z`; see editblocks check --help"),
    (
        "check --format=xml fits.md",
        "--format is `xml`; use one of text, json, jsonl, github, sarif, rdjsonl, markdown",
    ),
    ("check fits.md --format jsno", "--format is `jsno`; did you mean json?"),
    ("check fits.md --matching losse", "--matching is `losse`; did you mean loose?"),
    ("check fits.md --color=", "--color is ``; use one of auto, always, never"),
    ("check fits.md --format x\x1b[", "--format is `xU+001B[`; use one of text, json, "),
    ("check fits.md --root", "--root: expected one argument; see editblocks check --help"),
    ("--print-completion", "--print-completion: expected one argument; see editblocks --help"),
    ("check fits.md --staged=x", "--staged: ignored explicit argument 'x'; see editblocks check --help"),
    ("check fits.md --quiet=x", "-q/--quiet: ignored explicit argument 'x'; see editblocks check --help"),
    ("--version=1", "--version: ignored explicit argument '1'; see editblocks --help"),
    ("check", "no answer is given; name a file with the model's answer, or - for standard input"),
    ("undo 20261121-1 20261121-2", "`20261121-2` is one argument too many; see editblocks undo --help"),
    ("check fits.md fits.md", "`fits.md` is named twice; name each answer once"),
    ("check fits.md done.md --only 1", "--only chooses blocks of one answer; name one at a time"),
    ("check fits.md --staged --rev main", "--rev and --staged cannot be used together; leave one of them out"),
    ("check fits.md -q -v", "-q and -v cannot be used together"),
    ("check fits.md --isolated --config x", "--isolated and --config cannot be used together"),
    ("apply fits.md --commit --index", "--commit and --index cannot be used together"),
    ("apply fits.md --branch x --commit", "--commit and --branch cannot be used together"),
    ("apply fits.md -i --only 1", "-i and --only cannot be used together"),
    ("apply fits.md --message x", "--message is for a commit; add --commit or --branch"),
    ("undo --list --redo", "--list and --redo cannot be used together"),
    ("demo fits.md", "`fits.md` is one argument too many; see editblocks demo --help"),
    ("check -- -fits.md", "`-fits.md` begins with a dash; for a file of that name write ./ before it"),
    ("check -q fits.md -- -x", "`-x` begins with a dash; for a file of that name write ./ before it"),
    ("check fits.md -q partly.md --foo x", "check has no option `--foo`; see editblocks check --help"),
    ("check -1", "`-1` begins with a dash"),
    ("check none.md", "file-not-found: there is no none.md; name a file that holds the answer, or - for standard"),
    ("check src", "not-a-file: src is a folder; name a file that holds the answer, or - for standard input"),
    ("check fits.md/x", "unavailable: fits.md/x cannot be read: not a directory; name a file that holds"),
    ("check loop.md", "unavailable: loop.md cannot be read: too many levels of symbolic links; name a file"),
    ("check latin.md", "encoding: latin.md is not UTF-8 (byte 0xe9 in line 2); convert it first"),
    ("check wide.md", "encoding: wide.md is UTF-16 without a byte order mark; save it as UTF-8"),
    ("check fits.md --root=", "--root is empty; name a folder"),
    ("check fits.md --root none", "none is not a folder; name one with --root"),
    ("check fits.md --root README.md", "README.md is not a folder; name one with --root"),
    (
        "check fits.md --root bare",
        "bare is in a .git folder or a bare repository, without files to change; name a commit",
    ),
    (
        "apply fits.md --root bare",
        "bare is in a .git folder or a bare repository, without files to change; commit to a branch with --branch NAME",
    ),
    ("apply fits.md --root bare/refs", "bare/refs is in a .git folder or a bare repository, without files to change"),
    ("check fits.md --rev main", "{folder} cannot be used as a git repository: "),
    ("check fits.md --rev nope --root bare", "there is no commit `nope` in {folder}/bare; give an id"),
    ("check fits.md --rev=-x --root bare", "`-x` does not name a commit; give an id, a branch or a tag"),
    ("check fits.md --rev= --root bare", "`` does not name a commit; give an id, a branch or a tag"),
    ("apply fits.md --rev main", "apply has no option `--rev`; "),
    ("apply fits.md --commit --root bare", "bare is a bare repository, without files to change"),
    ("retry partly.md --fresh --max-chars 999", "--fresh needs more room than 999; use --max-chars 1000 or more"),
    ("retry partly.md --only ready", "`ready` names the blocks that fit, and a retry prompt asks for the others; "),
    ("report fits.md -o=", "-o is empty; name a file, or - for standard output"),
    ("hook", "hook needs one more word: install, uninstall or status; see editblocks hook --help"),
    ("check \x1b[31m\u202e\n.md", "file-not-found: there is no \\x1b[31m\\u202e\\n.md; name a file"),
    ("check\x1b[", "there is no command `checkU+001B[`; did you mean `check`?"),
    (
        f"check --{'x' * 999}",
        f"check has no option `--{'x' * 27}…{'x' * 30}`; see editblocks check --help",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), TROUBLES)
@pytest.mark.long(after=2)
def test_what_cannot_be_used_is_one_sentence(folder: Path, call: Run, arguments: str, words: str) -> None:
    if "bare" in arguments:
        gitkit.make_repository(folder / "bare", {"src/cart.py": (FILE, CART)}, bare=True)
    (folder / "latin.md").write_bytes(b"un\ncaf\xe9\n")
    (folder / "wide.md").write_bytes("un\ndeux\n".encode("utf-16-be"))
    (folder / "loop.md").symlink_to("loop.md")
    before = read_folder(folder)
    ran = call(*arguments.split(" ") if arguments else ())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {words.format(folder=folder)}")
    assert ran.err.count("\n") == 1
    assert read_folder(folder) == before


def a_pipe(place: Path) -> None:
    make_fifo(place)


def a_link_to_a_pipe(place: Path) -> None:
    make_fifo(place.with_name("other"))
    place.symlink_to("other")


def a_socket(place: Path) -> None:
    make_socket(place.name)


def a_device(place: Path) -> None:
    place.symlink_to("/dev/null")


NO_FILES = [
    (a_pipe, "a named pipe"),
    (a_link_to_a_pipe, "a named pipe"),
    (a_socket, "not a regular file"),
    (a_device, "not a regular file"),
    (Path.mkdir, "a folder"),
]


@pytest.mark.parametrize(("make", "what"), NO_FILES)
@pytest.mark.long(after=2)
def test_what_is_no_file_is_not_waited_for(folder: Path, call: Run, make: Callable[[Path], None], what: str) -> None:
    make(folder / "odd.md")
    said = f"odd.md is {what}; name a file that holds the answer, or - for standard input"
    for command in ("check", "check --paths", "diff", "apply", "retry"):
        ran = call(*command.split(), "odd.md")
        assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: not-a-file: {said}\n")


def test_the_current_directory_may_be_gone(folder: Path, call: Run) -> None:
    (folder / "gone").mkdir()
    os.chdir(folder / "gone")
    (folder / "gone").rmdir()
    expected = "editblocks: unavailable: this folder no longer exists; change to one that exists\n"
    assert call("check", str(folder / "fits.md")) == Ran(2, "", expected)


def test_an_error_that_nobody_expected_is_one_line_and_its_trace(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(io.BytesIO):
        def read(self, _: int | None = None) -> bytes:
            raise KeyError("\x1b[31m")

    ran = call("check", "-", standard_input=io.TextIOWrapper(Odd()))
    *trace, last = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(
        r"editblocks: internal: unexpected KeyError in test_cli_refused\.py:\d+; report it with the log", last
    )
    assert all(re.fullmatch(r"editblocks:   /.+\.py:\d+ in [\w<>]+", row) for row in trace)
    assert len(trace) > 3


VENDORS = (
    (
        "action",
        "github",
        "the action needs PyGithub; in a clone of editblocks, run `python -m pip install '.[github]'`",
    ),
    (
        "report",
        "jinja2",
        "the report page needs Jinja2; in a clone of editblocks, run `python -m pip install '.[report]'`",
    ),
    (
        "report",
        "jsonschema",
        "the report page needs jsonschema; in a clone of editblocks, run `python -m pip install '.[report]'`",
    ),
    (
        "report",
        "pygments",
        "the report page needs Pygments; in a clone of editblocks, run `python -m pip install '.[report]'`",
    ),
)


@pytest.mark.long
@pytest.mark.parametrize(("command", "vendor", "words"), VENDORS)
def test_a_command_without_the_vendor_that_it_needs(command: str, vendor: str, words: str) -> None:
    """An extra; None in its place is what an installation without it finds."""
    line = [command, *(["reply.md"] if command == "report" else [])]
    code = (
        f"import sys; sys.modules['{vendor}'] = None; "
        f"from editblocks.faces.cli.main import main; sys.exit(main({line}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"editblocks: {words}\n")
