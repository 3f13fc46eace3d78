"""Addresses of this app."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("audit.pages.urls")),
    path("api/", include("audit.api.urls")),
]
