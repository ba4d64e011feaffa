"""Mutated answers, trees, results and settings against rules that must always hold: `python -m support.fuzz`."""
