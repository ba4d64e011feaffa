"""Settings of commands and hooks: which place holds, where each value is from, and files that cannot be used."""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.posix import make_fifo

from editblocks.config.table import FILE_KEYS as KEYS
from editblocks.config.table import TABLE
from editblocks.config.yaml_reader import MAX_BYTES
from editblocks.core.errors import ConfigError
from editblocks.core.settings import POLICY_FILE as FILE
from editblocks.core.settings import Settings
from editblocks.faces.cli.request import policy_for
from editblocks.faces.reading import hook_settings, settings_from_data


def options(command: str = "check", **given: Any) -> argparse.Namespace:
    """What the grammar makes of a line: options that were not given are there, as on a line without them."""
    plain: dict[str, Any] = {"matching": None, "partial": False, "allow_protected": [], "config": None}
    return argparse.Namespace(command=command, **{**plain, "isolated": False, **given})


def settings_for(asked: argparse.Namespace, root: Path, environ: Mapping[str, str]) -> Settings:
    return policy_for(asked, root, environ).settings


def put(root: Path, text: str) -> Path:
    root.joinpath(FILE).write_text(text, "utf-8")
    return root


# key, how the file has it and what that is, how the environment has it and what that is
Place = tuple[str, str, Any, str, Any]
PLACES: list[Place] = [
    ("partial", "true", True, "false", False),
    ("matching", "exact", "exact", "loose", "loose"),
    ("three-way", "false", False, "true", True),
    ("formats", "[diff]", ("diff",), "edit-v2,edit-v3", ("edit-v2", "edit-v3")),
    ("response-files", "[ai/*.md]", ("ai/*.md",), "b/*.md", ("b/*.md",)),
    ("after-apply", "keep", "keep", "delete", "delete"),
    ("paths", "[src/**]", ("src/**",), "docs/**", ("docs/**",)),
    ("deny-paths", "[a, b]", ("a", "b"), "c", ("c",)),
    ("suspicious-text", "warn", "warn", "refuse", "refuse"),
    ("placeholders", "warn", "warn", "refuse", "refuse"),
    ("removals", "refuse", "refuse", "allow", "allow"),
    ("whole-files", "all", "all", "no", "no"),
    ("commit-prefix", "'fix: '", "fix: ", "docs: ", "docs: "),
    ("max-blocks", "900", 900, "2000", 2_000),
    ("max-files", "900", 900, "3", 3),
    ("max-response-bytes", "9", 9, "4194304", 4_194_304),
    ("max-file-bytes", "20971520", 20_971_520, "7", 7),
]
FLAGS = {"partial": True, "matching": "standard"}
IN_THEIR_OWN_WAY = {"allow-protected"}


def field(key: str) -> str:
    return key.replace("-", "_")


def variable(key: str) -> str:
    return f"EDITBLOCKS_{field(key).upper()}"


def test_every_key_has_a_row_or_is_about_github() -> None:
    on_github = {setting.key for setting in TABLE if setting.applies_in == "github"}
    assert {row[0] for row in PLACES} | on_github | IN_THEIR_OWN_WAY == set(KEYS)


@pytest.mark.parametrize("place", PLACES, ids=[row[0] for row in PLACES])
def test_the_first_place_that_says_something_holds(tmp_path: Path, place: Place) -> None:
    key, text, of_file, said, of_environment = place
    put(tmp_path, f"{key}: {text}\n")
    default = getattr(Settings(), field(key))
    cases: list[tuple[argparse.Namespace, Path, Mapping[str, str], Any, str]] = [
        (options(), tmp_path / "elsewhere", {}, default, ""),
        (options(), tmp_path, {}, of_file, FILE),
        (options(), tmp_path, {variable(key): ""}, of_file, FILE),  # empty: not set
        (options(), tmp_path / "elsewhere", {variable(key): said}, of_environment, variable(key)),
        (options(), tmp_path, {variable(key): said}, of_environment, variable(key)),
        (options(isolated=True), tmp_path, {variable(key): said}, default, ""),
    ]
    if key in FLAGS:
        of_flag = FLAGS[key]
        given: dict[str, Any] = {key: of_flag}
        flag = options(**given)
        cases += [
            (flag, tmp_path / "elsewhere", {}, of_flag, f"--{key}"),
            (flag, tmp_path, {}, of_flag, f"--{key}"),
            (flag, tmp_path / "elsewhere", {variable(key): said}, of_flag, f"--{key}"),
            (flag, tmp_path, {variable(key): said}, of_flag, f"--{key}"),
            (options(isolated=True, **given), tmp_path, {variable(key): said}, of_flag, f"--{key}"),
        ]
    for asked, root, environ, value, origin in cases:
        policy = policy_for(asked, root, environ)
        assert getattr(policy.settings, field(key)) == value
        assert [row[::2] for row in policy.rows] == ([] if value == default else [(key, origin)])
        assert settings_for(asked, root, environ) == policy.settings
    assert getattr(hook_settings(tmp_path, {}), field(key)) == of_file
    assert getattr(hook_settings(tmp_path, {variable(key): said}), field(key)) == of_environment
    assert getattr(settings_from_data(f"{key}: {text}".encode(), {}), field(key)) == of_file
    assert getattr(settings_from_data(None, {variable(key): said}), field(key)) == of_environment


def test_origins_are_rows_that_people_read(tmp_path: Path) -> None:
    put(tmp_path, "mode: check\nmatching: exact\ndeny-paths: [a, b]\nthree-way: false\nmax-blocks: 7\n")
    environ = {"EDITBLOCKS_THREE_WAY": "true", "EDITBLOCKS_MAX_BLOCKS": "8"}
    policy = policy_for(options(matching="loose", allow_protected=["action.yml"]), tmp_path, environ)
    assert tuple(policy.rows) == (
        ("matching", "loose", "--matching"),
        ("deny-paths", "a, b", ".editblocks.yml"),
        ("allow-protected", "action.yml", "--allow-protected"),
        ("max-blocks", "8", "EDITBLOCKS_MAX_BLOCKS"),
    )


ABOUT_GITHUB = """\
mode: check
trigger: command
permission: admin
ignore-authors: [hubot]
short-commands: false
inline-comments: 0
reactions: false
credit: true
trailers: ['Team: shop']
"""


def test_keys_about_github_are_read_and_mean_nothing_here(tmp_path: Path) -> None:
    put(tmp_path, ABOUT_GITHUB)
    environ = {"EDITBLOCKS_TOKEN": "ghs_x", "EDITBLOCKS_PR_NUMBER": "7", "EDITBLOCKS_TRIGGER": "command"}
    assert policy_for(options("apply"), tmp_path, environ).rows == []
    assert settings_for(options("apply"), tmp_path, environ) == Settings()
    assert hook_settings(tmp_path, environ) == Settings(mode="check")


@pytest.mark.parametrize(("command", "mode"), [("apply", "apply"), ("check", "check"), ("diff", "check")])
def test_only_apply_writes_whatever_anybody_says(tmp_path: Path, command: str, mode: str) -> None:
    for said in ("apply", "check"):
        put(tmp_path, f"mode: {said}\n")
        assert settings_for(options(command), tmp_path, {"EDITBLOCKS_MODE": said}).mode == mode
    assert settings_for(options(command), Path("nowhere"), os.environ).mode == mode


def test_a_command_without_these_options_has_settings(tmp_path: Path) -> None:
    put(tmp_path, "matching: exact\n")
    assert settings_for(options("retry"), tmp_path, {}).matching == "exact"


def test_a_hook_without_file_and_variables_has_the_defaults(tmp_path: Path) -> None:
    assert hook_settings(tmp_path, {"PATH": "/bin"}) == settings_from_data(None, {}) == Settings(mode="check")
    assert hook_settings(tmp_path, {}, writes=True) == Settings()
    put(tmp_path, "# nothing yet\n")
    assert hook_settings(tmp_path, {"EDITBLOCKS_DISABLED": "0"}, writes=True) == Settings()


# protected files


def test_only_the_option_lifts_a_protection_where_something_may_be_written(tmp_path: Path) -> None:
    put(tmp_path, "allow-protected: [action.yml, AGENTS.md, .github/workflows/ci.yml, AGENTS.md]\n")
    for command in ("check", "diff", "apply", "retry"):
        policy = policy_for(options(command, allow_protected=["AGENTS.md"]), tmp_path, {})
        assert policy.settings.allow_protected == ("AGENTS.md",)
        assert policy.notes == (
            "allow-protected: action.yml is ignored: here, use the option --allow-protected",
            "allow-protected: .github/workflows/ci.yml is ignored: workflows are never edited",
        )
    assert policy_for(options(), tmp_path, {}).settings.allow_protected == ()
    assert hook_settings(tmp_path, {}, writes=True).allow_protected == ()


def test_a_hook_that_writes_nothing_says_what_the_file_allows(tmp_path: Path) -> None:
    put(tmp_path, "allow-protected: [action.yml]\n")
    assert hook_settings(tmp_path, {}).allow_protected == ("action.yml",)
    assert settings_from_data(b"allow-protected: [action.yml]", {}).allow_protected == ("action.yml",)


WRONG_PATHS = (
    (".github/*", "--allow-protected has `.github/*`; name each path exactly, without wildcards"),
    ("../x", "--allow-protected: `../x` leaves the repository; write the path from the root of the repository"),
    ("", "--allow-protected: the path is empty"),
    (
        ".GitHub/workflows/ci.yml",
        "--allow-protected names .GitHub/workflows/ci.yml, and workflows are never edited; change it by hand",
    ),
)


@pytest.mark.parametrize(("path", "words"), WRONG_PATHS)
def test_a_path_that_cannot_be_allowed(tmp_path: Path, path: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_for(options(allow_protected=["action.yml", path]), tmp_path, {})
    assert caught.value.message.startswith(words)


# the file


def fault(call: Callable[[], object]) -> str:
    with pytest.raises(ConfigError) as caught:
        call()
    assert caught.value.code.value == "bad-config"
    assert caught.value.message.isprintable()
    return caught.value.message


Make = Callable[[Path], object]
HOSTILE: list[tuple[str, Make, str]] = [
    ("an unknown key", lambda file: file.write_text("# ours\n\nmod: check\n"), " line 3: unknown key `mod`; did you"),
    ("a link", lambda file: file.symlink_to(file.with_name("other.yml")), " is a link; put a file with the settings"),
    ("a link to nothing", lambda file: file.symlink_to("gone"), " is a link; put a file"),
    ("a folder", lambda file: file.mkdir(), " is a folder; put a file with the settings there"),
    ("a pipe", make_fifo, " is a named pipe; put a file with the settings there"),
    ("65 KiB", lambda file: file.write_bytes(b"#" * 65 * 1024), " is over the limit of 65,536 bytes; shorten"),
    ("one byte too many", lambda file: file.write_bytes(b"\n" * (MAX_BYTES + 1)), " is over the limit of 65,536 bytes"),
    (
        "no UTF-8",
        lambda file: file.write_bytes(b"# \xc3\xa9\nmode: \xe9\n"),
        " line 2: byte 0xe9 is not UTF-8; convert",
    ),
    ("UTF-16", lambda file: file.write_text("mode: check\n", "utf-16"), " line 1: byte 0xff is not UTF-8"),
    (
        "NUL",
        lambda file: file.write_bytes(b"mode: check\n\0\n"),
        " line 2: U+0000 does not belong in YAML; remove it",
    ),
    ("a tab", lambda file: file.write_text("mode: check\n\tpartial: true\n"), " line 2: this cannot be read as YAML"),
    ("a key twice", lambda file: file.write_text("mode: check\nmode: check\n"), " line 2: the key `mode` is given"),
    ("an anchor", lambda file: file.write_text("paths: &a [x]\n"), " line 1: aliases, anchors and tags"),
    ("an alias", lambda file: file.write_text("mode: *a\n"), " line 1: aliases, anchors and tags"),
    (
        "a tag",
        lambda file: file.write_text("mode: !!python/object/apply:os.getcwd []\n"),
        " line 1: aliases, anchors and tags",
    ),
    (
        "a value",
        lambda file: file.write_text("mode: check\r\npaths:\r\n- /x\r\n"),
        " line 2: paths has `/x`, which matches",
    ),
    ("about GitHub", lambda file: file.write_text("trigger: comand\n"), " line 1: trigger is `comand`; did you mean"),
]


@pytest.mark.parametrize(("claim", "make", "words"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, claim: str, make: Make, words: str) -> None:
    tmp_path.joinpath("other.yml").write_text("mode: check\n")
    make(tmp_path / FILE)
    for call in (
        lambda: settings_for(options(), tmp_path, {}),
        lambda: settings_for(options(partial=True), tmp_path, {"EDITBLOCKS_MODE": "check"}),
        lambda: hook_settings(tmp_path, {}),
    ):
        assert fault(call).startswith(FILE + words), claim
    assert settings_for(options(isolated=True), tmp_path, {}) == Settings(mode="check")
    assert settings_for(options(config=str(tmp_path / "other.yml")), tmp_path, {}) == Settings(mode="check")


FINE = (
    ("nothing", b""),
    ("comments", b"# matching: exact\n"),
    ("a mark at its start", b"\xef\xbb\xbf# none\r\n"),
    ("the most there may be", b"#" * MAX_BYTES),
)


@pytest.mark.parametrize(("claim", "data"), FINE, ids=[row[0] for row in FINE])
def test_a_file_that_says_nothing(tmp_path: Path, claim: str, data: bytes) -> None:
    tmp_path.joinpath(FILE).write_bytes(data)
    assert settings_for(options("apply"), tmp_path, {}) == Settings(), claim


def test_a_mark_and_carriage_returns_are_read(tmp_path: Path) -> None:
    tmp_path.joinpath(FILE).write_bytes(b"\xef\xbb\xbfmatching: exact\r\npartial: true\r\n")
    assert settings_for(options("apply"), tmp_path, {}) == Settings(matching="exact", partial=True)


def test_a_root_that_is_none_has_no_file(tmp_path: Path) -> None:
    put(tmp_path, "mode: check\n")
    for root in (tmp_path / "gone", tmp_path / FILE):
        assert settings_for(options("apply"), root, {}) == Settings()


def test_text_of_another_branch_is_named_with_it() -> None:
    words = ".editblocks.yml line 2 on main: byte 0xe9 is not UTF-8; convert the file"
    assert fault(lambda: settings_from_data(b"mode: check\nmod: \xe9\n", {}, "main")) == words
    words = ".editblocks.yml line 1 on main: unknown key `mod`; did you mean `mode`?"
    assert fault(lambda: settings_from_data(b"mod: x", {}, "main")) == words


# --config


def test_a_named_file_takes_the_place_of_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "matching: exact\npartial: true\n")
    tmp_path.joinpath("mine.yml").write_text("matching: loose\n")
    tmp_path.joinpath("link.yml").symlink_to("mine.yml")
    monkeypatch.chdir(tmp_path)
    for name in ("mine.yml", "link.yml", str(tmp_path / "mine.yml")):
        policy = policy_for(options("apply", config=name), tmp_path, {})
        assert policy.settings == Settings(matching="loose")
        assert tuple(policy.rows) == (("matching", "loose", name),)
    assert policy_for(options("apply", config="mine.yml"), tmp_path, {}).settings == Settings(matching="loose")


NAMED = (
    ("gone.yml", "--config: there is no gone.yml; name one with settings"),
    ("", "--config is empty; name a file with settings"),
    ("a\u202eb", "--config: there is no aU+202Eb; name one with settings"),
    ("bad.yml/x", "--config: there is no bad.yml/x; name one with settings"),
    (".", ". is a folder; put a file with the settings there"),
    ("bad.yml", "bad.yml line 2: unknown key `mod`; did you mean `mode`?"),
    ("loop.yml", "loop.yml cannot be read: too many levels of symbolic links; repair the file or its permissions"),
    ("x" * 300, f"{'x' * 59}…{'x' * 60} cannot be read: file name too long; repair the file or its permissions"),
)


@pytest.mark.parametrize(("name", "words"), NAMED, ids=lambda text: ascii(text)[:20])
def test_a_named_file_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    tmp_path.joinpath("bad.yml").write_text("\nmod: check\n")
    tmp_path.joinpath("loop.yml").symlink_to("loop.yml")
    monkeypatch.chdir(tmp_path)
    assert fault(lambda: settings_for(options(config=name), tmp_path, {})) == words


# the environment

WRONG = (
    ("MATCHNG", "loose", "EDITBLOCKS_MATCHNG is not a setting; did you mean EDITBLOCKS_MATCHING?"),
    ("matchng", "loose", "EDITBLOCKS_MATCHNG is not a setting; did you mean EDITBLOCKS_MATCHING?"),
    ("DISABLE", "1", "EDITBLOCKS_DISABLE is not a setting; did you mean EDITBLOCKS_DISABLED?"),
    ("XYZZY", "", "EDITBLOCKS_XYZZY is not a setting; `editblocks init --print` shows them all"),
    ("X\u202ez" * 99, "", "EDITBLOCKS_XU+202E"),
    ("", "", "EDITBLOCKS_ is not a setting; `editblocks init --print` shows them all"),
    ("ALLOW_PROTECTD", "a", "EDITBLOCKS_ALLOW_PROTECTD is not a setting; `editblocks init --print` shows them all"),
    ("MATCHING", "fuzzy", "EDITBLOCKS_MATCHING is `fuzzy`; use one of exact, standard, loose"),
    ("MAX_BLOCKS", "2001", "EDITBLOCKS_MAX_BLOCKS is `2001`; use a number from 1 to 2000"),
    (
        "ALLOW_PROTECTED",
        "action.yml",
        "EDITBLOCKS_ALLOW_PROTECTED is not an input; name the paths in .editblocks.yml on",
    ),
)


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
def test_a_variable_that_cannot_be_used(tmp_path: Path, name: str, value: str, words: str) -> None:
    environ = {f"EDITBLOCKS_{name}": value}
    for call in (
        lambda: settings_for(options(matching="exact"), tmp_path, environ),
        lambda: hook_settings(tmp_path, environ),
        lambda: settings_from_data(None, environ),
    ):
        assert fault(call).startswith(words)
    assert settings_for(options("apply", isolated=True), tmp_path, environ) == Settings()


# what is loaded

LOADS = """
import sys
from pathlib import Path
from editblocks.faces.reading import hook_settings
{call}
print(*sorted({{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names))
print("argparse" in sys.modules)
"""
LINE = """
from argparse import Namespace
from editblocks.faces.cli.request import policy_for
policy_for(Namespace(command='check', config=None, isolated=False), Path(sys.argv[1]), {environ})
"""


@pytest.mark.long
@pytest.mark.parametrize("environ", [{}, {"EDITBLOCKS_MATCHING": "exact"}], ids=["plain", "a variable"])
@pytest.mark.parametrize("call", ["hook_settings(Path(sys.argv[1]), {environ})", LINE], ids=["hook", "command"])
def test_without_a_file_nothing_of_others_is_loaded(tmp_path: Path, call: str, environ: Mapping[str, str]) -> None:
    def loaded() -> list[str]:
        script = LOADS.format(call=call.format(environ=dict(environ)))
        command = [sys.executable, "-I", "-c", script, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split("\n")

    before, with_argparse, _ = loaded()
    assert "yaml" not in before.split()
    assert with_argparse == str(call == LINE)
    put(tmp_path, "matching: exact\n")
    assert set(loaded()[0].split()) - set(before.split()) >= {"yaml"}
