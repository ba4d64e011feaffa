"""Bytes and lines: where a line came from, in which language it is, and what nobody sees in it."""
