"""An earlier commit on GitHub: what is asked for, what counts as the history of the head, and what if GitHub errs."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from support.hub import Hub, PullRequest, hub

from editblocks.core.errors import ApiError, RepoError, Trouble, UnreadableFile
from editblocks.repos.github.client import GitHubApi
from editblocks.repos.stores.github_repo import GitHubBranch, GitHubRepo

COMPARE, OBJECTS = "GET compare/{basehead}", "query Objects"
NAMES = [f"src/part{number % 3}/file{number}.py" for number in range(60)]
OLD: Mapping[str, bytes] = {"app.py": b"old\n", "docs/a b.md": b"same\n", **dict.fromkeys(NAMES, b"one\n")}
NEW: Mapping[str, bytes] = {"app.py": b"new\n", "later.py": b"later\n", **dict.fromkeys(NAMES, b"two\n")}


class Branch:
    """A pull request of two commits, `before` and its head."""

    def __init__(self, h: Hub) -> None:
        self.hub = h
        self.pull: PullRequest = h.world.pull_request(OLD, author="monalisa")
        self.before = h.world.head(self.pull)
        h.world.push(self.pull, NEW)
        self.waits: list[float] = []
        self.api = self.connect()

    def connect(self) -> GitHubApi:
        """A client that has sent nothing yet."""
        return GitHubApi(self.hub.world.token.value, self.hub.api_url, sleep=self.waits.append, clock=lambda: 0.0)

    def open(self) -> GitHubRepo:
        head = self.hub.world.store.commit(self.hub.world.head(self.pull))
        assert head is not None
        repository = self.hub.world.repository
        branch = GitHubBranch(
            self.api, self.api.repository(repository.full_name), repository.node_id, self.pull.head_ref
        )
        return GitHubRepo(branch, head.oid, head.tree)

    def names(self) -> list[str]:
        """The requests since this was last asked."""
        names = self.hub.names
        self.hub.log.clear()
        return names


@pytest.fixture(scope="module")
def running() -> Iterator[Branch]:
    """One world for all tests: none changes it but by adding commits of its own."""
    with hub() as h:
        branch = Branch(h)
        yield branch
        branch.api.close()


@pytest.fixture
def branch(running: Branch) -> Branch:
    running.hub.log.clear()
    running.hub.faults.clear()
    running.waits.clear()
    running.api.close()
    running.api = running.connect()
    return running


def reader(branch: Branch, commit: str | None = None) -> Callable[[str], bytes | None]:
    repo = branch.open()
    repo.prefetch(["app.py"])
    read = repo.at(commit or branch.before)
    assert read is not None
    return read


# What is asked for


def test_one_request_tells_and_one_reads(branch: Branch) -> None:
    repo = branch.open()
    repo.prefetch(["app.py"])
    assert branch.names() == [OBJECTS]
    read = repo.at(branch.before)
    assert branch.hub.log[0].query == {"page": "1", "per_page": "1"}
    assert len(branch.hub.log[0].answer["commits"]) == 1
    asked = branch.hub.log[1].body["variables"].values()
    assert {f"{branch.before}:", f"{branch.before}:app.py"} <= set(asked)
    assert not any("src" in each for each in asked)
    assert read is not None
    assert [read("app.py"), read("app.py")] == [b"old\n", b"old\n"]
    assert repo.at(branch.before) is not None
    assert branch.names() == [COMPARE, OBJECTS]


def test_what_was_announced_for_the_head_comes_along(branch: Branch) -> None:
    repo = branch.open()
    repo.prefetch(["app.py", *NAMES])
    branch.names()
    read = repo.at(branch.before)
    assert read is not None
    assert [read(name) for name in NAMES] == [b"one\n"] * 60
    assert branch.names() == [COMPARE, OBJECTS]
    assert read("docs/a b.md") == b"same\n"  # nobody said that it would be wanted


def test_the_head_itself_costs_nothing(branch: Branch) -> None:
    repo = branch.open()
    repo.prefetch(["app.py"])
    branch.names()
    read = repo.at(repo.head)
    assert read is not None
    assert (read("app.py"), branch.names()) == (b"new\n", [])


@pytest.mark.parametrize("name", ["", "main", "HEAD", "4be1d02", "f" * 39, "f" * 64, "../../user", "a" * 39 + "\n"])
def test_what_is_no_whole_id_is_not_asked_for(branch: Branch, name: str) -> None:
    assert (branch.open().at(name), branch.names()) == (None, [])


# What counts


def test_commits_that_the_head_did_not_grow_from(branch: Branch) -> None:
    world = branch.hub.world
    fork = world.fork(f"forker{len(world.repositories)}")
    stranger = world.commit({"app.py": b"theirs\n"}, "Fork", "theirs", repository=fork, parent=world.branch("main"))
    beside = world.commit({"app.py": b"beside\n"}, "Beside", "beside", parent=branch.before)
    above = world.commit({"app.py": b"above\n"}, "Above", "above", parent=world.head(branch.pull))
    assert world.store.commit(stranger) is not None  # forks share their objects: GitHub would give its files
    alone = world.store.push(
        "refs/heads/alone", None, {"a": ("100644", b"")}, "Alone", world.person(branch.pull.author)
    )
    repo = branch.open()
    assert [repo.at(commit) for commit in (stranger, beside, above, alone, "f" * 40)] == [None] * 5
    assert branch.names() == [COMPARE] * 5


def test_other_objects_are_no_commits(branch: Branch) -> None:
    store = branch.hub.world.store
    found = [store.get(f"{branch.before}{what}") for what in ("^{tree}", ":app.py")]
    assert [each and branch.open().at(each.oid) for each in found] == [None, None]


def test_the_base_of_the_branch_and_a_merged_one_count(branch: Branch) -> None:
    world, person = branch.hub.world, branch.hub.world.person(branch.pull.author)
    side = world.commit({"app.py": b"side\n"}, "Side", "side", parent=branch.before)
    head = world.store.commit(world.head(branch.pull))
    assert head is not None
    merge = world.store.new_commit(head.tree, [head.oid, side], "Merge", author=person, committer=person)
    world.reset(branch.pull.head_ref, merge)
    try:
        assert reader(branch, side)("app.py") == b"side\n"
        main = world.branch("main")
        assert reader(branch, main)("app.py") is None
    finally:
        world.reset(branch.pull.head_ref, head.oid)


def test_the_head_of_a_fork_has_its_own_history(branch: Branch) -> None:
    """Its pull request makes the fork's commits the repository's own, and they are read as such."""
    world = branch.hub.world
    fork = world.fork(f"owner{len(world.repositories)}")
    pull = world.pull_request({"app.py": b"first\n"}, author="hubot", fork=fork, head="theirs")
    first = world.head(pull)
    world.push(pull, {"app.py": b"second\n"})
    head = world.store.commit(world.head(pull))
    assert head is not None
    there = GitHubBranch(
        branch.api, branch.api.repository(world.repository.full_name), world.repository.node_id, pull.head_ref
    )
    read = GitHubRepo(there, head.oid, head.tree).at(first)
    assert read is not None
    assert read("app.py") == b"first\n"
    assert GitHubRepo(there, head.oid, head.tree).at(branch.before) is None


# What if GitHub errs


NO_VERSION = [404, 409, 410, 422]


@pytest.mark.parametrize("status", NO_VERSION)
def test_a_comparison_that_cannot_be_made_is_no_version(branch: Branch, status: int) -> None:
    branch.hub.fault("GET compare/*", status=status)
    assert (branch.open().at(branch.before), branch.waits) == (None, [])


FAULTS: list[tuple[str, dict[str, Any], Trouble, int]] = [
    ("an error of the server", {"status": 500}, Trouble.RETRY, 3),
    ("a bad gateway with a page", {"status": 502, "body": b"<html>"}, Trouble.RETRY, 3),
    ("a rate limit", {"status": 429, "headers": {"Retry-After": "1"}}, Trouble.RETRY, 3),
    ("no answer", {"drop": True}, Trouble.RETRY, 3),
    ("a token that is no longer valid", {"status": 401}, Trouble.REFUSED, 1),
    ("a token that may not", {"status": 403}, Trouble.REFUSED, 1),
    ("an answer that was cut", {"status": 200, "body": b'{"merge_base_commit": {"sha"'}, Trouble.BROKEN, 1),
    ("an empty answer", {"status": 200, "body": b""}, Trouble.BROKEN, 1),
    ("no JSON", {"status": 200, "body": b"<html></html>"}, Trouble.BROKEN, 1),
    ("a list", {"status": 200, "body": []}, Trouble.BROKEN, 1),
    ("no merge base", {"alter": lambda body: body | {"merge_base_commit": None}}, Trouble.BROKEN, 1),
    ("an id that is none", {"alter": lambda body: told(body, sha="main")}, Trouble.BROKEN, 1),
    ("an id that is a number", {"alter": lambda body: told(body, sha=10**39)}, Trouble.BROKEN, 1),
    ("a root that is none", {"alter": lambda body: rooted(body, "../x")}, Trouble.BROKEN, 1),
]


def told(body: Any, **fields: object) -> Any:
    return body | {"merge_base_commit": body["merge_base_commit"] | fields}


def rooted(body: Any, tree: str) -> Any:
    commit = body["merge_base_commit"]["commit"]
    return told(body, commit=commit | {"tree": commit["tree"] | {"sha": tree}})


@pytest.mark.parametrize(("claim", "fault", "trouble", "tries"), FAULTS, ids=[row[0] for row in FAULTS])
@pytest.mark.long
def test_a_fault_is_one_of_the_run(
    branch: Branch, claim: str, fault: dict[str, Any], trouble: Trouble, tries: int
) -> None:
    branch.hub.fault("GET compare/*", times=9, **fault)
    with pytest.raises(ApiError) as caught:
        branch.open().at(branch.before)
    assert (caught.value.trouble, len(branch.names())) == (trouble, tries), claim
    assert "(comparing commits, " in caught.value.message


@pytest.mark.parametrize("fault", [{"status": 500, "times": 2}, {"drop": True}, {"status": 429}])
@pytest.mark.long
def test_a_fault_that_passes_is_waited_out(branch: Branch, fault: dict[str, Any]) -> None:
    branch.hub.fault("GET compare/*", **fault)
    assert reader(branch)("app.py") == b"old\n"
    assert branch.waits


def test_the_merge_base_alone_does_not_say_what_was_in_it(branch: Branch) -> None:
    """Another root than the commit has: REST and GraphQL tell two stories."""
    head = branch.hub.world.store.commit(branch.hub.world.head(branch.pull))
    assert head is not None
    branch.hub.fault("GET compare/*", alter=lambda body: rooted(body, head.tree))
    with pytest.raises(RepoError, match=f"two root folders for commit {branch.before[:7]}"):
        reader(branch)("app.py")


def each(body: Any, kind: str, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == kind:
            change(thing)
    return body


LIES: list[tuple[str, Callable[[Any], Any]]] = [
    ("another text", lambda body: each(body, "Blob", lambda blob: blob.update(text="x = 1\n"))),
    ("no text", lambda body: each(body, "Blob", lambda blob: blob.update(text=None))),
    ("a row too few", lambda body: each(body, "Tree", lambda tree: tree["entries"].pop())),
    ("nothing at all", lambda body: body | {"data": {"repository": dict.fromkeys(body["data"]["repository"])}}),
]


@pytest.mark.parametrize(("claim", "lie"), LIES, ids=[row[0] for row in LIES])
@pytest.mark.long
def test_what_does_not_prove_itself_is_fetched_again(branch: Branch, claim: str, lie: Callable[[Any], Any]) -> None:
    branch.hub.fault(OBJECTS, times=9, alter=lie)
    assert reader(branch)("app.py") == b"old\n", claim
    assert [name for name in branch.names() if name.startswith(("GET git/blobs", "GET git/trees"))]


def test_bytes_that_are_not_those_of_the_commit_end_the_run(branch: Branch) -> None:
    branch.hub.fault(OBJECTS, times=9, status=500)
    branch.hub.fault("GET git/blobs/*", times=9, alter=lambda body: body | {"content": "c3RlYWwoKQ=="})
    with pytest.raises(RepoError, match="the wrong bytes"):
        reader(branch)("app.py")


@pytest.mark.long
def test_a_large_file_was_too_large_then_too(branch: Branch) -> None:
    def swell(blob: Any) -> None:
        blob.update(byteSize=6_000_000, text=None)

    branch.hub.fault(OBJECTS, times=2, alter=lambda body: each(body, "Blob", swell))
    with pytest.raises(UnreadableFile, match="6000000 bytes"):
        reader(branch)("app.py")
