"""The command line: a module for each command but `hook`, `mcp` and `action`, and the modules that they share."""
