"""Write the prompts for models: pure functions of a result and of files, one module for each kind of text."""
