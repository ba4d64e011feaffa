"""The style: every text can be read on everything that it stands on, in both themes."""

import re
from importlib.resources import files

import pytest

STYLE = (files("editblocks.report.page") / "templates" / "page.css").read_text("utf-8")
DARK = dict(re.findall(r"--(\w+):light-dark\(#\w+,(#\w+)\)", STYLE))
LIGHT = dict(re.findall(r"--(\w+):light-dark\((#\w+),#\w+\)", STYLE))
CODE = ("bg", "card", "add", "add2", "del", "del2")  # what code stands on
ON = {
    **dict.fromkeys(("fg", "k", "s", "c", "f", "m"), CODE),
    **dict.fromkeys(("mut", "ok", "bad", "link"), ("bg", "card")),
}


def _luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read(theme: dict[str, str]) -> None:
    assert theme.keys() == {"bg", "line", *ON, *CODE}
    faint = {}
    for text, ground in ((text, ground) for text, grounds in ON.items() for ground in grounds):
        one, other = sorted((_luminance(theme[text]), _luminance(theme[ground])))
        ratio = (other + 0.05) / (one + 0.05)
        if ratio < 4.5:
            faint[text, ground] = round(ratio, 2)
    assert faint == {}


def test_a_browser_without_both_themes_gets_the_light_one() -> None:
    first = dict(re.findall(r"--(\w+):(#\w+)", STYLE.split("@supports")[0]))
    assert first == LIGHT
