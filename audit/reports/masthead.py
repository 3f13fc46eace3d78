"""What both papers say of themselves and of the journals they rest on. It knows nothing of their figures."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from audit.reports import words
from audit.reports.figures import NONE, Figures
from audit.reports.fonts import MONO
from audit.reports.payout_audit import JournalRange
from audit.reports.pen import MM
from audit.reports.sheet import Column, Imprint, Sheet, seal_fact, short_hash

Fact = tuple[str, str, bool]


def facts(imprint: Imprint, figures: Figures, *, rules: Fact | None = None, last: Sequence[Fact] = ()) -> list[Fact]:
    """Return the lines of the first page's head: label, value, whether the value is a hash."""
    serial = _("%(serial)s, rev. %(revision)d") % {"serial": imprint.serial, "revision": imprint.revision}
    return [
        (_("Serial, revision"), serial, False),
        *([rules] if rules else []),
        (_("Software, build"), f"{imprint.version}, {imprint.build}", False),
        (_("Generated"), figures.moment(imprint.generated_at), False),
        *([(_("As it stood"), figures.moment(imprint.as_of), False)] if imprint.as_of else []),
        (_("Asked by"), imprint.asked_by or _("scheduled"), False),
        *last,
        *seal_fact(imprint),
    ]


def note(imprint: Imprint, figures: Figures, currencies: Sequence[str]) -> str:
    """Say in which currencies the amounts are, as of when the record was looked at, whether the house is a real one."""
    said = _("All amounts in %(currency)s.") % {"currency": ", ".join(map(words.currency, currencies))}
    if imprint.as_of:
        said += " " + _("The record as it stood on %(moment)s.") % {"moment": figures.moment(imprint.as_of)}
    return said + (" " + _("Demonstration: no real house.") if imprint.demonstration else "")


def journals_line(journals: Sequence[JournalRange], elsewhere: str) -> str:
    """Return the foot of each page: range and head of the first journal; `elsewhere` says where the others are."""
    if not journals:
        return _("no journal")
    first = journals[0]
    if not first.last:
        line = _("journal %(name)s: empty") % {"name": first.name}
    else:
        line = _("journal %(name)s %(first)d–%(last)d, head %(head)s") % {
            "name": first.name,
            "first": first.first,
            "last": first.last,
            "head": short_hash(first.head),
        }
    return f"{line}; {elsewhere}" if len(journals) > 1 else line


def write_journals(sheet: Sheet, figures: Figures, heading: str, journals: Sequence[JournalRange]) -> None:
    """Write the section on the journals: range, head, and whether the chain holds."""
    sheet.heading(heading)
    sheet.table(
        [
            Column(_("Journal"), "left", stretch=1),
            Column(_("Entries")),
            Column(_("Head, SHA-256"), "left", name=MONO),
            Column(_("Chain"), "left", stretch=1),
        ],
        [
            [
                item.name,
                f"{figures.count(item.first)}{NONE}{figures.count(item.last)}" if item.last else _("empty"),
                item.head or NONE,
                item.broken or _("holds"),
            ]
            for item in journals
        ],
        size=6.9,
        row=4 * MM,
        empty=_("none"),
    )
