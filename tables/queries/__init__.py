"""Reads: frozen values out, never rows; a fixed number of SQL queries each."""
