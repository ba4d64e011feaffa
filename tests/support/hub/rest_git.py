"""Blobs, trees, commits, refs and comparisons: the git database of the REST API, over the `Store`."""

import base64
import calendar
import re
import time
from typing import Any

from support.hub import shapes
from support.hub.answers import Answer, ApiError, Call, invalid, not_found
from support.hub.policy import push_refusal
from support.hub.store import Commit, Entry, GitFailed, Person
from support.hub.world import GITHUB

OID = re.compile(r"[0-9a-f]{40}")
# GitHub answers trees of at most 100,000 entries or 7 MB when recursive:
# https://docs.github.com/en/rest/git/trees#get-a-tree
MAX_ENTRIES = 100_000


def create_blob(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/blobs#create-a-blob"""
    encoding = call.body.get("encoding", "utf-8")
    if encoding not in {"utf-8", "base64"}:
        raise invalid("Blob", "encoding", f"{encoding} is not a supported encoding")
    try:
        text = call.body["content"]
        data = base64.b64decode(text, validate=False) if encoding == "base64" else text.encode()
    except ValueError:  # base64 and encode() raise subclasses of it
        raise invalid("Blob", "content", "content is not valid Base64") from None
    (oid,) = call.world.store.blobs([data])
    return Answer(201, {"sha": oid, "url": f"{call.repository_url}/git/blobs/{oid}"})


def get_blob(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/blobs#get-a-blob"""
    found = call.world.store.get(_oid(call.params["file_sha"]))
    if found is None or found.type != "blob":
        raise not_found()
    return Answer(200, shapes.blob(call, found))


def create_tree(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/trees#create-a-tree"""
    base = call.body.get("base_tree")
    if base is not None:
        found = call.world.store.get(f"{base}^{{tree}}") if OID.fullmatch(base) else None
        if found is None:  # https://github.com/sigmavirus24/github3.py/issues/522
            raise ApiError(422, "base_tree is not a valid tree oid", [])
        base = found.oid
    rows = call.body["tree"]
    if not rows:
        raise ApiError(422, "Invalid tree info", [])
    texts = [row["content"].encode() for row in rows if "content" in row]
    written = iter(call.world.store.blobs(texts))
    changes = [_change(call, row, base, written.__next__) for row in rows]
    try:
        oid = call.world.store.tree(base, changes)
    except GitFailed as failure:
        raise ApiError(422, "GitRPC::BadObjectState", []) from failure
    return Answer(201, _tree(call, oid))


def _change(call: Call, row: dict[str, Any], base: str | None, next_oid: Any) -> Entry:
    path, mode = row.get("path", ""), row.get("mode", "100644")
    parts = path.split("/")
    # https://github.com/hub4j/github-api/issues/1217, https://github.com/osunyorg/admin/issues/105 and
    # https://github.com/joshcai/leetcode-sync/issues/22 show these messages
    if not path:
        raise ApiError(422, "tree.path cannot be blank", [])
    if path.startswith("/"):
        raise ApiError(422, "tree.path cannot start with a slash", [])
    if not all(parts) or {part.lower() for part in parts} & {".", "..", ".git"} or "\0" in path:
        raise ApiError(422, "tree.path contains a malformed path component", [])
    # https://github.com/octokit/octokit.net/issues/2836 shows this message
    if ("sha" in row) is ("content" in row):
        message = "Must supply either tree.sha or tree.content. Request will be rejected if both are present."
        raise ApiError(422, message, [])
    if "content" in row:
        return Entry(path, mode, next_oid())
    oid = row["sha"]
    # "Returns an error if you try to delete a file that does not exist", worded as in
    # https://github.com/google/go-github/issues/2418
    if oid is None:
        if base is None or call.world.store.get(f"{base}:{path}") is None:
            raise ApiError(422, "GitRPC::BadObjectState", [])
        return Entry(path, mode, None)
    entry = Entry(path, mode, oid)
    found = call.world.store.get(oid) if OID.fullmatch(oid) else None
    # https://github.com/creationix/tedit/issues/43
    if entry.type != "commit" and (found is None or found.type != entry.type):
        raise ApiError(422, f"tree.sha {oid} is not a valid {entry.type}", [])
    return entry


def get_tree(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/trees#get-a-tree"""
    name = call.params["tree_sha"]
    found = call.world.store.get(f"{name}^{{tree}}")
    if found is None:
        raise not_found()
    return Answer(200, _tree(call, found.oid, "recursive" in call.query))


def _tree(call: Call, oid: str, recursive: bool = False, below: str = "") -> shapes.Json:
    rows: list[shapes.Json] = []
    for entry in call.world.store.entries(oid):
        plural = {"tree": "trees", "blob": "blobs"}.get(entry.type)
        row: shapes.Json = {"path": below + entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.oid}
        if entry.type == "blob":
            found = call.world.store.get(entry.oid or "")
            row["size"] = len(found.data) if found else 0
        if plural:
            row["url"] = f"{call.repository_url}/git/{plural}/{entry.oid}"
        rows.append(row)
        if recursive and entry.type == "tree":
            rows.extend(_tree(call, entry.oid or "", True, f"{below}{entry.path}/")["tree"])
    url = f"{call.repository_url}/git/trees/{oid}"
    return {"sha": oid, "url": url, "tree": rows[:MAX_ENTRIES], "truncated": len(rows) > MAX_ENTRIES}


def create_commit(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/commits#create-a-commit

    GitHub signs the commit if, and only if, a bot's token sends no author, committer or signature:


    https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots
    """
    body, store = call.body, call.world.store
    tree = store.get(body["tree"]) if OID.fullmatch(body["tree"]) else None
    if tree is None or tree.type != "tree":  # https://github.com/exercism/website/issues/8228
        raise ApiError(422, "Tree SHA does not exist", [])
    for parent in body.get("parents", ()):
        if not OID.fullmatch(parent) or store.commit(parent) is None:
            raise ApiError(422, "Parent SHA does not exist or is not a commit object", [])
    call.world.tick()
    own = call.world.person(call.viewer)
    signed = call.token.is_bot and not {"author", "committer", "signature"} & set(body)
    author = _person(body["author"], own) if "author" in body else own
    committer = Person(*GITHUB, own.date) if signed else _person(body.get("committer", {}), author)
    oid = store.new_commit(
        tree.oid, body.get("parents", []), body["message"], author=author, committer=committer, signed=signed
    )
    return Answer(201, shapes.git_commit(call, _commit(call, oid)))


def _person(given: dict[str, str], default: Person) -> Person:
    date = given.get("date")
    seconds = calendar.timegm(time.strptime(date, "%Y-%m-%dT%H:%M:%SZ")) if date else default.date
    return Person(given.get("name", default.name), given.get("email", default.email), seconds)


def get_commit(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/commits#get-a-commit-object"""
    return Answer(200, shapes.git_commit(call, _commit(call, _oid(call.params["commit_sha"]))))


def get_ref(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/refs#get-a-reference"""
    name = call.params["ref"]
    oid = call.world.store.ref(f"{call.repository.refs}{name}")
    if oid is None:
        raise not_found()
    return Answer(200, shapes.ref(call, f"refs/{name}", oid))


def update_ref(call: Call) -> Answer:
    """https://docs.github.com/en/rest/git/refs#update-a-reference"""
    name, new = call.params["ref"], call.body["sha"]
    old = call.world.store.ref(f"{call.repository.refs}{name}")
    if old is None:
        raise ApiError(422, "Reference does not exist", [])
    if not OID.fullmatch(new) or call.world.store.commit(new) is None:
        raise ApiError(422, "Object does not exist", [])
    # https://github.com/philschatz/octokit.js/issues/21 shows this message
    if not call.body.get("force", False) and not call.world.contains(old, new):
        raise ApiError(422, "Update is not a fast forward", [])
    refusal = push_refusal(call.world, call.token, call.repository, name.removeprefix("heads/"), new)
    if refusal:
        raise ApiError(422, refusal, [])
    call.world.store.update_refs([(f"{call.repository.refs}{name}", new, old)])
    return Answer(200, shapes.ref(call, f"refs/{name}", new))


def compare(call: Call) -> Answer:
    """https://docs.github.com/en/rest/commits/commits#compare-two-commits"""
    base, dots, head = call.params["basehead"].partition("...")
    one, other = call.world.store.commit(base), call.world.store.commit(head)
    merge_base = call.world.store.merge_base(one.oid, other.oid) if dots and one and other else None
    if one is None or other is None or merge_base is None:
        raise not_found()
    ahead, behind = call.world.store.history(one.oid, other.oid), call.world.store.history(other.oid, one.oid)
    state = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    page = call.page([shapes.commit(call, item) for item in ahead])
    html = f"{call.html_url}/{call.repository.full_name}/compare/{base}...{head}"
    body = {
        "url": f"{call.repository_url}/compare/{base}...{head}",
        "html_url": html,
        "permalink_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "base_commit": shapes.commit(call, one),
        "merge_base_commit": shapes.commit(call, _commit(call, merge_base)),
        "status": state,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": page.body,
        "files": [shapes.file(call, item, other.oid) for item in call.world.store.diff(merge_base, other.oid)][:300],
    }
    return Answer(200, body, page.headers)


def _oid(text: str) -> str:
    if not OID.fullmatch(text):
        raise ApiError(422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f].", [])
    return text


def _commit(call: Call, oid: str) -> Commit:
    found = call.world.store.commit(oid)
    if found is None:
        raise not_found()
    return found
