"""A host without a server: responses from a list, statuses to a stream, as a person would see them.

It serves the demo and dry runs. Foreign text cannot move the cursor: control characters are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from editblocks.model import Outcome, Refusal, Response
from editblocks.report.escape import visible
from editblocks.report.markdown import status

# The tags of our own that a browser would draw; foreign ones never get into a status as tags.
_DRAWN = ((re.compile(r"</?(?:details|sub)>"), ""), (re.compile(r"<summary>(.*)</summary>"), r"▸ \1"))
_BLANKS = re.compile(r"\n{3,}")


class ConsoleHost:
    """Prints each response and its status. `refusal` is what stops a commit, for whoever wants to see that."""

    def __init__(
        self,
        responses: Iterable[Response],
        stream: TextIO,
        *,
        version: str,
        branch: str | None = None,
        refusal: Refusal | None = None,
    ) -> None:
        self._responses = tuple(responses)
        self._stream = stream
        self._version = version
        self._branch = branch
        self._refusal = refusal

    def responses(self) -> Iterator[Response]:
        """The responses that were given, in order."""
        yield from self._responses

    def refusal(self, response: Response) -> Refusal | None:
        """Whoever sits at the console may write, unless the host was made to say no."""
        del response
        return self._refusal

    def publish(self, outcome: Outcome) -> None:
        """Print what was said, then the status as it would stand below it."""
        source = outcome.response.source
        self._print(f"{source.author or source.kind} says:", outcome.response.text)
        self._print("editblocks answers:", _drawn(status(outcome, version=self._version, branch=self._branch)))

    def _print(self, heading: str, text: str) -> None:
        lines = [f"  │ {visible(line)}".rstrip() for line in text.replace("\r\n", "\n").rstrip("\n").split("\n")]
        shown = "\n".join([visible(heading), *lines, "", ""])
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(shown.encode(encoding, "replace").decode(encoding))


def _drawn(text: str) -> str:
    for tag, shape in _DRAWN:
        text = tag.sub(shape, text)
    return _BLANKS.sub("\n\n", text)
