"""The local server by itself: connections that say nothing, and pages that break."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, RemoteDisconnected
from socket import create_connection

import pytest

from editblocks.faces.cli.report import ADDRESS, SECONDS, HttpReply, Server


class Plain:
    """Pages that say how they were asked; `error` is raised instead."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.forms: list[Mapping[str, str]] = []

    def show(self) -> HttpReply:
        if self.error is not None:
            raise self.error
        return HttpReply(HTTPStatus.OK, "caf\u00e9")

    def apply(self, form: Mapping[str, str]) -> HttpReply:
        self.forms.append(form)
        return HttpReply(HTTPStatus.SEE_OTHER, location="./")


@contextmanager
def running(pages: Plain, seconds: float = SECONDS) -> Iterator[Server]:
    with Server(pages, seconds) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def look(server: Server, method: str = "GET") -> tuple[int, bytes]:
    connection = HTTPConnection(ADDRESS, server.port, timeout=30)
    connection.request(method, f"/{server.token}/")
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    finally:
        connection.close()


def test_it_listens_on_this_machine_alone_under_a_name_that_nobody_guesses() -> None:
    with running(Plain()) as server, running(Plain()) as other:
        assert server.socket.getsockname()[0] == "127.0.0.1"
        assert server.token != other.token
        assert len(server.token) == 43
        assert look(server) == (200, "caf\u00e9".encode())
        assert look(server, "HEAD") == (200, b"")


def test_a_connection_that_says_nothing_ends() -> None:
    with running(Plain(), seconds=0.05) as server, create_connection((ADDRESS, server.port), 30) as connection:
        connection.sendall(b"POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\n12")
        assert connection.recv(1) == b""


def test_a_bug_is_one_line_and_the_next_request_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    pages = Plain(KeyError("secret"))
    with running(pages) as server:
        with pytest.raises((RemoteDisconnected, ConnectionError)):
            look(server)
        pages.error = None
        assert look(server)[0] == 200
    assert capfd.readouterr() == ("", "editblocks: internal: unexpected KeyError in the local server; report it\n")


def test_forms_are_taken_one_after_the_other() -> None:
    """While one is at work, another waits for its turn."""
    pages = Plain()
    with running(pages) as server:
        with server.turn:
            waiting = [threading.Thread(target=look, args=(server,)) for _ in range(3)]
            for thread in waiting:
                thread.start()
            assert all(thread.is_alive() for thread in waiting)
        for thread in waiting:
            thread.join(30)
        assert not any(thread.is_alive() for thread in waiting)
