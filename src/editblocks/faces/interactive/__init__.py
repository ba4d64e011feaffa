"""What a person does at a terminal: `-i` asks about one block after another, `watch` follows an answer that grows."""
