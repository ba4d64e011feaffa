"""`editblocks convert`: the plan in another form, read once more before it is printed."""

from __future__ import annotations

from collections.abc import Mapping

from editblocks.applying.engine import apply_response
from editblocks.core.model import ApplyResult
from editblocks.core.settings import Settings
from editblocks.report.convert import FORMS, Form, refusal
from editblocks.report.diff import FileChange, file_changes

_CONTEXTS = (3, 24, 1 << 30)  # lines around each change; the last is the whole file


def convert(result: ApplyResult, target: str, settings: Settings) -> tuple[bytes, list[str]]:
    """The ready blocks of a plan in the form `target`, or why they cannot be said in it: then nothing is.

    Each text is applied by our own reader first, to the old files and to the new ones: it has to give the new bytes,
    and then nothing more.
    """
    form = FORMS[target]
    settings = settings._replace(matching="exact", formats=(), max_response_bytes=1 << 40, max_blocks=1 << 30)
    texts, reasons = [], []
    for change in file_changes(result):
        reason = refusal(form, change)
        text = None if reason else _exact(form, change, settings)
        if text is None:
            reasons.append(reason or f"{form.name} cannot say exactly what becomes of {change.path}")
        else:
            texts.append(text)
    return (b"", reasons) if reasons else (form.join(texts).encode(), [])


def _exact(form: Form, change: FileChange, settings: Settings) -> str | None:
    """The text for one file, with as many lines around the changes as it needs; None if no number does."""
    before = {change.old_path: change.old, change.path: change.old if change.old_path == change.path else None}
    after = {change.old_path: None, change.path: change.new}
    texts = dict.fromkeys(form.write(change, context) for context in _CONTEXTS)
    return next((text for text in texts if _gives(form.join([text]), before, after, settings)), None)


def _gives(
    text: str, before: Mapping[str, bytes | None], after: Mapping[str, bytes | None], settings: Settings
) -> bool:
    first, second = (apply_response(text, files.get, settings) for files in (before, after))
    return first.ok and {**before, **first.contents} == after and not second.contents
