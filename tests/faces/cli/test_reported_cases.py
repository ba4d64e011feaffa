"""Cases that were rebuilt from public bug reports about tools that apply edits: tests/data/reports/README.md."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from support import gitkit
from support.applykit import make_shop, runner
from support.gitkit import EXECUTABLE, FILE, LINK, Entry, read_folder
from support.project import DATA

Case = dict[str, Any]
CASES: list[Case] = [json.loads(line) for line in (DATA / "reports" / "cases.jsonl").read_bytes().split(b"\n") if line]


def data(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else b64decode(value["b64"])


def entry(value: Any) -> Entry:
    if isinstance(value, dict) and "link" in value:
        return LINK, value["link"].encode()
    is_executable = isinstance(value, dict) and value.get("mode") == "755"
    return EXECUTABLE if is_executable else FILE, data(value)


def wanted(before: dict[str, Entry], files: dict[str, Any]) -> dict[str, Entry]:
    """The files as they must be; a file keeps its mode if the case does not say otherwise."""
    after = dict(before)
    for path, value in files.items():
        after.pop(path, None)
        if value is not None:
            mode, content = entry(value)
            is_told = isinstance(value, dict) and ("mode" in value or "link" in value)
            after[path] = (mode if is_told or path not in before else before[path][0], content)
    return after


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.long(after=5)
def test_a_reported_case(
    case: Case, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path, monkeypatch, {path: entry(value) for path, value in case["files"].items()})
    gitkit.git(shop, "add", "--renormalize", "-A")  # attributes of the case count, as where people add files
    gitkit.git(shop, "commit", "-q", "--allow-empty", "-m", "before")
    gitkit.git(shop, "switch", "-q", "-c", "work")
    for path, value in case.get("dirty", {}).items():
        (shop / path).write_bytes(data(value))
    before = read_folder(shop)
    reply = tmp_path / "reply.md"
    reply.write_bytes(data(case["response"]))
    run = runner(capfd, monkeypatch)
    shared = [option for option in case["options"] if option != "--commit"]
    report = json.loads(run("check", *shared, "--format", "json", str(reply)).out or "{}")
    codes = {row["code"] for row in report.get("blocks", ()) if row["code"]} | {report.get("code")}
    ran = run("apply", *case["options"], str(reply))
    said, after = ran.out + ran.err, read_folder(shop)
    outcomes = [case["expect"], *case["expect"].get("or", [])]
    assert any(
        ran.code == outcome["exit"] and after == wanted(before, outcome["files"]) and is_said(outcome, codes, said)
        for outcome in outcomes
    ), (ran.code, codes, said, after)


def is_said(outcome: Case, codes: set[str | None], said: str) -> bool:
    """Whether the reason is given, and every phrase of the case stands in what is printed."""
    reason = outcome["reason"]
    reasons = reason if isinstance(reason, list) else [reason]
    is_told = reason is None or any(each in codes or f"{each}:" in said for each in reasons)
    return is_told and all(phrase in said for phrase in outcome.get("says", ()))
