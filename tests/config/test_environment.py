"""Settings from the environment: every key, every wrong value, and what is meant to be left alone."""

from collections.abc import Mapping

import pytest

from editblocks.config.policy import values_from_environment
from editblocks.config.table import INPUTS as KEYS
from editblocks.core.errors import ConfigError
from editblocks.core.settings import Settings

DEFAULT = Settings()

FITTING: list[tuple[str, str, Settings]] = [
    ("TOKEN", "ghs_0123456789abcdefABCDEF", DEFAULT._replace(token="ghs_0123456789abcdefABCDEF")),
    ("MODE", "check", DEFAULT._replace(mode="check")),
    ("MODE", "apply", DEFAULT),
    ("PERMISSION", "maintain", DEFAULT._replace(permission="maintain")),
    ("PERMISSION", "admin", DEFAULT._replace(permission="admin")),
    ("PARTIAL", "true", DEFAULT._replace(partial=True)),
    ("PARTIAL", "false", DEFAULT),
    ("MATCHING", "exact", DEFAULT._replace(matching="exact")),
    ("MATCHING", "standard", DEFAULT),
    ("MATCHING", "loose", DEFAULT._replace(matching="loose")),
    ("THREE_WAY", "false", DEFAULT._replace(three_way=False)),
    ("PR_NUMBER", "42", DEFAULT._replace(pr_number=42)),
    ("COMMENT_ID", "2048812345", DEFAULT._replace(comment_id=2_048_812_345)),
    ("COMMENT_ID", "9" * 18, DEFAULT._replace(comment_id=10**18 - 1)),
    ("COMMENT_ID", "", DEFAULT),
    ("TRIGGER", "command", DEFAULT._replace(trigger="command")),
    ("FORMATS", "edit-v2, diff-fenced,edit-v2", DEFAULT._replace(formats=("edit-v2", "diff-fenced"))),
    ("FORMATS", "\n  edit-v2\n  bolt-file\n", DEFAULT._replace(formats=("edit-v2", "bolt-file"))),
    ("FORMATS", "edit-v2\r\nbolt-file\r\n", DEFAULT._replace(formats=("edit-v2", "bolt-file"))),
    ("FORMATS", " , ", DEFAULT),
    (
        "RESPONSE_FILES",
        "edits/ai/*.md,.edits/*.txt",
        DEFAULT._replace(response_files=("edits/ai/*.md", ".edits/*.txt")),
    ),
    ("RESPONSE_FILES", ".edits/*.edit.md", DEFAULT._replace(response_files=(".edits/*.edit.md",))),
    ("AFTER_APPLY", "keep", DEFAULT._replace(after_apply="keep")),
    ("PATHS", "src/**, docs/*.md", DEFAULT._replace(paths=("src/**", "docs/*.md"))),
    ("PATHS", "a, b.txt\n", DEFAULT._replace(paths=("a", "b.txt"))),
    ("PATHS", "a, b.txt\nc", DEFAULT._replace(paths=("a, b.txt", "c"))),
    ("PATHS", "**/é?.py", DEFAULT._replace(paths=("**/é?.py",))),
    ("DENY_PATHS", "**/secrets/**", DEFAULT._replace(deny_paths=("**/secrets/**",))),
    ("IGNORE_AUTHORS", "HubBot,dependabot[bot]", DEFAULT._replace(ignore_authors=("hubbot", "dependabot[bot]"))),
    ("SUSPICIOUS_TEXT", "warn", DEFAULT._replace(suspicious_text="warn")),
    ("PLACEHOLDERS", "warn", DEFAULT._replace(placeholders="warn")),
    ("SHORT_COMMANDS", "false", DEFAULT._replace(short_commands=False)),
    ("INLINE_COMMENTS", "0", DEFAULT._replace(inline_comments=0)),
    ("INLINE_COMMENTS", "10", DEFAULT),
    ("CREDIT", "true", DEFAULT._replace(credit=True)),
    ("TRAILERS", "Reviewed: by hand, twice", DEFAULT._replace(trailers=("Reviewed: by hand, twice",))),
    ("TRAILERS", "Team: shop\nRefs: SHOP-12\n", DEFAULT._replace(trailers=("Team: shop", "Refs: SHOP-12"))),
    ("REACTIONS", "false", DEFAULT._replace(reactions=False)),
    ("COMMIT_PREFIX", "fix(cart)!: ", DEFAULT._replace(commit_prefix="fix(cart)!: ")),
    ("MAX_BLOCKS", "1", DEFAULT._replace(max_blocks=1)),
    ("MAX_FILES", "200", DEFAULT),
    ("MAX_RESPONSE_BYTES", "65536", DEFAULT._replace(max_response_bytes=65_536)),
    ("MAX_FILE_BYTES", "5242880", DEFAULT),
    ("MODE", "", DEFAULT),
    ("PARTIAL", "", DEFAULT),
    ("DISABLED", "1", DEFAULT),
]


def _settings_of(environ: Mapping[str, str]) -> Settings:
    return Settings(**values_from_environment(environ))


@pytest.mark.parametrize(("name", "value", "expected"), FITTING)
def test_a_value_that_fits(name: str, value: str, expected: Settings) -> None:
    assert _settings_of({f"EDITBLOCKS_{name}": value, "PATH": "/bin", "EDITBLOCK_MODE": "x"}) == expected


WRONG: list[tuple[str, str, str]] = [
    ("MOD", "check", "EDITBLOCKS_MOD is not a setting; did you mean EDITBLOCKS_MODE?"),
    ("max_file_byte", "1", "EDITBLOCKS_MAX_FILE_BYTE is not a setting; did you mean EDITBLOCKS_MAX_FILE_BYTES?"),
    ("XYZZY", "", "EDITBLOCKS_XYZZY is not a setting; `editblocks init --print` shows them all"),
    ("MODE", "chek", "EDITBLOCKS_MODE is `chek`; did you mean check?"),
    ("MODE", "Apply ", "EDITBLOCKS_MODE is `Apply `; did you mean apply?"),
    ("MODE", "dry-run", "EDITBLOCKS_MODE is `dry-run`; use one of apply, check"),
    ("PERMISSION", "read", "EDITBLOCKS_PERMISSION is `read`; use one of write, maintain, admin"),
    ("PARTIAL", "yes", "EDITBLOCKS_PARTIAL is `yes`; use true or false"),
    ("PARTIAL", "True", "EDITBLOCKS_PARTIAL is `True`; use true or false"),
    ("MATCHING", "lose", "EDITBLOCKS_MATCHING is `lose`; did you mean loose?"),
    ("MATCHING", "fuzzy", "EDITBLOCKS_MATCHING is `fuzzy`; use one of exact, standard, loose"),
    ("THREE_WAY", "no", "EDITBLOCKS_THREE_WAY is `no`; use true or false"),
    ("COMMIT_PREFIX", "fix #1: ", "EDITBLOCKS_COMMIT_PREFIX has characters that do not belong there"),
    ("COMMIT_PREFIX", "a\nSigned-off-by: x", "EDITBLOCKS_COMMIT_PREFIX has characters that do not belong there"),
    ("COMMIT_PREFIX", "x" * 21, "20 at most"),
    ("TOKEN", "a\nb", "EDITBLOCKS_TOKEN has characters that do not belong there; use visible ASCII"),
    (
        "ALLOW_PROTECTED",
        "",
        "is not an input; name the paths in .editblocks.yml on the default branch",
    ),
    ("ALLOW_PROTECTED", "action.yml", "EDITBLOCKS_ALLOW_PROTECTED is not an input"),
    ("INPUT_PATHS", "**", "EDITBLOCKS_INPUT_PATHS is not a setting"),
    ("PR_NUMBER", "0", "EDITBLOCKS_PR_NUMBER is `0`; use a number from 1 to 999999999"),
    ("PR_NUMBER", "#4", "EDITBLOCKS_PR_NUMBER is `#4`; use a number"),
    ("COMMENT_ID", "9" * 19, "use a number from 1 to 999999999999999999"),
    ("COMMENT_ID", "issuecomment-1", "EDITBLOCKS_COMMENT_ID is `issuecomment-1`; use a number"),
    ("TRIGGER", "comand", "EDITBLOCKS_TRIGGER is `comand`; did you mean command?"),
    ("FORMATS", "edit-v2,edit-v4", "EDITBLOCKS_FORMATS is `edit-v4`; did you mean edit-v"),
    ("FORMATS", "markdown", "EDITBLOCKS_FORMATS is `markdown`; use one of diff, diff-fenced"),
    ("FORMATS", ",".join(["diff"] * 24), "EDITBLOCKS_FORMATS has 24 items, the limit is 23; leave some out"),
    (
        "RESPONSE_FILES",
        "*.md",
        "_FILES has `*.md`; name one folder and an ending, as in `.edits/*.md`",
    ),
    ("RESPONSE_FILES", ".edits/**/*.md", "name one folder and an ending"),
    ("RESPONSE_FILES", ".edits/*", "name one folder and an ending"),
    ("RESPONSE_FILES", ".edits/a*.md", "name one folder and an ending"),
    ("RESPONSE_FILES", ".edits/x.md", "name one folder and an ending"),
    ("RESPONSE_FILES", "../*.md", "name one folder and an ending"),
    ("RESPONSE_FILES", "a\\b/*.md", "name one folder and an ending"),
    ("RESPONSE_FILES", ".git/*.md", "name one folder and an ending"),
    ("RESPONSE_FILES", ".github/*.md", "has `.github/*.md`, where everything is protected; choose another folder"),
    ("RESPONSE_FILES", "d" * 255 + "/*.md", "name one folder and an ending"),
    ("AFTER_APPLY", "remove", "EDITBLOCKS_AFTER_APPLY is `remove`; use one of delete, keep"),
    ("PATHS", ",", "EDITBLOCKS_PATHS is empty, so that no file could be edited"),
    (
        "PATHS",
        "/src/**",
        "EDITBLOCKS_PATHS has `/src/**`, which matches no path; write it from the root, as in `src/**`",
    ),
    ("PATHS", "src/", "which matches no path"),
    ("DENY_PATHS", "src/** docs/**", "put a comma or a line break between two patterns"),
    ("PATHS", "a\\b", "which matches no path"),
    ("PATHS", "../**", "which matches no path"),
    ("PATHS", "a\u202eb", "which matches no path"),
    ("PATHS", "a" * 256, "which matches no path"),
    ("DENY_PATHS", "!src/**", "only `*`, `**` and `?` are wildcards; to leave a path out, list it under deny-paths"),
    ("DENY_PATHS", "secret[0-9]", "only `*`, `**` and `?` are wildcards, write `?` for a bracket"),
    ("DENY_PATHS", "*.{pem,key}", "only `*`, `**` and `?` are wildcards"),
    (
        "DENY_PATHS",
        "\n".join(map(str, range(101))),
        "_PATHS has 101 items, the limit is 100; leave some out",
    ),
    (
        "IGNORE_AUTHORS",
        "@octocat",
        "EDITBLOCKS_IGNORE_AUTHORS has `@octocat`, which is not a login; write it without `@`",
    ),
    ("IGNORE_AUTHORS", "a b", "which is not a login"),
    ("PLACEHOLDERS", "allow", "EDITBLOCKS_PLACEHOLDERS is `allow`; use one of refuse, warn"),
    ("SUSPICIOUS_TEXT", "allow", "EDITBLOCKS_SUSPICIOUS_TEXT is `allow`; use one of refuse, warn"),
    ("INLINE_COMMENTS", "11", "EDITBLOCKS_INLINE_COMMENTS is `11`; use a number from 0 to 10"),
    ("TRAILERS", "Team shop", "EDITBLOCKS_TRAILERS has `Team shop`; write `Key: value`"),
    ("TRAILERS", "Team: ", "write `Key: value`"),
    ("TRAILERS", "Team: sh\x0bop", "write `Key: value`"),
    ("TRAILERS", "Team: sh\u00f6p", "write `Key: value`"),
    ("TRAILERS", "Cc: @octocat", "write `Key: value`"),
    ("TRAILERS", "Fixes: #12", "write `Key: value`"),
    ("TRAILERS", "Note: [skip ci]", "write `Key: value`"),
    ("TRAILERS", "Closes: GH-12", "no address or issue"),
    ("TRAILERS", "Fixes: https://github.com/acme/shop/issues/1", "no address or issue"),
    ("TRAILERS", "Note: " + "x" * 101, "write `Key: value`"),
    (
        "TRAILERS",
        "Signed-Off-By: octocat",
        "_TRAILERS has `Signed-Off-By`, which only editblocks sets",
    ),
    ("TRAILERS", "Co-authored-by: octocat", "which only editblocks sets"),
    ("TRAILERS", "Edit-Blocks-Digest: 00", "which only editblocks sets"),
    ("TRAILERS", "skip-checks: true", "which only editblocks sets"),
    ("TRAILERS", "\n".join(f"N: {n}" for n in range(11)), "EDITBLOCKS_TRAILERS has 11 items, the limit is 10"),
    ("MAX_BLOCKS", "007", "use a number from 1 to 500"),
    ("MAX_BLOCKS", "501", "EDITBLOCKS_MAX_BLOCKS is `501`; use a number from 1 to 500"),
    ("MAX_BLOCKS", "0", "use a number from 1 to 500"),
    ("MAX_BLOCKS", "-1", "use a number from 1 to 500"),
    ("MAX_BLOCKS", "1e2", "use a number from 1 to 500"),
    ("MAX_BLOCKS", "\u0661", "use a number from 1 to 500"),
    ("MAX_BLOCKS", "0000000001", "use a number from 1 to 500"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_a_value_that_does_not_fit(name: str, value: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _settings_of({f"EDITBLOCKS_{name}": value})
    assert message in caught.value.message


def test_the_token_is_never_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        _settings_of({"EDITBLOCKS_TOKEN": "secret\x00"})
    assert "secret" not in caught.value.message
    assert "secret" not in repr(_settings_of({"EDITBLOCKS_TOKEN": "secret"}))


def test_every_field_is_a_key() -> None:
    names = set(Settings._fields)
    assert {key.replace("-", "_") for key in KEYS} == names - {"allow_protected", "input_paths"}


def test_only_what_is_set_is_given() -> None:
    environ = {"EDITBLOCKS_MODE": "apply", "EDITBLOCKS_MATCHING": "", "EDITBLOCKS_DISABLED": "1", "HOME": "/"}
    assert values_from_environment(environ) == {"mode": "apply"}


def test_keys_of_a_file_are_named_as_they_were_written() -> None:
    with pytest.raises(ConfigError) as caught:
        values_from_environment({"EDITBLOCKS_MOD": "check"}, lambda key: f"key `{key}`")
    assert caught.value.message == "key `mod` is not a setting; did you mean key `mode`?"
