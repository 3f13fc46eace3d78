"""The project as an app, so that every Django process knows its broker."""

from django.apps import AppConfig


class CasinoConfig(AppConfig):
    name = "casino"

    def ready(self) -> None:
        # Tasks are `shared_task`s of the apps, which may not import the project: without this import
        # they would be sent to a broker that nobody named.
        import casino.celery  # noqa: F401
