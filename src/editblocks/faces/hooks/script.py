"""The text of an installed hook, and who wrote a hook that is there already.

The scripts are those of `hooks/` of the source tree, which the wheel ships. One that is put in place
names the Python that did it, and the SHA-256 of its own lines: so an older one of ours is told from one that
somebody has changed since.
"""

from __future__ import annotations

import os
import re
import shlex
from enum import Enum
from hashlib import sha256
from pathlib import Path

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
_NO_COMMAND = re.compile(rb"(?:^|\s)#.*|(?<![\w-])echo\s[^|;&]*")
_ALL_THE_SAME = rb"(?!.*\|\|\s*(?:true|:)(?![\w-]))"  # `|| true` behind it: whatever it says, the hook goes on
_NAMED = re.compile(rb"^(python|package)=(.*)$", re.MULTILINE)


class HookState(Enum):
    """Who wrote a hook, and whether it works."""

    NOBODYS = "not installed"
    OURS = "installed"
    OUTDATED = "out of date"  # ours, of another version, or what it starts is gone
    CHANGED = "changed"  # ours once
    FOREIGN = "foreign"
    CALLING = "called by a foreign hook"


def script(stage: str, python: str = "", package: str = "") -> bytes:
    """The hook that starts `python` while `package` is there; without them, one that looks on PATH.

    Raises `RepoError` if the script is missing from this installation.
    """
    names = {b"python": python, b"package": package}
    text = _NAMED.sub(lambda line: _assignment(line[1], names[line[1]]), _source(stage))
    digest = sha256(_without_marker(text)).hexdigest()
    return b"#!/bin/sh\n# editblocks hook %s sha256=%s\n%s" % (stage.encode(), digest.encode(), _without_marker(text))


def advice(stage: str, start: str) -> str:
    """The lines that call us from another hook; `start` is the shell's word for this program, or several.

    What git wrote is read, and given back to the rest of that hook: as it was, with nothing where there was nothing.
    """
    call = f"{start} hook {stage} || exit $?\n"
    return f"pushed=$(cat) && printf '%s\\n' \"$pushed\" | {call}{_GIVEN_BACK}" if stage in _READERS else call


def whose(data: bytes, stage: str) -> HookState:
    """Who wrote the script at the place of the hook for `stage`."""
    mark = _MARK.match(data)
    if mark is None or mark[1] != stage.encode():
        return HookState.CALLING if _calls(data, stage) else HookState.FOREIGN
    if mark[2] is None:  # copied by hand
        return HookState.OURS if data == _source(stage) else HookState.CHANGED
    if mark[2] != sha256(_without_marker(data)).hexdigest().encode():
        return HookState.CHANGED
    if _NAMED.sub(rb"\1=", _without_marker(data)) != _without_marker(_source(stage)):
        return HookState.OUTDATED
    named = [Path(*shlex.split(os.fsdecode(value))) for _, value in _NAMED.findall(data) if value]
    return HookState.OURS if all(place.exists() for place in named) else HookState.OUTDATED


def _calls(data: bytes, stage: str) -> bool:
    """Whether a line calls us, as `editblocks hook install` told somebody to add it, and heeds it.

    A comment, an `echo` and a call with `|| true` do not; whether the shell gets as far is not looked into.
    """
    call = re.compile(rb"(?<![\w-])editblocks\s+hook\s+%s(?![\w-])%s" % (stage.encode(), _ALL_THE_SAME))
    return any(call.search(_NO_COMMAND.sub(b"", line)) for line in data.split(b"\n"))


def _source(stage: str) -> bytes:
    try:
        return read_packaged(f"hooks/{stage}").encode()
    except OSError as error:
        reason = f"the script of {stage} is missing from this installation; install editblocks again"
        raise RepoError(reason, ReasonCode.BAD_CONFIG) from error


def _without_marker(text: bytes) -> bytes:
    return _MARK.sub(b"", text)


def _assignment(name: bytes, value: str) -> bytes:
    return name + b"=" + (os.fsencode(shlex.quote(value)) if value else b"")
