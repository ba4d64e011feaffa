"""Git's index: its lock, its next state, what is staged or left out."""
