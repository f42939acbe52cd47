"""Where messages go: kinds of channels, their messages, and the ledger of what went there."""
