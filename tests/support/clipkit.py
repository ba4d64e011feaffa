"""A fake clipboard tool, first on PATH, that keeps the text in a file. It takes the place of xclip and others."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

_PROGRAMS = ("git", "sh", "cat", "sleep", "stty", "readlink")
# Logs the call. If the arguments or the name ask for the clipboard, prints the file; otherwise stores standard input.
_TOOL = """\
#!/bin/sh
echo "${{0##*/}} $*" >> "{calls}"
case " $* $0" in
*-out*|*--output*|*paste*|*powershell*) cat "{held}" ;;
*) cat > "{held}" ;;
esac
"""


class Clipboard:
    """Fake clipboard tools in a folder: the text they hold (`data`) and how they were called (`calls`)."""

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
        """The environment of a machine with X11, where PATH has only these tools and a few real programs."""
        return {"PATH": f"{self.tools}{os.pathsep}{self._programs}", "DISPLAY": ":99", "WAYLAND_DISPLAY": ""}


def clipboard_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Clipboard:
    """Return a clipboard whose tools this process finds too: its environment is set with `monkeypatch`."""
    clipboard = Clipboard(folder)
    for name, value in clipboard.environ().items():
        monkeypatch.setenv(name, value)
    return clipboard
