"""What each code means in a line, for lists of rules: the words of the table of docs/reference/reasons.md."""

from __future__ import annotations

from editblocks.core.codes import ReasonCode

LOW_CONFIDENCE = "low-confidence"  # a note on a block that fits, not a reason why one fails
_CODES = {
    "unclosed": "the block has no closer; probably cut off",
    "no-divider": "there is no `=======` between old and new text",
    "malformed": "its marker lines can be read in several ways, or in none",
    "stray-marker": "a closing or dividing line where no block is open",
    "no-path": "no line names the file",
    "unsupported-format": "a format that is not read, or is left out",
    "hidden-block": "the block stands where no reader sees it",
    "too-large": "a response, block, line or file is over a limit",
    "unsafe-path": "the path leaves the repository, or cannot be trusted",
    "not-allowed": "the file is protected, or the policy forbids to change it",
    "path-conflict": "a file stands where a folder would be, or the reverse",
    "not-a-file": "a symbolic link, a submodule, or no regular file",
    "file-not-found": "no such file, and the block does not create one",
    "file-exists": "the block creates a file that exists already",
    "binary": "the file is data, not text",
    "encoding": "the file is not UTF-8",
    "filtered": "a git filter (LFS, crypt) changes this file",
    "hidden-text": "the new text has characters that nobody sees",
    "placeholder": "the new text says that it leaves lines out",
    "no-match": "the old text is not in the file",
    "ambiguous": "the old text is in the file more than once",
    "stale": "the lines changed after the block was written",
    "earlier-failure": "a block before it in the same file failed",
    "not-selected": "left out by `--only`, `/apply` or `-i`",
    "already-applied": "the file holds the new lines already; fine",
    "no-op": "old and new lines are equal; fine",
    "self-check": "the result is not what the block asks for; our own bug",
    "no-blocks": "the text holds no edit block",
    "not-permitted": "the person who asked has no right to write to the branch",
    "source-edited": "the source was edited after it was checked",
    "head-moved": "the branch moved while the blocks were checked",
    "fork": "the branch is in another repository",
    "branch-refused": "editblocks never writes to this branch",
    "closed": "the pull request is closed, merged or gone",
    "publish-failed": "the server refused the commit",
    "dirty-file": "a file has changes that are not committed",
    "leftover": "edit-block markers were left in a file",
    "bad-command": "a command or a choice of blocks cannot be read",
    "bad-config": "a setting, an option or an input is wrong",
    "unavailable": "the disk, git or GitHub failed",
    "internal": "a bug in editblocks",
    LOW_CONFIDENCE: "it fits, but only loosely: look at the place",
}
RULES: dict[str, str] = {
    rule: f"{_CODES[rule][0].upper()}{_CODES[rule][1:]}."
    for rule in (*(code.value for code in ReasonCode), LOW_CONFIDENCE)
}


def advice(rule: str) -> str:
    """What tells more about a rule."""
    return f"The command `editblocks explain {rule}` says why, and what to do."
