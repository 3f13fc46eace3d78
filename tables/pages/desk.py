"""What every desk's page shares: who sits there, how amounts and times are written, how a form is signed and done."""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from tables.access import Author
from tables.actions import asking, cage
from tables.names import ASKED, MOVEMENTS, named
from tables.queries import asked as asked_queries
from tables.queries import people as people_queries
from tables.queries import shifts as shift_queries
from tables.queries.books import Total
from tables.queries.disputes import Debt
from tables.rules.refusals import Refusal

_NONE = "–"
_WORDS = {
    "not_allowed": _("Not done: two people sign this, each within his posts, and nobody twice."),
    "wrong_pin": _("Not done: a staff number or a PIN is wrong."),
    "unknown_chip": _("Not done: the house has no such chip."),
    "not_equal": _("Not done: what comes in and what goes out are not worth the same."),
    "paused": _("Not done: the table is paused."),
    "bank_short": _("Not done: the chip bank does not hold so many of a chip."),
    "already_done": _("Not done: somebody has done this already."),
    "step_missing": _("Not done: a step before this one is missing."),
    "count_needed": _("Not done: a table that was opened with a count is closed with one, any other without."),
    "deal_not_finished": _("Not done: the deal has not ended."),
    "table_closed": _("Not done: the table is closed."),
    "not_offered": _("Not done: the table is open already."),
    "bad_line": _("Not done: something is missing or cannot be read."),
    "bad_amount": _("Not done: something is missing or cannot be read."),
    "id_reused": _("Not done: this form was sent before with other contents."),
    "bad_rules": _("Not done: these rules or limits cannot be."),
    "tables_open": _("Not done: a table of this shift is still open. Count it and close it, or roll it over."),
}

# How a debt between house and player ended.
HOW = {
    "paid": _("Paid to the player"),
    "collected": _("Collected from the player"),
    "written_off": _("Written off"),
    "never_moved": _("Chips were right, the record alone was wrong"),
}


def money(minor: int | None, exponent: int) -> str:
    """Write minor units in units of the currency, in the reader's language; "–" for what is not known."""
    if minor is None:
        return _NONE
    whole, rest = divmod(abs(minor), 10**exponent)
    text = f"{whole:,}".replace(",", "\u202f")
    if rest:
        text += ("," if translation.get_language() == "ru" else ".") + f"{rest:0{exponent}d}"
    return ("\u2212" if minor < 0 else "") + text


def whole_units(minor: int, exponent: int) -> int:
    """Round an expectation, which is no sum of chips, to whole units, halves up, as the live pages do."""
    unit: int = 10**exponent
    return (2 * minor + unit) // (2 * unit) * unit


def percent(ratio: Fraction | None) -> str:
    """Write a ratio in percent, to a tenth; "–" for what is not known."""
    if ratio is None:
        return _NONE
    tenths = round(abs(ratio) * 1000)
    point = "," if translation.get_language() == "ru" else "."
    sign = "\u2212" if ratio < 0 and tenths else ""
    return f"{sign}{tenths // 10}{point}{tenths % 10}\u202f%"


def decimal(text: str | None, *, sign: bool = True) -> str:
    """Write a ratio that is rounded already, in the reader's language; "–" for what is not known."""
    if text is None:
        return _NONE
    bare = text.lstrip("-")
    mark = "\u2212" if text.startswith("-") else "+" if sign and float(bare) else ""
    return mark + (bare.replace(".", ",") if translation.get_language() == "ru" else bare)


def chance(value: float | None) -> str:
    """Write a probability to two figures; "–" for what is not known."""
    if value is None:
        return _NONE
    text = f"{value:.2g}" if value >= 1e-4 else f"{value:.1e}"
    return text.replace(".", ",") if translation.get_language() == "ru" else text


def debt_of(debt: Debt) -> str:
    """Name what a debt is of: a bet, a slip by its number, or a movement."""
    return named(MOVEMENTS, debt.bet) if debt.kind == "movement" else debt.bet


def total_shown(total: Total) -> dict[str, Any]:
    """Write the sums of several openings; a sum of which a part is not known yet is no sum."""
    known = total.complete
    return {
        "total": total,
        "drop": money(total.drop_minor if known else None, total.exponent),
        "win": money(total.win_minor if known else None, total.exponent),
        "game_win": money(total.game_win_minor, total.exponent),
        "residual": money(total.residual_minor if known else None, total.exponent),
        "hold": percent(total.hold if known else None),
    }


@dataclass(frozen=True, slots=True)
class Desk:
    """Who sits here, in which house, by which clock."""

    author: Author
    casino_id: int
    zone: ZoneInfo
    today: date

    def local(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).strftime("%d.%m.%Y %H:%M:%S")


def desk_of(author: Author) -> Desk:
    """Seat a person at the desk of his own house."""
    casino_id = people_queries.person(author.staff_id).casino_id
    calendar = shift_queries.calendar_of(casino_id)
    return Desk(author, casino_id, ZoneInfo(calendar.time_zone), calendar.gaming_date(timezone.now()))


def signers(request: HttpRequest, desk: Desk, at_least: int) -> list[Author]:
    """Find out who signed a form: one or two pairs of number and PIN."""
    pairs, here = _signatures(request), desk.author.number
    return cage.sign(desk.casino_id, pairs, here=here, device_id=None, at_least=at_least, now=timezone.now())


def _signatures(request: HttpRequest) -> list[tuple[str, str]]:
    return [
        (request.POST[f"staff{place}"][:16], request.POST.get(f"pin{place}", "")[:16])
        for place in ("1", "2")
        if request.POST.get(f"staff{place}")
    ]


def asks(request: HttpRequest, desk: Desk, code: str, what: str, content: dict[str, Any], id: uuid.UUID) -> bool:
    """Let what a form asks for wait on the floor, where whoever sits here signs it alone; say whether he does."""
    if "ask" not in request.POST:
        return False
    here = desk.author.number
    mine = [(number, pin) for number, pin in _signatures(request) if number.strip().upper() == here]
    (author,) = cage.sign(desk.casino_id, mine[:1], here=here, device_id=None, at_least=1, now=timezone.now())
    asking.ask(code, what, content, id=id, author=author, now=timezone.now())
    return True


def waiting(desk: Desk, table_ids: Iterable[int]) -> list[dict[str, Any]]:
    """Say what waits for a second person at these tables."""
    found = people_queries.waiting_at(table_ids)
    what = asked_queries.asked([each.id for each in found])
    return [
        {
            "what": ASKED[what[each.id].what],
            "table": each.table,
            "by": each.author,
            "at": desk.local(each.asked_at),
        }
        for each in found
        if each.id in what
    ]


def form_id(request: HttpRequest) -> uuid.UUID:
    """Read the id that a form was handed out with: the same form sent twice is one deed. Raises: ValueError."""
    return uuid.UUID(request.POST.get("id", ""))


def done(request: HttpRequest, deed: Callable[[], object]) -> str:
    """Do what a form asks; return why it was not done."""
    if any("\0" in value for values in request.POST.lists() for value in values[1]):
        return str(_WORDS["bad_line"])
    try:
        deed()
    except Refusal as refusal:
        said = str(_WORDS.get(str(refusal.code), refusal.message))
        if "wait_seconds" in refusal.facts:
            said += " " + translation.gettext("The next attempt counts in %(seconds)s s.") % {
                "seconds": refusal.facts["wait_seconds"]
            }
        return said
    except (ValueError, KeyError):
        return str(_WORDS["bad_line"])
    return ""
