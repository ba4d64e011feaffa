"""The documentation says what is: examples run, tables equal the code, and every pointer leads somewhere."""

from __future__ import annotations

import ast
import io
import re
import runpy
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import yaml
from support import gitkit, golden
from support.actionkit import APP, FAILS, FITS, Done, act, block, pull_request
from support.hookkit import SCRIPTS, search_path
from support.hub import Event, Hub, hub
from support.project import CASES, ROOT
from support.talkkit import Talk, talk

from editblocks import EditBlock, ReasonCode, Selection, Settings, apply_response, parse_response, validate_block
from editblocks.config.environment import FILE_ONLY, KEYS
from editblocks.config.policy_file import read_policy
from editblocks.core.errors import ConfigError
from editblocks.core.events import BlockBroken, BlockDone, BlockProgress, BlockStarted
from editblocks.faces.cli.arguments import parse as parse_arguments
from editblocks.faces.cli.options import COMMANDS, OPERANDS, TAKES_RESPONSES
from editblocks.faces.common.settings import ON_GITHUB
from editblocks.formats.markers import OPENERS, Kind, scan
from editblocks.hosts.github.pull.commands import read_command
from editblocks.parsing.parse import FORMAT_NAMES, FORMATS, formats_named
from editblocks.parsing.path_line import find_path
from editblocks.prompts.reminder import REMINDER
from editblocks.report.status import answers
from editblocks.report.wording import strategy_text
from editblocks.repos.stores.memory import MemoryRepo

DOCS = ROOT / "docs"
GUIDES = sorted(DOCS.glob("guide/*.md"))
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
CODE = sorted(
    path
    for folder in ("src", "hooks", "bench", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ""} and path.is_file() and "data" not in path.relative_to(ROOT).parts
)

_FENCE = re.compile(r"^(`{3,}|~{3,})([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fences(text: str, info: str) -> list[str]:
    """The texts of all fences that open with this info string."""
    return [found[3] for found in _FENCE.finditer(text) if found[2] == info]


def headings(page: Path) -> list[str]:
    return re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level or higher."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert found is not None, heading
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column is called `first`."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first} |".replace("|  |", "| |")))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip(" ") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def code(cell: str) -> str:
    """The text of a cell that is one code span, "" for an empty one."""
    ticks = len(cell) - len(cell.lstrip("`"))
    inner = cell[ticks : len(cell) - ticks]
    is_padded = inner.startswith(" ") or inner.endswith(" ")
    return (inner.strip(" ") if is_padded and "`" in inner else inner).replace("\\|", "|")


# examples


def embedded(case: golden.Case) -> str:
    """A golden page as docs/reference/formats.md shows it."""
    parts = [f"{case.claim} ([test](../../tests/cases/{case.name}.md)):", f"~~~~text\n{case.response}~~~~"]
    for path, data in case.expected.items():
        before, after = case.before.get(path, b"").decode(), data.decode()
        if path not in case.before:
            parts.append(f"`{path}`, created:\n\n```text\n{after}```")
            continue
        parts.append(f"`{path}` before{' and after' if before == after else ''}:\n\n```text\n{before}```")
        if before != after:
            parts.append(f"After:\n\n```text\n{after}```")
    rows = [line for line in case.report.splitlines() if not line.startswith("  ")]
    return "\n\n".join([*parts, "Row: " + ", ".join(f"`{row}`" for row in rows) + "."])


def shown_cases() -> list[golden.Case]:
    names = re.findall(r"\(\[test\]\(\.\./\.\./tests/cases/([a-z0-9/-]+)\.md\)\)", read("docs/reference/formats.md"))
    return [golden.read_case(CASES / f"{name}.md") for name in names]


@pytest.mark.parametrize("case", shown_cases(), ids=lambda case: case.name)
def test_an_example_is_its_golden_page(case: golden.Case) -> None:
    assert embedded(case) in read("docs/reference/formats.md")


def test_there_is_an_example_of_every_format_that_is_read() -> None:
    example = r"^### `([a-z0-9-]+)`: .*?\(\[test\]\(\.\./\.\./tests/cases/([a-z0-9/-]+)\.md\)\)"
    pages = dict(re.findall(example, read("docs/reference/formats.md"), re.MULTILINE | re.DOTALL))
    assert set(pages) == set(FORMAT_ROWS)
    for name, page in pages.items():
        response = golden.read_case(CASES / f"{page}.md").response
        assert {block.format for block in parse_response(response).blocks} == {name}


FORMAT_ROWS = {code(row[0]): row[1:] for row in table(read("docs/reference/formats.md"), "format")}


def test_the_readme_shows_every_opening_line_that_is_read() -> None:
    cells = [row[0] for row in table(read("README.md"), "opening line")]
    lines = [code(span) for cell in cells for span in re.findall(r"(`+ ?[^`].*?`+)(?=, |$)", cell)]
    kinds = {token.kind for line in lines for token in scan(f"{line}\n", 0)}
    assert kinds == {*OPENERS, Kind.FENCE, Kind.HEADING, Kind.EDIT_ACTION} - {Kind.OPEN_SR}


def test_the_table_of_formats_names_all_that_are_read() -> None:
    assert set(FORMAT_ROWS) == set(FORMAT_NAMES) - {"editor-diff", "editor-diff-fenced"}


@pytest.mark.parametrize("name", FORMAT_ROWS)
def test_the_table_of_formats_shows_their_markers_and_how_they_match(name: str) -> None:
    markers, _, fit = FORMAT_ROWS[name]
    [grammar] = formats_named([name])
    kinds = (grammar.OPENER, *grammar.SEPARATORS, grammar.CLOSER)
    assert re.findall("`([^`]+)`", markers) == [kind.value for kind in kinds]
    shifted = EditBlock(1, "a.py", name, 1, 1, old_lines="x = 1\n", new_lines="x = 2\n")
    if grammar.SEPARATORS:
        lands = validate_block(shifted, "    x = 1\n").strategy == "indentation"
        assert fit == ("tolerantly" if lands else "exactly")
    else:
        assert fit == "no text: creates"


@pytest.mark.parametrize(
    "line",
    [row[0] for row in table(section(read("docs/reference/formats.md"), "Recognised and refused"), "opening line")],
)
def test_what_the_page_calls_refused_is(line: str) -> None:
    parts = re.findall("`([^`]+)`", line)
    text = f"a.py\n{parts[-1]}\n{parts[0]}\n=======\n>>>>>>> REPLACE\n" if len(parts) > 1 else f"{parts[0]}\nx\n"
    assert [problem.code for problem in parse_response(text).problems] == [ReasonCode.UNSUPPORTED_FORMAT]


def test_the_table_of_operations() -> None:
    shown = {code(row[0]): row[2] for row in table(read("docs/reference/formats.md"), "operation")}
    case = golden.read_case(CASES / "mixed" / "operations.md")
    results = apply_response(case.response, case.before.get).results
    said = {result.operation: strategy_text(result) for result in results}
    assert set(shown) == set(said)
    for operation, words in said.items():
        expected = "exact" if operation == "modify" else code(shown[operation])
        assert words in (expected, f"exact, {expected}"), operation


def test_the_table_of_events() -> None:
    shown = {code(row[0]): re.findall("`([^`]+)`", row[1]) for row in table(read("docs/reference/formats.md"), "event")}
    kinds = (BlockStarted, BlockProgress, BlockDone, BlockBroken)
    assert shown == {kind.__name__: [field.name for field in fields(kind)] for kind in kinds}
    names = set(
        re.findall("`([a-z-]+)`", section(read("docs/reference/formats.md"), "Streaming").partition("Sections are")[2])
    )
    assert {section for grammar in FORMATS for section in grammar.SECTIONS} <= names


@pytest.mark.parametrize(("line", "reading"), table(read("docs/reference/formats.md"), "line"))
def test_the_table_of_path_lines(line: str, reading: str) -> None:
    found = find_path(code(line))
    if reading == "no path":
        assert found is None
    else:
        assert found is not None
        assert (found.weak, found.weak or found.path) == (reading == "weak", reading == "weak" or code(reading))


PYTHON = fences(read("docs/reference/python.md"), "python")


@pytest.mark.parametrize("example", PYTHON, ids=[example.split("\n")[-2][:40] for example in PYTHON])
def test_the_python_examples_run(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example.py").write_text(example, "utf-8")
    assert runpy.run_path("example.py")
    assert example.count("assert ") > 1
    assert Path("rates.py").exists() == ("repo.write" in example)


def test_every_public_name_that_python_md_tells_of_exists() -> None:
    import editblocks

    names = {name for row in table(read("docs/reference/python.md"), "name") for name in re.findall(r"`(\w+)", row[0])}
    assert names <= set(editblocks.__all__)


# guides


FILE = re.compile(r"`([\w./-]+)`:\n\n(`{3,})[^\n]*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


@pytest.mark.long
@pytest.mark.parametrize("page", ["docs/guide/start.md", "docs/guide/command-line.md"])
def test_the_session_of_a_guide_is_what_is_printed(page: str, tmp_path: Path) -> None:
    """The page names its files; the commands of its consoles run one after the other."""
    files = {path: (gitkit.FILE, text.encode()) for path, _, text in FILE.findall(read(page))}
    shop = gitkit.make_repository(tmp_path / "shop", {path: entry for path, entry in files.items() if "/" in path})
    for path, (_, data) in files.items():
        (shop / path).write_bytes(data)
    environment = {**gitkit.ISOLATED, "PATH": search_path(SCRIPTS)}
    steps = [step for text in fences(read(page), "console") for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    assert len(steps) > 3
    for command, _, printed in (step.partition("\n") for step in steps):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=shop,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert re.sub(r"[0-9]{8}-(?=[0-9])", "20261121-", done.stdout) == printed, command


_CALL = re.compile(r"^(?:\$ )?(?:[^\n|#]*\| )?editblocks ([^|>\n#]*[^|>\n# ])", re.MULTILINE)
_CALL_IN_TEXT = re.compile(r"`editblocks ([a-z-][^`|>…]*[^`|>… ])`")


def calls(page: Path) -> Iterator[str]:
    """The arguments of every call that a page shows, in a fence for a shell or in its text."""
    text = page.read_text("utf-8")
    for shell in (*fences(text, "sh"), *fences(text, "console")):
        yield from _CALL.findall(shell)
    yield from (" ".join(call.split()) for call in _CALL_IN_TEXT.findall(_FENCE.sub("", text)))


CALLS = sorted({(page.relative_to(ROOT).as_posix(), call) for page in PAGES for call in calls(page)})


@pytest.mark.parametrize(("page", "call"), CALLS, ids=[f"{page} {call}" for page, call in CALLS])
def test_a_call_of_a_page_can_be_read(page: str, call: str) -> None:
    command, *arguments = call.split()
    if command in ("hook", "--print-completion"):
        return
    if command in TAKES_RESPONSES and (not arguments or arguments[-1].startswith("--")):
        arguments.append("reply.md")  # the text names the command alone
    parsed = parse_arguments([command, *arguments])
    assert parsed is not None, page
    assert parsed.command == command


def test_the_instructions_for_a_model_are_those_of_a_retry_prompt() -> None:
    shown = " ".join(read("docs/guide/models.md").split())
    assert " ".join(REMINDER.replace(", as given unless it is said to be wrong", "").split()) in shown


def test_a_guide_is_short() -> None:
    assert [page.stem for page in GUIDES] == ["action", "command-line", "hooks", "models", "start"]
    assert [page.name for page in GUIDES if len(page.read_text("utf-8").split("\n")) > 151] == []


# reasons


def asks(path: str, search: str, replace: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n"


TOTAL = "def total(items):\n    count = 0\n    return count\n"
CART = "".join(f"price_{line} = {line}\n" for line in range(1, 60))
SHOP = {
    "src/app.py": ("\n" * 11 + "go()\n" + "\n" * 27 + TOTAL + "\n" * 37 + "go()\n").encode(),
    "src/cart.py": CART.replace("price_43 = 43", "price_43 = 44").encode(),
    "src/tax.py": b"RATE = 19\n" * 40,
    "src/old.py": b"RATE = 19\n" * 11 + b"\xe9\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
}
REASONS = {
    "no-match": asks("src/app.py", TOTAL.replace("count = 0", "counter = 0"), TOTAL.replace("total", "sum_of")),
    "ambiguous": asks("src/app.py", "go()\n", "stop()\n"),
    "stale": asks("src/cart.py", "price_43 = 43\n", "price_43 = 45\n"),
    "not-selected": asks("src/cart.py", "price_1 = 1\n", "price_1 = 2\n"),
    "earlier-failure": asks("src/tax.py", "", "")
    + asks("src/cart.py", "no\n", "")
    + asks("src/cart.py", "price_2 = 2\n", "price_2 = 3\n"),
    "no-op": asks("src/cart.py", "price_1 = 1\n", "price_1 = 1\n"),
    "file-not-found": asks("src/carts.py", "price_1 = 1\n", "price_1 = 2\n"),
    "file-exists": asks("src/tax.py", "", "RATE = 21\n"),
    "binary": asks("logo.png", "PNG\n", "png\n"),
    "encoding": asks("src/old.py", "RATE = 19\n", "RATE = 21\n"),
    "hidden-text": asks("src/cart.py", "price_1 = 1\n", "a = 1\nb = 2\nprice_1 = 1\u202e\n"),
    "placeholder": asks("src/cart.py", "price_1 = 1\n", "a = 1\n# ... existing code ...\n"),
    "unsafe-path": asks("../x.py", "x\n", "y\n"),
    "not-allowed": asks(".pre-commit-config.yaml", "x\n", "y\n"),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_example_of_a_reason_is_what_is_printed(name: str) -> None:
    repo, old = MemoryRepo(SHOP), {"a1b2c3d": {"src/cart.py": CART.encode()}.get}
    select = None if name != "not-selected" else Selection()
    result = apply_response(
        REASONS[name], repo.read, entries=repo.entries, base="a1b2c3d", read_base=old.get, select=select
    )
    row = result.results[-1]
    assert row.code is not None
    assert fences(section(read("docs/reference/reasons.md"), name), "text") == [f"{row.code.value}: {row.reason}\n"]


def bad_command() -> str:
    with pytest.raises(ConfigError) as caught:
        read_command("/edits aply")
    return f"{caught.value.code.value}: {caught.value.message}"


def bad_config() -> str:
    with pytest.raises(ConfigError) as caught:
        read_policy("# ours\n\nmod: check\n", "main")
    return f"{caught.value.code.value}: {caught.value.message}"


def closed() -> str:
    return answers.closed("issuecomment-1", merged=True).split("\n", 1)[1].strip()


SAID = {"bad-command": bad_command, "bad-config": bad_config, "closed": closed}


@pytest.mark.parametrize("name", SAID)
def test_the_example_of_a_reason_for_a_run_is_what_is_said(name: str) -> None:
    assert fences(section(read("docs/reference/reasons.md"), name), "text") == [f"{SAID[name]()}\n"]


# inputs and outputs


def test_the_settings_are_the_inputs_of_the_action_and_one_key_of_the_file() -> None:
    inputs = yaml.safe_load(read("action.yml"))["inputs"]
    rows = {code(name): row for name, *row in table(read("docs/reference/settings.md"), "setting")}
    assert [name for name in rows if name != FILE_ONLY] == list(inputs)
    assert code(rows.pop("token")[0]) == inputs["token"]["default"]
    assert {name: code(default) for name, (default, *_) in rows.items()} == {name: default_of(name) for name in rows}
    assert all(meaning for _, meaning, _ in rows.values())


def test_the_settings_page_says_where_a_setting_counts() -> None:
    rows = {code(name): counts for name, _, _, counts in table(read("docs/reference/settings.md"), "setting")}
    on_github = {name for name, counts in rows.items() if counts in ("GitHub", "workflow")}
    assert on_github == {name.replace("_", "-") for name in ON_GITHUB}
    assert [name for name, counts in rows.items() if counts == "file"] == [FILE_ONLY]
    assert set(rows.values()) == {"both", "GitHub", "workflow", "file"}


def test_the_outputs_are_those_of_the_action() -> None:
    outputs = {code(name): value for name, value in table(read("docs/reference/action.md"), "output")}
    assert list(outputs) == list(yaml.safe_load(read("action.yml"))["outputs"])
    assert all(outputs.values())


def default_of(key: str) -> str:
    """What holds where neither an input nor a file says anything, as a person would write it."""
    value = getattr(Settings(), key.replace("-", "_"))
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_inputs_are_the_settings() -> None:
    assert tuple(yaml.safe_load(read("action.yml"))["inputs"]) == KEYS


# what a run costs


def costs(folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Rows of the table of requests that need no more than a conversation."""
    response = {".edits/one.md": FITS.encode()}
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        yield "talk, edited comment, plain issue", (asked(h, h.comment(pull, "octocat", "fine"), folder),)
        yield "review without blocks", (asked(h, h.review(pull, "octocat", "fine"), folder),)
        yield "comment committed, 1 to 50 files", (asked(h, h.comment(pull, "octocat", FITS), folder),)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        yield "review committed, 1 file", (asked(h, h.review(pull, "octocat", FITS), folder),)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        first = [asked(h, h.comment(pull, author, FITS), folder) for author in ("dependabot[bot]", "hubot")]
        yield "checked only: a bot · a reader · a block that failed", (*first, asked(h, failed(h), folder))
    with hub() as h:
        pull = pull_request(h, {"app.py": APP})
        act(h, h.comment(pull, "hubot", FITS), folder)
        words = [asked(h, h.comment(pull, "octocat", word), folder) for word in ("/skip 1", "/retry")]
        yield "`/skip` · `/retry`", tuple(words)
    with hub() as h:
        pull = pull_request(h, {"app.py": APP, **response})
        one = asked(h, h.pull_event(pull), folder)
        yield "response file committed, 1 file", (one,)

    for run, cases in SPOKEN.items():
        yield run, tuple(spoken(folder, *steps) for steps in cases)


def spoken(folder: Path, *steps: Step) -> int:
    """What the last step asks for: words are a writer's, blocks a reader's."""
    done = None
    with talk(folder, {"app.py": APP, "twice.py": b"a = 0\nb = 1\na = 0\n", ".edits/one.md": FITS.encode()}) as t:
        for step in steps:
            done = step(t) if callable(step) else t.say("octocat" if step.startswith("/") else "hubot", step)
    return len(done.names) if done else 0


def reviewed(t: Talk) -> Done:
    return t.run(t.h.review(t.pull, "octocat", "", [("app.py", 2, FITS)]))


def pushed(t: Talk) -> Done:
    return t.run(t.h.pull_event(t.pull))


def begged(t: Talk) -> Done:
    return t.say("hubot", "/apply")


def approved_late(t: Talk) -> Done:
    t.h.world.edit(t.pull.comments[0], FITS.replace("sum", "len"))
    return t.say("octocat", "/apply")


Step = str | Callable[[Talk], Done]
TWO = block("twice.py", "a = 0", "a = 9") + FITS  # the first one fits twice
# the row of the page → for each of its numbers, what happens one after the other; the last is what is counted
SPOKEN: dict[str, tuple[tuple[Step, ...], ...]] = {
    "`/apply` for another comment, 1 file": (
        (FITS, "/apply"),
        (TWO, "/apply 1@3"),
        (TWO, "/apply 2", "/apply 1@3"),
    ),
    "`/apply` for a comment that was edited since": ((FITS, approved_late),),
    "`/undo`, 1 file": (
        (FITS, "/apply", "/undo"),
        (TWO, "/apply 2", "/apply 1@3", "/undo"),
        (reviewed, "/undo"),
        (pushed, "/undo"),
    ),
    "a command that is refused": ((FITS, begged), ("/apply",), (FITS, "/apply 9")),
    "the same event again": (
        (FITS, "/apply", "/undo", Talk.again),
        ("/apply", Talk.again),
        (FITS, "/retry", Talk.again),
        (FITS, "/apply 9", Talk.again),
        (TWO, "/apply ready", Talk.again),
        (FITS, approved_late, Talk.again),
    ),
}


def failed(h: Hub) -> Event:
    return h.comment(pull_request(h, {"app.py": APP}), "octocat", FAILS)


def asked(h: Hub, event: Event, folder: Path) -> int:
    return len(act(h, event, folder).names)


@pytest.mark.long
def test_the_table_of_requests(tmp_path: Path) -> None:
    shown = {row[0]: tuple(map(int, row[1].split(" · "))) for row in table(read("docs/reference/action.md"), "run")}
    found = dict(costs(tmp_path))
    assert len(found) > 10
    for run, requests in found.items():
        known = next(row for row in shown if row.startswith(run))
        assert requests == shown[known][: len(requests)], run


# the workflow


WORKFLOWS = [
    ("/".join(page.parts[-2:]) if "docs" in page.parts else page.name, number, text)
    for page in PAGES
    for number, text in enumerate(each for each in fences(page.read_text("utf-8"), "yaml") if "jobs:" in each)
]


def test_the_workflow_of_the_action_s_page_is_the_example() -> None:
    assert [text for page, _, text in WORKFLOWS if page == "reference/action.md"] == [read("examples/workflow.yml")]


def test_the_workflow_of_the_readme_is_the_least_of_it() -> None:
    [text] = [text for page, _, text in WORKFLOWS if page == "README.md"]
    least, whole = yaml.safe_load(text), yaml.safe_load(read("examples/workflow.yml"))
    [small], [large] = least["jobs"].values(), whole["jobs"].values()
    same = ("runs-on", "timeout-minutes", "permissions")
    assert [small[key] for key in same] == [large[key] for key in same]
    assert (least["permissions"], small["if"]) == ({}, "github.event.issue.pull_request")
    assert small["steps"][0]["uses"] == large["steps"][0]["uses"]
    assert least[True].items() <= whole[True].items()  # YAML 1.1 reads `on` as a boolean


CHECKS = [
    ("zizmor", "--offline", "--persona=auditor"),
    ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
]


@pytest.mark.long
@pytest.mark.parametrize("command", CHECKS, ids=lambda command: command[0])
def test_the_workflows_are_sound(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for page, number, text in WORKFLOWS:
        (folder / f"{page.replace('/', '-').removesuffix('.md')}-{number}.yml").write_text(text, "utf-8")
    tool = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert tool is not None
    assert len(WORKFLOWS) > 1
    files = sorted(str(path) for path in folder.iterdir())
    done = subprocess.run([tool, *command[1:], *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# the command line


def test_commands_are_those_of_the_command_line() -> None:
    shown = [code(row[0]) for row in table(read("docs/reference/command-line.md"), "command")]
    assert shown == [f"{name} {OPERANDS.get(name, '')}".strip() for name in COMMANDS]


# pointers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text("utf-8"))
    for link in _LINK.findall(re.sub(r"`[^`\n]+`", "", text)):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in map(slug, headings(target)), link


def slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def comments(path: Path) -> tuple[str, ...]:
    return tuple(_comments(path))


def _comments(path: Path) -> Iterator[str]:
    """Comments and docstrings of a file, each on one line; of a shell script all of it."""
    text = path.read_text("utf-8")
    if ".md" not in text:  # it points nowhere: to take it apart is most of the work
        return
    if path.suffix != ".py":
        yield " ".join(line.lstrip("# ") for line in text.split("\n"))
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented):
            yield " ".join((ast.get_docstring(node) or "").split())
    block: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            block.append(token.string.lstrip("# "))
        elif token.type != tokenize.NL and block:
            yield " ".join(block)
            block = []


def pointers() -> Iterator[tuple[str, str, str | None]]:
    """File, page and heading of everything that points to a page: `docs/x.md, "heading"` or `docs/x.md, heading)`."""
    for path in CODE:
        if path.name == Path(__file__).name:
            continue
        for text in comments(path):
            for found in re.finditer(
                r"docs/((?:[a-z]+/)?[a-z-]+\.md)(?:, (?:\"([^\"]+)\"|([A-Za-z0-9 -]+)(?=[).:;])))?", text
            ):
                is_prose = found[3] is not None and " " in found[3] and "tests" in path.parts
                yield str(path.relative_to(ROOT)), found[1], None if is_prose else found[2] or found[3]


@pytest.mark.long
def test_pages_and_headings_that_the_code_points_to_exist() -> None:
    found = list(pointers())
    missing = [(path, page) for path, page, _ in found if not (DOCS / page).exists()]
    assert (missing, len(found) > 20) == ([], True)
    for path, page, heading in found:
        if heading is not None:
            known = [re.sub(r"[.:] .*", "", known).lower() for known in headings(DOCS / page)]
            assert any(f"{each} ".startswith(f"{heading.lower()} ") for each in known), (path, page, heading)


@pytest.mark.long
def test_code_points_to_pages_by_their_place() -> None:
    bare = re.compile(r"(?<![\w/.-])[a-z]+\.md(?=,? (?:\"|[0-9]|[A-Z][0-9]))")
    assert [(path.name, found) for path in CODE for text in comments(path) for found in bare.findall(text)] == []


def test_every_rule_for_paths_is_told() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "editblocks" / "paths").glob("*.py"))
    assert set(re.findall(r'"(E_[A-Z_]+)"', sources)) == set(
        re.findall(r"`(E_[A-Z_]+)`", read("docs/internals/security.md"))
    )


# requirements

HELD = table(section(read("docs/internals/security.md"), "What is held, and by which test"), "")


TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for found in re.finditer(r"^def test_((?:[rs][0-9]+_)*(\w+))", path.read_text("utf-8"), re.MULTILINE)
    for name in found.groups()
}


def test_every_requirement_has_a_row() -> None:
    assert [row[0] for row in HELD] == [f"S{number}" for number in range(1, 26)]


@pytest.mark.parametrize("row", HELD, ids=[row[0] for row in HELD])
def test_what_holds_a_requirement_exists(row: list[str]) -> None:
    named = re.findall("`([a-z0-9]+(?:_[a-z0-9]+)+)`", row[2])
    assert named
    assert [name for name in named if name not in TESTS] == []
