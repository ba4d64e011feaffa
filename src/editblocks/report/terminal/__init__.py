"""Write an outcome for a terminal."""
