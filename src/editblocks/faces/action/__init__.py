"""The GitHub Action: read the environment of the runner, handle the event, return an exit code."""
