"""Symbolic links of a tree: what they lead to, for messages and for the protection of what tools read through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import normpath

from editblocks.core.characters import show_text
from editblocks.core.model import Mismatch
from editblocks.core.settings import Settings
from editblocks.paths.policy import may_lead_astray
from editblocks.paths.syntax import PathError
from editblocks.paths.tree import SYMLINK, Entries, join


class Links:
    """The links of one tree; `target` is `Tree.link_target`.

    Protected names are looked for at the root and in the folders of the file: to look everywhere would be a walk.
    """

    def __init__(self, entries: Entries, target: Callable[[str], str | None]) -> None:
        self._entries, self._target = entries, target
        self._protected: dict[str, list[tuple[str, str]]] = {}  # by folder: links, and what they lead to

    def refusal(self, path: str, settings: Settings) -> PathError | None:
        """Why `path` may not be changed: a protected link leads to it, or to a folder around it."""
        if path in settings.allow_protected:
            return None
        *folders, _ = path.split("/")
        for folder in ("/".join(folders[:depth]) for depth in range(len(folders) + 1)):
            for link, target in self._in(folder):
                if path == target or path.startswith(f"{target}/"):
                    what = f"{show_text(link)} leads to {show_text(target)}, so {show_text(path)} is protected as well"
                    return PathError("E_PROTECTED", what, "change it by hand, or allow it by --allow-protected")
        return None

    def _in(self, folder: str) -> list[tuple[str, str]]:
        if folder not in self._protected:
            self._protected[folder] = list(self._find(folder))
        return self._protected[folder]

    def _find(self, folder: str) -> Iterator[tuple[str, str]]:
        names = self._entries(folder)
        for name in names:
            link = join(folder, name)
            if may_lead_astray(link) and names[name] == SYMLINK and (target := self.inside(link)):
                yield link, target

    def inside(self, link: str) -> str:
        """The path in the repository that a link leads to; "" if it leads out of it, or that cannot be told."""
        target = self._target(link)
        if not target or target.startswith("/"):
            return ""
        path = normpath(join(link.rpartition("/")[0], target))
        return "" if path.startswith("..") or path == "." else path

    def with_target(self, path: str, mismatch: Mismatch) -> Mismatch:
        """Name what the link at `path` leads to."""
        target = self.inside(path)
        if not target:
            return mismatch
        return mismatch._replace(what=f"{mismatch.what} to {show_text(target)}", advice=f"edit {show_text(target)}")
