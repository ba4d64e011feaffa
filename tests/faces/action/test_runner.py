"""What reaches the runner's log and files: one line for one text, plain values, and never the token."""

import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.hub.runner import parse_commands, parse_outputs
from support.posix import make_fifo

from editblocks.core.errors import ConfigError, RepoError
from editblocks.faces.action import MAX_EVENT_BYTES, Runner, site_from
from editblocks.report.status.links import Links

SECRET = "ghs_0123456789abcdef"


def runner(path: Path, stream: io.StringIO, **environ: str) -> Runner:
    names = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_EVENT_PATH": "event"}
    files = {name: str(path / file) for name, file in names.items()}
    return Runner({**files, "RUNNER_TEMP": str(path), **environ}, stream, SECRET)


HOSTILE = ["::error::x", "a\n::error::x", "\u2003::error::x", "a\r::error::x", "x ##[error]y", "##[add-path]y",
           "\x1b[2J", "::stop-commands::x", ":\n:error::x", f"-{SECRET}-", "x-access-token:abc@github.com"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_a_command(text: str) -> None:
    stream = io.StringIO()
    Runner({}, stream, SECRET).log(text)
    said = stream.getvalue()
    assert list(parse_commands(said)) == []
    assert (said.count("\n"), said.isascii(), SECRET in said, "token:abc" in said) == (1, True, False, False)


@given(st.text(st.characters() | st.sampled_from(":#[]%\r\n\x1b")))
@example("::error::")
def test_an_error_is_one_command_whatever_it_says(text: str) -> None:
    stream = io.StringIO()
    log = Runner({}, stream, SECRET)
    log.error(text)
    log.log(text)
    commands = list(parse_commands(stream.getvalue()))
    assert [(command.name, dict(command.properties)) for command in commands] == [("error", {})]
    assert stream.getvalue().count("\n") == 2


def test_the_mask_comes_first_and_only_with_a_secret() -> None:
    stream = io.StringIO()
    Runner({}, stream, SECRET).mask()
    Runner({}, stream, "").mask()
    assert stream.getvalue() == f"::add-mask::{SECRET}\n"


VALUES = [
    ("applied", "applied"),
    ("", ""),
    ("https://github.com/a/b/pull/1#pullrequestreview-2", "https://github.com/a/b/pull/1#pullrequestreview-2"),
    ("/home/runner/work/_temp/editblocks.json", "/home/runner/work/_temp/editblocks.json"),
    ("a\nresult=applied", ""),
    ("a<<END", ""),
    ("x=y", ""),
    ("caf\u00e9", ""),
    ("a" * 257, ""),
    ("a\r", ""),
]


@pytest.mark.parametrize(("value", "kept"), VALUES)
def test_outputs_hold_plain_values(tmp_path: Path, value: str, kept: str) -> None:
    stream = io.StringIO()
    runner(tmp_path, stream).output({"result": value, "pr-number": "1"})
    found = parse_outputs((tmp_path / "output").read_text("utf-8"))
    assert found == ({"result": kept, "pr-number": "1"}, "")
    assert ("the output result was left empty" in stream.getvalue()) == (value != kept)


def test_files_are_added_to_and_hold_no_secret(tmp_path: Path) -> None:
    step = runner(tmp_path, io.StringIO())
    (tmp_path / "summary").write_text("before\n", "utf-8")
    step.summary(f"one {SECRET} \ud800 two")
    assert (tmp_path / "summary").read_text("utf-8") == "before\none *** ? two\n"
    assert step.save("x.json", f"{SECRET}!".encode()).read_bytes() == b"***!"
    assert Runner({"RUNNER_TEMP": str(tmp_path)}, io.StringIO(), "").save("y", b"z").read_bytes() == b"z"


def test_a_file_that_was_there_before_is_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"keep me")
    (tmp_path / "x.json").symlink_to(theirs)
    step = Runner({"RUNNER_TEMP": str(tmp_path)}, io.StringIO(), "")
    report, patch = step.save("x.json", b"{}"), step.save("x.patch", b"")
    assert (theirs.read_bytes(), report.read_bytes(), report.parent) == (b"keep me", b"{}", patch.parent)
    assert report.parent.parent == tmp_path


def test_an_event_that_is_odd(tmp_path: Path) -> None:
    step, event = runner(tmp_path, io.StringIO()), tmp_path / "event"
    for content, message in ((b"", "is not JSON"), (b"[" * 200_000, "is not JSON"), (b"\xff", "is not JSON")):
        event.write_bytes(content)
        with pytest.raises(RepoError, match=message):
            step.event()
    with event.open("wb") as file:
        file.truncate(MAX_EVENT_BYTES + 1)
    with pytest.raises(RepoError, match="not a regular file of at most 25 MB"):
        step.event()
    event.unlink()
    make_fifo(event)
    with pytest.raises(RepoError, match="not a regular file"):
        step.event()
    event.unlink()
    event.symlink_to(tmp_path / "output")
    with pytest.raises(RepoError, match="not a regular file"):
        step.event()


JOBS: list[tuple[dict[str, str], str, int | None]] = [
    ({}, "", None),
    ({"GITHUB_RUN_ID": "981"}, "", 981),
    ({"GITHUB_RUN_ID": "9x"}, "", None),
    (
        {"GITHUB_ACTION_REPOSITORY": "acme/editblocks", "GITHUB_ACTION_REF": "v1"},
        "https://github.com/acme/editblocks/blob/v1/docs",
        None,
    ),
    ({"GITHUB_ACTION_REPOSITORY": "acme/editblocks", "GITHUB_ACTION_REF": "a/b"}, "", None),
    ({"GITHUB_ACTION_REPOSITORY": "acme", "GITHUB_ACTION_REF": "v1"}, "", None),
]
SERVERS = [
    ("https://ghe.example.com:8443", "https://ghe.example.com:8443"),
    ("http://ghe.test", "http://ghe.test"),
    ("http://[::1]:8080/", "http://[::1]:8080"),
    ("https://g\u00fcnther.example/git hub", "https://g%C3%BCnther.example/git%20hub"),
    ('https://a"><b>\n::error::c', "https://a%22%3E%3Cb%3E%0A::error::c"),
]


@pytest.mark.parametrize(("environ", "docs", "run_id"), JOBS)
def test_what_is_known_of_a_job(environ: dict[str, str], docs: str, run_id: int | None) -> None:
    job = site_from(environ)
    assert (job.docs, job.run_id, job.server) == (docs, run_id, "https://github.com")


@pytest.mark.parametrize(("given", "server"), SERVERS)
def test_a_server_is_taken_as_the_runner_gives_it(given: str, server: str) -> None:
    action = {"GITHUB_ACTION_REPOSITORY": "acme/editblocks", "GITHUB_ACTION_REF": "v1"}
    job = site_from({"GITHUB_SERVER_URL": given, **action})
    links = Links(job.server, "acme/shop", 1, "issuecomment-1", docs=job.docs)
    assert links.response(None) == f"{server}/acme/shop/pull/1#issuecomment-1"
    assert links.docs_page("reference/reasons.md") == f"{server}/acme/editblocks/blob/v1/docs/reference/reasons.md"


@pytest.mark.parametrize("server", ["github.com", "https://", "javascript:alert(1)", ""])
def test_a_server_that_is_no_address(server: str) -> None:
    with pytest.raises(ConfigError):
        site_from({"GITHUB_SERVER_URL": server})


@pytest.mark.parametrize("line", ["", "no command", "::stop-commands::x", "::error ::a\n::b", "::warning ::\u202e"])
def test_no_other_command_is_printed(line: str) -> None:
    stream = io.StringIO()
    with pytest.raises(RepoError, match="has a form that the runner does not read"):
        Runner({}, stream, SECRET).command(line)
    assert not stream.getvalue()


def test_commands_hide_the_secret() -> None:
    stream = io.StringIO()
    Runner({}, stream, SECRET).command(f"::error file=a.md,line=1::no {SECRET}")
    assert stream.getvalue() == "::error file=a.md,line=1::no ***\n"
