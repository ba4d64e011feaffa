"""`report --serve` over HTTP: what its page does, and that nothing else has an effect."""

import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection
from subprocess import PIPE
from typing import NamedTuple
from urllib.parse import urlencode

import html5lib
import pytest
from support import gitkit
from support.applykit import CHANGE, CREATE, FITS, MISS, NEW_CART, SHOP, TAX, Run, block, changed
from support.gitkit import read_folder

from editblocks.faces.cli.arguments import parse
from editblocks.faces.cli.report import ADDRESS, MOST_BODY, ResponsePages, Server

TWICE = {"src/api.py": b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"}
RATE = {"src/rate.py": b"RATE = 7\nTOP = 9\n"}
AMBIGUOUS = block("src/api.py", "    return 1\n", "    return 2\n")
ANSWER = CHANGE + MISS + CREATE + AMBIGUOUS
EVIL = "http://evil.example"


class Got(NamedTuple):
    """An answer: its status, its page and its headers."""

    status: int
    page: str
    headers: Mapping[str, str]

    @property
    def heading(self) -> str:
        found = re.search("<h1>(.*?)</h1>", self.page, re.DOTALL)
        return re.sub("<[^>]*>", "", found[1]) if found else ""

    @property
    def counts(self) -> str:
        found = re.search('<p class="counts">(.*?)</p>', self.page, re.DOTALL)
        assert found, self.page
        return re.sub("<[^>]*>", "", found[1])

    def field(self, name: str) -> str:
        found = re.search(f'name="{name}" value="([^"]*)"', self.page)
        assert found, self.page
        return found[1]


class Browser:
    """A person's browser on the page of a server."""

    def __init__(self, port: int, path: str) -> None:
        self.port, self.path = port, path
        self.origin = f"http://{ADDRESS}:{port}"

    def ask(
        self, method: str, path: str | None = None, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Got:
        connection = HTTPConnection(ADDRESS, self.port, timeout=30)
        try:
            connection.request(method, self.path if path is None else path, body, dict(headers or {}))
            answer = connection.getresponse()
            return Got(answer.status, answer.read().decode(), dict(answer.headers))
        finally:
            connection.close()

    def look(self) -> Got:
        return self.ask("GET")

    def send(self, headers: Mapping[str, str] | None = None, path: str | None = None, **fields: str) -> Got:
        own = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        given = {name: value for name, value in {**own, **(headers or {})}.items() if value}
        return self.ask("POST", path or f"{self.path}apply", urlencode(fields).encode(), given)


@contextmanager
def served(*arguments: str) -> Iterator[Browser]:
    options = parse(["report", *arguments, "--serve"])
    assert options is not None
    with Server(ResponsePages(options, b"")) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Browser(server.port, f"/{server.token}/")
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def browser(shop: Path, tmp_path: Path) -> Iterator[Browser]:
    """A browser on the page of an answer: two blocks fit, one fails, and one fits at two places."""
    (shop / "src/api.py").write_bytes(TWICE["src/api.py"])
    (tmp_path / "reply.md").write_text(ANSWER)
    with served(str(tmp_path / "reply.md")) as browser:
        yield browser


def files(shop: Path) -> Mapping[str, object]:
    return {name: data for name, data in changed(shop).items() if name != "src/api.py"}


@pytest.mark.long
def test_one_block_is_applied_and_undone(browser: Browser, shop: Path, run: Run) -> None:
    first = browser.look()
    assert (first.status, first.field("only"), '<button form="apply" name="block" value="2">' in first.page) == (
        200,
        "1,3",
        False,
    )
    done = browser.send(plan=first.field("plan"), only="1,3", block="1")
    assert (done.status, done.headers["Location"], files(shop)) == (303, "./", {"src/cart.py": NEW_CART})
    then = browser.look()
    news = re.search(r"undo with: (editblocks undo [0-9-]+)</b>", then.page)
    assert "<b>applied 1 of 4 blocks to 1 file, +1 -1; " in then.page
    assert news
    assert run(*news[1].split()[1:]).code == 0
    assert files(shop) == {}
    again = browser.look()
    assert ('id="news"' in again.page, words(again, "b1"), again.field("only")) == (False, "ready", "1,3")


def test_a_file_that_git_ignores_is_refused_here_as_well(shop: Path, tmp_path: Path) -> None:
    """Amendment E3: the page offers no button, and a form that names the block writes nothing."""
    (shop / ".gitignore").write_text(".env\n")
    (shop / ".env").write_bytes(b"KEY=abc\n")
    (tmp_path / "reply.md").write_text(block(".env", "KEY=abc\n", "KEY=def\n"))
    with served(str(tmp_path / "reply.md")) as browser:
        first = browser.look()
        assert "git ignores .env (.gitignore line 1: .env)" in re.sub("<[^>]*>", "", first.page)
        done = browser.send(plan=first.page.partition('name="plan" value="')[2].partition('"')[0], only="1", block="1")
        assert done.status in (HTTPStatus.CONFLICT, HTTPStatus.BAD_REQUEST)
    assert (shop / ".env").read_bytes() == b"KEY=abc\n"


def words(got: Got, block: str) -> str:
    """What became of a block, as its head says it."""
    found = re.search(
        f'<article id="{block}".*?<span class="[a-z-]+ word"><span[^>]*>.</span> ([a-z ]+)</span>', got.page, re.DOTALL
    )
    assert found, got.page
    return found[1]


@pytest.mark.long
def test_what_was_written_is_known_and_not_offered_again(browser: Browser, shop: Path, run: Run) -> None:
    assert browser.send(plan=browser.look().field("plan"), only="1").status == 303
    one = browser.look()
    assert [words(one, f"b{number}") for number in range(1, 5)] == ["skipped", "failed", "ready", "failed"]
    assert one.heading == "2 of 4 blocks need attention"
    assert one.counts == (
        "✓ 1 ready – 1 skipped ✗ 2 failed in 3 files; nothing written; the blocks that fit would change +1 −0"
    )
    assert (one.field("only"), 'value="1">Apply block 1' in one.page) == ("3", False)
    assert "Do not send blocks 1 and 3 again" in one.page
    assert "reply.md --only ready</code>" in one.page
    # another write, of which nothing says that it is the first one again
    twice = browser.send(plan=one.field("plan"), only="1")
    assert (twice.status, files(shop)) == (409, {"src/cart.py": NEW_CART})
    assert browser.send(plan=one.field("plan"), only="ready").status == 303
    two = browser.look()
    assert [words(two, f"b{number}") for number in range(1, 5)] == ["skipped", "failed", "skipped", "failed"]
    assert run("undo").code == 0
    assert [words(browser.look(), f"b{number}") for number in (1, 3)] == ["skipped", "ready"]


INSERT = block("src/rate.py", "RATE = 7\n", "RATE = 7\nRATE += 1\n")
TOP = block("src/rate.py", "TOP = 9\n", "TOP = 10\n")


@pytest.mark.long
def test_an_insertion_is_not_applied_twice(shop: Path, tmp_path: Path, run: Run) -> None:
    (shop / "src/rate.py").write_bytes(RATE["src/rate.py"])
    (tmp_path / "reply.md").write_text(INSERT + TOP + MISS)
    with served(str(tmp_path / "reply.md")) as browser:
        for number in ("1", "2"):
            assert browser.send(plan=browser.look().field("plan"), block=number).status == 303
        last = browser.look()
        assert [words(last, each) for each in ("b1", "b2", "b3")] == ["skipped", "skipped", "failed"]
        assert changed(shop)["src/rate.py"] == b"RATE = 7\nRATE += 1\nTOP = 10\n"
        assert run("undo").code == 0  # the second one
        assert [words(browser.look(), each) for each in ("b1", "b2", "b3")] == ["skipped", "ready", "failed"]
        (shop / "src/rate.py").write_bytes(b"TOP = 9\n")  # what somebody else writes is read anew
        assert [words(browser.look(), each) for each in ("b1", "b2", "b3")] == ["failed", "not tried", "failed"]


@pytest.mark.long
def test_what_the_form_names(browser: Browser, shop: Path) -> None:
    plan = browser.look().field("plan")
    assert browser.send(plan=plan, only="1,3,4@6").status == 303
    assert changed(shop)["src/api.py"] == TWICE["src/api.py"][:-2] + b"2\n"
    assert files(shop) == {"src/cart.py": NEW_CART, "src/tax.py": TAX}


def test_the_page_is_whole_and_takes_no_form_elsewhere(browser: Browser) -> None:
    got = browser.look()
    html5lib.HTMLParser(strict=True).parse(got.page)
    assert "form-action 'self'\">" in got.page
    assert browser.path not in got.page
    assert got.headers["Cache-Control"] == "no-store"
    assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert got.headers["Referrer-Policy"] == "same-origin"  # with another, a browser hides where the form is from
    assert "frame-ancestors 'none'" in got.headers["Content-Security-Policy"]
    assert 'value="4@2">Apply block 4 at line 2</button>' in got.page


def everything(shop: Path) -> object:
    return read_folder(shop), sorted(str(path) for path in (shop / ".git").rglob("*"))


class Attack(NamedTuple):
    """What a stranger sends: over our request, headers (empty: none), a path, and fields."""

    status: int
    headers: Mapping[str, str] = {}
    path: str = ""
    fields: Mapping[str, str] = {}
    method: str = "POST"


ATTACKS = {
    "another page": Attack(403, {"Origin": EVIL}),
    "a sandboxed page": Attack(403, {"Origin": "null"}),
    "no origin": Attack(403, {"Origin": ""}),
    "the origin of another port": Attack(403, {"Origin": f"http://{ADDRESS}:1"}),
    "the origin of another name": Attack(403, {"Origin": "http://localhost:{port}"}),
    "a name that leads here": Attack(421, {"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}"}),
    "localhost": Attack(421, {"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}),
    "another port": Attack(421, {"Host": ADDRESS}),
    "no token": Attack(404, path="/apply"),
    "another token": Attack(404, path="/{other}/apply"),
    "part of the token": Attack(404, path="/{half}/apply"),
    "more than the token": Attack(404, path="{path}apply?x=1"),
    "another path": Attack(404, path="{path}../apply"),
    "a token that is no ASCII": Attack(404, path="/%C3%A9/apply"),
    "the page's own path": Attack(404, path="{path}"),
    "another form": Attack(415, {"Content-Type": "text/plain"}),
    "JSON": Attack(415, {"Content-Type": "application/json"}),
    "no field": Attack(409, fields={"plan": "", "only": "1"}),
    "no plan": Attack(409, fields={"plan": "0" * 64}),
    "a plan that is no ASCII": Attack(409, fields={"plan": "\u00e9"}),
    "no block": Attack(400, fields={"only": ""}),
    "an unknown block": Attack(409, fields={"only": "9"}),
    "no selector": Attack(400, fields={"only": "1-"}),
    "a block that fails": Attack(409, fields={"only": "2"}),
    "a place that is none": Attack(409, fields={"only": "4@3"}),
    "all, of which one fails": Attack(409, fields={"only": "all"}),
    "too many fields": Attack(400, fields={"a": "1", "b": "2", "c": "3"}),
    "GET of the form": Attack(404, path="{path}apply?block=1", method="GET"),
    "GET with a selector": Attack(404, path="{path}?block=1", method="GET"),
    "PUT": Attack(501, method="PUT"),
    "OPTIONS": Attack(501, method="OPTIONS"),
    "DELETE": Attack(501, path="{path}", method="DELETE"),
}


def filled(text: str, browser: Browser) -> str:
    token = browser.path.strip("/")
    other = token[:-1] + ("a" if token[-1] != "a" else "b")
    return text.format(port=browser.port, path=browser.path, other=other, half=token[:20])


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.long
def test_what_is_refused_leaves_every_byte(browser: Browser, shop: Path, name: str) -> None:
    attack = ATTACKS[name]
    fields = {"plan": browser.look().field("plan"), "only": "1", **attack.fields}
    before = everything(shop)
    own = {"Origin": browser.origin, "Content-Type": "application/x-www-form-urlencoded"}
    headers = {key: filled(value, browser) for key, value in {**own, **attack.headers}.items() if value}
    path = filled(attack.path, browser) or f"{browser.path}apply"
    got = browser.ask(attack.method, path, urlencode(fields).encode(), headers)
    assert (got.status, everything(shop)) == (attack.status, before), got.page
    assert fields["plan"] not in got.page or not fields["plan"]
    assert browser.path not in got.page
    assert got.headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in got.headers


@pytest.mark.long
def test_a_look_changes_nothing(browser: Browser, shop: Path) -> None:
    before = everything(shop)
    pages = {browser.look().page for _ in range(2)}
    assert (len(pages), everything(shop)) == (1, before)
    head = browser.ask("HEAD")
    assert (head.status, head.page) == (200, "")


WHY_NOT = (
    (" ", "no block is named; type numbers such as 1-3, a path, or the word ready"),
    (
        "all",
        "nothing written: block 2 no-match, block 4 ambiguous; type the numbers of blocks that fit, or the word ready",
    ),
    ("2", "nothing written: block 2 no-match; type the numbers of blocks that fit, or the word ready"),
)


@pytest.mark.parametrize(("typed", "sentence"), WHY_NOT)
@pytest.mark.long(after=1)
def test_why_nothing_is_written(browser: Browser, shop: Path, typed: str, sentence: str) -> None:
    got = browser.send(plan=browser.look().field("plan"), only=typed)
    assert (got.heading, files(shop)) == (sentence, {})


def test_the_field_goes_once_nothing_fits(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(CREATE + MISS)
    with served(str(tmp_path / "reply.md")) as browser:
        assert browser.send(plan=browser.look().field("plan"), only="ready").status == 303
        last = browser.look()
    assert (words(last, "b1"), 'name="only"' in last.page) == ("skipped", False)


STALE: dict[str, tuple[str, str]] = {
    "a file of another block": ("src/api.py", "x = 1\n"),
    "its own file, where it fits still": ("src/cart.py", "# top\n" + SHOP["src/cart.py"].decode()),
    "the answer": ("../reply.md", f"Sorry:\n{ANSWER}"),
    "the settings": (".editblocks.yml", "deny-paths: [src/tax.py]\n"),
    "a file that is to be new": ("src/tax.py", "RATE = 1\n"),
}


@pytest.mark.parametrize("name", STALE)
@pytest.mark.long
def test_a_plan_that_is_not_the_one_shown(browser: Browser, shop: Path, name: str) -> None:
    plan = browser.look().field("plan")
    path, text = STALE[name]
    (shop / path).write_text(text)
    before = everything(shop)
    got = browser.send(plan=plan, block="1")
    assert (got.status, everything(shop)) == (409, before)
    said = "the answer or a file has changed since this page was made, so nothing was written; look at it again"
    assert got.heading == said
    assert '<a href="./">' in got.page
    plan = browser.look().field("plan")
    assert browser.send(plan=plan, block="1").status == 303


@pytest.mark.long
def test_a_second_tab_has_to_be_loaded_again(browser: Browser, shop: Path) -> None:
    one, two = browser.look(), browser.look()
    assert browser.send(plan=one.field("plan"), block="1").status == 303
    before = everything(shop)
    again = [browser.send(plan=two.field("plan"), block=each) for each in ("1", "3")]
    assert ([got.status for got in again], everything(shop)) == ([409, 409], before)
    assert browser.send(plan=browser.look().field("plan"), block="3").status == 303
    assert files(shop) == {"src/cart.py": NEW_CART, "src/tax.py": TAX}


def raw(browser: Browser, data: bytes) -> bytes:
    with create_connection((ADDRESS, browser.port), 30) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


BROKEN = {
    "a long body": (f"POST {{path}}apply HTTP/1.1\r\n{{own}}Content-Length: {MOST_BODY + 1}\r\n\r\n", 413),
    "a huge number": (f"POST {{path}}apply HTTP/1.1\r\n{{own}}Content-Length: {10**30}\r\n\r\n", 411),
    "no length": ("POST {path}apply HTTP/1.1\r\n{own}\r\n", 411),
    "a negative length": ("POST {path}apply HTTP/1.1\r\n{own}Content-Length: -1\r\n\r\n", 411),
    "two lengths": ("POST {path}apply HTTP/1.1\r\n{own}Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 411),
    "chunks": ("POST {path}apply HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 411),
    "two hosts": ("GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n", 421),
    "two origins": ("POST {path}apply HTTP/1.1\r\n{own}Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n", 403),
    "no host": ("GET {path} HTTP/1.0\r\n\r\n", 421),
    "no request": ("\x00\xff<script>\r\n\r\n", 400),
    "an address of another server": ("GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\n\r\n", 404),
    "many headers": ("GET {path} HTTP/1.1\r\n" + "X: y\r\n" * 200 + "\r\n", 431),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.long(after=1)
def test_what_is_no_request(browser: Browser, shop: Path, name: str) -> None:
    text, status = BROKEN[name]
    host = f"{ADDRESS}:{browser.port}"
    own = f"Host: {host}\r\nOrigin: {browser.origin}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    before = everything(shop)
    answer = raw(browser, text.format(path=browser.path, own=own, host=host).encode("latin-1"))
    assert (f" {status} ".encode() in answer.split(b"\r\n")[0], everything(shop)) == (True, before), answer[:200]
    assert b"<script" not in answer


@pytest.mark.long
def test_a_silent_connection_keeps_nobody_waiting(browser: Browser) -> None:
    with create_connection((ADDRESS, browser.port)), create_connection((ADDRESS, browser.port)) as half:
        half.sendall(b"GET / HTTP/1.1\r\n")
        assert browser.look().status == 200


@pytest.mark.long
def test_a_response_file_goes_with_its_last_block(shop: Path, run: Run) -> None:
    (shop / ".edits").mkdir()
    (shop / ".edits/a.md").write_text(FITS)
    with served(".edits/a.md") as browser:
        assert browser.send(plan=browser.look().field("plan"), only="1").status == 303
        assert (shop / ".edits/a.md").exists()
        assert browser.send(plan=browser.look().field("plan"), only="ready").status == 303
        gone = browser.look()
        assert (gone.status, (shop / ".edits/a.md").exists()) == (200, False)
        assert gone.heading.startswith("all done: applied 1 block to 1 file, +1 -0; ")
        assert "removed .edits/a.md" in gone.heading
        assert run("undo").code == 0
        assert [words(browser.look(), each) for each in ("b1", "b2")] == ["skipped", "ready"]
        (shop / ".edits/a.md").unlink()
        assert (browser.look().status, "there is no .edits/a.md" in browser.look().heading) == (409, True)


HOSTILE = "<script>alert(1)</script>\u202e'\"&"


@pytest.mark.long
def test_hostile_text_is_text(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "reply.md").write_text(block(f"src/{HOSTILE}.py", "", f"x = 1 {HOSTILE}\n") + CHANGE)
    with served(str(tmp_path / "reply.md")) as browser:
        got = browser.look()
        wrong = browser.send(plan=got.field("plan"), only=HOSTILE)
    html5lib.HTMLParser(strict=True).parse(got.page)
    html5lib.HTMLParser(strict=True).parse(wrong.page)
    for page in (got.page, wrong.page):
        assert "<script>alert" not in page
        assert "\u202e" not in page
    assert (wrong.status, changed(shop)) == (409, {})


@contextmanager
def started(*arguments: str, cwd: Path, stdin: bytes = b"") -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The command itself, and the address that it prints."""
    command = [sys.executable, "-I", "-m", "editblocks", "report", "--serve", *arguments]
    environ = {**gitkit.ISOLATED, "HOME": str(cwd)}
    with subprocess.Popen(command, cwd=cwd, env=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(stdin)
        process.stdin.close()
        try:
            yield process, process.stdout.readline().decode()
        finally:
            process.kill()


@pytest.mark.long
def test_the_command_prints_an_address_and_ends_when_it_is_interrupted(shop: Path) -> None:
    with started("-", cwd=shop, stdin=CHANGE.encode()) as (process, address):
        found = re.fullmatch(r"http://127\.0\.0\.1:([0-9]+)(/[A-Za-z0-9_-]{43}/)\n", address)
        assert found
        browser = Browser(int(found[1]), found[2])
        # what was piped in is there as long as the page is
        assert browser.send(plan=browser.look().field("plan"), block="1").status == 303
        assert browser.look().status == 200
        process.send_signal(signal.SIGTERM)  # as ^C, which a test in the background would not get
        assert process.stderr is not None
        errors = process.stderr.read().decode().splitlines()
        assert process.wait(30) == 130
    assert (shop / "src/cart.py").read_bytes() == NEW_CART
    assert errors[0] == "editblocks: press Ctrl-C to stop; anyone with this address can apply these blocks"
    assert errors[1].startswith("editblocks: applied 1 block to 1 file, +1 -1; undo with: editblocks undo ")
    assert found[2] not in "".join(errors)


@pytest.mark.long
def test_an_address_that_nobody_can_read_is_not_served(shop: Path) -> None:
    (shop / "fits.md").write_text(CHANGE)
    command = f"exec {shlex.quote(sys.executable)} -I -m editblocks report --serve fits.md >&-"
    environ = {**gitkit.ISOLATED, "HOME": str(shop)}
    ended = subprocess.run(["sh", "-c", command], cwd=shop, env=environ, stderr=PIPE, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (
        2,
        b"editblocks: unavailable: standard output is closed; redirect it to a file\n",
    )


REFUSED = (
    ("prose.md", "prose.md: no-blocks: 1 line read, no edit block: "),
    ("none.md", "file-not-found: there is no none.md; "),
    ("large.md", "too-large: the answer is over the limit of 1,048,576 bytes (max-response-bytes); split it"),
    ("result.json", "--serve is for an answer, but this input is the result of a check"),
    ("fits.md --rev HEAD", "--serve and --rev cannot be used together; leave one of them out"),
    ("fits.md --open", "--serve and --open cannot be used together; leave one of them out"),
    ("fits.md --only 1", "--serve and --only cannot be used together; leave one of them out"),
    ("fits.md -o page.html", "--serve and -o cannot be used together; leave one of them out"),
)


def code_of(arguments: str) -> int:
    """As of `report`: 1 for a response with nothing to show."""
    return 1 if arguments in ("prose.md", "large.md") else 2


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
@pytest.mark.long
def test_what_is_not_served(run: Run, shop: Path, arguments: str, words: str) -> None:
    (shop / "prose.md").write_text("Nothing to do.\n")
    (shop / "fits.md").write_text(CHANGE)
    (shop / "large.md").write_text(CHANGE * 20_000)
    (shop / "result.json").write_text(run("check", "-", "--format", "json", stdin=CHANGE).out)
    code, out, err = run("report", "--serve", *arguments.split())
    assert (code, out, err.startswith(f"editblocks: {words}")) == (code_of(arguments), "", True), err
