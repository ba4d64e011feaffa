"""The part of an e-mail reply that its sender wrote: mail clients put the answered text below it, quoted or not.

Blocks in that part are somebody else's, and whoever answers by mail has not asked for them. Cut
generously: a block that is lost is posted again, a foreign one that is applied is not noticed.
"""

from __future__ import annotations

import re

_REPLY_LINE = re.compile(
    r"^[ \t]*(?:"
    r"On\b[^\n]{0,300}(?:\n[^\n]{0,300}){0,3}?\bwrote:[ \t\r]*$"  # clients wrap it
    r"|-{2,}[ \t]*(?:Original|Forwarded) message"
    r"|From:[^\n]*\n[ \t]*(?:Sent|Date|To):"
    r"|_{10,}[ \t\r]*$"
    # a client that speaks another language still names the sender of the notification
    r"|[^\n]*(?:notifications@github\.com|@reply\.github\.com)"
    r")",
    re.MULTILINE | re.IGNORECASE,
)


def own_part(text: str, via_email: bool) -> str:
    """The text above the first reply line of a comment that came by e-mail; others are whole."""
    match = _REPLY_LINE.search(text) if via_email else None
    return text[: match.start()] if match else text
