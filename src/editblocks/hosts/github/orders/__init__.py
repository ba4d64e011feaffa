"""From an event to what is asked for: responses, commands, earlier runs."""
