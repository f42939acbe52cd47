"""What leaves the house: digests with their ledger, and alerts."""
