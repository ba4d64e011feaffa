"""Plan a response: from its blocks and a tree, make an `ApplyResult`. Also plan the revert of a commit."""
