"""The home page: what is new in all topics, what needs attention, and counts of topics."""
