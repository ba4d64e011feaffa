"""What only a checked-out branch can do wrong: commits that hold too much, too little, or somebody else's work."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, Entry, git, line, read_folder, read_tree
from support.store_contract import CLASHES, ENTRIES, PUSHES, READABLE, TREE, UNREADABLE, WRITES

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, RepoError, SelfCheckFailed, UnreadableFile
from editblocks.repos.files.tree_modes import MAX_FILE_BYTES
from editblocks.repos.git.command import Mode
from editblocks.repos.git.commits import Identity
from editblocks.repos.git.process import Answer, through_subprocess
from editblocks.repos.git.repository import open_repository
from editblocks.repos.index.next_index import next_index
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.worktree import WorktreeRepo

IDENTITY = Identity(gitkit.NAME, gitkit.EMAIL)
SHOP: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\n"),
    "src/app.py": (FILE, b"x = 1\n"),
    "src/other.py": (FILE, b"y = 1\n"),
}
MESSAGE = "Apply 1 edit block\n\n  indented, and a # line\n# kept\n\nEdit-Blocks-Digest: 00\n"


def sealed(path: Path) -> CheckoutRepo:
    return CheckoutRepo(path, mode=Mode.ISOLATED, identity=IDENTITY, lock_seconds=0)


def planned(repo: CheckoutRepo, contents: Mapping[str, bytes | None]) -> CheckoutRepo:
    """`repo` after a plan for `contents` was made on it."""
    repo.prefetch(contents)
    for path in contents:
        repo.read(path)
    return repo


def status(path: Path) -> list[str]:
    return git(path, "status", "--porcelain", "--untracked-files=all").decode().splitlines()


def state(path: Path) -> tuple[dict[str, Entry], list[str], str, bytes]:
    """All that a failed write must leave as it is: files, status, history, index; and no file of ours in `.git`."""
    odd = [name for name in (path / ".git").iterdir() if "editblocks-" in name.name or name.suffix == ".lock"]
    kept = [name.name for name in (path / ".git").glob("editblocks/*")]
    assert odd + [name for name in kept if name != "lock" and ".committed-" not in name] == []
    refs = git(path, "for-each-ref").decode() + git(path, "reflog", "--format=%H").decode()
    return read_folder(path), status(path), refs, git(path, "ls-files", "--stage")


# The contract of every store, whose tables are in repos/test_stores.py.


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that no test changes."""
    return gitkit.make_repository(tmp_path_factory.mktemp("contract") / "tree", TREE)


@pytest.mark.parametrize("path", READABLE)
def test_read_gives_every_byte(contract: Path, path: str) -> None:
    assert sealed(contract).read(path) == TREE[path][1]


@pytest.mark.long
@pytest.mark.parametrize(("path", "code", "words"), UNREADABLE)
def test_what_is_no_file_is_neither_read_nor_written(contract: Path, path: str, code: ReasonCode, words: str) -> None:
    with pytest.raises(UnreadableFile) as unreadable:
        sealed(contract).read(path)
    with pytest.raises(Refused) as refused:
        sealed(contract).write({"README.md": b"changed\n", path: b"new\n"}, MESSAGE)
    for caught in (unreadable.value, refused.value):
        assert (caught.code, words in caught.message) == (code, True)


@pytest.mark.parametrize(("directory", "names"), ENTRIES)
def test_entries_are_names_with_modes(contract: Path, directory: str, names: Mapping[str, str]) -> None:
    assert dict(sealed(contract).entries(directory)) == names


@pytest.mark.parametrize("contents", CLASHES)
def test_a_file_and_a_directory_of_one_name_are_refused(contract: Path, contents: Mapping[str, bytes | None]) -> None:
    with pytest.raises(EditBlocksError) as caught:
        sealed(contract).write(contents, MESSAGE)
    assert caught.value.code is ReasonCode.PATH_CONFLICT


@pytest.mark.parametrize(("claim", "contents"), WRITES)
@pytest.mark.long
def test_a_write_is_one_commit_that_disk_and_index_agree_with(
    tmp_path: Path, claim: str, contents: Mapping[str, bytes | None]
) -> None:
    path = gitkit.make_repository(tmp_path / "tree", TREE)
    expected, head = dict(TREE), line(path, "rev-parse", "HEAD")
    for name, data in contents.items():
        old = expected.pop(name, None)
        if data is not None:
            expected[name] = (old[0] if old else FILE, data)
    repo = planned(sealed(path), contents)
    commit = repo.write(contents, MESSAGE)
    assert (repo.head, line(path, "rev-parse", "main")) == (commit, commit), claim
    assert line(path, "rev-parse", "main^") == head
    assert read_tree(path, "main") == expected
    assert status(path) == []
    assert read_folder(path) == {name: entry for name, entry in expected.items() if name != "vendor/lib"}


@pytest.mark.parametrize("contents", [{}, {"README.md": b"# Shop\n"}, {"none.txt": None}])
def test_a_write_that_changes_nothing_does_nothing(shop: Path, contents: Mapping[str, bytes | None]) -> None:
    before = state(shop)
    assert planned(sealed(shop), contents).write(contents, MESSAGE) is None
    assert state(shop) == before


def test_what_was_written_is_read_and_can_be_changed_again(shop: Path) -> None:
    repo = planned(sealed(shop), {"README.md": None})
    repo.write({"README.md": b"second\n", "a/new.txt": b"new\n"}, MESSAGE)
    assert (repo.read("README.md"), repo.read("a/new.txt")) == (b"second\n", b"new\n")
    repo.write({"README.md": b"third\n", "a/new.txt": None}, MESSAGE)
    assert (repo.read("README.md"), "a" in repo.entries("")) == (b"third\n", False)
    assert line(shop, "rev-list", "--count", "main") == "3"
    assert status(shop) == []


@pytest.mark.long
@pytest.mark.parametrize(("claim", "push"), PUSHES)
@pytest.mark.parametrize("committed", [True, False], ids=["committed", "on disk only"])
def test_a_change_behind_the_plan_is_not_overwritten(
    tmp_path: Path, claim: str, push: Mapping[str, Entry | None], committed: bool
) -> None:
    path = gitkit.make_repository(tmp_path / "tree", TREE)
    plan = {"README.md": b"ours\n", "new.txt": b"ours\n", "src/app.py": b"ours\n", "a/b": b"ours\n"}
    repo = planned(sealed(path), plan)
    for name, entry in push.items():
        (path / name).write_bytes(entry[1]) if entry else (path / name).unlink()
    if committed:
        git(path, "add", "--all", ".")
        git(path, "commit", "--quiet", "-m", "theirs")
    before = state(path)
    with pytest.raises((HeadMoved, Refused)) as caught:
        repo.write(plan, MESSAGE)
    assert isinstance(caught.value, HeadMoved) or not committed, claim
    assert state(path) == before


def test_names_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    name = "odd/caf\udce9\t.txt"
    path = gitkit.make_repository(tmp_path / "tree", {name: (FILE, b"latin\n")})
    planned(sealed(path), {name: None}).write({name: b"changed\n", "odd/\udcff": b"new\n"}, MESSAGE)
    assert read_tree(path, "main") == {name: (FILE, b"changed\n"), "odd/\udcff": (FILE, b"new\n")}


# What else there is in a working tree.


def test_message_author_and_reflog(shop: Path) -> None:
    sealed(shop).write({"README.md": b"# Store\n"}, MESSAGE)
    assert git(shop, "log", "-1", "--format=%B%an <%ae>%n%cn <%ce>").decode() == (
        f"{MESSAGE}{gitkit.NAME} <{gitkit.EMAIL}>\n{gitkit.NAME} <{gitkit.EMAIL}>\n"
    )
    assert line(shop, "reflog", "-1", "--format=%gs") == "editblocks: apply"


def test_what_else_is_staged_or_changed_stays_so_and_out_of_the_commit(shop: Path) -> None:
    (shop / "README.md").write_bytes(b"staged\n")
    (shop / "staged.txt").write_bytes(b"staged\n")
    git(shop, "add", "README.md", "staged.txt")
    git(shop, "rm", "--quiet", "--cached", "bin/run")
    (shop / "README.md").write_bytes(b"staged, and changed again\n")
    (shop / "src/other.py").write_bytes(b"y = 2\n")
    (shop / "untracked").write_bytes(b"?\n")
    before = status(shop)
    plan = {"src/app.py": b"x = 2\n", "src/new.py": b"z = 1\n"}
    planned(sealed(shop), plan).write(plan, MESSAGE)
    changed = git(shop, "diff-tree", "-r", "--name-status", "HEAD^", "HEAD").decode().splitlines()
    assert changed == ["M\tsrc/app.py", "A\tsrc/new.py"]
    assert status(shop) == before
    assert before == ["MM README.md", "D  bin/run", " M src/other.py", "A  staged.txt", "?? bin/run", "?? untracked"]


@pytest.mark.long
@pytest.mark.parametrize("option", ["core.splitIndex=true", "core.untrackedCache=true", "index.version=4"])
def test_every_shape_of_index_is_kept_in_step(shop: Path, option: str) -> None:
    git(shop, "config", *option.split("="))
    git(shop, "update-index", "--force-write-index")
    (shop / "src/other.py").write_bytes(b"y = 2\n")
    sealed(shop).write({"src/app.py": b"x = 2\n", "new": b"1\n"}, MESSAGE)
    assert status(shop) == [" M src/other.py"]
    assert git(shop, "ls-files").decode().split() == ["README.md", "bin/run", "new", "src/app.py", "src/other.py"]


def test_a_linked_worktree_commits_to_its_own_branch(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    commit = sealed(tmp_path / "linked").write({"README.md": b"linked\n"}, MESSAGE)
    assert (line(shop, "rev-parse", "topic"), line(shop, "rev-parse", "topic^")) == (
        commit,
        line(shop, "rev-parse", "main"),
    )
    assert (status(tmp_path / "linked"), status(shop)) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("staged", [False, True], ids=["nothing staged", "something staged"])
def test_a_branch_without_a_commit_gets_its_first(tmp_path: Path, staged: bool) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk", "empty")
    path = tmp_path / "empty"
    if staged:
        (path / "staged").write_bytes(b"1\n")
        git(path, "add", "staged")
    repo = sealed(path)
    assert (repo.head, repo.read("README.md")) == (None, None)
    commit = repo.write({"README.md": b"first\n"}, MESSAGE)
    assert line(path, "rev-list", "--parents", "trunk") == commit
    assert read_tree(path, "trunk") == {"README.md": (FILE, b"first\n")}
    assert status(path) == (["A  staged"] if staged else [])


def test_sha256(tmp_path: Path) -> None:
    path = gitkit.make_repository(tmp_path / "shop", SHOP, object_format="sha256")
    commit = sealed(path).write({"README.md": b"long\n"}, MESSAGE)
    assert (len(commit or ""), status(path)) == (64, [])


CRLF, LF = b"one\r\ntwo\r\n", b"one\ntwo\n"
LINE_ENDS: list[tuple[str, str, bytes, bytes]] = [  # attributes and configuration; committed; on disk
    ("* text=auto\n", "core.autocrlf=true", LF, CRLF),
    ("* text=auto eol=crlf\n", "core.autocrlf=false", LF, CRLF),
    ("*.txt text\n", "core.eol=crlf", LF, CRLF),
    ("", "core.autocrlf=true", LF, CRLF),
    ("", "core.autocrlf=input", LF, LF),
    ("", "core.autocrlf=false", CRLF, CRLF),
    ("* -text\n", "core.autocrlf=true", CRLF, CRLF),
    ("* text=auto\n", "core.autocrlf=false", CRLF, CRLF),  # git leaves alone what is committed with CRLF
]


LINE_END_CASES = [
    pytest.param(case, user, id=f"{case}-{'of the user' if user else 'in the repository'}", marks=marks)
    for user in (False, True)
    for case in LINE_ENDS
    for marks in [() if not user or case is LINE_ENDS[1] else pytest.mark.long]
]


@pytest.mark.parametrize(("case", "user"), LINE_END_CASES)
@pytest.mark.long
def test_line_ends_are_converted_as_git_add_does(
    tmp_path: Path, case: tuple[str, str, bytes, bytes], user: bool
) -> None:
    attributes, option, committed, on_disk = case
    path = gitkit.make_repository(tmp_path / "shop", {"a.txt": (FILE, committed)})
    home = Path(os.environ["HOME"])
    place = home / ".config/git/attributes" if user else path / ".git/info/attributes"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(attributes)
    git(path, "config", *option.split("="))
    (path / "a.txt").unlink()
    variables = {"HOME": str(home)}
    git(path, "checkout", "--quiet", "--", "a.txt", env=variables)
    assert (path / "a.txt").read_bytes() == on_disk
    repo = CheckoutRepo(path, mode=Mode.USER, identity=IDENTITY)
    new, stored = on_disk.replace(b"two", b"TWO"), committed.replace(b"two", b"TWO")
    repo.read("a.txt")
    repo.write({"a.txt": new}, MESSAGE)
    assert git(path, "cat-file", "blob", "HEAD:a.txt") == stored
    assert git(path, "diff", "--numstat", "HEAD^", "HEAD") == b"1\t1\ta.txt\n"
    assert (path / "a.txt").read_bytes() == new
    assert git(path, "status", "--porcelain", env=variables) == b""


def test_a_change_of_line_ends_that_git_does_not_store_makes_no_commit(shop: Path) -> None:
    (shop / ".git/info/attributes").write_text("* text\n")
    repo = sealed(shop)
    assert repo.write({"README.md": b"# Shop\r\n"}, MESSAGE) is None
    assert (line(shop, "rev-list", "--count", "main"), status(shop)) == ("1", [])


@pytest.mark.long
def test_the_users_attributes_may_lie_anywhere(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("*.md filter=shout\n")
    Path(os.environ["HOME"], ".gitconfig").write_text(f"[core]\nattributesFile = {tmp_path / 'mine'}\n")
    with pytest.raises(Refused, match=r"README\.md has the attribute filter"):
        CheckoutRepo(shop, identity=IDENTITY).write({"README.md": b"x\n"}, MESSAGE)
    assert CheckoutRepo(shop, identity=IDENTITY).write({"src/app.py": b"x = 2\n"}, MESSAGE) is not None


# What is refused, before anything is changed.


def changed(shop: Path) -> None:
    (shop / "src/app.py").write_bytes(b"x = 3\n")


def changed_with_an_old_time(shop: Path) -> None:
    before = (shop / "src/app.py").stat()
    (shop / "src/app.py").write_bytes(b"x = 3\n")
    os.utime(shop / "src/app.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def staged(shop: Path) -> None:
    changed(shop)
    git(shop, "add", "src/app.py")


def staged_and_taken_back(shop: Path) -> None:
    staged(shop)
    (shop / "src/app.py").write_bytes(b"x = 1\n")


def made_executable(shop: Path) -> None:
    (shop / "src/app.py").chmod(0o755)


def assumed_unchanged(shop: Path) -> None:
    git(shop, "update-index", "--assume-unchanged", "src/app.py")
    changed(shop)


def skipped(shop: Path) -> None:
    git(shop, "update-index", "--skip-worktree", "src/app.py")


def skipped_and_gone(shop: Path) -> None:
    skipped(shop)
    (shop / "src/app.py").unlink()


def untracked(shop: Path) -> None:
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")
    git(shop, "commit", "--quiet", "-m", "forget it")


def ignored(shop: Path) -> None:
    untracked(shop)
    (shop / ".git/info/exclude").write_text("src/app.py\n")


def intended(shop: Path) -> None:
    untracked(shop)
    git(shop, "add", "--intent-to-add", "src/app.py")


def removed_from_the_index(shop: Path) -> None:
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")


def in_conflict(shop: Path) -> None:
    blob = line(shop, "rev-parse", "HEAD:README.md")
    stages = "".join(f"100644 {blob} {stage}\tsrc/app.py\n" for stage in (1, 2, 3))
    git(shop, "update-index", "--index-info", stdin=f"0 {'0' * 40}\tsrc/app.py\n{stages}".encode())


def stored_with_other_line_ends(shop: Path) -> None:
    gitkit.commit(shop, "main", {"src/app.py": (FILE, b"x = 1\r\n")})
    git(shop, "reset", "--quiet", "--hard")
    (shop / ".git/info/attributes").write_text("*.py text\n")


def merging(shop: Path) -> None:
    gitkit.commit(shop, "topic", {"topic.txt": (FILE, b"1\n")})
    git(shop, "merge", "--quiet", "--no-commit", "--no-ff", "--allow-unrelated-histories", "topic")


def picking(shop: Path) -> None:
    conflict = gitkit.commit(shop, "topic", {"README.md": (FILE, b"theirs\n")})
    subprocess.run(["git", "cherry-pick", conflict], cwd=shop, env=gitkit.ISOLATED, capture_output=True, check=False)


def rebasing(shop: Path) -> None:
    (shop / ".git/rebase-merge").mkdir()


def detached(shop: Path) -> None:
    git(shop, "checkout", "--quiet", "--detach")


def filtered(shop: Path) -> None:
    (shop / ".gitattributes").write_text("src/app.py filter=never\n")
    git(shop, "config", "filter.never.clean", f"touch {shop}/../canary; cat")


def expanded(shop: Path) -> None:
    (shop / ".gitattributes").write_text("src/app.py ident\n")


DIRTY = ReasonCode.DIRTY_FILE
REFUSED: list[tuple[Callable[[Path], None], ReasonCode, str]] = [
    (changed, DIRTY, "src/app.py has changes that are not committed; commit or stash them first"),
    (changed_with_an_old_time, DIRTY, "src/app.py has changes that are not committed"),
    (staged, DIRTY, "src/app.py has changes that are not committed"),
    (staged_and_taken_back, DIRTY, "src/app.py has changes that are not committed"),
    (made_executable, DIRTY, "src/app.py has changes that are not committed"),
    (assumed_unchanged, DIRTY, "src/app.py has changes that are not committed"),
    (skipped, DIRTY, "src/app.py has the skip-worktree bit; clear it with: git -C "),
    (skipped_and_gone, DIRTY, " update-index --no-skip-worktree src/app.py"),
    (untracked, DIRTY, "src/app.py is not tracked by git"),
    (ignored, DIRTY, "src/app.py is not tracked by git"),
    (intended, DIRTY, "src/app.py has changes that are not committed"),
    (removed_from_the_index, DIRTY, "src/app.py is not tracked by git"),
    (in_conflict, DIRTY, "src/app.py has changes that are not committed"),
    (stored_with_other_line_ends, DIRTY, "src/app.py has changes that are not committed"),
    (merging, ReasonCode.BRANCH_REFUSED, "a merge is not finished in this repository; finish or abort it first"),
    (picking, ReasonCode.BRANCH_REFUSED, "a cherry-pick is not finished in this repository"),
    (rebasing, ReasonCode.BRANCH_REFUSED, "a rebase is not finished in this repository"),
    (detached, ReasonCode.BRANCH_REFUSED, "HEAD is detached, so the commit would be on no branch"),
    (filtered, ReasonCode.FILTERED, "src/app.py has the attribute filter, which changes it on its way to git"),
    (expanded, ReasonCode.FILTERED, "src/app.py has the attribute ident, which changes it on its way to git"),
]


@pytest.mark.parametrize(("make", "code", "words"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.long
def test_what_is_refused_leaves_everything_as_it_was(
    shop: Path, make: Callable[[Path], None], code: ReasonCode, words: str
) -> None:
    make(shop)
    before = state(shop)
    (shop.parent / "canary").unlink(missing_ok=True)  # our own git status may have run the filter
    plan = {"src/new.py": b"z = 1\n", "src/app.py": b"x = 2\n"}
    with pytest.raises(Refused) as caught:
        planned(sealed(shop), plan).write(plan, MESSAGE)
    assert (caught.value.code, words in caught.value.message) == (code, True), caught.value.message
    assert not (shop.parent / "canary").exists()
    assert state(shop) == before


def test_a_file_that_was_deleted_but_not_committed_is_not_made_anew(shop: Path) -> None:
    (shop / "src/app.py").unlink()
    with pytest.raises(Refused) as caught:
        planned(sealed(shop), {"src/app.py": b""}).write({"src/app.py": b"x = 2\n"}, MESSAGE)
    assert caught.value.code is DIRTY


def test_what_is_staged_in_the_way_of_a_new_file_is_kept(shop: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs/start.md").write_bytes(b"1\n")
    git(shop, "add", "docs")
    (shop / "docs/start.md").unlink()
    (shop / "docs").rmdir()
    before = state(shop)
    with pytest.raises(Refused, match=r"docs/start\.md has changes that are not committed"):
        planned(sealed(shop), {"docs": None}).write({"docs": b"a file\n"}, MESSAGE)
    assert state(shop) == before


def test_what_is_no_plain_file_on_disk_only(shop: Path) -> None:
    (shop / "twin").hardlink_to(shop / "README.md")
    with pytest.raises(Refused) as caught:
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert caught.value.code is ReasonCode.NOT_A_FILE


def test_what_could_not_be_read_again_is_not_written(shop: Path) -> None:
    before = state(shop)
    with pytest.raises(Refused) as caught:
        sealed(shop).write({"README.md": b"x" * (MAX_FILE_BYTES + 1)}, MESSAGE)
    assert caught.value.code is ReasonCode.TOO_LARGE
    assert state(shop) == before


def test_a_new_file_may_be_one_that_git_ignores(shop: Path) -> None:
    (shop / ".git/info/exclude").write_text("build/\n")
    (shop / "build").mkdir()
    (shop / "build/other").write_bytes(b"ignored\n")
    sealed(shop).write({"build/new": b"1\n"}, MESSAGE)
    assert "build/new" in read_tree(shop, "main")


def test_nobody_to_commit_as(shop: Path) -> None:
    before = state(shop)
    with pytest.raises(RepoError, match="no identity to commit with: no email was given") as caught:
        CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert caught.value.code is ReasonCode.BAD_CONFIG
    assert state(shop) == before


def test_the_users_identity_and_none_of_the_users_hooks(shop: Path) -> None:
    Path(os.environ["HOME"], ".gitconfig").write_text("[user]\nname = Hubot\nemail = hubot@example.com\n")
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        hook = shop / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {shop.parent}/canary\nexit 1\n")
        hook.chmod(0o755)
    CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert line(shop, "log", "-1", "--format=%an <%ae>") == "Hubot <hubot@example.com>"
    assert not (shop.parent / "canary").exists()


def no_repository(path: Path) -> Path:
    return path


def bare(path: Path) -> Path:
    return gitkit.make_repository(path / "bare", SHOP, bare=True)


def below_the_top(path: Path) -> Path:
    return gitkit.make_repository(path / "shop", SHOP) / "src"


def gits_own_folder(path: Path) -> Path:
    return gitkit.make_repository(path / "shop", SHOP) / ".git"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (no_repository, "is no git repository that can be used: "),
        (bare, "is a bare repository, without files to change; apply in a checkout of it"),
        (below_the_top, "it lies below the top of a repository"),
        (gits_own_folder, "is git's own folder"),
    ],
)
def test_where_no_working_tree_is(tmp_path: Path, make: Callable[[Path], Path], words: str) -> None:
    path = make(tmp_path)
    with pytest.raises(RepoError, match=words) as caught:
        sealed(path)
    assert caught.value.code is ReasonCode.BAD_CONFIG


# What goes wrong in between.


class Disturbed:
    """git, with something happening before or after the one call of a command; counts nothing else."""

    def __init__(self, command: str, happen: Callable[[], None], *, after: bool = False) -> None:
        self._command, self._happen, self._after = command, happen, after

    def __call__(self, argv: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float) -> Answer:
        found = self._command in argv
        if found and not self._after:
            self._happen()
        answer = through_subprocess(argv, environment, stdin, seconds)
        if found and self._after:
            self._happen()
        return answer


def disturbed(path: Path, command: str, happen: Callable[[], None], *, after: bool = False) -> CheckoutRepo:
    launch = Disturbed(command, happen, after=after)
    return CheckoutRepo(path, mode=Mode.ISOLATED, identity=IDENTITY, lock_seconds=0, launch=launch)


PLAN: Mapping[str, bytes | None] = {"src/app.py": b"x = 2\n", "deep/er/new.py": b"z = 1\n", "README.md": None}
STEPS = (
    "check-attr",
    "status",
    "update-index",
    "-v",
    "cat-file",
    "fast-import",
    "diff-tree",
    "update-ref",
)  # ls-files -v


def interrupted() -> None:
    raise KeyboardInterrupt


def broken() -> None:
    raise RepoError("git status failed: made up; nothing was written")


STOPS = [
    pytest.param(step, after, happen, id=f"{happen.__name__}-{'after' if after else 'before'}-{step}", marks=marks)
    for step in STEPS
    for after in (False, True)
    for happen in (interrupted, broken)
    for marks in [() if (after and happen is interrupted) or step == "update-ref" else pytest.mark.long]
]


@pytest.mark.parametrize(("step", "after", "happen"), STOPS)
@pytest.mark.long
def test_s19_a_stop_at_any_step_leaves_all_old_or_all_new(
    shop: Path, step: str, after: bool, happen: Callable[[], None]
) -> None:
    before = state(shop)
    repo = planned(disturbed(shop, step, happen, after=after), PLAN)
    moved = step == "update-ref" and after
    if moved and happen is broken:
        assert repo.write(PLAN, MESSAGE) == line(shop, "rev-parse", "main")
    else:
        with pytest.raises((KeyboardInterrupt, RepoError)):
            repo.write(PLAN, MESSAGE)
    if not moved:
        assert state(shop) == before
    assert status(shop) == []
    assert read_folder(shop) == read_tree(shop, "main")


PUSHED = [
    pytest.param(step, same_file, id=f"{step}-{'the same' if same_file else 'another'} file", marks=marks)
    for step in STEPS
    if step != "update-ref"
    for same_file in (False, True)
    for marks in [() if same_file or step in {"check-attr", "fast-import"} else pytest.mark.long]
]


@pytest.mark.parametrize(("step", "same_file"), PUSHED)
@pytest.mark.long
def test_a_commit_by_somebody_else_in_between_is_neither_lost_nor_overwritten(
    shop: Path, step: str, same_file: bool
) -> None:
    name = "src/app.py" if same_file else "theirs.txt"
    theirs: list[str] = []

    def push() -> None:
        if not theirs:
            theirs.append(gitkit.commit(shop, "main", {name: (FILE, b"theirs\n")}))

    repo = planned(disturbed(shop, step, push), PLAN)
    with pytest.raises((HeadMoved, Refused)):
        repo.write(PLAN, MESSAGE)
    assert line(shop, "rev-parse", "main") == theirs[0]
    assert read_folder(shop) == SHOP
    assert git(shop, "diff", "--name-only", "--", "bin", "README.md") == b""


def test_nobody_else_can_stage_or_commit_meanwhile(shop: Path) -> None:
    said: list[bytes] = []

    def stage() -> None:
        command = ["git", "commit", "--quiet", "--allow-empty", "-m", "theirs"]
        done = subprocess.run(command, cwd=shop, env=gitkit.ISOLATED, capture_output=True, check=False)
        said.append(done.stderr)

    commit = planned(disturbed(shop, "fast-import", stage), PLAN).write(PLAN, MESSAGE)
    assert b"index.lock': File exists" in said[0]
    assert line(shop, "rev-parse", "main") == commit


def test_s19_a_lock_of_somebody_else_is_named_and_left_alone(shop: Path) -> None:
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"theirs")
    with pytest.raises(RepoError, match=r"index\.lock is there since \d+ s; remove it if no other git is at work"):
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert (lock.read_bytes(), (shop / "README.md").read_bytes()) == (b"theirs", b"# Shop\n")


def test_a_lock_that_goes_away_is_waited_for(shop: Path) -> None:
    lock = shop / ".git/index.lock"
    lock.write_bytes(b"theirs")
    waits: list[float] = []

    def release(seconds: float) -> None:
        waits.append(seconds)
        lock.unlink()

    with next_index(open_repository(shop, Mode.ISOLATED), 60, release):
        assert lock.exists()
    assert (len(waits), lock.exists()) == (1, False)


def test_a_lock_that_cannot_be_made(shop: Path) -> None:
    nowhere = replace(open_repository(shop, Mode.ISOLATED), git_dir=shop / "none")
    with (
        pytest.raises(RepoError, match=r"index\.lock cannot be made: no such file or directory"),
        next_index(nowhere, 0),
    ):
        raise AssertionError


def test_an_index_that_cannot_be_replaced_is_said(shop: Path) -> None:
    def lose() -> None:
        for index in (shop / ".git").glob("editblocks-*.index"):
            index.unlink()

    repo = planned(disturbed(shop, "update-ref", lose, after=True), PLAN)
    with pytest.raises(
        RepoError, match=r"the commit is made, but .*index cannot be replaced: no such file .*run git reset"
    ):
        repo.write(PLAN, MESSAGE)
    git(shop, "reset", "--quiet")
    assert (status(shop), read_tree(shop, "main")) == ([], read_folder(shop))


def test_an_object_that_is_lost_on_the_way_is_missed(shop: Path) -> None:
    def lose() -> None:
        for folder in (shop / ".git/objects").glob("tmp_objdir-*/??"):
            shutil.rmtree(folder)

    before = state(shop)
    with pytest.raises(RepoError, match=r"the bytes of src/app\.py are not in this repository"):
        planned(disturbed(shop, "--add", lose, after=True), PLAN).write(PLAN, MESSAGE)
    assert state(shop) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="nothing here is as good as a full disk")
def test_s20_a_branch_that_moved_although_its_log_is_full_is_a_commit(shop: Path) -> None:
    """Git writes the log of HEAD when the branch has moved, and calls that a failure of both."""
    (shop / ".git/logs/refs/heads").mkdir(parents=True, exist_ok=True)
    (shop / ".git/logs/HEAD").unlink(missing_ok=True)
    (shop / ".git/logs/HEAD").symlink_to("/dev/full")
    assert sealed(shop).write(PLAN, MESSAGE) == line(shop, "rev-parse", "main")
    assert (status(shop), read_folder(shop)) == ([], read_tree(shop, "main"))


def test_a_switch_to_another_branch_in_between_is_seen(shop: Path) -> None:
    git(shop, "branch", "topic")
    repo = planned(sealed(shop), PLAN)
    git(shop, "switch", "--quiet", "topic")
    with pytest.raises(HeadMoved):
        repo.write(PLAN, MESSAGE)
    assert line(shop, "rev-parse", "topic") == line(shop, "rev-parse", "main")


@pytest.mark.long
def test_files_that_somebody_changed_meanwhile_are_not_put_back(shop: Path) -> None:
    def edit() -> None:
        (shop / "src/app.py").write_bytes(b"theirs\n")

    repo = planned(disturbed(shop, "fast-import", edit), PLAN)
    commit = repo.write(PLAN, MESSAGE)
    assert read_tree(shop, commit or "")["src/app.py"] == (FILE, b"x = 2\n")
    assert (shop / "src/app.py").read_bytes() == b"theirs\n"

    def edit_and_break() -> None:
        (shop / "src/other.py").write_bytes(b"theirs too\n")
        broken()

    repo = planned(disturbed(shop, "fast-import", edit_and_break), {"src/other.py": None})
    with pytest.raises(RepoError, match=r"the files could not be put back as they were: src/other\.py changed since"):
        repo.write({"src/other.py": b"ours\n"}, MESSAGE)
    assert (shop / "src/other.py").read_bytes() == b"theirs too\n"


def test_text_that_is_not_the_planned_one_is_never_committed(shop: Path) -> None:
    def edit() -> None:
        (shop / "src/app.py").write_bytes(b"theirs\n")

    before = line(shop, "rev-parse", "main")
    repo = planned(disturbed(shop, "--add", edit), PLAN)
    with pytest.raises((SelfCheckFailed, RepoError)) as caught:
        repo.write(PLAN, MESSAGE)
    assert "git would store src/app.py otherwise than was planned" in str(caught.value)
    assert line(shop, "rev-parse", "main") == before
    assert (shop / "src/app.py").read_bytes() == b"theirs\n"


@pytest.mark.long
@pytest.mark.parametrize("effect", ["write", "replace"])
def test_s20_a_full_disk_leaves_everything_as_it_was(shop: Path, effect: str) -> None:
    def full(name: str, path: str) -> None:
        if (name, path) == (effect, "deep/er/new.py"):
            raise OSError(28, "No space left on device")

    before = state(shop)
    repo = CheckoutRepo(shop, mode=Mode.ISOLATED, identity=IDENTITY, before_effect=full)
    with pytest.raises(RepoError, match="no space left on device"):
        planned(repo, PLAN).write(PLAN, MESSAGE)
    assert state(shop) == before


@pytest.mark.long
@pytest.mark.parametrize("signs", [True, False])
def test_the_users_signing_setting_is_kept(shop: Path, tmp_path: Path, signs: bool) -> None:
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho 'made-up signature'\n")
    signer.chmod(0o755)
    Path(os.environ["HOME"], ".gitconfig").write_text(
        f"[user]\nname = Hubot\nemail = hubot@example.com\n[commit]\ngpgSign = {signs}\n[gpg]\nprogram = {signer}\n"
    )
    commit = CheckoutRepo(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert (b"made-up signature" in git(shop, "cat-file", "commit", commit or "")) is signs
    assert status(shop) == []


# After a kill: what tests/repos/test_kills.py does to a process, step by step.


def killed_after_the_files(shop: Path, commit: str) -> str:
    """Leave `PLAN` as a process does that was killed when it was about to commit, or had; the id of its entry."""
    repo = WorktreeRepo(shop)
    repo.write(PLAN, "")
    place = shop / ".git/editblocks" / f"{repo.receipt}.done"
    place.rename(place.with_name(f"{repo.receipt}.committing{commit}"))
    return repo.receipt or ""


def test_s19_a_commit_that_was_made_is_followed_by_the_index(shop: Path) -> None:
    (shop / "staged").write_bytes(b"1\n")
    git(shop, "add", "staged")
    index = (shop / ".git/index").read_bytes()
    entry = killed_after_the_files(shop, "")
    git(shop, "add", *PLAN)
    git(shop, "commit", "--quiet", "-m", "ours", "--", *PLAN)
    commit = line(shop, "rev-parse", "HEAD")
    (shop / ".git/index").write_bytes(index)
    place = shop / ".git/editblocks" / f"{entry}.committing"
    place.rename(f"{place}-{commit}")
    repo = sealed(shop)
    assert [str(it) for it in repo.recovered] == [f"the commit {entry} was interrupted and is finished now"]
    assert (repo.head, status(shop)) == (commit, ["A  staged"])
    assert state(shop)[0] == {**read_tree(shop, "main"), "staged": (FILE, b"1\n")}


def test_s19_what_somebody_staged_since_stays_staged(shop: Path) -> None:
    index = (shop / ".git/index").read_bytes()
    entry = killed_after_the_files(shop, "")
    git(shop, "add", *PLAN)
    git(shop, "commit", "--quiet", "-m", "ours")
    (shop / ".git/index").write_bytes(index)
    git(shop, "rm", "--quiet", "--force", "--cached", "src/app.py")
    place = shop / ".git/editblocks" / f"{entry}.committing"
    place.rename(f"{place}-{line(shop, 'rev-parse', 'HEAD')}")
    sealed(shop)
    assert status(shop) == ["D  src/app.py", "?? src/app.py"]


@pytest.mark.long
@pytest.mark.parametrize("commit", ["", f"-{'a' * 40}"], ids=["not made", "made, but on no branch"])
def test_s19_a_commit_that_is_on_no_branch_is_taken_back(shop: Path, commit: str) -> None:
    before = state(shop)
    entry = killed_after_the_files(shop, commit)
    repo = sealed(shop)
    assert [str(it) for it in repo.recovered] == [f"the commit {entry} was interrupted and is taken back now"]
    assert state(shop) == before


def test_s19_our_own_lock_and_index_go_when_their_owner_is_dead(shop: Path) -> None:
    (shop / ".git/index.lock").write_bytes(b"editblocks\n")
    for name in (f"editblocks-{'0' * 16}.index", f"editblocks-{'0' * 16}.index.lock"):
        (shop / ".git" / name).write_bytes(b"")
    assert sealed(shop).write({"README.md": b"x\n"}, MESSAGE) == line(shop, "rev-parse", "main")
    assert (state(shop)[1], (shop / ".git/index.lock").exists()) == ([], False)


def test_our_own_lock_stays_as_long_as_its_owner_lives(shop: Path) -> None:
    with next_index(open_repository(shop, Mode.ISOLATED), 0) as index:
        assert (shop / ".git/index.lock").read_bytes() == b"editblocks\n"
        with pytest.raises(RepoError, match=r"index\.lock is there since \d+ s; remove it if no other git is at work"):
            sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
        index.install()
    assert status(shop) == []


LINKS = [b"editblocks\n", b""]


@pytest.mark.parametrize("data", LINKS)
def test_a_lock_that_is_a_link_is_left_alone(shop: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "target").write_bytes(data)
    (shop / ".git/index.lock").symlink_to(tmp_path / "target")
    with pytest.raises(RepoError, match=r"index\.lock is there since"):
        sealed(shop).write({"README.md": b"x\n"}, MESSAGE)
    assert ((shop / ".git/index.lock").is_symlink(), (tmp_path / "target").read_bytes()) == (True, data)


def test_a_commit_is_remembered_as_one(shop: Path) -> None:
    commit = sealed(shop).write(PLAN, MESSAGE)
    assert [place.suffix for place in (shop / ".git/editblocks").glob("2*")] == [f".committed-{commit}"]
