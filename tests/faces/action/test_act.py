"""The workflows as a runner runs them that is not ours: act ends each scenario as our own runner does, to the byte.

Each scenario is set up twice, in worlds that are alike to the last id. Compared are the branch, everything that was
said, the outputs and the summary.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import scenes
from support.act_runner import ACTION, Ended, copy_of_the_action, run_with_act, run_with_composite
from support.actionkit import APP, FAILS, FITS, act, block, pull_request
from support.filecases import A, opened
from support.hub import Hub, events, hub
from support.hub.model import Rule
from support.pages import fences, read
from support.scenes import Left, Stage

WORKFLOW = read("examples/workflow.yml")
[README] = [text for text in fences(read("README.md"), "yaml") if "jobs:" in text]
# act does not know "$/.", the action of this very commit.
OWN = read(".github/workflows/editblocks.yml").replace("uses: $/.", f"uses: {ACTION}")
ON_PUSH = WORKFLOW.replace("  pull_request:\n", "  push:\n")

SetUp = Callable[[Hub, Path], Stage]


class Scenario(NamedTuple):
    """What happens on a pull request, the workflow that sees it, and the `result` that it ends with."""

    set_up: SetUp
    result: str
    workflow: str = WORKFLOW
    ok: bool = True
    variables: Mapping[str, str] = {}


def comment(author: str, body: str, **options: Any) -> SetUp:
    """Somebody comments on a pull request of monalisa's."""

    def set_up(h: Hub, folder: Path) -> Stage:
        pull = pull_request(h, {"app.py": APP}, **options)
        return Stage(h, pull, h.comment(pull, author, body), folder)

    return set_up


def command(author: str, body: str, source: str = FITS, meanwhile: Callable[[Hub], object] | None = None) -> SetUp:
    """Somebody gives a command after a reader's blocks were checked."""

    def set_up(h: Hub, folder: Path) -> Stage:
        pull = pull_request(h, {"app.py": APP, "other.py": scenes.OTHER})
        act(h, h.comment(pull, "hubot", source), folder)
        if meanwhile is not None:
            meanwhile(h)
        return Stage(h, pull, h.comment(pull, author, body), folder)

    return set_up


def closes(h: Hub) -> None:
    h.world.pull_requests[-1].state = "closed"


def pushes(h: Hub) -> None:
    h.world.push(h.world.pull_requests[-1], {"app.py": b"something else\n"})


def protects(h: Hub) -> None:
    h.world.repository.protection[h.world.pull_requests[-1].head_ref] = Rule()


def fork(h: Hub, folder: Path) -> Stage:
    """A writer comments on a pull request from a fork."""
    pull = pull_request(h, author="hubot", fork=h.world.fork("hubot"))
    return Stage(h, pull, h.comment(pull, "octocat", FITS), folder)


def review_of_a_fork(h: Hub, folder: Path) -> Stage:
    """Such an event comes with a token that only reads."""
    pull = pull_request(h, author="hubot", fork=h.world.fork("hubot"))
    return Stage(h, pull, h.review(pull, "octocat", FITS), folder)


def policy(text: bytes, body: str = FITS) -> SetUp:
    """A comment under a `.editblocks.yml`."""

    def set_up(h: Hub, folder: Path) -> Stage:
        h.world.commit({".editblocks.yml": text}, "Policy")
        return comment("octocat", body)(h, folder)

    return set_up


def response_file(text: str, action: str = "opened") -> SetUp:
    """A pull request with a response file."""

    def set_up(h: Hub, folder: Path) -> Stage:
        pull = opened(h, text)
        return Stage(h, pull, h.pull_event(pull, action, before=h.world.head(pull)), folder)

    return set_up


def push(text: str) -> SetUp:
    """A response file is pushed to the branch of a pull request."""

    def set_up(h: Hub, folder: Path) -> Stage:
        pull = opened(h)
        return Stage(h, pull, h.push(pull.head_ref, {A: text.encode()}), folder)

    return set_up


def by_hand(h: Hub, folder: Path) -> Stage:
    """A run that never was is started by hand."""
    pull = pull_request(h)
    said = h.world.say(pull, "octocat", FITS)
    return Stage(h, pull, h.dispatch("octocat", pr_number=pull.number, comment_id=said.id), folder)


def plain_issue(h: Hub, folder: Path) -> Stage:
    stage = comment("octocat", FITS)(h, folder)
    stage.event = events.on_plain_issue(stage.event)
    return stage


HIDDEN = f"Thanks!\n\n<!--\n{FITS}\n-->\n"
WORKFLOW_FILE = block(".github/workflows/ci.yml", "on: push", "on: pull_request")
TWICE = "app.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"

SCENARIOS: dict[str, Scenario] = {
    # events
    "a comment": Scenario(scenes.comment, "applied"),
    "a comment, by the workflow of the README": Scenario(scenes.comment, "applied", README),
    "a comment, by the workflow of this repository": Scenario(scenes.comment, "applied", OWN),
    "a review with comments on lines": Scenario(scenes.review, "applied"),
    "an answer in a thread": Scenario(scenes.reply, "applied"),
    "a pull request with a response file": Scenario(response_file(FITS), "applied"),
    "a pushed response file": Scenario(push(FITS), "applied", ON_PUSH),
    "by hand": Scenario(by_hand, "applied"),
    "a comment of a reader": Scenario(comment("hubot", FITS), "checked"),
    "talk": Scenario(comment("octocat", "Looks good to me."), ""),
    "talk, by the workflow of the README": Scenario(comment("octocat", "Looks good to me."), "nothing", README),
    "a comment on an issue": Scenario(plain_issue, ""),
    "a comment while everything is stopped": Scenario(scenes.comment, "", variables={"EDITBLOCKS_DISABLED": "1"}),
    # commands
    "/apply": Scenario(scenes.apply, "applied"),
    "/apply, by the workflow of the README": Scenario(scenes.apply, "applied", README),
    "/skip": Scenario(scenes.skip, "checked"),
    "/retry": Scenario(scenes.retry, "checked"),
    "/undo": Scenario(scenes.undo, "applied"),
    "/edits help": Scenario(scenes.help_, "nothing"),
    "/edits help in a thread": Scenario(scenes.help_in_thread, "nothing"),
    # refusals
    "a block that fails": Scenario(scenes.fails, "failed"),
    "a block that fails in a review": Scenario(scenes.review_fails, "failed"),
    "a response file that fails": Scenario(response_file(FAILS), "failed", ok=False),
    "a fork": Scenario(fork, "refused"),
    "a fork and a token that only reads": Scenario(review_of_a_fork, "refused"),
    "a command of a reader": Scenario(command("hubot", "/apply"), "refused"),
    "a workflow file": Scenario(comment("octocat", WORKFLOW_FILE), "failed"),
    "a denied path": Scenario(policy(b"deny-paths: [app.py]\n"), "failed"),
    "a text that was edited": Scenario(scenes.edited, "stale"),
    "a file that changed": Scenario(command("octocat", "/apply", meanwhile=pushes), "failed"),
    "a closed pull request": Scenario(command("octocat", "/apply", meanwhile=closes), "nothing"),
    "a protected branch": Scenario(command("octocat", "/apply", meanwhile=protects), "refused"),
    "an undo with a conflict": Scenario(scenes.conflict, "stale"),
    "a hidden block": Scenario(comment("octocat", HIDDEN), "failed"),
    "a policy that cannot be read": Scenario(policy(b"mode: always\n"), "refused", ok=False),
    "mode: check": Scenario(policy(b"mode: check\n"), "checked"),
}


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_the_action(tmp_path_factory.mktemp("act") / "action")


def played(scenario: Scenario, run: Callable[..., Ended], folder: Path, **options: Any) -> tuple[Ended, str, Left]:
    """A scenario in a world of its own: how the run ended, where the branch is, and what was said."""
    with hub() as h:
        stage = scenario.set_up(h, folder / "before")
        event, head = stage.event, stage.pull.head_ref
        changed, variables = [A], scenario.variables
        ended = run(scenario.workflow, h, event, folder / "run", changed=changed, variables=variables, **options)
        # The report lies in a folder of each runner.
        outputs = {name: value for name, value in ended.outputs.items() if name != "report-path" and value}
        return ended._replace(outputs=outputs), h.world.branch(head, stage.pull.head_repository) or "", stage.left()


@pytest.mark.long
@pytest.mark.table(parts=2)
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS.keys())
def test_act_ends_as_our_runner_does(scenario: Scenario, action: Path, tmp_path: Path) -> None:
    ours = played(scenario, run_with_composite, tmp_path / "ours")
    assert (ours[0].outputs.get("result", ""), ours[0].ok) == (scenario.result, scenario.ok)
    assert played(scenario, run_with_act, tmp_path / "act", action=action) == ours
