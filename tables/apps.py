"""The app's name for Django."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"
