"""The files of examples/: they are sound, start for what the gate would take, and do what they say."""

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.composite import run_workflow
from support.hub import Event, Hub, events, hub
from support.hub.model import PullRequest
from support.hub.workflows import jobs
from support.planned import planned
from support.project import EXAMPLES, ROOT
from support.settings import CHOICES

from editblocks import Settings
from editblocks.config.policy import policy_from, read_front_matter, read_policy
from editblocks.config.table import FILE_KEYS as KEYS
from editblocks.config.table import INPUTS
from editblocks.parsing.parse import formats_named
from editblocks.repos.stores.memory import MemoryRepo

WORKFLOWS = ("workflow", "organisation", "caller")
SOUND = (*WORKFLOWS, "matrix", "code-scanning", "report-page")
PIN = "[0-9a-f]{40}"


def text_of(name: str) -> str:
    return EXAMPLES.joinpath(name).read_text("utf-8")


def workflow(name: str) -> Any:
    whole = yaml.safe_load(text_of(f"{name}.yml"))
    return {("on" if key is True else key): value for key, value in whole.items()}  # YAML 1.1 reads on as a boolean


ACTION = yaml.safe_load(ROOT.joinpath("action.yml").read_text("utf-8"))


# workflows


def tool(*command: str) -> str:
    """What a checker complains about, nothing if it is content."""
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert program is not None
    done = subprocess.run([program, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


CHECKS = (
    ("zizmor", "--offline", "--persona=auditor"),
    ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
    ("actionlint", "-shellcheck=", "-pyflakes="),  # what else is installed must not count
)


@pytest.mark.parametrize("command", CHECKS, ids=lambda command: command[0])
@pytest.mark.long
def test_the_tools_have_nothing_to_say(command: tuple[str, ...]) -> None:
    assert tool(*command, *(f"examples/{name}.yml" for name in SOUND)) == ""


def test_the_switch_has_a_job_for_each_repository_and_no_rights_of_its_own() -> None:
    (job,) = workflow("matrix")["jobs"].values()
    assert (workflow("matrix")["permissions"], job["permissions"]) == ({}, {})
    app, switch = job["steps"]
    assert re.fullmatch(f"[^@]+@{PIN}", app["uses"])
    assert app["with"]["repositories"] == "${{ matrix.repository }}"
    assert ("${{" in switch["run"], "EDITBLOCKS_DISABLED" in switch["run"]) == (False, True)
    assert "vars.EDITBLOCKS_DISABLED != '1'" in workflow("organisation")["jobs"]["editblocks"]["if"]


def test_an_ignored_finding_says_why() -> None:
    for name in WORKFLOWS:
        ignored = re.findall(r"# zizmor: ignore(\S*) ?(.*)", text_of(f"{name}.yml"))
        reason = ("[dangerous-triggers]", "nothing of the pull request is checked out or run")
        assert ignored == ([] if name == "organisation" else [reason])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_a_workflow_may_do(name: str) -> None:
    whole = workflow(name)
    assert whole["permissions"] == {}
    (job,) = whole["jobs"].values()
    assert job["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert not {"env", "container", "services"} & set(job)
    uses = re.findall(r"uses: (\S+)", text_of(f"{name}.yml"))
    assert all(re.fullmatch(f"[^@]+@{PIN}", each) for each in uses)
    assert "checkout" not in text_of(f"{name}.yml")
    assert "run" not in {key for step in job.get("steps", ()) for key in step}


def test_the_reusable_workflow_is_that_of_one_repository() -> None:
    (one,) = workflow("workflow")["jobs"].values()
    (many,) = workflow("organisation")["jobs"].values()
    same = {"name", "if", "runs-on", "timeout-minutes", "permissions", "concurrency"}
    assert {key: one[key] for key in same} == {key: many[key] for key in same}
    assert one["steps"][-1]["uses"] == many["steps"][-1]["uses"]


def test_inputs_are_those_of_the_action() -> None:
    for name in ("workflow", "organisation"):
        (job,) = workflow(name)["jobs"].values()
        assert set(job["steps"][-1]["with"]) <= set(INPUTS)
    declared = workflow("organisation")["on"]["workflow_call"]["inputs"]
    for name in set(declared) & set(CHOICES):
        assert declared[name]["default"] in ("", *CHOICES[name])
        assert ACTION["inputs"][name]


def test_the_caller_starts_for_what_the_workflow_starts_for() -> None:
    one, caller = workflow("workflow")["on"], workflow("caller")["on"]
    assert {**caller, "workflow_dispatch": one["workflow_dispatch"]} == one


# what starts them: at least what the gate would take

has_work: Callable[..., bool] = runpy.run_path(str(ROOT / "hooks" / "gate.py"))["has_work"]
BLOCK = "app.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
BODIES = (
    *(BLOCK, BLOCK.replace("\n", "\r\n"), "x\n>>>>>>> REPLACE\n", "««« EDIT", "»»» EDIT END", "═══════ REPL"),
    *('<boltAction type="file" filePath="a.py">', "<BOLTACTION", "*** Begin Patch", "🟧🟧🟧 EDIT", "----- SEARCH"),
    *(
        "y\n+++++++ REPLACE",
        "--- a\n+++ b\n@@\n-x\n",
        "```diff title=a.py\n@@\n-x\n```",
        "*** Update File: a.py",
        "*** End Patch",
    ),
    "diff --git a/x b/x\ndeleted file mode 100644",
    *("``` edit:a.py\nx\n```", "~~~edit:a.py\n~~~", "/apply", "/APPLY ready", "/skip 5", "/retry", "/undo"),
    "/edits help",
)
TALK = ("Looks good to me", "Edit: a typo", "> /apply", "a <<<< b", "`x` and\n=======\n", "")


@pytest.fixture(scope="module")
def h() -> Iterator[Hub]:
    with hub() as running:
        yield running


@pytest.fixture(scope="module")
def pull(h: Hub) -> PullRequest:
    pull = h.world.pull_request({"app.py": b"a\n", ".edits/x.md": b"x\n"}, author="monalisa")
    h.world.review(pull, "octocat", "", [("app.py", 1, "?")])
    return pull


Make = Callable[[Hub, PullRequest, str], Event]


def reply(h: Hub, pull: PullRequest, body: str) -> Event:
    return h.reply(pull, "monalisa", body, to=pull.review_comments[0])


SAID: dict[str, Make] = {
    "comment": lambda h, pull, body: h.comment(pull, "monalisa", body),
    "reply": reply,
}
OTHERS: dict[str, Make] = {
    "review": lambda h, pull, _: h.review(pull, "octocat", ""),
    "pull request": lambda h, pull, _: h.pull_event(pull),
    "new head": lambda h, pull, _: h.pull_event(pull, "synchronize"),
    "by hand": lambda h, pull, _: h.dispatch("octocat", pr_number=pull.number, comment_id=7),
}
QUIET: dict[str, Make] = {
    "plain issue": lambda h, pull, _: events.on_plain_issue(h.comment(pull, "monalisa", BLOCK)),
    "begins a thread": lambda h, pull, _: h.review(pull, "octocat", "", [("app.py", 1, BLOCK)]).also[0],
    "push": lambda h, *_: h.push("main", {"b": b""}),
}
EVENTS = [
    *((f"{name}: {body!r}", make, body, True) for name, make in SAID.items() for body in BODIES),
    *((f"{name}: {body!r}", make, body, False) for name, make in SAID.items() for body in TALK),
    *((f"{name}: a suggestion", make, "```suggestion\nx\n```", name == "reply") for name, make in SAID.items()),
    *((name, make, "", True) for name, make in OTHERS.items()),
    *((name, make, "", False) for name, make in QUIET.items()),
]


MORE: dict[str, Any] = {"more": {"steps.app.outputs.token": "", "github.token": "ghs_own"}}


def starts(name: str, event: Event, variables: Mapping[str, str]) -> bool:
    """Whether a job runs that uses the action, in one repository or by way of the organisation's workflow."""
    options: dict[str, Any] = {"changed": [".edits/x.md"], "variables": variables}
    if name == "workflow":
        return any(job.wanted for job in jobs(text_of("workflow.yml"), event, **options))
    calls = jobs(text_of("caller.yml"), event, **options)
    called = (jobs(text_of("organisation.yml"), event, caller=call, variables=variables, **MORE) for call in calls)
    return any(job.wanted for found in called for job in found)


@pytest.mark.parametrize(("claim", "make", "body", "wanted"), EVENTS, ids=[row[0] for row in EVENTS])
@pytest.mark.long(after=2)
def test_what_starts_a_job(h: Hub, pull: PullRequest, *, claim: str, make: Make, body: str, wanted: bool) -> None:
    event = make(h, pull, body)
    assert starts("workflow", event, {}) is wanted, claim
    assert starts("caller", event, {}) is (wanted and claim != "by hand")
    numbers = ("1", "7") if event.name == "workflow_dispatch" else ("", "")
    is_subscribed = event.name != "push"
    assert wanted or not (is_subscribed and has_work(event.name, event.payload, numbers))


@pytest.mark.parametrize("name", ["workflow", "caller"])
def test_one_variable_stops_everything(h: Hub, pull: PullRequest, name: str) -> None:
    event = h.comment(pull, "monalisa", "/apply")
    assert starts(name, event, {"EDITBLOCKS_DISABLED": "0"})
    assert not starts(name, event, {"EDITBLOCKS_DISABLED": "1"})


def test_runs_of_one_pull_request_wait_for_each_other(h: Hub, pull: PullRequest) -> None:
    made = [make(h, pull, "/apply") for make in (*SAID.values(), *OTHERS.values())]
    groups = {job.group for event in made for job in jobs(text_of("workflow.yml"), event, changed=[".edits/x.md"])}
    assert groups == {f"editblocks-{pull.number}"}


def test_what_the_action_gets_by_hand(h: Hub, pull: PullRequest) -> None:
    (job,) = jobs(text_of("workflow.yml"), h.dispatch("octocat", pr_number=pull.number, comment_id=7))
    assert job.uses[-1].inputs == {"pr-number": str(pull.number), "comment-id": "7"}
    (job,) = jobs(text_of("workflow.yml"), h.comment(pull, "monalisa", "/apply"))
    assert job.uses[-1].inputs == {"pr-number": "", "comment-id": ""}


APPS = (
    ("a comment", lambda h, pull: h.comment(pull, "monalisa", "/apply"), True),
    ("a review", lambda h, pull: h.review(pull, "octocat", "x"), True),
    ("a review of a fork", lambda h, _: h.review(fork(h), "hubot", "x"), False),
)


def fork(h: Hub) -> PullRequest:
    return h.world.pull_request({"app.py": b"a\n"}, author="hubot", fork=h.world.fork("hubot"))


@pytest.mark.parametrize(("claim", "make", "has_key"), APPS, ids=[row[0] for row in APPS])
def test_the_organisation_s_app(
    h: Hub, pull: PullRequest, claim: str, make: Callable[[Hub, PullRequest], Event], has_key: bool
) -> None:
    event = make(h, pull)
    (call,) = jobs(text_of("caller.yml"), event)
    more = {"steps.app.outputs.token": "ghs_x" if has_key else "", "github.token": "ghs_own"}
    options: Any = {"variables": {"EDITBLOCKS_CLIENT_ID": "Iv1"}, "more": more}
    (job,) = jobs(text_of("organisation.yml"), event, caller=call, **options)
    assert [use.name.partition("@")[0] for use in job.uses] == [
        *(["actions/create-github-app-token"] if has_key else []),
        "OWNER/editblocks",
    ], claim
    assert job.uses[-1].inputs["token"] == ("ghs_x" if has_key else "ghs_own")
    assert job.uses[-1].inputs["mode"] == "check"


# the whole way: GitHub starts the job, the runner its steps


@pytest.mark.long
def test_a_comment_a_review_and_one_once_more_by_hand(tmp_path: Path) -> None:
    with hub() as h:
        pull = h.world.pull_request({"app.py": b"a\n"}, author="monalisa")
        start = h.world.head(pull)
        checked = h.comment(pull, "hubot", BLOCK)
        wanted = h.review(pull, "octocat", f"/apply of {pull.comments[0].id}")
        again = h.dispatch("octocat", pr_number=pull.number, comment_id=pull.comments[0].id)
        results = []
        for number, event in enumerate((checked, wanted, again)):
            (done,) = run_workflow(ROOT, text_of("workflow.yml"), h=h, event=event, folder=tmp_path / str(number))
            assert done.ok, done.log
            results.append(done.outputs["result"])
        assert results == ["checked", "applied", "applied"]
        assert h.world.store.git("rev-list", "--count", f"{start}..{h.world.head(pull)}").strip() == b"1"
        assert h.world.files(h.world.head(pull))["app.py"][1] == b"b\n"


# the policy


def test_the_policy_shows_every_key_with_its_default() -> None:
    said = read_policy(text_of("editblocks.yml"))
    assert said == {key.replace("-", "_"): getattr(Settings(), key.replace("-", "_")) for key in KEYS}
    policy = policy_from(text_of("editblocks.yml"), None, {}, branch="topic", default_branch="main")
    assert policy == policy_from(None, None, {}, branch="main", default_branch="main")


def test_every_key_of_the_policy_is_told_of_in_a_comment() -> None:
    lines = [line for line in text_of("editblocks.yml").splitlines() if re.match("[a-z]", line)]
    assert len(lines) == len(KEYS)
    assert all(re.fullmatch(r"[a-z-]+: .+ # .+", line) for line in lines)


def test_every_choice_of_the_policy_is_named() -> None:
    for key, choices in CHOICES.items():
        line = re.search(rf"^{key}: .*$", text_of("editblocks.yml"), re.MULTILINE)
        assert line is not None
        assert all(word in line[0] for word in choices)


def test_every_setting_is_a_key_or_an_input() -> None:
    names = {name.replace("_", "-") for name in Settings._fields} - {"input-paths"}
    assert names == set(KEYS) | set(INPUTS)


# the response file

CART = b"""from shop.items import Item


class Cart:
    def total(self):
        return sum(item.price for item in self.items)
"""


def test_the_response_file_applies() -> None:
    response = text_of("response.md")
    front = read_front_matter(response, ".edits/cart-total.md")
    assert front is not None
    assert (front.title, front.format, front.base) == ("Count the tax in", "diff-fenced", None)
    repo = MemoryRepo({"src/cart.py": CART})
    result = planned(response[front.length :], repo.read, entries=repo.entries, formats=formats_named(["diff-fenced"]))
    assert [(row.status.value, row.operation) for row in result.results] == [
        ("applied", "modify"),
        ("applied", "insert"),
        ("applied", "create"),
    ]
    assert set(result.contents) == {"src/cart.py", "tests/test_cart.py"}
    assert b"from shop.tax import tax\n" in (result.contents["src/cart.py"] or b"")
    assert b"return net + tax(net)\n" in (result.contents["src/cart.py"] or b"")


BEFORE = {
    "src/cart.py": CART,
    "src/vat.py": b"def vat(net):\n    return net * 19 // 100\n",
    "src/old_rates.py": b"BASE = 16\n",
}


PATCH_ORDER = ["insert", "modify", "rename", "modify", "delete-file", "create"]
WITHOUT_MOVES = ["insert", "modify", "create"]
IN_FORMS = {"v4a": PATCH_ORDER, "unified": PATCH_ORDER, "cline": WITHOUT_MOVES, "roo": WITHOUT_MOVES}


def test_there_is_a_response_of_each_form() -> None:
    assert {path.stem for path in (EXAMPLES / "responses").iterdir()} == set(IN_FORMS)


@pytest.mark.parametrize("form", IN_FORMS)
def test_a_response_of_each_form_is_applied(form: str) -> None:
    response = text_of(f"responses/{form}.md")
    front = read_front_matter(response, f".edits/{form}.md")
    assert front is not None
    assert front.format == form
    repo = MemoryRepo(BEFORE)
    result = planned(response[front.length :], repo.read, entries=repo.entries, formats=formats_named([form]))
    rows = [(row.status.value, row.operation) for row in result.results]
    assert rows == [("applied", operation) for operation in IN_FORMS[form]]
    after = {path: data for path, data in {**BEFORE, **result.contents}.items() if data is not None}
    moved = {"src/shop/tax.py": b"def tax(net):\n    return net * 19 // 100\n"}
    stays = {path: BEFORE[path] for path in ("src/vat.py", "src/old_rates.py")}
    assert after == {
        **(moved if "rename" in IN_FORMS[form] else stays),
        "src/cart.py": CART.replace(b"Item\n", b"Item\nfrom shop.tax import tax\n", 1).replace(
            b"return sum(item.price for item in self.items)",
            b"net = sum(item.price for item in self.items)\n        return net + tax(net)",
        ),
        "tests/test_cart.py": (
            b"from shop.cart import Cart\n\n\ndef test_the_tax_counts():\n    assert Cart([100]).total() == 119\n"
        ),
    }
