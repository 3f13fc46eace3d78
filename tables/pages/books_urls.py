"""Addresses of the inspector's, the cage's, the count room's and the shift manager's pages."""

from django.urls import path

from tables.pages import books, cards, chips, disputes, floats, floor_log, limits, movements, players, shifts

urlpatterns = [
    path("books/", books.day, name="books"),
    path("books/day.csv", books.day_csv, name="books-csv"),
    path("books/<str:code>/<int:number>/", books.opening, name="opening-books"),
    path("books/<str:code>/<int:number>/deals/<path:name>/", books.deal, name="deal-books"),
    path("chips/", chips.house_chips, name="chips"),
    path("cage/", books.slips, name="cage"),
    path("cage/numbers/", books.numbers, name="slip-numbers"),
    path("cage/slips/<uuid:slip_id>/", books.slip, name="slip"),
    path("count-room/", books.drops, name="count-room"),
    path("float/", floats.floats, name="floats"),
    path("float/<str:code>/", floats.table_float, name="float"),
    path("float/<str:code>/<int:number>/movements/<int:place>/", movements.one, name="movement"),
    path("cards/", cards.overview, name="cards"),
    path("disputes/", disputes.overview, name="disputes"),
    path("disputes/<uuid:dispute_id>/", disputes.one, name="dispute"),
    path("players/", players.overview, name="players"),
    path("duty/", floor_log.duty, name="duty"),
    path("incidents/", floor_log.incidents, name="incidents"),
    path("surveillance/", floor_log.surveillance, name="surveillance"),
    path("limits/<str:code>/", limits.table_limits, name="limits"),
    path("shifts/", shifts.day, name="shifts"),
]
