"""`--print-completion`: the scripts are taken by real shells, and a real bash completes with one."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from editblocks.core.codes import ReasonCode
from editblocks.faces.cli.commands import COMMANDS
from editblocks.faces.cli.main import main

BASH = ("bash", "--norc", "--noprofile")
# Reads a script and says nothing if it is one. Where a shell is not installed nobody would load its script.
READS = {
    shell: read
    for shell, read in {
        "bash": (*BASH, "-n"),
        "fish": ("fish", "--no-config", "--no-execute"),
        "tcsh": ("tcsh", "-f", "-n"),
        "zsh": ("zsh", "-f", "-n"),
    }.items()
    if shutil.which(shell)
}


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["--print-completion", shell]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("shell", READS)
def test_the_shell_can_read_its_script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "script"
    path.write_text(script(shell, capsys))
    ran = subprocess.run([*READS[shell], str(path)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize("shell", ["fish", "powershell", "tcsh", "zsh"])
def test_a_script_names_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    assert [name for name in COMMANDS if name not in text] == []


FOLDER = ("reply.md", "report.txt", "src/cart.py")
COMPLETED = {
    "editblocks che": {"check"},
    "editblocks ": set(COMMANDS),
    "editblocks --vers": {"--version"},
    "editblocks --print-completion z": {"zsh"},
    "editblocks check rep": {"reply.md", "report.txt"},
    "editblocks watch rep": {"reply.md", "report.txt"},
    "editblocks report --ser": {"--serve"},
    "editblocks context rep": {"reply.md", "report.txt"},
    "editblocks context src/cart.py --read rep": {"reply.md", "report.txt"},
    "editblocks check --matching ": {"exact", "standard", "loose"},
    "editblocks check --matching l": {"loose"},
    "editblocks check --root ": {"src"},
    "editblocks apply --config rep": {"reply.md", "report.txt"},
    "editblocks apply --par": {"--partial"},
    "editblocks check --only 1 --format j": {"json", "jsonl"},
    "editblocks explain am": {"ambiguous"},
    "editblocks explain ": {code.value for code in ReasonCode},
    "editblocks undo --re": {"--redo"},
    "editblocks hook ": {"install", "uninstall", "status"},
    "editblocks hook install --stage pre-": {"pre-commit", "pre-push", "pre-receive"},
    "editblocks init --pr": {"--print"},
}


@pytest.mark.parametrize("typed", COMPLETED)
@pytest.mark.long(after=2)
def test_what_bash_completes(typed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the shell itself does on TAB: it calls the function that `complete` has registered, and takes its reply."""
    for name in FOLDER:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    words = typed.split(" ")
    called_with = shlex.join(["editblocks", words[-1], words[-2]])
    driver = f"""
        COMP_WORDS=({shlex.join(words)})
        COMP_CWORD={len(words) - 1}
        registered=$(complete -p editblocks)
        [[ $registered =~ -F\\ ([^\\ ]+) ]] && "${{BASH_REMATCH[1]}}" {called_with}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    program = script("bash", capsys) + driver
    ran = subprocess.run([*BASH, "-s"], input=program, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert set(ran.stdout.split()) == COMPLETED[typed]


def test_a_shell_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", "cmd"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("editblocks: there is no completion for `cmd`; use one of bash, zsh, tcsh")


def test_without_shtab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    monkeypatch.delitem(sys.modules, "editblocks.faces.cli.completion", raising=False)
    assert main(["--print-completion", "bash"]) == 2
    advice = "in a clone of editblocks, run `python -m pip install '.[completion]'`"
    assert capsys.readouterr() == ("", f"editblocks: completion needs shtab; {advice}\n")


def test_shtab_is_loaded_by_nothing_else() -> None:
    code = (
        "import sys; from editblocks.faces.cli.main import main; "
        "main(['check', '--help']); print('shtab' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("\nFalse\n")


def test_the_command_prints_it(capfd: pytest.CaptureFixture[str]) -> None:
    from editblocks.faces.cli import main as cli

    assert cli.main(["--print-completion", "bash"]) == 0
    out, err = capfd.readouterr()
    assert "_shtab_editblocks_subparsers=" in out
    assert err == ""
    assert cli.main(["--print-completion", "cmd"]) == 2
