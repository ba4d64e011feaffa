"""The server for agents: tools that check and apply answers, over the Model Context Protocol."""
