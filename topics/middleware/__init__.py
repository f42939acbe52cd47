"""Middleware, and the pages for errors."""
