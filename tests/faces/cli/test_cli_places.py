"""Where the paths of a command begin, and what `--commit` makes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support import gitkit
from support.applykit import CART, CHANGE, NEW_CART, SHOP, TAX, Run
from support.callcases import FITTING, NEW_PATCH, NONE_OF_ONE, NOTHING_TO_DO, ONE_OF_TWO, PATCH, WRITTEN, changed
from support.gitkit import FILE, git, line, read_tree
from support.hookkit import Ran

# Where paths begin.


@pytest.mark.parametrize("command", ["check", "apply"])
def test_in_a_folder_of_a_repository_paths_count_from_its_top(repository: Path, call: Run, command: str) -> None:
    ran = call(command, "../../fits.md")
    assert ran.code == 0
    assert ran.out.startswith("src/cart.py:2: ")
    assert changed(repository) == (WRITTEN if command == "apply" else {})


def test_the_patch_is_one_that_git_applies(repository: Path, call: Run) -> None:
    patch = call("diff", "../../fits.md").out
    git(repository, "apply", "--check", "--index", stdin=patch.encode())
    git(repository, "apply", stdin=patch.encode())
    assert changed(repository) == WRITTEN


def test_root_names_another_place(repository: Path, call: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/cart.py").write_bytes(CART)
    (tmp_path / "cart.md").write_text(CHANGE.replace("src/cart.py", "cart.py"))
    assert call("apply", "../../cart.md").code == 1
    assert call("apply", "../../cart.md", "--root", "../../plain").code == 0
    assert ((tmp_path / "plain/cart.py").read_bytes(), changed(repository)) == (NEW_CART, {})


def test_rev_plans_on_a_commit(repository: Path, call: Run) -> None:
    (repository / "src/cart.py").write_bytes(b"else\n")
    assert call("check", "../../fits.md").code == 1
    assert call("check", "../../fits.md", "--rev", "main") == Ran(0, FITTING.format("ready", "../../fits.md"), "")
    assert call("diff", "--rev=HEAD", "../../fits.md").out == PATCH + NEW_PATCH
    bare = gitkit.make_repository(repository.parent / "bare", {"src/cart.py": (FILE, CART)}, bare=True)
    assert call("check", "../../fits.md", "--rev", "main", "--root", str(bare)).code == 0


def test_a_response_beside_the_files_that_it_changes_is_left_alone(folder: Path, call: Run) -> None:
    before = (folder / "fits.md").read_bytes()
    call("apply", "fits.md")
    assert (folder / "fits.md").read_bytes() == before


# --commit


def commits(repository: Path) -> int:
    return int(line(repository, "rev-list", "--count", "--all"))


@pytest.mark.long
def test_commit_holds_exactly_what_was_applied(repository: Path, call: Run) -> None:
    head = line(repository, "rev-parse", "HEAD")
    (repository / "README.md").write_bytes(b"# Shop, not committed\n")
    ran = call("apply", "../../fits.md", "--commit")
    commit = line(repository, "rev-parse", "HEAD")
    assert ran == Ran(
        0,
        f"{FITTING.format('applied', '../../fits.md')}applied 2 blocks to 2 files, +2 -1 as {commit[:7]}; "
        f"undo on main with: git revert {commit[:7]}\n",
        "",
    )
    assert line(repository, "rev-parse", "HEAD^") == head
    expected = {**{name: (FILE, data) for name, data in SHOP.items()}, "src/cart.py": (FILE, NEW_CART)}
    assert read_tree(repository, "HEAD") == {**expected, "src/tax.py": (FILE, TAX)}
    assert git(repository, "status", "--porcelain") == b" M README.md\n"
    message = git(repository, "log", "-1", "--format=%B").decode()
    assert message.startswith("Apply 2 edit blocks\n\n2 of 2 edit blocks, 2 files, +2 -1.\nHow: 1 exact, 1 new file.\n")
    assert f"\nEdit-Blocks-Base: {head}\n" in message
    assert line(repository, "log", "-1", "--format=%an <%ae>") == f"{gitkit.NAME} <{gitkit.EMAIL}>"


def test_commit_with_partial_holds_the_ready_blocks(repository: Path, call: Run) -> None:
    ran = call("apply", "../../partly.md", "--partial", "--commit")
    commit = line(repository, "rev-parse", "HEAD")
    last = f"applied 1 of 2 blocks to 1 file, +1 -1 as {commit[:7]}; left out: block 2 no-match; "
    last += f"undo on main with: git revert {commit[:7]}"
    following = "next: `editblocks retry ../../partly.md --rev HEAD --only 2` prints what to send back to the model; "
    following += "then apply its corrected answer"
    assert (ran.code, ran.out.splitlines()[-2:]) == (1, [last, following])
    assert line(repository, "diff", "--name-only", "HEAD^", "HEAD") == "src/cart.py"


class NoCommit(NamedTuple):
    """A call of `apply --commit` that makes none."""

    arguments: str
    code: int
    words: str
    prepare: Sequence[str] = ()


NO_COMMITS: Mapping[str, NoCommit] = {
    "nothing to do": NoCommit("../../done.md", 0, NOTHING_TO_DO),
    "one block fails": NoCommit("../../partly.md", 1, ONE_OF_TWO),
    "no blocks": NoCommit("../../prose.md", 1, "no-blocks: 2 lines read"),
    "nothing is left with --partial": NoCommit("../../misses.md --partial", 1, NONE_OF_ONE.format("no-match")),
    "HEAD is detached": NoCommit(
        "../../fits.md",
        2,
        "editblocks: branch-refused: HEAD is detached, so the commit would be on no branch; git switch -c NAME first\n",
        ("checkout", "--quiet", "--detach"),
    ),
    "the file is dirty": NoCommit(
        "../../fits.md",
        2,
        "editblocks: dirty-file: src/cart.py has changes that are not committed; commit or stash them first\n",
        ("update-index", "--chmod=+x", "src/cart.py"),
    ),
    "not a repository": NoCommit("../../fits.md --root ../..", 2, "cannot be used as a git repository"),
}


@pytest.mark.parametrize("claim", NO_COMMITS)
@pytest.mark.long
def test_where_no_commit_is_made(repository: Path, call: Run, claim: str) -> None:
    case = NO_COMMITS[claim]
    if case.prepare:
        git(repository, *case.prepare)
    ran = call("apply", "--commit", *case.arguments.split())
    assert ran.code == case.code
    assert case.words in ran.out + ran.err
    assert (commits(repository), changed(repository)) == (1, {})
    assert bool(ran.err) is (case.code == 2)


def test_a_refusal_before_the_plan_is_no_report_of_no_blocks(folder: Path, call: Run) -> None:
    ran = call("apply", "--commit", "fits.md")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"editblocks: {folder} cannot be used as a git repository: ")


@pytest.mark.parametrize(("command", "code"), [("check", 1), ("apply", 1), ("diff", 1), ("retry", 0)])
def test_an_answer_without_files_needs_no_repository(folder: Path, call: Run, command: str, code: int) -> None:
    """Git cannot open this one, and is not asked."""
    (folder / ".git").write_text("nothing\n")
    assert call(command, "prose.md").code == code
