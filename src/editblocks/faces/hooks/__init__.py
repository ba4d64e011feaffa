"""Hooks for git and for pre-commit: check and apply response files, and install hooks."""
