"""`.editblocks.yml`: every key and every wrong value with its line, and how files and inputs go together."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.callkit import calls

from editblocks.config.policy import policy_from, read_policy
from editblocks.config.table import FILE_KEYS as KEYS
from editblocks.config.table import INPUTS as INPUT_KEYS
from editblocks.config.yaml_reader import MAX_BYTES
from editblocks.core.errors import ConfigError
from editblocks.core.settings import CEILINGS, Policy, Settings

FITTING: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    ("# nothing yet\n", {}),
    ("{}\n", {}),
    ("mode: check\n", {"mode": "check"}),
    ("trigger: command\npermission: admin\n", {"trigger": "command", "permission": "admin"}),
    ("partial: true\nthree-way: false\n", {"partial": True, "three_way": False}),
    ("matching: loose\n", {"matching": "loose"}),
    ("formats: [edit-v2, diff-fenced, edit-v2]\n", {"formats": ("edit-v2", "diff-fenced")}),
    ("formats: []\n", {"formats": ()}),
    ("response-files: []\nafter-apply: keep\n", {"response_files": (), "after_apply": "keep"}),
    ("response-files: [.edits/*.md, 'ai/answers/*.txt']\n", {"response_files": (".edits/*.md", "ai/answers/*.txt")}),
    ("paths:\n  - src/**\n  - '**/a, b.md'\n", {"paths": ("src/**", "**/a, b.md")}),
    ("deny-paths: [secrets/**]\n", {"deny_paths": ("secrets/**",)}),
    ("deny-paths: [secrets/]\n", {"deny_paths": ("secrets",)}),
    (
        "allow-protected: [Makefile, .github/dependabot.yml]\n",
        {"allow_protected": ("Makefile", ".github/dependabot.yml")},
    ),
    ("allow-protected: ['pages/[id]/action.yml']\n", {"allow_protected": ("pages/[id]/action.yml",)}),
    ("ignore-authors: [HubBot, 'dependabot[bot]', '123']\n", {"ignore_authors": ("hubbot", "dependabot[bot]", "123")}),
    ("suspicious-text: warn\n", {"suspicious_text": "warn"}),
    ("placeholders: warn\n", {"placeholders": "warn"}),
    ("removals: refuse\n", {"removals": "refuse"}),
    ("whole-files: no\n", {"whole_files": "no"}),
    ("short-commands: false\ninline-comments: 0\n", {"short_commands": False, "inline_comments": 0}),
    ("reactions: false\ncredit: true\n", {"reactions": False, "credit": True}),
    ("start-checks: [ci.yml]\n", {"start_checks": ("ci.yml",)}),
    ("commit-prefix: 'fix: '\n", {"commit_prefix": "fix: "}),
    ("commit-prefix: ''\n", {"commit_prefix": ""}),
    ("trailers:\n  - 'Refs: SHOP-12, SHOP-13'\n", {"trailers": ("Refs: SHOP-12, SHOP-13",)}),
    ("max-blocks: 2000\nmax-files: 1\n", {"max_blocks": 2000, "max_files": 1}),
    (
        "max-response-bytes: 4194304\nmax-file-bytes: 20971520\n",
        {"max_response_bytes": 2**22, "max_file_bytes": 20 * 2**20},
    ),
    ("\ufeffmode: check\r\n", {"mode": "check"}),
]


@pytest.mark.parametrize(("text", "values"), FITTING)
def test_a_file_that_fits(text: str, values: dict[str, Any]) -> None:
    assert read_policy(text) == values


def test_every_key_has_a_row_above() -> None:
    assert {name.replace("_", "-") for _, values in FITTING for name in values} == set(KEYS)
    assert set(KEYS) == {*INPUT_KEYS, "allow-protected"} - {"token", "pr-number", "comment-id"}
    names = set(Settings._fields)
    assert {key.replace("-", "_") for key in (*KEYS, *INPUT_KEYS)} == names - {"input_paths"}


WRONG: list[tuple[str, str]] = [
    ("# x\n\nmod: check\n", ".editblocks.yml line 3 on main: unknown key `mod`; did you mean `mode`?"),
    ("xyzzy: 1\n", "line 1 on main: unknown key `xyzzy`; use one of `mode`, `trigger`"),
    ("max_blocks: 1\n", "line 1 on main: unknown key `max_blocks`; did you mean `max-blocks`?"),
    ('"a\\u202eb": 1\n', "line 1 on main: unknown key `aU+202Eb`; use one of"),
    (
        "mode: check\ntoken: x\n",
        "line 2 on main: `token` is an input of the workflow and not a key of this file; remove it",
    ),
    ("pr-number: 1\n", "line 1 on main: `pr-number` is an input of the workflow"),
    ("comment-id: 1\n", "line 1 on main: `comment-id` is an input of the workflow"),
    ("input-paths: [a]\n", "line 1 on main: unknown key `input-paths`"),
    ("- mode\n", "line 1 on main: there is no key; write lines such as `key: value`"),
    ("just words\n", "line 1 on main: there is no key"),
    ("mode:\n", "line 1 on main: mode has no value; write one, or leave the key out"),
    ("paths:\nmode: check\n", "line 1 on main: paths has no value"),
    ("mode: chek\n", "line 1 on main: mode is `chek`; did you mean check?"),
    ("mode: [check]\n", "line 1 on main: mode is a list; did you mean check?"),
    ("mode: true\n", "line 1 on main: mode is `true`; use one of apply, check"),
    ("commit-prefix: 12\n", "line 1 on main: commit-prefix is `12`, which is not text"),
    ("commit-prefix: 'Fix '\n", "line 1 on main: commit-prefix has characters that do not belong there"),
    ("partial: yes\n", "line 1 on main: partial is `yes`; use true or false"),
    ("partial: 'true'\n", "line 1 on main: partial is `true`; use true or false, without quotes"),
    ("partial: 1\n", "line 1 on main: partial is `1`; use true or false"),
    ("partial: {a: b}\n", "line 1 on main: there is a list or map where a single value belongs"),
    ("max-blocks: '900'\n", "line 1 on main: max-blocks is `900`; use a number from 1 to 2000, without quotes"),
    ("max-blocks: true\n", "line 1 on main: max-blocks is `true`; use a number"),
    ("max-blocks: 2001\n", "line 1 on main: max-blocks is `2001`; use a number from 1 to 2000"),
    ("max-blocks: -1\n", "line 1 on main: max-blocks is `-1`; use a number"),
    ("max-files: 0\n", "line 1 on main: max-files is `0`; use a number from 1 to 1000"),
    ("inline-comments: 11\n", "line 1 on main: inline-comments is `11`; use a number from 0 to 10"),
    ("paths: src/**\n", "line 1 on main: paths is `src/**`, which is not a list; put it in brackets, as in `[a, b]`"),
    ("paths: {a: b}\n", "line 1 on main: there is a list or map where a single value belongs"),
    ("mode: check\npaths: []\n", "line 2 on main: paths is empty, so that no file could be edited"),
    ("paths:\n  - src/**\n  - /x\n", "line 1 on main: paths has `/x`, which matches no path"),
    ("paths:\n  - src/**\n  - [x]\n", "line 3 on main: there is a list or map where a single value belongs"),
    (
        "ignore-authors:\n- octocat\n- 12\n",
        "line 1 on main: ignore-authors has `12`, which is not text; put it in quotes",
    ),
    ("formats: [search-replace]", "line 1 on main: formats is `search-replace`; did you mean diff?"),
    ("formats:\n- diff\n- dif\n", "line 1 on main: formats is `dif`; did you mean diff?"),
    ("allow-protected: ['.github/*']\n", "has `.github/*`; name each path exactly, without wildcards"),
    (
        "allow-protected: [../x]\n",
        "line 1 on main: allow-protected: `../x` leaves the repository; write the path from the root of the repository",
    ),
    ("trailers: [x]\n", "line 1 on main: trailers has `x`; write `Key: value`"),
    ("mode: check\nmode: apply\n", "line 2 on main: the key `mode` is given twice; keep one"),
    ("mode: &a check\n", "line 1 on main: aliases, anchors and tags"),
    ("mode: !!str check\n", "line 1 on main: aliases, anchors and tags"),
    ("<<: {}\n", "line 1 on main: the key `<<` is not text"),
    ("mode: check\n---\nmode: check\n", "on main: a second document begins; keep one"),
    ("mode: [\n", "on main: this cannot be read as YAML"),
    ("x" * 65_537, "line 1 on main: there are 65,537 bytes of YAML, the limit is 65,536; shorten it"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=lambda value: value[:40].encode("unicode_escape").decode())
def test_a_file_that_does_not_fit(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy(text, "main")
    assert message in caught.value.message
    assert caught.value.message.startswith(".editblocks.yml line ")
    assert caught.value.message.isprintable()


def test_a_file_that_is_on_no_branch_is_named_without() -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy("mod: check\n")
    assert caught.value.message == ".editblocks.yml line 1: unknown key `mod`; did you mean `mode`?"


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "paths: [" + "[" * 60_000,
        "paths:\n" + "- a\n" * 16_000,
        "ignore-authors: [" + "a, " * 20_000 + "a]",
        "a" * 60_000 + ": b\n",
        "".join(f"k{number}: {{}}\n" for number in range(6_000)),
        "deny-paths: ['" + "*a" * 30_000 + "']\n",
        "trailers: ['" + "K: " + "a " * 30_000 + "']\n",
        "response-files: ['" + "a/" * 30_000 + "*.md']\n",
    ],
    ids=["nesting", "items", "logins", "key", "keys", "glob", "trailer", "folders"],
)
def test_s16_a_bomb_is_refused_at_little_cost(text: str) -> None:
    read_policy("mode: check")  # the parser is loaded once

    def refused() -> None:
        with pytest.raises(ConfigError):
            read_policy(text[:MAX_BYTES], "main")

    assert calls(refused) < 20 * MAX_BYTES


@given(st.text() | st.lists(st.sampled_from([*KEYS, ": ", "\n", "- ", "[", "]", "x", "1", "true", "'"])).map("".join))
def test_any_text_is_values_or_an_error(text: str) -> None:
    problem = ""
    try:
        values = read_policy(text, "main")
    except ConfigError as error:
        problem, values = error.message, {}
    assert Settings()._replace(**values)
    assert not problem or problem.startswith(".editblocks.yml line ")


def merged(base: str | None, default: str | None = None, branch: str = "main", **inputs: Any) -> Policy:
    """The policy for a pull request to `branch` of a repository whose default branch is main."""
    return policy_from(base, base if branch == "main" else default, inputs, branch=branch, default_branch="main")


# key in the file, input, what holds, whose it is ("f" file, "i" input, "fi" both, "" the default holds)
TOGETHER: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("", {}, {}, ""),
    ("mode: check", {}, {"mode": "check"}, "f"),
    ("", {"mode": "check"}, {"mode": "check"}, "i"),
    ("mode: apply", {"mode": "check"}, {"mode": "check"}, "i"),
    ("mode: check", {"mode": "apply"}, {"mode": "check"}, "f"),
    ("mode: check", {"mode": "check"}, {"mode": "check"}, "fi"),
    ("trigger: command", {"trigger": "auto"}, {"trigger": "command"}, "f"),
    ("permission: maintain", {"permission": "admin"}, {"permission": "admin"}, "i"),
    ("permission: maintain", {"permission": "write"}, {"permission": "maintain"}, "f"),
    ("partial: true", {}, {"partial": True}, "f"),
    ("partial: true", {"partial": False}, {}, ""),
    ("partial: false", {"partial": True}, {}, ""),
    ("", {"partial": True}, {"partial": True}, "i"),
    ("three-way: true", {"three_way": False}, {"three_way": False}, "i"),
    ("matching: loose", {}, {"matching": "loose"}, "f"),
    ("matching: loose", {"matching": "standard"}, {}, ""),
    ("matching: standard", {"matching": "loose"}, {}, ""),
    ("matching: loose", {"matching": "exact"}, {"matching": "exact"}, "i"),
    ("formats: [edit-v2, diff]", {"formats": ("diff", "bolt-file")}, {"formats": ("diff",)}, "fi"),
    ("formats: [edit-v2, diff]", {"formats": ("diff-fenced",)}, {"formats": ("diff", "diff-fenced")}, "fi"),
    ("formats: []", {"formats": ("edit-v2",)}, {"formats": ("edit-v2",)}, "i"),
    ("formats: [edit-v2]", {"formats": ()}, {"formats": ("edit-v2",)}, "f"),
    (
        "response-files: [a/*.md, b/*.md]",
        {"response_files": ("b/*.md", "c/*.md")},
        {"response_files": ("b/*.md",)},
        "fi",
    ),
    ("response-files: [a/*.md]", {"response_files": ("c/*.md",)}, {"response_files": ()}, "fi"),
    ("response-files: [a/*.md]", {}, {"response_files": ("a/*.md",)}, "f"),
    ("deny-paths: [a, b]", {"deny_paths": ("b", "c")}, {"deny_paths": ("a", "b", "c")}, "fi"),
    ("ignore-authors: [a]", {"ignore_authors": ("b",)}, {"ignore_authors": ("a", "b")}, "fi"),
    ("paths: [src/**]", {}, {"paths": ("src/**",)}, "f"),
    ("", {"paths": ("src/**",)}, {"paths": ("src/**",)}, "i"),
    ("max-blocks: 9", {"max_blocks": 8}, {"max_blocks": 8}, "i"),
    ("max-blocks: 9", {"max_blocks": 500}, {"max_blocks": 9}, "f"),
    ("max-blocks: 900", {}, {"max_blocks": 900}, "f"),
    ("max-blocks: 900", {"max_blocks": 500}, {}, ""),
    ("suspicious-text: warn", {}, {"suspicious_text": "warn"}, "f"),
    ("suspicious-text: warn", {"suspicious_text": "warn"}, {"suspicious_text": "warn"}, "fi"),
    ("suspicious-text: warn", {"suspicious_text": "refuse"}, {}, ""),
    ("placeholders: warn", {"placeholders": "warn"}, {"placeholders": "warn"}, "fi"),
    ("placeholders: warn", {"placeholders": "refuse"}, {}, ""),
    ("removals: allow", {"removals": "refuse"}, {"removals": "refuse"}, "i"),
    ("removals: refuse", {"removals": "allow"}, {"removals": "refuse"}, "f"),
    ("whole-files: all", {}, {"whole_files": "all"}, "f"),
    ("whole-files: all", {"whole_files": "new"}, {"whole_files": "new"}, "i"),
    ("whole-files: all", {"whole_files": "no"}, {}, ""),
    ("whole-files: new", {"whole_files": "new"}, {"whole_files": "new"}, "fi"),
    ("allow-protected: [Makefile]", {}, {"allow_protected": ("Makefile",)}, "f"),
    ("inline-comments: 5", {"inline_comments": 2}, {"inline_comments": 5}, "f"),
    ("reactions: true", {"reactions": False}, {}, ""),
    ("", {"reactions": False}, {"reactions": False}, "i"),
    ("commit-prefix: 'a: '", {"commit_prefix": "b: "}, {"commit_prefix": "a: "}, "f"),
    ("commit-prefix: ''", {"commit_prefix": "b: "}, {}, ""),
    ("credit: true", {}, {"credit": True}, "f"),
    ("trailers: ['A: b']", {"trailers": ("C: d",)}, {"trailers": ("A: b",)}, "f"),
    ("short-commands: true", {"short_commands": False}, {}, ""),
    ("after-apply: keep", {"after_apply": "delete"}, {"after_apply": "keep"}, "f"),
]
ORIGINS = {"f": ".editblocks.yml on main", "i": "input", "fi": ".editblocks.yml on main, input"}


@pytest.mark.parametrize(("text", "inputs", "changed", "origin"), TOGETHER)
def test_a_file_and_an_input(text: str, inputs: dict[str, Any], changed: dict[str, Any], origin: str) -> None:
    policy = merged(text, **inputs)
    assert policy.settings == Settings()._replace(**changed)
    assert {key.replace("-", "_"): place for key, _, place in policy.rows} == dict.fromkeys(
        changed, ORIGINS.get(origin)
    )
    assert policy.notes == ()


def test_paths_of_both_have_to_allow() -> None:
    policy = merged("paths: [src/**]", paths=("**/*.py", "lib/**"))
    assert policy.settings == Settings(paths=("src/**",), input_paths=("**/*.py", "lib/**"))
    assert tuple(policy.rows) == (("paths", "src/**", ".editblocks.yml on main"), ("paths", "**/*.py, lib/**", "input"))


def test_formats_without_any_in_common_are_an_error() -> None:
    with pytest.raises(ConfigError, match=r"formats: the input and \.editblocks\.yml have no format in common"):
        merged("formats: [edit-v2]", formats=("edit-v3",))


def test_what_is_no_policy_goes_through() -> None:
    policy = merged(None, token="secret", pr_number=4, comment_id=5, mode="check")
    assert policy.settings == Settings(token="secret", pr_number=4, comment_id=5, mode="check")
    assert tuple(policy.rows) == (("mode", "check", "input"),)


def test_rows_are_as_people_write_them() -> None:
    policy = merged("max-blocks: 7\npartial: true\ndeny-paths: [a, b]\n", matching="exact")
    assert tuple(policy.rows) == (
        ("partial", "true", ".editblocks.yml on main"),
        ("matching", "exact", "input"),
        ("deny-paths", "a, b", ".editblocks.yml on main"),
        ("max-blocks", "7", ".editblocks.yml on main"),
    )


NOT_IN_FORCE = "is ignored: the default branch"
# the file of the branch, that of the default branch, what holds, notes
LOOSENED: list[tuple[str | None, str | None, dict[str, Any], tuple[str, ...]]] = [
    ("mode: check", None, {"mode": "check"}, ()),
    (None, "mode: check", {"mode": "check"}, ()),
    ("mode: apply", "mode: check", {"mode": "check"}, ()),
    ("permission: write", "permission: admin", {"permission": "admin"}, ()),
    (None, "trigger: command", {"trigger": "command"}, ()),
    ("deny-paths: [a]", "deny-paths: [b]", {"deny_paths": ("a", "b")}, ()),
    ("removals: allow", "removals: refuse", {"removals": "refuse"}, ()),
    (None, "paths: ['src/**']", {"paths": ("src/**",)}, ()),
    ("permission: admin", "permission: write", {"permission": "admin"}, ()),
    (None, "max-blocks: 900", {}, ()),
    ("allow-protected: [Makefile]", None, {}, (f"allow-protected: Makefile {NOT_IN_FORCE} limits it to nothing",)),
    (
        "allow-protected: [a, b]",
        "allow-protected: [b, c]",
        {"allow_protected": ("b",)},
        (f"allow-protected: a, b {NOT_IN_FORCE} limits it to b",),
    ),
    ("allow-protected: [a]", "allow-protected: [a]", {"allow_protected": ("a",)}, ()),
    (
        "suspicious-text: warn",
        "suspicious-text: refuse",
        {},
        (f"suspicious-text: warn {NOT_IN_FORCE} limits it to refuse",),
    ),
    ("suspicious-text: warn", "suspicious-text: warn", {"suspicious_text": "warn"}, ()),
    ("placeholders: warn", None, {}, (f"placeholders: warn {NOT_IN_FORCE} limits it to refuse",)),
    ("placeholders: warn", "placeholders: warn", {"placeholders": "warn"}, ()),
    ("suspicious-text: refuse", "suspicious-text: warn", {}, ()),
    ("whole-files: all", None, {}, (f"whole-files: all {NOT_IN_FORCE} limits it to no",)),
    (
        "whole-files: all",
        "whole-files: new",
        {"whole_files": "new"},
        (f"whole-files: all {NOT_IN_FORCE} limits it to new",),
    ),
    ("whole-files: new", "whole-files: all", {"whole_files": "new"}, ()),
    ("max-blocks: 900", None, {}, (f"max-blocks: 900 {NOT_IN_FORCE} limits it to 500",)),
    ("max-blocks: 900", "max-blocks: 10", {}, (f"max-blocks: 900 {NOT_IN_FORCE} limits it to 500",)),
    ("max-blocks: 900", "max-blocks: 800", {"max_blocks": 800}, (f"max-blocks: 900 {NOT_IN_FORCE} limits it to 800",)),
    ("max-blocks: 900", "max-blocks: 1000", {"max_blocks": 900}, ()),
    ("max-blocks: 10", "max-blocks: 900", {"max_blocks": 10}, ()),
    (
        "max-files: 900\nmax-file-bytes: 6000000",
        "max-files: 900",
        {"max_files": 900},
        (f"max-file-bytes: 6000000 {NOT_IN_FORCE} limits it to 5242880",),
    ),
]


@pytest.mark.parametrize(("base", "default", "changed", "notes"), LOOSENED)
def test_s07_a_branch_alone_loosens_nothing(
    base: str | None, default: str | None, changed: dict[str, Any], notes: tuple[str, ...]
) -> None:
    policy = merged(base, default, "release")
    assert policy.settings == Settings()._replace(**changed)
    assert policy.notes == notes
    assert {origin for _, _, origin in policy.rows} <= {".editblocks.yml on release"}


@pytest.mark.parametrize("base", [None, "mode: check", "max-blocks: 900"])
def test_a_default_branch_that_cannot_be_used_is_named(base: str | None) -> None:
    with pytest.raises(ConfigError, match=r"^\.editblocks\.yml line 1 on main: unknown key `mod`"):
        merged(base, "mod: check", "release")


@pytest.mark.parametrize("branch", ["main", "release"])
def test_s07_an_input_loosens_nothing(branch: str) -> None:
    policy = merged("mode: apply", "suspicious-text: warn", branch, suspicious_text="warn")
    assert policy.settings == Settings()
    assert policy.notes == (
        "suspicious-text: warn is ignored: an input cannot loosen a rule; also set it in .editblocks.yml",
    )


@pytest.mark.parametrize("text", ["", "whole-files: new"])
def test_s07_an_input_does_not_write_more_whole_files_than_the_file(text: str) -> None:
    policy = merged(text, whole_files="all")
    assert policy.settings == (Settings(whole_files="new") if text else Settings())
    assert policy.notes == (
        "whole-files: all is ignored: an input cannot loosen a rule; also set it in .editblocks.yml",
    )


def test_s07_workflows_are_named_in_vain() -> None:
    policy = merged("allow-protected: [.github/workflows/ci.yml, action.yml]")
    assert policy.settings.allow_protected == (".github/workflows/ci.yml", "action.yml")
    assert policy.notes == ("allow-protected: .github/workflows/ci.yml is ignored: workflows are never edited",)


LIMITS = st.fixed_dictionaries({}, optional={name: st.integers(1, most) for name, most in CEILINGS.items()})


def written(limits: dict[str, int]) -> str:
    return "".join(f"{name.replace('_', '-')}: {number}\n" for name, number in limits.items())


@given(LIMITS, LIMITS, LIMITS)
def test_s07_no_limit_is_above_its_default_but_where_all_agree(
    base: dict[str, int], default: dict[str, int], inputs: dict[str, int]
) -> None:
    inputs = {name: min(number, getattr(Settings(), name)) for name, number in inputs.items()}
    settings = merged(written(base), written(default), "release", **inputs).settings
    for name in CEILINGS:
        usual, held = getattr(Settings(), name), getattr(settings, name)
        assert held <= max(usual, min(base.get(name, 0), default.get(name, 0)))
        assert held <= base.get(name, usual)
        assert held <= inputs.get(name, held)
