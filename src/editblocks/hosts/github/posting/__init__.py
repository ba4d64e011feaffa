"""What a pull request shows of a run: status, inline comments, reactions, check run."""
