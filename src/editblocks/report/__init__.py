"""Turns an outcome into text: pure functions, one module an output."""
