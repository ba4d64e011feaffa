"""Read the files of a tree that blocks may edit: text within the size limit, as git stores it."""

from __future__ import annotations

from collections.abc import Callable

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.settings import Settings
from editblocks.paths import Entries
from editblocks.paths.attributes import filtered_attribute, is_lfs_pointer

Read = Callable[[str], "bytes | None"]
OTHER_MEANS = "edit it by other means"


def too_large(path: str, size: int, settings: Settings) -> str:
    """Why a file is too large to edit, or would become too large; sizes in bytes."""
    return f"{path} has {size:,} bytes, the limit is {settings.max_file_bytes:,} (max-file-bytes)"


class TextFiles:
    """The files that `read` gives; `entries` lists directories, None if nothing is known but bytes."""

    def __init__(self, read: Read, entries: Entries | None, settings: Settings) -> None:
        self._read, self._entries, self._settings = read, entries, settings

    def read(self, path: str) -> bytes | None:
        """Read a path. Raises `TypeError` if it comes as a `str`, which has lost the line ends of the file."""
        data: object = self._read(path)
        if data is None or isinstance(data, bytes):
            return data
        what = f"read({path!r}) returned {type(data).__name__}"
        raise TypeError(f"{what}; return bytes, or None if there is no such file")

    def check(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if the bytes may not be edited as text."""
        self.check_size(path, data)
        what = f"{path} is a Git LFS pointer" if is_lfs_pointer(data) else None
        if what is None and self._entries is not None and (name := filtered_attribute(path, self._attributes)):
            what = f"{path} has the attribute {name}, which changes it on checkout"
        if what is not None:
            raise UnreadableFile(ReasonCode.FILTERED, what, "edit it in a checkout")

    def check_size(self, path: str, data: bytes) -> None:
        """Raise `UnreadableFile` if there are too many bytes."""
        if len(data) > self._settings.max_file_bytes:
            raise UnreadableFile(ReasonCode.TOO_LARGE, too_large(path, len(data), self._settings), OTHER_MEANS)

    def _attributes(self, directory: str) -> bytes | None:
        """The `.gitattributes` of a directory, as no block of this response left it."""
        path = f"{directory}/.gitattributes" if directory else ".gitattributes"
        is_file = self._entries is not None and self._entries(directory).get(".gitattributes") in ("100644", "100755")
        return self.read(path) if is_file else None
