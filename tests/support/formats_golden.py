"""The golden texts of tests/data/formats; `PYTHONPATH=tests python -m support.formats_golden` writes them."""

from collections.abc import Callable, Mapping
from functools import partial

from support import formatkit
from support import report_outcomes as outcomes
from support.project import DATA

from editblocks.core.codes import ReasonCode, State
from editblocks.core.outcome import Refusal, Response
from editblocks.faces.cli.documents import TOOLS
from editblocks.report.json import Report

FOLDER = DATA / "formats"
DIRTY = Refusal(ReasonCode.DIRTY_FILE, "src/cart.py has changes that are not committed", "commit or stash them first")


def reports() -> dict[str, list[Report]]:
    """The reports of each run of the program, by the name of the run."""
    return {
        "failed": [formatkit.example()],
        "stdin": [formatkit.example(path=None)],
        "ready": [formatkit.of(outcomes.fine()._replace(response=Response("x", outcomes.FILE)))],
        "strategies": [formatkit.of(outcomes.every_strategy(), path=None)],
        "moves": [formatkit.of(outcomes.moves(source=outcomes.FILE))],
        "empty": [formatkit.report("prose\n" * 58, {})],
        "refused": [formatkit.of(outcomes.fine(2, State.REFUSED)._replace(refusal=DIRTY))],
        "several": [formatkit.example(), formatkit.report("prose\n", {}, path="b.md"), formatkit.example("c.md")],
    }


SHOWN = (
    "failed.github stdin.github strategies.github empty.github refused.github several.github "
    "failed.rdjsonl stdin.rdjsonl strategies.rdjsonl empty.rdjsonl refused.rdjsonl ready.rdjsonl "
    "failed.sarif several.sarif refused.sarif ready.sarif "
    "ready.markdown several.markdown failed.json several.jsonl "
    "moves.github moves.rdjsonl moves.sarif moves.json"
).split(" ")


def _render(name: str) -> str:
    run, _, form = name.partition(".")
    return TOOLS[form](reports()[run])


FORMS: Mapping[str, Callable[[], str]] = {name: partial(_render, name) for name in SHOWN}


def main() -> None:
    """Write the current text of every page. Read the diff before you commit it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, render in FORMS.items():
        (FOLDER / name).write_bytes(render().encode())


if __name__ == "__main__":
    main()
