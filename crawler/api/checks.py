"""Rules that must hold in the tables and in a server's log after any crash."""

from crawler.checks import invariants, server_log
