"""Settings from the environment: every key, every wrong value, and what is meant to be left alone."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from editblocks.config import KEYS, settings_from, settings_from_environment
from editblocks.errors import ConfigError
from editblocks.settings import Settings

DEFAULT = Settings()

FITTING: list[tuple[str, str, Settings]] = [
    ("TOKEN", "ghs_0123456789abcdefABCDEF", replace(DEFAULT, token="ghs_0123456789abcdefABCDEF")),
    ("MODE", "check", replace(DEFAULT, mode="check")),
    ("MODE", "apply", DEFAULT),
    ("PERMISSION", "maintain", replace(DEFAULT, permission="maintain")),
    ("PERMISSION", "admin", replace(DEFAULT, permission="admin")),
    ("PARTIAL", "true", replace(DEFAULT, partial=True)),
    ("PARTIAL", "false", DEFAULT),
    ("MATCHING", "exact", replace(DEFAULT, matching="exact")),
    ("MATCHING", "standard", DEFAULT),
    ("MATCHING", "loose", replace(DEFAULT, matching="loose")),
    ("THREE_WAY", "false", replace(DEFAULT, three_way=False)),
    ("REACTIONS", "false", replace(DEFAULT, reactions=False)),
    ("COMMIT_PREFIX", "fix(cart)!: ", replace(DEFAULT, commit_prefix="fix(cart)!: ")),
    ("MAX_BLOCKS", "1", replace(DEFAULT, max_blocks=1)),
    ("MAX_FILES", "200", DEFAULT),
    ("MAX_RESPONSE_BYTES", "65536", replace(DEFAULT, max_response_bytes=65_536)),
    ("MAX_FILE_BYTES", "5242880", DEFAULT),
    ("MODE", "", DEFAULT),
    ("PARTIAL", "", DEFAULT),
    ("DISABLED", "1", DEFAULT),
]


@pytest.mark.parametrize(("name", "value", "expected"), FITTING)
def test_a_value_that_fits(name: str, value: str, expected: Settings) -> None:
    assert settings_from_environment({f"EDITBLOCKS_{name}": value, "PATH": "/bin", "EDITBLOCK_MODE": "x"}) == expected


WRONG: list[tuple[str, str, str]] = [
    ("MOD", "check", "EDITBLOCKS_MOD is no setting; did you mean EDITBLOCKS_MODE?"),
    ("max_file_byte", "1", "EDITBLOCKS_MAX_FILE_BYTE is no setting; did you mean EDITBLOCKS_MAX_FILE_BYTES?"),
    ("XYZZY", "", "EDITBLOCKS_XYZZY is no setting; use one of EDITBLOCKS_TOKEN, EDITBLOCKS_MODE"),
    ("MODE", "chek", "EDITBLOCKS_MODE is `chek`; did you mean check?"),
    ("MODE", "Apply ", "EDITBLOCKS_MODE is `Apply `; did you mean apply?"),
    ("MODE", "dry-run", "EDITBLOCKS_MODE is `dry-run`; use one of apply, check"),
    ("PERMISSION", "read", "EDITBLOCKS_PERMISSION is `read`; use one of write, maintain, admin"),
    ("PARTIAL", "yes", "EDITBLOCKS_PARTIAL is `yes`; use one of true, false"),
    ("PARTIAL", "True", "EDITBLOCKS_PARTIAL is `True`; did you mean true?"),
    ("MATCHING", "lose", "EDITBLOCKS_MATCHING is `lose`; did you mean loose?"),
    ("MATCHING", "fuzzy", "EDITBLOCKS_MATCHING is `fuzzy`; use one of exact, standard, loose"),
    ("THREE_WAY", "no", "EDITBLOCKS_THREE_WAY is `no`; use one of true, false"),
    ("COMMIT_PREFIX", "fix #1: ", "EDITBLOCKS_COMMIT_PREFIX has characters that do not belong there"),
    ("COMMIT_PREFIX", "a\nSigned-off-by: x", "EDITBLOCKS_COMMIT_PREFIX has characters that do not belong there"),
    ("COMMIT_PREFIX", "x" * 21, "20 at most"),
    ("TOKEN", "a\nb", "EDITBLOCKS_TOKEN has characters that do not belong there; use visible ASCII"),
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
        settings_from_environment({f"EDITBLOCKS_{name}": value})
    assert message in caught.value.message


def test_the_token_is_never_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        settings_from_environment({"EDITBLOCKS_TOKEN": "secret\x00"})
    assert "secret" not in caught.value.message
    assert "secret" not in repr(settings_from({"token": "secret"}))


def test_every_field_is_a_key() -> None:
    assert [key.replace("-", "_") for key in KEYS] == [field.name for field in fields(Settings)]


def test_keys_of_a_file_are_named_as_they_were_written() -> None:
    with pytest.raises(ConfigError) as caught:
        settings_from({"mod": "check"}, lambda key: f"key `{key}`")
    assert caught.value.message == "key `mod` is no setting; did you mean key `mode`?"
