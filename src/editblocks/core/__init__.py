"""What all other packages share: values, reason codes, errors, settings, selections. It imports none of them."""
