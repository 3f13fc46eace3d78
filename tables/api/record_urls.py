"""Addresses of the door and of reads under /api/, and of their description."""

from django.urls import path

from tables.api import console, events, floor, reads
from tables.api.description import Description, Schema

urlpatterns = [
    path("tables", reads.Tables.as_view(), name="api-tables"),
    path("tables/<str:code>", reads.OneTable.as_view(), name="api-table"),
    path("tables/<str:code>/events", events.Events.as_view(), name="api-events"),
    path("tables/<str:code>/state", reads.State.as_view(), name="api-state"),
    path("tables/<str:code>/casekeep", reads.Casekeep.as_view(), name="api-casekeep"),
    path("tables/<str:code>/rules", reads.Playing.as_view(), name="api-rules"),
    path("tables/<str:code>/check", console.Check.as_view(), name="api-check"),
    path(
        "tables/<str:code>/proposals/<uuid:proposal_id>/decline",
        console.ProposalDeclined.as_view(),
        name="api-proposal-decline",
    ),
    path("tables/<str:code>/options", console.Options.as_view(), name="api-options"),
    path("tables/<str:code>/mispays", console.Mispays.as_view(), name="api-mispays"),
    path("tables/<str:code>/entries", reads.Entries.as_view(), name="api-entries"),
    path("tables/<str:code>/floor/<str:deed>", floor.TableDeed.as_view(), name="api-table-deed"),
    path("tables/<str:code>/shift", reads.Shift.as_view(), name="api-shift"),
    path("tables/<str:code>/deals", reads.Deals.as_view(), name="api-deals"),
    path("tables/<str:code>/deals/<path:deal>", reads.OneDeal.as_view(), name="api-deal"),
    path("tables/<str:code>/cards", reads.Recorded.as_view(kind="card"), name="api-cards"),
    path("tables/<str:code>/bets", reads.Recorded.as_view(kind="bet"), name="api-bets"),
    path("tables/<str:code>/settlements", reads.Recorded.as_view(kind="settlement"), name="api-settlements"),
    path("tables/<str:code>/deeds", reads.Recorded.as_view(kind="deed"), name="api-deeds"),
    path("tables/<str:code>/corrections", reads.Recorded.as_view(kind="correction"), name="api-corrections"),
    path("tables/<str:code>/adjustments", reads.Recorded.as_view(kind="adjustment"), name="api-adjustments"),
    path("alerts", floor.Alerts.as_view(), name="api-alerts"),
    path("alerts/<int:alert_id>/seen", floor.AlertSeen.as_view(), name="api-alert-seen"),
    path("marks", floor.HouseMarks.as_view(), name="api-marks"),
    path("hours", reads.Hours.as_view(), name="api-hours"),
    path("luck", reads.Luck.as_view(), name="api-luck"),
    path("floor", reads.Floor.as_view(), name="api-floor"),
    path("schema", Schema.as_view(), name="api-schema"),
    path("docs", Description.as_view(), name="api-docs"),
]
