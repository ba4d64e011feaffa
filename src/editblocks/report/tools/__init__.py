"""What other programs read: JSON, SARIF, rdjsonl, annotations, workflow commands."""
