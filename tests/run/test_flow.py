"""The flow without a server: what a plan calls for, who is asked when, and what a lost race comes to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, UNCLOSED, block

from editblocks.applying.engine import Options, apply_response
from editblocks.core.codes import ReasonCode, State
from editblocks.core.digests import block_key, response_digest
from editblocks.core.errors import EditBlocksError, HeadMoved, Refused, RepoError, SelfCheckFailed, UnreadableFile
from editblocks.core.outcome import Origin, Outcome, Part, Refusal, Response, Source, WrittenFile
from editblocks.core.selection import Selection, unselected_rows
from editblocks.core.settings import Settings
from editblocks.parsing.parse import parse_response
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest, Repo, decide, run, settle

HEAD = "0123456789abcdef0123456789abcdef01234567"
URL = "https://github.com/octocat/Hello-World/pull/1#issuecomment-"
BOTH = f"{FITS}\n{FAILS}"
DONE = "Nothing here.\n"


@dataclass
class Listener:
    """A host that answers from a list and remembers what it was asked and told."""

    texts: tuple[str, ...] = (FITS,)
    refusals: list[Refusal | EditBlocksError | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def responses(self) -> Iterable[Response]:
        for number, text in enumerate(self.texts, 1):
            source = f"issuecomment-{number}"
            yield Response(text, Source(source, "comment", uri=f"{URL}{number}", author="octocat"))

    def refusal(self, response: Response) -> Refusal | None:
        self.asked.append(response.source.id)
        answer = self.refusals.pop(0) if self.refusals else None
        if isinstance(answer, EditBlocksError):
            raise answer
        return answer

    def publish(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


class Troubled(MemoryRepo):
    """A store that raises what it was given, once per write, before it writes."""

    def __init__(self, *troubles: EditBlocksError, at: str = "write") -> None:
        super().__init__({"app.py": APP}, head=HEAD)
        self.troubles = list(troubles)
        self.step = at

    def _trouble(self, at: str) -> None:
        if self.step == at and self.troubles:
            raise self.troubles.pop(0)

    def read(self, path: str) -> bytes | None:
        self._trouble("read")
        return super().read(path)

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        self._trouble("write")
        return super().write(contents, message, modes, origin)


def serve(
    host: Listener,
    open_repo: Callable[[], Repo],
    settings: Settings,
    *,
    sleep: Callable[[float], None],
    select: Selection | None = None,
) -> list[Outcome]:
    """Settle every response of a host, and tell it."""
    for response in host.responses():
        partly = settings.partial or select is not None
        request = ApplyRequest(response, settings, select, allow_partial=partly)
        host.publish(settle(request, host.refusal, open_repo, sleep=sleep, target="acme/shop"))
    return host.outcomes


def no_sleep(seconds: float) -> None:
    raise AssertionError(f"nobody was to wait {seconds} seconds")


def repo(data: bytes = APP) -> MemoryRepo:
    return MemoryRepo({"app.py": data}, head=HEAD)


PLANS: list[tuple[str, str, Settings, State]] = [
    ("what fits", FITS, Settings(), State.APPLIED),
    ("what fits, to be checked", FITS, Settings(mode="check"), State.CHECKED),
    ("what does not fit", FAILS, Settings(), State.FAILED),
    ("what does not fit, in part", FAILS, Settings(partial=True), State.FAILED),
    ("some of it", BOTH, Settings(), State.FAILED),
    ("some of it, in part", BOTH, Settings(partial=True), State.PARTIAL),
    ("some of it, in part, to be checked", BOTH, Settings(partial=True, mode="check"), State.FAILED),
    ("what cannot be read", UNCLOSED, Settings(), State.FAILED),
    ("words", DONE, Settings(), State.NOTHING),
    ("no words", "", Settings(), State.NOTHING),
    ("what says nothing new", block("app.py", "    return result", "    return result"), Settings(), State.NOTHING),
]


@pytest.mark.parametrize(("claim", "text", "settings", "state"), PLANS, ids=[row[0] for row in PLANS])
def test_decide(claim: str, text: str, settings: Settings, state: State) -> None:
    result = apply_response(text, {"app.py": APP}.get, settings=settings)
    assert decide(result, writes=settings.mode == "apply", allow_partial=settings.partial) is state, claim


def test_run_plans_and_writes_nothing() -> None:
    files = repo()
    result = run(Response(FITS, Source("text", "text")), files, Settings())
    assert (dict(result.contents), files.files, files.commits) == ({"app.py": APP_NEW}, {"app.py": APP}, [])


def test_serve_writes_once_and_says_so() -> None:
    host, files = Listener(), repo()
    outcomes = serve(host, lambda: files, Settings(commit_prefix="fix: "), sleep=no_sleep)
    assert outcomes == host.outcomes
    assert (outcomes[0].state, outcomes[0].head, outcomes[0].written) == (State.APPLIED, HEAD, True)
    assert (outcomes[0].commit, files.files) == (files.commits[0][2], {"app.py": APP_NEW})
    message = files.commits[0][1]
    assert message.startswith("fix: Apply 1 edit block\n\n")
    assert f"Edit-Blocks-Source: {URL}1\n" in message
    assert f"Edit-Blocks-Base: {HEAD}\n" in message


@pytest.mark.parametrize("text", [FAILS, UNCLOSED, BOTH, DONE])
def test_nobody_is_asked_where_nothing_is_to_be_written(text: str) -> None:
    host, files = Listener((text,)), repo()
    serve(host, lambda: files, Settings(), sleep=no_sleep)
    assert (host.asked, files.commits, len(host.outcomes)) == ([], [], 1)


REFUSALS: list[tuple[ReasonCode, str, State]] = [
    (ReasonCode.NOT_PERMITTED, FITS, State.CHECKED),
    (ReasonCode.NOT_PERMITTED, BOTH, State.FAILED),
    (ReasonCode.SOURCE_EDITED, FITS, State.STALE),
    (ReasonCode.HEAD_MOVED, FITS, State.STALE),
    (ReasonCode.FORK, FITS, State.REFUSED),
    (ReasonCode.BRANCH_REFUSED, FITS, State.REFUSED),
    (ReasonCode.CLOSED, FITS, State.REFUSED),
]


@pytest.mark.parametrize(("code", "text", "state"), REFUSALS)
def test_a_refusal_stops_the_write(code: ReasonCode, text: str, state: State) -> None:
    refusal = Refusal(code, "no")
    host, files = Listener((text,), [refusal]), repo()
    (outcome,) = serve(host, lambda: files, Settings(partial=True), sleep=no_sleep)
    assert (outcome.state, outcome.refusal, outcome.commit, outcome.written) == (state, refusal, None, False)
    assert files.commits == []


TROUBLES: list[tuple[EditBlocksError, State, ReasonCode]] = [
    (Refused("a rule"), State.REFUSED, ReasonCode.PUBLISH_FAILED),
    (Refused("a branch", ReasonCode.CLOSED), State.REFUSED, ReasonCode.CLOSED),
    (Refused("the text", ReasonCode.SOURCE_EDITED), State.STALE, ReasonCode.SOURCE_EDITED),
    (SelfCheckFailed("a bug"), State.REFUSED, ReasonCode.SELF_CHECK),
    (RepoError("a disk"), State.REFUSED, ReasonCode.UNAVAILABLE),
]


@pytest.mark.parametrize("at", ["read", "write"])
@pytest.mark.parametrize(("trouble", "state", "code"), TROUBLES, ids=[row[0].message for row in TROUBLES])
def test_what_stops_a_response_is_its_outcome(
    trouble: EditBlocksError, state: State, code: ReasonCode, at: str
) -> None:
    files = Troubled(trouble, at=at)
    host = Listener((FITS, FITS))
    first, second = serve(host, lambda: files, Settings(), sleep=no_sleep)
    assert (first.state, first.refusal) == (state, Refusal(code, trouble.message))
    assert (second.state, len(files.commits)) == (State.APPLIED, 1)


MOVED = HeadMoved("moved")
RACES: list[tuple[str, int, list[float], State]] = [
    ("never", 0, [], State.APPLIED),
    ("once", 1, [1.0], State.APPLIED),
    ("twice", 2, [1.0, 3.0], State.APPLIED),
    ("every time", 3, [1.0, 3.0], State.STALE),
]


@pytest.mark.parametrize("by_host", [False, True], ids=["seen by the repository", "seen by the host"])
@pytest.mark.parametrize(("claim", "times", "waits", "state"), RACES, ids=[row[0] for row in RACES])
def test_a_branch_that_moves(claim: str, times: int, waits: list[float], state: State, by_host: bool) -> None:
    files = Troubled(*([] if by_host else [MOVED] * times))
    host, opened = Listener(refusals=[MOVED] * times if by_host else []), [0]
    slept: list[float] = []

    def open_repo() -> MemoryRepo:
        opened[0] += 1
        return files

    (outcome,) = serve(host, open_repo, Settings(), sleep=slept.append)
    assert (outcome.state, slept, opened[0]) == (state, waits, min(times + 1, 3)), claim
    assert len(host.asked) == opened[0]  # permission and text are looked at again, every time
    refusal = Refusal(ReasonCode.HEAD_MOVED, "moved") if state is State.STALE else None
    assert outcome.refusal == refusal


class Pushed(MemoryRepo):
    """A store into which somebody pushes a line right before the first write."""

    def write(
        self,
        contents: Mapping[str, bytes | None],
        message: str,
        modes: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> str | None:
        if not self.files["app.py"].startswith(b"# first"):
            self.push({"app.py": b"# first\n" + APP})
        return super().write(contents, message, modes, origin)


def test_every_block_is_planned_again_on_the_new_head() -> None:
    files = Pushed({"app.py": APP}, head=HEAD)
    (outcome,) = serve(Listener(), lambda: files, Settings(), sleep=lambda _: None)
    assert (outcome.state, files.files["app.py"]) == (State.APPLIED, b"# first\n" + APP_NEW)
    assert [row.estimated_line for row in outcome.result.results] == [2]


def test_an_equal_run_that_was_faster_is_known_after_the_lost_race() -> None:
    """Both planned the same blocks. The second plan reads the records again, so it knows what the other run wrote."""
    known: list[WrittenFile] = []

    class Overtaken(Pushed):
        def push(self, contents: Mapping[str, bytes | None]) -> None:
            super().push({**contents, "app.py": APP_NEW})
            [fits] = parse_response(FITS).blocks
            known.append(WrittenFile("app.py", APP_NEW, {block_key(fits): "day-1"}))

    files = Overtaken({"app.py": APP}, head=HEAD)
    request = ApplyRequest(Response(FITS), Settings(mode="apply"), written=lambda: known)
    outcome = settle(request, None, lambda: files, sleep=lambda _: None)
    assert (outcome.state, len(known)) == (State.NOTHING, 1)
    assert "was written by apply day-1" in (outcome.result.results[0].reason or "")


def test_each_response_has_its_own_outcome() -> None:
    second = block("app.py", "def total(items):\n    result = sum(items)", "def total(items):\n    result = max(items)")
    files = repo()
    outcomes = serve(Listener((FITS, FAILS, second)), lambda: files, Settings(), sleep=no_sleep)
    assert [outcome.state for outcome in outcomes] == [State.APPLIED, State.FAILED, State.APPLIED]
    assert (len(files.commits), b"max(items)" in files.files["app.py"]) == (2, True)
    assert outcomes[2].head == outcomes[0].commit


# what a model is asked for again

ASKING: list[tuple[str, str, Settings, str | None, tuple[int, ...]]] = [
    ("what fits", FITS, Settings(), None, ()),
    ("words", DONE, Settings(), None, ()),
    ("what does not fit", FAILS, Settings(), None, (1,)),
    ("what cannot be read", UNCLOSED, Settings(), None, (1,)),
    ("some of it, in part", BOTH, Settings(partial=True), None, (2,)),
    ("what fits, chosen", BOTH, Settings(), "1", ()),
    ("what does not fit, chosen", BOTH, Settings(), "2", (2,)),
    ("what cannot be read, not chosen", f"{FAILS}\n{UNCLOSED}", Settings(), "1", (1,)),
    ("what no block may do", block(".git/config", "a", "b"), Settings(), None, ()),
]


@pytest.mark.parametrize(("claim", "text", "settings", "chosen", "asked"), ASKING, ids=[row[0] for row in ASKING])
def test_a_prompt_asks_for_the_chosen_blocks_that_failed(
    claim: str, text: str, settings: Settings, chosen: str | None, asked: tuple[int, ...]
) -> None:
    select = None if chosen is None else Selection.read(chosen)
    (outcome,) = serve(Listener((text,)), repo, settings, sleep=no_sleep, select=select)
    assert outcome.retry_blocks == asked, claim
    hopeless = "git" in text
    assert bool(outcome.retry_prompt) is (bool(asked) or hopeless)
    assert outcome.ok is (not outcome.retry_prompt and text != DONE)
    if asked:
        assert f"could not be applied to acme/shop at {HEAD[:7]}.\n" in outcome.retry_prompt
        assert outcome.retry_prompt.endswith("\n\nAnswer with the corrected blocks only, in the same form as before.")
    elif hopeless:
        assert "\n\nDo not try again:\n- Block 1, .git/config, unsafe-path" in outcome.retry_prompt


class Forgetful(MemoryRepo):
    """A store that fails when a file is read once more."""

    def __init__(self, trouble: EditBlocksError) -> None:
        super().__init__({"app.py": APP}, head=HEAD)
        self.trouble, self.reads = trouble, 0

    def read(self, path: str) -> bytes | None:
        self.reads += path == "app.py"
        if self.reads > 1:
            raise self.trouble
        return super().read(path)


@pytest.mark.parametrize("trouble", [RepoError("a disk"), HeadMoved("moved")])
def test_a_file_that_cannot_be_read_again_changes_no_verdict(trouble: EditBlocksError) -> None:
    files = Forgetful(trouble)
    (outcome,) = serve(Listener((FAILS,)), lambda: files, Settings(), sleep=no_sleep)
    assert (outcome.state, outcome.refusal, outcome.retry_prompt, outcome.retry_blocks) == (State.FAILED, None, "", ())
    assert files.reads == 2
    unreadable = Forgetful(UnreadableFile(ReasonCode.NOT_A_FILE, "app.py is a link"))
    (outcome,) = serve(Listener((FAILS,)), lambda: unreadable, Settings(), sleep=no_sleep)
    assert (outcome.state, outcome.retry_blocks, "return result" in outcome.retry_prompt) == (State.FAILED, (1,), False)


def test_a_prompt_outlasts_a_refusal() -> None:
    host = Listener((BOTH,), [Refusal(ReasonCode.NOT_PERMITTED, "no")])
    (outcome,) = serve(host, repo, Settings(partial=True), sleep=no_sleep)
    assert (outcome.state, outcome.retry_blocks) == (State.FAILED, (2,))


CHOSEN: list[tuple[str, str, str, bool, State]] = [
    ("what fits", "apply", "1", True, State.PARTIAL),
    ("what fits, to be checked", "check", "1", True, State.CHECKED),
    ("what does not fit", "apply", "2", True, State.FAILED),
    ("one of each, for what is ready", "apply", "1-2", True, State.PARTIAL),
    ("one of each, all or nothing", "apply", "1-2", False, State.FAILED),
    ("what fits, all or nothing of it", "apply", "1", False, State.PARTIAL),
    ("what already exists, and others are not", "apply", "3", True, State.CHECKED),
    ("what already exists, to be checked", "check", "3", True, State.CHECKED),
]


@pytest.mark.parametrize(("claim", "mode", "chosen", "partly", "state"), CHOSEN, ids=[row[0] for row in CHOSEN])
def test_decide_by_what_was_chosen(claim: str, mode: str, chosen: str, partly: bool, state: State) -> None:
    text = f"{BOTH}\n{block('app.py', '    return result', '    return result')}"
    settings, select = Settings(mode=mode), Selection.read(chosen)
    result = run(Response(text, Source("text", "text")), repo(), settings, Options(select))
    unchosen = unselected_rows(result, select)
    assert decide(result, writes=mode == "apply", allow_partial=partly, unchosen=unchosen) is state, claim


# a response of several texts

PARTS = [Part(7, block("app.py", "    return result", "    return total"), None), Part(3, "See:\r\n", None)]


def test_the_texts_of_a_review_are_one_response_and_no_block_goes_over_an_edge() -> None:
    cut = "<<<<<<< SEARCH\n    result = 0\n"
    parts = [*PARTS, Part(9, block("", "a = 1", "a = 2").lstrip("\n"), "other.py"), Part(8, f"app.py\n{cut}", None)]
    response = Response.of(parts, Source("pullrequestreview-1", "review"))
    result = run(response, MemoryRepo({"app.py": APP, "other.py": b"a = 1\n"}), Settings())
    assert [part.id for part in response.parts] == [3, 7, 8, 9]
    assert [(row.block.number, row.file_path, row.ok) for row in result.results] == [
        (1, "app.py", True),
        (3, "other.py", True),
    ]
    (broken,) = result.problems
    lines = response.text.split("\n")
    assert (broken.number, broken.code, lines[broken.line_number - 1]) == (2, ReasonCode.UNCLOSED, "<<<<<<< SEARCH")
    assert lines[result.results[1].block.line_number - 1] == "<<<<<<< SEARCH"


def test_what_an_approval_is_bound_to() -> None:
    source = Source("pullrequestreview-1", "review")
    whole, moved = Response.of(PARTS, source), Response.of([PARTS[0]._replace(id=8), PARTS[1]], source)
    assert response_digest(whole) == response_digest(Response.of(PARTS[::-1], source))
    assert len(set(map(response_digest, (whole, moved, Response(whole.text, source))))) == 3
    file = Response("x", Source("file-0123456789abcdef", "file", path=".edits/a.md"), blob="1" * 40)
    assert response_digest(file) == sha256(f".edits/a.md\n{'1' * 40}".encode()).hexdigest()


def test_more_rows_than_any_policy_allows_are_one() -> None:
    result = run(Response("<<<<<<< SEARCH\n" * 2_001, Source("text", "text")), repo(), Settings())
    assert [row.code for row in result.problems] == [ReasonCode.TOO_LARGE]
    assert result.results == ()


def test_how_far_planning_is() -> None:
    heard: list[tuple[int, int]] = []
    for text in (f"{FITS}\n{UNCLOSED}", DONE):
        apply_response(text, repo(), None, Options(progress=lambda *row: heard.append(row)))
    assert heard == [(0, 2), (1, 2), (2, 2), (0, 0)]


@pytest.mark.parametrize("commits", [True, False])
def test_only_a_commit_has_a_message(commits: bool) -> None:
    files = repo()
    settle(ApplyRequest(Response(FITS), Settings(mode="apply")), None, lambda: files, commits=commits)
    (_, message, _) = files.commits[0]
    assert bool(message) is commits
