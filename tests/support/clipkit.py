"""A clipboard tool of our own, first on PATH: it keeps the text in a file. The commands call it as they would xclip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

_PROGRAMS = ("git", "sh", "cat", "sleep", "stty", "readlink")
# Says how it was called, takes what it is given, or hands out what it has.
_TOOL = """\
#!/bin/sh
echo "${{0##*/}} $*" >> "{calls}"
case " $* $0" in
*-out*|*--output*|*paste*|*powershell*) cat "{held}" ;;
*) cat > "{held}" ;;
esac
"""


class Clipboard:
    """What the tools of a folder hold, and how they were called."""

    def __init__(self, folder: Path) -> None:
        self.tools, self._programs = folder / "tools", folder / "programs"
        self.tools.mkdir()
        self._programs.mkdir()
        for name in _PROGRAMS:
            (self._programs / name).symlink_to(shutil.which(name) or name)
        self._held, self._calls = folder / "held", folder / "calls"
        self._calls.touch()

    def install(self, *names: str, script: str = _TOOL) -> None:
        for name in names:
            place = self.tools / name
            place.write_text(script.format(held=self._held, calls=self._calls))
            place.chmod(0o755)

    @property
    def data(self) -> bytes | None:
        return self._held.read_bytes() if self._held.exists() else None

    @data.setter
    def data(self, data: bytes) -> None:
        self._held.write_bytes(data)

    @property
    def calls(self) -> list[str]:
        return [call.strip() for call in self._calls.read_text().splitlines()]

    def environ(self) -> Mapping[str, str]:
        """A machine with X11 that has these tools and a few programs; if it has xclip, that is another one."""
        return {"PATH": f"{self.tools}{os.pathsep}{self._programs}", "DISPLAY": ":99", "WAYLAND_DISPLAY": ""}


def clipboard_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Clipboard:
    """A clipboard that this process finds as well."""
    clipboard = Clipboard(folder)
    for name, value in clipboard.environ().items():
        monkeypatch.setenv(name, value)
    return clipboard
