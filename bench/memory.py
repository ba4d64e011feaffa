"""M1: how much memory an answer takes at its peak, against the bytes that come and go: response, files, new files.

Counted is what Python allocates while the answer is read and planned, in a process of its own. Response and files are
there before, and the memory of the interpreter is not counted.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.applying import described
from bench.edits import Workload, w3, w4
from bench.measure import Row, Times

MOST = 3.0
_WORK = """
import pickle, sys, tracemalloc
from editblocks import apply_response
from bench.applying import SETTINGS
response, files = pickle.load(open(sys.argv[1], "rb"))
apply_response("", files.get, settings=SETTINGS)
tracemalloc.start()
result = apply_response(response, files.get, settings=SETTINGS)
print(tracemalloc.get_traced_memory()[1], result.counts["applied"])
"""


def rows(_peers: Path | None) -> Iterator[Row]:
    """One row a workload."""
    for make in (w3, w4):
        yield peak(make())


def peak(work: Workload) -> Row:
    """How much more the process takes once the answer is planned, against the bytes of all texts."""
    data = work.encoded()
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump((work.response, data), file)
        file.flush()
        run = subprocess.run([sys.executable, "-c", _WORK, file.name], check=True, capture_output=True, text=True)
    taken, applied = map(int, run.stdout.split())
    if applied != len(work.edits):
        raise RuntimeError(f"{work.name}: {applied} of {len(work.edits)} blocks applied")
    texts = (work.response, *work.files.values(), *work.expected.values())
    size = sum(len(text.encode()) for text in texts)
    remark = f"{taken / 1e6:.0f} MB for {size / 1e6:.0f} MB of text; memory, not seconds"
    return Row("M1", described(work), Times(taken, size), MOST, remark=remark)
