"""The real action.yml, step by step in bash, against the hub: what a runner would see.

What `hub/test_real_action.py` shows as well is for the long profile.
"""

from pathlib import Path

import pytest
from support.actionkit import APP_NEW, FITS, payload, pull_request
from support.composite import Run, run_action
from support.hub import Event, Hub, hub
from support.hub.events import on_plain_issue
from support.project import ROOT

CANARY = "raise SystemExit('a module of the workspace was imported')\n"
MODULES = ("yaml", "github", "requests", "json", "editblocks", "pip", "sitecustomize", "usercustomize", "encodings",
           "typing", "ssl", "git")  # fmt: skip


def act(h: Hub, event: Event, tmp_path: Path, **inputs: str) -> Run:
    return run_action(ROOT, environ=h.job_env(event, tmp_path), inputs=inputs, token=h.world.token.value)


def outcomes(run: Run) -> dict[str, str]:
    return {name: step.outcome for name, step in run.steps.items()}


@pytest.mark.long
def test_a_writers_comment(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        run = act(h, h.comment(pull, "monalisa", FITS), tmp_path)
        assert outcomes(run) == {"gate": "success", "install": "success", "run": "success"}, run.log
        assert (run.outputs["result"], run.outputs["commit-sha"]) == ("applied", h.world.head(pull))
        assert h.world.files(h.world.head(pull))["app.py"] == ("100755", APP_NEW)
        assert [command.name for command in run.commands] == ["add-mask"]
        assert "Applied 1 edit block" in run.summary
        assert len(pull.reviews) == 1


@pytest.mark.long
def test_a_readers_comment(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        before = h.world.head(pull)
        run = act(h, h.comment(pull, "hubot", FITS), tmp_path, mode="apply", partial="true")
        assert (run.ok, run.outputs["result"], h.world.head(pull)) == (True, "checked", before)
        assert [name for name in h.names if "git/" in name or "mutation" in name] == []
        assert len(pull.reviews) == 1


@pytest.mark.parametrize("body", [pytest.param("Looks good to me", marks=pytest.mark.long), "a <<<< b"])
def test_a_comment_without_blocks(tmp_path: Path, body: str) -> None:
    with hub() as h:
        run = act(h, h.comment(pull_request(h), "monalisa", body), tmp_path)
        assert outcomes(run) == {"gate": "success", "install": "skipped", "run": "skipped"}
        assert (run.outputs["result"], h.names) == ("nothing", [])
        assert not list((tmp_path / "temp").glob("editblocks*"))


@pytest.mark.long
def test_a_comment_on_a_plain_issue(tmp_path: Path) -> None:
    with hub() as h:
        run = act(h, on_plain_issue(h.comment(pull_request(h), "monalisa", FITS)), tmp_path)
        assert (run.outputs["result"], run.steps["install"].outcome) == ("nothing", "skipped")


@pytest.mark.long
def test_nothing_of_the_workspace_is_imported_or_run(tmp_path: Path) -> None:
    """The workspace holds whatever the pull request holds: here a module for everything that we import."""
    with hub() as h:
        environ = h.job_env(h.comment(pull_request(h), "monalisa", FITS), tmp_path)
        for folder in ("workspace", "temp"):
            for name in MODULES:
                (tmp_path / folder / f"{name}.py").write_text(CANARY, "utf-8")
                package = tmp_path / folder / name
                package.mkdir(exist_ok=True)
                (package / "__init__.py").write_text(CANARY, "utf-8")
                (package / "__main__.py").write_text(CANARY, "utf-8")
        hostile = {
            "PYTHONPATH": str(tmp_path / "workspace"),
            "PYTHONSTARTUP": str(tmp_path / "workspace" / "json.py"),
            "PYTHONHOME": "",
            "HOME": str(tmp_path / "workspace"),
        }
        run = run_action(ROOT, environ={**environ, **hostile}, token=h.world.token.value)
        assert (run.ok, run.outputs["result"]) == (True, "applied"), run.log


@pytest.mark.long
def test_packages_that_were_there_before_are_not_imported(tmp_path: Path) -> None:
    """Another step of the job, or of an earlier job on the same machine, left a folder under our name."""
    with hub() as h:
        environ = h.job_env(h.comment(pull_request(h), "monalisa", FITS), tmp_path)
        for name in MODULES:
            package = tmp_path / "temp" / "editblocks-site" / name
            package.mkdir(parents=True)
            (package / "__init__.py").write_text(CANARY, "utf-8")
        run = run_action(ROOT, environ=environ, token=h.world.token.value)
        assert (run.ok, run.outputs["result"]) == (True, "applied"), run.log


@pytest.mark.long
def test_a_wrong_input_fails_the_job_before_any_request(tmp_path: Path) -> None:
    with hub() as h:
        run = act(h, h.comment(pull_request(h), "monalisa", FITS), tmp_path, mode="aply")
        assert (outcomes(run)["run"], h.names) == ("failure", [])
        assert [command.message for command in run.commands if command.name == "error"] == [
            "bad-config: input `mode` is `aply`; did you mean apply?"
        ]
        assert run.outputs["result"] == "refused"


def test_a_dangerous_event_fails_in_the_gate(tmp_path: Path) -> None:
    with hub() as h:
        event = h.comment(pull_request(h), "monalisa", FITS)
        environ = h.job_env(event, tmp_path) | {"GITHUB_EVENT_NAME": "pull_request_target"}
        run = run_action(ROOT, environ=environ, token=h.world.token.value)
        assert outcomes(run) == {"gate": "failure", "install": "skipped", "run": "skipped"}


@pytest.mark.long
def test_a_comment_full_of_commands_gives_none(tmp_path: Path) -> None:
    """Path, text and login go through the log, the outputs and the summary."""
    body = FITS + "\n::set-output name=result::x\n##[error]x\n::add-path::/tmp\n\x1b[31m ::error::y\r::error::z\n"
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "monalisa", body + "::error::a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n")
        assert payload(event)["comment"]["body"].count("::error::") == 3
        run = act(h, event, tmp_path)
        assert [command.name for command in run.commands] == ["add-mask"]
        assert run.outputs["result"] == "failed"
