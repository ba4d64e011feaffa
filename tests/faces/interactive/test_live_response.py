"""A response that grows: what is read of it so far, and how often it is planned."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.applykit import CART, CHANGE, CREATE, MISS

from editblocks.applying.engine import apply_response
from editblocks.core.codes import State
from editblocks.core.errors import RepoError
from editblocks.core.outcome import Outcome, Response
from editblocks.faces.cli.watch import Arriving, FollowedFile, LiveResponse
from editblocks.parsing.parse import FORMATS, parse_response

ANSWER = f"Sure:\n\n{CHANGE}{MISS}\nThen \u00e9:\n\n{CREATE}Done.\n"
DATA = ANSWER.encode()
CUT_OFF = ANSWER[: ANSWER.rindex("RATE")].encode()


def arriving() -> Arriving:
    return Arriving(FORMATS, 500)


@given(st.lists(st.integers(0, len(DATA)), max_size=9))
def test_however_it_arrives_the_same_blocks_close(cuts: list[int]) -> None:
    so_far = arriving()
    for cut in [*sorted(cuts), len(DATA)]:
        assert not so_far.take(DATA[:cut])
    assert so_far.closed == {row.number for row in parse_response(ANSWER).blocks} == {1, 2, 3}
    assert so_far.open is None


def test_a_block_is_open_from_its_opener_to_its_closer() -> None:
    so_far, seen = arriving(), list[str]()
    for line in ANSWER.splitlines(keepends=True):
        so_far.take(so_far.data + line.encode())
        seen.append("" if so_far.open is None else "{} {} {}".format(*so_far.open))
    one = ["1 src/cart.py 0", "1 src/cart.py 1", "1 src/cart.py 1", "1 src/cart.py 2", ""]
    assert seen[4:9] == one
    assert seen[12:17] == [row.replace("1", "2", 1) for row in one]
    assert [row for row in seen if "tax" in row] == ["3 src/tax.py 0", "3 src/tax.py 0", "3 src/tax.py 1"]


def test_a_character_that_is_half_there_waits_for_the_rest() -> None:
    so_far, middle = arriving(), DATA.index(b"\xc3") + 1
    so_far.take(DATA[:middle])
    assert so_far.whole_characters == DATA[: middle - 1]
    so_far.take(DATA)
    assert so_far.whole_characters == DATA


@pytest.mark.parametrize("other", [b"", b"Sure", b"No:\n" + DATA, DATA[:-5] + b"x" * 5], ids=repr)
def test_what_does_not_go_on_begins_anew(other: bytes) -> None:
    so_far, fresh = arriving(), arriving()
    so_far.take(DATA)
    fresh.take(other)
    assert so_far.take(other)
    assert (so_far.data, so_far.closed, so_far.open) == (fresh.data, fresh.closed, fresh.open)


class Time:
    """A clock that goes on only when it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Plans:
    """Plans on one file, each of which takes so many seconds."""

    def __init__(self, time: Time, takes: float = 0.0) -> None:
        self._time, self._takes = time, takes
        self.texts: list[str] = []

    def __call__(self, data: bytes) -> Outcome:
        self.texts.append(data.decode())
        self._time.now += self._takes
        result = apply_response(data.decode(), {"src/cart.py": CART}.get)
        return Outcome(Response(data.decode()), result, State.FAILED)


def words(live: LiveResponse) -> list[str]:
    return [] if live.view is None else [f"{row.number} {row.word}" for row in live.view.rows]


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def plans(time: Time) -> Plans:
    return Plans(time)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "reply.md"


@pytest.fixture
def live(file: Path, time: Time, plans: Plans) -> LiveResponse:
    return LiveResponse(FollowedFile(str(file), 1 << 20), arriving(), plans, time)


def test_a_row_is_there_once_its_block_has_closed(live: LiveResponse, file: Path, time: Time) -> None:
    """And every row says at once what it says in the end."""
    final = ["1 ready", "2 failed", "3 ready"]
    for cut in range(0, len(DATA), 7):
        file.write_bytes(DATA[:cut])
        time.now += 1
        live.look()
        assert words(live) == final[: DATA[:cut].count(b">>>>>>> REPLACE\n")]
    file.write_bytes(DATA)
    time.now += 1
    live.look()
    assert words(live) == final


@pytest.mark.long
def test_it_is_planned_when_a_block_closes_and_once_more_when_it_rests(
    live: LiveResponse, file: Path, time: Time, plans: Plans
) -> None:
    for cut in range(0, len(DATA) + 1):
        file.write_bytes(DATA[:cut])
        time.now += 0.25
        live.look()
    assert len(plans.texts) == 3
    for _ in range(10):
        time.now += 0.25
        live.look()
    assert (len(plans.texts), plans.texts[-1]) == (4, ANSWER)


@pytest.mark.long
def test_a_plan_that_takes_long_is_made_less_often(file: Path, time: Time) -> None:
    plans = Plans(time, takes=2.0)
    live = LiveResponse(FollowedFile(str(file), 1 << 20), arriving(), plans, time)
    for count in range(100):
        file.write_bytes((CHANGE * count).encode())
        time.now += 0.2
        live.look()
    assert 2.0 * len(plans.texts) <= time.now / 4


def test_a_cut_off_block_stays_open_and_the_markers_are_not_counted_yet(
    live: LiveResponse, file: Path, time: Time
) -> None:
    file.write_bytes(CUT_OFF)
    for _ in range(3):
        live.look()
        time.now += 1
    assert live.reading is not None
    assert live.view is not None
    assert (words(live), live.reading.number, live.view.result.unbalanced) == (["1 ready", "2 failed"], 3, "")


def test_a_file_that_is_written_anew_is_read_from_its_start(live: LiveResponse, file: Path, time: Time) -> None:
    starts = []
    for data in (DATA, CREATE.encode(), CREATE.encode() + DATA, b""):
        file.write_bytes(data)
        for _ in range(2):
            time.now += 2
            live.look()
        starts.append((live.starts, len(words(live))))
    assert starts == [(1, 3), (2, 1), (2, 4), (3, 0)]


def test_a_file_may_come_and_go(live: LiveResponse, file: Path, time: Time) -> None:
    there = []
    for act in (lambda: None, lambda: file.write_bytes(DATA), file.unlink, lambda: file.write_bytes(DATA)):
        act()
        time.now += 1
        live.look()
        there.append(live.data is not None)
    assert there == [False, True, False, True]
    assert (live.starts, words(live)) == (1, ["1 ready", "2 failed", "3 ready"])


@pytest.mark.long
def test_no_more_than_the_limit_is_read(file: Path, time: Time, plans: Plans) -> None:
    live = LiveResponse(FollowedFile(str(file), 101), arriving(), plans, time)
    for size in (50, 20 * 1024 * 1024):
        file.write_bytes(b"x" * size)
        live.look()
    assert len(live.data or b"") == 101


def test_what_cannot_be_planned_is_a_sentence_and_the_rows_stay(file: Path, time: Time, plans: Plans) -> None:
    def plan(data: bytes) -> Outcome:
        if b"\xff" in data:
            raise RepoError("not UTF-8")
        return plans(data)

    live, seen = LiveResponse(FollowedFile(str(file), 1 << 20), arriving(), plan, time), []
    for data in (DATA, DATA + b"\xff" + CREATE.encode(), DATA + b"x" + CREATE.encode()):
        file.write_bytes(data)
        time.now += 1
        live.look()
        seen.append((len(words(live)), live.trouble))
    assert seen == [(3, ""), (3, "not UTF-8"), (4, "")]


def test_what_is_no_file_ends_it(file: Path, live: LiveResponse) -> None:
    file.mkdir()
    with pytest.raises(RepoError, match="is a folder"):
        live.look()
