"""Addresses of this app."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("tables.api.record_urls")),  # first: the door is asked at every card of the house
    path("api/", include("tables.api.people_urls")),
    path("api/", include("tables.api.books_urls")),
    path("", include("tables.pages.urls")),
    path("", include("tables.pages.people_urls")),
    path("", include("tables.pages.books_urls")),
]
