"""The text of an installed hook, and the lines that call us from another one.

The scripts are those of `hooks/` of the source tree, which the wheel ships. One that is put in place names the Python
that did it, and the SHA-256 of its own lines, by which it is known to be ours and unchanged.
"""

from __future__ import annotations

import os
import re
import shlex
from hashlib import sha256

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import RepoError
from editblocks.faces.common.package_files import read_packaged

STAGES = ("pre-commit", "pre-push", "pre-receive")
_READERS = STAGES[1:]  # git writes lines to them, and a hook has them once

_MARK = re.compile(rb"\A#!/bin/sh\n# editblocks hook ([a-z-]+)(?: sha256=([0-9a-f]{64}))?\n")
_GIVEN_BACK = """\
if [ -n "$pushed" ]; then exec <<END; else exec </dev/null; fi
$pushed
END
"""


def script(stage: str, python: str = "", package: str = "") -> bytes:
    """The hook that starts `python` while `package` is there; without them, one that looks on PATH.

    Raises `RepoError` if the script is missing from this installation.
    """
    try:
        text = _MARK.sub(b"", read_packaged(f"hooks/{stage}").encode())
    except OSError as error:
        reason = f"the script of {stage} is missing from this installation; install editblocks again"
        raise RepoError(reason, ReasonCode.BAD_CONFIG) from error
    for name, value in (("python", python), ("package", package)):
        line = f"{name}={shlex.quote(value) if value else ''}\n"
        text = text.replace(f"\n{name}=\n".encode(), b"\n" + os.fsencode(line), 1)
    return b"#!/bin/sh\n# editblocks hook %s sha256=%s\n%s" % (stage.encode(), sha256(text).hexdigest().encode(), text)


def is_ours(data: bytes, stage: str) -> bool:
    """Whether `script` made this text for `stage`, perhaps that of another version, and nobody has changed it since."""
    mark = _MARK.match(data)
    if mark is None or mark[2] is None or mark[1] != stage.encode():
        return False
    return mark[2] == sha256(data[mark.end() :]).hexdigest().encode()


def advice(stage: str, start: str) -> str:
    """The lines that call us from another hook; `start` is the shell's word for this program, or several.

    What git wrote is read, and given back to the rest of that hook: as it was, with nothing where there was nothing.
    """
    call = f"{start} hook {stage} || exit $?\n"
    return f"pushed=$(cat) && printf '%s\\n' \"$pushed\" | {call}{_GIVEN_BACK}" if stage in _READERS else call
