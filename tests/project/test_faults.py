"""A few faults of each kind: `python -m support.faults` tries thousands."""

import subprocess
import sys

import pytest
from support.faults.__main__ import KINDS
from support.gitkit import ISOLATED
from support.project import TESTS

TOLD = {
    "schedules": " ended with one commit, ",
    "kills": " processes were killed: ",
    "disks": "4 disks, ",
    "races": "each happened exactly once",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_faults_break_no_promise(kind: str) -> None:
    told = KINDS[kind](4, 1)
    assert TOLD[kind] in told or told.startswith("left out: ")


@pytest.mark.long
def test_a_kind_that_is_not_there_is_named() -> None:
    command = [sys.executable, "-m", "support.faults", "nothing"]
    done = subprocess.run(command, cwd=TESTS, env=ISOLATED, capture_output=True, text=True, check=False)
    assert (done.returncode, "unknown kind nothing; choose from schedules, kills" in done.stderr) == (2, True)
