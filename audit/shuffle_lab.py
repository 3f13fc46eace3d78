"""Reads the deals of a period for the shuffle lab. It judges nothing and writes nothing."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from audit.checks.shuffles import Group, Shuffled, examine
from tables.models import Card, Deal, Entry, Text
from tables.rules import games, house_rules

# The last so many deals are read: an evening of sixty tables, or half a year of one.
MOST_DEALS = 3000


@dataclass(frozen=True, slots=True)
class Lab:
    """What the lab found, and how many deals it looked at and left aside."""

    groups: tuple[Group, ...]
    judged: int
    left_aside: int


def look(casino_id: int, *, table: str = "", since: date | None = None, until: date | None = None) -> Lab:
    """Judge the shuffles of a period by table, dealer and way of shuffling; gaming days, both inclusive."""
    deals = Deal.objects.filter(table__casino=casino_id).select_related("table", "rules_version")
    if table:
        deals = deals.filter(table__code=table)
    if since is not None:
        deals = deals.filter(gaming_date__gte=since)
    if until is not None:
        deals = deals.filter(gaming_date__lte=until)
    chosen = sorted(deals.order_by("-id")[:MOST_DEALS], key=lambda deal: (deal.table_id, deal.number))
    judged = list(_shuffled(chosen))
    return Lab(examine(judged), len(judged), len(chosen) - len(judged))


def _shuffled(deals: list[Deal]) -> Iterator[Shuffled]:
    cards: dict[int, dict[int, str | None]] = defaultdict(dict)
    for deal_id, position, card in (
        Card.objects.filter(deal__in=deals).order_by("revision").values_list("deal_id", "position", "card")
    ):
        cards[deal_id][position] = card
    opened = _openings(deals)
    before: dict[int, list[str]] = {}
    for deal in deals:
        pack = _pack(deal)
        found = [card for _position, card in sorted(cards[deal.pk].items()) if card is not None]
        last, before[deal.table_id] = before.get(deal.table_id), found
        dealer, way = opened.get((deal.table_id, deal.sequence), ("", ""))
        # Of stos the cut card ends the deal, wherever it lies; elsewhere a deal that is not whole ended by its cards.
        if len(found) == pack or (deal.table.game == "stos" and len(found) >= 20):
            groups = {"table": deal.table.name, "dealer": dealer, "way": way}
            yield Shuffled(found, last, {kind: name for kind, name in groups.items() if name}, pack)


def _openings(deals: list[Deal]) -> dict[tuple[int, int], tuple[str, str]]:
    """Say by table and entry who opened a deal, and how it was said to be shuffled."""
    journals = {deal.table_id: deal.table.head.journal_id for deal in deals}
    of_table = {journal: table for table, journal in journals.items()}
    sequences = {(journals[deal.table_id], deal.sequence) for deal in deals}
    entries = Entry.objects.filter(journal__in=of_table, type="deal").values_list("journal_id", "sequence", "author")
    texts = Text.objects.filter(journal__in=of_table, field="shuffle", text__isnull=False)
    said = texts.values_list("journal_id", "sequence", "text")
    ways = {(journal, sequence): text for journal, sequence, text in said}
    return {
        (of_table[journal], sequence): (author, ways.get((journal, sequence)) or "")
        for journal, sequence, author in entries
        if (journal, sequence) in sequences
    }


def _pack(deal: Deal) -> int:
    """Return how many cards lie in the shoe of a deal."""
    terms = json.loads(deal.rules_version.terms)
    game = games.build(house_rules.parse(deal.table.game, terms.get("rules", {})))
    return game.deck * game.decks
