"""The hub behaves as GitHub does: a table for each rule of its documentation, with PyGithub as the client."""

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from github import GithubException
from support.hub import Hub, Token
from support.hub.client import ask, node, rest

FILES: Mapping[str, bytes] = {
    "app.py": b"".join(b"line %d\n" % number for number in range(1, 41)),
    "bin/run.sh": b"#!/bin/sh\r\n",
}
Json = dict[str, Any]


# who may do what

TOKENS = (
    ("actions", None, ("contents", "pull_requests"), (200, 200, 200)),
    ("actions", None, ("contents",), (200, 403, 403)),
    ("actions", None, ("issues",), (403, 403, 200)),
    ("actions", None, (), (403, 403, 403)),
    ("app", "hub-app[bot]", ("pull_requests",), (403, 200, 200)),
    ("personal", "octocat", (), (200, 200, 200)),
    ("personal", "monalisa", (), (200, 200, 200)),
    ("personal", "hubot", (), (404, 200, 200)),
)


@pytest.mark.parametrize(("kind", "login", "permissions", "statuses"), TOKENS)
@pytest.mark.long(after=2)
def test_what_a_token_may_write(
    h: Hub, kind: str, login: str | None, permissions: tuple[str, ...], statuses: tuple[int, ...]
) -> None:
    pr = h.world.pull_request(FILES)
    comment = h.world.say(pr, "octocat", "hello")
    token = h.world.new_token(kind, h.world.user(login) if login else h.world.bot, permissions)
    writes = (
        ("/git/blobs", {"content": "x"}),
        (f"/pulls/{pr.number}/reviews", {"body": "x", "event": "COMMENT"}),
        (f"/issues/comments/{comment.id}/reactions", {"content": "eyes"}),
    )
    answers = [rest(h, "POST", path, body, token) for path, body in writes]
    assert tuple(status for status, _ in answers) == statuses
    assert {body["message"] for status, body in answers if status == 403} <= {"Resource not accessible by integration"}
    assert len(pr.reviews) == (statuses[1] == 200)
    assert len(comment.reactions) == (statuses[2] == 200)


def test_an_unknown_token_is_401_everywhere(h: Hub) -> None:
    stranger = Token("ghp_unknown", h.world.octocat, "personal", frozenset())
    assert rest(h, "GET", "", token=stranger)[0] == 401
    with pytest.raises(GithubException) as caught:
        ask(h, "query { viewer { login } }", token=stranger)
    assert (caught.value.status, caught.value.data["message"]) == (401, "Bad credentials")


PERMISSIONS = (
    ("octocat", None, False, "admin", "admin"),
    ("monalisa", None, False, "write", "write"),
    ("hubot", "maintain", False, "write", "maintain"),
    ("hubot", "triage", False, "read", "triage"),
    ("hubot", "read", False, "read", "read"),
    ("stranger", None, False, "read", "read"),
    ("stranger", None, True, "none", "none"),
    ("HUBOT", "write", False, "write", "write"),
)


@pytest.mark.parametrize(("login", "role", "private", "permission", "role_name"), PERMISSIONS)
def test_permission(h: Hub, *, login: str, role: str | None, private: bool, permission: str, role_name: str) -> None:
    h.world.user("stranger")
    h.world.repository.private = private
    if role:
        h.world.repository.roles["hubot"] = role
    status, body = rest(h, "GET", f"/collaborators/{login}/permission")
    assert (status, body["permission"], body["role_name"]) == (200, permission, role_name)
    assert body["user"]["permissions"]["push"] is (permission in {"admin", "write"})


@pytest.mark.parametrize("login", ["nobody", "github-actions[bot]", "dependabot[bot]"])
def test_permission_of_an_app_or_of_nobody_is_404(h: Hub, login: str) -> None:
    h.world.user("dependabot[bot]")
    assert rest(h, "GET", f"/collaborators/{login}/permission")[0] == 404


def test_a_permission_is_only_told_to_those_who_may_push(h: Hub) -> None:
    reader = h.world.new_token("personal", h.world.user("hubot"))
    assert rest(h, "GET", "/collaborators/octocat/permission", token=reader)[0] == 403
    assert rest(h, "GET", "/collaborators/octocat/permission", token=h.world.read_token)[0] == 200


def test_what_may_not_be_seen_is_404(h: Hub) -> None:
    h.world.repository.private = True
    reader = h.world.new_token("personal", h.world.user("stranger"))
    assert rest(h, "GET", "", token=reader)[0] == 404
    assert rest(h, "GET", "/pulls/99")[0] == 404
    with pytest.raises(GithubException) as caught:
        ask(h, 'query { repository(owner: "octocat", name: "Hello-World") { id } }', token=reader)
    assert caught.value.data["errors"][0]["type"] == "NOT_FOUND"


def test_an_archived_repository_is_read_only(h: Hub) -> None:
    h.world.repository.archived = True
    assert rest(h, "POST", "/git/blobs", {"content": "x"})[0] == 403
    assert rest(h, "GET", "")[1]["archived"] is True


def test_a_renamed_repository_answers_301_and_is_found_by_its_old_name(h: Hub) -> None:
    pr = h.world.pull_request(FILES)
    h.world.rename(h.world.repository, "Moved")
    status, body = rest(h, "GET", f"/pulls/{pr.number}")
    assert (status, body["base"]["repo"]["full_name"]) == (200, "octocat/Moved")
    assert [request.status for request in h.log] == [301, 200]
    assert node(h, "nameWithOwner") == {"nameWithOwner": "octocat/Moved"}


# objects

HEAD_TREE = {"README.md": "100644", "app.py": "100644", "bin/run.sh": "100755"}
TREES: tuple[tuple[str, list[Json], Mapping[str, str] | str], ...] = (
    ("content", [{"path": "app.py", "mode": "100644", "type": "blob", "content": "a\r\nb"}], HEAD_TREE),
    ("a new folder", [{"path": "x/y/z", "mode": "100644", "content": ""}], {**HEAD_TREE, "x/y/z": "100644"}),
    ("a mode", [{"path": "app.py", "mode": "100755", "content": "x"}], {**HEAD_TREE, "app.py": "100755"}),
    ("deletion", [{"path": "bin/run.sh", "mode": "100644", "sha": None}], {"README.md": "100644", "app.py": "100644"}),
    ("deletion of nothing", [{"path": "nope", "mode": "100644", "sha": None}], "GitRPC::BadObjectState"),
    ("an unknown blob", [{"path": "a", "mode": "100644", "sha": "0" * 40}], "is not a valid blob"),
    ("both", [{"path": "a", "mode": "100644", "sha": None, "content": "x"}], "Must supply either"),
    ("neither", [{"path": "a", "mode": "100644"}], "Must supply either"),
    ("dot-git", [{"path": "a/.GIT/config", "mode": "100644", "content": "x"}], "malformed path component"),
    ("dots", [{"path": "../a", "mode": "100644", "content": "x"}], "malformed path component"),
    ("absolute", [{"path": "/a", "mode": "100644", "content": "x"}], "cannot start with a slash"),
    ("a blank path", [{"path": "", "mode": "100644", "content": "x"}], "cannot be blank"),
    ("nothing", [], "Invalid tree info"),
)


@pytest.mark.parametrize(("rows", "expected"), [row[1:] for row in TREES], ids=[row[0] for row in TREES])
@pytest.mark.long(after=2)
def test_create_tree(h: Hub, rows: list[Json], expected: Mapping[str, str] | str) -> None:
    pr = h.world.pull_request(FILES, modes={"bin/run.sh": "100755"})
    base = h.world.store.commit(h.world.head(pr))
    assert base is not None
    status, body = rest(h, "POST", "/git/trees", {"base_tree": base.tree, "tree": rows})
    if isinstance(expected, str):
        assert status == 422
        assert expected in body["message"]
    else:
        files = h.world.files(body["sha"])
        assert {path: mode for path, (mode, _) in files.items()} == expected
        assert all(files[row["path"]][1] == row["content"].encode() for row in rows if "content" in row)


def test_a_tree_may_be_named_by_its_oid_and_without_a_base(h: Hub) -> None:
    pr = h.world.pull_request(FILES)
    folder = h.world.store.get(f"{h.world.head(pr)}:bin")
    assert folder is not None
    rows = [{"path": "copy", "mode": "040000", "type": "tree", "sha": folder.oid}]
    _, body = rest(h, "POST", "/git/trees", {"tree": rows})
    assert h.world.files(body["sha"]) == {"copy/run.sh": ("100644", FILES["bin/run.sh"])}
    assert rest(h, "GET", f"/git/trees/{body['sha']}?recursive=1")[1]["tree"][1]["path"] == "copy/run.sh"


@pytest.mark.parametrize("data", [b"", b"a\r\nb", b"\xef\xbb\xbfx\n", b"\x00\xff" * 999, "ü\u2028".encode()])
@pytest.mark.long(after=2)
def test_blobs_come_back_byte_for_byte(h: Hub, data: bytes) -> None:
    _, made = rest(h, "POST", "/git/blobs", {"content": base64.b64encode(data).decode(), "encoding": "base64"})
    _, found = rest(h, "GET", f"/git/blobs/{made['sha']}")
    assert (base64.b64decode(found["content"]), found["size"]) == (data, len(data))


WHO = {"name": "Mona", "email": "mona@github.com", "date": "2020-01-02T03:04:05Z"}
COMMITS: tuple[tuple[str, Json, bool, str], ...] = (
    ("actions", {}, True, "41898282+github-actions[bot]@users.noreply.github.com"),
    ("app", {}, True, "1000003+hub-app[bot]@users.noreply.github.com"),
    ("actions", {"author": WHO}, False, "mona@github.com"),
    ("actions", {"committer": WHO}, False, "41898282+github-actions[bot]@users.noreply.github.com"),
    ("personal", {}, False, "583231+octocat@users.noreply.github.com"),
)


@pytest.mark.parametrize(("kind", "extra", "verified", "email"), COMMITS)
@pytest.mark.long(after=2)
def test_a_commit_is_signed_iff_a_bot_leaves_the_identity_out(
    h: Hub, kind: str, extra: Json, verified: bool, email: str
) -> None:
    pr = h.world.pull_request(FILES)
    head = h.world.head(pr)
    user = {"actions": h.world.bot, "app": h.world.user("hub-app[bot]", 1000003), "personal": h.world.octocat}[kind]
    tree = rest(h, "GET", f"/git/commits/{head}")[1]["tree"]["sha"]
    asked = {"message": "subject\n\nEdit: x\n", "tree": tree, "parents": [head], **extra}
    status, body = rest(h, "POST", "/git/commits", asked, h.world.new_token(kind, user))
    assert status == 200
    assert (body["verification"]["verified"], body["author"]["email"]) == (verified, email)
    assert (body["message"], [each["sha"] for each in body["parents"]]) == (asked["message"], [head])
    assert rest(h, "GET", f"/git/commits/{body['sha']}")[1]["verification"]["verified"] is verified
    assert h.world.head(pr) == head


NONE = "0" * 40
NOT_THERE: tuple[tuple[str, str, Json | None, int, str], ...] = (
    ("POST", "/git/blobs", {"content": "x", "encoding": "utf-7"}, 422, "Validation Failed"),
    ("POST", "/git/blobs", {"content": "é", "encoding": "base64"}, 422, "Validation Failed"),
    ("GET", f"/git/blobs/{NONE}", None, 404, "Not Found"),
    ("GET", "/git/blobs/main", None, 422, "The sha parameter must be exactly 40 characters"),
    (
        "POST",
        "/git/trees",
        {"base_tree": NONE, "tree": [{"path": "a", "content": ""}]},
        422,
        "base_tree is not a valid",
    ),
    ("GET", f"/git/trees/{NONE}", None, 404, "Not Found"),
    ("POST", "/git/commits", {"message": "x", "tree": NONE}, 422, "Tree SHA does not exist"),
    ("GET", f"/git/commits/{NONE}", None, 404, "Not Found"),
    ("GET", "/pulls/1/reviews/1", None, 404, "Not Found"),
    ("PUT", "/pulls/1/reviews/1", {"body": "x"}, 404, "Not Found"),
    ("POST", "/pulls/1/reviews", {"event": "COMMENT"}, 422, "Unprocessable Entity"),
    ("POST", "/pulls/1/reviews", {"event": "COMMENT", "body": "x", "commit_id": NONE}, 422, "Unprocessable Entity"),
    ("POST", "/issues/2/comments", {"body": "x"}, 404, "Not Found"),
    ("POST", "/issues/comments/1/reactions", {"content": "eyes"}, 404, "Not Found"),
)


@pytest.mark.parametrize(("verb", "path", "body", "status", "sentence"), NOT_THERE)
@pytest.mark.long(after=2)
def test_what_is_not_there_or_not_right(h: Hub, *, verb: str, path: str, body: Any, status: int, sentence: str) -> None:
    pr = h.world.pull_request(FILES)
    found, answer = rest(h, verb, path, body)
    assert (found, answer["message"][: len(sentence)]) == (status, sentence)
    assert (pr.reviews, pr.comments) == ([], [])


def test_a_commit_needs_a_parent_that_exists(h: Hub) -> None:
    tree = rest(h, "GET", f"/git/commits/{h.world.branch('main')}")[1]["tree"]["sha"]
    status, body = rest(h, "POST", "/git/commits", {"message": "x", "tree": tree, "parents": [NONE]})
    assert (status, body["message"]) == (422, "Parent SHA does not exist or is not a commit object")


OBJECTS = (
    "oid ... on Blob { byteSize isBinary isTruncated text } ... on Tree { entries { name nameRaw mode type oid } }"
)
BLOBS = (
    (b"a\r\nb", False, False, "a\r\nb"),
    (b"", False, False, ""),
    ("\ufeffé\u2028".encode(), False, False, "\ufeffé\u2028"),
    (b"a\0b", True, False, None),
    (b"caf\xe9\n", False, False, "caf\ufffd\n"),
    (b"x" * 512_001, False, True, "x" * 512_000),
)


@pytest.mark.parametrize(("data", "binary", "truncated", "text"), BLOBS)
@pytest.mark.long(after=2)
def test_blob_in_graphql(h: Hub, data: bytes, binary: bool, truncated: bool, text: str | None) -> None:
    head = h.world.head(h.world.pull_request({"a b": data}))
    found = node(h, f"object(expression: $e) {{ {OBJECTS} }}", e=f"{head}:a b")["object"]
    assert (found["isBinary"], found["isTruncated"], found["byteSize"], found["text"]) == (
        binary, truncated, len(data), text,
    )  # fmt: skip


def test_tree_in_graphql(h: Hub) -> None:
    head = h.world.commit({"d/\udcff": b"1", "d/é": b"2", "d/e/f": b"3"}, "odd names", modes={"d/é": "120000"})
    rows = node(h, f"object(expression: $e) {{ {OBJECTS} }}", e=f"{head}:d")["object"]["entries"]
    found = {base64.b64decode(row["nameRaw"]): (row["mode"], row["type"]) for row in rows}
    assert found == {b"e": (0o40000, "tree"), "é".encode(): (0o120000, "blob"), b"\xff": (0o100644, "blob")}
    assert [row["name"] for row in rows] == ["e", "é", "\ufffd"]


@pytest.mark.parametrize("path", [":nope", ":app.py/x", ":bin/nope", ":a\nb", ":a:b"])
@pytest.mark.long(after=2)
def test_what_is_not_there_is_null_in_graphql(h: Hub, path: str) -> None:
    head = h.world.head(h.world.pull_request(FILES))
    assert node(h, "object(expression: $e) { oid }", e=head + path) == {"object": None}


def test_compare_tells_an_ancestor_from_a_stranger(h: Hub) -> None:
    pr = h.world.pull_request(FILES)
    base, head = h.world.branch("main"), h.world.head(pr)
    other = h.world.commit({"x": b""}, "elsewhere", "elsewhere", parent=base)
    assert rest(h, "GET", f"/compare/{base}...{head}")[1]["merge_base_commit"]["sha"] == base
    assert rest(h, "GET", f"/compare/{other}...{head}")[1]["status"] == "diverged"
    assert rest(h, "GET", f"/compare/{'0' * 40}...{head}")[0] == 404
