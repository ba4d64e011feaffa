"""An outcome as the JSON result, version 1: `results.schema.json` beside this file says what each member means.

Two members that the schema does not know, but allows, are there only if there is something to say:
`refusal` if a person, a branch or the server said no (`{"code": …, "reason": …}`), and `unbalanced` if the
markers do not come in pairs (`"3 SEARCH, 2 REPLACE"`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from editblocks.core.blocks import Note
from editblocks.core.codes import EditStatus
from editblocks.core.digests import block_digest, response_digest
from editblocks.core.model import Candidate, Difference, EditResult
from editblocks.report.command_risk import suggestions
from editblocks.report.tools.block_texts import BlockTexts, place_text
from editblocks.report.tools.tool_report import Report
from editblocks.report.view import APPLIED, READY, OutcomeView, Row, strategy_words

CANDIDATES = 50
_LINE_LIMIT, _PREVIEW_LIMIT = 200, 50
_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_SURROGATES = re.compile("[\ud800-\udfff]")


def dumps(value: Mapping[str, object]) -> str:
    """Write JSON, two spaces deep, ending with a line end; ASCII only, so that no terminal obeys or breaks it."""
    return _safe(json.dumps(_readable(value), indent=2, ensure_ascii=True))


def dumps_line(value: Mapping[str, object]) -> str:
    """As `dumps`, on one line: a record of JSON Lines."""
    return _safe(json.dumps(_readable(value), separators=(",", ":"), ensure_ascii=True))


def _safe(text: str) -> str:
    # The runner of GitHub Actions sees a command in `##[`, wherever it stands in a line.
    return text.replace("##[", "#\\u0023[") + "\n"


def document(report: Report) -> dict[str, object]:
    """The whole result, for `dumps`."""
    view, outcome, result = report.view, report.view.outcome, report.view.result
    members: dict[str, object] = {
        "schema_version": 1,
        "tool": {"name": "editblocks", "version": report.version},
        "command": report.command,
        "mode": report.mode,
        "outcome": _word(view, report.mode),
        "written": outcome.written,
        "target": _target(report),
        "sources": [_source(view)],
        "summary": _summary(view),
        "blocks": [_block(row, view) for row in view.rows],
        "notes": [_note(note) for note in result.notes],
        "shell_suggestions": [
            {"command": command, "risk": risk} for command, risk in suggestions(result.shell_suggestions)
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
    texts = BlockTexts(report.view)
    for block, row in zip(members["blocks"], report.view.rows, strict=True):
        block.update(texts.of(row))
        for place, candidate in zip(block["candidates"], row.result.candidates if row.result else (), strict=False):
            place.update(place_text(candidate))
            if candidate.pick is not None and report.choosing and not row.is_changed:
                place["command"] = f"{report.choosing}{candidate.pick}"


def _word(view: OutcomeView, mode: str) -> str:
    if not view.result.rows:
        return "empty"
    if view.result.ok:
        return "ok"
    stopped = view.outcome.refusal is not None and not view.outcome.written
    is_partial = not stopped and (view.outcome.ok or view.result.counts["applied"])
    return "partial" if mode == "partial" and is_partial else "failed"


def _target(report: Report) -> dict[str, object]:
    outcome = report.view.outcome
    oids = {"head": outcome.head, "base": outcome.result.base, "commit": outcome.commit}
    known = {name: oid if oid is not None and _OID.fullmatch(oid) else None for name, oid in oids.items()}
    return {**_without_none(report.target), **known}


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
        "files_modified": list(view.result.contents),
        "lines_added": added,
        "lines_removed": removed,
    }


def _block(row: Row, view: OutcomeView) -> dict[str, object]:
    """What every row has; `_result` has the rest, and replaces what a block that cannot be read has not."""
    lines = {"start_line": row.line_number, "end_line": row.block.end_line}
    return {
        "number": row.number,
        "id": None,
        "status": "failed",
        "code": row.code.value if row.code else None,
        "ok": row.ok,
        "verdict": row.word,
        "written": False,
        "path": row.path,
        "format": row.block.format,
        "operation": None,
        "reason": None if row.word in (READY, APPLIED) else row.reason(),
        **dict.fromkeys(("strategy", "confidence", "similarity", "estimated_line", "location")),
        "candidates": [],
        "first_difference": None,
        "source": {"id": row.response.source.id, **lines},
        "notes": [_note(note) for note in (row.result or row.block).notes],
        **({} if row.result is None else _result(row.result, view.outcome.written)),
    }


def _result(result: EditResult, written: bool) -> dict[str, object]:
    block, span = result.block, result.span
    return {
        "id": block_digest(block)[:8],
        "status": result.status.value,
        "written": written and result.status is EditStatus.APPLIED,
        "operation": block.operation,
        **({"new_path": block.new_path} if block.new_path else {}),
        "without": list(result.without),
        "fits_without": None if result.trial is None else result.trial.ok,
        "strategy": result.strategy,
        "how": strategy_words(result) if result.status is EditStatus.APPLIED else None,
        "confidence": result.confidence,
        "chosen": result.chosen,
        "similarity": result.similarity,
        "estimated_line": result.estimated_line,
        "location": None if span is None else {"start_line": span[0] + 1, "end_line": span[1]},
        "candidates": [_candidate(candidate) for candidate in result.candidates[:CANDIDATES]],
        "candidates_total": max(result.candidates_total, len(result.candidates)),
        "first_difference": _difference(result.first_difference),
        "anchor_preview": _preview(block.anchor),
        "old_preview": _preview(block.old_lines),
        "new_preview": _preview(block.new_lines),
        "lines_added": result.lines_added,
        "lines_removed": result.lines_removed,
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "similarity": candidate.similarity,
        "pick": candidate.pick,
        **_after(candidate.after),
    }


def _after(blocks: tuple[int, ...]) -> dict[str, object]:
    return {"after": list(blocks)} if blocks else {}


def _difference(difference: Difference | None) -> dict[str, object] | None:
    if difference is None:
        return None
    return {
        "line": difference.line,
        "column": difference.column,
        "expected": difference.expected[:_LINE_LIMIT],
        "actual": None if difference.actual is None else difference.actual[:_LINE_LIMIT],
        "section": difference.section,
        **_after(difference.after),
    }


def _note(note: Note) -> dict[str, object]:
    return {"code": note.code, "message": note.message, **_without_none({"line_number": note.line_number})}


def _readable(value: object) -> object:
    """The same value without halves of characters: they have no place in JSON, and strict readers refuse the text."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {name: _readable(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [_readable(item) for item in value]
    return value


def _preview(section: str) -> str:
    return section.split("\n", 1)[0][:_PREVIEW_LIMIT]
