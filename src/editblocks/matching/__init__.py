"""One module a strategy; STRATEGIES lists them, and its order is the policy."""
