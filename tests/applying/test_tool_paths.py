"""Where the files of tool calls are: docs/reference/formats/tool-calls.md."""

import pytest
from support.call_blocks import JSON, replace, rows

from editblocks import EditBlock, ParseResult
from editblocks.applying.engine import place_paths

HOME = "/home/dev/app"
OURS = "/srv/app"
SESSION = JSON._replace(session_root=HOME)
WINDOWS = JSON._replace(session_root="C:\\w\\app")

IN_SRC = {"folder": f"{HOME}/src", "session_root": HOME}

# the path, what the call says, our own root, the path that it is
PATHS: dict[str, tuple[str, dict[str, str], str, str]] = {
    "relative": ("src/a.py", {}, OURS, "src/a.py"),
    "below our root": (f"{OURS}/src/a.py", {}, OURS, "src/a.py"),
    "below our root, which ends with a slash": (f"{OURS}/src/a.py", {}, f"{OURS}/", "src/a.py"),
    "elsewhere": ("/srv/other/a.py", {}, OURS, "/srv/other/a.py"),
    "beside our root": (f"{OURS}2/a.py", {}, OURS, f"{OURS}2/a.py"),
    "without a root": (f"{OURS}/a.py", {}, "", f"{OURS}/a.py"),
    "below the root of its session": (f"{HOME}/src/a.py", {"session_root": HOME}, OURS, "src/a.py"),
    "below both roots": (f"{OURS}/x/a.py", {"session_root": f"{OURS}/x"}, OURS, "x/a.py"),
    "beside the root of its session": ("/home/dev/other/a.py", {"session_root": HOME}, OURS, "/home/dev/other/a.py"),
    "in a folder": ("a.py", {"folder": "src"}, OURS, "src/a.py"),
    "in a folder that is here": ("a.py", {"folder": "./src/"}, OURS, "src/a.py"),
    "in this folder": ("a.py", {"folder": "."}, OURS, "a.py"),
    "in a folder below our root": ("a.py", {"folder": f"{OURS}/src"}, OURS, "src/a.py"),
    "in our root": ("a.py", {"folder": OURS}, OURS, "a.py"),
    "in a folder below the root of its session": ("a.py", IN_SRC, OURS, "src/a.py"),
    "in the root of its session": ("a.py", {"folder": HOME, "session_root": HOME}, OURS, "a.py"),
    "in a folder that is elsewhere": ("a.py", {"folder": "/etc"}, OURS, "/etc/a.py"),
    "in a folder above": ("a.py", {"folder": ".."}, OURS, "../a.py"),
    "above its folder": ("../a.py", {"folder": "src"}, OURS, "src/../a.py"),
    "absolute, whatever its folder": (f"{OURS}/a.py", {"folder": "src"}, OURS, "a.py"),
    "in the home of a user": ("~/a.py", {"folder": "src"}, OURS, "~/a.py"),
    "on a drive": ("C:\\w\\app\\src\\a.py", {"session_root": "C:\\w\\app"}, OURS, "src/a.py"),
    "on a drive, with slashes": ("c:/w/app/src/a.py", {"session_root": "C:\\w\\app"}, OURS, "src/a.py"),
    "on a drive, below our root": ("c:/w/app/src/a.py", {}, "C:/w/app", "src/a.py"),
    "on another drive": ("d:/w/app/a.py", {"session_root": "C:\\w\\app"}, OURS, "d:/w/app/a.py"),
    "in a folder on a drive": ("a.py", {"session_root": "C:\\w\\app", "folder": "C:\\w\\app\\src"}, OURS, "src/a.py"),
}  # fmt: skip


def placed(path: str, about: dict[str, str], root: str) -> ParseResult:
    block = replace("a", "b", JSON._replace(**about), path)  # type: ignore[arg-type]
    return place_paths(ParseResult(rows(block)), root)


@pytest.mark.parametrize(("path", "about", "root", "expected"), PATHS.values(), ids=PATHS)
def test_the_path_of_a_call(path: str, about: dict[str, str], root: str, expected: str) -> None:
    assert placed(path, about, root).blocks[0].file_path == expected


def test_notes() -> None:
    result = placed(f"{HOME}/a.py", {"session_root": HOME}, OURS)
    assert [note.message for note in result.notes] == [f"{HOME} stands for this folder"]
    assert placed("a.py", {"session_root": HOME}, OURS).notes == ()
    assert placed(f"{OURS}/a.py", {"session_root": HOME}, OURS).notes == ()
    [block] = placed(f"{OURS}/a.py", {}, OURS).blocks
    assert [note.message for note in block.notes] == ["the path was read as a.py"]


def test_both_paths_of_a_rename() -> None:
    block = EditBlock(1, f"{HOME}/a.py", "tool-file", 1, 1, action="rename", new_path=f"{HOME}/b.py", call=SESSION)
    result = place_paths(ParseResult((block,)), OURS)
    assert result.blocks[0].paths == ("a.py", "b.py")
    assert len(result.notes) == 1


def test_a_row_of_a_patch_in_a_string_has_the_folder_of_its_call() -> None:
    call = JSON._replace(folder="src")
    block = EditBlock(1, "a.py", "v4a", 1, 1, old_lines="a\n", new_lines="b\n", action="edit", call=call)
    assert place_paths(ParseResult((block,)), "").blocks[0].file_path == "src/a.py"
