"""Addresses of the service."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("tables.urls")),
    path("", include("audit.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
]
