"""tantivy as a search engine: the fastest, and a package of its own to install."""
