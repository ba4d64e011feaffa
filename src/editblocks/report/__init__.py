"""Turn an outcome into text: pure functions, one module for each output."""
