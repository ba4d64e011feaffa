"""GitHub: handle an event, make commits, and write statuses.

The modules in the order of a run: `event` (the cause of the run), `reading` (reads from GitHub, into a `state`), `plan`
with `cases` (decides what to do, without requests), `carry_out` (commits), `publish` (reports).

A *response* is a text with blocks; its *source* is the comment, review or file that it came from. A *status* is our
review that shows the result for a source, found again by its *marker*. A *reply* is a short comment about a command. A
*case* is a source together with what is requested for it.
"""
