"""`editblocks context`: what is shown and counted, what is refused, and that nothing is printed then."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import gitkit
from support.applykit import Run
from support.clipkit import clipboard_in
from support.gitkit import LINK, SUBMODULE, SUBMODULE_ID, Entry
from support.posix import make_fifo

from editblocks.core.settings import KITS
from editblocks.faces.cli.context import LONG_FILE, MOST_CHARACTERS
from editblocks.prompts.context import kit, kit_text

CART = b"""\
class Cart:
    items = ()

    def total(self):
        return sum(self.items)

    def dump(self):
        return str(self.items)
"""
SHOP: Mapping[str, bytes | Entry] = {
    "README.md": b"# Shop\n",
    "src/cart.py": CART,
    "src/tax.py": b"RATE = 19\r\n",
    "src/bom.py": b"\xef\xbb\xbfx = 1",
    ".gitignore": b"build/\n*.log\n",
    ".gitattributes": b"*.bin filter=lfs\n",
    ".env": b"KEY=1\n",
    ".env.example": b"KEY=\n",
    "logo.png": b"\x89PNG\0",
    "latin.py": b"x = '\xe9'\n",
    "model.txt": b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n",
    "model.bin": b"x\n",
    "link.py": (LINK, b"src/cart.py"),
    "out": (LINK, b"/etc"),
    "lib": (SUBMODULE, SUBMODULE_ID),
    "big.py": b"def f():\n    x = 1\n" + b"    x = 2\n" * 1_700,
    "huge.txt": b"a line\n" * 60_000,
    ".github/workflows/ci.yml": b"on: push\n",
    "data.json": b"{}\n",
}


def test_the_text_is_the_prompt_and_the_files(run: Run, shop: Path) -> None:
    code, out, err = run(
        "context", "src/cart.py", "--read", "README.md", "src/tax.py", "--summary", "big.py", "--task", "Add tax."
    )
    size = len(out) - 1
    counted = f"{size:,} characters, about {-(-size // 4):,} tokens"
    assert (code, err) == (0, f"1 file to edit, 2 to read, 1 summarised: {counted}\n")
    assert out.startswith(f"{kit_text(kit('diff-fenced'))}\n\n## The files\n")
    assert "\n\nsrc/tax.py\n````py\nRATE = 19\n````\n\n## Summaries\n" in out
    assert f"\n\nsrc/cart.py\n````py\n{CART.decode()}````\n\nRepeat this line above" in out
    assert f"\n\nbase: {gitkit.line(shop, 'rev-parse', 'HEAD')}\n\n## Task\n\nAdd tax.\n\nBefore you answer:" in out


def test_names_are_those_of_the_current_folder(run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("context", "src/cart.py", "--read", "README.md")
    monkeypatch.chdir(shop / "src")
    assert run("context", "cart.py", "--read", "../README.md") == whole
    assert run("context", str(shop / "src/cart.py"), "--read", str(shop / "README.md")) == whole
    monkeypatch.chdir(shop.parent)
    assert run("context", "shop/src/cart.py", "--read", "shop/README.md", "--root", "shop") == whole


def test_a_file_is_shown_once_where_it_is_named_first(run: Run) -> None:
    once = run("context", "src/cart.py", "src/tax.py", "--read", "README.md", "--summary", "big.py")
    names = ("src/cart.py", "--read", "README.md", "src/cart.py", "--summary", "big.py", "src/cart.py", "big.py")
    assert run("context", "src/tax.py", "src/cart.py", *names[1:])[1] != once[1]
    assert run("context", "src/cart.py", "src/tax.py", "./src/cart.py", *names[1:]) == once


def test_options_may_come_first_and_several_times(run: Run) -> None:
    expected = run("context", "src/cart.py", "src/tax.py", "--read", "README.md", ".env.example", "--task", "x")
    words = ("--task", "x", "--read", "README.md", "--read", ".env.example", "--", "src/cart.py", "src/tax.py")
    assert run("context", *words) == expected
    assert run("context", "src/cart.py", "--task", "x", "src/tax.py", "--read", "README.md", ".env.example") == expected


def test_files_to_read_are_enough(run: Run) -> None:
    code, out, err = run("context", "--read", "README.md", "--task", "write a tool for this")
    assert (code, "\nbase: " in out, "## Files to edit" in out) == (0, False, False)
    assert err.startswith("0 files to edit, 1 to read, 0 summarised: ")


def test_without_commands(run: Run) -> None:
    out = run("context", "src/cart.py", "--format", "edit-v2", "--no-shell").out
    assert out.startswith(f"{kit_text(kit('edit-v2', commands=False))}\n\n## The files\n")


@pytest.mark.parametrize("form", KITS)
@pytest.mark.long(after=2)
def test_as_messages(run: Run, form: str) -> None:
    code, out, err = run("context", "src/cart.py", "--messages", "--format", form, "--task", "Tax für alle.")
    messages = json.loads(out)
    assert (code, messages[0]) == (0, {"role": "system", "content": kit(form).system})
    assert messages[-1]["role"] == "user"
    assert "\n## Task\n\nTax für alle.\n" in messages[-1]["content"]
    assert "für" in out
    assert f": {sum(len(message['content']) for message in messages):,} characters" in err


def test_the_task_is_read_from_standard_input(run: Run) -> None:
    text = "Round totals.\n\n- to cents\n"
    assert run("context", "src/cart.py", "--task", "-", stdin=text) == run("context", "src/cart.py", "--task", text)
    assert run("context", "src/cart.py", "--task", "-", stdin=b"x\n\xff")[::2] == (
        2, "editblocks: encoding: the task is not UTF-8 (byte 0xff in line 2); convert it first\n"
    )  # fmt: skip


def test_a_task_in_utf_16_is_read_as_an_answer_is(run: Run) -> None:
    text = "Round totals.\n"
    words = ("context", "src/cart.py", "--task")
    assert run(*words, "-", stdin=text.encode("utf-16")) == run(*words, text)
    reason = "encoding: the task is UTF-16 without a byte order mark; save it as UTF-8"
    assert run(*words, "-", stdin=text.encode("utf-16-le"))[::2] == (2, f"editblocks: {reason}\n")
    reason = "encoding: the task is not UTF-16 (byte 0x61 in line 1); convert it first"
    assert run(*words, "-", stdin=b"\xff\xfea")[::2] == (2, f"editblocks: {reason}\n")


@pytest.mark.parametrize("text", ["x" * 2_000_000, "é" * 1_000_000], ids=["ascii", "cut inside a character"])
@pytest.mark.long(after=1)
def test_a_task_without_end_is_too_large(run: Run, text: str) -> None:
    reason = "too-large: the task is over the limit of 1,600,000 bytes; shorten it"
    assert run("context", "README.md", "--task", "-", stdin=text) == (2, "", f"editblocks: {reason}\n")


def test_a_long_task_is_refused(run: Run) -> None:
    code, out, err = run("context", "README.md", "--task", "-", stdin="x" * MOST_CHARACTERS)
    assert (code, out) == (2, "")
    assert "characters, the limit is 400,000; leave files out" in err


@pytest.mark.parametrize("words", [("--task", ""), ("--task", "-")])
def test_an_empty_task_is_none(run: Run, words: tuple[str, ...]) -> None:
    reason = "the task is empty; say what to do, or leave --task out and say it in the next message"
    assert run("context", "README.md", *words, stdin=" \n") == (2, "", f"editblocks: {reason}\n")


# parts


@pytest.mark.long
def test_lines_stand_for_what_encloses_them(run: Run) -> None:
    code, out, _ = run("context", "src/cart.py:5")
    assert code == 0
    part = "You see lines 1 and 4-5 of src/cart.py (8 lines)."
    fences = (
        "src/cart.py\n````py\nclass Cart:\n````\n\n"
        "src/cart.py\n````py\n    def total(self):\n        return sum(self.items)\n````"
    )
    advice = "Change only these lines; if you need others, ask for them."
    assert f"\n\n{part} {advice}\n\n{fences}\n\nRepeat" in out
    assert "You see lines 1 and 4-8" in run("context", "src/cart.py:4-7")[1]
    assert "You see lines 1, 4-5 and 7-8" in run("context", "src/cart.py:5", "src/cart.py:8-8")[1]
    assert run("context", "src/cart.py:5", "src/cart.py") == run("context", "src/cart.py")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("src/cart.py:0", "src/cart.py:0 is not in the file, which has 8 lines"),
        ("src/cart.py:8-9", "src/cart.py:8-9 is not in the file, which has 8 lines"),
        ("src/cart.py:5-4", "src/cart.py:5-4 ends before it begins; write FILE:FIRST-LAST"),
        ("src/cart.py:9", "src/cart.py:9 is not in the file, which has 8 lines"),
        ("src/cat.py:1", "file-not-found: there is no src/cat.py; did you mean src/cart.py?"),
    ],
)
@pytest.mark.long(after=2)
def test_lines_that_cannot_be_shown(run: Run, name: str, reason: str) -> None:
    assert run("context", name) == (2, "", f"editblocks: {reason}\n")


def test_what_no_definition_holds_is_said(run: Run) -> None:
    _, out, err = run("context", "src/bom.py:1", "src/cart.py:3", "--summary", "src/tax.py")
    assert "You see line 1 of src/bom.py" in out
    assert err.splitlines()[0] == (
        "editblocks: no function, class or type was found in src/tax.py, so its summary would be empty; "
        "show it whole with --read src/tax.py, or leave it out"
    )


NO_EXTRA = "Python cannot be parsed here; in a clone of editblocks, run `python -m pip install '.[syntax]'`"


@pytest.mark.long
def test_without_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    why = f"src/cart.py cannot be summarised: {NO_EXTRA}"
    assert run("context", "--summary", "src/cart.py") == (2, "", f"editblocks: {why}\n")
    code, out, err = run("context", "src/cart.py:5")
    assert (code, "You see line 5" in out) == (0, True)
    assert err.startswith(f"editblocks: of src/cart.py, only the lines that you name are shown: {NO_EXTRA}\n")
    assert run("context", "src/cart.py").code == 0


@pytest.mark.long
def test_without_a_grammar(run: Run) -> None:
    why = "README.md cannot be summarised: no grammar for README.md"
    assert run("context", "--summary", "README.md") == (2, "", f"editblocks: {why}\n")
    code, out, err = run("context", "huge.txt:7-8")
    assert (code, "You see lines 7-8" in out) == (0, True)
    assert "of huge.txt, only the lines that you name are shown: no grammar for huge.txt\n" in err


# what is refused


REFUSED: dict[str, tuple[str, str]] = {
    "missing": ("src/cat.py", "file-not-found: there is no src/cat.py; did you mean src/cart.py?"),
    "missing, nothing is near": ("zzz/q", "file-not-found: there is no zzz/q; check the path"),
    "no name": ("", "a name is empty; name a file"),
    "a directory": ("src", "path-conflict: src is a folder; name a file in it, or choose another path"),
    "a link": ("link.py", "not-a-file: link.py is a symbolic link; edit its target"),
    "a submodule": ("lib", "not-a-file: lib is a submodule; edit it in its own repository"),
    "in a submodule": ("lib/x.py", "not-a-file: lib is a submodule; edit it in its own repository"),
    "below a link": ("out/passwd", "`out/passwd` is not in {shop}; name a file in it"),
    "outside": ("../x.py", "`../x.py` is not in {shop}; name a file in it"),
    "git's own": (
        ".git/config",
        "unsafe-path: `.git/config` is inside a .git folder; blocks may not change it",
    ),
    "a line break": (
        "a\nb.py",
        "unsafe-path: `a␊b.py` holds U+000A, a control character; write the path without it",
    ),
    "an invisible character": (
        "a\u200bb",
        "unsafe-path: `aU+200Bb` holds U+200B, which is invisible; write the path without it",
    ),
    "secrets": (
        ".env",
        "not-allowed: the name of .env says that it holds secrets; "
        "leave it out, or copy it into the chat yourself if it holds none",
    ),
    "ignored": ("build/x.py", "not-allowed: git ignores build/x.py; leave it out, or add it to git first"),
    "ignored by its kind": ("*.log", "not-allowed: git ignores *.log; leave it out, or add it to git first"),
    "binary": ("logo.png", "binary: logo.png has a NUL byte at offset 4; blocks edit text only"),
    "not UTF-8": ("latin.py", "encoding: latin.py is not UTF-8 (byte 0xe9 in line 1); convert it first"),
    "a pointer": ("model.txt", "filtered: model.txt is a Git LFS pointer; edit it by hand in a checkout"),
    "filtered": (
        "model.bin",
        "filtered: model.bin has the attribute filter, which changes it on checkout; edit it by hand in a checkout",
    ),
    "a FIFO": ("pipe", "not-a-file: pipe is not a regular file; name one"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "reason"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("option", ["", "--read", "--summary"])
@pytest.mark.long
def test_what_no_model_should_see_ends_the_call(run: Run, shop: Path, option: str, name: str, reason: str) -> None:
    (shop / "build").mkdir()
    for path in ("build/x.py", "*.log", "a\nb.py"):
        (shop / path).write_bytes(CART)
    make_fifo(shop / "pipe")
    words = ("context", "README.md", *filter(None, [option]), name)
    assert run(*words) == (2, "", f"editblocks: {reason.format(shop=shop)}\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "no file is named; name those to change, as in `editblocks context src/cart.py`"),
        (("--task", "x"), "no file is named; name those to change, as in `editblocks context src/cart.py`"),
        (("README.md", "--budget", "0"), "--budget is `0`; use a number of tokens, as in 8000"),
        (("README.md", "--budget", "8k"), "--budget is `8k`; use a number of tokens, as in 8000"),
        (("README.md", "--format", "dif"), "--format is `dif`; did you mean diff?"),
        (("README.md", "--taks", "x"), "context has no option `--taks`; did you mean `--task`?"),
    ],
)
@pytest.mark.long
def test_a_call_that_cannot_be_read(run: Run, words: tuple[str, ...], reason: str) -> None:
    assert run("context", *words) == (2, "", f"editblocks: {reason}\n")


@pytest.mark.long
def test_sizes(run: Run) -> None:
    code, out, err = run("context", "huge.txt", "big.py", "src/cart.py", "README.md")
    assert (code, out) == (2, "")
    advice = "leave files out, or show less with --summary or FILE:FIRST-LAST"
    assert err.startswith("editblocks: too-large: this has 44")
    assert err.endswith(f" characters, the limit is {MOST_CHARACTERS:,}; {advice}\n")
    size = len(run("context", "README.md")[1]) - 1
    tokens = -(-size // 4)
    assert run("context", "README.md", "--budget", str(tokens)).code == 0
    over = f"about {tokens:,} tokens, --budget is {tokens - 1:,}"
    assert run("context", "README.md", "--budget", str(tokens - 1)) == (
        2, "", f"editblocks: too-large: this has {size:,} characters, {over}; {advice}\n"
    )  # fmt: skip


@pytest.mark.long
def test_no_more_is_read_than_a_text_could_hold(run: Run, shop: Path) -> None:
    for name in "abc":
        (shop / f"{name}.py").write_bytes(b"x = 1\n" * 500_000)
    reason = "too-large: these files have over 8 MiB together; name fewer"
    assert run("context", "a.py", "b.py", "--read", "c.py") == (2, "", f"editblocks: {reason}\n")


@pytest.mark.long
def test_warnings(run: Run, shop: Path) -> None:
    assert LONG_FILE == 16_000
    _, _, err = run("context", "big.py")
    assert err.splitlines()[0] == (
        "editblocks: big.py has 17,019 characters, about 4,255 tokens; "
        "show a part, as in FILE:120-180, or signatures with --summary"
    )
    (shop / "src/cart.py").write_bytes(b"x = 1\n")
    (shop / "new.py").write_bytes(b"x = 1\n")
    head = gitkit.line(shop, "rev-parse", "--short=7", "HEAD")
    differ = f"from {head}, so the text has no `base:` line; commit first if others also work on this"
    code, out, err = run("context", "src/cart.py", "README.md")
    assert (code, "\nbase: " in out, err.splitlines()[0]) == (0, False, f"editblocks: src/cart.py differs {differ}")
    assert f"src/cart.py differs {differ}" in run("context", "src/cart.py", "new.py").err
    assert "\nbase: " in run("context", "README.md", "--read", "src/cart.py").out


def test_what_nobody_sees_is_said(run: Run, shop: Path) -> None:
    (shop / "README.md").write_text("# Shop\n\nThe shop\U000e0041\n")
    code, out, err = run("context", "--read", "README.md")
    assert (code, "The shop\U000e0041\n" in out) == (0, True)
    assert err.splitlines()[0] == (
        "editblocks: U+E0041 at line 3, column 9 of README.md is visible to the model but not to readers; "
        "check that it belongs there"
    )


@pytest.mark.long
def test_into_the_clipboard(run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clipboard = clipboard_in(tmp_path, monkeypatch)
    clipboard.install("xclip")
    _, out, err = run("context", "src/cart.py")
    assert run("context", "src/cart.py", "--clipboard") == (
        0,
        "",
        err.replace("tokens\n", "tokens, copied to the clipboard\n"),
    )
    assert clipboard.data == out.removesuffix("\n").encode()
    assert run("context", ".env", "--clipboard").code == 2
    assert clipboard.data == out.removesuffix("\n").encode()


@pytest.mark.long
def test_line_ends_make_no_difference_to_the_base(run: Run, shop: Path) -> None:
    (shop / "src/cart.py").write_bytes(CART.replace(b"\n", b"\r\n"))
    code, out, err = run("context", "src/cart.py")
    assert (code, "\nbase: " in out, "differs" in err, "\r" in out) == (0, True, False, False)


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.long
def test_without_a_commit_there_is_no_base(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_git: bool
) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "a.py").write_bytes(CART)
    if has_git:
        gitkit.git(folder, "init", "-q")
    monkeypatch.chdir(folder)
    code, out, err = run("context", "a.py")
    assert (code, "\nbase: " in out) == (0, False)
    what = "there is no commit yet" if has_git else f"{folder} is not a git repository"
    assert err.splitlines()[0] == f"editblocks: {what}, so the text has no `base:` line"


@pytest.mark.long
def test_the_files_of_a_commit(run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("context", "src/cart.py", "--summary", "big.py")
    (shop / "src/cart.py").unlink()
    (shop / "big.py").write_bytes(b"")
    assert run("context", "src/cart.py", "--summary", "big.py", "--rev", "HEAD") == whole
    assert run("context", "src/none.py", "--rev", "main")[::2] == (
        2, "editblocks: file-not-found: there is no src/none.py; check the path\n"
    )  # fmt: skip
    assert run("context", "src/cart.py", "--rev", "none").code == 2
    bare = tmp_path / "bare.git"
    gitkit.git(tmp_path, "clone", "-q", "--bare", str(shop), str(bare))
    monkeypatch.chdir(bare)
    assert run("context", "src/cart.py", "--summary", "big.py", "--rev", "HEAD") == whole
    assert run("context", "src/cart.py")[::2] == (
        2, f"editblocks: {bare} is in a .git folder or a bare repository, without files; name a commit with --rev\n"
    )  # fmt: skip


@pytest.mark.long
def test_what_is_in_git_is_not_ignored(run: Run, shop: Path) -> None:
    (shop / "kept.log").write_bytes(b"x\n")
    assert run("context", "kept.log").code == 2
    gitkit.git(shop, "add", "-f", "kept.log")
    assert run("context", "kept.log").code == 0


@pytest.mark.long
def test_nothing_of_the_parser_is_loaded_for_whole_files(shop: Path) -> None:
    code = "import sys; from editblocks.faces.cli.main import main; main(['context', 'src/cart.py']);"
    code += "print('tree_sitter' in sys.modules, 'yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=shop, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"
