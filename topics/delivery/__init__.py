"""What FocusWeb sends: digests, alerts, their channels, and the ledger of both."""
