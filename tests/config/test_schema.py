"""editblocks.schema.json: what an editor says of `.editblocks.yml` is what `read_policy` says of it.

The schema cannot see, and so lets pass: a key that stands twice; of paths, git's own names, invisible characters,
spaces at the edge of a name and what is too long in bytes; a folder of responses that is protected. The other way
round, an editor takes some plain words for more than text (`null`, `1.5`, `007`), which belong in quotes.
"""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.project import ROOT
from support.settings import CHOICES, LISTS, NUMBERS

from editblocks.config.policy import read_policy
from editblocks.config.table import FILE_KEYS as KEYS
from editblocks.core.errors import ConfigError
from editblocks.core.settings import Settings
from editblocks.parsing.parse import FORMAT_NAMES

TEXT = files("editblocks").joinpath("editblocks.schema.json").read_text("utf-8")
SCHEMA: dict[str, Any] = json.loads(TEXT)
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)
PROPERTIES: dict[str, dict[str, Any]] = SCHEMA["properties"]


def default(key: str) -> Any:
    value = getattr(Settings(), key.replace("-", "_"))
    return list(value) if isinstance(value, tuple) else value


def form(key: str) -> dict[str, Any]:
    """What the schema has to say of a key, but for its words and patterns."""
    value = default(key)
    if key in CHOICES:
        return {"enum": list(CHOICES[key])}
    if key in LISTS:
        return {"type": "array", "maxItems": LISTS[key].most} | ({"minItems": 1} if LISTS[key].least else {})
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int):
        return {"type": "integer", "minimum": NUMBERS[key][0], "maximum": NUMBERS[key][-1]}
    return {"type": "string"}


def test_every_key_is_there_in_the_order_of_settings_and_no_other() -> None:
    names = [name.replace("_", "-") for name in Settings._fields]
    assert list(PROPERTIES) == list(KEYS) == [name for name in names if name in KEYS]
    assert SCHEMA["additionalProperties"] is False
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"  # what editors know best


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_what_its_setting_is(key: str) -> None:
    said = dict(PROPERTIES[key])
    description, items = said.pop("description"), said.pop("items", None)
    said.pop("pattern", None)
    assert said == {**form(key), "default": default(key)}
    assert re.fullmatch(r"\w[^\n]+\.", description)
    assert (items is not None) is (key in LISTS)
    assert all(word in description or word in str(said) for word in CHOICES.get(key, ()))


def test_names_of_formats_are_those_that_are_read() -> None:
    assert PROPERTIES["formats"]["items"] == {"enum": list(FORMAT_NAMES)}


@pytest.mark.long
def test_the_example_names_the_schema_and_fits_it() -> None:
    example = ROOT / "examples" / "editblocks.yml"
    first = example.read_text("utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={SCHEMA['$id']}"
    schema = ROOT / "src" / "editblocks" / "editblocks.schema.json"
    for arguments in (["--check-metaschema", str(schema)], ["--schemafile", str(schema), str(example)]):
        command = [sys.executable, "-m", "check_jsonschema", *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.long
def test_the_wheel_holds_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("editblocks/editblocks.schema.json").decode() == TEXT


def problem(value: Any) -> str:
    """What `read_policy` says of a document, which JSON writes as YAML reads it; "" if it takes it."""
    try:
        read_policy(json.dumps(value))
    except ConfigError as error:
        return error.message
    return ""


BOTH_WAYS = (
    ({}, True),
    ({"mode": "check"}, True),
    ({"mod": "check"}, False),
    ({"input-paths": ["**"]}, False),
    ({"token": "x"}, False),
    ({"mode": True}, False),
    ({"mode": ""}, False),
    ({"partial": "true"}, False),
    ({"partial": 1}, False),
    ({"max-blocks": 0}, False),
    ({"max-blocks": 2000}, True),
    ({"max-blocks": 2001}, False),
    ({"max-blocks": "5"}, False),
    ({"inline-comments": 0}, True),
    ({"inline-comments": 11}, False),
    ({"paths": []}, False),
    ({"paths": "src/**"}, False),
    ({"paths": ["src/**", "~x", "a..b", "...", ".github/*", "a b"]}, True),
    *(({"paths": [text]}, False) for text in ("", "/a", "a/", "a//b", "../a", "a/./b", "~/a", "~a/b", "-a", "!a", "~")),
    *(({"deny-paths": [text]}, False) for text in ("a[b]", "*.{a,b}", "a\\b", "a\nb", "a\x7f", "x" * 256)),
    ({"deny-paths": ["x" * 255, "secrets/"]}, True),
    *(({"deny-paths": [text]}, False) for text in ("", "/", "a//", "./", "../")),
    ({"paths": ["a"] * 101}, False),
    ({"allow-protected": ["pages/[id]/action.yml"]}, True),
    ({"allow-protected": [".github/*"]}, False),
    ({"allow-protected": ["a?"]}, False),
    ({"response-files": [".edits/*.md", "a[b]/c/*.edit.md"]}, True),
    *(({"response-files": [text]}, False) for text in ("*.md", "a/*", "a/b*.md", "a/**/*.md", "../*.md", "a/*.md\n")),
    ({"response-files": [12]}, False),
    ({"ignore-authors": ["HubBot", "dependabot[bot]", "123"]}, True),
    *(({"ignore-authors": [text]}, False) for text in ("@a", "-a", "a b", "", "x" * 40, "a\n", "é")),
    ({"commit-prefix": ""}, True),
    ({"commit-prefix": "fix(cart)!: "}, True),
    ({"commit-prefix": "Fix: "}, False),
    ({"commit-prefix": "x" * 21}, False),
    ({"commit-prefix": "x\n"}, False),
    ({"commit-prefix": 12}, False),
    ({"trailers": ["Team: shop", "Refs: SHOP-12", "A: xgh-1", "Signed: off", "Edit-Blocks: x", "A: a:b: c"]}, True),
    *(
        ({"trailers": [text]}, False)
        for text in (
            *("Team", "Team: ", "Team:x", "Fixes: GH-12", "Gh-1: x", "A: b gh-3", "See: https://x", "Cc: @octocat"),
            *("SIGNED-off-by: x", "Co-Authored-By: x", "edit-blocks-base: x", "Skip-Checks: true", "A: b ", "A: b\n"),
            f"A: {'x' * 101}",
            f"{'A' * 41}: x",
        )
    ),
    ({"formats": ["dif"]}, False),
    ({"formats": ["diff"] * 24}, False),
    ({"formats": ["diff", "edit-v2"]}, True),
    (["mode"], False),
    ("mode", False),
    (12, False),
)


@pytest.mark.parametrize(("value", "fits"), BOTH_WAYS, ids=lambda value: ascii(value)[:60])
def test_a_document_fits_both_or_neither(value: Any, fits: bool) -> None:
    assert VALIDATOR.is_valid(value) is fits
    assert (not problem(value)) is fits


def test_a_file_of_comments_alone_fits() -> None:
    assert VALIDATOR.is_valid(None)  # which is what an editor reads there
    assert read_policy("# mode: check\n") == {}


UNSEEN = (
    {"paths": [".git/config"]},
    {"paths": ["a\u202eb"]},
    {"deny-paths": ["a /b"]},
    {"allow-protected": ["é" * 200]},
    {"response-files": [".github/*.md"]},
)


@pytest.mark.parametrize("value", UNSEEN, ids=ascii)
def test_what_the_schema_cannot_see_is_named_by_the_reader(value: Any) -> None:
    assert VALIDATOR.is_valid(value)
    assert problem(value).startswith(f".editblocks.yml line 1: {next(iter(value))}")


def test_a_plain_word_that_is_more_to_an_editor_belongs_in_quotes() -> None:
    assert read_policy("commit-prefix: null\nignore-authors: [007]\n") == {
        "commit_prefix": "null",
        "ignore_authors": ("007",),
    }
    assert not VALIDATOR.is_valid({"commit-prefix": None})
    assert not VALIDATOR.is_valid({"ignore-authors": [7]})


# A whole number has at most 9 digits, and a text no half characters: others do not get through YAML as they are.
WORDS = st.sampled_from(
    [*FORMAT_NAMES, *(word for words in CHOICES.values() for word in words), "src/**", "a?", ".edits/*.md", "octocat"]
)
LETTERS = st.text(st.sampled_from("abGh~!-*?./:[]{}\\ @#é1'\n"), max_size=12)
SCALARS = WORDS | LETTERS | st.booleans() | st.integers(-2, 10**8)
TRAILERS = st.builds("{}: {}".format, LETTERS | st.sampled_from(["Team", "Refs", "gh-1"]), LETTERS | WORDS)
VALUES = SCALARS | st.lists(SCALARS | TRAILERS, max_size=4) | st.dictionaries(LETTERS, SCALARS, max_size=1)
NAMES = st.sampled_from([*KEYS, "mod", "token", "input-paths"])


def near_to(key: str) -> st.SearchStrategy[Any]:
    """Values that mostly fit the key, some of which are a little off."""
    if key in LISTS:
        return st.lists(TRAILERS if key == "trailers" else WORDS | LETTERS, max_size=3)
    if key in CHOICES:
        return st.sampled_from(CHOICES[key])
    value = default(key)
    if isinstance(value, bool):
        return st.booleans()
    return st.integers(-1, 3_000) if isinstance(value, int) else LETTERS


PAIRS = st.tuples(NAMES, VALUES) | st.sampled_from(KEYS).flatmap(lambda key: st.tuples(st.just(key), near_to(key)))
DOCUMENTS = st.lists(PAIRS, max_size=3).map(dict)


@given(DOCUMENTS)
def test_what_the_reader_takes_fits_the_schema(value: Any) -> None:
    assert problem(value) or VALIDATOR.is_valid(value)


def has_space_at_an_edge(value: Mapping[str, Any]) -> bool:
    """Whether an item is one of the few of these documents that only the reader refuses."""
    texts = [item for items in value.values() if isinstance(items, list) for item in items]
    return any(isinstance(item, str) and re.search("(?:^|/) | (?:/|$)", item) for item in texts)


@given(DOCUMENTS)
def test_what_fits_the_schema_the_reader_takes(value: Any) -> None:
    assert not VALIDATOR.is_valid(value) or has_space_at_an_edge(value) or not problem(value)
