"""hooks/pre-receive, started by `git push` to a bare repository: what a server takes, and what it says otherwise."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.hookkit import (
    CART,
    FITS,
    SCRIPTS,
    STALE,
    TREE,
    block,
    commit_files,
    git_as,
    missed_at,
    put_hook,
    response,
    search_path,
    set_program_traps,
    shape,
)
from support.project import HOOKS

MAIN = "refs/heads/main"


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A bare repository with TREE on main and hooks/pre-receive as its hook."""
    path = gitkit.make_repository(tmp_path / "server", TREE, bare=True)
    put_hook(path, "pre-receive")
    return path


@pytest.fixture
def clone(tmp_path: Path, server: Path) -> Path:
    """Somebody's clone of it."""
    git(tmp_path, "clone", "--quiet", str(server), "clone")
    return tmp_path / "clone"


def push(path: Path, *args: str, **environ: str) -> tuple[int, str]:
    """Run `git push`: its exit code, and what the server said, without the prefix."""
    done = git_as(path, "push", "--quiet", *(args or ("origin", "HEAD")), **environ)
    remote = [row for row in done.stderr.decode().splitlines() if row.startswith("remote: ")]
    return done.returncode, "".join(f"{row.removeprefix('remote: ').rstrip()}\n" for row in remote)


def refusal(ref: str, commit: str) -> str:
    """What is said of `ref`, whose only response file does not fit."""
    of, advice = "1 of 1 response file", "commit the repair on top, then push again"
    return f"{missed_at(commit)}{ref} at {commit[:7]} is refused: {of} cannot be applied there; {advice}\n"


def refs(path: Path) -> bytes:
    return git(path, "for-each-ref")


@pytest.mark.long
def test_a_response_that_fits_is_taken_without_a_word(server: Path, clone: Path) -> None:
    made = commit_files(clone, response(FITS))
    assert push(clone) == (0, "")
    assert line(server, "rev-parse", MAIN) == made


@pytest.mark.long
def test_a_response_that_does_not_fit_is_refused(server: Path, clone: Path) -> None:
    made, before = commit_files(clone, response(STALE)), refs(server)
    code, said = push(clone)
    assert (code, shape(said)) == (1, refusal(MAIN, made))
    assert refs(server) == before
    # nothing stays in quarantine
    assert git_as(server, "cat-file", "-e", made).returncode != 0


@pytest.mark.long
def test_one_ref_that_does_not_fit_stops_all_of_them(server: Path, clone: Path) -> None:
    git(clone, "branch", "fine")
    commit_files(clone, response(STALE))
    before = refs(server)
    assert push(clone, "origin", "main", "fine")[0] == 1
    assert refs(server) == before


@pytest.mark.long
def test_the_answer_is_repaired_on_top(clone: Path) -> None:
    commit_files(clone, response(STALE))
    assert push(clone)[0] == 1
    commit_files(clone, response(FITS))
    assert push(clone) == (0, "")


def force(clone: Path) -> Sequence[str]:
    git(clone, "commit", "-q", "--amend", "-m", "other")
    commit_files(clone, response(STALE))
    return ("--force", "origin", "main")


def branch(clone: Path) -> Sequence[str]:
    commit_files(clone, response(STALE))
    return ("origin", "HEAD:refs/heads/topic")


def annotated(clone: Path) -> Sequence[str]:
    commit_files(clone, response(STALE))
    git(clone, "tag", "-a", "v1", "-m", "x")
    return ("origin", "v1")


def orphan(clone: Path) -> Sequence[str]:
    git(clone, "switch", "-q", "--orphan", "topic")
    commit_files(clone, response(STALE))
    return ("origin", "topic")


@pytest.mark.parametrize("prepare", [force, branch, annotated, orphan])
@pytest.mark.long
def test_every_way_to_push_is_refused(server: Path, clone: Path, prepare: Callable[[Path], Sequence[str]]) -> None:
    args, before = prepare(clone), refs(server)
    assert (push(clone, *args)[0], refs(server)) == (1, before)


def known(clone: Path) -> Sequence[str]:
    """A commit that the server has, on another branch."""
    return ("origin", "origin/main:refs/heads/topic")


def on_top(clone: Path) -> Sequence[str]:
    commit_files(clone, {"other.py": (FILE, b"x\n")})
    return ("origin", "HEAD:refs/heads/topic")


def delete(clone: Path) -> Sequence[str]:
    return ("origin", ":old")


def objects(clone: Path) -> Sequence[str]:
    git(clone, "tag", "text", line(clone, "rev-parse", "HEAD:cart.py"))
    git(clone, "tag", "-a", "signed", "-m", "x", line(clone, "rev-parse", "HEAD^{tree}"))
    return ("origin", "text", "signed")


def rewind(clone: Path) -> Sequence[str]:
    return ("--force", "origin", "HEAD^:main")


@pytest.mark.parametrize("prepare", [known, on_top, delete, objects, rewind])
@pytest.mark.long
def test_what_the_server_has_already_is_nobodys_fault(
    server: Path, clone: Path, prepare: Callable[[Path], Sequence[str]]
) -> None:
    commit_files(clone, response(STALE))
    (server / "hooks/pre-receive").rename(server / "away")
    assert push(clone, "origin", "HEAD", "HEAD:refs/heads/old") == (0, "")
    (server / "away").rename(server / "hooks/pre-receive")
    args = prepare(clone)
    assert push(clone, *args) == (0, "")


def set_policy(clone: Path, text: str) -> None:
    """Put a policy on the server's default branch."""
    commit_files(clone, {".editblocks.yml": (FILE, text.encode())})
    assert push(clone) == (0, "")


@pytest.mark.long
def test_the_policy_is_that_of_the_default_branch(clone: Path) -> None:
    set_policy(clone, "deny-paths: [cart.py]\n")
    commit_files(clone, {".editblocks.yml": None, **response(FITS)})
    code, said = push(clone)
    assert (code, "cart.py: failed: not-allowed: " in said) == (1, True)


@pytest.mark.long
def test_a_policy_that_is_pushed_counts_for_nothing_yet(clone: Path) -> None:
    commit_files(clone, {".editblocks.yml": (FILE, b"response-files: []\n"), **response(STALE)})
    assert push(clone)[0] == 1
    commit_files(clone, {".edits/a.md": None})
    assert push(clone) == (0, "")
    commit_files(clone, response(STALE))
    assert push(clone) == (0, "")


@pytest.mark.long
def test_response_files_may_be_elsewhere(clone: Path) -> None:
    set_policy(clone, "response-files: ['docs/answers/*.md']\n")
    commit_files(clone, {"docs/answers/x.md": (FILE, FITS), ".edits/a.md": (FILE, STALE)})
    assert push(clone) == (0, "")
    commit_files(clone, {"docs/answers/x.md": (FILE, STALE)})
    assert push(clone)[0] == 1


@pytest.mark.long
def test_a_policy_that_cannot_be_used_can_be_repaired(clone: Path) -> None:
    set_policy(clone, "response-files: nowhere\n")
    commit_files(clone, response(FITS))
    code, said = push(clone)
    assert (code, said) == (1, said)
    assert said.startswith("editblocks: .editblocks.yml line 1 on main: response-files ")
    commit_files(clone, {".edits/a.md": None, ".editblocks.yml": (FILE, b"mode: check\n")})
    assert push(clone) == (0, "")
    commit_files(clone, response(FITS))
    assert push(clone) == (0, "")


UNTOLD = [
    ("the author's own setting", {"EDITBLOCKS_RESPONSE_FILES": "docs/*.txt"}, ()),
    ("a push option", {}, ("--push-option=EDITBLOCKS_DISABLED=1", "--push-option=skip")),
]


@pytest.mark.parametrize(("claim", "environ", "options"), UNTOLD, ids=[row[0] for row in UNTOLD])
@pytest.mark.long
def test_what_who_pushes_says_counts_for_nothing(
    server: Path, clone: Path, claim: str, environ: dict[str, str], options: Sequence[str]
) -> None:
    git(server, "config", "receive.advertisePushOptions", "true")
    commit_files(clone, response(STALE))
    assert push(clone, *options, "origin", "HEAD", **environ)[0] == 1


@pytest.mark.long
def test_the_server_can_switch_it_off_and_says_so(clone: Path) -> None:
    commit_files(clone, response(STALE))
    assert push(clone, "origin", "HEAD", EDITBLOCKS_DISABLED="1") == (
        0,
        "editblocks: EDITBLOCKS_DISABLED is 1, so nothing was checked\n",
    )


@pytest.mark.long
def test_h1_without_a_response_no_python_is_started(clone: Path, tmp_path: Path) -> None:
    set_program_traps(tmp_path / "traps", tmp_path / "sprung")
    trapped = search_path(tmp_path / "traps")
    commit_files(clone, {"cart.py": (FILE, b"x\n"), ".editblocks.yml": (FILE, b"mode: check\n")})
    assert push(clone, "origin", "HEAD", PATH=trapped) == (0, "")
    commit_files(clone, {"cart.py": (FILE, CART)})
    assert push(clone, "origin", "HEAD", PATH=trapped) == (0, "")
    assert not (tmp_path / "sprung").exists()
    commit_files(clone, response(STALE))
    assert push(clone, "origin", "HEAD", PATH=trapped) == (0, "")
    assert (tmp_path / "sprung").read_text() == "editblocks\n"


@pytest.mark.long
def test_a_server_without_editblocks_refuses_and_says_so(clone: Path) -> None:
    commit_files(clone, response(FITS))
    code, said = push(clone, "origin", "HEAD", PATH=gitkit.ISOLATED["PATH"].replace(str(SCRIPTS), "/nonexistent"))
    assert (code, said) == (
        1,
        "editblocks: response files are pushed, but this server has no editblocks on PATH to check them; "
        "ask whoever runs it to install it\n",
    )


@pytest.mark.long
def test_the_first_push_to_an_empty_repository(tmp_path: Path, clone: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty")
    put_hook(tmp_path / "empty", "pre-receive")
    commit_files(clone, response(FITS))
    assert push(clone, str(tmp_path / "empty"), "main") == (0, "")
    commit_files(clone, response(STALE))
    assert push(clone, str(tmp_path / "empty"), "main:refs/heads/topic")[0] == 1


@pytest.mark.long
def test_a_push_from_a_shallow_clone(tmp_path: Path, server: Path) -> None:
    gitkit.commit(server, "main", {"other.py": (FILE, b"x\n")})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{server}", "shallow")
    commit_files(tmp_path / "shallow", response(STALE))
    assert push(tmp_path / "shallow")[0] == 1
    commit_files(tmp_path / "shallow", response(FITS))
    assert push(tmp_path / "shallow") == (0, "")


@pytest.mark.long
def test_what_was_written_for_an_older_commit_is_merged(server: Path, clone: Path) -> None:
    """The base is read where it lies, in quarantine or not."""
    base = commit_files(clone, {"cart.py": (FILE, b"# new\n" + CART)})
    commit_files(clone, {"cart.py": (FILE, b"# new\n" + CART.replace(b"Cart", b"Basket"))})
    front = f"---\nbase: {base}\n---\n".encode()
    commit_files(
        clone, response(front + block("class Cart:\n    def total(self):\n        return 1", "class Cart:\n    pass"))
    )
    code, said = push(clone)
    assert (code, "cart.py:2: failed: stale: " in said) == (1, True), said


def run(server: Path, sent: bytes, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """The hook as a server starts it, with lines of our own."""
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS), "GIT_DIR": ".", **environ}
    command = [HOOKS / "pre-receive"]
    return subprocess.run(command, cwd=server, env=environment, input=sent, capture_output=True, check=False)


def sent_line(server: Path, ref: str = MAIN) -> bytes:
    """The line for a new branch at a commit with a response file that does not fit."""
    made = gitkit.commit(server, "aside", {**TREE, **response(STALE)})
    git(server, "update-ref", "-d", "refs/heads/aside")
    return f"{'0' * 40} {made} {ref}\n".encode()


@pytest.mark.long
def test_s23_a_quarantine_from_elsewhere_is_refused(server: Path, tmp_path: Path) -> None:
    other = gitkit.make_repository(tmp_path / "other", TREE, bare=True)
    environ = {
        "GIT_OBJECT_DIRECTORY": str(other / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(server / "objects"),
    }
    done = run(server, sent_line(server), **environ)
    assert (done.returncode, b"GIT_OBJECT_DIRECTORY points outside the repository" in done.stderr) == (2, True), done


@pytest.mark.long
def test_a_name_that_a_terminal_must_not_see(server: Path) -> None:
    done = run(server, sent_line(server, "refs/heads/x\x1b[2J"))
    assert (done.returncode, b"\x1b" in done.stdout, rb"refs/heads/x\x1b[2J at" in done.stdout) == (1, False, True)


@pytest.mark.long
def test_r17_the_hook_writes_nothing(server: Path) -> None:
    sent = sent_line(server)
    before = gitkit.snapshot(server)
    assert (run(server, sent).returncode, gitkit.snapshot(server) == before) == (1, True)
