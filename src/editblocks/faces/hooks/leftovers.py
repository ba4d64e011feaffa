"""`editblocks hook leftovers`: find edit blocks that were left in staged files.

A block is an opener with its closer, in any format that is read, or a tool call in tags with its end. A single line of
`=` is not a block, as it may underline a heading, and neither is a merge conflict, which git itself reports.

Files are read from the index, never from the working tree, and nothing is written. Markers are allowed in response
files, and in files with the pragma. Page: docs/reference/pre-commit.md.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from editblocks.core.codes import ReasonCode
from editblocks.core.errors import UnreadableFile
from editblocks.core.phrases import join_words
from editblocks.core.settings import CEILINGS
from editblocks.faces.reading import find_root, here, hook_settings
from editblocks.faces.terminal import FINE, code_for, message, show_wrapped
from editblocks.formats.call_tags import body_of, has_edit_text, read_call_tag
from editblocks.formats.grammar import Format, Unmarked
from editblocks.formats.hunks import BEGIN_PATCH, END_PATCH
from editblocks.formats.markers import END_ACTION, Kind, Marker, Token, read_tag
from editblocks.formats.scanner import Scanner
from editblocks.parsing.parse import FORMATS, scanner_of
from editblocks.paths.policy import is_response_file
from editblocks.report.escape import visible
from editblocks.repos.git.commits import read_blobs
from editblocks.repos.git.index import staged_entries, staged_holding, staged_names
from editblocks.repos.git.repository import Git, Mode, open_repository
from editblocks.text.source_text import SNIFFED

PRAGMA = "editblocks: allow-markers"
LIMIT = CEILINGS["max_file_bytes"]  # the highest value that the setting allows, because files are only searched
_MOST_NAMED = 6  # lines in a message
_AT_ONCE = 16  # files in memory at the same time


def main(files: Sequence[str]) -> int:
    """Search these files, by default all that the commit adds or changes. Return the exit code."""
    root = find_root(here())
    git = open_repository(root, Mode.HOOK).git
    if files:
        known = staged_entries(git, files)
        for path in files:
            if path not in known:
                message(f"{path} is not staged, so it was not searched; git add it first")
    # `git grep` finds the few files with one of these texts, so only those are read.
    paths = staged_holding(git, hook_needles(FORMATS), files or staged_names(git))
    if not paths:
        return FINE
    patterns = hook_settings(root).response_files
    lines = list(_findings(git, [path for path in paths if not is_response_file(path, patterns)]))
    show_wrapped("".join(lines))
    return code_for(not lines)


def hook_needles(formats: Sequence[Format]) -> tuple[str, ...]:
    """Return texts for git to search files for: each opener contains one of them, and hardly any other line does."""
    needles = [needle for each in formats for opener in each.markers[:1] for needle in opener.hook_needles]
    for each in formats:
        if isinstance(each, Unmarked):
            needles += each.hook_needles
    return tuple(dict.fromkeys(needles))


def _findings(git: Git, paths: Sequence[str]) -> Iterator[str]:
    """Yield a line for each of these staged files that contains an edit block. Binary files are skipped."""
    ids = [(path, entry.oid) for path, entry in sorted(staged_entries(git, paths).items())]
    for start in range(0, len(ids), _AT_ONCE):
        blobs = read_blobs(git, dict(ids[start : start + _AT_ONCE]), LIMIT)
        for path, data in sorted(blobs.items()):
            if not isinstance(data, bytes):
                what = data.what if isinstance(data, UnreadableFile) else data.message
                message(f"{what}; it was not searched for edit blocks")
                continue
            if b"\0" in data[:SNIFFED]:
                continue
            blocks = leftovers(data.decode("utf-8", "replace"))
            if blocks:
                first = min(marker_lines[0] for marker_lines in blocks)
                row = f"{path}:{first}: failed: {ReasonCode.LEFTOVER.value}: {sentence(blocks, path)}"
                yield f"{visible(row)}\n"


def sentence(blocks: Sequence[Sequence[int]], path: str) -> str:
    """Return the message about the blocks that were found in the file at `path`."""
    lines = sorted({line for block in blocks for line in block})
    numbers = list(map(str, lines[:_MOST_NAMED]))
    if len(lines) > _MOST_NAMED:
        numbers[-1] = f"{len(lines) - _MOST_NAMED + 1} more"
    where = "lines" if len(lines) > 1 else "line"
    what = "blocks" if len(blocks) > 1 else "block"
    return f"edit-block markers at {where} {join_words(numbers)} of {path}; apply or remove the {what}"


def leftovers(text: str, formats: Sequence[Format] = FORMATS) -> tuple[tuple[int, ...], ...]:
    """Return the marker lines (1-based) of each block in `text`, in order of their closers; none with the pragma.

    The pragma must be on a line outside all blocks, so that no block can allow itself.
    """
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n")
    scanner = scanner_of(formats)
    if not whole.endswith("\n"):
        whole += "\n"
    tokens = scanner.scan(whole, 1)
    blocks = (*_blocks(tokens, scanner), *_calls(tokens, whole.split("\n")))
    if blocks and PRAGMA in whole and _is_allowed(whole, blocks):
        return ()
    return blocks


def _blocks(tokens: Sequence[Token], scanner: Scanner) -> Iterator[tuple[int, ...]]:
    """Yield the marker lines of blocks: pair each closer with the nearest opener above it that it can close."""
    closers: dict[Kind | Marker, Marker] = {BEGIN_PATCH: END_PATCH, Kind.EDIT_ACTION: END_ACTION}
    separators: dict[Kind | Marker, tuple[Marker, ...]] = {}
    for opener, [grammar, *_] in scanner.pairs.grammars.items():
        closers[opener] = grammar.closer
        separators[opener] = grammar.separators
    opened: dict[Kind | Marker, tuple[Token, list[int]]] = {}  # openers, and the lines of possible separators below
    for token in tokens:
        if token.kind in closers:
            tag = read_tag(token.word)
            if tag is not None and tag.ends_here:
                yield (token.line,)
            else:
                opened[token.kind] = (token, [])
            continue
        for kind in [kind for kind in opened if closers[kind] is token.kind]:
            first, separator_lines = opened.pop(kind)
            yield (first.line, *separator_lines, token.line)
        for kind, (first, separator_lines) in opened.items():
            if token.kind in separators.get(kind, ()) and token.length == first.length:
                separator_lines.append(token.line)


def _calls(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield the first and the last line of each editing tool call in tags. JSON is too common in files to be a sign."""
    openers = [token.line - 1 for token in tokens if token.kind is Kind.CALL]
    for start, stop in pairwise((*openers, len(lines))):
        tag = read_call_tag(lines[start])
        if tag is None or tag.is_around_json or tag.is_function or tag.has_arguments:
            continue
        end = next((line for line in range(start, stop) if tag.ends_at(lines[line])), None)
        if end is not None and has_edit_text(body_of(tag, lines[start : end + 1], is_closed=True)):
            yield (start + 1, end + 1)


def _is_allowed(whole: str, blocks: Sequence[Sequence[int]]) -> bool:
    inside = {line for block in blocks for line in range(block[0], block[-1] + 1)}
    return any(PRAGMA in line and number not in inside for number, line in enumerate(whole.split("\n"), 1))
