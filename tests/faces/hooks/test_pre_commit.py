"""The plugin of pre-commit, built, installed and run by pre-commit itself, in real repositories and without a network.

Nothing goes over a network (`precommitkit`). One installation serves all tests: `try-repo`
makes one of its own every time, so that it is run once, and all else as people have it, by a pinned configuration.
"""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support import gitkit
from support.gitkit import FILE, git, line
from support.hookkit import CART, FITS, STALE, TREE, set_module_traps, stage, write
from support.precommitkit import PRE_COMMIT, configured, environment, make_plugin, make_wheels
from support.project import ROOT

BLOCK = b"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
CART_2 = CART.replace(b"1", b"2")
CHECK, APPLY, LEFTOVERS = "editblocks-check", "editblocks-apply", "editblocks-leftovers"

Environment = Mapping[str, str]


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` filled, once for all processes of this run of the tests."""
    base = factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    if not place.exists():
        folder = factory.mktemp(f"{name}-made") / name
        make(folder)
        with suppress(OSError):  # another process was faster
            folder.rename(place)
    return place


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment for pre-commit: all it keeps lies in a temporary folder, and no network can be reached."""
    wheels = shared(tmp_path_factory, "wheels", make_wheels)
    home = shared(tmp_path_factory, "home", Path.mkdir)  # pre-commit itself locks what it installs there
    return {**environment(home, wheels), "PIP_NO_COMPILE": "1"}  # saves a second


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a repository of its own, with everything in it committed."""
    return shared(tmp_path_factory, "plugin", make_plugin)


def run(path: Path, environment: Environment, *command: str | Path) -> tuple[int, str]:
    """Exit code, and what was printed to either stream."""
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=path, env=environment, check=False, **pipes)
    return done.returncode, cut(done.stdout.decode())


def cut(text: str) -> str:
    """What was printed, without the engine's own sentences, without dates and what only the first run says.

    Whichever test comes first waits for the installation.
    """
    text = re.sub(r"^\[INFO\] .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"undo \d{8}-\d+", "undo ID", text)
    sentence = r"^(\S+: failed: (?:no-match|unclosed|too-large): ).*?( \([.\w]+/\w+\.md:\d+\))?$"
    return re.sub(sentence, r"\1…\2", text, flags=re.MULTILINE)


def heading(hook: str, result: str) -> str:
    """The line of a hook, as pre-commit prints it on 80 columns."""
    name = f"edit blocks: {hook.removeprefix('editblocks-')}"
    return name.ljust(79 - len(result), ".") + f"{result}\n"


def failed(hook: str, words: str, *, code: int = 1, changed: bool = False) -> str:
    more = "- files were modified by this hook\n" if changed else ""
    return f"{heading(hook, 'Failed')}- hook id: {hook}\n- exit code: {code}\n{more}\n{words}\n"


def make_project(place: Path, plugin: Path, *hooks: str, tree: gitkit.Tree = TREE) -> Path:
    """A repository that is configured for these hooks."""
    return gitkit.make_repository(place, {**tree, ".pre-commit-config.yaml": (FILE, configured(plugin, *hooks))})


READY = ".edits/a.md: 1 ready; next: editblocks apply .edits/a.md\n"
MISSED = (
    "cart.py:3: failed: no-match: … (.edits/a.md:4)\n"
    "     - SEARCH          return 7\n"
    "     + file            return 1\n"
    "                              ^ line 3, column 16\n"
    ".edits/a.md: 1 failed; next: editblocks retry --staged .edits/a.md\n"
)
ALL_MISSED = (
    MISSED.replace("a.md", "stale.md")
    + ".edits/unclosed.md:4: failed: unclosed: …\n.edits/unclosed.md: 1 failed; the markers are not balanced: "
    "1 SEARCH, 0 REPLACE; next: editblocks retry --staged .edits/unclosed.md\n"
)
LEFT = "edit-block markers at lines {} of {}; apply or remove the block\n"
DONE = (
    "applied 1 block to 1 file, +1 -1, then removed; look at the change, "
    "then git add what you want of it, and commit again; undo with: "
)
CHECKED = failed(CHECK, ".edits/fits.md: 1 ready; next: editblocks apply .edits/fits.md\n" + ALL_MISSED)
# what fits is applied by then
ALL_MISSED_ON_DISK = ALL_MISSED.replace("--staged ", "").replace("return 1", "return 2")
APPLIED = failed(APPLY, f".edits/fits.md: {DONE}editblocks undo ID\n{ALL_MISSED_ON_DISK}", changed=True)
FOUND = failed(LEFTOVERS, f"left.py:2: failed: leftover: {LEFT.format('2, 4 and 6', 'left.py')}")


def put_everything(path: Path) -> None:
    """Files that fit, are stale, malformed and left over, one of each."""
    write(path, ".edits/fits.md", FITS)
    write(path, ".edits/stale.md", STALE)
    write(path, ".edits/unclosed.md", STALE[:-16])
    write(path, "left.py", b"x = 1\n" + BLOCK)
    write(path, "conflict.txt", b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n")
    write(path, "heading.rst", b"Title\n=======\n")


@pytest.mark.long
def test_a_pinned_configuration(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    project = make_project(tmp_path / "project", plugin, CHECK, APPLY, LEFTOVERS)
    put_everything(project)
    code, output = run(project, offline, PRE_COMMIT, "run", "--all-files")
    assert (code, "".join(output.partition(heading(CHECK, "Failed"))[1:])) == (1, CHECKED + APPLIED + FOUND)
    assert (project / "cart.py").read_bytes() == CART_2
    assert not (project / ".edits/fits.md").exists()


@pytest.mark.long
def test_try_repo(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    project = gitkit.make_repository(tmp_path / "project", TREE)
    set_module_traps(project, tmp_path / "sprung")
    write(project, "--config=x", b"x\n")
    git(project, "add", "--all")
    put_everything(project)
    code, output = run(project, offline, PRE_COMMIT, "try-repo", plugin, "--all-files")
    # try-repo goes by the names of the hooks
    assert (code, "".join(output.partition(heading(APPLY, "Failed"))[1:])) == (1, APPLIED + CHECKED + FOUND)
    assert not (tmp_path / "sprung").exists()


WAYS: list[tuple[str, bytes, bytes, tuple[str, ...], bool]] = [
    ("a response that fits", FITS, FITS, (), True),
    ("a response that does not", STALE, STALE, (), False),
    ("one that fits as it is staged", FITS, STALE, (), True),
    ("one that fits only on disk", STALE, FITS, (), False),
    ("commit -a takes what is on disk", STALE, FITS, ("-a",), True),
    ("commit FILE takes what is on disk", FITS, STALE, (".edits/a.md",), False),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "staged", "unstaged", "args", "made"), WAYS, ids=[row[0] for row in WAYS])
def test_a_commit_with_check(
    plugin: Path,
    tmp_path: Path,
    offline: Environment,
    *,
    claim: str,
    staged: bytes,
    unstaged: bytes,
    args: tuple[str, ...],
    made: bool,
) -> None:
    project = make_project(tmp_path / "project", plugin, CHECK)
    assert run(project, offline, PRE_COMMIT, "install")[0] == 0
    write(project, ".edits/a.md", staged)
    write(project, ".edits/a.md", unstaged, add=False)
    code, output = run(project, offline, "git", "commit", "--quiet", "-m", "x", *args)
    assert (code == 0) is made, output
    missed = MISSED.replace("--staged ", "") if args else MISSED  # git throws away what such a commit staged
    assert (heading(CHECK, "Passed") if made else failed(CHECK, missed)) in output


@pytest.mark.long
def test_a_commit_with_apply(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    """The commit stops, the change is looked at and added, and the next commit holds it instead of the response."""
    project = make_project(tmp_path / "project", plugin, APPLY)
    run(project, offline, PRE_COMMIT, "install")
    write(project, ".edits/fits.md", FITS)
    assert run(project, offline, "git", "commit", "--quiet", "-m", "x") == (
        1,
        failed(APPLY, f".edits/fits.md: {DONE}editblocks undo ID\n", changed=True),
    )
    assert line(project, "status", "--short") == "AD .edits/fits.md\n M cart.py"
    run(project, offline, "git", "add", "--", "cart.py", ".edits/fits.md")
    assert run(project, offline, "git", "commit", "--quiet", "-m", "x")[0] == 0
    assert gitkit.read_tree(project, "HEAD")["cart.py"] == (FILE, CART_2)
    assert line(project, "show", "--name-status", "--format=", "HEAD") == "M\tcart.py"


# What is not staged: pre-commit puts it aside, and lays it over the result again.
BESIDE: list[tuple[str, bytes, bytes]] = [
    ("in the same line: pre-commit takes its hook's change back", CART.replace(b"1", b"8"), CART.replace(b"1", b"8")),
    ("in another file", CART, CART_2),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "unstaged", "after"), BESIDE, ids=[row[0] for row in BESIDE])
def test_nothing_that_is_not_staged_is_lost(
    plugin: Path, tmp_path: Path, offline: Environment, *, claim: str, unstaged: bytes, after: bytes
) -> None:
    project = make_project(tmp_path / "project", plugin, APPLY)
    write(project, ".edits/fits.md", FITS)
    write(project, "cart.py", unstaged, add=False)
    write(project, "a/b", b"mine\n", add=False)
    code, output = run(project, offline, PRE_COMMIT, "run")
    assert code == 1, output
    assert ((project / "cart.py").read_bytes(), (project / "a/b").read_bytes()) == (after, b"mine\n"), claim
    assert (project / ".edits/fits.md").exists() is (after == unstaged)


HOSTILE = ["a b.py", "a\nb.py", "-x.py", "--help", "\u202eb.py", "$(touch sprung).py", "'\".py", ":(top)x.py"]


@pytest.mark.long
def test_names_that_mean_something_elsewhere(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    project = make_project(tmp_path / "project", plugin, LEFTOVERS)
    for name in HOSTILE:
        (project / name).write_bytes(BLOCK)
    (project / "link.py").symlink_to("a b.py")
    git(project, "add", "--all")
    stage(project, {"vendor": (gitkit.SUBMODULE, gitkit.SUBMODULE_ID)})
    code, output = run(project, offline, PRE_COMMIT, "run")
    told = output.splitlines()[4:]
    shown = [name.replace("\n", "\\n").replace("\u202e", "\\u202e") for name in sorted(HOSTILE)]
    assert (code, [row.partition(":1: failed: leftover: ")[0] for row in told if row]) == (1, shown)
    assert output.isascii()
    assert not (project / "sprung").exists()


ALLOWED: list[tuple[str, Sequence[str], Mapping[str, bytes], bool]] = [
    ("a left-over block", [LEFTOVERS], {"docs/a.md": BLOCK}, False),
    ("the pragma", [LEFTOVERS], {"docs/a.md": BLOCK + b"<!-- editblocks: allow-markers -->\n"}, True),
    ("exclude", [f"{LEFTOVERS}\n        exclude: ^(docs|tests)/"], {"docs/a.md": BLOCK, "tests/a.py": BLOCK}, True),
    ("exclude, and response files", [f"{LEFTOVERS}\n        exclude: ^docs/"], {".edits/a.md": FITS}, True),
    ("exclude, elsewhere", [f"{LEFTOVERS}\n        exclude: ^docs/"], {"src/a.md": BLOCK}, False),
    ("what is no text", [LEFTOVERS], {"a.bin": b"\0" + BLOCK}, True),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "hooks", "files", "fine"), ALLOWED, ids=[row[0] for row in ALLOWED])
def test_files_that_may_hold_blocks(
    plugin: Path,
    tmp_path: Path,
    offline: Environment,
    *,
    claim: str,
    hooks: Sequence[str],
    files: Mapping[str, bytes],
    fine: bool,
) -> None:
    project = make_project(tmp_path / "project", plugin, *hooks)
    for name, data in files.items():
        write(project, name, data)
    code, output = run(project, offline, PRE_COMMIT, "run")
    assert (code == 0) is fine, (claim, output)


@pytest.mark.long
def test_ten_thousand_files_and_a_huge_response(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    names = [f"src/{number // 100}/module_{number}.py" for number in range(10_000)]
    tree = {**TREE, **{name: (FILE, name.encode()) for name in names}, "src/7/left.py": (FILE, BLOCK)}
    project = make_project(tmp_path / "project", plugin, CHECK, LEFTOVERS, tree=tree)
    write(project, ".edits/a.md", FITS.ljust(6 * 1024 * 1024, b"\n"))
    code, output = run(project, offline, PRE_COMMIT, "run", "--all-files")
    large = ".edits/a.md:1: failed: too-large: …\n.edits/a.md: 1 failed; repair the file, then git add it\n"
    left = f"src/7/left.py:1: failed: leftover: {LEFT.format('1, 3 and 5', 'src/7/left.py')}"
    assert (code, output) == (1, failed(CHECK, large) + failed(LEFTOVERS, left))


@pytest.mark.long
def test_a_stage_that_is_asked_for(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    """`stages: [manual]` keeps a hook out of commits; a word of its own starts it."""
    project = make_project(tmp_path / "project", plugin, f"{APPLY}\n        stages: [manual]")
    write(project, ".edits/fits.md", FITS)
    assert run(project, offline, PRE_COMMIT, "run") == (0, "")
    assert run(project, offline, PRE_COMMIT, "run", "--hook-stage", "manual")[0] == 1
    assert (project / "cart.py").read_bytes() == CART_2


@pytest.mark.long
def test_response_files_of_another_name(plugin: Path, tmp_path: Path, offline: Environment) -> None:
    """The policy names them to the hook, and `files` to pre-commit, as docs/reference/pre-commit.md says."""
    [files] = re.findall(r"`(files: \S+)`", ROOT.joinpath("docs/reference/pre-commit.md").read_text("utf-8"))
    project = make_project(tmp_path / "project", plugin, f"{CHECK}\n        {files}", LEFTOVERS)
    write(project, ".editblocks.yml", b"response-files: ['answers/*.md']\n")
    write(project, "answers/a.md", FITS)
    passed = heading(CHECK, "Passed") + heading(LEFTOVERS, "Passed")
    assert run(project, offline, PRE_COMMIT, "run") == (0, passed)
    write(project, "answers/a.md", STALE)
    words = (
        "cart.py:3: failed: no-match: … (answers/a.md:4)\n"
        "     - SEARCH          return 7\n"
        "     + file            return 1\n"
        "                              ^ line 3, column 16\n"
        "answers/a.md: 1 failed; next: editblocks retry --staged answers/a.md\n"
    )
    assert run(project, offline, PRE_COMMIT, "run") == (1, failed(CHECK, words) + heading(LEFTOVERS, "Passed"))
