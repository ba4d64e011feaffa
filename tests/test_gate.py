"""The first step of the action: what counts as work, and that it says so with nothing but the event file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editblocks.parse import parse_response

GATE = Path(__file__).parent.parent / "hooks" / "gate.py"
BLOCK = "app.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

Json = dict[str, Any]


def payload(**changes: Any) -> Json:
    """A comment with a block on an open pull request; dotted names change a part, None as value of `-name` drops it."""
    event: Json = {
        "action": "created",
        "issue": {"number": 1, "state": "open", "pull_request": {"url": "x"}},
        "comment": {"id": 1, "body": BLOCK},
    }
    for name, value in changes.items():
        part, _, key = name.partition("__")
        if key:
            event[part][key] = value
        else:
            event[part] = value
    return event


def run(tmp_path: Path, event: str, content: bytes | None, **environ: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and what was put into the output file."""
    file, output = tmp_path / "event.json", tmp_path / "output"
    if content is not None:
        file.write_bytes(content)
    names = {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(file), "GITHUB_OUTPUT": str(output), **environ}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(GATE)],
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout, output.read_text("ascii") if output.exists() else ""


WORK: list[tuple[str, str, Json, bool]] = [
    ("a new comment with a block", "issue_comment", payload(), True),
    ("an opener with CRLF", "issue_comment", payload(comment__body="a\r\n<<<<< SEARCH\r\n"), True),
    ("an opener with nothing else", "issue_comment", payload(comment__body="<<<<<<<<< SEARCH"), True),
    ("a format that is refused by name", "issue_comment", payload(comment__body="*** Begin Patch\n"), True),
    ("words only", "issue_comment", payload(comment__body="Looks good to me"), False),
    ("four angle brackets", "issue_comment", payload(comment__body="a <<<< b"), False),
    ("an empty comment", "issue_comment", payload(comment__body=""), False),
    ("a comment without a body", "issue_comment", payload(comment__body=None), False),
    ("our own status", "issue_comment", payload(comment__body=f"<!-- editblocks:status v1 -->\n{BLOCK}"), False),
    ("an edited comment", "issue_comment", payload(action="edited"), False),
    ("a deleted comment", "issue_comment", payload(action="deleted"), False),
    ("a plain issue", "issue_comment", payload(issue={"state": "open"}), False),
    ("a closed pull request", "issue_comment", payload(issue__state="closed"), False),
    ("a comment of nothing", "issue_comment", payload(comment=None), False),
    ("an issue of nothing", "issue_comment", payload(issue=[]), False),
    ("an event of another kind", "pull_request", payload(), False),
    ("a review", "pull_request_review", payload(), False),
    ("no event", "", payload(), False),
]


@pytest.mark.parametrize(("claim", "event", "content", "work"), WORK, ids=[row[0] for row in WORK])
def test_what_is_work(tmp_path: Path, claim: str, event: str, content: Json, work: bool) -> None:
    expected = (0, "", f"work={'true' if work else 'false'}\n")
    assert run(tmp_path, event, json.dumps(content).encode()) == expected, claim


def link(path: Path) -> None:
    (path / "real.json").write_text(json.dumps(payload()), "utf-8")
    (path / "event.json").symlink_to(path / "real.json")


def pipe(path: Path) -> None:
    os.mkfifo(path / "event.json")


def large(path: Path) -> None:
    with (path / "event.json").open("wb") as file:
        file.truncate(25 * 1024 * 1024 + 1)


BAD: list[tuple[str, Callable[[Path], object], str]] = [
    ("no file", Path.exists, "GITHUB_EVENT_PATH cannot be read (FileNotFoundError); let the runner write it"),
    ("a folder", lambda path: (path / "event.json").mkdir(), "GITHUB_EVENT_PATH"),
    ("a symbolic link", link, "GITHUB_EVENT_PATH cannot be read (OSError); let the runner write it"),
    ("a pipe", pipe, "GITHUB_EVENT_PATH is no regular file of at most 25 MB; let the runner write it"),
    ("too large", large, "GITHUB_EVENT_PATH is no regular file of at most 25 MB; let the runner write it"),
    ("no JSON", lambda path: (path / "event.json").write_bytes(b"{"), "GITHUB_EVENT_PATH holds no JSON"),
    ("no UTF-8", lambda path: (path / "event.json").write_bytes(b'"\xff\xfe'), "GITHUB_EVENT_PATH holds no JSON"),
    ("deep JSON", lambda path: (path / "event.json").write_bytes(b"[" * 200_000), "GITHUB_EVENT_PATH holds no JSON"),
]


@pytest.mark.parametrize(("claim", "prepare", "message"), BAD, ids=[row[0] for row in BAD])
def test_a_file_that_cannot_be_used(
    tmp_path: Path, claim: str, prepare: Callable[[Path], object], message: str
) -> None:
    prepare(tmp_path)
    code, said, output = run(tmp_path, "issue_comment", None)
    assert (code, output) == (2, ""), claim
    assert said.startswith(f"::error::{message}")
    assert said.count("\n") == 1


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    code, said, _ = run(tmp_path, "issue_comment", b"{}", GITHUB_OUTPUT=str(tmp_path / "none" / "output"))
    assert (code, said) == (
        2,
        "::error::GITHUB_OUTPUT cannot be written (FileNotFoundError); let the runner set it\n",
    )


def test_the_event_that_gives_foreign_code_a_token_is_refused(tmp_path: Path) -> None:
    code, said, output = run(tmp_path, "pull_request_target", json.dumps(payload()).encode())
    assert (code, output) == (2, "")
    assert "pull_request_target runs foreign code with a write token; use issue_comment" in said


def test_it_imports_next_to_nothing(tmp_path: Path) -> None:
    """What makes the step fast is what it does not load; a set of modules, not a time."""
    code = (
        "import sys; before = set(sys.modules)\n"
        f"exec(compile(open({str(GATE)!r}).read(), 'gate.py', 'exec'), {{'__name__': 'gate'}})\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "enum", "re", "pathlib", "typing", "subprocess", "urllib", "editblocks", "yaml", "github"}
    loaded = set(done.stdout.split())
    assert "json" in loaded
    assert not loaded & (heavy - {"re", "enum"})  # json itself needs those two


@pytest.mark.parametrize(
    "opener",
    [
        *("<<<<<<< EDIT", "<<<<< NEW_FILE", "««« EDIT", "🟧🟧🟧 EDIT", "*** Begin Patch"),
        *("----- SEARCH", "--------- SEARCH", '<boltAction type="file" filePath="a.py">', "<boltAction TYPE=file"),
    ],
)
def test_it_says_yes_to_every_opener_that_is_answered(tmp_path: Path, opener: str) -> None:
    body = f"a.py\n{opener}\nx\n"
    assert parse_response(body).problems
    assert run(tmp_path, "issue_comment", json.dumps(payload(comment__body=body)).encode())[2] == "work=true\n"


@pytest.mark.parametrize("count", range(3, 12))
def test_it_says_yes_whenever_the_run_step_finds_a_block(tmp_path: Path, count: int) -> None:
    body = BLOCK.replace("<" * 7, "<" * count).replace("=" * 7, "=" * count).replace(">" * 7, ">" * count)
    parsed = parse_response(body)
    _, _, output = run(tmp_path, "issue_comment", json.dumps(payload(comment__body=body)).encode())
    assert output == "work=true\n" or not (parsed.blocks or parsed.problems)
