"""Every command in one table each: what it does, what it takes, and an example.

Page: docs/reference/command-line.md, "commands", which is made from this.
"""

from __future__ import annotations

from editblocks.core.typed import NamedTuple

COMMANDS = {
    "check": "say what would become of each block; write nothing",
    "diff": "print what apply would change as a patch; write nothing",
    "apply": "write all blocks, or none",
    "watch": "show the blocks of an answer while it is still being written",
    "undo": "undo what an apply wrote",
    "retry": "print what to send back to the model about the blocks that failed",
    "report": "write the page that shows each block beside its file",
    "prompt": "print what tells a model how to write edit blocks",
    "context": "print files, rules and a task for a chat with a model",
    "explain": "say what a reason code means and what to do",
    "init": "write the workflow and a configuration to begin with",
    "hook": "install Git hooks, or run one",
    "demo": "see it work on made-up files; needs no network",
    "action": "what action.yml runs",
}
TAKES_RESPONSES = ("check", "diff", "apply", "retry", "report")
TAKES_OPTIONS = (*TAKES_RESPONSES, "watch", "undo", "prompt", "context", "explain", "init")


class Operand(NamedTuple):
    """What is typed behind a command: `*` as many as one likes, `?` one at most."""

    dest: str
    number: str
    name: str
    usage: str
    help: str


_RESPONSES = Operand("sources", "*", "SRC", "SRC...", "files with a model's answer, or - for stdin")
OPERANDS = {
    **dict.fromkeys(TAKES_RESPONSES, _RESPONSES),
    "report": _RESPONSES._replace(usage="SRC"),
    "watch": Operand(
        "sources", "?", "FILE", "[FILE]", "a file that may still grow, or not be there yet; default: - for stdin"
    ),
    "undo": Operand("id", "?", "ID", "[ID]", "which apply, as it was printed; default: the last one"),
    "context": Operand("files", "*", "FILE", "FILE...", "a file to change, or FILE:LINE or FILE:FIRST-LAST"),
    "explain": Operand("code", "?", "CODE", "[CODE]", "as in a row; default: list them all"),
}
EXAMPLES = {
    "editblocks": """\
examples:
  pbpaste | editblocks check -          what would become of each block
  editblocks apply reply.md             write all blocks, or none
  editblocks diff reply.md | git apply  the same, through git

exit codes:
  0  all blocks fit
  1  a block does not fit, or there is none
  2  usage, configuration or git error
""",
    "check": """\
examples:
  editblocks check reply.md --rev main      would the blocks fit that branch?
  editblocks check --staged .edits/cart.md  do they fit what is staged?
  editblocks check reply.md --paths         which files are they for?
""",
    "diff": """\
example:
  editblocks diff reply.md | git apply --index
""",
    "apply": """\
examples:
  editblocks apply reply.md --commit         one commit, and nothing else in it
  editblocks apply reply.md --only 1-3,4@48  blocks 1 to 3, and 4 at line 48
  editblocks apply reply.md -i               ask about each block

  editblocks apply --clipboard               what you copied from a chat
""",
    "watch": """\
On a terminal, a applies the blocks, r copies what to send back to the model,
and q quits. Elsewhere, a line is printed for each block as it closes.

examples:
  editblocks watch reply.md           a file that is still being written
  ask-a-model | editblocks watch      or what comes through a pipe
""",
    "undo": """\
examples:
  editblocks undo                     the last apply
  editblocks undo --list              which applies there were
  editblocks undo 20261121-1 --redo   redo what was undone
""",
    "retry": """\
examples:
  editblocks retry reply.md | pbcopy  to paste into the same chat
  editblocks retry reply.md --fresh   for a chat that does not know the answer
  editblocks retry --clipboard        the answer out of it, the prompt into it
""",
    "prompt": """\
examples:
  editblocks prompt | pbcopy                    for the first message of a chat
  editblocks prompt --format v4a --messages     as JSON, for a program
  editblocks prompt --reminder >> task.md       for the end of a long task

Formats: diff (the path above the fence), diff-fenced (inside it; default),
editor-diff and editor-diff-fenced (the same without commands), edit-v2,
edit-v3, file-section, edit-fence, bolt-edit and v4a.
""",
    "context": """\
examples:
  editblocks context src/cart.py --task "round totals" --clipboard
  editblocks context src/cart.py src/big.py:120-180 --task - < plan.md
  editblocks context src/cart.py --read README.md --summary src/*.py

Name the files to change and those that they depend on, no more. Say in the
task what should change and why. Read the result before you send it.
FILE:120-180 shows the functions around these lines (extra syntax).
""",
    "report": """\
examples:
  editblocks report reply.md > report.html     open it in a browser
  editblocks report reply.md --rev main -o report.html
  editblocks report editblocks.json -o report.html
  editblocks report reply.md --serve             the same, with buttons to apply
""",
    "explain": "example:\n  editblocks explain ambiguous\n",
    "init": """\
examples:
  editblocks init --print    what it would write
  editblocks init --agents   tell coding agents how to leave an answer
""",
    "demo": "example:\n  editblocks demo | less\n",
    "action": """\
It reads the environment of a workflow's job, as GITHUB_EVENT_PATH.

example:
  GITHUB_EVENT_PATH=event.json editblocks action
""",
    "hook": """\
examples:
  editblocks hook install                     pre-commit and pre-push
  editblocks hook install --stage pre-commit  only that one
  editblocks hook status
""",
}
