"""Answers by e-mail: what stands below the reply line was written by somebody else."""

from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FITS, act, block, pull_request, rows, states
from support.hub import hub

STEAL = block("app.py", "    return result", "    return steal()")
ON = "On Fri, Jan 2, 2026 at 3:04 AM octocat wrote:"
WRAPPED = "On Fri, Jan 2, 2026 at 3:04 AM octocat <\nnotifications@github.com>\nwrote:"

# what came by mail → the result of a writer's comment
MAILS: list[tuple[str, dict[str, str]]] = [
    ("only theirs", {"body": f"looks good\n\n{ON}\n\n{STEAL}", "result": "nothing"}),
    ("a wrapped line", {"body": f"looks good\n\n{WRAPPED}\n\n{STEAL}", "result": "nothing"}),
    ("line ends of a mail", {"body": f"good\n\n{ON}\n\n{STEAL}".replace("\n", "\r\n"), "result": "nothing"}),
    ("an original message", {"body": f"good\n-----Original Message-----\n{STEAL}", "result": "nothing"}),
    ("a ruler", {"body": f"good\n________________________________\n{STEAL}", "result": "nothing"}),
    ("a header", {"body": f"good\n\nFrom: octocat\nSent: Friday\n\n{STEAL}", "result": "nothing"}),
    ("another language", {
        "body": f"gut\n\nAm Fr., 2. Jan. 2026 schrieb octocat <notifications@github.com>:\n\n{STEAL}",
        "result": "nothing"}),
    ("ours above theirs", {"body": f"{FITS}\n{ON}\n\n{STEAL}", "result": "applied"}),
    ("no reply line", {"body": FITS, "result": "applied"}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "row"), rows(MAILS, *(claim for claim, _ in MAILS)))
@pytest.mark.long(after=2)
def test_of_a_mail_only_the_part_above_the_reply_line_counts(tmp_path: Path, claim: str, row: dict[str, str]) -> None:
    with hub() as h:
        pull = pull_request(h)
        event = h.comment(pull, "monalisa", row["body"])
        pull.comments[0].via_email = True
        done = act(h, event, tmp_path)
        assert (done.code, done.outputs["result"]) == (0, row["result"]), claim
        applied = row["result"] == "applied"
        assert h.world.files(h.world.head(pull))["app.py"][1] == (APP_NEW if applied else APP)
        assert states(pull) == (["applied"] if applied else [])
        assert not [each.content for each in pull.comments[0].reactions if each.content == "eyes"]
        assert act(h, event, tmp_path).outputs["commit-sha"] == done.outputs.get("commit-sha", "")


def test_a_comment_that_was_typed_is_whole(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        assert act(h, h.comment(pull, "monalisa", f"{ON}\n\n{FITS}"), tmp_path).outputs["result"] == "applied"


def test_a_comment_that_turns_out_to_be_a_mail_is_not_committed(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event, before = h.comment(pull, "monalisa", f"{ON}\n\n{FITS}"), h.world.head(pull)
        h.fault("query Live", before=lambda: setattr(pull.comments[0], "via_email", True))
        assert act(h, event, tmp_path).outputs["result"] == "stale"
        assert h.world.head(pull) == before


def test_a_comment_that_is_gone_before_the_first_look_is_not_committed(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        event, before = h.comment(pull, "monalisa", FITS), h.world.head(pull)
        pull.comments[0].deleted = True
        done = act(h, event, tmp_path, {"reactions": "false"})
        assert (done.code, done.outputs["result"], h.world.head(pull)) == (0, "stale", before)
