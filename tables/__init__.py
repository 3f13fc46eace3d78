"""What happens at a table: rules, record, reads, console and pit."""
