"""Hostile responses of any size, and how work grows with the size: docs/internals/design.md, "hostile text"."""

import json
from collections.abc import Callable
from typing import Any

from support.callkit import calls
from support.responses import block
from support.sessionkit import TAX, chat, model, spoken, used, user

MOST = 2.5  # docs/internals/design.md, "hostile text": doubling the input multiplies the work by at most this

FLAT = 2.1  # the same for work that is one pass over the input

NAMES = "--- a/x\n+++ b/x\n"
CALL = {"type": "tool_use", "name": "Edit", "input": TAX}
DIFF, PATCH = f"```diff\n{NAMES}", "*** Begin Patch\n*** Update File: a\n"
KEY = '"path"\n'  # a key of tool calls, so that the reader does not skip the text as prose
OPEN, DIV, CLOSE = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"


def fill(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def staircase(step: Callable[[str], str], size: int, rest: str) -> str:
    """A text whose first half has steps, each indented one space more, and whose second half repeats `rest`."""
    steps: list[str] = []
    left = size // 2
    while left > 0:
        steps.append(step(" " * len(steps)))
        left -= len(steps[-1])
    return "".join(steps) + fill(rest, size // 2)


DIAGNOSTIC = (
    '{"message": "m", "location": {"path": "a"}, "suggestions": [{"range": {"start": {"line": 1, "column": 1}}}]}'
)
LOG = '{"version": "2.1.0", "runs": [{"results": ['

RESPONSES: dict[str, Callable[[int], str]] = {
    "diagnostics": lambda n: fill(f"{DIAGNOSTIC}\n", n),
    "diagnostics in a document": lambda n: f'{{"diagnostics": [{fill(f"{DIAGNOSTIC}, ", n)}1]}}',
    "a log without fixes": lambda n: f"{LOG}{fill('{}, ', n)}1]}}]}}",
    "a log that breaks off": lambda n: f'{LOG}{{"fixes": [{{"artifactChanges": [{fill("{}, ", n)}',
    "brackets that never close": lambda n: f'{{"diagnostics": [{fill("[", n)}',
    "an unclosed block": lambda n: f"a.py\n{OPEN}" + fill("x = 1\n", n),
    "unclosed blocks": lambda n: fill(f"a.py\n{OPEN}x\n", n),
    "only openers": lambda n: fill(OPEN, n),
    "only dividers": lambda n: fill(DIV, n),
    "only closers": lambda n: fill(CLOSE, n),
    "dividers in a block": lambda n: f"a.py\n{OPEN}" + fill(DIV, n),
    "dividers in a closed block": lambda n: f"a.py\n{OPEN}" + fill(DIV, n) + CLOSE,
    "closers of another length in a block": lambda n: f"a.py\n{OPEN}{DIV}" + fill(">>>>> REPLACE\n", n),
    "openers of every length": lambda n: fill("".join("<" * m + " SEARCH\n" for m in range(5, 10)), n),
    "openers of every kind": lambda n: fill(f"{OPEN}<<<<<<< EDIT\n<<<<<<< NEW_FILE\n««« EDIT\n", n),
    "openers of every indentation": lambda n: staircase(lambda indent: f"{indent}{OPEN}", n, "-----\n"),
    "indentations of tabs and spaces": lambda n: (
        "".join(f"{number:015b}".replace("0", " ").replace("1", "\t") + OPEN for number in range(n // 32))
        + fill("-----\n", n // 2)
    ),
    "blocks of every indentation, each with a closer of another length": lambda n: staircase(
        lambda indent: f"{indent}{OPEN}{indent}=====\n{indent}>>>>> REPLACE\n", n, "-----\n"
    ),
    "tiny blocks": lambda n: fill(block("x\n", "y\n"), n),
    "blocks without a path": lambda n: fill(f"{OPEN}x\n{DIV}y\n{CLOSE}", n),
    "blocks in one fence": lambda n: "a.py\n```\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}", n) + "```\n",
    "blocks under one heading": lambda n: "# File: a.py\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}text\n", n),
    "conflicts that never end": lambda n: f"a.py\n{OPEN}" + fill("<<<<<<< A\n", n) + DIV + CLOSE,
    "fences of every depth": lambda n: fill("```a\n````b\n`````c\n~~~\n``````\n", n),
    "whole files": lambda n: fill("a.py\n```\nx\n```\n", n),
    "whole files without an end": lambda n: fill("a.py\n```py\nx\n", n),
    "fences, then openers": lambda n: fill("```\n", n // 2) + fill(OPEN, n // 2),
    "bare fences and openers": lambda n: fill(f"```\n{OPEN}", n),
    "tags": lambda n: fill("<source>\n<code>\n</pre>\n", n),
    "records of calls": lambda n: fill(f"{json.dumps(spoken(CALL))}\n", n),
    "records of calls that read": lambda n: fill(f"{json.dumps(used('t1', 'Read', path='a'))}\n", n),
    "records that are no JSON": lambda n: f"{{}}\n{fill('{', n)}\n",
    "records that are no JSON and edit something": lambda n: "{}\n" + fill('{"old_string":\n', n),
    "a record that is never closed": lambda n: '{}\n{"old_string": "' + "x" * n,
    "empty records": lambda n: fill("{}\n", n),
    "messages that never end": lambda n: f"[{fill(json.dumps(user('x')) + ',', n)}",
    "tags in a message": lambda n: chat(model(fill("<a>\n", n))),
    "tags in a message that ends": lambda n: chat(model(fill("<a>\n", n // 2))),
    "calls in the tags of a message that ends": lambda n: chat(
        model(fill("<write_to_file>\n<path>a</path>\n</write_to_file>\n", n // 2))
    ),
    "calls in the tags of a message": lambda n: chat(model(fill("<write_to_file>\n<path>a</path>\n", n))),
    "results in a message": lambda n: chat(model("<a>\n<path>b</path>\n</a>"), user(fill("[a for 'b'] Result:\n", n))),
    "headings": lambda n: fill("# File: a.py\n### File: b.py\n", n),
    "one line of back-ticks": lambda n: "`" * n + "\n",
    "lines of back-ticks": lambda n: fill("`" * 99 + "\n", n),
    "back-ticks that name nothing": lambda n: "`" * n + "a`\n",
    "one long line": lambda n: "x" * n,
    "one long line of marker characters": lambda n: "<" * n,
    "one long line of blanks": lambda n: " " * n + "<",
    "one long quote": lambda n: "> " * (n // 2) + "<<<<",
    "carriage returns": lambda n: "\r" * n,
    "carriage returns before newlines": lambda n: "\r" * (n - 1) + "\n",
    "blank lines": lambda n: "\n" * n,
    "blank lines in a fence, then openers": lambda n: "a.py\n```\n" + "\n" * (n // 2) + fill(OPEN, n // 2),
    "blank lines in a fence around openers": lambda n: "a.py\n```\n" + fill("\n" * 50 + OPEN, n),
    "blank lines in a fence, then blocks": lambda n: (
        "a.py\n```\n" + "\n" * (n // 2) + fill(f"{OPEN}{DIV}{CLOSE}", n // 2)
    ),
    "dots between blocks": lambda n: "a.py\n" + fill(f"{OPEN}{DIV}{CLOSE}" + "...\n" * 50, n),
    "an open comment, then openers": lambda n: "<!--\n" + fill(OPEN, n),
    "comments that open in mid-line": lambda n: fill(f"a <!--\n{OPEN}", n),
    "comments that a blank line ends": lambda n: fill(f"a <!--\n\n{OPEN}", n),
    "a comment that opens in mid-line, then blank openers": lambda n: "a <!--\nx\n" + fill(f"{OPEN}{CLOSE}", n),
    "comments closed and opened on each line": lambda n: "<!--\n" + fill("--> <!--\n", n),
    "comments on one line": lambda n: fill("<!-- --> ", n),
    "back-ticks before comments on one line": lambda n: fill("` <!-- ", n),
    "quotes": lambda n: fill("> <<<<<<< SEARCH\n", n),
    "conflicts that never end, in old and new text": lambda n: (
        f"a.py\n{OPEN}" + fill("<<<<<<<< A\n", n // 2) + DIV + fill("<<<<<<<< A\n", n // 2) + CLOSE
    ),
    "rules in an anchored block": lambda n: "a.py\n<<<<<<< EDIT\n" + fill("-------\n=======\n", n),
    "anchored blocks": lambda n: fill("a.py\n<<<<<<< EDIT\n-------\nx\n=======\ny\n-------\n>>>>>>>\n", n),
    "guillemet blocks": lambda n: fill("a.py\n««« EDIT\nx\n═══════ REPL\ny\n»»» EDIT END\n", n),
    "guillemet separators": lambda n: "a.py\n««« EDIT\n" + fill("═══════ REPL\n", n) + "»»» EDIT END\n",
    "two texts with one long beginning": lambda n: (
        "a.py\n««« EDIT\n" + fill("x\n", n // 2) + "═══════ REPL\n" + fill("x\n", n // 2) + "»»» EDIT END\n"
    ),
    "new files": lambda n: fill("a.py\n<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n", n),
    "closers of another length in a new file": lambda n: "a.py\n<<<<<<< NEW_FILE\n" + fill(">>>>>> NEW_FILE\n", n),
    "file actions": lambda n: fill('<boltAction type="file" filePath="a">\nx\n</boltAction>\n', n),
    "file actions without an end": lambda n: fill('<boltAction type="file" filePath="a">\n', n),
    "edit actions": lambda n: fill('<boltAction type="edit">\n', n),
    "blocks in one action": lambda n: '<boltAction type="edit">\na.py\n' + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}text\n", n),
    "fences in actions": lambda n: fill('<boltAction type="edit">\n```a\n~~~b\n', n),
    "actions that run something": lambda n: fill(f'<boltAction type="shell">\nx\n{OPEN}', n),
    "an action that never ends": lambda n: '<boltAction type="shell">\n' + fill(f"x\n{OPEN}", n),
    "one tag of many attributes": lambda n: "<boltAction" + fill(' a="b"', n) + "\n",
    "one tag of blanks": lambda n: "<boltAction" + " " * n + "\n",
    "ends of actions": lambda n: fill("</boltAction>\n", n),
    "prefixed openers": lambda n: fill("model: <<<<<<< SEARCH\n", n),
    "prefixed openers on one line": lambda n: fill("model: <<<<<<< SEARCH ", n) + "\n",
    "commands on one line": lambda n: fill("`git rm a` ", n) + "\n",
    "commands": lambda n: fill("`git rm a`\n", n),
    "bare hunks": lambda n: fill("@@\n", n),
    "fences of back-ticks": lambda n: fill("```\n", n),
    "fences of tildes": lambda n: fill("~~~\n", n),
    "bare hunks in diff fences": lambda n: fill("```diff\n@@\n", n),
    "second names": lambda n: fill("+++ a\n", n),
    "pairs of names": lambda n: fill("--- a\n+++ b\n", n),
    "scopes in a patch": lambda n: PATCH + fill("@@ x\n", n) + "-y\n",
    "operations of a patch": lambda n: PATCH + fill("*** Update File: a\n", n),
    "operations in no patch": lambda n: fill("*** Update File: a\n*** End Patch\n", n),
    "hunks of a patch": lambda n: PATCH + fill("@@\n-x\n", n) + "*** End Patch\n",
    "lines of a new file in a patch": lambda n: "*** Begin Patch\n*** Add File: a\n" + fill("+x\n", n),
    "CR LF lines of a new file in a patch": lambda n: "*** Begin Patch\n*** Add File: a\n" + fill("+x\r\n", n),
    "patches that begin": lambda n: fill("*** Begin Patch\n", n),
    "patches in broken blocks": lambda n: fill(f"a.py\n{OPEN}*** Begin Patch\n*** Delete File: x\n", n),
    "hunks of a diff": lambda n: DIFF + fill("@@ -1 +1 @@\n-x\n+y\n", n) + "```\n",
    "counts that are too large": lambda n: DIFF + fill("@@ -1,999999999 +1,999999999 @@\n x\n", n) + "```\n",
    "counts that are too large, in no fence": lambda n: NAMES + fill("@@ -1,999999999 +1,999999999 @@\n x\n", n),
    "names without hunks": lambda n: "```diff\n" + fill(NAMES, n) + "```\n",
    "one name above each hunk": lambda n: fill("--- a/x\n@@ -1 +1 @@\n", n),
    "names apart from their hunks": lambda n: fill(f"{NAMES}\n@@ -1 +1 @@\n-x\n+y\nword\n", n),
    "lines of git": lambda n: fill("diff --git a/x b/x\n", n),
    "lines of git, each with an index": lambda n: fill("diff --git a/x b/x\nindex 1..2\n\n", n),
    "an index that goes on": lambda n: "diff --git a/x b/x\n" + fill("index 1..2\n", n),
    "small diffs in no fence": lambda n: fill(f"{NAMES}@@ -1 +1 @@\n-x\n+y\nword\n", n),
    "a diff, then rules": lambda n: f"{NAMES}@@ -1 +1 @@\n-x\n+y\n\n" + fill("-----\n", n),
    "signatures of mails": lambda n: DIFF + fill("@@ -1 +1 @@\n-x\n+y\n-- \n\n", n) + "```\n",
    "hunks with blank ends": lambda n: DIFF + fill("@@ -1 +1 @@\n-x\n+y\n" + "\n" * 20, n) + "```\n",
    "a shell fence": lambda n: "```sh\n" + fill("x \\\n", n) + "```\n",
    "shell fences": lambda n: fill("```sh\nx\n```\n", n),
    "closers behind quotes": lambda n: fill("> <<<<<<< SEARCH\n>>>>>>>> REPLACE\n", n),
    "bare closers behind a block": lambda n: "a.py\n<<<<<<< EDIT\n>>>>>>>\n" + fill(">>>>>>>\n", n),
    "a remark that is none, above blocks": lambda n: fill("x (" + "a" * 200 + "!)\n```\n" + OPEN + "```\n", n),
    "one long remark": lambda n: "x (" + "a " * (n // 2) + "!)\n" + OPEN,
    "one long comment for a path": lambda n: "/* " + " " * n + "x\n" + OPEN,
    "one long line above blocks in a fence": lambda n: (
        "# File: a.py\n" + fill("word ", n // 2) + "\n```\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}text\n", n // 2) + "```\n"
    ),
    "one long info string": lambda n: (
        "```a " + fill("b ", n // 2) + "\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}t\n", n // 2)
    ),
    "one long heading": lambda n: (
        "# File: " + fill("b ", n // 2) + "\n```\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}", n // 2)
    ),
    "one long blank line above a fence": lambda n: (
        "a.py\n" + " " * (n // 2) + "\n```\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}t\n", n // 2)
    ),
    "one long edit: fence": lambda n: "```edit:" + "b" * (n // 2) + "\n" + fill(f"{OPEN}x\n{DIV}y\n{CLOSE}", n // 2),
    "hunks": lambda n: fill("@@ -1 +1 @@\n", n),
    "hunks beside a block": lambda n: f"a.py\n{OPEN}x\n{DIV}y\n{CLOSE}" + fill("--- a\n+++ b\n@@ -1 +1 @@\n\n", n),
    "diffs beside a block": lambda n: f"a.py\n{OPEN}x\n{DIV}y\n{CLOSE}" + fill("```diff\n--- a\n+++ b\n```\n", n),
    "hunks in fences": lambda n: f"a.py\n{OPEN}x\n{DIV}y\n{CLOSE}" + fill("```\n--- a\n+++ b\n@@ -1 +1 @@\n```\n", n),
    "fences in a fence with a block": lambda n: (
        f"````\na.py\n{OPEN}x\n{DIV}y\n{CLOSE}" + fill("```diff\n@@ -1 +1 @@\n```\n", n)
    ),
    "closers that are nearly some": lambda n: fill(">>>>>>>REPLACE\n", n),
    "closers of actions behind words": lambda n: fill("x</boltAction>\n", n),
    "empty edit actions": lambda n: fill('<boltAction type="edit">\n</boltAction>\n', n),
    "headings that name files": lambda n: "# File: a.py\n" + fill("### `b.py`\n", n),
    "anchored openers": lambda n: fill("<<<<< EDIT\n", n),
    "openers of new files": lambda n: fill("<<<<< NEW_FILE\n", n),
    "openers of dashes": lambda n: fill("----- SEARCH\n", n),
    "closers of pluses": lambda n: fill("+++++ REPLACE\n", n),
    "unclosed blocks of dashes": lambda n: fill("a.py\n------- SEARCH\nx\n", n),
    "blocks of dashes": lambda n: fill("a.py\n------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n", n),
    "blocks that are closed in the other form": lambda n: fill(
        f"a.py\n------- SEARCH\nx\n{DIV}y\n{CLOSE}b.py\n{OPEN}x\n{DIV}y\n+++++++ REPLACE\n", n
    ),
    "closers of the other form in a block": lambda n: f"a.py\n------- SEARCH\n{DIV}" + fill(CLOSE, n),
    "openers of both forms": lambda n: fill(f"------- SEARCH\n{OPEN}", n),
    "dashes before a word on one line": lambda n: fill("------- SEARCH ", n),
    "one long line of dashes": lambda n: "-" * n + " SEARCH\n",
    "one long line of pluses": lambda n: "+" * n + " REPLACE\n",
    "blocks with the number of a line": lambda n: fill(f"a.py\n{OPEN}:start_line:1\n-------\nx\n{DIV}y\n{CLOSE}", n),
    "numbers of lines without blocks": lambda n: fill(f"{OPEN}:start_line:1\n", n),
    "dividers in a block with the number of a line": lambda n: f"a.py\n{OPEN}:start_line:1\n" + fill(DIV, n) + CLOSE,
    "escapes in a block with the number of a line": lambda n: (
        f"a.py\n{OPEN}:start_line:1\n" + fill("\\=======\n", n // 2) + DIV + fill("\\:start_line:\n", n // 2) + CLOSE
    ),
    "one long number of a line": lambda n: f"a.py\n{OPEN}:start_line:" + "0" * n + f"x\n{DIV}y\n{CLOSE}",
    "tags of tool calls above openers": lambda n: fill("<path>a.py</path>\n" + "<diff>\n" * 9 + OPEN, n),
    "tags of tool calls in a fence, then openers": lambda n: "```\n" + fill("<diff>\n", n // 2) + fill(OPEN, n // 2),
    "tags of tool calls in a fence around openers": lambda n: "```\n" + fill("<diff>\n" * 50 + OPEN, n),
    "guillemet openers": lambda n: fill("««« EDIT\n", n),
    "guillemet closers": lambda n: fill("»»» EDIT END\n", n),
    "sections of diffs": lambda n: fill("--- a/x\n+++ b/x\n@@\n", n),
    "diffs of bare words": lambda n: fill("--- a\n+++ b\n@@\n\n", n),
    "hunks in a diff fence": lambda n: "```diff\n" + fill("@@\n", n),
    "hunks far down in a fence": lambda n: "```\n" + "\n" * (n // 2) + fill("@@\n", n // 2),
    "headers of git": lambda n: fill("diff --git a/x b/x\n", n),
    "headers of git above long sections": lambda n: fill("diff --git a/x b/x\n" + "x\n" * 50, n),
    "pairs in a diff fence": lambda n: "```diff\n" + fill("--- a/x\n+++ b/x\n", n),
    "one patch": lambda n: "*** Begin Patch\n" + fill("*** Update File: x\n", n),
    "unknown openers": lambda n: fill("*** Begin Patch\n", n),
    "brackets that open": lambda n: KEY + fill("{\n", n),
    "lists that open": lambda n: KEY + fill("[\n", n),
    "lists that begin": lambda n: KEY + fill("[1,\n", n),
    "a list that never ends": lambda n: KEY + "[\n" + fill("[1],\n", n),
    "a list that ends with a fault": lambda n: KEY + "[\n" + fill("[1],\n", n) + "x\n",
    "brackets on one line": lambda n: "[" * n + KEY,
    "keys in one object": lambda n: KEY + "{\n" + "".join(f'"path{at}": 1,\n' for at in range(n // 12)) + "}\n",
    "objects in one list": lambda n: "[\n" + fill('{"path": 1},\n', n) + "1]\n",
    "numbers in one list": lambda n: '{"path": [' + fill("1,", n) + "1]}",
    "many numbers in one list": lambda n: '{"path": [' + ",".join(map(str, range(10**5, 10**5 + n // 7 - 2))) + "]}",
    "texts in one list": lambda n: '{"path": [' + fill('"",', n) + "1]}",
    "lists in one list": lambda n: '{"path": [' + fill("[],", n) + "1]}",
    "blank lines in an object": lambda n: '{"path":' + "\n" * n,
    "signs of JSON on one line": lambda n: '{"path":' + "," * n,
    "calls in JSON": lambda n: fill('{"path": "a.py", "old_string": "a", "new_string": "b"}\n', n),
    "calls in the middle of lines": lambda n: fill('so {"path": "a.py", "old_string": "a", "new_string": "b"}\n', n),
    "calls in the middle of one line": lambda n: "so " + fill('{"path": "a", ', n) + "\n",
    "calls without an end in the middle of lines": lambda n: fill('so {"path": "a",\n', n),
    "tags in the middle of lines": lambda n: fill("so <write_to_file><path>a</path>\n", n),
    "calls that only show the form": lambda n: fill('{"path": "path/to/a", "old_string": "a", "new_string": "b"}\n', n),
    "a string without an end": lambda n: '{"old_string": "' + "x" * n,
    "a string of escapes without an end": lambda n: '{"old_string": "' + '\\"' * (n // 2),
    "strings without an end": lambda n: fill('{"old_string": "x\n', n),
    "a string without an end in a fence": lambda n: '```json\n{"old_string": "' + "x" * n + "\n```\n",
    "tags that open a call": lambda n: fill('<invoke name="Edit">\n', n),
    "calls without an end": lambda n: fill('<invoke name="Edit">\n<parameter name="content">x\n', n),
    "calls without a text and an end": lambda n: fill(
        '<invoke name="Edit">\n<parameter name="path">x</parameter>\n', n
    ),
    "a call without an end above blocks": lambda n: (
        '<invoke name="Edit">\n<parameter name="content">x\n' + fill(block("x\n", "y\n"), n)
    ),
    "calls of tools without an end": lambda n: fill("<write_to_file>\n<path>a.py</path>\n", n),
    "calls of unknown tools without an end": lambda n: fill("<change>\n<path>a.py</path>\n", n),
    "calls of unknown tools": lambda n: fill("<change>\n<path>a.py</path>\n</change>\n", n),
    "tags around JSON without an end": lambda n: fill("<tool_call>\n{\n", n),
    "tags around JSON alone": lambda n: fill("<tool_call>\n", n),
    "values below tags among words": lambda n: fill("so <change> it\n\n<path>a.py</path>\n", n),
    "a value below many words": lambda n: fill("so ", n) + "\n<path>a.py</path>\n",
    "arguments in Python": lambda n: fill("edit(path='a', old_string='x')\n", n),
    "objects of JavaScript": lambda n: fill("so {path: 'a', old_string: 'x'}\n", n),
    "words above a patch": lambda n: fill("<<a ", n) + "!\n*** Begin Patch\n*** End Patch\n",
    "values without a call": lambda n: fill("<path>a.py</path>\n", n),
    "ends of calls": lambda n: fill("</invoke>\n", n),
    "ends of values in one call": lambda n: (
        '<invoke name="Write">\n<parameter name="content">\n' + fill("</parameter> \n", n) + "</invoke>\n"
    ),
    "values in one call": lambda n: '<invoke name="Write">\n' + fill("<parameter name=a>\n", n) + "</invoke>\n",
    "calls in a fence": lambda n: "```xml\n" + fill('<invoke name="Edit">\n<parameter name="content">x\n', n),
    "calls in a fence of another language": lambda n: (
        "```py\n" + fill('{"path": "a"}\n<invoke name="Edit">\n<parameter name="path">x</parameter>\n', n) + "```\n"
    ),
    "calls in a fence below a block": lambda n: (
        f"a.py\n```xml\n{OPEN}=======\ny\n>>>>>>> REPLACE\n"
        + fill('<invoke name="Read">\n<parameter name="path">old_string</parameter>\n</invoke>\n', n)
        + "```\n"
    ),
    "calls in thoughts": lambda n: "<think>\n" + fill('{"path": "a", "content": "b"}\n', n) + "</think>\n",
    "calls in a thought without an end": lambda n: "<think>\n" + fill('<invoke name="Edit">\n<parameter name=x>\n', n),
    "calls in quotes": lambda n: fill('> {"old_string": "a"}\n', n),
    "near markers": lambda n: fill("<<<<<<< search\n", n),
}


def growth(work: Callable[[int], Callable[[], Any]], size: int) -> float:
    """The factor by which the number of calls grows when the size is doubled."""
    once, twice = work(size), work(2 * size)
    once()  # do not count what happens at first use only: imports and compiled patterns
    return calls(twice) / calls(once)
