"""Pack installed distributions into wheels, from which pip can install in another environment without a network.

A wheel is a zip of the files that `RECORD` lists, so an installed distribution can be packed again. Files that the
installation created are left out: compiled files, scripts (pip makes them from the entry points) and its notes.
Format: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

_MADE_BY_INSTALLING = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def pack_wheels(names: Iterable[str], folder: Path) -> Path:
    """Create `folder` with wheels of the named distributions and all their dependencies, and return it."""
    folder.mkdir()
    for installed in _closure(names):
        _pack(installed, folder)
    return folder


def needed_by(name: str) -> list[str]:
    """The names of the direct dependencies of `name` in this environment, without those of extras."""
    wanted = (Requirement(line) for line in distribution(name).requires or ())
    return [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]


def _closure(names: Iterable[str]) -> Iterator[Distribution]:
    waiting, seen = list(names), set[str]()
    while waiting:
        installed = distribution(waiting.pop())
        if installed.name not in seen:
            seen.add(installed.name)
            waiting += needed_by(installed.name)
            yield installed


def _pack(installed: Distribution, folder: Path) -> None:
    files = [file for file in installed.files or () if _is_content(file.parts, file.name)]
    assert files, f"{installed.name} has no RECORD here; install it with pip"
    [info] = {file.parts[0] for file in files if file.parts[0].endswith(".dist-info")}
    stem = info.removesuffix(".dist-info")
    record = []
    with zipfile.ZipFile(folder / f"{stem}-{_tag(installed)}.whl", "w", zipfile.ZIP_STORED) as wheel:
        for file in files:
            data = file.read_binary()
            digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{file.as_posix()},sha256={digest},{len(data)}\n")
            wheel.writestr(file.as_posix(), data)
        wheel.writestr(f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]))


def _is_content(parts: tuple[str, ...], name: str) -> bool:
    made = name in _MADE_BY_INSTALLING and parts[0].endswith(".dist-info")
    return ".." not in parts and "__pycache__" not in parts and not made


def _tag(installed: Distribution) -> str:
    """The tags of a wheel in the short form of file names: `cp311-cp311-linux_x86_64`, `py2.py3-none-any`."""
    lines = (installed.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    return "-".join(".".join(dict.fromkeys(column)) for column in zip(*tags, strict=True))
