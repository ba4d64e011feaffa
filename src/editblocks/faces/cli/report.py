"""`editblocks report`: write the page of one response, or of a JSON result; or serve it, to apply blocks from it.

The server listens on 127.0.0.1 and checks every request. Pages: docs/reference/output.md, "the report page", and
docs/reference/command-line.md, "in a browser". Threats and rules: docs/internals/security.md, "the local server".
"""

import argparse
import re
import secrets
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from email.message import Message
from functools import partial
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import socket
from socketserver import TCPServer, ThreadingMixIn
from tempfile import mkdtemp
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl

from editblocks.applying.engine import Options
from editblocks.core.codes import ReasonCode
from editblocks.core.digests import plan_digest
from editblocks.core.errors import ConfigError, EditBlocksError, RepoError, UsageError, reason_of
from editblocks.core.outcome import Response
from editblocks.faces.cli.apply import WritableFiles
from editblocks.faces.cli.check import Output
from editblocks.faces.cli.documents import report
from editblocks.faces.cli.explain import meanings
from editblocks.faces.cli.request import Request, Snapshot, WritableSnapshot
from editblocks.faces.reading import is_read_once, read_response, read_source, response_in, shown_source
from editblocks.faces.terminal import (
    BROKEN,
    FINE,
    NOT_OK,
    code_for,
    complain,
    is_terminal,
    message,
    planning,
    print_text,
    printing,
    put_out,
)
from editblocks.report import short
from editblocks.report.json import document
from editblocks.report.page.render import (
    MOST_BYTES,
    NotOurs,
    Served,
    counts_of,
    looks_like_a_result,
    read_result,
    render_message,
    render_page,
)
from editblocks.report.view import FAILED, OutcomeView, selector
from editblocks.run import check, run, settle

# Options that need a response: a JSON result is not checked again.
_OF_A_RESPONSE = ("serve", "rev", "staged", "base", "matching", "whole_files", "only", "allow_protected")
_STALE = "the answer or a file has changed since this page was made, so nothing was written; look at it again"


class HttpReply(NamedTuple):
    """The answer to a request: a page, or the address to go to."""

    status: HTTPStatus
    page: str = ""
    location: str = ""


class _NoBlocks(RepoError):
    """The response has no page: it has no blocks, or it is too large."""


def main(options: argparse.Namespace) -> int:
    """Write the page. Return the exit code that `check` gives for the response, or gave for the result."""
    [source] = options.sources
    _refuse_output(options, source)
    data = read_source(source, MOST_BYTES + 1)
    if looks_like_a_result(data[:4096].decode("utf-8", "replace")):
        result = _result(options, data, source)
        code = code_for(result["outcome"] == "ok")
    elif options.serve:
        return _serve(options, data)
    else:
        result, code = _of_response(options, data)
    if result:
        _put_page(options, result)
    return code


def _refuse_output(options: argparse.Namespace, source: str) -> None:
    """Raise `UsageError` if the options do not name a place for the page, or the answer itself."""
    if options.open and options.output == "-":
        raise UsageError("--open needs a file; leave out `-o -`, or name a file after -o")
    if not (options.open or options.serve or options.output) and is_terminal(sys.stdout):
        raise UsageError("the page is HTML, so it is not printed here; --open shows it, -o writes it to a file")
    if options.output == "":
        raise UsageError("-o is empty; name a file, or - for standard output")
    if options.output not in (None, "-") and source != "-" and _is_same(options.output, source):
        raise UsageError("-o names the answer itself; give the page another name")


def _put_page(options: argparse.Namespace, result: Mapping[str, Any]) -> None:
    """Print the page, or write it to a file; with `--open`, show that file in a browser."""
    page = render_page(result, meanings()).encode("utf-8", "replace")
    output: str | None = options.output
    if options.open and output is None:
        output = str(Path(mkdtemp(prefix="editblocks-")) / "report.html")  # in a folder that only this user can read
    if output in (None, "-"):
        with printing():
            put_out(page)
        return
    try:
        Path(output).write_bytes(page)
    except OSError as error:
        raise RepoError(f"{output} cannot be written: {reason_of(error)}; choose another path") from error
    message(f"wrote {output}: {counts_of(result)}")
    if options.open and not webbrowser.open(Path(output).resolve().as_uri()):
        message(f"no browser could be started; open {output} in one")


def _is_same(output: str, other: str) -> bool:
    try:
        return Path(output).samefile(other)
    except (OSError, ValueError):  # one of them does not exist or is not a valid name
        return False


def _result(options: argparse.Namespace, data: bytes, source: str) -> Mapping[str, Any]:
    """Read a JSON result."""
    for name in _OF_A_RESPONSE:
        if getattr(options, name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for an answer, but this input is the result of a check")
    try:
        return read_result(data)
    except NotOurs as error:
        raise RepoError(f"{shown_source(source)} {error}") from error


def _of_response(options: argparse.Namespace, data: bytes) -> tuple[Mapping[str, Any], int]:
    """Check a response. Return its JSON result, empty if there is nothing to show, and the exit code."""
    request = Request.of(options)
    [response] = request.responses(partial(response_in, data))
    opener = request.opener()
    with planning(response.text, quiet=False) as progress:
        outcome = check(request.of_response(response, progress), opener)
    view = OutcomeView(outcome)
    if outcome.refusal is not None and not view.rows:
        complain(outcome.refusal.code, outcome.refusal.reason)
        return {}, BROKEN
    if _why_no_page(view):
        message(_why_no_page(view))
        return {}, NOT_OK
    return document(report(request, view, has_texts=True)), code_for(outcome.ok)


def _why_no_page(view: OutcomeView) -> str:
    """Return why a response has no page: it has no blocks, or it is too large. Empty if it has one."""
    if not view.rows:
        return short.short_summary(view)
    if not view.result.results and view.rows[0].code is ReasonCode.TOO_LARGE:
        return view.rows[0].sentence()
    return ""


def _serve(options: argparse.Namespace, data: bytes) -> int:
    """Serve the page until Ctrl-C. `data` is the response as it was read."""
    pages = ResponsePages(options, data)
    try:
        pages.page()  # raises if there is nothing to show
    except _NoBlocks as error:
        message(error.message)
        return NOT_OK
    with Server(pages) as server:
        print_text(server.url)
        message("press Ctrl-C to stop; anyone with this address can apply these blocks")
        try:
            server.serve_forever()
        finally:
            server.turn.acquire()  # let the present request finish, and no other begin
    return FINE


class ResponsePages:
    """Makes the page of one response, planned again each time, and applies blocks that its form names."""

    def __init__(self, options: argparse.Namespace, data: bytes) -> None:
        self._options = options
        self._read: Callable[[str, int], Response] = read_response
        if is_read_once(*options.sources):
            self._read = partial(response_in, data)
        self._news = ""  # what was written last, until a page has shown it
        self._done = ""  # what was written with the last block, if it removed the response file

    def show(self) -> HttpReply:
        """Return the page as it is now."""
        try:
            return HttpReply(HTTPStatus.OK, self.page())
        except EditBlocksError as error:
            return HttpReply(HTTPStatus.CONFLICT, render_message(error.message))

    def page(self) -> str:
        """Make the page. Raises `EditBlocksError` if there is nothing to show."""
        request = Request.of(self._options)
        try:
            [response] = request.responses(self._read)
        except RepoError as error:
            if error.code is ReasonCode.FILE_NOT_FOUND and self._done:
                return render_message(f"all done: {self._done}")
            raise
        self._done = ""
        repo = Snapshot(request.opener()())
        view = OutcomeView(check(request.of_response(response), lambda: repo))
        if view.outcome.refusal is not None:
            raise RepoError(view.outcome.refusal.reason, view.outcome.refusal.code)
        if _why_no_page(view):
            raise _NoBlocks(_why_no_page(view))
        chosen = selector(view.fitting) if view.fitting else ""
        fitting = frozenset(row.number for row in view.fitting)
        served = Served(plan_digest(response, view.result, repo.read), fitting, chosen, self._news)
        page = render_page(document(report(request, view, has_texts=True)), meanings(), served)
        self._news = ""
        return page

    def apply(self, form: Mapping[str, str]) -> HttpReply:
        """Write the blocks that a form names, if the plan is still the one on its page.

        Settings, response and files are read again.
        """
        try:
            self._apply(form.get("block") or form.get("only", ""), form.get("plan", ""))
        except ConfigError as error:
            return HttpReply(HTTPStatus.BAD_REQUEST, render_message(error.message))
        except EditBlocksError as error:
            return HttpReply(HTTPStatus.CONFLICT, render_message(error.message))
        return HttpReply(HTTPStatus.SEE_OTHER, location="./")

    def _apply(self, only: str, plan: str) -> None:
        if not only.strip():
            raise ConfigError("no block is named; type numbers such as 1-3, a path, or the word ready")
        options = argparse.Namespace(**{**vars(self._options), "command": "apply", "only": [only]})
        request = Request.of(options)
        files = WritableFiles(request)
        repo = WritableSnapshot(files.open())
        [response] = request.responses(self._read)
        plan_now = run(response, repo, request.settings, Options(written=request.written_before(response)))
        digest_now = plan_digest(response, plan_now, repo.read)
        if not compare_digest(digest_now, plan.encode("ascii", "replace").decode()):
            raise RepoError(_STALE)
        apply_request = files.request_for(response)
        # A retry gets the same files, so it fails if they have changed: the plan on the page is then out of date.
        outcome = settle(apply_request, files.refusal, lambda: repo, commits=False, sleep=lambda _: None)
        view = OutcomeView(outcome)
        if not outcome.written:
            raise RepoError(_why_not(view))
        self._news = "; ".join(Output(request).verdict(view, files.record_id, None))
        if outcome.removed_file is not None:
            self._done = self._news
        message(self._news)
        files.warn_about_ignored_file()


def _why_not(view: OutcomeView) -> str:
    """Return why nothing was written, with advice for a form, which takes a selector but no options."""
    refusal = view.outcome.refusal
    if refusal is not None:
        return _STALE if refusal.code is ReasonCode.HEAD_MOVED else refusal.reason
    failed = view.by_code(FAILED)
    if failed:
        return f"nothing written: {failed}; type the numbers of blocks that fit, or the word ready"
    return short.verdict(view)


# the server
ADDRESS = "127.0.0.1"
MOST_BODY = 64 * 1024  # bytes of a form
SECONDS = 10.0  # how long a connection may neither send nor receive
_FORM = "application/x-www-form-urlencoded"
_FIELDS = 4
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    # The page's own policy names its style and script; this part is only possible in a header.
    "Content-Security-Policy": "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, a browser sends no origin with a form
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Pages(Protocol):
    """The pages that the server serves."""

    def show(self) -> HttpReply:
        """Return the page as it is now; changes nothing."""

    def apply(self, form: Mapping[str, str]) -> HttpReply:
        """Do what a form asks for."""


class Server(ThreadingMixIn, TCPServer):
    """Serves `pages` on a free port, one request after the other; an idle connection does not block others."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, pages: Pages, seconds: float = SECONDS) -> None:
        self.pages = pages
        self.seconds = seconds
        self.token = secrets.token_urlsafe(32)
        self.turn = threading.Lock()  # held while a request is answered
        super().__init__((ADDRESS, 0), _Handler)

    @property
    def port(self) -> int:
        """The port, chosen by the system."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Print an unexpected error as one line; a closed connection is not an error."""
        del request, client_address
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            message(f"internal: unexpected {type(error).__name__} in the local server; report it")


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection ends with it."""

    server: Server
    server_version = "editblocks"
    sys_version = ""

    def setup(self) -> None:
        """Limit the time for each piece of a request and of the reply."""
        super().setup()
        self.connection.settimeout(self.server.seconds)

    def do_GET(self) -> None:
        """Show the page."""
        reply = self._refusal()
        if reply is None:
            with self.server.turn:
                reply = self.server.pages.show()
        self._send(reply)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def do_POST(self) -> None:
        """Do what a form asks for."""
        unread = _body_refusal(self.headers)
        body = b""
        if unread is None:  # also if the request is refused, or the browser would not read the refusal
            body = self.rfile.read(int(self.headers["Content-Length"]))
        form_or_refusal = self._refusal() or unread or _read_form(self.headers, body)
        if isinstance(form_or_refusal, HttpReply):
            self._send(form_or_refusal)
            return
        with self.server.turn:
            reply = self.server.pages.apply(form_or_refusal)
        self._send(reply)

    def _refusal(self) -> HttpReply | None:
        return _request_refusal(self.command, self.path, self.headers, self.server.port, self.server.token)

    def _send(self, reply: HttpReply) -> None:
        page = reply.page.encode("utf-8", "replace")
        self.request_version = self.protocol_version  # else the answer to an invalid request line has no headers
        self.send_response(reply.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if reply.location:
            self.send_header("Location", reply.location)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what http.server itself refuses, such as another method; the answer repeats nothing of the request."""
        del message, explain
        self.command = getattr(self, "command", None) or "GET"
        self._send(_refused(HTTPStatus(code), "this request is not understood; nothing was done"))

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - as it is called there
        """Keep no log, because it would contain the token."""


def _request_refusal(method: str, path: str, headers: Message, port: int, token: str) -> HttpReply | None:
    """Return the refusal of a request that is not for this server or not from its page; None if it is."""
    own = f"{ADDRESS}:{port}"
    if headers.get_all("Host") != [own]:  # a stranger may have given this address another name
        return _refused(HTTPStatus.MISDIRECTED_REQUEST, f"this server only answers {own}")
    wanted = f"/{token}/apply" if method == "POST" else f"/{token}/"
    if not compare_digest(path.encode("utf-8", "replace"), wanted.encode()):
        return _refused(HTTPStatus.NOT_FOUND, "nothing is here; open the address that editblocks printed")
    if method == "POST" and headers.get_all("Origin") != [f"http://{own}"]:
        return _refused(HTTPStatus.FORBIDDEN, "this does not come from the page of editblocks, so nothing was done")
    return None


def _body_refusal(headers: Message) -> HttpReply | None:
    """Return the refusal of a body that must not be read; None for a form that is short enough."""
    lengths = headers.get_all("Content-Length") or []
    if len(lengths) != 1 or not re.fullmatch("[0-9]{1,15}", lengths[0]) or "Transfer-Encoding" in headers:
        return _refused(HTTPStatus.LENGTH_REQUIRED, "the form has no valid Content-Length; nothing was done")
    if int(lengths[0]) > MOST_BODY:
        what = f"a form has {MOST_BODY:,} bytes at most; nothing was done"
        return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, what)
    return None


def _read_form(headers: Message, body: bytes) -> Mapping[str, str] | HttpReply:
    """Return the fields of a form, each of which may occur once."""
    if headers.get_content_type() != _FORM:
        return _refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this is not a form of editblocks; nothing was done")
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
    except ValueError:  # also for text that is not UTF-8
        fields = []
    form = dict(fields)
    if not form or len(form) < len(fields):
        return _refused(HTTPStatus.BAD_REQUEST, "this form cannot be read; nothing was done")
    return form


def _refused(status: HTTPStatus, sentence: str) -> HttpReply:
    """Return a refusal without a link to the page, because anybody may have sent the request."""
    return HttpReply(status, render_message(sentence, link=False))
