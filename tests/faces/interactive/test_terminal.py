"""`editblocks apply -i` at a real terminal: keystrokes in, files and exit code out."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from support import gitkit
from support.applykit import block
from support.gitkit import FILE, git, line
from support.ptykit import END, INTERRUPT, Ran, at_terminal

PROGRAM = (sys.executable, "-I", "-m", "editblocks")
QUESTION = "? "

CART = b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n"
API = b"@route\ndef a():\n    return 1\n\n\n@route\ndef b():\n    return 1\n"
SHOP: Mapping[str, bytes] = {"src/cart.py": CART, "src/api.py": API}
REPLY = "".join(
    (
        block("src/cart.py", "    return 1\n", "    return 10\n"),  # 1: fine
        block("src/cart.py", "    return 2\n", "    return 20\n"),  # 2: fine
        block("src/api.py", "    return 1\n", "    return 10\n"),  # 3: at lines 3 and 8
        block("src/tax.py", "", "RATE = 7\n"),  # 4: fine
    )
)
ONE, TWO = CART.replace(b"return 1\n", b"return 10\n"), CART.replace(b"return 2\n", b"return 20\n")
BOTH = ONE.replace(b"return 2\n", b"return 20\n")
PICKED = b"    return 10\n".join(API.rsplit(b"    return 1\n", 1))
TAX = b"RATE = 7\n"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n")
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = gitkit.make_repository(tmp_path / "shop", {name: (FILE, data) for name, data in SHOP.items()})
    (tmp_path / "reply.md").write_text(REPLY)
    return path


class Apply(Protocol):
    def __call__(self, *arguments: str, answers: Iterable[str], stdin: bytes | None = None) -> Ran:
        """Run `apply -i` at a terminal; its number is in the file `../pid`."""


@pytest.fixture
def apply(shop: Path, environ: dict[str, str]) -> Apply:
    def apply(*arguments: str, answers: Iterable[str], stdin: bytes | None = None) -> Ran:
        command = ("/bin/sh", "-c", 'echo $$ >../pid; exec "$@"', "sh", *PROGRAM, "apply", "-i", *arguments)
        return at_terminal(command, answers, question=QUESTION, cwd=shop, environ=environ, stdin=stdin)

    return apply


def answers_with(keys: str, command: str, shop: Path) -> Iterator[str]:
    """The answers; where `!` stands, another process runs this command of the shell between two questions."""
    for key in keys.split():
        if key == "!":
            subprocess.run(["/bin/sh", "-c", command], cwd=shop, check=True)
        else:
            yield key


def changed(shop: Path) -> dict[str, bytes]:
    """What is not as it was."""
    now = {path.relative_to(shop).as_posix(): path.read_bytes() for path in (shop / "src").iterdir()}
    return {name: data for name, data in now.items() if SHOP.get(name) != data}


KEYS: tuple[tuple[str, str, int, Mapping[str, bytes]], ...] = (
    ("yes to all", "y y p 2 y y", 0, {"src/cart.py": BOTH, "src/api.py": PICKED, "src/tax.py": TAX}),
    ("yes and no", "n y n y", 0, {"src/cart.py": TWO, "src/tax.py": TAX}),
    ("the rest of a file, and a stop", "a q", 0, {"src/cart.py": BOTH}),
    ("none of a file", "d n y", 0, {"src/tax.py": TAX}),
    ("a stop", "y q", 0, {"src/cart.py": ONE}),
    ("help first", "? y q", 0, {"src/cart.py": ONE}),
    ("^D is a stop", f"y {END}", 0, {"src/cart.py": ONE}),
    ("^C writes nothing", f"y {INTERRUPT}", 130, {}),
    ("no to all", "n n n n", 0, {}),
)


@pytest.mark.long
@pytest.mark.parametrize("row", KEYS, ids=[row[0] for row in KEYS])
def test_what_is_typed_is_what_is_written(
    shop: Path, apply: Apply, row: tuple[str, str, int, Mapping[str, bytes]]
) -> None:
    _, keys, code, files = row
    ran = apply("../reply.md", answers=keys.split())
    assert (ran.code, changed(shop)) == (code, files), ran.out
    assert "block 1 of 4, src/cart.py:2, exact\n def total():\n-    return 1\n+    return 10\n" in ran.out
    assert "apply this block [y,n,a,d,q,?]? " in ran.out


@pytest.mark.long
def test_what_is_said_at_the_end(shop: Path, apply: Apply) -> None:
    out = apply("../reply.md", answers=["y", "q"]).out
    *_, fourth, total, said = out.splitlines()  # whoever left them out needs no paragraph about each
    assert (fourth, total) == (
        " 4  – skipped  src/tax.py      not-selected",
        "4 blocks in 3 files: 1 applied, 3 skipped",
    )
    start = "applied 1 of 4 blocks to 1 file, +1 -1; left out: blocks 2-4 not-selected; undo with: editblocks "
    assert said.startswith(f"{start}undo ")
    git(shop, "checkout", "-q", ".")
    assert apply("../reply.md", answers=["n", "n", "n", "n"]).out.endswith("\nnothing written: no block was chosen\n")
    assert changed(shop) == {}


@pytest.mark.long
def test_an_interrupt_says_nothing_more(apply: Apply) -> None:
    assert apply("../reply.md", answers=["y", INTERRUPT]).out.endswith("apply this block [y,n,a,d,q,?]? \n")


@pytest.mark.long
@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_a_signal_that_ends_it_is_an_interrupt(shop: Path, apply: Apply, name: str) -> None:
    ran = apply("../reply.md", answers=answers_with("y ! y", f"kill -{name} $(cat ../pid)", shop))
    assert (ran.code, changed(shop)) == (130, {}), ran.out


@pytest.mark.long
def test_what_nohup_ignores_stays_ignored(shop: Path, environ: dict[str, str]) -> None:
    script = 'echo $$ >../pid; trap "" HUP && exec "$@"'
    command = ("/bin/sh", "-c", script, "sh", *PROGRAM, "apply", "-i", "../reply.md")
    answers = answers_with("y ! q", "kill -HUP $(cat ../pid)", shop)
    ran = at_terminal(command, answers, question=QUESTION, cwd=shop, environ=environ)
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": ONE}), ran.out


@pytest.mark.long
def test_the_answer_may_be_piped_in(shop: Path, apply: Apply) -> None:
    """The response is standard input then, and the answers come from the terminal all the same."""
    ran = apply("-", answers=["y", "n", "n", "n"], stdin=REPLY.encode())
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": ONE}), ran.out


@pytest.mark.long
def test_the_result_may_go_elsewhere(shop: Path, environ: dict[str, str], tmp_path: Path) -> None:
    """Questions are asked at the terminal, not in a file."""
    command = (*PROGRAM, "apply", "-i", "../reply.md")
    with (tmp_path / "log").open("wb") as log:
        ran = at_terminal(command, ["y", "q"], question=QUESTION, cwd=shop, environ=environ, stdout=log.fileno())
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": ONE})
    assert "apply this block [y,n,a,d,q,?]? " in ran.out
    assert (tmp_path / "log").read_text().startswith("src/cart.py:2: applied: exact (../reply.md:3)\n")


@pytest.mark.long
def test_without_a_terminal_nobody_can_be_asked(shop: Path, environ: dict[str, str]) -> None:
    done = subprocess.run(
        [*PROGRAM, "apply", "-i", "../reply.md"],
        cwd=shop, env=environ, input=b"y\ny\n", capture_output=True, start_new_session=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, changed(shop)) == (2, b"", {})
    assert done.stderr.decode() == ("editblocks: -i needs a terminal; choose with --only, as in --only 1-3,4@48\n")


COLOURS: tuple[tuple[str, Sequence[str], Mapping[str, str], bool], ...] = (
    ("by default", (), {"NO_COLOR": ""}, True),
    ("NO_COLOR", (), {}, False),
    ("a dumb terminal", (), {"NO_COLOR": "", "TERM": "dumb"}, False),
    ("--color always", ("--color", "always"), {}, True),
    ("--color never", ("--color", "never"), {"NO_COLOR": ""}, False),
)


@pytest.mark.parametrize("row", COLOURS, ids=[row[0] for row in COLOURS])
@pytest.mark.long
def test_colours(shop: Path, environ: dict[str, str], row: tuple[str, Sequence[str], Mapping[str, str], bool]) -> None:
    claim, options, more, expected = row
    command, question = (*PROGRAM, "apply", "-i", *options, "../reply.md"), "?\x1b[0m " if expected else QUESTION
    ran = at_terminal(command, ["q"], question=question, cwd=shop, environ={**environ, **more})
    assert (ran.code, "\x1b[31m-    return 1\x1b[0m\n" in ran.out) == (0, expected), claim


@pytest.mark.long
def test_several_responses_are_asked_about_one_after_the_other(shop: Path, apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(block("src/tax.py", "", "RATE = 8\n"))
    ran = apply("../reply.md", "../other.md", answers=["y", "d", "n", "n", "y"])
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": ONE, "src/tax.py": b"RATE = 8\n"}), ran.out
    assert ran.out.startswith("../reply.md:\nblock 1 of 4, ")
    assert "\n../other.md:\nblock 1 of 1, src/tax.py, new file\n+RATE = 8\n" in ran.out


@pytest.mark.long
@pytest.mark.parametrize("stop", ["q", END])
def test_a_stop_is_one_for_all_responses(shop: Path, apply: Apply, tmp_path: Path, stop: str) -> None:
    (tmp_path / "other.md").write_text(block("src/tax.py", "", "RATE = 8\n"))
    ran = apply("../reply.md", "../other.md", answers=["y", stop])
    assert (ran.code, changed(shop)) == (0, {"src/cart.py": ONE}), ran.out
    assert ran.out.endswith("\neditblocks: you stopped, so nothing was done with ../other.md\n")


# what another process does to a file between a question and the write: it is done here where `!` stands

RACES: tuple[tuple[str, str, str, str], ...] = (
    ("its line is another one", "sed -i s/1/7/ src/cart.py", "y ! q", "src/cart.py"),
    ("its line is elsewhere", "sed -i '1i # top' src/cart.py", "y ! q", "src/cart.py"),
    ("it changes before the answer", "sed -i '1i # top' src/cart.py", "! y q", "src/cart.py"),
    ("it shrinks to nothing", ": > src/cart.py", "y ! q", "src/cart.py"),
    ("it vanishes", "rm src/cart.py", "y ! q", "src/cart.py"),
    ("its folder vanishes", "rm -r src", "y ! q", "src/cart.py"),
    ("it becomes a link", "ln -sf api.py src/cart.py", "y ! q", "src/cart.py"),
    ("it becomes a folder", "rm src/cart.py; mkdir src/cart.py", "y ! q", "src/cart.py"),
    ("one of two", "rm src/cart.py", "y n p 2 y ! y", "src/cart.py"),
    ("one that is to be new is there", "echo x > src/tax.py", "n n n ! y", "src/tax.py"),
)


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file with its bytes, every link with its target."""
    found = (path for path in folder.rglob("*") if ".git" not in path.parts and (path.is_symlink() or path.is_file()))
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in found
    }


@pytest.mark.parametrize("row", RACES, ids=[row[0] for row in RACES])
@pytest.mark.long
def test_a_file_that_changes_meanwhile_stays_as_the_other_left_it(
    shop: Path, apply: Apply, tmp_path: Path, row: tuple[str, str, str, str]
) -> None:
    claim, command, keys, path = row
    twin = gitkit.make_repository(tmp_path / "twin", {name: (FILE, data) for name, data in SHOP.items()})
    subprocess.run(["/bin/sh", "-c", command], cwd=twin, check=True)
    ran = apply("../reply.md", answers=answers_with(keys, command, shop))
    assert (ran.code, tree(shop)) == (2, tree(twin)), claim
    said = f"{path} changed while its blocks were shown, so nothing from ../reply.md was written; look at them again"
    assert ran.out.endswith(f"\neditblocks: stale: {said}\n")
    assert "undo" not in ran.out


@pytest.mark.long
def test_a_file_of_a_block_that_was_left_out_may_change(shop: Path, apply: Apply) -> None:
    ran = apply("../reply.md", answers=answers_with("y n ! q", "rm src/api.py", shop))
    assert (ran.code, changed(shop), (shop / "src/api.py").exists()) == (0, {"src/cart.py": ONE}, False), ran.out


@pytest.mark.long
def test_of_several_responses_one_that_is_stale_is_named(shop: Path, apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(block("src/tax.py", "", "RATE = 8\n"))
    ran = apply("../reply.md", "../other.md", answers=answers_with("y ! d n n y", "rm src/cart.py", shop))
    assert (ran.code, changed(shop)) == (2, {"src/tax.py": b"RATE = 8\n"}), ran.out
    assert "so nothing from ../reply.md was written" in ran.out
    assert "\n../other.md:\nblock 1 of 1, src/tax.py, new file\n" in ran.out


@pytest.mark.long
def test_an_interrupt_at_a_later_response_leaves_what_was_written(shop: Path, apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(block("src/tax.py", "", "RATE = 8\n"))
    ran = apply("../reply.md", "../other.md", answers=["y", "d", "n", "n", INTERRUPT])
    assert (ran.code, changed(shop)) == (130, {"src/cart.py": ONE}), ran.out
    said = r"\neditblocks: interrupted; applied 1 of 4 blocks to 1 file, \+1 -1; .*\(undo with: editblocks undo "
    assert re.search(said, ran.out)


@pytest.mark.long
@pytest.mark.parametrize("options", [("--only", "2"), ("--format", "json"), ("--format", "github"), ("-q",)])
def test_what_does_not_go_with_questions(shop: Path, apply: Apply, options: Sequence[str]) -> None:
    ran = apply("../reply.md", *options, answers=["y"])
    assert (ran.code, changed(shop)) == (2, {})
    assert ran.out == f"editblocks: -i and {options[0]} cannot be used together; leave one of them out\n"


@pytest.mark.long
def test_a_narrow_terminal_cuts_nothing_off(shop: Path, apply: Apply, environ: dict[str, str]) -> None:
    command = ("/bin/sh", "-c", 'stty cols 20 && exec "$@"', "sh", *PROGRAM, "apply", "-i", "../reply.md")
    answers = ["?", "n", "n", "p", "2", "n", "n"]
    narrow = at_terminal(command, answers, question=QUESTION, cwd=shop, environ=environ)
    wide = apply("../reply.md", answers=answers)
    assert (narrow.code, narrow.out.split()) == (wide.code, wide.out.split())  # but for where lines are broken
    assert (narrow.code, changed(shop)) == (0, {})


WRITERS: tuple[tuple[str, Sequence[str], list[str]], ...] = (
    ("a commit of what was chosen", ("--commit",), []),
    ("what was chosen is staged", ("--index",), ["M  src/cart.py"]),
    ("what was chosen is on another branch", ("--branch", "topic"), []),
)


@pytest.mark.parametrize(("claim", "options", "status"), WRITERS, ids=[row[0] for row in WRITERS])
@pytest.mark.long
def test_where_it_is_written(shop: Path, apply: Apply, claim: str, options: Sequence[str], status: list[str]) -> None:
    git(shop, "branch", "topic")
    ran = apply(*options, "../reply.md", answers=["y", "q"])
    assert (ran.code, git(shop, "status", "--porcelain").decode().splitlines()) == (0, status), ran.out
    rev = {"--commit": "main", "--branch": "topic"}.get(options[0])
    if rev is not None:
        assert git(shop, "show", f"{rev}:src/cart.py") == ONE
        assert "\nEdit-Blocks-Selected: 1\n" in git(shop, "log", "-1", "--format=%B", rev).decode()


@pytest.mark.long
def test_a_response_file_stays_until_its_last_block_is_taken(shop: Path, apply: Apply) -> None:
    (shop / ".edits").mkdir()
    (shop / ".edits/reply.md").write_text(block("src/cart.py", "    return 1\n", "    return 10\n"))
    assert apply(".edits/reply.md", answers=["n"]).code == 0
    assert (shop / ".edits/reply.md").is_file()
    assert apply(".edits/reply.md", answers=["y"]).code == 0
    assert not (shop / ".edits/reply.md").exists()


# what another process does to the response file, or to HEAD, between a question and the write

ASKED = ".edits/reply.md"
MORE = block("src/tax.py", "", "RATE = 9\n")
FIRST_TWO = REPLY.partition("src/api.py")[0]


@pytest.fixture
def asked(shop: Path, tmp_path: Path) -> str:
    """A committed response file, and the command that appends a block to it."""
    (shop / ".edits").mkdir()
    (shop / ASKED).write_text(FIRST_TWO)
    git(shop, "add", ASKED)
    git(shop, "commit", "-qm", "ask")
    (tmp_path / "more.md").write_text(MORE)
    return f"cat {tmp_path}/more.md >> {ASKED}"


STORES: tuple[tuple[Sequence[str], str], ...] = (
    ((), ""),
    (("--index",), f" && git add {ASKED}"),
    (("--commit",), f" && git add {ASKED} && git commit -qm more"),
)


@pytest.mark.parametrize(("options", "after"), STORES, ids=[" ".join(row[0]) or "files" for row in STORES])
@pytest.mark.long
def test_a_response_file_that_changes_meanwhile_stays_and_nothing_is_written(
    shop: Path, apply: Apply, asked: str, options: Sequence[str], after: str
) -> None:
    ran = apply(*options, ASKED, answers=answers_with("y ! y", f"{asked}{after}", shop))
    said = f"{ASKED} changed after it was read, so nothing from it was written; look at it again"
    assert (ran.code, changed(shop), (shop / ASKED).read_text()) == (2, {}, FIRST_TWO + MORE), ran.out
    assert ran.out.endswith(f"\neditblocks: stale: {said}\n")
    assert "removed" not in ran.out


@pytest.mark.long
def test_a_response_file_that_stays_anyway_may_change(shop: Path, apply: Apply, asked: str) -> None:
    ran = apply(ASKED, answers=answers_with("y ! n", asked, shop))
    assert (ran.code, changed(shop), (shop / ASKED).read_text()) == (0, {"src/cart.py": ONE}, FIRST_TWO + MORE), ran.out


@pytest.mark.parametrize(
    "switch", ["git switch -q topic", "git switch -q -c topic-2 && git commit -q --allow-empty -m 2"]
)
@pytest.mark.long
def test_no_commit_lands_on_a_branch_that_was_checked_out_meanwhile(shop: Path, apply: Apply, switch: str) -> None:
    git(shop, "branch", "topic")
    ran = apply("--commit", "../reply.md", answers=answers_with("y ! q", switch, shop))
    branch = line(shop, "branch", "--show-current")
    said = (
        f"{branch} was checked out meanwhile, so nothing from ../reply.md was written; look at it there, or switch back"
    )
    assert (ran.code, changed(shop), branch.startswith("topic")) == (2, {}, True), ran.out
    assert ran.out.endswith(f"\neditblocks: head-moved: {said}\n")
    assert git(shop, "log", "--all", "--format=%B").count(b"Edit-Blocks-Selected") == 0


@pytest.mark.long
def test_what_was_not_committed_is_in_the_way_of_a_commit_only(shop: Path, apply: Apply) -> None:
    (shop / "src/cart.py").write_bytes(b"# mine\n" + CART)
    head = line(shop, "rev-parse", "HEAD")
    ran = apply("--commit", "../reply.md", answers=["y", "q"])
    assert (ran.code, line(shop, "rev-parse", "HEAD")) == (2, head)
    assert (
        "editblocks: dirty-file: src/cart.py has changes that are not committed; commit or stash them first" in ran.out
    )
