"""Texts as comments on GitHub, with the HTML that GitHub would show for them."""

from support.hub.rendering import body_html

from editblocks.core.blocks import ThreadLines
from editblocks.core.outcome import Part, Response, Source
from editblocks.hosts.github.event import COMMENT, NOBODY, Comment


def comment_of(
    text: str, page: str | None = None, path: str | None = None, thread_lines: ThreadLines | None = None
) -> Response:
    """The response of a comment. `page` is its HTML, by default rendered as on GitHub."""
    if page is None:
        page = body_html(text, is_in_thread=thread_lines is not None)
    comment = Comment(COMMENT, "IC_1", NOBODY, "", (Part(1, text, path, thread_lines, page),))
    return comment.response(Source("issuecomment-1", COMMENT))


def hidden_lines_of(text: str, page: str | None = None) -> frozenset[int]:
    """The lines of a comment that its HTML does not show."""
    hidden = comment_of(text, page).hidden_lines
    assert hidden is not None
    return hidden


def parts_of(*texts: str) -> tuple[Part, ...]:
    """The texts of a review, each with its HTML."""
    return tuple(Part(number, text, page=body_html(text)) for number, text in enumerate(texts, 1))
