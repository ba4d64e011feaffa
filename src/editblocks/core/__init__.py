"""Values, reason codes, errors, settings and selections that all other packages share. Imports no other package."""
