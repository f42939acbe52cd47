"""Charts of a topic: each a drawing, a sentence and a table of the same numbers."""
