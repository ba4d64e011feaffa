"""One module a grammar; FORMATS lists them, and its order is the policy."""
