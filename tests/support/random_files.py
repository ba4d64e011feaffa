"""Hypothesis strategies for files and sections of a few lines."""

from hypothesis import strategies as st

BOM = "\ufeff".encode()

LINE = st.sampled_from(["", "a", "b", "c", "  a", "\tb", " ", "a ", "é\u2028", "d\fe", "}"])

SECTION = st.lists(LINE, max_size=4)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of few different lines: with or without BOM and last newline, with LF, CRLF or both."""
    ends = draw(st.sampled_from([("\n",), ("\r\n",), ("\n", "\r\n")]))
    lines = draw(st.lists(st.tuples(LINE, st.sampled_from(ends)), max_size=12))
    text = "".join(line + end for line, end in lines)
    if draw(st.booleans()):
        text = text.removesuffix("\n").removesuffix("\r")
    return (BOM if draw(st.booleans()) else b"") + text.encode()
