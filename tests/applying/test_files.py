"""A file of a plan: what may be read of it, how large it is, and what its proof finds, with the exact words."""

from collections.abc import Callable

import pytest

from editblocks.applying.files import FilePlan, TextFiles
from editblocks.core.codes import ReasonCode
from editblocks.core.errors import SelfCheckFailed, UnreadableFile
from editblocks.core.model import Written
from editblocks.core.settings import Settings
from editblocks.text.source_text import SourceText

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n"
ATTRIBUTES = {".gitattributes": b"*.psd filter=lfs\n"}
SMALL = Settings(max_file_bytes=5)
IN_A_CHECKOUT = "edit it by hand in a checkout"


def files(settings: Settings = SMALL) -> TextFiles:
    return TextFiles(ATTRIBUTES.get, lambda folder: {} if folder else {".gitattributes": "100644"}, settings)


# a path, its bytes, and why it may not be edited
REFUSED: dict[str, tuple[str, bytes, tuple[ReasonCode, str, str] | None]] = {
    "as large as is allowed": ("a.py", b"a = 1", None),
    "larger": (
        "a.py",
        b"a = 12",
        (ReasonCode.TOO_LARGE, "a.py has 6 bytes, the limit is 5 (max-file-bytes)", "edit it another way"),
    ),
    "filtered": (
        "x.psd",
        b"x",
        (ReasonCode.FILTERED, "x.psd has the attribute filter, which changes it on checkout", IN_A_CHECKOUT),
    ),
}


@pytest.mark.parametrize(("path", "data", "reason"), REFUSED.values(), ids=REFUSED)
def test_why_a_file_may_not_be_edited(path: str, data: bytes, reason: tuple[ReasonCode, str, str] | None) -> None:
    checked = files()
    plan = TextFiles({path: data, **ATTRIBUTES}.get, checked._entries, SMALL).plan(path)
    assert (plan.path, plan.original) == (path, data)
    if reason is None:
        checked.check(path, data)
        assert plan.fault is None
        return
    with pytest.raises(UnreadableFile) as raised:
        checked.check(path, data)
    assert plan.fault is not None
    for fault in (raised.value, plan.fault):
        assert (fault.code, fault.what, fault.advice) == reason
    assert plan.text is None


def test_a_pointer_is_told() -> None:
    with pytest.raises(UnreadableFile) as raised:
        files(Settings()).check("a.bin", POINTER)
    fault = raised.value
    assert (fault.code, fault.what, fault.advice) == (
        ReasonCode.FILTERED,
        "a.bin is a Git LFS pointer",
        IN_A_CHECKOUT,
    )


def test_a_reader_that_returns_text_is_told() -> None:
    with pytest.raises(TypeError) as raised:
        TextFiles(lambda _: "text", None, SMALL).read("a.py")  # type: ignore[arg-type, return-value]
    assert str(raised.value) == "read('a.py') returned str; return bytes, or None if there is no such file"


def test_a_binary_file_is_told_by_its_path() -> None:
    plan = FilePlan("a.bin", b"a\0")
    assert plan.fault is not None
    assert plan.fault.what == "a.bin has a NUL byte at offset 1"


def test_a_file_that_is_changed() -> None:
    plan = FilePlan("a.py", "é\nb\nc\n".encode())
    assert (plan.lines_before, plan.size) == (3, 7)
    assert plan.splice(1, 3, (1, "d", "ef", "g")) == Written(("b", "c"), ("b", "d", "ef", "g"))
    assert (plan.lines_before, plan.size) == (3, 12)
    assert plan.size_after(Written(("d", "ef"), ("é",))) == 10
    assert plan.text is not None
    assert plan.text.section == 0
    assert plan.splice(0, 1, (0,)) is None


def test_a_new_file_with_crlf() -> None:
    plan = FilePlan("a.py", None)
    plan.begin_with_crlf()
    assert plan.splice(0, 0, ("a", "b")) == Written((), ("a", "b"))
    assert plan.result() == b"a\r\nb\r\n"
    filled = FilePlan("a.py", b"a\n")
    filled.begin_with_crlf()
    filled.splice(1, 1, ("b",))
    assert filled.result() == b"a\nb\r\n"


# the bytes of a file, its last line and the end of that after a change, what a patch says of the last newline before
# and after, whether that changes the file, and its bytes then
LAST_LINES: dict[str, tuple[bytes, tuple[str, str] | None, tuple[str, str], bool, bytes]] = {
    "it loses its newline": (b"a\nb\n", None, ("", "no"), True, b"a\nb"),
    "it gains one": (b"a\nb", None, ("no", ""), True, b"a\nb\n"),
    "it gains CR LF": (b"a\r\nb", None, ("no", ""), True, b"a\r\nb\r\n"),
    "it loses CR LF": (b"a\r\nb\r\n", None, ("", "no"), True, b"a\r\nb"),
    "it has none, and stays so": (b"a\nb", None, ("no", "no"), False, b"a\nb"),
    "it has one, and stays so": (b"a\nb\n", None, ("", ""), False, b"a\nb\n"),
    "it has one, though the patch says no": (b"a\nb\n", None, ("no", "no"), False, b"a\nb\n"),
    "it had one, though the patch says no": (b"a\nb\n", ("c", "\n"), ("no", "no"), False, b"a\nc\n"),
    "it had none before it was changed": (b"a\nb", ("c", "\n"), ("no", "no"), True, b"a\nc"),
    "two lines became one": (b"a\nb\nc", ("c", "\n"), ("no", "no"), True, b"a\nc"),
    "only the line above had one": (b"\na", ("c", "\n"), ("no", "no"), True, b"\nc"),
    "it was changed, and no patch speaks of it": (b"a\nb", ("c", "\n"), ("", ""), False, b"a\nc\n"),
}


@pytest.mark.parametrize(("data", "last", "ends", "is_changed", "after"), LAST_LINES.values(), ids=LAST_LINES)
def test_the_newline_at_the_end(
    data: bytes, last: tuple[str, str] | None, ends: tuple[str, str], is_changed: bool, after: bytes
) -> None:
    plan = FilePlan("a.py", data)
    if last is not None:
        plan.splice(1, len(plan.lines), last[:1], last[1:])
    assert plan.end_last_line(ends) is is_changed
    assert plan.result() == after
    if last is None:
        assert plan.size == len(after)


def moved(text: SourceText) -> None:
    text.splice(1, 3, (2, 1))


def with_another_last_line(text: SourceText) -> None:
    text.lines[-1] = "other"


def without_a_newline(text: SourceText) -> None:
    text.splice(0, 1, ("new",))
    text.drop_last_end()


# the bytes of a file, what goes wrong in it, and what the proof finds
FAULTS: dict[str, tuple[bytes, Callable[[SourceText], None], str]] = {
    "lines change their order": (b"a\nb\nc\n", moved, "would have moved line 2"),
    "a last line without a newline": (
        b"a\nb",
        with_another_last_line,
        "would have touched lines 1-2, which no block names",
    ),
    "the newline at the end goes": (
        b"a\nb\n",
        without_a_newline,
        "would have touched lines 2-2, which no block names",
    ),
}


@pytest.mark.parametrize(("data", "spoil", "fault"), FAULTS.values(), ids=FAULTS)
def test_what_the_proof_finds(data: bytes, spoil: Callable[[SourceText], None], fault: str) -> None:
    plan = FilePlan("a.py", data)
    assert plan.text is not None
    spoil(plan.text)
    with pytest.raises(SelfCheckFailed) as raised:
        plan.result()
    assert str(raised.value) == f"the result for a.py {fault}; nothing was written, report it with the log"


def test_a_blank_line_that_goes_with_its_newline_is_found() -> None:
    plan = FilePlan("a.py", b"a\n\nb\n")
    plan.splice(0, 1, ("c",))
    plan.splice(2, 3, ())
    assert not plan.end_last_line(("", "no"))
    assert plan.text is not None
    plan.text.ends[-1] = ""
    with pytest.raises(SelfCheckFailed, match="would have touched lines 2-2, which no block names"):
        plan.result()
