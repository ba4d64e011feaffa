"""`apply --commit`: one commit that disk and index agree with."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.checkoutkit import IDENTITY, MESSAGE, SHOP, planned, sealed, state, status
from support.gitkit import FILE, Entry, git, line, read_folder, read_tree
from support.repositories import open_sealed
from support.store_contract import CLASHES, ENTRIES, PUSHES, READABLE, TREE, UNREADABLE, WRITES

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, UnreadableFile
from editblocks.repos.git.repository import Mode
from editblocks.repos.stores.checkout import CheckoutRepo

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
@pytest.mark.long(after=2)
def test_a_write_that_changes_nothing_does_nothing(shop: Path, contents: Mapping[str, bytes | None]) -> None:
    before = state(shop)
    assert planned(sealed(shop), contents).write(contents, MESSAGE) is None
    assert state(shop) == before


@pytest.mark.long
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


@pytest.mark.long
def test_names_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    name = "odd/caf\udce9\t.txt"
    path = gitkit.make_repository(tmp_path / "tree", {name: (FILE, b"latin\n")})
    planned(sealed(path), {name: None}).write({name: b"changed\n", "odd/\udcff": b"new\n"}, MESSAGE)
    assert read_tree(path, "main") == {name: (FILE, b"changed\n"), "odd/\udcff": (FILE, b"new\n")}


# What else there is in a working tree.


@pytest.mark.long
def test_message_author_and_reflog(shop: Path) -> None:
    sealed(shop).write({"README.md": b"# Store\n"}, MESSAGE)
    assert git(shop, "log", "-1", "--format=%B%an <%ae>%n%cn <%ce>").decode() == (
        f"{MESSAGE}{gitkit.NAME} <{gitkit.EMAIL}>\n{gitkit.NAME} <{gitkit.EMAIL}>\n"
    )
    assert line(shop, "reflog", "-1", "--format=%gs") == "editblocks: apply"


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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
    repo = CheckoutRepo(path, repository=open_sealed(path, mode=Mode.USER, person=IDENTITY))
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
        CheckoutRepo(shop, repository=open_sealed(shop, mode=Mode.USER, person=IDENTITY)).write(
            {"README.md": b"x\n"}, MESSAGE
        )
    assert (
        CheckoutRepo(shop, repository=open_sealed(shop, mode=Mode.USER, person=IDENTITY)).write(
            {"src/app.py": b"x = 2\n"}, MESSAGE
        )
        is not None
    )
