"""The real `action.yml`, run step by step by the composite runner against the hub, in a hostile workspace."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.composite import Run, run_action
from support.hub import Event, Hub, events, hub
from support.hub.model import PullRequest
from support.project import ROOT

FITS = "app.py\n```python\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n"
FILES = {"app.py": b"#!/usr/bin/env python3\na = 1\n", "other.txt": b"\r\n"}
HOSTILE = "open({!r}, 'w').write(__file__)\nraise SystemExit('hostile code was imported')\n"
# What `python -m`, a working directory or PYTHONPATH would pick up
TRAPS = ("yaml.py", "github/__init__.py", "pip/__init__.py", "pip/__main__.py", "sitecustomize.py", "json.py", "re.py")


def pull_request(h: Hub) -> PullRequest:
    return h.world.pull_request(FILES, modes={"app.py": "100755"}, author="monalisa")


def act(h: Hub, event: Event, folder: Path, inputs: Mapping[str, str] | None = None, root: Path = ROOT) -> Run:
    """One job; fails if anything of the workspace was imported."""
    environ, caught = h.job_env(event, folder), folder / "caught"
    for name in TRAPS:
        trap = Path(environ["GITHUB_WORKSPACE"], name)
        trap.parent.mkdir(exist_ok=True)
        trap.write_text(HOSTILE.format(str(caught)))
    run = run_action(root, environ=environ, inputs=inputs, token=h.world.token.value)
    assert not caught.exists(), caught.read_text()
    assert "hostile" not in run.log
    return run


def outcomes(run: Run) -> list[str]:
    return [run.steps[name].outcome for name in ("gate", "install", "run")]


@pytest.mark.long
def test_a_writers_comment_becomes_one_commit_and_one_review(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        head = h.world.head(pull)
        run = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (run.ok, outcomes(run)) == (True, ["success"] * 3), run.log
        commit = h.world.store.commit(h.world.head(pull))
        assert commit is not None
        assert (commit.parents, commit.signature is None) == ((head,), False)
        assert f"Edit-Blocks-Base: {head}\n" in commit.message + "\n"
        expected = {"app.py": ("100755", b"#!/usr/bin/env python3\na = 2\n"), "other.txt": ("100644", b"\r\n")}
        assert h.world.files(commit.oid) == {"README.md": ("100644", b"# Hello\n"), **expected}
        assert [review.commit_id for review in pull.reviews] == [head]
        assert (run.outputs["result"], run.outputs["commit-sha"], run.outputs["head-sha"]) == (
            "applied",
            commit.oid,
            head,
        )
        assert json.loads(Path(run.outputs["report-path"]).read_text("utf-8"))
        assert [reaction.content for reaction in pull.comments[0].reactions] == ["rocket"]
        assert "Applied 1 edit block" in run.summary


@pytest.mark.long
def test_the_token_is_nowhere_but_in_the_mask(tmp_path: Path) -> None:
    with hub() as h:
        run = act(h, h.comment(pull_request(h), "octocat", FITS), tmp_path)
        token = h.world.token.value
        written = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink()]
        told = [
            path
            for path in written
            if not any(part.startswith("editblocks-site") for part in path.parts)
            and token in path.read_text("utf-8", "replace")
        ]
        assert told == []
        assert [line for line in run.log.split("\n") if token in line] == [f"::add-mask::{token}"]
        assert token not in json.dumps(run.outputs) + run.summary


CARELESS = ("python3 -m pip --version", "python3 -c 'import yaml'", "PYTHONPATH=$PWD python3 -c ''")


@pytest.mark.parametrize("script", CARELESS)
@pytest.mark.long(after=2)
def test_the_traps_catch_a_careless_action(tmp_path: Path, script: str) -> None:
    steps = [{"shell": "bash", "run": f"{script} || true"}]
    tmp_path.joinpath("action.yml").write_text(json.dumps({"runs": {"using": "composite", "steps": steps}}))
    with hub() as h, pytest.raises(AssertionError, match=r"\.py"):
        act(h, h.comment(pull_request(h), "octocat", FITS), tmp_path / "job", root=tmp_path)


READERS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("a reader", "hubot", {}),
    ("mode check", "octocat", {"mode": "check"}),
)


@pytest.mark.parametrize(("author", "inputs"), [row[1:] for row in READERS], ids=[row[0] for row in READERS])
@pytest.mark.long
def test_a_check_writes_a_status_and_nothing_else(tmp_path: Path, author: str, inputs: Mapping[str, str]) -> None:
    with hub() as h:
        pull = pull_request(h)
        head = h.world.head(pull)
        run = act(h, h.comment(pull, author, FITS), tmp_path, inputs)
        assert run.ok, run.log
        assert (h.world.head(pull), len(pull.reviews), run.outputs["commit-sha"]) == (head, 1, "")
        assert not {name for name in h.names if name.startswith(("POST git/", "PATCH git/", "mutation"))}


def test_without_blocks_nothing_is_installed_run_or_asked(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        comment = h.comment(pull, "octocat", FITS)
        quiet = (h.comment(pull, "octocat", "Looks good to me"), events.on_plain_issue(comment))
        for number, event in enumerate(quiet):
            run = act(h, event, tmp_path / str(number))
            assert (run.ok, outcomes(run)) == (True, ["success", "skipped", "skipped"]), run.log
            assert run.outputs["result"] == "nothing"
            assert not list(tmp_path.joinpath(str(number), "temp").glob("editblocks*"))
        assert h.names == []


@pytest.mark.long
def test_a_second_run_of_the_same_event_changes_nothing(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "octocat", FITS)
        act(h, event, tmp_path / "1")
        head = h.world.head(pull)
        again = act(h, event, tmp_path / "2")
        assert again.ok, again.log
        assert (h.world.head(pull), len(pull.reviews)) == (head, 1)
