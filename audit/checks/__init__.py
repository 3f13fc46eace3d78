"""Pure functions over records: every finding is returned, none is raised. Never touches the database."""
