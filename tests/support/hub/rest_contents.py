"""REST API: commits, branches and files by name."""

import base64
from urllib.parse import quote

from support.hub import shapes
from support.hub.answers import Answer, ApiError, Call, not_found
from support.hub.store import Commit, Entry

# "1 MB or smaller: All features of this endpoint are supported", "an upper limit of 1,000 files for a directory"
MAX_CONTENT, MAX_ROWS = 1_000_000, 1000
TYPES = {"tree": "dir", "commit": "submodule"}
SYMLINK = "120000"


def get_commit(call: Call) -> Answer:
    """https://docs.github.com/en/rest/commits/commits#get-a-commit: its files come in pages, of 300 on GitHub"""
    item = resolve(call, call.params["ref"])
    if item is None:
        raise ApiError(422, f"No commit found for SHA: {call.params['ref']}", [])
    store = call.world.store
    files = store.diff(item.parents[0], item.oid) if item.parents else []
    page = call.page([shapes.file(call, each, item.oid) for each in files])
    counts = {"additions": sum(each.additions for each in files), "deletions": sum(each.deletions for each in files)}
    body = shapes.commit(call, item) | {"stats": {**counts, "total": sum(counts.values())}, "files": page.body}
    return Answer(200, body, page.headers)


def get_branch(call: Call) -> Answer:
    """https://docs.github.com/en/rest/branches/branches#get-a-branch"""
    name, repo = call.params["branch"], call.repository
    oid = call.world.branch(name, repo)
    item = call.world.store.commit(oid) if oid else None
    if item is None:
        raise ApiError(404, "Branch not found")
    api, html = f"{call.repository_url}/branches/{quote(name)}", f"{call.html_url}/{repo.full_name}/tree/{quote(name)}"
    shape: shapes.Json = shapes.example(call, "branch-get")
    return Answer(
        200,
        shape
        | {
            "name": name,
            "commit": shapes.commit(call, item),
            "_links": {"self": api, "html": html},
            "protected": name in repo.protection or name in repo.rulesets,
            "protection_url": f"{api}/protection",
        },
    )


def get_content(call: Call) -> Answer:
    """https://docs.github.com/en/rest/repos/contents#get-repository-content: `ref` defaults to the default branch"""
    repo, path = call.repository, call.params["path"].strip("/")
    ref = call.query.get("ref", repo.default_branch)
    item = resolve(call, ref)
    found = call.world.store.get(f"{item.oid}:{path}") if item else None
    if item is None or found is None:
        raise not_found()
    if found.type == "tree":
        rows = call.world.store.entries(found.oid)[:MAX_ROWS]
        return Answer(200, [_row(call, f"{path}/{row.path}".lstrip("/"), row, ref) for row in rows])
    folder, _, name = path.rpartition("/")
    above = call.world.store.get(f"{item.oid}:{folder}")
    entry = next(each for each in call.world.store.entries(above.oid if above else "") if each.path == name)
    row = _row(call, path, entry, ref)
    if entry.mode == SYMLINK:
        return Answer(200, row | {"target": found.data.decode("utf-8", "replace")})
    is_small = len(found.data) <= MAX_CONTENT
    text = base64.b64encode(found.data).decode() if is_small else ""
    lines = "".join(f"{text[at : at + 60]}\n" for at in range(0, len(text), 60))
    return Answer(200, row | {"encoding": "base64" if is_small else "none", "content": lines})


def resolve(call: Call, ref: str) -> Commit | None:
    """The commit that a branch name, a full ref or an oid names, None if there is none."""
    name = ref.removeprefix("refs/").removeprefix("heads/")
    oid = call.world.branch(call.repository.default_branch if ref == "HEAD" else name, call.repository)
    return call.world.store.commit(oid or ref)


def _row(call: Call, path: str, entry: Entry, ref: str) -> shapes.Json:
    found = call.world.store.get(entry.oid or "") if entry.type == "blob" else None
    full, place = call.repository.full_name, quote(path)
    api = f"{call.repository_url}/contents/{place}?ref={quote(ref)}"
    git = f"{call.repository_url}/git/{'trees' if entry.type == 'tree' else 'blobs'}/{entry.oid}"
    html = f"{call.html_url}/{full}/{'tree' if entry.type == 'tree' else 'blob'}/{quote(ref)}/{place}"
    raw = None if entry.type != "blob" else f"https://raw.githubusercontent.com/{full}/{quote(ref)}/{place}"
    return {
        "type": "symlink" if entry.mode == SYMLINK else TYPES.get(entry.type, "file"),
        "size": len(found.data) if found else 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.oid,
        "url": api,
        "git_url": git,
        "html_url": html,
        "download_url": raw,
        "_links": {"self": api, "git": git, "html": html},
    }
