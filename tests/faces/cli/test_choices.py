"""What a person chooses on the command line: blocks and places, how tolerantly to look, the base, and more words."""

import json
import shlex
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import jsonschema_rs
import pytest
from support.applykit import Run, block
from support.gitkit import git, line
from support.hookkit import Ran

from editblocks.core.settings import Settings
from editblocks.faces.cli.arguments import parse_command
from editblocks.faces.cli.request import Request
from editblocks.faces.reading import find_root, here

SCHEMA = jsonschema_rs.validator_for(
    json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
)
CART = b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n"
API = b"@route\ndef a():\n    return 1\n\n\n@route\ndef b():\n    return 1\n"
SHOP: Mapping[str, bytes] = {"src/cart.py": CART, "src/api.py": API}
REPLY = "".join(
    (
        block("src/cart.py", "    return 1\n", "    return 10\n"),  # 1: fine
        block("src/api.py", "    return 1\n", "    return 10\n"),  # 2: at lines 3 and 8
        block("src/cart.py", "    return 3\n", "    return 30\n"),  # 3: nowhere
        block("src/tax.py", "", "RATE = 7\n"),  # 4: fine
    )
)
NEW_CART = CART.replace(b"return 1\n", b"return 10\n")
NEW_API = b"    return 10\n".join(API.rsplit(b"    return 1\n", 1))
TAX = b"RATE = 7\n"


def changed(shop: Path) -> dict[str, bytes]:
    """What is not as it was."""
    now = {path.relative_to(shop).as_posix(): path.read_bytes() for path in (shop / "src").iterdir()}
    return {name: data for name, data in now.items() if SHOP.get(name) != data}


# --only


class Choice(NamedTuple):
    """A call of `apply -`. `words` are in what it prints; `files` is what is not as it was."""

    arguments: str
    code: int
    words: str
    files: Mapping[str, bytes] = {}


LEFT_OUT = "applied {} of 4 blocks to {}; left out: {}\n"
CHOICES_OF_BLOCKS: Mapping[str, Choice] = {
    "without a choice nothing is written": Choice("", 1, "nothing written: 2 of 4 blocks failed"),
    "one block": Choice(
        "--only 1",
        0,
        LEFT_OUT.format(1, "1 file, +1 -1", "blocks 2-4 not-selected"),
        {"src/cart.py": NEW_CART},
    ),
    "blocks that are named one after the other": Choice(
        "--only 1 --only 4", 0, "left out: blocks 2-3 not-selected", {"src/cart.py": NEW_CART, "src/tax.py": TAX}
    ),
    "blocks of one file": Choice("--only src/tax.py", 0, "left out: blocks 1-3 not-selected", {"src/tax.py": TAX}),
    "an ambiguous block at its place": Choice(
        "--only 2@8", 0, "src/api.py:8: applied: exact, chosen (stdin:", {"src/api.py": NEW_API}
    ),
    "blocks and a place": Choice(
        "--only 1,2@8,4",
        0,
        LEFT_OUT.format(3, "3 files, +3 -2", "block 3 not-selected"),
        {"src/api.py": NEW_API, "src/cart.py": NEW_CART, "src/tax.py": TAX},
    ),
    "a chosen block that fails does not stop the others": Choice(
        "--only 1-2", 1, "left out: block 2 ambiguous, blocks 3-4 not-selected", {"src/cart.py": NEW_CART}
    ),
    "a place that is none": Choice(
        "--only 2@4", 1, "src/api.py:3: failed: ambiguous: not at line 4: matches at lines 3 and 8"
    ),
    "all that is ready": Choice(
        "--only ready",
        1,
        LEFT_OUT.format(2, "2 files, +2 -1", "block 2 ambiguous, block 3 no-match"),
        {"src/cart.py": NEW_CART, "src/tax.py": TAX},
    ),
    "all that is ready, and a place": Choice(
        "--only ready,2@8",
        1,
        "left out: block 3 no-match",
        {"src/api.py": NEW_API, "src/cart.py": NEW_CART, "src/tax.py": TAX},
    ),
}


@pytest.mark.parametrize("claim", CHOICES_OF_BLOCKS)
@pytest.mark.long(after=2)
def test_what_a_choice_writes(shop: Path, run: Run, claim: str) -> None:
    case = CHOICES_OF_BLOCKS[claim]
    ran = run("apply", "-", *case.arguments.split())
    assert (ran.code, ran.err, changed(shop)) == (case.code, "", case.files)
    assert case.words.rstrip("\n") in ran.out


@pytest.mark.long
@pytest.mark.parametrize("claim", CHOICES_OF_BLOCKS)
def test_what_a_choice_would_write(shop: Path, run: Run, claim: str) -> None:
    """check and diff say the same and write nothing."""
    case = CHOICES_OF_BLOCKS[claim]
    checked = run("check", "-", *case.arguments.split())
    diffed = run("diff", "-", *case.arguments.split())
    assert (checked.code, diffed.code, changed(shop)) == (case.code, case.code, {})
    if case.arguments:
        git(shop, "apply", stdin=diffed.out.encode()) if diffed.out else None
        assert changed(shop) == case.files


def test_a_choice_can_be_committed(shop: Path, run: Run) -> None:
    assert run("apply", "-", "--only", "1,2@8", "--commit").code == 0
    assert line(shop, "diff", "--name-only", "HEAD^", "HEAD").split() == ["src/api.py", "src/cart.py"]
    assert "\nEdit-Blocks-Selected: 1,2@8\n" in git(shop, "log", "-1", "--format=%B").decode()


BAD_CHOICES = (
    ("4@x", "`4@x` is not a line number; use 1 to 999,999,999, as in `1-3,4@48`"),
    ("5", "there is no block 5; the answer has blocks 1-4"),
    (
        "cart.py",
        "no block changes `cart.py`; the answer names `src/cart.py`, `src/api.py`, `src/tax.py`",
    ),
    ("", "`` has an empty part; name blocks, as in `1-3,4@48`"),
)


@pytest.mark.parametrize(("selector", "words"), BAD_CHOICES)
@pytest.mark.parametrize("command", ["check", "diff", "apply"])
@pytest.mark.long(after=2)
def test_a_slip_of_the_pen_selects_nothing(shop: Path, run: Run, command: str, selector: str, words: str) -> None:
    assert run(command, "-", f"--only={selector}") == Ran(2, "", f"editblocks: {words}\n")
    assert changed(shop) == {}


def test_a_block_that_cannot_be_read_counts_if_it_is_chosen(run: Run) -> None:
    reply = block("src/cart.py", "    return 1\n", "    return 10\n") + "src/api.py\n<<<<<<< SEARCH\nx\n"
    assert run("check", "-", "--only", "1", stdin=reply).code == 0
    assert run("check", "-", "--only", "1-2", stdin=reply).code == 1


DOCUMENTS = (("1", 0), ("1-2", 1), ("2@8", 0), ("ready", 1))


@pytest.mark.long
@pytest.mark.parametrize(("selector", "code"), DOCUMENTS)
def test_json_of_a_choice(run: Run, selector: str, code: int) -> None:
    ran = run("apply", "-", "--only", selector, "--format", "json")
    document = json.loads(ran.out)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    assert (ran.code, document["mode"], document["outcome"], document["written"]) == (code, "partial", "partial", True)
    assert [row["chosen"] for row in document["blocks"]] == [False, selector == "2@8", False, False]


# what already exists, chosen: console, exit code and JSON say the same

AGAIN = (("4", 0, "nothing to do: the changes of 1 block are already there"), ("2,4", 1, "nothing written: 1 of 4 "))


@pytest.mark.long
@pytest.mark.parametrize(("selector", "code", "words"), AGAIN)
def test_a_choice_of_what_is_there_already(shop: Path, run: Run, selector: str, code: int, words: str) -> None:
    assert run("apply", "-", "--only", "4").code == 0
    said = run("apply", "-", "--only", selector)
    assert (said.code, said.out.splitlines()[-1].startswith(words)) == (code, True), said.out
    ran = run("apply", "-", "--only", selector, "--format", "json")
    document = json.loads(ran.out)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    expected = (code, "failed" if code else "partial", False)
    assert (ran.code, document["outcome"], document["written"]) == expected
    assert changed(shop) == {"src/tax.py": TAX}


# what a program reads: the prompt, and the commands that may follow

RETRY = "editblocks retry -"
NEXT: tuple[tuple[str, int, list[str]], ...] = (
    ("check -", 1, ["editblocks apply - --only ready", RETRY]),
    ("check - --only 1,4", 0, ["editblocks apply - --only 1,4"]),
    ("check - --only 1,2@8", 0, ["editblocks apply - --only 1,2@8"]),
    ("check - --only 2@8", 0, ["editblocks apply - --only 2@8"]),
    ("check - --only 2", 1, [f"{RETRY} --only 2"]),
    ("check - --matching exact", 1, ["editblocks apply - --matching exact --only ready", f"{RETRY} --matching exact"]),
    ("check - --rev HEAD", 1, [f"{RETRY} --rev HEAD"]),
    ("check - --staged --isolated", 1, [f"{RETRY} --isolated --staged"]),
    ("apply -", 1, ["editblocks apply - --only ready", RETRY]),
    ("apply - --commit", 1, ["editblocks apply - --commit --only ready", f"{RETRY} --rev HEAD"]),
    ("apply - --index", 1, ["editblocks apply - --index --only ready", f"{RETRY} --staged"]),
    ("apply - --partial", 1, [f"{RETRY} --only 2-3"]),
    ("apply - --only 1", 0, []),
)


@pytest.mark.parametrize(("arguments", "code", "following"), NEXT, ids=[row[0] for row in NEXT])
@pytest.mark.long(after=2)
def test_what_may_be_typed_next(run: Run, arguments: str, code: int, following: list[str]) -> None:
    ran = run(*arguments.split(), "--format", "json")
    document = json.loads(ran.out)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    assert (ran.code, document["next"]) == (code, following)
    assert (document["retry_prompt"] is None) is (code == 0)


KEPT: tuple[tuple[str, str | None, str], ...] = (  # of a command that writes, of one that reads
    ("check -q", "", ""),
    ("check --rev v1 --matching loose", None, "--matching loose --rev v1"),
    ("check --staged --base v1", None, "--base v1 --staged"),
    ("apply --index", "--index", "--staged"),
    ("apply --commit --isolated", "--isolated --commit", "--isolated --rev HEAD"),
    ("apply --branch main --whole-files new", "--whole-files new --branch main", "--whole-files new --rev main"),
    ("apply --branch b --config c.yml", "--config c.yml --branch b", "--config c.yml --rev HEAD"),
    ("check --allow-protected a", "--allow-protected a", "--allow-protected a"),
)


@pytest.mark.parametrize(("line", "writing", "reading"), KEPT, ids=[row[0] for row in KEPT])
def test_what_the_next_command_needs_too(shop: Path, line: str, writing: str | None, reading: str) -> None:
    (shop / "c.yml").write_text("credit: true\n")
    command, *words = line.split()
    kept = Request.of(parse_command(command, ["-", *words])).kept
    assert kept == (None if writing is None else tuple(writing.split()), tuple(reading.split()))


def test_another_root_is_named_again() -> None:
    request = Request("apply", ("-",), Path("a b"), Settings())
    assert request.kept[0] == ("--root", "a b")
    assert request.undo("20261121-1") == "editblocks undo 20261121-1 --root 'a b'"
    assert Request("apply", ("-",), find_root(here()), Settings()).undo("20261121-1") == "editblocks undo 20261121-1"


def test_what_is_to_be_typed_next_does_what_was_checked(shop: Path, run: Run) -> None:
    (shop / "it's.md").write_text(REPLY)
    document = json.loads(run("check", "it's.md", "--only", "1,2@8", "--format", "json").out)
    program, *arguments = shlex.split(document["next"][0])
    assert (program, run(*arguments).code) == ("editblocks", 0)
    assert changed(shop) == {"src/cart.py": NEW_CART, "src/api.py": NEW_API}


@pytest.mark.long
def test_the_prompt_is_that_of_retry(run: Run) -> None:
    document = json.loads(run("check", "-", "--format", "json").out)
    assert run("retry", "-").out == f"{document['retry_prompt']}\n"
    assert json.loads(run("check", "-", "--only", "1", "--format", "json").out)["retry_prompt"] is None


@pytest.mark.long
def test_all_that_is_ready_needs_no_selector(run: Run, tmp_path: Path) -> None:
    fine = block("src/cart.py", "    return 1\n", "    return 10\n")
    document = json.loads(run("check", "-", "--format", "json", stdin=fine).out)
    assert (document["outcome"], document["next"]) == ("ok", ["editblocks apply -"])
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/src").mkdir()
    (tmp_path / "plain/src/cart.py").write_bytes(CART)
    ran = run("check", "-", "--root", str(tmp_path / "plain"), "--format", "json", stdin=fine)
    assert json.loads(ran.out)["next"] == [f"editblocks apply - --root {tmp_path / 'plain'}"]


# --matching and the environment


TOLERANT = block("src/cart.py", "return 2\n", "return 20\n")
MATCHING: tuple[tuple[str, Mapping[str, str], int], ...] = (
    ("", {}, 0),
    ("--matching standard", {}, 0),
    ("--matching exact", {}, 1),
    ("", {"EDITBLOCKS_MATCHING": "exact"}, 1),
    ("--matching standard", {"EDITBLOCKS_MATCHING": "exact"}, 0),
    ("--matching exact", {"EDITBLOCKS_MATCHING": "loose"}, 1),
    ("", {"EDITBLOCKS_MATCHING": ""}, 0),
)


@pytest.mark.long
@pytest.mark.parametrize(("arguments", "environ", "code"), MATCHING)
def test_an_option_goes_before_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: str, environ: Mapping[str, str], code: int
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert run("check", "-", *arguments.split(), stdin=TOLERANT).code == code


@pytest.mark.long
def test_the_environment_decides_no_more_than_a_setting(shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`check` never writes and `apply` does, and a token is not even looked at."""
    for name, value in (("MODE", "apply"), ("PARTIAL", "true"), ("TOKEN", "ghs_x"), ("MAX_BLOCKS", "4")):
        monkeypatch.setenv(f"EDITBLOCKS_{name}", value)
    assert (run("check", "-").code, changed(shop)) == (1, {})
    monkeypatch.setenv("EDITBLOCKS_MODE", "check")
    assert (run("apply", "-").code, changed(shop)) == (1, {"src/cart.py": NEW_CART, "src/tax.py": TAX})
    monkeypatch.setenv("EDITBLOCKS_MAX_BLOCKS", "3")
    assert "too-large: the answer has more blocks than max-blocks allows (3)" in run("check", "-").out


ENVIRONMENT = (
    ("DENY_PATHS", "**/cart.py", "not-allowed: src/cart.py is denied by `**/cart.py` (deny-paths)"),
    ("PATHS", "docs/**", "not-allowed: src/cart.py is not in `docs/**` (paths)"),
    ("FORMATS", "edit-v2", "unsupported-format: `<<<<<<< SEARCH` (line 3) is in a format that is not enabled here"),
    ("RESPONSE_FILES", "src/*.py", "not-allowed: src/cart.py is the path of a response file"),
)


@pytest.mark.long
@pytest.mark.parametrize(("name", "value", "words"), ENVIRONMENT)
def test_the_environment_may_rule_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    assert run("check", "-", stdin=TOLERANT).code == 0
    monkeypatch.setenv(f"EDITBLOCKS_{name}", value)
    ran = run("check", "-", stdin=TOLERANT)
    assert ran.code == 1
    assert words in ran.out


WRONG_SETTINGS = (
    (
        "EDITBLOCKS_ALLOW_PROTECTED",
        "action.yml",
        "EDITBLOCKS_ALLOW_PROTECTED is not an input; name the paths in .editblocks.yml on the default branch",
    ),
    ("EDITBLOCKS_MATCHING", "fuzzy", "EDITBLOCKS_MATCHING is `fuzzy`; use one of exact, standard, loose"),
    ("EDITBLOCKS_MATCHNG", "loose", "EDITBLOCKS_MATCHNG is not a setting; did you mean EDITBLOCKS_MATCHING?"),
)


@pytest.mark.parametrize(("name", "value", "words"), WRONG_SETTINGS)
@pytest.mark.long
def test_a_setting_that_cannot_be_used(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    assert run("check", "-") == Ran(2, "", f"editblocks: {words}\n")


# --base

FRONT = "---\nbase: {}\n---\n"
DRIFT = block("src/cart.py", "def total():\n    return 1\n", "def total():\n    return 10\n")


@pytest.fixture
def drifted(shop: Path) -> str:
    """The shop after a line of the cart has changed; the commit before is the base."""
    base = line(shop, "rev-parse", "HEAD")
    (shop / "src/cart.py").write_bytes(CART.replace(b"def total():\n", b"def total() -> int:\n"))
    git(shop, "commit", "-qam", "Say what total returns")
    return base


@pytest.mark.long
def test_the_base_of_the_command_line_goes_before_that_of_the_response(run: Run, drifted: str) -> None:
    for name in (drifted, drifted[:9], "main~1"):
        ran = run("check", "-", "--base", name, "--format", "json", stdin=FRONT.format("f" * 40) + DRIFT)
        assert json.loads(ran.out)["target"]["base"] == drifted
    assert json.loads(run("check", "-", "--format", "json", stdin=DRIFT).out)["target"]["base"] is None


@pytest.mark.long
def test_a_block_is_merged_with_its_base(shop: Path, run: Run, drifted: str) -> None:
    edit = block("src/cart.py", "def total():\n    return 1\n\n\ndef tax():\n    return 2\n", f"{DRIFT_TAX}")
    assert run("check", "-", stdin=edit).code == 1
    ran = run("apply", "-", "--base", drifted, stdin=edit)
    assert (ran.code, ran.err) == (0, "")
    assert "three-way" in ran.out
    assert changed(shop)["src/cart.py"] == b"def total() -> int:\n    return 1\n\n\ndef tax():\n    return 20\n"


DRIFT_TAX = "def total():\n    return 1\n\n\ndef tax():\n    return 20\n"


@pytest.mark.long
def test_both_sides_of_a_stale_block_are_shown(run: Run, drifted: str) -> None:
    edit = block("src/cart.py", "def total():\n", "def total() -> float:\n")
    ran = run("check", "-", "--base", drifted, "-v", stdin=edit)
    assert ran.code == 1
    assert "\n     - base    def total():\n     + file    def total() -> int:\n" in ran.out


WRONG_BASES = (
    ("nope", "there is no commit `nope` in "),
    ("-x", "`-x` does not name a commit; give an id, a branch or a tag"),
    ("", "`` does not name a commit; give an id, a branch or a tag"),
)


@pytest.mark.parametrize(("name", "words"), WRONG_BASES)
@pytest.mark.long
def test_a_base_that_is_no_commit(shop: Path, run: Run, name: str, words: str) -> None:
    ran = run("apply", "-", f"--base={name}")
    assert (ran.code, ran.out, changed(shop)) == (2, "", {})
    assert ran.err.startswith(f"editblocks: {words}")


# -v

FULL = (
    "2  ambiguous: matches at lines 3 and 8 of src/api.py; choose one with --only 2@3, or add a line above or below\n"
)
OFFER = "     `editblocks retry -` prints a prompt for the model\n"


@pytest.mark.long
def test_more_words(run: Run) -> None:
    ran = run("check", "-", "-v")
    assert (ran.code, ran.err) == (1, "")
    assert f"\n\n{FULL}" in ran.out
    assert f"{OFFER}block 1 by matching level: exact 1 place\nblock 2 by matching level: exact 2 places\n" in ran.out
    assert "by level" not in run("check", "-").out
    apply = "     `editblocks apply - --only ready` applies the 2 that fit\n"
    assert apply in ran.out
    without = ran.out.replace(apply, "")
    assert run("check", "-", "-v", "--rev", "HEAD").out.replace("- --rev HEAD`", "-`") == without
    diff = run("diff", "-", "-v")
    assert (diff.out, diff.err.startswith(f"{without}no patch: ")) == ("", True)
    assert run("diff", "-", "-v", "--partial").out.startswith("diff --git ")


@pytest.mark.long
def test_a_log_with_debugging_on_has_more_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("check", "-", "-v")
    monkeypatch.setenv("RUNNER_DEBUG", "1")
    assert run("check", "-") == expected


@pytest.mark.long
def test_an_absolute_path_below_the_root_is_read_from_there(shop: Path, run: Run) -> None:
    new = "{}/src/new.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n"
    done = run("check", "-", stdin=new.format(shop.as_posix()))
    assert (done.code, "src/new.py: ready: " in done.out, "was read as src/new.py" in done.out) == (0, True, True)
    assert "unsafe-path" in run("check", "-", stdin=new.format(shop.parent.as_posix())).out
