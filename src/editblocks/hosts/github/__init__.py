"""GitHub: from an event to a commit and its status.

In the order of a run: `event` (what caused it), `reading` (what GitHub says, as a `state`), `plan` with `cases` and
`history` (what to do, without a request), `carry_out` (commit it), `publish` (say so).

A *response* is a text with blocks, its *source* is the comment, review or file that it came from. A *status* is our
review that says what became of it, found again by its *marker*; an *answer* is our short reply to a command. A *case*
is a source with what is asked for it.
"""
