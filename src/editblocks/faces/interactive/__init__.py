"""Talk to a person at a terminal: `-i` asks about one block after another, `watch` follows an answer that grows."""
