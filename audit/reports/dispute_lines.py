"""How a dispute stands on paper, in both reports. Never decides one."""

from django.utils.translation import gettext as _

from audit.reports.figures import NONE, Figures
from audit.reports.sheet import Column
from tables.queries.disputes import DisputeView


def dispute_columns() -> list[Column]:
    """Return the columns that `dispute_cells` fills."""
    return [
        Column(_("No.")),
        Column(_("Table, deal, turn"), "left", stretch=1),
        Column(_("Bet"), "left"),
        Column(_("Opened, by"), "left"),
        Column(_("Reason"), "left", stretch=2),
        Column(_("Ruled, by"), "left"),
        Column(_("Amount")),
        Column(_("Ruling"), "left", stretch=2),
    ]


def dispute_cells(item: DisputeView, figures: Figures) -> list[str]:
    """Write a dispute and its ruling."""
    ruling = item.ruling
    return [
        figures.count(item.number),
        f"{item.table}, {item.deal}, {item.turn}",
        item.bet or NONE,
        f"{figures.moment(item.opened_at)} {item.author}",
        item.reason or NONE,
        f"{figures.moment(ruling.ruled_at)} {ruling.author} / {ruling.approver}" if ruling else _("open"),
        figures.signed(ruling.amount_minor) if ruling else NONE,
        (ruling.reason or NONE) if ruling else NONE,
    ]
