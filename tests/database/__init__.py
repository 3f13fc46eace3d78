"""PostgreSQL as tests empty it: Django's flush truncates, and guards refuse TRUNCATE."""
