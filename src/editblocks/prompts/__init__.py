"""Writes what a model is told: pure functions of a result and of files, one module a text."""
