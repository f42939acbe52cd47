"""PostgreSQL as a search engine: the index is in the database of the tables."""
