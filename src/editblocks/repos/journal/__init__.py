"""What is about to be written and what was: so that a killed run is finished and an apply undone."""
