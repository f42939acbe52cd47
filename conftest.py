"""Fixtures for authors of plugins are used by the tests of FocusWeb too."""

pytest_plugins = ["focusweb.testing"]
