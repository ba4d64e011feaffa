"""What a patch leaves to its reader: carriage returns of new files, and the limit of rows."""

from collections.abc import Callable
from typing import Any

import pytest
from support.enginekit import no_file
from support.hostile_responses import FLAT, growth
from support.responses import verdicts

from editblocks import Settings, apply_response, parse_response

GIT = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n"
ADD = "*** Begin Patch\n*** Add File: n.py\n{}*** End Patch\n"
ZERO = "```diff\n--- a/n.py\n+++ b/n.py\n@@ -0,0 +1,2 @@\n{}```\n"
BOTH = "+a\r\n+b\r\n"
# the answer, and the bytes of the file that it creates
ENDS: dict[str, tuple[str, bytes]] = {
    "of a diff": (GIT + BOTH, b"a\r\nb\r\n"),
    "of a patch": (ADD.format(BOTH), b"a\r\nb\r\n"),
    "of a hunk from nothing": (ZERO.format(BOTH), b"a\r\nb\r\n"),
    "a blank line": (ADD.format("+a\r\n+\r\n"), b"a\r\n\r\n"),
    "without a newline at the end": (GIT + BOTH + "\\ No newline at end of file\n", b"a\r\nb"),
    "one line has none": (GIT + "+a\r\n+b\n", b"a\nb\n"),
    "one line of a patch has none": (ADD.format("+a\n+b\r\n"), b"a\nb\n"),
    "the whole answer has them": ((GIT + "+a\n+b\n").replace("\n", "\r\n"), b"a\nb\n"),
    "the whole patch has them": ("Do this:\n\n" + ADD.format(BOTH).replace("\r", "").replace("\n", "\r\n"), b"a\nb\n"),
    "the lines around have them": (ADD.format("+a\n+b\n").replace("Patch\n", "Patch\r\n"), b"a\nb\n"),
    "a file without lines": (ADD.format(""), b""),
    "a carriage return in a line": (ADD.format("+a\rb\n"), b"a\rb\n"),
}


@pytest.mark.parametrize(("answer", "data"), ENDS.values(), ids=ENDS)
def test_a_new_file_keeps_carriage_returns_that_are_its_own(answer: str, data: bytes) -> None:
    settings = Settings()._replace(suspicious_text="warn")
    assert apply_response(answer, no_file, settings).contents == {"n.py": data}
    assert apply_response(answer, {"n.py": data}.get, settings).contents == {}
    assert apply_response(answer, {"n.py": b""}.get, settings).contents in ({"n.py": data}, {})


def test_the_digest_of_a_block_knows_its_line_ends() -> None:
    blocks = [parse_response(ADD.format(lines)).blocks[0] for lines in (BOTH, "+a\n+b\n")]
    assert blocks[0].new_lines == blocks[1].new_lines
    assert blocks[0].digest != blocks[1].digest


PATCHES: dict[str, Callable[[int], str]] = {
    "deletions": lambda n: "".join(f"diff --git a/{at} b/{at}\ndeleted file mode 100644\n" for at in range(n)),
    "hunks of a diff": lambda n: "```diff\n--- a/x.py\n+++ b/x.py\n" + "@@ ... @@\n-a\n+b\n" * n + "```\n",
    "deletions of a patch": lambda n: "*** Begin Patch\n" + "*** Delete File: x\n" * n + "*** End Patch\n",
    "hunks of a patch": lambda n: "*** Begin Patch\n*** Update File: x\n" + "@@\n-a\n+b\n" * n + "*** End Patch\n",
}


@pytest.mark.parametrize("name", PATCHES)
def test_reading_a_patch_stops_at_the_limit(name: str) -> None:
    answer = PATCHES[name](600)
    assert len(parse_response(answer, most_rows=601).blocks) == 600
    whole = apply_response(answer, no_file)
    assert verdicts(whole) == ["- too-large"]
    assert len(parse_response(answer, most_rows=5).blocks) == 5
    first = parse_response(PATCHES[name](5), most_rows=5)
    assert (len(first.blocks), first.problems) == (5, ())


SCRIPTS = {
    "the program of patches": ("apply_patch <<'EOF'", True),
    "behind a prompt": ("$ applypatch <<EOF", True),
    "in a shell": ("bash -lc \"apply_patch << 'EOF'", True),
    "in a tag": ("<command>apply_patch <<'EOF'", True),
    "a document of nothing": ("<<'EOF'", True),
    "below a comment": ("# change a\napply_patch <<'EOF'", True),
    "below a folder, in words": ("cd src\nThen apply this patch:", True),
    "in a folder": ("cd src && apply_patch <<'EOF'", False),
    "in a folder, in a tag": ("<command>cd src && apply_patch <<'EOF'", False),
    "in a folder, on a line of its own": ("$ cd src\n$ apply_patch <<'EOF'", False),
    "in a folder, behind another command": ("set -e; cd src && apply_patch <<'EOF'", False),
    "in a folder, in a subshell": ("(cd src && apply_patch <<'EOF'", False),
    "on another machine": ("ssh host apply_patch <<'EOF'", False),
    "a file": ("cat > a.patch <<'EOF'", False),
}


@pytest.mark.parametrize(("above", "is_read"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_patch_in_a_script_with_other_commands_is_not_read(above: str, is_read: bool) -> None:
    for answer in (
        f"{above}\n{ADD.format('+a' + chr(10))}EOF\n",
        f"```bash\n{above}\n{ADD.format('+a' + chr(10))}EOF\n```\n",
    ):
        parsed = parse_response(answer)
        assert len(parsed.blocks) == is_read
        assert [problem.code.value for problem in parsed.problems] == ["unsupported-format"] * (not is_read)


@pytest.mark.long
@pytest.mark.parametrize("name", PATCHES)
def test_rows_beyond_the_limit_cost_no_more_than_looking_for_lines(name: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        answer = PATCHES[name](size)
        return lambda: parse_response(answer, most_rows=10)

    assert growth(work, 512) <= FLAT
