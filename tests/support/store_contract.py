"""Tables of what every store must do: read, refuse, list, write, and notice pushes of others."""

from collections.abc import Mapping

from support.gitkit import EXECUTABLE, FILE, LINK, SUBMODULE, SUBMODULE_ID, Entry

from editblocks.core.codes import ReasonCode

DEEP = "/".join("abcdefghij") + "/leaf.txt"

TREE: Mapping[str, Entry] = {
    "README.md": (FILE, b"# Shop\n"),
    "bin/run": (EXECUTABLE, b"#!/bin/sh\nexit 0\n"),
    "crlf.txt": (FILE, b"one\r\ntwo\r\n"),
    "docs/a b.md": (FILE, b"space\n"),
    "docs/\"quoted\" \\ 'name'.md": (FILE, b"quotes\n"),
    "docs/-dash.md": (FILE, b"dash\n"),
    "docs/:(top)glob*?[x].md": (FILE, b"no pathspec\n"),
    "docs/na\u00efve \u5b57.md": (FILE, b"not ASCII\n"),
    "empty.txt": (FILE, b""),
    "src/app.py": (FILE, b"print('caf\xc3\xa9')\n\x0c\xe2\x80\xa8end, no newline"),
    "src/app.py.d/x": (FILE, b"sorts between src/app.py and itself as a directory\n"),
    "src/link.py": (LINK, b"app.py"),
    "src/tools": (LINK, b"../bin"),
    "vendor/lib": (SUBMODULE, SUBMODULE_ID),
}

READABLE = [path for path, (mode, _) in TREE.items() if mode in {FILE, EXECUTABLE}]

UNREADABLE = [
    ("src", ReasonCode.PATH_CONFLICT, "src is a folder"),
    ("README.md/x", ReasonCode.PATH_CONFLICT, "README.md is a file, so README.md/x cannot be below it"),
    ("bin/run/x/y", ReasonCode.PATH_CONFLICT, "bin/run is a file"),
    ("src/link.py", ReasonCode.NOT_A_FILE, "src/link.py is a symbolic link"),
    ("src/link.py/x", ReasonCode.NOT_A_FILE, "src/link.py is a symbolic link"),
    ("src/tools/run", ReasonCode.NOT_A_FILE, "src/tools is a symbolic link"),
    ("vendor/lib", ReasonCode.NOT_A_FILE, "vendor/lib is a submodule"),
    ("vendor/lib/x", ReasonCode.NOT_A_FILE, "vendor/lib is a submodule"),
    ("../x", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("/etc/passwd", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("src/", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("src/./app.py", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("src/\0.py", ReasonCode.UNSAFE_PATH, "not a path inside"),
    ("src/\ud800.py", ReasonCode.UNSAFE_PATH, "not a path inside"),
    (".git/config", ReasonCode.UNSAFE_PATH, "is inside a .git folder"),
    ("src/.GIT/hooks/x", ReasonCode.UNSAFE_PATH, "is inside a .git folder"),
    (".git. /config", ReasonCode.UNSAFE_PATH, "is inside a .git folder"),
    ("GIT~1/config", ReasonCode.UNSAFE_PATH, "is inside a .git folder"),
    (".git::$INDEX_ALLOCATION/config", ReasonCode.UNSAFE_PATH, "is inside a .git folder"),
]

ENTRIES = [
    ("src", {"app.py": FILE, "app.py.d": "040000", "link.py": LINK, "tools": LINK}),
    ("bin", {"run": EXECUTABLE}),
    ("vendor", {"lib": SUBMODULE}),
    ("docs", {path.partition("/")[2]: FILE for path in TREE if path.startswith("docs/")}),
    ("src/app.py.d", {"x": FILE}),
    *((nothing, {}) for nothing in ("none", "none/deeper", "README.md", "src/tools", "vendor/lib", "../src", ".git")),
]

WRITES: list[tuple[str, dict[str, bytes | None]]] = [
    ("changes a file", {"README.md": b"# Store\n"}),
    ("keeps an executable one", {"bin/run": b"#!/bin/sh\nexit 1\n"}),
    ("keeps line ends", {"crlf.txt": b"one\r\nTWO\r\n"}),
    ("keeps bytes that are no text", {"src/app.py": b"\xff\xfe\x00\x80\r\r\n"}),
    ("empties a file", {"README.md": b""}),
    ("fills an empty file", {"empty.txt": b"no newline"}),
    ("creates a file", {"src/new.py": b"x = 1\n"}),
    ("creates an empty file", {"src/new.py": b""}),
    ("creates directories", {DEEP: b"deep\n", "a/b/other.txt": b"beside\n"}),
    ("deletes a file", {"crlf.txt": None}),
    ("deletes the last file of a directory", {"bin/run": None}),
    ("deletes what is not there", {"none.txt": None, "none/x": None, "README.md": b"and more\n"}),
    ("does several things", {"README.md": b"1\n", "src/app.py": b"2\n", "new/x": b"3\n", "empty.txt": None}),
    ("keeps odd names", {path: b"changed\n" for path in TREE if path.startswith("docs/")}),
    ("names: new and odd", {"docs/new \u00e9\"'\\ :!*.md": b"new\n", "docs/ \u5b57 ": b"new\n"}),
]

MODES: list[tuple[str, dict[str, bytes | None], dict[str, str]]] = [
    ("renames an executable file", {"bin/run": None, "bin/start": b"#!/bin/sh\nexit 0\n"}, {"bin/start": EXECUTABLE}),
    ("renames and changes one", {"bin/run": None, "new/run": b"#!/bin/sh\n"}, {"new/run": EXECUTABLE, "bin/run": FILE}),
    ("says the mode of what goes", {"bin/run": None, "README.md": b"1\n"}, {"bin/run": EXECUTABLE}),
    ("says another mode of what is there", {"README.md": b"1\n"}, {"README.md": EXECUTABLE}),
    ("swaps two names", {"README.md": b"one\r\ntwo\r\n", "crlf.txt": b"# Shop\n"}, {}),
    ("renames by case alone", {"README.md": None, "readme.md": b"# Shop\n"}, {}),
]

PUSHES: list[tuple[str, dict[str, Entry | None]]] = [
    ("changed", {"README.md": (FILE, b"# Shoe\n")}),
    ("deleted", {"README.md": None}),
    ("created what we create", {"new.txt": (FILE, b"theirs\n")}),
    ("changed one of two", {"src/app.py": (FILE, b"theirs\n")}),
]

CLASHES: list[dict[str, bytes | None]] = [
    {"new": b"file\n", "new/below": b"file\n"},
    {"new/x/y": b"file\n", "README.md": b"x\n", "new/x": b"file\n"},
    {"README.md": None, "README.md/below": b"file\n"},
]
