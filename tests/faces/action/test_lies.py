"""Answers that are not true: believed only as far as they prove themselves."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import (
    APP,
    FITS,
    act,
    attempt,
    pull_request,
)
from support.hub import hub

pytestmark = pytest.mark.long  # the fast profile has one of each kind elsewhere


def each_blob(body: Any, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == "Blob":
            change(thing)
    return body


def each_tree(body: Any, change: Callable[[Any], object]) -> Any:
    for thing in body["data"]["repository"].values():
        if thing and thing["__typename"] == "Tree":
            change(thing)
    return body


TOLD_BY_GRAPHQL: list[tuple[str, Callable[[Any], Any]]] = [
    ("another text", lambda body: each_blob(body, lambda blob: blob.update(text="x = 1\n"))),
    ("a text that was cut", lambda body: each_blob(body, lambda blob: blob.update(text=blob["text"][:9]))),
    ("a truncated text", lambda body: each_blob(body, lambda blob: blob.update(isTruncated=True))),
    ("no text", lambda body: each_blob(body, lambda blob: blob.update(text=None))),
    ("a row too few", lambda body: each_tree(body, lambda tree: tree["entries"].pop())),
    ("another mode", lambda body: each_tree(body, lambda tree: tree["entries"][0].update(mode=0o120000))),
    ("another name", lambda body: each_tree(body, lambda tree: tree["entries"][0].update(nameRaw="eA=="))),
    ("nothing at all", lambda body: body | {"data": {"repository": dict.fromkeys(body["data"]["repository"])}}),
]


@pytest.mark.parametrize(("claim", "lie"), TOLD_BY_GRAPHQL, ids=[row[0] for row in TOLD_BY_GRAPHQL])
@pytest.mark.long
def test_an_object_that_does_not_prove_itself_is_fetched_again(
    tmp_path: Path, claim: str, lie: Callable[[Any], Any]
) -> None:
    done, made, said = attempt(tmp_path, ("query Objects", {"alter": lie, "times": 99}))
    assert (done.code, made, said) == (0, 1, ["applied"]), claim
    assert [name for name in done.names if name.startswith(("GET git/blobs", "GET git/trees"))]


def test_the_id_that_a_blob_claims_is_not_read(tmp_path: Path) -> None:
    lie = {"alter": lambda body: each_blob(body, lambda blob: blob.update(oid="0" * 40)), "times": 99}
    done, made, said = attempt(tmp_path, ("query Objects", lie))
    assert (done.code, made, said, len(done.names)) == (0, 1, ["applied"], 11)


def b64(text: bytes) -> str:
    return base64.b64encode(text).decode()


TOLD_BY_REST: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("other bytes", "GET git/blobs/*", lambda body: body | {"content": b64(b"def total(items):\n    steal()\n")}),
    ("no base64", "GET git/blobs/*", lambda body: body | {"encoding": "utf-8"}),
    ("a row too few", "GET git/trees/*", lambda body: body | {"tree": body["tree"][1:]}),
    ("a truncated list", "GET git/trees/*", lambda body: body | {"truncated": True}),
    ("modes", "GET git/trees/*", lambda body: body | {"tree": [row | {"mode": "100644"} for row in body["tree"]]}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "at", "lie"), TOLD_BY_REST, ids=[row[0] for row in TOLD_BY_REST])
def test_wrong_bytes_end_the_run(tmp_path: Path, claim: str, at: str, lie: Callable[[Any], Any]) -> None:
    done, made, said = attempt(
        tmp_path, ("query Objects", {"status": 500, "times": 99}), (at, {"alter": lie, "times": 99})
    )
    assert (done.code, made, said) == (2, 0, ["refused"]), claim
    assert done.errors[0].startswith("unavailable: ")


TOLD_ABOUT_WRITES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("another tree", "POST git/trees", lambda body: body | {"sha": "0" * 40}),
    ("another parent", "POST git/commits", lambda body: body | {"parents": [{**body["parents"][0], "sha": "0" * 40}]}),
    ("no parent", "POST git/commits", lambda body: body | {"parents": []}),
    ("another root", "POST git/commits", lambda body: body | {"tree": body["tree"] | {"sha": "0" * 40}}),
    ("another message", "POST git/commits", lambda body: body | {"message": "Fixes #1"}),
]


@pytest.mark.parametrize(("claim", "at", "lie"), TOLD_ABOUT_WRITES, ids=[row[0] for row in TOLD_ABOUT_WRITES])
def test_s04_a_commit_that_is_not_the_planned_one_is_not_published(
    tmp_path: Path, claim: str, at: str, lie: Callable[[Any], Any]
) -> None:
    done, made, said = attempt(tmp_path, (at, {"alter": lie, "times": 99}))
    assert (done.code, made, said) == (2, 0, ["refused"]), claim
    assert done.errors[0].startswith("self-check: ")
    assert "mutation updateRefs" not in done.names


def test_a_tree_that_inline_text_spoils_is_made_of_blobs(tmp_path: Path) -> None:
    done, made, said = attempt(tmp_path, ("POST git/trees", {"alter": lambda body: body | {"sha": "0" * 40}}))
    assert (done.code, made, said) == (0, 1, ["applied"])
    assert (done.names.count("POST git/trees"), done.names.count("POST git/blobs")) == (2, 1)


@pytest.mark.parametrize("times", [1, 9])
def test_s17_a_status_that_is_kept_otherwise_is_written_again(tmp_path: Path, times: int) -> None:
    cut = {"alter": lambda body: body | {"body": body["body"][:-20]}, "times": times}
    done, made, said = attempt(tmp_path, ("* pulls/*/reviews*", cut))
    assert (done.code, made, said) == (0 if times == 1 else 2, 1, ["applied"])
    assert [name for name in done.names if "reviews" in name] == [
        "POST pulls/{pull_number}/reviews",
        "PUT pulls/{pull_number}/reviews/{review_id}",
    ]


def test_s11_a_sentence_of_the_server_is_only_quoted(tmp_path: Path) -> None:
    """What an answer says becomes no workflow command, no mention and no control character."""
    message = "no\n::set-output name=x::y ##[error] \x1b[31m @octocat #1 <img src=x> " + "long " * 99
    with hub() as h:
        pull = pull_request(h)
        h.fault("POST git/trees", status=422, body={"message": message, "documentation_url": "x"}, times=9)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        lines = done.log.splitlines()
        assert [line for line in lines if line.startswith("::")] == [lines[0], f"::error::{done.errors[0]}"]
        assert "##[" not in done.log
        assert "\x1b" not in done.log + pull.reviews[0].body
        assert all(len(line) < 260 for line in lines)
        outside = "".join(pull.reviews[0].body.split("`")[::2])
        assert not [active for active in ("@octocat", "<img", " #1") if active in outside]


def test_s13_a_branch_name_that_git_refuses_is_not_written(tmp_path: Path) -> None:
    def rename(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["headRefName"] = "../../heads/main"
        return body

    done, made, said = attempt(tmp_path, ("query Context", {"alter": rename, "times": 9}))
    assert (done.code, made, said) == (0, 0, ["refused"])
    assert done.outputs["result"] == "refused"


def test_a_blob_that_is_said_to_be_too_large_is_not_loaded(tmp_path: Path) -> None:
    def grow(body: Any) -> Any:
        return each_blob(body, lambda blob: blob.update(byteSize=5_242_881, text=None))

    done, made, said = attempt(tmp_path, ("query Objects", {"alter": grow, "times": 9}))
    assert (done.code, made, said) == (0, 0, ["failed"])
    assert "GET git/blobs/{file_sha}" not in done.names


def test_a_blob_that_was_stored_otherwise_is_not_used(tmp_path: Path) -> None:
    lie = {"alter": lambda body: body | {"sha": "0" * 40}, "times": 9}
    done, made, said = attempt(tmp_path, ("POST git/trees", lie), ("POST git/blobs", lie))
    assert (done.code, made, said) == (2, 0, ["refused"])
    assert done.errors[0].startswith("self-check: GitHub stored different bytes")


def test_a_head_with_two_root_directories_is_not_built_upon(tmp_path: Path) -> None:
    """The tree that `Context` and `Live` tell lacks a file: a commit on top of it would delete that file."""
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, "keep.txt": b"keep me\n"})
        git, head = h.world.store.git, h.world.head(pull)
        other = h.world.commit({"app.py": APP}, "x", "other")
        real, told = (git("rev-parse", f"{commit}^{{tree}}").decode().strip() for commit in (head, other))

        def swap(body: Any) -> Any:
            return json.loads(json.dumps(body).replace(real, told))

        h.fault("query Context", alter=swap, times=9)
        h.fault("query Live", alter=swap, times=9)
        done = act(h, h.comment(pull, "octocat", FITS), tmp_path)
        assert (done.code, h.world.head(pull)) == (2, head)
        assert done.errors[0].startswith("unavailable: GitHub names two root folders for commit ")
