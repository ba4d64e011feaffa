"""Write the status of a run in Markdown, for GitHub."""
