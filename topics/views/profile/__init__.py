"""Pages that change a topic's profile."""
