"""The kits: their examples are read by our own reader and give the files they should; their texts keep their bounds."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from editblocks import Settings, apply_response, parse_response
from editblocks.core.settings import DEFAULT_KIT, KITS
from editblocks.parsing.parse import FORMAT_NAMES, formats_named
from editblocks.prompts import context
from editblocks.prompts.context import Kit, kit, kit_messages, kit_text, replaces_by_setting

TEXTS = sorted((Path(context.__file__).parent / "texts").iterdir())
FORMS = [name for name in KITS if not name.startswith("editor-")]
VARIANTS = list(product(KITS, (True, False), (True, False)))
ALSO = {"file-section": "new-file", "bolt-edit": "bolt-file"}  # how a format creates files
FILE = re.compile(r"^(\S+)\n(`{4,})\w*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)

SLUG = 'def slug(name):\n    return name.lower().replace(" ", "-")\n'
CART = """\
import json

RATE = 19


def total(items):
    return sum(items) * (100 + RATE) / 100


def dump(cart):
    return json.dumps(cart)


def count(items):
    return len(items)
"""
NAMES = 'from shop.text import slug\n\n\ndef title(name):\n    return f"{name} ({slug(name)})"\n'
AFTER: dict[str, dict[str, str | None]] = {  # by the first word of the request
    "Let": {"src/shop/cart.py": CART},
    "Move": {"src/shop/text.py": SLUG, "src/shop/names.py": NAMES},
    "Rename": {"util.py": None, "dates.py": 'FORMAT = "%Y-%m-%d"\n', "old.py": None},
    "Replace": {"app.toml": 'host = "shop"\nport = 443\n'},
}


def files_of(question: str) -> dict[str, bytes]:
    """The files that a request shows."""
    return {path: text.encode() for path, _, text in FILE.findall(f"{question}\n")}


@pytest.mark.parametrize(("name", "commands", "file_or_edit"), VARIANTS)
def test_every_example_lands(name: str, commands: bool, file_or_edit: bool) -> None:
    form = name.removeprefix("editor-")
    operations, wanted = set(), set(AFTER)
    for question, answer in kit(name, commands=commands, file_or_edit=file_or_edit).examples:
        word = question.split()[0]
        wanted.remove(word)
        is_rewrite = word == "Replace"
        settings = Settings(whole_files="all" if is_rewrite and replaces_by_setting(name) else "no")
        before = files_of(question)
        result = apply_response(answer, before.get, settings)
        assert result.problems == ()
        assert {path: data and data.decode() for path, data in result.contents.items()} == AFTER[word]
        for row in result.results:
            assert row.strategy in ("exact", "create", "delete-file", "rename", "replace-file")
            assert row.block.format in {form, ALSO.get(form), "whole-file" if is_rewrite else None}
            assert [note.code for note in row.notes] == ["rewrites-file"] * (
                row.strategy == "replace-file" or (is_rewrite and row.strategy == "create")
            )
            operations.add(row.operation)
    assert wanted == {*(() if file_or_edit else ("Replace",)), *(() if form == "v4a" else ("Rename",))}
    assert {"modify", "insert", "create"} <= operations
    assert (form == "tool-replace") is ("delete-lines" not in operations)  # a call may delete a part of a line
    assert (form == "v4a") is ({"delete-file", "rename"} <= operations)


@pytest.mark.parametrize("name", FORMS)
def test_an_example_is_one_of_this_format_alone(name: str) -> None:
    """What the setting `formats` allows by this name is enough to read it."""
    formats = formats_named([name, *filter(None, [ALSO.get(name)])])
    for _, answer in kit(name).examples:
        assert parse_response(answer, formats).problems == ()


@pytest.mark.parametrize(("name", "commands", "file_or_edit"), VARIANTS)
def test_a_kit_is_short(name: str, commands: bool, file_or_edit: bool) -> None:
    chosen = kit(name, commands=commands, file_or_edit=file_or_edit)
    assert len(kit_text(chosen).split()) < 900
    assert len(chosen.reminder.split()) < 150
    assert len(chosen.examples) in (2, 3, 4)


@pytest.mark.parametrize(("name", "commands", "file_or_edit"), VARIANTS)
def test_commands_only_where_they_are_wanted(name: str, commands: bool, file_or_edit: bool) -> None:
    chosen = kit(name, commands=commands, file_or_edit=file_or_edit)
    text = kit_text(chosen)
    asks = commands and not name.startswith("editor-")
    assert ("sh" in re.findall("[a-z]+", chosen.system)) is asks
    assert ("git mv" in text) is (asks and name != "v4a")
    assert ("no commands at all" in text) is not asks
    assert not any(parse_response(answer).shell_suggestions for _, answer in chosen.examples)
    suggestions = parse_response(chosen.system).shell_suggestions
    assert suggestions == (("git mv old/path.py new/path.py",) if "git mv" in text else ())


@pytest.mark.parametrize("form", ["diff", "diff-fenced"])
def test_an_editor_is_the_same_without_commands(form: str) -> None:
    assert kit(f"editor-{form}") == kit(form, commands=False)


@pytest.mark.parametrize("name", FORMS)
def test_whole_files_only_where_they_are_wanted(name: str) -> None:
    plain, more = kit(name), kit(name, file_or_edit=True)
    assert "whole-files: all" not in kit_text(plain)
    assert ("whole-files: all" in more.system) is replaces_by_setting(name)
    assert more.examples[: len(plain.examples)] == plain.examples
    assert more.reminder == plain.reminder


EMPTY = f"<<<<<<< SEARCH\n=======\n{SLUG}>>>>>>> REPLACE\n"

# Text that holds marker lines itself: the markers around it are longer, where they can be.


def longer(answer: str) -> str:
    """The answer with markers of eight characters."""
    return re.sub(r"^([<=>-])\1{6}(?=$| [A-Z_]+$)", r"\1\g<0>", answer, flags=re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in FORMS if name != "edit-v3"])
def test_a_file_that_shows_blocks_can_be_written(name: str) -> None:
    """With `edit-v3` it cannot, as its kit says."""
    shown = kit(name).examples[0][1].replace("`", "~") + "\n"  # another fence, as a longer one would be
    question, answer = kit(name).examples[1]
    plus = "+" if name == "v4a" else ""
    old, new = ("".join(f"{plus}{line}\n" for line in text.splitlines()) for text in (SLUG, shown))
    if name == "tool-replace":
        old = json.dumps(SLUG)
        new = json.dumps(shown)
    if name == "bolt-edit":  # an action of type="file" has no marker to make longer
        answer = answer.replace(
            f'"file" filePath="src/shop/text.py">\n{SLUG}', f'"edit" filePath="src/shop/text.py">\n{EMPTY}'
        )
    result = apply_response(longer(answer).replace(old, new, 1), files_of(question).get)
    assert [row.code for row in result.results] == [None, None]
    assert [note.code for row in result.results for note in row.notes] == []
    assert result.contents["src/shop/text.py"] == shown.encode()


def test_edit_v3_holds_rules() -> None:
    shown = 'TEXT = """\nTitle\n=======\n\n-------\n"""\n'
    question, answer = kit("edit-v3").examples[1]
    result = apply_response(answer.replace(SLUG, shown, 1), files_of(question).get)
    assert [row.code for row in result.results] == [None, None]
    assert result.contents["src/shop/text.py"] == shown.encode()


# What the texts are made of


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_text_is_plain(path: Path) -> None:
    text = path.read_text("utf-8")
    plain = re.sub("^(««« EDIT|═══════ REPL|»»» EDIT END)$", "", text, flags=re.MULTILINE)
    assert plain.isascii()
    assert "\t" not in text
    assert not re.search(r"[ \r]$", text, re.MULTILINE)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert min(map(len, re.findall("^`{3,}", text, re.MULTILINE)), default=4) == 4
    assert text.startswith("%% ") is (path.stem != "agents")


@pytest.mark.parametrize(("name", "commands", "file_or_edit"), VARIANTS)
def test_every_kit_says_what_all_say(name: str, commands: bool, file_or_edit: bool) -> None:
    """The task, the rules for blocks, and how to create, change, move, delete and rename."""
    chosen = kit(name, commands=commands, file_or_edit=file_or_edit)
    common = (TEXTS[0].parent / "all.txt").read_text("utf-8")
    pieces = dict(re.findall(r"^%% (\S+)\n(.*?)\n\n(?=^%% )", common, re.MULTILINE | re.DOTALL))
    assert pieces["task"] in chosen.system
    assert pieces["rules"] in chosen.system
    assert pieces["reminder"] in chosen.reminder
    for words in (
        "- Create a file: ",
        "- Insert: ",
        "Delete lines: ",
        "Move code: ",
        "## Deleting and renaming",
        "80 %",
    ):
        assert words in chosen.system


def test_every_text_and_every_piece_is_used() -> None:
    everything = "\n".join(
        "\n".join((kit_text(chosen), chosen.reminder))
        for name, commands, more in VARIANTS
        for chosen in (kit(name, commands=commands, file_or_edit=more),)
    )
    assert "%%" not in everything
    for path in TEXTS:
        for piece in (
            () if path.stem == "agents" else re.split(r"^%% \S+\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        ):
            assert piece.strip("\n") in everything, path.name


def test_the_names_are_those_of_formats() -> None:
    assert set(KITS) <= set(FORMAT_NAMES)
    assert DEFAULT_KIT in KITS


def test_messages_are_the_text_in_pieces() -> None:
    chosen = Kit("rules", (("ask", "answer"), ("more", "answers")), "reminder")
    assert kit_messages(chosen) == [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": "answer"},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "answers"},
    ]
    assert kit_messages(chosen, examples=False) == [{"role": "system", "content": "rules"}]
    assert kit_text(chosen, examples=False) == "rules"
    assert kit_text(chosen).startswith(
        "rules\n\n## Example 1: the request\n\nask\n\n## Example 1: your answer\n\nanswer"
    )
