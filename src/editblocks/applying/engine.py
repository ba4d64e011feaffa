"""Plan a response: read its blocks, and return a result for each of them and the new bytes of each file.

Blocks are planned in reading order, and each sees the changes of the blocks before it. Nothing is written here.
`decide.py` decides about a single block. The result has no text of secret or ignored files (`without_secret_texts`).

A block that readers of the page do not see is a failed row, as somebody may have hidden it on purpose. The host knows
which lines of a page are hidden (`Response.hidden_lines`); a file has no page. A path or a `base:` line must be visible
as well, and so must a tag of a model's thoughts: they are used only if the text without its hidden lines gives the
same. Line numbers are 1-based.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from editblocks.applying.decide import decide
from editblocks.applying.earlier import written_before
from editblocks.applying.evidence import Evidence
from editblocks.applying.files import Read, Tree
from editblocks.applying.plans import FilePlans
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
from editblocks.formats.whole_file import ask_for_whole_files
from editblocks.parsing.containers import is_transparent
from editblocks.parsing.parse import FORMATS, OF_TOOLS, formats_named, is_of_diagnostics, parse_parts, parse_response
from editblocks.parsing.session_records import is_session
from editblocks.paths.policy import check_policy, is_secret
from editblocks.paths.syntax import check_syntax

OnProgress = Callable[[int, int], None]  # called with the number of planned rows and of all, before each and at the end
NEW_BYTES = 20 * 1024 * 1024
_WITH_A_PAGE = frozenset({"comment", "review", "review-comment", "suggestions", "body"})  # kinds of sources
_DRIVE = r"[A-Za-z]:[\\/]"
_FENCE = r"[-*+>\s\d.)]*(?:`{3,}|~{3,})"


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
    return without_secret_texts(result, files, ignored)


def read_blocks(response: Response, settings: Settings, formats: Sequence[Format]) -> ParseResult:
    """Return the blocks of a response, in those of `formats` that are allowed. Paths below its root become relative."""
    size = len(response.body.encode("utf-8", "surrogatepass"))
    # A session has its own limit.
    if size > settings.max_response_bytes and (not is_session(response.body) or is_of_diagnostics(response.body)):
        what = f"the answer is over the limit of {settings.max_response_bytes:,} bytes (max-response-bytes)"
        return ParseResult(problems=(Problem(1, 1, 1, ReasonCode.TOO_LARGE, what, "split it"),), is_cut=True)
    front = response.front
    if front is not None and front.format:
        formats = formats_named([front.format])
    formats = formats_for(settings, formats)
    parsed = _parse(response, formats, settings.max_blocks)
    if response.source.kind in _WITH_A_PAGE:
        parsed = _without_documents(parsed)
    if response.hidden_lines:
        shown = _parse(without_lines(response, response.hidden_lines), formats, settings.max_blocks)
        parsed = without_hidden(parsed, response.hidden_lines, shown)
    base = parsed.base or response.base
    if front is not None and front.base:
        base = front.base
    parsed = parsed._replace(base=base)
    return place_paths(parsed, response.root, response.session_root)


def _parse(response: Response, formats: Sequence[Format], most_rows: int) -> ParseResult:
    if response.parts:
        return parse_parts(response.parts, formats, most_rows)
    first_line = 1 if response.front is None else response.front.lines + 1
    return parse_response(
        response.body, formats, response.context_path, first_line, most_rows, thread_lines=response.thread_lines
    )


def _without_documents(parsed: ParseResult) -> ParseResult:
    """Replace the rows of tool documents by one problem: readers of a comment cannot see what they would change."""
    rows: tuple[ParsedRow, ...] = (*parsed.blocks, *parsed.problems)
    of_tools = [row for row in rows if row.format in OF_TOOLS]
    if not of_tools:
        return parsed
    first = min(of_tools, key=lambda row: row.number)
    last = max(row.end_line for row in of_tools)
    what = f"a document in `{first.format}` (line {first.line_number}) is not supported in comments"
    code = ReasonCode.UNSUPPORTED_FORMAT
    advice = "apply it from a file"
    problem = Problem(first.number, first.line_number, last, code, what, advice, None, first.format, needs_person=True)
    blocks = tuple(row for row in parsed.blocks if row.format not in OF_TOOLS)
    problems = (row for row in parsed.problems if row.format not in OF_TOOLS)
    return parsed._replace(blocks=blocks, problems=(*problems, problem))


def formats_for(settings: Settings, formats: Sequence[Format] = FORMATS) -> Sequence[Format]:
    """Those of `formats` that are read with these settings."""
    if settings.formats:
        allowed = formats_named(settings.formats)
        formats = tuple(grammar for grammar in formats if grammar in allowed)
    return formats if settings.whole_files == "no" else ask_for_whole_files(formats)


def without_lines(response: Response, lines: frozenset[int]) -> Response:
    """Return the response with these lines blank."""
    first_line = 1
    parts = []
    for part in response.parts:
        parts.append(part._replace(text=_blanked(part.text, lines, first_line)))
        first_line += part.text.count("\n") + 2
    return response._replace(text=_blanked(response.text, lines, 1), parts=tuple(parts))


def _blanked(text: str, lines: frozenset[int], first_line: int) -> str:
    """Return the text with these lines blank. A tag stays, and of a line that begins a fence, the fence stays."""
    kept = []
    for number, line in enumerate(text.split("\n"), first_line):
        fence = re.match(_FENCE, line)
        if number not in lines or is_transparent(line):
            kept.append(line)
        elif fence is not None:
            kept.append(fence[0])
        else:
            kept.append("")
    return "\n".join(kept)


def without_hidden(parsed: ParseResult, hidden_lines: frozenset[int], shown: ParseResult) -> ParseResult:
    """Turn rows that have a hidden line, or whose path is in a hidden line, into problems.

    `shown` is the result of reading the text without its hidden lines. If it has further rows, all its rows become
    problems: a hidden tag of a model's thoughts would leave out blocks that readers see, complete or broken.
    """
    rows: tuple[ParsedRow, ...] = (*parsed.blocks, *parsed.problems)
    if any(_is_left_out(row, rows) for row in shown.in_order):
        what = "a line that GitHub does not show, such as `</think>`, leaves out a block that it shows"
        advice = "post only the blocks that are meant"
        return shown._replace(blocks=(), problems=tuple(_hidden_block(row, what, advice) for row in shown.in_order))
    seen = {(block.line_number, block.end_line, block.paths) for block in shown.blocks}
    blocks: list[EditBlock] = []
    problems: list[Problem] = []
    for row in rows:
        lines = named_lines((row.line_number, row.end_line))
        if _is_hidden(row, hidden_lines):
            what = f"GitHub does not show {lines} as written"
            problems.append(_hidden_block(row, what, "put the block in a code fence"))
        elif isinstance(row, Problem):
            problems.append(row)
        elif (row.line_number, row.end_line, row.paths) not in seen:
            what = f"GitHub does not show the line with the path of the block at {lines}"
            problems.append(_hidden_block(row, what, "write the path on the line above the block"))
        else:
            blocks.append(row)
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems), base=shown.base)


def _is_left_out(shown: ParsedRow, rows: Sequence[ParsedRow]) -> bool:
    """Whether a row of the text without its hidden lines is in no row of the whole text."""
    return not any(row.line_number <= shown.end_line and shown.line_number <= row.end_line for row in rows)


def _is_hidden(row: ParsedRow, hidden_lines: frozenset[int]) -> bool:
    """Whether any line of a block is hidden, or the first line of a problem."""
    if isinstance(row, EditBlock):
        return not hidden_lines.isdisjoint(range(row.line_number, row.end_line + 1))
    return row.line_number in hidden_lines


def _hidden_block(row: ParsedRow, what: str, advice: str) -> Problem:
    return Problem(row.number, row.line_number, row.end_line, ReasonCode.HIDDEN_BLOCK, what, advice)


def place_paths(parsed: ParseResult, root: str, session_root: str = "") -> ParseResult:
    """Make absolute paths below `root` relative to it. Paths of calls may also be below the root of their session.

    `session_root`: the folder that is the repository root in the session of the calls, whatever the session says.
    """
    if not root.strip("/"):
        root = ""
    blocks = list[EditBlock]()
    sessions = dict[str, None]()  # the session roots that paths are below, in order
    for block in parsed.blocks:
        session = ""
        if block.call is not None:
            session = session_root or block.call.session_root
        placed = _block_below(block, (root, session))
        if session and placed.paths != _block_below(block, (root,)).paths:  # one note is enough for a session
            sessions[session] = None
        elif placed is not block and not block.range_edits:  # tools write absolute paths as a rule
            shown = placed.file_path
            if placed.new_path != block.new_path:
                shown = placed.new_path
            note = Note("path-cleaned", f"the path was read as {shown}")
            placed = placed._replace(notes=(*block.notes, note))
        blocks.append(placed)
    problems = list[Problem]()
    for problem in parsed.problems:
        path = problem.file_path
        if path is not None:
            path = _below(path, (root, session_root or parsed.session_root), "", problem.format)
        problems.append(problem._replace(file_path=path))
    notes = [Note("session-root", f"{each} stands for this folder") for each in sessions]
    return parsed._replace(blocks=tuple(blocks), problems=tuple(problems), notes=(*parsed.notes, *notes))


def _block_below(block: EditBlock, roots: Sequence[str]) -> EditBlock:
    """Return the block with paths relative to the first of `roots`; those of a call, relative to any of `roots`."""
    folder = "" if block.call is None else block.call.folder
    file_path, new_path = (_below(path, roots, folder, block.format) for path in (block.file_path, block.new_path))
    if (file_path, new_path) == (block.file_path, block.new_path):
        return block
    return block._replace(file_path=file_path, new_path=new_path)


def _below(path: str, roots: Sequence[str], folder: str, form: str | None) -> str:
    """Return a path relative to the first of `roots` that contains it; relative paths begin in the call's folder."""
    path = _slashed(path)
    if folder and path and not path.startswith(("/", "~")) and re.match(_DRIVE, path) is None:
        path = f"{_slashed(folder).rstrip('/')}/{path}".removeprefix("./")
    starts = [f"{_slashed(root).rstrip('/')}/" for root in filter(None, roots)]
    if form == "unified":  # between `a/` and an absolute path, git writes no second slash
        starts += [start.removeprefix("/") for start in starts]
    below = (path[len(start) :] for start in starts if _with_small_drive(path).startswith(_with_small_drive(start)))
    return next(below, path)


def _slashed(path: str) -> str:
    """Return a path; if it begins with a Windows drive, with slashes for backslashes."""
    if re.match(_DRIVE, path):
        return path.replace("\\", "/")
    return path


def _with_small_drive(path: str) -> str:
    """Return a path for comparisons, with the letter of a Windows drive in lower case."""
    if re.match(_DRIVE, path):
        return path[0].lower() + path[1:]
    return path


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


def without_secret_texts(result: ApplyResult, files: Iterable[str], ignored: Iterable[str]) -> ApplyResult:
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
