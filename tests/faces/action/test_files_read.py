"""Response files that cannot be read, that are none, or that are more than a run takes."""

from pathlib import Path

import pytest
from support.actionkit import (
    APP,
    FAILS,
    FITS,
    act,
    block,
    pull_request,
    states,
)
from support.filecases import FILES, OTHER_FITS, A, B, content, opened, writes
from support.hub import hub
from support.talkkit import some

# files that cannot be read

LONG = b"a" * 1_048_577
UNREADABLE: list[tuple[str, bytes, str, str]] = [
    ("a symbolic link", b"../app.py", "120000", "not-a-file: .edits/a.md: 1 failed"),
    ("a pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "100644", "filtered: "),
    ("too large", LONG, "100644", "too-large: "),
    ("not UTF-8", b"fine\n\xff\n", "100644", "encoding: "),
    ("binary", b"a\0b", "100644", "binary: "),
    ("front matter", b"---\ntitel: x\n---\n" + FITS.encode(), "100644", "bad-config: "),
    ("a base that is none", b"---\nbase: main\n---\n" + FITS.encode(), "100644", "bad-config: "),
    ("a block that cannot be read", FITS.encode().replace(b">>>>>>> REPLACE", b""), "100644", "unclosed: "),
    ("no block", b"Nothing but words.\n", "100644", "no-blocks: .edits/a.md holds no edit block; write one"),
    ("empty", b"", "100644", "no-blocks: "),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("claim", "data", "mode", "said"), some(UNREADABLE, "a symbolic link", "front matter", "no block", spread=True)
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, claim: str, data: bytes, mode: str, said: str) -> None:
    """And it keeps no other file from being applied."""
    with hub() as h:
        pull = h.world.pull_request({**FILES, A: data, B: OTHER_FITS.encode()}, modes={A: mode}, author="monalisa")
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, len(done.errors)) == (2, 1), claim
        assert done.errors[0].startswith(said)
        assert A in done.errors[0]
        assert states(pull) == ["nothing" if "no-blocks" in said else "failed", "applied"]
        assert (content(h, pull)[A], B in content(h, pull)) == (data, False)
        assert said.startswith("no-blocks") or "::error file=.edits/a.md,line=" in done.log


UNREADABLE_NEXT: list[tuple[str, bytes, str, str]] = [
    (
        ".edits/ .md",
        FITS.encode(),
        "has a space (U+0020) at the start or end of a name; rename the file",
        "rename the file.",
    ),
    (A, b"a\0b", "text", "save it as UTF-8 text."),
    (A, LONG, "split it", "split it."),
]


@pytest.mark.long
@pytest.mark.parametrize(("path", "data", "reason", "step"), UNREADABLE_NEXT, ids=[row[3] for row in UNREADABLE_NEXT])
def test_what_to_do_with_a_file_that_cannot_be_read(
    tmp_path: Path, path: str, data: bytes, reason: str, step: str
) -> None:
    """No model wrote a block wrong, so none is asked again."""
    with hub() as h:
        pull = pull_request(h, {**FILES, path: data})
        act(h, h.pull_event(pull), tmp_path)
        assert (f"{reason} |" in pull.reviews[0].body, f"\n**Next:** {step}" in pull.reviews[0].body) == (True, True)


def test_the_place_of_wrong_front_matter_is_marked(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, "---\ntitle: x\nbase: main\n---\n" + FITS)
        done = act(h, h.pull_event(pull), tmp_path)
        assert "::error file=.edits/a.md,line=3,endLine=3,title=bad-config::`base` is `main`" in done.log
        assert "`base` is `main`; write 7 to 64 hex digits of a commit" in pull.reviews[0].body


def test_other_files_and_folders_are_none(tmp_path: Path) -> None:
    with hub() as h:
        named = [
            ".edits/a.txt",
            ".edits/.md",
            ".edits/deep/a.md",
            ".edits/folder.md/a.md",
            "edits/a.md",
            "a.md",
            ".edits/A.MD",
        ]
        pull = pull_request(h, {"app.py": APP, **dict.fromkeys(named, FITS.encode())})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, done.outputs["result"], writes(done)) == (0, "nothing", [])


@pytest.mark.long
def test_patterns_of_the_policy(tmp_path: Path) -> None:
    with hub() as h:
        h.world.commit({".editblocks.yml": b'response-files: ["docs/edits/*.txt", ".edits/*.md"]\n'}, "Policy")
        pull = pull_request(h, {**FILES, "docs/edits/z.txt": FITS.encode(), A: OTHER_FITS.encode()})
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull)) == (0, ["applied", "applied"]), done.log
        assert set(content(h, pull)) == {"README.md", ".editblocks.yml", "app.py", "notes.txt"}


def test_no_response_writes_the_next(tmp_path: Path) -> None:
    with hub() as h:
        pull = opened(h, block(B, "", "more"))
        done = act(h, h.pull_event(pull), tmp_path)
        assert (done.code, states(pull), B in content(h, pull)) == (2, ["failed"], False)
        assert done.errors[0].startswith("not-allowed: .edits/a.md: ")


@pytest.mark.long
def test_more_than_a_run_takes(tmp_path: Path) -> None:
    with hub() as h:
        files = {f".edits/{number:02}.md": f"{FAILS}\n{number}".encode() for number in range(51)}
        pull = pull_request(h, {"app.py": APP, **files})
        done = act(h, h.pull_event(pull), tmp_path)
        assert done.code == 2
        assert "::error::" in done.log
        assert "response files were not read, because a run sends at most 60 requests to GitHub" in done.log
        assert len([line for line in done.log.splitlines() if line.startswith("::error")]) == 10
        assert len(done.names) <= 60


@pytest.mark.long
def test_what_one_run_cannot_do_the_next_one_does(tmp_path: Path) -> None:
    """A run has 60 requests; files that it did not come to are said to be left."""
    with hub() as h:
        names = [f"f{number}.py" for number in range(9)]
        blocks = {f".edits/{name}.md": block(name, "value = 1", "value = 2").encode() for name in names}
        pull = pull_request(h, {**dict.fromkeys(names, b"value = 1\n"), **blocks})
        event = h.pull_event(pull)
        first = act(h, event, tmp_path)
        assert (first.code, len(first.names)) == (2, 57)
        assert (
            "3 response files were not read, because a run sends at most 60 requests to GitHub,"
            " and this one has sent 57; " in first.log
        )
        again = act(h, event, tmp_path)
        assert again.code == 0, again.log
        left = content(h, pull)
        assert [left[name] for name in names] == [b"value = 2\n"] * 9
        assert not [path for path in left if path.startswith(".edits/")]
        assert states(pull) == ["applied"] * 9
