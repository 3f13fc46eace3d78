"""Addresses of the console, the players' casekeep and the pit."""

from django.urls import path

from tables.pages import console, pit

urlpatterns = [
    path("console/worker.js", console.worker, name="console-worker"),
    path("console/<str:code>/", console.console, name="console"),
    path("casekeep/<str:code>/", console.casekeep, name="casekeep"),
    path("words.json", console.words, name="words"),
    path("pit/", pit.pit, name="pit"),
    path("alerts/", pit.alerts, name="alerts"),
    path("luck/", pit.luck, name="luck"),
    path("pit/<str:code>/", pit.table, name="pit-table"),
]
