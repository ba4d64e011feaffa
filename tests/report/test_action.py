"""The retry prompt on GitHub: in the status, in the job summary and in the JSON, for not one request more."""

import json
from pathlib import Path

import pytest
from support.actionkit import APP, APP_NEW, FAILS, FITS, UNCLOSED, act, block, pull_request, states
from support.hub import hub

TITLE = "<summary>Retry prompt for block {}: copy it into your chat, post the answer here</summary>"
FAR = "\n".join(f"value_{number} = {number}" for number in range(3000))


def test_the_status_the_summary_and_the_result_hold_the_same_prompt(tmp_path: Path) -> None:
    with hub() as h:
        pull = pull_request(h)
        done = act(h, h.comment(pull, "octocat", FAILS), tmp_path)
        document = json.loads(Path(done.outputs["report-path"]).read_text("utf-8"))
        prompt = document["retry_prompt"]
        assert f"could not be applied to {h.world.repository.full_name} at {h.world.head(pull)[:7]}.\n" in prompt
        assert "````py\ndef total(items):\n    result = 0\n    return result\n````\n" in prompt
        assert document["next"] == ["editblocks retry -"]
        for text in (pull.reviews[0].body, done.summary):
            assert text.count(TITLE.format(1)) == 1
            assert f"\n`````text\n{prompt}\n`````\n" in text


LONGER: list[tuple[str, str, dict[str, str], str, int]] = [
    ("a block that failed", FAILS, {}, "failed", 7),
    ("a block that cannot be read", UNCLOSED, {}, "failed", 7),
    ("a file that is not there", block("none.py", "a", "b"), {}, "failed", 7),
    ("some of it, in part", f"{FITS}\n{FAILS}", {"partial": "true"}, "partial", 11),
    (
        "two files, one of them in part",
        f"{FITS}\n{block('far.py', 'value_7 = 8', 'x')}",
        {"partial": "true"},
        "partial",
        11,
    ),
]


@pytest.mark.parametrize(("claim", "body", "inputs", "state", "requests"), LONGER, ids=[row[0] for row in LONGER])
@pytest.mark.long(after=2)
def test_a_prompt_costs_no_request(
    tmp_path: Path, *, claim: str, body: str, inputs: dict[str, str], state: str, requests: int
) -> None:
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, "far.py": FAR.encode()})
        quiet = {"inline-comments": "0", **inputs}  # which take a look at the diff
        done = act(h, h.comment(pull, "octocat", body), tmp_path, quiet)
        assert (states(pull), len(done.names)) == ([state], requests), claim
        assert "<summary>Retry prompt for block" in pull.reviews[0].body
        applied = h.world.files(h.world.head(pull))["app.py"][1]
        assert applied == (APP_NEW if state == "partial" else APP)
