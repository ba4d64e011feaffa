"""The policy of the base branch in a whole run: what it allows, what it loosens, and what is said of a broken one."""

from pathlib import Path
from typing import Any

import pytest
from support.actionkit import FITS, OLD, act, block, pull_request
from support.hub import Hub, PullRequest, hub

FILE = ".editblocks.yml"
MAKEFILE = block("Makefile", "all: x", "all: y")
GUARDED = block("action.yml", "name: x", "name: y")


def ruled(h: Hub, policy: str, default: str | None = None, **files: bytes) -> PullRequest:
    """A pull request to a branch with this policy; `default` is that of the default branch, the same if None."""
    h.world.commit({FILE: (policy if default is None else default).encode() or None}, "Policy", "main")
    if default is None:
        return pull_request(h)
    h.world.commit({FILE: policy.encode()}, "Policy", "release", parent=h.world.branch("main"))
    return pull_request(h, base="release")


Row = tuple[str, str, str | None, str, dict[str, str], str, str]
# claim · policy of the base · of the default branch (None: it is the base) · comment · inputs · result · words
ROWS: list[Row] = [
    ("nothing of it", "{}", None, FITS, {}, "applied", ""),
    ("only checked", "mode: check\n", None, FITS, {}, "checked", "This workflow only checks"),
    ("an input cannot loosen it", "mode: check\n", None, FITS, {"mode": "apply"}, "checked", "only checks"),
    ("an input tightens it", "mode: apply\n", None, FITS, {"mode": "check"}, "checked", "only checks"),
    ("a word is awaited", "trigger: command\n", None, FITS, {}, "checked", "waiting for"),
    ("a role", "permission: admin\n", None, FITS, {}, "checked", "monalisa has write access, applying needs admin"),
    ("a denied path", "deny-paths: [app.py]\n", None, FITS, {}, "failed", "not-allowed"),
    ("another folder", "paths: ['src/**']\n", None, FITS, {}, "failed", "not-allowed"),
    ("both must allow", "paths: ['*.py']\n", None, FITS, {"paths": "src/**"}, "failed", "not-allowed"),
    ("no such format", "formats: [edit-v3]\n", None, FITS, {}, "failed", "unsupported-format"),
    ("few blocks", "max-blocks: 1\n", None, FITS + block("b.py", "", "x"), {}, "failed", "max-blocks"),
    ("ignored", "ignore-authors: [Monalisa]\n", None, FITS, {}, "nothing", ""),
    ("a mistake", "mod: check\n", None, FITS, {}, "refused", "did you mean mode?"),
    ("no YAML", "mode: [\n", None, FITS, {}, "refused", "bad-config"),
    ("a bomb", "a: &a [1]\nb: *a\n", None, FITS, {}, "refused", "bad-config"),
    ("a protected path", "allow-protected: [action.yml]\n", None, GUARDED, {}, "applied", ""),
    ("not by the base alone", "allow-protected: [action.yml]\n", "{}", GUARDED, {}, "failed", "not-allowed"),
    ("by both", "allow-protected: [action.yml]\n", "allow-protected: [action.yml]\n", GUARDED, {}, "applied", ""),
    ("a policy of the head", "{}", None, GUARDED, {}, "failed", "not-allowed"),
]  # fmt: skip
FAST = {"only checked", "an input cannot loosen it", "a mistake", "a protected path", "not by the base alone"}


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row[0], marks=() if row[0] in FAST else pytest.mark.long) for row in ROWS]
)
@pytest.mark.long(after=1)
def test_what_a_policy_does(tmp_path: Path, row: Row) -> None:
    claim, policy, default, body, inputs, result, words = row
    with hub() as h:
        pull = ruled(h, policy, default)
        h.world.push(pull, {"action.yml": b"name: x\n", FILE: b"allow-protected: [action.yml]\n"})
        done = act(h, h.comment(pull, "monalisa", body), tmp_path, inputs)
        said = " ".join(review.body for review in pull.reviews).replace("`", "")
        assert done.outputs["result"] == result, (claim, done.log, said)
        assert words in said, (claim, said)
        assert (done.code == 2) is (result == "refused"), claim


@pytest.mark.long
def test_the_summary_names_each_setting_with_its_origin_and_what_is_not_in_force(tmp_path: Path) -> None:
    with hub() as h:
        pull = ruled(h, "max-blocks: 9\nallow-protected: [action.yml]\n", "{}")
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path, {"commit-prefix": "fix: "})
        assert "`max-blocks: 9` (`.editblocks.yml on release`)" in done.summary
        assert "commit-prefix: fix: " in done.summary
        note = done.summary.rstrip().rpartition("\n\n")[2].replace("`", "")
        assert note == "allow-protected: action.yml is ignored: the default branch limits it to nothing"


NO_TEXT = [
    ("a link", "120000", b"README.md"),
    ("bytes", "100644", b"mode: check\n\0"),
    ("a lot", "100644", b"#" * 70_000),
]


@pytest.mark.parametrize(("claim", "mode", "data"), NO_TEXT, ids=[row[0] for row in NO_TEXT])
@pytest.mark.long
def test_a_policy_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path, claim: str, mode: str, data: bytes) -> None:
    with hub() as h:
        h.world.commit({FILE: data}, "Policy", "main", modes={FILE: mode})
        pull = pull_request(h)
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path)
        assert (done.code, done.outputs["result"]) == (2, "refused"), claim
        assert "bad-config" in pull.reviews[0].body
        assert OLD.encode() in h.world.files(h.world.head(pull))["app.py"][1]


def test_a_policy_whose_bytes_are_others_is_refused(tmp_path: Path) -> None:
    def lie(body: Any) -> Any:
        body["data"]["repository"]["pullRequest"]["baseRef"]["target"]["file"]["object"]["text"] = "mode: apply\n"
        return body

    with hub() as h:
        pull = ruled(h, "mode: check\n")
        h.fault("query Context", alter=lie, times=9)
        done = act(h, h.comment(pull, "monalisa", FITS), tmp_path)
        assert (done.code, done.outputs["result"], done.outputs["commit-sha"]) == (2, "refused", "")
