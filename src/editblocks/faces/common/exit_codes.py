"""The one place where an exception becomes an exit code and a line that a person can use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editblocks.core.errors import EditBlocksError

FINE, NOT_OK, BROKEN, INTERRUPTED = 0, 1, 2, 130


class Boundary:
    """Whatever is raised inside is said (one line), and does not get out; `trace` gets the frames of a bug."""

    def __init__(self, say: Callable[[str], None], trace: Callable[[str], None]) -> None:
        self._say = say
        self._trace = trace
        self.exit_code = BROKEN

    def __enter__(self) -> Boundary:
        return self

    def __exit__(self, kind: object, error: BaseException | None, stack: object) -> bool:
        match error:
            case EditBlocksError():
                self._say(f"{error.code.value}: {error.message}")
            case KeyboardInterrupt():
                self.exit_code = INTERRUPTED
            case Exception():
                place, trace = "", error.__traceback__
                while trace is not None:
                    code = trace.tb_frame.f_code
                    self._trace(f"  {code.co_filename}:{trace.tb_lineno} in {code.co_name}")
                    place, trace = f"{Path(code.co_filename).name}:{trace.tb_lineno}", trace.tb_next
                self._say(f"internal: unexpected {type(error).__name__} in {place}; report it with the log")
        return error is None or isinstance(error, (Exception, KeyboardInterrupt))
