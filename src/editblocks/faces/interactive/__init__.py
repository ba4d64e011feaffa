"""`-i`: one block after another, as `git add -p` asks."""
