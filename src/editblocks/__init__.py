"""Apply a language model's edit blocks to files: checked, exact, all or nothing."""
