"""Which branch names may be written: git's own rules, so that no name can be read as anything else.

Rules: https://git-scm.com/docs/git-check-ref-format, with `--branch`. The server keeps them too; a
name that breaks them comes from a broken or hostile answer.
"""

from __future__ import annotations

import re

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")


def is_branch_name(name: str) -> bool:
    """Whether `name` is one that `git check-ref-format --branch` accepts, and no full ref name."""
    return (
        not _FORBIDDEN.search(name)
        and name not in {"", "@", "HEAD"}
        and not name.startswith(("-", "/", "refs/"))
        and not name.endswith(("/", "."))
        and not any(part.startswith(".") or part.endswith(".lock") for part in name.split("/"))
        and _is_unicode(name)
    )


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)
