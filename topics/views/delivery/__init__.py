"""Pages of alerts and digests."""
