"""Find where SEARCH is in a file: `ladder` tries strategies in order, and all but the simplest have a module each."""
