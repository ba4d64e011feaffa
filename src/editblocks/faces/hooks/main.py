"""`editblocks hook STAGE`: what Git's hooks and pre-commit start, and the commands that install hooks.

Each stage is a module that is loaded when it is asked for: a commit waits for this, so nothing but the standard
library is loaded unless a stage needs more. Page: docs/reference/hooks.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from editblocks.core.errors import UsageError
from editblocks.faces.common.exit_codes import FINE
from editblocks.faces.common.terminal import show

FOR_PEOPLE = ("install", "uninstall", "status")
_HELPFUL = ("apply", "leftovers")  # which have a --help of their own
_STAGES = {  # module and function
    "pre-commit": ("pre_commit", "main"),
    "pre-push": ("push", "pre_push"),
    "pre-receive": ("push", "pre_receive"),
    "apply": ("apply", "main"),
    "leftovers": ("leftovers", "main"),
    **{name: ("install", name) for name in FOR_PEOPLE},
}
_HELP = """\
usage: editblocks hook install|uninstall|status [--stage NAME]...
       editblocks hook pre-commit|apply|leftovers [FILES...]
       editblocks hook pre-push|pre-receive < LINES

install, uninstall and status are for people: they see to the hooks that git
starts in this repository. NAME is pre-commit, pre-push or pre-receive; without
any, the first two, and pre-receive in a bare repository. A hook that is not
ours is left alone; what to add to it is printed, and the exit code is 1, as it
is of status where one is not installed.

The others are what hooks start. pre-commit checks the staged response files
(.edits/*.md) against the staged tree, FILES or all that the commit adds or
changes; pre-push and pre-receive check those of a push against the commits that
its refs get, by the lines that git writes to a hook. These three write nothing,
and neither does leftovers; apply does, to the working tree. The last two are
for pre-commit: see their own --help.

examples:
  editblocks hook install
  editblocks hook pre-commit .edits/cart.md
"""


def main(argv: Sequence[str]) -> int:
    """Run what `argv` names (what follows `editblocks hook`) and return the exit code.

    Raises `UsageError` for usage and `RepoError` for git; the command line turns them into 2.
    """
    name, rest = argv[0] if argv else "", argv[1:]
    if name in ("-h", "--help") or (name in _STAGES and name not in _HELPFUL and list(rest) in (["-h"], ["--help"])):
        show(_HELP)
        return FINE
    if name not in _STAGES:
        problem = f"hook has no stage `{name}`" if argv else "hook needs a stage"
        raise UsageError(f"{problem}; use one of {', '.join(_STAGES)}")
    module, function = _STAGES[name]
    return int(getattr(import_module(f"editblocks.faces.hooks.{module}"), function)(rest))
