"""Branches, files and objects over GitHub's API."""
