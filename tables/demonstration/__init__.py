"""A small house to look at, and croupiers who play there. Nothing of the service imports it."""
