"""The Django project: settings, urls, asgi, celery. Wiring only: no rule, no model."""
