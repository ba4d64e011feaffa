"""Options that many commands share: protected files, the staged tree, several responses, colour."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.applykit import (
    CART,
    CHANGE,
    CREATE,
    FITS,
    MISS,
    NEW_CART,
    PARTLY,
    TAX,
    Run,
    block,
    changed,
)
from support.gitkit import git

from editblocks.faces.cli.arguments import parse

RESPONSES: Mapping[str, str] = {
    "fits.md": FITS, "change.md": CHANGE, "create.md": CREATE,
    "partly.md": PARTLY, "misses.md": MISS, "prose.md": "x\n",
}  # fmt: skip
COMMANDS = ("check", "diff", "apply")


@pytest.fixture
def shop(shop: Path, tmp_path: Path) -> Path:
    for name, text in RESPONSES.items():
        (tmp_path / name).write_text(text)
    return shop


# --allow-protected

RULES = block(".gitattributes", "", "* text\n")
ACTION = block("action.yml", "", "name: x\n")
WORKFLOW = block(".github/workflows/ci.yml", "", "on: push\n")
PROTECTED: tuple[tuple[str, Sequence[str], str, int, Sequence[str]], ...] = (
    ("not allowed", (), RULES, 1, ()),
    ("allowed by its path", (".gitattributes",), RULES, 0, (".gitattributes",)),
    ("another one is not", ("action.yml",), RULES, 1, ()),
    ("several", (".gitattributes", "action.yml"), RULES + ACTION, 0, (".gitattributes", "action.yml")),
    ("one of two", (".gitattributes",), RULES + ACTION, 1, ()),
    ("what needs no permission", ("src/tax.py",), CREATE, 0, ("src/tax.py",)),
)


@pytest.mark.parametrize("row", PROTECTED, ids=[row[0] for row in PROTECTED])
@pytest.mark.long(after=2)
def test_a_protected_file_is_changed_only_if_it_is_named(
    shop: Path, run: Run, row: tuple[str, Sequence[str], str, int, Sequence[str]]
) -> None:
    _, allowed, reply, code, files = row
    options = [option for path in allowed for option in ("--allow-protected", path)]
    assert [run(command, "-", *options, stdin=reply).code for command in ("check", "diff")] == [code, code]
    ran = run("apply", "-", *options, stdin=reply)
    assert (ran.code, sorted(changed(shop))) == (code, sorted(files))
    assert ("not-allowed: " in ran.out) is (code == 1)


def test_a_workflow_is_never_changed(shop: Path, run: Run) -> None:
    for command in (*COMMANDS, "retry"):
        ran = run(command, "-", "--allow-protected", ".github/workflows/ci.yml", stdin=WORKFLOW)
        assert (ran.code, changed(shop)) == (2, {})
        assert ran.err == (
            "editblocks: --allow-protected names .github/workflows/ci.yml, and workflows are never edited; "
            "change it by hand\n"
        )


def test_a_permission_holds_for_one_call(shop: Path, run: Run) -> None:
    assert run("check", "-", "--allow-protected", ".gitattributes", stdin=RULES).code == 0
    assert run("check", "-", stdin=RULES).code == 1


# --staged


def stage(shop: Path, path: str, data: bytes | None) -> None:
    """Stage other bytes than are on disk."""
    place, kept = shop / path, (shop / path).read_bytes() if (shop / path).exists() else None
    if data is None:
        git(shop, "rm", "-q", "--cached", path)
        return
    place.write_bytes(data)
    git(shop, "add", path)
    if kept is None:
        place.unlink()
    else:
        place.write_bytes(kept)


STAGED: tuple[tuple[str, Mapping[str, bytes | None], int, int], ...] = (
    ("nothing else is staged", {}, 0, 0),
    ("what is staged no longer fits", {"src/cart.py": b"# other\n"}, 1, 0),
    ("what is staged is gone", {"src/cart.py": None}, 1, 0),
    ("a file that only the index has", {"src/tax.py": b"RATE = 5\n"}, 1, 0),
)


@pytest.mark.parametrize("row", STAGED, ids=[row[0] for row in STAGED])
@pytest.mark.long(after=1)
def test_blocks_are_held_against_what_is_staged(
    shop: Path, run: Run, row: tuple[str, Mapping[str, bytes | None], int, int]
) -> None:
    _, files, staged, disk = row
    for path, data in files.items():
        stage(shop, path, data)
    before = git(shop, "status", "--porcelain")
    assert [run(command, "../fits.md", "--staged").code for command in ("check", "diff")] == [staged] * 2
    assert [run(command, "../fits.md").code for command in ("check", "diff")] == [disk] * 2
    assert bool(run("retry", "../fits.md", "--staged").out) is bool(staged)
    assert (git(shop, "status", "--porcelain"), changed(shop)) == (before, {})


def test_what_is_only_on_disk_does_not_count(shop: Path, run: Run) -> None:
    (shop / "src/cart.py").write_bytes(b"# mine\n")
    assert (run("check", "../fits.md", "--staged").code, run("check", "../fits.md").code) == (0, 1)


def test_a_staged_patch_applies_to_the_index(shop: Path, run: Run) -> None:
    stage(shop, "src/cart.py", b"# first\n" + CART)
    patch = run("diff", "../fits.md", "--staged").out
    git(shop, "apply", "--cached", stdin=patch.encode())
    assert git(shop, "show", ":src/cart.py") == b"# first\n" + NEW_CART
    assert git(shop, "show", ":src/tax.py") == TAX


APART = (
    ("check", "--staged", "--rev=HEAD", "--rev and --staged cannot be used together; leave one of them out"),
    ("diff", "--staged", "--rev=HEAD", "--rev and --staged cannot be used together; leave one of them out"),
    ("apply", "-i", "--only=1", "-i and --only cannot be used together; leave one of them out"),
    ("apply", "-i", "--partial", "-i and --partial cannot be used together; leave one of them out"),
    ("apply", "-i", "-q", "-i and -q cannot be used together; leave one of them out"),
    ("apply", "-i", "--format=json", "-i and --format cannot be used together; leave one of them out"),
    ("check", "-q", "-v", "-q and -v cannot be used together; leave one of them out"),
    ("check", "--isolated", "--config=x.yml", "--isolated and --config cannot be used together; leave one of them out"),
)


@pytest.mark.parametrize(("command", "one", "other", "words"), APART)
@pytest.mark.long
def test_options_that_say_two_things(run: Run, command: str, one: str, other: str, words: str) -> None:
    ran = run(command, "../fits.md", one, other)
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: {words}\n")


NOT_FOR = (("apply", "--staged"), ("apply", "--rev=HEAD"), ("check", "--keep"), ("check", "--index"), ("retry", "-i"))


@pytest.mark.parametrize(("command", "option"), NOT_FOR)
@pytest.mark.long
def test_options_of_other_commands(shop: Path, run: Run, command: str, option: str) -> None:
    ran = run(command, "../fits.md", option)
    name = option.partition("=")[0]
    assert (ran.code, ran.out, changed(shop)) == (2, "", {})
    assert ran.err.startswith(f"editblocks: {command} has no option `{name}`; ")


# several responses


@pytest.mark.long
def test_each_has_a_heading_and_its_own_sum(shop: Path, run: Run) -> None:
    ran = run("check", "../change.md", "../misses.md", "-")
    *blocks, total = ran.out.split("\n\n")
    assert [part.partition("\n")[0] for part in blocks] == ["../change.md:", "../misses.md:", "standard input:"]
    assert blocks[0].endswith("\n../change.md: 1 ready")
    assert (ran.code, total) == (1, "3 answers: 1 ready, 1 failed, 1 without blocks\n")
    assert run("check", "../prose.md", "-").out.endswith("\n\n2 answers: no edit block\n")


CODES: tuple[tuple[Sequence[str], int, Sequence[str]], ...] = (
    (("change.md", "create.md"), 0, ("src/cart.py", "src/tax.py")),
    (("change.md", "misses.md", "create.md"), 1, ("src/cart.py", "src/tax.py")),
    (("misses.md", "prose.md"), 1, ()),
    (("create.md", "fits.md"), 0, ("src/cart.py", "src/tax.py")),
    (("partly.md", "change.md"), 1, ("src/cart.py",)),
)


@pytest.mark.long
@pytest.mark.parametrize(("names", "code", "files"), CODES, ids=[" ".join(row[0]) for row in CODES])
def test_each_is_written_by_itself_and_the_worst_code_counts(
    shop: Path, run: Run, names: Sequence[str], code: int, files: Sequence[str]
) -> None:
    ran = run("apply", *(f"../{name}" for name in names))
    assert (ran.code, tuple(changed(shop))) == (code, tuple(files)), ran.out


@pytest.mark.long
def test_each_is_a_commit_of_its_own(shop: Path, run: Run) -> None:
    assert run("apply", "../change.md", "../create.md", "--commit").code == 0
    names = git(shop, "log", "--reverse", "--format=%s", "--name-only", "main").decode().split()
    assert (names.count("src/cart.py"), names.count("src/tax.py")) == (2, 1)


@pytest.mark.long
def test_a_name_that_the_hooks_pass_over_is_no_response_file_for_apply(shop: Path, run: Run) -> None:
    """Its star stands for nothing."""
    (shop / ".edits").mkdir()
    (shop / ".edits/.md").write_text(CHANGE)
    assert run("apply", ".edits/.md").code == 0
    assert (shop / ".edits/.md").is_file()


@pytest.mark.long
def test_later_ones_are_planned_on_what_earlier_ones_wrote(shop: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "more.md").write_text(block("src/cart.py", "    return 10\n", "    return 100\n"))
    assert run("apply", "../change.md", "../more.md").code == 0
    assert changed(shop) == {"src/cart.py": NEW_CART.replace(b"10", b"100")}


@pytest.mark.long
def test_one_line_for_each_in_jsonl_and_one_alone_in_json(shop: Path, run: Run) -> None:
    ran = run("check", "../change.md", "../misses.md", "--format", "jsonl")
    assert [json.loads(row)["sources"][0]["path"] for row in ran.out.splitlines()] == ["../change.md", "../misses.md"]
    ran = run("check", "../change.md", "../misses.md", "--format", "json")
    said = "--format json holds one answer; use jsonl, or name one at a time"
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: {said}\n")


WRONG: tuple[tuple[Sequence[str], str], ...] = (
    ((), "no answer is given; name a file with the model's answer, or - for standard input"),
    (("",), "no answer is given; name a file with the model's answer, or - for standard input"),
    (("../fits.md", "../fits.md"), "`../fits.md` is named twice; name each answer once"),
    (("-", "-"), "`-` is named twice; name each answer once"),
    (("../fits.md", "../change.md", "--only=1"), "--only chooses blocks of one answer; name one at a"),
    (("../fits.md", "../none.md"), "file-not-found: there is no ../none.md; name a file that holds the answer"),
)


@pytest.mark.long
@pytest.mark.parametrize(("arguments", "words"), WRONG)
@pytest.mark.parametrize("command", [*COMMANDS, "retry"])
def test_responses_that_cannot_be_read(
    shop: Path, run: Run, command: str, arguments: Sequence[str], words: str
) -> None:
    ran = run(command, *arguments)
    assert (ran.code, ran.out, changed(shop)) == (2, "", {})
    assert ran.err.startswith(f"editblocks: {words}")


@pytest.mark.long
def test_what_was_done_before_the_trouble_is_told(shop: Path, run: Run) -> None:
    """The second response is refused, as its file has changes that are not committed; the first one is a commit."""
    (shop / "src/cart.py").write_bytes(b"# mine\n" + CART)
    ran = run("apply", "../create.md", "../change.md", "--commit")
    assert (ran.code, git(shop, "show", "main:src/tax.py")) == (2, TAX)
    assert "\napplied 1 block to 1 file, +1 -0 as " in ran.out
    said = "dirty-file: src/cart.py has changes that are not committed; commit or stash them first"
    assert ran.err == f"editblocks: {said}\n"


@pytest.mark.long
@pytest.mark.parametrize("form", ["github", "rdjsonl", "jsonl", "sarif", "markdown"])
def test_what_was_done_before_a_refusal_is_told_where_tools_read(shop: Path, run: Run, form: str) -> None:
    (shop / "src/cart.py").write_bytes(b"# mine\n" + CART)
    ran = run("apply", "../create.md", "../change.md", "--commit", "--format", form)
    head = git(shop, "rev-parse", "--short=7", "main").decode().strip()
    said = "src/cart.py has changes that are not committed; commit or stash them first"
    told = f"dirty-file: applied 1 block to 1 file, +1 -0 as {head}, but {said}"
    assert (ran.code, ran.err) == (2, f"editblocks: {told}\n")


@pytest.mark.long
def test_a_reader_who_goes_stops_what_is_left(shop: Path) -> None:
    """More is printed than a pipe holds."""
    rows = "".join(block("src/cart.py", f"    return {number}0\n", "\n") for number in range(499))
    Path("../long.md").write_text(rows)
    line = f"{sys.executable} -m editblocks apply --partial ../long.md ../create.md"
    script = f"{{ {line}; echo $? >&2; }} | true"
    done = subprocess.run(["sh", "-c", script], cwd=shop, capture_output=True, text=True, check=False)
    left = "the output was closed early, so nothing was done with ../create.md"
    assert (done.stderr, changed(shop)) == (f"editblocks: {left}\n1\n", {})


BETWEEN = ("{} -q {}", "-q {} --color never {}", "-q -- {} {}", "{} {} -q", "{} -- {}")


@pytest.mark.parametrize("line", BETWEEN)
@pytest.mark.parametrize("names", [["a.md", "b.md"], ["a.md", "-"], ["-", "b.md"]])
@pytest.mark.long
def test_options_may_stand_between_responses(line: str, names: Sequence[str]) -> None:
    options = parse(["check", *line.format(*names).split()])
    assert options is not None
    assert options.sources == names


def test_of_an_option_that_is_given_twice_the_last_value_is_used() -> None:
    options = parse(["check", "--rev", "main", "a.md", "--rev=topic", "--config", "a", "--config", "b"])
    assert options is not None
    assert (options.rev, options.config) == ("topic", "b")


# -q and --color

COLOURS: tuple[tuple[str, Mapping[str, str], bool], ...] = (
    ("auto", {}, False),
    ("auto", {"FORCE_COLOR": "1"}, True),
    ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ("always", {}, True),
    ("always", {"NO_COLOR": "1"}, True),
    ("never", {"FORCE_COLOR": "1"}, False),
    ("auto", {"FORCE_COLOR": "1", "PRE_COMMIT": "1"}, False),
    ("always", {"PRE_COMMIT": "1"}, True),
)


@pytest.mark.long
@pytest.mark.parametrize(("when", "environ", "expected"), COLOURS)
def test_colour(
    run: Run, monkeypatch: pytest.MonkeyPatch, when: str, environ: Mapping[str, str], expected: bool
) -> None:
    """The long form, for which -v asks where there is no terminal, and the short one; a patch only by word."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("check", "../fits.md", "-v", "--color", when).out) is expected
    assert ("\x1b[32mready\x1b[0m: " in run("check", "../fits.md", "--color", when).out) is expected
    assert ("\x1b[" in run("diff", "../fits.md", "--color", when).out) is (when == "always")
    assert ("\x1b[31mfailed\x1b[0m: " in run("diff", "../partly.md", "--color", when).err) is expected


PATCH = """\
\x1b[1mdiff --git a/src/cart.py b/src/cart.py\x1b[0m
\x1b[1mindex {}\x1b[0m
\x1b[1m--- a/src/cart.py\x1b[0m
\x1b[1m+++ b/src/cart.py\x1b[0m
\x1b[36m@@ -1,3 +1,3 @@\x1b[0m
 def total():
\x1b[31m-    return 1\x1b[0m
\x1b[32m+    return 10\x1b[0m
 # \\x1b[2J\t.
"""


@pytest.mark.long
def test_a_patch_for_people(shop: Path, run: Run) -> None:
    """As git paints it; what stands in a file moves no cursor, through a pager either."""
    (shop / "src/cart.py").write_text("def total():\n    return 1\n# \x1b[2J\t.\n")
    index = run("diff", "../change.md").out.splitlines()[1].removeprefix("index ")
    assert run("diff", "../change.md", "--color", "always").out == PATCH.format(index)


QUIET = (
    "src/cart.py:6: failed: no-match: line 1 of the block differs from src/cart.py:6 at column 13; "
    "the closest text is line 6, 80 % alike (../partly.md:11)\n"
)


@pytest.mark.parametrize(
    ("arguments", "out", "err"),
    [
        ("check ../fits.md", "../fits.md: 2 ready\n", ""),
        ("check ../partly.md --only 1", "../partly.md: 1 ready, 1 skipped\n", ""),
        ("check ../partly.md", f"{QUIET}../partly.md: 1 ready, 1 failed\n", ""),
        ("diff ../partly.md", "", f"{QUIET}../partly.md: 1 ready, 1 failed\n"),
    ],
)
def test_quiet_is_a_line_for_each_block_that_is_not_fine(run: Run, arguments: str, out: str, err: str) -> None:
    ran = run(*arguments.split(), "-q")
    assert (ran.out, ran.err[: len(err)]) == (out, err)


@pytest.mark.parametrize("command", ["check", "diff", "apply"])
def test_quiet_tells_of_an_edit_that_is_not_read(shop: Path, run: Run, command: str) -> None:
    diff = "```diff\n@@ -1 +1 @@\n-a\n+b\n```\n"
    (shop / "odd.md").write_text(block("src/cart.py", "def total():\n", "def total(items):\n") + diff)
    ran = run(command, "odd.md", "-q")
    assert re.search(r"^note: line \d+ begins a diff that is not read", ran.out + ran.err, re.MULTILINE)


@pytest.mark.parametrize("value", ["sometimes", ""])
@pytest.mark.long
def test_a_colour_that_is_none(shop: Path, run: Run, value: str) -> None:
    ran = run("check", "../fits.md", f"--color={value}")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("editblocks: ")


@pytest.mark.long
def test_what_was_written_can_be_taken_back_though_nobody_was_told(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(CHANGE)
    command = (sys.executable, "-I", "-m", "editblocks", "apply", str(tmp_path / "reply.md"))
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=shop, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.search(r"applied 1 block .*\(undo with: editblocks undo [0-9]{8}-1\), but ", done.stderr)


def test_an_edit_in_no_form_that_is_read_is_said_to_be_one(run: Run) -> None:
    conflict = "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n"
    ran = run("apply", "-", stdin=f"a.py\n{conflict}")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.endswith("\nno-blocks: no block is in a form that editblocks reads; ask for SEARCH/REPLACE blocks\n")
