"""The composite runner: what it makes of small actions, and how it reads outputs and logs."""

import json
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from support.composite import Run, run_action, run_workflow
from support.hub import hub
from support.hub.expressions import NotSupported, evaluate, expand
from support.hub.runner import Command, parse_commands, parse_outputs

NAMES = {
    "inputs.mode": "check",
    "inputs.empty": "",
    "github.token": "ghs_x",
    "steps.gate.outcome": "success",
    "steps.gate.outputs.work": "true",
}

EXPRESSIONS = (
    ("inputs.mode", "check"),
    (" inputs.mode ", "check"),
    ("'it''s'", "it's"),
    ("steps.gate.outputs.work == 'true'", True),
    ("steps.gate.outputs.work == 'TRUE'", True),  # GitHub ignores case
    ("steps.gate.outputs.work != 'true'", False),
    ("steps.gate.outputs.never-set", ""),
    ("inputs.empty || 'nothing'", "nothing"),
    ("inputs.mode || 'nothing'", "check"),
    ("inputs.empty && 'both'", ""),
    ("inputs.mode && 'both'", "both"),
    ("inputs.empty == '' && inputs.mode == 'check' || 'no'", True),
    ("'a || b'", "a || b"),
    ("!(inputs.mode == 'check' || inputs.empty)", False),
    ("!inputs.empty && !inputs.empty", True),
    ("startsWith(inputs.mode, 'CH') && contains('a,check', inputs.mode)", True),
    ("true != false && null == inputs.empty && 1 == '1'", True),
)

NOT_EXPRESSIONS = (
    "",
    "inputs.unknown",
    "steps.later.outputs.work",
    "steps.gate.conclusion",
    "github.actor",
    "github.event.comment.body",
    "always()",
    "format('{0}', inputs.mode)",
    "(inputs.mode",
    "inputs.mode !",
    "startsWith(inputs.mode)",
    "inputs.mode > 1",
    "inputs['mode']",
    "secrets.TOKEN",
)


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS)
def test_evaluate(text: str, value: str | bool) -> None:
    assert evaluate(text, NAMES) == value


@pytest.mark.parametrize("text", NOT_EXPRESSIONS)
def test_evaluate_refuses_what_it_does_not_know(text: str) -> None:
    with pytest.raises(NotSupported):
        evaluate(text, NAMES)


def test_expand_fills_every_place() -> None:
    assert expand("${{ inputs.mode }}-${{inputs.mode == 'check'}} $x {{ y }}", NAMES) == "check-true $x {{ y }}"


OUTPUTS: tuple[tuple[str, dict[str, str], bool], ...] = (
    ("", {}, True),
    ("a=1\n", {"a": "1"}, True),
    ("a=1\n\nb=x=y\n", {"a": "1", "b": "x=y"}, True),
    ("a=1\na=2\n", {"a": "2"}, True),
    ("a=\n", {"a": ""}, True),
    ("a=<<b\n", {"a": "<<b"}, True),
    ("a<<END\none\ntwo\nEND\nb=1\n", {"a": "one\ntwo", "b": "1"}, True),
    ("a<<END\nEND\n", {"a": ""}, True),
    ("a<<E=D\nx\nE=D\n", {"a": "x"}, True),
    ("a<<END\none\n", {}, False),
    ("a=1\nnothing here\n", {"a": "1"}, False),
    ("=1\n", {}, False),
    ("a<<\nx\n", {}, False),
)


@pytest.mark.parametrize(("text", "outputs", "fine"), OUTPUTS)
def test_parse_outputs(text: str, outputs: Mapping[str, str], fine: bool) -> None:
    found, problem = parse_outputs(text)
    assert (found, problem == "") == (outputs, fine)


COMMANDS = (
    ("plain text\n", ()),
    ("::error::no\n", (Command("error", {}, "no"),)),
    ("\u2003::warning file=a.py,line=3::50%25%0Ax\n", (Command("warning", {"file": "a.py", "line": "3"}, "50%\nx"),)),
    ("::notice title=a%3A b%2C c::%3A stays\n", (Command("notice", {"title": "a: b, c"}, "%3A stays"),)),
    ("x\r::error::after CR", (Command("error", {}, "after CR"),)),
    ("text ::error::not at the start\n", ()),
    ("::unknown::x\n::error x\n", ()),
    ("text ##[error]anywhere", (Command("error", {}, "anywhere"),)),
    ("##[warning file=a;line=1]x%5D", (Command("warning", {"file": "a", "line": "1"}, "x]"),)),
    (
        "::stop-commands::w\n::error::x\n::w::\n::debug::y",
        (Command("stop-commands", {}, "w"), Command("debug", {}, "y")),
    ),
)


@pytest.mark.parametrize(("log", "commands"), COMMANDS)
def test_parse_commands(log: str, commands: tuple[Command, ...]) -> None:
    assert tuple(parse_commands(log)) == commands


ACTION = """
inputs:
  mode: {default: apply}
  token: {default: "${{ github.token }}"}
  partial: {default: false}
outputs:
  result: {value: "${{ steps.run.outputs.result || 'nothing' }}"}
runs:
  using: composite
  steps:
    - id: gate
      shell: bash
      run: |
        echo "work=$WORK" >> "$GITHUB_OUTPUT"
        echo "::notice::gate $PARTIAL"
      env: {WORK: "${{ inputs.mode == 'apply' }}", PARTIAL: "${{ inputs.partial }}"}
    - id: install
      if: steps.gate.outputs.work == 'true'
      shell: bash
      run: python3 -I -m pip install --target "$RUNNER_TEMP/editblocks-site" -r requirements-action.txt
    - id: run
      if: ${{ steps.gate.outputs.work == 'true' }}
      shell: bash
      working-directory: ${{ github.action_path }}
      env: {EDITBLOCKS_TOKEN: "${{ inputs.token }}", SITE: "${{ runner.temp }}/editblocks-site"}
      run: |
        python3 -I run.py
"""
PROGRAM = """
import os, pathlib, sys
assert "yaml" not in sys.modules
sys.path.insert(0, os.environ["SITE"])
import yaml
print(yaml.__file__)
print("token", os.environ["EDITBLOCKS_TOKEN"], "cwd", os.getcwd(), "action", os.environ["GITHUB_ACTION_PATH"])
with open(os.environ["GITHUB_OUTPUT"], "a") as out:
    out.write("result=applied\\n")
with open(os.environ["GITHUB_STEP_SUMMARY"], "a") as out:
    out.write("# done\\n")
"""


def run_small(folder: Path, action: str, **inputs: str) -> Run:
    """Run an action text with `run.py` beside it, in a job of its own."""
    root = folder / "action"
    root.mkdir()
    root.joinpath("action.yml").write_text(action)
    root.joinpath("run.py").write_text(PROGRAM)
    for name in ("temp", "workspace"):
        folder.joinpath(name).mkdir(exist_ok=True)
    environ = {"GITHUB_WORKSPACE": str(folder / "workspace"), "RUNNER_TEMP": str(folder / "temp")}
    return run_action(root, environ=environ, inputs=inputs, token="ghs_secret")


def test_all_steps_run_and_their_outputs_arrive(tmp_path: Path) -> None:
    run = run_small(tmp_path, ACTION)
    assert run.ok, run.log
    assert {name: step.outcome for name, step in run.steps.items()} == dict.fromkeys(
        ("gate", "install", "run"), "success"
    )
    assert run.outputs == {"result": "applied"}
    assert run.commands == [Command("notice", {}, "gate false")]
    assert run.summary == "# done\n"
    assert f"token ghs_secret cwd {tmp_path / 'action'} action {tmp_path / 'action'}\n" in run.log
    assert str(tmp_path / "temp" / "editblocks-site") in run.log


def test_a_condition_skips_steps_and_their_outputs_are_empty(tmp_path: Path) -> None:
    run = run_small(tmp_path, ACTION, mode="check")
    assert [step.outcome for step in run.steps.values()] == ["success", "skipped", "skipped"]
    assert run.outputs == {"result": "nothing"}
    assert not tmp_path.joinpath("temp", "editblocks-site").exists()


def step(run: str, **more: str) -> dict[str, str]:
    return {"shell": "bash", "run": run, **more}


def action(*steps: Mapping[str, object]) -> str:
    return json.dumps({"runs": {"using": "composite", "steps": steps}})  # JSON is YAML


FAILING = (
    ("exit status", "exit 3"),
    ("bash stops at the first failure", "false\ntrue"),
    ("pipefail", "false | true"),
    ("a broken output file", 'echo nothing >> "$GITHUB_OUTPUT"'),
)


@pytest.mark.parametrize("script", [row[1] for row in FAILING], ids=[row[0] for row in FAILING])
def test_a_failed_step_ends_the_action(tmp_path: Path, script: str) -> None:
    run = run_small(tmp_path, action(step(script), step("echo never")))
    assert not run.ok
    assert [each.outcome for each in run.steps.values()] == ["failure", "skipped"]
    assert "never" not in run.log


UNSUPPORTED: tuple[tuple[str, str], ...] = (
    ("a nested action", action({"uses": "actions/checkout@v4"})),
    ("another shell", action({"shell": "sh", "run": "true"})),
    ("an unknown key", action(step("true", **{"continue-on-error": "true"}))),
    ("an expression it does not know", action(step("echo ${{ github.event.comment.body }}"))),
    ("a status function", action(step("true", **{"if": "always()"}))),
    ("GITHUB_ENV", action(step('echo a=b >> "$GITHUB_ENV"'))),
    ("GITHUB_PATH", action(step('echo /x >> "$GITHUB_PATH"'))),
    ("another kind of action", json.dumps({"runs": {"using": "docker", "steps": []}})),
)


@pytest.mark.parametrize("text", [row[1] for row in UNSUPPORTED], ids=[row[0] for row in UNSUPPORTED])
def test_what_is_not_supported_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotSupported):
        run_small(tmp_path, text)


def test_an_unknown_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="typo"):
        run_small(tmp_path, ACTION, typo="x")


def test_steps_see_a_small_environment_and_start_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAKED_FROM_THE_TESTS", "1")
    tmp_path.joinpath("workspace").mkdir()
    tmp_path.joinpath("workspace", "yaml.py").write_text("raise SystemExit('hostile yaml.py was imported')")
    run = run_small(tmp_path, action(step("env; pwd; ls; python3 -I -c 'import sys; print(sys.prefix)'")))
    assert run.ok, run.log
    assert "LEAKED_FROM_THE_TESTS" not in run.log
    assert f"{tmp_path / 'workspace'}\nyaml.py\n" in run.log


def test_the_packages_of_the_test_environment_are_out_of_reach_before_the_install(tmp_path: Path) -> None:
    run = run_small(tmp_path, action(step("python3 -I -c 'import github'")))
    assert not run.ok
    assert "No module named 'github'" in run.log


def make_wheel(folder: Path) -> str:
    """A wheel of one module, made by hand; gives its SHA-256."""
    path, info = folder / "hubdemo-1.0-py3-none-any.whl", "hubdemo-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hubdemo.py", "NAME = 'from the wheel'\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: hubdemo\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"hubdemo.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.long
def test_a_folder_of_wheels_is_installed_by_the_real_pip(tmp_path: Path) -> None:
    for name in ("wheels", "temp", "workspace", "action"):
        tmp_path.joinpath(name).mkdir()
    digest = make_wheel(tmp_path / "wheels")
    install = (
        'python3 -I -m pip install --target "$RUNNER_TEMP/site" --require-hashes --no-deps '
        '--only-binary :all: --no-input -r "$GITHUB_ACTION_PATH/requirements.txt"'
    )
    use = 'cd "$RUNNER_TEMP/site" && python3 -c "import hubdemo; print(hubdemo.NAME)"'
    tmp_path.joinpath("action", "action.yml").write_text(action(step(install), step(use)))
    tmp_path.joinpath("action", "requirements.txt").write_text(f"hubdemo==1.0 --hash=sha256:{digest}\n")
    environ = {"GITHUB_WORKSPACE": str(tmp_path / "workspace"), "RUNNER_TEMP": str(tmp_path / "temp")}
    run = run_action(tmp_path / "action", environ=environ, wheels=tmp_path / "wheels")
    assert run.ok, run.log
    assert run.log.endswith("from the wheel\n")


def test_job_env_of_the_hub_is_enough(tmp_path: Path) -> None:
    root = tmp_path / "action"
    root.mkdir()
    script = "python3 -I -c \"import json,os; print(json.load(open(os.environ['GITHUB_EVENT_PATH']))['action'])\""
    root.joinpath("action.yml").write_text(action(step(script)))
    with hub() as h:
        event = h.comment(h.world.pull_request({"a": b"1\n"}), "monalisa", "hello")
        run = run_action(root, environ=h.job_env(event, tmp_path), token=h.world.token.value)
    assert run.ok, run.log
    assert run.log == "created\n"


WORKFLOW = """
on: [issue_comment, pull_request]
jobs:
  editblocks:
    if: github.event_name != 'issue_comment' || startsWith(github.event.comment.body, '/')
    permissions: {contents: read, pull-requests: write}
    runs-on: ubuntu-latest
    steps: [{uses: OWNER/other@v1}, {uses: OWNER/editblocks@v1, with: {mode: "${{ github.event_name }}"}}]
"""
EVENTS: tuple[tuple[str, list[str]], ...] = (("/apply", ["issue_comment"]), ("thanks", []))


@pytest.mark.parametrize(("body", "modes"), EVENTS)
def test_a_workflow_runs_the_action_with_the_token_of_its_job(tmp_path: Path, body: str, modes: list[str]) -> None:
    script = 'printf "mode=%s\\n" "$MODE" >> "$GITHUB_OUTPUT"; test "${TOKEN:0:4}" = ghs_'
    env = {"MODE": "${{ inputs.mode }}", "TOKEN": "${{ github.token }}"}
    whole = {
        "inputs": {"mode": {"default": "none"}},
        "outputs": {"mode": {"value": "${{ steps.one.outputs.mode }}"}},
        "runs": {"using": "composite", "steps": [{"id": "one", "shell": "bash", "run": script, "env": env}]},
    }
    tmp_path.joinpath("action.yml").write_text(json.dumps(whole))
    with hub() as h:
        event = h.comment(h.world.pull_request({"x": b""}), "octocat", body)
        runs = run_workflow(tmp_path, WORKFLOW, h=h, event=event, folder=tmp_path / "jobs")
        assert [run.outputs["mode"] for run in runs] == modes
        assert all(run.ok for run in runs)
        granted = {token.permissions for token in h.world.tokens.values()}
        assert (frozenset({"pull_requests"}) in granted) == bool(modes)
