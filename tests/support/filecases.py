"""Response files in a pull request, for runs of the action."""

from collections.abc import Mapping

from support.actionkit import (
    APP,
    Done,
    block,
    pull_request,
)
from support.hub import Hub, PullRequest

A, B = ".edits/a.md", ".edits/b.md"
OTHER_FITS = block("notes.txt", "two", "2")
FILES: Mapping[str, bytes] = {"app.py": APP, "notes.txt": b"one\ntwo\n"}
KEEP = b"after-apply: keep\n"


def opened(h: Hub, *texts: str, policy: bytes = b"", **options: object) -> PullRequest:
    """Open a pull request of monalisa with the texts as `.edits/a.md`, `.edits/b.md` …

    `policy` is the `.editblocks.yml` of the default branch.
    """
    if policy:
        h.world.commit({".editblocks.yml": policy}, "Policy")
    named = {f".edits/{name}.md": text.encode() for name, text in zip("abcdef", texts, strict=False)}
    return pull_request(h, {**FILES, **named}, **options)


def content(h: Hub, pull: PullRequest) -> dict[str, bytes]:
    return {path: data for path, (_, data) in h.world.files(h.world.head(pull)).items()}


def messages(h: Hub, pull: PullRequest, count: int) -> list[str]:
    log = h.world.store.git("log", "-z", f"-{count}", "--format=%B", h.world.head(pull)).decode()
    return log.split("\0")[:count]


def writes(done: Done) -> list[str]:
    return [name for name in done.names if name.startswith(("POST", "PUT", "PATCH", "DELETE", "mutation"))]
