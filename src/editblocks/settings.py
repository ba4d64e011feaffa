"""What a person may choose: one value with a field for every key of the configuration and input of the action."""

from __future__ import annotations

from dataclasses import dataclass, field

MATCHING = ("exact", "standard", "loose")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every input of the action and key of the configuration, one field each (`_` for `-`)."""

    token: str = field(default="", repr=False)
    mode: str = "apply"
    permission: str = "write"
    partial: bool = False
    matching: str = "standard"
    three_way: bool = True
    reactions: bool = True
    commit_prefix: str = ""
    max_blocks: int = 500
    max_files: int = 200
    max_response_bytes: int = 1_048_576
    max_file_bytes: int = 5_242_880
