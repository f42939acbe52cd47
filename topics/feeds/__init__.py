"""Feeds of topics, saved searches and alert rules, and the public page of a topic."""
