"""GitHub: read what a pull request asks for, and post the result there."""
