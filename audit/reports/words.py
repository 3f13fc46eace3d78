"""The floor's words on paper, in the active language: codes in, words out. Never a sentence."""

import re

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tables.models.people import Role
from tables.names import ARRIVED, BOX_STATES, DECK_STATES, MOVEMENTS, NOTICES, OUTCOMES, SLIP_STATES, named

# How an exception ended.
OUTCOMES_OF_EXCEPTIONS = {
    "corrected": gettext_lazy("put right in the record"),
    "explained": gettext_lazy("explained, nothing to put right"),
    "loss": gettext_lazy("written off"),
    "no_fault": gettext_lazy("no exception after all"),
}
# What the shuffle lab measures.
MEASURES = {
    "positions": gettext_lazy("ranks by position"),
    "neighbours": gettext_lazy("neighbouring pairs kept"),
    "rising": gettext_lazy("rising sequences"),
    "likeness": gettext_lazy("likeness to the deal before"),
}
_SUITS = str.maketrans("CDHS", "♣♦♥♠")
_CARD = re.compile(r"\b[2-9TJQKA]?[CDHS]\b")


def game(code: str) -> str:
    names = {"stuss": _("Stuss"), "private": _("Private"), "stos": _("Stos"), "pharaon": _("Pharaon")}
    return names[code]


def currency(code: str) -> str:
    """Name the currency in the house's words ("in tenge"); an unknown one by its code."""
    return {"KZT": _("tenge"), "RUB": _("roubles (₽)"), "EUR": _("euro"), "USD": _("US dollars")}.get(code, code)


def outcome(code: str) -> str:
    return named(OUTCOMES, code)


def bet_kind(code: str) -> str:
    return {"rank": _("rank"), "suit": _("suit"), "card": _("card"), "sealed": _("sealed")}.get(code, code)


def amount_name(field: str) -> str:
    names = {
        "stake_minor": pgettext("amount", "stake"),
        "paid_minor": pgettext("amount", "paid"),
        "taken_minor": pgettext("amount", "taken"),
        "returned_minor": pgettext("amount", "returned"),
        "standing_minor": pgettext("amount", "standing"),
    }
    return names[field]


def favour(code: str) -> str:
    return {"house": pgettext("favour", "house"), "player": pgettext("favour", "player"), "none": "–"}[code]


def difference_class(code: str) -> str:
    names = {
        "amounts": _("amounts"),
        "outcome": _("outcome"),
        "missing": _("not recorded"),
        "unexpected": _("not due"),
    }
    return names[code]


def integrity_test(code: str) -> str:
    names = {
        "journal": _("Journal continuous, each entry seals the one before"),
        "cards": _("Cards per deal: none beyond the shoe, none missing"),
        "card_rows": _("Card rows equal to the journal’s entries"),
        "bet_rows": _("Bet rows equal to the journal’s entries"),
        "unsettled": _("Finished deals: bets without settlement, settlements without bet"),
        "refused": _("Events that the rules would refuse today (limits, ratio, chips, order)"),
        "conservation": _("stake + paid = taken + returned + standing"),
        "chain": _("Stake of each settlement equal to what stood before it"),
        "engines": _("The two engines agree with each other"),
        "second": _("Parolis, private banks, places of cards and house rules, by the second engine"),
        "rules": _("Digest of the built game equal to the one the deal names"),
    }
    return names.get(code, code)


def correction_kind(code: str) -> str:
    names = {
        "cards": _("cards"),
        "bet": _("bet"),
        "unmade": _("bet never made:"),
        "unrecorded": _("bet not recorded:"),
    }
    return names[code]


def cards(text: str) -> str:
    """Write cards and suits with their signs ("QS" as "Q♠"); other text as it is."""
    return _CARD.sub(lambda found: found[0].translate(_SUITS), text)


_FIELD = re.compile(r"\b(seat|rank|card|suit|amount|after) (\S+)")


def corrected(kind: str, what: str, point: str) -> str:
    """Say what a correction changed. `point` is the decimal sign of the language."""
    names = {
        "seat": pgettext("corrected", "seat"),
        "rank": pgettext("corrected", "on"),
        "card": pgettext("corrected", "on"),
        "suit": pgettext("corrected", "on"),
        "amount": pgettext("corrected", "amount"),
        "after": pgettext("corrected", "stood from position"),
    }

    def field(found: re.Match[str]) -> str:
        name, value = found.groups()
        text = value.replace(".", point) if name == "amount" else cards(value) if name in ("card", "suit") else value
        return f"{names[name]} {text}"

    if kind == "cards":
        said = "; ".join(
            pgettext("corrected", "%(position)s taken back") % {"position": part[:-3]}
            if part.endswith(": –")
            else cards(part)
            for part in what.split("; ")
        )
    else:
        bet, colon, fields = what.partition(": ")
        said = bet + colon + _FIELD.sub(field, fields)
    return f"{correction_kind(kind)} {said}"


def slip_kind(code: str) -> str:
    return named(MOVEMENTS, code)


def slip_state(code: str) -> str:
    return named(SLIP_STATES, code)


def box_state(code: str) -> str:
    return named(BOX_STATES, code)


def notice(code: str, **values: str) -> str:
    """Say why a table wanted a look."""
    return named(NOTICES, code).format(**values)


def deck_state(code: str) -> str:
    return capfirst(named(DECK_STATES, code))


def role(code: str) -> str:
    return str(dict(Role.choices).get(code, code))


def arrived(code: str) -> str:
    """Name what was recorded after its shift had been closed."""
    return named(ARRIVED, code)


def finding(code: str) -> str:
    """Name an exception of a shift."""
    names = {
        "correction": _("correction"),
        "late": _("late entry"),
        "misdeal": _("misdeal"),
        "waiting": _("waits for approval"),
        "differs": _("settlement differs"),
        "journal": _("journal broken"),
        "unfinished": _("deal not finished"),
        "not_judged": _("expectation not known"),
        "residual": _("residual beyond the tolerance"),
        "books": _("books say another game win"),
        "opener": _("opener differs from the closer before"),
        "void": _("slip made void"),
        "late_slip": _("slip written by hand"),
        "slip_correction": _("slip corrected"),
        "opener_correction": _("opener corrected"),
        "closer_correction": _("closer corrected"),
        "buy_in_correction": _("buy-in corrected"),
        "exchange_correction": _("exchange corrected"),
        "tip_exchange_correction": _("tip exchange corrected"),
        "fee_correction": _("table fee corrected"),
        "slip": _("slip number missing"),
        "splits": _("splits too rare for luck"),
        "rare": _("result too rare for luck"),
        "dispute": _("dispute not ruled on"),
        "decks": _("decks missing or too many"),
        "alert": _("alerts not acknowledged"),
    }
    return names[code]


def exception(code: str) -> str:
    """Name an exception of either report."""
    own = {"difference": _("settlement differs"), "integrity": _("test not passed")}
    return own[code] if code in own else finding(code)


def measure(code: str) -> str:
    """Name a measure of how the cards fell."""
    return _("splits") if code == "splits" else str(MEASURES[code])


def report_kind(code: str) -> str:
    return {"payout_audit": _("Payout audit"), "shift_report": _("Shift report"), "bundle": _("Bundle")}[code]
