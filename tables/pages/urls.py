"""Addresses of the console, the players' casekeep and the pit."""

from django.urls import path

from tables.pages import console, lists, machines, pit, trust

urlpatterns = [
    path("console/worker.js", console.worker, name="console-worker"),
    path("console/<str:code>/", console.console, name="console"),
    path("casekeep/<str:code>/", console.casekeep, name="casekeep"),
    path("trust/", trust.trust, name="trust"),
    path("trust/casino-floor.crt", trust.authority, name="authority"),
    path("words.json", console.words, name="words"),
    path("pit/", pit.pit, name="pit"),
    path("pit/floor.csv", lists.floor_csv, name="floor-csv"),
    path("pit/<str:code>/<str:name>.csv", lists.table_csv, name="table-csv"),
    path("alerts/day.csv", lists.alerts_csv, name="alerts-csv"),
    path("luck/luck.csv", lists.luck_csv, name="luck-csv"),
    path("hours/", lists.by_hour, name="hours"),
    path("hours/day.csv", lists.hours_csv, name="hours-csv"),
    path("metrics", machines.metrics, name="metrics"),
    path("health/alive", machines.alive, name="alive"),
    path("health/ready", machines.ready, name="ready"),
    path("alerts/", pit.alerts, name="alerts"),
    path("luck/", pit.luck, name="luck"),
    path("pit/<str:code>/", pit.table, name="pit-table"),
]
