"""Where foreign text shows, and what it must not do there: requirements S11, S17 and S18, through a whole run."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
import pytest
from cmarkgfm.cmark import Options
from support.actionkit import APP, FITS, OTHER, Done, block
from support.hub.runner import parse_commands, parse_outputs
from support.talkkit import NOTE, Talk, talk

from editblocks.report.commit_message import PATTERN, UNDO_PATTERN
from editblocks.report.status.links import read_marker

OUTPUTS = {
    "result",
    "commit-sha",
    "head-sha",
    "applied-count",
    "failed-count",
    "report-path",
    "review-url",
    "pr-number",
}
# What would be a workflow command, a line of a file of the runner's, or an order to a terminal
COMMANDS = (
    "::error::x", "\n::set-output name=result::applied", "\r::add-path::/tmp", "\u2028::set-env name=A::b",
    "##[error]x",
    "\x85::stop-commands::x", "\t::debug::x", "\x1b[2J\x1b]0;x\x07", "\x9b31m", "\nresult=applied", "EOF\nPATH=/tmp",
    "%0A::error::x", "::add-mask::a", "\x00", "\ud800",
)  # fmt: skip
# What would be active on a page
ACTIVE = (
    "@octocat", "#1", "GH-1", "octocat/Hello-World#1", "https://example.com", "www.example.com", "me@example.com",
    "![x](https://example.com/x.png)", "[x](https://example.com)", "<img src=x>", "<b>", "</details>", "<!-- ", "-->",
    "| 9 | x |", "\n\n# x\n", "```", "~~~", "`", "&lt;b&gt;", "\\@octocat", "&#64;octocat", ":tada:",
    "0123456789abcdef", "\u202e", "\u200b",
)  # fmt: skip
WORST = "".join(COMMANDS) + " ".join(ACTIVE)
BRANCH = "x';$(id)`id`|&<b>@octocat;#1-GH-1,%0A,www.example.com"


# what was printed, put out and posted, whatever the text was


def check_run(t: Talk, done: Done) -> None:
    """Nothing foreign is a command, a control character, an output or active on a page. Posts are read back equal."""
    output = (done.folder / "output").read_text("utf-8") if (done.folder / "output").exists() else ""
    values, problem = parse_outputs(output)
    assert (problem, set(values) - OUTPUTS) == ("", set())
    lines = done.log.split("\n")
    commands = list(parse_commands(done.log))
    assert len(commands) == len([line for line in lines if line.startswith("::")])
    assert [commands[0].name, {each.name for each in commands[1:]} <= {"error", "warning"}] == ["add-mask", True]
    files = {each.properties["file"] for each in commands if "file" in each.properties}
    assert files <= set(t.h.world.files(t.head)), "an annotation is on a file that is there"
    assert [
        line for line in lines if re.search("[^ -~]", line) or len(line) > 260
    ] == []  # a sentence that quotes two names
    for body in posts(t):
        check_page(body)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\u200b\ud800]", body), body
    check_page(done.summary)
    sources = [marker.source for marker in t.statuses]
    assert len(set(sources)) == len(sources), "one status for each source"


def posts(t: Talk) -> Iterator[str]:
    """Whatever we have posted."""
    for each in (*t.pull.reviews, *t.pull.comments, *t.pull.review_comments):
        if each.author is t.h.world.bot:
            yield each.body


OURS = re.compile(r"https://github\.com/octocat/Hello-World/[A-Za-z0-9/._~%#-]*")
TAGS = set("html head body h3 p table thead tbody tr th td code pre details summary sub a strong em ol ul li br"
           " blockquote hr".split())  # fmt: skip
TOUCHY = re.compile(r"@\w|#[0-9]|\bGH-[0-9]|://|www\.|\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b|:[a-z]+:")
EXTENSIONS = ("table", "strikethrough", "autolink", "tasklist")


def check_page(markdown: str) -> None:
    """As a browser has it: no element but those that we make, no address but ours, nothing touchy outside of code."""
    text = markdown.encode("utf-8", "replace").decode()
    page = cmarkgfm.markdown_to_html_with_extensions(text, Options.CMARK_OPT_UNSAFE, list(EXTENSIONS))
    tree = html5lib.parse(f"<!doctype html><body>{page}", namespaceHTMLElements=False)
    for element in tree.iter():
        if isinstance(element.tag, str):
            assert element.tag in TAGS, (element.tag, markdown)
            assert set(element.attrib) <= {"href", "class", "align", "start"}, element.attrib
            assert OURS.fullmatch(element.get("href", "https://github.com/octocat/Hello-World/")), element.attrib
    shown = re.sub(r"\b(in|by) [0-9a-f]{7}(?= |$)", "", " ".join(_outside_code(tree)))  # our own commits
    assert not TOUCHY.search(shown), (TOUCHY.search(shown), shown)


def _outside_code(element: Element) -> Iterator[str]:
    if isinstance(element.tag, str) and element.tag not in {"code", "pre", "a"}:
        yield element.text or ""
        for child in element:
            yield from _outside_code(child)
            yield child.tail or ""


def written(path: str, old: str = "", new: str = "x") -> str:
    return block(path.replace("\n", " ").replace("\r", " "), old, new)


def in_a_body(t: Talk, text: str) -> Done:
    return t.say("octocat", f"{text}\n\n{FITS}\n{text}")


def in_a_path(t: Talk, text: str) -> Done:
    return t.say("octocat", written(text) + FITS)


def in_a_miss(t: Talk, text: str) -> Done:
    return t.say("octocat", block("app.py", f"    return {text}", "x") + block("app.py", "x", text))


def in_a_file(t: Talk, text: str) -> Done:
    """Lines of the branch are quoted where a block almost fits."""
    line = text.replace("\ud800", "").replace("\x00", "")
    t.h.world.push(t.pull, {"app.py": APP.replace(b"return result", b"return result  # " + line.encode())})
    return t.say("octocat", block("app.py", "    result = 0\n    return results", "x"))


def in_a_command(t: Talk, text: str) -> Done:
    t.say("hubot", FITS)
    t.say("octocat", f"/apply {text[:150]}")
    t.say("octocat", f"/edits {text[:60]}")
    t.say("octocat", f"/skip {text[:60]}")
    return t.say("octocat", f"/undo of {text[:90]}")


def in_a_review(t: Talk, text: str) -> Done:
    lines = [("app.py", 2, written(text)), ("app.py", 3, block("app.py", text, "x"))]
    return t.run(t.h.review(t.pull, "octocat", f"{text}\n{NOTE}", lines))


def in_a_reply(t: Talk, text: str) -> Done:
    t.h.world.review(t.pull, "hubot", text, [("app.py", 2, text)])
    return t.run(t.h.reply(t.pull, "octocat", f"{text}\n" + block("app.py", text, text), t.pull.review_comments[0]))


def in_commit_messages(t: Talk, text: str) -> Done:
    t.h.world.push(t.pull, OTHER, text.replace("\ud800", "").replace("\x00", ""))
    return in_a_command(t, "1")


def in_the_policy(t: Talk, text: str) -> Done:
    quoted = text.encode("ascii", "backslashreplace").decode().replace('"', "")
    printable = re.sub(r"[^ -~]", "", quoted).replace("\\", "")
    for key in ("nonsense", "commit-prefix", "mode"):
        t.h.world.commit({".editblocks.yml": f'{key}: "{printable[:60]}"\n'.encode()}, "Policy", "main")
        done = t.say("octocat", FITS)
        check_run(t, done)
    t.h.world.commit({".editblocks.yml": f'"{printable[:99]}": 1\n'.encode()}, "Policy", "main")
    return t.say("octocat", FITS)


def in_a_response_file(t: Talk, text: str) -> Done:
    before, name = t.head, re.sub(r"[\x00-\x1f/\ud800]", "", text)[:40]
    data = f"---\ntitle: {text}\n---\n{text}\n{written(text)}".encode("utf-8", "replace")
    t.h.world.push(t.pull, {f".edits/{name}.md": data, ".edits/b.md": FITS.encode()})
    return t.run(t.h.pull_event(t.pull, "synchronize", "octocat", before))


def in_a_refusal(t: Talk, text: str) -> Done:
    sentence = {"message": text.replace("\ud800", ""), "documentation_url": "https://example.com"}
    t.h.fault("POST git/trees", status=422, body=sentence, times=9)
    return t.say("octocat", FITS)


PLACES: list[Callable[[Talk, str], Done]] = [
    in_a_body, in_a_path, in_a_miss, in_a_file, in_a_command, in_a_review, in_a_reply, in_commit_messages,
    in_the_policy, in_a_response_file, in_a_refusal,
]  # fmt: skip
EVERYWHERE = [
    *(pytest.param(place, (WORST,), id=f"{place.__name__}-all") for place in PLACES),
    *(pytest.param(place, COMMANDS, id=f"{place.__name__}-commands", marks=pytest.mark.long) for place in PLACES),
    *(pytest.param(place, ACTIVE, id=f"{place.__name__}-active", marks=pytest.mark.long) for place in PLACES),
]


@pytest.mark.parametrize(("place", "texts"), EVERYWHERE)
@pytest.mark.table(parts=2)
@pytest.mark.long
def test_s11_s17_nothing_foreign_is_a_command_or_active(
    tmp_path: Path, place: Callable[[Talk, str], Done], texts: tuple[str, ...]
) -> None:
    for text in texts:
        with talk(tmp_path) as t:
            check_run(t, place(t, text.replace("\ud800", "") if place is in_commit_messages else text))


def test_s11_s17_the_name_of_a_branch_is_text(tmp_path: Path) -> None:
    with talk(tmp_path, head=BRANCH) as t:
        done = t.say("octocat", FITS)
        check_run(t, done)
        assert (done.outputs["result"], t.made) == ("applied", 1)


# S17: markers of others

MARKERS = {
    "a status": "<!-- editblocks:status v1 source=issuecomment-{0} digest={1} head={2} state={3} -->\n### Applied",
    "a status with a commit": "<!-- editblocks:status v1 source=issuecomment-{0} digest={1} head={2} state=applied"
    " commit={2} -->\n### Applied",
    "an answer": "<!-- editblocks:answer v1 to=issuecomment-{0} -->\nyes",
}


@pytest.mark.parametrize("claim", ["a status", *(pytest.param(n, marks=pytest.mark.long) for n in list(MARKERS)[1:])])
@pytest.mark.long
def test_s17_a_marker_of_somebody_else_is_text(tmp_path: Path, claim: str) -> None:
    """It neither stands for a source, nor keeps us from acting on one, nor is it edited."""
    with talk(tmp_path) as t:
        event = t.h.comment(t.pull, "hubot", FITS)
        for digest in ("0" * 64, "f" * 64):
            said = MARKERS[claim].format(t.pull.comments[0].id, digest, t.head, "checked")
            t.run(
                t.h.review(t.pull, "mallory", said, [("app.py", 2, "<!-- editblocks:inline v1 source=x block=1 -->")])
            )
            t.say("mallory", said)
        theirs = [review.body for review in t.pull.reviews]
        t.say("octocat", "/apply")
        assert (t.made, len(t.answers)) == (0, 1), "no source is open"
        t.run(event)
        command = t.h.comment(t.pull, "octocat", "/skip 9")
        t.h.world.say(t.pull, "mallory", MARKERS["an answer"].format(t.pull.comments[-1].id))
        t.run(command)
        assert (len(t.answers), [review.body for review in t.pull.reviews[:-1]]) == (2, theirs)
        t.say("octocat", "/apply")
        assert (t.made, read_marker(t.pull.reviews[-1].body) in t.statuses, t.statuses[-1].commit) == (1, True, t.head)


@pytest.mark.parametrize("marker", ["<!-- editblocks:", "<!-- editblocks:status v1 -->\n", *MARKERS.values()])
@pytest.mark.long(after=2)
def test_s17_what_begins_like_ours_is_no_source(tmp_path: Path, marker: str) -> None:
    with talk(tmp_path) as t:
        done = t.say("octocat", f"{marker}\n\n{FITS}")
        ids = {"comment-id": str(t.pull.comments[0].id), "pr-number": str(t.pull.number)}
        again = t.run(t.h.dispatch("octocat"), inputs=ids)
        assert (done.names, t.made, t.statuses, again.outputs.get("commit-sha", "")) == ([], 0, [], "")


# S18: the messages of commits

TITLES = ("Fixes #1", "fix GH-1", "closes octocat/Hello-World#1", "[skip ci] x", "skip-checks: true", "x @octocat",
          "Resolve https://github.com/octocat/Hello-World/issues/1", "Signed-off-by: x <x@example.com>", "- x",
          "Co-authored-by: x <x@example.com>", "caf\u00e9", "x" * 99, '"a\\nEdit-Blocks-Undo: x"')  # fmt: skip
POLICY = "commit-prefix: 'fix: '\ncredit: true\ntrailers: ['Reviewed: yes']\nafter-apply: keep\n"
KEYS = {"Co-authored-by", "Reviewed"}
KEYS |= {f"Edit-Blocks-{key}" for key in ("Source", "Digest", "Base", "Selected", "Applied-By", "Undo")}


@pytest.mark.parametrize("titles", [TITLES[:3], pytest.param(TITLES[3:], marks=pytest.mark.long)], ids=["", "more"])
@pytest.mark.long
def test_s18_every_message_is_of_one_ascii_pattern(tmp_path: Path, titles: tuple[str, ...]) -> None:
    with talk(tmp_path) as t:
        t.h.world.commit({".editblocks.yml": POLICY.encode()}, "Policy", "main")
        for number, title in enumerate(titles):
            before, text = t.head, f"---\ntitle: {title!r}\n---\n" + block(f"new{number}.txt", "", "x")
            t.h.world.push(t.pull, {f".edits/{number:02}.md": text.encode()})
            t.run(t.h.pull_event(t.pull, "synchronize", "octocat", before))
        t.say("hubot", FITS)
        t.say("octocat", "/apply")
        t.say("octocat", "/undo")
        git = t.h.world.store.git
        names = git("log", "--format=%H", "--author=github-actions", f"{t.start}..{t.head}").decode().split()
        assert len(names) == len(titles) + 2
        for name in names:
            message = git("log", "-1", "--format=%B", name).decode("ascii").rstrip("\n") + "\n"
            assert PATTERN.fullmatch(message) or UNDO_PATTERN.fullmatch(message), message
            assert not re.search(
                r"(?i)(?:fix|clos|resolv)\w*:? +(?:#|gh-|http|\S+/\S+#)|skip|\[|@(?!users)|sign", message
            )
            trailers = git("interpret-trailers", "--parse", data=message.encode()).decode().splitlines()
            assert {line.split(": ")[0] for line in trailers} <= KEYS
