"""M1: the peak memory of planning an answer, against the bytes of the response, the files and the new files.

A separate process parses and plans the answer; only what Python allocates during that is measured. The memory of the
interpreter, the response and the files, which are loaded before, is left out.
"""

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
    """Yield one row for each workload."""
    for make in (w3, w4):
        yield peak(make())


def peak(work: Workload) -> Row:
    """Measure the peak memory while the answer is planned, against the bytes of all texts."""
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
