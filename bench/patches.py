"""How often faulty diffs and patches are applied right, refused, or applied wrong: `python -m bench patches`.

bench/patch_ways.py makes the cases from real files. bench/accuracy.py does the same for blocks, and defines right,
refused and wrong. The peers are `git apply`, with and without `--3way`, `patch -p1`, and aider's unified diffs. If a
peer reports a failure, the case is refused, whatever the peer wrote.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from difflib import unified_diff
from itertools import cycle, islice
from pathlib import Path

from bench.accuracy import SAFE, SHOWN, Verdict, table
from bench.breaking import text
from bench.measure import Row, compare
from bench.patch_ways import DIFF_WAYS, PATCH_WAYS, PatchCase, Way
from bench.peer_aider import digest
from bench.peers import INSTALL, Peer, aider
from bench.responses import CLOSER, DIVIDER, OPENER, Dice
from bench.sources import edits, sources
from editblocks import Settings, apply_response, parse_response
from editblocks.repos.git.repository import Mode, scrub_environment

CASES = 30  # of each way
_ROUNDS = 15
_LINES = (4, 12)  # lines of the place to edit: at least, at most
Engine = Callable[[PatchCase], tuple[str | None, str]]  # the new text, None if refused; and the reasons


def rows(peers: Path | None) -> Iterator[Row]:
    """Print a table for each form. Yield the number of our wrong edits for each form and level, then the speed."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        theirs = {"git apply": _git(folder), "--3way": _git(folder, "--3way")}
        if shutil.which("patch"):
            theirs["patch -p1"] = _patch(folder)
        if peers is not None:
            theirs["aider udiff"] = _aider(stack.enter_context(aider(peers)))
        yield from _form_rows("unified", DIFF_WAYS, theirs)
        yield from _form_rows("v4a", PATCH_WAYS, {})
    yield from _speed_rows()
    if peers is None:
        sys.stdout.write(f"aider is left out: {INSTALL}\n\n")


def _speed_rows() -> Iterator[Row]:
    """Measure a long diff against the same edits as blocks, and a diff of C without a fence against one in a fence."""
    before, diff, blocks = long_edit(lines=20_000, edits_of_file=200)
    data = {"a.py": before.encode()}
    for answer_text in (diff, blocks):
        if not apply_response(answer_text, data.get).ok:
            raise RuntimeError("the long edit does not fit")
    times = compare(lambda: apply_response(diff, data.get), lambda: apply_response(blocks, data.get), _ROUNDS)
    yield Row("patches", "200 hunks in 20,000 lines, against the same edits as blocks", times, 1.5)
    bare = patch_of_c(35)
    fenced = f"```diff\n{bare}```\n"
    times = compare(lambda: parse_response(bare), lambda: parse_response(fenced), _ROUNDS)
    yield Row("patches", f"{len(bare) // 1000} kB of C diff without a fence, against one in a fence", times, 1.5)


def long_edit(lines: int, edits_of_file: int) -> tuple[str, str, str]:
    """Return a file of `lines` lines, and edits of one line each, as a diff and as blocks of seven lines."""
    old = [
        f"def step_{at}(value):" if at % 7 == 0 else f"    value_{at % 13} = call({at % 97}, {at})"
        for at in range(lines)
    ]
    new = list(old)
    places = range(50, lines - 50, (lines - 100) // edits_of_file)[:edits_of_file]
    for place in places:
        new[place] = f"    changed({place})"
    hunks = unified_diff(text(old).splitlines(True), text(new).splitlines(True), "a/a.py", "b/a.py")
    blocks = (
        f"a.py\n{OPENER}{text(old[at - 3 : at + 4])}{DIVIDER}{text(new[at - 3 : at + 4])}{CLOSER}\n" for at in places
    )
    return text(old), f"```diff\n{''.join(hunks)}```\n", "".join(blocks)


def patch_of_c(hunks: int) -> str:
    """Return a diff of C code whose lines look like HTML."""
    return "--- a/x.c\n+++ b/x.c\n" + "".join(
        f"@@ -{at * 20},8 +{at * 20},8 @@ static int f{at}(struct node *p)\n"
        " #include <stdio.h>\n"
        f" static int f{at}(struct node *p, int n)\n"
        " {\n"
        "-\tfor (int i = 0; i < n; i++) if (p->a[i] <n && x <= y) { *p->b += a[i] * 2; /* text <b> */ }\n"
        "+\tfor (int i = 0; i <n; ++i) if (p->a[i] < n) { p->b[i] = (struct node *)q << 2; }\n"
        " \tif (a < b && c > d) return `x`;\n"
        " \treturn 0;\n"
        " }\n"
        " #endif\n"
        for at in range(1, hunks + 1)
    )


def _form_rows(form: str, ways: Mapping[str, Way], theirs: Mapping[str, Engine]) -> Iterator[Row]:
    engines = {**{level: ours(form, level) for level in SAFE}, **theirs}
    verdicts = judge(form, cases(ways, CASES), engines)
    sys.stdout.write(f"{form}\n{table(verdicts)}\n\n")
    for level in SAFE:
        total = sum((counts[level] for counts in verdicts.values()), Counter[Verdict]())
        remark = f"{total['right']:,} right, {total['refused']:,} refused of {total.total():,} faulty hunks"
        yield Row("patches", f"wrong edits, {form}, {level}", None, 0.0, remark=remark, number=total["wrong"])


def cases(ways: Mapping[str, Way], each: int, seed: int = 7) -> list[PatchCase]:
    """Return `each` cases for every way, from all files in turn."""
    return [
        case
        for number, (name, way) in enumerate(ways.items())
        for case in islice(_cases(name, way, seed + number), each)
    ]


def _cases(name: str, way: Way, seed: int) -> Iterator[PatchCase]:
    dice = Dice(seed)
    for source in cycle(sources()):
        found = (way(dice, source, edit) for edit in edits(dice, source, *_LINES))
        yield from islice((case._replace(way=name) for case in found if case is not None), 1)


def judge(
    form: str, made: Sequence[PatchCase], engines: Mapping[str, Engine]
) -> dict[str, dict[str, Counter[Verdict]]]:
    """Count the verdicts for each way and engine, and write wrong edits of this project to standard error."""
    counts: dict[str, dict[str, Counter[Verdict]]] = {}
    for case in made:
        found = counts.setdefault(case.way, {name: Counter() for name in engines})
        for name, engine in engines.items():
            after, why = engine(case)
            verdict = "refused" if after is None else "right" if after in case.right else "wrong"
            found[name][verdict] += 1
            if verdict == "wrong" and name in SAFE and found[name]["wrong"] <= SHOWN:
                right = next(iter(case.right), case.before)
                lines = unified_diff(right.splitlines(True), (after or "").splitlines(True), "right", name, n=5)
                sys.stderr.write(f"wrong, {name}: {case.way}\n{answer(form, case)}{''.join(lines)}{why}\n")
    return counts


def answer(form: str, case: PatchCase) -> str:
    """Return the answer of a model: a unified diff in a fence, or a patch; without an end if the case is cut off."""
    hunk = case.hunk
    if form == "unified":
        return f"```diff\n{hunk.diff(case.path)}" + ("" if case.is_cut else "```\n")
    return hunk.patch(case.path) + ("" if case.is_cut else "*** End Patch\n")


def ours(form: str, matching: str) -> Engine:
    """Return the engine of this project at a `matching` level."""
    settings = Settings(matching=matching)

    def engine(case: PatchCase) -> tuple[str | None, str]:
        data = case.before.encode()
        result = apply_response(answer(form, case), {case.path: data}.get, settings)
        why = "".join(f"{row.code and row.code.value}: {row.reason}\n" for row in result.results)
        return ((result.contents.get(case.path, data) or b"").decode() if result.ok else None), why

    return engine


def _git(folder: Path, *options: str) -> Engine:
    """Return the engine of `git apply`, in its own repository; with `options` such as --3way, the file is staged."""
    root = folder / "-".join(("git", *options))
    environment = scrub_environment(os.environ, Mode.ISOLATED)

    def git(*arguments: str, stdin: str = "") -> int:
        command = ("git", "-C", str(root), *arguments)
        return subprocess.run(
            command, input=stdin, encoding="utf-8", capture_output=True, check=False, env=environment
        ).returncode

    root.mkdir()
    git("init", "--quiet")

    def engine(case: PatchCase) -> tuple[str | None, str]:
        path = root / case.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.before, "utf-8")
        if options:
            git("add", case.path)
        code = git("apply", *options, "-", stdin=case.hunk.diff(case.path))
        return path.read_text("utf-8") if code == 0 else None, ""

    return engine


def _patch(folder: Path) -> Engine:
    """Return the engine of GNU patch, which runs without questions."""
    root = folder / "patch"

    def engine(case: PatchCase) -> tuple[str | None, str]:
        path = root / case.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.before, "utf-8")
        command = ("patch", "-p1", "--batch", "--forward", "--silent", "--reject-file=-", "-d", str(root))
        done = subprocess.run(
            command, input=case.hunk.diff(case.path), encoding="utf-8", capture_output=True, check=False
        )
        return path.read_text("utf-8") if done.returncode == 0 else None, ""

    return engine


def _aider(peer: Peer) -> Engine:
    """Return the engine of aider's coder for unified diffs, which gives no reason when it does nothing."""

    def engine(case: PatchCase) -> tuple[str | None, str]:
        after = peer.ask("udiff", case.before, f"{answer('unified', case).removesuffix('```' + chr(10))}```\n").result
        texts = {digest(text): text for text in (case.before, *case.right)}
        return None if after is None else texts.get(after, "another text"), ""

    return engine
