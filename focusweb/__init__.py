"""FocusWeb watches topics on the web."""

__version__ = "0.1.0"
