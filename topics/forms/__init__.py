"""The forms of every page."""
