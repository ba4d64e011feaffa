"""The status of a run in Markdown, as GitHub shows it."""
