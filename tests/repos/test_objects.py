"""What only a git repository can do wrong: hooks, filters, refs, odd histories, faults while storing."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, Entry, git, line
from support.posix import limits_file_size
from support.repositories import open_sealed
from support.shop import each_mode, sealed

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError, HeadMoved, Refused, RepoError, UnreadableFile
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.objects import ObjectsRepo

IDENTITY = ("Hubot", "hubot@example.com")
TREE: Mapping[str, Entry] = {
    ".gitattributes": (
        FILE,
        b"*.md filter=canary diff=canary ident\n*.py text eol=crlf working-tree-encoding=UTF-16\n",
    ),
    "README.md": (FILE, b"# Shop $Id$\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "src/app.py": (FILE, b"x = 1\r\n"),
    "src/link": (LINK, b"app.py"),
}
CHANGE: Mapping[str, bytes | None] = {"README.md": b"# Store\n", "src/new.py": b"", "bin/run": None}
CHANGED = {**TREE, "README.md": (FILE, b"# Store\n"), "src/new.py": (FILE, b"")}
CHANGED.pop("bin/run")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checked-out repository in which every program that git could start leaves a trace."""
    path = gitkit.make_repository(tmp_path / "checkout", {name: TREE[name] for name in ("README.md", "bin/run")})
    gitkit.commit(path, "topic", TREE)
    canary = tmp_path / "canary"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\ncat\n")
    script.chmod(0o755)
    hooks = ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change", "update"]
    for hook in [*hooks, "post-update", "pre-auto-gc", "post-rewrite", "post-checkout", "prepare-commit-msg"]:
        (path / ".git/hooks" / hook).write_bytes(script.read_bytes())
        (path / ".git/hooks" / hook).chmod(0o755)
    programs = ["filter.canary.clean", "filter.canary.smudge", "filter.canary.process", "diff.canary.textconv"]
    programs += ["diff.canary.command", "diff.external", "core.fsmonitor", "core.pager", "core.editor", "core.askPass"]
    for key in [*programs, "pager.diff-tree", "gpg.program", "credential.helper", "alias.ls-tree"]:
        git(path, "config", key, str(script))
    return path


@pytest.mark.long
@each_mode
def test_no_program_of_the_repository_runs_and_nothing_but_the_branch_moves(
    checkout: Path, tmp_path: Path, mode: Mode
) -> None:
    before = {name: seen for name, seen in gitkit.snapshot(checkout).items() if "/.git/objects/" not in name}
    repo = ObjectsRepo(open_sealed(checkout, mode=mode, person=IDENTITY), branch="topic")
    repo.prefetch(TREE)
    assert (repo.read("README.md"), repo.read("src/app.py")) == (b"# Shop $Id$\n", b"x = 1\r\n")
    assert repo.write(CHANGE, "Apply 3 edit blocks") == line(checkout, "rev-parse", "topic")
    after = {name: seen for name, seen in gitkit.snapshot(checkout).items() if "/.git/objects/" not in name}
    moved = {str(checkout / ".git" / name) for name in ("refs/heads/topic", "logs/refs/heads/topic")}
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} <= moved
    assert gitkit.read_tree(checkout, "topic") == CHANGED
    [logged] = (checkout / ".git/logs/refs/heads/topic").read_text().splitlines()[-1:]
    assert " Hubot <hubot@example.com> " in logged
    assert logged.endswith("editblocks: apply")
    assert not (tmp_path / "canary").exists()


@pytest.mark.long
@pytest.mark.parametrize("branch", ["main", "elsewhere", "alias"])
def test_a_branch_that_is_checked_out_anywhere_is_refused(checkout: Path, tmp_path: Path, branch: str) -> None:
    git(
        checkout,
        "-c",
        "core.hooksPath=/dev/null",
        "worktree",
        "add",
        "-q",
        "--no-checkout",
        str(tmp_path / "else where"),
        "-b",
        "elsewhere",
    )
    git(checkout, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    before = git(checkout, "for-each-ref"), gitkit.read_folder(checkout)
    with pytest.raises(Refused, match="is in use") as caught:
        sealed(checkout, branch=branch).write({"README.md": b"changed\n"}, "no")
    assert caught.value.code is ReasonCode.BRANCH_REFUSED
    assert (git(checkout, "for-each-ref"), gitkit.read_folder(checkout)) == before


def test_a_branch_that_is_gone_meanwhile_has_moved(bare: Path) -> None:
    repo = sealed(bare, branch="main")
    git(bare, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(HeadMoved):
        repo.write(CHANGE, "no")
    assert git(bare, "for-each-ref") == b""


def test_a_branch_below_the_name_is_another_one(bare: Path) -> None:
    git(bare, "branch", "topic/one", "main")
    with pytest.raises(RepoError, match=r"refs/heads/topic cannot be moved: .*'refs/heads/topic/one' exists"):
        sealed(bare, branch="topic").write(CHANGE, "where a folder of refs is")
    assert line(bare, "rev-parse", "topic/one") == line(bare, "rev-parse", "main")


def test_a_symbolic_branch_moves_the_one_it_stands_for(bare: Path) -> None:
    git(bare, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    commit = sealed(bare, branch="alias").write(CHANGE, "through the alias")
    assert line(bare, "symbolic-ref", "refs/heads/alias") == "refs/heads/main"
    assert line(bare, "rev-parse", "main") == commit


def test_the_commit_is_exactly_what_was_asked_for(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    parent, tree_message = line(bare, "rev-parse", "main"), "Apply 3 edit blocks\n\nEdit-Blocks-Base: na\u00efve\n\n\n"
    commit = sealed(bare, branch="main").write(CHANGE, tree_message)
    assert commit is not None
    head, _, message = git(bare, "cat-file", "commit", commit).partition(b"\n\n")
    assert head.decode().splitlines()[1:] == [
        f"parent {parent}",
        "author Hubot <hubot@example.com> 1700000000 +0000",
        "committer Hubot <hubot@example.com> 1700000000 +0000",
    ]
    assert message == "Apply 3 edit blocks\n\nEdit-Blocks-Base: na\u00efve\n".encode()
    git(bare, "fsck", "--strict", "--no-dangling")


@pytest.mark.long
@each_mode
def test_the_same_plan_has_the_same_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    commits = set()
    for name, zone in (("one", "UTC"), ("two", "Asia/Tokyo")):
        monkeypatch.setenv("TZ", zone)
        path = gitkit.make_repository(tmp_path / name, TREE, bare=True)
        commits.add(ObjectsRepo(open_sealed(path, mode=mode, person=IDENTITY), branch="main").write(CHANGE, "same"))
    assert len(commits) == 1


@pytest.mark.long
@pytest.mark.parametrize("epoch", ["", "-1", "now", "1.5", "\u0661"])
def test_a_time_that_is_none_is_refused(bare: Path, monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH"):
        sealed(bare, branch="main").write(CHANGE, "no")


def test_the_identity_is_the_users(bare: Path, home: Path) -> None:
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Mona Lisa\n\temail = m@example.com\n[author]\n\tname = Octocat\n\temail = o@example.com\n"
    )
    commit = ObjectsRepo(bare, branch="main").write(CHANGE, "mine")
    assert commit is not None
    assert line(bare, "log", "-1", "--format=%an %ae %cn %ce", commit) == (
        "Octocat o@example.com Mona Lisa m@example.com"
    )


def test_an_identity_that_git_does_not_know_is_one_sentence(bare: Path) -> None:
    with pytest.raises(RepoError, match="no identity to commit with: no email was given") as caught:
        ObjectsRepo(open_sealed(bare), branch="main").write(CHANGE, "whose")
    assert caught.value.code is ReasonCode.BAD_CONFIG
    assert gitkit.read_tree(bare, "main") == TREE


SIGNER = """#!/bin/sh
cat > /dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n'
"""


@pytest.mark.long
@pytest.mark.parametrize(("mode", "signed"), [(Mode.USER, True), (Mode.ISOLATED, False), (Mode.HOOK, False)])
def test_a_user_who_signs_gets_a_signed_commit(bare: Path, home: Path, mode: Mode, signed: bool) -> None:
    (home / "gpg").write_text(SIGNER)
    (home / "gpg").chmod(0o755)
    git(bare, "config", "commit.gpgSign", "true")
    git(bare, "config", "gpg.program", str(home / "gpg"))
    commit = ObjectsRepo(open_sealed(bare, mode=mode, person=IDENTITY), branch="main").write(CHANGE, "signed")
    assert commit == line(bare, "rev-parse", "main")
    assert (b"\ngpgsig " in git(bare, "cat-file", "commit", str(commit))) is signed
    assert gitkit.read_tree(bare, "main") == CHANGED


@pytest.mark.parametrize(("mode", "packs"), [(Mode.USER, 0), (Mode.ISOLATED, 1)])
def test_a_commit_leaves_nothing_but_its_objects(bare: Path, mode: Mode, packs: int) -> None:
    git(bare, "repack", "-adq")
    repo = ObjectsRepo(open_sealed(bare, mode=mode, person=IDENTITY), branch="main")
    repo.write(CHANGE, "clean")
    assert len(list(bare.rglob("*.pack"))) == 1 + packs
    assert [place for place in bare.rglob("*") if "tmp" in place.name or "crash" in place.name] == []
    assert line(bare, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert git(bare, "fsck", "--strict", "--unreachable", "--no-reflogs") == b""


def moved(path: Path) -> None:
    gitkit.commit(path, "main", {"other.txt": (FILE, b"theirs\n")})


def rewound(path: Path) -> None:
    git(path, "update-ref", "refs/heads/main", "main^")


def removed(path: Path) -> None:
    git(path, "update-ref", "-d", "refs/heads/main")


@pytest.mark.parametrize("meanwhile", [moved, rewound, removed])
@pytest.mark.long
def test_a_branch_that_moved_is_left_where_it_is(bare: Path, meanwhile: Callable[[Path], None]) -> None:
    gitkit.commit(bare, "main", {"README.md": (FILE, b"second\n")})
    repo = sealed(bare, branch="main")
    meanwhile(bare)
    before = git(bare, "for-each-ref")
    for _ in range(2):
        with pytest.raises(HeadMoved):
            repo.write(CHANGE, "late")
    assert git(bare, "for-each-ref") == before


@pytest.mark.long
def test_an_older_commit_is_no_base_for_the_branch(bare: Path) -> None:
    gitkit.commit(bare, "main", {"README.md": (FILE, b"second\n")})
    with pytest.raises(HeadMoved):
        sealed(bare, "main^", branch="main").write(CHANGE, "on the first")
    assert gitkit.read_tree(bare, "main")["README.md"] == (FILE, b"second\n")


@pytest.mark.long
def test_a_lock_that_is_held_is_named_and_left(bare: Path) -> None:
    lock = bare / "refs/heads/main.lock"
    lock.touch()
    before = gitkit.read_tree(bare, "main")
    with pytest.raises(Refused) as caught:
        sealed(bare, branch="main").write(CHANGE, "waits")
    assert f"'{lock}': File exists" in caught.value.message
    assert lock.exists()
    assert gitkit.read_tree(bare, "main") == before


CHILD = """
import os, resource, sys
from pathlib import Path
from editblocks.core.errors import RepoError
from editblocks.repos.git.repository import Mode
from editblocks.repos.git.repository import open_repository
from editblocks.repos.stores.objects import ObjectsRepo
for role in ("AUTHOR", "COMMITTER"):
    os.environ.update({f"GIT_{role}_NAME": "Hubot", f"GIT_{role}_EMAIL": "h@example.com"})
bare = open_repository(Path(sys.argv[1]), Mode.USER)
repo = ObjectsRepo(bare, branch="main")
size = int(sys.argv[2])
repo.prefetch(["README.md"])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    repo.write({"README.md": b"x" * 200}, "full")
except RepoError as error:
    print(error.message)
"""


@pytest.mark.long
@limits_file_size
def test_a_file_size_limit_moves_no_ref(bare: Path) -> None:
    gitkit.commit(bare, "main", {f"file-{number}": (FILE, b"%d" % number) for number in range(500)})
    before = git(bare, "for-each-ref")
    command = [sys.executable, "-c", CHILD, str(bare), "4000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.search(r"git fast-import did not finish: signal [0-9]+; nothing was written\n\Z", done.stdout)
    assert done.stdout.count("\n") == 1
    assert git(bare, "for-each-ref") == before


@pytest.mark.long
def test_a_branch_that_cannot_be_because_of_another_is_one_sentence(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main/next", "empty.git")
    path = tmp_path / "empty.git"
    gitkit.commit(path, "main", TREE)
    with pytest.raises(RepoError, match=r"refs/heads/main/next cannot be moved: .* exists") as caught:
        sealed(path, branch="main/next").write(CHANGE, "begin")
    assert "\n" not in caught.value.message
    assert line(path, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_git_that_cannot_store_is_one_sentence(bare: Path) -> None:
    (bare / "fast_import_crash_1").touch()  # of another process
    repo, tree = sealed(bare, branch="main"), line(bare, "rev-parse", "main:src")
    repo.prefetch(CHANGE)
    (bare / "objects" / tree[:2] / tree[2:]).unlink()
    before = git(bare, "for-each-ref")
    with pytest.raises(RepoError, match=r"git cannot store the change: .*; nothing was written") as caught:
        repo.write(CHANGE, "on a broken tree")
    assert "\n" not in caught.value.message
    assert [place.name for place in bare.glob("*crash*")] == ["fast_import_crash_1"]
    assert git(bare, "for-each-ref") == before


@pytest.mark.long
def test_a_missing_blob_is_one_sentence(bare: Path) -> None:
    blob = line(bare, "rev-parse", "main:README.md")
    (bare / "objects" / blob[:2] / blob[2:]).unlink()
    repo = sealed(bare, branch="main")
    repo.prefetch(["README.md", "bin/run"])
    assert repo.read("bin/run") == b"#!/bin/sh\n"
    with pytest.raises(RepoError, match=r"the bytes of README\.md are not in this repository"):
        repo.read("README.md")


@pytest.mark.long
def test_a_file_over_the_limit_is_not_loaded(bare: Path) -> None:
    repo = sealed(bare, max_file_bytes=11)
    repo.prefetch(["README.md", "src/app.py"])
    assert repo.read("src/app.py") == b"x = 1\r\n"
    with pytest.raises(UnreadableFile) as caught:
        repo.read("README.md")
    assert caught.value.code is ReasonCode.TOO_LARGE


@pytest.mark.long
def test_a_store_without_a_branch_only_reads(bare: Path) -> None:
    repo = sealed(bare, "main")
    assert repo.head == line(bare, "rev-parse", "main")
    with pytest.raises(Refused, match="name a branch"):
        repo.write(CHANGE, "nowhere")
