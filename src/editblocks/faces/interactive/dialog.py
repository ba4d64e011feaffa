"""`apply -i`: each block is shown and asked about, with the words of `git add -p`; nothing is written meanwhile.

A block is planned on what was said yes to before it, so that declining one shows at once what becomes of the
later ones of its file. Page: docs/reference/command-line.md, "one by one".
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from editblocks.faces.interactive.choices import Choices
from editblocks.faces.interactive.snapshot import Snapshot
from editblocks.faces.interactive.terminal import Asker, terminal
from editblocks.faces.interactive.texts import MOST_PLACES, Question, body, header, help_text, list_places
from editblocks.report.escape import visible
from editblocks.report.wording import source_name
from editblocks.run.flow import ApplyRequest, Repo

_SHOWN = 60  # characters of an answer that was not understood


def choose(
    request: ApplyRequest,
    open_repo: Callable[[], Repo],
    *,
    color: str = "auto",
    heading: bool = False,
    asker: Asker | None = None,
) -> tuple[ApplyRequest, bool]:
    """The request with the blocks and places that a person says yes to, and whether no more questions are wanted.

    `heading`: say first which response it is. The request comes back with a refusal if a file that it would change is
    no longer what was shown. Raises `UsageError` if there is no terminal, what planning raises, and
    `KeyboardInterrupt`.
    """
    choices = Choices(request, Snapshot(open_repo()))
    if not choices.numbers:
        return request, False  # there is nothing to ask about
    with ExitStack() as stack:
        if asker is None:
            is_stdin_read = request.response.source.kind == "stdin"
            asker = stack.enter_context(terminal(is_stdin_read=is_stdin_read, color=color))
        if heading:
            asker.show(f"{visible(source_name(request.response.source))}:\n")
        is_over = Dialog(choices, asker).hold()
    return choices.chosen(open_repo), is_over


class Dialog:
    """Asks about every block in reading order, until the person stops; the end of input is that too, as in git."""

    def __init__(self, choices: Choices, asker: Asker) -> None:
        self._choices = choices
        self._asker = asker
        self._rest: dict[str | None, str] = {}  # path → what was said of all its later blocks, "a" or "d"
        self._ready: set[int] = set()  # blocks of those files that are ready

    def hold(self) -> bool:
        """Ask until there is an answer for every block, or the person stops, and tell that.

        Raises what planning raises.
        """
        return not all(self._is_answered_for(number) or self._ask(number) for number in self._choices.numbers)

    def _is_answered_for(self, number: int) -> bool:
        """Whether an answer about its file decides this block as well."""
        rest = self._rest.get(self._choices.path(number))
        if rest == "d":
            self._choices.decline(number)
            return True
        if rest == "a" and number not in self._ready:
            self._ready.update(self._choices.ready_from(number))
        if number in self._ready:
            self._choices.take(number)
        return number in self._ready

    def _ask(self, number: int) -> bool:
        """Ask about one block until there is an answer; False if the person stops."""
        question = self._show(number)
        if question.row.ok and not question.is_ready:  # it changes nothing, so there is nothing to ask
            self._choices.take(number)
            return True
        while True:
            answer = self._asker.ask(f"apply this block [{','.join(question.keys)}]?")
            key = "q" if answer is None else answer.lower()
            if key == "q":
                return False
            if len(key) == 1 and key in question.keys and key in "ynad":
                self._obey(question, key)
                return True
            if key == "p" and key in question.keys:
                question = self._show(number) if self._pick(question) else question
            elif key:
                wrong = "" if key == "?" else f"`{visible(key[:_SHOWN])}` is none of these keys\n"
                self._asker.show(wrong + help_text(question))

    def _show(self, number: int) -> Question:
        question, color = self._choices.question(number), self._asker.color
        text = "" if question.row.ok and not question.is_ready else body(question, color=color)
        self._asker.show(header(question, color=color) + text)
        return question

    def _obey(self, question: Question, key: str) -> None:
        if key in "ad":
            self._rest[question.row.path] = key
        decide = self._choices.take if key in "ya" else self._choices.decline
        decide(question.row.number)

    def _pick(self, question: Question) -> bool:
        """Let a person choose the place, and say whether they did."""
        self._asker.show(list_places(question))
        most = min(len(question.places), MOST_PLACES)
        answer = self._asker.ask(f"at which place [1-{most}]?" if most > 1 else "at place [1]?")
        places = {str(number): place for number, place in enumerate(question.places[:most], 1)}
        if answer in places:
            self._choices.pick(question, places[answer])
        elif answer:
            self._asker.show(f"`{visible(answer[:_SHOWN])}` is no place; write its number, such as 1\n")
        return answer in places
