"""How disputes and mispays stand on paper, in both reports. Never decides one."""

from django.utils.translation import gettext as _

from audit.reports.figures import NONE, Figures
from audit.reports.sheet import Column
from tables.queries.console import MispayOnPaper
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


def dispute_cells(item: DisputeView, table: str, figures: Figures) -> list[str]:
    """Write a dispute and its ruling; `table` is what its table is called on this paper."""
    ruling = item.ruling
    return [
        figures.count(item.number),
        f"{table}, {item.deal}, {item.turn}",
        item.bet or NONE,
        f"{figures.moment(item.opened_at)} {item.author}",
        item.reason or NONE,
        f"{figures.moment(ruling.ruled_at)} {ruling.author} / {ruling.approver}" if ruling else _("open"),
        figures.signed(ruling.amount_minor) if ruling else NONE,
        (ruling.reason or NONE) if ruling else NONE,
    ]


def mispay_columns() -> list[Column]:
    """Return the columns that `mispay_cells` fills."""
    return [
        Column(_("At"), "left"),
        Column(_("Table, deal"), "left", stretch=1),
        Column(_("Bet, seat"), "left"),
        Column(_("Dealer"), "left"),
        Column(_("What"), "left"),
        Column(_("Shown")),
        Column(_("Done")),
        Column(_("House lost")),
        Column(_("Put right"), "left"),
    ]


def mispay_cells(item: MispayOnPaper, figures: Figures) -> list[str]:
    """Write a bet that was collected or paid otherwise than the console showed."""
    mispay = item.mispay
    return [
        figures.moment(item.at),
        f"{item.table}, {mispay.deal}",
        f"{mispay.bet}, {mispay.seat}",
        mispay.dealer or NONE,
        _("paid") if mispay.way == "pay" else _("collected"),
        figures.amount(mispay.shown_minor),
        figures.amount(mispay.done_minor),
        figures.signed(mispay.error_minor),
        _("at the table") if mispay.recovered else _("no"),
    ]
