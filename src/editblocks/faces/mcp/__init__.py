"""A Model Context Protocol server with tools for agents to check and apply answers."""
