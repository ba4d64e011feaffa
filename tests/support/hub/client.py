"""PyGithub as a client of the hub: the few calls that tests of the hub need."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from github import Auth, Github, GithubException
from support.hub.model import Token
from support.hub.server import Hub

REPO = "/repos/octocat/Hello-World"
Json = dict[str, Any]


@contextmanager
def client(h: Hub, token: Token | None = None, **options: Any) -> Iterator[Github]:
    """A PyGithub client that never retries a request."""
    auth = Auth.Token((token or h.world.token).value)
    settings = {"timeout": 15, "lazy": True, "seconds_between_requests": 0, "seconds_between_writes": 0, "retry": None}
    with Github(auth=auth, base_url=h.api_url, **{**settings, **options}) as github:
        yield github


def rest(h: Hub, verb: str, path: str, body: Any = None, token: Token | None = None) -> tuple[int, Any]:
    """Send a request. `path` is relative to the repository. Return the status (200 for any success) and the JSON."""
    with client(h, token) as github:
        try:
            return 200, github.requester.requestJsonAndCheck(verb, REPO + path, input=body)[1]
        except GithubException as error:
            return error.status, error.data


def ask(h: Hub, text: str, token: Token | None = None, **variables: Any) -> Json:
    """Send a query, and return its `data`. Raises `GithubException` if it is refused."""
    with client(h, token) as github:
        data: Json = github.requester.graphql_query(text, variables)[1]["data"]
        return data


def node(h: Hub, fields: str, **variables: str) -> Any:
    """Query fields of the repository. All `variables` are declared as strings."""
    names = ", ".join(["$owner: String!", *(f"${name}: String!" for name in variables)])
    text = f'query Part({names}) {{ repository(owner: $owner, name: "Hello-World") {{ {fields} }} }}'
    return ask(h, text, None, owner="octocat", **variables)["repository"]
