"""Whoosh as a search engine."""
