"""Accounts: invitations, sign-ins, preferences, new passwords by mail, shared topics."""
