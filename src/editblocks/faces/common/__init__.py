"""What all faces share: exit codes, the terminal, reading a response, where a call runs."""
