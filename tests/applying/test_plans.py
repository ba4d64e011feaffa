"""The files of an answer as its blocks left them, and why a path is refused, with the exact words."""

import pytest
from support.file_blocks import delete, edit, rename
from support.gitkit import EXECUTABLE, FILE, LINK
from support.planned import Given

from editblocks.applying.files import FilePlan
from editblocks.applying.hunks import MANY
from editblocks.applying.plans import FilePlans, operation
from editblocks.core.blocks import EditBlock
from editblocks.core.codes import ReasonCode
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.paths.syntax import PathError

FOLDER = "040000"
FILES = {"a.py": b"a\n", "docs/ai.md": b"ai\n", "bin/deep/run": b"run\n", ".github/x.yml": b"x\n"}
LISTINGS = {
    "": {"a.py": FILE, "docs": FOLDER, "bin": FOLDER, ".github": FOLDER, "link": LINK, "lost": LINK},
    "docs": {"ai.md": FILE},
    "bin": {"deep": FOLDER},
    "bin/deep": {"run": EXECUTABLE},
    ".github": {"x.yml": FILE},
}
WRITE_PATH = "write the full path on the line above"


def plans(*blocks: EditBlock) -> FilePlans:
    tree = Given(FILES.get, lambda folder: LISTINGS.get(folder, {}), None)
    tree.link_target = {"link": "docs/ai.md", "lost": "../x"}.get
    by_file: dict[str, list[EditBlock]] = {}
    for block in blocks:
        by_file.setdefault(block.file_path, []).append(block)
    return FilePlans(tree, Settings(), by_file)  # type: ignore[arg-type]


# a path, and why no block can edit it
NO_FILES: dict[str, Mismatch] = {
    "link": Mismatch(ReasonCode.NOT_A_FILE, "link is a symbolic link to docs/ai.md", "edit docs/ai.md"),
    "lost": Mismatch(ReasonCode.NOT_A_FILE, "lost is a symbolic link", "name the file it leads to"),
    "docs": Mismatch(ReasonCode.PATH_CONFLICT, "docs is a folder", "choose another path"),
    "a.py/x": Mismatch(ReasonCode.PATH_CONFLICT, "a.py is a file, so a.py/x cannot be below it", "choose another path"),
}


@pytest.mark.parametrize("path", NO_FILES)
def test_what_is_no_file(path: str) -> None:
    block = edit(path, "a\n", "b\n")
    refused = plans(block).file(block)
    assert isinstance(refused, Mismatch)
    expected = NO_FILES[path]
    assert (refused.code, refused.what) == (expected.code, expected.what)
    if path == "link":
        assert refused.advice == expected.advice


@pytest.mark.parametrize(("count", "is_indexed"), [(MANY - 1, False), (MANY, True)])
def test_a_file_of_many_blocks_is_indexed(count: int, is_indexed: bool) -> None:
    block = edit("a.py", "a\n", "b\n")
    file = plans(*[block] * count).file(block)
    assert isinstance(file, FilePlan)
    assert file.text is not None
    assert (file.text._index is not None) is is_indexed


# a path, and why no file can be created there, apart from a file that is there
CREATED = {"new.py": None, "a.py": None, "docs": ReasonCode.PATH_CONFLICT, "a.py/x": ReasonCode.PATH_CONFLICT}


@pytest.mark.parametrize(("path", "code"), CREATED.items())
def test_where_no_file_can_be_created(path: str, code: ReasonCode | None) -> None:
    refused = plans().creation_refusal(path)
    assert (refused and refused.code) is code


WEAK = edit("notes", "a\n", "b\n")._replace(weak_path=True)
NEW = WEAK._replace(action="create", new_lines="b\n", old_lines="")
NO_NOTES = "`notes` is not a file here, and no other line names one"
# a block, what stands at its path, and why that is no path
NAMES: dict[str, tuple[EditBlock, FilePlan | Mismatch, Mismatch | None]] = {
    "a text": (WEAK, FilePlan("notes", b"a\n"), None),
    "a link": (WEAK, Mismatch(ReasonCode.NOT_A_FILE), None),
    "nothing": (WEAK, FilePlan("notes", None), Mismatch(ReasonCode.NO_PATH, NO_NOTES, WRITE_PATH)),
    "a folder": (NEW, Mismatch(ReasonCode.PATH_CONFLICT), Mismatch(ReasonCode.NO_PATH, NO_NOTES, WRITE_PATH)),
    "nothing, and a new file": (
        NEW,
        FilePlan("notes", None),
        Mismatch(
            ReasonCode.NO_PATH, NO_NOTES, f"if it is the new file's path, write `### File: notes`, else {WRITE_PATH}"
        ),
    ),
    "a thread": (
        NEW._replace(thread_path="a.py"),
        FilePlan("notes", None),
        Mismatch(ReasonCode.NO_PATH, NO_NOTES, f"remove `notes` if you mean the thread's file, a.py; or {WRITE_PATH}"),
    ),
    "a sure path": (WEAK._replace(weak_path=False), FilePlan("notes", None), None),
    "prose with a file": (
        WEAK._replace(file_path="see a.py"),
        FilePlan("see a.py", None),
        Mismatch(
            ReasonCode.NO_PATH,
            "`see a.py` is not a path, but a.py exists",
            "if you mean it, write only the path on the line above",
        ),
    ),
    "prose with a protected file": (
        WEAK._replace(file_path="see .github/x.yml"),
        FilePlan("see .github/x.yml", None),
        Mismatch(
            ReasonCode.NO_PATH,
            "`see .github/x.yml` is not a file here, and no other line names one",
            WRITE_PATH,
        ),
    ),
}


@pytest.mark.parametrize(("block", "file", "refused"), NAMES.values(), ids=NAMES)
def test_what_is_no_path(block: EditBlock, file: FilePlan | Mismatch, refused: Mismatch | None) -> None:
    assert plans().name_refusal(block, file) == refused


ERROR = PathError("E_PROTECTED", "it is protected", "choose another path")
SEE = edit("see a.py", "a\n", "b\n")


@pytest.mark.parametrize(
    ("block", "is_prose"),
    [
        (SEE._replace(weak_path=True), True),
        (SEE, False),
        (delete("see a.py")._replace(weak_path=True), False),
        (delete("see a.py"), False),
        (WEAK, False),
    ],
)
def test_a_refused_line_of_prose(block: EditBlock, is_prose: bool) -> None:
    refused = plans().refused_path(block, ERROR)
    if is_prose:
        assert refused.what == "`see a.py` is not a path, but a.py exists"
    else:
        assert refused == Mismatch(ERROR.code, "it is protected", "choose another path")


@pytest.mark.parametrize(("code", "near"), [(ReasonCode.FILE_NOT_FOUND, ("a.py",)), (ReasonCode.NO_MATCH, ())])
def test_similar_paths_are_named_of_files_that_are_not_there(code: ReasonCode, near: tuple[str, ...]) -> None:
    assert plans().with_similar_paths("aa.py", Mismatch(code)) == Mismatch(code, near=near)


def test_files_that_go_and_move() -> None:
    known = plans()
    assert known["docs/ai.md"].is_there
    assert not known["new.py"].is_there
    assert known.files_there() == ["docs/ai.md"]
    known.delete("docs/ai.md", 1)
    assert (known["docs/ai.md"].path, known["docs/ai.md"].is_there) == ("docs/ai.md", False)
    known.rename("a.py", "b.py", 2)
    assert known.contents() == {"docs/ai.md": None, "a.py": None, "b.py": b"a\n"}
    assert known.removed_by == {"docs/ai.md": 1, "a.py": 2}
    assert known.files_there() == ["docs/ai.md", "a.py"]


@pytest.mark.parametrize(
    ("path", "mode"), [("a.py", FILE), ("bin/deep/run", EXECUTABLE), ("bin/deep/new", FILE), ("nowhere/x", FILE)]
)
def test_modes(path: str, mode: str) -> None:
    assert plans().mode(path) == mode


@pytest.mark.parametrize(
    ("block", "name"),
    [(edit("a", "a\n", "b\n"), "edit"), (NEW, "create"), (delete("a"), "delete"), (rename("a", "b"), "delete")],
)
def test_what_a_block_does_with_its_file(block: EditBlock, name: str) -> None:
    assert operation(block) == name
