"""Taking a commit back: byte for byte where nobody has touched a file since, by a merge of lines elsewhere."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gitkit import ISOLATED
from support.random_files import BOM, SECTION, files
from support.responses import block

from editblocks import apply_response
from editblocks.applying.merging import RevertResult, plan_revert
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError, UnreadableFile
from editblocks.core.settings import Settings
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.repos.tree_modes import EXECUTABLE, SUBMODULE, SYMLINK

Files = Mapping[str, "bytes | None"]
LFS = b"version https://git-lfs.github.com/spec/v1\n"


LIMITED = Settings(max_file_bytes=1000)


def take_back(before: Files, made: Files, now: Files, *, settings: Settings = LIMITED, **modes: str) -> RevertResult:
    """Undo the change of all files from `before` to `made` on a branch that has `now`."""
    head = MemoryRepo({path: data for path, data in now.items() if data is not None}, modes)
    paths = [path for path in before if before[path] != made.get(path)]
    return plan_revert(paths, before.get, made.get, head.read, settings=settings, entries=head.entries)


def one(before: bytes | None, made: bytes | None, now: bytes | None) -> RevertResult:
    return take_back({"a.py": before}, {"a.py": made}, {"a.py": now})


# before the commit, after it, on the branch; the branch then, and lines added and removed
CLEAN: Mapping[str, tuple[bytes | None, bytes | None, bytes | None, bytes | None, tuple[int, int]]] = {
    "an edit": (b"a\nb\n", b"a\nX\n", b"a\nX\n", b"a\nb\n", (1, 1)),
    "a file that was created": (None, b"a\nb\n", b"a\nb\n", None, (0, 2)),
    "an empty file that was created": (None, b"", b"", None, (0, 0)),
    "a file that was emptied": (b"a\nb\n", b"", b"", b"a\nb\n", (2, 0)),
    "a file that was removed": (b"a\nb", None, None, b"a\nb", (2, 0)),
    "line ends, byte for byte": (b"a\r\nb\nc", b"a\r\nX\nc", b"a\r\nX\nc", b"a\r\nb\nc", (1, 1)),
    "a last newline that was added": (b"a\nb", b"a\nb\n", b"a\nb\n", b"a\nb", (1, 1)),
    "a BOM that was removed": (BOM + b"a\n", b"a\n", b"a\n", BOM + b"a\n", (1, 1)),
    "no text, but as it was left": (b"\0\xff\n", b"\0\n", b"\0\n", b"\0\xff\n", (1, 1)),
    "a file too large to be merged, as it was left": (b"x" * 2000, b"y", b"y", b"x" * 2000, (1, 1)),
    "a change further down stays": (b"a\nb\nc\n", b"X\nb\nc\n", b"X\nb\nc\nd\n", b"a\nb\nc\nd\n", (1, 1)),
    "a change further up stays": (b"a\nb\nc\n", b"a\nb\nX\n", b"Y\nb\nX\n", b"Y\nb\nc\n", (1, 1)),
    "a line end that changed elsewhere stays": (b"a\nb\nc\n", b"a\nb\nX\n", b"a\r\nb\nX\n", b"a\r\nb\nc\n", (1, 1)),
    "a BOM that came elsewhere stays": (b"a\nb\nc\n", b"a\nb\nX\n", BOM + b"a\nb\nX\n", BOM + b"a\nb\nc\n", (1, 1)),
    "a BOM that was removed comes back": (BOM + b"a\nb\nc\n", b"a\nb\nX\n", b"Y\nb\nX\n", BOM + b"Y\nb\nc\n", (2, 2)),
    "a missing last newline stays": (b"a\nb\nc", b"X\nb\nc", b"X\nb\nc\nd", b"a\nb\nc\nd", (1, 1)),
    "a missing last newline comes back": (b"a\nb\nc", b"a\nb\nc\nX\n", b"Y\nb\nc\nX\n", b"Y\nb\nc", (1, 2)),
    "one of two changes was taken back by hand": (b"a\nb\nc\n", b"X\nb\nY\n", b"a\nb\nY\n", b"a\nb\nc\n", (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("before", "made", "now", "then", "lines"), CLEAN.values(), ids=CLEAN)
def test_a_change_is_taken_back(
    before: bytes | None, made: bytes | None, now: bytes | None, then: bytes | None, lines: tuple[int, int]
) -> None:
    assert one(before, made, now) == RevertResult({"a.py": then}, {}, *lines)


NOTHING_LEFT: Mapping[str, tuple[bytes | None, bytes | None, bytes | None]] = {
    "taken back by hand": (b"a\n", b"X\n", b"a\n"),
    "the new file is gone": (None, b"X\n", None),
    "the removed file is back": (b"a\n", None, b"a\n"),
    "taken back by hand, and more done": (b"a\nb\nc\n", b"a\nb\nX\n", b"Y\nb\nc\n"),
}


@pytest.mark.parametrize(("before", "made", "now"), NOTHING_LEFT.values(), ids=NOTHING_LEFT)
def test_what_is_as_before_is_left_alone(before: bytes | None, made: bytes | None, now: bytes | None) -> None:
    assert one(before, made, now) == RevertResult({}, {})


STALE: Mapping[str, tuple[bytes | None, bytes | None, bytes | None]] = {
    "the same line": (b"a\nb\nc\n", b"a\nX\nc\n", b"a\nY\nc\n"),
    "the line below": (b"a\nb\nc\n", b"a\nX\nc\n", b"a\nX\nY\n"),
    "the last line, that is gone": (b"a\nb\n", b"a\nX\n", b"a\n"),
    "all lines are gone": (b"a\n", b"X\n", b""),
    "the end of the same line": (b"a\nb\n", b"a\nX\n", b"a\nX\r\n"),
    "the last newline of the same line": (b"a\nb\n", b"a\nX\n", b"a\nX"),
    "a new file was edited": (None, b"a\nb\n", b"a\nX\n"),
    "a new file grew": (None, b"a\nb\n", b"a\nb\nX"),
    "a new file shrank": (None, b"a\nb", b"a"),
    "a new file was emptied": (None, b"a\n", b""),
    "an edited file is gone": (b"a\n", b"X\n", None),
    "a removed file is there again": (b"a\n", None, b"Y\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "made", "now"), STALE.values(), ids=STALE)
def test_a_file_that_changed_since_is_a_conflict(before: bytes | None, made: bytes | None, now: bytes | None) -> None:
    assert one(before, made, now) == RevertResult({}, {"a.py": ReasonCode.STALE})


UNFIT: Mapping[str, tuple[bytes, bytes, bytes, ReasonCode]] = {
    "binary by now": (b"a\nb\nc\n", b"X\nb\nc\n", b"X\nb\n\0\n", ReasonCode.BINARY),
    "not UTF-8 by now": (b"a\nb\nc\n", b"X\nb\nc\n", b"X\nb\n\xff\n", ReasonCode.ENCODING),
    "binary before": (b"\0\nb\nc\n", b"X\nb\nc\n", b"X\nb\nY\n", ReasonCode.BINARY),
    "in LFS by now": (b"a\nb\nc\n", b"X\nb\nc\n", LFS, ReasonCode.FILTERED),
    "too large by now": (b"a\nb\nc\n", b"X\nb\nc\n", b"X\nb\n" + b"d" * 999, ReasonCode.TOO_LARGE),
    "too large then": (b"a" * 600 + b"\nb\nc", b"X\nb\nc", b"X\nb\n" + b"c" * 600, ReasonCode.TOO_LARGE),
}  # fmt: skip


@pytest.mark.parametrize(("before", "made", "now", "code"), UNFIT.values(), ids=UNFIT)
def test_what_is_no_text_is_not_merged(before: bytes, made: bytes, now: bytes, code: ReasonCode) -> None:
    assert one(before, made, now).conflicts == {"a.py": code}


def test_one_conflict_and_nothing_is_undone() -> None:
    before = {"a.py": b"a\n", "b.py": b"b\n", "c.py": None, "d.py": b"d\n"}
    made = dict.fromkeys(before, b"X\n")
    undone = take_back(before, made, made | {"b.py": b"Y\n", "d.py": None})
    assert undone.contents == {}
    assert list(undone.conflicts) == ["b.py", "d.py"]
    assert (len(undone.contents), undone.lines_added, undone.lines_removed) == (0, 0, 0)


# files before the commit, after it, and on the branch; what becomes of them
SEVERAL: dict[str, tuple[Files, Files, Files, RevertResult]] = {
    "two files": (
        {"a.py": b"a\n", "b.py": b"b\n"},
        {"a.py": b"X\n", "b.py": b"X\n"},
        {"a.py": b"X\n", "b.py": b"X\n"},
        RevertResult({"a.py": b"a\n", "b.py": b"b\n"}, {}, 2, 2),
    ),
    "one that is as before": (
        {"a.py": b"a\n", "b.py": b"b\n"},
        {"a.py": b"X\n", "b.py": b"X\n"},
        {"a.py": b"a\n", "b.py": b"X\n"},
        RevertResult({"b.py": b"b\n"}, {}, 1, 1),
    ),
    "a file that may not be changed, and one that changed since": (
        {".github/workflows/ci.yml": b"a\n", "b.py": b"b\n"},
        {".github/workflows/ci.yml": b"X\n", "b.py": b"X\n"},
        {".github/workflows/ci.yml": b"X\n", "b.py": b"Y\n"},
        RevertResult({}, {".github/workflows/ci.yml": ReasonCode.NOT_ALLOWED, "b.py": ReasonCode.STALE}),
    ),
}


@pytest.mark.parametrize(("before", "made", "now", "expected"), SEVERAL.values(), ids=SEVERAL)
def test_several_files_are_undone_together(before: Files, made: Files, now: Files, expected: RevertResult) -> None:
    assert take_back(before, made, now) == expected


def test_a_file_comes_back_where_the_commit_made_a_folder() -> None:
    before: Files = {"a": b"a\n", "a/b": None}
    made: Files = {"a": None, "a/b": b"b\n"}
    head = MemoryRepo({"a/b": b"b\n"})
    undone = plan_revert(before, before.get, made.get, made.get, settings=Settings(), entries=head.entries)
    assert undone == RevertResult({"a": b"a\n", "a/b": None}, {}, 1, 1)


def test_a_file_does_not_come_back_beside_one_that_differs_only_by_case() -> None:
    result = take_back({"a.py": b"a\n", "A.py": b"b\n"}, {"a.py": b"x\n", "A.py": None}, {"a.py": b"x\n"})
    assert result == RevertResult({}, {"A.py": ReasonCode.PATH_CONFLICT})


def test_a_file_that_cannot_be_read_is_a_conflict() -> None:
    def before(path: str) -> bytes:
        raise UnreadableFile(ReasonCode.TOO_LARGE, f"{path} is too large", "split it")

    head = MemoryRepo({"a.py": b"X\n"})
    undone = plan_revert(["a.py"], before, head.read, head.read, settings=Settings(), entries=head.entries)
    assert undone == RevertResult({}, {"a.py": ReasonCode.TOO_LARGE})


# path, what is undone there ("edit", "create": it removed the file, "delete": it made it), the code of the conflict
PATHS = (
    ("src/app.py", "edit", None),
    (".github/workflows/ci.yml", "edit", ReasonCode.NOT_ALLOWED),
    ("CLAUDE.md", "create", ReasonCode.NOT_ALLOWED),
    ("AGENTS.md", "delete", ReasonCode.NOT_ALLOWED),
    (".git/config", "create", ReasonCode.UNSAFE_PATH),
    ("../x", "delete", ReasonCode.UNSAFE_PATH),
    ("aux.py", "edit", None),
    ("aux.py", "delete", None),
    ("aux.py", "create", ReasonCode.UNSAFE_PATH),
    (".edits/cart.md", "create", None),
    (".edits/cart.md", "edit", ReasonCode.NOT_ALLOWED),
    (".edits/cart.md", "delete", ReasonCode.NOT_ALLOWED),
)  # fmt: skip


@pytest.mark.parametrize(("path", "operation", "code"), PATHS)
def test_paths_are_those_that_blocks_may_change(path: str, operation: str, code: ReasonCode | None) -> None:
    """But for a response file: none may write it, and the commit that removed one is undone as a whole."""
    before, made = (None if operation == "delete" else b"a\n"), (None if operation == "create" else b"X\n")
    undone = take_back({path: before}, {path: made}, {path: made})
    assert list(undone.conflicts.values()) == ([] if code is None else [code])
    assert undone.contents == ({path: before} if code is None else {})


# what a policy says, a path, the code of the conflict
POLICIES = (
    (Settings(deny_paths=("src/*.py",)), "src/app.py", "edit", ReasonCode.NOT_ALLOWED),
    (Settings(paths=("docs/**",)), "src/app.py", "delete", ReasonCode.NOT_ALLOWED),
    (Settings(paths=("src/**",)), "src/app.py", "create", None),
    (Settings(allow_protected=("CLAUDE.md",)), "CLAUDE.md", "edit", None),
    (Settings(response_files=("answers/*.md",)), "answers/cart.md", "create", None),
    (Settings(response_files=("answers/*.md",)), "answers/cart.md", "edit", ReasonCode.NOT_ALLOWED),
    (Settings(response_files=("answers/*.md",), deny_paths=("**",)), "answers/cart.md", "create", None),
)


@pytest.mark.parametrize(("policy", "path", "operation", "code"), POLICIES)
def test_a_policy_holds_for_an_undo_too(policy: Settings, path: str, operation: str, code: ReasonCode | None) -> None:
    before, made = (None if operation == "delete" else b"a\n"), (None if operation == "create" else b"X\n")
    undone = take_back({path: before}, {path: made}, {path: made}, settings=policy)
    assert list(undone.conflicts.values()) == ([] if code is None else [code])


def test_a_file_comes_back_where_a_file_may_be() -> None:
    before, made = {".edits/cart.md": b"a\n"}, {".edits/cart.md": None}
    now = {".edits": b"a file\n"}, {".edits/CART.md": b"b\n"}
    found = [take_back(before, made, branch).conflicts for branch in now]
    assert [list(each.values()) for each in found] == [[ReasonCode.PATH_CONFLICT]] * 2


@pytest.mark.parametrize("mode", [SYMLINK, SUBMODULE])
def test_what_is_no_file_any_more_stays(mode: str) -> None:
    undone = take_back({"link": b"a\n"}, {"link": b"X\n"}, {"link": b"X\n"}, link=mode)
    assert list(undone.conflicts.values()) == [ReasonCode.NOT_A_FILE]


def test_a_submodule_that_a_reader_takes_for_a_file_stays() -> None:
    entries = {"": {"lib": SUBMODULE}}
    data = {"lib": b"X\n"}
    undone = plan_revert(
        data, {"lib": b"a\n"}.get, data.get, data.get, settings=Settings(), entries=entries.__getitem__
    )
    assert list(undone.conflicts.values()) == [ReasonCode.NOT_A_FILE]


ATTRIBUTES = (
    ({".gitattributes": b"*.py filter=x\n"}, ReasonCode.FILTERED),
    ({"src/.gitattributes": b"*.py ident\n"}, ReasonCode.FILTERED),
    ({".gitattributes": b"*.md filter=x\n"}, None),
    ({"src/.gitattributes": None}, None),
)


@pytest.mark.parametrize(("attributes", "code"), ATTRIBUTES)
def test_a_file_that_git_converts_is_not_merged(attributes: Files, code: ReasonCode | None) -> None:
    before, made, now = ({"src/a.py": data} for data in (b"a\nb\nc\n", b"a\nb\nX\n", b"Y\nb\nX\n"))
    undone = take_back(before, made, {**now, **attributes})
    assert list(undone.conflicts.values()) == ([] if code is None else [code])


def test_an_attributes_file_that_is_none_is_not_read() -> None:
    now = {"a.py": b"Y\nb\nX\n"}
    entries = {"": {"a.py": EXECUTABLE, ".gitattributes": SYMLINK}}
    undone = plan_revert(
        now, {"a.py": b"a\nb\nc\n"}.get, {"a.py": b"a\nb\nX\n"}.get, now.__getitem__,
        settings=Settings(), entries=entries.__getitem__,
    )  # fmt: skip
    assert undone.contents == {"a.py": b"Y\nb\nc\n"}


def test_a_service_that_fails_is_no_conflict() -> None:
    def gone(path: str) -> bytes | None:
        raise RepoError("GitHub did not answer")

    texts = {"a.py": b"a\n"}
    entries = MemoryRepo(texts).entries
    with pytest.raises(RepoError, match="did not answer"):
        plan_revert(texts, texts.get, gone, texts.get, settings=Settings(), entries=entries)


BLOCKS = st.lists(st.tuples(SECTION, SECTION), min_size=1, max_size=3)


def planned(files: Mapping[str, bytes], blocks: list[tuple[list[str], list[str]]]) -> tuple[Files, Files]:
    """What the blocks, all for a.py, change: the files before and after."""
    sections = ["".join(f"{line}\n" for line in section) for pair in blocks for section in pair]
    text = "\n".join(block(old, new) for old, new in zip(sections[::2], sections[1::2], strict=True))
    result = apply_response(text, files.get)
    return result.originals, result.contents


@given(files(), BLOCKS, st.booleans())
def test_undo_after_apply_gives_every_byte_back(
    data: bytes, blocks: list[tuple[list[str], list[str]]], exists: bool
) -> None:
    before, made = planned({"a.py": data} if exists else {}, blocks)
    undone = take_back(before, made, made)
    assert (undone.contents, undone.conflicts) == (before, {})


@given(files(), BLOCKS)
def test_an_unrelated_change_stays(data: bytes, blocks: list[tuple[list[str], list[str]]]) -> None:
    bom = BOM if data.startswith(BOM) else b""
    guarded = bom + b"first\nsecond\nthird\n" + data.removeprefix(bom)
    before, made = planned({"a.py": guarded}, blocks)
    now = {path: text.replace(b"first\n", b"changed\r\n", 1) for path, text in made.items() if text is not None}
    undone = take_back(before, made, now)
    assert not undone.conflicts
    assert undone.contents == {path: guarded.replace(b"first\n", b"changed\r\n", 1) for path in before}


@settings(max_examples=25)
@given(before=files(), made=files(), now=files())
def test_what_is_merged_is_what_git_merges(
    before: bytes, made: bytes, now: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    guard = b"".join(b"guard %d\n" % number for number in range(3))
    texts = (made + b"\n" + guard + b"x\n", now + b"\n" + guard + b"x\n", made + b"\n" + guard + before)
    undone = one(texts[2], texts[0], texts[1])
    merged = git_merge(tmp_path_factory.mktemp("merge"), *texts)
    assert undone.conflicts or merged is None or undone.contents.get("a.py", texts[1]) == merged


def git_merge(folder: Path, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """What git makes of the same three texts; None for a conflict."""
    for name, data in (("base", base), ("ours", ours), ("theirs", theirs)):
        folder.joinpath(name).write_bytes(data)
    names = ["ours", "base", "theirs"]
    ran = subprocess.run(
        ["git", "merge-file", "-p", *names], check=False, cwd=folder, env=ISOLATED, capture_output=True
    )
    return ran.stdout if ran.returncode == 0 else None
