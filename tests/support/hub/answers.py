"""The interface of the REST handlers: they get a `Call`, and return an `Answer` or raise an `ApiError`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from support.hub.model import PullRequest, Repository, Token, User
from support.hub.world import World

DOCS = "https://docs.github.com/rest"


class Answer(NamedTuple):
    """An HTTP status with its JSON; None means no body."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = {}


class ApiError(Exception):
    """A refused request. `answer` has the JSON that GitHub sends."""

    def __init__(self, status: int, message: str, errors: Sequence[object] | None = None) -> None:
        super().__init__(message)
        body: dict[str, Any] = {"message": message, "documentation_url": DOCS, "status": str(status)}
        if errors is not None:
            body["errors"] = list(errors)
        self.answer = Answer(status, body)


def not_found() -> ApiError:
    """Missing, or invisible to this token: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#404-not-found-for-an-existing-resource"""
    return ApiError(404, "Not Found")


def no_access() -> ApiError:
    """An app's token lacks a permission: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible"""
    return ApiError(403, "Resource not accessible by integration")


def invalid(resource: str, name: str, message: str) -> ApiError:
    """A 422 with one error object: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed"""
    error = {"resource": resource, "field": name, "code": "unprocessable", "message": message}
    return ApiError(422, "Validation Failed", [error])


@dataclass(slots=True)
class Call:
    """One request on its way to a handler."""

    world: World
    token: Token
    name: str  # as in `oas.Operation.name`
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    api_url: str
    html_url: str
    media: str = ""  # the media type in the Accept header

    @property
    def viewer(self) -> User:
        """The user of the token."""
        return self.token.user

    @property
    def repository(self) -> Repository:
        """The repository in the path. Raises 404 if it is missing or invisible to the token."""
        wanted = f"{self.params['owner']}/{self.params['repo']}".lower()
        found = next((each for each in self.world.repositories if each.full_name.lower() == wanted), None)
        if found is None or (not self.token.is_bot and self.world.role(found, self.viewer.login) == "none"):
            raise not_found()
        return found

    @property
    def pull(self) -> PullRequest:
        """The pull request in the path. Raises 404 if there is none."""
        number = int(self.params.get("pull_number") or self.params["issue_number"])
        found = self.world.pull(number, self.repository)
        if found is None:
            raise not_found()
        return found

    @property
    def repository_url(self) -> str:
        """The API URL of the repository."""
        return f"{self.api_url}/repos/{self.repository.full_name}"

    def page(self, items: Sequence[Any]) -> Answer:
        """One page of a list, with the `Link` header.

        https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
        """
        size = min(max(int(self.query.get("per_page", 30)), 1), 100)
        page = max(int(self.query.get("page", 1)), 1)
        last = max(-(-len(items) // size), 1)
        turns = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        shown = {
            rel: to for rel, to in turns.items() if (1 <= to < page if rel in {"prev", "first"} else page < to <= last)
        }
        links = [f'<{self._page_url(to)}>; rel="{rel}"' for rel, to in shown.items()]
        return Answer(200, list(items[(page - 1) * size : page * size]), {"Link": ", ".join(links)} if links else {})

    def _page_url(self, page: int) -> str:
        path = self.name.partition(" ")[2]
        for name, value in self.params.items():
            path = path.replace(f"{{{name}}}", value)
        return f"{self.repository_url}/{path}?{urlencode({**self.query, 'page': page})}"
