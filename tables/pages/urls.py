"""Addresses of the console and the pit."""

from django.urls import path

from tables.pages import console, pit

urlpatterns = [
    path("console/<str:code>/", console.console, name="console"),
    path("words.json", console.words, name="words"),
    path("pit/", pit.pit, name="pit"),
]
