"""Functions that write a block in each marker format, from its anchor, old, new and trailing lines."""

from collections.abc import Callable

from support.responses import block

Parts = tuple[str, str, str, str]


def v2(anchor: str, old: str, new: str, trail: str, size: int = 7) -> str:
    rule = "-" * size + "\n"
    marks = ("<" * size + " EDIT\n", anchor, rule, old, "=" * size + "\n", new, rule, trail, ">" * size + "\n")
    return "".join(marks)


def v3(anchor: str, old: str, new: str, _trail: str) -> str:
    return f"««« EDIT\n{anchor}{old}═══════ REPL\n{anchor}{new}»»» EDIT END\n"


def sr(_anchor: str, old: str, new: str, _trail: str) -> str:
    return block(old, new, "")


def cline(_anchor: str, old: str, new: str, _trail: str) -> str:
    return f"------- SEARCH\n{old}=======\n{new}+++++++ REPLACE\n"


def roo(_anchor: str, old: str, new: str, _trail: str) -> str:
    return block(f":start_line:3\n-------\n{old}", new, "")


def new_file(_anchor: str, _old: str, new: str, _trail: str) -> str:
    return f"<<<<<<< NEW_FILE\n{new}>>>>>>> NEW_FILE\n"


def bolt_file(_anchor: str, _old: str, new: str, _trail: str) -> str:
    return f'<boltAction type="file" filePath="pkg/a.md">\n{new}</boltAction>\n'


WRITERS: dict[str, Callable[[str, str, str, str], str]] = {
    "diff": sr,
    "cline": cline,
    "roo": roo,
    "edit-v2": v2,
    "edit-v3": v3,
    "new-file": new_file,
    "bolt-file": bolt_file,
}


def expected(name: str, anchor: str, old: str, new: str, trail: str) -> Parts:
    if name == "edit-v2":
        return anchor, old, new, trail
    if name == "edit-v3":
        upper, lower = (anchor + old).splitlines(True), (anchor + new).splitlines(True)
        same = 0
        while same < min(len(upper), len(lower)) and upper[same] == lower[same]:
            same += 1
        return "".join(upper[:same]), "".join(upper[same:]), "".join(lower[same:]), ""
    return ("", old if name in ("diff", "cline", "roo") else "", new, "")


SAMPLES = {
    "<<<<<<< SEARCH": "a.py\n" + block("x\n", "y\n", ""),
    "<<<<<<< EDIT": "a.py\n" + v2("", "x\n", "y\n", ""),
    "------- SEARCH": "a.py\n" + cline("", "x\n", "y\n", ""),
    ":start_line:": "a.py\n" + roo("", "x\n", "y\n", ""),
    "««« EDIT": "a.py\n" + v3("", "x\n", "y\n", ""),
    "<<<<<<< NEW_FILE": "a.py\n" + new_file("", "", "y\n", ""),
    '<boltAction type="file">': bolt_file("", "", "y\n", ""),
}
NAMELESS = block("x\n", "y\n", "")
