"""The app's name for Django."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
