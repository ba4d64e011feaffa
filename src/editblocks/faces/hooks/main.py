"""`editblocks hook STAGE`: the commands that git hooks and pre-commit run, and the commands that install hooks.

Only the module of the requested stage is loaded, because a commit waits for it. Page: docs/reference/hooks.md.
"""

from collections.abc import Sequence
from importlib import import_module

from editblocks.core.errors import UsageError
from editblocks.faces.terminal import FINE, show_wrapped
from editblocks.repos.tree_modes import from_system

GIT_HOOKS = ("pre-commit", "pre-push", "pre-receive")
FOR_PEOPLE = ("install", "uninstall", "status")
_STAGES = {  # module and function
    "pre-commit": ("check", "pre_commit"),
    "pre-push": ("push", "pre_push"),
    "pre-receive": ("push", "pre_receive"),
    "apply": ("check", "apply_staged"),
    "leftovers": ("leftovers", "main"),
    **{name: ("install", name) for name in FOR_PEOPLE},
}
_HELP = """\
usage: editblocks hook install|uninstall|status [--stage NAME]...
       editblocks hook pre-commit|apply|leftovers [--] [FILES...]
       editblocks hook pre-push|pre-receive < LINES

People use these:

install      add our lines to the hooks of this repository
uninstall    remove them
status       show which hooks are installed; exit code 1 if one is missing

NAME is pre-commit, pre-push or pre-receive. The default is the first two, and
pre-receive in a bare repository. A hook that editblocks did not write is left
alone: install prints the lines to add to it, and the exit code is 1.

Git hooks or pre-commit start these, leftovers and apply only pre-commit:

pre-commit   check staged response files (.edits/*.md) against the staged tree
pre-push     check the response files of a push against the pushed commits
pre-receive  the same on a server; both read the lines that git writes to a hook
leftovers    find edit blocks that were left in staged files; to allow blocks in
             a file, write this on any line of it: `editblocks: allow-markers`
apply        apply staged response files to the working tree, remove them, and
             exit 1, so that you look at the change and stage it; a file with
             unstaged changes is left alone

FILES are paths from the top of the repository. The default is all files that
the commit adds or changes.

examples:
  editblocks hook install
  editblocks hook pre-commit .edits/cart.md
"""


def main(argv: Sequence[str]) -> int:
    """Run `editblocks hook` with the arguments `argv`, and return the exit code."""
    if not argv:
        raise UsageError("hook needs one more word: install, uninstall or status; see editblocks hook --help")
    name = argv[0]
    rest = argv[1:]
    if name in ("-h", "--help") or (name in _STAGES and list(rest) in (["-h"], ["--help"])):
        show_wrapped(_HELP)
        return FINE
    if name not in _STAGES:
        raise UsageError(f"hook has no stage `{name}`; use one of {', '.join(_STAGES)}")
    module, function = _STAGES[name]
    words = rest if name in FOR_PEOPLE else _operands(rest)
    return int(getattr(import_module(f"editblocks.faces.hooks.{module}"), function)(words))


def _operands(argv: Sequence[str]) -> list[str]:
    """Return the operands as paths from the top of the repository.

    Names come from the repository, so they may be hostile: one that starts with a dash before `--` raises `UsageError`.
    """
    end = argv.index("--") if "--" in argv else len(argv)
    for word in argv[:end]:
        if word.startswith("-"):
            raise UsageError(f"`{word}` begins with a dash and is not an option; for such a file write -- before it")
    return [from_system(name).removeprefix("./") for name in (*argv[:end], *argv[end + 1 :])]
