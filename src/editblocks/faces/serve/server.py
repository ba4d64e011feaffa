"""An HTTP server on 127.0.0.1: who may ask for what, in which form. What is shown and done is up to its `Pages`.

Threats and rules: docs/internals/security.md, "the local server".
"""

from __future__ import annotations

import re
import secrets
import sys
import threading
import time
from collections.abc import Mapping
from email.message import Message
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BufferedReader, RawIOBase
from socket import socket
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Protocol
from urllib.parse import parse_qsl

from editblocks.core.typed import NamedTuple
from editblocks.faces.common.terminal import message
from editblocks.report.page.render import render_message

ADDRESS = "127.0.0.1"
MOST_BODY = 64 * 1024  # bytes of a form
SECONDS = 10.0  # that a request may take to come, and that a connection may not take what we send
MOST_CONNECTIONS = 16  # a browser opens some before it needs them

_FORM = "application/x-www-form-urlencoded"
_FIELDS = 4
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    # The page itself says which style and script count; this is what only a header can say.
    "Content-Security-Policy": "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, a browser does not say where a form is from
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Answer(NamedTuple):
    """The answer to a request: a page, or where to go next."""

    status: HTTPStatus
    page: str = ""
    location: str = ""


class Pages(Protocol):
    """What is served."""

    def show(self) -> Answer:
        """The page as it is now; nothing is changed."""

    def apply(self, form: Mapping[str, str]) -> Answer:
        """Do what a form asks for."""


def refused(status: HTTPStatus, sentence: str) -> Answer:
    """An answer that shows nothing to somebody who may be anybody."""
    return Answer(status, render_message(sentence, link=False))


def refusal(method: str, path: str, headers: Message, port: int, token: str) -> Answer | None:
    """Why this request is not for us, or not from our page; None if it is. It does not depend on a body."""
    own = f"{ADDRESS}:{port}"
    if headers.get_all("Host") != [own]:  # another name for this address is one that a stranger gave it
        return refused(HTTPStatus.MISDIRECTED_REQUEST, f"this server answers to {own} alone")
    wanted = f"/{token}/apply" if method == "POST" else f"/{token}/"
    if not compare_digest(path.encode("utf-8", "replace"), wanted.encode()):
        return refused(HTTPStatus.NOT_FOUND, "nothing is here; open the address that editblocks printed")
    if method == "POST" and headers.get_all("Origin") != [f"http://{own}"]:
        return refused(HTTPStatus.FORBIDDEN, "this does not come from our page, so nothing was done")
    return None


def body_refusal(headers: Message) -> Answer | None:
    """Why a body is not read; None for a form that is short enough."""
    lengths = headers.get_all("Content-Length") or []
    if len(lengths) != 1 or not re.fullmatch("[0-9]{1,15}", lengths[0]) or "Transfer-Encoding" in headers:
        return refused(HTTPStatus.LENGTH_REQUIRED, "a form says how long it is; nothing was done")
    if int(lengths[0]) > MOST_BODY:
        return refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a form has {MOST_BODY:,} bytes at most; nothing was done")
    return None


def read_form(headers: Message, body: bytes) -> Mapping[str, str] | Answer:
    """The fields of a form, each once."""
    if headers.get_content_type() != _FORM:
        return refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this is no form of ours; nothing was done")
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict")
    except ValueError:  # also of a text that is no UTF-8
        fields = []
    form = dict(fields)
    if not form or len(form) < len(fields):
        return refused(HTTPStatus.BAD_REQUEST, "this form cannot be read; nothing was done")
    return form


class Server(ThreadingMixIn, TCPServer):
    """Serves `pages` on a free port, one request after the other; idle connections keep nobody waiting."""

    daemon_threads = True
    allow_reuse_address = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, pages: Pages, seconds: float = SECONDS) -> None:
        self.pages = pages
        self.seconds = seconds
        self.token = secrets.token_urlsafe(32)
        self.turn = threading.Lock()  # held while a request is answered
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((ADDRESS, 0), _Handler)

    @property
    def port(self) -> int:
        """The port that the system chose."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, unless there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """What such a thread does."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Say what went wrong in one line; a browser that has gone is no error."""
        del request, client_address
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            message(f"internal: unexpected {type(error).__name__} in the local server; report it")


class _Incoming(RawIOBase):
    """What a connection sends within so many seconds, however slowly it comes."""

    def __init__(self, connection: socket, seconds: float) -> None:
        self._connection = connection
        self._stop = time.monotonic() + seconds

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for some bytes. Raises `TimeoutError`."""
        left = self._stop - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection ends with it."""

    server: Server
    server_version = "editblocks"
    sys_version = ""

    def setup(self) -> None:
        """Read with a limit for the whole request; that of http.server is for each piece of it."""
        super().setup()
        self.rfile.close()
        self.rfile = BufferedReader(_Incoming(self.connection, self.server.seconds))

    def do_GET(self) -> None:
        """Show the page."""
        answer = self._refusal()
        if answer is None:
            with self.server.turn:
                answer = self.server.pages.show()
        self._send(answer)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def do_POST(self) -> None:
        """Do what a form asks for."""
        unread = body_refusal(self.headers)
        body = b""
        if unread is None:  # also of a request that is refused, or the browser would not read why
            body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self._refusal() or unread or read_form(self.headers, body)
        if not isinstance(answer, Answer):
            with self.server.turn:
                answer = self.server.pages.apply(answer)
        self._send(answer)

    def _refusal(self) -> Answer | None:
        return refusal(self.command, self.path, self.headers, self.server.port, self.server.token)

    def _send(self, answer: Answer) -> None:
        page = answer.page.encode("utf-8", "replace")
        self.connection.settimeout(self.server.seconds)
        self.request_version = self.protocol_version  # of a line that is no request, it is one without headers
        self.send_response(answer.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if answer.location:
            self.send_header("Location", answer.location)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses, such as another method: without a word of the request."""
        del message, explain
        self.command = getattr(self, "command", None) or "GET"
        self._send(refused(HTTPStatus(code), "this request is not understood; nothing was done"))

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - as it is called there
        """Keep no log: it would hold the token."""
