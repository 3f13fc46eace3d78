"""PostgreSQL from a wheel and the supervisor of the embedded default."""
