"""One walk over a response: containers, the file of a block, broken blocks."""
