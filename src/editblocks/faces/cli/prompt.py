"""`editblocks prompt`: print the instructions that tell a model how to write edit blocks.

Page: docs/guide/models.md.
"""

import argparse
import json

from editblocks.faces.reading import copy
from editblocks.faces.terminal import FINE, print_text, say_wrapped
from editblocks.prompts.context import kit, kit_messages, kit_text, replaces_by_setting

_SETTING = "a file is replaced as a whole only with --whole-files all, or `whole-files: all` in .editblocks.yml\n"


def main(options: argparse.Namespace) -> int:
    """Print one kit: as a text, as messages of a chat, or only its reminder."""
    chosen = kit(options.format, commands=not options.no_shell, file_or_edit=options.file_or_edit)
    if options.reminder:
        text = chosen.reminder
    elif options.messages:
        text = json.dumps(kit_messages(chosen, examples=not options.no_example), ensure_ascii=False, indent=2)
    else:
        text = kit_text(chosen, examples=not options.no_example)
    if options.clipboard:
        copy(text)
        say_wrapped(f"{len(text):,} characters, copied to the clipboard\n")
    else:
        print_text(text)
    if options.file_or_edit and replaces_by_setting(options.format):
        say_wrapped(_SETTING)
    return FINE
