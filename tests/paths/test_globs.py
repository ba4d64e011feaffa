"""Globs of a policy: what they mean, held against a slow and plain reading, and what they cost at worst."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.callkit import calls

from editblocks.core.codes import ReasonCode
from editblocks.core.settings import Settings
from editblocks.paths.policy import (
    check_policy,
    folders_of,
    is_read_as_response,
    is_response_file,
    is_workflow,
    matches,
    response_paths,
)
from editblocks.paths.tree import DIRECTORY

MATCHING: list[tuple[str, str, str]] = [
    # glob, paths that it means, paths that it does not
    ("**", "a a/b .x/y/z", ""),
    ("*", "a .x a.py", "a/b"),
    ("*.py", "a.py .py", "a/b.py a.pyc A.PY"),
    ("**/*.py", "a.py a/b.py a/b/c.py", "a.pyc a.py/b"),
    ("src/**", "src/a src/a/b src/.x", "src srcs/a a/src/b Src/a"),
    ("src/**/test", "src/test src/a/test src/a/b/test", "src/a src/test/a test"),
    ("**/src/**", "src/a a/src/b a/b/src/c/d", "src a/src asrc/b"),
    ("a/*/c", "a/b/c a/.b/c", "a/c a/b/b/c a//c/d"),
    ("a?c", "abc a.c aéc", "ac abbc a/c"),
    ("a**c", "ac abc abbc", "a/c ab/c"),
    ("a*b*c", "abc aabbcc a.b.c abcbc", "acb ab"),
    ("src/app.py", "src/app.py", "src/app_py src/app.py/x a/src/app.py"),
    ("pages/?id?.tsx", "pages/[id].tsx", "pages/id.tsx"),
    ("a.b", "a.b", "aXb"),
    ("**/**/x", "x a/x a/b/x", "xx"),
    ("é/*", "é/a", "e\u0301/a"),
]


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        *((glob, path, True) for glob, fitting, _ in MATCHING for path in fitting.split()),
        *((glob, path, False) for glob, _, others in MATCHING for path in others.split()),
    ],
    ids=ascii,
)
def test_what_a_glob_means(glob: str, path: str, expected: bool) -> None:
    assert matches(glob, path) is expected


def plainly(names: list[str], path: list[str]) -> bool:
    """The same by trying everything, which may take for ever on longer texts."""
    if not names:
        return not path
    if names[0] == "**":
        least = 1 if len(names) == 1 else 0
        return any(plainly(names[1:], path[count:]) for count in range(least, len(path) + 1))
    pattern = re.sub("[*]+", ".*", names[0]).replace("?", ".")
    return bool(path) and re.fullmatch(pattern, path[0]) is not None and plainly(names[1:], path[1:])


NAMES = st.text("ab*?", min_size=1, max_size=3)
PATHS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.sampled_from(["**"]) | NAMES, min_size=1, max_size=4).map("/".join), PATHS)
def test_it_means_what_a_plain_reading_says(glob: str, path: str) -> None:
    assert matches(glob, path) is plainly(glob.split("/"), path.split("/"))


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 127, "a" * 255),
        ("*a" * 127 + "b", "a" * 255),
        ("**/" * 80 + "x", "a/" * 63 + "a"),
        ("**/*a*/" * 30 + "x", "a/" * 63 + "a"),
        ("**/" + "*a" * 120 + "b", ("a" * 250 + "/") * 4),
    ],
    ids=["stars", "stars that fail", "folders", "both", "long names"],
)
def test_the_work_is_that_of_the_glob_for_each_letter_at_most(glob: str, path: str) -> None:
    assert calls(lambda: matches(glob, path)) <= 5 * len(glob) * len(path)


RULED: list[tuple[str, Settings, str | None]] = [
    ("src/a.py", Settings(), None),
    ("src/a.py", Settings(paths=("src/**",)), None),
    ("lib/a.py", Settings(paths=("src/**",)), "lib/a.py is not in `src/**` (paths), where blocks may change files"),
    (
        "x",
        Settings(paths=("a", "b", "c", "d")),
        "x is not in `a`, `b`, `c` and others (paths), where blocks may change files",
    ),
    ("src/a.py", Settings(paths=("src/**",), input_paths=("**/*.py",)), None),
    (
        "x",
        Settings(paths=("a", "b", "c")),
        "x is not in `a`, `b`, `c` (paths), where blocks may change files; change it",
    ),
    ("src/a.md", Settings(paths=("src/**",), input_paths=("**/*.py",)), "src/a.md is not in `**/*.py` (paths)"),
    ("lib/a.py", Settings(paths=("src/**",), input_paths=("**/*.py",)), "lib/a.py is not in `src/**` (paths)"),
    ("src/a.py", Settings(paths=("src/**",), deny_paths=("**/a.*",)), "is denied by `**/a.*` (deny-paths)"),
    ("src/A.py", Settings(deny_paths=("SRC/a.*",)), "src/A.py is denied by `SRC/a.*` (deny-paths); change it by hand"),
    ("Caf\u00e9/a", Settings(deny_paths=("cafe\u0301/*",)), "is denied by `cafe\u0301/*` (deny-paths)"),
    ("src/A.py", Settings(paths=("SRC/**",)), "src/A.py is not in `SRC/**` (paths), where blocks may change files"),
    ("secrets/a/b", Settings(deny_paths=("secrets",)), "secrets/a/b is in the folder secrets, and `secrets` denies it"),
    ("secrets/a", Settings(deny_paths=("secrets",)), "and `secrets` denies it (deny-paths); change it by hand"),
    ("a/Secrets/b", Settings(deny_paths=("**/secrets",)), "is in the folder a/Secrets, and `**/secrets` denies it"),
    ("secrets.md", Settings(deny_paths=("secrets",)), None),
    ("action.yml", Settings(), "action.yml can run code or change what reviewers see, and is protected; an owner may"),
    ("action.yml", Settings(allow_protected=("action.yml",)), None),
    ("a/action.yml", Settings(allow_protected=("action.yml",)), "is protected; an owner may allow it by"),
    ("Action.yml", Settings(allow_protected=("action.yml",)), "is protected; an owner may allow it by"),
    ("action.yml", Settings(allow_protected=("action.yml",), deny_paths=("*.yml",)), "is denied by `*.yml`"),
    ("action.yml", Settings(allow_protected=("action.yml",), paths=("src/**",)), "is not in `src/**` (paths)"),
    (".editblocks.yml", Settings(allow_protected=(".editblocks.yml",)), None),
    (".github/workflows/a.yml", Settings(allow_protected=(".github/workflows/a.yml",)), "protected; change it by hand"),
    (".GitHub/Workflows/a.yml", Settings(allow_protected=(".GitHub/Workflows/a.yml",)), "protected; change it by hand"),
    (
        ".edits/a.md",
        Settings(allow_protected=(".edits/a.md",), response_files=()),
        "the path of a response file, and blocks may not write response files; change it by hand",
    ),
    ("ai/a.md", Settings(), None),
    ("ai/a.md", Settings(response_files=("ai/*.md",)), "ai/a.md is the path of a response file"),
    ("AI/A.MD", Settings(response_files=("ai/*.md",)), "AI/A.MD is the path of a response file"),
    ("ai/a.txt", Settings(response_files=("ai/*.md",)), None),
    ("ai/b/a.md", Settings(response_files=("ai/*.md",)), None),
]


@pytest.mark.parametrize(
    ("path", "settings", "message"), RULED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_a_policy_rules_out(path: str, settings: Settings, message: str | None) -> None:
    error = check_policy(path, settings)
    if message is None:
        assert error is None
    else:
        assert error is not None
        assert error.code is ReasonCode.NOT_ALLOWED
        assert message in error.message


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("ai/a.md", True),
        ("in/b.txt", True),
        ("ai/.md", False),  # the star stands for a letter at least
        ("ai/b/a.md", False),
        ("AI/a.md", False),
        ("a.md", False),
        ("ai/a.txt", False),
    ],
)
def test_what_is_read_as_a_response(path: str, is_one: bool) -> None:
    patterns = ("ai/*.md", "in/*.txt", "ai/*.md.txt")
    assert is_read_as_response(path, patterns) is is_one
    assert folders_of(patterns) == ["ai", "in"]


def test_the_response_files_of_a_tree() -> None:
    names = ("b.md", "a.md", "a.txt")
    tree = {"ai": dict.fromkeys(names, "100644") | {"c.md": DIRECTORY, "d.md": "120000"}, "in": {"e.txt": "100755"}}
    found = response_paths(lambda folder: tree.get(folder, {}), ("in/*.txt", "ai/*.md", "no/*.md"))
    assert found == ["ai/a.md", "ai/b.md", "ai/d.md", "in/e.txt"]


def test_a_windows_spelling_of_a_response_file_is_one() -> None:
    assert is_response_file("ai/a.md.", ["ai/*.md"])
    assert is_response_file("ai/a.md::$DATA", ["ai/*.md"])
    assert is_workflow(".github./workflows/x")
    assert not is_workflow("docs/.github/workflows/x")
