"""hooks/pre-push, started by `git push`: what is pushed and to where, and what is none of its business."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import FILE, LINK, git, line
from support.hookkit import (
    CART,
    FITS,
    FITTING,
    SCRIPTS,
    STALE,
    TREE,
    Changes,
    block,
    commit_files,
    git_as,
    missed_at,
    put_hook,
    response,
    search_path,
    set_module_traps,
    set_program_traps,
    shape,
)
from support.project import HOOKS

MAIN = "refs/heads/main"


@pytest.fixture
def here(tmp_path: Path, there: Path) -> Path:
    """A clone of it with hooks/pre-push as its hook."""
    git(tmp_path, "clone", "--quiet", str(there), "here")
    put_hook(tmp_path / "here/.git", "pre-push")
    return tmp_path / "here"


def push(path: Path, *args: str | Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run `git push`; what the hook prints is on stdout."""
    return git_as(path, "push", "--quiet", *(args or ("origin", "HEAD")), **environ)


def refusal(ref: str, commit: str, of: str = "1 of 1 response file") -> str:
    """The line that a push of `ref` ends with."""
    advice = "commit the repair on top, then push again"
    return f"{ref} at {commit[:7]} is not pushed: {of} cannot be applied there; {advice}\n"


def stopped(ref: str, commit: str) -> str:
    """What is said of a push of `ref` whose only response file does not fit."""
    return missed_at(commit) + refusal(ref, commit)


@pytest.mark.long
def test_a_response_that_fits_is_pushed(here: Path, there: Path) -> None:
    made = commit_files(here, response(FITS))
    done = push(here)
    assert (done.returncode, done.stdout.decode()) == (0, FITTING)
    assert line(there, "rev-parse", MAIN) == made


def test_a_response_that_does_not_fit_stops_the_push(here: Path, there: Path) -> None:
    before, made = line(there, "rev-parse", MAIN), commit_files(here, response(STALE))
    done = push(here)
    assert (done.returncode, shape(done.stdout)) == (1, stopped(MAIN, made))
    assert line(there, "rev-parse", MAIN) == before


@pytest.mark.long
def test_what_does_not_fit_is_repaired_by_a_commit_on_top(here: Path) -> None:
    """The tip counts: what a commit on the way there held is history, and nobody applies it any more."""
    commit_files(here, response(STALE))
    commit_files(here, response(FITS))
    assert (push(here).returncode, push(here).stdout) == (0, b"")


Histories = Sequence[Changes]
NEXT = {"cart.py": (FILE, CART.replace(b"1", b"7"))}
HISTORIES: list[tuple[str, Histories, bool]] = [
    ("no response file", [{"cart.py": (FILE, b"x\n")}], True),
    ("a response, and a commit on top that it does not fit any more", [response(FITS), NEXT], False),
    ("a response that fits only the tip", [response(STALE), NEXT], True),
    ("one that was taken out again", [response(STALE), {".edits/a.md": None}], True),
    ("one of another folder", [{"a/.edits/a.md": (FILE, STALE), ".edits/b/a.md": (FILE, STALE)}], True),
    ("a link", [response(b"../cart.py", LINK)], False),
    ("a file in place of the folder", [{".edits": (FILE, STALE)}], True),
    ("no block", [response(b"Looks good.\n")], False),
    ("bytes that are no UTF-8", [response(FITS + b"\xe9")], False),
    ("a path that may not be written", [response(block("", "x", "../x"))], False),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "history", "fine"), HISTORIES, ids=[row[0] for row in HISTORIES])
def test_the_tip_of_what_is_pushed_is_checked(here: Path, *, claim: str, history: Histories, fine: bool) -> None:
    for changes in history:
        commit_files(here, changes)
    assert push(here).returncode == (0 if fine else 1)


def stale_on_main(here: Path) -> None:
    """A response that does not fit already exists, pushed past the hook, and fetched."""
    commit_files(here, response(STALE))
    git(here, "push", "-q", "--no-verify", "origin", "HEAD")


def new_branch(here: Path) -> Sequence[str]:
    git(here, "switch", "-q", "-c", "topic")
    commit_files(here, {"other.py": (FILE, b"x\n")})
    return ("origin", "topic")


def tag(here: Path) -> Sequence[str]:
    git(here, "tag", "-a", "v1", "-m", "x")
    return ("origin", "v1")


def merged(here: Path) -> Sequence[str]:
    """A topic that began before, into which main was merged."""
    git(here, "switch", "-q", "-c", "topic", "HEAD^")
    commit_files(here, {"other.py": (FILE, b"x\n")})
    git(here, "merge", "-q", "--no-edit", "main")
    return ("origin", "topic")


def moved_on(here: Path) -> Sequence[str]:
    """A topic that began before main took the response out, and is pushed after."""
    git(here, "switch", "-q", "-c", "topic")
    commit_files(here, {"other.py": (FILE, b"x\n")})
    git(here, "switch", "-q", "main")
    commit_files(here, {".edits/a.md": None})
    git(here, "push", "-q", "--no-verify", "origin", "main")
    return ("origin", "topic")


def rewound(here: Path) -> Sequence[str]:
    commit_files(here, {"other.py": (FILE, b"x\n")})
    git(here, "push", "-q", "--no-verify", "origin", "main")
    return ("--force", "origin", "HEAD^:main")


def deleted(here: Path) -> Sequence[str]:
    git(here, "push", "-q", "--no-verify", "origin", "HEAD:refs/heads/old")
    return ("origin", ":old")


def blob(here: Path) -> Sequence[str]:
    git(here, "tag", "text", line(here, "rev-parse", "HEAD:cart.py"))
    git(here, "tag", "-a", "signed", "-m", "x", line(here, "rev-parse", "HEAD^{tree}"))
    return ("origin", "text", "signed")


OLD: list[Callable[[Path], Sequence[str]]] = [new_branch, tag, merged, moved_on, rewound, deleted, blob]


@pytest.mark.long
@pytest.mark.parametrize("prepare", OLD)
def test_what_a_remote_has_already_is_nobodys_fault(here: Path, prepare: Callable[[Path], Sequence[str]]) -> None:
    stale_on_main(here)
    done = push(here, *prepare(here))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def on_a_branch(here: Path) -> tuple[Sequence[str], str]:
    git(here, "switch", "-q", "-c", "topic")
    commit_files(here, response(STALE))
    return ("origin", "topic"), "refs/heads/topic"


def by_tag(here: Path) -> tuple[Sequence[str], str]:
    commit_files(here, response(STALE))
    git(here, "tag", "-a", "v1", "-m", "x")
    return ("origin", "v1"), "refs/tags/v1"


def by_an_expression(here: Path) -> tuple[Sequence[str], str]:
    commit_files(here, response(STALE))
    return ("origin", "HEAD@{0 days ago}:refs/heads/topic"), "refs/heads/topic"


def by_force(here: Path) -> tuple[Sequence[str], str]:
    git(here, "commit", "-q", "--amend", "--no-verify", "-m", "other")
    commit_files(here, response(STALE))
    return ("--force", "origin", "main"), MAIN


def by_address(here: Path) -> tuple[Sequence[str], str]:
    commit_files(here, response(STALE))
    return ("--force", "../there", "main:refs/heads/any/x"), "refs/heads/any/x"


def by_a_merge(here: Path) -> tuple[Sequence[str], str]:
    """The text is that of no parent: whoever merged wrote it."""
    commit_files(here, response(FITS))
    git(here, "switch", "-q", "-c", "topic", "HEAD^")
    commit_files(here, response(FITS + b"\n"))
    git_as(here, "merge", "-q", "main")
    commit_files(here, response(STALE))
    return ("origin", "topic"), "refs/heads/topic"


def over_what_is_unknown(here: Path) -> tuple[Sequence[str], str]:
    """Somebody else pushed meanwhile, and it was not fetched."""
    git(here.parent, "clone", "-q", "there", "elsewhere")
    commit_files(here.parent / "elsewhere", {"other.py": (FILE, b"x\n")})
    git(here.parent / "elsewhere", "push", "-q")
    commit_files(here, response(STALE))
    return ("--force", "origin", "main"), MAIN


def beside_another(here: Path) -> tuple[Sequence[str], str]:
    git(here, "switch", "-q", "-c", "topic")
    commit_files(here, response(STALE))
    git(here, "tag", "same")
    return ("origin", "main", "topic", "same"), "refs/heads/topic"


NEW: list[Callable[[Path], tuple[Sequence[str], str]]] = [
    on_a_branch,
    by_tag,
    by_an_expression,
    by_force,
    by_address,
    by_a_merge,
    over_what_is_unknown,
    beside_another,
]


@pytest.mark.long
@pytest.mark.parametrize("prepare", NEW)
def test_every_way_to_push_is_checked_once(here: Path, prepare: Callable[[Path], tuple[Sequence[str], str]]) -> None:
    args, ref = prepare(here)
    done = push(here, *args)
    assert (done.returncode, shape(done.stdout)) == (1, stopped(ref, line(here, "rev-parse", "HEAD")))


@pytest.mark.long
def test_several_tips_each_with_files_of_its_own(here: Path) -> None:
    commit_files(here, {**response(STALE), ".edits/b.md": (FILE, FITS)})
    git(here, "switch", "-q", "-c", "topic", "HEAD^")
    commit_files(here, response(FITS))
    git(here, "switch", "-q", "-c", "other", "HEAD^")
    commit_files(here, response(STALE))
    done = push(here, "origin", "main", "topic", "other")
    said = (
        missed_at(line(here, "rev-parse", "main"))
        + FITTING.replace("a.md", "b.md")
        + refusal(MAIN, line(here, "rev-parse", "main"), "1 of 2 response files")
        + FITTING
        + stopped("refs/heads/other", line(here, "rev-parse", "other"))
    )
    assert (done.returncode, shape(done.stdout)) == (1, said)


@pytest.mark.long
@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_clone(here: Path, tmp_path: Path, depth: int) -> None:
    stale_on_main(here)
    git(tmp_path, "clone", "-q", f"--depth={depth}", f"file://{tmp_path / 'there'}", "shallow")
    put_hook(tmp_path / "shallow/.git", "pre-push")
    commit_files(tmp_path / "shallow", {"other.py": (FILE, b"x\n")})
    assert push(tmp_path / "shallow", "origin", "HEAD:refs/heads/topic").stdout == b""
    commit_files(tmp_path / "shallow", {".edits/b.md": (FILE, STALE)})
    assert push(tmp_path / "shallow", "origin", "HEAD:refs/heads/topic").returncode == 1


def partial_clone(tmp_path: Path, there: Path) -> Path:
    """A clone without any blob that has only `a` checked out."""
    git(there, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{there}", "partial")
    git(tmp_path / "partial", "sparse-checkout", "set", "--no-cone", "/a/")
    git(tmp_path / "partial", "checkout", "-q")
    put_hook(tmp_path / "partial/.git", "pre-push")
    return tmp_path / "partial"


@pytest.mark.long
def test_a_partial_and_sparse_clone_fetches_nothing(tmp_path: Path, there: Path) -> None:
    partial = partial_clone(tmp_path, there)
    commit_files(partial, response(block("b", "c", "a/b")))
    assert push(partial).returncode == 0
    commit_files(partial, {".edits/b.md": (FILE, FITS)})
    packs = sorted((partial / ".git/objects/pack").iterdir())
    done = push(partial)
    # a git that cannot be told to leave it (before 2.45) names the object, and not the file
    named = (b"the bytes of cart.py are not in this repository", b"could not fetch")
    assert (done.returncode, any(words in done.stderr for words in named)) == (1, True), done.stderr
    assert sorted((partial / ".git/objects/pack").iterdir()) == packs


@pytest.mark.long
def test_a_linked_working_tree_and_a_push_from_below(here: Path, tmp_path: Path) -> None:
    git(here, "worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    commit_files(tmp_path / "linked", response(STALE))
    assert push(tmp_path / "linked/a", "origin", "HEAD").returncode == 1
    commit_files(tmp_path / "linked", response(FITS))
    assert push(tmp_path / "linked/a", "origin", "HEAD").returncode == 0


@pytest.mark.long
def test_a_submodule(tmp_path: Path, there: Path) -> None:
    main = gitkit.make_repository(tmp_path / "main", {"README.md": (FILE, b"x\n")})
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(there), "lib")
    put_hook(main / ".git/modules/lib", "pre-push")
    commit_files(main / "lib", response(STALE))
    assert push(main / "lib", "origin", "HEAD:topic").returncode == 1


@pytest.mark.long
def test_from_a_bare_repository(here: Path, there: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(here), "middle")
    put_hook(tmp_path / "middle", "pre-push")
    gitkit.commit(tmp_path / "middle", "topic", {**TREE, **response(STALE)})
    assert push(tmp_path / "middle", there, "topic").returncode == 1


ELSEWHERE = [
    ("another folder", "docs/answers/*.md", 1),
    ("none", None, 0),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "pattern", "code"), ELSEWHERE, ids=[row[0] for row in ELSEWHERE])
def test_the_policy_says_where_response_files_are(here: Path, claim: str, pattern: str | None, code: int) -> None:
    patterns = f"['{pattern}']" if pattern else "[]"
    here.joinpath(".editblocks.yml").write_text(f"response-files: {patterns}\n")
    commit_files(here, {"docs/answers/x.md": (FILE, STALE), ".edits/a.md": (FILE, STALE)})
    done = push(here)
    assert (done.returncode, b".edits/a.md" in done.stdout) == (code, False)


@pytest.mark.long
def test_settings_of_the_environment_count(here: Path) -> None:
    commit_files(here, {"docs/answers/x.md": (FILE, STALE)})
    assert push(here, "origin", "HEAD", EDITBLOCKS_RESPONSE_FILES="docs/answers/*.md").returncode == 1


def test_h1_without_a_response_no_python_is_started(here: Path, tmp_path: Path) -> None:
    set_program_traps(tmp_path / "traps", tmp_path / "sprung")
    trapped = search_path(tmp_path / "traps")
    commit_files(here, {"cart.py": (FILE, b"x\n")})
    assert push(here, "origin", "HEAD", PATH=trapped).returncode == 0
    assert not (tmp_path / "sprung").exists()
    commit_files(here, response(STALE))
    assert push(here, "origin", "HEAD", PATH=trapped).returncode == 0
    assert (tmp_path / "sprung").read_text() == "editblocks\n"


def test_it_can_be_switched_off_and_says_so(here: Path) -> None:
    commit_files(here, response(STALE))
    done = push(here, "origin", "HEAD", EDITBLOCKS_DISABLED="1")
    assert (done.returncode, done.stderr) == (0, b"editblocks: EDITBLOCKS_DISABLED is 1, so nothing was checked\n")


@pytest.mark.long
def test_what_is_missing_is_said(here: Path, tmp_path: Path) -> None:
    commit_files(here, response(FITS))
    done = push(here, "origin", "HEAD", PATH=gitkit.ISOLATED["PATH"].replace(str(SCRIPTS), "/nonexistent"))
    said = "editblocks: response files are pushed, but no editblocks is on PATH to check them; "
    assert (done.returncode, done.stderr.decode().startswith(said)) == (1, True), done


HOSTILE = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.alternateRefsCommand",
    "GIT_CONFIG_VALUE_0": "touch sprung",
    "GIT_EXTERNAL_DIFF": "touch sprung; true",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_GRAFT_FILE": "/nonexistent",
    "GIT_DIFF_OPTS": "--unified=x",
    "GIT_REPLACE_REF_BASE": "refs/heads/",
}


@pytest.mark.long
def test_s23_hostile_variables_change_nothing(here: Path) -> None:
    made = commit_files(here, response(STALE))
    done = push(here, "origin", "HEAD", **HOSTILE)
    assert (done.returncode, shape(done.stdout)) == (1, stopped(MAIN, made))
    assert not (here / "sprung").exists()


@pytest.mark.long
def test_s2_nothing_at_the_top_of_the_repository_is_run(here: Path, tmp_path: Path) -> None:
    set_module_traps(here, tmp_path / "sprung")
    set_program_traps(here, tmp_path / "sprung")
    commit_files(here, response(FITS))
    done = push(here, "origin", "HEAD", PATH=search_path(".", SCRIPTS), PYTHONPATH=".", PYTHONSTARTUP="yaml.py")
    assert (done.returncode, done.stdout.decode()) == (1, ""), done  # the first editblocks of PATH lies here
    done = push(here, "origin", "HEAD", PYTHONPATH=".", PYTHONSTARTUP="yaml.py")
    assert (done.returncode, done.stdout.decode()) == (0, FITTING)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.long
def test_r17_the_hook_writes_nothing(here: Path) -> None:
    made = commit_files(here, response(STALE))
    (here / "cart.py").touch()
    before = gitkit.snapshot(here)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    sent = f"{MAIN} {made} {MAIN} {'0' * 40}\n".encode()
    done = subprocess.run([HOOKS / "pre-push"], cwd=here, env=environment, input=sent, capture_output=True, check=False)
    assert (done.returncode, gitkit.snapshot(here) == before) == (1, True)
