"""What every other package speaks of: values, reason codes, errors, settings, which blocks. Imports nothing of ours."""
