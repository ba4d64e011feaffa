"""Check rules that must always hold on mutated answers, trees, results and settings: `python -m support.fuzz`."""
