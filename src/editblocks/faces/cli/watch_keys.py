"""`watch` on a terminal: the table is drawn again whenever something has changed, and keys are obeyed."""

from __future__ import annotations

import sys

from editblocks.core.errors import EditBlocksError
from editblocks.core.outcome import Outcome
from editblocks.core.phrases import blocks, plural
from editblocks.faces.cli.watch import TICK, Call
from editblocks.faces.common.clipboard import copy
from editblocks.faces.common.terminal import FINE, NOT_OK, has_color, has_unicode, show_exactly
from editblocks.faces.interactive.screen import Screen, keyboard, pressed, was_stopped
from editblocks.prompts.retry import no_blocks_prompt
from editblocks.report.terminal.live import live_lines
from editblocks.report.terminal.short import notes
from editblocks.report.view import OutcomeView

_KEYS = "a applies, r copies the retry prompt, q quits"


def at_terminal(call: Call) -> int | None:
    """Show the table until a person quits or applies it; the exit code, None if no key can be read."""
    with keyboard(is_stdin_read=call.source == "-") as keys:
        return None if keys is None else _Table(call, keys).show_all()


class _Table:
    def __init__(self, call: Call, keys: int) -> None:
        self._call, self._watched, self._keys = call, call.watched, keys
        self._screen = Screen(sys.stdout)
        self._answer, self._is_about = "", call.watched.state  # to the last key, and what it was about
        self._too_early = ""  # the last key, if it came while the response was still being written
        self._starts = 0

    def show_all(self) -> int:
        while True:
            self._watched.look()
            self._forget()
            if was_stopped(self._keys):
                self._screen.forget()
            self._draw()
            for key in pressed(self._keys) if self._call.outside.wait([self._keys], TICK) else "":
                code = self._obey(key)
                if code is not None:
                    return code

    def _forget(self) -> None:
        """Leave out an answer about what is not so any more."""
        starts, before = self._watched.starts, self._starts
        if self._is_about != self._watched.state:
            self._answer, self._is_about = "", self._watched.state
            if self._too_early and not self._watched.is_growing:
                self._answer = f"{self._watched.name} is complete, as it seems; press {self._too_early}"
        if starts > before:
            self._starts = starts
            self._answer = f"{self._watched.name} was written anew" if before else ""

    def _draw(self) -> None:
        watched, color = self._watched, self._call.request.color
        size, unicode = self._screen.size, has_unicode(sys.stdout)
        told = notes(watched.view).splitlines() if watched.view is not None and watched.reading is None else ()
        below = [*told, *filter(None, [self._state(), self._answer]), _KEYS]
        self._screen.draw(
            live_lines(watched.view, watched.reading, below, size, unicode=unicode, color=has_color(sys.stdout, color))
        )

    def _state(self) -> str:
        watched = self._watched
        if watched.data is None:
            return f"there is no {watched.name} {'now' if self._starts else 'yet'}; waiting for it"
        refusal = watched.view.outcome.refusal if watched.view is not None else None
        if watched.trouble or refusal is not None:
            return watched.trouble or (refusal.reason if refusal is not None else "")
        if watched.reading is not None or (watched.view is not None and watched.view.rows):
            return ""
        lines = watched.data.count(b"\n")
        return f"{plural(lines, 'line')} read, no edit block yet"

    def _obey(self, key: str) -> int | None:
        """Do what a key asks for; the exit code if that was the last one."""
        if key == "q":
            self._screen.clear()
            return self._call.report() if self._watched.data is not None else NOT_OK
        if key not in ("a", "r"):
            return None
        self._answer = self._not_now(key)
        self._too_early = key if self._answer and self._watched.is_growing else ""
        if self._answer:
            return None
        self._screen.clear()
        try:
            if key == "a":
                return self._apply()
            self._retry()
        except EditBlocksError as error:
            self._answer = error.message
        return None

    def _not_now(self, key: str) -> str:
        """Why nothing can be done yet, or nothing."""
        watched = self._watched
        watched.look()
        if watched.data is None:
            return f"there is no {watched.name}"
        if watched.is_growing:
            return f"{watched.name} is still being written; press {key} once it is complete"
        if key == "a" and watched.reading is not None:
            return f"block {watched.reading.number} is still open, so nothing is written"
        return ""

    def _apply(self) -> int | None:
        outcome, self._answer = self._call.apply()
        if outcome.written:
            return FINE if outcome.ok else NOT_OK
        if outcome.result.rows:
            self._watched.view = OutcomeView(outcome)  # a file may have changed since the rows were made
        return None

    def _retry(self) -> None:
        outcome = self._call.plan(self._watched.data or b"")
        prompt, what = _prompt(outcome)
        if not prompt:
            self._answer = "no block failed, so there is nothing to ask again"
            return
        told = f"retry prompt{what}, {len(prompt):,} characters"
        try:
            copy(prompt)
            self._answer = f"{told}, in the clipboard"
        except EditBlocksError as error:
            show_exactly(f"{prompt}\n".encode("utf-8", "replace"))
            self._answer = f"{told}, printed above: {error.message}"


def _prompt(outcome: Outcome) -> tuple[str, str]:
    if not outcome.result.rows and outcome.refusal is None:
        return no_blocks_prompt(outcome.response.text), ""
    return outcome.retry_prompt, f" for {blocks(outcome.retry_blocks)}" if outcome.retry_blocks else ""
