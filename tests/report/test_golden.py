"""Every text is byte for byte its golden page, and every golden page is shown by something."""

import pytest
from support.report_golden import FOLDER, FORMS


@pytest.mark.parametrize("name", FORMS)
def test_the_text_is_its_golden_page(name: str) -> None:
    assert FORMS[name]() == (FOLDER / name).read_bytes().decode()


def test_there_is_no_other_page() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(FORMS)
