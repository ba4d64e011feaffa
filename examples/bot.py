"""A bot with PyGithub and GitPython: it replies whether the edit blocks of a comment fit, and changes no file.

    GITHUB_TOKEN=… python bot.py acme/shop 7 2468 path/to/clone   # comment 2468 of pull request 7

It reads the head of the pull request by its commit id, so nothing needs to be checked out, and the pull request may
come from a fork. The token needs permission to read the repository and to write comments. Install PyGithub, and
editblocks with the extra `gitpython`.
"""

import os
import sys

import git
from github import Auth, Github

from editblocks import ApplyResult, apply_response, retry_prompt

MOST_ROWS = 100  # a comment on GitHub holds at most 65,536 characters


def main(repository: str, number: str, comment_id: str, clone: str) -> None:
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    with Github(base_url=api, auth=Auth.Token(os.environ["GITHUB_TOKEN"])) as github, git.Repo(clone) as repo:
        pull = github.get_repo(repository).get_pull(int(number))
        answer = pull.get_issue_comment(int(comment_id)).body
        repo.remotes.origin.fetch(f"refs/pull/{number}/head")
        head = repo.commit(pull.head.sha)
        result = apply_response(answer, head)
        if result.rows:
            prompt = retry_prompt(result, head, target=repository, response=answer)
            pull.create_issue_comment(as_markdown(result, prompt))


def as_markdown(result: ApplyResult, prompt: str) -> str:
    """Format the result for people, followed by the prompt to send back to the model."""
    rows = [f"{row.block.number}. {row.file_path}: {row.reason or 'fits'}" for row in result.results]
    rows += [f"{problem.number}. {problem.file_path or 'no file'}: {problem.message}" for problem in result.problems]
    title = "All edit blocks fit." if result.ok else "Not all edit blocks fit."
    parts = [title, fenced("\n".join(rows[:MOST_ROWS]))]
    if prompt:
        parts += ["For the model:", fenced(prompt)]
    return "\n\n".join(parts)


def fenced(text: str) -> str:
    """Put untrusted text into a fence that it cannot close, so that it can neither mention users nor show images."""
    fence = "~" * (3 + text.count("~"))
    return f"{fence}text\n{text}\n{fence}"


if __name__ == "__main__":
    main(*sys.argv[1:])
