"""Which lines name a file: the table of docs/reference/rules.md, "which file", and its neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.parsing.path_line import find_path, path_of_changed_file, paths_within

PLAIN = {
    "pkg/tax.py": "pkg/tax.py",
    "`pkg/tax.py`": "pkg/tax.py",
    "**`pkg/tax.py`**:": "pkg/tax.py",
    "### File: pkg/tax.py": "pkg/tax.py",
    "#### `pkg/tax.py`": "pkg/tax.py",
    "# pkg/tax.py": "pkg/tax.py",
    "// web/main.ts": "web/main.ts",
    "/* css/site.css */": "css/site.css",
    "<!-- index.html -->": "index.html",
    "-- db/init.sql": "db/init.sql",
    "; etc/app.ini": "etc/app.ini",
    "**File:** `pkg/tax.py`": "pkg/tax.py",
    "**File**: `pkg/tax.py`": "pkg/tax.py",
    "`pkg/tax.py` (new file):": "pkg/tax.py",
    "2. pkg/tax.py": "pkg/tax.py",
    "- `pkg/tax.py`": "pkg/tax.py",
    "pkg\\eu\\tax.py": "pkg/eu/tax.py",
    "./pkg/tax.py": "pkg/tax.py",
    "pkg/tax.py:40-44": "pkg/tax.py",
    "pkg/tax.py:40": "pkg/tax.py",
    "**pkg/tax.py:**": "pkg/tax.py",
    "**File: pkg/tax.py**": "pkg/tax.py",
    "### 1. `pkg/tax.py`": "pkg/tax.py",
    "**1. pkg/tax.py**": "pkg/tax.py",
    "pkg/tax.py (new file)": "pkg/tax.py",
    "a/pkg/tax.py": "a/pkg/tax.py",
    "Makefile": "Makefile",
    "### `Makefile`": "Makefile",
    "`bin/deploy`": "bin/deploy",
    "File: bin/deploy": "bin/deploy",
    "1) pkg/tax.py": "pkg/tax.py",
    "\u201cpkg/tax.py\u201d": "pkg/tax.py",
    "/* css/site.css*/": "css/site.css",
    "pkg\\_tax.py": "pkg\\_tax.py",
    "pkg/tax.py (lines 10-20)": "pkg/tax.py",
    "tax.mp3": "tax.mp3",
    "Dockerfile:": "Dockerfile",
    "In `pkg/tax.py`:": "pkg/tax.py",
    "- in `Makefile` :": "Makefile",
    ".env": ".env",
    "config/.env": "config/.env",
    "src/[id]/page.tsx": "src/[id]/page.tsx",
    '"year plan.md"': "year plan.md",
    "[pkg/tax.py](pkg/tax.py)": "pkg/tax.py",
    "src/Makefile": "src/Makefile",
    "../tax.py": "../tax.py",
    "/etc/hosts": "/etc/hosts",
    "C:\\x\\tax.py": "C:/x/tax.py",
    "pkg/": "pkg/",
    "### setup.py": "setup.py",
    "**.gitignore**": ".gitignore",
    "`.env.example`": ".env.example",
    "`Node.js`": "Node.js",
    "Node.js": "Node.js",
    "### Main.java": "Main.java",
    "### README.md": "README.md",
    "### src/Vue.js": "src/Vue.js",
    '<edit path="src/a.tsx">': "src/a.tsx",
    "<edit file='src/a.tsx'>": "src/a.tsx",
    "<apply_diff path=src/a.tsx>": "src/a.tsx",
    '<replace_in_file path="src/a.tsx">': "src/a.tsx",
    '<file path="src/a b.tsx">': "src/a b.tsx",
    '<dyad-search-replace path="src/a.tsx" description="the title">': "src/a.tsx",
    "\tpkg/tax.py  ": "pkg/tax.py",
}
WEAK = {
    "### .NET": ".NET",
    ".py": ".py",
    "**.ts**": ".ts",
    "ASP.NET:": "ASP.NET",
    "## Vue.js": "Vue.js",
    "**Node.js**": "Node.js",
    "- Socket.io": "Socket.io",
    "year plan.md": "year plan.md",
    "notes/year plan.md": "notes/year plan.md",
    "bin/deploy": "bin/deploy",
    "before/after": "before/after",
    "2024/05/06": "2024/05/06",
    "and/or fix this in main.py": "and/or fix this in main.py",
    "File: please update main.py": "please update main.py",
    "**src/api and config.yaml**": "src/api and config.yaml",
    "Update pkg/tax.py": "Update pkg/tax.py",
    "Done": "Done",
    "Before/after:": "Before/after",
    "run": "run",
    "**Summary**": "Summary",
    "`run`": "run",
    "Filename: run": "run",
    "Path: unchanged": "unchanged",
    "`Summary`": "Summary",
    "## TODO": "TODO",
    "- README": "README",
    "### v1.2": "v1.2",
    "### 2.1": "2.1",
    "I/O": "I/O",
    "N/A": "N/A",
    "1/2": "1/2",
}
NO_PATH = (
    '<edit path="a.py" file="b.py">',
    '<edit id="a.py">',
    "<edit path=a.py file=b.py>",
    "<edit path=>",
    '<edit path="a.py"/>',
    '<div path="a.py">',
    "Here is the change:",
    "I changed `pkg/tax.py` as follows:",
    "pkg/tax.py and pkg/vat.py",
    "In `tax`:",
    "In `pkg/tax.py` and `pkg/vat.py`:",
    "In `pkg/tax.py`, for example:",
    "Within `pkg/tax.py`:",
    "In `pkg/tax.py`",
    "https://example.org/tax.py",
    "setup.cfg.",
    "> pkg/tax.py",
    "a.py (do not touch this one; the change is in b.py):",
    "...",
    "$ git mv a b",
    "```python",
    "",
    " \t",
    "=======",
    "@decorator",
    "x" * 1100 + ".py",
    "x" * 2100 + ".py",
    "e.g",
    "e.g.",
)


@pytest.mark.parametrize(
    ("line", "path", "weak"),
    [
        *((line, path, False) for line, path in PLAIN.items()),
        *((line, path, True) for line, path in WEAK.items()),
    ],
)
def test_a_line_names_a_file(line: str, path: str, weak: bool) -> None:
    found = find_path(line)
    assert found is not None
    assert (found.path, found.weak) == (path, weak)


@pytest.mark.parametrize("line", NO_PATH)
def test_a_line_names_no_file(line: str) -> None:
    assert find_path(line) is None


@pytest.mark.parametrize(
    ("line", "cleaned"),
    [
        ("pkg/tax.py", False),
        ("**`pkg/tax.py`**:", False),
        ("./pkg/tax.py", True),
        ("pkg/tax.py:40", True),
        ("a\\b.py", True),
    ],
)
def test_cleaning_is_told(line: str, cleaned: bool) -> None:
    found = find_path(line)
    assert found is not None
    assert found.cleaned is cleaned


@given(st.text())
def test_cleaning_a_clean_path_changes_nothing_and_never_hides_dots(line: str) -> None:
    found = find_path(line)
    if found is not None and not found.weak:
        again = find_path(found.path)
        assert again is None or again.path == found.path or found.path != line.strip()
        assert (".." in found.path.split("/")) <= (".." in line)


@given(st.from_regex(r"([A-Za-z0-9_.-]{1,8}/){0,2}[A-Za-z0-9_.-]{0,8}\.[A-Za-z0-9]{1,4}", fullmatch=True))
def test_a_bare_path_is_what_it_is_between_quotes(line: str) -> None:
    found, quoted = find_path(line), find_path(f'"{line}"')
    assert (found and found.path) == (quoted and quoted.path)


def test_a_line_that_is_too_long_names_nothing() -> None:
    assert path_of_changed_file(f"### Updated file: {'a' * 1024}.py") is None
    assert paths_within(f"See {'a ' * 1024}in src/a.py") == []
