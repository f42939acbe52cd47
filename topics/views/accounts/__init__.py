"""Accounts: preferences, invitations, new passwords, shared topics."""
