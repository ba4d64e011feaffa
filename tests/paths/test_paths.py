"""The path rules: every row of the vectors, and the families around them."""

import json
from typing import Any

import pytest
from support.project import DATA
from support.trees import ONE_LINE, tree_of

from editblocks.applying.plans import nearest
from editblocks.core.characters import show_text
from editblocks.core.codes import ReasonCode
from editblocks.core.settings import Settings
from editblocks.paths.policy import (
    check_policy,
    folders_of,
    is_in_protected_place,
    is_protected,
    is_response_file,
    needs_review,
)
from editblocks.paths.syntax import Operation, PathError, check_syntax, is_safe_path
from editblocks.paths.tree import Overlay

VECTORS = [json.loads(line) for line in (DATA / "path_vectors.jsonl").read_text().splitlines()]


def decide(path: str, op: Operation, view: Overlay) -> PathError | None:
    """All ten steps in their order."""
    return check_syntax(path, op) or view.check(path, op) or check_policy(path)


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["id"])
def test_s03_vector(row: dict[str, Any]) -> None:
    view = Overlay(tree_of(row.get("tree", {})))
    for earlier in row.get("batch", ()):
        view.record(earlier["path"], earlier["op"])
    error = decide(row["path"], row["op"], view)
    assert (error.rule if error else "OK") == row["code"]
    if row["layer"] == "syntax":
        assert (check_syntax(row["path"], row["op"]) is None) is (row["verdict"] == "accept")
    if row["layer"] == "policy":
        assert is_protected(row["path"]) is (row["verdict"] == "reject")
        assert needs_review(row["path"]) is (row.get("flag") == "review")
    if "hint" in row:
        assert error is not None
        if error.rule == "E_MISSING":
            assert nearest(row["path"], view.entries)[0] == row["hint"]
        else:
            assert error.advice == f"write {row['hint']}"
    if error:
        assert ONE_LINE.fullmatch(error.message)


def test_rows_cover_every_layer() -> None:
    assert {row["layer"] for row in VECTORS} == {"syntax", "tree", "batch", "policy"}


UNSAFE = ("/etc/passwd", "../x", "a/../../x", ".git/config", "a/.GIT/hooks/x", "C:/x", "~/x", "", "con.txt", "a:b")
FINE = ("a.py", "src/a b.py", ".github/workflows/ci.yml", "..a/b", "Makefile")


@pytest.mark.parametrize(("path", "safe"), [*((p, False) for p in UNSAFE), *((p, True) for p in FINE)])
def test_is_safe_path(path: str, safe: bool) -> None:
    assert is_safe_path(path) is safe


PORTS = [f"{port}{n}" for port in ("COM", "LPT") for n in "0123456789¹²³"]
RESERVED = ["AUX", "CON", "PRN", "NUL", "CONIN$", "CONOUT$", *PORTS]
DOTGIT = [
    *".git .GIT git~1 GIT~1 .git. .git:x git~1:x .git::$INDEX_ALLOCATION .gıt .gіt .gІT".split(),
    *"․git ．git .ｇｉｔ .git：x ｇit~1 git～1 x／.git".split(),
    *(".git ", ".git. . ", ".git\u00a0", ".git\u1680", ".git\u2028", ".g\u00adit", "\ufeff.git"),
    *(".git\ufe0f", ".git\U000e0100", ".git\U000e0041", ".git\u115f", ".git\uffa0"),
]
INVISIBLE = (
    "\u00a0\u00ad\u034f\u0600\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2000\u200a\u200b\u200f"
    "\u2028\u2029\u202a\u202f\u205f\u2064\u206f\u2800\u3000\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9"
    "\U000e0001\U000e0041\U000e0100\U000e01ef"
)
PRIVATE = "\ue000\uf8ff\ufdd0\ufdef\ufffd\ufffe\uffff\U0001fffe\U000f0000\U0010fffd\U0010ffff"

BY_RULE = {
    "OK": [
        *"comx com10 lpt auxiliary.c xcon conin con-a nul_ .con a.con".split(),
        *"abcdefg~1 a~b a.b~1 ~x~1 ..gitx git~ x~1y ..git.md .gitkeep ~root a/~ a/~/b a/-b x~ a.-b".split(),
        *"привет тест_test.py тест-a тест2a αβγ.md αя µs.txt naïve.md 日本語a.md אa हिन्दी.md".split(),
        *("a" * 255, "é" * 127, "a/" * 63 + "a", ("a" * 127 + "/") * 7 + "a" * 128),
    ],
    "E_EMPTY": [""],
    "E_ENC": ["\ud800", "a/\udfff", "\udce9" * 2000],
    "E_LEN": ["a" * 1025, "é" * 513, "a/" * 513],
    "E_DEPTH": ["a/" * 64 + "a", "/" * 64],
    "E_COMPLEN": ["a" * 256, "é" * 128, "x/" + "日" * 86],
    "E_DOTGIT": [before + name + after for name in DOTGIT for before in ("", "a/") for after in ("", "/x")],
    "E_CTRL": [f"a{chr(code)}b" for code in (*range(32), *range(0x7F, 0xA0))],
    "E_INVIS": [f"a{char}b" for char in INVISIBLE],
    "E_PRIVATE": [f"a{char}b" for char in PRIVATE],
    "E_BACKSLASH": ["\\", "a\\b", "/a\\", "C:\\x", "a/b\\"],
    "E_ABS": ["/", "//", "/a", "~", "~/", "~/a", "~root/a", "C:/a.py", "z:/"],
    "E_DASH": ["-", "-a", "--x=y", "-/a"],
    "E_TRAIL": ["a/", "a/b/", "a//", "../"],
    "E_DOT": ["./a", "a/.", "a/./b", "../a", "a//b", "..", "."],
    "E_EDGE_SPACE": [" a", "a ", "a/ b", "a /b", "a/ ", " "],
    "E_WINCHAR": [f"a{char}b" for char in '<>:"|?*'],
    "E_RESERVED": [*RESERVED, *(n.lower() for n in RESERVED), "aux.c", "NUL.tar.gz", "con .txt", "a/prn/b"],
    "E_TRAILDOT": ["a.", "a./b", "...", "a/....", "conx.."],
    "E_SHORTNAME": ["GIT~2", "abcdef~1.txt", "~1", "a/~12/b", "..git", "..GIT/x", ". git", "PROGRA~10"],
    "E_NFC": ["cafe\u0301", "\u212b", "\u1100\u1161", "\uf900", "a\u0307\u0323"],
    "E_MIXED": ["pаypal", "Αbc", "aμ", "о\u0489a", "x/тeст", "яZ.md", "ａя", "\ufb01я"],
}
SEVERAL = [
    (".git\0", "E_CTRL"),
    ("a\u200b\0", "E_CTRL"),
    ("\ue000\u200b", "E_INVIS"),
    ("/.git", "E_DOTGIT"),
    ("/a\u200b", "E_INVIS"),
    ("-\\", "E_BACKSLASH"),
    ("con:", "E_WINCHAR"),
    ("con.", "E_RESERVED"),
    ("x~1.", "E_TRAILDOT"),
    ("e\u0301~1", "E_SHORTNAME"),
    ("яe\u0301", "E_NFC"),
]
SYNTAX = [*((name, rule) for rule, names in BY_RULE.items() for name in names), *SEVERAL]


@pytest.mark.parametrize(("path", "rule"), SYNTAX, ids=lambda value: ascii(value)[:40])
def test_check_syntax(path: str, rule: str) -> None:
    error = check_syntax(path, "create")
    assert (error.rule if error else "OK") == rule
    if error:
        assert error.code is ReasonCode.UNSAFE_PATH
        assert ONE_LINE.fullmatch(error.message)
        assert len(error.message) < 400


LENIENT = frozenset({"E_WINCHAR", "E_RESERVED", "E_TRAILDOT", "E_SHORTNAME", "E_NFC", "E_MIXED"})


@pytest.mark.parametrize("op", ["edit", "delete"])
def test_an_existing_name_is_held_to_fewer_rules(op: Operation) -> None:
    for path, rule in SYNTAX:
        error = check_syntax(path, op)
        assert (error.rule if error else "OK") == ("OK" if rule in LENIENT else rule), ascii(path)


MESSAGES = [
    ("../x.py", "create", "`../x.py` leaves the repository; write the path from the root of the repository"),
    ("a/../b", "create", "`a/../b` goes up with ..; write the path from the root of the repository"),
    ("a\u202eb.py", "create", "`aU+202Eb.py` holds U+202E, which is invisible; write the path without it"),
    ("a\nb", "create", "`a␊b` holds U+000A, a control character; write the path without it"),
    ("a\udce9b", "create", "`aU+DCE9b` holds U+DCE9, which UTF-8 cannot encode; choose another name"),
    ("a/.Git/x", "create", "`a/.Git/x` is inside a .git folder; blocks may not change it"),
    ("src/a\\b.py", "edit", "`src/a\\b.py` holds U+005C, a backslash; write src/a/b.py"),
    ("C:\\a.py", "edit", "`C:\\a.py` holds U+005C, a backslash; write the path with /"),
    ("..\\a.py", "edit", "`..\\a.py` holds U+005C, a backslash; write the path with /"),
    ("./a.py", "create", "`./a.py` begins with ./; write a.py"),
    ("docs/cafe\u0301.md", "create", "`docs/cafe\u0301.md` is not in NFC because of U+0301; write docs/café.md"),
    ("é/cafe\u0301", "create", "`é/cafe\u0301` is not in NFC because of U+0301; write é/café"),
    ("pаypal.py", "create", "`pаypal.py` mixes Latin letters with U+0430 in one word; keep to one alphabet"),
    ("a:b", "create", "`a:b` holds U+003A, which Windows does not allow in names; choose another name"),
    ("con", "create", "`con` has a name that Windows keeps for a device; choose another name"),
    ("a" * 1100, "create", f"`{'a' * 59}…{'a' * 60}` has 1100 bytes, the limit is 1024; choose a shorter path"),
]


@pytest.mark.parametrize(("path", "op", "message"), MESSAGES, ids=[ascii(row[0])[:20] for row in MESSAGES])
def test_message_names_rule_and_character(path: str, op: Operation, message: str) -> None:
    error = check_syntax(path, op)
    assert error is not None
    assert error.message == message


def test_shown_leaves_nothing_invisible() -> None:
    assert show_text("a\u200b\t\u2800\udc80\U000e0041b") == "aU+200BU+0009U+2800U+DC80U+E0041b"
    assert show_text("aé日b") == "aé日b"


PROTECTED = """
    .github/x .husky/pre-commit .githooks/x .circleci/config.yml .buildkite/p.yml .claude/settings.json
    .cursor/x .vscode/tasks.json .idea/x.iml .devcontainer/devcontainer.json .gitconfig .lfsconfig .mailmap
    .git-blame-ignore-revs .pre-commit-config.yaml .pre-commit-hooks.yaml .gitlab-ci.yml .travis.yml Jenkinsfile
    azure-pipelines.yml .mcp.json .editblocks.yml CODEOWNERS docs/CODEOWNERS .github/CODEOWNERS .gitattributes
    a/.gitattributes .gitmodules a/b/.gitmodules action.yml a/action.yaml CLAUDE.md a/AGENTS.md GEMINI.md
    a/.envrc .npmrc a/.yarnrc.yml .github
    .clinerules .clinerules-code .clinerules/x.md a/.clinerules .roo/rules/x.md .roorules .roorules-code .cursorrules
    a/.cursor/rules/x.mdc .windsurfrules .windsurf/x .codex/config.toml .gemini/settings.json CLAUDE.local.md
    a/b/.claude/settings.json a/.mcp.json .gitea/workflows/x.yml .forgejo/workflows/x.yml lefthook.yml .lefthook.toml
    .cargo/config.toml a/.cargo/config .idea/runConfigurations/x.xml .vscode/settings.json .ROO/x a/.Claude/x
    JENKINSFILE claude.md Docs/codeowners .GITHUB/WORKFLOWS/X.YML .gıthub/x .gіthub/x .gitmoduleſ ．github/x
    .ｇｉｔｈｕｂ／x a/ａction.yml .git\u200cattributes .gitattributes. .gitattributes:x .github./x .ｇitmodules
""".split()
UNPROTECTED = """
    docs/.github/x .github.io/x a/.husky/x a/.gitconfig a/Jenkinsfile src/CODEOWNERS CODEOWNERS.md action.yml.md
    my-action.yml CLAUDE.markdown gitmodules .gitattributes.bak .gitignore .envrc.example docs/docs/CODEOWNERS
    a/.vscode/settings.json hooks/pre-commit src/Jenkinsfile.py travis.yml
    clinerules.md roo/x .cargo/registry.toml cargo/config.toml a/lefthook.yml docs/.gitea/x claude/x .claude.md
""".split()
REVIEWED = """
    package.json web/package.json yarn.lock pnpm-lock.yaml pyproject.toml poetry.lock uv.lock Pipfile Cargo.toml
    crates/a/Cargo.lock go.sum Gemfile.lock composer.json pom.xml build.gradle.kts setup.py setup.cfg
    pkg/conftest.py Dockerfile Dockerfile.dev makefile Makefile.am a/b.sh x.PS1 requirements.txt
    requirements-dev.txt src/App.csproj x.gemspec flake.lock npm-shrinkwrap.json
""".split()
UNREVIEWED = """
    src/app.py README.md docs/requirements.md my-setup.py sh a.shx docs/package.json.md lock Make.py
""".split()


@pytest.mark.parametrize(
    ("path", "protected"), [*((p, True) for p in PROTECTED), *((p, False) for p in UNPROTECTED)], ids=ascii
)
def test_is_protected(path: str, protected: bool) -> None:
    assert is_protected(path) is protected
    error = check_policy(path)
    assert (error is not None) is protected
    if error:
        assert (error.rule, error.code) == ("E_PROTECTED", ReasonCode.NOT_ALLOWED)
        assert ONE_LINE.fullmatch(error.message)


@pytest.mark.parametrize(
    ("path", "review"), [*((p, True) for p in REVIEWED), *((p, False) for p in UNREVIEWED)], ids=ascii
)
def test_needs_review(path: str, review: bool) -> None:
    assert needs_review(path) is review
    assert not (review and is_protected(path))


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        (".edits/next.md", True),
        (".Edits/deep/next.txt", True),
        (".edits./next.md", True),
        (".edits", False),
        ("docs/.edits/next.md", False),
        ("edits/next.md", False),
    ],
)
def test_a_response_never_writes_a_response_file(path: str, is_one: bool) -> None:
    error = check_policy(path)
    assert is_response_file(path) is is_one
    assert (error is not None and error.rule == "E_PROTECTED") is is_one


@pytest.mark.parametrize(
    ("path", "is_so"),
    [
        (".github", True),
        (".github/workflows/ci.yml", True),
        ("docs/.cursor", True),
        ("docs/.Claude/rules", True),
        ("CLAUDE.md", True),
        ("docs", False),
        ("src/cursor", False),
    ],
)
def test_a_link_to_a_protected_place_or_above_one_leads_astray(path: str, is_so: bool) -> None:
    assert is_in_protected_place(path) is is_so


def test_folders_of_response_files_are_named_once_in_their_order() -> None:
    assert folders_of(["docs/answers/*.md", ".edits/*.md", "docs/answers/*.txt", "x-*.md"]) == [
        "docs/answers",
        ".edits",
        "",
    ]


@pytest.mark.parametrize(
    ("glob", "path", "folder"),
    [
        ("*", "a/b", "a"),
        ("a", "a/b/c", "a"),
        ("a/*", "a/b/c", "a/b"),
        ("*", "a", ""),
        ("**", "a/b", ""),
        ("b", "a/b", None),
    ],
)
def test_who_denies_a_folder_denies_what_is_in_it(glob: str, path: str, folder: str | None) -> None:
    error = check_policy(path, Settings(deny_paths=(glob,)))
    if folder is None:
        assert error is None
        return
    assert error is not None
    assert error.rule == "E_DENIED"
    assert (f"is in the folder {folder}, and" in error.what) is bool(folder)
