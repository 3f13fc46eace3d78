"""Addresses of chips, slips, drop boxes, shifts, disputes, decks, players, rules versions and the books under /api/."""

from django.urls import path

from tables.api import books, cards, disputes, floor_log, players, shifts, terms

urlpatterns = [
    path("chips", books.Chips.as_view(), name="api-chips"),
    path("chips/policy", books.ChipPolicies.as_view(), name="api-chip-policy"),
    path("chips/bank", books.ChipBank.as_view(), name="api-chip-bank"),
    path("tables/<str:code>/float", books.Float.as_view(), name="api-float"),
    path("tables/<str:code>/float/<str:kind>", books.FloatCount.as_view(), name="api-float-count"),
    path("slips", books.Slips.as_view(), name="api-slips"),
    path("slips/late", books.LateSlips.as_view(), name="api-late-slips"),
    path("slips/numbers", books.SlipNumbers.as_view(), name="api-slip-numbers"),
    path("slips/<uuid:slip_id>", books.OneSlip.as_view(), name="api-slip"),
    path("slips/<uuid:slip_id>/corrections", books.SlipCorrections.as_view(), name="api-slip-corrections"),
    path("slips/<uuid:slip_id>/<str:step>", books.SlipSteps.as_view(), name="api-slip-step"),
    path("drops", books.Drops.as_view(), name="api-drops"),
    path("drops/<int:drop_id>", books.OneDrop.as_view(), name="api-drop"),
    path("drops/<int:drop_id>/<str:step>", books.DropSteps.as_view(), name="api-drop-step"),
    path("tables/<str:code>/rules/versions", terms.RulesVersions.as_view(), name="api-rules-versions"),
    path("tables/<str:code>/disputes", disputes.TableDisputes.as_view(), name="api-table-disputes"),
    path("disputes", disputes.Disputes.as_view(), name="api-disputes"),
    path("disputes/<uuid:dispute_id>", disputes.OneDispute.as_view(), name="api-dispute"),
    path("disputes/<uuid:dispute_id>/ruling", disputes.Rulings.as_view(), name="api-ruling"),
    path("debts", disputes.Debts.as_view(), name="api-debts"),
    path("debts/<str:kind>/<int:debt_id>/<str:how>", disputes.ClearDebt.as_view(), name="api-clear-debt"),
    path("players", players.Players.as_view(), name="api-players"),
    path("players/<int:player>/erased", players.ErasedPlayer.as_view(), name="api-erased-player"),
    path("tables/<str:code>/seats/<int:seat>", players.Seats.as_view(), name="api-seat"),
    path("duty", floor_log.DutyOfDay.as_view(), name="api-duty"),
    path("incidents", floor_log.Incidents.as_view(), name="api-incidents"),
    path("surveillance", floor_log.SurveillanceLog.as_view(), name="api-surveillance"),
    path("decks", cards.Decks.as_view(), name="api-decks"),
    path("decks/counts", cards.DeckCounts.as_view(), name="api-deck-counts"),
    path("decks/steps/<str:step>", cards.DeckSteps.as_view(), name="api-deck-steps"),
    path("decks/<str:serial>", cards.DeckHistory.as_view(), name="api-deck"),
    path("shifts", shifts.Shifts.as_view(), name="api-shifts"),
    path("shifts/plan", shifts.ShiftPlans.as_view(), name="api-shift-plan"),
    path("shifts/<str:gaming_date>/<int:number>", shifts.CloseShift.as_view(), name="api-close-shift"),
    path("books", books.DayBooks.as_view(), name="api-books"),
    path("books/<str:code>/<int:number>", books.OpeningBooks.as_view(), name="api-opening-books"),
]
