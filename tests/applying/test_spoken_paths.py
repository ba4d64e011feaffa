"""A line that speaks of a file which cannot be read is told as any other line that names no file."""

from support.responses import block

from editblocks import apply_response
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile


def read(path: str) -> bytes | None:
    if path == "src/cart.py":
        raise UnreadableFile(ReasonCode.NOT_A_FILE, f"{path} is a pipe")
    return None


def test_a_file_that_cannot_be_read_is_not_offered() -> None:
    [row] = apply_response(f"Updated file: src/cart.py\n{block('x' + chr(10), 'y' + chr(10), '')}", read).results
    assert (row.code, row.reason) == (
        ReasonCode.NO_PATH,
        "`Updated file: src/cart.py` is not a file here, and no other line names one; "
        "write the full path on the line above",
    )
