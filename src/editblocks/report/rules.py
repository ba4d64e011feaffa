"""What each code means in a sentence, for lists of rules; the pages are those of docs/reasons.md."""

from __future__ import annotations

from editblocks.codes import ReasonCode

LOW_CONFIDENCE = "low-confidence"  # of a block that landed, and is no reason why one did not
_CODES = {
    "unclosed": "The block is not closed: its answer was probably cut off.",
    "no-divider": "No line parts the old text of the block from the new one.",
    "malformed": "The marker lines of the block stand in the wrong order, or can be read in more than one way.",
    "stray-marker": "A closing or dividing line stands where no block is open.",
    "no-path": "No line names the file of the block.",
    "unsupported-format": "The block is written in a form that is not read.",
    "hidden-block": "The block stands where a rendered page does not show it.",
    "too-large": "The response, a block, a line or a file is over a limit.",
    "unsafe-path": "The path leads out of the repository, or could be taken for another one.",
    "not-allowed": "The file is protected, or ruled out by the configuration.",
    "path-conflict": "The path does not go together with what is in the tree.",
    "not-a-file": "The path is a symbolic link, a submodule or a directory.",
    "file-not-found": "The file that the block would edit is not there.",
    "file-exists": "The file that the block would create is there already.",
    "binary": "The file is not text.",
    "encoding": "The file is not UTF-8.",
    "filtered": "Git stores another text for this file than people see.",
    "hidden-text": "The new text holds characters that nobody sees.",
    "no-match": "The old text of the block is not in the file.",
    "ambiguous": "The old text of the block is in the file more than once.",
    "stale": "The lines have changed since the block was written.",
    "earlier-failure": "An earlier block of the same file failed.",
    "not-selected": "A person chose other blocks.",
    "already-applied": "The file holds the result of the block.",
    "no-op": "The block changes nothing.",
    "self-check": "The result was not what the blocks ask for.",
    "no-blocks": "The response holds no edit block.",
    "not-permitted": "Whoever asked may not write here.",
    "source-edited": "The response was edited after it was checked.",
    "head-moved": "The branch moved during the run.",
    "fork": "The branch is in a fork, which is not written to.",
    "branch-refused": "This branch is not written to.",
    "closed": "The pull request is not open.",
    "publish-failed": "The branch did not take the commit.",
    "dirty-file": "The file has changes that are not committed.",
    "leftover": "Edit-block markers were left in the file.",
    "bad-command": "The command cannot be understood.",
    "bad-config": "The configuration cannot be used.",
    "unavailable": "A service or a file could not be had.",
    "internal": "The tool itself failed.",
}
RULES: dict[str, str] = {
    **{code.value: _CODES[code.value] for code in ReasonCode},
    LOW_CONFIDENCE: "The block fits, but only loosely: look at the place.",
}


def page(rule: str, docs: str) -> str | None:
    """The address of what is written about a rule; `docs` is that of all pages, "" if it is not known."""
    if not docs:
        return None
    return f"{docs}/formats.md#matching" if rule == LOW_CONFIDENCE else f"{docs}/reasons.md#{rule}"


def advice(rule: str) -> str:
    """What tells more about a rule, or does something about it."""
    if rule == LOW_CONFIDENCE:
        return "Look at the place. With `--matching standard` nobody but a person takes one like it."
    return f"The command `editblocks explain {rule}` says why, and what to do."
