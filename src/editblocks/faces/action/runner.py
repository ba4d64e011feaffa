"""Read the files of the GitHub Actions runner, and write its log and files safely.

The runner executes commands found in any line of the log, and reads outputs from any line of a file. So all text goes
through the functions here, and nothing else is printed or appended. GITHUB_ENV and GITHUB_PATH are never opened.
Rules: docs/internals/security.md, "logs and outputs".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import TextIO

from editblocks import __version__
from editblocks.core.errors import ConfigError, RepoError
from editblocks.faces.common.reading import start_of
from editblocks.hosts.github.state import Site
from editblocks.report.escape import log_line, url_server, workflow_data

MAX_EVENT_BYTES = 25 * 1024 * 1024
_VALUE = re.compile(r"[0-9A-Za-z:./_#~ -]{0,256}", re.ASCII)
_COMMAND = re.compile(r"::(?:error|warning) [ -~]*", re.ASCII)
_CREDENTIALS = re.compile(r"x-access-token:[^@\s]*@")
_HOST = re.compile(r"https?://[^/]+.*", re.DOTALL)  # GitHub Enterprise Server may use http and a port
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)
_RUN = re.compile("[0-9]{1,18}")
_REF = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)


def site_from(environ: Mapping[str, str]) -> Site:
    """Return the facts about the job from the environment. Raises `ConfigError` if the server URL is not valid."""
    server = environ.get("GITHUB_SERVER_URL", "https://github.com")
    if not _HOST.fullmatch(server):
        raise ConfigError("GITHUB_SERVER_URL is not an address; let the runner set it")
    server = url_server(server)
    repository = environ.get("GITHUB_ACTION_REPOSITORY", "")
    ref = environ.get("GITHUB_ACTION_REF", "")
    docs = ""
    if _REPOSITORY.fullmatch(repository) and _REF.fullmatch(ref):
        docs = f"{server}/{repository}/blob/{ref}/docs"
    run = environ.get("GITHUB_RUN_ID", "")
    run_id = int(run) if _RUN.fullmatch(run) else None
    return Site(server, docs, run_id, __version__)


class Runner:
    """One step of a job. `secret` is removed from everything that is written."""

    def __init__(self, environ: Mapping[str, str], stream: TextIO, secret: str) -> None:
        self._environ = environ
        self._stream = stream
        self._secret = secret
        self._folder: Path | None = None

    def mask(self) -> None:
        """Tell the runner to hide the secret in all later lines of the job's log."""
        if self._secret:
            self._stream.write(f"::add-mask::{workflow_data(self._secret)}\n")

    def log(self, text: str) -> None:
        """Print `text` as one line that the runner cannot take for a command."""
        self._stream.write(f"{log_line(self.without_secrets(text))}\n")

    def error(self, text: str) -> None:
        """Print one line that the runner shows as an error of the job."""
        self._stream.write(f"::error::{workflow_data(log_line(self.without_secrets(text)))}\n")

    def command(self, line: str) -> None:
        """Print a command for the runner, built and escaped by `report.tools.annotations`."""
        line = self.without_secrets(line)
        if not _COMMAND.fullmatch(line):
            raise RepoError("a workflow command has a form that the runner does not read; report this with the log")
        self._stream.write(f"{line}\n")

    def without_secrets(self, text: str) -> str:
        """Return `text` with the secret, and tokens in git URLs, replaced by `***`."""
        if self._secret:
            text = text.replace(self._secret, "***")
        return _CREDENTIALS.sub("x-access-token:***@", text)

    def event(self) -> object:
        """Return the JSON of the event file. Raises `RepoError` if it is missing, not a regular file, or too large."""
        odd = RepoError("the event file is not a regular file of at most 25 MB; let the runner write it")
        try:
            data = start_of(self._path("GITHUB_EVENT_PATH"), MAX_EVENT_BYTES + 1, lambda _: odd, follow=False)
            if len(data) > MAX_EVENT_BYTES:
                raise odd
            return json.loads(data)
        except OSError as error:
            what = f"the event file cannot be read ({type(error).__name__})"
            raise RepoError(f"{what}; let the runner write it") from None
        except (ValueError, RecursionError):
            raise RepoError("the event file is not JSON; let the runner write it") from None

    def output(self, values: Mapping[str, str]) -> None:
        """Set outputs. A value with characters that are not allowed is left empty, and a line of the log says so."""
        lines = ""
        for name, value in values.items():
            if _VALUE.fullmatch(value):
                lines += f"{name}={value}\n"
            else:
                lines += f"{name}=\n"
                self.log(f"the output {name} was left empty: its value has characters that the runner may misread")
        self._append("GITHUB_OUTPUT", lines)

    def summary(self, text: str) -> None:
        """Add Markdown to the job summary."""
        self._append("GITHUB_STEP_SUMMARY", self.without_secrets(text) + "\n")

    def save(self, name: str, data: bytes) -> Path:
        """Write a file without the secret to a new folder, because earlier steps may have left links in RUNNER_TEMP."""
        if self._secret:
            data = data.replace(self._secret.encode(), b"***")
        try:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix="editblocks-", dir=self._path("RUNNER_TEMP")))
            path = self._folder / name
            path.write_bytes(data)
        except OSError as error:
            raise RepoError(f"{name} cannot be written to RUNNER_TEMP ({type(error).__name__})") from None
        return path

    def _append(self, variable: str, text: str) -> None:
        try:
            with self._path(variable).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise RepoError(f"{variable} cannot be written ({type(error).__name__}); let the runner set it") from None

    def _path(self, variable: str) -> Path:
        value = self._environ.get(variable, "")
        if not value:
            raise RepoError(f"{variable} is not set; editblocks action runs inside a workflow only")
        return Path(value)
