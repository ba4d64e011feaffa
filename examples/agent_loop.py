"""An agent loop with a scripted model, which answers with tool calls, reads what failed, and answers again.

    python agent_loop.py FOLDER   # writes cart.py there, and lets a scripted model change it

Replace `scripted_model` with your own model: a function that takes a prompt and returns the answer as text. Each round
writes the blocks that fit, so the answer to a retry prompt has only the blocks that failed.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CART = """\
TAX = 19


def total(lines):
    return sum(line.price * line.qty for line in lines)  # net
"""
TASK = "Give total() a rebate, and set TAX to 7."
MOST_ROUNDS = 3
JSON_FENCE = re.compile(r"^(`{4,})json\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def main(folder: str) -> int:
    """Write the file, let the model change it, and show the result."""
    root = Path(folder)
    root.joinpath("cart.py").write_text(CART, "utf-8")
    is_done = run_loop(root, scripted_model, f"{instructions(root)}\n\n{TASK}")
    print(root.joinpath("cart.py").read_text("utf-8"), end="")
    return 0 if is_done else 1


def run_loop(root: Path, model: Callable[[str], str], prompt: str) -> bool:
    """Ask the model until every block fits, at most MOST_ROUNDS times. Return whether all blocks fit in the end."""
    for number in range(1, MOST_ROUNDS + 1):
        answer = model(prompt)
        checked = result_of(root, answer, "check")
        result_of(root, answer, "apply", "--partial")
        rows = [f"{block['path']} {block['code'] or 'fits'}" for block in checked["blocks"]]
        print(f"round {number}: {', '.join(rows)}")
        if checked["outcome"] == "ok":
            return True
        prompt = checked["retry_prompt"]
    return False


def instructions(root: Path) -> str:
    """Return the instructions that tell the model how to write tool calls."""
    return editblocks(root, "prompt", "--format", "tool-replace").stdout


def result_of(root: Path, answer: str, command: str, *options: str) -> Any:
    """Run `editblocks check` or `apply` on an answer, and return the parsed JSON result."""
    return json.loads(editblocks(root, command, "--format", "json", *options, "-", text=answer).stdout)


def editblocks(root: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run editblocks in a folder. The exit code is 0 if all blocks fit, 1 if one does not, 2 for an error."""
    command = [sys.executable, "-m", "editblocks", *arguments]
    ran = subprocess.run(command, cwd=root, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    if ran.returncode not in (0, 1):
        raise RuntimeError(ran.stderr)
    return ran


def scripted_model(prompt: str) -> str:
    """Answer as a model would: first from memory, then with the call that the prompt asks for."""
    asked = JSON_FENCE.search(prompt)
    if TASK in prompt or asked is None:
        calls = [
            call("def total(lines):", "def total(lines, rebate=0):"),
            call("line.price * line.qty", "line.price * line.qty * (1 - rebate)"),
            call("TAX = 16", "TAX = 7"),
        ]
        return f"I add a rebate, and lower the tax.\n\n{fenced(*calls)}"
    wanted = json.loads(asked[2])
    path_key, old_key, new_key = wanted
    shown = re.search("^TAX = .*$", prompt, re.MULTILINE)
    corrected = {path_key: wanted[path_key], old_key: shown[0] if shown else "", new_key: "TAX = 7"}
    return f"The tax was another one.\n\n{fenced(corrected)}"


def call(old: str, new: str) -> dict[str, str]:
    """Return a tool call that replaces text."""
    return {"file_path": "cart.py", "old_string": old, "new_string": new}


def fenced(*calls: dict[str, str]) -> str:
    """Put tool calls into one fence, each on its own line."""
    lines = "\n".join(map(json.dumps, calls))
    return f"````json\n{lines}\n````\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("name an existing folder: python agent_loop.py FOLDER")
    sys.exit(main(sys.argv[1]))
