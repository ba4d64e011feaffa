"""Values decoded from GitHub's answers: the event, people, branches and texts of a pull request."""
