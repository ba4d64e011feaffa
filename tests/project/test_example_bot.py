"""examples/bot.py, run as a program against the hub."""

import runpy
import subprocess
import sys
from pathlib import Path

import cmarkgfm
import pytest
from support import gitkit
from support.actionkit import APP, FAILS, FITS
from support.hub import hub
from support.hub.model import PullRequest
from support.project import EXAMPLES

ANSWERS = {
    "a block that fits": (FITS, ["All edit blocks fit.", "1. app.py: fits"]),
    "a block that does not": (FAILS, ["Not all edit blocks fit.", "1. app.py: line 1 of the block", "For the model:"]),
    "a block that is broken": (FITS.replace(">>>>>>> REPLACE\n", ""), ["Not all edit blocks fit.", "1. app.py: "]),
    "talk": ("Looks good to me.", []),
}


@pytest.mark.parametrize(("answer", "words"), ANSWERS.values(), ids=ANSWERS.keys())
@pytest.mark.parametrize("is_fork", [False, True], ids=["a branch", "a fork"])
@pytest.mark.long
def test_it_says_what_would_become_of_a_comment(tmp_path: Path, answer: str, words: list[str], is_fork: bool) -> None:
    with hub() as h:
        fork = h.world.fork("hubot") if is_fork else None
        pull = h.world.pull_request({"app.py": APP}, author="hubot", fork=fork)
        clone = clone_for(pull, h.world.store.path, h.world.head(pull), tmp_path)
        before = h.world.head(pull), gitkit.read_folder(clone)
        said = h.world.say(pull, "hubot", answer)
        environ = {**gitkit.ISOLATED, "GITHUB_TOKEN": h.world.token.value, "GITHUB_API_URL": h.api_url}
        arguments = [h.world.repository.full_name, str(pull.number), str(said.id), str(clone)]
        command = [sys.executable, str(EXAMPLES / "bot.py"), *arguments]
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
        posted = [comment.body for comment in pull.comments if comment is not said]
        assert len(posted) == bool(words)
        assert all(word in posted[0] for word in words)
        assert (h.world.head(pull), gitkit.read_folder(clone)) == before


def clone_for(pull: PullRequest, store: Path, head: str, folder: Path) -> Path:
    """A clone of the repository, which holds the head of each pull request below a ref, as GitHub has it."""
    clone = folder / "clone"
    gitkit.git(folder, "clone", "--quiet", str(store), str(clone))
    gitkit.git(store, "update-ref", f"refs/pull/{pull.number}/head", head)
    return clone


@pytest.mark.parametrize("text", ["plain", "~~~", "a\n~~~~~\n@octocat\n~~~", "```\n@octocat\n```", ""])
def test_no_text_ends_its_fence(text: str) -> None:
    fenced = runpy.run_path(str(EXAMPLES / "bot.py"))["fenced"]
    page = cmarkgfm.github_flavored_markdown_to_html(fenced(text))
    assert page == f'<pre lang="text"><code>{text}\n</code></pre>\n'
