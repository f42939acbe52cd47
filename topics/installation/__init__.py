"""The installation itself: its first user, its workers and its checks."""
