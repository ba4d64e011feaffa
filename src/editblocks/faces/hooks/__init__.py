"""Git's hooks and pre-commit's: what they check, apply and say; how they are installed."""
