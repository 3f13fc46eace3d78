"""HTML: pages translate between people and the actions and queries."""
