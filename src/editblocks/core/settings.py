"""The settings: one value with a field for each key of `.editblocks.yml` and each input of the action."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

POLICY_FILE = ".editblocks.yml"
MATCHING = ("exact", "standard", "loose")  # the strictest first
WHOLE_FILES = ("no", "new", "all")  # the strictest first
KITS = (  # the formats that a model can be asked to use; prompts/texts/ holds the text for each
    "diff",
    "diff-fenced",
    "editor-diff",
    "editor-diff-fenced",
    "edit-v2",
    "edit-v3",
    "file-section",
    "edit-fence",
    "bolt-edit",
    "v4a",
    "tool-replace",
)
DEFAULT_KIT = "diff-fenced"

# How far `.editblocks.yml` may raise a limit; the reasons are in docs/internals/security.md, "limits".
CEILINGS: Mapping[str, int] = {
    "max_blocks": 2_000,
    "max_files": 1_000,
    "max_response_bytes": 4 * 1024 * 1024,
    "max_file_bytes": 20 * 1024 * 1024,
}


class Settings(NamedTuple):
    """Every key and input, one field each (`_` for `-`); docs/reference/settings.md lists what they mean.

    `token`, `pr_number` and `comment_id` are only inputs, `allow_protected` is only a key. Lists are tuples.
    `ignore_authors` is in lower case. `input_paths` is neither a key nor an input: it holds the input `paths` if the
    file also sets `paths`, because a path must match both.
    """

    token: str = ""
    pr_number: int | None = None
    comment_id: int | None = None
    mode: str = "apply"
    trigger: str = "auto"
    permission: str = "write"
    partial: bool = False
    matching: str = "standard"
    three_way: bool = True
    formats: tuple[str, ...] = ()  # empty: all
    response_files: tuple[str, ...] = (".edits/*.md",)
    after_apply: str = "delete"
    paths: tuple[str, ...] = ("**",)
    deny_paths: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] = ()
    ignore_authors: tuple[str, ...] = ()
    suspicious_text: str = "refuse"
    placeholders: str = "refuse"
    removals: str = "allow"
    whole_files: str = "no"
    short_commands: bool = True
    inline_comments: int = 10
    reactions: bool = True
    start_checks: tuple[str, ...] = ()
    commit_prefix: str = ""
    credit: bool = False
    trailers: tuple[str, ...] = ()
    max_blocks: int = 500
    max_files: int = 200
    max_response_bytes: int = 1_048_576
    max_file_bytes: int = 5_242_880
    input_paths: tuple[str, ...] = ("**",)

    def __repr__(self) -> str:
        """Show every field except the token, which must not appear in a log."""
        fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items() if name != "token")
        return f"Settings({fields})"


class Policy(NamedTuple):
    """The settings in force. `notes` holds a line for each value that was set but is not in force.

    `rows` are key, value and origin of each setting that differs from its default: `.editblocks.yml on main`, `input`,
    or both. Values are untrusted text.
    """

    settings: Settings
    rows: Sequence[tuple[str, str, str]] = ()
    notes: tuple[str, ...] = ()
