"""The GitHub Action: from the runner's environment to an exit code."""
