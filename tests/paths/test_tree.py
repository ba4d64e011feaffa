"""The path rules that ask the tree, and the tree as earlier blocks leave it."""

import pytest
from support.trees import FILE, LINK, MODULE, ONE_LINE, SMALL, tree_of

from editblocks.paths.syntax import Operation, PathError
from editblocks.paths.tree import DIRECTORY, SPECIAL, Overlay, check_tree, mode_at, path_error, same_fold

TREE = [
    ("edit", "src/app.py", "OK", ()),
    ("delete", "run.sh", "OK", ()),
    ("create", "src/new.py", "OK", ()),
    ("create", "new/dir/x.py", "OK", ()),
    ("create", "a-c", "OK", ()),
    ("create", "src/app.py", "E_EXISTS", ()),
    ("create", "run.sh", "E_EXISTS", ()),
    ("create", "README.md/x", "E_PARENT_FILE", ()),
    ("edit", "src/app.py/deeper/x", "E_PARENT_FILE", ()),
    ("edit", "link/x", "E_SYMLINK_PARENT", ()),
    ("create", "src/link/x/y", "E_SYMLINK_PARENT", ()),
    ("delete", "link", "E_SYMLINK_LEAF", ()),
    ("create", "src/link", "E_SYMLINK_LEAF", ()),
    ("edit", "vendor/lib", "E_GITLINK", ()),
    ("delete", "vendor/lib/x", "E_GITLINK", ()),
    ("edit", "src", "E_ISDIR", ()),
    ("create", "src/deep", "E_ISDIR", ()),
    ("delete", "src/deep", "E_ISDIR", ()),
    ("create", "readme.MD", "E_FOLD", ("README.md",)),
    ("create", "SRC/APP.py", "E_FOLD", ("src/app.py",)),
    ("create", "Src/new.py", "E_FOLD", ("src/new.py",)),
    ("create", "src/DEEP/y.py", "E_FOLD", ("src/deep/y.py",)),
    ("create", "SRC", "E_FOLD", ()),
    ("create", "A/b", "E_FOLD", ()),
    ("create", "Link", "E_FOLD", ()),
    ("create", "VENDOR/lib/x", "E_FOLD", ()),
    ("create", "docs/CAFÉ.md", "E_FOLD", ("docs/cafe\u0301.md",)),
    ("edit", "docs/café.md", "E_MISSING", ()),
    ("edit", "SRC/App.py", "E_MISSING", ()),
    ("edit", "src/carts.py", "E_MISSING", ()),
    ("edit", "scr/app.py", "E_MISSING", ()),
    ("edit", "Link", "E_MISSING", ()),
    ("delete", "nothing/like/this.txt", "E_MISSING", ()),
]


@pytest.mark.parametrize("op", ["edit", "create", "delete"])
@pytest.mark.parametrize("path", ["dev/fifo", "dev/fifo/x"])
def test_what_is_no_file_of_any_kind_is_named_so(op: Operation, path: str) -> None:
    error = check_tree(path, op, tree_of({"dev/fifo": SPECIAL}))
    assert error == PathError("E_GITLINK", "dev/fifo is not a regular file", "name one")


MODES = {"src/app.py": FILE, "src": DIRECTORY, "link": LINK, "link/app.py": None, "link/x.py": None, "no/app.py": None}


@pytest.mark.parametrize(("path", "mode"), MODES.items())
def test_mode_at(path: str, mode: str | None) -> None:
    followed = tree_of({"link/app.py": FILE, **SMALL})  # it lists what is behind a link
    assert mode_at(path, followed) == mode


@pytest.mark.parametrize(("op", "path", "rule", "near"), TREE, ids=[f"{row[0]} {row[1]!a}" for row in TREE])
def test_check_tree(op: Operation, path: str, rule: str, near: tuple[str, ...]) -> None:
    error = check_tree(path, op, tree_of(SMALL))
    assert (error.rule if error else "OK") == rule
    if error:
        assert ONE_LINE.fullmatch(error.message)
        assert error.advice.startswith("write ") is bool(near)
        assert not near or error.advice == f"write {near[0]}"


def test_a_twin_beside_the_exact_directory_stops_a_creation_and_no_edit() -> None:
    entries = tree_of({"src/a": FILE, "SRC/b": FILE})
    error = check_tree("src/new", "create", entries)
    assert error is not None
    assert error == PathError("E_FOLD", "src/new differs from SRC only in case or Unicode form", "choose another path")
    assert check_tree("src/a", "edit", entries) is None


SENTENCES: list[tuple[Operation, str, PathError]] = [
    ("edit", "src/no.py", PathError("E_MISSING", "there is no src/no.py", "check the path")),
    ("create", "run.sh", PathError("E_EXISTS", "run.sh already exists", "send blocks that edit it")),
    (
        "create",
        "src/DEEP/y.py",
        PathError("E_FOLD", "src/DEEP/y.py differs from src/deep only in case or Unicode form", "write src/deep/y.py"),
    ),
]


@pytest.mark.parametrize(("op", "path", "error"), SENTENCES, ids=[row[2].rule for row in SENTENCES])
def test_the_whole_sentence(op: Operation, path: str, error: PathError) -> None:
    assert check_tree(path, op, tree_of(SMALL)) == error


FORMS = {
    "composed for decomposed": ("caf\u00e9.md", "cafe\u0301.md", "only in Unicode form (NFC, not NFD)"),
    "decomposed for composed": ("cafe\u0301.md", "caf\u00e9.md", "only in Unicode form (NFD, not NFC)"),
    "neither of both": ("e\u0301\u00e9", "\u00e9\u00e9", "only in Unicode form (a mixture of NFC and NFD, not NFC)"),
    "case as well": ("Caf\u00e9.md", "cafe\u0301.md", "only in case or Unicode form"),
}


@pytest.mark.parametrize(("path", "twin", "way"), FORMS.values(), ids=FORMS)
def test_a_twin_in_another_unicode_form(path: str, twin: str, way: str) -> None:
    error = check_tree(path, "create", tree_of({twin: FILE}))
    assert error is not None
    assert error.what == f"{path} differs from {twin} {way}"


REASONS = {
    "E_MISSING": "file-not-found",
    "E_EXISTS": "file-exists",
    "E_PROTECTED": "not-allowed",
    "E_SYMLINK_PARENT": "not-a-file",
    "E_SYMLINK_LEAF": "not-a-file",
    "E_GITLINK": "not-a-file",
    "E_PARENT_FILE": "path-conflict",
    "E_ISDIR": "path-conflict",
    "E_FOLD": "path-conflict",
    "E_DOT": "unsafe-path",
    "E_NFC": "unsafe-path",
}


@pytest.mark.parametrize(("rule", "code"), REASONS.items())
def test_reason_code_of_a_rule(rule: str, code: str) -> None:
    assert PathError(rule, "", "").code.value == code


BATCHES = [
    ("create then edit", {}, [("create", "a", "OK"), ("edit", "a", "OK"), ("edit", "a", "OK")]),
    ("create twice", {}, [("create", "a", "OK"), ("create", "a", "E_EXISTS")]),
    ("twins", {}, [("create", "a/B", "OK"), ("create", "a/b", "E_FOLD"), ("create", "A/c", "E_FOLD")]),
    (
        "file where a directory was made",
        {},
        [("create", "x/y/z", "OK"), ("create", "x", "E_ISDIR"), ("create", "x/y", "E_ISDIR")],
    ),
    (
        "directory where a file was made",
        {},
        [("create", "x", "OK"), ("create", "x/y", "E_PARENT_FILE"), ("edit", "x/y/z", "E_PARENT_FILE")],
    ),
    ("directory of the tree", {"x/y": FILE}, [("create", "x/z", "OK"), ("create", "x", "E_ISDIR")]),
    ("file of the tree", {"x": FILE}, [("edit", "x", "OK"), ("create", "x/y", "E_PARENT_FILE")]),
    (
        "delete then edit",
        {"a": FILE},
        [("delete", "a", "OK"), ("edit", "a", "E_MISSING"), ("delete", "a", "E_MISSING")],
    ),
    ("delete then create", {"a": FILE}, [("delete", "a", "OK"), ("create", "a", "OK"), ("edit", "a", "OK")]),
    ("delete then a directory", {"a": FILE}, [("delete", "a", "OK"), ("create", "a/b", "OK"), ("edit", "a/b", "OK")]),
    ("delete then a twin", {"a": FILE}, [("delete", "a", "OK"), ("create", "A", "OK")]),
    (
        "a twin of what is deleted after names were compared",
        {"a": FILE},
        [("create", "b", "OK"), ("delete", "a", "OK"), ("create", "A", "OK")],
    ),
    (
        "an emptied directory is gone",
        {"d/e/f": FILE},
        [("delete", "d/e/f", "OK"), ("create", "d", "OK"), ("create", "D/x", "E_FOLD")],
    ),
    (
        "an emptied directory comes back",
        {"d/f": FILE},
        [("delete", "d/f", "OK"), ("create", "d/g", "OK"), ("edit", "d/g", "OK")],
    ),
    (
        "a half-emptied directory stays",
        {"d/f": FILE, "d/g": FILE},
        [("delete", "d/f", "OK"), ("create", "d", "E_ISDIR")],
    ),
    (
        "links cannot be deleted away",
        {"l": LINK},
        [("delete", "l", "E_SYMLINK_LEAF"), ("create", "l/x", "E_SYMLINK_PARENT")],
    ),
    (
        "nor submodules",
        {"m": MODULE},
        [("delete", "m", "E_GITLINK"), ("create", "m", "E_GITLINK"), ("create", "m/x", "E_GITLINK")],
    ),
    ("a refused creation makes nothing", {"A": FILE}, [("create", "a/x", "E_FOLD"), ("edit", "a/x", "E_MISSING")]),
    ("a file made by a block has no twins", {}, [("create", "src/app.py", "OK"), ("edit", "src/App.py", "E_MISSING")]),
]


@pytest.mark.parametrize(("files", "steps"), [row[1:] for row in BATCHES], ids=[row[0] for row in BATCHES])
def test_overlay(files: dict[str, str], steps: list[tuple[Operation, str, str]]) -> None:
    view = Overlay(tree_of(files))
    for op, path, rule in steps:
        error = view.check(path, op)
        assert (error.rule if error else "OK") == rule, (op, path)
        view.record(path, op)


def test_overlay_leaves_the_tree_as_it_was() -> None:
    entries = tree_of({"a": FILE})
    view = Overlay(entries)
    view.record("a", "delete")
    view.record("b/c", "create")
    assert dict(view.entries("")) == {"b": "040000"}
    assert dict(view.entries("b")) == {"c": FILE}
    assert dict(entries("")) == {"a": FILE}


RENAMES = {
    "to another name": ("d/a.py", "d/b.py", "OK"),
    "to a name that differs by case": ("d/a.py", "d/A.py", "OK"),
    "to a folder that differs by case, of which it is the only file": ("d/a.py", "D/a.py", "OK"),
    "to where its folder is": ("d/a.py", "d", "OK"),
    "to its own name": ("d/a.py", "d/a.py", "OK"),
    "to a file": ("d/a.py", "e/x", "E_EXISTS"),
    "to a twin of a file": ("d/a.py", "e/X", "E_FOLD"),
    "to a folder": ("d/a.py", "e", "E_ISDIR"),
    "below a file": ("d/a.py", "e/x/a.py", "E_PARENT_FILE"),
}


@pytest.mark.parametrize(("path", "new_path", "rule"), RENAMES.values(), ids=RENAMES)
@pytest.mark.parametrize("mode", [FILE, "100755"])
def test_a_new_name_is_checked_as_if_the_old_one_were_gone(path: str, new_path: str, rule: str, mode: str) -> None:
    view = Overlay(tree_of({"d/a.py": mode, "e/x": FILE}))
    error = view.check_rename(path, new_path)
    assert (error.rule if error else "OK") == rule
    assert (dict(view.entries("")), dict(view.entries("d"))) == ({"d": DIRECTORY, "e": DIRECTORY}, {"a.py": mode})
    assert view.check("D/new", "create") is not None, "the folder is there again"


def test_a_file_deep_in_the_tree_keeps_its_mode_under_a_new_name() -> None:
    view = Overlay(tree_of({"d/e/run": "100755"}))
    assert view.check_rename("d/e/run", "d/e/go") is None
    assert dict(view.entries("d/e")) == {"run": "100755"}


def test_names_that_some_systems_take_for_one() -> None:
    assert list(same_fold("a.py", ["B.py", "A.py", "a.PY", "a.py", "b"])) == ["A.py", "a.PY", "a.py"]


OBSTACLES = {
    "a file above": (
        "a/b",
        "a",
        FILE,
        PathError("E_PARENT_FILE", "a is a file, so a/b cannot be below it", "choose another path"),
    ),
    "a link above": (
        "a/b",
        "a",
        LINK,
        PathError("E_SYMLINK_PARENT", "a is a symbolic link", "use the real path of the file"),
    ),
    "a link": ("a/b", "a/b", LINK, PathError("E_SYMLINK_LEAF", "a/b is a symbolic link", "edit its target")),
    "a submodule above": (
        "a/b",
        "a",
        MODULE,
        PathError("E_GITLINK", "a is a submodule", "edit it in its own repository"),
    ),
    "a folder": (
        "a/b",
        "a/b",
        DIRECTORY,
        PathError("E_ISDIR", "a/b is a folder", "name a file in it, or choose another path"),
    ),
    "a pipe above": ("a/b", "a", SPECIAL, PathError("E_GITLINK", "a is not a regular file", "name one")),
    "an unknown mode": ("a/b", "a/b", "100600", PathError("E_GITLINK", "a/b is not a regular file", "name one")),
}


@pytest.mark.parametrize(("path", "here", "mode", "error"), OBSTACLES.values(), ids=OBSTACLES)
def test_what_is_in_the_way_is_named_by_its_own_path(path: str, here: str, mode: str, error: PathError) -> None:
    assert path_error(path, here, mode) == error
