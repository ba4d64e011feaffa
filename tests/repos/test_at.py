"""The version that a response was written against: who may name it, and what comes of it. Asked of every store."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import gitkit
from support.gitkit import EXECUTABLE, FILE, LINK, Entry, git, line
from support.repositories import open_sealed
from support.shop import sealed
from support.stores import STORES, CheckedOut, Factory, GitHub, Memory, Store, Worktree, WorktreeByPath, opened

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.repos.git.repository import Mode, start
from editblocks.repos.stores.checkout import CheckoutRepo
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.repos.stores.objects import IndexRepo, ObjectsRepo
from editblocks.repos.stores.worktree import WorktreeRepo
from editblocks.run import Repo, Version

TREE: Mapping[str, Entry] = {
    ".gitattributes": (FILE, b"*.md filter=canary ident\n*.txt text eol=crlf\n"),
    "README.md": (FILE, b"# Shop $Id$\n"),
    "crlf.txt": (FILE, b"one\r\ntwo\r\n"),
    "docs/a b \u00e9.md": (FILE, b"caf\xe9, no newline"),
    "bin/run": (EXECUTABLE, b""),
    "link": (LINK, b"README.md"),
    "src/app.py": (FILE, b"x = 1\n"),
}
LATER: Mapping[str, Entry | None] = {
    "README.md": (FILE, b"# Store\n"),
    "src/app.py": None,
    "src/new.py": (FILE, b"new\n"),
    "link": None,
}
WITH_COMMITS = tuple(factory for factory in STORES if factory not in {Worktree, WorktreeByPath})


@pytest.fixture(scope="module", params=WITH_COMMITS, ids=lambda factory: factory.__name__)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store at its second commit, which no test changes."""
    factory: Factory = request.param
    with opened(factory(tmp_path_factory.mktemp("store"), TREE)) as store:
        yield store


@pytest.fixture(scope="module")
def before(store: Store) -> str:
    """Its first commit."""
    first = store.open().head
    store.push(LATER)
    assert first is not None
    return first


@pytest.fixture(scope="module")
def view(store: Store, before: str) -> Repo:
    """One view of the second commit."""
    repo = store.open()
    assert repo.head != before
    return repo


@pytest.mark.long(after=2)
def test_an_earlier_commit_is_read_byte_for_byte(view: Repo, before: str) -> None:
    read = view.at(before)
    assert read is not None
    files = {path: data for path, (mode, data) in TREE.items() if mode != LINK}
    assert {path: read(path) for path in files} == files
    assert view.read("README.md") == b"# Store\n"


def test_the_head_is_a_version_too(view: Repo) -> None:
    assert view.head is not None
    read = view.at(view.head)
    assert read is not None
    assert [read(path) for path in ("README.md", "src/app.py", "src/new.py")] == [b"# Store\n", None, b"new\n"]


NO_FILES = [
    ("src", ReasonCode.PATH_CONFLICT),
    ("README.md/x", ReasonCode.PATH_CONFLICT),
    ("link", ReasonCode.NOT_A_FILE),
    ("link/x", ReasonCode.NOT_A_FILE),
    ("../x", ReasonCode.UNSAFE_PATH),
    ("", ReasonCode.UNSAFE_PATH),
    (".git/config", ReasonCode.UNSAFE_PATH),
    ("src/\ud800.py", ReasonCode.UNSAFE_PATH),
]


def test_what_was_no_file_is_not_read(view: Repo, before: str) -> None:
    read = view.at(before)
    assert read is not None
    for path, code in NO_FILES:
        with pytest.raises(UnreadableFile) as caught:
            read(path)
        assert caught.value.code is code, path


def test_what_was_not_there_is_none(view: Repo, before: str) -> None:
    read = view.at(before)
    assert read is not None
    assert [read(path) for path in ("src/new.py", "none/at/all", "readme.md")] == [None, None, None]


NO_COMMIT = [
    *("", " ", "HEAD", "main", "refs/heads/main", "@", "@{-1}", ":/tests", ":README.md", "-x", "--all", "--output=x"),
    *("abcdef", "f" * 7, "f" * 40, "f" * 64, "a" * 65, "\u0661" * 40, "g" * 40, "v1-2-gdeadbee"),
]  # fmt: skip


def test_what_is_no_id_of_a_commit_names_none(view: Repo) -> None:
    assert [name for name in NO_COMMIT if view.at(name) is not None] == []


def test_nothing_may_stand_around_the_digits(view: Repo, before: str) -> None:
    for extra in ("^", "~1", "^{tree}", "^{commit}", ":README.md", "\n", "\0", " ", "..", "@{0}", "-"):
        for digits in (before, before[:7]):
            assert [view.at(digits + extra), view.at(extra + digits)] == [None, None], extra


def test_only_github_needs_all_digits(view: Repo, store: Store, before: str) -> None:
    names = [before[:7], before[:39], before.upper()[:12]]
    assert [view.at(name) is None for name in names] == [isinstance(store, GitHub)] * 3


@pytest.mark.long
@pytest.mark.parametrize("factory", [each for each in WITH_COMMITS if each is not Memory], ids=lambda f: f.__name__)
def test_a_commit_that_is_not_behind_the_head_counts_for_nothing(factory: Factory, tmp_path: Path) -> None:
    with opened(factory(tmp_path, TREE)) as store:
        first = store.open()
        store.push(LATER)
        taken_back = store.open().head
        assert taken_back is not None
        assert first.at(taken_back) is None  # the head of this view is behind it
        store.rewind()
        assert store.open().at(taken_back) is None


def test_after_a_write_the_old_head_is_a_version(tmp_path: Path) -> None:
    for store in (Memory(tmp_path, TREE), CheckedOut(tmp_path, TREE)):
        repo = store.open()
        old = repo.head
        assert old is not None
        repo.write({"README.md": b"new\n"}, "a change")
        read = repo.at(old)
        assert read is not None
        assert (read("README.md"), repo.read("README.md")) == (TREE["README.md"][1], b"new\n")


def test_earlier_versions_can_be_given_to_the_store_in_memory() -> None:
    ids = ["4be1d02" + digit * 33 for digit in "ab"]
    repo = MemoryRepo({"a": b"now\n"}, earlier={ids[0]: {"a": b"then\n"}, ids[1]: {}})
    reads = [repo.at(ids[0]), repo.at(ids[1][:8])]
    assert [read and read("a") for read in reads] == [b"then\n", None]
    assert [repo.at(name) for name in ("4be1d02", "4be1d02c", "")] == [None, None, None]


# What only git can do


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = gitkit.make_repository(tmp_path / "bare.git", TREE, bare=True)
    gitkit.commit(path, "main", LATER)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checked-out repository at its second commit, with a filter that leaves a trace."""
    path = gitkit.make_repository(tmp_path / "checkout", {"README.md": (FILE, b"first\n")})
    (path / "README.md").write_bytes(b"second\n")
    git(path, "commit", "-qam", "second")
    (path / "README.md").write_bytes(b"on disk\n")
    (path / ".gitattributes").write_bytes(TREE[".gitattributes"][1])
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho x >> '{tmp_path / 'canary'}'\ncat\n")
    script.chmod(0o755)
    for key in ("filter.canary.clean", "filter.canary.smudge", "core.fsmonitor", "alias.ls-tree", "core.pager"):
        git(path, "config", key, str(script))
    return path


def local_views(path: Path) -> list[Version]:
    return [
        WorktreeRepo(path),
        CheckoutRepo(path, repository=open_sealed(path)),
        IndexRepo(open_sealed(path, mode=Mode.ISOLATED)),
        ObjectsRepo(open_sealed(path)),
    ]


@pytest.mark.long
@pytest.mark.parametrize("number", range(4), ids=["worktree", "checkout", "index", "objects"])
def test_a_checkout_gives_what_was_committed_and_runs_nothing(checkout: Path, tmp_path: Path, number: int) -> None:
    first, second = line(checkout, "rev-parse", "HEAD^"), line(checkout, "rev-parse", "HEAD")
    aside = gitkit.commit(checkout, "aside", {"README.md": (FILE, b"aside\n")})
    before = gitkit.snapshot(checkout)
    view = local_views(checkout)[number]
    reads = [view.at(first), view.at(second[:9])]
    assert [read and read("README.md") for read in reads] == [b"first\n", b"second\n"]
    assert view.at(aside) is None
    assert gitkit.snapshot(checkout) == before
    assert not (tmp_path / "canary").exists()


@pytest.mark.long
def test_a_hook_finds_the_version_too(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    read = IndexRepo(open_sealed(checkout, mode=Mode.HOOK)).at(line(checkout, "rev-parse", "HEAD^"))
    assert read is not None
    assert read("README.md") == b"first\n"


@pytest.mark.long
def test_a_folder_that_is_no_top_of_a_repository_has_no_versions(checkout: Path, tmp_path: Path) -> None:
    first = line(checkout, "rev-parse", "HEAD^")
    (checkout / "below").mkdir()
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "-q", "empty")
    places = [checkout / "below", tmp_path / "plain", tmp_path / "empty", tmp_path / "none"]
    assert [WorktreeRepo(place).at(first) for place in places] == [None] * 4
    assert [view.at(first) for view in local_views(tmp_path / "empty")[1:3]] == [None, None]


@pytest.mark.long
def test_a_git_that_cannot_be_started_is_an_error(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "tools/git"
    broken.parent.mkdir()
    broken.write_text("#!/nothing\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    with pytest.raises(RepoError, match="cannot be started"):
        WorktreeRepo(checkout).at("0" * 40)


@pytest.mark.long
def test_a_branch_is_never_taken_for_an_id(bare: Path) -> None:
    first = line(bare, "rev-parse", "main^")
    for name in (first[:7], first[:8], "deadbee"):
        git(bare, "branch", name, "main")
        git(bare, "tag", name, "main")
    view = sealed(bare)
    reads = [view.at(first[:7]), view.at(first[:8])]
    assert [read and read("README.md") for read in reads] == [TREE["README.md"][1]] * 2
    assert view.at("deadbee") is None


@pytest.mark.long
def test_other_objects_are_no_commits(bare: Path) -> None:
    git(bare, "tag", "-a", "-m", "one", "v1", "main^")
    ids = [line(bare, "rev-parse", name) for name in ("v1", "main^{tree}", "main:README.md")]
    assert [sealed(bare).at(name) for name in ids] == [None] * 3


@pytest.mark.long
def test_digits_that_begin_two_ids_name_no_commit(bare: Path) -> None:
    tree = line(bare, "rev-parse", "main^{tree}")
    head = f"tree {tree}\nauthor {gitkit.NAME} <{gitkit.EMAIL}> 1700000000 +0000\n"
    head += f"committer {gitkit.NAME} <{gitkit.EMAIL}> 1700000000 +0000\n\n"
    seen: dict[str, bytes] = {}
    for number in range(1_000_000):  # the 28 bits of two in 20,000 are as likely as not the same
        data = f"{head}{number}\n".encode()
        digits = hashlib.sha1(b"commit %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()[:7]
        if digits in seen:
            break
        seen[digits] = data
    ids = [
        git(bare, "hash-object", "-w", "-t", "commit", "--stdin", stdin=each).decode().strip()
        for each in (data, seen[digits])
    ]
    merge = git(bare, "commit-tree", tree, "-p", ids[0], "-p", ids[1], "-p", "main", stdin=b"both").decode().strip()
    view = sealed(bare, merge)
    different = next(length for length in range(8, 41) if ids[0][:length] != ids[1][:length])
    assert view.at(digits) is None
    assert [view.at(each[:different]) is not None for each in ids] == [True, True]


@pytest.mark.long
def test_a_second_parent_is_in_the_history(bare: Path) -> None:
    aside = gitkit.commit(bare, "aside", {"README.md": (FILE, b"aside\n")})
    merge = git(bare, "commit-tree", "main^{tree}", "-p", "main", "-p", aside, stdin=b"merge").decode().strip()
    read = sealed(bare, merge).at(aside)
    assert read is not None
    assert read("README.md") == b"aside\n"


@pytest.mark.long
def test_a_shallow_clone_knows_only_what_it_has(bare: Path, tmp_path: Path) -> None:
    first, second = line(bare, "rev-parse", "main^"), line(bare, "rev-parse", "main")
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{bare}", "shallow.git")
    view = sealed(tmp_path / "shallow.git")
    assert (view.at(first), view.at(second) is None) == (None, False)


@pytest.mark.long
def test_a_partial_clone_fetches_nothing(bare: Path, tmp_path: Path) -> None:
    git(bare, "config", "uploadpack.allowFilter", "true")
    first = line(bare, "rev-parse", "main^")
    for what in ("blob:none", "tree:0"):
        name = f"{what[:4]}.git"
        git(tmp_path, "clone", "-q", "--bare", f"--filter={what}", f"file://{bare}", name)
        before = sorted(place.name for place in (tmp_path / name / "objects").rglob("*"))
        read = sealed(tmp_path / name).at(first)
        assert read is not None
        with pytest.raises(UnreadableFile) as caught:
            read("README.md")
        assert caught.value.code is ReasonCode.UNAVAILABLE
        assert sorted(place.name for place in (tmp_path / name / "objects").rglob("*")) == before


@pytest.mark.long
def test_a_file_over_the_limit_is_not_loaded(bare: Path) -> None:
    read = sealed(bare, max_file_bytes=8).at(line(bare, "rev-parse", "main^"))
    assert read is not None
    with pytest.raises(UnreadableFile) as caught:
        read("README.md")
    assert caught.value.code is ReasonCode.TOO_LARGE


@pytest.mark.long
def test_a_replaced_commit_does_not_count(bare: Path) -> None:
    fake = gitkit.commit(bare, "fake", {"README.md": (FILE, b"fake\n")})
    head = line(bare, "rev-parse", "main")
    onto = git(bare, "commit-tree", "main^{tree}", "-p", fake, stdin=b"x").decode().strip()
    git(bare, "replace", head, onto)
    assert sealed(bare).at(fake) is None


@pytest.mark.long
def test_an_id_of_64_digits(tmp_path: Path) -> None:
    path = gitkit.make_repository(tmp_path / "long.git", TREE, bare=True, object_format="sha256")
    gitkit.commit(path, "main", LATER)
    first = line(path, "rev-parse", "main^")
    view = sealed(path)
    reads = [view.at(first), view.at(first[:40])]
    assert [read and read("README.md") for read in reads] == [TREE["README.md"][1]] * 2


@pytest.mark.long
def test_git_is_asked_late_and_seldom(bare: Path) -> None:
    calls: list[str] = []

    def counting(
        command: Sequence[str], environment: Mapping[str, str], stdin: bytes, seconds: float
    ) -> CompletedProcess[bytes]:
        [name] = {"rev-parse", "symbolic-ref", "cat-file", "merge-base", "ls-tree", "version"} & set(command)
        calls.append(name)
        return start(command, environment, stdin, seconds)

    first = line(bare, "rev-parse", "main^")
    view = sealed(bare, launch=counting)
    view.prefetch(["README.md"])
    calls.clear()
    assert view.at("HEAD") is None
    assert calls == []
    read = view.at(first)
    assert read is not None
    assert calls == ["rev-parse", "cat-file", "merge-base"]
    calls.clear()
    assert [read("README.md"), read("README.md"), read("src/app.py")] == [TREE["README.md"][1]] * 2 + [b"x = 1\n"]
    assert calls == ["ls-tree", "cat-file", "cat-file", "ls-tree", "cat-file", "cat-file"]
