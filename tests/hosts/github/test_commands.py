"""The first line of a comment: what is a command, what is one that cannot be read, and what is none of ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import ConfigError
from editblocks.core.selection import Selection
from editblocks.hosts.github.event import Command, Verb, is_command_like, read_command


def apply(selector: str = "", source: int | None = None, words: str = "/apply") -> Command:
    return Command("apply", Selection.read(selector) if selector else None, source, words)


def plain(verb: Verb, *numbers: int, source: int | None = None, words: str = "") -> Command:
    selection = Selection(numbers=frozenset(numbers)) if numbers else None
    return Command(verb, selection, source, words or f"/{verb}")


ID = 2048812345
READ: list[tuple[str, Command]] = [
    ("/apply", apply()),
    ("/APPLY", apply()),
    ("/Apply  \t", apply()),
    ("/apply\n", apply()),
    ("/apply\r\n\r\ntext", apply()),
    ("/apply\rready", apply()),
    ("/apply\n/skip 5", apply()),
    ("/apply all", apply("all")),
    ("/apply ready", apply("ready")),
    ("/apply READY\r\nand thanks", apply("ready")),
    ("/apply 1,3-5", apply("1,3,4,5")),
    ("/apply 1, 3 , 5", apply("1,3,5")),
    ("/apply\t1", apply("1")),
    ("/apply\u00a01\u00a0", apply("1")),
    ("/apply 4@48", apply("4@48")),
    ("/apply 1-3,4@48", apply("1-3,4@48")),
    ("/apply src/cart.py", apply("src/cart.py")),
    ("/apply src/my file.py", apply("src/my file.py")),
    ("/apply ./ready", apply("./ready")),
    ("/apply of 2048812345", apply(source=ID)),
    ("/apply OF 2048812345", apply(source=ID)),
    ("/apply 1-3,4@48  of \t2048812345 ", apply("1-3,4@48", ID)),
    ("/apply ready of 2048812345", apply("ready", ID)),
    ("/apply src/my file.py of 123", apply("src/my file.py", 123)),
    ("/apply list of many things.py", apply("list of many things.py")),
    ("/apply table of 12", apply("table", 12)),
    ("/apply table of 12 of 34", apply("table of 12", 34)),
    ("/apply office", apply("office")),
    ("/apply of.py", apply("of.py")),
    ("/apply " + "x" * 193, apply("x" * 193)),
    ("/apply 1" + " " * 192, apply("1")),
    ("/skip 5", plain("skip", 5)),
    ("/skip 5,7", plain("skip", 5, 7)),
    ("/skip 5-7,9 of 12", plain("skip", 5, 6, 7, 9, source=12)),
    ("/retry", plain("retry")),
    ("/retry 4,5", plain("retry", 4, 5)),
    ("/retry of 12", plain("retry", source=12)),
    ("/undo", plain("undo")),
    ("/undo of 12", plain("undo", source=12)),
    ("/edits", plain("help", words="/edits help")),
    ("/edits help", plain("help", words="/edits help")),
    ("/edits help me, please", plain("help", words="/edits help")),
    ("/Edits  Apply", apply(words="/edits apply")),
    ("/edits apply 1-3 of 12", apply("1-3", 12, words="/edits apply")),
    ("/edits\tskip\t5", plain("skip", 5, words="/edits skip")),
    ("/edits retry", plain("retry", words="/edits retry")),
    ("/edits UNDO of 12", plain("undo", source=12, words="/edits undo")),
]


@pytest.mark.parametrize(("body", "command"), READ, ids=[body[:30] for body, _ in READ])
def test_a_command_is_read(body: str, command: Command) -> None:
    assert read_command(body) == command
    assert is_command_like(body)


@pytest.mark.parametrize(("body", "command"), READ, ids=[body[:30] for body, _ in READ])
def test_where_short_commands_are_off_the_long_ones_count(body: str, command: Command) -> None:
    assert read_command(body, short=False) == (command if body.lower().startswith("/edits") else None)


NONE = (
    "",
    "\n/apply",
    "\r\n/apply",
    " /apply",
    "\t/apply",
    "\ufeff/apply",
    "\u200b/apply",
    "> /apply",
    "`/apply`",
    "```\n/apply\n```",
    "<!-- editblocks:answer v1 to=issuecomment-1 -->\n/apply",
    "please /apply",
    "apply",
    "/",
    "/ apply",
    "//apply",
    "\\/apply",
    "/applyfoo",
    "/apply-all",
    "/applying 3",
    "/apply.",
    "/apply,1",
    "/apply:1",
    "/apply@hubot",
    "/apply/1",
    "/apply\u30001",
    "/skipped",
    "/retry-failed",
    "/undone",
    "/editss",
    "/edits-help",
    "/help",
    "/ready",
    "/s\u212aip 1",
    "/\u017fkip 1",
    "/ed\u0131ts help",
    "/applyfoo " + "x" * 300,
)


@pytest.mark.parametrize("body", NONE, ids=[body[:30] for body in NONE])
def test_what_is_no_command_of_ours(body: str) -> None:
    assert read_command(body) is None
    assert not is_command_like(body)


NUMBERS = "takes block numbers with commas between them, as in"
LONG = "the line of the command has more than 200 characters; name ranges, as in `1-3,4@48`"
WRONG: list[tuple[str, str]] = [
    ("/apply 4@x", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("/APPLY  4@x\r\n", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("/edits apply 4@x", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("/apply 1,4@x", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("/apply 4@x of 12", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("/apply 1,,3", "`1,,3` has an empty part; name blocks, as in `1-3,4@48`"),
    ("/apply 0", "`0` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("/apply 3-1", "`3-1` runs backwards; write `1-3`"),
    ("/apply of", "`of` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply of it", "`of it` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply 1-3 of it", "`of it` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply ready of 12a", "`of 12a` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply of 0", "`of 0` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply of \u0661", "`of \u0661` is not the number of a comment; write one, as in `of 2048812345`"),
    (f"/apply of {'9' * 20}", f"`of {'9' * 20}` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply 4@x of it", "`of it` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply of issuecomment-7", "`of issuecomment-7` is not the number of a comment;"
     " write one, as in `of 2048812345`"),
    ("/apply list of things.py", "`of things.py` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/apply src/a.py of", "`of` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/skip", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip of 12", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip src/a.py", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip 4 5", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip 4@48", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip ready", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip all,4", f"`/skip` {NUMBERS} `/skip 4,5`"),
    ("/skip 2001", "`2001` is not a block number; use 1 to 2,000, as in `1-3,4@48`"),
    ("/edits skip", f"`/edits skip` {NUMBERS} `/edits skip 4,5`"),
    ("/retry the build", f"`/retry` {NUMBERS} `/retry 4,5`"),
    ("/retry 4 of it", "`of it` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/undo 3", "`/undo` takes no blocks, it undoes the whole commit; write only `/undo`"),
    ("/undo a of it", "`of it` is not the number of a comment; write one, as in `of 2048812345`"),
    ("/edits aply 3", "`/edits aply` is not a command; did you mean `/edits apply`?"),
    ("/edits applyfoo", "`/edits applyfoo` is not a command; did you mean `/edits apply`?"),
    ("/edits Undoo", "`/edits Undoo` is not a command; did you mean `/edits undo`?"),
    ("/edits xyz", "`/edits xyz` is not a command; use one of `/edits apply`, `/edits skip`,"
     " `/edits retry`, `/edits undo`, `/edits help`"),
    ("/apply " + "x" * 194, LONG),
    ("/apply 1" + " " * 193, LONG),
    ("/edits help " + "x" * 10_000_000, LONG),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[body[:30] for body, _ in WRONG])
def test_a_command_that_cannot_be_read(body: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_command(body)
    assert (caught.value.code, caught.value.message) == (ReasonCode.BAD_COMMAND, message)
    assert is_command_like(body)


SHORTEST: list[tuple[str, str]] = [
    ("/Apply", "/apply"),
    ("/apply of 12", "/apply"),
    ("/apply 1,2,3, 4@48 of 12", "/apply 1-3,4@48"),
    ("/apply all", "/apply all"),
    ("/edits Apply ./src/a b.py", "/edits apply src/a b.py"),
    ("/skip 7,6", "/skip 6-7"),
    ("/retry", "/retry"),
    ("/edits", "/edits help"),
]


@pytest.mark.parametrize(("body", "line"), SHORTEST)
def test_a_command_is_written_at_its_shortest(body: str, line: str) -> None:
    assert str(read_command(body)) == line


WORDS = (
    "/apply",
    "/apply ",
    "/skip",
    "/retry",
    "/undo",
    "/edits",
    "/applyfoo",
    "help",
    "of",
    "12",
    "1-3",
    "4@48",
    "x y.py",
    "./of 5",
    ">",
)
GAPS = (" ", "\t", "\u00a0", "  ", ",", "\n", "\r\n", "")
LINES = st.lists(st.sampled_from((*WORDS, *GAPS)), max_size=12).map("".join)


@given(st.one_of(st.text(max_size=300), LINES), st.booleans())
def test_any_text_is_a_command_none_or_refused(body: str, short: bool) -> None:
    is_ours = is_command_like(body) and (short or body.lower().startswith("/edits"))
    assert isinstance(said(body, short), (Command, str)) is is_ours


@given(LINES)
def test_what_is_written_is_read_back_with_a_source(body: str) -> None:
    command = said(body)
    if isinstance(command, Command):
        source = None if command.verb == "help" else 7
        assert said(f"{command} of 7") == command._replace(number=source)
    else:
        assert command is None or "\n" not in command


@given(LINES, st.text(max_size=50))
def test_only_the_first_line_counts(line: str, below: str) -> None:
    first = line.replace("\r", "").replace("\n", "")
    assert said(first) == said(f"{first}\n{below}") == said(f"{first}\r\n{below}")


def said(body: str, short: bool = True) -> Command | str | None:
    """What a text is read as, or the message that says why it is not."""
    try:
        return read_command(body, short)
    except ConfigError as error:
        return error.message if error.code is ReasonCode.BAD_COMMAND else None
