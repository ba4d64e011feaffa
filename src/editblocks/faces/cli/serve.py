"""`report --serve`: the page of a response on this machine, from which blocks can be applied.

Page: docs/reference/command-line.md, "in a browser".
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hmac import compare_digest
from http import HTTPStatus
from typing import Any

from editblocks.core.codes import ReasonCode
from editblocks.core.digests import response_digest
from editblocks.core.errors import ConfigError, EditBlocksError, RepoError
from editblocks.core.outcome import Outcome, Response
from editblocks.core.selection import Selection
from editblocks.core.typed import NamedTuple
from editblocks.faces.cli.apply import WritableFiles, order_for
from editblocks.faces.cli.documents import report
from editblocks.faces.cli.explain import meanings
from editblocks.faces.cli.output import Output
from editblocks.faces.cli.report import why_no_page
from editblocks.faces.cli.request import Request
from editblocks.faces.common.reading import is_kept_nowhere, read_source, response_in
from editblocks.faces.common.terminal import NOT_OK, message, print_text
from editblocks.faces.interactive.choices import Snapshot, WritableSnapshot
from editblocks.faces.serve.server import Answer, Server
from editblocks.report.page.render import Served, render_message, render_page
from editblocks.report.plan_digest import file_state, plan_digest
from editblocks.report.terminal import short
from editblocks.report.tools.json import document
from editblocks.report.view import FAILED, OutcomeView, selector
from editblocks.run.flow import Repo, settle
from editblocks.run.plan import ApplyRequest, Version, check, run

_STALE = "the answer or a file has changed since this page was made, so nothing was written; look at it again"


class _NoBlocks(RepoError):
    """A response without blocks, or with too many to look at, has no page."""


def serve(options: argparse.Namespace, data: bytes) -> int:
    """Serve the page until somebody interrupts it; `data` is the response as it was read."""
    pages = ResponsePages(options, data)
    try:
        pages.page()  # what cannot be shown ends the call
    except _NoBlocks as error:
        message(error.message)
        return NOT_OK
    with Server(pages) as server:
        print_text(server.url)
        message("^C ends this page; whoever has its address can apply these blocks")
        try:
            server.serve_forever()
        finally:
            server.turn.acquire()  # what was begun is brought to its end; no request comes behind it
    return 0


class ResponsePages:
    """The page of one response, planned anew each time, and the form that applies blocks of it."""

    def __init__(self, options: argparse.Namespace, data: bytes) -> None:
        self._options = options
        self._piped = data if is_kept_nowhere(*options.sources) else None  # what cannot be read again
        self._writes: list[Write] = []
        self._news = ""  # of the last of them that is still there

    def show(self) -> Answer:
        """The page as it is now."""
        try:
            return Answer(HTTPStatus.OK, self.page())
        except EditBlocksError as error:
            return self._refuse(HTTPStatus.CONFLICT, error.message)

    def page(self) -> str:
        """The page. Raises `EditBlocksError` if there is nothing to show."""
        request = Request.of(self._options)._replace(texts=True)
        repo = Snapshot(request.opener()())
        writes = self._still_there(repo)
        try:
            response = self._response(request)
        except RepoError as error:
            if error.code is ReasonCode.FILE_NOT_FOUND and writes and writes[-1].outcome.removed_file is not None:
                return render_message(f"all done: {self._news}")
            raise
        written = blocks_of(writes, response)
        order = ApplyRequest(response, request.settings, _others(written), written=request.written_before(response))
        view = OutcomeView(check(order, lambda: repo))
        if view.outcome.refusal is not None:
            raise RepoError(view.outcome.refusal.reason, view.outcome.refusal.code)
        if why_no_page(view):
            raise _NoBlocks(why_no_page(view))
        chosen = selector(view.fitting) if view.fitting else ""
        fitting = frozenset(row.number for row in view.fitting)
        served = Served(plan_digest(response, view.result, repo.read), fitting, chosen, self._news)
        result = with_written(document(report(request, view)), written)
        return render_page(result, meanings(), served)

    def apply(self, form: Mapping[str, str]) -> Answer:
        """Write the blocks that a form names, if the plan is still the one that its page shows.

        Settings, response and files are read anew.
        """
        only = form.get("block") or form.get("only", "")
        if not only.strip():
            return self._refuse(HTTPStatus.BAD_REQUEST, "no block is named; type numbers such as 1-3, a path, or ready")
        try:
            return self._apply(only, form.get("plan", ""))
        except ConfigError as error:
            return self._refuse(HTTPStatus.BAD_REQUEST, error.message)
        except EditBlocksError as error:
            return self._refuse(HTTPStatus.CONFLICT, error.message)

    def _apply(self, only: str, plan: str) -> Answer:
        options = argparse.Namespace(**{**vars(self._options), "command": "apply", "only": only})
        request = Request.of(options)._replace(texts=True)
        files = WritableFiles(request)
        repo = WritableSnapshot(files.open())
        response = self._response(request)
        written = blocks_of(self._still_there(repo), response)
        plan_now = run(response, repo, request.settings, _others(written), request.written_before(response))
        now = plan_digest(response, plan_now, repo.read)
        if not compare_digest(now, plan.encode("ascii", "replace").decode()):
            return self._refuse(HTTPStatus.CONFLICT, _STALE)
        order, stays = order_for(request, response)
        files.response_file = order.response_file
        order = order._replace(committed=dict.fromkeys(written, ""))
        outcome = settle(order, files, _once(repo), describe=None, sleep=lambda _: None)
        view = OutcomeView(outcome)
        if not outcome.written:
            return self._refuse(HTTPStatus.CONFLICT, _why_not(view))
        news = Output(request).verdict(view, files.receipt, None)
        if stays and outcome.result.ok:
            news.append(stays)
        self._news = "; ".join(news)
        rows: Any = document(report(request, view))["blocks"]
        self._writes.append(Write(outcome, {row["number"]: row for row in rows if row["written"]}, self._news))
        message(self._news)
        files.say_what_is_not_kept()
        return Answer(HTTPStatus.SEE_OTHER, location="./")

    def _still_there(self, repo: Version) -> list[Write]:
        """The writes of this page that are still in the files; the news is that of the last one."""
        writes = still_there(self._writes, repo.read)
        self._news = writes[-1].news if writes else ""
        return writes

    def _response(self, request: Request) -> Response:
        def read(source: str, limit: int) -> Response:
            data = self._piped
            if data is None:
                data = read_source(source, limit + 1)
            return response_in(data[: limit + 1], source, limit)

        return request.responses(read)[0]

    def _refuse(self, status: HTTPStatus, sentence: str) -> Answer:
        return Answer(status, render_message(sentence, self._news))


def _others(written: Collection[int]) -> Selection | None:
    """All blocks but those that were written from this page: they would be tried on their own result."""
    if not written:
        return None
    return Selection(every=True, committed=frozenset(written))


def _why_not(view: OutcomeView) -> str:
    """Why nothing was written, for a person who can type a selector but no option."""
    if view.outcome.refusal is not None:
        return view.outcome.refusal.reason
    failed = view.by_code(FAILED)
    if failed:
        return f"nothing written: {failed}; name the blocks that fit, or ready"
    return short.verdict(view)


def _once(repo: Repo) -> Callable[[], Repo]:
    """Open these files a single time: if they move while they are written, that is another plan."""
    left = [repo]

    def open_files() -> Repo:
        if not left:
            raise RepoError(_STALE, ReasonCode.STALE)
        return left.pop()

    return open_files


class Write(NamedTuple):
    """One write; `blocks` are those that it applied, by number, as members of its JSON result."""

    outcome: Outcome
    blocks: Mapping[int, Mapping[str, Any]]
    news: str

    def is_of(self, response: Response) -> bool:
        """Whether it wrote blocks of this text."""
        return response_digest(self.outcome.response) == response_digest(response)


def still_there(writes: Sequence[Write], read: Callable[[str], bytes | None]) -> list[Write]:
    """The writes that nobody has undone or written over, in their order."""
    there = list[Write]()
    expected = dict[str, str]()
    for write in reversed(writes):
        contents = write.outcome.result.contents
        originals = write.outcome.result.originals
        after = {path: file_state(contents.get, path) for path in contents}
        if after == {path: expected.get(path) or file_state(read, path) for path in contents}:
            there.insert(0, write)
            expected |= {path: file_state(originals.get, path) for path in contents}  # what earlier ones left
    return there


def blocks_of(writes: Iterable[Write], response: Response) -> Mapping[int, Mapping[str, Any]]:
    """The blocks of a response that are written, by number."""
    return {number: block for write in writes if write.is_of(response) for number, block in write.blocks.items()}


def with_written(result: Mapping[str, Any], written: Mapping[int, Mapping[str, Any]]) -> Mapping[str, Any]:
    """A JSON result in which blocks that were written before are shown as they were then."""
    return {**result, "blocks": [written.get(block["number"], block) for block in result["blocks"]]}
