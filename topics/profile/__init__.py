"""What a topic is: terms, concepts, examples and thumbs, and the effect of a change."""
