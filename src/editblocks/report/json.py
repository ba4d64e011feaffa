"""Write an outcome as the JSON result, version 1. `results.schema.json` beside this file explains each member.

Two members are written only when they have a value. The schema allows them without naming them: `refusal` if a
person, a branch or the server refused (`{"code": …, "reason": …}`), and `unbalanced` if the markers do not come in
pairs (`"3 SEARCH, 2 REPLACE"`).

If texts are asked for, each block also holds its change as a unified diff, for people and pages to read. The diff is
that of the block without the others, against the file as it was read, and long lines are cut. Page:
docs/reference/output.md, "text of blocks".
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from editblocks.core.blocks import EditBlock, Note, section_lines
from editblocks.core.characters import SURROGATE, cut_middle
from editblocks.core.codes import EditStatus
from editblocks.core.digests import response_digest
from editblocks.core.mismatch import Candidate, Difference
from editblocks.core.model import EditResult
from editblocks.core.selection import mark_left_out
from editblocks.matching.block_readings import readings
from editblocks.report.diff import hunks
from editblocks.report.view import CLOSEST, OutcomeView, Row, source_name, strategy_words, suggested_commands
from editblocks.text.source_text import SourceText

_CANDIDATES = 50
_CONTEXT = 10  # lines above and below the change of a block
_LONGEST_LINE = 10_000
_PLACE_LINES = 20
_PLACE_LINE = 400
_LINE_LIMIT = 200
_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


class Report(NamedTuple):
    """The input of every format of `--format`. `command` and `mode` are words of `results.schema.json`.

    `following` are the commands that a person may type next. `path` is the response file's path from the root; None if
    it is not in the repository. `target` is what the blocks were checked against: `kind` (worktree, index, commit,
    pull-request or memory), `repository`, `pull_request`, `ref`.
    """

    view: OutcomeView
    command: str = "check"
    mode: str = "all-or-nothing"
    target: Mapping[str, object] = MappingProxyType({})
    version: str = ""
    following: Sequence[str] = ()
    path: str | None = None
    meanings: Mapping[str, str] = MappingProxyType({})  # what each code means, for formats that show rules
    has_texts: bool = False  # the JSON result also holds the text of blocks and places
    choosing: str = ""  # the start of a command, up to the pick of a place; empty if no such command would work

    @property
    def name(self) -> str:
        """The name of the response: its path, or where it came from. Foreign text."""
        return self.path or source_name(self.view.outcome.response.source)

    @property
    def chosen(self) -> OutcomeView:
        """The view without the failures of blocks that were not selected: the exit code ignores them."""
        outcome = self.view.outcome
        return OutcomeView(outcome._replace(result=mark_left_out(outcome.result, outcome.not_selected)))


def dumps(value: Mapping[str, object]) -> str:
    """Write JSON, indented by two spaces, with a line end. It is ASCII, so no terminal can obey or break it."""
    return _safe(json.dumps(_without_surrogates(value), indent=2, ensure_ascii=True))


def dumps_line(value: Mapping[str, object]) -> str:
    """As `dumps`, on one line: a record of JSON Lines."""
    return _safe(json.dumps(_without_surrogates(value), separators=(",", ":"), ensure_ascii=True))


def _safe(text: str) -> str:
    # The runner of GitHub Actions takes `##[` for a command anywhere in a line.
    return text.replace("##[", "#\\u0023[") + "\n"


def document(report: Report) -> dict[str, object]:
    """Return the whole result, for `dumps`."""
    view = report.view
    outcome = view.outcome
    result = view.result
    mode = report.mode
    if outcome.written and not result.ok:  # a selection that was written as a whole is not partial
        mode = "partial"
    members: dict[str, object] = {
        "schema_version": 1,
        "tool": {"name": "editblocks", "version": report.version},
        "command": report.command,
        "mode": mode,
        "outcome": _outcome_word(view, mode),
        "written": outcome.written,
        "target": _target(report),
        "sources": [_source(view)],
        "summary": _summary(view),
        "blocks": [_block(row, view) for row in view.rows],
        "notes": [_note(note) for note in result.notes],
        "shell_suggestions": [
            {"command": command, "risk": risk} for command, risk in suggested_commands(result.shell_suggestions)
        ],
        "retry_prompt": outcome.retry_prompt or None,
        "next": list(report.following),
    }
    if report.has_texts:
        _add_texts(members, report)
    if outcome.refusal is not None:
        members["refusal"] = {"code": outcome.refusal.code.value, "reason": outcome.refusal.reason}
    if result.unbalanced:
        members["unbalanced"] = result.unbalanced
    return members


def _add_texts(members: Mapping[str, Any], report: Report) -> None:
    """Add the text of blocks and places, and the commands that choose a place."""
    originals = report.view.result.originals

    @cache
    def head(path: str) -> Sequence[str]:
        """Return the lines of a file before the plan; empty if the plan does not change it."""
        return SourceText.decode(originals.get(path) or b"").lines

    for block, row in zip(members["blocks"], report.view.rows, strict=True):
        if row.result is None:
            continue
        block.update(_texts(row.result.trial or row.result, partial(head, row.head_path or "")))
        for place, candidate in zip(block["candidates"], row.result.candidates, strict=False):
            text = "\n".join(_cut_place(candidate.lines[:_PLACE_LINES]))
            place |= {"text": text, "within": candidate.within or None}
            place |= {"above": _cut_place(candidate.above), "below": _cut_place(candidate.below)}
            if candidate.pick is not None and report.choosing and not row.is_changed:
                place["command"] = f"{report.choosing}{candidate.pick}"


def _texts(result: EditResult, head: Callable[[], Sequence[str]]) -> dict[str, object]:
    """Return `diff` and, if SEARCH is not in the file, `closest_diff`: from SEARCH to the most similar text."""
    if result.written is not None:
        return {"diff": _in_place(result, *result.written, head)}
    searched, wanted = _sections(result.block)
    texts: dict[str, object] = {"diff": _diff(searched, wanted)}
    if result.code in CLOSEST and result.candidates and result.candidates[0].lines:
        place = result.candidates[0]
        texts["closest_diff"] = _diff(searched, place.lines, (0, place.start_line - 1), len(searched))
    return texts


def _in_place(result: EditResult, old: Sequence[str], new: Sequence[str], head: Callable[[], Sequence[str]]) -> str:
    if result.span is None:
        start = (result.estimated_line or 1) - 1
        return _diff(old, new, (start, start))
    start, stop = result.span
    first = max(0, start - _CONTEXT)
    above = head()[first:start]
    below = head()[stop : stop + _CONTEXT]
    return _diff([*above, *old, *below], [*above, *new, *below], (first, first))


def _sections(block: EditBlock) -> tuple[Sequence[str], Sequence[str]]:
    if block.splits:
        reading = readings(block)[0]
        return reading.search, reading.replace
    return section_lines(block.search), section_lines(block.replace)


def _diff(old: Sequence[str], new: Sequence[str], above_them: tuple[int, int] = (0, 0), context: int = _CONTEXT) -> str:
    return "".join(hunks(_cut_lines(old), _cut_lines(new), context, above_them))


def _cut_place(lines: Sequence[str]) -> list[str]:
    return [cut_middle(line, _PLACE_LINE) for line in lines]


def _cut_lines(lines: Sequence[str]) -> list[str]:
    return [f"{cut_middle(line, _LONGEST_LINE)}\n" for line in lines]


def _outcome_word(view: OutcomeView, mode: str) -> str:
    if not view.result.rows:
        return "empty"
    if view.result.ok:
        return "ok"
    stopped = view.outcome.refusal is not None and not view.outcome.written
    if mode == "partial" and not stopped and (view.outcome.ok or view.result.counts["applied"]):
        return "partial"
    return "failed"


def _target(report: Report) -> dict[str, object]:
    outcome = report.view.outcome
    ids = {"head": _full_id(outcome.head), "base": _full_id(outcome.result.base), "commit": _full_id(outcome.commit)}
    return {**_without_none(report.target), **ids}


def _full_id(commit: str | None) -> str | None:
    if commit is None or not _OID.fullmatch(commit):
        return None
    return commit


def _without_none(members: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _source(view: OutcomeView) -> dict[str, object]:
    source = view.outcome.response.source
    return {
        "id": source.id,
        "kind": source.kind,
        **_without_none({"uri": source.uri, "author": source.author, "path": source.path}),
        "sha256": response_digest(view.outcome.response),
        "formats": list(dict.fromkeys(row.block.format for row in view.rows if row.block.format is not None)),
    }


def _summary(view: OutcomeView) -> dict[str, object]:
    codes = Counter(row.code.value for row in view.result.rows if row.code is not None)
    _, added, removed = view.change
    return {
        **view.result.counts,
        "by_code": dict(codes),
        "verdicts": dict(view.counts),
        "files_modified": view.result.files_modified,
        "lines_added": added,
        "lines_removed": removed,
    }


def _block(row: Row, view: OutcomeView) -> dict[str, object]:
    """Return the members that every row has. For a block that was read, `_result` overrides some and adds the rest."""
    members = {
        "number": row.number,
        "id": None,
        "status": "failed",
        "code": row.code and row.code.value,
        "ok": row.ok,
        "verdict": row.word,
        "written": False,
        "path": row.path,
        "format": row.block.format,
        "operation": None,
        "reason": None if row.fits else row.reason(),
        **dict.fromkeys(("strategy", "confidence", "similarity", "estimated_line", "location")),
        "candidates": [],
        "first_difference": None,
        "source": {"id": row.response.source.id, "start_line": row.line_number, "end_line": row.block.end_line},
        "notes": [_note(note) for note in (row.result or row.block).notes],
    }
    if row.result is not None:
        members |= _result(row.result, view.outcome.written)
    return members


def _result(result: EditResult, written: bool) -> dict[str, object]:
    block = result.block
    is_applied = result.status is EditStatus.APPLIED
    members: dict[str, object] = {
        "id": block.digest[:8],
        "status": result.status.value,
        "written": written and is_applied,
        "operation": block.operation,
    }
    if block.new_path:
        members["new_path"] = block.new_path
    return members | {
        "without": list(result.without),
        "fits_without": result.trial and result.trial.ok,
        "strategy": result.strategy,
        "how": strategy_words(result) if is_applied else None,
        "confidence": result.confidence,
        "chosen": result.chosen,
        "similarity": result.similarity,
        "estimated_line": result.estimated_line,
        "location": result.span and {"start_line": result.span[0] + 1, "end_line": result.span[1]},
        "candidates": [_candidate(candidate) for candidate in result.candidates[:_CANDIDATES]],
        "candidates_total": max(result.candidates_total, len(result.candidates)),
        "first_difference": _difference(result.first_difference),
        "anchor_preview": result.anchor_preview,
        "old_preview": result.old_preview,
        "new_preview": result.new_preview,
        "lines_added": result.lines_added,
        "lines_removed": result.lines_removed,
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "similarity": candidate.similarity,
        "pick": candidate.pick,
        **_without_none({"after": list(candidate.after) or None}),
    }


def _difference(difference: Difference | None) -> dict[str, object] | None:
    if difference is None:
        return None
    return {
        "line": difference.line,
        "column": difference.column,
        "expected": difference.expected[:_LINE_LIMIT],
        "actual": difference.actual and difference.actual[:_LINE_LIMIT],
        "section": difference.section,
        **_without_none({"after": list(difference.after) or None}),
    }


def _note(note: Note) -> dict[str, object]:
    return {"code": note.code, "message": note.message, **_without_none({"line_number": note.line_number})}


def _without_surrogates(value: object) -> object:
    """Replace lone surrogates with U+FFFD, because strict JSON parsers refuse them."""
    if isinstance(value, str):
        return re.sub(SURROGATE, "\ufffd", value)
    if isinstance(value, Mapping):
        return {name: _without_surrogates(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [_without_surrogates(item) for item in value]
    return value
