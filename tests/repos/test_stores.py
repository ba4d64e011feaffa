"""One contract for every store: a table of behaviours, asked of all rows of `stores.STORES`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.gitkit import FILE, Entry
from support.store_contract import CLASHES, ENTRIES, MODES, PUSHES, READABLE, TREE, UNREADABLE, WRITES
from support.stores import (
    LOCAL_STORES,
    READ_STORES,
    STORES,
    CheckedOut,
    Factory,
    Reader,
    ReadFactory,
    Store,
    WorktreeByPath,
    opened,
)

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, UnreadableFile
from editblocks.run import Version

_VARIANTS = (WorktreeByPath, CheckedOut)  # of stores that have a row of their own
each_store = pytest.mark.parametrize(
    "factory",
    [pytest.param(factory, marks=pytest.mark.long if factory in _VARIANTS else ()) for factory in STORES],
    ids=lambda factory: factory.__name__,
)


@pytest.fixture
def store(factory: Factory, tmp_path: Path) -> Iterator[Store]:
    with opened(factory(tmp_path, TREE)) as store:
        yield store


@pytest.fixture(scope="module", params=READ_STORES, ids=lambda factory: factory.__name__)
def untouched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A store that no test changes, so that all of them share it."""
    factory: ReadFactory = request.param
    with opened(factory(tmp_path_factory.mktemp("untouched"), TREE)) as store:
        yield store


@pytest.fixture(scope="module")
def view(untouched: Reader) -> Version:
    """One view of it, which many tests ask: opening starts git, or asks a server."""
    return untouched.open()


@pytest.fixture(scope="module", params=STORES, ids=lambda factory: factory.__name__)
def closed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that every test leaves as it was, because each write to it is refused."""
    factory: Factory = request.param
    with opened(factory(tmp_path_factory.mktemp("closed"), TREE)) as store:
        yield store


@pytest.mark.parametrize("path", READABLE)
@pytest.mark.long
def test_read_gives_every_byte(view: Version, path: str) -> None:
    assert view.read(path) == TREE[path][1]


@pytest.mark.parametrize(
    ("path", "target"),
    [("src/link.py", "app.py"), ("src/tools", "../bin"), ("README.md", None), ("src", None), ("none.txt", None)],
)
def test_a_link_says_where_it_leads(view: Version, path: str, target: str | None) -> None:
    assert view.link_target(path) == target


@pytest.mark.parametrize("path", ["none.txt", "src/none.py", "none/at/all.py", "readme.md", "docs/a", "src/app"])
def test_read_of_nothing_is_none(view: Version, path: str) -> None:
    assert view.read(path) is None


@pytest.mark.parametrize(("path", "code", "words"), UNREADABLE)
def test_what_is_no_file_is_not_read(view: Version, path: str, code: ReasonCode, words: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        view.read(path)
    assert caught.value.code is code
    assert words in caught.value.message


@pytest.mark.long
@pytest.mark.parametrize("data", [b"new\n", pytest.param(None, marks=pytest.mark.long)], ids=["new", "deleted"])
def test_s15_what_is_no_file_is_not_written(closed: Store, data: bytes | None) -> None:
    for path, code, words in UNREADABLE:
        with pytest.raises(Refused) as caught:
            closed.open().write({"README.md": b"changed\n", path: data}, "one of two")
        assert (caught.value.code, words in caught.value.message) == (code, True), ascii(path)
    assert closed.tree() == dict(TREE)


@pytest.mark.parametrize(("directory", "names"), ENTRIES)
def test_entries_are_names_with_modes(view: Version, directory: str, names: Mapping[str, str]) -> None:
    assert dict(view.entries(directory)) == names


def test_entries_of_the_root(view: Version) -> None:
    modes = dict.fromkeys(("bin", "docs", "src", "vendor"), "040000") | dict.fromkeys(
        ("README.md", "crlf.txt", "empty.txt"), FILE
    )
    assert dict(view.entries("")) == modes


@each_store
@pytest.mark.parametrize(("claim", "contents"), WRITES)
@pytest.mark.long(after=2)
def test_write(store: Store, claim: str, contents: Mapping[str, bytes | None]) -> None:
    repo, expected = store.open(), store.tree()
    for path, data in contents.items():
        repo.read(path)
        old = expected.pop(path, None)
        if data is not None:
            expected[path] = (old[0] if old else FILE, data)
    head = repo.head
    commit = repo.write(contents, "a change")
    assert store.tree() == expected, claim
    assert (commit is not None) == store.commits
    assert repo.head == commit
    assert (head is not None, head != repo.head) == (store.commits, store.commits)


@each_store
@pytest.mark.parametrize(("claim", "contents", "modes"), MODES)
@pytest.mark.long(after=2)
def test_a_mode_is_that_of_a_new_file(
    store: Store, claim: str, contents: Mapping[str, bytes | None], modes: Mapping[str, str]
) -> None:
    repo, expected = store.open(), store.tree()
    for path, data in contents.items():
        old = expected.pop(path, None)
        if data is not None:
            expected[path] = (old[0] if old else modes.get(path, FILE), data)
    repo.write(contents, "a change", modes)
    assert store.tree() == expected, claim


@pytest.mark.long
@each_store
def test_what_was_written_is_read_and_can_be_changed_again(store: Store) -> None:
    repo = store.open()
    repo.read("README.md")
    repo.write({"README.md": b"second\n", "a/new.txt": b"new\n"}, "first")
    assert (repo.read("README.md"), repo.read("a/new.txt")) == (b"second\n", b"new\n")
    assert dict(repo.entries("a")) == {"new.txt": FILE}
    repo.write({"README.md": b"third\n", "a/new.txt": None}, "second")
    assert (repo.read("README.md"), repo.read("a/new.txt")) == (b"third\n", None)
    assert store.open().read("README.md") == b"third\n"
    assert "a" not in repo.entries("")


@each_store
@pytest.mark.parametrize("contents", [{}, {"README.md": b"# Shop\n"}, {"none.txt": None}])
@pytest.mark.long(after=2)
def test_a_write_that_changes_nothing_does_nothing(store: Store, contents: Mapping[str, bytes | None]) -> None:
    repo, before = store.open(), store.tree()
    head = repo.head
    assert repo.write(contents, "nothing") is None
    assert (repo.head, store.tree()) == (head, before)


def test_what_was_prefetched_is_read(untouched: Reader) -> None:
    repo = untouched.open()
    repo.prefetch([*TREE, "none/x", "src", "README.md/x", "../x", "\ud800", ""])
    assert {path: repo.read(path) for path in READABLE} == {path: TREE[path][1] for path in READABLE}
    assert repo.read("none/x") is None
    with pytest.raises(UnreadableFile):
        repo.read("../x")


@each_store
@pytest.mark.parametrize(("claim", "push"), PUSHES)
@pytest.mark.long(after=2)
def test_s05_a_change_behind_the_plan_is_not_overwritten(
    store: Store, claim: str, push: Mapping[str, Entry | None]
) -> None:
    repo = store.open()
    planned = {"README.md": b"ours\n", "new.txt": b"ours\n", "src/app.py": b"ours\n", "a/b": b"ours\n"}
    repo.prefetch(planned)
    for path in planned:
        repo.read(path)
    store.push(push)
    theirs = store.tree()
    with pytest.raises(HeadMoved):
        repo.write(planned, "stale")
    assert store.tree() == theirs, claim


@each_store
@pytest.mark.long(after=2)
def test_s05_a_rewind_behind_the_plan_is_not_undone(store: Store) -> None:
    store.push({"README.md": (FILE, b"a mistake\n")})
    repo = store.open()
    assert repo.read("README.md") == b"a mistake\n"
    store.rewind()
    with pytest.raises(HeadMoved):
        repo.write({"README.md": b"a mistake, and more\n"}, "brings it back")
    assert store.tree() == dict(TREE)


@pytest.mark.long
@each_store
def test_a_new_view_after_the_branch_moved_can_write(store: Store) -> None:
    repo = store.open()
    repo.read("README.md")
    store.push({"README.md": (FILE, b"theirs\n")})
    with pytest.raises(HeadMoved):
        repo.write({"README.md": b"ours\n"}, "stale")
    again = store.open()
    assert again.read("README.md") == b"theirs\n"
    again.write({"README.md": b"theirs and ours\n"}, "on top")
    assert store.tree()["README.md"] == (FILE, b"theirs and ours\n")


@pytest.mark.parametrize("contents", CLASHES)
@pytest.mark.long
def test_a_file_and_a_directory_of_one_name_are_refused(closed: Store, contents: Mapping[str, bytes | None]) -> None:
    with pytest.raises(EditBlocksError) as caught:
        closed.open().write(contents, "clash")
    assert caught.value.code is ReasonCode.PATH_CONFLICT
    assert closed.tree() == dict(TREE)


@pytest.mark.parametrize("factory", LOCAL_STORES, ids=lambda factory: factory.__name__)
@pytest.mark.long(after=2)
def test_names_that_are_no_utf8_are_kept(factory: Factory, tmp_path: Path) -> None:
    store = factory(tmp_path, {"odd/caf\udce9\x7f\t.txt": (FILE, b"latin\n"), "a.txt": (FILE, b"a\n")})
    repo = store.open()
    assert dict(repo.entries("odd")) == {"caf\udce9\x7f\t.txt": FILE}
    assert repo.read("odd/caf\udce9\x7f\t.txt") == b"latin\n"
    repo.write({"odd/caf\udce9\x7f\t.txt": b"changed\n", "odd/\udcff": b"new\n", "a.txt": b"b\n"}, "odd names")
    assert store.tree() == {
        "odd/caf\udce9\x7f\t.txt": (FILE, b"changed\n"),
        "odd/\udcff": (FILE, b"new\n"),
        "a.txt": (FILE, b"b\n"),
    }
