"""The REST API: what the pages of a person do, for programs."""
