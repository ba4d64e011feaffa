"""Blocks whose old lines have drifted: docs/reference/rules.md, "loose levels". What is refused matters most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editblocks.matching.align import changes, common_length
from editblocks.matching.diagnose import closest
from editblocks.matching.fuzzy import most_alike, propose, steps_needed
from editblocks.matching.ladder import Budget, Placement
from editblocks.text.source_text import SourceText

HEAD = """\
import os

LIMIT = 20
""".splitlines()
ORDERS = """\
def total_price(orders, discount):
    prices = [order.price for order in orders]
    subtotal = sum(prices) - discount
    log.info("subtotal is %s", subtotal)
    return max(subtotal, 0)
""".splitlines()
TAIL = """\

class Basket:
    color = "green"
""".splitlines()


def text_of(*parts: list[str]) -> SourceText:
    lines = [line for part in parts for line in part]
    return SourceText(lines, ["\n"] * len(lines))


def proposals(
    search: list[str], replace: list[str], source: SourceText, budget: Budget | None = None
) -> list[Placement]:
    return list(propose(search, replace, source, "a.py", budget or Budget()))


def applied(search: list[str], replace: list[str], file: list[str]) -> list[str] | None:
    """The lines afterwards; None without a proposal."""
    found = proposals(search, replace, text_of(file))
    if not found:
        return None
    [place] = found
    new = [file[line] if isinstance(line, int) else line for line in place.new]
    return [*file[: place.start], *new, *file[place.stop :]]


def edited(lines: list[str], *edits: tuple[int, str | None]) -> list[str]:
    """Line `index` becomes another one, several (parted by `|`), or none."""
    new: list[list[str]] = [[line] for line in lines]
    for index, text in edits:
        new[index] = [] if text is None else text.split("|")
    return [line for part in new for line in part]


RETURN = (4, "    return subtotal")
MORE = f"{ORDERS[4]}|    # not reached"
# What drifted in the file, what the block changes, what comes of both
MERGED: dict[str, tuple[tuple[int, str | None], tuple[int, str | None]]] = {
    "another line": ((1, "    prices = [order.amount for order in orders]"), RETURN),
    "white space in another line": ((1, "    prices  = [order.price for order in orders]"), RETURN),
    "a comment more": ((1, f"    # in cents|{ORDERS[1]}"), RETURN),
    "the name": ((0, "def sum_price(orders, discount):"), RETURN),
    "a line at the end goes": ((1, "    prices = [order.amount for order in orders]"), (4, None)),
    "a line at the end comes": ((1, "    prices = [order.amount for order in orders]"), (4, MORE)),
    "a line at the start comes": (RETURN, (0, f"@cached|{ORDERS[0]}")),
    "both the same": (RETURN, RETURN),
}
# The same where nothing may be done
REFUSED: dict[str, tuple[tuple[int, str | None], tuple[int, str | None]]] = {
    "the line itself": ((4, "    return max(subtotal, 1)"), RETURN),
    "its indentation": ((4, "        return max(subtotal, 0)"), RETURN),
    "a trailing space in it": ((4, "    return max(subtotal, 0) "), RETURN),
    "the line above it": ((3, '    log.info("subtotal = %s", subtotal)'), RETURN),
    "the line below it": ((3, '    log.info("subtotal = %s", subtotal)'), (2, "    subtotal = sum(prices)")),
    "a line more above it": ((3, f"{ORDERS[3]}|    subtotal = round(subtotal)"), RETURN),
    "too much": ((1, "    values = list(map(Order.value, discounted))"), RETURN),
    "a last line, where one comes": (RETURN, (4, MORE)),
    "a first line, where one comes": ((0, "def price(orders, discount):"), (0, f"@cached|{ORDERS[0]}")),
}


@pytest.mark.parametrize(("drift", "change"), MERGED.values(), ids=MERGED)
def test_a_change_is_merged_into_drifted_lines(drift: tuple[int, str | None], change: tuple[int, str | None]) -> None:
    file = [*HEAD, *edited(ORDERS, drift), *TAIL]
    expected = [*HEAD, *edited(ORDERS, drift, change), *TAIL]
    assert applied(ORDERS, edited(ORDERS, change), file) == expected
    assert applied(ORDERS, edited(ORDERS, change), expected) in (expected, None)


@pytest.mark.parametrize(("drift", "change"), REFUSED.values(), ids=REFUSED)
def test_drifted_text_is_never_overwritten(drift: tuple[int, str | None], change: tuple[int, str | None]) -> None:
    assert applied(ORDERS, edited(ORDERS, change), [*HEAD, *edited(ORDERS, drift), *TAIL]) is None


TABS = ["setup(one) {", "\tfirst_call(one, two)", "\tsecond_call(three)", "}", "between(four)", "last(five)"]
# What comes below the fifth line, and whether a file with tabs takes it from a block with spaces
FOREIGN = {
    "a line at the margin": ("next(six)", True),
    "a line in spaces": ("next(six) {|    third_call(seven)|}", False),
    "a line in tabs": ("next(six) {|\tthird_call(seven)|}", False),
    "a line further in": ("next(six) {|        third_call(seven)|}", False),
}


@pytest.mark.parametrize(("added", "lands"), FOREIGN.values(), ids=FOREIGN)
def test_new_lines_are_indented_as_the_file_is(added: str, lands: bool) -> None:
    search = [line.replace("\t", "    ") for line in TABS]
    replace = edited(search, (4, f"{search[4]}|{added}"))
    expected = edited(TABS, (4, f"{TABS[4]}|{added}"))
    assert applied(search, replace, TABS) == (expected if lands else None)


@pytest.mark.parametrize(("indent", "lands"), [("\t", True), ("    ", False)])
def test_new_lines_are_indented_as_the_file_is_elsewhere(indent: str, lands: bool) -> None:
    search = ["between(four)", "last_of_them(five)", "and_the_end(six)"]
    drifted = edited(search, (2, "and_the_end(7)"))
    replace = edited(search, (0, f"if (one) {{|{indent}called(two)|}}|{search[0]}"))
    expected = edited(drifted, (0, f"if (one) {{|{indent}called(two)|}}|{search[0]}"))
    assert applied(search, replace, [*TABS[:4], *drifted]) == ([*TABS[:4], *expected] if lands else None)


def test_a_proposal_names_its_lines_and_how_alike_they_are() -> None:
    source = text_of(HEAD, edited(ORDERS, (1, "    prices = [order.prize for order in orders]")), TAIL)
    [place] = proposals(ORDERS, edited(ORDERS, RETURN), source)
    assert place == Placement(
        "fuzzy", "low", 3, 8, (3, 4, 5, 6, "    return subtotal"), (), closest(ORDERS, source)[0].similarity
    )
    assert 0.98 < place.similarity < 1.0


@pytest.mark.parametrize("head", [HEAD, []], ids=["in the middle", "at the start of the file"])
@pytest.mark.parametrize("change", [(4, MORE), (0, f"@cached|{ORDERS[0]}")])
def test_an_insertion_at_an_end_that_stands_is_all_kept_lines(change: tuple[int, str], head: list[str]) -> None:
    drift = edited(ORDERS, (2, "    subtotal = sum(prices) - int(discount)"))
    file = [*head, *edited(drift, change), *TAIL]
    [place] = proposals(ORDERS, edited(ORDERS, change), text_of(file))
    assert place.new == tuple(range(place.start, place.stop))


# Old lines that are too few, too short, or not there at all; each of these lines has one that drifted
NOTHING = {
    "two lines": (["alpha = compute_alpha(first)", "beta = compute_beta(second)"], "alpha = compute_alpha(1st)"),
    "39 characters": (["alpha = one(1)", "beta = two(2)", "gamma = (3)x"], "alpha = one(0)"),
    "blank lines do not count": (
        ["alpha = compute_alpha(first)", "", "beta = compute_beta(second)"],
        "alpha = compute_",
    ),
    "another text": (["def one(first, second):", "    return first", "    # and no more of it"], "nothing"),
}


@pytest.mark.parametrize(("search", "line"), NOTHING.values(), ids=NOTHING)
def test_little_text_is_no_evidence(search: list[str], line: str) -> None:
    replace = [*search[:-1], "changed"]
    assert applied(search, replace, [line, *search[1:]] if line != "nothing" else HEAD) is None


def test_40_characters_in_three_lines_are_enough() -> None:
    search = ["alpha = one(1)", "beta = two(22)", "gamma = (33)"]
    assert applied(search, [*search[:2], "g"], ["alpha = one(0)", *search[1:]]) == ["alpha = one(0)", search[1], "g"]


@pytest.mark.parametrize("line", ["\f", "X"])
def test_a_line_of_one_character_is_text(line: str) -> None:
    search = ["alpha = compute_alpha(first)", line, "beta = compute_beta(second)"]
    file = ["alpha = compute_alpha(1st)", *search[1:]]
    assert applied(search, [*search[:2], "beta"], file) == [*file[:2], "beta"]


@pytest.mark.parametrize("line", ["X = gamma(second)", "gamma(second)\f"])
def test_a_line_at_the_change_is_compared_in_all_its_text(line: str) -> None:
    search = ["alpha = compute_alpha(first)", line, "beta = compute_beta(third)"]
    file = [search[2], *HEAD, *TAIL, "alpha = compute_alpha(1st)", *search[1:]]
    assert applied(search, [*search[:2], "beta"], file) == [*file[:-1], "beta"]


@pytest.mark.parametrize(("size", "lands"), [(15, True), (16, False)])
def test_85_percent_are_enough(size: int, lands: bool) -> None:
    search = ["a" * (60 - size), "b" * size, "c" * 20, "d" * 20]
    file = [search[0], "x" * size, *search[2:]]
    assert applied(search, [*search[:3], "e"], file) == ([*file[:3], "e"] if lands else None)


DRIFT = edited(ORDERS, (1, "    prices = [order.prices for order in orders]"))
RENAMED = [line.replace("order", "item").replace("subtotal", "sum_total").replace("price", "cost") for line in ORDERS]
ONE_LETTER = [line.replace("s", "z") for line in ORDERS]
# A place that resembles SEARCH, and what else there is in the file
TWINS = {
    "the same drift again": (DRIFT, DRIFT),
    "another drift": (DRIFT, edited(ORDERS, (4, "    return min(subtotal, 0)"))),
    "no line is equal, so no line votes for it": (DRIFT, ONE_LETTER),
    "the name stands elsewhere, over other text": (
        edited(ORDERS, (0, "def total_prices(orders, discount):")),
        [ORDERS[0], "    raise NotImplementedError"],
    ),
    "a line that was replaced stands elsewhere": (DRIFT, [ORDERS[1]]),
    "the line at the change stands elsewhere": (DRIFT, [ORDERS[3], ORDERS[4]]),
}


@pytest.mark.parametrize(("place", "other"), TWINS.values(), ids=TWINS)
@pytest.mark.parametrize("is_above", [False, True])
def test_a_twin_is_one_place_too_many(place: list[str], other: list[str], is_above: bool) -> None:
    file = [*HEAD, *(other if is_above else place), *TAIL, *(place if is_above else other), *TAIL]
    assert applied(ORDERS, edited(ORDERS, RETURN), file) is None
    assert applied(ORDERS, edited(ORDERS, RETURN), [*HEAD, *place, *TAIL]) is not None


LIKE_ORDERS = edited(
    ORDERS,
    (0, "def total_cost(orders, discounts):"),
    (1, "    prices = [order.cost for order in orders]"),
    (3, '    log.warn("subtotal was %s", subtotal)'),
    (4, "    return min(subtotal, 1)"),
)


@pytest.mark.parametrize("is_above", [False, True])
def test_a_twin_may_touch_the_place(is_above: bool) -> None:
    parts = [LIKE_ORDERS, DRIFT] if is_above else [DRIFT, LIKE_ORDERS]
    assert applied(ORDERS, edited(ORDERS, RETURN), [*HEAD, *parts[0], *parts[1], *TAIL]) is None


@pytest.mark.parametrize(("stands", "lands"), [(2, True), (3, False)])
def test_only_a_line_at_the_change_shows_where_it_is(stands: int, lands: bool) -> None:
    search = [letter * 20 for letter in "abcdef"]
    place = [*search[:5], "f" * 19]
    file = [*search[:stands], *HEAD]
    expected = [*file, place[0], "x", *place[2:]] if lands else None
    assert applied(search, [search[0], "x", *search[2:]], [*file, *place]) == expected


def test_a_function_that_says_something_else_is_no_twin() -> None:
    other = ["def send_mail(basket, address):", "    text = render(basket)", "    return post(address, text)"]
    assert applied(ORDERS, edited(ORDERS, RETURN), [*other, *TAIL, *DRIFT, *other]) is not None


def test_lines_too_common_to_vote_hide_no_twin() -> None:
    common = [f"common line number {number}" for number in range(6)]
    search = ["first = rare(value)", *common, "last = rare(value)"]
    place = ["first = rare(valve)", *common, "last = rare(value)"]
    twin = ["first = rara(value)", *common, "lost = rare(value)"]
    noise = [line for number in range(20) for line in (common[number % 6], *["x"] * 9, f"noise {number}")] * 7
    replace = [*search[:-1], "last = done"]
    assert [found.start for found in closest(search, text_of(place, noise, twin))] == [0]
    assert applied(search, replace, [*place, *noise, *twin]) is None
    assert applied(search, replace, [*place, *noise]) == [*place[:-1], "last = done", *noise]


@pytest.mark.parametrize(
    ("line", "times", "lands"), [("abc", 1, True), ("abcd", 1, False), ("abcd", 20, False), ("abcd", 21, True)]
)
def test_a_line_that_the_place_lacks_stands_elsewhere(line: str, times: int, lands: bool) -> None:
    search = ["first = of_them(value)", line, "second = of_them(value)", "last = of_them(value)"]
    place = [search[0], "x", *search[2:]]
    replace = [*search[:3], "last = done"]
    expected = [*place[:3], "last = done", *[line] * times]
    assert applied(search, replace, [*place, *[line] * times]) == (expected if lands else None)


@pytest.mark.parametrize(("length", "lands"), [(70, False), (69, True)])
def test_another_place_is_less_than_70_percent_alike(length: int, lands: bool) -> None:
    search = ["a" * length, "b" * (80 - length), "c" * 10, "d" * 10]
    place = [search[0], search[1] + "!", *search[2:]]
    landed = applied(search, [*search[:3], "e"], [*place, "x", *[""] * 9, search[0]])
    assert (landed is not None) is lands


@pytest.mark.parametrize("lines", [[], ["other"]], ids=["of four", "of five"])
def test_a_place_that_shares_a_line_is_another_place(lines: list[str]) -> None:
    rule = "# " + "-" * 38
    search = [rule + "a", "one = 1  #", *lines, "two = 2  #", rule + "b"]
    replace = [*search[:-2], "two = 3", search[-1]]
    place = [rule + "aa", *search[1:]]
    assert applied(search, replace, [*place, "x = 3 y"]) == [*place[:-2], *replace[-2:], "x = 3 y"]
    assert applied(search, replace, [*place, "x = 3 y", "z = 8 z", rule + "c"]) is None


@pytest.mark.parametrize(("count", "size"), [(5, 9), (17, 21), (24, 30)])
def test_lines_that_are_far_apart_are_no_place(count: int, size: int) -> None:
    """Further apart than twice the lines that diagnosis would compare."""
    search = ["a" * 200, *[f"{number:04}" for number in range(2, count)], "b" * 200]
    replace = [*search[:-2], "done", search[-1]]
    place = [search[0], "+", *search[2:]]
    shared = count // 4
    near = [*place, "a" * 199, *[""] * (2 * size - shared - 2), "b" * 199]
    far = [*near[:-1], "", near[-1]]
    assert applied(search, replace, near) is None
    assert applied(search, replace, far) == [*place[:-2], *replace[-2:], *far[count:]]


def test_beyond_the_budget_nothing_is_shown_so_nothing_is_done() -> None:
    source = text_of(HEAD, DRIFT, TAIL)
    search, replace = ORDERS, edited(ORDERS, RETURN)
    budget = Budget()
    assert proposals(search, replace, source, budget)
    needed = Budget().left - budget.left
    looked = Budget()
    closest(search, source, looked)
    wanted, file = ([line.strip() for line in text] for text in (search, source.lines))
    needed_elsewhere = steps_needed(wanted, file[:4]) + steps_needed(wanted, file[7:])
    assert needed == Budget().left - looked.left + needed_elsewhere
    assert not proposals(search, replace, source, Budget(needed - 1))
    assert proposals(search, replace, source, Budget(needed))


lines = st.lists(st.sampled_from([*ORDERS, *ONE_LETTER, *HEAD, *TAIL[1:]]), max_size=12)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["", "x = 1", "    y = 2|z", *ONE_LETTER])), max_size=2),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["", "x = 3", "    y = 4|z", *RENAMED])), max_size=2),
    lines,
    lines,
)
def test_only_what_the_block_changes_changes(
    drifts: list[tuple[int, str]], edits: list[tuple[int, str]], above: list[str], below: list[str]
) -> None:
    replace = edited(ORDERS, *edits)
    file = [*above, *edited(ORDERS, *drifts), *below]
    found = proposals(ORDERS, replace, text_of(file))
    if not found:
        return
    [place] = found
    numbers = [line for line in place.new if isinstance(line, int)]
    assert numbers == sorted(set(numbers))
    changed = [line for change in changes(ORDERS, replace) for line in ORDERS[change.start : change.stop]]
    gone = [file[line] for line in range(place.start, place.stop) if line not in numbers]
    assert set(gone) <= set(changed)
    assert {line for line in place.new if isinstance(line, str)} <= set(replace)
    once = applied(ORDERS, replace, file)
    assert applied(ORDERS, replace, once or []) in (once, None)


texts = st.lists(st.text(alphabet="abcé≤ \r", max_size=9).map(lambda line: line.strip(" ")), min_size=1, max_size=9)


@given(texts, texts)
def test_the_bound_holds_for_every_place(search: list[str], file: list[str]) -> None:
    if not any(search):
        return
    bound = most_alike(search, file, len(search) + 4)
    assert all(place.similarity <= bound + 1e-9 for place in closest(search, text_of(file)))
    if len(search) == 1:
        best = max(2 * common_length(search[0], line) / (len(search[0]) + len(line)) for line in file)
        assert best - 1e-9 <= bound


def test_the_bound_of_one_line_is_what_it_has_in_common() -> None:
    assert most_alike(["abcd"], ["xaxbx", "", "dcba", "abdc"], 5) == 0.75
    assert most_alike(["abcd", "efgh"], ["efgh", "abcd"], 6) == 0.5  # not in this order
    assert most_alike(["abcd"], [], 5) == 0.0
    assert most_alike(["abcd"], ["x"], 5) == 0.0
    assert most_alike(["≤"], ["≥"], 5) == 1.0  # beyond Latin-1 all are one, and the bound is a bound still


@pytest.mark.parametrize(("size", "steps"), [(1, 7), (2046, 7), (2047, 10), (4095, 13)])
def test_what_the_bound_costs(size: int, steps: int) -> None:
    assert steps_needed(["abc"], ["x" * size]) == steps
