"""Find where SEARCH is in a file: one module per strategy; `ladder.STRATEGIES` lists them in the order of use."""
