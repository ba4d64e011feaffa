"""What .gitattributes say of a path, held equal to `git check-attr --cached`."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editblocks.paths.attributes import filtered_attribute, is_lfs_pointer

WATCHED = ("filter", "working-tree-encoding", "ident")
SET, UNSET, UNKNOWN = "set", "unset", "unspecified"
# .gitattributes of the root, path, and the value of `filter`
LINES = [
    ("* filter=lfs", "a/b.bin", "lfs"),
    ("*.bin filter=lfs diff=lfs merge=lfs -text", "a/b.bin", "lfs"),
    ("*.bin filter=lfs", "a/b.bin.txt", UNKNOWN),
    ("*.bin filter=lfs", "a.bin/b", UNKNOWN),
    ("*.bin filter", "b.bin", SET),
    ("*.bin -filter", "b.bin", UNSET),
    ("*.bin !filter", "b.bin", UNKNOWN),
    ("*.bin filter=", "b.bin", ""),
    ("*.bin -filter=lfs", "b.bin", UNSET),
    ("*.bin filter=a=b", "b.bin", "a=b"),
    ("* filter=a\n*.bin filter=b", "x.bin", "b"),
    ("* filter=a\n*.bin -filter", "x.bin", UNSET),
    ("* filter=a\n*.bin !filter", "x.bin", UNKNOWN),
    ("* filter=a filter=b", "x", "b"),
    ("# * filter=a", "x", UNKNOWN),
    ("  # * filter=a", "# ", UNKNOWN),
    ("\\#x filter=a", "#x", "a"),
    ("   x   filter=a", "x", "a"),
    ("x\tfilter=a\t", "x", "a"),
    ("x filter=a\r\ny filter=b\r\n", "x", "a"),
    ("x filter=a # note", "x", UNKNOWN),  # "#" is no valid name, so the line is dropped
    ("x filter=a é", "x", UNKNOWN),
    ("x filter=a -", "x", UNKNOWN),
    ("x filter=a =b", "x", UNKNOWN),
    ("x filter=a --b", "x", UNKNOWN),
    ("x", "x", UNKNOWN),
    ("!x filter=a", "x", UNKNOWN),
    ("!x filter=a", "!x", UNKNOWN),
    ("\\!x filter=a", "!x", "a"),
    ("a/ filter=a", "a", UNKNOWN),
    ("a/ filter=a", "a/b", UNKNOWN),
    ("a filter=a", "a/b", UNKNOWN),
    ("a/** filter=a", "a/b/c", "a"),
    ("a/* filter=a", "a/b/c", UNKNOWN),
    ("a/* filter=a", "a/b", "a"),
    ("/x filter=a", "x", "a"),
    ("/x filter=a", "d/x", UNKNOWN),
    ("d/x filter=a", "e/d/x", UNKNOWN),
    ("**/x filter=a", "x", "a"),
    ("**/x filter=a", "d/e/x", "a"),
    ("**/x filter=a", "dx", UNKNOWN),
    ("d/**/x filter=a", "d/x", "a"),
    ("d/**/x filter=a", "d/e/f/x", "a"),
    ("d**/x filter=a", "de/x", "a"),
    ("d**/x filter=a", "de/f/x", "a"),  # git takes "d" off first, and reads the rest as "**/x"
    ("*/**/x filter=a", "d/x", "a"),
    ("*/**/x filter=a", "d/e/f/x", "a"),
    ("?*/** filter=a", "d/e/f", "a"),
    ("d**x filter=a", "dexx", "a"),
    ("X filter=a", "x", UNKNOWN),
    ("[ab].c filter=a", "b.c", "a"),
    ("[!ab].c filter=a", "c.c", "a"),
    ("[a-c]x filter=a", "bx", "a"),
    ("[]x]y filter=a", "]y", "a"),
    ("[--0]x filter=a", ".x", "a"),
    ("[a-c-e]x filter=a", "-x", "a"),
    ("[a-\\]]x filter=a", "ax", "a"),
    ("[A-\\]]x filter=a", "]x", "a"),
    ("[a-]x filter=a", "-x", "a"),
    ("[A-[:digit:]]x filter=a", "B]x", "a"),
    ("[[:digit:]]x filter=a", "3x", "a"),
    ("[[:]x filter=a", ":x", "a"),
    ("[a\\]]x filter=a", "]x", "a"),
    ("d?x filter=a", "d/x", UNKNOWN),
    ("?.c filter=a", "é.c", UNKNOWN),  # two bytes
    ("??.c filter=a", "é.c", "a"),
    ("é* filter=a", "éa", "a"),
    ("a\\*b filter=a", "a*b", "a"),
    ('"a b" filter=a', "a b", "a"),
    ('"a\\tb*" filter=a', "a\tbc", "a"),
    ('"\\303\\251" filter=a', "é", "a"),
    ('"a\\"b" filter=a', 'a"b', "a"),
    ('"a filter=a', '"a', "a"),  # no closing quote: the quote is part of the name
    ('"a\\qb" filter=a', '"aqb"', "a"),
    ('"a"filter=a', "a", "a"),
    ("x filter=a\n[attr]m filter=m\nx m", "x", "m"),
    ("x m\n[attr]m filter=m", "x", "m"),
    ("x m filter=a\n[attr]m filter=m", "x", "a"),
    ("x filter=a m\n[attr]m filter=m", "x", "m"),
    ("x -m\n[attr]m filter=m", "x", UNKNOWN),
    ("x m=1\n[attr]m filter=m", "x", UNKNOWN),
    ("x m\n[attr]m n\n[attr]n filter=n", "x", "n"),
    ("x m\n[attr]m m n\n[attr]n m filter=n", "x", "n"),
    ("x m\n[attr]m filter=1\n[attr]m filter=2", "x", "2"),
    ("x m filter=a\n[attr]m !filter", "x", "a"),
    ("x binary\n[attr]binary filter=b", "x", "b"),
    ("x binary", "x", UNKNOWN),
    ("[attr] m filter=m", "a", "m"),  # no macro but a class of characters
    ("[attr] m filter=m\nx m", "x", UNKNOWN),
    ('"[attr]m" filter=m\nx m', "x", "m"),
    ("[attr]-m filter=m\nx filter=x", "x", "x"),
    ("[attr]Xm filter=m\nx Xm", "x", "m"),
    ("x text\nx filter=a", "x", "a"),
    ("x Xfilter=a", "x", UNKNOWN),
    ("a[[:space:]]b filter=a", "a b", "a"),
]
DEEP = [
    ({"": b"* filter=a", "d": b"* filter=b"}, "d/x", "b"),
    ({"": b"* filter=a", "d": b"* -filter"}, "d/e/x", UNSET),
    ({"": b"* filter=a", "d": b"y filter=b"}, "d/x", "a"),
    ({"d": b"/x filter=b"}, "d/x", "b"),
    ({"d": b"/x filter=b"}, "d/e/x", UNKNOWN),
    ({"d": b"d/x filter=b"}, "d/x", UNKNOWN),
    ({"d": b"e/*.c filter=b"}, "d/e/x.c", "b"),
    ({"e": b"* filter=b"}, "d/x", UNKNOWN),
    ({"": b"[attr]m filter=m", "d": b"x m"}, "d/x", "m"),
    ({"": b"[attr]m filter=m\n* m", "d": b"* filter=d"}, "d/x", "d"),
    ({"x": b"* filter=a"}, "x/x", "a"),
]
# git reads these by rules that we do not have: they count as matching, and a file may be refused without need.
IN_DOUBT = [
    ("*e**/x filter=a", "de/f/x", UNKNOWN),
    ("d/e**x filter=a", "d/ef/x", UNKNOWN),
    ("[^ab].c filter=a", "a.c", UNKNOWN),
    ("[a filter=a", "[a", UNKNOWN),
    ("[a\\ filter=a", "a", UNKNOWN),
    ("[[:a filter=a", "a", UNKNOWN),
    ("[--0]x filter=a", "/x", UNKNOWN),
    ("[a-c-e]x filter=a", "dx", UNKNOWN),
    ("[a-\\]]x filter=a", "]x", UNKNOWN),
    ("[d-a]x filter=a", "bx", UNKNOWN),
    ("[A-[:digit:]]x filter=a", "Bx]x", UNKNOWN),
    ("[[::]]x filter=a", ":]x", UNKNOWN),
    ("[[:digit:]]x filter=a", ":x", UNKNOWN),
    ("[[:nonsense:]]x filter=a", "nx", UNKNOWN),
    ("d[/]x filter=a", "d/x", UNKNOWN),
    ("a\\*b filter=a", "axb", UNKNOWN),
    ("x\\ filter=a", "x", UNKNOWN),
    ("* m\nx -m\n[attr]m filter=m", "x", UNKNOWN),
    ("x m\n[attr]m -filter", "x", UNSET),
]
IN_DOUBT_DEEP = [
    ({"d": b"[attr]m filter=m\nx m"}, "d/x", UNKNOWN),
    ({"": b"[attr]m filter=m\n* m", "d": b"* -m"}, "d/x", UNKNOWN),
]


def in_the_root(rows: list[tuple[str, str, str]]) -> list[tuple[dict[str, bytes], str, str]]:
    return [({"": lines.encode()}, path, value) for lines, path, value in rows]


CERTAIN = [*in_the_root(LINES), *DEEP]
DOUBTFUL = [*in_the_root(IN_DOUBT), *IN_DOUBT_DEEP]
TABLE = [*CERTAIN, *DOUBTFUL]


@pytest.mark.parametrize(("files", "path", "value"), TABLE, ids=[f"{row[1]} {row[0]}" for row in TABLE])
def test_value_of_filter(files: Mapping[str, bytes], path: str, value: str) -> None:
    in_force = value not in (UNKNOWN, UNSET) or (files, path, value) in DOUBTFUL
    assert (filtered_attribute(path, files.get) == "filter") is in_force


@pytest.mark.long
def test_the_table_is_what_git_says(repository: Path) -> None:
    files: dict[str, bytes] = {}
    asked = []
    for number, (case, path, value) in enumerate(TABLE):
        if any(b"[attr]" in data for data in case.values()):  # the root alone has macros: a repository each
            assert (number, git_values(repository, case, [path])[0][0]) == (number, value)
        else:
            files |= {f"{number}/{directory}".rstrip("/"): data for directory, data in case.items()}
            asked.append((f"{number}/{path}", value))
    found = git_values(repository, files, [path for path, _ in asked])
    assert [(path, row[0]) for (path, _), row in zip(asked, found, strict=True)] == asked


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("* filter=x ident working-tree-encoding=UTF-16", "filter"),
        ("* ident working-tree-encoding=UTF-16", "working-tree-encoding"),
        ("* ident", "ident"),
        ("* -ident text eol=lf diff=python merge=union linguist-generated export-ignore", None),
        ("", None),
    ],
)
def test_which_attribute_is_named(line: str, name: str | None) -> None:
    assert filtered_attribute("a/b", {"": line.encode()}.get) == name


def test_directories_are_read_from_the_root_down() -> None:
    read: list[str] = []

    def nothing(directory: str) -> None:
        read.append(directory)

    assert filtered_attribute("a/b/c", nothing) is None
    assert read == ["", "a", "a/b"]


UNREADABLE = [
    ("a line longer than git reads", b"x " + b"a" * 2050 + b" filter=a"),
    ("behind a NUL", b"\0\ny filter=a"),
    ("behind a byte order mark", b"\xef\xbb\xbfy filter=a"),
    ("a macro behind a NUL", b"x m\n\0\n[attr]m filter=a\ny m"),
    ("a file larger than any", b"#" * (1 << 20) + b"\n"),
]


@pytest.mark.parametrize("data", [row[1] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_what_cannot_be_read_counts_as_matching(data: bytes) -> None:
    assert filtered_attribute("x", {"": data}.get) == "filter"


def test_a_file_as_large_as_git_reads() -> None:
    assert filtered_attribute("x", {"": b"#" * (1 << 20)}.get) is None


@pytest.mark.parametrize(("size", "attribute"), [(999, None), (1000, "filter")])
def test_the_cost_that_is_too_much(size: int, attribute: str | None) -> None:
    data = b"*" + b"?" * 1999 + b" filter=a\n"
    assert filtered_attribute("a" * size, {"": data}.get) == attribute


def test_what_costs_too_much_counts_as_matching() -> None:
    data = (b"*" + b"?" * 2000 + b" -filter\n") * 3 + b"?? filter=a\n"
    assert filtered_attribute("a" * 900, {"": data}.get) == "filter"


def test_what_cannot_be_read_frees_nothing() -> None:
    data = b"\xef\xbb\xbfx -filter\nx filter=a\n" + b"x " + b"a" * 2050 + b" -filter\n"
    assert filtered_attribute("x", {"": data}.get) == "filter"


HOSTILE = [
    b"*a" * 900 + b"b filter=x\n",
    b"**/" * 600 + b"b filter=x\n",
    b"a/" + b"**/*" * 400 + b"b filter=x\n",
    b"".join(b"[attr]m%d m%d\n" % (n, n + 1) for n in range(5000)) + b"x m0 filter",
    b'"' * 2000 + b" filter=x\n",
]


@pytest.mark.parametrize("data", HOSTILE, ids=["stars", "directories", "mixed", "macros", "quotes"])
def test_hostile_patterns_end(data: bytes) -> None:
    assert filtered_attribute("a/" + "a" * 900, {"": data}.get) in (None, "filter")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (POINTER, True),
        (POINTER.replace(b"\n", b"\r\n"), True),
        (b"x" + POINTER, False),
        (b"", False),
        (POINTER[:20], False),
    ],
)
def test_is_lfs_pointer(data: bytes, pointer: bool) -> None:
    assert is_lfs_pointer(data) is pointer


# Held equal to git

PIECES = [
    *r"a b ab d e .c x.c / / * * ** **/ /** /**/ *** d/ /e ? \ \a \* ! # é - ".split(),
    *r'" ] [ab] [!a] [^b] [a-d] []a] [a [[:alpha:]] [[:x:]] [\a] [-a] [a-] [/]'.split(),
    *r"[d-a] [a-c-e] [--a] [a-\]] [A-[:alpha:]]".split(),
]
PATTERNS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
QUOTED = PATTERNS.map(lambda pattern: '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"')
NAMES = st.sampled_from(["filter", "ident", "working-tree-encoding", "m", "n", "text"])
STATES = st.tuples(st.sampled_from(["", "", "-", "!"]), NAMES, st.sampled_from(["", "", "=v", "=w", "="])).map("".join)
ODD_STATES = st.sampled_from(["=", "-", "!", "a b", "é", "#", "filter=a=b", "--m", "a.b", "builtin"])
RULES = st.tuples(
    st.one_of(PATTERNS, PATTERNS, QUOTED), st.lists(st.one_of(STATES, STATES, STATES, ODD_STATES), max_size=3)
)
LINE = RULES.map(lambda rule: " ".join([rule[0], *rule[1]]))
PLAIN_NAMES = st.lists(st.sampled_from("a b ab d e .c x.c * ? [ab] [d] é -".split()), min_size=1, max_size=3).map(
    "".join
)
PLAIN_PATTERNS = st.lists(st.just("**") | PLAIN_NAMES.filter(lambda name: "**" not in name), min_size=1, max_size=4)
PLAIN_LINE = st.tuples(PLAIN_PATTERNS.map("/".join), st.lists(STATES, max_size=3)).map(
    lambda rule: " ".join([rule[0], *rule[1]])
)
MACROS = st.tuples(
    st.sampled_from(["[attr]m", "[attr]n", '"[attr]m"', "[attr] m"]), st.lists(STATES, min_size=1, max_size=3)
)
MACRO = MACROS.map(lambda rule: " ".join([rule[0], *rule[1]]))
PATHS = st.lists(st.sampled_from(["a", "b", "d", "e", "ab", "x.c", "a.c", "é", "d]"]), min_size=1, max_size=4).map(
    "/".join
)
ASKED = st.lists(PATHS, min_size=2, max_size=8)
Forest = tuple[bytes, list[str], list[tuple[bytes, bytes, list[str]]]]


def forests(*lines: st.SearchStrategy[str]) -> st.SearchStrategy[Forest]:
    """The root's file, and directories that each have a file, one below it, and paths that are asked for."""
    files = st.lists(st.one_of(lines[0], lines[0], *lines), max_size=5).map(lambda rows: "\n".join(rows).encode())
    return st.tuples(files, ASKED, st.lists(st.tuples(files, files, ASKED), min_size=4, max_size=12))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attributes")
    git(folder, "init", "-q", ".")
    return folder


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
    }
    command = ["git", "-c", "core.attributesFile=" + os.devnull, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, input=stdin, check=True, capture_output=True).stdout


def git_values(folder: Path, files: Mapping[str, bytes], paths: list[str]) -> list[list[str]]:
    """The watched attributes of each path by `git check-attr --cached`."""
    stream = b"commit refs/heads/x\ncommitter x <x> 0 +0000\ndata 0\ndeleteall\n"
    for directory, data in files.items():
        name = f"{directory}/.gitattributes" if directory else ".gitattributes"
        stream += f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n"
    git(folder, "fast-import", "--quiet", "--force", stdin=stream)
    git(folder, "read-tree", "refs/heads/x")
    stdin = b"".join(path.encode() + b"\0" for path in paths)
    out = git(folder, "check-attr", "--cached", "-z", "--stdin", *WATCHED, stdin=stdin).split(b"\0")
    found = [field.decode("utf-8", "surrogateescape") for field in out[2::3]]
    return [found[start : start + len(WATCHED)] for start in range(0, len(found), len(WATCHED))]


def misread(folder: Path, forest: Forest, *, exact: bool) -> list[str]:
    """The paths whose filter is missed; if `exact`, also those of which one is only suspected."""
    root, paths, trees = forest
    files = {"": root}
    for number, (own, below, asked) in enumerate(trees):
        files |= {str(number): own, f"{number}/d": below}
        paths = [*paths, *(f"{number}/{path}" for path in asked)]
    wrong = []
    for path, values in zip(paths, git_values(folder, files, paths), strict=True):
        in_force = not {UNKNOWN, UNSET}.issuperset(values)
        found = filtered_attribute(path, files.get) is not None
        if found is not in_force and (exact or in_force):
            wrong.append(f"{path} of {files}")
    return wrong


MANY = settings(deadline=None, max_examples=800, suppress_health_check=list(HealthCheck))


@pytest.mark.long
@MANY
@given(forests(LINE, MACRO))
def test_no_file_that_git_converts_is_let_through(repository: Path, forest: Forest) -> None:
    assert misread(repository, forest, exact=False) == []


@pytest.mark.long
@MANY
@given(forests(PLAIN_LINE))
def test_plain_patterns_are_read_as_git_reads_them(repository: Path, forest: Forest) -> None:
    assert misread(repository, forest, exact=True) == []
