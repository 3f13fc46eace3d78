"""What movements, slips, boxes, decks and outcomes are called, on screens and on paper alike: codes in, words out.

The words are lazy: whoever writes them decides the language. Never a sentence.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Words = Mapping[str, Promise]

MOVEMENTS: Final[Words] = {
    "opener": _("Opener"),
    "closer": _("Closer"),
    "count": _("Spot count"),
    "fill": _("Fill"),
    "credit": _("Credit slip"),
    "fill_correction": _("Fill corrected"),
    "credit_correction": _("Credit slip corrected"),
    "buy_in": _("Buy-in"),
    "exchange": _("Exchange"),
    "tip_exchange": _("Tip exchange"),
    "fee": _("Table fee"),
    "ruling": _("Ruling"),
    "opener_correction": _("Opener corrected"),
    "closer_correction": _("Closer corrected"),
    "buy_in_correction": _("Buy-in corrected"),
    "exchange_correction": _("Exchange corrected"),
    "tip_exchange_correction": _("Tip exchange corrected"),
    "fee_correction": _("Table fee corrected"),
}
# What may be recorded after its shift was closed: movements, and these.
ARRIVED: Final[Words] = {
    **MOVEMENTS,
    "open": _("Table opened"),
    "close": _("Table closed"),
    "correct": _("Correction"),
    "colour": _("Value of a colour"),
    "box_removed": _("Drop box taken off"),
    "box_received": _("Drop box received"),
    "box_counted": _("Drop box counted"),
    "box_approved": _("Count of a drop box approved"),
}
SLIP_STATES: Final[Words] = {
    "requested": _("requested"),
    "issued": _("issued"),
    "carried": _("carried"),
    "received": _("received"),
    "void": _("void"),
    "declined": _("declined"),
}
BOX_STATES: Final[Words] = {
    "attached": _("on the table"),
    "removed": _("taken off"),
    "received": _("received"),
    "counted": _("counted"),
    "approved": _("approved"),
}
# A win, or a number of splits, beside what could be expected; seen from the house.
LUCK: Final[Words] = {
    "normal": _("normal"),
    "luck_up": _("luck up"),
    "luck_down": _("luck down"),
    "rare_up": _("rare up"),
    "rare_down": _("rare down"),
    "rare": _("rare"),
    "check": _("check"),
    "few": _("few turns"),
}
# Why a table wants a look; {value}, {limit} and {since} are filled in by whoever writes it.
NOTICES: Final[Words] = {
    "silent": _("Console silent since {since}"),
    "rollover": _("Shift over since {since}: roll over"),
    "waiting": _("Waiting for approval: {value}"),
    "float_low": _("Float low: {value} of {limit}"),
    "dealer_long": _("Dealer here {value} min, house {limit}"),
    "slow": _("Slow: {value} of {limit} turns/h"),
    "fast": _("Fast: {value}, usual {limit} turns/h"),
    "check": _("Win {value}, expected {limit}: look"),
    "splits": _("Splits {value}, expected {limit}"),
    "mispay": _("Mispay suspected: dispute {since}"),
    "mispaid": _("Paid otherwise than shown: {value}"),
    "differs": _("Counted otherwise than shown: bank {value}, shown {limit}"),
    "over_limit": _("Stake {value}, limit {limit}"),
    "big_win": _("Paid {value}, limit {limit}"),
    "count": _("Count differs by {value}"),
    "decks": _("Decks counted {value}, expected {limit}"),
}
# What one person asked for and a second decides.
ASKED: Final[Words] = {
    "correct": _("Correction"),
    "opener": _("Opening count"),
    "closer": _("Closing count"),
    "rollover": _("Count at the change of shifts"),
    "count": _("Spot count"),
    "received": _("Fill is at the table"),
    "carried": _("Credit leaves the table"),
    "void": _("Slip to be void"),
    "request": _("A dealer asks for it"),
    "late": _("Slip written by hand"),
    "movement": _("Movement to be corrected"),
    "slip_correction": _("Slip to be corrected"),
    "rules": _("Change of rules"),
}
TABLE_STATES: Final[Words] = {"open": _("open"), "paused": _("paused"), "closed": _("closed")}
DECK_STATES: Final[Words] = {
    "received": _("in stock"),
    "in_service": _("in service"),
    "retired": _("retired"),
    "retained": _("retained"),
    "destroyed": _("destroyed"),
}
OUTCOMES: Final[Words] = {
    "win": pgettext_lazy("outcome", "win"),
    "lose": pgettext_lazy("outcome", "lose"),
    "split": pgettext_lazy("outcome", "split"),
    "pocket": pgettext_lazy("outcome", "pocket"),
    "half_win": pgettext_lazy("outcome", "half win"),
    "half_lose": pgettext_lazy("outcome", "half lose"),
    "push": pgettext_lazy("outcome", "push"),
    "returned": pgettext_lazy("outcome", "returned"),
    "withdrawn": pgettext_lazy("outcome", "withdrawn"),
    "refused": pgettext_lazy("outcome", "refused"),
    "void": pgettext_lazy("outcome", "void"),
}


def named(words: Words, code: str) -> str:
    """Name a code in the active language; one that has no name by itself."""
    return str(words.get(code, code))
