"""GitHub: what a pull request asks for, and what is posted to it."""
