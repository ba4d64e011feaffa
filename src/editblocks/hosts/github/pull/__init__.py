"""The pull request itself: its event, people, branches and texts, decoded."""
