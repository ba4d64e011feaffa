"""How often a diff or a patch with a fault ends right, refused or wrong: `python -m bench patches`.

Cases are made by bench/patch_ways.py from real files, as bench/accuracy.py makes those of blocks; what right, refused
and wrong mean is said there. Beside us stand `git apply`, with and without `--3way`, `patch -p1`, and aider's unified
diffs. Peers that say that they have failed have refused, whatever they left.
"""

from __future__ import annotations

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
from editblocks.repos.git.command import Mode, scrub_environment

CASES = 30  # of each way
_ROUNDS = 15
_LINES = (4, 12)  # of the place, at least and at most
Engine = Callable[[PatchCase], tuple[str | None, str]]  # the text afterwards, None if it gives up; and why


def rows(peers: Path | None) -> Iterator[Row]:
    """Print a table for each form, and yield a row for each of our levels: none must make a wrong edit."""
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
    """A long diff against the same edits as blocks, and a patch of C in no fence against the same one in a fence."""
    before, diff, blocks = long_edit(lines=20_000, edits_of_file=200)
    data = {"a.py": before.encode()}
    for answer_text in (diff, blocks):
        if not apply_response(answer_text, data.get).ok:
            raise RuntimeError("the long edit does not fit")
    times = compare(lambda: apply_response(diff, data.get), lambda: apply_response(blocks, data.get), _ROUNDS)
    yield Row("patches", "200 hunks in 20,000 lines, to the same as blocks", times, 1.5)
    bare = patch_of_c(35)
    fenced = f"```diff\n{bare}```\n"
    times = compare(lambda: parse_response(bare), lambda: parse_response(fenced), _ROUNDS)
    yield Row("patches", f"{len(bare) // 1000} kB of C in no fence, to the same in one", times, 1.5)


def long_edit(lines: int, edits_of_file: int) -> tuple[str, str, str]:
    """A file, and as many edits of it, each of one line in seven: as a diff, and as blocks."""
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
    """A diff of C, whose lines look like HTML."""
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
    """As many cases of every way, the files by turns."""
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
    """For each way and engine, how many cases ended how; wrong edits of ours are shown."""
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
    """What a model writes: the patch in a fence."""
    hunk = case.hunk
    if form == "unified":
        return f"```diff\n{hunk.diff(case.path)}" + ("" if case.is_cut else "```\n")
    return hunk.patch(case.path) + ("" if case.is_cut else "*** End Patch\n")


def ours(form: str, matching: str) -> Engine:
    """This project at a level."""
    settings = Settings(matching=matching)

    def engine(case: PatchCase) -> tuple[str | None, str]:
        data = case.before.encode()
        result = apply_response(answer(form, case), {case.path: data}.get, settings)
        why = "".join(f"{row.code and row.code.value}: {row.reason}\n" for row in result.results)
        return ((result.contents.get(case.path, data) or b"").decode() if result.ok else None), why

    return engine


def _git(folder: Path, *options: str) -> Engine:
    """git, in a repository in which the file is staged."""
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
    """GNU patch, which asks nothing."""
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
    """Aider's coder for unified diffs; it says no more than that it has done nothing."""

    def engine(case: PatchCase) -> tuple[str | None, str]:
        after = peer.ask("udiff", case.before, f"{answer('unified', case).removesuffix('```' + chr(10))}```\n").result
        texts = {digest(text): text for text in (case.before, *case.right)}
        return None if after is None else texts.get(after, "another text"), ""

    return engine
