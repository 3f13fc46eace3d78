"""Writes: one function for each thing that happens, one journal entry, inside the caller's transaction."""
