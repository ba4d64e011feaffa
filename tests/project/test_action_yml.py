"""action.yml, the settings, the lock file and the hooks are one thing told four times: drift fails here."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.project import ROOT
from support.settings import CHOICES
from support.settings_made import MADE

from editblocks.config.policy import values_from_environment, variable
from editblocks.config.table import INPUTS as KEYS
from editblocks.core.codes import State

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
LOCK = (ROOT / "requirements-action.txt").read_text("utf-8")
OUTPUTS = (
    "result",
    "commit-sha",
    "head-sha",
    "applied-count",
    "failed-count",
    "report-path",
    "review-url",
    "pr-number",
)


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_what_is_made_from_the_table_of_settings_is_as_it_was_made(path: Path) -> None:
    text = path.read_text("utf-8")
    assert MADE[path](text) == text, "PYTHONPATH=tests python -m support.settings_made writes it anew"


def test_inputs_are_the_settings() -> None:
    assert tuple(ACTION["inputs"]) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_an_input_that_is_left_out_says_nothing(key: str) -> None:
    default = ACTION["inputs"][key]["default"]
    if key == "token":
        assert default == "${{ github.token }}"
    else:
        assert default == ""
        assert values_from_environment({variable(key): default}) == {}


@pytest.mark.parametrize("key", sorted(CHOICES))
def test_every_choice_is_described(key: str) -> None:
    assert all(re.search(rf"\b{choice}\b", ACTION["inputs"][key]["description"]) for choice in CHOICES[key])


def test_every_input_reaches_the_run_step_and_nothing_else_does() -> None:
    assert STEPS[-1]["env"] == {"SITE": "${{ steps.install.outputs.site }}"} | {
        f"EDITBLOCKS_{key.upper().replace('-', '_')}": f"${{{{ inputs.{key} }}}}" for key in KEYS
    }
    assert [step["id"] for step in STEPS if "env" in step] == ["gate", "run"]


def test_the_gate_gets_the_numbers_alone() -> None:
    names = ("EDITBLOCKS_PR_NUMBER", "EDITBLOCKS_COMMENT_ID")
    assert STEPS[0]["env"] == {name: STEPS[-1]["env"][name] for name in names}


def test_outputs() -> None:
    assert tuple(ACTION["outputs"]) == OUTPUTS
    values = {name: f"${{{{ steps.run.outputs.{name} }}}}" for name in OUTPUTS}
    values["result"] = "${{ steps.run.outputs.result || 'nothing' }}"
    assert {name: spec["value"] for name, spec in ACTION["outputs"].items()} == values
    said = set(State) - {State.UNDONE}  # an undo is applied
    assert all(state.value in ACTION["outputs"]["result"]["description"] for state in said)


def test_the_steps_hold_nothing_that_could_run_foreign_code() -> None:
    assert [step["id"] for step in STEPS] == ["gate", "install", "run"]
    for step in STEPS:
        assert set(step) <= {"id", "if", "shell", "working-directory", "env", "run"}
        assert (step["shell"], step["working-directory"]) == ("bash", "${{ github.action_path }}")
        assert "${{" not in step["run"]
        assert step["run"].startswith("site=" if step["id"] == "install" else "python3 -I ")
    assert [step.get("if") for step in STEPS] == [None, *["steps.gate.outputs.work == 'true'"] * 2]


def test_the_install_step_is_the_documented_one() -> None:
    assert STEPS[1]["run"] == (
        'site=$(mktemp -d "$RUNNER_TEMP/editblocks-site.XXXXXXXXXX")\n'
        'echo "site=$site" >> "$GITHUB_OUTPUT"\n'
        'python3 -I -m pip install --target "$site" --require-hashes --no-deps \\\n'
        "  --only-binary :all: --no-compile --no-input --disable-pip-version-check \\\n"
        '  -r "$GITHUB_ACTION_PATH/requirements-action.txt"\n'
    )


CHECKERS = [
    ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
    ("zizmor", "--offline", "--persona=auditor", "action.yml"),
]


@pytest.mark.parametrize("command", CHECKERS, ids=[row[0] for row in CHECKERS])
@pytest.mark.long
def test_the_tools_have_nothing_to_say(command: tuple[str, ...]) -> None:
    program = Path(sys.executable).parent / command[0]
    done = subprocess.run([str(program), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def locked() -> Iterator[tuple[str, str, str]]:
    """Name, version and what follows, for each entry of the lock file."""
    for entry in re.split(r"\n(?=[a-z])", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).strip()):
        name, _, rest = entry.partition("==")
        version, _, tail = rest.partition(" ")
        yield name, version, tail


def test_everything_is_pinned_with_hashes_of_many_wheels() -> None:
    entries = list(locked())
    assert len(entries) > 5
    for name, version, tail in entries:
        assert re.fullmatch(r"[a-z0-9-]+", name)
        assert re.fullmatch(r"[0-9.]+", version)
        assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}(?: \\)?$", tail, re.MULTILINE)) >= 2


def test_the_lock_file_names_no_place_to_fetch_from() -> None:
    assert not re.search(r"https?:|index|find-links|trusted-host", LOCK)
    assert LOCK.splitlines()[1].startswith("#    uv pip compile pyproject.toml --extra github --universal")


def closure(name: str, extra: str = "") -> set[str]:
    """What a package needs here, by what its own metadata says."""
    found: set[str] = set()
    for line in metadata.requires(name) or []:
        requirement, _, marker = line.partition(";")
        wanted = re.match(r"[A-Za-z0-9_.-]+", requirement)
        if wanted is None or ("extra ==" in marker and f'extra == "{extra}"' not in marker.replace("'", '"')):
            continue
        child = wanted[0].lower().replace("_", "-")
        extras = re.search(r"\[([a-z]+)\]", requirement)
        try:
            found |= {child, *closure(child, extras[1] if extras else "")}
        except metadata.PackageNotFoundError:
            continue  # for another system or an older Python
    return found


def test_the_lock_file_is_the_closure_of_what_is_imported() -> None:
    names = {name for name, _, _ in locked()}
    # cryptography is for keys of apps alone, and pycparser for those who compile cffi's extensions
    unused = {"cryptography", "pycparser"}
    assert names == {"pygithub", "pyyaml"} | closure("pygithub") - unused
    assert all(f"--no-emit-package {name}" in LOCK for name in unused)


def test_the_lock_file_keeps_to_the_floor() -> None:
    version = next(version for name, version, _ in locked() if name == "pygithub")
    assert (2, 10) <= tuple(map(int, version.split("."))) < (3,)
