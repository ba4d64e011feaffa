"""The programs that people start. This is the only room that turns errors into exit codes."""
