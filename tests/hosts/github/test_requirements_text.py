"""What is read, matched and kept of a text: requirements S9, S10, S16, S21 and S22, through a whole run."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.actionkit import APP, FITS, block
from support.talkkit import FILES, talk

# S9: no place or several, and how a block was matched

NEAR = "def add(one, two):\n    total = one + two\n    check(total)\n    print(total)\n    return total\n"
TWICE = {"app.py": b"x = 1\ny = 2\nx = 1\n", "near.py": NEAR.encode()}
UNCLEAR: dict[str, tuple[str, tuple[str, ...]]] = {
    "several places": (block("app.py", "x = 1", "x = 3"), ("ambiguous", "lines 1 and 3")),
    "no place": (block("app.py", "z = 1", "z = 3"), ("no-match",)),
    "almost a place": (block("near.py", NEAR.replace("print", "prinnt").rstrip(), "x"), ("no-match", "near.py:4")),
}


@pytest.mark.parametrize("claim", UNCLEAR)
@pytest.mark.long(after=2)
def test_s09_no_place_and_several_are_named_and_not_written(tmp_path: Path, claim: str) -> None:
    body, words = UNCLEAR[claim]
    with talk(tmp_path, TWICE) as t:
        done = t.say("octocat", body)
        assert (done.outputs["result"], t.made) == ("failed", 0)
        assert [word for word in words if word not in t.status.replace("`", "")] == [], t.status


@pytest.mark.long
def test_s09_what_is_below_the_ladder_is_applied_if_asked_for_and_shown(tmp_path: Path) -> None:
    old = NEAR.replace("print", "prinnt").rstrip()
    body = block("near.py", old, old.replace("one + two", "one + two + 1"))
    with talk(tmp_path, TWICE) as t:
        t.say("octocat", body)
        assert (t.made, t.states) == (0, ["failed"])
        t.say("octocat", body, inputs={"matching": "loose"})
        assert (t.made, t.states) == (1, ["failed", "applied"])
        assert "| ⚠️ fuzzy 99 % (low confidence) |" in t.pull.reviews[-1].body


# S10: bytes that no block replaces

BYTES = {
    "LF": (b"one\ntwo\nthree", "\r\n", b"one\n2\nthree"),
    "CRLF": (b"one\r\ntwo\r\nthree\r\n", "\n", b"one\r\n2\r\nthree\r\n"),
    "BOM, form feed, U+2028": (b"\xef\xbb\xbfone\r\n\x0c\ntwo\nthr\xe2\x80\xa8ee", "\r\n",
                               b"\xef\xbb\xbfone\r\n\x0c\n2\nthr\xe2\x80\xa8ee"),
}  # fmt: skip


@pytest.mark.parametrize("claim", BYTES)
@pytest.mark.long(after=2)
def test_s10_what_no_block_replaces_keeps_its_bytes_and_mode(tmp_path: Path, claim: str) -> None:
    old, end, new = BYTES[claim]
    with talk(tmp_path, {"app.py": old}) as t:
        t.say("octocat", block("app.py", "two", "2").replace("\n", end))
        assert t.h.world.files(t.head)["app.py"] == ("100755", new)


# S16: YAML of others

BOMBS: dict[str, str] = {
    "aliases": "a: &a [x, x]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in ("ab", "bc", "cd", "de")),
    "depth": "[" * 30_000,
    "depth of maps": "{a: " * 15_000,
    "many": "x: [" + "a, " * 20_000 + "]\n",
    "a tag": "!!python/object/apply:os.system [id]\n",
    "two documents": "mode: apply\n---\nmode: check\n",
    "a merge": "<<: {mode: apply}\n",
    "twice": "mode: check\nmode: apply\n",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("claim", BOMBS)
def test_s16_a_bomb_stops_every_commit_and_no_run(tmp_path: Path, claim: str) -> None:
    with talk(tmp_path) as t:
        t.h.world.commit({".editblocks.yml": BOMBS[claim].encode()}, "Bomb", "main")
        done = t.say("octocat", FITS)
        assert (done.code, t.made, t.states) == (2, 0, ["refused"])
        assert [error.startswith("bad-config: ") for error in done.errors] == [True], done.log


def test_s16_a_bomb_in_the_pull_request_is_not_read(tmp_path: Path) -> None:
    with talk(tmp_path, {**FILES, ".editblocks.yml": BOMBS["depth"].encode()}) as t:
        t.say("octocat", FITS)
        assert (t.made, t.states) == (1, ["applied"])


@pytest.mark.long
def test_s16_a_bomb_in_a_response_file_fails_that_file(tmp_path: Path) -> None:
    bombs = ("aliases", "many", "twice")
    with talk(tmp_path) as t:
        before = t.head
        t.h.world.push(t.pull, {f".edits/{claim}.md": f"---\n{BOMBS[claim]}---\n{FITS}".encode() for claim in bombs})
        head = t.head
        done = t.run(t.h.pull_event(t.pull, "synchronize", "octocat", before))
        assert (done.code, t.head, t.states) == (2, head, ["failed"] * len(bombs)), done.log


# S21: what nobody sees

HIDDEN = {
    "an order of letters": (FITS.replace("sum(items)", "sum(items)  # \u202eadmin"), "hidden-text", "U+202E"),
    "no width": (FITS.replace("sum(items)", "su\u200bm(items)"), "hidden-text", "U+200B"),
    "a tag": (FITS.replace("sum(items)", "sum(items)  # \U000e0041"), "hidden-text", "U+E0041"),
    "a control": (FITS.replace("sum(items)", "sum(items)  # \x08"), "hidden-text", "U+0008"),
    "a comment": (f"Looks good.\n\n<!--\n{FITS}\n-->\n", "hidden-block", "GitHub does not show lines"),
}


@pytest.mark.parametrize("claim", HIDDEN)
@pytest.mark.long
def test_s21_what_nobody_sees_is_refused_and_named(tmp_path: Path, claim: str) -> None:
    body, code, name = HIDDEN[claim]
    with talk(tmp_path) as t:
        t.say("octocat", body)
        shown = t.status.replace("`", "")
        assert (t.made, t.states, code in shown, name in shown) == (0, ["failed"], True, True), shown
        assert code != "hidden-text" or re.search(r"line [0-9]+.*column [0-9]+|:[0-9]+:[0-9]+", shown), shown
        for words in ("/apply", "/apply 1", "/apply ready", "/apply app.py"):
            t.say("octocat", words)
        assert t.made == 0


# S22: bytes that are not what they seem

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"
NOT_TEXT: dict[str, tuple[Mapping[str, bytes], str]] = {
    "NUL": ({"app.py": APP + b"\0"}, "binary"),
    "Latin-1": ({"app.py": APP + b"\xe9\n"}, "encoding"),
    "an LFS pointer": ({"app.py": POINTER + APP}, "filtered"),
    "a filter": ({"app.py": APP, ".gitattributes": b"*.py filter=x\n"}, "filtered"),
    "an encoding": ({"app.py": APP, ".gitattributes": b"app.py working-tree-encoding=UTF-16\n"}, "filtered"),
    "ident": ({"app.py": APP, ".gitattributes": b"* ident\n"}, "filtered"),
}


@pytest.mark.long
@pytest.mark.parametrize("claim", NOT_TEXT)
def test_s22_what_is_no_plain_text_is_not_rewritten(tmp_path: Path, claim: str) -> None:
    files, code = NOT_TEXT[claim]
    with talk(tmp_path, files) as t:
        t.say("octocat", FITS)
        t.say("octocat", "/apply 1")
        assert (t.made, t.states, code in t.status) == (0, ["failed"], True), t.status
