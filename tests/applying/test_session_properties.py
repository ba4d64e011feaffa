"""A session gives the files that its calls gave, whichever tool recorded it: those that failed change nothing."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.sessionkit import (
    ROOT,
    began,
    came_of,
    chat,
    failed,
    function,
    item,
    lines,
    model,
    put_out,
    tool,
    used,
    user,
)

from editblocks import EditStatus, apply_response

FILES = ("a.py", "src/b.py")
COUNT = 4  # lines of a file
Steps = list[tuple[str, int, bool]]  # file, line, whether it fails
STEPS = st.lists(st.tuples(st.sampled_from(FILES), st.integers(0, COUNT - 1), st.booleans()), min_size=1, max_size=8)


def line(path: str, number: int, version: int) -> str:
    return f"{path} line {number} version {version}\n"


def run(steps: Steps) -> tuple[list[tuple[dict[str, Any], bool]], dict[str, bytes]]:
    """The arguments of each call and whether it failed, and the files at the end."""
    versions = {(path, number): 0 for path in FILES for number in range(COUNT)}
    calls = []
    for path, number, fails in steps:
        old = versions[path, number]
        if fails:
            old += 100  # what the model only believes to be there
        new = line(path, number, old + 1)
        calls.append(({"file_path": path, "old_string": line(path, number, old), "new_string": new}, fails))
        if not fails:
            versions[path, number] += 1
    texts = {path: "".join(line(path, number, versions[path, number]) for number in range(COUNT)) for path in FILES}
    return calls, {path: text.encode() for path, text in texts.items()}


def absolute(keys: dict[str, Any]) -> dict[str, Any]:
    return {**keys, "file_path": f"{ROOT}/{keys['file_path']}"}


def of_claude(calls: list[tuple[dict[str, Any], bool]]) -> str:
    def records() -> Iterator[object]:
        for number, (keys, fails) in enumerate(calls):
            yield used(f"t{number}", **absolute(keys))
            yield failed(f"t{number}") if fails else came_of(f"t{number}")

    return lines(*records(), {"type": "summary", "summary": "done"})


def of_codex(calls: list[tuple[dict[str, Any], bool]]) -> str:
    def records() -> Iterator[object]:
        yield began()
        for number, (keys, fails) in enumerate(calls):
            yield item("function_call", call_id=f"c{number}", name="edit", arguments=json.dumps(keys))
            yield put_out(f"c{number}", f"Exit code: {int(fails)}\nOutput:\n", "function_call")

    return lines(*records())


def of_chat(calls: list[tuple[dict[str, Any], bool]]) -> str:
    """All calls in one message, the results in the opposite order."""
    made = model("now", tool_calls=[function(f"c{number}", **keys) for number, (keys, _) in enumerate(calls)])
    results = [tool(f"c{number}", "patch rejected" if fails else "ok") for number, (_, fails) in enumerate(calls)]
    return chat(user("edit"), made, *reversed(results))


def of_gemini(calls: list[tuple[dict[str, Any], bool]]) -> str:
    """Without ids: results are in the order of the calls."""
    made = [{"functionCall": {"name": "replace", "args": keys}} for keys, _ in calls]
    results = [
        {"functionResponse": {"name": "replace", "response": {"error": "no"} if fails else {"output": "ok"}}}
        for _, fails in calls
    ]
    return chat({"role": "model", "parts": made}, {"role": "user", "parts": results})


@given(STEPS, st.sampled_from([of_claude, of_codex, of_chat, of_gemini]))
def test_a_session_gives_the_files_that_its_calls_gave(
    steps: Steps, record: Callable[[list[tuple[dict[str, Any], bool]]], str]
) -> None:
    calls, after = run(steps)
    session = record(calls)
    before = {path: "".join(line(path, number, 0) for number in range(COUNT)).encode() for path in FILES}
    result = apply_response(session, before.get)
    assert {**before, **result.contents} == after
    assert len(result.results) == sum(not fails for _, fails in calls)
    assert not result.problems
    assert all(row.status is EditStatus.APPLIED for row in result.results)
    where_it_ran = apply_response(session, after.get)
    assert all(row.ok for row in where_it_ran.results)
    assert not where_it_ran.contents
