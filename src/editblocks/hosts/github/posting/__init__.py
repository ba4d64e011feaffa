"""What a run posts on a pull request: status, inline comments, reactions, check run."""
