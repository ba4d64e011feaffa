"""JSON over one kept connection to one server: headers, moves, answers. Nothing is repeated, and no status is judged.

`requests` knows proxies, certificates and what a network may do. Its own way with redirects is that of a browser, which
makes a GET of a POST.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from editblocks.core.typed import NamedTuple

TIMEOUT = 15.0
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
MOVED = {301, 302, 307, 308}
MAX_PLACES = 3


class Answer(NamedTuple):
    """What a server said. `data` is None if it said nothing, or no JSON with an error."""

    status: int
    headers: Mapping[str, str]  # whose names have any case
    data: Any


class Connection:
    """The API at `url`. The token goes nowhere else."""

    def __init__(self, token: str, url: str) -> None:
        def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
            request.headers["Authorization"] = f"token {token}"
            return request

        self._url = url.rstrip("/")
        self._graphql_url = f"{self._url.removesuffix('/v3')}/graphql"
        self._session = requests.Session()
        self._session.auth = authorize  # no header: that would give way to what a .netrc says
        self._session.headers["User-Agent"] = "editblocks"

    def close(self) -> None:
        self._session.close()

    def send(self, verb: str, path: str, body: Mapping[str, object] | None = None, media: str = "") -> Answer:
        """Send a request of the REST API. Raises `OSError` without an answer, `ValueError` if it is no JSON."""
        return self._send(verb, self._url + path, body, media)

    def query(self, text: str, variables: Mapping[str, object]) -> Answer:
        """Send a GraphQL query or mutation, as `send`."""
        return self._send("POST", self._graphql_url, {"query": text, "variables": dict(variables)})

    def _send(self, verb: str, url: str, body: Mapping[str, object] | None, media: str = "") -> Answer:
        data = None if body is None else json.dumps(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        if media:
            headers["Accept"] = media
        for _ in range(MAX_PLACES):
            response = self._session.request(
                verb, url, data=data, headers=headers, timeout=TIMEOUT, allow_redirects=False
            )
            there = urljoin(url, response.headers.get("location", "")) if response.status_code in MOVED else url
            if there == url or urlsplit(there)[:2] != urlsplit(url)[:2]:
                break
            url = there
        return Answer(response.status_code, response.headers, _json(response))


def _json(response: requests.Response) -> Any:
    try:
        return json.loads(response.content) if response.content else None
    except ValueError:
        if response.ok:
            raise
        return None  # the page of a proxy
