"""Symbolic links of a tree: what they lead to, for messages and for the protection of what tools read through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from editblocks.core.characters import show_text
from editblocks.core.mismatch import Mismatch
from editblocks.core.settings import Settings
from editblocks.paths.policy import may_lead_astray
from editblocks.paths.syntax import PathError
from editblocks.paths.tree import SYMLINK, Entries, join

_MOST_STEPS = 200  # names on the way of a link; a circle has no end


class Links:
    """The links of one tree; `target` is `Tree.link_target`.

    Protected names are looked for at the root and in the folders of the file: to look everywhere would be a walk.
    """

    def __init__(self, entries: Entries, target: Callable[[str], str | None]) -> None:
        self._entries = entries
        self._target = target
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
                    return PathError("E_PROTECTED", what, "change it by hand, or allow it with --allow-protected")
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
        """The path in the repository where a link ends; "" if it leads out of it, or that cannot be told.

        As an operating system follows it: links on the way count, and `..` leads up from where they end.
        """
        names = link.split("/")
        done: list[str] = []
        for _ in range(_MOST_STEPS):
            if not names:
                return "/".join(done)
            name = names.pop(0)
            if name == ".." and not done:
                return ""
            if name == "..":
                done.pop()
            elif self._entries("/".join(done)).get(name) == SYMLINK:
                target = self._target("/".join((*done, name)))
                if not target or target.startswith("/"):
                    return ""
                names = [*target.split("/"), *names]
            elif name not in ("", "."):
                done.append(name)
        return ""

    def with_target(self, path: str, mismatch: Mismatch) -> Mismatch:
        """Name what the link at `path` leads to."""
        target = self.inside(path)
        if not target:
            return mismatch
        return mismatch._replace(what=f"{mismatch.what} to {show_text(target)}", advice=f"edit {show_text(target)}")
