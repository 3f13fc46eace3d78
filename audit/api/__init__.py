"""JSON over HTTP: translates, calls once, translates back."""
