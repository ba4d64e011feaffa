"""What Windows says of a file, told apart here: nobody has to have it for that."""

import os
import stat
from types import SimpleNamespace
from typing import cast

import pytest

from editblocks.repos.directory import is_link, kept_mode

A_LINK = 0xA000000C
A_JUNCTION = 0xA0000003
OF_WSL = 0xA000001D
OF_ONEDRIVE = 0x9000601A
OF_DEDUPLICATION = 0x80000013
REGULAR = stat.S_IFREG | 0o666
"""Of every file that is not read-only; Python adds 0o111 for `.bat`, `.cmd`, `.com` and `.exe` if it has the name."""


@pytest.mark.parametrize(
    ("mode", "tag", "leads_elsewhere"),
    [
        pytest.param(stat.S_IFLNK | 0o777, A_LINK, True, id="a symbolic link"),
        pytest.param(stat.S_IFDIR | 0o777, A_JUNCTION, True, id="a junction"),
        pytest.param(REGULAR, OF_WSL, True, id="a link that Linux made there"),
        pytest.param(REGULAR, OF_ONEDRIVE, False, id="a file that OneDrive keeps"),
        pytest.param(stat.S_IFDIR | 0o777, OF_ONEDRIVE, False, id="a folder that OneDrive keeps"),
        pytest.param(REGULAR, OF_DEDUPLICATION, False, id="a file whose equal parts are stored once"),
        pytest.param(REGULAR, 0, False, id="a plain file"),
    ],
)
def test_what_leads_elsewhere_is_a_link(mode: int, tag: int, leads_elsewhere: bool) -> None:
    status = cast(os.stat_result, SimpleNamespace(st_mode=mode, st_reparse_tag=tag))
    assert is_link(status) is leads_elsewhere


@pytest.mark.parametrize(("has_modes", "is_same"), [(False, True), (True, False)], ids=["on Windows", "elsewhere"])
def test_bits_that_only_a_name_gives_are_not_kept(has_modes: bool, is_same: bool) -> None:
    """Else a `.bat` file would look as if somebody had changed it between its reading and its writing."""
    opened, named = (cast(os.stat_result, SimpleNamespace(st_mode=mode)) for mode in (REGULAR, REGULAR | 0o111))
    assert (kept_mode(opened, has_modes=has_modes) == kept_mode(named, has_modes=has_modes)) is is_same


def test_that_a_file_is_read_only_is_kept() -> None:
    read_only = cast(os.stat_result, SimpleNamespace(st_mode=stat.S_IFREG | 0o444))
    assert kept_mode(read_only, has_modes=False) == stat.S_IFREG | 0o444
