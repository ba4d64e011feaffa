"""A fake person who answers the questions of `apply -i` from a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from support.applykit import block

from editblocks.core.outcome import Response, Source
from editblocks.core.settings import Settings
from editblocks.faces.cli.dialog import Terminal, choose
from editblocks.repos.stores.memory import MemoryRepo
from editblocks.run import ApplyRequest

FILES: Mapping[str, bytes] = {
    "cart.py": b"def total():\n    return 1\n\n\ndef tax():\n    return 2\n",
    "api.py": b"@route\ndef a():\n    return 1\n\n\n@route\ndef b():\n    return 1\n",
}
TOTAL = block("cart.py", "    return 1\n", "    return 10\n")  # 1: fits
TAX = block("cart.py", "    return 2\n", "    return 20\n")  # 2: fits
API = block("api.py", "    return 1\n", "    return 10\n")  # 3: fits at lines 3 and 8
NEW = block("new.py", "", "RATE = 7\n")  # 4: fits
MISS = block("cart.py", "    return 5\n", "    return 50\n")  # matches no line
FOUR = TOTAL + TAX + API + NEW


@dataclass
class Person(Terminal):
    """A terminal that gives each answer once, and then end of input. `color`: whether it understands color codes."""

    answers: Sequence[str]
    color: bool = False
    shown: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answers = iter(self.answers)

    def ask(self, question: str) -> str | None:
        self.asked.append(question)
        return next(self._answers, None)

    def show(self, text: str) -> None:
        assert text == "" or text.endswith("\n")
        self.shown.append(text)

    @property
    def said(self) -> str:
        return "".join(self.shown)

    @property
    def is_through(self) -> bool:
        return next(self._answers, None) is None


def request(text: str) -> ApplyRequest:
    return ApplyRequest(Response(text, Source("reply.md", "file", path="reply.md")), Settings(mode="apply"))


def hold(text: str, answers: str) -> tuple[ApplyRequest, Person]:
    """Run the dialog with these answers, and return the resulting request and the person.

    Answers are separated by blanks; `-` means an empty line. Asserts that every answer was asked for.
    """
    person = Person([answer.replace("-", "") for answer in answers.split()])
    repo = MemoryRepo(FILES)
    chosen, _ = choose(request(text), lambda: repo, asker=person)
    assert person.is_through
    return chosen, person
