"""`editblocks report`: write the page of one response, or of a JSON result.

Page: docs/reference/output.md, "the report page".
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from editblocks.core.errors import RepoError, UsageError, reason_of
from editblocks.faces.cli.documents import report, why_no_page
from editblocks.faces.cli.explain import meanings
from editblocks.faces.cli.request import Request
from editblocks.faces.common.reading import read_source, response_in, shown_source
from editblocks.faces.common.terminal import (
    BROKEN,
    NOT_OK,
    code_for,
    complain,
    is_terminal,
    message,
    planning,
    printing,
    put_out,
)
from editblocks.report.json import document
from editblocks.report.page.layout import counts_of
from editblocks.report.page.render import MOST_BYTES, NotOurs, looks_like_a_result, read_result, render_page
from editblocks.report.view import OutcomeView
from editblocks.run import check

# Options that need a response: a JSON result is not checked again.
_OF_A_RESPONSE = ("serve", "rev", "staged", "base", "matching", "whole_files", "only", "allow_protected")


def main(options: argparse.Namespace) -> int:
    """Write the page. Return the exit code that `check` gives for the response, or gave for the result."""
    [source] = options.sources
    if options.open and options.output == "-":
        raise UsageError("--open needs a file; leave out `-o -`, or name a file after -o")
    if not (options.open or options.serve or options.output) and is_terminal(sys.stdout):
        raise UsageError("the page is HTML, so it is not printed here; --open shows it, -o writes it to a file")
    if options.output == "":
        raise UsageError("-o is empty; name a file, or - for standard output")
    output: str | None = None if options.output == "-" else options.output
    if output is not None and source != "-" and _is_same(output, source):
        raise UsageError("-o names the answer itself; give the page another name")
    data = read_source(source, MOST_BYTES + 1)
    if looks_like_a_result(data[:4096].decode("utf-8", "replace")):
        result = _result(options, data, source)
        code = code_for(result["outcome"] == "ok")
    elif options.serve:
        from editblocks.faces.cli.serve import serve  # loaded late, with its server

        return serve(options, data)
    else:
        result, code = _of_response(options, data)
    if not result:
        return code
    page = render_page(result, meanings()).encode("utf-8", "replace")
    if options.open and output is None:
        output = str(Path(mkdtemp(prefix="editblocks-")) / "report.html")  # in a folder that only this user can read
    if output is None:
        with printing():
            put_out(page)
        return code
    try:
        Path(output).write_bytes(page)
    except OSError as error:
        raise RepoError(f"{output} cannot be written: {reason_of(error)}; choose another path") from error
    message(f"wrote {output}: {counts_of(result)}")
    if options.open and not webbrowser.open(Path(output).resolve().as_uri()):
        message(f"no browser could be started; open {output} in one")
    return code


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
    with planning(response, quiet=False) as progress:
        outcome = check(request.of_response(response, progress), opener)
    view = OutcomeView(outcome)
    if outcome.refusal is not None and not view.rows:
        complain(outcome.refusal.code, outcome.refusal.reason)
        return {}, BROKEN
    if why_no_page(view):
        message(why_no_page(view))
        return {}, NOT_OK
    return document(report(request, view, has_texts=True)), code_for(outcome.ok)
