"""Stores, from which files are read and to which they are written. Each store implements `run.Repo`."""
