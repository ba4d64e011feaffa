"""What an event asks for: the responses to apply, the commands to carry out, and what earlier runs did already."""
