"""Every request that a run sends, with every answer that GitHub or the network may give instead of the right one.

The tables say what comes of it. Whatever it is: one commit at most, one status and one answer at most, never silence,
and the same event once more, without faults, ends where it should have ended.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.actionkit import Done
from support.hub import hub
from support.scene_requests import (
    ANSWER,
    ANSWERS,
    ANSWERS_THERE,
    COMMIT,
    COMPARE,
    CONTEXT,
    CREATE,
    EDIT,
    FILES,
    LIVE,
    MOVE,
    OBJECTS,
    REACT,
    REPLY,
    REQUESTS,
    RESOLVE,
    ROLE,
    SEE,
    SOURCE,
    SUGGESTIONS,
    TREE,
    UNSEE,
)
from support.scenes import FAULTS, SCENES, Left, Scene, pattern

# What may come of it:
#   fine     as without a fault
#   bare     the same without comments on lines
#   waits    no commit: the status says whose word is missing
#   line     no commit: a line in the status says that the command was refused
#   answer   no commit: a short answer says why
#   stale    no commit: the status says that something changed
#   quiet    no commit, and no words for somebody who is nobody here, or of a text that is gone: a reaction at most
#   refused  no commit, and the job fails: the status says why as well
#   both     no commit, and the job fails: a short answer says why as well
#   fails    nothing is done but that the job fails with one line
#   unsaid   what was to be done is done, and the job fails with one line, as the status cannot be written
#   said     everything is done, and the job fails with one line, as nobody can tell
Table = Mapping[str | tuple[str, str], str]
ANYHOW = "                                fine     fine     fine     fine     fine     fine"
# A fault that strikes once, by what it means. A row for a scene comes before the one for all.
ONCE: Table = {
    #                                     no       missing  conflict late     lost     garbled
    SEE: ANYHOW, UNSEE: ANYHOW, REACT: ANYHOW, OBJECTS: ANYHOW, RESOLVE: ANYHOW,
    SUGGESTIONS: "                        fails    fails    fails    fine     fine     fails",
    ("suggestions", ROLE): "              fails    quiet    fails    fine     fine     fails",
    ("block that fails", LIVE): ANYHOW, ("review that fails", LIVE): ANYHOW,
    ("skip", LIVE): ANYHOW, ("retry", LIVE): ANYHOW, ("edited source", LIVE): ANYHOW,
    ("review that fails", FILES): ANYHOW,
    ("review that fails", REPLY): "       bare     bare     bare     bare     fine     fine",
    CONTEXT: "                            fails    fine     fails    fine     fine     fine",
    ROLE: "                               waits    waits    waits    fine     fine     waits",
    ("apply", ROLE): "                    fails    line     fails    fine     fine     fails",
    ("skip", ROLE): "                     fails    line     fails    fine     fine     fails",
    ("retry", ROLE): "                    fails    line     fails    fine     fine     fails",
    ("edited source", ROLE): "            fails    line     fails    fine     fine     fails",
    ("stranger", ROLE): "                 fails    fine     fails    fine     fine     fails",
    ("undo", ROLE): "                     fails    line     fails    fine     fine     fails",
    ("undo with a conflict", ROLE): "     fails    line     fails    fine     fine     fails",
    ("help", ROLE): "                     fails    quiet    fails    fine     fine     fails",
    ("help in a thread", ROLE): "         fails    quiet    fails    fine     fine     fails",
    SOURCE: "                             fails    answer   fails    fine     fine     fails",
    ("undo", SOURCE): "                   fails    fine     fails    fine     fine     fails",
    ("undo with a conflict", SOURCE): "   fails    fine     fails    fine     fine     fails",
    ("started by hand", SOURCE): "        fails    fails    fails    fine     fine     fails",
    COMPARE: "                            fails    answer   answer   fine     fine     fails",
    ("undo with a conflict", COMPARE): "  fails    fine     fine     fine     fine     fails",
    LIVE: "                               refused  fine     refused  fine     fine     fine",
    ("undo", LIVE): "                     fails    fine     fails    fine     fine     fine",
    ("stranger", LIVE): "                 fails    fine     fails    fine     fine     fine",
    TREE: "                               refused  refused  refused  fine     fine     refused",
    ("undo", TREE): "                     both     fails    both     fine     fine     fails",
    COMMIT: "                             refused  refused  refused  fine     fine     refused",
    ("undo", COMMIT): "                   both     fails    both     fine     fine     fails",
    MOVE: "                               refused  refused  refused  fine     fine     fine",
    ("undo", MOVE): "                     both     both     both     fine     fine     fine",
    CREATE: "                             unsaid   unsaid   fine     fine     fine     fine",
    ("block that fails", CREATE): "       unsaid   unsaid   bare     fine     fine     fine",
    EDIT: "                               unsaid   unsaid   unsaid   fine     fine     fine",
    ("edited source", EDIT): "            both     both     both     fine     fine     fine",
    REPLY: "                              unsaid   unsaid   fine     fine     fine     fine",
    ("help in a thread", REPLY): "        fails    fails    fails    fine     fine     fine",
    FILES: "                              bare     bare     bare     fine     fine     bare",
    ANSWERS: "                            fails    fails    fails    fine     fine     fails",
    ANSWERS_THERE: "                      fails    fails    fails    fine     fine     fails",
    ANSWER: "                             fails    fails    fails    fine     fine     fine",
}  # fmt: skip
# A fault that does not pass, where that makes a difference.
FOR_EVER: Table = {
    #                                     no       missing  conflict late     lost     garbled
    SUGGESTIONS: "                        fails    fails    fails    fails    fails    fails",
    ("suggestions", ROLE): "              fails    quiet    fails    fails    fails    fails",
    ("block that fails", LIVE): ANYHOW, ("review that fails", LIVE): ANYHOW,
    ("skip", LIVE): ANYHOW, ("retry", LIVE): ANYHOW, ("edited source", LIVE): ANYHOW,
    ("review that fails", FILES): ANYHOW,
    ("review that fails", REPLY): "       bare     bare     bare     bare     fine     fine",
    CONTEXT: "                            fails    fails    fails    fails    fails    fails",
    ROLE: "                               waits    waits    waits    waits    waits    waits",
    ("apply", ROLE): "                    fails    line     fails    fails    fails    fails",
    ("skip", ROLE): "                     fails    line     fails    fails    fails    fails",
    ("retry", ROLE): "                    fails    line     fails    fails    fails    fails",
    ("edited source", ROLE): "            fails    line     fails    fails    fails    fails",
    ("stranger", ROLE): "                 fails    fine     fails    fails    fails    fails",
    ("undo", ROLE): "                     fails    line     fails    fails    fails    fails",
    ("undo with a conflict", ROLE): "     fails    line     fails    fails    fails    fails",
    ("help", ROLE): "                     fails    quiet    fails    fails    fails    fails",
    ("help in a thread", ROLE): "         fails    quiet    fails    fails    fails    fails",
    SOURCE: "                             fails    answer   fails    fails    fails    fails",
    ("undo", SOURCE): "                   fails    fine     fails    fails    fails    fails",
    ("undo with a conflict", SOURCE): "   fails    fine     fails    fails    fails    fails",
    ("started by hand", SOURCE): "        fails    fails    fails    fails    fails    fails",
    COMPARE: "                            fails    answer   answer   fails    fails    fails",
    ("undo with a conflict", COMPARE): "  fails    fine     fine     fails    fails    fails",
    LIVE: "                               refused  refused  refused  refused  refused  refused",
    ("undo", LIVE): "                     fails    fails    fails    fails    fails    fails",
    ("stranger", LIVE): "                 fails    fails    fails    fails    fails    fails",
    TREE: "                               refused  refused  refused  refused  refused  refused",
    ("undo", TREE): "                     both     fails    both     fails    fails    fails",
    COMMIT: "                             refused  refused  refused  refused  refused  refused",
    ("undo", COMMIT): "                   both     fails    both     fails    fails    fails",
    MOVE: "                               refused  refused  refused  refused  fine     fine",
    ("undo", MOVE): "                     both     both     both     fails    fine     fine",
    CREATE: "                             unsaid   unsaid   unsaid   unsaid   fine     fine",
    EDIT: "                               unsaid   unsaid   unsaid   unsaid   said     said",
    ("edited source", EDIT): "            both     both     both     both     said     said",
    REPLY: "                              unsaid   unsaid   unsaid   unsaid   fine     fine",
    ("help in a thread", REPLY): "        fails    fails    fails    fails    fine     fine",
    FILES: "                              bare     bare     bare     bare     bare     bare",
    ANSWERS: "                            fails    fails    fails    fails    fails    fails",
    ANSWERS_THERE: "                      fails    fails    fails    fails    fails    fails",
    ANSWER: "                             fails    fails    fails    fails    fine     fine",
}  # fmt: skip
ENDED = {"answer", "both", "quiet"}  # the answer, or the reaction, is the last word on the command


def promised(scene: str, step: str, kind: str, times: int) -> str:
    """What comes of it, in the words of the tables."""
    tables = (ONCE,) if times == 1 else (FOR_EVER, ONCE)
    keys: list[str | tuple[str, str]] = [(scene, step), step]
    word = next(table[key] for table in tables for key in keys if key in table).split()[list(FAULTS).index(kind)]
    return "fails" if word == "unsaid" and not SCENES[scene].commits else word


def came(scene: Scene, before: Left, done: Done, left: Left) -> str:
    """What came of it, in the same words; more words if it is nothing that may be."""
    is_kept = (left.commits, left.states) == (0, before.states)
    has_answer = is_kept and sum(left.answers.values()) == 1
    is_unsaid = left.commits == scene.commits and left.states == before.states
    said = left.texts[-1] if left.texts else ""
    facts = (
        (0, "fine", scene.is_end(left)),
        (0, "bare", scene.is_end(left, bare=True)),
        (0, "line", is_kept and left.refused == before.refused + 1),
        (0, "waits", (left.commits, left.states) == (0, ("checked",)) and "not-permitted" in said),
        (0, "answer", has_answer),
        (0, "stale", (left.commits, left.states) == (0, ("stale",))),
        (0, "quiet", is_kept and left.texts == before.texts),
        (2, "said", scene.is_end(left)),
        (2, "refused", (left.commits, left.states) == (0, ("refused",))),
        (2, "both", has_answer),
        (2, "fails", is_kept and left.texts == before.texts),
        (2, "unsaid", is_unsaid),
    )
    is_told = (done.code == 2) == (len(done.errors) == 1) and "Traceback" not in done.log
    words = [word for code, word, holds in facts if holds and code == done.code]
    return words[0] if words and is_told and left.is_single else f"{done.code}: {left} {done.log}"


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.long
def test_a_scene_without_faults(tmp_path: Path, name: str) -> None:
    scene = SCENES[name]
    with hub() as h:
        stage = scene.set_up(h, tmp_path)
        files = stage.left().files
        assert tuple(stage.run().names) == REQUESTS[name]
        left = stage.left()
        assert (scene.is_end(left), left.is_single) == (True, True), left
        assert left.files == {**files, **scene.changed}


def strike(folder: Path, name: str, step: str, fault: dict[str, Any], times: int) -> tuple[str, bool]:
    """What comes of a fault, and whether the same event ends well afterwards, nobody knows of anything twice."""
    scene = SCENES[name]
    with hub() as h:
        stage = scene.set_up(h, folder)
        before = stage.left()
        struck = h.fault(pattern(step), times=times, **fault)
        word = came(scene, before, stage.run(), stage.left())
        assert struck.seen, f"{step} was not sent"
        h.faults.clear()
        again, left = stage.run(), stage.left()
        is_end = (left.commits, list(left.states)) == (scene.commits, list(scene.states)) or word in ENDED
        whole = all(data in {before.files[path], scene.changed.get(path)} for path, data in left.files.items())
        return word, again.code == 0 and is_end and left.is_single and whole


# these are run every time, with one fault of each kind; all of them with --long
FAST = {("apply", EDIT), ("undo", MOVE), ("review", CONTEXT), ("help", ANSWER)}
CELLS = [
    pytest.param(name, step, times, every, id=f"{name}-{step.partition('{')[0]}-{times}", marks=marks)
    for name, steps in REQUESTS.items()
    for step in dict.fromkeys(steps)
    for times in (1, 99)
    for every, marks in ((False, ()) if times == 1 and (name, step) in FAST else (True, pytest.mark.long),)
]


@pytest.mark.parametrize(("name", "step", "times", "every"), CELLS)
@pytest.mark.table(parts=16)
@pytest.mark.long
def test_an_answer_that_is_not_the_right_one(tmp_path: Path, name: str, step: str, times: int, every: bool) -> None:
    wrong = []
    for kind, faults in FAULTS.items():
        for claim, fault in list(faults.items())[: None if every else 1]:
            word, ends_well = strike(tmp_path, name, step, fault, times)
            if (word, ends_well) != (promised(name, step, kind, times), True):
                wrong.append(f"{claim}: {word}, {'fine' if ends_well else 'bad'} in the end")
    assert not wrong, "\n".join(wrong)
