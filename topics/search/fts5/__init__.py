"""SQLite's full-text index as a search engine."""
