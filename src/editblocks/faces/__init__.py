"""How people start editblocks. The only place that maps errors to exit codes."""
