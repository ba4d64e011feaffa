"""What CI installs is locked and fits what is asked for; what a release and those who join need is there."""

import re
import shutil
import subprocess
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from support import gitkit
from support.gitkit import FILE, git
from support.posix import starts_scripts
from support.project import ROOT

from editblocks import __version__
from editblocks.prompts.context import agents_section

LOCK = (ROOT / ".ci/requirements.txt").read_text("utf-8")
LOCKED = {
    name.replace("_", "-").lower(): version
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, re.MULTILINE)
}
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def project() -> dict[str, Any]:
    try:
        toml = import_module("tomllib")
    except ModuleNotFoundError:  # before Python 3.11, where pytest brings it
        toml = import_module("tomli")
    return dict(toml.loads((ROOT / "pyproject.toml").read_text("utf-8")))


def asked_for() -> list[Requirement]:
    """What the tests and the tools of a release ask for, by name."""
    extras = project()["project"]["optional-dependencies"]
    own = Requirement(extras["test"][0])
    lines = [*project()["project"]["dependencies"], *extras["test"][1:]]
    lines += [line for extra in sorted(own.extras) for line in extras[extra]]
    tools = (ROOT / ".ci/tools.in").read_text("utf-8").splitlines()
    lines += [line for line in tools if line and not line.startswith("#")]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("requirement", asked_for(), ids=str)
def test_the_lock_has_what_is_asked_for(requirement: Requirement) -> None:
    version = LOCKED[requirement.name.replace("_", "-").lower()]
    assert Version(version) in requirement.specifier


def test_every_package_of_the_lock_has_its_hashes() -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) > 50
    assert [entry.partition(" ")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.name for path in WORKFLOWS])
def test_actions_are_pinned_and_rights_are_given_one_by_one(path: Any) -> None:
    text = path.read_text("utf-8")
    uses = re.findall(r"uses: (\S+)( # \S+)?", text)
    assert uses
    for action, version in uses:
        assert action == "$/." or (re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) and version), action
    assert yaml.safe_load(text)["permissions"] == {}


def test_a_pull_request_is_served_by_the_workflow_that_users_are_told_to_copy() -> None:
    own = yaml.safe_load((ROOT / ".github/workflows/editblocks.yml").read_text("utf-8"))
    example = yaml.safe_load((ROOT / "examples/workflow.yml").read_text("utf-8"))
    [step] = example["jobs"]["editblocks"]["steps"]
    step["uses"] = "$/."
    assert own == example


@starts_scripts
def test_a_tag_of_another_version_is_refused() -> None:
    ran = subprocess.run(
        [ROOT / ".ci/release", "--tag", "v99.0.0"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert ran.returncode == 1
    assert f"the tag is v99.0.0 and the version is {__version__}" in ran.stderr


def test_every_fragment_of_the_changelog_is_one_that_towncrier_takes() -> None:
    kinds = {each["directory"] for each in project()["tool"]["towncrier"]["type"]}
    names = [path.name for path in (ROOT / "changelog.d").iterdir()]
    assert names
    wrong = [name for name in names if not re.fullmatch(rf"[0-9]+\.({'|'.join(sorted(kinds))})(\.[0-9]+)?\.md", name)]
    assert wrong == []


def test_whoever_reports_a_bug_is_asked_for_what_repeats_it() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text("utf-8"))
    required = {part["id"] for part in form["body"] if part["validations"]["required"]}
    assert required == {"answer", "file", "happened", "doctor"}


AGES = {"of today": (0, 0, ""), "of last month": (44, 0, ""), "not renewed": (46, 1, "is older than 45 days")}


@starts_scripts
@pytest.mark.parametrize(("days", "code", "said"), AGES.values(), ids=AGES.keys())
def test_a_lock_that_was_not_renewed_is_named(tmp_path: Path, days: int, code: int, said: str) -> None:
    top = gitkit.make_repository(tmp_path / "top", {"README.md": (FILE, b"")})
    (top / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/age", top / ".ci")
    (top / ".ci/requirements.txt").write_text("a==1\n")
    (top / "requirements-action.txt").write_text("a==1\n")
    commit(top, int(time.time()) - days * 86400)
    (top / "requirements-action.txt").write_text("a==2\n")
    commit(top, int(time.time()))
    ran = subprocess.run([top / ".ci/age"], env=gitkit.ISOLATED, capture_output=True, text=True, check=False)
    assert ran.stdout == f"requirements-action.txt: 0 days\n.ci/requirements.txt: {days} days\n"
    assert ran.returncode == code
    assert said in ran.stderr


def commit(top: Path, when: int) -> None:
    git(top, "add", ".")
    dated = {**gitkit.ISOLATED, "GIT_COMMITTER_DATE": f"{when} +0000"}
    subprocess.run(["git", "commit", "--quiet", "--message=lock"], cwd=top, env=dated, check=True)


@starts_scripts
def test_a_clone_without_all_commits_has_no_age(tmp_path: Path) -> None:
    source = gitkit.make_repository(tmp_path / "source", {"README.md": (FILE, b"")})
    (source / "README.md").write_text("more\n")
    commit(source, int(time.time()))
    git(tmp_path, "clone", "--quiet", "--depth=1", source.as_uri(), "top")
    (tmp_path / "top/.ci").mkdir()
    shutil.copy(ROOT / ".ci/age", tmp_path / "top/.ci")
    command = [tmp_path / "top/.ci/age"]
    ran = subprocess.run(command, env=gitkit.ISOLATED, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "this clone does not have all commits; run git fetch --unshallow\n"


def test_agents_are_told_here_what_init_tells_them_elsewhere() -> None:
    assert (ROOT / "AGENTS.md").read_text("utf-8") == agents_section()


PEOPLE = ["SECURITY.md", "CODE_OF_CONDUCT.md", ".edits/README.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("name", PEOPLE)
def test_links_for_those_who_join_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^()#\s]+)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if not (ROOT / name).parent.joinpath(link).exists()] == []
