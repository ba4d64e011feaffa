"""`check --paths`: which files a response is for, wherever it is asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.applykit import Run, block, runner
from support.hookkit import Ran

from editblocks.core.settings import Settings

LIMIT = Settings().max_response_bytes


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder in which git cannot be found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("EDITBLOCKS_DISABLED", raising=False)
    return runner(capfd, monkeypatch)


MIXED = (
    "### File: docs/a.md\n\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\n"
    "### File: src/b.py\n\n<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n\n" + block("docs/a.md")
)
UNCLOSED = (
    "stdin:11: failed: unclosed: block at line 11 has no `>>>>>>> REPLACE` before the end (line 13); "
    "probably cut off, ask for it again\nstdin: 1 failed; the markers are not balanced: 2 SEARCH, 1 REPLACE\n"
)
NO_BLOCKS = "stdin: no-blocks: {} line read, no edit block: it is plain text; ask for SEARCH/REPLACE blocks\n"
WEAK = "`Notes` (line 3) is used only if the file exists, so it is not listed"
NEAR = "line 10 is not a marker; write `<<<<<<< SEARCH`"
LISTED: tuple[tuple[str, str, int, str, str], ...] = (
    ("one file", block("src/a.py"), 0, "src/a.py\n", ""),
    ("each file once, as first named", block("z.py") + block("a.py") + block("z.py"), 0, "z.py\na.py\n", ""),
    ("CRLF and a BOM", "\ufeff" + block("`a b.py`").replace("\n", "\r\n"), 0, "a b.py\n", ""),
    ("words that may be a file", block("Notes") + block("a.py"), 0, "a.py\n", f"note: {WEAK}\n"),
    ("words alone", block("Notes"), 1, "", f"note: {WEAK}\n"),
    ("a file that is to be created", block("src/new.py", old=""), 0, "src/new.py\n", ""),
    ("several formats", MIXED, 0, "docs/a.md\nsrc/b.py\n", ""),
    ("front matter", f"---\ntitle: Both\n---\n{block('a.py')}", 0, "a.py\n", ""),
    ("letters of other alphabets", block("\u65e5\u672c.py"), 0, "\u65e5\u672c.py\n", ""),
    ("a block that was cut off", block("a.py") + block("b.py").partition("===")[0] + "\n", 1, "a.py\n", UNCLOSED),
    ("nothing", "", 1, "", "stdin: no-blocks: 0 lines read, no edit block: it is empty\n"),
    ("prose", "Nothing to do.\n", 1, "", NO_BLOCKS.format(1)),
    ("a marker that is none", block("a.py") + "\n<<<<<<< search\n", 0, "a.py\n", f"note: {NEAR}\n"),
)


@pytest.mark.parametrize(("text", "code", "out", "err"), [row[1:] for row in LISTED], ids=[row[0] for row in LISTED])
def test_what_is_listed(run: Run, text: str, code: int, out: str, err: str) -> None:
    assert run("check", "--paths", "-", stdin=text) == Ran(code, out, err)


def test_a_file_is_read_alike(run: Run, tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(block("a.py") + block("../b.py"))
    ran = run("check", "reply.md", "--paths")
    assert (ran.code, ran.out) == (1, "a.py\n")
    assert ran.err.startswith("../b.py: failed: unsafe-path: ")
    assert ran.err.endswith(" (reply.md:11)\nreply.md: 1 failed\n")


REFUSED = (
    ("../x.py", "unsafe-path"), ("/etc/passwd", "unsafe-path"), (".git/config", "unsafe-path"),
    (".github/workflows/ci.yml", "not-allowed"), (".edits/a.md", "not-allowed"), ("a\u202eb.py", "unsafe-path"),
)  # fmt: skip


@pytest.mark.parametrize(("path", "code"), REFUSED)
def test_a_path_that_no_block_may_change_is_not_listed(run: Run, path: str, code: str) -> None:
    ran = run("check", "--paths", "-", stdin=f"### File: {path}\n\n{block('').lstrip()}{block('b.py')}")
    assert (ran.code, ran.out) == (1, "b.py\n")
    assert f": failed: {code}: " in ran.err
    assert "\u202e" not in ran.err


def test_only_the_named_format_is_listed(run: Run) -> None:
    ran = run("check", "--paths", "-", stdin=f"---\nformat: new-file\n---\n{MIXED}")
    assert (ran.code, ran.out) == (1, "src/b.py\n")
    assert ran.err.startswith("stdin:6: failed: unsupported-format: ")


def test_front_matter_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(f"---\nbse: x\n---\n{block('a.py')}")
    reason = "editblocks: reply.md line 2: unknown key `bse`; did you mean `base`?\n"
    assert run("check", "--paths", "reply.md") == Ran(2, "", reason)


@pytest.mark.long
def test_a_response_over_the_limit_is_not_listed(run: Run) -> None:
    text = block("a.py")
    assert run("check", "--paths", "-", stdin=text + "\n" * (LIMIT - len(text))) == Ran(0, "a.py\n", "")
    ran = run("check", "--paths", "-", stdin=text + "\n" * (LIMIT - len(text) + 1))
    reason = "the answer is over the limit of 1,048,576 bytes (max-response-bytes); split it"
    assert ran == Ran(1, "", f"stdin:1: failed: too-large: {reason}\nstdin: 1 failed\n")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        *(("--format json", "--format"), ("--rev main", "--rev"), ("--root .", "--root"), ("--partial", "--partial")),
        *(("--config x", "--config"), ("--allow-protected x", "--allow-protected")),
    ],
)
def test_options_of_a_plan_are_refused(run: Run, arguments: str, option: str) -> None:
    ran = run("check", "--paths", *arguments.split(), "-", stdin=block("a.py"))
    reason = f"--paths and {option} cannot be used together; leave one of them out"
    assert ran == Ran(2, "", f"editblocks: {reason}\n")


@pytest.mark.parametrize("command", ["apply", "diff"])
def test_other_commands_have_no_such_option(run: Run, command: str) -> None:
    ran = run(command, "--paths", "-", stdin=block("a.py"))
    assert (ran.code, ran.out) == (2, "")
    assert f"{command} has no option `--paths`" in ran.err


def test_no_vendor_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(block("a.py"))
    later = ("yaml", "git", "github", "requests")
    start = (
        "import sys; from editblocks.faces.cli.main import main;"
        "code = main(['check', '--paths', 'reply.md']);"
        f"print(code, *sorted(set(sys.modules).intersection({later})))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDITBLOCKS_")}
    done = subprocess.run(
        [sys.executable, "-I", "-c", start], capture_output=True, check=True, cwd=tmp_path, env=environment
    )
    assert done.stdout.decode() == "a.py\n0\n"
