"""Rules of single values of a topic; nothing here reads a table."""
