"""What `python -m bench` measures with: the texts it makes and the table it prints. No time is asserted."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from support.project import ROOT

from editblocks import ApplyResult, apply_response, parse_response
from editblocks.applying.engine import apply_parsed

SIZE = 20_000


@pytest.fixture(autouse=True)
def _bench_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def test_many_blocks_are_read_whole() -> None:
    from bench.responses import many_blocks

    text = many_blocks(20, 200)
    result = parse_response(text)
    assert len(result.blocks) == 200
    assert len({block.file_path for block in result.blocks}) == 20
    assert len({block.digest for block in result.blocks}) == 200
    assert result.problems == ()
    assert 800 < len(text) / 200 < 1200


def test_prose_holds_no_block() -> None:
    from bench.responses import prose

    text = prose(SIZE)
    result = parse_response(text)
    assert (result.blocks, result.problems, result.notes) == ((), (), ())
    assert SIZE <= len(text) < 1.2 * SIZE
    for sign in ("\n## ", "\n### File: ", "\n- ", "\n> ", "\n| ", "\n```python\n", "\n1. "):
        assert sign in text


def test_hostile_texts_grow_with_their_size() -> None:
    from bench.responses import HOSTILE

    for make in HOSTILE.values():
        assert 0.8 * SIZE < len(make(SIZE)) < 1.2 * SIZE
        assert 1.7 < len(make(2 * SIZE)) / len(make(SIZE)) < 2.3


def test_texts_are_the_same_each_time() -> None:
    from bench.responses import many_blocks, prose

    assert many_blocks(2, 5) == many_blocks(2, 5) != many_blocks(2, 5, seed=4)
    assert prose(SIZE) == prose(SIZE) != prose(SIZE, seed=4)


@pytest.mark.parametrize(
    ("times", "at_least", "ratio", "verdict"),
    [
        ((5.0, 2.0), False, 2.5, "ok"),
        ((5.9, 2.0), False, 2.95, "ok"),
        ((6.1, 2.0), False, 3.05, "MISS"),
        ((2.0, 5.0), True, 2.5, "ok"),
        ((2.0, 4.2), True, 2.1, "ok"),
        ((2.0, 4.1), True, 2.05, "MISS"),
        (None, True, None, "skipped"),
    ],
)
def test_a_row_says_whether_its_target_is_missed(
    times: tuple[float, float] | None, at_least: bool, ratio: float | None, verdict: str
) -> None:
    from bench.measure import Row, Times

    row = Row("P9", "work", None if times is None else Times(*times), 2.5, at_least)
    assert (row.ratio, row.verdict, row.missed) == (ratio, verdict, verdict == "MISS")


def test_each_round_runs_both_and_the_first_does_not_count() -> None:
    from bench.measure import race

    order: list[str] = []
    work, peer = iter([9.0, 1.0, 3.0, 2.0]), iter([9.0, 4.0, 4.0, 8.0])

    def one() -> float:
        order.append("work")
        return next(work)

    def other() -> float:
        order.append("peer")
        return next(peer)

    assert race(one, other, rounds=3) == (2.0, 4.0)
    assert order == ["work", "peer"] * 4


def test_the_table_and_the_figures_tell_the_same() -> None:
    from bench.measure import Row, Times, figures, table

    rows = [
        Row("P1", "fast", Times(1.0, 6.0), 5.0, at_least=True, remark="200 MB/s"),
        Row("P2", "slow", Times(4.0, 1.0), 2.5),
        Row("P1", "not there", None, 5.0, at_least=True, remark="install it"),
    ]
    assert table(rows).splitlines() == [
        "id  workload   ratio  target",
        "P1  fast       6.00   >= 5.00  ok: 200 MB/s",
        "P2  slow       4.00   <= 2.50  MISS",
        "P1  not there  -      >= 5.00  skipped: install it",
    ]
    assert [(row["ratio"], row["verdict"], row["seconds"]) for row in figures(rows)] == [
        (6.0, "ok", 1.0),
        (4.0, "MISS", 4.0),
        (None, "skipped", None),
    ]


def test_peers_that_are_not_named_are_skipped_with_the_command_that_installs_them() -> None:
    from bench.reading import against_aider

    row = against_aider("a text", "text\n", 5.0, None)
    assert (row.verdict, row.missed) == ("skipped", False)
    assert "pip install --no-deps --ignore-requires-python aider-chat" in row.remark


AIDER = """
class EditBlockCoder(Coder):
    def apply_edits(self, edits, dry_run):
        (name, old, new), = edits
        raise ValueError(f"{name}: {old in self.io.read_text(self.abs_root_path(name))}")

def do_replace(path, content, old, new, fence):
    return content.replace(old, new) if old in content else None

def find_original_update_blocks(content, fence=None, valid_fnames=None):
    if valid_fnames is None:
        yield None, "a command"
    for _ in range(content.count("SEARCH")):
        yield "a.py", "x", "y"
"""


def make_peer(python: Path, package: Path) -> None:
    """An environment as `python -m venv` lays it out, with a package `aider` whose parser counts a word."""
    python.parent.mkdir(parents=True)
    site = package.parent
    python.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (package / "coders").mkdir(parents=True)
    for module in (package / "__init__.py", package / "coders" / "__init__.py"):
        module.write_text("raise ImportError('far too much')\n")
    (package / "coders" / "editblock_coder.py").write_text(
        f"from aider import utils\nfrom .base_coder import Coder\n{AIDER}"
    )


@pytest.mark.long
def test_a_peer_is_timed_in_a_process_of_its_own(tmp_path: Path) -> None:
    from bench.peers import aider_parser

    make_peer(tmp_path / "bin" / "python", tmp_path / "site" / "aider")
    with aider_parser(tmp_path, "SEARCH\nSEARCH\n", blocks=2) as parse:
        assert all(0 < parse() < 60 for _ in range(3))
    with aider_parser(tmp_path, "SEARCH\n", blocks=2) as parse, pytest.raises(RuntimeError, match="aider reads 1"):
        parse()


def test_a_peer_does_what_it_is_asked(tmp_path: Path) -> None:
    from bench.peer_aider import digest
    from bench.peers import aider

    make_peer(tmp_path / "bin" / "python", tmp_path / "site" / "aider")
    with aider(tmp_path) as peer:
        assert peer.ask("edit", "a.py", "x\nz\n", "x\n", "y\n").result == digest("y\nz\n")
        assert peer.ask("edit", "a.py", "x\n", "z\n", "y\n").result is None
        assert peer.ask("fail", "x\n", "z\n", "y\n").result == "file.py: False"
        assert peer.ask("apply", "SEARCH\n", {"a.py": "x\n", "b.py": "x\n"}).result == {
            "a.py": digest("y\n"),
            "b.py": digest("x\n"),
        }
        with pytest.raises(RuntimeError, match="aider stopped during fly"):
            peer.ask("fly")


def test_an_environment_without_the_peer_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from bench.peers import aider_parser

    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" -I -S "$@"\n')
    python.chmod(0o755)
    with pytest.raises(RuntimeError, match="cannot be loaded"), aider_parser(tmp_path, "text\n", blocks=0):
        pass
    assert "pip install --no-deps aider-chat" in capfd.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "there is no workload nothing; name any of startup, commit, "),
        (["--peers", "nowhere"], "nowhere is no virtual environment; python -m venv"),
    ],
)
def test_a_wrong_command_line_is_said(arguments: list[str], message: str) -> None:
    command = [sys.executable, "-m", "bench", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_bytes_that_edits_are_to_give_are_those_of_a_plain_replacement() -> None:
    from bench.edits import workload

    work = workload("small", files=2, lines=600, blocks=40)
    after = dict(work.files)
    for edit in work.edits:
        lines = work.files[edit.path].splitlines(keepends=True)
        old = "".join(lines[edit.start : edit.stop])
        assert edit.is_exact is (old == "".join(edit.search))
        assert after[edit.path].count(old) == 1
        after[edit.path] = after[edit.path].replace(old, "".join(edit.new))
    assert after == work.expected
    assert [text.count("\n") for text in work.files.values()] == [600, 600]
    assert [edit.is_exact for edit in work.edits].count(False) == 2
    assert workload("small", files=2, lines=600, blocks=40) == work


def test_all_edits_are_made_or_the_run_ends() -> None:
    from bench.applying import SETTINGS, check, exact_blocks, finding_all
    from bench.edits import workload

    work = workload("small", files=2, lines=300, blocks=40, body=6)
    result = apply_response(work.response, work.encoded().get, settings=SETTINGS)
    check(work, result)
    wrong = ApplyResult(result.results, contents={**result.contents, work.edits[0].path: b""})
    with pytest.raises(RuntimeError, match=r"the bytes of src/part0/file0\.py are wrong"):
        check(work, wrong)
    with pytest.raises(RuntimeError, match="40 blocks are not applied"):
        check(work, apply_response(work.response, lambda _path: b"x\n", settings=SETTINGS))
    assert len(exact_blocks(work).blocks) == 38
    assert finding_all(work.encoded(), exact_blocks(work)) < 60
    with pytest.raises(RuntimeError, match="block 1 is not found"):
        finding_all(dict.fromkeys(work.files, b"x\n"), exact_blocks(work))


def test_a_block_that_is_to_fail_does_so_or_the_run_ends() -> None:

    from bench.failing import check, drifted, equal_lines

    failure = drifted(400)
    check(failure)
    check(equal_lines(400))
    with pytest.raises(RuntimeError, match=r"expected a candidate near line 7, got "):
        check(failure._replace(place=7))
    with pytest.raises(RuntimeError, match="the block was applied"):
        check(failure._replace(content=failure.search))


@pytest.mark.long
def test_every_hostile_family_grows_and_is_planned() -> None:
    from bench.matching import FAMILIES, LOOSE_FAMILIES, Hostile, parsed, settings

    def size(hostile: Hostile) -> int:
        return sum(map(len, hostile.files.values())) + sum(len(old + new) for _, old, new in hostile.blocks)

    for name, make in {**FAMILIES, **LOOSE_FAMILIES}.items():
        small, large = make(64), make(128)
        assert size(small) < size(large), name
        data = {path: text.encode() for path, text in small.files.items()}
        result = apply_parsed(parsed(small), data.get, settings=settings("loose"))
        assert len(result.rows) == len(small.blocks), name


def test_twice_the_size_is_measured_where_it_takes_time() -> None:
    from bench.measure import doubling

    assert doubling(lambda size: lambda: size / 1000, 4, 1024, rounds=2) == (32, (0.064, 0.032))
    assert doubling(lambda size: lambda: size / 1000, 4, 16, rounds=2) == (16, (0.032, 0.016))


def test_a_count_is_a_row_too() -> None:
    from bench.measure import Row, figures

    rows = [Row("A", "wrong", None, 0.0, number=number) for number in (0, 1)]
    assert [(row.ratio, row.verdict) for row in rows] == [(0, "ok"), (1, "MISS")]
    assert [row["seconds"] for row in figures(rows)] == [None, None]


TOY = """class Shop:
    def price(self, item):
        total = item.cost
        rate = self.rate("net")
        label = self.name(item, rate)
        self.seen.add(label)
        note = "paid"

        return total * rate
"""
OLD = TOY.splitlines()[1:9]
# The edit changes `total = item.cost`, so lines from `label` on are its context.
CONTEXT = """    def price(self, item):
        total = item.price
        rate = self.rate("net")
        label = self.name(item, rate)
        self.seen.add(label)
        note = "paid"

        return total * rate
"""
SAID: dict[str, Callable[[str], str]] = {
    "nothing broken": lambda text: text,
    "indentation lost": lambda text: text.replace("\n    ", "\n").removeprefix("    "),
    "indented once more": lambda text: "".join(f"    {line}\n" if line else "\n" for line in text[:-1].split("\n")),
    "first line's indentation lost": str.lstrip,
    "tabs for spaces": lambda text: text.replace("    ", "\t"),
    "a blank line left out": lambda text: text.replace("\n\n", "\n"),
    "a blank line put first": lambda text: f"\n{text}",
}


@pytest.mark.parametrize("way", SAID)
def test_words_are_broken_in_old_and_new_lines_alike(way: str) -> None:
    from bench.breaking import WAYS
    from bench.responses import Dice
    from bench.sources import Edit, Source

    edit = Edit(1, 9, 2, [1, "        total = item.price", *range(3, 9)])
    case = WAYS[way](Dice(1), Source("shop.py", TOY[:-1].split("\n")), edit)
    assert case is not None
    assert case.search == SAID[way]("".join(f"{line}\n" for line in OLD))
    assert case.replace == SAID[way](CONTEXT)
    assert (case.before, set(case.right)) == (TOY, {TOY.replace("item.cost", "item.price")})


@pytest.mark.parametrize(
    ("after", "right", "verdict"),
    [
        (None, ["new\n"], "refused"),
        ("new\n", ["new\n"], "right"),
        ("other\n", ["new\n"], "wrong"),
        ("other\n", ["new\n", "other\n"], "right"),
        ("old\n", ["new\n"], "wrong"),
        ("old\n", ["old\n"], "right"),
        (None, [], "refused"),
        ("new\n", [], "wrong"),
    ],
)
def test_what_came_out_is_judged(after: str | None, right: list[str], verdict: str) -> None:
    from bench.accuracy import verdict_of
    from bench.breaking import Case

    assert verdict_of(Case("a way", "a.py", "old\n", "old\n", "new\n", frozenset(right)), after) == verdict


@pytest.mark.parametrize(
    ("search", "replace", "base", "verdicts"),
    [
        ("    a\n", "    c\n", None, ("wrong", "wrong")),
        ("    b = 1\n", "    b = 2\n", None, ("right", "right")),
        ("b = 1\n", "b = 2\n", None, ("refused", "right")),
        ("b = 0\n", "b = 2\n", None, ("refused", "refused")),
        ("if c:\n    b = 1\n", "if c:\n    b = 2\n", None, ("refused", "refused")),
        ("if z:\n    a\n    b = 1\n", "if z:\n    a\n    b = 2\n", None, ("refused", "refused")),
        ("if z:\n    a\n    b = 1\n", "if z:\n    a\n    b = 2\n", "if z:\n    a\n    b = 1\n", ("right", "right")),
        ("    b = 2\n", "    b = 2\n", None, ("wrong", "wrong")),
    ],
)
def test_engines_are_judged_by_what_they_write(
    search: str, replace: str, base: str | None, verdicts: tuple[str, str]
) -> None:
    from bench.accuracy import ours
    from bench.breaking import Case

    before, right = "if a:\n    a\n    b = 1\n", "if a:\n    a\n    b = 2\n"
    case = Case("a way", "a.py", before, search, replace, frozenset([right]), base)
    assert tuple(ours(matching)(case)[0] for matching in ("exact", "standard")) == verdicts


def test_every_way_to_break_a_patch_has_cases_and_only_unbroken_ones_must_fit() -> None:
    from bench.patch_ways import DIFF_WAYS, PATCH_WAYS
    from bench.patches import cases, judge, ours

    for form, ways in (("unified", DIFF_WAYS), ("v4a", PATCH_WAYS)):
        made = cases(ways, 1)
        assert [case.way for case in made] == list(ways)
        verdicts = judge(form, made, {"exact": ours(form, "exact"), "standard": ours(form, "standard")})
        assert {level: verdicts["nothing broken"][level]["right"] for level in ("exact", "standard")} == {
            "exact": 1,
            "standard": 1,
        }
        assert sum(counts[level]["wrong"] for counts in verdicts.values() for level in counts) == 0


def test_a_long_diff_and_its_blocks_ask_for_the_same() -> None:
    from bench.patches import long_edit, patch_of_c

    before, diff, blocks = long_edit(lines=700, edits_of_file=20)
    results = [apply_response(answer, {"a.py": before.encode()}.get) for answer in (diff, blocks)]
    assert [len(result.results) for result in results] == [20, 20]
    assert results[0].ok
    assert results[0].contents == results[1].contents
    assert (
        len(parse_response(patch_of_c(4)).blocks) == len(parse_response(f"```diff\n{patch_of_c(4)}```\n").blocks) == 4
    )


def test_the_hunk_of_an_edit_is_a_diff_and_a_patch() -> None:
    from bench.patch_ways import case_of
    from bench.sources import Edit, Source

    case = case_of(Source("a.py", ["a", "b", "c"]), Edit(0, 3, 1, [0, "B", "new", 2]))
    body = " a\n-b\n+B\n+new\n c\n"
    assert case.hunk.diff("a.py") == f"--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n{body}"
    assert case.hunk.patch("a.py") == f"*** Begin Patch\n*** Update File: a.py\n@@\n{body}"
    assert (case.before, set(case.right)) == ("a\nb\nc\n", {"a\nB\nnew\nc\n"})


@pytest.mark.long
def test_every_way_of_a_whole_answer_has_cases_and_none_ends_wrong() -> None:
    from bench.accuracy import answer_cases
    from bench.answers import WAYS, ours

    made = answer_cases(2 * len(WAYS))
    assert [case.way for case in made[::2]] == list(WAYS)
    assert made == answer_cases(2 * len(WAYS))
    for case in made:
        after, why = ours("standard")(case)
        assert after is None or after in case.right, (case.way, why)
    assert sum(ours("standard")(case)[0] in case.right for case in made) > len(WAYS) // 2


def test_every_way_has_cases_and_their_right_texts_are_other_texts() -> None:
    from bench.accuracy import WAYS, cases

    made = cases(len(WAYS))
    assert [case.way for case in made] == list(WAYS)
    assert made == cases(len(WAYS))
    for case in made:
        is_done = case.way.startswith("there already")
        assert (case.right == {case.before}) is is_done, case.way
        assert case.search.endswith("\n")
        assert case.search != case.replace
        assert (case.base is not None) is case.way.endswith("base known")


def test_the_table_counts_by_way_and_engine_and_wrong_edits_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from bench.accuracy import judge, table
    from bench.breaking import Case

    made = [
        Case(way, "a.py", "x\n", "x\n", "y\n", frozenset(right))
        for way, right in (("one", ["y\n"]), ("one", ["y\n"]), ("two", []))
    ]
    engines = {"exact": lambda _case: ("wrong", "z\n"), "aider": lambda case: ("right" if case.right else "wrong", "")}
    verdicts = judge(made, engines)
    assert verdicts["one"] == {"exact": Counter(wrong=2), "aider": Counter(right=2)}
    assert table(verdicts).splitlines() == [
        "     exact                  aider",
        "way  right  refused  wrong  right  refused  wrong",
        "one  0      0        2      2      0        0",
        "two  0      0        1      0      0        1",
        "all  0      0        3      2      0        1",
    ]
    said = capsys.readouterr().err
    assert said.count("wrong, exact: ") == 3
    assert "wrong, aider" not in said
    assert "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n--- right\n+++ exact\n" in said


@pytest.mark.parametrize("name", ["clean", "drifted", "rotten", "duplicated", "wrong counts", "CRLF", "hostile paths"])
@pytest.mark.long
def test_of_the_cases_for_appliers_none_is_written_wrongly(name: str, tmp_path: Path) -> None:
    from bench.appliers import Share, judge, runs_of_ours

    found = judge(name, runs_of_ours(), tmp_path, Share(10))
    read = {"diff", "blocks"}
    if name == "wrong counts":  # a block counts no lines
        read = {"diff"}
    assert {applier.form for applier in found} == read
    for applier, (verdicts, _) in found.items():
        # The cases are from the library of this Python. A diff whose line changed may fit a twin, as for `git apply`.
        most = 1 if (name, applier.form) == ("rotten", "diff") else 0
        assert verdicts["wrong"] <= most, (applier.form, verdicts)
        assert verdicts["wrong"] + verdicts["right"] + verdicts["refused"] == verdicts.total() == 10
        if name in ("rotten", "hostile paths"):
            assert verdicts["right"] == 0


@pytest.mark.long
def test_readers_of_diffs_are_compared_one_by_one_as_in_a_batch() -> None:
    from bench.applier_cases import cases
    from bench.differential import NAMES, compared

    for name in NAMES:
        made = list(islice(cases(name, seed=3), 6))
        together, alone = (list(compared(iter(made), batch)) for batch in (6, 1))
        assert together == alone
        assert not any(ends.is_wrong for ends in together)


@pytest.mark.parametrize(
    ("texts", "row", "is_wrong"),
    [
        (("new", "new", "new"), ("A", "A", "A", "A", ""), False),
        (("new", None, "other"), ("A", "refused", "B", "A", ""), False),
        (("other", "new", "new"), ("A", "B", "B", "B", ""), True),
        ((None, "other", "other"), ("refused", "A", "A", "", ""), False),
        ((None, None, None), ("refused", "refused", "refused", "", ""), False),
    ],
)
def test_who_leaves_other_bytes_is_counted(
    texts: tuple[str | None, str | None, str | None], row: tuple[str, ...], is_wrong: bool
) -> None:
    from bench.applier_cases import Case
    from bench.differential import Ends

    ends = Ends(Case("", {"a": "old"}, "", "", (), [{"a": "new"}]), *texts)
    assert (ends.row, ends.is_wrong) == (row, is_wrong)
