"""Generate files from the table of settings; `PYTHONPATH=tests python -m support.settings_made` writes them.

`config/table.py` has the values that a setting takes and where it may be set; docs/reference/settings.md has its
meaning in words. Both together give the other columns of that page's table, the inputs of action.yml, and the keys of
the schema for editors. Only the schema's patterns for texts are written by hand.
"""

import json
import re
from pathlib import Path
from typing import Any

from support.project import DOCS, ROOT

from editblocks.config.policy import as_text, variable
from editblocks.config.table import BY_KEY, TABLE, Setting

PAGE = DOCS / "reference/settings.md"
ACTION = ROOT / "action.yml"
SCHEMA = ROOT / "src/editblocks/editblocks.schema.json"
_ROW = re.compile(r"\| `(?P<key>[a-z-]+)` \| (?P<default>.*?) ?\| (?P<meaning>.+) \| (?P<counts>\w+) \|\n")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_TOKEN = "${{ github.token }}"
_COUNTS = {"both": "both", "github": "GitHub", "workflow": "workflow", "file": "file"}


def meanings() -> dict[str, str]:
    """The meaning of each setting in the page, as Markdown without links."""
    rows = _ROW.finditer(PAGE.read_text("utf-8"))
    return {row["key"]: _LINK.sub(r"\1", row["meaning"]) for row in rows if row["key"] in BY_KEY}


def page(text: str) -> str:
    """The page, with its columns for defaults and for where settings apply regenerated."""

    def made(row: re.Match[str]) -> str:
        setting = BY_KEY[row["key"]]
        default = _TOKEN if setting.key == "token" else _default(setting)
        shown = f"`{default}` " if default else ""
        return f"| `{setting.key}` | {shown}| {row['meaning']} | {_COUNTS[setting.applies_in]} |\n"

    return _ROW.sub(made, text)


def action(text: str) -> str:
    """action.yml, with its inputs, and the environment variables of its last step, regenerated."""
    inputs = "".join(map(_input, filter(_is_input, TABLE)))
    names = "".join(
        f"        {variable(each.key)}: ${{{{ inputs.{each.key} }}}}\n" for each in TABLE if _is_input(each)
    )
    text = re.sub(r"(?<=to the default\.\n)(?:(?:  .*)\n)+", lambda _: inputs, text)
    return re.sub(r"(?<=install\.outputs\.site }}\n)(?:        EDITBLOCKS_.*\n)+", lambda _: names, text)


def _is_input(setting: Setting) -> bool:
    return setting.applies_in != "file"


def _input(setting: Setting) -> str:
    meaning = meanings()[setting.key].replace("`", "")
    default = _default(setting)
    if setting.most:
        meaning += " Write one per line." if setting.key == "trailers" else " Separate several with commas."
    if default:
        meaning += f" The default is {default}."
    value = _TOKEN if setting.key == "token" else '""'
    return f"  {setting.key}:\n    description: {json.dumps(meaning, ensure_ascii=False)}\n    default: {value}\n"


def schema(text: str) -> str:
    """The schema, with its keys regenerated."""
    found = json.loads(text)
    before = found["properties"]
    found["properties"] = {
        each.key: _key(each, before.get(each.key, {})) for each in TABLE if each.applies_in != "workflow"
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _key(setting: Setting, before: dict[str, Any]) -> dict[str, Any]:
    words = meanings()[setting.key].replace("`", "")
    if setting.applies_in == "github":
        words = f"On GitHub: {words[0].lower()}{words[1:]}"
    return {"description": words, **_form(setting, before), "default": setting.default}


def _form(setting: Setting, before: dict[str, Any]) -> dict[str, Any]:
    patterns: dict[str, Any] = {name: before[name] for name in ("pattern", "items") if name in before}
    match setting.accepts:
        case None:
            return {"type": "boolean"}
        case tuple() as words:
            return {"enum": list(words)}
        case range() as numbers:
            return {"type": "integer", "minimum": numbers[0], "maximum": numbers[-1]}
        case re.Pattern():
            return {"type": "string", **patterns}
        case _:
            least = {"minItems": setting.least} if setting.least else {}
            return {"type": "array", **least, "maxItems": setting.most, **patterns}


def _default(setting: Setting) -> str:
    return "" if setting.default is None else as_text(setting.default)


MADE = {PAGE: page, ACTION: action, SCHEMA: schema}


def write(path: Path) -> None:
    path.write_text(MADE[path](path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    for each in MADE:
        write(each)
