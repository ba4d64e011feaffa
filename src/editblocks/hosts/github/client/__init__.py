"""Requests to GitHub's API, each named for what it asks or does."""
