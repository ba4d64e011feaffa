"""Apply a language model's edit blocks to files: checked, exact, all or nothing.

    result = apply_response(text, {"app.py": b"…"}.get)
    for row in result.rows: ...
    for path, data in result.contents.items(): ...

Names are loaded when they are first used, so that `import editblocks` costs next to nothing: a hook
that finds nothing to do must not pay for a parser.
"""

from importlib import import_module

__version__ = "0.1.0"  # the one place: pyproject.toml takes it from here

TYPE_CHECKING = False  # as type checkers know it; typing itself would double the time of this import

if TYPE_CHECKING:
    from editblocks.applying.engine import Options, apply_block, apply_edits, validate_block
    from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem, ThreadLines
    from editblocks.core.codes import EditStatus, ReasonCode
    from editblocks.core.errors import ConfigError, EditBlocksError, HeadMoved, Refused, RepoError, UnreadableFile
    from editblocks.core.mismatch import Candidate, Difference
    from editblocks.core.model import ApplyResult, EditResult
    from editblocks.core.outcome import Response
    from editblocks.core.selection import Selection
    from editblocks.core.settings import Settings
    from editblocks.faces.python import apply_response, retry_prompt
    from editblocks.parsing.parse import StreamParser, parse_response

__all__ = [
    "ApplyResult",
    "Candidate",
    "ConfigError",
    "Difference",
    "EditBlock",
    "EditBlocksError",
    "EditResult",
    "EditStatus",
    "HeadMoved",
    "Note",
    "Options",
    "ParseResult",
    "Problem",
    "ReasonCode",
    "Refused",
    "RepoError",
    "Response",
    "Selection",
    "Settings",
    "StreamParser",
    "ThreadLines",
    "UnreadableFile",
    "apply_block",
    "apply_edits",
    "apply_response",
    "parse_response",
    "retry_prompt",
    "validate_block",
]

_HOMES = (
    "core.codes",
    "core.settings",
    "core.blocks",
    "core.model",
    "core.errors",
    "core.outcome",
    "core.selection",
    "parsing.parse",
    "faces.python",
    "applying.engine",
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    if name in __all__:
        homes = (import_module(f"editblocks.{home}") for home in _HOMES)
        return next(getattr(home, name) for home in homes if hasattr(home, name))
    raise AttributeError(f"module 'editblocks' has no attribute '{name}'")
