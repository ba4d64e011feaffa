"""Plan a response: from its blocks and a tree, make a result for every block and the new bytes of each file.

Blocks are planned in reading order, and each sees the changes of the blocks before it. Nothing is written here.
`decide.py` decides about a single block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from editblocks.applying.decide import decide
from editblocks.applying.earlier import written_before
from editblocks.applying.evidence import Evidence
from editblocks.applying.files import Read, Tree
from editblocks.applying.plans import FilePlans
from editblocks.applying.reading import read_blocks
from editblocks.core.blocks import EditBlock, Note, ParsedRow, ParseResult, Problem
from editblocks.core.characters import show_text
from editblocks.core.codes import EditStatus, ReasonCode
from editblocks.core.errors import ConfigError, UnreadableFile
from editblocks.core.mismatch import Candidate, Mismatch
from editblocks.core.model import ApplyResult, EditResult
from editblocks.core.outcome import Response, WrittenFile
from editblocks.core.phrases import named_lines
from editblocks.core.selection import Selection
from editblocks.core.settings import MATCHING, Settings
from editblocks.formats.grammar import Format
from editblocks.parsing.parse import FORMATS
from editblocks.parsing.tool_output import OF_TOOLS
from editblocks.paths.policy import check_policy
from editblocks.paths.secrets import is_secret
from editblocks.paths.syntax import check_syntax

NEW_BYTES = 20 * 1024 * 1024
OnProgress = Callable[[int, int], None]  # called with the number of planned rows and of all, before each and at the end


class Options(NamedTuple):
    """How to plan: `select` chooses blocks, and may choose the place of a block; `formats` are the formats to read.

    `progress` is called while rows are planned. `written` are files as earlier runs of the same answer left them.
    """

    select: Selection | None = None
    formats: Sequence[Format] = FORMATS
    progress: OnProgress | None = None
    written: Sequence[WrittenFile] = ()


def apply_response(
    response: str | Response, tree: Read | Tree, settings: Settings | None = None, options: Options | None = None
) -> ApplyResult:
    """Read the blocks of `response` and plan them on the files of `tree`.

    If `tree` is only a function that reads, then links, submodules and names that differ only in case are not seen.
    Raises `ConfigError` if `options.select` names a block or path that the response does not have.
    """
    settings = settings or Settings()
    options = options or Options()
    if isinstance(response, str):
        response = Response(response)
    parsed = read_blocks(response, settings, options.formats)
    if not callable(tree):
        tree.prefetch(_paths(parsed, settings))
    return apply_parsed(_with_thread_paths(parsed, tree), tree, settings, options)


def _with_thread_paths(parsed: ParseResult, tree: Read | Tree) -> ParseResult:
    """Give blocks below a word such as `Fixed`, which is not the name of a file, the file of the review thread."""
    read = tree if callable(tree) else tree.read

    def meant(block: EditBlock) -> EditBlock:
        word = block.file_path
        path = block.thread_path
        is_like_a_path = "/" in word or "." in word  # such as `cart.py#L3`
        if path is None or is_like_a_path or block.creates_file or _is_there(word, read):
            return block
        note = Note("path-from-thread", f"`{word}` is not a file here, and the thread is about {path}")
        return block._replace(
            file_path=path, path_source="P8", weak_path=False, thread_path=None, notes=(*block.notes, note)
        )

    return parsed._replace(blocks=tuple(map(meant, parsed.blocks)))


def _is_there(path: str, read: Read) -> bool:
    """Whether anything has this name, or the name is refused, so that the file of the thread must not replace it."""
    try:
        return check_syntax(path, "edit") is not None or read(path) is not None
    except UnreadableFile:
        return True


def _paths(parsed: ParseResult, settings: Settings) -> list[str]:
    """The files that blocks name and may change."""
    paths = dict.fromkeys(path for block in parsed.blocks for path in block.paths)
    return [path for path in paths if not (check_syntax(path, "edit") or check_policy(path, settings))]


def apply_edits(blocks: Sequence[EditBlock], read: Read) -> ApplyResult:
    """Plan `blocks`, in their order, on the files that `read` returns (see `apply_response`)."""
    return apply_parsed(ParseResult(tuple(blocks)), read)


def apply_block(block: EditBlock, content: str | None) -> tuple[str, EditResult]:
    """Apply one block to the text of its file (None: no file). The text is unchanged unless the block applies."""
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
    """Plan what `parse_response` returned. A problem makes the file that it names fail.

    Raises `ConfigError` if `options.select` names a block or path that does not exist, or `settings.matching` is wrong.
    """
    settings = settings or Settings()
    options = options or Options()
    if settings.matching not in MATCHING:
        raise ConfigError(f"matching is `{settings.matching}`; use one of {', '.join(MATCHING)}")
    rows = parsed.in_order
    problem = _too_many_rows(parsed, len(rows), settings)
    if problem is not None:
        return ApplyResult(problems=(problem,), notes=parsed.notes)
    select = options.select or Selection(every=True)
    select.check([row.number for row in rows], {row.file_path for row in rows if row.file_path is not None})
    plans = FilePlans(tree, settings, parsed.by_file)
    written = written_before(parsed.blocks, options.written, plans.source.read)
    evidence = Evidence(parsed, plans, tree, select, written)
    results = _decide_rows(rows, evidence, options.progress)
    contents = plans.contents()
    total = sum(len(data) for data in contents.values() if data is not None)
    if total > NEW_BYTES:
        what = f"the new files have {total:,} bytes together, the limit is {NEW_BYTES:,}"
        results = [_too_large(result.block, what, "split the answer") for result in results]
        contents = {}
    notes = parsed.notes
    if evidence.base is not None and evidence.base.is_unknown:
        notes = (*notes, Note("base-unknown", evidence.base.unknown))
    renamed = plans.renamed(contents)
    result = ApplyResult(
        results=tuple(results),
        problems=parsed.problems,
        contents=contents,
        originals=plans.originals(contents),
        modes=plans.modes(contents, renamed),
        renamed=renamed,
        shell_suggestions=parsed.shell_suggestions,
        notes=notes,
        base=parsed.base,
        unbalanced=parsed.unbalanced,
    )
    files = plans.files_there()
    ignored = [] if callable(tree) or not files else tree.ignored(files)  # a function cannot ask git
    return hide_texts(result, files, ignored)


def _too_many_rows(parsed: ParseResult, count: int, settings: Settings) -> Problem | None:
    """Return the one problem of a response that has too many blocks or was not read to its end; otherwise None."""
    if count > settings.max_blocks:
        what = f"the answer has more blocks than max-blocks allows ({settings.max_blocks:,})"
        return Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it")
    if parsed.is_cut:
        last = parsed.problems[-1]
        return Problem(1, 1, 1, ReasonCode.TOO_LARGE, last.what, last.advice)
    return None


def _decide_rows(rows: Sequence[ParsedRow], evidence: Evidence, progress: OnProgress | None) -> list[EditResult]:
    """Return the results of the blocks. A problem makes its file fail, if it is selected."""
    progress = progress or (lambda _done, _all: None)
    count = len({path for row in rows if isinstance(row, EditBlock) for path in row.paths})
    limit = evidence.settings.max_files
    too_many = f"the answer has {count:,} files, the limit is {limit:,} (max-files)"
    results = []
    for done, row in enumerate(rows):
        progress(done, len(rows))
        if isinstance(row, Problem):
            path = row.file_path
            if row.format in OF_TOOLS:  # every fix refers to the same version, so others do not depend on it
                path = None
            if path is not None and evidence.select.takes(row.number, path):
                evidence.plans.fail(path, row.number)
        elif count > limit:
            results.append(_too_large(row, too_many, "split it"))
        else:
            results.append(decide(row, evidence))
    progress(len(rows), len(rows))
    return results


def _too_large(block: EditBlock, what: str, advice: str) -> EditResult:
    """Return the result of a block whose response is too large as a whole."""
    mismatch = Mismatch(ReasonCode.TOO_LARGE, what, advice, is_fixable=True)
    return EditResult(block, EditStatus.FAILED, mismatch, notes=block.notes)


def hide_texts(result: ApplyResult, files: Iterable[str], ignored: Iterable[str]) -> ApplyResult:
    """Return the result without the text of files that git ignores, or whose names suggest that they hold secrets.

    So no prompt, report or status can show it. The bytes to write, the reasons and the line numbers stay. Similarities
    and columns are removed, because they would let a reader guess the text letter by letter.
    `files` are the files that the plan has read, `ignored` those of them that git ignores.
    """
    reasons = dict.fromkeys(ignored, "git ignores it")
    reasons.update((path, "its name says that it holds secrets") for path in files if is_secret(path))
    if not reasons:
        return result
    for row in result.results:  # a rename does not make a file less secret
        known = [reasons[path] for path in row.block.paths if path in reasons]
        if known:
            reasons.update((path, known[0]) for path in row.block.paths if path not in reasons)
    rows = tuple(_row_without_text(row, reasons) for row in result.results)
    return result._replace(results=rows, hidden_texts=frozenset(reasons))


def _row_without_text(row: EditResult, reasons: Mapping[str, str]) -> EditResult:
    mismatch = row.mismatch
    if mismatch is not None:  # a hint may say that the text of this block is also in a secret file
        hints = tuple(hint for hint in mismatch.hints if hint.path not in reasons)
        mismatch = mismatch._replace(hints=hints)
    trial = None if row.trial is None else _row_without_text(row.trial, reasons)
    row = row._replace(mismatch=mismatch, trial=trial)
    why = next((reasons[path] for path in row.block.paths if path in reasons), "")
    if not why:
        return row
    if mismatch is not None:
        mismatch = _mismatch_without_text(row, mismatch, why)
    return row._replace(mismatch=mismatch, written=None, likeness=None)


def _mismatch_without_text(row: EditResult, mismatch: Mismatch, why: str) -> Mismatch:
    if mismatch.code not in (ReasonCode.NO_MATCH, ReasonCode.STALE):
        places = {id(place): _bare(place) for place in mismatch.candidates}
        duplicate = mismatch.duplicate and places.get(id(mismatch.duplicate), _bare(mismatch.duplicate))
        return mismatch._replace(candidates=tuple(places.values()), duplicate=duplicate, hints=())
    is_closest = mismatch.similarity is not None or not mismatch.candidates
    if mismatch.code is ReasonCode.NO_MATCH and is_closest and not (mismatch.what or mismatch.strategy):
        what = _not_there(row.block.file_path, mismatch)
    else:
        what, _ = row.reason_and_advice
    advice = f"its text is not shown, because {why}; change it by hand"
    return Mismatch(mismatch.code, what, advice, chosen_line=mismatch.chosen_line, notes=mismatch.notes)


def _not_there(path: str, mismatch: Mismatch) -> str:
    what = f"its old lines are not in {show_text(path)}"
    if not mismatch.candidates:
        return what
    best = mismatch.candidates[0]
    return f"{what}; the closest text is at {named_lines((best.start_line, best.end_line))}"


def _bare(place: Candidate) -> Candidate:
    return place._replace(lines=(), above=(), below=(), within="")
