"""The games as plain Python: no Django, no clock, no dice. docs/rules.md is the source of every clause cited."""
