"""Blocks and a way to read files in, a verdict for every block and new bytes out.

Blocks are taken in reading order, and each sees what the blocks before it did. Nothing is written
here. The order of the checks is the order of docs/reference/formats.md, "applying": the first that fails decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editblocks.applying.account import Account
from editblocks.applying.done_before import written_before
from editblocks.applying.files import Read, Tree
from editblocks.applying.hidden_blocks import without_hidden, without_lines
from editblocks.applying.secret_files import hide_texts
from editblocks.core.blocks import EditBlock, Note, ParseResult, Problem
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.errors import ConfigError, UnreadableFile
from editblocks.core.model import ApplyResult, EditResult, Mismatch
from editblocks.core.outcome import Response, WrittenFile
from editblocks.core.selection import Selection
from editblocks.core.settings import MATCHING, Settings
from editblocks.core.typed import NamedTuple
from editblocks.formats.grammar import Format
from editblocks.formats.whole_file import ask_for_whole_files
from editblocks.parsing.parse import FORMATS, formats_named, parse_parts, parse_response
from editblocks.paths.policy import check_policy
from editblocks.paths.syntax import check_syntax
from editblocks.paths.tree import DIRECTORY, mode_at

NEW_BYTES = 20 * 1024 * 1024
Progress = Callable[[int, int], None]  # told how many rows are planned, and of how many, before each and at the end


class Options(NamedTuple):
    """`select` takes some of the blocks, or puts one at a place; `formats` are those that are read.

    `progress` is called with how far planning is. `written` are files as earlier runs of the same answer left them.
    """

    select: Selection | None = None
    formats: Sequence[Format] = FORMATS
    progress: Progress | None = None
    written: Sequence[WrittenFile] = ()


def apply_response(
    response: str | Response, tree: Read | Tree, settings: Settings | None = None, options: Options | None = None
) -> ApplyResult:
    """Read the blocks of `response` and plan them on the files of `tree`.

    Of a `tree` that is only a function that reads, links, submodules and names that differ by case only are not seen.
    Raises `ConfigError` if `options.select` names a block that is not there.
    """
    settings, options = settings or Settings(), options or Options()
    response = Response(response) if isinstance(response, str) else response
    parsed = _read_blocks(response, settings, options)
    if not callable(tree):
        tree.prefetch(_paths(parsed, settings))
    return apply_parsed(parsed, tree, settings, options)


def _paths(parsed: ParseResult, settings: Settings) -> list[str]:
    """The files that blocks name and may change."""
    paths = dict.fromkeys(path for block in parsed.blocks for path in block.paths)
    return [path for path in paths if not (check_syntax(path, "edit") or check_policy(path, settings))]


def _read_blocks(response: Response, settings: Settings, options: Options) -> ParseResult:
    front, text = response.front, response.body
    if len(text.encode("utf-8", "surrogatepass")) > settings.max_response_bytes:  # of a file no more may be read
        what = f"the response is over the limit of {settings.max_response_bytes:,} bytes (max-response-bytes)"
        return ParseResult(problems=(Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it"),), is_cut=True)
    formats = formats_for(settings, formats_named([front.format]) if front and front.format else options.formats)
    parsed = _parse(response, formats, settings.max_blocks)
    if response.hidden_lines:
        shown = _parse(without_lines(response, response.hidden_lines), formats, settings.max_blocks)
        parsed = without_hidden(parsed, response.hidden_lines, shown)
    parsed = parsed._replace(base=(front.base if front else None) or parsed.base or response.base)
    return _from_root(parsed, f"{response.root}/") if response.root.strip("/") else parsed


def _parse(response: Response, formats: Sequence[Format], most_rows: int) -> ParseResult:
    if response.parts:
        return parse_parts(response.parts, formats, most_rows)
    first_line = 1 if response.front is None else response.front.lines + 1
    context, lines = response.context_path, response.thread_lines
    return parse_response(response.body, formats, context, first_line, most_rows, thread_lines=lines)


def formats_for(settings: Settings, formats: Sequence[Format] = FORMATS) -> Sequence[Format]:
    """Those of `formats` that are read with these settings."""
    if settings.formats:
        allowed = formats_named(settings.formats)
        formats = tuple(grammar for grammar in formats if grammar in allowed)
    return formats if settings.whole_files == "no" else ask_for_whole_files(formats)


def _from_root(parsed: ParseResult, root: str) -> ParseResult:
    """The same blocks and problems, with absolute paths below `root` made relative to it."""
    blocks = (_block_from_root(block, root) for block in parsed.blocks)
    problems = (
        problem._replace(file_path=problem.file_path and _below(problem.file_path, root, problem.format))
        for problem in parsed.problems
    )
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems))


def _block_from_root(block: EditBlock, root: str) -> EditBlock:
    path, new_path = (_below(each, root, block.format) for each in (block.file_path, block.new_path))
    if (path, new_path) == (block.file_path, block.new_path):
        return block
    named = path if new_path == block.new_path else new_path
    note = Note("path-cleaned", f"the path was read as {named}")
    return block._replace(file_path=path, new_path=new_path, notes=(*block.notes, note))


def _below(path: str, root: str, form: str | None) -> str:
    """A path without `root`; between `a/` and an absolute path, git writes no second slash."""
    if form == "unified":
        path = path.removeprefix(root.removeprefix("/"))
    return path.removeprefix(root)


def apply_edits(blocks: Sequence[EditBlock], read: Read) -> ApplyResult:
    """Plan `blocks`, in their order, on the files that `read` gives (see `apply_response`)."""
    return apply_parsed(ParseResult(tuple(blocks)), read)


def apply_block(block: EditBlock, content: str | None) -> tuple[str, EditResult]:
    """Apply one block to the text of its file (None: there is none); the text is unchanged unless it applies."""
    data = None if content is None else content.encode("utf-8", "surrogatepass")
    result = apply_edits([block], {block.file_path: data}.get)
    if block.file_path in result.contents:
        content = (result.contents[block.file_path] or b"").decode("utf-8")
    return content or "", result.results[0]


def validate_block(block: EditBlock, content: str | None) -> EditResult:
    """Check one block on the text of its file; nothing is changed."""
    return apply_block(block, content)[1]


def apply_parsed(
    parsed: ParseResult, tree: Read | Tree, settings: Settings | None = None, options: Options | None = None
) -> ApplyResult:
    """Plan what `parse_response` returned; problems count as failures of the files they name.

    Raises `ConfigError` if `options.select` names what is not there, or `settings.matching` is no level.
    """
    settings, (select, _, progress, written) = settings or Settings(), options or Options()
    if settings.matching not in MATCHING:
        raise ConfigError(f"matching is `{settings.matching}`; use one of {', '.join(MATCHING)}")
    parsed = _by_longer_names(parsed, tree)
    rows: list[EditBlock | Problem] = sorted((*parsed.blocks, *parsed.problems), key=lambda row: row.number)
    if parsed.is_cut or len(rows) > settings.max_blocks:  # not all of it was read, so nothing is said of each
        what = f"the response has more than {settings.max_blocks:,} blocks (max-blocks)"
        problem = Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it")
        if len(rows) <= settings.max_blocks:
            problem = problem._replace(what=parsed.problems[-1].what, advice=parsed.problems[-1].advice)
        return ApplyResult(problems=(problem,), notes=parsed.notes)
    if select is not None:
        select.check([row.number for row in rows], {row.file_path for row in rows if row.file_path is not None})
    account = Account(parsed, tree, settings, select)
    account.written = written_before(parsed.blocks, written, account.plans.source.read)
    count, limit = len({path for block in parsed.blocks for path in block.paths}), settings.max_files
    too_many = f"the response has {count:,} files, the limit is {limit:,} (max-files)" if count > limit else None
    results = []
    for done, row in enumerate(rows):
        if progress is not None:
            progress(done, len(rows))
        if isinstance(row, Problem):
            account.pass_over(row)
        else:
            results.append(_failed(row, too_many, "split it") if too_many else account.take(row))
    if progress is not None:
        progress(len(rows), len(rows))
    contents = account.plans.contents()
    total = sum(len(data) for data in contents.values() if data is not None)
    if total > NEW_BYTES:
        what = f"the new files have {total:,} bytes together, the limit is {NEW_BYTES:,}"
        results = [_failed(result.block, what, "split the response") for result in results]
        contents = {}
    base, renamed = account.base, account.plans.renamed(contents)
    result = ApplyResult(
        results=tuple(results),
        problems=parsed.problems,
        contents=contents,
        originals=account.plans.originals(contents),
        modes=account.plans.modes(contents, renamed),
        renamed=renamed,
        shell_suggestions=parsed.shell_suggestions,
        notes=(*parsed.notes, Note("base-unknown", base.unknown)) if base and base.is_unknown else parsed.notes,
        base=parsed.base,
        unbalanced=parsed.unbalanced,
    )
    files = account.plans.files_there()
    ignored = [] if callable(tree) or not files else tree.ignored(files)  # a function knows nothing of git
    return hide_texts(result, files, ignored)


def _by_longer_names(parsed: ParseResult, tree: Read | Tree) -> ParseResult:
    """The same rows, each for the file that its line says with less taken off, where there is one.

    A line `1. intro.md` is an item of a list; but in a repository with a file of that name, `intro.md` is another one.
    """
    read, entries = (tree, None) if callable(tree) else (tree.read, tree.entries)

    def is_there(path: str) -> bool:
        if check_syntax(path, "edit") is not None:
            return False
        if entries is not None:
            return mode_at(path, entries) not in (None, DIRECTORY)
        try:
            return read(path) is not None
        except UnreadableFile:  # its block is refused for that
            return True

    rows: list[EditBlock | Problem] = [*parsed.blocks, *parsed.problems]
    found = {path: is_there(path) for path in dict.fromkeys(path for row in rows for path in row.longer_paths)}

    def named(row: EditBlock | Problem) -> str | None:
        return next((path for path in row.longer_paths if found[path]), None)

    if not any(found.values()):
        return parsed
    return parsed._replace(
        blocks=tuple(
            block._replace(file_path=path, longer_paths=(), weak_path=False) if (path := named(block)) else block
            for block in parsed.blocks
        ),
        problems=tuple(problem._replace(file_path=named(problem) or problem.file_path) for problem in parsed.problems),
    )


def _failed(block: EditBlock, what: str, advice: str) -> EditResult:
    """The result of a block of a response that is too large as a whole."""
    mismatch = Mismatch(ReasonCode.TOO_LARGE, what, advice, can_be_mended=True)
    return EditResult(block, EditStatus.FAILED, mismatch, notes=block.notes)
