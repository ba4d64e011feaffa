"""The messages of the reasons, and the tables of settings, inputs and outputs."""

import re

import pytest
import yaml
from support.pages import code, read, section, table
from support.planned import planned

from editblocks import Selection, Settings
from editblocks.config.policy import read_policy
from editblocks.config.table import INPUTS as KEYS
from editblocks.config.table import TABLE
from editblocks.core.errors import ConfigError
from editblocks.hosts.github.event import read_command
from editblocks.report.status import replies
from editblocks.repos.stores.memory import MemoryRepo

# reasons


def asks(path: str, search: str, replace: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n"


TOTAL = "def total(items):\n    count = 0\n    return count\n"
CART = "".join(f"price_{line} = {line}\n" for line in range(1, 60))
SHOP = {
    "src/app.py": ("\n" * 11 + "go()\n" + "\n" * 27 + TOTAL + "\n" * 37 + "go()\n").encode(),
    "src/cart.py": CART.replace("price_43 = 43", "price_43 = 44").encode(),
    "src/tax.py": b"RATE = 19\n" * 40,
    "src/old.py": b"RATE = 19\n" * 11 + b"\xe9\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
}
REASONS = {
    "no-match": asks("src/app.py", TOTAL.replace("count = 0", "counter = 0"), TOTAL.replace("total", "sum_of")),
    "ambiguous": asks("src/app.py", "go()\n", "stop()\n"),
    "stale": asks("src/cart.py", "price_43 = 43\n", "price_43 = 45\n"),
    "not-selected": asks("src/cart.py", "price_1 = 1\n", "price_1 = 2\n"),
    "earlier-failure": asks("src/tax.py", "", "")
    + asks("src/cart.py", "no\n", "")
    + asks("src/cart.py", "price_2 = 2\n", "price_2 = 3\n"),
    "whole-file": "**src/tax.py**\n```python\nRATE = 21\nLOW = 7\n```\n",
    "no-op": asks("src/cart.py", "price_1 = 1\n", "price_1 = 1\n"),
    "file-not-found": asks("src/carts.py", "price_1 = 1\n", "price_1 = 2\n"),
    "file-exists": asks("src/tax.py", "", "RATE = 21\n"),
    "binary": asks("logo.png", "PNG\n", "png\n"),
    "encoding": asks("src/old.py", "RATE = 19\n", "RATE = 21\n"),
    "hidden-text": asks("src/cart.py", "price_1 = 1\n", "a = 1\nb = 2\nprice_1 = 1\u202e\n"),
    "placeholder": asks("src/cart.py", "price_1 = 1\n", "a = 1\n# ... existing code ...\n"),
    "unsafe-path": asks("../x.py", "x\n", "y\n"),
    "not-allowed": asks(".pre-commit-config.yaml", "x\n", "y\n"),
}

MESSAGES = {
    "no-match": (
        "line 2 of the block differs from src/app.py:41 at column 10; the closest text is lines 40-42, 97 % alike"
    ),
    "ambiguous": "matches at lines 12 and 80 of src/app.py; add a line above or below",
    "stale": (
        "src/cart.py:43 changed since a1b2c3d, the base of this answer; write the block against the lines that "
        "are there now"
    ),
    "not-selected": "the selection does not include this block",
    "earlier-failure": "would fit at line 2 without block 2; repair block 2 first",
    "whole-file": (
        "lines 2-5 hold a whole file; whole files are written only on request; add --whole-files all, or "
        "ask for edit blocks"
    ),
    "no-op": "the old and new lines are the same; nothing to do",
    "file-not-found": "there is no src/carts.py; the nearest name is src/cart.py",
    "file-exists": "src/tax.py already has 40 lines; send blocks that edit it",
    "binary": "logo.png has a NUL byte at offset 8; blocks edit text only",
    "encoding": "src/old.py is not UTF-8 (byte 0xe9 in line 12); convert it first",
    "hidden-text": "the new text has U+202E at line 3, column 12, which hides its real order; remove it",
    "placeholder": "the new text has `# ... existing code ...` in place of real lines; write every line",
    "unsafe-path": "`../x.py` leaves the repository; write the path from the root of the repository",
    "not-allowed": (
        ".pre-commit-config.yaml can run code or change what reviewers see, and is protected; an owner may allow "
        "it by allow-protected on the default and the base branch, or --allow-protected on the command line"
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_message_of_a_reason(name: str) -> None:
    repo, old = MemoryRepo(SHOP), {"a1b2c3d": {"src/cart.py": CART.encode()}.get}
    select = None if name != "not-selected" else Selection()
    result = planned(REASONS[name], repo.read, entries=repo.entries, base="a1b2c3d", read_base=old.get, select=select)
    row = result.results[-1]
    assert row.code is not None
    assert (row.code.value, row.reason) == (name, MESSAGES[name])


def bad_command() -> str:
    with pytest.raises(ConfigError) as caught:
        read_command("/edits aply")
    return f"{caught.value.code.value}: {caught.value.message}"


def bad_config() -> str:
    with pytest.raises(ConfigError) as caught:
        read_policy("# ours\n\nmod: check\n", "main")
    return f"{caught.value.code.value}: {caught.value.message}"


def closed() -> str:
    return replies.reply("issuecomment-1", "merged").split("\n", 1)[1].strip()


SAID = {
    "bad-command": (bad_command, "bad-command: `/edits aply` is not a command; did you mean `/edits apply`?"),
    "bad-config": (bad_config, "bad-config: .editblocks.yml line 3 on main: unknown key `mod`; did you mean `mode`?"),
    "closed": (closed, "closed: the pull request is merged, nothing was done"),
}


@pytest.mark.parametrize("name", SAID)
def test_the_message_of_a_reason_for_a_run(name: str) -> None:
    say, message = SAID[name]
    assert say() == message


# inputs and outputs


def test_the_settings_are_the_inputs_of_the_action_and_one_key_of_the_file() -> None:
    inputs = yaml.safe_load(read("action.yml"))["inputs"]
    rows = {code(name): row for name, *row in table(read("docs/reference/settings.md"), "setting")}
    assert [name for name in rows if name != "allow-protected"] == list(inputs)
    assert code(rows.pop("token")[0]) == inputs["token"]["default"]
    assert {name: code(default) for name, (default, *_) in rows.items()} == {name: default_of(name) for name in rows}
    assert all(meaning for _, meaning, _ in rows.values())


def test_the_settings_page_says_where_a_setting_counts() -> None:
    rows = {code(name): counts for name, _, _, counts in table(read("docs/reference/settings.md"), "setting")}
    assert {name: counts.lower() for name, counts in rows.items()} == {each.key: each.applies_in for each in TABLE}


def test_the_outputs_are_those_of_the_action() -> None:
    listed = section(read("docs/reference/action.md"), "Outputs")
    outputs = dict(re.findall(r"^- `([a-z-]+)`: (.+)$", listed, re.MULTILINE))
    assert list(outputs) == list(yaml.safe_load(read("action.yml"))["outputs"])
    assert all(outputs.values())


def default_of(key: str) -> str:
    """What holds where neither an input nor a file says anything, as a person would write it."""
    value = getattr(Settings(), key.replace("-", "_"))
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_inputs_are_the_settings() -> None:
    assert tuple(yaml.safe_load(read("action.yml"))["inputs"]) == KEYS
