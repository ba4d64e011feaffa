"""`apply --branch`, `--commit` and `--message`: which branch moves, and to a commit that says what."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import gitkit
from support.applykit import CART, CHANGE, CREATE, FITS, NEW_CART, PARTLY, TAX, Run, block, changed
from support.gitkit import FILE, git, line, read_tree

from editblocks.report.commit_message import SUBJECT_LIMIT, title_fault


@pytest.fixture
def shop(shop: Path) -> Path:
    git(shop, "branch", "topic")
    return shop


def state(path: Path) -> tuple[bytes, bytes, dict[str, bytes | None]]:
    """Refs, status and files."""
    return git(path, "for-each-ref"), git(path, "status", "--porcelain"), changed(path)


# --branch


def test_a_branch_that_is_not_checked_out_gets_one_commit(shop: Path, run: Run) -> None:
    head = line(shop, "rev-parse", "main")
    ran = run("apply", "-", "--branch", "topic", stdin=FITS)
    commit = line(shop, "rev-parse", "topic")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(
        f"applied 2 blocks to 2 files, +2 -1 as {commit[:7]}; undo on topic with: git revert {commit[:7]}\n"
    )
    assert line(shop, "rev-parse", "topic^") == head
    assert read_tree(shop, "topic") == {
        "README.md": (FILE, b"# Shop\n"), "src/cart.py": (FILE, NEW_CART), "src/tax.py": (FILE, TAX),
    }  # fmt: skip
    assert line(shop, "log", "-1", "--format=%s|%an|%ce", "topic") == (
        f"Apply 2 edit blocks|{gitkit.NAME}|{gitkit.EMAIL}"
    )


def test_a_branch_that_is_not_there_is_made_at_head(shop: Path, run: Run) -> None:
    """Amendment D."""
    head = line(shop, "rev-parse", "main")
    ran = run("apply", "-", "--branch", "new/one", stdin=FITS)
    commit = line(shop, "rev-parse", "new/one")
    assert ran.code == 0
    assert ran.err == f"editblocks: branch new/one does not exist yet; it is created at {head[:7]} (HEAD)\n"
    assert ran.out.endswith(f" as {commit[:7]}; undo on new/one with: git revert {commit[:7]}\n")
    assert line(shop, "rev-parse", "new/one^") == head
    assert line(shop, "rev-parse", "main") == head
    assert run("apply", "-", "--branch", "new/one", stdin=block("a.py", "", "a = 1\n")).err == ""
    assert line(shop, "rev-list", "--count", "main..new/one") == "2"


def test_no_branch_is_made_for_what_does_not_fit(shop: Path, run: Run) -> None:
    before = state(shop)
    ran = run("apply", "-", "--branch", "new", stdin=PARTLY)
    assert (ran.code, ran.err, state(shop)) == (1, "", before)
    assert run("check", "-", "--rev", "HEAD", stdin=PARTLY).code == 1


def test_two_answers_make_one_branch(shop: Path, run: Run) -> None:
    (shop.parent / "one.md").write_text(CHANGE)
    (shop.parent / "two.md").write_text(CREATE)
    ran = run("apply", "../one.md", "../two.md", "--branch", "new")
    assert (ran.code, ran.err.count("it is created at")) == (0, 1)
    assert line(shop, "rev-list", "--count", "main..new") == "2"


def test_what_is_on_disk_and_staged_does_not_count_and_stays(shop: Path, run: Run) -> None:
    (shop / "src/cart.py").write_bytes(b"# mine\n")
    git(shop, "add", "src/cart.py")
    (shop / "src/cart.py").write_bytes(b"# mine, too\n")
    before = git(shop, "status", "--porcelain")
    assert run("apply", "-", "--branch", "topic", stdin=CHANGE).code == 0
    assert (git(shop, "status", "--porcelain"), (shop / "src/cart.py").read_bytes()) == (before, b"# mine, too\n")
    assert git(shop, "show", "topic:src/cart.py") == NEW_CART


def test_blocks_are_planned_on_the_branch(shop: Path, run: Run) -> None:
    gitkit.commit(shop, "topic", {"src/cart.py": (FILE, b"# longer\n" + CART)})
    assert "src/cart.py:3: applied: exact" in run("apply", "-", "--branch", "topic", stdin=CHANGE).out
    assert git(shop, "show", "topic:src/cart.py") == b"# longer\n" + NEW_CART


def test_again_there_is_nothing_to_do(shop: Path, run: Run) -> None:
    assert run("apply", "-", "--branch", "topic", stdin=CREATE).code == 0
    before = state(shop)
    ran = run("apply", "-", "--branch", "topic", stdin=CREATE)
    said = "nothing to do: the changes of 1 block are already there"
    assert (ran.code, ran.out.splitlines()[-1], state(shop)) == (0, said, before)


@pytest.mark.long
def test_part_of_it(shop: Path, run: Run) -> None:
    before = state(shop)
    assert (run("apply", "-", "--branch", "topic", stdin=PARTLY).code, state(shop)) == (1, before)
    assert run("apply", "-", "--branch", "topic", "--partial", stdin=PARTLY).code == 1
    assert git(shop, "show", "topic:src/cart.py") == NEW_CART
    assert run("apply", "-", "--branch", "topic", "--only", "2", stdin=FITS).code == 0
    assert git(shop, "show", "topic:src/tax.py") == TAX


@pytest.mark.long
def test_a_branch_in_a_bare_repository(tmp_path: Path, shop: Path, run: Run) -> None:
    bare = gitkit.make_repository(tmp_path / "bare", {"src/cart.py": (FILE, CART)}, bare=True)
    assert run("apply", "-", "--root", str(bare), "--branch", "main", stdin=CHANGE).code == 0
    assert git(bare, "show", "main:src/cart.py") == NEW_CART


def _linked(path: Path) -> None:
    git(path, "worktree", "add", "-q", str(path.parent / "linked"), "-b", "linked")


def _nothing(path: Path) -> None:
    assert path.is_dir()


NO_BRANCH: tuple[tuple[str, Callable[[Path], None], str], ...] = (
    ("main", _nothing, "branch-refused: branch main is in use: "),
    ("linked", _linked, "branch-refused: branch linked is in use: "),
    ("refs/heads/topic", _nothing, "`refs/heads/topic` is not the name of a branch; give one without refs/"),
    ("-x", _nothing, "`-x` is not the name of a branch; give one without refs/"),
    ("a..b", _nothing, "`a..b` is not the name of a branch; give one without refs/"),
    ("a b", _nothing, "`a b` is not the name of a branch; give one without refs/"),
    ("", _nothing, "`` is not the name of a branch; give one without refs/"),
    ("HEAD", _nothing, "`HEAD` is not the name of a branch; give one without refs/"),
    ("topic\x1b[2J", _nothing, "`topic\\x1b[2J` is not the name of a branch; give one without refs/"),
)


@pytest.mark.parametrize(("name", "prepare", "words"), NO_BRANCH, ids=[row[0] for row in NO_BRANCH])
@pytest.mark.long
def test_a_branch_that_cannot_be_moved(
    shop: Path, run: Run, name: str, prepare: Callable[[Path], None], words: str
) -> None:
    prepare(shop)
    before = state(shop)
    ran = run("apply", "-", f"--branch={name}", stdin=FITS)
    assert (ran.code, ran.out, state(shop)) == (2, "", before)
    assert ran.err.startswith(f"editblocks: {words.format(shop=shop, linked=shop.parent / 'linked')}"), ran.err


@pytest.mark.long
def test_a_repository_without_a_commit(tmp_path: Path, shop: Path, run: Run) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q", "-b", "main")
    ran = run("apply", "-", "--root", str(empty), "--branch", "topic", stdin=block("a.py", "", "x = 1\n"))
    what = "there is no branch topic, and no commit to create it from; commit something first"
    assert (ran.code, ran.err) == (2, f"editblocks: {what}\n")
    ran = run("apply", "-", "--root", str(empty), "--branch", "main", stdin=block("a.py", "", "x = 1\n"))
    assert (ran.code, ran.err.partition(" is in use: ")[0]) == (2, "editblocks: branch-refused: branch main")
    assert run("apply", "-", "--root", str(empty), "--commit", stdin=block("a.py", "", "x = 1\n")).code == 0
    assert line(empty, "rev-list", "--count", "main") == "1"


def test_a_folder_without_git(tmp_path: Path, shop: Path, run: Run) -> None:
    (tmp_path / "plain").mkdir()
    for option in ("--branch=topic", "--commit", "--index"):
        ran = run("apply", "-", "--root", str(tmp_path / "plain"), option, stdin=FITS)
        assert (ran.code, list((tmp_path / "plain").iterdir())) == (2, [])
        assert ran.err.startswith(f"editblocks: {tmp_path / 'plain'} cannot be used as a git repository")


# --message


@pytest.mark.long
@pytest.mark.parametrize("option", ["--commit", "--branch=topic"])
def test_a_title_is_the_subject(shop: Path, run: Run, option: str) -> None:
    ran = run("apply", "-", option, "--message", "Round the total (again)", stdin=FITS)
    assert (ran.code, ran.err) == (0, "")
    rev = "main" if option == "--commit" else "topic"
    assert line(shop, "log", "-1", "--format=%s", rev) == "Round the total (again)"


@pytest.mark.long
def test_a_title_goes_before_that_of_the_response_and_after_the_prefix(
    shop: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITBLOCKS_COMMIT_PREFIX", "fix: ")
    reply = f"---\ntitle: Their words\n---\n{FITS}"
    assert run("apply", "-", "--branch=topic", stdin=reply).code == 0
    assert line(shop, "log", "-1", "--format=%s", "topic") == "fix: Their words"
    git(shop, "branch", "-f", "topic", "main")
    assert run("apply", "-", "--branch=topic", "--message", "My words", stdin=reply).code == 0
    assert line(shop, "log", "-1", "--format=%s", "topic") == "fix: My words"


ACTIVE = ", which a server may take as a command or a reference; word it differently"
NOT_PLAIN = "is not a plain line; use 1 to {} letters, digits, spaces and ,.:;()/_+'-, with no space or dash at an end"
BAD_TITLES = (
    ("Fix #12", NOT_PLAIN.format(60)),
    ("Grüße", NOT_PLAIN.format(60)),
    ("two\nlines", NOT_PLAIN.format(60)),
    ("x" * 61, NOT_PLAIN.format(60)),
    ("see https://example.com/x", f"has `://`{ACTIVE}"),
    ("fixes gh-12", f"has `gh-1`{ACTIVE}"),
    ("Signed-off-by: octocat", f"has `Signed-off-by:`{ACTIVE}"),
    ("", NOT_PLAIN.format(60)),
    (" x", NOT_PLAIN.format(60)),
    ("--x", NOT_PLAIN.format(60)),
)


@pytest.mark.long
@pytest.mark.parametrize(("title", "words"), BAD_TITLES)
def test_a_title_that_would_be_left_out_is_refused(shop: Path, run: Run, title: str, words: str) -> None:
    before = state(shop)
    ran = run("apply", "-", "--commit", f"--message={title}", stdin=FITS)
    assert (ran.code, ran.out, ran.err) == (2, "", f"editblocks: --message {words}\n")
    assert state(shop) == before


def test_a_title_is_refused_before_an_answer_is_read(run: Run) -> None:
    ran = run("apply", "nothing.md", "--commit", "--message=Fix #12")
    assert (ran.code, ran.err) == (2, f"editblocks: --message {NOT_PLAIN.format(60)}\n")


def test_a_prefix_takes_room_of_the_title() -> None:
    title, prefix = "x" * 60, "feat(the cart): "
    assert title_fault(title) is None
    assert title_fault(title, prefix) == NOT_PLAIN.format(SUBJECT_LIMIT - len(prefix))


def test_a_title_needs_a_commit(shop: Path, run: Run) -> None:
    ran = run("apply", "-", "--message", "x", stdin=FITS)
    expected = "editblocks: --message is for a commit; add --commit or --branch\n"
    assert (ran.code, ran.err, changed(shop)) == (2, expected, {})


# who commits, and how


FAST = {("--commit", "in the environment alone"), ("--commit", "no identity")}
AUTHOR = {"GIT_AUTHOR_NAME": "Hubot", "GIT_AUTHOR_EMAIL": "hubot@example.com"}
COMMITTER = {"GIT_COMMITTER_NAME": "Octocat", "GIT_COMMITTER_EMAIL": "octocat@example.com"}
DATES = {"GIT_AUTHOR_DATE": "2024-05-06T07:08:09+02:00", "GIT_COMMITTER_DATE": "@1700000000 -0100"}
ME = f"[user]\nname = {gitkit.NAME}\nemail = {gitkit.EMAIL}\n"
MINE = f"{gitkit.NAME} <{gitkit.EMAIL}>"
HUBOT, OCTOCAT = "Hubot <hubot@example.com>", "Octocat <octocat@example.com>"
EPOCH = {"SOURCE_DATE_EPOCH": "1600000000"}
AT, EPOCH_AT = ("1714972089 +0200", "1700000000 -0100"), ("1600000000 +0000", "1600000000 +0000")
IDENTITIES = {
    "in the configuration": (ME, EPOCH, (MINE, MINE), EPOCH_AT),
    "in the environment alone": ("", AUTHOR | COMMITTER | DATES, (HUBOT, OCTOCAT), AT),
    "the author in the environment": (ME, AUTHOR | EPOCH, (HUBOT, MINE), EPOCH_AT),
    "the committer in the environment": (ME, COMMITTER | EPOCH, (MINE, OCTOCAT), EPOCH_AT),
    "its dates before the time of a build": (ME, DATES | EPOCH, (MINE, MINE), AT),
}


@pytest.mark.parametrize(
    ("option", "claim"),
    [
        pytest.param(option, claim, marks=() if (option, claim) in FAST else pytest.mark.long)
        for option in ("--commit", "--branch=topic")
        for claim in IDENTITIES
    ],
)
@pytest.mark.long
def test_who_commits_is_gits_own_answer(
    shop: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, option: str, claim: str
) -> None:
    config, variables, people, times = IDENTITIES[claim]
    (tmp_path / "home/.gitconfig").write_text(config)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ran = run("apply", "-", option, stdin=FITS)
    commit = git(shop, "cat-file", "commit", "main" if option == "--commit" else "topic").decode()
    expected = zip(("author", "committer"), people, times, strict=True)
    assert (ran.code, commit.split("\n")[2:4]) == (0, [f"{role} {who} {when}" for role, who, when in expected]), ran


NO_EMAIL = "no email was given and auto-detection is disabled"
NOBODY = {
    "no identity": ("", {}, NO_EMAIL),
    "an author alone": ("", AUTHOR, NO_EMAIL),
    "a date that is none": (ME, {"GIT_AUTHOR_DATE": "soon"}, "invalid date format: soon"),
    "a name of nothing but signs": (ME, {"GIT_AUTHOR_NAME": "<>"}, "name consists only of disallowed characters: <>"),
}


@pytest.mark.parametrize(
    ("option", "claim"),
    [
        pytest.param(option, claim, marks=() if (option, claim) in FAST else pytest.mark.long)
        for option in ("--commit", "--branch=topic")
        for claim in NOBODY
    ],
)
@pytest.mark.long
def test_nobody_to_commit_as(
    shop: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, option: str, claim: str
) -> None:
    config, variables, why = NOBODY[claim]
    (tmp_path / "home/.gitconfig").write_text(config)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = state(shop)
    ran = run("apply", "-", option, stdin=FITS)
    advice = "set user.name and user.email with git config, or correct GIT_AUTHOR_* and GIT_COMMITTER_*"
    said = f"editblocks: no identity to commit with: {why}; {advice}\n"
    assert (ran.code, ran.err, state(shop)) == (2, said, before)


SIGNS = "[commit]\ngpgSign = true\n"
GPG = "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho 'signature of monalisa'\n"


def configure(home: Path, settings: str, program: str = "") -> None:
    """Add to the user's configuration; `{home}` is where the program is, called `signer`."""
    (home / "signer").write_text(program)
    (home / "signer").chmod(0o755)
    config = home / ".gitconfig"
    config.write_text(config.read_text() + settings.format(home=home))


@pytest.mark.long
@pytest.mark.parametrize("option", ["--commit", "--branch=topic"])
def test_a_commit_is_signed_where_the_user_signs(shop: Path, run: Run, tmp_path: Path, option: str) -> None:
    configure(tmp_path / "home", SIGNS + "[gpg]\nprogram = {home}/signer\n", GPG)
    assert run("apply", "-", option, stdin=FITS).code == 0
    rev = "main" if option == "--commit" else "topic"
    assert b"\ngpgsig signature of monalisa\n" in git(shop, "cat-file", "commit", rev)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is missing: apt-get install openssh-client")
@pytest.mark.parametrize("option", ["--commit", pytest.param("--branch=topic", marks=pytest.mark.long)])
@pytest.mark.long
def test_a_commit_is_signed_with_an_ssh_key(shop: Path, run: Run, tmp_path: Path, option: str) -> None:
    home = tmp_path / "home"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / "key"], check=True)
    (home / "signers").write_text(f"{gitkit.EMAIL} {(home / 'key.pub').read_text()}")
    configure(home, SIGNS + "[gpg]\nformat = ssh\n[user]\nsigningKey = {home}/key\n")
    assert run("apply", "-", option, stdin=FITS).code == 0
    rev = "main" if option == "--commit" else "topic"
    git(shop, "-c", f"gpg.ssh.allowedSignersFile={home}/signers", "verify-commit", rev)


UNSIGNED = {
    "a program that fails": ("[gpg]\nprogram = {home}/signer\n", "gpg failed to sign the data"),
    "no such program": ("[gpg]\nprogram = {home}/none\n", "cannot run {home}/none: No such file or directory"),
    "an unknown format": ("[gpg]\nformat = wax\n", "'wax'"),
}


@pytest.mark.parametrize(
    ("option", "claim"),
    [
        pytest.param(option, claim, marks=() if option == "--commit" and claim.startswith("a ") else pytest.mark.long)
        for option in ("--commit", "--branch=topic")
        for claim in UNSIGNED
    ],
)
@pytest.mark.long
def test_a_signature_that_cannot_be_made_is_a_refusal(
    shop: Path, run: Run, tmp_path: Path, option: str, claim: str
) -> None:
    settings, why = UNSIGNED[claim]
    configure(tmp_path / "home", SIGNS + settings, "#!/bin/sh\nexit 1\n")
    before = state(shop)
    ran = run("apply", "-", option, stdin=FITS)
    start = "editblocks: unavailable: the commit cannot be signed: "
    end = "; nothing was written; correct git's settings for signing, or set commit.gpgSign to false\n"
    assert (ran.code, ran.err.startswith(start), ran.err.endswith(end)) == (2, True, True), ran
    assert why.format(home=tmp_path / "home") in ran.err
    assert state(shop) == before


APART = (
    ("--commit", "--branch=topic", "--commit and --branch cannot be used together; leave one of them out"),
    ("--index", "--commit", "--commit and --index cannot be used together; leave one of them out"),
    ("--index", "--branch=topic", "--branch and --index cannot be used together; leave one of them out"),
)


@pytest.mark.parametrize(("one", "other", "words"), APART)
@pytest.mark.long
def test_what_does_not_go_together(shop: Path, run: Run, one: str, other: str, words: str) -> None:
    before = state(shop)
    ran = run("apply", "-", one, other, stdin=FITS)
    assert (ran.code, ran.err, state(shop)) == (2, f"editblocks: {words}\n", before)
