"""No way out shows a line of a file that git ignores, or whose name says that it holds secrets (amendment E2)."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.applykit import Run, block, make_shop

VALUE, OTHER = "hunter2-Zq81", "Wx77-marzipan"
SECRET = f"AWS_REGION=eu\nAWS_SECRET_ACCESS_KEY={VALUE}\n\nDB_PASSWORD={OTHER}\nAWS_REGION=eu\n"
IGNORED, TRACKED, PLAIN = "local.conf", "credentials.json", "src/cart.py"
FILES: Mapping[str, bytes] = {
    ".gitignore": b"*.conf\n.env\n",
    TRACKED: SECRET.encode(),
    PLAIN: b"a = 1\n",
}

# What a block may look for to be told more: SEARCH and REPLACE
SEARCHES: Mapping[str, tuple[str, str]] = {
    "the beginning of a line": ("AWS_SECRET_ACCESS_KEY=\n", "AWS_SECRET_ACCESS_KEY=x\n"),
    "a line that is nearly there": (f"DB_PASSWORD={OTHER[:-2]}\n", "x\n"),
    "lines around": ("AWS_REGION=eu\nAWS_SECRET_ACCESS_KEY=\n\nDB_PASSWORD=\n", "x\n"),
    "another spelling": ("aws_secret_access_key=\n", "x\n"),
    "two places": ("AWS_REGION=eu\n", "AWS_REGION=us\n"),
    "what fits": ("AWS_REGION=eu\nAWS_SECRET_ACCESS_KEY=", "x\n"),
    "an insertion": ("AWS_REGION=eu\n\n", "AWS_REGION=eu\nNEW=1\n"),
    "an escaped line": ("DB&#95;PASSWORD&#61;\n", "x\n"),
    "blank lines": ("\nDB_PASSWORD=\n", "x\n"),
    "nothing like it": ("zzz = yyy\n", "x\n"),
}
BROKEN = f"--- a/{TRACKED}\n+++ b/{TRACKED}\n@@ -4 +4 @@ def f\n-DB_PASSWORD=\n+x\n"
RENAMED = "\n".join(
    (
        f"diff --git a/{TRACKED} b/n.txt",
        f"rename from {TRACKED}",
        "rename to n.txt",
        BROKEN.replace(f"b/{TRACKED}", "b/n.txt"),
    )
)

WAYS = (
    ("check",),
    ("check", "-v"),
    ("check", "--format", "json"),
    ("check", "--format", "sarif"),
    ("check", "--format", "rdjsonl"),
    ("check", "--format", "github"),
    ("check", "--matching", "loose", "-v"),
    ("check", "--rev", "HEAD", "-v"),
    ("check", "--staged", "-v"),
    ("retry",),
    ("retry", "-v"),
    ("retry", "--fresh"),
    ("report", "-o", "report.html"),
    ("check", "--format", "jsonl"),
    ("check", "--format", "markdown"),
    ("check", "--allow-protected", IGNORED, "-v"),
    ("retry", "--allow-protected", IGNORED),
    ("diff", "--only", "2"),
    ("apply", "--partial", "-v"),
    ("apply", "--commit", "-v"),
)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with secrets in a file that it ignores, and in one that it tracks."""
    path = make_shop(tmp_path, monkeypatch, FILES)
    (path / IGNORED).write_text(SECRET)
    return path


def shown(run: Run, shop: Path, way: tuple[str, ...], answer: str) -> str:
    """All that a command says and writes, apart from the files that the answer changes."""
    reply = shop / "reply.md"
    reply.write_text(answer)
    command, *options = way
    _, out, err = run(command, *options, "reply.md")
    written = [each.read_text() for each in shop.glob("report.*")]
    return "\n".join([out, err, *written])


@pytest.mark.parametrize("path", [IGNORED, TRACKED])
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.long(after=1)
def test_no_way_out_shows_a_value(run: Run, shop: Path, way: tuple[str, ...], path: str) -> None:
    for search, replace in SEARCHES.values():
        text = shown(run, shop, way, block(path, search, replace) + block(PLAIN, "b = 1\n", "b = 2\n"))
        assert "bad-command" not in text
        assert VALUE not in text
        assert OTHER not in text


@pytest.mark.parametrize("answer", [BROKEN, RENAMED])
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.long(after=4)
def test_nor_does_a_patch_or_a_rename(run: Run, shop: Path, way: tuple[str, ...], answer: str) -> None:
    text = shown(run, shop, way, f"```diff\n{answer}```\n")
    assert VALUE not in text
    assert OTHER not in text


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.long(after=3)
def test_a_text_that_is_in_a_secret_file_is_not_looked_for_there(run: Run, shop: Path, way: tuple[str, ...]) -> None:
    """Else a block for another file would tell whether a guess is right."""
    guess = f"DB_PASSWORD={OTHER}\n"
    text = shown(run, shop, way, block(PLAIN, guess, "x\n") + block(TRACKED, "nothing\n", "y\n"))
    assert "the same text is at" not in text
    assert f"{TRACKED}:4" not in text


def test_what_is_said_is_the_reason_and_the_line(run: Run, shop: Path) -> None:
    (shop / "reply.md").write_text(block(TRACKED, "AWS_SECRET_ACCESS_KEY=hunter2-Zq8\n", "x\n"))
    [row] = json.loads(run("check", "--format", "json", "reply.md").out)["blocks"]
    assert row["reason"] == (
        "its old lines are not in credentials.json; the closest text is at line 2; "
        "its text is not shown, because its name says that it holds secrets; change it by hand"
    )
    assert (row["candidates"], row["first_difference"], row["similarity"]) == ([], None, None)
    assert "Do not try again:\n- Block 1, credentials.json, no-match: its old" in run("retry", "reply.md").out


def test_a_secret_file_is_changed_as_any_other(run: Run, shop: Path) -> None:
    (shop / "reply.md").write_text(block(TRACKED, f"DB_PASSWORD={OTHER}\n", "DB_PASSWORD=new\n"))
    assert run("apply", "reply.md").code == 0
    assert (shop / TRACKED).read_text() == SECRET.replace(OTHER, "new")
